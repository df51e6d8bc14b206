/*
 * The footer is kept, and each row group's description is parsed when its turn comes. Rows
 * are assembled from the levels of the columns. [parquet.thrift] [Melnik 2010]
 */
#include "parquet/parquet_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "parquet/thrift_reader.h"

enum {
    MAGIC = 4,
    TAIL = 4 + MAGIC,
    FOOTER_MAX = 256 << 20,
    NODES_MAX = 4096,
    NAME_MAX_LEN = 64,
    PLACES = 6, /* of a number with a fraction: no field has more */
};
static const char magic[] = "PAR1";

struct th_parquet_reader {
    th_parquet_source source;
    th_buffer footer, names;
    th_parquet_field *fields; /* owned; the names are in `names` */
    uint32_t field_count;
    th_parquet_schema schema;
    bool *is_wanted; /* of each node below the row */
    th_column_reader *columns;
    th_column_place *places; /* of the current row group */
    th_thrift_reader groups; /* the descriptions of the row groups that are left */
    uint32_t groups_left, group_number;
    uint64_t rows_left, group_end; /* rows of this row group; number of its last one */
    uint64_t row;
    th_buffer json;
    uint32_t damaged;
    th_error damage; /* the first */
};

void th_parquet_reader_free(th_parquet_reader *reader)
{
    if (!reader)
        return;
    for (uint32_t i = 0; reader->columns && i < reader->schema.leaf_count; i++)
        th_column_reader_done(&reader->columns[i]);
    free(reader->columns);
    free(reader->places);
    free(reader->is_wanted);
    free(reader->fields);
    th_parquet_schema_done(&reader->schema);
    th_buffer_done(&reader->footer);
    th_buffer_done(&reader->names);
    th_buffer_done(&reader->json);
    free(reader);
}

/* ---- the footer ---- */

static th_status read_footer(th_parquet_reader *reader, th_error *err)
{
    const th_parquet_source *source = &reader->source;
    char ends[MAGIC], tail[TAIL];
    if (source->size < 2 * MAGIC + TAIL)
        return th_fail(err, TH_ABSENT, "too short for a Parquet file");
    th_status status = source->read(source->context, 0, ends, MAGIC, err);
    if (status == TH_OK)
        status = source->read(source->context, source->size - TAIL, tail, TAIL, err);
    if (status != TH_OK)
        return status;
    if (memcmp(ends, magic, MAGIC) != 0)
        return th_fail(err, TH_ABSENT, "not a Parquet file");
    if (memcmp(tail + 4, magic, MAGIC) != 0)
        return th_fail(err, TH_DAMAGED,
                       "the Parquet file is truncated: it does not end with PAR1");
    uint64_t len = 0;
    for (int i = 0; i < 4; i++)
        len |= (uint64_t)(unsigned char)tail[i] << 8 * i;
    if (len > FOOTER_MAX || len > source->size - TAIL - MAGIC)
        return th_fail(err, TH_DAMAGED, "the Parquet footer has an invalid length");
    if (!th_buffer_reserve(&reader->footer, (size_t)len + 1))
        return th_fail(err, TH_NOMEM, "out of memory for a Parquet footer");
    reader->footer.len = (size_t)len;
    return source->read(source->context, source->size - TAIL - len, reader->footer.data,
                        (size_t)len, err);
}

/* ---- columns ---- */

/* An element of the schema, as the file has it. */
struct element {
    int64_t type, repetition, children, converted;
    th_view name;
};

enum { REQUIRED, OPTIONAL, REPEATED };
enum { NO_TYPE = -1, LIST = 3, INT_16 = 16, TIMESTAMP_MILLIS = 9, UINT_64 = 14 };

static struct element read_element(th_thrift_reader *thrift)
{
    struct element element = { .type = NO_TYPE, .repetition = -1, .converted = -1 };
    th_thrift_field field = { 0 };
    while (th_thrift_read_field(thrift, &field)) {
        const bool is_int = field.type == TH_THRIFT_I32;
        if (field.id == 1 && is_int)
            element.type = th_thrift_read_int(thrift);
        else if (field.id == 3 && is_int)
            element.repetition = th_thrift_read_int(thrift);
        else if (field.id == 4 && field.type == TH_THRIFT_BINARY)
            element.name = th_thrift_read_binary(thrift);
        else if (field.id == 5 && is_int)
            element.children = th_thrift_read_int(thrift);
        else if (field.id == 6 && is_int)
            element.converted = th_thrift_read_int(thrift);
        else
            th_thrift_skip(thrift, field.type);
    }
    return element;
}

