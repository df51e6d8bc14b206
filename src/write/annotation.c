/*
 * An annotated page as the JSON object `thresher/1`: walks through the table of fields
 * (record_fields.c) in order. Unknown values are left out, never null.
 */
#include "write/annotation.h"

#include <string.h>

#include "page/band_schema.h"
#include "write/record_field.h"

th_status th_annotation_failure(const th_page *page)
{
    return th_arena_is_full(page->arena) ? TH_TOO_LARGE : TH_NOMEM;
}

/* ---- values ---- */

static void write_text(th_json *json, const th_record_field *field, th_view text)
{
    if (!text.data || (field->presence == TH_IF_NOT_ZERO && !text.len))
        return;
    th_json_key(json, th_record_field_name(field));
    th_json_string(json, text);
}

static uint64_t integer_at(const void *at, th_member_type type)
{
    switch (type) {
    case TH_MEMBER_U8:
        return *(const uint8_t *)at;
    case TH_MEMBER_U16:
        return *(const uint16_t *)at;
    case TH_MEMBER_U32:
        return *(const uint32_t *)at;
    case TH_MEMBER_I32:
        return *(const int32_t *)at > 0 ? (uint64_t) * (const int32_t *)at : 0;
    default:
        return *(const uint64_t *)at;
    }
}

static void write_integer(th_json *json, const th_record_field *field, const void *at)
{
    if (field->type == TH_MEMBER_I64) {
        th_json_key(json, th_record_field_name(field));
        th_json_signed_decimal(json, (double)*(const int64_t *)at, 0);
        return;
    }
    const uint64_t value = integer_at(at, field->type);
    if ((field->presence == TH_IF_NOT_ZERO && !value) ||
        (field->presence == TH_IF_NOT_NONE && value == TH_NONE))
        return;
    th_json_key(json, th_record_field_name(field));
    if (field->kind == TH_PARQUET_BOOL)
        th_json_bool(json, value != 0);
    else
        th_json_uint(json, value);
}

static void write_real(th_json *json, const th_record_field *field, const void *at)
{
    const double value = field->type == TH_MEMBER_U16
                             ? *(const uint16_t *)at / (double)UINT16_MAX
                         : field->type == TH_MEMBER_U8 ? *(const uint8_t *)at / 100.0
                                                       : *(const double *)at;
    th_json_member_decimal(json, th_record_field_name(field), value, field->places);
}

static void write_reals(th_json *json, const th_record_field *field, const double *values)
{
    th_json_key(json, th_record_field_name(field));
    th_json_open_array(json);
    for (unsigned i = 0; i < field->count; i++)
        th_json_decimal(json, values[i], field->places);
    th_json_close_array(json);
}

/* Writes a member of an object, if the object is there. */
static void write_member(const th_record_walk *walk, const th_record_field *field)
{
    const char *object = walk->objects[field->object];
    if (!object || (field->if_at && !object[field->if_at - 1]))
        return;
    const void *at = object + field->offset;
    if (field->type == TH_MEMBER_VIEW)
        write_text(walk->json, field, *(const th_view *)at);
    else if (field->type == TH_MEMBER_TEXT)
        th_json_member_text(walk->json, th_record_field_name(field),
                            *(const char *const *)at);
    else if (field->type == TH_MEMBER_DOUBLES)
        write_reals(walk->json, field, at);
    else if (field->kind == TH_PARQUET_REAL)
        write_real(walk->json, field, at);
    else
        write_integer(walk->json, field, at);
}

/* ---- groups ---- */

/* Returns the number of the field after a field and its members. */
static uint32_t after(uint32_t number)
{
    const uint8_t depth = th_record_fields[number].depth;
    do
        number++;
    while (number < th_record_field_count && th_record_fields[number].depth > depth);
    return number;
}

static void write_field(th_record_walk *walk, uint32_t number);

static void write_object(th_record_walk *walk, uint32_t group)
{
    const uint32_t end = after(group);
    th_json_open_object(walk->json);
    for (uint32_t i = group + 1; i < end; i = after(i))
        write_field(walk, i);
    th_json_close_object(walk->json);
}

static void write_list(th_record_walk *walk, uint32_t group)
{
    const th_record_field *field = &th_record_fields[group];
    bool is_open = field->presence == TH_ALWAYS;
    if (is_open) {
        th_json_key(walk->json, th_record_field_name(field));
        th_json_open_array(walk->json);
    }
    for (walk->element = 0; field->open(walk); walk->element++) {
        if (!is_open) {
            th_json_key(walk->json, th_record_field_name(field));
            th_json_open_array(walk->json);
        }
        is_open = true;
        write_object(walk, group);
    }
    if (is_open)
        th_json_close_array(walk->json);
}

