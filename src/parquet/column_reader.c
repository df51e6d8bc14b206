/* Pages of a column. See the header. [parquet.thrift] */
#include "parquet/column_reader.h"

#include <string.h>

#include <zstd.h>

#include "parquet/page_crc.h"
#include "parquet/thrift_reader.h"

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 }; /* PageType */
enum { PLAIN = 0, PLAIN_DICTIONARY = 2, RLE = 3, RLE_DICTIONARY = 8 };
enum { HEADER_MAX = 64 << 10, LENGTH = 4, VALUES_MAX = 16 << 20 };

/* A page's header. */
struct page_header {
    int64_t type, decompressed, packed, count, encoding;
    int64_t levels[2]; /* encodings of repetition and definition levels */
    bool has_crc;
    uint32_t crc;
};

void th_column_reader_done(th_column_reader *column)
{
    ZSTD_freeDCtx(column->zstd);
    th_buffer_done(&column->window);
    th_buffer_done(&column->dictionary);
    th_buffer_done(&column->starts);
    th_buffer_done(&column->page);
    *column = (th_column_reader){ .source = NULL };
}

static th_status damaged(const th_column_reader *column, const char *words, th_error *err)
{
    return th_fail(err, TH_DAMAGED, "column '%s', before byte %llu: %s",
                   column->node->name, (unsigned long long)column->at, words);
}

static th_status no_memory(th_error *err)
{
    return th_fail(err, TH_NOMEM, "out of memory for a column");
}

static uint8_t width_of(th_parquet_kind kind)
{
    switch (kind) {
    case TH_PARQUET_TEXT:
    case TH_PARQUET_GROUP:
        return 0;
    case TH_PARQUET_BOOL:
        return 1;
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
        return 4;
    default:
        return 8;
    }
}

th_status th_column_reader_begin(th_column_reader *column,
                                 const th_parquet_source *source,
                                 const th_parquet_node *node,
                                 const th_column_place *place, th_error *err)
{
    column->source = source;
    column->node = node;
    column->width = width_of(node->kind);
    column->at = place->offset;
    column->end = place->offset + place->len;
    column->left = place->count;
    column->page_left = column->entry_count = 0;
    column->has_dictionary = column->has_current = false;
    column->is_packed = place->codec == TH_PARQUET_ZSTD;
    column->window_at = 0;
    th_buffer_reset(&column->window);
    if (place->len > source->size || place->offset > source->size - place->len)
        return damaged(column, "its pages are outside of the file", err);
    if (place->codec != TH_PARQUET_ZSTD && place->codec != TH_PARQUET_UNPACKED)
        return damaged(column, "its codec is neither zstd nor none", err);
    if (column->is_packed && !column->zstd && !(column->zstd = ZSTD_createDCtx()))
        return no_memory(err);
    return TH_OK;
}

/* ---- bytes ---- */

static size_t held(const th_column_reader *column)
{
    return column->window.len - column->window_at;
}

/* Reads until the window has `len` bytes, or all that are left of the chunk. */
static th_status fill(th_column_reader *column, size_t len, th_error *err)
{
    th_buffer *window = &column->window;
    if (held(column) >= len || column->at == column->end)
        return TH_OK;
    if (column->window_at)
        memmove(window->data, window->data + column->window_at, held(column));
    window->len = held(column);
    column->window_at = 0;
    size_t wanted = len - window->len;
    if (wanted < TH_PARQUET_WINDOW)
        wanted = TH_PARQUET_WINDOW;
    if (wanted > column->end - column->at)
        wanted = (size_t)(column->end - column->at);
    if (!th_buffer_reserve(window, wanted))
        return no_memory(err);
    const th_status status = column->source->read(
        column->source->context, column->at, window->data + window->len, wanted, err);
    if (status != TH_OK)
        return status;
    window->len += wanted;
    column->at += wanted;
    column->read_bytes += wanted;
    return TH_OK;
}

/* ---- headers ---- */

/* Reads DataPageHeader or DictionaryPageHeader: their first two fields are the same. */
static void read_counts(th_thrift_reader *thrift, struct page_header *header)
{
    th_thrift_field field = { 0 };
    while (th_thrift_read_field(thrift, &field)) {
        int64_t *out = field.id == 1   ? &header->count
                       : field.id == 2 ? &header->encoding
                       : field.id == 3 ? &header->levels[1]
                       : field.id == 4 ? &header->levels[0]
                                       : NULL;
        if (out && field.type == TH_THRIFT_I32)
            *out = th_thrift_read_int(thrift);
        else
            th_thrift_skip(thrift, field.type);
    }
}

