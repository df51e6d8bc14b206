/*
 * `thresher eval extraction`: how near the main content comes to the gold of a corpus,
 * for every classifier, with bag-of-words and shingle measures. [spec/algorithms.md §5]
 *
 * A page is parsed once; each profile segments it anew and each classifier labels it
 * anew. A page that the road refuses counts as an empty text, as in score_extraction.py,
 * whose figures these are; the interval is a bootstrap over pages.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "eval/content_score.h"
#include "eval/corpus_path.h"
#include "eval/crew.h"
#include "eval/eval.h"
#include "eval/line_reader.h"
#include "eval/method_list.h"
#include "eval/peer_output.h"
#include "eval/report_table.h"
#include "eval/sample_summary.h"
#include "pipeline.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

enum { VARIANTS_MAX = TH_METHODS_MAX * 4 + TH_PEERS_MAX };

/* What is scored: a classifier with a profile, or a peer. */
struct variant {
    const char *classifier; /* name, or the peer's */
    const char *profile;    /* "" for a peer */
    const th_peer_output *peer;
    uint32_t missing; /* pages that a peer has no text for */
};

/* A page after its worker. */
struct row {
    bool has_gold, has_snippets, is_refused;
    th_content_score *scores; /* one for each variant */
};

/* A corpus under way. */
struct corpus {
    const th_eval_request *request;
    const char *path, *name;
    th_arena *arena; /* owns the scores; used under the lock */
    struct variant variants[VARIANTS_MAX];
    uint32_t own_count, variant_count;

    pthread_mutex_t lock; /* of all below */
    th_line_reader *reader;
    bool is_over;
    struct row *rows;
    size_t row_count, row_capacity;
    uint64_t done_before, total_bytes;
};

/* ---- a page ---- */

/* A worker: its pipeline, its page, its scorer. */
struct worker {
    struct corpus *corpus;
    th_options opt; /* nothing is signed */
    th_pipeline *pipeline;
    th_content_scorer scorer;
    th_corpus_page page;
    th_buffer line;
    size_t index;    /* of the page */
    uint64_t number; /* of its line */
};

/* The record that a server would have given: the head states the true encoding. */
static th_record record_of(const th_corpus_page *page, char *type, size_t type_size)
{
    (void)snprintf(type, type_size, "text/html%s%.*s",
                   page->encoding.len ? "; charset=" : "",
                   (int)(page->encoding.len > 60 ? 60 : page->encoding.len),
                   page->encoding.data ? page->encoding.data : "");
    return (th_record){
        .kind = TH_RECORD_RESOURCE,
        .url = page->url,
        .content_type = { type, strlen(type) },
        .block = page->html,
        .block_len = page->html.len,
    };
}

/* Content of the page as one variant sees it; the page has been segmented for it. */
static th_status content_of(struct worker *worker, const struct variant *variant,
                            th_page *page, th_view *text)
{
    th_options opt = worker->opt;
    opt.classifier = variant->classifier;
    const th_status status = th_select_page(page, &opt);
    if (status != TH_OK)
        return status;
    *text = th_page_content_text(page);
    return text->data ? TH_OK : TH_NOMEM;
}

static th_status segment_as(struct worker *worker, const char *profile, th_page *page)
{
    th_options opt = worker->opt;
    opt.profile = profile;
    return th_segment_page(page, &opt);
}

/* The text of a variant; `profile` is that of the segments, and changes where it must. */
static th_status text_of(struct worker *worker, const struct variant *variant,
                         th_page *page, const char **profile, th_view *text)
{
    *text = TH_VIEW("");
    if (variant->peer) {
        const th_view found = th_peer_text(variant->peer, worker->page.id);
        *text = found.data ? found : *text;
        return TH_OK;
    }
    if (!page)
        return TH_OK;
    th_status status = TH_OK;
    if (*profile != variant->profile)
        status = segment_as(worker, variant->profile, page);
    *profile = variant->profile;
    return status == TH_OK ? content_of(worker, variant, page, text) : status;
}

