/*
 * `thresher eval segmentation`: how well segments agree with those of a gold corpus, for
 * every segmenter and profile: adjusted Rand index, NMI and B-cubed over tokens.
 * [KN08 §5, spec/algorithms.md §5]
 *
 * A page is parsed once and its words are aligned with the gold's once; then each method
 * segments it anew. With a plot, Block Fusion is tried at many theta_max [KN08 Fig. 3, 4]
 * and every method at many w_max [KN08 Fig. 5], and the lengths of segments are counted
 * [KN08 Fig. 6]; only w_max needs the page parsed again. Figures are those of
 * score_segmentation.py: tokens that no block has are not scored, which the coverage
 * shows, and a page without a record scores 0.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "eval/alignment.h"
#include "eval/contingency.h"
#include "eval/corpus_path.h"
#include "eval/crew.h"
#include "eval/eval.h"
#include "eval/gold_segments.h"
#include "eval/line_reader.h"
#include "eval/method_list.h"
#include "eval/report_table.h"
#include "eval/sample_summary.h"
#include "eval/svg_chart.h"
#include "ingest/source.h"
#include "pipeline.h"
#include "thresher/segmenter.h"

enum {
    THETA_STEPS = 21, /* 0, 0.05 .. 1 */
    VARIANTS_MAX = 1024,
    LENGTHS_MAX = 1 << 16, /* tokens of a segment that are told apart */
};

/* Columns at which lines are wrapped in the plot. */
static const uint32_t widths[] = { 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160 };
enum { WIDTH_STEPS = sizeof widths / sizeof *widths };

/* What is scored: a segmenter with its parameters. */
struct variant {
    const char *segmenter, *profile;
    double theta_max; /* negative: its own */
    uint32_t w_max;
};

/* Figures of one page, one variant, one field. */
struct score {
    double adjusted_rand, nmi, b3_p, b3_r, b3_f;
    double coverage, gold_segments, found_segments;
};

/* All that is to be done to a page, and what was found. */
struct corpus {
    const th_eval_request *request;
    const char *name, *archive;
    th_arena *arena;
    th_gold_set gold;
    struct variant *variants;
    uint32_t variant_count; /* sorted by w_max: that of the request comes first */
    uint32_t table_count;   /* of these, the methods of the table; they come first */
    uint32_t width_first;   /* where the curves of theta_max end and those of w_max begin */
    struct score *scores;   /* [page][field][variant], zero where there is no record */
    uint8_t *was_found;     /* by page: its record gave a page */

    pthread_mutex_t lock; /* of all below */
    th_source *source;
    bool is_over;
    uint64_t pages, damaged;
    uint64_t done_before, total_bytes;
    uint64_t *lengths; /* [table_count + 1][LENGTHS_MAX]: segments by tokens; gold last */
};

static struct score *score_at(const struct corpus *corpus, uint32_t page, uint32_t field,
                              uint32_t variant)
{
    const size_t row = (size_t)page * corpus->gold.field_count + field;
    return &corpus->scores[row * corpus->variant_count + variant];
}

/* ---- a page ---- */

/* Work space of one thread; what grows is kept from page to page. */
struct worker {
    struct corpus *corpus;
    th_batch batch;
    th_options opt;
    th_pipeline *pipeline; /* wraps lines at opt.w_max */
    th_case_mapper mapper;
    th_hash_list words;    /* of the page's blocks */
    th_hash_list block_of; /* each word's block */
    th_arena *scratch;     /* of one page */
    const th_gold_page *gold;
    uint32_t *partner; /* of each gold word: its place among the words */
    uint32_t block_count;
    uint64_t *lengths; /* as the corpus's; added when the thread ends */
};

static th_status read_words(struct worker *worker, const th_page *page)
{
    th_status status = TH_OK;
    worker->words.count = worker->block_of.count = 0;
    for (uint32_t i = 0; i < page->block_count && status == TH_OK; i++) {
        const th_view folded = th_folded(&worker->mapper, th_block_text(page, i));
        status = folded.data ? th_alignment_words(folded, &worker->words) : TH_NOMEM;
        while (status == TH_OK && worker->block_of.count < worker->words.count)
            status = th_hash_list_add(&worker->block_of, i);
    }
    return status;
}

static th_status align(struct worker *worker, const th_page *page)
{
    const th_gold_page *gold = worker->gold;
    th_status status = read_words(worker, page);
    worker->block_count = page->block_count;
    worker->partner =
        th_arena_alloc(worker->scratch, gold->count * sizeof *worker->partner + 1);
    if (!worker->partner)
        return TH_NOMEM;
    if (status == TH_OK)
        status = th_align(gold->words, gold->count, worker->words.hashes,
                          (uint32_t)worker->words.count, worker->partner);
    return status;
}

