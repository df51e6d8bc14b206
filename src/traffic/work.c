/*
 * The work of one worker: runs records through the pipeline, formats pages, and counts
 * everything.
 *
 * A result is passed on in parts of 8 MiB. A page can still be refused while it is
 * formatted, and a part that was passed on cannot be taken back. So a record that does
 * not fit into a part is first formatted completely, discarding its bytes. Then it is
 * formatted again, and each full part is passed on. Formats that do this themselves skip
 * the first pass. The end of a part depends only on the bytes.
 */
#include "traffic/work.h"

#include <stdio.h>
#include <stdlib.h>

#include "site/page_paragraphs.h"
#include "sketch/digest_key.h"
#include "thresher/minhash.h"
#include "traffic/near_duplicate.h"
#include "write/annotation.h"

enum { PART = 8 << 20 };

struct th_worker {
    const th_work_options *options;
    void *worker_process; /* the worker process that replaces this thread; NULL if none */
    th_pipeline *pipeline;
    /* the current batch */
    const th_work_flow *flow;
    th_work_buffers *buffers;
    th_work_result *result;
    const th_annotated *annotated; /* the record that is formatted */
    char detail[1024];             /* of a record that was set aside */
    size_t start;                  /* of its bytes in the pages */
    uint64_t dropped;              /* bytes of it that were thrown away */
    size_t hole;                   /* place of its near-duplicate member; 0 if not
                                    * reached */
    bool is_counting;              /* its bytes are discarded, not passed on */
    bool is_parted;                /* some of its bytes have been passed on */
    bool is_asked;                 /* its near-duplicate has been */
    th_status status;              /* of passing on */
    /* of a site memory */
    th_site_turn turn;   /* of the batch */
    uint64_t epoch_end;  /* first record that is judged by another epoch */
    uint32_t unnoted;    /* records done that the memory does not count yet */
    size_t unnoted_from; /* their entries in the room */
};

/* Called by the arena of the page. */
static void meter(void *context, int64_t bytes)
{
    const th_worker *worker = context;
    th_budget *budget = worker->flow ? worker->flow->budget : NULL;
    if (budget && bytes > 0)
        th_budget_acquire(budget, worker->flow->number, (size_t)bytes);
    else if (budget)
        th_budget_give(budget, (size_t)-bytes);
}

th_worker *th_worker_new(const th_work_options *options)
{
    th_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->options = options;
    if (options->worker_process) {
        worker->worker_process =
            options->worker_process->open(options->worker_process->context, options);
        if (!worker->worker_process) {
            free(worker);
            return NULL;
        }
        return worker;
    }
    worker->pipeline = th_pipeline_new(options->page);
    if (!worker->pipeline) {
        free(worker);
        return NULL;
    }
    th_pipeline_set_meter(worker->pipeline, meter, worker);
    th_pipeline_set_sites(worker->pipeline, options->sites);
    if (options->parses_only)
        th_pipeline_parse_only(worker->pipeline);
    return worker;
}

void th_worker_free(th_worker *worker)
{
    if (!worker)
        return;
    if (worker->worker_process)
        worker->options->worker_process->close(worker->worker_process);
    th_pipeline_free(worker->pipeline);
    free(worker);
}

static void count_page(th_counts *counts, const th_page *page)
{
    counts->emitted++;
    counts->html_bytes += page->html.len;
    counts->tokens += page->tokens_before[page->block_count];
    if (page->crawl_languages)
        counts->crawl_languages[page->crawl_agreement]++;
    for (unsigned bit = 0; bit < TH_FLAG_COUNT; bit++)
        counts->flagged[bit] += page->flags >> bit & 1;
}

static void add_low_bits(const th_work_options *options, const th_signature *signature,
                         th_work_buffers *buffers, th_piece *piece)
{
    piece->low_start = buffers->low_bits.len;
    piece->low_len = TH_LOW_BITS_LEN(signature->slot_count, options->low_bits);
    if (!th_buffer_reserve(&buffers->low_bits, piece->low_len))
        return;
    th_minhash_low_bits(signature, options->low_bits,
                        (uint8_t *)buffers->low_bits.data + buffers->low_bits.len);
    buffers->low_bits.len += piece->low_len;
}