static void read_header(th_thrift_reader *thrift, struct page_header *header)
{
    th_thrift_field field = { 0 };
    *header = (struct page_header){ .type = -1, .levels = { RLE, RLE } };
    while (th_thrift_read_field(thrift, &field)) {
        const bool is_int = field.type == TH_THRIFT_I32;
        if (field.id == 1 && is_int)
            header->type = th_thrift_read_int(thrift);
        else if (field.id == 2 && is_int)
            header->decompressed = th_thrift_read_int(thrift);
        else if (field.id == 3 && is_int)
            header->packed = th_thrift_read_int(thrift);
        else if (field.id == 4 && is_int) {
            header->has_crc = true;
            header->crc = (uint32_t)th_thrift_read_int(thrift);
        } else if ((field.id == 5 || field.id == 7) && field.type == TH_THRIFT_STRUCT)
            read_counts(thrift, header);
        else
            th_thrift_skip(thrift, field.type);
    }
}

static bool is_sound(const struct page_header *header)
{
    return header->decompressed >= 0 && header->decompressed <= TH_PARQUET_PAGE_MAX &&
           header->packed >= 0 && header->packed <= TH_PARQUET_PAGE_MAX &&
           header->count >= 0 && header->count <= VALUES_MAX &&
           header->levels[0] == RLE && header->levels[1] == RLE;
}

/* ---- pages ---- */

/* Unpacks the bytes of a page, which are in the window, into `out`. */
static th_status unpack(th_column_reader *column, const struct page_header *header,
                        th_buffer *out, th_error *err)
{
    const th_view packed = { column->window.data + column->window_at,
                             (size_t)header->packed };
    const size_t len = (size_t)header->decompressed;
    if (header->has_crc && header->crc != (uint32_t)th_page_crc(packed))
        return damaged(column, "the CRC of a page is wrong", err);
    th_buffer_reset(out);
    if (!th_buffer_reserve(out, len + 1))
        return no_memory(err);
    if (!column->is_packed) {
        if (packed.len != len)
            return damaged(column, "a page has another length than its header says", err);
        memcpy(out->data, packed.data, len);
    } else if (ZSTD_decompressDCtx(column->zstd, out->data, len, packed.data,
                                   packed.len) != len) {
        return damaged(column, "the zstd frame of a page is damaged", err);
    }
    out->len = len;
    column->window_at += packed.len;
    return TH_OK;
}

static uint32_t u32_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Takes a text with its length. Returns false if it is longer than the bytes. */
static bool take_text(const unsigned char **at, const unsigned char *end, th_view *out)
{
    if (end - *at < LENGTH)
        return false;
    const uint32_t len = u32_at(*at);
    *at += LENGTH;
    if (len > (size_t)(end - *at))
        return false;
    *out = (th_view){ (const char *)*at, len };
    *at += len;
    return true;
}

static th_status index_dictionary(th_column_reader *column, uint64_t count, th_error *err)
{
    const unsigned char *start = (const unsigned char *)column->dictionary.data;
    const unsigned char *at = start, *end = start + column->dictionary.len;
    th_view text;
    th_buffer_reset(&column->starts);
    if (column->width && column->dictionary.len / column->width < count)
        return damaged(column, "the dictionary has fewer values than its header says",
                       err);
    for (uint64_t i = 0; i < count && !column->width; i++) {
        const uint32_t offset = (uint32_t)(at - start);
        if (!take_text(&at, end, &text))
            return damaged(column, "a text of the dictionary is too long", err);
        th_buffer_append(&column->starts, (const char *)&offset, sizeof offset);
    }
    column->entry_count = (uint32_t)count;
    column->has_dictionary = true;
    return column->starts.has_failed ? no_memory(err) : TH_OK;
}

/* Starts the levels, which have their length before them. */
static bool begin_levels(th_run_reader *runs, uint8_t most, const unsigned char **at,
                         const unsigned char *end)
{
    th_view bytes = { (const char *)*at, 0 };
    if (most && !take_text(at, end, &bytes))
        return false;
    if (most)
        return th_run_reader_begin(runs, th_bit_width(most), bytes);
    *runs = (th_run_reader){ .run = UINT64_MAX };
    return true;
}

