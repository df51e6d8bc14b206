/*
 * `thresher eval extraction`: compares the main content with the gold of a corpus, for
 * every classifier, with bag-of-words and shingle measures. [docs/methods.md#measures]
 *
 * The means of each corpus are reported, and one more table holds all corpora.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_report.h"
#include "eval/extraction/extraction_corpora.h"
#include "eval/extraction/extraction_summary.h"

/* ---- the report ---- */

/* A report with the figures of all corpora, for the table that compares them. */
struct comparison {
    th_eval_report report;
    th_extraction_plan plan;
    uint32_t own_count;         /* classifiers times profiles */
    const char **corpora;       /* names */
    th_extraction_summary *own; /* own_count figures for each corpus */
    uint32_t corpus_count;      /* measured so far */
};

/*
 * Columns: columns of every variant, then scores by gold text, then scores by snippets.
 */
enum { FIRST_GOLD = 4, FIRST_SNIPPET = 13, COLUMN_COUNT = 17 };
static const char *const heads[COLUMN_COUNT] = {
    "classifier", "profile",    "pages",     "refused",    "words F1",    "95%",
    "words P",    "words R",    "median F1", "shingle F1", "shingle P",   "shingle R",
    "equal",      "snippet F1", "snippet P", "snippet R",  "snippet acc",
};

/* A table with the columns that the corpus can fill. */
static th_report_table *new_table(th_arena *arena, bool has_gold, bool has_snippets)
{
    const char *chosen[COLUMN_COUNT + 1];
    size_t count = 0;
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (i < FIRST_GOLD || (i < FIRST_SNIPPET ? has_gold : has_snippets))
            chosen[count++] = heads[i];
    chosen[count] = NULL;
    return th_table_new(arena, chosen);
}

static void add_numbers(th_report_table *table, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        th_table_number(table, numbers[i], 3);
}

static void add_cells(th_report_table *table, const th_extraction_variant *variant,
                      const th_extraction_summary *figures, bool has_interval)
{
    const double gold[] = { figures->word_p,       figures->word_r,
                            figures->word_median,  figures->shingle_f,
                            figures->shingle_p,    figures->shingle_r,
                            figures->shingle_equal };
    const double snippets[] = { figures->snippet_f, figures->snippet_p,
                                figures->snippet_r, figures->snippet_accuracy };
    char interval[64] = "-";
    if (has_interval)
        (void)snprintf(interval, sizeof interval, "%.3f-%.3f", figures->word_interval.low,
                       figures->word_interval.high);
    th_table_row(table);
    th_table_text(table, variant->classifier);
    th_table_text(table, variant->peer ? "(peer)" : variant->profile);
    th_table_count(table, figures->pages);
    th_table_count(table, figures->refused);
    if (figures->gold_pages) {
        th_table_number(table, figures->word_f, 3);
        th_table_text(table, interval);
        add_numbers(table, gold, sizeof gold / sizeof *gold);
    }
    if (figures->snippet_pages)
        add_numbers(table, snippets, sizeof snippets / sizeof *snippets);
}

/* Headings of a table of groups and keys of their JSON, by grouping. */
static const struct grouping {
    const char *list, *key;
    uint32_t min_count; /* a table of fewer groups says nothing new */
} groupings[TH_GROUPINGS] = {
    [TH_BY_PAGE_TYPE] = { "page_types", "page_type", 1 },
    [TH_BY_LANGUAGE] = { "languages", "lang", 2 },
    [TH_BY_GENERATOR] = { "generators", "generator", 2 },
};

/* A variant's figures by part of the corpus. */
struct details {
    th_group_summary groups[TH_GROUPINGS];
    th_required_summary required;
    th_worst_page *worst;
    size_t worst_count;
};

static void put(th_json *json, const char *key, double value)
{
    th_json_member_decimal(json, key, value, 6);
}

static void put_groups(th_json *json, const struct grouping *grouping,
                       const th_group_summary *groups)
{
    if (groups->count < grouping->min_count)
        return;
    th_json_key(json, grouping->list);
    th_json_open_array(json);
    for (uint32_t i = 0; i < groups->count; i++) {
        th_json_open_object(json);
        th_json_member_text(json, grouping->key, groups->rows[i].name);
        th_json_member_uint(json, "pages", groups->rows[i].pages);
        put(json, "f1", groups->rows[i].word_f);
        th_json_close_object(json);
    }
    th_json_close_array(json);
}

