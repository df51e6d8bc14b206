/* One column of one row group. See the header. [parquet.thrift] */
#include "parquet/column_chunk.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "parquet/page_crc.h"
#include "parquet/thrift.h"

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };     /* PageType */
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 }; /* Encoding */
enum { FIRST_SLOTS = 64, TRIAL_SLOTS = 4096, LENGTH = 4, NUMBER = 4 };
enum { ZSTD_LEVEL = 3 };
#define PAGE_LIMIT ((uint64_t)INT32_MAX - (64u << 20)) /* of values, without levels */

struct th_page_packer {
    th_parquet_codec codec;
    ZSTD_CCtx *zstd; /* NULL if nothing is packed */
    th_buffer page, packed;
};

th_page_packer *th_page_packer_new(th_parquet_codec codec)
{
    th_page_packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return NULL;
    packer->codec = codec;
    if (codec == TH_PARQUET_ZSTD) {
        packer->zstd = ZSTD_createCCtx();
        if (!packer->zstd) {
            free(packer);
            return NULL;
        }
        ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    }
    return packer;
}

void th_page_packer_free(th_page_packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->zstd);
    th_buffer_done(&packer->page);
    th_buffer_done(&packer->packed);
    free(packer);
}

/* ---- numbers in memory ---- */

static void append_u32(th_buffer *out, uint32_t number)
{
    const unsigned char bytes[NUMBER] = { (unsigned char)number,
                                          (unsigned char)(number >> 8),
                                          (unsigned char)(number >> 16),
                                          (unsigned char)(number >> 24) };
    th_buffer_append(out, (const char *)bytes, sizeof bytes);
}

