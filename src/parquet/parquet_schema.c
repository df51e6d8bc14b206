/* The tree of a table's columns. See the header. [parquet.thrift, LogicalTypes] */
#include "parquet/parquet_schema.h"

#include <stdlib.h>
#include <string.h>

#include "parquet/thrift.h"

/* ---- the tree ---- */

/* Nodes in the order of their depth, so that the members of a group are next to each
 * other. */
static uint32_t add_children(th_parquet_schema *schema, uint32_t parent,
                             const th_parquet_field *fields, uint32_t *field_of,
                             uint32_t count)
{
    th_parquet_node *node = &schema->nodes[parent];
    const bool is_row = parent == TH_PARQUET_ROOT;
    const uint32_t depth = is_row ? 0 : fields[field_of[parent]].depth + 1u;
    node->first_child = schema->node_count;
    for (uint32_t i = is_row ? 0 : field_of[parent] + 1;
         i < count && fields[i].depth >= depth; i++) {
        if (fields[i].depth != depth)
            continue;
        const uint8_t present = (uint8_t)(node->element + 1);
        field_of[schema->node_count] = i;
        schema->nodes[schema->node_count++] = (th_parquet_node){
            .name = fields[i].name,
            .name_len = strlen(fields[i].name),
            .kind = fields[i].kind,
            .is_list = fields[i].is_list,
            .present = present,
            .element = (uint8_t)(present + fields[i].is_list),
            .rep = (uint8_t)(node->rep + fields[i].is_list),
            .parent = parent,
        };
    }
    node->child_count = schema->node_count - node->first_child;
    return node->child_count;
}

/* Columns are numbered as a reader meets them: depth first. */
static void number_leaves(th_parquet_schema *schema, uint32_t number)
{
    th_parquet_node *node = &schema->nodes[number];
    node->first_leaf = schema->leaf_count;
    if (node->kind != TH_PARQUET_GROUP)
        schema->leaves[schema->leaf_count++] = number;
    for (uint32_t i = 0; i < node->child_count; i++)
        number_leaves(schema, node->first_child + i);
    node->leaf_count = schema->leaf_count - node->first_leaf;
}

static bool is_sound(const th_parquet_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool is_member = i && fields[i].depth == fields[i - 1].depth + 1 &&
                               fields[i - 1].kind == TH_PARQUET_GROUP;
        const bool is_deeper = fields[i].depth > (i ? fields[i - 1].depth : 0);
        const bool has_members = i + 1 < count && fields[i + 1].depth > fields[i].depth;
        if ((is_deeper && !is_member) || fields[i].depth >= TH_PARQUET_DEPTH ||
            (fields[i].kind == TH_PARQUET_GROUP && !has_members))
            return false;
    }
    return count > 0;
}

th_status th_parquet_schema_init(th_parquet_schema *schema,
                                 const th_parquet_field *fields, uint32_t count)
{
    *schema = (th_parquet_schema){ 0 };
    if (!is_sound(fields, count))
        return TH_USAGE;
    schema->nodes = calloc((size_t)count + 1, sizeof *schema->nodes);
    schema->leaves = calloc((size_t)count + 1, sizeof *schema->leaves);
    uint32_t *field_of = calloc((size_t)count + 1, sizeof *field_of);
    th_status status = schema->nodes && schema->leaves && field_of ? TH_OK : TH_NOMEM;
    if (status == TH_OK) {
        schema->nodes[TH_PARQUET_ROOT] = (th_parquet_node){ .name = "schema" };
        schema->node_count = 1;
        for (uint32_t i = 0; i < schema->node_count && status == TH_OK; i++)
            if (schema->nodes[i].kind == TH_PARQUET_GROUP &&
                add_children(schema, i, fields, field_of, count) > TH_PARQUET_CHILDREN)
                status = TH_USAGE;
        if (status == TH_OK)
            number_leaves(schema, TH_PARQUET_ROOT);
    }
    free(field_of);
    if (status != TH_OK)
        th_parquet_schema_done(schema);
    return status;
}

void th_parquet_schema_done(th_parquet_schema *schema)
{
    free(schema->nodes);
    free(schema->leaves);
    *schema = (th_parquet_schema){ 0 };
}

/* ---- as Parquet writes it ---- */

enum { REQUIRED, OPTIONAL, REPEATED, NO_REPETITION = -1 };
enum {
    UTF8 = 0,
    LIST = 3,
    TIMESTAMP_MILLIS = 9,
    UINT_64 = 14,
    INT_16 = 16,
    NOTHING = -1
};

