/* Tokens to columns, with a stack of open objects and lists. See the header. */
#include "parquet/packed_row.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER = 1 + 8, KEY_HEAD = 1 + 1, STRING_HEAD = 1 + 4 };

void th_packed_row_done(th_packed_row *row)
{
    th_buffer_done(&row->held);
}

static th_status refuse(th_packed_row *row, const th_parquet_node *node, const char *why)
{
    (void)snprintf(row->fault, sizeof row->fault, "'%.40s' %s", node->name, why);
    return TH_DAMAGED;
}

/* ---- values ---- */

static th_status put(th_packed_row *row, const th_parquet_node *node, uint8_t rep,
                     th_view bytes)
{
    row->bytes += bytes.len + 4;
    return th_column_put(&row->columns[node->first_leaf], rep, bytes);
}

static bool fits(th_parquet_kind kind, bool is_negative, uint64_t bits)
{
    const uint64_t value = is_negative ? 0 - bits : bits;
    const uint64_t most = kind == TH_PARQUET_INT16   ? INT16_MAX
                          : kind == TH_PARQUET_INT32 ? INT32_MAX
                          : kind == TH_PARQUET_UINT  ? UINT64_MAX
                                                     : INT64_MAX;
    return value <= most && !(is_negative && kind == TH_PARQUET_UINT);
}

/* @param bytes  little-endian */
static th_status put_number(th_packed_row *row, const th_parquet_node *node, uint8_t rep,
                            char type, const char *bytes)
{
    uint64_t bits;
    const bool is_short =
        node->kind == TH_PARQUET_INT32 || node->kind == TH_PARQUET_INT16;
    if (node->kind == TH_PARQUET_REAL && type == 'd')
        return put(row, node, rep, (th_view){ bytes, sizeof bits });
    memcpy(&bits, bytes, sizeof bits);
    bits = le64toh(bits);
    const bool is_negative = type == 'i' && bits >> 63;
    if (node->kind == TH_PARQUET_REAL) {
        const double value = is_negative ? -(double)(0 - bits) : (double)bits;
        memcpy(&bits, &value, sizeof bits);
        bits = htole64(bits);
        bytes = (const char *)&bits;
    } else if (type == 'd' || !fits(node->kind, is_negative, bits)) {
        return refuse(row, node, "is not an integer that fits its column");
    }
    return put(row, node, rep, (th_view){ bytes, is_short ? 4 : sizeof bits });
}

/* ---- objects and lists ---- */

static void put_nulls(th_packed_row *row, const th_parquet_node *node, uint8_t rep,
                      uint8_t def)
{
    for (uint32_t i = 0; i < node->leaf_count; i++)
        th_column_put_null(&row->columns[node->first_leaf + i], rep, def);
    row->bytes += node->leaf_count;
}

static th_status open_level(th_packed_row *row, const th_parquet_node *node, uint8_t rep,
                            bool is_list)
{
    /* The depth of the schema limits the depth of the levels. */
    row->levels[row->depth++] = (th_packed_level){
        .node = node, .rep = rep, .is_list = is_list, .is_empty = true
    };
    return TH_OK;
}

/* Returns a bit for each child: 1 to TH_PARQUET_CHILDREN. */
static uint64_t all_children(const th_parquet_node *node)
{
    return UINT64_MAX >> (TH_PARQUET_CHILDREN - node->child_count);
}

static th_status close_level(th_packed_row *row, bool is_list)
{
    const th_packed_level *level = &row->levels[row->depth - 1];
    const th_parquet_node *node = level->node;
    if (level->is_list != is_list || level->member)
        return refuse(row, node, "is incomplete");
    if (is_list && level->is_empty)
        put_nulls(row, node, level->rep, node->present);
    uint64_t absent = is_list ? 0 : ~level->seen & all_children(node);
    for (; absent; absent &= absent - 1)
        put_nulls(
            row,
            &row->schema->nodes[node->first_child + (uint32_t)__builtin_ctzll(absent)],
            level->rep, node->element);
    row->depth--;
    return TH_OK;
}

/* Finds the member with a name. Members are mostly in the order of the columns. */
static th_status read_key(th_packed_row *row, th_view token)
{
    const th_view key = { token.data + KEY_HEAD, token.len - KEY_HEAD };
    th_packed_level *level = &row->levels[row->depth - 1];
    const th_parquet_node *node = level->node;
    if (level->is_list || level->member)
        return refuse(row, node, "has a key in the wrong place");
    for (uint32_t i = 0; i < node->child_count; i++, level->next++) {
        if (level->next >= node->child_count)
            level->next = 0;
        const th_parquet_node *child =
            &row->schema->nodes[node->first_child + level->next];
        if (child->name_len != key.len || memcmp(child->name, key.data, key.len) != 0)
            continue;
        if (level->seen >> level->next & 1)
            return refuse(row, child, "occurs twice");
        level->seen |= UINT64_C(1) << level->next++;
        level->member = child;
        return TH_OK;
    }
    (void)snprintf(row->fault, sizeof row->fault, "there is no column for '%.*s'",
                   key.len < 60 ? (int)key.len : 60, key.data);
    return TH_DAMAGED;
}