static th_status score_variants(struct worker *worker, th_page *page,
                                th_content_score *scores)
{
    const struct corpus *corpus = worker->corpus;
    const char *profile = NULL;
    th_status status = th_content_scorer_begin(&worker->scorer, &worker->page);
    for (uint32_t i = 0; i < corpus->variant_count && status == TH_OK; i++) {
        th_view text;
        status = text_of(worker, &corpus->variants[i], page, &profile, &text);
        if (status == TH_OK)
            status =
                th_content_scorer_score(&worker->scorer, &worker->page, text, &scores[i]);
    }
    return status;
}

/* Hands the page's scores in. */
static th_status store(struct worker *worker, bool is_refused,
                       const th_content_score *scores)
{
    struct corpus *corpus = worker->corpus;
    const th_corpus_page *page = &worker->page;
    pthread_mutex_lock(&corpus->lock);
    struct row *row = &corpus->rows[worker->index];
    th_content_score *copy =
        th_arena_alloc(corpus->arena, corpus->variant_count * sizeof *copy);
    if (copy) {
        memcpy(copy, scores, corpus->variant_count * sizeof *copy);
        row->scores = copy;
        row->is_refused = is_refused;
        row->has_gold = page->gold.data != NULL;
        row->has_snippets = page->with_count || page->without_count;
        for (uint32_t i = corpus->own_count; i < corpus->variant_count; i++)
            corpus->variants[i].missing +=
                !th_peer_text(corpus->variants[i].peer, page->id).data;
    }
    pthread_mutex_unlock(&corpus->lock);
    return copy ? TH_OK : TH_NOMEM;
}

static th_status score_page(struct worker *worker, th_error *err)
{
    th_content_score scores[VARIANTS_MAX];
    char type[128];
    th_annotated annotated;
    th_error why = { .text = "" };
    th_status status =
        th_corpus_page_read(&worker->page, th_buffer_view(&worker->line), &why);
    if (status != TH_OK)
        return th_fail(err, status == TH_NOMEM ? TH_NOMEM : TH_IO, "%s:%llu: %s",
                       worker->corpus->path, (unsigned long long)worker->number,
                       why.text);
    const th_record record = record_of(&worker->page, type, sizeof type);
    status = th_pipeline_run(worker->pipeline, &record, &annotated);
    if (status == TH_OK)
        status = score_variants(worker, annotated.page, scores);
    if (status == TH_OK)
        status = store(worker, annotated.status != TH_OK, scores);
    return status == TH_OK
               ? TH_OK
               : th_fail(err, status, "%s:%llu: %s", worker->corpus->path,
                         (unsigned long long)worker->number, th_status_text(status));
}

/* ---- the workers ---- */

/* A row for one more page. Under the lock. */
static th_status add_row(struct corpus *corpus, size_t *index)
{
    if (corpus->row_count == corpus->row_capacity) {
        const size_t capacity = corpus->row_capacity ? 2 * corpus->row_capacity : 256;
        struct row *rows = realloc(corpus->rows, capacity * sizeof *rows);
        if (!rows)
            return TH_NOMEM;
        corpus->rows = rows;
        corpus->row_capacity = capacity;
    }
    corpus->rows[corpus->row_count] = (struct row){ 0 };
    *index = corpus->row_count++;
    return TH_OK;
}