/* Words of one gold segment and one block, side by side in the page. */
struct run_list {
    th_cell *runs; /* found: the number of the block */
    uint32_t count;
    uint64_t labelled, matched;
};

static th_status list_runs(struct worker *worker, uint32_t field, struct run_list *out)
{
    const th_gold_page *gold = worker->gold;
    const int32_t *labels = gold->labels[field];
    *out = (struct run_list){ 0 };
    out->runs = th_arena_alloc(worker->scratch, gold->count * sizeof *out->runs + 1);
    if (!out->runs)
        return TH_NOMEM;
    for (uint32_t i = 0; labels && i < gold->count; i++) {
        if (labels[i] < 0)
            continue;
        out->labelled++;
        if (worker->partner[i] == TH_UNALIGNED)
            continue;
        out->matched++;
        const uint32_t block = (uint32_t)worker->block_of.hashes[worker->partner[i]];
        th_cell *last = out->count ? &out->runs[out->count - 1] : NULL;
        if (last && last->gold == (uint32_t)labels[i] && last->found == block)
            last->tokens++;
        else
            out->runs[out->count++] = (th_cell){ (uint32_t)labels[i], block, 1 };
    }
    return TH_OK;
}

/* Room for the tables of one page. */
struct table_room {
    th_cell *cells;
    uint64_t *gold_tokens, *found_tokens;
};

static void score_runs(const struct run_list *runs, uint32_t label_count,
                       const th_page *page, const struct table_room *room,
                       struct score *score)
{
    th_contingency table;
    score->coverage = runs->labelled ? (double)runs->matched / (double)runs->labelled : 0;
    if (!runs->matched)
        return;
    for (uint32_t i = 0; i < runs->count; i++) {
        room->cells[i] = runs->runs[i];
        room->cells[i].found = page->segment_of[runs->runs[i].found];
    }
    th_contingency_build(room->cells, runs->count, room->gold_tokens, label_count,
                         room->found_tokens, page->segment_count, &table);
    const th_b_cubed b3 = th_b_cubed_of(&table);
    score->adjusted_rand = th_adjusted_rand(&table);
    score->nmi = th_normalised_mutual_information(&table);
    score->b3_p = b3.p;
    score->b3_r = b3.r;
    score->b3_f = b3.f;
    score->gold_segments = th_contingency_used(table.gold_tokens, table.gold_count);
    score->found_segments = th_contingency_used(table.found_tokens, table.found_count);
}

static void count_lengths(uint64_t *lengths, const th_page *page)
{
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const uint32_t tokens = page->segments[i].tokens;
        lengths[tokens < LENGTHS_MAX ? tokens : LENGTHS_MAX - 1]++;
    }
}

static th_status count_gold_lengths(struct worker *worker, uint64_t *lengths)
{
    const th_gold_page *gold = worker->gold;
    uint32_t *tokens =
        th_arena_calloc(worker->scratch, gold->label_counts[0] + 1, sizeof *tokens);
    if (!tokens)
        return TH_NOMEM;
    for (uint32_t i = 0; gold->labels[0] && i < gold->count; i++)
        if (gold->labels[0][i] >= 0)
            tokens[gold->labels[0][i]]++;
    for (uint32_t i = 0; i < gold->label_counts[0]; i++)
        lengths[tokens[i] < LENGTHS_MAX ? tokens[i] : LENGTHS_MAX - 1]++;
    return TH_OK;
}

static th_status segment_as(const struct worker *worker, const struct variant *variant,
                            th_page *page)
{
    th_options opt = worker->opt;
    opt.segmenter = variant->segmenter;
    opt.profile = variant->profile;
    opt.theta_max = variant->theta_max;
    return th_segment_page(page, &opt);
}

/* Variants [first, end) on a page that is wrapped for them. */
static th_status score_variants(struct worker *worker, th_page *page, uint32_t first,
                                uint32_t end)
{
    const struct corpus *corpus = worker->corpus;
    const th_gold_page *gold = worker->gold;
    struct run_list runs[TH_GOLD_FIELDS_MAX];
    struct table_room room = { 0 };
    uint32_t most_labels = 0;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < corpus->gold.field_count && status == TH_OK; i++) {
        status = list_runs(worker, i, &runs[i]);
        most_labels =
            gold->label_counts[i] > most_labels ? gold->label_counts[i] : most_labels;
    }
    room.cells = th_arena_alloc(worker->scratch, gold->count * sizeof *room.cells + 1);
    room.gold_tokens =
        th_arena_alloc(worker->scratch, most_labels * sizeof *room.gold_tokens + 1);
    room.found_tokens = th_arena_alloc(worker->scratch,
                                       page->block_count * sizeof *room.found_tokens + 1);
    if (!room.cells || !room.gold_tokens || !room.found_tokens)
        return TH_NOMEM;
    for (uint32_t i = first; i < end && status == TH_OK; i++) {
        status = segment_as(worker, &corpus->variants[i], page);
        for (uint32_t j = 0; j < corpus->gold.field_count && status == TH_OK; j++)
            if (gold->labels[j])
                score_runs(&runs[j], gold->label_counts[j], page, &room,
                           score_at(corpus, gold->number, j, i));
        if (status == TH_OK && worker->lengths && i < corpus->table_count)
            count_lengths(worker->lengths + (size_t)i * LENGTHS_MAX, page);
    }
    return status;
}