static uint32_t u32_at(const th_buffer *buffer, uint32_t i)
{
    const unsigned char *at = (const unsigned char *)buffer->data + (size_t)i * NUMBER;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Appends a number in line: of these there are many. */
static void push_number(th_buffer *out, uint32_t number)
{
    if (out->capacity - out->len < NUMBER) {
        append_u32(out, number);
        return;
    }
    for (unsigned i = 0; i < NUMBER; i++)
        out->data[out->len + i] = (char)(number >> 8 * i);
    out->len += NUMBER;
}

/* ---- a column ---- */

static void reset_page(th_column_chunk *column)
{
    th_buffer_reset(&column->def_bytes);
    th_buffer_reset(&column->rep_bytes);
    th_buffer_reset(&column->values);
    th_run_lengths_begin(&column->defs, th_bit_width(column->most_def),
                         &column->def_bytes);
    th_run_lengths_begin(&column->reps, th_bit_width(column->most_rep),
                         &column->rep_bytes);
    column->page_levels = column->plain_len = 0;
    column->rows = 0;
}

void th_column_init(th_column_chunk *column, const th_parquet_node *node)
{
    const bool is_byte = node->kind == TH_PARQUET_BOOL;
    const bool is_short =
        node->kind == TH_PARQUET_INT32 || node->kind == TH_PARQUET_INT16;
    uint8_t width = 8;
    if (node->kind == TH_PARQUET_TEXT)
        width = 0;
    else if (is_byte)
        width = 1;
    else if (is_short)
        width = 4;
    *column = (th_column_chunk){
        .node = node,
        .most_def = node->element,
        .most_rep = node->rep,
        .width = width,
        .has_dictionary = !is_byte,
    };
    reset_page(column);
}

void th_column_done(th_column_chunk *column)
{
    th_buffer_done(&column->def_bytes);
    th_buffer_done(&column->rep_bytes);
    th_buffer_done(&column->values);
    th_buffer_done(&column->entries);
    th_buffer_done(&column->starts);
    th_buffer_done(&column->pages);
    free(column->slots);
    *column = (th_column_chunk){ 0 };
}

static void reset_dictionary(th_column_chunk *column)
{
    th_buffer_reset(&column->entries);
    th_buffer_reset(&column->starts);
    column->entry_count = 0;
    if (column->slots)
        memset(column->slots, 0, column->slot_count * sizeof *column->slots);
}

void th_column_reset(th_column_chunk *column)
{
    reset_page(column);
    reset_dictionary(column);
    th_buffer_reset(&column->pages);
    column->has_dictionary = column->node->kind != TH_PARQUET_BOOL;
    column->decompressed = column->level_count = column->null_count = 0;
    column->dictionary_pages = column->plain_pages = 0;
    column->has_bounds = false;
}

static void put_levels(th_column_chunk *column, uint8_t rep, uint8_t def)
{
    th_run_lengths_put(&column->defs, def);
    if (column->most_rep)
        th_run_lengths_put(&column->reps, rep);
    column->page_levels++;
    column->rows += rep == 0;
}

void th_column_put_null(th_column_chunk *column, uint8_t rep, uint8_t def)
{
    put_levels(column, rep, def);
    column->null_count++;
}

/* ---- statistics ---- */

static int compare_int64(const uint8_t *a, const uint8_t *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int compare_uint64(const uint8_t *a, const uint8_t *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int compare_int32(const uint8_t *a, const uint8_t *b)
{
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int compare_real(const uint8_t *a, const uint8_t *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Compares the first bytes only. If they are equal, the longer text is greater. */
static int compare_text(const th_column_bound *a, const th_column_bound *b)
{
    const uint8_t len = a->len < b->len ? a->len : b->len;
    const int order = memcmp(a->bytes, b->bytes, len);
    if (order)
        return order;
    return a->len != b->len ? a->len - b->len : a->is_cut - b->is_cut;
}

/* Compares values that are not text. */
static int compare(th_parquet_kind kind, const uint8_t *a, const uint8_t *b)
{
    switch (kind) {
    case TH_PARQUET_INT:
    case TH_PARQUET_TIME:
        return compare_int64(a, b);
    case TH_PARQUET_UINT:
        return compare_uint64(a, b);
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
        return compare_int32(a, b);
    case TH_PARQUET_REAL:
        return compare_real(a, b);
    case TH_PARQUET_BOOL:
    case TH_PARQUET_GROUP:
    case TH_PARQUET_TEXT:
        break;
    }
    return *a - *b;
}

static void note_text(th_column_chunk *column, th_view bytes)
{
    th_column_bound bound = { .is_cut = bytes.len > TH_PARQUET_BOUND };
    bound.len = (uint8_t)(bound.is_cut ? TH_PARQUET_BOUND : bytes.len);
    memcpy(bound.bytes, bytes.data, bound.len);
    if (!column->has_bounds || compare_text(&bound, &column->min) < 0)
        column->min = bound;
    if (!column->has_bounds || compare_text(&bound, &column->greatest) > 0)
        column->greatest = bound;
}

static void set_bound(th_column_bound *bound, th_view bytes)
{
    memcpy(bound->bytes, bytes.data, bytes.len);
    bound->len = (uint8_t)bytes.len;
    bound->is_cut = false;
}

/* A value that was not met before. */
static void note_bounds(th_column_chunk *column, th_view bytes)
{
    const th_parquet_kind kind = column->node->kind;
    if (kind == TH_PARQUET_TEXT) {
        note_text(column, bytes);
    } else {
        const uint8_t *value = (const uint8_t *)bytes.data;
        if (!column->has_bounds || compare(kind, value, column->min.bytes) < 0)
            set_bound(&column->min, bytes);
        if (!column->has_bounds || compare(kind, value, column->greatest.bytes) > 0)
            set_bound(&column->greatest, bytes);
    }
    column->has_bounds = true;
}

static bool is_inside(uint8_t byte)
{
    return (byte & 0xC0) == 0x80; /* of a character of several bytes */
}

/* Cuts a text between two characters: still not greater than the least value. */
static uint8_t whole_characters(const th_column_bound *bound)
{
    uint8_t len = bound->len;
    if (!bound->is_cut)
        return len;
    uint8_t last = len;
    while (last && is_inside(bound->bytes[last - 1]))
        last--;
    if (!last)
        return 0;
    const uint8_t lead = bound->bytes[last - 1];
    const uint8_t want = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return (uint8_t)(len - last + 1) == want ? len : (uint8_t)(last - 1);
}

/* Makes a cut text greater than all texts that begin with it: raises its last character
 * that has a successor of the same length. @return false if there is no such character */
static bool raise_text(th_column_bound *bound)
{
    uint8_t len = whole_characters(bound);
    while (len) {
        uint8_t *last = &bound->bytes[len - 1];
        const uint8_t max = is_inside(*last) ? 0xBF : 0x7F;
        if (*last < max && !(*last == 0x9F && len > 1 && bound->bytes[len - 2] == 0xED)) {
            ++*last;
            bound->len = len;
            return true;
        }
        while (len && is_inside(bound->bytes[len - 1]))
            len--;
        len--;
    }
    return false;
}

/* Zeros of either sign are equal, so that a bound of zero is written for both. */
static void widen_zero(th_column_bound *bound, bool is_min)
{
    double value;
    memcpy(&value, bound->bytes, sizeof value);
    if (value != 0)
        return;
    value = is_min ? -0.0 : 0.0;
    memcpy(bound->bytes, &value, sizeof value);
}

static th_view bound_view(const th_column_bound *bound, uint8_t len)
{
    return (th_view){ (const char *)bound->bytes, len };
}

static void write_statistics(const th_column_chunk *column, th_thrift *thrift)
{
    th_column_bound min = column->min, greatest = column->greatest;
    const bool is_text = column->node->kind == TH_PARQUET_TEXT;
    bool has_greatest = column->has_bounds;
    if (column->has_bounds && column->node->kind == TH_PARQUET_REAL) {
        widen_zero(&min, true);
        widen_zero(&greatest, false);
    }
    if (has_greatest && is_text && greatest.is_cut)
        has_greatest = raise_text(&greatest);
    th_thrift_struct(thrift, 12);
    th_thrift_i64(thrift, 3, (int64_t)column->null_count);
    if (has_greatest)
        th_thrift_binary(thrift, 5, bound_view(&greatest, greatest.len));
    if (column->has_bounds)
        th_thrift_binary(thrift, 6, bound_view(&min, whole_characters(&min)));
    if (has_greatest)
        th_thrift_bool(thrift, 7, !column->greatest.is_cut);
    if (column->has_bounds)
        th_thrift_bool(thrift, 8, !column->min.is_cut);
    th_thrift_end(thrift);
}

/* ---- the dictionary ---- */

/* The bytes of an entry; of a text without its length. */
static th_view entry_at(const th_column_chunk *column, uint32_t number)
{
    const size_t width = (size_t)column->width;
    if (width)
        return (th_view){ column->entries.data + number * width, width };
    const uint32_t start = u32_at(&column->starts, number);
    const uint32_t end = number + 1 < column->entry_count
                             ? u32_at(&column->starts, number + 1)
                             : (uint32_t)column->entries.len;
    return (th_view){ column->entries.data + start + LENGTH, end - start - LENGTH };
}

static bool is_entry(const th_column_chunk *column, uint32_t number, th_view bytes)
{
    if (column->width == sizeof(uint64_t)) {
        uint64_t a, b;
        memcpy(&a, column->entries.data + number * sizeof a, sizeof a);
        memcpy(&b, bytes.data, sizeof b);
        return a == b;
    }
    const th_view entry = entry_at(column, number);
    return entry.len == bytes.len && memcmp(entry.data, bytes.data, bytes.len) == 0;
}

#define TAG (UINT64_MAX << 32) /* of a slot: the hash's high half */

/* The slot of an entry with these bytes, or a free one. */
static uint32_t find_slot(const th_column_chunk *column, uint64_t hash, th_view bytes)
{
    const uint32_t mask = column->slot_count - 1;
    uint32_t slot = (uint32_t)(hash & mask);
    for (uint64_t is; (is = column->slots[slot]) != 0; slot = (slot + 1) & mask)
        if ((is & TAG) == (hash & TAG) && is_entry(column, (uint32_t)is - 1, bytes))
            break;
    return slot;
}

static uint64_t hash_of(th_view bytes)
{
    return XXH3_64bits(bytes.data, bytes.len);
}

static th_status grow_slots(th_column_chunk *column)
{
    const uint32_t count = column->slot_count ? column->slot_count * 2 : FIRST_SLOTS;
    uint64_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return TH_NOMEM;
    free(column->slots);
    column->slots = slots;
    column->slot_count = count;
    for (uint32_t i = 0; i < column->entry_count; i++) {
        const th_view entry = entry_at(column, i);
        const uint64_t hash = hash_of(entry);
        slots[find_slot(column, hash, entry)] = (hash & TAG) | (i + 1);
    }
    return TH_OK;
}

static void append_plain(th_buffer *out, const th_column_chunk *column, th_view bytes)
{
    if (!column->width)
        push_number(out, (uint32_t)bytes.len);
    if (column->width == sizeof(uint64_t) && out->capacity - out->len >= bytes.len) {
        memcpy(out->data + out->len, bytes.data, sizeof(uint64_t));
        out->len += sizeof(uint64_t);
    } else {
        th_buffer_append_view(out, bytes);
    }
}

/* Makes the values of the page, and all later values, plain. */
static th_status leave_dictionary(th_column_chunk *column)
{
    const th_buffer numbers = column->values;
    column->values = (th_buffer){ 0 };
    if (th_buffer_reserve(&column->values, column->plain_len))
        for (uint32_t i = 0; i < numbers.len / NUMBER; i++)
            append_plain(&column->values, column, entry_at(column, u32_at(&numbers, i)));
    th_buffer_done(&(th_buffer){ .data = numbers.data });
    reset_dictionary(column);
    column->has_dictionary = false;
    return column->values.has_failed ? TH_NOMEM : TH_OK;
}

static bool is_dictionary_worth_it(const th_column_chunk *column)
{
    const uint64_t count = column->values.len / NUMBER;
    const uint64_t numbers =
        count * th_bit_width(column->entry_count ? column->entry_count - 1 : 0) / 8;
    return !count || column->entries.len + numbers < column->plain_len;
}

/* Whether the slots would grow beyond the fastest memory for values that seldom recur. */
static bool is_dictionary_in_vain(const th_column_chunk *column)
{
    return column->slot_count >= TRIAL_SLOTS &&
           column->entry_count >= column->slot_count / 2 && !column->dictionary_pages &&
           !is_dictionary_worth_it(column);
}

static th_status put_entry(th_column_chunk *column, th_view bytes)
{
    if (column->entry_count && is_entry(column, column->last_entry, bytes)) {
        push_number(&column->values, column->last_entry);
        return TH_OK;
    }
    if (column->entry_count >= column->slot_count / 2 && grow_slots(column) != TH_OK)
        return TH_NOMEM;
    const uint64_t hash = hash_of(bytes);
    const uint32_t slot = find_slot(column, hash, bytes);
    if (!column->slots[slot]) {
        if (!column->width)
            push_number(&column->starts, (uint32_t)column->entries.len);
        append_plain(&column->entries, column, bytes);
        if (column->starts.has_failed || column->entries.has_failed)
            return TH_NOMEM;
        column->slots[slot] = (hash & TAG) | ++column->entry_count;
        note_bounds(column, bytes);
    }
    column->last_entry = (uint32_t)column->slots[slot] - 1;
    push_number(&column->values, column->last_entry);
    return TH_OK;
}

th_status th_column_put(th_column_chunk *column, uint8_t rep, th_view bytes)
{
    column->plain_len += bytes.len + (column->width ? 0 : LENGTH);
    if ((column->has_dictionary ? column->entries.len : column->values.len) + bytes.len >
        PAGE_LIMIT)
        return TH_TOO_LARGE;
    put_levels(column, rep, column->most_def);
    if (column->has_dictionary && is_dictionary_in_vain(column) &&
        leave_dictionary(column) != TH_OK)
        return TH_NOMEM;
    if (column->has_dictionary)
        return put_entry(column, bytes);
    append_plain(&column->values, column, bytes);
    note_bounds(column, bytes);
    return TH_OK;
}

/* ---- pages ---- */

static void write_levels(th_run_lengths *levels, th_buffer *out)
{
    if (!levels->width)
        return;
    th_run_lengths_end(levels);
    append_u32(out, (uint32_t)levels->out->len);
    th_buffer_append_view(out, th_buffer_view(levels->out));
    out->has_failed |= levels->out->has_failed;
}

static void write_numbers(const th_column_chunk *column, th_buffer *out)
{
    const unsigned width =
        th_bit_width(column->entry_count ? column->entry_count - 1 : 0);
    th_run_lengths lengths;
    th_buffer_append_char(out, (char)width);
    th_run_lengths_begin(&lengths, width, out);
    for (uint32_t i = 0; i < column->values.len / NUMBER; i++)
        th_run_lengths_put(&lengths, u32_at(&column->values, i));
    th_run_lengths_end(&lengths);
}

static void write_bits(const th_buffer *values, th_buffer *out)
{
    for (size_t i = 0; i < values->len; i += 8) {
        unsigned bits = 0;
        for (size_t j = i; j < values->len && j < i + 8; j++)
            bits |= (unsigned)(values->data[j] != 0) << (j - i);
        th_buffer_append_char(out, (char)bits);
    }
}

/* Packs packer->page. @param out  the bytes as they stand in the file, borrowed */
static th_status pack(th_page_packer *packer, th_view *out)
{
    if (packer->page.has_failed)
        return TH_NOMEM;
    *out = th_buffer_view(&packer->page);
    if (out->len > INT32_MAX)
        return TH_TOO_LARGE;
    if (!packer->zstd)
        return TH_OK;
    th_buffer *packed = &packer->packed;
    th_buffer_reset(packed);
    if (!th_buffer_reserve(packed, ZSTD_compressBound(out->len)))
        return TH_NOMEM;
    const size_t len =
        ZSTD_compress2(packer->zstd, packed->data, packed->capacity, out->data, out->len);
    if (ZSTD_isError(len))
        return TH_NOMEM;
    packed->len = len;
    *out = th_buffer_view(packed);
    return len > INT32_MAX ? TH_TOO_LARGE : TH_OK;
}

/* Appends packer->page with its header. @param levels  in a page of data */
static th_status append_page(th_column_chunk *column, th_page_packer *packer,
                             int32_t type, int32_t encoding, uint64_t count,
                             th_buffer *out)
{
    th_view packed;
    const th_status status = pack(packer, &packed);
    if (status != TH_OK)
        return status;
    const size_t start = out->len;
    th_thrift thrift;
    th_thrift_begin(&thrift, out);
    th_thrift_i32(&thrift, 1, type);
    th_thrift_i32(&thrift, 2, (int32_t)packer->page.len);
    th_thrift_i32(&thrift, 3, (int32_t)packed.len);
    th_thrift_i32(&thrift, 4, th_page_crc(packed));
    th_thrift_struct(&thrift, type == DATA_PAGE ? 5 : 7);
    th_thrift_i32(&thrift, 1, (int32_t)count);
    th_thrift_i32(&thrift, 2, encoding);
    if (type == DATA_PAGE) {
        th_thrift_i32(&thrift, 3, RLE);
        th_thrift_i32(&thrift, 4, RLE);
    }
    th_thrift_end(&thrift);
    th_thrift_end(&thrift);
    column->decompressed += out->len - start + packer->page.len;
    th_buffer_append_view(out, packed);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

static th_status encode_page(th_column_chunk *column, th_page_packer *packer)
{
    th_buffer *page = &packer->page;
    th_buffer_reset(page);
    write_levels(&column->reps, page);
    write_levels(&column->defs, page);
    if (column->has_dictionary)
        write_numbers(column, page);
    else if (column->node->kind == TH_PARQUET_BOOL)
        write_bits(&column->values, page);
    else
        th_buffer_append_view(page, th_buffer_view(&column->values));
    return append_page(column, packer, DATA_PAGE,
                       column->has_dictionary ? RLE_DICTIONARY : PLAIN,
                       column->page_levels, &column->pages);
}

th_status th_column_end_page(th_column_chunk *column, th_page_packer *packer)
{
    th_status status = TH_OK;
    if (column->values.has_failed)
        return TH_NOMEM;
    if (!column->page_levels)
        return TH_OK;
    if (column->has_dictionary && !column->dictionary_pages &&
        !is_dictionary_worth_it(column))
        status = leave_dictionary(column);
    if (status == TH_OK)
        status = encode_page(column, packer);
    column->level_count += column->page_levels;
    column->dictionary_pages += column->has_dictionary;
    column->plain_pages += !column->has_dictionary;
    reset_page(column);
    if (th_column_is_dictionary_full(column))
        column->has_dictionary = false;
    return status;
}

/* ---- the chunk ---- */

th_status th_column_end(th_column_chunk *column, th_page_packer *packer,
                        th_buffer *dictionary)
{
    const th_status status = th_column_end_page(column, packer);
    if (status != TH_OK || !column->dictionary_pages)
        return status;
    th_buffer_reset(&packer->page);
    th_buffer_append_view(&packer->page, th_buffer_view(&column->entries));
    return append_page(column, packer, DICTIONARY_PAGE, PLAIN, column->entry_count,
                       dictionary);
}

static void write_count(th_thrift *thrift, int32_t type, int32_t encoding, uint32_t count)
{
    if (!count)
        return;
    th_thrift_element_struct(thrift);
    th_thrift_i32(thrift, 1, type);
    th_thrift_i32(thrift, 2, encoding);
    th_thrift_i32(thrift, 3, (int32_t)count);
    th_thrift_end(thrift);
}

/* Writes the encodings of the pages, as sets and as counts. */
static void write_encodings(const th_column_chunk *column, th_thrift *thrift)
{
    const bool is_numbered = column->dictionary_pages > 0;
    const bool is_plain = is_numbered || column->plain_pages;
    th_thrift_list(thrift, 2, TH_THRIFT_I32, 1u + is_plain + is_numbered);
    if (is_plain)
        th_thrift_element_i32(thrift, PLAIN);
    th_thrift_element_i32(thrift, RLE);
    if (is_numbered)
        th_thrift_element_i32(thrift, RLE_DICTIONARY);
}

static void write_page_counts(const th_column_chunk *column, th_thrift *thrift)
{
    const bool is_numbered = column->dictionary_pages > 0;
    th_thrift_list(thrift, 13, TH_THRIFT_STRUCT,
                   2u * is_numbered + (column->plain_pages > 0));
    write_count(thrift, DICTIONARY_PAGE, PLAIN, is_numbered);
    write_count(thrift, DATA_PAGE, RLE_DICTIONARY, column->dictionary_pages);
    write_count(thrift, DATA_PAGE, PLAIN, column->plain_pages);
}

void th_column_describe(const th_column_chunk *column, const th_parquet_schema *schema,
                        uint32_t leaf, const th_page_packer *packer, uint64_t offset,
                        uint64_t dictionary_len, th_thrift *thrift)
{
    th_thrift_element_struct(thrift);
    th_thrift_i64(thrift, 2, 0); /* file_offset: out of use */
    th_thrift_struct(thrift, 3);
    th_thrift_i32(thrift, 1, th_parquet_physical(column->node->kind));
    write_encodings(column, thrift);
    th_parquet_path_write(schema, leaf, thrift, 3);
    th_thrift_i32(thrift, 4, (int32_t)packer->codec);
    th_thrift_i64(thrift, 5, (int64_t)column->level_count);
    th_thrift_i64(thrift, 6, (int64_t)column->decompressed);
    th_thrift_i64(thrift, 7, (int64_t)(dictionary_len + column->pages.len));
    th_thrift_i64(thrift, 9, (int64_t)(offset + dictionary_len));
    if (dictionary_len)
        th_thrift_i64(thrift, 11, (int64_t)offset);
    write_statistics(column, thrift);
    write_page_counts(column, thrift);
    th_thrift_end(thrift);
    th_thrift_end(thrift);
}