/* The list of elements while it becomes a list of fields. */
struct listing {
    th_parquet_reader *reader;
    th_thrift_reader *thrift;
    uint32_t left;
    bool is_foreign; /* thresher does not write such columns */
};

static bool is_good_name(th_view name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.data[i] <= ' ' || name.data[i] == '"' ||
            name.data[i] == '\\' || (unsigned char)name.data[i] > '~')
            return false;
    return name.len > 0 && name.len <= NAME_MAX_LEN;
}

static bool refuse(struct listing *listing)
{
    listing->is_foreign = true;
    return false;
}

static bool next_element(struct listing *listing, struct element *out)
{
    if (!listing->left || listing->thrift->has_failed)
        return refuse(listing);
    listing->left--;
    *out = read_element(listing->thrift);
    return !listing->thrift->has_failed;
}

/* Returns the kind of a value, or TH_PARQUET_GROUP if thresher does not write its type. */
static th_parquet_kind kind_of(const struct element *element)
{
    static const th_parquet_kind kinds[] = {
        TH_PARQUET_TEXT,  TH_PARQUET_INT,  TH_PARQUET_UINT,
        TH_PARQUET_INT32, TH_PARQUET_REAL, TH_PARQUET_BOOL,
    };
    if (element->converted == TIMESTAMP_MILLIS)
        return TH_PARQUET_TIME;
    if (element->converted == UINT_64)
        return TH_PARQUET_UINT;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (th_parquet_physical(kinds[i]) == element->type)
            return kinds[i];
    return TH_PARQUET_GROUP;
}

static bool add_fields(struct listing *listing, const struct element *element,
                       uint8_t depth, bool is_list);