static th_status wrap_at(struct worker *worker, uint32_t w_max)
{
    if (worker->pipeline && worker->opt.w_max == w_max)
        return TH_OK;
    th_pipeline_free(worker->pipeline);
    worker->opt.w_max = w_max;
    worker->pipeline = th_pipeline_new(&worker->opt);
    return worker->pipeline ? TH_OK : TH_NOMEM;
}

static th_status score_record(struct worker *worker, const th_record *record)
{
    const struct corpus *corpus = worker->corpus;
    bool is_aligned = false;
    th_status status = TH_OK;
    th_arena_reset(worker->scratch);
    for (uint32_t first = 0; first < corpus->variant_count && status == TH_OK;) {
        const uint32_t w_max = corpus->variants[first].w_max;
        uint32_t end = first + 1;
        th_annotated annotated;
        while (end < corpus->variant_count && corpus->variants[end].w_max == w_max)
            end++;
        status = wrap_at(worker, w_max);
        if (status == TH_OK)
            status = th_pipeline_run(worker->pipeline, record, &annotated);
        if (status != TH_OK || annotated.status != TH_OK)
            return status;
        if (!is_aligned || worker->block_count != annotated.page->block_count)
            status = align(worker, annotated.page);
        is_aligned = true;
        if (status == TH_OK)
            status = score_variants(worker, annotated.page, first, end);
        first = end;
    }
    if (status == TH_OK && worker->lengths)
        status = count_gold_lengths(
            worker, worker->lengths + (size_t)corpus->table_count * LENGTHS_MAX);
    corpus->was_found[worker->gold->number] = status == TH_OK;
    return status;
}

/* ---- the workers ---- */

static th_status take_batch(struct worker *worker, th_error *err)
{
    struct corpus *corpus = worker->corpus;
    const th_eval_request *request = corpus->request;
    th_status status = TH_END;
    pthread_mutex_lock(&corpus->lock);
    th_arena_reset(worker->batch.arena);
    if (!corpus->is_over && request->stop && *request->stop)
        status = th_fail(err, TH_INTERRUPTED, "interrupted");
    else if (!corpus->is_over)
        status = corpus->source->read(corpus->source, &worker->batch, err);
    corpus->is_over = corpus->is_over || status != TH_OK;
    if (status == TH_OK) {
        corpus->pages += worker->batch.record_count;
        corpus->damaged = worker->batch.counts.damaged + worker->batch.counts.unreadable;
        if (request->tell)
            request->tell(request->context,
                          corpus->done_before + worker->batch.counts.bytes_read,
                          corpus->total_bytes, corpus->pages);
    }
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

static th_status score_batch(struct worker *worker, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < worker->batch.record_count && status == TH_OK; i++) {
        const th_record *record = &worker->batch.records[i];
        worker->gold =
            record->id.len ? th_gold_page_find(&worker->corpus->gold, record->id) : NULL;
        if (worker->gold)
            status = score_record(worker, record);
    }
    return status == TH_OK ? TH_OK : th_fail(err, status, "%s", th_status_text(status));
}

static th_status begin_worker(struct worker *worker, th_error *err)
{
    const struct corpus *corpus = worker->corpus;
    worker->opt = *corpus->request->page;
    worker->opt.minhash = "none";
    worker->batch.arena = th_arena_new(0);
    worker->scratch = th_arena_new(0);
    if (corpus->request->wants_plot)
        worker->lengths =
            calloc((size_t)(corpus->table_count + 1) * LENGTHS_MAX, sizeof(uint64_t));
    const bool has_room = worker->batch.arena && worker->scratch &&
                          (worker->lengths || !corpus->request->wants_plot);
    return has_room && th_case_mapper_init(&worker->mapper) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "no memory for a worker");
}

static void end_worker(struct worker *worker, bool has_failed)
{
    struct corpus *corpus = worker->corpus;
    pthread_mutex_lock(&corpus->lock);
    corpus->is_over |= has_failed;
    for (size_t i = 0;
         worker->lengths && i < (corpus->table_count + 1) * (size_t)LENGTHS_MAX; i++)
        corpus->lengths[i] += worker->lengths[i];
    pthread_mutex_unlock(&corpus->lock);
    th_pipeline_free(worker->pipeline);
    th_case_mapper_done(&worker->mapper);
    th_hash_list_done(&worker->words);
    th_hash_list_done(&worker->block_of);
    th_arena_free(worker->scratch);
    th_arena_free(worker->batch.arena);
    free(worker->lengths);
}

