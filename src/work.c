/* A worker's part: records down the pipeline, pages to bytes, everything counted. */
#include "work.h"

#include <stdlib.h>

#include "near_duplicate.h"
#include "thresher/minhash.h"

struct th_worker {
    const th_work_options *options;
    th_pipeline *pipeline;
};

th_worker *th_worker_new(const th_work_options *options)
{
    th_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->options = options;
    worker->pipeline = th_pipeline_new(options->page);
    if (worker->pipeline)
        return worker;
    free(worker);
    return NULL;
}

void th_worker_free(th_worker *worker)
{
    if (!worker)
        return;
    th_pipeline_free(worker->pipeline);
    free(worker);
}

static void count_page(th_counts *counts, const th_page *page)
{
    counts->emitted++;
    counts->html_bytes += page->html.len;
    counts->tokens += page->tokens_before[page->block_count];
    for (unsigned bit = 0; bit < TH_FLAG_COUNT; bit++)
        counts->flagged[bit] += page->flags >> bit & 1;
}

/* Band keys of the page, behind those of the pages before, and what goes with them. */
static void add_bands(const th_work_options *options, const th_page *page,
                      th_work_room *room, th_piece *piece)
{
    const th_minhash_preset *preset = page->minhash;
    const th_signature *signature = th_sketch_first(page, options->page);
    if (!options->wants_bands || !preset || !signature)
        return;
    if (!th_buffer_reserve(&room->bands, (size_t)preset->bands * TH_BAND_KEY_LEN))
        return;
    piece->bands_start = room->bands.len / TH_BAND_KEY_LEN;
    piece->bands_count = th_minhash_bands(preset, signature,
                                          (uint8_t *)room->bands.data + room->bands.len);
    room->bands.len += piece->bands_count * TH_BAND_KEY_LEN;
    piece->shingle_count = signature->shingle_count;
    if (!piece->bands_count || !options->low_bits)
        return;
    piece->low_start = room->low_bits.len;
    piece->low_len = TH_LOW_BITS_LEN(signature->slot_count, options->low_bits);
    if (!th_buffer_reserve(&room->low_bits, piece->low_len))
        return;
    th_minhash_low_bits(signature, options->low_bits,
                        (uint8_t *)room->low_bits.data + room->low_bits.len);
    room->low_bits.len += piece->low_len;
}

/* Formats a page; one that the format cannot take becomes a refusal. */
static th_status write_page(const th_work_options *options, th_annotated *annotated,
                            uint32_t record, th_work_room *room, th_counts *counts)
{
    size_t hole = 0;
    annotated->near_duplicate_at = &hole;
    th_status status =
        options->format->page(&options->format_options, annotated, &room->pages);
    if (status == TH_OK)
        count_page(counts, annotated->page);
    if (status == TH_OK && options->index)
        status = th_near_duplicate_ask(options, annotated, record, hole, room);
    if (!th_status_is_refusal(status))
        return status;
    annotated->status = status;
    annotated->detail = th_status_text(status);
    return TH_OK;
}

static th_status work_on_record(th_worker *worker, const th_batch *batch, uint32_t index,
                                th_work_room *room, th_counts *counts)
{
    const th_work_options *options = worker->options;
    const size_t pages_start = room->pages.len;
    const size_t rejects_start = room->rejects.len;
    th_annotated annotated;
    th_status status =
        th_pipeline_run(worker->pipeline, &batch->records[index], &annotated);
    if (status == TH_OK) {
        counts->read++;
        if (annotated.status == TH_OK)
            status = write_page(options, &annotated, index, room, counts);
    }
    if (status == TH_OK && annotated.status != TH_OK) {
        counts->refused[annotated.status]++;
        if (options->wants_rejects)
            status = th_reject_line(&annotated, &room->rejects);
    }
    if (status != TH_OK || !options->wants_pieces)
        return status;
    const bool is_page = annotated.status == TH_OK;
    const size_t start = is_page ? pages_start : rejects_start;
    const size_t end = is_page ? room->pages.len : room->rejects.len;
    const size_t detail_start = room->details.len;
    if (!is_page)
        th_buffer_append_text(&room->details, annotated.detail);
    th_piece piece = {
        .record = index,
        .status = annotated.status,
        .start = start,
        .len = end - start,
        .detail_start = detail_start,
        .detail_len = room->details.len - detail_start,
    };
    if (is_page)
        add_bands(options, annotated.page, room, &piece);
    th_buffer_append(&room->pieces, (const char *)&piece, sizeof piece);
    return room->pieces.has_failed || room->bands.has_failed ||
                   room->low_bits.has_failed || room->details.has_failed
               ? TH_NOMEM
               : TH_OK;
}

th_status th_work(th_worker *worker, const th_batch *batch, th_work_room *room,
                  th_work_result *result)
{
    const th_work_options *options = worker->options;
    th_status status = TH_OK;
    th_buffer_reset(&room->pages);
    th_buffer_reset(&room->packed);
    th_buffer_reset(&room->rejects);
    th_buffer_reset(&room->pieces);
    th_buffer_reset(&room->bands);
    th_buffer_reset(&room->low_bits);
    th_buffer_reset(&room->details);
    th_buffer_reset(&room->entries);
    th_buffer_reset(&room->holes);
    *result = (th_work_result){ .options = options, .room = room, .batch = batch };
    for (uint32_t i = 0; i < batch->record_count && status == TH_OK; i++)
        status = work_on_record(worker, batch, i, room, &result->counts);
    result->pages = th_buffer_view(&room->pages);
    if (status == TH_OK && !options->index)
        status = th_work_compress(result);
    if (status != TH_OK)
        return status;
    result->rejects = th_buffer_view(&room->rejects);
    if (options->wants_pieces) {
        result->pieces = (const th_piece *)(const void *)room->pieces.data;
        result->bands = (const uint8_t *)room->bands.data;
        result->low_bits = (const uint8_t *)room->low_bits.data;
        result->details = th_buffer_view(&room->details);
    }
    return TH_OK;
}