static void put_required(th_json *json, const th_required_summary *required)
{
    if (!required->pages)
        return;
    th_json_key(json, "required");
    th_json_open_object(json);
    th_json_member_uint(json, "pages", required->pages);
    put(json, "kept", required->kept);
    put(json, "words_per_required", required->words_per_required);
    th_json_key(json, "kinds");
    th_json_open_array(json);
    for (uint32_t i = 0; i < required->count; i++) {
        th_json_open_object(json);
        th_json_member_text(json, "kind", required->rows[i].name);
        th_json_member_uint(json, "pages", required->rows[i].pages);
        put(json, "kept", required->rows[i].kept);
        put(json, "lost", required->rows[i].lost);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_json_close_object(json);
}

static void put_worst(th_json *json, const th_worst_page *worst, size_t count)
{
    if (!count)
        return;
    th_json_key(json, "worst");
    th_json_open_array(json);
    for (size_t i = 0; i < count; i++) {
        th_json_open_object(json);
        th_json_member_text(json, "id", worst[i].id);
        put(json, "f1", worst[i].score->word_f);
        put(json, "p", worst[i].score->word_p);
        put(json, "r", worst[i].score->word_r);
        th_json_close_object(json);
    }
    th_json_close_array(json);
}

static void put_figures(th_json *json, const th_extraction_variant *variant,
                        const th_extraction_summary *figures, bool has_interval,
                        const struct details *details)
{
    th_json_open_object(json);
    th_json_member_text(json, variant->peer ? "peer" : "classifier", variant->classifier);
    if (!variant->peer)
        th_json_member_text(json, "profile", variant->profile);
    th_json_member_uint(json, "pages", figures->pages);
    th_json_member_uint(json, variant->peer ? "missing" : "refused", figures->refused);
    if (figures->gold_pages) {
        th_json_key(json, "words");
        th_json_open_object(json);
        put(json, "f1", figures->word_f);
        put(json, "p", figures->word_p);
        put(json, "r", figures->word_r);
        put(json, "median_f1", figures->word_median);
        if (has_interval) {
            put(json, "f1_low", figures->word_interval.low);
            put(json, "f1_high", figures->word_interval.high);
        }
        th_json_close_object(json);
        th_json_key(json, "shingle");
        th_json_open_object(json);
        put(json, "f1", figures->shingle_f);
        put(json, "p", figures->shingle_p);
        put(json, "r", figures->shingle_r);
        put(json, "equal", figures->shingle_equal);
        th_json_close_object(json);
    }
    if (figures->snippet_pages) {
        th_json_key(json, "snippets");
        th_json_open_object(json);
        put(json, "f1", figures->snippet_f);
        put(json, "p", figures->snippet_p);
        put(json, "r", figures->snippet_r);
        put(json, "accuracy", figures->snippet_accuracy);
        th_json_close_object(json);
    }
    put_required(json, &details->required);
    for (uint32_t i = 0; i < TH_GROUPINGS; i++)
        put_groups(json, &groupings[i], &details->groups[i]);
    put_worst(json, details->worst, details->worst_count);
    th_json_close_object(json);
}

static th_status detail(th_eval_report *report, const th_extraction_scores *scores,
                        uint32_t variant, double *values, struct details *out)
{
    for (unsigned i = 0; i < TH_GROUPINGS; i++)
        th_extraction_by_group(scores, variant, (enum th_corpus_group)i, &out->groups[i]);
    th_extraction_required(scores, variant, values, &out->required);
    out->worst_count = report->request->worst;
    return th_extraction_worst(scores, variant, report->arena, &out->worst_count,
                               &out->worst);
}

static th_status print_table(th_eval_report *report, const th_report_table *table)
{
    const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
    const bool is_printed = th_table_print(table, is_markdown, report->out);
    th_buffer_append_char(report->out, '\n');
    return is_printed ? TH_OK : TH_NOMEM;
}

/* One column for each group that the corpus names. */
static th_status report_groups(th_eval_report *report, const th_extraction_scores *scores,
                               const struct details *details, uint32_t grouping)
{
    const th_group_summary *groups = &details[0].groups[grouping];
    const char *names[1 + TH_GROUPS_MAX + 1] = { "words F1" };
    for (uint32_t i = 0; i < groups->count; i++)
        names[1 + i] = groups->rows[i].name;
    th_report_table *table = th_table_new(report->arena, names);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < scores->variant_count; i++) {
        th_table_row(table);
        th_table_text(table, scores->variants[i].classifier);
        for (uint32_t k = 0; k < groups->count; k++)
            th_table_number(table, details[i].groups[grouping].rows[k].word_f, 3);
    }
    th_table_row(table);
    th_table_text(table, "pages");
    for (uint32_t k = 0; k < groups->count; k++)
        th_table_count(table, groups->rows[k].pages);
    return print_table(report, table);
}

