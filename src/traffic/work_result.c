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

void th_work_buffers_done(th_work_buffers *buffers)
{
    th_buffer_done(&buffers->pages);
    th_buffer_done(&buffers->packed);
    th_buffer_done(&buffers->rejects);
    th_buffer_done(&buffers->aside);
    th_buffer_done(&buffers->pieces);
    th_buffer_done(&buffers->bands);
    th_buffer_done(&buffers->low_bits);
    th_buffer_done(&buffers->details);
    th_buffer_done(&buffers->sites);
    th_buffer_done(&buffers->entries);
    th_buffer_done(&buffers->holes);
    th_buffer_done(&buffers->names);
    th_buffer_done(&buffers->filled);
    th_buffer_done(&buffers->edges);
    th_buffer_done(&buffers->edge_rows);
    th_buffer_done(&buffers->id);
}

void th_work_result_point(th_work_result *result)
{
    const th_work_buffers *buffers = result->buffers;
    result->pages = th_buffer_view(&buffers->pages);
    result->rejects = th_buffer_view(&buffers->rejects);
    result->aside = th_buffer_view(&buffers->aside);
    result->sites = th_buffer_view(&buffers->sites);
    if (!result->options->wants_pieces)
        return;
    result->pieces = (const th_piece *)(const void *)buffers->pieces.data;
    result->bands = (const uint8_t *)buffers->bands.data;
    result->low_bits = (const uint8_t *)buffers->low_bits.data;
    result->details = th_buffer_view(&buffers->details);
}

/* The buffers that follow the size of pages. */
enum { LARGE_COUNT = 5 };
static void large_buffers(th_work_buffers *buffers, th_buffer *out[LARGE_COUNT])
{
    out[0] = &buffers->pages;
    out[1] = &buffers->packed;
    out[2] = &buffers->filled;
    out[3] = &buffers->rejects;
    out[4] = &buffers->aside;
}

void th_work_buffers_reset(th_work_buffers *buffers)
{
    th_buffer_reset(&buffers->pages);
    th_buffer_reset(&buffers->packed);
    th_buffer_reset(&buffers->rejects);
    th_buffer_reset(&buffers->aside);
    th_buffer_reset(&buffers->pieces);
    th_buffer_reset(&buffers->bands);
    th_buffer_reset(&buffers->low_bits);
    th_buffer_reset(&buffers->details);
    th_buffer_reset(&buffers->sites);
    th_buffer_reset(&buffers->entries);
    th_buffer_reset(&buffers->holes);
}

void th_work_buffers_charge(th_work_buffers *buffers, th_budget *budget, uint64_t number)
{
    th_buffer *large[LARGE_COUNT];
    size_t held = 0;
    large_buffers(buffers, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        held += large[i]->capacity;
    if (held <= ROOM_KEEP || held <= buffers->charged)
        return;
    th_budget_acquire(budget, number, held - buffers->charged);
    buffers->charged = held;
}

void th_work_buffers_release_memory(th_work_buffers *buffers, th_budget *budget)
{
    th_buffer *large[LARGE_COUNT];
    large_buffers(buffers, large);
    for (int i = 0; i < LARGE_COUNT; i++)
        if (large[i]->capacity > BUFFER_KEEP)
            th_buffer_done(large[i]);
    if (buffers->charged)
        th_budget_give(budget, buffers->charged);
    buffers->charged = 0;
}

uint64_t th_work_budget_bytes(const th_work_options *options, unsigned workers)
{
    const uint64_t shares = (uint64_t)workers * TH_BUDGET_SHARE;
    const uint64_t usual = shares > TH_BUDGET_LEAST ? shares : TH_BUDGET_LEAST;
    return options->max_in_flight ? options->max_in_flight : usual;
}

th_budget *th_work_budget_new(const th_work_options *options, unsigned workers)
{
    return th_budget_new(th_work_budget_bytes(options, workers));
}

th_status th_work_compress(th_work_result *result)
{
    const th_work_options *options = result->options;
    const th_compression compression = options->format_options.compression;
    if (!result->pages.len || options->format->is_compressing || compression == TH_PLAIN)
        return TH_OK;
    th_buffer *packed = &result->buffers->packed;
    const th_status status = th_compress(compression, result->pages, packed);
    if (status == TH_OK)
        result->pages = th_buffer_view(packed);
    return status;
}
