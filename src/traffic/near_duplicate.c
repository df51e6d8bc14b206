/*
 * Near-duplicates in records: the member that docs/record.md#on-request describes.
 *
 *     worker: record with a hole, entry  ─►  in order: look up ─► fill the holes ─► compress
 *
 * A worker knows all of a page but its neighbours, so it formats the whole record and
 * notes where one member is missing; only pages that have a neighbour are copied again.
 */
#include "traffic/near_duplicate.h"

#include <string.h>

#include "base/json.h"
#include "write/annotation.h"

enum { JACCARD_PLACES = 4 };

/* An emitted page of the batch: which entry, which hole. */
struct hole {
    uint32_t record; /* index into the batch */
    size_t at;       /* in the pages; 0: the format has no such member */
};

th_status th_near_duplicate_query(const th_work_options *options,
                                  const th_annotated *annotated, uint32_t record,
                                  size_t at, th_work_buffers *buffers)
{
    const th_index_scheme *scheme = th_index_scheme_of(options->index);
    const th_page *page = annotated->page;
    const bool is_error_page = page->flags & TH_FLAG_UNSUCCESSFUL;
    const struct hole hole = { record, at };
    th_buffer_reset(&buffers->id);
    th_record_id_write(annotated->record, &buffers->id);
    const th_index_page asked = {
        .id = th_buffer_view(&buffers->id),
        .url = annotated->record->url,
        .date = th_index_date(annotated->record->date),
        .signatures = { is_error_page ? NULL : &page->signatures[scheme->texts[0]],
                        scheme->text_count > 1 ? &page->signatures[scheme->texts[1]]
                                               : NULL },
        .is_guess = scheme->text_count > 1 && !page->knows_template,
        .digest = page->has_text_digest && !is_error_page ? page->text_digest : NULL,
    };
    th_buffer_append(&buffers->holes, (const char *)&hole, sizeof hole);
    if (buffers->id.has_failed || buffers->holes.has_failed)
        return TH_NOMEM;
    return th_index_entry_append(scheme, &asked, &buffers->entries);
}

bool th_near_duplicate_fits(const th_work_options *options,
                            const th_work_buffers *buffers, uint32_t record_count)
{
    const struct hole *holes = (const struct hole *)(const void *)buffers->holes.data;
    const size_t count = buffers->holes.len / sizeof *holes;
    size_t at = 0;
    if (buffers->holes.len % sizeof *holes || count > TH_BATCH_CAPACITY)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (holes[i].record >= record_count || holes[i].at > buffers->pages.len ||
            (i && holes[i].record <= holes[i - 1].record) ||
            (holes[i].at && holes[i].at < at))
            return false;
        at = holes[i].at ? holes[i].at : at;
    }
    return th_index_entries_fit(th_index_scheme_of(options->index),
                                th_buffer_view(&buffers->entries), count);
}

/* ---- filling ---- */

/* A batch that is being completed. */
struct filling {
    th_work_buffers *buffers;
    th_work_result *result;
    const struct hole *holes;
    th_index_answer *answers;
    size_t count;
    const th_index_scheme *scheme;
};

static th_view name_at(const struct filling *filling, size_t at, size_t len)
{
    return (th_view){ filling->buffers->names.data + at, len };
}

/* Appends the member near_duplicate, which follows another member of an object. */
static th_status add_member(const struct filling *filling, const th_index_answer *answer,
                            th_buffer *out)
{
    th_json json;
    th_near_duplicate found = { .of = name_at(filling, answer->of, answer->of_len),
                                .jaccard = answer->jaccard };
    if (answer->url_len)
        found.url = name_at(filling, answer->url, answer->url_len);
    th_json_begin_members(&json, out, filling->result->options->format->fields != NULL);
    th_annotation_near_duplicate(&json, &found);
    return th_json_end(&json);
}

