/*
 * Combines the parts of pages to sections. A page is packed once, in its worker. Each
 * section then takes its slice of every page in turn.
 */
#include "lab/features/feature_file.h"

#include <string.h>

#include "base/file_sink.h"
#include "base/json.h"

enum { ALIGNMENT = 64, HEADER_ROOM = 64 };

enum section {
    ROWS,
    PAGE_ROWS,
    LABEL,
    ALIGNED,
    TOKENS,
    PAGE,
    BUCKET_START,
    BUCKET,
    PAGES,
    SECTION_COUNT
};

static const struct {
    const char *name, *type;
    uint32_t size; /* of an entry */
} sections[SECTION_COUNT] = {
    [ROWS] = { "rows", "u1", TH_FEATURE_COUNT },
    [PAGE_ROWS] = { "page_rows", "u1", TH_PAGE_FEATURE_COUNT },
    [LABEL] = { "label", "u1", 1 },
    [ALIGNED] = { "aligned", "u1", 1 },
    [TOKENS] = { "tokens", "u4", 4 },
    [PAGE] = { "page", "u4", 4 },
    [BUCKET_START] = { "bucket_start", "u4", 4 },
    [BUCKET] = { "bucket", "u2", 2 },
    [PAGES] = { "pages", "json", 1 },
};

/* ---- a page ------------------------------------------------------------------------ */

static void put_number(th_buffer *out, uint32_t number, unsigned bytes)
{
    char low[4];
    for (unsigned i = 0; i < bytes; i++)
        low[i] = (char)(unsigned char)(number >> 8 * i & 0xFF);
    th_buffer_append(out, low, bytes);
}

void th_feature_page_done(th_feature_page *page)
{
    th_buffer_done(&page->bytes);
    th_buffer_done(&page->about);
}

static void put_rows(const th_feature_columns *columns, th_buffer *out)
{
    for (uint32_t i = 0; i < columns->rows; i++) {
        char row[TH_FEATURE_COUNT];
        for (unsigned k = 0; k < TH_FEATURE_COUNT; k++)
            row[k] = (char)columns->column[k][i];
        th_buffer_append(out, row, sizeof row);
    }
}

th_status th_feature_page_pack(const th_page *page, const th_feature_columns *columns,
                               const uint8_t *vector, const th_paragraph_gold *gold,
                               const th_token_buckets *buckets, th_feature_page *out)
{
    const uint32_t rows = columns->rows;
    th_buffer *bytes = &out->bytes;
    out->row_count = rows;
    out->bucket_count = buckets->start[rows];
    th_buffer_reserve(bytes, (size_t)rows * (TH_FEATURE_COUNT + 10) +
                                 TH_PAGE_FEATURE_COUNT + 2 * (size_t)out->bucket_count);
    put_rows(columns, bytes);
    th_buffer_append(bytes, (const char *)vector, TH_PAGE_FEATURE_COUNT);
    th_buffer_append(bytes, (const char *)gold->label, rows);
    th_buffer_append(bytes, (const char *)gold->aligned, rows);
    for (uint32_t i = 0; i < rows; i++) {
        const th_paragraph *row = &page->paragraphs[i];
        put_number(bytes,
                   page->tokens_before[row->end_block] -
                       page->tokens_before[row->first_block],
                   4);
    }
    for (uint32_t i = 0; i < rows; i++)
        put_number(bytes, buckets->start[i], 4);
    for (uint32_t i = 0; i < out->bucket_count; i++)
        put_number(bytes, buckets->bucket[i], 2);
    return bytes->has_failed ? TH_NOMEM : TH_OK;
}

/* Where a section's part of a page begins, and how long it is. */
static th_view part_of(const th_feature_page *page, enum section section)
{
    const size_t rows = page->row_count;
    const size_t lengths[] = {
        [ROWS] = rows * TH_FEATURE_COUNT,
        [PAGE_ROWS] = TH_PAGE_FEATURE_COUNT,
        [LABEL] = rows,
        [ALIGNED] = rows,
        [TOKENS] = rows * 4,
        [PAGE] = 0,
        [BUCKET_START] = rows * 4,
        [BUCKET] = (size_t)page->bucket_count * 2,
    };
    size_t start = 0;
    if (section == PAGES)
        return th_buffer_view(&page->about);
    for (unsigned i = 0; i < section; i++)
        start += lengths[i];
    return (th_view){ th_buffer_view(&page->bytes).data + start, lengths[section] };
}

/* ---- the file ---------------------------------------------------------------------- */

/* The totals of all pages. */
struct totals {
    uint64_t rows, pages, buckets;
    uint64_t length[SECTION_COUNT], offset[SECTION_COUNT];
};

