/*
 * Scores a gold corpus with any number of workers. A page is parsed once for each w_max,
 * and its words are aligned with the gold's once. Then each variant segments it again.
 * Figures match score_segmentation.py: tokens that are in no block are not scored, which
 * the coverage shows, and a page without a record scores 0.
 */
#include "lab/segmentation/segmentation_scores.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "eval/parallel.h"
#include "ingest/source.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segmentation/alignment.h"
#include "lab/segmentation/contingency.h"
#include "lab/segmentation/gold_alignment.h"
#include "lab/segmentation/site_fold.h"
#include "pipeline/pipeline.h"
#include "thresher/segmenter.h"

/* The data that workers share while a corpus is scored. */
struct scoring {
    th_segmentation_scores *scores; /* each writes the pages that it has taken */
    th_segmentation_archive *archive;

    pthread_mutex_t lock; /* of all below, scores->lengths, archive->damaged */
    uint8_t *is_taken;    /* by page: a record of it was read */
    th_source *source;
    bool is_over;
    uint64_t pages;
};

th_segmentation_score *th_segmentation_score_at(const th_segmentation_scores *scores,
                                                uint32_t page, uint32_t field,
                                                uint32_t variant)
{
    const size_t row = (size_t)page * scores->gold.field_count + field;
    return &scores->scores[row * scores->variants.count + variant];
}

const th_segment_model *th_segmentation_model(const th_eval_request *request,
                                              const th_segmenter *method)
{
    const th_segment_model *own = request->page->segment_model;
    return !method->features                          ? NULL
           : own && own->features == method->features ? own
                                                      : method->features->shipped;
}

/* ---- a page ---- */

/* Work space of one thread. Buffers are kept from page to page. */
struct worker {
    struct scoring *scoring;
    th_segmentation_scores *scores; /* of `scoring` */
    th_batch batch;
    const th_gold_page *gold_of[TH_BATCH_RECORDS]; /* NULL: the record is not scored */
    th_options opt;
    th_pipeline *pipeline; /* wraps lines at opt.w_max */
    th_page_words words;
    th_arena *scratch; /* of one page */
    const th_gold_page *gold;
    unsigned fold;     /* of the page's site */
    uint32_t *partner; /* of each gold word: its place among the words */
    uint32_t block_count;
    uint64_t *lengths; /* as the corpus's; added when the thread ends */
};

static th_status align(struct worker *worker, const th_page *page)
{
    worker->block_count = page->block_count;
    return th_gold_align(&worker->words, worker->gold, page, worker->scratch,
                         &worker->partner);
}

/* Words of one gold segment and one block, side by side in the page. */
struct run_list {
    th_cell *runs;          /* found: the number of the block */
    uint64_t *characters;   /* of each run's words */
    int32_t *gold_of_block; /* -1: no gold */
    uint32_t count;
    uint64_t labelled, matched;
};

static th_status list_runs(struct worker *worker, const th_page *page, uint32_t field,
                           struct run_list *out)
{
    const th_gold_page *gold = worker->gold;
    const int32_t *labels = gold->labels[field];
    *out = (struct run_list){ 0 };
    out->runs = th_arena_alloc(worker->scratch, gold->count * sizeof *out->runs + 1);
    out->characters =
        th_arena_alloc(worker->scratch, gold->count * sizeof *out->characters + 1);
    if (!out->runs || !out->characters)
        return TH_NOMEM;
    if (labels) {
        out->gold_of_block = th_gold_of_blocks(&worker->words, gold, field,
                                               worker->partner, page, worker->scratch);
        if (!out->gold_of_block)
            return TH_NOMEM;
    }
    for (uint32_t i = 0; labels && i < gold->count; i++) {
        if (labels[i] < 0)
            continue;
        out->labelled++;
        if (worker->partner[i] == TH_UNALIGNED)
            continue;
        out->matched++;
        const uint32_t block =
            (uint32_t)worker->words.block_of.hashes[worker->partner[i]];
        th_cell *last = out->count ? &out->runs[out->count - 1] : NULL;
        if (last && last->gold == (uint32_t)labels[i] && last->found == block)
            last->tokens++;
        else
            out->runs[out->count++] = (th_cell){ (uint32_t)labels[i], block, 1 };
        if (last != &out->runs[out->count - 1])
            out->characters[out->count - 1] = 0;
        out->characters[out->count - 1] += gold->lengths[i];
    }
    return TH_OK;
}