static th_status begin_page(th_column_reader *column, const struct page_header *header,
                            th_error *err)
{
    const th_parquet_node *node = column->node;
    const unsigned char *at = (const unsigned char *)column->page.data;
    const unsigned char *end = at + column->page.len;
    column->is_numbered =
        header->encoding == RLE_DICTIONARY || header->encoding == PLAIN_DICTIONARY;
    if (!column->is_numbered && header->encoding != PLAIN)
        return damaged(column, "a page has an encoding that thresher does not write",
                       err);
    if (column->is_numbered && !column->has_dictionary)
        return damaged(column, "a page needs a dictionary that is not there", err);
    if (!begin_levels(&column->reps, node->rep, &at, end) ||
        !begin_levels(&column->defs, node->element, &at, end))
        return damaged(column, "the levels of a page are longer than the page", err);
    if (column->is_numbered &&
        (at == end ||
         !th_run_reader_begin(&column->numbers, at[0],
                              (th_view){ (const char *)at + 1, (size_t)(end - at) - 1 })))
        return damaged(column, "the numbers of a page are damaged", err);
    column->values = at;
    column->values_end = end;
    column->bit = 0;
    column->page_left = (uint32_t)header->count;
    column->left -= column->page_left;
    return TH_OK;
}

/* Reads the next page, which may be the dictionary. */
static th_status read_page(th_column_reader *column, th_error *err)
{
    struct page_header header;
    th_thrift_reader thrift;
    th_status status = fill(column, HEADER_MAX, err);
    if (status != TH_OK)
        return status;
    th_thrift_read_begin(
        &thrift, (th_view){ column->window.data + column->window_at, held(column) });
    read_header(&thrift, &header);
    if (thrift.has_failed || !is_sound(&header))
        return damaged(column, "the header of a page is damaged", err);
    column->window_at +=
        (size_t)((const char *)thrift.at - (column->window.data + column->window_at));
    status = fill(column, (size_t)header.packed, err);
    if (status != TH_OK)
        return status;
    if (held(column) < (size_t)header.packed)
        return damaged(column, "a page is longer than its column", err);
    if (header.type == DICTIONARY_PAGE) {
        if (column->has_dictionary)
            return damaged(column, "there is a second dictionary", err);
        status = unpack(column, &header, &column->dictionary, err);
        return status == TH_OK ? index_dictionary(column, (uint64_t)header.count, err)
                               : status;
    }
    if (header.type != DATA_PAGE)
        return damaged(column, "a page has a type that thresher does not write", err);
    if ((uint64_t)header.count > column->left)
        return damaged(column, "its pages have more values than the column", err);
    status = unpack(column, &header, &column->page, err);
    return status == TH_OK ? begin_page(column, &header, err) : status;
}

/* ---- values ---- */

th_status th_column_reader_peek(th_column_reader *column, th_error *err)
{
    if (column->has_current)
        return TH_OK;
    while (!column->page_left) {
        if (!column->left)
            return TH_END;
        if (column->at == column->end && !held(column))
            return damaged(column, "its pages have fewer values than the column", err);
        const th_status status = read_page(column, err);
        if (status != TH_OK)
            return status;
    }
    if (!th_run_reader_next(&column->reps, &column->rep) ||
        !th_run_reader_next(&column->defs, &column->def) ||
        column->rep > column->node->rep || column->def > column->node->element)
        return damaged(column, "the levels of a page are damaged", err);
    column->has_current = true;
    return TH_OK;
}

static bool take_entry(th_column_reader *column, th_view *value)
{
    uint32_t number, offset;
    if (!th_run_reader_next(&column->numbers, &number) || number >= column->entry_count)
        return false;
    const unsigned char *start = (const unsigned char *)column->dictionary.data;
    if (column->width) {
        *value = (th_view){ (const char *)start + (size_t)number * column->width,
                            column->width };
        return true;
    }
    memcpy(&offset, column->starts.data + (size_t)number * sizeof offset, sizeof offset);
    const unsigned char *at = start + offset;
    return take_text(&at, start + column->dictionary.len, value);
}

static bool take_bit(th_column_reader *column, th_view *value)
{
    static const char bits[] = { 0, 1 };
    if (column->values == column->values_end)
        return false;
    *value = (th_view){ &bits[*column->values >> column->bit & 1], 1 };
    column->bit = (column->bit + 1) % 8;
    column->values += !column->bit;
    return true;
}

static bool take_plain(th_column_reader *column, th_view *value)
{
    if (column->node->kind == TH_PARQUET_BOOL)
        return take_bit(column, value);
    if (!column->width)
        return take_text(&column->values, column->values_end, value);
    if (column->values_end - column->values < column->width)
        return false;
    *value = (th_view){ (const char *)column->values, column->width };
    column->values += column->width;
    return true;
}

th_status th_column_reader_take(th_column_reader *column, th_view *value, th_error *err)
{
    *value = (th_view){ NULL, 0 };
    column->has_current = false;
    column->page_left--;
    if (column->def < column->node->element)
        return TH_OK;
    const bool is_there =
        column->is_numbered ? take_entry(column, value) : take_plain(column, value);
    return is_there ? TH_OK : damaged(column, "a page ends before its last value", err);
}