static th_status work(void *context, th_error *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return th_fail(err, TH_NOMEM, "no memory for a worker");
    worker->corpus = context;
    th_status status = begin_worker(worker, err);
    while (status == TH_OK) {
        status = take_batch(worker, err);
        if (status == TH_OK)
            status = score_batch(worker, err);
    }
    end_worker(worker, status != TH_END);
    free(worker);
    return status == TH_END ? TH_OK : status;
}

/* ---- what is measured ---- */

static bool has_theta(const char *segmenter)
{
    return th_segmenter_find(segmenter)->theta_max >= 0;
}

static bool has_profile(const char *segmenter)
{
    return strcmp(segmenter, "bf-rulebased") == 0 || strcmp(segmenter, "just-rules") == 0;
}

static void add_variant(struct corpus *corpus, struct variant variant)
{
    if (corpus->variant_count < VARIANTS_MAX)
        corpus->variants[corpus->variant_count++] = variant;
}

/* The table's methods; then those of the curves: theta_max first, then w_max. */
static th_status list_variants(struct corpus *corpus, const th_method_list *segmenters,
                               const th_method_list *profiles)
{
    const th_options *page = corpus->request->page;
    corpus->variants =
        th_arena_calloc(corpus->arena, VARIANTS_MAX, sizeof *corpus->variants);
    if (!corpus->variants)
        return TH_NOMEM;
    for (uint32_t i = 0; i < segmenters->count; i++)
        for (uint32_t j = 0; j < profiles->count; j++)
            if (j == 0 || has_profile(segmenters->names[i]))
                add_variant(corpus,
                            (struct variant){ segmenters->names[i], profiles->names[j],
                                              page->theta_max, page->w_max });
    corpus->table_count = corpus->width_first = corpus->variant_count;
    if (!corpus->request->wants_plot)
        return TH_OK;
    for (uint32_t i = 0; i < corpus->table_count; i++)
        for (int step = 0; step < THETA_STEPS; step++)
            if (has_theta(corpus->variants[i].segmenter)) {
                struct variant variant = corpus->variants[i];
                variant.theta_max = (double)step / (THETA_STEPS - 1);
                add_variant(corpus, variant);
            }
    corpus->width_first = corpus->variant_count;
    for (size_t step = 0; step < WIDTH_STEPS; step++)
        for (uint32_t i = 0; i < corpus->table_count; i++) {
            struct variant variant = corpus->variants[i];
            variant.w_max = widths[step];
            add_variant(corpus, variant);
        }
    return TH_OK;
}

/* ---- what it amounts to ---- */

/* Means over pages of one variant and one field. */
struct summary {
    struct score mean;
    double adjusted_rand_median, nmi_median;
    th_interval adjusted_rand_interval, nmi_interval;
    uint32_t pages, missing; /* pages that have the field; of these, without a record */
};

/* One figure of every page that has the field. */
static uint32_t gather(const struct corpus *corpus, uint32_t field, uint32_t variant,
                       size_t offset, double *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < corpus->gold.count; i++) {
        const th_gold_page *gold = &corpus->gold.pages[i];
        if (!gold->labels[field])
            continue;
        const char *score = (const char *)score_at(corpus, gold->number, field, variant);
        memcpy(&values[count++], score + offset, sizeof *values);
    }
    return count;
}

static double mean_of(const struct corpus *corpus, uint32_t field, uint32_t variant,
                      size_t offset, double *values)
{
    return th_mean(values, gather(corpus, field, variant, offset, values));
}

static th_status sum_up(const struct corpus *corpus, uint32_t field, uint32_t variant,
                        double *values, struct summary *out)
{
    const uint32_t resamples = corpus->request->resamples;
    *out = (struct summary){ 0 };
#define MEAN(member)                                                                     \
    out->mean.member =                                                                   \
        mean_of(corpus, field, variant, offsetof(struct score, member), values)
    MEAN(coverage);
    MEAN(gold_segments);
    MEAN(found_segments);
    MEAN(b3_p);
    MEAN(b3_r);
    MEAN(b3_f);
    MEAN(nmi);
    MEAN(adjusted_rand);
#undef MEAN
    for (uint32_t i = 0; i < corpus->gold.count; i++) {
        const th_gold_page *gold = &corpus->gold.pages[i];
        out->pages += gold->labels[field] != NULL;
        out->missing += gold->labels[field] && !corpus->was_found[gold->number];
    }
    uint32_t count =
        gather(corpus, field, variant, offsetof(struct score, adjusted_rand), values);
    th_status status =
        th_bootstrap_mean(values, count, resamples, &out->adjusted_rand_interval);
    out->adjusted_rand_median = th_median(values, count);
    count = gather(corpus, field, variant, offsetof(struct score, nmi), values);
    if (status == TH_OK)
        status = th_bootstrap_mean(values, count, resamples, &out->nmi_interval);
    out->nmi_median = th_median(values, count);
    return status;
}