static void add_digest_key(const th_page *page, th_work_buffers *buffers, th_piece *piece)
{
    uint8_t key[TH_BAND_KEY_LEN];
    th_digest_key(page->text_digest[0], key);
    th_buffer_append(&buffers->bands, (const char *)key, sizeof key);
    piece->bands_count++;
}

/* Adds band keys of the page, after the keys of earlier pages, and their data. */
static th_status add_bands(const th_work_options *options, const th_annotated *annotated,
                           th_work_buffers *buffers, th_piece *piece)
{
    const th_page *page = annotated->page;
    const th_minhash_preset *preset = page->minhash;
    const th_signature *signature = th_sketch_first(page, options->page);
    if (!options->wants_bands || !preset || (page->flags & TH_FLAG_UNSUCCESSFUL))
        return TH_OK;
    if (!th_buffer_reserve(&buffers->bands,
                           (size_t)(preset->bands + 1) * TH_BAND_KEY_LEN))
        return TH_NOMEM;
    piece->bands_start = buffers->bands.len / TH_BAND_KEY_LEN;
    if (signature) {
        piece->bands_count = th_minhash_bands(
            preset, signature, (uint8_t *)buffers->bands.data + buffers->bands.len);
        buffers->bands.len += piece->bands_count * TH_BAND_KEY_LEN;
        piece->shingle_count = signature->shingle_count;
    }
    if (options->wants_signed && page->has_text_digest)
        add_digest_key(page, buffers, piece);
    if (!piece->bands_count)
        return TH_OK;
    if (options->wants_signed) {
        piece->low_start = buffers->low_bits.len;
        const th_status status = th_annotation_signed(annotated, &buffers->low_bits);
        piece->low_len = buffers->low_bits.len - piece->low_start;
        return status;
    }
    if (signature && options->low_bits)
        add_low_bits(options, signature, buffers, piece);
    return TH_OK;
}

/* ---- parts ---- */

static th_status query(th_worker *worker)
{
    worker->is_asked = true;
    return th_near_duplicate_query(
        worker->options, worker->annotated,
        (uint32_t)(worker->annotated->record - worker->result->batch->records),
        worker->hole, worker->buffers);
}

/* Makes a result, or a part of one, from the room. */
static th_status complete(th_worker *worker)
{
    th_work_result_point(worker->result);
    return worker->options->index ? TH_OK : th_work_compress(worker->result);
}

/* The memory hears of the records that were done. */
static th_status note_sites(th_worker *worker)
{
    th_site_memory *memory = worker->options->memory;
    const th_buffer *sites = &worker->buffers->sites;
    if (!memory || !worker->unnoted)
        return TH_OK;
    const th_view entries = { sites->data + worker->unnoted_from,
                              sites->len - worker->unnoted_from };
    const th_status status =
        th_site_memory_note(memory, &worker->turn, worker->unnoted,
                            entries.len ? entries : (th_view){ "", 0 });
    worker->unnoted = 0;
    worker->unnoted_from = sites->len;
    return status;
}

/* Waits until the epoch that the record depends on is sealed. */
static th_status wait_for_epoch(th_worker *worker, uint32_t index)
{
    th_site_memory *memory = worker->options->memory;
    const uint64_t number = worker->turn.first + index;
    if (!memory || number < worker->epoch_end)
        return TH_OK;
    th_status status = note_sites(worker);
    if (status == TH_OK)
        status = th_site_memory_wait(memory, &worker->turn, number);
    worker->epoch_end = th_site_memory_epoch_end(memory, number);
    return status;
}

/* Keeps the facts of the page for later pages. */
static th_status add_to_sites(th_worker *worker, const th_annotated *annotated,
                              uint32_t index)
{
    const th_site_lookup *sites = worker->options->sites;
    if (!worker->options->memory)
        return TH_OK;
    worker->unnoted++;
    if (annotated->status != TH_OK)
        return TH_OK;
    const th_status status = th_site_entry_append(
        annotated->page, annotated->record->url, worker->turn.first + index + 1,
        sites->grouping, &worker->buffers->sites);
    return status == TH_ABSENT ? TH_OK : status;
}