/* The next line of the corpus. TH_END when there is none for whatever reason. */
static th_status take_line(struct worker *worker, th_error *err)
{
    struct corpus *corpus = worker->corpus;
    const th_eval_request *request = corpus->request;
    th_status status = TH_END;
    pthread_mutex_lock(&corpus->lock);
    if (!corpus->is_over && request->stop && *request->stop)
        status = th_fail(err, TH_INTERRUPTED, "interrupted");
    else if (!corpus->is_over)
        status = th_line_reader_next(corpus->reader, &worker->line, err);
    if (status == TH_OK)
        status = add_row(corpus, &worker->index);
    worker->number = th_line_reader_number(corpus->reader);
    corpus->is_over = corpus->is_over || status != TH_OK;
    if (request->tell)
        request->tell(request->context,
                      corpus->done_before + th_line_reader_offset(corpus->reader),
                      corpus->total_bytes, corpus->row_count);
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

static void give_up(struct corpus *corpus)
{
    pthread_mutex_lock(&corpus->lock);
    corpus->is_over = true;
    pthread_mutex_unlock(&corpus->lock);
}

static th_status work(void *context, th_error *err)
{
    struct worker worker = { .corpus = context };
    worker.opt = *worker.corpus->request->page;
    worker.opt.minhash = "none";
    worker.pipeline = th_pipeline_new(&worker.opt);
    th_status status = th_content_scorer_init(&worker.scorer);
    if (!worker.pipeline || status != TH_OK)
        status = th_fail(err, TH_NOMEM, "no memory for a worker");
    while (status == TH_OK) {
        status = take_line(&worker, err);
        if (status == TH_OK)
            status = score_page(&worker, err);
    }
    if (status != TH_END)
        give_up(worker.corpus);
    th_pipeline_free(worker.pipeline);
    th_content_scorer_done(&worker.scorer);
    th_corpus_page_done(&worker.page);
    th_buffer_done(&worker.line);
    return status == TH_END ? TH_OK : status;
}

/* ---- what it amounts to ---- */

/* A variant's figures on a corpus. */
struct summary {
    uint64_t pages, gold_pages, snippet_pages, refused;
    double word_p, word_r, word_f, word_median;
    th_interval word_interval;
    double shingle_p, shingle_r, shingle_f, shingle_equal;
    double snippet_p, snippet_r, snippet_f, snippet_accuracy;
};

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void sum_up_snippets(const struct corpus *corpus, uint32_t variant,
                            struct summary *out)
{
    uint64_t hits = 0, false_hits = 0, misses = 0, right_misses = 0;
    for (size_t i = 0; i < corpus->row_count; i++) {
        const th_content_score *score = &corpus->rows[i].scores[variant];
        hits += score->hits;
        false_hits += score->false_hits;
        misses += score->misses;
        right_misses += score->right_misses;
    }
    out->snippet_p = ratio(hits, hits + false_hits);
    out->snippet_r = ratio(hits, hits + misses);
    out->snippet_f = th_harmonic(out->snippet_p, out->snippet_r);
    out->snippet_accuracy =
        ratio(hits + right_misses, hits + false_hits + misses + right_misses);
}

/* One figure of every page with gold. @return how many */
static size_t gather(const struct corpus *corpus, uint32_t variant, size_t offset,
                     double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < corpus->row_count; i++) {
        if (!corpus->rows[i].has_gold)
            continue;
        const char *score = (const char *)&corpus->rows[i].scores[variant];
        memcpy(&values[count++], score + offset, sizeof *values);
    }
    return count;
}

static double mean_of(const struct corpus *corpus, uint32_t variant, size_t offset,
                      double *values)
{
    return th_mean(values, gather(corpus, variant, offset, values));
}

static th_status sum_up(const struct corpus *corpus, uint32_t variant, double *values,
                        struct summary *out)
{
    *out = (struct summary){ .pages = corpus->row_count };
    for (size_t i = 0; i < corpus->row_count; i++) {
        out->gold_pages += corpus->rows[i].has_gold;
        out->snippet_pages += corpus->rows[i].has_snippets;
        out->refused += corpus->rows[i].is_refused;
    }
    if (corpus->variants[variant].peer)
        out->refused = corpus->variants[variant].missing;
#define MEAN_OF(member)                                                                  \
    mean_of(corpus, variant, offsetof(th_content_score, member), values)
    out->word_p = MEAN_OF(word_p);
    out->word_r = MEAN_OF(word_r);
    out->shingle_p = MEAN_OF(shingle_p);
    out->shingle_r = MEAN_OF(shingle_r);
    out->shingle_f = th_harmonic(out->shingle_p, out->shingle_r);
    out->shingle_equal = MEAN_OF(is_equal);
    out->word_f = MEAN_OF(word_f);
#undef MEAN_OF
    const size_t count =
        gather(corpus, variant, offsetof(th_content_score, word_f), values);
    const th_status status =
        th_bootstrap_mean(values, count, corpus->request->resamples, &out->word_interval);
    out->word_median = th_median(values, count);
    sum_up_snippets(corpus, variant, out);
    return status;
}

/* ---- the report ---- */