static uint64_t aligned(uint64_t at)
{
    return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void sum_up(const th_feature_page *pages, size_t count, struct totals *totals)
{
    *totals = (struct totals){ .pages = count };
    for (size_t i = 0; i < count; i++) {
        totals->rows += pages[i].row_count;
        totals->buckets += pages[i].bucket_count;
        for (unsigned k = 0; k < SECTION_COUNT; k++)
            totals->length[k] += part_of(&pages[i], k).len;
    }
    totals->length[PAGE] = totals->rows * 4;
    totals->length[BUCKET_START] += 4;
}

static uint64_t entries_of(const struct totals *totals, enum section section)
{
    switch (section) {
    case PAGE_ROWS:
        return totals->pages;
    case BUCKET_START:
        return totals->rows + 1;
    case BUCKET:
        return totals->buckets;
    case PAGES:
        return totals->length[PAGES];
    default:
        return totals->rows;
    }
}

static void put_names(th_json *json, const char *key, const char *(*name)(unsigned),
                      unsigned count)
{
    th_json_key(json, key);
    th_json_open_array(json);
    for (unsigned i = 0; i < count; i++)
        th_json_string(json, (th_view){ name(i), strlen(name(i)) });
    th_json_close_array(json);
}

static const char *group_of(unsigned feature)
{
    return th_feature_group_name(th_feature_group(feature));
}

static const char *type_at(unsigned type)
{
    return th_page_type_names[type];
}

static void put_section(th_json *json, const struct totals *totals, enum section section)
{
    const bool is_table = section == ROWS || section == PAGE_ROWS;
    th_json_open_object(json);
    th_json_member_text(json, "name", sections[section].name);
    th_json_member_text(json, "type", sections[section].type);
    th_json_key(json, "shape");
    th_json_open_array(json);
    th_json_uint(json, entries_of(totals, section));
    if (is_table)
        th_json_uint(json, sections[section].size);
    th_json_close_array(json);
    th_json_member_uint(json, "offset", totals->offset[section]);
    th_json_close_object(json);
}

/* Writes both lines. The second ends in spaces, so that the sections begin at `start`. */
static th_status put_header(const struct totals *totals, th_buffer *out)
{
    th_json json;
    th_buffer_append_text(out, "thresher features 1\n");
    th_json_begin(&json, out);
    th_json_open_object(&json);
    put_names(&json, "columns", th_feature_name, TH_FEATURE_COUNT);
    put_names(&json, "groups", group_of, TH_FEATURE_COUNT);
    put_names(&json, "page_columns", th_page_feature_name, TH_PAGE_FEATURE_COUNT);
    put_names(&json, "page_types", type_at, TH_PAGE_TYPE_COUNT);
    th_json_member_uint(&json, "rows", totals->rows);
    th_json_member_uint(&json, "pages", totals->pages);
    th_json_key(&json, "sections");
    th_json_open_array(&json);
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        put_section(&json, totals, i);
    th_json_close_array(&json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

/*
 * Makes the header. Its length depends on the offsets, which follow it. So the length is
 * computed for offsets that are at least as long, and the rest is filled with spaces.
 */
static th_status make_header(struct totals *totals, th_buffer *out)
{
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        totals->offset[i] = UINT64_MAX;
    th_status status = put_header(totals, out);
    if (status != TH_OK)
        return status;
    const uint64_t start = aligned(out->len + HEADER_ROOM);
    uint64_t at = start;
    for (unsigned i = 0; i < SECTION_COUNT; i++) {
        totals->offset[i] = at;
        at = aligned(at + totals->length[i]);
    }
    th_buffer_reset(out);
    status = put_header(totals, out);
    if (status != TH_OK || out->has_failed)
        return TH_NOMEM;
    out->len--; /* the line end follows the spaces */
    while (out->len + 1 < start)
        th_buffer_append_char(out, ' ');
    th_buffer_append_char(out, '\n');
    return out->has_failed ? TH_NOMEM : TH_OK;
}

static th_status write_section(th_file_sink *sink, const th_feature_page *pages,
                               size_t page_count, enum section section, th_error *err)
{
    th_status status = TH_OK;
    th_buffer numbers = { 0 };
    uint32_t before = 0;
    for (size_t i = 0; i < page_count && status == TH_OK; i++) {
        th_view part = part_of(&pages[i], section);
        th_buffer_reset(&numbers);
        if (section == PAGE)
            for (uint32_t k = 0; k < pages[i].row_count; k++)
                put_number(&numbers, (uint32_t)i, 4);
        if (section == BUCKET_START)
            for (size_t k = 0; k < part.len; k += 4) {
                const unsigned char *low = (const unsigned char *)part.data + k;
                put_number(&numbers,
                           before + (low[0] | (uint32_t)low[1] << 8 |
                                     (uint32_t)low[2] << 16 | (uint32_t)low[3] << 24),
                           4);
            }
        before += pages[i].bucket_count;
        if (section == PAGE || section == BUCKET_START)
            part = th_buffer_view(&numbers);
        status = numbers.has_failed ? TH_NOMEM : th_file_sink_write(sink, part, err);
    }
    if (section == BUCKET_START && status == TH_OK) {
        th_buffer_reset(&numbers);
        put_number(&numbers, before, 4);
        status = th_file_sink_write(sink, th_buffer_view(&numbers), err);
    }
    th_buffer_done(&numbers);
    return status;
}

static th_status pad_to(th_file_sink *sink, uint64_t offset, th_error *err)
{
    static const char zeros[ALIGNMENT];
    const uint64_t at = th_file_sink_len(sink);
    return at < offset ? th_file_sink_write(sink, (th_view){ zeros, offset - at }, err)
                       : TH_OK;
}

th_status th_feature_file_write(const char *path, const th_feature_page *pages,
                                size_t page_count, th_error *err)
{
    struct totals totals;
    th_buffer header = { 0 };
    th_file_sink *sink = NULL;
    sum_up(pages, page_count, &totals);
    if (totals.rows >= UINT32_MAX || totals.buckets >= UINT32_MAX)
        return th_fail(err, TH_TOO_LARGE, "more than %u rows or words", UINT32_MAX);
    th_status status = make_header(&totals, &header);
    if (status == TH_OK)
        status = th_file_sink_open(path, 0, &sink, err);
    if (status == TH_OK)
        status = th_file_sink_write(sink, th_buffer_view(&header), err);
    for (unsigned i = 0; i < SECTION_COUNT && status == TH_OK; i++) {
        status = pad_to(sink, totals.offset[i], err);
        if (status == TH_OK)
            status = write_section(sink, pages, page_count, i, err);
    }
    if (status == TH_OK)
        status = th_file_sink_finish(sink, err);
    th_file_sink_free(sink);
    th_buffer_done(&header);
    return status;
}
