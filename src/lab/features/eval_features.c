/*
 * `thresher eval features`: writes a learned classifier's features of the paragraphs of
 * corpora, with their labels, as one file for training. [training/features.md]
 *
 * A page is parsed as for a classifier that reads all of it. Its columns are computed by
 * the same code as in production. Pages are processed in any order and stored in the
 * order of the corpora, so the file is the same for any number of workers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "eval/corpus_feed.h"
#include "eval/corpus_page.h"
#include "eval/corpus_path.h"
#include "eval/folds/site_of_page.h"
#include "lab/features/eval_features.h"
#include "lab/features/feature_file.h"
#include "lab/features/token_tables.h"
#include "pipeline/pipeline.h"

/* The data that the workers share. */
struct traffic {
    const th_token_tables *tables; /* count 0: none */
    const th_corpus_path *corpus;
    th_corpus_feed feed; /* its pages, a th_feature_page each, are of all corpora */
    uint64_t refused;    /* under the feed's lock */
};

struct worker {
    struct traffic *traffic;
    th_options opt;
    th_pipeline *pipeline;
    th_page_words words;
    th_arena *scratch;
    th_corpus_page page;
    th_corpus_line line;
};

/* ---- a page ------------------------------------------------------------------------ */

static uint64_t count_tokens(const th_page *page)
{
    return page->block_count ? page->tokens_before[page->block_count] : 0;
}

static th_status report_page(const struct worker *worker, const th_page *page,
                             const th_paragraph_gold *gold, th_buffer *out)
{
    const th_corpus_page *known = &worker->page;
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member(&json, "id", known->id);
    th_json_member_text(&json, "corpus", worker->traffic->corpus->name);
    th_json_member(&json, "host", th_registered_domain(known->url));
    th_json_member_uint(&json, "fold", th_content_fold(known->url, known->id));
    th_json_member(&json, "page_type", known->groups[TH_BY_PAGE_TYPE]);
    th_json_member_uint(&json, "gold_tokens", gold->gold_words);
    th_json_member_uint(&json, "words", gold->page_words);
    th_json_key(&json, "has_gold");
    th_json_bool(&json, known->gold.data != NULL);
    th_json_member_uint(&json, "tokens", count_tokens(page));
    th_json_member_uint(&json, "rows", page->paragraph_count);
    th_json_close_object(&json);
    return th_json_end(&json);
}

static th_status compute(struct worker *worker, const th_page *page, th_feature_page *out)
{
    const th_token_tables *tables = worker->traffic->tables;
    const unsigned fold = th_content_fold(worker->page.url, worker->page.id);
    th_feature_columns columns;
    th_paragraph_gold gold;
    th_token_buckets buckets;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    th_arena_reset(worker->scratch);
    th_status status = th_features_compute(
        page, tables->count ? &tables->tables[fold % tables->count] : NULL,
        worker->scratch, &columns, vector);
    if (status == TH_OK)
        status = th_features_buckets(page, worker->scratch, &buckets);
    if (status == TH_OK)
        status = th_paragraph_gold_of(&worker->words, &worker->page, page,
                                      worker->scratch, &gold);
    if (status == TH_OK)
        status = th_feature_page_pack(page, &columns, vector, &gold, &buckets, out);
    return status == TH_OK ? report_page(worker, page, &gold, &out->about) : status;
}

/* Stores a page. A refused page leaves an empty place, which is closed later. */
static void store(struct worker *worker, const th_feature_page *page, bool is_refused)
{
    struct traffic *traffic = worker->traffic;
    pthread_mutex_lock(&traffic->feed.lock);
    th_feature_page *pages = traffic->feed.pages;
    pages[worker->line.page] = *page;
    traffic->refused += is_refused;
    pthread_mutex_unlock(&traffic->feed.lock);
}

static th_status take_page(struct worker *worker, th_error *err)
{
    char type[TH_CORPUS_TYPE_MAX];
    th_annotated annotated;
    th_error why = { .text = "" };
    th_feature_page features = { 0 };
    th_status status =
        th_corpus_page_read(&worker->page, th_buffer_view(&worker->line.text), &why);
    if (status != TH_OK)
        return th_fail(err, status == TH_NOMEM ? TH_NOMEM : TH_IO, "%s:%" PRIu64 ": %s",
                       worker->traffic->corpus->file, worker->line.number, why.text);
    const th_record record = th_corpus_page_record(&worker->page, type);
    status = th_pipeline_run(worker->pipeline, &record, &annotated);
    const bool has_rows =
        status == TH_OK && annotated.status == TH_OK && annotated.page->paragraph_count;
    if (has_rows)
        status = compute(worker, annotated.page, &features);
    if (status != TH_OK) {
        th_feature_page_done(&features);
        return th_fail(err, status, "%s:%" PRIu64 ": %s", worker->traffic->corpus->file,
                       worker->line.number, th_status_text(status));
    }
    store(worker, &features, !has_rows);
    return TH_OK;
}

/* ---- the workers ------------------------------------------------------------------- */

