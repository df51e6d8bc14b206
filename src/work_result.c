/* Counts that add up, bytes that are kept and compressed. */
#include "work_result.h"

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
}

uint64_t th_counts_refused(const th_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TH_STATUS_COUNT; i++)
        sum += counts->refused[i];
    return sum;
}

void th_work_room_done(th_work_room *room)
{
    th_buffer_done(&room->pages);
    th_buffer_done(&room->packed);
    th_buffer_done(&room->rejects);
    th_buffer_done(&room->pieces);
    th_buffer_done(&room->bands);
    th_buffer_done(&room->low_bits);
    th_buffer_done(&room->details);
    th_buffer_done(&room->entries);
    th_buffer_done(&room->holes);
    th_buffer_done(&room->names);
    th_buffer_done(&room->filled);
    th_buffer_done(&room->edges);
    th_buffer_done(&room->edge_rows);
    th_buffer_done(&room->id);
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
