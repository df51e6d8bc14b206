/* Rows to columns. See the header. */
#include "parquet/json_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double powers_of_ten[] = { 1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
enum { MOST_POWER = 22, MOST_DIGITS = 19 };
#define EXACT_MOST (UINT64_C(1) << 53) /* whole numbers of a double up to here */

void th_json_row_done(th_json_row *row)
{
    th_buffer_done(&row->text);
}

static th_status refuse(th_json_row *row, const th_parquet_node *node, const char *why)
{
    if (!*row->fault)
        (void)snprintf(row->fault, sizeof row->fault, "'%.40s' %s", node->name, why);
    return TH_DAMAGED;
}

/* ---- values ---- */

/* Reads digits, after an optional sign. @return false for other text, or if it does not
 * fit 64 bits */
static bool read_integer(th_view text, bool *is_negative, uint64_t *value)
{
    *is_negative = text.len && *text.data == '-';
    *value = 0;
    for (size_t i = *is_negative; i < text.len; i++) {
        const unsigned digit = (unsigned)(text.data[i] - '0');
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return text.len > *is_negative;
}

static bool fits(th_parquet_kind kind, bool is_negative, uint64_t value)
{
    const uint64_t max = kind == TH_PARQUET_INT16   ? INT16_MAX
                         : kind == TH_PARQUET_INT32 ? INT32_MAX
                         : kind == TH_PARQUET_UINT  ? UINT64_MAX
                                                    : INT64_MAX;
    return value <= max && !(is_negative && kind == TH_PARQUET_UINT);
}

/* A decimal of up to 15 digits and some more is the quotient of two doubles that are
 * exact, and so the nearest one; others take the C library's way. */
static bool read_real(th_view text, double *value)
{
    const bool is_negative = text.len && *text.data == '-';
    uint64_t digits = 0;
    size_t count = 0, places = 0;
    bool is_behind = false, is_plain = true;
    for (size_t i = is_negative; i < text.len && is_plain; i++) {
        const unsigned digit = (unsigned)(text.data[i] - '0');
        if (text.data[i] == '.' && !is_behind) {
            is_behind = true;
            continue;
        }
        is_plain = digit <= 9 && ++count <= MOST_DIGITS;
        digits = digits * 10 + digit;
        places += is_behind;
    }
    if (is_plain && digits <= EXACT_MOST && places <= MOST_POWER) {
        *value = (double)digits / powers_of_ten[places];
        if (is_negative)
            *value = -*value;
        return count > 0;
    }
    char copy[64];
    char *end = NULL;
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && *value - *value == 0; /* finite */
}

static th_status put(th_json_row *row, const th_parquet_node *node, uint8_t rep,
                     th_view bytes)
{
    row->bytes += bytes.len + 4;
    return th_column_put(&row->columns[node->first_leaf], rep, bytes);
}

static th_status put_number(th_json_row *row, const th_parquet_node *node, uint8_t rep)
{
    unsigned char bytes[8];
    uint64_t bits = 0;
    if (node->kind == TH_PARQUET_REAL) {
        double value = 0;
        if (!read_real(row->reader.text, &value))
            return refuse(row, node, "is no number of a column");
        memcpy(&bits, &value, sizeof bits);
    } else {
        bool is_negative = false;
        if (!read_integer(row->reader.text, &is_negative, &bits) ||
            !fits(node->kind, is_negative, bits))
            return refuse(row, node, "is no integer that fits its column");
        if (is_negative)
            bits = 0 - bits;
    }
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    const bool is_short =
        node->kind == TH_PARQUET_INT32 || node->kind == TH_PARQUET_INT16;
    return put(row, node, rep, (th_view){ (const char *)bytes, is_short ? 4 : 8 });
}

static th_status put_text(th_json_row *row, const th_parquet_node *node, uint8_t rep)
{
    th_view text = row->reader.text;
    if (memchr(text.data, '\\', text.len)) {
        th_buffer_reset(&row->text);
        if (!th_buffer_reserve(&row->text, text.len))
            return TH_NOMEM;
        if (!th_json_text(&row->reader, row->text.data, &row->text.len))
            return refuse(row, node, "is no string");
        text = th_buffer_view(&row->text);
    }
    return put(row, node, rep, text);
}

/* ---- levels ---- */

static void put_nulls(th_json_row *row, const th_parquet_node *node, uint8_t rep,
                      uint8_t def)
{
    for (uint32_t i = 0; i < node->leaf_count; i++)
        th_column_put_null(&row->columns[node->first_leaf + i], rep, def);
    row->bytes += node->leaf_count;
}

static th_status take_object(th_json_row *row, const th_parquet_node *node, uint8_t rep);

/* A thing of the node's kind, be it alone or in its list, whose token was read. */
static th_status take_thing(th_json_row *row, const th_parquet_node *node, uint8_t rep,
                            th_json_token token)
{
    switch (node->kind) {
    case TH_PARQUET_GROUP:
        return token == TH_JSON_OPEN_OBJECT ? take_object(row, node, rep)
                                            : refuse(row, node, "is no object");
    case TH_PARQUET_TEXT:
        return token == TH_JSON_STRING ? put_text(row, node, rep)
                                       : refuse(row, node, "is no string");
    case TH_PARQUET_BOOL:
        if (token != TH_JSON_LITERAL)
            return refuse(row, node, "is neither true nor false");
        return put(row, node, rep,
                   (th_view){ *row->reader.text.data == 't' ? "\1" : "\0", 1 });
    case TH_PARQUET_INT:
    case TH_PARQUET_UINT:
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
    case TH_PARQUET_REAL:
    case TH_PARQUET_TIME:
        break;
    }
    return token == TH_JSON_NUMBER ? put_number(row, node, rep)
                                   : refuse(row, node, "is no number");
}

static th_status take_list(th_json_row *row, const th_parquet_node *node, uint8_t rep)
{
    th_status status = TH_OK;
    bool is_empty = true;
    for (; status == TH_OK; is_empty = false) {
        const th_json_token token = th_json_read(&row->reader);
        if (token == TH_JSON_CLOSE_ARRAY)
            break;
        status = take_thing(row, node, is_empty ? rep : node->rep, token);
    }
    if (is_empty && status == TH_OK)
        put_nulls(row, node, rep, node->present);
    return status;
}

static bool is_null(const th_json_row *row, th_json_token token)
{
    return token == TH_JSON_LITERAL && *row->reader.text.data == 'n';
}

/* Reads the value of a member after its name. @param def  definition level
 * of its parent */
static th_status take_member(th_json_row *row, const th_parquet_node *node, uint8_t rep,
                             uint8_t def)
{
    const th_json_token token = th_json_read(&row->reader);
    if (is_null(row, token)) {
        put_nulls(row, node, rep, def);
        return TH_OK;
    }
    if (!node->is_list)
        return take_thing(row, node, rep, token);
    return token == TH_JSON_OPEN_ARRAY ? take_list(row, node, rep)
                                       : refuse(row, node, "is no array");
}

/* The member of that name. Members mostly come in the order of the columns.
 * @param next  where to look first; node->child_count: nowhere */
static uint32_t find_member(const th_json_row *row, const th_parquet_node *node,
                            uint32_t next)
{
    const th_view key = row->reader.text; /* names have nothing to escape */
    for (uint32_t i = 0; i < node->child_count; i++, next++) {
        if (next >= node->child_count)
            next = 0;
        const th_parquet_node *child = &row->schema->nodes[node->first_child + next];
        if (child->name_len == key.len && memcmp(child->name, key.data, key.len) == 0)
            return next;
    }
    return node->child_count;
}

/* Reads the members of an object after its brace. Missing members are null. */
static th_status take_object(th_json_row *row, const th_parquet_node *node, uint8_t rep)
{
    const th_parquet_node *const children = row->schema->nodes + node->first_child;
    uint64_t seen = 0;
    th_status status = TH_OK;
    for (uint32_t next = 0; status == TH_OK; next++) {
        const th_json_token token = th_json_read(&row->reader);
        if (token == TH_JSON_CLOSE_OBJECT)
            break;
        if (token != TH_JSON_KEY)
            return refuse(row, node, "is no JSON");
        next = find_member(row, node, next);
        if (next == node->child_count) {
            (void)snprintf(row->fault, sizeof row->fault, "there is none for '%.*s'",
                           row->reader.text.len < 60 ? (int)row->reader.text.len : 60,
                           row->reader.text.data);
            return TH_DAMAGED;
        }
        if (seen & UINT64_C(1) << next)
            return refuse(row, &children[next], "comes twice");
        seen |= UINT64_C(1) << next;
        status = take_member(row, &children[next], rep, node->element);
    }
    for (uint32_t i = 0; i < node->child_count && status == TH_OK; i++)
        if (!(seen & UINT64_C(1) << i))
            put_nulls(row, &children[i], rep, node->element);
    return status;
}

th_status th_json_row_add(th_json_row *row, th_view object, uint64_t *bytes)
{
    const th_parquet_node *const root = &row->schema->nodes[TH_PARQUET_ROOT];
    row->bytes = 0;
    *row->fault = '\0';
    th_json_reader_init(&row->reader, object);
    th_status status = th_json_read(&row->reader) == TH_JSON_OPEN_OBJECT
                           ? take_object(row, root, 0)
                           : refuse(row, root, "is no object");
    if (status == TH_OK && th_json_read(&row->reader) != TH_JSON_DONE)
        status = refuse(row, root, "goes on behind its end");
    *bytes = row->bytes;
    return status;
}