/* Reads the two groups of a list, and adds its elements. */
// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool add_list(struct listing *listing, const struct element *outer, uint8_t depth)
{
    struct element list, inner;
    if (outer->children != 1 || !next_element(listing, &list))
        return refuse(listing);
    if (list.repetition != REPEATED || list.children != 1 || list.type != NO_TYPE ||
        !next_element(listing, &inner) || inner.repetition != REQUIRED ||
        inner.converted == LIST)
        return refuse(listing);
    inner.name = outer->name;
    return add_fields(listing, &inner, depth, true);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool add_fields(struct listing *listing, const struct element *element,
                       uint8_t depth, bool is_list)
{
    th_parquet_reader *reader = listing->reader;
    const bool is_group = element->type == NO_TYPE;
    if (depth >= TH_PARQUET_DEPTH || !is_good_name(element->name) ||
        (!is_list && element->repetition != OPTIONAL))
        return refuse(listing);
    if (is_group && element->converted == LIST && !is_list)
        return add_list(listing, element, depth);
    const th_parquet_kind kind = is_group ? TH_PARQUET_GROUP : kind_of(element);
    if (is_group != (kind == TH_PARQUET_GROUP) || (!is_group && element->children))
        return refuse(listing);
    const size_t name = reader->names.len;
    th_buffer_append_view(&reader->names, element->name);
    th_buffer_append_char(&reader->names, '\0');
    /* The buffer of names may move, so a field has its offset until the end. */
    reader->fields[reader->field_count++] =
        (th_parquet_field){ .depth = depth,
                            .name = (const char *)(uintptr_t)name,
                            .kind = kind,
                            .is_list = is_list };
    for (int64_t i = 0; i < element->children; i++) {
        struct element child;
        if (!next_element(listing, &child) ||
            !add_fields(listing, &child, (uint8_t)(depth + 1), false))
            return false;
    }
    return true;
}

static th_status foreign(th_error *err)
{
    return th_fail(err, TH_ABSENT,
                   "its columns have a form that thresher does not write");
}

static th_status read_columns(th_parquet_reader *reader, th_thrift_reader *thrift,
                              th_error *err)
{
    uint8_t type;
    struct listing listing = { .reader = reader, .thrift = thrift };
    struct element root, column;
    listing.left = th_thrift_read_list(thrift, &type);
    if (type != TH_THRIFT_STRUCT || listing.left > NODES_MAX || reader->fields)
        return foreign(err);
    reader->fields = calloc((size_t)listing.left + 1, sizeof *reader->fields);
    if (!reader->fields)
        return th_fail(err, TH_NOMEM, "out of memory for the columns of a table");
    bool is_good = next_element(&listing, &root) && root.type == NO_TYPE;
    for (int64_t i = 0; is_good && i < root.children; i++)
        is_good =
            next_element(&listing, &column) && add_fields(&listing, &column, 0, false);
    if (thrift->has_failed)
        return th_fail(err, TH_DAMAGED, "the Parquet footer is damaged");
    if (!is_good || listing.left)
        return foreign(err);
    if (reader->names.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for the columns of a table");
    for (uint32_t i = 0; i < reader->field_count; i++)
        reader->fields[i].name = reader->names.data + (uintptr_t)reader->fields[i].name;
    const th_status status =
        th_parquet_schema_init(&reader->schema, reader->fields, reader->field_count);
    return status == TH_USAGE ? foreign(err)
           : status != TH_OK
               ? th_fail(err, status, "out of memory for the columns of a table")
               : TH_OK;
}

/* Reads FileMetaData up to the row groups, and their number. Other fields are skipped. */
static th_status read_metadata(th_parquet_reader *reader, th_error *err)
{
    th_thrift_reader thrift;
    th_thrift_field field = { 0 };
    uint8_t type = 0;
    th_status status = TH_OK;
    th_thrift_read_begin(&thrift, th_buffer_view(&reader->footer));
    while (status == TH_OK && th_thrift_read_field(&thrift, &field)) {
        if (field.id == 2 && field.type == TH_THRIFT_LIST) {
            status = read_columns(reader, &thrift, err);
        } else if (field.id == 4 && field.type == TH_THRIFT_LIST) {
            th_thrift_reader groups = thrift;
            reader->groups_left = th_thrift_read_list(&groups, &type);
            reader->groups = groups;
            th_thrift_skip(&thrift, field.type);
        } else {
            th_thrift_skip(&thrift, field.type);
        }
    }
    if (status == TH_OK && (thrift.has_failed || !reader->schema.leaf_count ||
                            (reader->groups_left && type != TH_THRIFT_STRUCT)))
        status = th_fail(err, TH_DAMAGED, "the Parquet footer is damaged");
    return status;
}

th_view th_parquet_reader_pair(const th_parquet_reader *reader, const char *key)
{
    th_thrift_reader thrift;
    th_thrift_field field = { 0 };
    th_thrift_read_begin(&thrift, th_buffer_view(&reader->footer));
    while (th_thrift_read_field(&thrift, &field)) {
        uint8_t type;
        if (field.id != 5 || field.type != TH_THRIFT_LIST) {
            th_thrift_skip(&thrift, field.type);
            continue;
        }
        const uint32_t count = th_thrift_read_list(&thrift, &type);
        for (uint32_t i = 0; i < count && type == TH_THRIFT_STRUCT; i++) {
            th_view texts[2] = { { NULL, 0 }, { NULL, 0 } };
            th_thrift_field member = { 0 };
            while (th_thrift_read_field(&thrift, &member))
                if ((member.id == 1 || member.id == 2) && member.type == TH_THRIFT_BINARY)
                    texts[member.id - 1] = th_thrift_read_binary(&thrift);
                else
                    th_thrift_skip(&thrift, member.type);
            if (texts[0].len == strlen(key) && texts[0].data && texts[1].data &&
                memcmp(texts[0].data, key, texts[0].len) == 0)
                return texts[1];
        }
        break;
    }
    return (th_view){ NULL, 0 };
}

/* ---- opening ---- */

static bool is_in(const char *const *names, const char *name)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static th_status allocate(th_parquet_reader *reader, const char *const *wanted,
                          th_error *err)
{
    const th_parquet_schema *schema = &reader->schema;
    const th_parquet_node *root = &schema->nodes[TH_PARQUET_ROOT];
    bool has_wanted = false;
    reader->is_wanted = calloc(schema->node_count, sizeof *reader->is_wanted);
    reader->columns = calloc(schema->leaf_count, sizeof *reader->columns);
    reader->places = calloc(schema->leaf_count, sizeof *reader->places);
    if (!reader->is_wanted || !reader->columns || !reader->places)
        return th_fail(err, TH_NOMEM, "out of memory for the columns of a table");
    for (uint32_t i = 0; i < root->child_count; i++) {
        const uint32_t child = root->first_child + i;
        reader->is_wanted[child] = !wanted || is_in(wanted, schema->nodes[child].name);
        has_wanted |= reader->is_wanted[child];
    }
    if (!has_wanted) /* a row would be empty */
        reader->groups_left = 0;
    return TH_OK;
}

th_status th_parquet_reader_open(const th_parquet_source *source,
                                 const char *const *wanted, th_parquet_reader **out,
                                 th_error *err)
{
    th_parquet_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return th_fail(err, TH_NOMEM, "out of memory to read a table");
    reader->source = *source;
    th_status status = read_footer(reader, err);
    if (status == TH_OK)
        status = read_metadata(reader, err);
    if (status == TH_OK)
        status = allocate(reader, wanted, err);
    if (status == TH_OK)
        *out = reader;
    else
        th_parquet_reader_free(reader);
    return status;
}

/* ---- row groups ---- */

static void read_column_metadata(th_thrift_reader *thrift, th_column_place *place)
{
    th_thrift_field field = { 0 };
    int64_t dictionary = -1, pages = -1, len = -1, count = -1;
    while (th_thrift_read_field(thrift, &field)) {
        int64_t *out = field.id == 5    ? &count
                       : field.id == 7  ? &len
                       : field.id == 9  ? &pages
                       : field.id == 11 ? &dictionary
                                        : NULL;
        if (field.id == 4 && field.type == TH_THRIFT_I32)
            place->codec = (int32_t)th_thrift_read_int(thrift);
        else if (out && field.type == TH_THRIFT_I64)
            *out = th_thrift_read_int(thrift);
        else
            th_thrift_skip(thrift, field.type);
    }
    if (pages < 0 || len < 0 || count < 0)
        thrift->has_failed = true;
    place->offset = (uint64_t)(dictionary > 0 && dictionary < pages ? dictionary : pages);
    place->len = (uint64_t)len;
    place->count = (uint64_t)count;
}

static void read_column(th_thrift_reader *thrift, th_column_place *place)
{
    th_thrift_field field = { 0 };
    bool is_there = false;
    while (th_thrift_read_field(thrift, &field)) {
        if (field.id == 3 && field.type == TH_THRIFT_STRUCT) {
            read_column_metadata(thrift, place);
            is_there = true;
        } else {
            th_thrift_skip(thrift, field.type);
        }
    }
    thrift->has_failed |= !is_there;
}

static void read_group(th_parquet_reader *reader)
{
    th_thrift_reader *thrift = &reader->groups;
    th_thrift_field field = { 0 };
    uint8_t type = 0;
    uint32_t columns = 0;
    int64_t rows = -1;
    uint64_t fewest = UINT64_MAX;
    while (th_thrift_read_field(thrift, &field)) {
        if (field.id == 1 && field.type == TH_THRIFT_LIST && !columns) {
            columns = th_thrift_read_list(thrift, &type);
            thrift->has_failed |=
                columns != reader->schema.leaf_count || type != TH_THRIFT_STRUCT;
            for (uint32_t i = 0; i < columns && !thrift->has_failed; i++) {
                read_column(thrift, &reader->places[i]);
                if (reader->places[i].count < fewest)
                    fewest = reader->places[i].count;
            }
        } else if (field.id == 3 && field.type == TH_THRIFT_I64) {
            rows = th_thrift_read_int(thrift);
        } else {
            th_thrift_skip(thrift, field.type);
        }
    }
    /* Each column has a value or a null for each row. */
    thrift->has_failed |= rows < 0 || !columns || (uint64_t)rows > fewest;
    reader->rows_left = thrift->has_failed ? 0 : (uint64_t)rows;
}

/* Keeps the damage of the current row group, and leaves the group. */
static void leave_group(th_parquet_reader *reader, const char *words)
{
    if (!reader->damaged++)
        (void)th_fail(&reader->damage, TH_DAMAGED, "row group %" PRIu32 ": %s",
                      reader->group_number, words);
    reader->rows_left = 0;
    reader->row = reader->group_end;
}

static th_status begin_group(th_parquet_reader *reader, th_error *err)
{
    const th_parquet_schema *schema = &reader->schema;
    const th_parquet_node *root = &schema->nodes[TH_PARQUET_ROOT];
    reader->groups_left--;
    reader->group_number++;
    read_group(reader);
    reader->group_end += reader->rows_left;
    if (reader->groups.has_failed) {
        reader->groups_left = 0;
        leave_group(reader, "its description in the footer is damaged");
        return TH_OK;
    }
    th_status status = TH_OK;
    for (uint32_t i = 0; i < root->child_count && status == TH_OK; i++) {
        const th_parquet_node *node = &schema->nodes[root->first_child + i];
        const bool is_wanted = reader->is_wanted[root->first_child + i];
        for (uint32_t leaf = node->first_leaf;
             is_wanted && leaf < node->first_leaf + node->leaf_count && status == TH_OK;
             leaf++)
            status = th_column_reader_begin(&reader->columns[leaf], &reader->source,
                                            &schema->nodes[schema->leaves[leaf]],
                                            &reader->places[leaf], err);
    }
    return status;
}

/* ---- rows ---- */

static uint64_t number_of(th_view bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.len; i++)
        number |= (uint64_t)(unsigned char)bytes.data[i] << 8 * i;
    return number;
}

static void write_signed(th_json *json, int64_t value)
{
    if (value >= 0)
        th_json_uint(json, (uint64_t)value);
    else
        th_json_signed_decimal(json, (double)value, 0);
}

static void write_real(th_json *json, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    th_json_signed_decimal(json, isfinite(value) ? value : 0, PLACES);
}

static void write_value(th_json *json, th_parquet_kind kind, th_view bytes)
{
    switch (kind) {
    case TH_PARQUET_TEXT:
    case TH_PARQUET_GROUP:
        th_json_string(json, bytes);
        break;
    case TH_PARQUET_UINT:
        th_json_uint(json, number_of(bytes));
        break;
    case TH_PARQUET_INT32:
    case TH_PARQUET_INT16:
        write_signed(json, (int32_t)number_of(bytes));
        break;
    case TH_PARQUET_INT:
    case TH_PARQUET_TIME:
        write_signed(json, (int64_t)number_of(bytes));
        break;
    case TH_PARQUET_REAL:
        write_real(json, number_of(bytes));
        break;
    case TH_PARQUET_BOOL:
        th_json_bool(json, bytes.data[0] != 0);
        break;
    }
}

/* A row that is being assembled. */
struct assembly {
    th_parquet_reader *reader;
    th_json json;
    th_error *err;
    th_status status;
};

static bool check(struct assembly *assembly, th_status status)
{
    assembly->status = status;
    return status == TH_OK;
}

/* Reads the levels of the next value of the first column below a node. Each column has a
 * value for each row, so the end is damage here. */
static const th_column_reader *peek(struct assembly *assembly,
                                    const th_parquet_node *node)
{
    th_column_reader *column = &assembly->reader->columns[node->first_leaf];
    const th_status status = th_column_reader_peek(column, assembly->err);
    if (status == TH_END)
        (void)check(assembly, th_fail(assembly->err, TH_DAMAGED,
                                      "column '%s' has too few values", node->name));
    else if (check(assembly, status))
        return column;
    return NULL;
}

/* Takes the null that each column below an absent node has. */
static bool take_nulls(struct assembly *assembly, const th_parquet_node *node)
{
    for (uint32_t i = 0; i < node->leaf_count; i++) {
        const th_parquet_schema *schema = &assembly->reader->schema;
        th_column_reader *column = &assembly->reader->columns[node->first_leaf + i];
        th_view value;
        if (!peek(assembly, &schema->nodes[schema->leaves[node->first_leaf + i]]) ||
            !check(assembly, th_column_reader_take(column, &value, assembly->err)))
            return false;
        if (value.data)
            return check(assembly, th_fail(assembly->err, TH_DAMAGED,
                                           "the columns below '%s' do not fit together",
                                           node->name));
    }
    return true;
}

static bool write_members(struct assembly *assembly, const th_parquet_node *node);

/* Writes a value, or an object. */
// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool write_element(struct assembly *assembly, const th_parquet_node *node)
{
    th_view value;
    if (node->kind == TH_PARQUET_GROUP) {
        th_json_open_object(&assembly->json);
        if (!write_members(assembly, node))
            return false;
        th_json_close_object(&assembly->json);
        return true;
    }
    if (!check(assembly,
               th_column_reader_take(&assembly->reader->columns[node->first_leaf], &value,
                                     assembly->err)))
        return false;
    if (!value.data)
        return check(assembly,
                     th_fail(assembly->err, TH_DAMAGED,
                             "the columns below '%s' do not fit together", node->name));
    write_value(&assembly->json, node->kind, value);
    return true;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool write_elements(struct assembly *assembly, const th_parquet_node *node)
{
    const th_column_reader *column;
    th_json_open_array(&assembly->json);
    do {
        if (!write_element(assembly, node))
            break;
        /* The next value may be the next row's, or after the last one. */
        th_column_reader *next = &assembly->reader->columns[node->first_leaf];
        const th_status status = th_column_reader_peek(next, assembly->err);
        column = status == TH_OK ? next : NULL;
        if (status != TH_OK && status != TH_END)
            (void)check(assembly, status);
    } while (assembly->status == TH_OK && column && column->rep == node->rep);
    if (assembly->status != TH_OK)
        return false;
    th_json_close_array(&assembly->json);
    return true;
}

/* Writes a member, or nothing if it is null. */
// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool write_member(struct assembly *assembly, const th_parquet_node *node)
{
    const th_column_reader *column = peek(assembly, node);
    if (!column)
        return false;
    if (column->def < node->present)
        return take_nulls(assembly, node);
    th_json_key(&assembly->json, node->name);
    if (!node->is_list)
        return write_element(assembly, node);
    if (column->def >= node->element)
        return write_elements(assembly, node);
    th_json_open_array(&assembly->json);
    th_json_close_array(&assembly->json);
    return take_nulls(assembly, node);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by TH_PARQUET_DEPTH
static bool write_members(struct assembly *assembly, const th_parquet_node *node)
{
    const th_parquet_reader *reader = assembly->reader;
    const bool is_row = node == &reader->schema.nodes[TH_PARQUET_ROOT];
    for (uint32_t i = 0; i < node->child_count; i++) {
        const uint32_t child = node->first_child + i;
        if ((!is_row || reader->is_wanted[child]) &&
            !write_member(assembly, &reader->schema.nodes[child]))
            return false;
    }
    return true;
}

static th_status read_row(th_parquet_reader *reader, th_error *err)
{
    struct assembly assembly = { .reader = reader, .err = err, .status = TH_OK };
    th_buffer_reset(&reader->json);
    th_json_begin(&assembly.json, &reader->json);
    th_json_open_object(&assembly.json);
    if (write_members(&assembly, &reader->schema.nodes[TH_PARQUET_ROOT]))
        th_json_close_object(&assembly.json);
    else
        th_json_fail(&assembly.json, assembly.status);
    const th_status status = th_json_end(&assembly.json);
    return status == TH_OK || assembly.status != TH_OK
               ? status
               : th_fail(err, status, "out of memory for a row");
}

static th_status at_end(const th_parquet_reader *reader, th_error *err)
{
    if (!reader->damaged)
        return TH_END;
    return reader->damaged == 1
               ? th_fail(err, TH_DAMAGED, "%s", reader->damage.text)
               : th_fail(err, TH_DAMAGED, "%s, the first of %" PRIu32 " damaged groups",
                         reader->damage.text, reader->damaged);
}

th_status th_parquet_reader_next(th_parquet_reader *reader, th_view *json, th_error *err)
{
    th_error wrong = { .text = "" };
    th_status status;
    do {
        status = TH_OK;
        while (status == TH_OK && !reader->rows_left && reader->groups_left)
            status = begin_group(reader, &wrong);
        if (status == TH_OK && !reader->rows_left)
            return at_end(reader, err);
        if (status == TH_OK)
            status = read_row(reader, &wrong);
        if (status == TH_DAMAGED)
            leave_group(reader, wrong.text);
    } while (status == TH_DAMAGED);
    if (status != TH_OK)
        return th_fail(err, status, "%s", wrong.text);
    reader->rows_left--;
    reader->row++;
    *json = (th_view){ reader->json.data, reader->json.len - 1 }; /* without line end */
    return TH_OK;
}

uint64_t th_parquet_reader_row(const th_parquet_reader *reader)
{
    return reader->row;
}

uint64_t th_parquet_reader_report(const th_parquet_reader *reader)
{
    uint64_t bytes = reader->footer.len;
    for (uint32_t i = 0; i < reader->schema.leaf_count; i++)
        bytes += reader->columns[i].read_bytes;
    return bytes;
}