/* Room for the tables of one page. */
struct table_scratch {
    th_cell *cells;
    uint64_t *gold_tokens, *found_tokens;
};

/* @param weights  of the runs, in the table instead of their tokens; NULL: their
 * tokens */
static void make_table(const struct run_list *runs, const uint64_t *weights,
                       uint32_t label_count, const th_page *page,
                       const struct table_scratch *scratch, th_contingency *table)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        scratch->cells[i] = runs->runs[i];
        scratch->cells[i].found = page->segment_of[runs->runs[i].found];
        if (weights)
            scratch->cells[i].tokens = weights[i];
    }
    th_contingency_build(scratch->cells, runs->count, scratch->gold_tokens, label_count,
                         scratch->found_tokens, page->segment_count, table);
}

/* B-cubed over blocks: each block with gold is a node of the page. [H25 §4.2] */
static th_b_cubed score_nodes(const struct run_list *runs, uint32_t label_count,
                              const th_page *page, const struct table_scratch *scratch)
{
    th_contingency table;
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->block_count; i++)
        if (runs->gold_of_block[i] >= 0)
            scratch->cells[count++] =
                (th_cell){ (uint32_t)runs->gold_of_block[i], page->segment_of[i], 1 };
    th_contingency_build(scratch->cells, count, scratch->gold_tokens, label_count,
                         scratch->found_tokens, page->segment_count, &table);
    return th_b_cubed_of(&table);
}

/* Whether a found segment has the tokens of the largest gold segment, and no others. */
static bool is_largest_found(const th_contingency *table)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < table->gold_count; i++)
        if (table->gold_tokens[i] > table->gold_tokens[largest])
            largest = i;
    for (uint32_t i = 0; i < table->cell_count; i++) {
        const th_cell *cell = &table->cells[i];
        if (cell->gold == largest && cell->tokens == table->gold_tokens[largest])
            return cell->tokens == table->found_tokens[cell->found];
    }
    return false;
}

static void score_runs(const struct run_list *runs, uint32_t label_count,
                       const th_page *page, const struct table_scratch *scratch,
                       th_segmentation_score *score)
{
    th_contingency table;
    score->coverage = runs->labelled ? (double)runs->matched / (double)runs->labelled : 0;
    if (!runs->matched)
        return;
    make_table(runs, runs->characters, label_count, page, scratch, &table);
    const th_b_cubed chars = th_b_cubed_of(&table);
    score->b3_chars_p = chars.p;
    score->b3_chars_r = chars.r;
    score->b3_chars_f = chars.f;
    const th_b_cubed nodes = score_nodes(runs, label_count, page, scratch);
    score->b3_nodes_p = nodes.p;
    score->b3_nodes_r = nodes.r;
    score->b3_nodes_f = nodes.f;
    make_table(runs, NULL, label_count, page, scratch, &table);
    const th_b_cubed b3 = th_b_cubed_of(&table);
    score->adjusted_rand = th_adjusted_rand(&table);
    score->largest_found = is_largest_found(&table);
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
        lengths[tokens < TH_SEGMENTATION_LENGTHS ? tokens
                                                 : TH_SEGMENTATION_LENGTHS - 1]++;
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
        lengths[tokens[i] < TH_SEGMENTATION_LENGTHS ? tokens[i]
                                                    : TH_SEGMENTATION_LENGTHS - 1]++;
    return TH_OK;
}

/*
 * Chooses the model. A learned method whose model knows the corpus takes the weights that
 * were learned without the page's site. A variant may have its own parameter.
 */
static void choose_model(const struct worker *worker,
                         const th_segmentation_variant *variant,
                         th_segment_model *scratch, th_options *opt)
{
    const th_segment_model *model =
        th_segmentation_model(worker->scores->request,
                              th_segmenter_find(th_lab_segmenters, variant->segmenter));
    const bool is_held_out = model && model->has_folds &&
                             th_segment_model_has_seen(model, worker->scores->name);
    opt->segment_model = model;
    if (!is_held_out && !variant->has_parameter)
        return;
    assert(model); /* a method with parameters is learned */
    *scratch = *model;
    if (is_held_out)
        scratch->final = model->folds[worker->fold];
    if (variant->has_parameter)
        scratch->parameters[0] = variant->parameter;
    opt->segment_model = scratch;
}