static void write_field(th_record_walk *walk, uint32_t number)
{
    const th_record_field *field = &th_record_fields[number];
    if (field->write) {
        field->write(walk, field);
    } else if (field->kind != TH_PARQUET_GROUP) {
        write_member(walk, field);
    } else if (field->is_list) {
        write_list(walk, number);
    } else if (field->open(walk)) {
        th_json_key(walk->json, th_record_field_name(field));
        write_object(walk, number);
    }
}

/* Writes the fields with these paths, from the top level. */
static void write_fields(th_record_walk *walk, const char *const *paths)
{
    for (uint32_t i = 0; i < th_record_field_count; i = after(i))
        for (const char *const *path = paths; *path; path++)
            if (strcmp(*path, th_record_fields[i].path) == 0)
                write_field(walk, i);
}

/* ---- records ---- */

static uint32_t recurrent_tokens(const th_page *page)
{
    uint32_t tokens = 0;
    for (uint32_t i = 0; page->paragraph_recurs && i < page->block_count; i++)
        if (page->paragraph_recurs[page->blocks[i].paragraph])
            tokens += page->blocks[i].tokens;
    return tokens;
}

static void begin(th_record_walk *walk, th_json *json, const th_annotated *annotated)
{
    memset(walk, 0, offsetof(th_record_walk, path)); /* the others are buffers */
    walk->json = json;
    walk->annotated = annotated;
    walk->objects[TH_IN_RECORD] = annotated->record;
    walk->objects[TH_IN_ANNOTATED] = annotated;
    walk->objects[TH_IN_COMPUTED] = &walk->computed;
}

static void begin_page(th_record_walk *walk, th_json *json, const th_annotated *annotated)
{
    th_page *page = annotated->page;
    begin(walk, json, annotated);
    walk->page = page;
    walk->objects[TH_IN_PAGE] = page;
    walk->objects[TH_IN_LEARNED] = page->learned;
    walk->objects[TH_IN_SECOND_LANGUAGE] = page->second_language;
    walk->objects[TH_IN_SIGNALS] = page->signals;
    walk->objects[TH_IN_MINHASH] = page->minhash;
    if (page->learned)
        walk->objects[TH_IN_SCORED] = &walk->computed;
    if (!page->paragraph_recurs)
        return;
    walk->objects[TH_IN_SITE] = &walk->computed;
    walk->objects[TH_IN_SITE_PAGE] = page;
    walk->computed.recurrent_tokens = recurrent_tokens(page);
}

th_view th_record_field_text(const th_record_field *field, const th_annotated *annotated)
{
    th_record_walk walk;
    begin_page(&walk, NULL, annotated);
    const char *object = walk.objects[field->object];
    return object ? *(const th_view *)(const void *)(object + field->offset)
                  : (th_view){ NULL, 0 };
}

void th_annotation_source(th_json *json, const th_record *record)
{
    static const char *const source[] = { "source", NULL };
    const th_annotated annotated = { .record = record };
    th_record_walk walk;
    begin(&walk, json, &annotated);
    write_fields(&walk, source);
}

void th_annotation_near_duplicate(th_json *json, const th_near_duplicate *found)
{
    static const char *const near_duplicate[] = { "near_duplicate", NULL };
    th_record_walk walk;
    begin(&walk, json, &(th_annotated){ .detail = "" });
    walk.objects[TH_IN_NEAR_DUPLICATE] = found;
    write_fields(&walk, near_duplicate);
}

th_status th_annotation_signed(const th_annotated *annotated, th_buffer *out)
{
    static const char *const facts[] = { "template_known", "digest", "minhash", NULL };
    const th_record *record = annotated->record;
    th_buffer id = { 0 };
    th_json json;
    th_record_walk walk;
    th_record_id_write(record, &id);
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", TH_BAND_SCHEMA);
    th_json_member_buffer(&json, "id", &id);
    th_json_member(&json, "url", record->url);
    th_json_member(&json, "date", record->date);
    begin_page(&walk, &json, annotated);
    write_fields(&walk, facts);
    th_json_close_object(&json);
    th_buffer_done(&id);
    return th_json_end(&json);
}

th_status th_annotation_write(const th_options *opt, const th_annotated *annotated,
                              th_annotation_parts parts, th_buffer *out)
{
    /* Signals and languages are computed only if they are selected. */
    const uint32_t unselected = ~(parts.emit | TH_EMIT_SIGNALS | TH_EMIT_LANGUAGES);
    th_json json;
    th_record_walk walk;
    th_json_begin_as(&json, out, parts.is_packed);
    th_json_open_object(&json);
    begin_page(&walk, &json, annotated);
    walk.opt = opt;
    walk.parts = parts;
    for (uint32_t i = 0; i < th_record_field_count; i = after(i))
        if (!(th_record_fields[i].emit & unselected))
            write_field(&walk, i);
    th_json_close_object(&json);
    return th_json_end(&json);
}
