/*
 * `thresher eval extraction`: how near the main content comes to the gold of a corpus,
 * for every classifier, with bag-of-words and shingle measures.
 * [docs/methods.md#measures]
 *
 * From a corpus's path to its report: its pages are scored and the means reported, and
 * one more table holds all corpora.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "eval/corpus_path.h"
#include "eval/eval.h"
#include "eval/extraction/extraction_summary.h"
#include "eval/method_list.h"
#include "eval/report_table.h"

/* ---- the report ---- */

/* All corpora after they are measured. */
struct report {
    const th_eval_request *request;
    th_arena *arena;
    th_method_list classifiers, profiles;
    uint32_t own_count;         /* classifiers times profiles */
    const char **corpora;       /* names */
    th_extraction_summary *own; /* own_count figures for each corpus */
    uint32_t corpus_count;      /* measured so far */
    th_json json;
    th_buffer *out;
};

/* Columns: what every variant has, what gold text gives, what snippets give. */
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

static void put(th_json *json, const char *key, double value)
{
    th_json_member_decimal(json, key, value, 6);
}

static void put_figures(th_json *json, const th_extraction_variant *variant,
                        const th_extraction_summary *figures, bool has_interval)
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
    th_json_close_object(json);
}

static th_status report_corpus(struct report *report, const th_extraction_scores *scores)
{
    const bool is_json = report->request->form == TH_EVAL_JSON;
    const bool has_interval = report->request->resamples > 0;
    double *values = calloc(scores->row_count + 1, sizeof *values);
    bool has_gold = false, has_snippets = false;
    for (size_t i = 0; i < scores->row_count; i++) {
        has_gold |= scores->rows[i].has_gold;
        has_snippets |= scores->rows[i].has_snippets;
    }
    th_report_table *table = new_table(report->arena, has_gold, has_snippets);
    th_status status = values && table ? TH_OK : TH_NOMEM;
    if (is_json) {
        th_json_open_object(&report->json);
        th_json_member_text(&report->json, "corpus", scores->name);
        th_json_key(&report->json, "methods");
        th_json_open_array(&report->json);
    }
    for (uint32_t i = 0; i < scores->variant_count && status == TH_OK; i++) {
        th_extraction_summary figures;
        status = th_extraction_sum_up(scores, i, values, &figures);
        if (status != TH_OK)
            break;
        if (i < report->own_count)
            report->own[report->corpus_count * report->own_count + i] = figures;
        if (is_json)
            put_figures(&report->json, &scores->variants[i], &figures, has_interval);
        else
            add_cells(table, &scores->variants[i], &figures, has_interval);
    }
    if (is_json) {
        th_json_close_array(&report->json);
        th_json_close_object(&report->json);
    } else if (status == TH_OK) {
        const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
        th_buffer_printf(report->out, is_markdown ? "### %.200s\n\n" : "%.200s\n",
                         scores->name);
        th_table_print(table, is_markdown, report->out);
        th_buffer_append_char(report->out, '\n');
    }
    report->corpora[report->corpus_count++] = scores->name;
    free(values);
    return status;
}

/* The figure by which corpora of both kinds can stand in one table. */
static double main_figure(const th_extraction_summary *figures)
{
    return figures->gold_pages ? figures->word_f : figures->snippet_f;
}

/* One column for each corpus. */
static th_status report_all(struct report *report)
{
    const char *names[2 + 64 + 2];
    const uint32_t count = report->corpus_count;
    if (count < 2 || count > 64 || report->request->form == TH_EVAL_JSON)
        return TH_OK;
    names[0] = "words F1";
    names[1] = "profile";
    memcpy(names + 2, report->corpora, count * sizeof *names);
    names[2 + count] = "mean";
    names[3 + count] = NULL;
    th_report_table *table = th_table_new(report->arena, names);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < report->own_count; i++) {
        double sum = 0;
        th_table_row(table);
        th_table_text(table, report->classifiers.names[i % report->classifiers.count]);
        th_table_text(table, report->profiles.names[i / report->classifiers.count]);
        for (uint32_t j = 0; j < count; j++) {
            const double figure = main_figure(&report->own[j * report->own_count + i]);
            th_table_number(table, figure, 3);
            sum += figure;
        }
        th_table_number(table, sum / count, 3);
    }
    const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
    th_buffer_append_text(report->out, is_markdown ? "### all\n\n" : "all\n");
    return th_table_print(table, is_markdown, report->out) ? TH_OK : TH_NOMEM;
}