static th_status segment_as(const struct worker *worker,
                            const th_segmentation_variant *variant, th_page *page)
{
    th_options opt = worker->opt;
    th_segment_model scratch;
    choose_model(worker, variant, &scratch, &opt);
    opt.segmenter = variant->segmenter;
    opt.profile = variant->profile;
    opt.theta_max = variant->theta_max;
    return th_segment_page(page, &opt);
}

/* Variants [first, end) on a page that is wrapped for them. */
static th_status score_variants(struct worker *worker, th_page *page, uint32_t first,
                                uint32_t end)
{
    const th_segmentation_scores *scores = worker->scores;
    const th_gold_page *gold = worker->gold;
    struct run_list runs[TH_GOLD_FIELDS_MAX];
    struct table_scratch scratch = { 0 };
    uint32_t max_labels = 0;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < scores->gold.field_count && status == TH_OK; i++) {
        status = list_runs(worker, page, i, &runs[i]);
        max_labels =
            gold->label_counts[i] > max_labels ? gold->label_counts[i] : max_labels;
    }
    /* a cell for each word, or for each block */
    const size_t cells = (size_t)gold->count + page->block_count;
    scratch.cells = th_arena_alloc(worker->scratch, cells * sizeof *scratch.cells + 1);
    scratch.gold_tokens =
        th_arena_alloc(worker->scratch, max_labels * sizeof *scratch.gold_tokens + 1);
    scratch.found_tokens = th_arena_alloc(
        worker->scratch, page->block_count * sizeof *scratch.found_tokens + 1);
    if (!scratch.cells || !scratch.gold_tokens || !scratch.found_tokens)
        return TH_NOMEM;
    for (uint32_t i = first; i < end && status == TH_OK; i++) {
        status = segment_as(worker, &scores->variants.items[i], page);
        for (uint32_t j = 0; j < scores->gold.field_count && status == TH_OK; j++)
            if (gold->labels[j])
                score_runs(&runs[j], gold->label_counts[j], page, &scratch,
                           th_segmentation_score_at(scores, gold->number, j, i));
        if (status == TH_OK && worker->lengths && i < scores->variants.table_count)
            count_lengths(worker->lengths + (size_t)i * TH_SEGMENTATION_LENGTHS, page);
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
    const th_segmentation_scores *scores = worker->scores;
    bool is_aligned = false;
    th_status status = TH_OK;
    worker->fold = th_site_fold(record->url);
    th_arena_reset(worker->scratch);
    for (uint32_t first = 0; first < scores->variants.count && status == TH_OK;) {
        const uint32_t w_max = scores->variants.items[first].w_max;
        uint32_t end = first + 1;
        th_annotated annotated;
        while (end < scores->variants.count && scores->variants.items[end].w_max == w_max)
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
        status = count_gold_lengths(worker, worker->lengths +
                                                (size_t)scores->variants.table_count *
                                                    TH_SEGMENTATION_LENGTHS);
    scores->was_found[worker->gold->number] = status == TH_OK;
    return status;
}

/* ---- the workers ---- */

/*
 * Takes the pages of a batch. A page is taken from its first record, because another
 * record with the same id would write the same scores. Called under the lock, as batches
 * are read, so the first is the archive's first.
 */
static void take_pages(struct worker *worker)
{
    uint8_t *const is_taken = worker->scoring->is_taken;
    for (uint32_t i = 0; i < worker->batch.record_count; i++) {
        const th_view id = worker->batch.records[i].id;
        const th_gold_page *gold =
            id.len ? th_gold_page_find(&worker->scores->gold, id) : NULL;
        worker->gold_of[i] = gold && !is_taken[gold->number] ? gold : NULL;
        if (gold)
            is_taken[gold->number] = 1;
    }
}

static th_status take_batch(struct worker *worker, uint64_t *place, th_error *err)
{
    struct scoring *scoring = worker->scoring;
    th_segmentation_archive *archive = scoring->archive;
    const th_eval_request *request = scoring->scores->request;
    th_status status = TH_END;
    pthread_mutex_lock(&scoring->lock);
    th_arena_reset(worker->batch.arena);
    if (!scoring->is_over && request->stop && *request->stop)
        status = th_fail(err, TH_INTERRUPTED, "interrupted");
    else if (!scoring->is_over)
        status = scoring->source->read(scoring->source, &worker->batch, err);
    scoring->is_over = scoring->is_over || status != TH_OK;
    *place = scoring->pages;
    if (status == TH_OK) {
        take_pages(worker);
        scoring->pages += worker->batch.record_count;
        archive->damaged = worker->batch.counts.damaged + worker->batch.counts.unreadable;
        if (request->report)
            request->report(request->context,
                            archive->done_before + worker->batch.counts.bytes_read,
                            archive->total_bytes, scoring->pages);
    }
    pthread_mutex_unlock(&scoring->lock);
    return status;
}

static th_status score_batch(struct worker *worker, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < worker->batch.record_count && status == TH_OK; i++) {
        worker->gold = worker->gold_of[i];
        if (worker->gold)
            status = score_record(worker, &worker->batch.records[i]);
    }
    return status == TH_OK ? TH_OK : th_fail(err, status, "%s", th_status_text(status));
}