/* Two columns for each kind of required lines. */
static th_status report_required(th_eval_report *report,
                                 const th_extraction_scores *scores,
                                 const struct details *details)
{
    const th_required_summary *kinds = &details[0].required;
    const char *names[3 + 2 * TH_GROUPS_MAX + 1] = { "required lines", "kept",
                                                     "words per required" };
    for (uint32_t i = 0; i < kinds->count; i++) {
        names[3 + 2 * i] = kinds->rows[i].name;
        names[4 + 2 * i] = "lost";
    }
    th_report_table *table = th_table_new(report->arena, names);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < scores->variant_count; i++) {
        const th_required_summary *required = &details[i].required;
        th_table_row(table);
        th_table_text(table, scores->variants[i].classifier);
        th_table_number(table, required->kept, 3);
        th_table_number(table, required->words_per_required, 2);
        for (uint32_t k = 0; k < required->count; k++) {
            th_table_number(table, required->rows[k].kept, 3);
            th_table_number(table, required->rows[k].lost, 3);
        }
    }
    return print_table(report, table);
}

static th_status report_worst(th_eval_report *report, const char *classifier,
                              const struct details *details)
{
    static const char *const names[] = { "words F1", "P", "R", "page", NULL };
    th_report_table *table = th_table_new(report->arena, names);
    if (!table)
        return TH_NOMEM;
    for (size_t i = 0; i < details->worst_count; i++) {
        const th_content_score *score = details->worst[i].score;
        th_table_row(table);
        th_table_number(table, score->word_f, 3);
        th_table_number(table, score->word_p, 3);
        th_table_number(table, score->word_r, 3);
        th_table_text(table, details->worst[i].id);
    }
    th_buffer_printf(report->out, "worst of %s\n", classifier);
    return print_table(report, table);
}

static th_status report_details(th_eval_report *report,
                                const th_extraction_scores *scores,
                                const struct details *details)
{
    th_status status = TH_OK;
    if (scores->variant_count && details[0].required.pages)
        status = report_required(report, scores, details);
    for (uint32_t i = 0; scores->variant_count && i < TH_GROUPINGS; i++)
        if (status == TH_OK && details[0].groups[i].count >= groupings[i].min_count)
            status = report_groups(report, scores, details, i);
    for (uint32_t i = 0; i < scores->variant_count && status == TH_OK; i++)
        if (details[i].worst_count)
            status = report_worst(report, scores->variants[i].classifier, &details[i]);
    return status;
}