/* ---- a corpus from its path to its report ---- */

static void name_variants(struct report *report, const th_peer_list *peers,
                          th_extraction_scores *scores)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->profiles.count; i++)
        for (uint32_t j = 0; j < report->classifiers.count; j++)
            scores->variants[count++] =
                (th_extraction_variant){ .classifier = report->classifiers.names[j],
                                         .profile = report->profiles.names[i] };
    scores->own_count = count;
    for (uint32_t i = 0; i < peers->count; i++)
        scores->variants[count++] = (th_extraction_variant){
            .classifier = peers->names[i], .profile = "", .peer = peers->peers[i]
        };
    scores->variant_count = count;
}

static th_status measure_corpus(struct report *report, const char *input,
                                uint64_t done_before, uint64_t total_bytes, th_error *err)
{
    th_extraction_scores scores = { .request = report->request };
    th_corpus_path path;
    th_peer_list peers;
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_PAGES, report->arena, &path, err);
    if (status == TH_OK)
        status = th_peer_list_read(path.folder, report->request->stop, report->arena,
                                   &peers, err);
    if (status != TH_OK)
        return status;
    scores.path = path.file;
    scores.name = path.name;
    name_variants(report, &peers, &scores);
    status =
        th_extraction_score_all(&scores, done_before, total_bytes, report->arena, err);
    if (status == TH_OK)
        status = report_corpus(report, &scores);
    th_extraction_scores_done(&scores);
    return status;
}

static th_status begin_report(struct report *report, th_error *err)
{
    const th_eval_request *request = report->request;
    th_status status =
        th_classifier_list(request->classifiers, &report->classifiers, err);
    if (status == TH_OK)
        status = th_profile_list(*request->profiles ? request->profiles
                                                    : request->page->profile,
                                 &report->profiles, err);
    if (status != TH_OK)
        return status;
    report->own_count = report->classifiers.count * report->profiles.count;
    if (report->own_count > TH_EXTRACTION_VARIANTS_MAX - TH_PEERS_MAX)
        return th_fail(err, TH_USAGE, "%u classifiers times %u profiles are too many",
                       report->classifiers.count, report->profiles.count);
    report->own = th_arena_calloc(report->arena, request->input_count,
                                  report->own_count * sizeof *report->own);
    report->corpora =
        th_arena_calloc(report->arena, request->input_count, sizeof *report->corpora);
    return report->own && report->corpora ? TH_OK : TH_NOMEM;
}

static th_status measure_all(struct report *report, th_error *err)
{
    const th_eval_request *request = report->request;
    uint64_t total = 0, done = 0;
    th_corpus_path path;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_PAGES, report->arena,
                                     &path, err);
        total += status == TH_OK ? th_file_len(path.file) : 0;
    }
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = measure_corpus(report, request->inputs[i], done, total, err);
        if (status == TH_OK)
            status = th_corpus_path_find(request->inputs[i], TH_CORPUS_PAGES,
                                         report->arena, &path, err);
        done += status == TH_OK ? th_file_len(path.file) : 0;
    }
    return status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct report report = { .request = request, .out = &output->report };
    const bool is_json = request->form == TH_EVAL_JSON;
    report.arena = th_arena_new(0);
    th_status status = report.arena ? begin_report(&report, err) : TH_NOMEM;
    if (is_json) {
        th_json_begin(&report.json, report.out);
        th_json_open_object(&report.json);
        th_json_member_text(&report.json, "schema", "thresher-eval/1");
        th_json_member_text(&report.json, "kind", "extraction");
        th_json_member_text(&report.json, "segmenter", request->page->segmenter);
        th_json_key(&report.json, "corpora");
        th_json_open_array(&report.json);
    }
    if (status == TH_OK)
        status = measure_all(&report, err);
    if (is_json) {
        th_json_close_array(&report.json);
        th_json_close_object(&report.json);
        const th_status ended = th_json_end(&report.json);
        status = status == TH_OK ? ended : status;
    } else if (status == TH_OK) {
        status = report_all(&report);
    }
    th_arena_free(report.arena);
    if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory");
    return status;
}

const th_eval_kind th_eval_extraction = {
    .name = "extraction",
    .inputs = "CORPUS...",
    .help = "main content against its known text, for every classifier",
    .measure = measure,
};