/* @param is_within  a record is in progress, and part of it may be in this part */
static th_status hand_in(th_worker *worker, bool is_within)
{
    th_work_result *result = worker->result;
    th_status status = note_sites(worker);
    if (status == TH_OK)
        status = complete(worker);
    if (status == TH_OK) {
        if (worker->flow->budget)
            th_work_buffers_charge(worker->buffers, worker->flow->budget,
                                   worker->flow->number);
        result->is_part = true;
        result->is_within = is_within;
        status = worker->flow->hand_in(worker->flow->context, result, NULL);
        result->is_part = result->is_within = false;
    }
    result->counts = (th_counts){ 0 };
    th_work_buffers_reset(worker->buffers);
    worker->unnoted_from = 0;
    worker->start = 0;
    return status;
}

/* The pages have grown to a part within one record. */
static void drain(th_buffer *pages, void *context)
{
    th_worker *worker = context;
    if (worker->is_counting) {
        worker->dropped += pages->len - worker->start;
        pages->len = worker->start;
        return;
    }
    if (worker->options->index && worker->hole && !worker->is_asked)
        worker->status = query(worker);
    if (worker->status == TH_OK)
        worker->status = hand_in(worker, true);
    worker->is_parted = true;
    pages->has_failed = worker->status != TH_OK;
}

static th_status format(th_worker *worker, th_annotated *annotated, bool is_counting)
{
    worker->is_counting = is_counting;
    worker->is_parted = false;
    worker->is_asked = false;
    worker->hole = 0;
    worker->dropped = 0;
    worker->status = TH_OK;
    worker->start = worker->buffers->pages.len;
    const th_status status = worker->options->format->page(
        &worker->options->format_options, annotated, &worker->buffers->pages);
    return worker->status == TH_OK ? status : worker->status;
}

/* Formats a page. A page that the format cannot accept is refused. */
static th_status write_page(th_worker *worker, th_annotated *annotated, th_counts *counts)
{
    const th_work_options *options = worker->options;
    th_arena *arena = annotated->page->arena;
    const th_arena_mark mark = th_arena_get_mark(arena);
    annotated->near_duplicate_at = &worker->hole;
    worker->annotated = annotated;
    th_status status = format(worker, annotated, !options->format->tries_first);
    if (status == TH_OK && worker->dropped) { /* it can be formatted: now for good */
        worker->buffers->pages.len = worker->start;
        th_arena_rewind(arena, mark);
        status = hand_in(worker, true);
        if (status == TH_OK)
            status = format(worker, annotated, false);
    }
    worker->is_counting = true;
    if (worker->is_parted && th_status_is_refusal(status))
        return TH_NOMEM; /* cannot happen: the same page needs the same memory */
    if (status == TH_OK)
        count_page(counts, annotated->page);
    if (status == TH_OK && options->index && !worker->is_asked)
        status = query(worker);
    if (!th_status_is_refusal(status))
        return status;
    annotated->status = status;
    annotated->detail = th_status_text(status);
    return TH_OK;
}

/* Copies a document for the file of set_aside, and names that file in the reason. */
static th_status set_aside(th_worker *worker, th_annotated *annotated,
                           th_work_buffers *buffers)
{
    const th_set_aside *aside = &worker->options->aside;
    if (!aside->file || annotated->status != TH_NOT_HTML ||
        !th_http_is_page(annotated->http.status) ||
        !th_set_aside_wants(aside, annotated->media_type))
        return TH_OK;
    const th_status status =
        th_set_aside_write(aside, annotated->record, &buffers->aside);
    if (status == TH_NOMEM)
        return status;
    (void)snprintf(
        worker->detail, sizeof worker->detail, "%s; %s '%s'", annotated->detail,
        status == TH_OK ? "set aside in" : "not complete, so it was not set aside in",
        aside->file);
    annotated->detail = worker->detail;
    return TH_OK;
}