static th_status work(void *context, uint64_t *place, th_error *err)
{
    struct traffic *traffic = context;
    const th_eval_request *request = traffic->feed.request;
    struct worker worker = { .traffic = traffic, .opt = *request->page };
    worker.opt.minhash = "none";
    worker.opt.segmenter = "full-text"; /* nothing reads segments */
    worker.opt.classifier = "keep-all";
    worker.opt.reads =
        TH_FEATURES_READ & ~(request->without_classes ? (uint32_t)TH_READS_CLASSES : 0u);
    worker.pipeline = th_pipeline_new(&worker.opt);
    worker.scratch = th_arena_new(0);
    th_status status = th_page_words_init(&worker.words);
    if (!worker.pipeline || !worker.scratch || status != TH_OK)
        status = th_fail(err, TH_NOMEM, "out of memory for a worker");
    else
        th_pipeline_set_sites(worker.pipeline, request->sites);
    while (status == TH_OK) {
        status = th_corpus_feed_next(&traffic->feed, &worker.line, err);
        *place = worker.line.number + (status != TH_OK); /* after the last line that was
                                                     * taken */
        if (status == TH_OK)
            status = take_page(&worker, err);
    }
    if (status != TH_END)
        th_corpus_feed_stop(&traffic->feed);
    th_pipeline_free(worker.pipeline);
    th_arena_free(worker.scratch);
    th_page_words_done(&worker.words);
    th_corpus_page_done(&worker.page);
    th_buffer_done(&worker.line.text);
    return status == TH_END ? TH_OK : status;
}

/* Closes the places of refused pages. */
static void close_ranks(struct traffic *traffic)
{
    th_feature_page *pages = traffic->feed.pages;
    size_t kept = 0;
    for (size_t i = 0; i < traffic->feed.page_count; i++)
        if (pages[i].row_count)
            pages[kept++] = pages[i];
    traffic->feed.page_count = kept;
}

/* ---- the list of columns ----------------------------------------------------------- */

static void list_columns(th_buffer *out)
{
    for (unsigned group = 0; group < TH_FEATURE_GROUP_COUNT; group++) {
        th_buffer_printf(out, "%s: %s\n", th_feature_group_name(group),
                         th_feature_group_help(group));
        for (unsigned i = 0; i < TH_FEATURE_COUNT; i++)
            if (th_feature_group(i) == group)
                th_buffer_printf(out, "  %3u %-22s %s\n", i, th_feature_name(i),
                                 th_feature_help(i));
        th_buffer_append_char(out, '\n');
    }
    th_buffer_append_text(out, "features of a page, for the model of page types:\n");
    for (unsigned i = 0; i < TH_PAGE_FEATURE_COUNT; i++)
        th_buffer_printf(out, "  %3u %-22s %s\n", i, th_page_feature_name(i),
                         th_page_feature_help(i));
}

/* ---- the command ------------------------------------------------------------------- */

static th_status read_corpora(struct traffic *traffic, th_arena *arena, th_error *err)
{
    const th_eval_request *request = traffic->feed.request;
    th_corpus_path *paths = th_arena_calloc(arena, request->input_count, sizeof *paths);
    th_status status = paths ? TH_OK : TH_NOMEM;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_PAGES, arena,
                                     &paths[i], err);
        if (status == TH_OK)
            traffic->feed.total_bytes += th_file_len(paths[i].file);
    }
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        traffic->corpus = &paths[i];
        status = th_corpus_feed_run(&traffic->feed, paths[i].file, work, traffic, err);
        traffic->feed.done_before += th_file_len(paths[i].file);
    }
    return status;
}

static void report(const struct traffic *traffic, th_buffer *out)
{
    const th_feature_page *pages = traffic->feed.pages;
    uint64_t rows = 0;
    for (size_t i = 0; i < traffic->feed.page_count; i++)
        rows += pages[i].row_count;
    th_buffer_printf(
        out, "%zu pages, %" PRIu64 " without text, %" PRIu64 " rows of %u columns\n",
        traffic->feed.page_count, traffic->refused, rows, (unsigned)TH_FEATURE_COUNT);
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    th_token_tables tables = { 0 };
    struct traffic traffic = { .tables = &tables,
                               .feed = { .request = request,
                                         .page_size = sizeof(th_feature_page) } };
    if (request->wants_list) {
        list_columns(&output->report);
        return TH_OK;
    }
    if (!*request->output)
        return th_fail(err, TH_USAGE, "eval features needs --output FILE");
    th_arena *arena = th_arena_new(0);
    th_status status = arena ? TH_OK : TH_NOMEM;
    if (status == TH_OK && *request->token_tables)
        status = th_token_tables_read(request->token_tables, arena, &tables, err);
    if (status == TH_OK)
        status = read_corpora(&traffic, arena, err);
    close_ranks(&traffic);
    th_feature_page *pages = traffic.feed.pages;
    const size_t page_count = traffic.feed.page_count;
    if (status == TH_OK)
        status = th_feature_file_write(request->output, pages, page_count, err);
    if (status == TH_OK)
        report(&traffic, &output->report);
    for (size_t i = 0; i < page_count; i++)
        th_feature_page_done(&pages[i]);
    free(pages);
    th_arena_free(arena);
    return status;
}

const th_eval_kind th_eval_features = {
    .name = "features",
    .inputs = "CORPUS...",
    .help = "write the features and labels of paragraphs for training to --output",
    .measure = measure,
};
