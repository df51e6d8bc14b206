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

void th_work_buffers_done(th_work_buffers *capacity)
{
    th_buffer_done(&capacity->pages);
    th_buffer_done(&capacity->packed);
    th_buffer_done(&capacity->rejects);
    th_buffer_done(&capacity->pieces);
    th_buffer_done(&capacity->bands);
    th_buffer_done(&capacity->low_bits);
    th_buffer_done(&capacity->details);
    th_buffer_done(&capacity->sites);
    th_buffer_done(&capacity->entries);
    th_buffer_done(&capacity->holes);
    th_buffer_done(&capacity->names);
    th_buffer_done(&capacity->filled);
    th_buffer_done(&capacity->edges);
    th_buffer_done(&capacity->edge_rows);
    th_buffer_done(&capacity->id);
}

void th_work_result_point(th_work_result *result)
{
    const th_work_buffers *capacity = result->capacity;
    result->pages = th_buffer_view(&capacity->pages);
    result->rejects = th_buffer_view(&capacity->rejects);
    result->sites = th_buffer_view(&capacity->sites);
    if (!result->options->wants_pieces)
        return;
    result->pieces = (const th_piece *)(const void *)capacity->pieces.data;
    result->bands = (const uint8_t *)capacity->bands.data;
    result->low_bits = (const uint8_t *)capacity->low_bits.data;
    result->details = th_buffer_view(&capacity->details);
}

/* The buffers that follow the size of pages. */
enum { LARGE_COUNT = 4 };
static void large_buffers(th_work_buffers *capacity, th_buffer *out[LARGE_COUNT])
{
    out[0] = &capacity->pages;
    out[1] = &capacity->packed;
    out[2] = &capacity->filled;
    out[3] = &capacity->rejects;
}

void th_work_buffers_reset(th_work_buffers *capacity)
{
    th_buffer_reset(&capacity->pages);
    th_buffer_reset(&capacity->packed);
    th_buffer_reset(&capacity->rejects);
    th_buffer_reset(&capacity->pieces);
    th_buffer_reset(&capacity->bands);
    th_buffer_reset(&capacity->low_bits);
    th_buffer_reset(&capacity->details);
    th_buffer_reset(&capacity->sites);
    th_buffer_reset(&capacity->entries);
    th_buffer_reset(&capacity->holes);
}

void th_work_buffers_charge(th_work_buffers *capacity, th_budget *budget, uint64_t number)
{
    th_buffer *large[LARGE_COUNT];
    size_t held = 0;
    large_buffers(capacity, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        held += large[i]->capacity;
    if (held <= ROOM_KEEP || held <= capacity->charged)
        return;
    th_budget_acquire(budget, number, held - capacity->charged);
    capacity->charged = held;
}

void th_work_buffers_release_memory(th_work_buffers *capacity, th_budget *budget)
{
    th_buffer *large[LARGE_COUNT];
    large_buffers(capacity, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        if (large[i]->capacity > BUFFER_KEEP)
            th_buffer_done(large[i]);
    if (capacity->charged)
        th_budget_give(budget, capacity->charged);
    capacity->charged = 0;
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
    th_buffer *packed = &result->capacity->packed;
    const th_status status = th_compress(compression, result->pages, packed);
    if (status == TH_OK)
        result->pages = th_buffer_view(packed);
    return status;
}