/* All corpora after they are measured. */
struct report {
    const th_eval_request *request;
    th_arena *arena;
    th_method_list classifiers, profiles;
    uint32_t own_count;    /* classifiers times profiles */
    const char **corpora;  /* names */
    struct summary *own;   /* own_count figures for each corpus */
    uint32_t corpus_count; /* measured so far */
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

static void add_cells(th_report_table *table, const struct variant *variant,
                      const struct summary *figures, bool has_interval)
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

static void put_figures(th_json *json, const struct variant *variant,
                        const struct summary *figures, bool has_interval)
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

static th_status report_corpus(struct report *report, const struct corpus *corpus)
{
    const bool is_json = report->request->form == TH_EVAL_JSON;
    const bool has_interval = report->request->resamples > 0;
    double *values = calloc(corpus->row_count + 1, sizeof *values);
    bool has_gold = false, has_snippets = false;
    for (size_t i = 0; i < corpus->row_count; i++) {
        has_gold |= corpus->rows[i].has_gold;
        has_snippets |= corpus->rows[i].has_snippets;
    }
    th_report_table *table = new_table(report->arena, has_gold, has_snippets);
    th_status status = values && table ? TH_OK : TH_NOMEM;
    if (is_json) {
        th_json_open_object(&report->json);
        th_json_member_text(&report->json, "corpus", corpus->name);
        th_json_key(&report->json, "methods");
        th_json_open_array(&report->json);
    }
    for (uint32_t i = 0; i < corpus->variant_count && status == TH_OK; i++) {
        struct summary figures;
        status = sum_up(corpus, i, values, &figures);
        if (status != TH_OK)
            break;
        if (i < report->own_count)
            report->own[report->corpus_count * report->own_count + i] = figures;
        if (is_json)
            put_figures(&report->json, &corpus->variants[i], &figures, has_interval);
        else
            add_cells(table, &corpus->variants[i], &figures, has_interval);
    }
    if (is_json) {
        th_json_close_array(&report->json);
        th_json_close_object(&report->json);
    } else if (status == TH_OK) {
        const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
        th_buffer_printf(report->out, is_markdown ? "### %.200s\n\n" : "%.200s\n",
                         corpus->name);
        th_table_print(table, is_markdown, report->out);
        th_buffer_append_char(report->out, '\n');
    }
    report->corpora[report->corpus_count++] = corpus->name;
    free(values);
    return status;
}

/* The figure by which corpora of both kinds can stand in one table. */
static double main_figure(const struct summary *figures)
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
                          struct corpus *corpus)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->profiles.count; i++)
        for (uint32_t j = 0; j < report->classifiers.count; j++)
            corpus->variants[count++] =
                (struct variant){ .classifier = report->classifiers.names[j],
                                  .profile = report->profiles.names[i] };
    corpus->own_count = count;
    for (uint32_t i = 0; i < peers->count; i++)
        corpus->variants[count++] = (struct variant){ .classifier = peers->names[i],
                                                      .profile = "",
                                                      .peer = peers->peers[i] };
    corpus->variant_count = count;
}

static th_status measure_corpus(struct report *report, const char *input,
                                uint64_t done_before, uint64_t total_bytes, th_error *err)
{
    struct corpus corpus = { .request = report->request,
                             .done_before = done_before,
                             .total_bytes = total_bytes };
    th_corpus_path path;
    th_peer_list peers;
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_PAGES, report->arena, &path, err);
    if (status != TH_OK)
        return status;
    corpus.path = path.file;
    corpus.name = path.name;
    corpus.arena = report->arena;
    status = th_peer_list_read(path.folder, report->arena, &peers, err);
    if (status == TH_OK)
        status = th_line_reader_open(corpus.path, &corpus.reader, err);
    if (status != TH_OK)
        return status;
    name_variants(report, &peers, &corpus);
    pthread_mutex_init(&corpus.lock, NULL);
    status = th_crew_run(report->request->workers, work, &corpus, err);
    if (status == TH_OK && corpus.row_count == 0)
        status = th_fail(err, TH_USAGE, "'%s' holds no page", corpus.path);
    if (status == TH_OK)
        status = report_corpus(report, &corpus);
    pthread_mutex_destroy(&corpus.lock);
    th_line_reader_free(corpus.reader);
    free(corpus.rows);
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
    if (report->own_count > VARIANTS_MAX - TH_PEERS_MAX)
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
