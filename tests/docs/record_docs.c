/*
 * Prints what docs/ states about the record's fields, from their table:
 *
 *     record_docs schema    the JSON Schema of a record, as compact JSON
 *     record_docs fields    the tables of docs/record.md
 *
 * record_docs.py compares docs/ with it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "thresher/options.h"
#include "write/record_field.h"

/* ---- the schema ---- */

/* Writes an integer of the table, or nothing if it is missing. */
static void put_bound(th_json *json, const char *key, const char *text)
{
    if (*text && *text != '.')
        th_json_member_uint(json, key, strtoull(text, NULL, 10));
}

static void put_word(th_json *json, const th_record_field *field, const char *word,
                     size_t len)
{
    if (field->kind == TH_PARQUET_TEXT)
        th_json_string(json, (th_view){ word, len });
    else if (field->kind == TH_PARQUET_BOOL)
        th_json_bool(json, *word == 't');
    else
        th_json_uint(json, (uint64_t)strtoull(word, NULL, 10));
}

static void put_words(th_json *json, const th_record_field *field)
{
    const bool is_one = !strchr(field->limits, ' ');
    th_json_key(json, is_one ? "const" : "enum");
    if (!is_one)
        th_json_open_array(json);
    for (const char *word = field->limits; *word;) {
        const size_t len = strcspn(word, " ");
        put_word(json, field, word, len);
        word += len + (word[len] == ' ');
    }
    if (!is_one)
        th_json_close_array(json);
}

static void put_value(th_json *json, const th_record_field *field)
{
    static const char *const types[] = {
        [TH_PARQUET_TEXT] = "string",  [TH_PARQUET_INT] = "integer",
        [TH_PARQUET_UINT] = "integer", [TH_PARQUET_REAL] = "number",
        [TH_PARQUET_BOOL] = "boolean",
    };
    const bool is_integer =
        field->kind == TH_PARQUET_INT || field->kind == TH_PARQUET_UINT;
    const char *limits = field->limits ? field->limits : is_integer ? "0.." : "..";
    const char *dots = strstr(limits, "..");
    if (*limits != '^' && !dots) {
        put_words(json, field);
        return;
    }
    th_json_member_text(json, "type", types[field->kind]);
    if (*limits == '^')
        th_json_member_text(json, "pattern", limits);
    else
        put_bound(json, "minimum", limits);
    if (*limits != '^')
        put_bound(json, "maximum", dots + 2);
}

static void put_required(th_json *json, uint32_t first, uint32_t end)
{
    th_json_key(json, "required");
    th_json_open_array(json);
    for (uint32_t i = first; i < end; i++) {
        const th_record_field *field = &th_record_fields[i];
        const char *name = th_record_field_name(field);
        if (field->depth == th_record_fields[first].depth &&
            field->presence == TH_ALWAYS && (field->depth || !field->emit))
            th_json_string(json, (th_view){ name, strlen(name) });
    }
    th_json_close_array(json);
}

static uint32_t put_object(th_json *json, uint32_t first);

/* Writes the schema of a field. @return the number of the next field that is not a member */
static uint32_t put_field(th_json *json, uint32_t number)
{
    const th_record_field *field = &th_record_fields[number++];
    th_json_key(json, th_record_field_name(field));
    th_json_open_object(json);
    if (field->is_list) {
        th_json_member_text(json, "type", "array");
        th_json_key(json, "items");
        th_json_open_object(json);
    }
    if (field->kind == TH_PARQUET_GROUP)
        number = put_object(json, number);
    else
        put_value(json, field);
    if (field->is_list)
        th_json_close_object(json);
    th_json_close_object(json);
    return number;
}

/* Writes the members of an object: the fields from `first` on that are not less deep. */
static uint32_t put_object(th_json *json, uint32_t first)
{
    const uint8_t depth = th_record_fields[first].depth;
    uint32_t end = first;
    th_json_member_text(json, "type", "object");
    th_json_key(json, "properties");
    th_json_open_object(json);
    while (end < th_record_field_count && th_record_fields[end].depth == depth)
        end = put_field(json, end);
    th_json_close_object(json);
    put_required(json, first, end);
    th_json_key(json, "additionalProperties");
    th_json_bool(json, false);
    return end;
}

static void print_schema(void)
{
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    (void)put_object(&json, 0);
    th_json_close_object(&json);
    if (th_json_end(&json) == TH_OK)
        (void)fwrite(out.data, 1, out.len, stdout);
    th_buffer_done(&out);
}

/* ---- the tables ---- */

/* Prints a row: a field, and the fields after it that share its meaning. */
static uint32_t print_row(uint32_t number, bool is_on_request)
{
    const th_record_field *first = &th_record_fields[number];
    fputs("|", stdout);
    do {
        const th_record_field *field = &th_record_fields[number++];
        const bool is_short = is_on_request && field->depth;
        printf(" `%s`", is_short ? strchr(field->path, '.') : field->path);
    } while (number < th_record_field_count && !th_record_fields[number].meaning);
    printf(" | %s |", first->meaning);
    if (!is_on_request)
        printf(first->absent ? " %s |" : " |", first->absent);
    putchar('\n');
    return number;
}

static bool is_on_request(const th_record_field *field)
{
    return field->request || field->emit;
}

static void print_head(const th_record_field *field)
{
    unsigned bit = 0;
    while (!field->request && !(field->emit >> bit & 1))
        bit++;
    printf("\n| field (`%s%s`) | meaning, unit |\n| --- | --- |\n",
           field->request ? field->request : "--emit ",
           field->request ? "" : th_emit_names[bit]);
}

/* Prints the fields of the top level that are requested, or the others, with members. */
static void print_tables(bool requested)
{
    for (uint32_t i = 0; i < th_record_field_count;) {
        const bool is_wanted = is_on_request(&th_record_fields[i]) == requested;
        if (is_wanted && requested)
            print_head(&th_record_fields[i]);
        do
            i = is_wanted ? print_row(i, requested) : i + 1;
        while (i < th_record_field_count && th_record_fields[i].depth);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "schema") == 0) {
        print_schema();
    } else if (argc == 2 && strcmp(argv[1], "fields") == 0) {
        fputs("## Always, if known\n\n| field | meaning, unit | absent if |\n"
              "| --- | --- | --- |\n",
              stdout);
        print_tables(false);
        fputs("\n## On request\n\nThe option after \"field\" requests the fields of a "
              "table.\n",
              stdout);
        print_tables(true);
    } else {
        return 2;
    }
    return ferror(stdout) ? 1 : 0;
}
