/*
 * src/write/record_fields.c: the written record, the columns of Parquet and `inspect` have
 * exactly the fields of the table, with its examples. docs.record_docs compares docs/.
 */
#include "write/record_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"
#include "inspect/inspection.h"
#include "parquet/packed_row.h"
#include "record_paths.h"
#include "sample_page.h"

#define SOURCE TH_DATA "/../../"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void write_record(sample_page *s, bool is_packed, th_buffer *out)
{
    const th_annotation_parts all = { .emit = s->opt.emit, .is_packed = is_packed };
    assert_int_equal(th_annotation_write(&s->opt, &s->annotated, all, out), TH_OK);
}

static size_t find(const record_paths *written, const char *path)
{
    size_t at = 0;
    while (at < written->count && strcmp(written->paths[at], path) != 0)
        at++;
    return at;
}

/* An example that ends with "..." is the beginning of a value. */
static bool is_example(const char *example, th_view value)
{
    const char *rest = example ? strstr(example, "...\"") : NULL;
    const size_t len = rest ? (size_t)(rest - example) : 0;
    return rest ? value.len > len && memcmp(example, value.data, len) == 0
                : example && th_view_is(value, example);
}

static unsigned check_examples(const record_paths *written)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const th_record_field *field = &th_record_fields[i];
        const size_t at = find(written, field->path);
        const th_view value =
            at < written->count ? written->values[at] : TH_VIEW("absent");
        if (field->kind == TH_PARQUET_GROUP ? at < written->count
                                            : is_example(field->example, value))
            continue;
        print_error("%s is %.*s, and its example is %s\n", field->path, (int)value.len,
                    value.data, field->example ? field->example : "missing");
        wrong++;
    }
    return wrong;
}

/* near_duplicate is inserted later. */
static void write_near_duplicate(th_buffer *out)
{
    const th_near_duplicate found = { TH_VIEW("<urn:uuid:1>"),
                                      TH_VIEW("http://b.example/"), .8125 };
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_annotation_near_duplicate(&json, &found);
    th_json_close_object(&json);
    assert_int_equal(th_json_end(&json), TH_OK);
}

static void the_writer_writes_the_examples(void **state)
{
    (void)state;
    static const char *const formats[] = { "markdown,plain,html", "plain,markdown" };
    sample_page s;
    th_buffer out[3] = { { 0 } };
    record_paths written = { .count = 0 };
    unsigned wrong = 0;
    sample_page_init(&s);
    sample_page_fill(&s);
    for (unsigned i = 0; i < 2; i++) { /* plain has no name */
        s.opt.text_format = formats[i];
        write_record(&s, false, &out[i]);
        record_paths_add(&written, th_buffer_view(&out[i]));
    }
    write_near_duplicate(&out[2]);
    record_paths_add(&written, th_buffer_view(&out[2]));
    wrong = check_examples(&written);
    assert_int_equal(written.count, th_record_field_count);
    assert_int_equal(wrong, 0);
    for (unsigned i = 0; i < 3; i++)
        th_buffer_done(&out[i]);
    sample_page_done(&s);
}

/* ---- columns ---- */

static void the_columns_take_a_record(void **state)
{
    (void)state;
    sample_page s;
    th_parquet_field fields[TH_RECORD_FIELDS];
    th_parquet_schema schema;
    th_buffer out = { 0 };
    bool is_row = false;
    sample_page_init(&s);
    sample_page_fill(&s);
    s.opt.text_format = "markdown,plain,html";
    write_record(&s, true, &out);
    const uint32_t count = th_record_columns(&s.opt, fields);
    assert_int_equal(count, th_record_field_count);
    assert_int_equal(th_parquet_schema_init(&schema, fields, count), TH_OK);
    th_column_chunk *columns = calloc(schema.leaf_count, sizeof *columns);
    assert_non_null(columns);
    for (uint32_t i = 0; i < schema.leaf_count; i++)
        th_column_init(&columns[i], &schema.nodes[schema.leaves[i]]);
    th_packed_row row = { .schema = &schema, .columns = columns };
    th_view tokens = th_buffer_view(&out);
    if (th_packed_row_read(&row, &tokens, &is_row) != TH_OK)
        fail_msg("%s", row.fault);
    assert_true(is_row && !tokens.len);
    for (uint32_t i = 0; i < schema.leaf_count; i++) {
        assert_int_not_equal(columns[i].page_levels, 0);
        th_column_done(&columns[i]);
    }
    free(columns);
    th_packed_row_done(&row);
    th_parquet_schema_done(&schema);
    th_buffer_done(&out);
    sample_page_done(&s);
}