/* Records which pages were found similar, and the number of comparisons. */
static th_status add_edge(const struct filling *filling, size_t page)
{
    th_buffer *out = &filling->buffers->edges;
    const th_index_answer *answer = &filling->answers[page];
    const th_record *record =
        &filling->result->batch->records[filling->holes[page].record];
    th_buffer *id = &filling->buffers->id;
    th_edge row = { .start = out->len, .of = answer->of, .of_len = answer->of_len };
    th_json json;
    th_buffer_reset(id);
    th_record_id_write(record, id);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_buffer(&json, "page", id);
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "of", name_at(filling, answer->of, answer->of_len));
    if (answer->url_len)
        th_json_member(&json, "of_url", name_at(filling, answer->url, answer->url_len));
    th_json_member_decimal(&json, "jaccard", answer->jaccard, JACCARD_PLACES);
    if (!answer->equal) { /* a short page: by its digest */
        th_json_key(&json, "exact");
        th_json_bool(&json, true);
    } else {
        th_json_member_uint(&json, "equal", answer->equal);
        th_json_member_uint(&json, "slots", filling->scheme->preset.slots);
        th_json_member_uint(&json, "bands_hit", answer->keys_hit);
    }
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    row.len = out->len - row.start;
    th_buffer_append(&filling->buffers->edge_rows, (const char *)&row, sizeof row);
    return status == TH_OK && filling->buffers->edge_rows.has_failed ? TH_NOMEM : status;
}

/*
 * Pieces and the records they belong to are in order. Each added member lengthens its
 * piece and moves the later ones.
 */
static void move_pieces(const struct filling *filling, const size_t *grown)
{
    th_piece *pieces = (th_piece *)(void *)filling->buffers->pieces.data;
    const size_t piece_count = filling->buffers->pieces.len / sizeof *pieces;
    size_t moved = 0, page = 0;
    for (size_t i = 0; i < piece_count; i++) {
        if (pieces[i].status != TH_OK)
            continue;
        pieces[i].start += moved;
        if (page < filling->count && filling->holes[page].record == pieces[i].record) {
            pieces[i].len += grown[page];
            moved += grown[page++];
        }
    }
}

static th_status fill_holes(const struct filling *filling)
{
    th_work_buffers *buffers = filling->buffers;
    th_buffer *out = &buffers->filled;
    const th_buffer *pages = &buffers->pages;
    size_t grown[TH_BATCH_CAPACITY] = { 0 };
    size_t done = 0;
    th_status status = TH_OK;
    th_buffer_reset(out);
    for (size_t i = 0; i < filling->count && status == TH_OK; i++) {
        if (!filling->answers[i].is_duplicate)
            continue;
        filling->result->counts.duplicates++;
        if (filling->result->options->wants_edges)
            status = add_edge(filling, i);
        const size_t at = filling->holes[i].at;
        if (!at || status != TH_OK)
            continue;
        th_buffer_append(out, pages->data + done, at - done);
        const size_t before = out->len;
        status = add_member(filling, &filling->answers[i], out);
        grown[i] = out->len - before;
        done = at;
    }
    if (status != TH_OK || !done)
        return status;
    th_buffer_append(out, pages->data + done, pages->len - done);
    move_pieces(filling, grown);
    filling->result->pages = th_buffer_view(out);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

th_status th_near_duplicate_settle(th_work_result *result, th_error *err)
{
    const th_work_options *options = result->options;
    th_work_buffers *buffers = result->buffers;
    th_index_answer answers[TH_BATCH_CAPACITY];
    if (!options->index)
        return TH_OK;
    struct filling filling = { .buffers = buffers,
                               .result = result,
                               .holes =
                                   (const struct hole *)(const void *)buffers->holes.data,
                               .answers = answers,
                               .count = buffers->holes.len / sizeof(struct hole),
                               .scheme = th_index_scheme_of(options->index) };
    th_buffer_reset(&buffers->names);
    th_buffer_reset(&buffers->edges);
    th_buffer_reset(&buffers->edge_rows);
    th_status status = th_index_look_up(options->index, th_buffer_view(&buffers->entries),
                                        filling.count, answers, &buffers->names, err);
    if (status != TH_OK)
        return status;
    status = fill_holes(&filling);
    if (status == TH_OK)
        status = th_work_compress(result);
    result->edges = th_buffer_view(&buffers->edges);
    result->edge_rows = (const th_edge *)(const void *)buffers->edge_rows.data;
    result->edge_count = buffers->edge_rows.len / sizeof(th_edge);
    result->names = th_buffer_view(&buffers->names);
    return status == TH_OK ? TH_OK
                           : th_fail(err, status, "out of memory for near-duplicates");
}