static th_status work_on_record(th_worker *worker, const th_batch *batch, uint32_t index,
                                th_work_buffers *buffers, th_counts *counts)
{
    const th_work_options *options = worker->options;
    const size_t pages_start =
        buffers->pages.len; /* of the record, unless it is parted */
    const size_t rejects_start = buffers->rejects.len;
    th_annotated annotated;
    th_status status =
        th_pipeline_run(worker->pipeline, &batch->records[index], &annotated);
    if (status == TH_OK) {
        counts->read++;
        if (annotated.status == TH_OK)
            status = write_page(worker, &annotated, counts);
    }
    if (status == TH_OK && annotated.status != TH_OK) {
        counts->refused[annotated.status]++;
        status = set_aside(worker, &annotated, buffers);
        if (status == TH_OK && options->wants_rejects)
            status = th_reject_line(&annotated, &buffers->rejects);
    }
    if (status == TH_OK)
        status = add_to_sites(worker, &annotated, index);
    if (status != TH_OK || !options->wants_pieces)
        return status;
    const bool is_page = annotated.status == TH_OK;
    const size_t start = is_page ? pages_start : rejects_start;
    const size_t end = is_page ? buffers->pages.len : buffers->rejects.len;
    const size_t detail_start = buffers->details.len;
    if (!is_page)
        th_buffer_append_text(&buffers->details, annotated.detail);
    th_piece piece = {
        .record = index,
        .status = annotated.status,
        .start = start,
        .len = end - start,
        .detail_start = detail_start,
        .detail_len = buffers->details.len - detail_start,
        .http_status = (uint32_t)annotated.http.status,
    };
    if (is_page)
        status = add_bands(options, &annotated, buffers, &piece);
    th_buffer_append(&buffers->pieces, (const char *)&piece, sizeof piece);
    return buffers->pieces.has_failed || buffers->bands.has_failed ||
                   buffers->low_bits.has_failed || buffers->details.has_failed
               ? TH_NOMEM
               : status;
}

/* Half a part is kept free, so that an ordinary record fits after earlier records. */
static bool is_part_full(const th_worker *worker)
{
    const th_work_buffers *buffers = worker->buffers;
    return worker->flow && worker->flow->hand_in &&
           buffers->pages.len + buffers->rejects.len + buffers->aside.len >= PART / 2;
}

/* Work in the calling thread. */
static th_status work_here(th_worker *worker, const th_batch *batch,
                           const th_work_flow *flow, th_work_buffers *buffers,
                           th_work_result *result)
{
    const th_work_options *options = worker->options;
    th_status status = TH_OK;
    const bool is_parted = flow && flow->hand_in;
    th_work_buffers_reset(buffers);
    worker->flow = flow;
    worker->buffers = buffers;
    worker->result = result;
    worker->turn = (th_site_turn){ batch->turn[0], batch->turn[1] };
    worker->epoch_end = 0;
    worker->unnoted = 0;
    worker->unnoted_from = 0;
    buffers->pages.drain = is_parted && !options->wants_pieces ? drain : NULL;
    buffers->pages.drain_context = worker;
    buffers->pages.drain_at = PART;
    *result = (th_work_result){ .options = options, .buffers = buffers, .batch = batch };
    for (uint32_t i = flow ? flow->first : 0; i < batch->record_count && status == TH_OK;
         i++) {
        result->done = i;
        if (is_part_full(worker))
            status = hand_in(worker, false);
        if (flow && flow->under_way)
            atomic_store_explicit(flow->under_way, i + 1, memory_order_release);
        if (status == TH_OK)
            status = wait_for_epoch(worker, i);
        if (status == TH_OK)
            status = work_on_record(worker, batch, i, buffers, &result->counts);
        if (status == TH_OK && flow && flow->budget)
            th_work_buffers_charge(buffers, flow->budget, flow->number);
    }
    if (status == TH_OK)
        status = note_sites(worker);
    result->done = batch->record_count;
    th_pipeline_release_memory(worker->pipeline);
    worker->flow = NULL;
    buffers->pages.drain = NULL;
    return status == TH_OK ? complete(worker) : status;
}

th_status th_work(th_worker *worker, const th_batch *batch, const th_work_flow *flow,
                  th_work_buffers *buffers, th_work_result *result, th_error *err)
{
    return worker->worker_process
               ? worker->options->worker_process->work(worker->worker_process, batch,
                                                       flow, buffers, result, err)
               : work_here(worker, batch, flow, buffers, result);
}