static bool has(uint32_t emit, uint32_t redact, const char *name)
{
    const th_options page = { .emit = emit, .redact = redact };
    th_parquet_field fields[TH_RECORD_FIELDS];
    const uint32_t count = th_record_columns(&page, fields);
    for (uint32_t i = 0; i < count; i++)
        if (fields[i].depth == 0 && strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

static void parts_have_columns_if_selected(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const th_record_field *field = &th_record_fields[i];
        if (field->depth)
            continue;
        assert_true(has(field->emit, TH_REDACT_EMAIL, field->path));
        assert_int_equal(has(~field->emit, TH_REDACT_EMAIL, field->path), !field->emit);
        assert_int_equal(has(field->emit, 0, field->path), !field->option_at);
    }
}

/* ---- inspect ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rbe");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 1, (1 << 20) - 2);
    (void)fclose(file);
    return text;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether the script takes the field from the record: record.title, http.status. */
static bool is_taken(const char *script, const char *path)
{
    char needle[PATH_ROOM + 8];
    (void)snprintf(needle, sizeof needle, "%s%s", strchr(path, '.') ? "" : "record.",
                   path);
    for (const char *at = script; (at = strstr(at, needle)); at++)
        if (!is_name_byte(at[strlen(needle)]) && !is_name_byte(at[-1]))
            return true;
    return false;
}

/* Rows of arrays are shown from the inspection, which has more of them. */
static bool is_in_array(const char *path)
{
    return begins(path, "segments.") || begins(path, "blocks.") ||
           begins(path, "paragraphs.") || begins(path, "links.");
}

static void the_report_shows_what_is_said(void **state)
{
    (void)state;
    unsigned wrong = 0;
    char *script = read_text(SOURCE "src/inspect/report.js");
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const bool is_said = (th_record_fields[i].shown & TH_IN_REPORT) != 0;
        if (is_in_array(th_record_fields[i].path) ||
            is_taken(script, th_record_fields[i].path) == is_said)
            continue;
        print_error("report.js %s %s\n", is_said ? "lacks" : "shows",
                    th_record_fields[i].path);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    free(script);
}

/* Fields that the terminal shows as lines and not in the head, and a value that is the word
 * "content", which it always shows. */
static bool is_out_of_head(const char *path)
{
    return is_in_array(path) || begins(path, "text") || begins(path, "full_text") ||
           begins(path, "posts") || begins(path, "comments") || begins(path, "html") ||
           begins(path, "minhash.short");
}

static void the_terminal_shows_what_is_said(void **state)
{
    (void)state;
    sample_page s;
    th_readings readings;
    th_buffer line = { 0 }, text = { 0 };
    record_paths written = { .count = 0 };
    unsigned wrong = 0;
    sample_page_init(&s);
    sample_page_fill(&s);
    assert_int_equal(th_readings_make(&s.page, &s.opt, "none", &readings, NULL), TH_OK);
    s.annotated.page = &readings.rows[readings.chosen].page;
    write_record(&s, false, &line);
    record_paths_add(&written, th_buffer_view(&line));
    const th_inspection inspection = { &s.opt, &s.annotated, &readings, "thresher/test" };
    assert_int_equal(th_inspection_text(&inspection, false, &text), TH_OK);
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const char *path = th_record_fields[i].path;
        const size_t at = find(&written, path);
        th_view value = at < written.count ? written.values[at] : TH_VIEW("");
        if (!value.len || *value.data != '"' || value.len == 2 || is_out_of_head(path))
            continue;
        value = (th_view){ value.data + 1, value.len - 2 };
        const bool is_said = (th_record_fields[i].shown & TH_IN_TERMINAL) != 0;
        if (!memmem(text.data, text.len, value.data, value.len) == !is_said)
            continue;
        print_error("inspect %s %s\n", is_said ? "lacks" : "shows", path);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    th_buffer_done(&line);
    th_buffer_done(&text);
    th_readings_done(&readings);
    sample_page_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writer_writes_the_examples),
        cmocka_unit_test(the_columns_take_a_record),
        cmocka_unit_test(parts_have_columns_if_selected),
        cmocka_unit_test(the_report_shows_what_is_said),
        cmocka_unit_test(the_terminal_shows_what_is_said),
    };
    return cmocka_run_group_tests_name("record_fields", tests, NULL, NULL);
}