static th_status begin_worker(struct worker *worker, th_error *err)
{
    const th_segmentation_scores *scores = worker->scores;
    worker->opt = *scores->request->page;
    worker->opt.minhash = "none";
    worker->batch.arena = th_arena_new(0);
    worker->scratch = th_arena_new(0);
    if (scores->request->wants_plot)
        worker->lengths =
            calloc((size_t)(scores->variants.table_count + 1) * TH_SEGMENTATION_LENGTHS,
                   sizeof(uint64_t));
    const bool has_room = worker->batch.arena && worker->scratch &&
                          (worker->lengths || !scores->request->wants_plot);
    return has_room && th_page_words_init(&worker->words) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for a worker");
}

static void end_worker(struct worker *worker, bool has_failed)
{
    struct scoring *scoring = worker->scoring;
    pthread_mutex_lock(&scoring->lock);
    scoring->is_over |= has_failed;
    for (size_t i = 0; worker->lengths && i < (worker->scores->variants.table_count + 1) *
                                                  (size_t)TH_SEGMENTATION_LENGTHS;
         i++)
        worker->scores->lengths[i] += worker->lengths[i];
    pthread_mutex_unlock(&scoring->lock);
    th_pipeline_free(worker->pipeline);
    th_page_words_done(&worker->words);
    th_arena_free(worker->scratch);
    th_arena_free(worker->batch.arena);
    free(worker->lengths);
}

static th_status work(void *context, uint64_t *place, th_error *err)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return th_fail(err, TH_NOMEM, "out of memory for a worker");
    worker->scoring = context;
    worker->scores = worker->scoring->scores;
    th_status status = begin_worker(worker, err);
    while (status == TH_OK) {
        status = take_batch(worker, place, err);
        if (status == TH_OK)
            status = score_batch(worker, err);
    }
    end_worker(worker, status != TH_END);
    free(worker);
    return status == TH_END ? TH_OK : status;
}

static th_status reserve(th_segmentation_scores *scores, th_arena *arena)
{
    const size_t rows = (size_t)scores->gold.count * scores->gold.field_count;
    scores->scores =
        th_arena_calloc(arena, rows + 1, scores->variants.count * sizeof *scores->scores);
    scores->was_found = th_arena_calloc(arena, scores->gold.count + 1, 1);
    if (scores->request->wants_plot)
        scores->lengths = th_arena_calloc(
            arena, (size_t)(scores->variants.table_count + 1) * TH_SEGMENTATION_LENGTHS,
            sizeof *scores->lengths);
    const bool has_room = scores->scores && scores->was_found &&
                          (scores->lengths || !scores->request->wants_plot);
    return has_room ? TH_OK : TH_NOMEM;
}

th_status th_segmentation_score_all(th_segmentation_scores *scores,
                                    th_segmentation_archive *archive, th_arena *arena,
                                    th_error *err)
{
    const th_eval_request *request = scores->request;
    struct scoring scoring = { .scores = scores, .archive = archive };
    const th_file_source_options options = {
        .inputs = &archive->path,
        .input_count = 1,
        .max_record = request->page->max_record,
        .warn = request->warn,
        .warn_context = request->context,
        .stop = request->stop,
    };
    th_status status = reserve(scores, arena);
    scoring.is_taken = th_arena_calloc(arena, scores->gold.count + 1, 1);
    if (!scoring.is_taken)
        status = TH_NOMEM;
    if (status == TH_OK)
        status = th_file_source_open(&options, &scoring.source, err);
    if (status != TH_OK)
        return status;
    pthread_mutex_init(&scoring.lock, NULL);
    status = th_parallel_run(request->workers, work, &scoring, err);
    pthread_mutex_destroy(&scoring.lock);
    scoring.source->close(scoring.source);
    return status;
}