/* ---- the report ---- */

struct report {
    const th_eval_request *request;
    th_eval_output *output;
    th_arena *arena;
    th_method_list segmenters, profiles;
    th_json json;
    uint32_t corpora; /* drawn so far */
};

static void interval_text(char *out, size_t size, const th_interval *interval,
                          bool is_known)
{
    if (is_known)
        (void)snprintf(out, size, "%.3f-%.3f", interval->low, interval->high);
    else
        (void)snprintf(out, size, "-");
}

static void add_row(th_report_table *table, const struct variant *variant,
                    const struct summary *figures, bool has_interval)
{
    char text[64];
    th_table_row(table);
    th_table_text(table, variant->segmenter);
    th_table_text(table, has_profile(variant->segmenter) ? variant->profile : "-");
    th_table_count(table, figures->pages);
    th_table_count(table, figures->missing);
    th_table_number(table, figures->mean.coverage, 3);
    th_table_number(table, figures->mean.gold_segments, 1);
    th_table_number(table, figures->mean.found_segments, 1);
    th_table_number(table, figures->mean.adjusted_rand, 3);
    interval_text(text, sizeof text, &figures->adjusted_rand_interval, has_interval);
    th_table_text(table, text);
    th_table_number(table, figures->adjusted_rand_median, 3);
    th_table_number(table, figures->mean.nmi, 3);
    interval_text(text, sizeof text, &figures->nmi_interval, has_interval);
    th_table_text(table, text);
    th_table_number(table, figures->nmi_median, 3);
    th_table_number(table, figures->mean.b3_p, 3);
    th_table_number(table, figures->mean.b3_r, 3);
    th_table_number(table, figures->mean.b3_f, 3);
}

static void put(th_json *json, const char *key, double value)
{
    th_json_key(json, key);
    th_json_signed_decimal(json, value, 6);
}

static void put_row(th_json *json, const struct variant *variant,
                    const struct summary *figures, bool has_interval)
{
    th_json_open_object(json);
    th_json_member_text(json, "segmenter", variant->segmenter);
    if (has_profile(variant->segmenter))
        th_json_member_text(json, "profile", variant->profile);
    th_json_member_uint(json, "w_max", variant->w_max);
    if (variant->theta_max >= 0 && has_theta(variant->segmenter))
        put(json, "theta_max", variant->theta_max);
    th_json_member_uint(json, "pages", figures->pages);
    th_json_member_uint(json, "missing", figures->missing);
    put(json, "coverage", figures->mean.coverage);
    put(json, "gold_segments", figures->mean.gold_segments);
    put(json, "found_segments", figures->mean.found_segments);
    put(json, "adjusted_rand", figures->mean.adjusted_rand);
    put(json, "adjusted_rand_median", figures->adjusted_rand_median);
    put(json, "nmi", figures->mean.nmi);
    put(json, "nmi_median", figures->nmi_median);
    if (has_interval) {
        put(json, "adjusted_rand_low", figures->adjusted_rand_interval.low);
        put(json, "adjusted_rand_high", figures->adjusted_rand_interval.high);
        put(json, "nmi_low", figures->nmi_interval.low);
        put(json, "nmi_high", figures->nmi_interval.high);
    }
    put(json, "b3_p", figures->mean.b3_p);
    put(json, "b3_r", figures->mean.b3_r);
    put(json, "b3_f", figures->mean.b3_f);
    th_json_close_object(json);
}

static const char *const heads[] = { "segmenter", "profile", "pages", "refused",
                                     "coverage",  "gold",    "found", "AdjRand",
                                     "95%",       "median",  "NMI",   "95%",
                                     "median",    "B3 P",    "B3 R",  "B3 F",
                                     NULL };