static th_status report_corpus(void *context, const th_extraction_scores *scores)
{
    struct comparison *all = context;
    th_eval_report *report = &all->report;
    const bool is_json = th_eval_report_is_json(report);
    const bool has_interval = report->request->resamples > 0;
    double *values = calloc(scores->row_count + 1, sizeof *values);
    bool has_gold = false, has_snippets = false;
    for (size_t i = 0; i < scores->row_count; i++) {
        has_gold |= scores->rows[i].has_gold;
        has_snippets |= scores->rows[i].has_snippets;
    }
    th_report_table *table = new_table(report->arena, has_gold, has_snippets);
    struct details *details =
        th_arena_calloc(report->arena, scores->variant_count, sizeof *details);
    th_status status = values && table && details ? TH_OK : TH_NOMEM;
    th_eval_report_open(report, "corpus", scores->name, "methods");
    for (uint32_t i = 0; i < scores->variant_count && status == TH_OK; i++) {
        th_extraction_summary figures;
        status = th_extraction_sum_up(scores, i, values, &figures);
        if (status != TH_OK)
            break;
        if (i < all->own_count)
            all->own[all->corpus_count * all->own_count + i] = figures;
        status = detail(report, scores, i, values, &details[i]);
        if (is_json)
            put_figures(&report->json, &scores->variants[i], &figures, has_interval,
                        &details[i]);
        else
            add_cells(table, &scores->variants[i], &figures, has_interval);
    }
    th_eval_report_close(report);
    if (!is_json && status == TH_OK)
        status = th_eval_report_table(report, scores->name, table);
    if (!is_json && status == TH_OK)
        status = report_details(report, scores, details);
    all->corpora[all->corpus_count++] = scores->name;
    free(values);
    return status;
}

/* Returns the figure by which corpora of both kinds can share a table. */
static double main_figure(const th_extraction_summary *figures)
{
    return figures->gold_pages ? figures->word_f : figures->snippet_f;
}

/* One column for each corpus. */
static th_status report_all(struct comparison *all)
{
    enum {
        BEFORE = 2,
        BEHIND = 2,
        CORPORA_MAX = 64
    }; /* columns in addition to the corpora's */
    const char *names[BEFORE + CORPORA_MAX + BEHIND];
    const th_method_list *classifiers = &all->plan.classifiers;
    const uint32_t count = all->corpus_count;
    if (count < 2 || count > CORPORA_MAX || th_eval_report_is_json(&all->report))
        return TH_OK;
    names[0] = "words F1";
    names[1] = "profile";
    memcpy(names + BEFORE, all->corpora, count * sizeof *names);
    names[BEFORE + count] = "mean";
    names[BEFORE + count + 1] = NULL;
    th_report_table *table = th_table_new(all->report.arena, names);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < all->own_count; i++) {
        double sum = 0;
        th_table_row(table);
        th_table_text(table, classifiers->names[i % classifiers->count]);
        th_table_text(table, all->plan.profiles.names[i / classifiers->count]);
        for (uint32_t j = 0; j < count; j++) {
            const double figure = main_figure(&all->own[j * all->own_count + i]);
            th_table_number(table, figure, 3);
            sum += figure;
        }
        th_table_number(table, sum / count, 3);
    }
    const bool is_markdown = all->report.request->form == TH_EVAL_MARKDOWN;
    th_buffer_append_text(all->report.out, is_markdown ? "### all\n\n" : "all\n");
    return th_table_print(table, is_markdown, all->report.out) ? TH_OK : TH_NOMEM;
}

/* ---- from the request to the report ---- */

static th_status measure_all(struct comparison *all, th_error *err)
{
    const th_eval_request *request = all->report.request;
    th_arena *arena = all->report.arena;
    all->plan = (th_extraction_plan){
        .request = request, .arena = arena, .report = report_corpus, .context = all
    };
    th_status status = th_extraction_plan_methods(
        &all->plan, *request->profiles ? request->profiles : request->page->profile, err);
    if (status != TH_OK)
        return status;
    all->own_count = all->plan.classifiers.count * all->plan.profiles.count;
    all->own =
        th_arena_calloc(arena, request->input_count, all->own_count * sizeof *all->own);
    all->corpora = th_arena_calloc(arena, request->input_count, sizeof *all->corpora);
    if (!all->own || !all->corpora)
        return TH_NOMEM;
    status = th_extraction_measure(&all->plan, err);
    return status == TH_OK ? report_all(all) : status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct comparison all = { .own_count = 0 };
    th_status status =
        th_eval_report_begin(&all.report, request, "extraction", request->page->segmenter,
                             "corpora", &output->report);
    if (status == TH_OK)
        status = measure_all(&all, err);
    return th_eval_report_end(&all.report, status, err);
}

const th_eval_kind th_eval_extraction = {
    .name = "extraction",
    .inputs = "CORPUS...",
    .help = "compare the main content of each classifier with its known text",
    .measure = measure,
};
