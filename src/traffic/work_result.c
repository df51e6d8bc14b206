/* Counts that add up, bytes that are kept and compressed. */
#include "traffic/work_result.h"

/*
 * Bytes that the buffers of one result may hold without a charge, and keep. Results of
 * ordinary batches stay below it, so they need no lock and no call to malloc.
 */
enum { ROOM_KEEP = 4 << 20, BUFFER_KEEP = 2 << 20 };

void th_counts_add(th_counts *sum, const th_counts *more)
{
    sum->read += more->read;
    sum->emitted += more->emitted;
    for (size_t i = 0; i < TH_STATUS_COUNT; i++)
        sum->refused[i] += more->refused[i];
    for (size_t i = 0; i < TH_FLAG_COUNT; i++)
        sum->flagged[i] += more->flagged[i];
    sum->html_bytes += more->html_bytes;
    sum->tokens += more->tokens;
    sum->duplicates += more->duplicates;
    for (size_t i = 0; i <= TH_OTHER_LANGUAGE; i++)
        sum->crawl_languages[i] += more->crawl_languages[i];
}

uint64_t th_counts_refused(const th_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TH_STATUS_COUNT; i++)
        sum += counts->refused[i];
    return sum;
}

void th_work_buffers_done(th_work_buffers *room)
{
    th_buffer_done(&room->pages);
    th_buffer_done(&room->packed);
    th_buffer_done(&room->rejects);
    th_buffer_done(&room->pieces);
    th_buffer_done(&room->bands);
    th_buffer_done(&room->low_bits);
    th_buffer_done(&room->details);
    th_buffer_done(&room->sites);
    th_buffer_done(&room->entries);
    th_buffer_done(&room->holes);
    th_buffer_done(&room->names);
    th_buffer_done(&room->filled);
    th_buffer_done(&room->edges);
    th_buffer_done(&room->edge_rows);
    th_buffer_done(&room->id);
}

void th_work_result_point(th_work_result *result)
{
    const th_work_buffers *room = result->room;
    result->pages = th_buffer_view(&room->pages);
    result->rejects = th_buffer_view(&room->rejects);
    result->sites = th_buffer_view(&room->sites);
    if (!result->options->wants_pieces)
        return;
    result->pieces = (const th_piece *)(const void *)room->pieces.data;
    result->bands = (const uint8_t *)room->bands.data;
    result->low_bits = (const uint8_t *)room->low_bits.data;
    result->details = th_buffer_view(&room->details);
}

/* The buffers that follow the size of pages. */
enum { LARGE_COUNT = 4 };
static void large_buffers(th_work_buffers *room, th_buffer *out[LARGE_COUNT])
{
    out[0] = &room->pages;
    out[1] = &room->packed;
    out[2] = &room->filled;
    out[3] = &room->rejects;
}

void th_work_buffers_reset(th_work_buffers *room)
{
    th_buffer_reset(&room->pages);
    th_buffer_reset(&room->packed);
    th_buffer_reset(&room->rejects);
    th_buffer_reset(&room->pieces);
    th_buffer_reset(&room->bands);
    th_buffer_reset(&room->low_bits);
    th_buffer_reset(&room->details);
    th_buffer_reset(&room->sites);
    th_buffer_reset(&room->entries);
    th_buffer_reset(&room->holes);
}

void th_work_buffers_charge(th_work_buffers *room, th_budget *budget, uint64_t number)
{
    th_buffer *large[LARGE_COUNT];
    size_t held = 0;
    large_buffers(room, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        held += large[i]->capacity;
    if (held <= ROOM_KEEP || held <= room->charged)
        return;
    th_budget_take(budget, number, held - room->charged);
    room->charged = held;
}

void th_work_buffers_release_memory(th_work_buffers *room, th_budget *budget)
{
    th_buffer *large[LARGE_COUNT];
    large_buffers(room, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        if (large[i]->capacity > BUFFER_KEEP)
            th_buffer_done(large[i]);
    if (room->charged)
        th_budget_give(budget, room->charged);
    room->charged = 0;
}

th_budget *th_work_budget_new(const th_work_options *options, unsigned workers)
{
    const uint64_t shares = (uint64_t)workers * TH_BUDGET_SHARE;
    const uint64_t usual = shares > TH_BUDGET_LEAST ? shares : TH_BUDGET_LEAST;
    return th_budget_new(options->max_in_flight ? options->max_in_flight : usual);
}

th_status th_work_compress(th_work_result *result)
{
    const th_work_options *options = result->options;
    const th_compression compression = options->format_options.compression;
    if (!result->pages.len || options->format->is_compressing || compression == TH_PLAIN)
        return TH_OK;
    th_buffer *packed = &result->room->packed;
    const th_status status = th_compress(compression, result->pages, packed);
    if (status == TH_OK)
        result->pages = th_buffer_view(packed);
    return status;
}