static th_status report_field(struct report *report, const struct corpus *corpus,
                              uint32_t field, double *values)
{
    const th_eval_request *request = report->request;
    const bool is_json = request->form == TH_EVAL_JSON;
    const bool is_markdown = request->form == TH_EVAL_MARKDOWN;
    /* JSON has the curves too: the same members, theta_max and w_max as they were. */
    const uint32_t count = is_json ? corpus->variant_count : corpus->table_count;
    th_report_table *table = th_table_new(report->arena, heads);
    th_status status = table ? TH_OK : TH_NOMEM;
    if (is_json) {
        th_json_open_object(&report->json);
        th_json_member_text(&report->json, "field", corpus->gold.fields[field]);
        th_json_key(&report->json, "methods");
        th_json_open_array(&report->json);
    }
    for (uint32_t i = 0; i < count && status == TH_OK; i++) {
        struct summary figures;
        status = sum_up(corpus, field, i, values, &figures);
        if (status == TH_OK && is_json)
            put_row(&report->json, &corpus->variants[i], &figures,
                    request->resamples > 0);
        else if (status == TH_OK)
            add_row(table, &corpus->variants[i], &figures, request->resamples > 0);
    }
    if (is_json) {
        th_json_close_array(&report->json);
        th_json_close_object(&report->json);
        return status;
    }
    th_buffer *out = &report->output->report;
    th_buffer_printf(out, is_markdown ? "### %.200s, %.100s\n\n" : "%.200s, %.100s\n",
                     corpus->name, corpus->gold.fields[field]);
    if (status == TH_OK && !th_table_print(table, is_markdown, out))
        status = TH_NOMEM;
    th_buffer_append_char(out, '\n');
    return status;
}

/* ---- the plot ---- */

/* What names a variant beside its parameters. */
static const char *variant_name(const struct variant *variant, th_arena *arena)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s%s%s", variant->segmenter,
                   has_profile(variant->segmenter) ? " " : "",
                   has_profile(variant->segmenter) ? variant->profile : "");
    return th_arena_copy(arena, (th_view){ name, strlen(name) + 1 }).data;
}

static bool is_same_method(const struct variant *a, const struct variant *b)
{
    return a->segmenter == b->segmenter && a->profile == b->profile;
}

/* A method's curve over variants [first, end): AdjRand solid, NMI dashed. */
static th_status add_curve(struct report *report, const struct corpus *corpus,
                           uint32_t method, uint32_t first, uint32_t end, bool is_width,
                           double *values, th_chart *chart)
{
    double *x = th_arena_calloc(report->arena, end - first + 1, sizeof *x);
    double *rand = th_arena_calloc(report->arena, end - first + 1, sizeof *rand);
    double *nmi = th_arena_calloc(report->arena, end - first + 1, sizeof *nmi);
    const char *name = variant_name(&corpus->variants[method], report->arena);
    const uint8_t color = (uint8_t)(method % TH_CHART_COLORS);
    uint32_t count = 0;
    if (!x || !rand || !nmi || !name)
        return TH_NOMEM;
    for (uint32_t i = first; i < end; i++) {
        const struct variant *variant = &corpus->variants[i];
        if (!is_same_method(variant, &corpus->variants[method]))
            continue;
        x[count] = is_width ? variant->w_max : variant->theta_max;
        rand[count] =
            mean_of(corpus, 0, i, offsetof(struct score, adjusted_rand), values);
        nmi[count] = mean_of(corpus, 0, i, offsetof(struct score, nmi), values);
        count++;
    }
    if (!count || chart->series_count + 2 > TH_CHART_SERIES_MAX)
        return TH_OK;
    chart->series[chart->series_count++] =
        (th_chart_series){ name, x, rand, count, color, TH_CHART_LINE };
    chart->series[chart->series_count++] =
        (th_chart_series){ NULL, x, nmi, count, color, TH_CHART_DASHES };
    return TH_OK;
}

static th_status draw_curves(struct report *report, const struct corpus *corpus,
                             bool is_width, double *values, uint32_t column)
{
    char title[256];
    const uint32_t first = is_width ? corpus->width_first : corpus->table_count;
    const uint32_t end = is_width ? corpus->variant_count : corpus->width_first;
    (void)snprintf(title, sizeof title, "%.150s: AdjRand (lines), NMI (dashes) by %s",
                   corpus->name, is_width ? "w_max" : "theta_max");
    th_chart chart = { .title = title,
                       .x_name = is_width ? "w_max, columns" : "theta_max",
                       .y_name = "mean over pages",
                       .x_max = is_width ? 160 : 1,
                       .y_max = 1 };
    th_status status = TH_OK;
    for (uint32_t i = 0; i < corpus->table_count && status == TH_OK; i++)
        status = add_curve(report, corpus, i, first, end, is_width, values, &chart);
    if (status == TH_OK)
        th_svg_chart(&report->output->plot, &chart, column, report->corpora);
    return status;
}