int32_t th_parquet_physical(th_parquet_kind kind)
{
    enum { BOOLEAN = 0, INT32 = 1, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
    switch (kind) {
    case TH_PARQUET_BOOL:
        return BOOLEAN;
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
        return INT32;
    case TH_PARQUET_INT:
    case TH_PARQUET_UINT:
    case TH_PARQUET_TIME:
        return INT64;
    case TH_PARQUET_REAL:
        return DOUBLE;
    case TH_PARQUET_GROUP:
    case TH_PARQUET_TEXT:
        break;
    }
    return BYTE_ARRAY;
}

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void write_integer(th_thrift *thrift, int8_t bits, bool is_signed)
{
    th_thrift_struct(thrift, 10);
    th_thrift_byte(thrift, 1, bits);
    th_thrift_bool(thrift, 2, is_signed);
    th_thrift_end(thrift);
}

/* Writes the meaning of a value in both forms: older readers know only
 * `converted_type`. */
static void write_meaning(th_thrift *thrift, th_parquet_kind kind)
{
    const int32_t converted = kind == TH_PARQUET_TEXT    ? UTF8
                              : kind == TH_PARQUET_TIME  ? TIMESTAMP_MILLIS
                              : kind == TH_PARQUET_UINT  ? UINT_64
                              : kind == TH_PARQUET_INT16 ? INT_16
                                                         : NOTHING;
    if (converted == NOTHING)
        return;
    th_thrift_i32(thrift, 6, converted);
    th_thrift_struct(thrift, 10); /* logicalType */
    if (kind == TH_PARQUET_TEXT) {
        th_thrift_empty(thrift, 1);
    } else if (kind == TH_PARQUET_TIME) {
        th_thrift_struct(thrift, 8);
        th_thrift_bool(thrift, 1, true); /* of UTC */
        th_thrift_struct(thrift, 2);
        th_thrift_empty(thrift, 1); /* milliseconds */
        th_thrift_end(thrift);
        th_thrift_end(thrift);
    } else {
        write_integer(thrift, kind == TH_PARQUET_UINT ? 64 : 16, kind != TH_PARQUET_UINT);
    }
    th_thrift_end(thrift);
}

static void write_value(th_thrift *thrift, const char *name, int32_t repetition,
                        th_parquet_kind kind)
{
    th_thrift_element_struct(thrift);
    th_thrift_i32(thrift, 1, th_parquet_physical(kind));
    th_thrift_i32(thrift, 3, repetition);
    th_thrift_binary(thrift, 4, view_of(name));
    write_meaning(thrift, kind);
    th_thrift_end(thrift);
}

static void write_group(th_thrift *thrift, const char *name, int32_t repetition,
                        uint32_t children, bool is_list)
{
    th_thrift_element_struct(thrift);
    if (repetition != NO_REPETITION)
        th_thrift_i32(thrift, 3, repetition);
    th_thrift_binary(thrift, 4, view_of(name));
    th_thrift_i32(thrift, 5, (int32_t)children);
    if (is_list) {
        th_thrift_i32(thrift, 6, LIST);
        th_thrift_struct(thrift, 10);
        th_thrift_empty(thrift, 3);
        th_thrift_end(thrift);
    }
    th_thrift_end(thrift);
}

static void write_node(const th_parquet_schema *schema, th_thrift *thrift,
                       uint32_t number)
{
    const th_parquet_node *node = &schema->nodes[number];
    const char *name = node->name;
    int32_t repetition = number == TH_PARQUET_ROOT ? NO_REPETITION : OPTIONAL;
    if (node->is_list) {
        write_group(thrift, name, OPTIONAL, 1, true);
        write_group(thrift, "list", REPEATED, 1, false);
        name = "element";
        repetition = REQUIRED;
    }
    if (node->kind != TH_PARQUET_GROUP) {
        write_value(thrift, name, repetition, node->kind);
        return;
    }
    write_group(thrift, name, repetition, node->child_count, false);
    for (uint32_t i = 0; i < node->child_count; i++)
        write_node(schema, thrift, node->first_child + i);
}

void th_parquet_schema_write(const th_parquet_schema *schema, th_thrift *thrift,
                             int16_t id)
{
    uint32_t count = schema->node_count;
    for (uint32_t i = 0; i < schema->node_count; i++)
        count += schema->nodes[i].is_list ? 2 : 0;
    th_thrift_list(thrift, id, TH_THRIFT_STRUCT, count);
    write_node(schema, thrift, TH_PARQUET_ROOT);
}

void th_parquet_path_write(const th_parquet_schema *schema, uint32_t leaf,
                           th_thrift *thrift, int16_t id)
{
    uint32_t way[TH_PARQUET_DEPTH + 1];
    uint32_t depth = 0, count = 0;
    for (uint32_t at = schema->leaves[leaf]; at != TH_PARQUET_ROOT;
         at = schema->nodes[at].parent) {
        way[depth++] = at;
        count += schema->nodes[at].is_list ? 3 : 1;
    }
    th_thrift_list(thrift, id, TH_THRIFT_BINARY, count);
    while (depth) {
        const th_parquet_node *node = &schema->nodes[way[--depth]];
        th_thrift_element_binary(thrift, view_of(node->name));
        if (!node->is_list)
            continue;
        th_thrift_element_binary(thrift, TH_VIEW("list"));
        th_thrift_element_binary(thrift, TH_VIEW("element"));
    }
}