/* Reads a value, or the beginning of an object or a list. */
static th_status read_value(th_packed_row *row, th_packed_level *level, th_view token)
{
    const char type = *token.data;
    if (!level->is_list && !level->member)
        return refuse(row, level->node, "has a value without a key");
    const th_parquet_node *node = level->is_list ? level->node : level->member;
    const uint8_t rep = level->is_list && !level->is_empty ? node->rep : level->rep;
    const bool is_list = node->is_list && !level->is_list;
    level->is_empty = false;
    level->member = NULL;
    if (is_list)
        return type == '[' ? open_level(row, node, rep, true)
                           : refuse(row, node, "is not a list");
    switch (node->kind) {
    case TH_PARQUET_GROUP:
        return type == '{' ? open_level(row, node, rep, false)
                           : refuse(row, node, "is not an object");
    case TH_PARQUET_TEXT:
        return type == 's'
                   ? put(row, node, rep,
                         (th_view){ token.data + STRING_HEAD, token.len - STRING_HEAD })
                   : refuse(row, node, "is not a string");
    case TH_PARQUET_BOOL:
        return type == 't' || type == 'f'
                   ? put(row, node, rep, (th_view){ type == 't' ? "\1" : "\0", 1 })
                   : refuse(row, node, "is neither true nor false");
    case TH_PARQUET_INT:
    case TH_PARQUET_UINT:
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
    case TH_PARQUET_REAL:
    case TH_PARQUET_TIME:
        break;
    }
    return type == 'u' || type == 'i' || type == 'd'
               ? put_number(row, node, rep, type, token.data + 1)
               : refuse(row, node, "is not a number");
}

static th_status open_row(th_packed_row *row, char type)
{
    const th_parquet_node *root = &row->schema->nodes[TH_PARQUET_ROOT];
    row->bytes = 0;
    return type == '{' ? open_level(row, root, 0, false)
                       : refuse(row, root, "is not an object");
}

static th_status read_token(th_packed_row *row, th_view token)
{
    const char type = *token.data;
    if (!row->depth)
        return open_row(row, type);
    if (type == 'k')
        return read_key(row, token);
    return type == '}' || type == ']'
               ? close_level(row, type == ']')
               : read_value(row, &row->levels[row->depth - 1], token);
}

/* ---- tokens ---- */

/* Returns the bytes of a token, or of its head if the head is incomplete. */
static size_t token_len(th_view begin)
{
    uint32_t len;
    switch (*begin.data) {
    case 'k':
        return KEY_HEAD + (begin.len < KEY_HEAD ? 0 : (unsigned char)begin.data[1]);
    case 's':
        if (begin.len < STRING_HEAD)
            return STRING_HEAD;
        memcpy(&len, begin.data + 1, sizeof len);
        return STRING_HEAD + (size_t)le32toh(len);
    case 'u':
    case 'i':
    case 'd':
        return NUMBER;
    default:
        return 1;
    }
}

/* Moves bytes of an incomplete token to `held`. @return whether the token is complete */
static bool hold(th_packed_row *row, th_view *tokens)
{
    th_buffer *held = &row->held;
    for (;;) {
        if (held->len && held->len == token_len(th_buffer_view(held)))
            return true;
        const size_t want = held->len ? token_len(th_buffer_view(held)) - held->len : 1;
        const size_t len = want < tokens->len ? want : tokens->len;
        if (!len || held->has_failed)
            return false;
        th_buffer_append(held, tokens->data, len);
        tokens->data += len;
        tokens->len -= len;
    }
}

/* Reads a token that begins in `held`, and empties it. Does nothing if it is incomplete. */
static th_status read_held(th_packed_row *row, th_view *tokens)
{
    if (!hold(row, tokens))
        return row->held.has_failed ? TH_NOMEM : TH_OK;
    const th_status status = read_token(row, th_buffer_view(&row->held));
    if (row->held.capacity > TH_PARQUET_PAGE)
        th_buffer_done(&row->held);
    else
        th_buffer_reset(&row->held);
    return status;
}

th_status th_packed_row_read(th_packed_row *row, th_view *tokens, bool *is_row)
{
    th_status status = TH_OK;
    *is_row = false;
    while (tokens->len && status == TH_OK && !*is_row) {
        const th_view token = { tokens->data, token_len(*tokens) };
        if (!row->held.len && token.len <= tokens->len) {
            tokens->data += token.len;
            tokens->len -= token.len;
            status = *token.data == 'k' && row->depth ? read_key(row, token)
                                                      : read_token(row, token);
        } else {
            status = read_held(row, tokens);
        }
        *is_row = th_packed_row_is_complete(row);
    }
    return status;
}