/* Segments in falling order of their tokens: rank against tokens, both logarithmic. */
static th_status add_lengths(struct report *report, const uint64_t *lengths,
                             const char *name, uint8_t color, th_chart *chart)
{
    double *x = th_arena_calloc(report->arena, LENGTHS_MAX, sizeof *x);
    double *y = th_arena_calloc(report->arena, LENGTHS_MAX, sizeof *y);
    uint64_t rank = 0;
    uint32_t count = 0;
    if (!x || !y || !name)
        return TH_NOMEM;
    for (uint32_t tokens = LENGTHS_MAX - 1; tokens > 0; tokens--) {
        if (!lengths[tokens])
            continue;
        x[count] = (double)(rank + 1);
        y[count++] = tokens;
        rank += lengths[tokens];
        chart->x_max = (double)rank > chart->x_max ? chart->x_max * 10 : chart->x_max;
        while ((double)rank > chart->x_max)
            chart->x_max *= 10;
        while (tokens > chart->y_max)
            chart->y_max *= 10;
    }
    if (chart->series_count < TH_CHART_SERIES_MAX)
        chart->series[chart->series_count++] = (th_chart_series){
            name,  x,     y,
            count, color, color == TH_CHART_BLACK ? TH_CHART_DASHES : TH_CHART_LINE
        };
    return TH_OK;
}

static th_status draw_lengths(struct report *report, const struct corpus *corpus,
                              uint32_t column)
{
    char title[256];
    (void)snprintf(title, sizeof title, "%.150s: tokens of a segment by its rank",
                   corpus->name);
    th_chart chart = { .title = title,
                       .x_name = "rank",
                       .y_name = "tokens",
                       .x_min = 1,
                       .x_max = 10,
                       .y_min = 1,
                       .y_max = 10,
                       .is_log = true };
    th_status status = TH_OK;
    for (uint32_t i = 0; i < corpus->table_count && status == TH_OK; i++)
        status = add_lengths(report, corpus->lengths + (size_t)i * LENGTHS_MAX,
                             variant_name(&corpus->variants[i], report->arena),
                             (uint8_t)(i % TH_CHART_COLORS), &chart);
    if (status == TH_OK)
        status = add_lengths(report,
                             corpus->lengths + (size_t)corpus->table_count * LENGTHS_MAX,
                             "gold", TH_CHART_BLACK, &chart);
    if (status == TH_OK)
        th_svg_chart(&report->output->plot, &chart, column, report->corpora);
    return status;
}

/* The best of each theta_max curve, in words: a picture is not enough to choose by. */
static th_status report_best(struct report *report, const struct corpus *corpus,
                             double *values)
{
    static const char *const best_heads[] = { "segmenter",      "profile",
                                              "best theta_max", "AdjRand",
                                              "at its default", NULL };
    th_report_table *table = th_table_new(report->arena, best_heads);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < corpus->table_count; i++) {
        double best = -1, at = 0;
        for (uint32_t j = corpus->table_count; j < corpus->width_first; j++) {
            if (!is_same_method(&corpus->variants[j], &corpus->variants[i]))
                continue;
            const double figure =
                mean_of(corpus, 0, j, offsetof(struct score, adjusted_rand), values);
            if (figure > best) {
                best = figure;
                at = corpus->variants[j].theta_max;
            }
        }
        if (best < 0)
            continue;
        th_table_row(table);
        th_table_text(table, corpus->variants[i].segmenter);
        th_table_text(table, has_profile(corpus->variants[i].segmenter)
                                 ? corpus->variants[i].profile
                                 : "-");
        th_table_number(table, at, 2);
        th_table_number(table, best, 3);
        th_table_number(
            table, mean_of(corpus, 0, i, offsetof(struct score, adjusted_rand), values),
            3);
    }
    th_table_print(table, report->request->form == TH_EVAL_MARKDOWN,
                   &report->output->report);
    th_buffer_append_char(&report->output->report, '\n');
    return TH_OK;
}

static th_status draw_corpus(struct report *report, const struct corpus *corpus,
                             double *values)
{
    th_status status = draw_curves(report, corpus, false, values, 0);
    if (status == TH_OK)
        status = draw_curves(report, corpus, true, values, 1);
    if (status == TH_OK)
        status = draw_lengths(report, corpus, 2);
    if (status == TH_OK && report->request->form != TH_EVAL_JSON)
        status = report_best(report, corpus, values);
    return status;
}

static th_status report_corpus(struct report *report, const struct corpus *corpus)
{
    const bool is_json = report->request->form == TH_EVAL_JSON;
    double *values = calloc(corpus->gold.count + 1, sizeof *values);
    th_status status = values ? TH_OK : TH_NOMEM;
    if (is_json) {
        th_json_open_object(&report->json);
        th_json_member_text(&report->json, "corpus", corpus->name);
        th_json_key(&report->json, "fields");
        th_json_open_array(&report->json);
    }
    for (uint32_t i = 0; i < corpus->gold.field_count && status == TH_OK; i++)
        status = report_field(report, corpus, i, values);
    if (is_json) {
        th_json_close_array(&report->json);
        th_json_close_object(&report->json);
    }
    if (status == TH_OK && report->request->wants_plot)
        status = draw_corpus(report, corpus, values);
    report->corpora++;
    free(values);
    return status;
}

/* ---- a corpus from its path to its report ---- */

static th_status prepare(struct report *report, struct corpus *corpus, const char *gold,
                         th_error *err)
{
    th_status status = th_gold_set_read(gold, report->request->fields, corpus->arena,
                                        &corpus->gold, err);
    if (status == TH_OK)
        status = list_variants(corpus, &report->segmenters, &report->profiles);
    if (status != TH_OK)
        return status;
    const size_t rows = (size_t)corpus->gold.count * corpus->gold.field_count;
    corpus->scores = th_arena_calloc(corpus->arena, rows + 1,
                                     corpus->variant_count * sizeof *corpus->scores);
    corpus->was_found = th_arena_calloc(corpus->arena, corpus->gold.count + 1, 1);
    if (report->request->wants_plot)
        corpus->lengths = th_arena_calloc(corpus->arena,
                                          (size_t)(corpus->table_count + 1) * LENGTHS_MAX,
                                          sizeof *corpus->lengths);
    return corpus->scores && corpus->was_found ? TH_OK : TH_NOMEM;
}

static th_status measure_corpus(struct report *report, const char *input, uint64_t *done,
                                uint64_t total, th_error *err)
{
    struct corpus corpus = { .request = report->request,
                             .done_before = *done,
                             .total_bytes = total };
    th_corpus_path path;
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_GOLD, report->arena, &path, err);
    corpus.arena = th_arena_new(0);
    if (status == TH_OK && !corpus.arena)
        status = TH_NOMEM;
    if (status != TH_OK)
        goto done;
    corpus.name = path.name;
    corpus.archive = th_corpus_path_join(path.folder, "pages.warc.gz", corpus.arena);
    status = corpus.archive ? prepare(report, &corpus, path.file, err) : TH_NOMEM;
    if (status != TH_OK)
        goto done;
    const th_file_source_options options = {
        .inputs = &corpus.archive,
        .input_count = 1,
        .max_record = report->request->page->max_record,
        .notice = report->request->notice,
        .notice_context = report->request->context,
    };
    status = th_file_source_open(&options, &corpus.source, err);
    if (status != TH_OK)
        goto done;
    pthread_mutex_init(&corpus.lock, NULL);
    status = th_crew_run(report->request->workers, work, &corpus, err);
    pthread_mutex_destroy(&corpus.lock);
    corpus.source->close(corpus.source);
    report->output->damaged += corpus.damaged;
    *done += th_file_len(corpus.archive);
    if (status == TH_OK)
        status = report_corpus(report, &corpus);
done:
    th_arena_free(corpus.arena);
    return status;
}

static th_status total_bytes(struct report *report, uint64_t *total, th_error *err)
{
    const th_eval_request *request = report->request;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        th_corpus_path path;
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_GOLD, report->arena,
                                     &path, err);
        if (status != TH_OK)
            break;
        const char *archive =
            th_corpus_path_join(path.folder, "pages.warc.gz", report->arena);
        *total += archive ? th_file_len(archive) : 0;
    }
    return status;
}

static th_status measure_all(struct report *report, th_error *err)
{
    const th_eval_request *request = report->request;
    uint64_t total = 0, done = 0;
    th_status status = th_segmenter_list(request->segmenters, &report->segmenters, err);
    if (status == TH_OK)
        status = th_profile_list(*request->profiles ? request->profiles
                                                    : request->page->profile,
                                 &report->profiles, err);
    if (status == TH_OK)
        status = total_bytes(report, &total, err);
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++)
        status = measure_corpus(report, request->inputs[i], &done, total, err);
    return status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct report report = { .request = request, .output = output };
    const bool is_json = request->form == TH_EVAL_JSON;
    report.arena = th_arena_new(0);
    if (!report.arena)
        return th_fail(err, TH_NOMEM, "out of memory");
    if (is_json) {
        th_json_begin(&report.json, &output->report);
        th_json_open_object(&report.json);
        th_json_member_text(&report.json, "schema", "thresher-eval/1");
        th_json_member_text(&report.json, "kind", "segmentation");
        th_json_key(&report.json, "corpora");
        th_json_open_array(&report.json);
    }
    if (request->wants_plot)
        th_svg_begin(&output->plot, 3, request->input_count);
    th_status status = measure_all(&report, err);
    if (request->wants_plot)
        th_svg_end(&output->plot);
    if (is_json) {
        th_json_close_array(&report.json);
        th_json_close_object(&report.json);
        const th_status ended = th_json_end(&report.json);
        status = status == TH_OK ? ended : status;
    }
    th_arena_free(report.arena);
    if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory");
    return status;
}

const th_eval_kind th_eval_segmentation = {
    .name = "segmentation",
    .inputs = "CORPUS...",
    .help = "segments against known segments, for every segmenter",
    .measure = measure,
};
