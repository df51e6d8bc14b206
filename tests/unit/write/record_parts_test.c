/*
 * src/write/record_parts.h: the list of a record's fields. The written record,
 * docs/record.md and `inspect` have exactly these fields.
 */
#include "write/record_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/inspection.h"
#include "record_paths.h"
#include "sample_page.h"
#include "write/annotation.h"

#define SOURCE TH_DATA "/../../"

static const struct part {
    const char *path;
    unsigned shown;
} parts[] = {
#define PART(path, shown) { path, shown },
#define METADATA(name, shown) { #name, shown },
    TH_RECORD_BEFORE_METADATA(PART) TH_RECORD_METADATA(METADATA)
        TH_RECORD_BEHIND_METADATA(PART)
#undef METADATA
#undef PART
};
enum { PARTS = sizeof parts / sizeof *parts };

static bool is_listed(const char *path)
{
    bool found = false;
    for (size_t i = 0; i < PARTS; i++)
        found |= strcmp(parts[i].path, path) == 0;
    return found;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Says what differs between the list and something that should have it. */
static unsigned difference(const record_paths *set, const char *where, const char *but)
{
    unsigned count = 0;
    for (size_t i = 0; i < PARTS; i++) {
        if (record_paths_have(set, parts[i].path) || (but && begins(parts[i].path, but)))
            continue;
        print_error("%s lacks the field %s\n", where, parts[i].path);
        count++;
    }
    for (size_t i = 0; i < set->count; i++) {
        if (is_listed(set->paths[i]))
            continue;
        print_error("%s has %s, which record_parts.h lacks\n", where, set->paths[i]);
        count++;
    }
    return count;
}

static void write_record(sample_page *s, th_buffer *out)
{
    const th_annotation_parts all = { .emit = s->opt.emit, .has_hole = true };
    assert_int_equal(th_annotation_write(&s->opt, &s->annotated, all, out), TH_OK);
}

/* near_duplicate is put in later: near_duplicate_test.c holds it against the list. */
static void the_writer_has_them(void **state)
{
    (void)state;
    sample_page s;
    th_buffer out = { 0 };
    record_paths written = { .count = 0 };
    sample_page_init(&s);
    sample_page_fill(&s);
    s.opt.text_format = "markdown,plain,html"; /* plain has no name */
    write_record(&s, &out);
    record_paths_add(&written, th_buffer_view(&out));
    th_buffer_reset(&out);
    s.opt.text_format = "plain,markdown";
    write_record(&s, &out);
    record_paths_add(&written, th_buffer_view(&out));
    assert_int_equal(difference(&written, "the record", "near_duplicate"), 0);
    th_buffer_done(&out);
    sample_page_done(&s);
}

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

/* Names in backticks in a table row's first cell; ".name" is a member of `parent`. */
static void add_names(record_paths *set, const char *line, char *parent)
{
    const char *const end = strchr(line + 1, '|');
    for (const char *at = strchr(line, '`'); at && at < end; at = strchr(at, '`')) {
        const char *name = at + 1;
        const size_t len = strcspn(name, "`");
        const size_t start = *name == '.' ? strlen(parent) : 0;
        char path[PATH_ROOM] = "";
        assert_true(start + len < sizeof path);
        memcpy(path, parent, start);
        memcpy(path + start, name, len);
        if (*name != '.')
            (void)snprintf(parent, PATH_ROOM, "%s", path);
        (void)record_paths_put(set, path);
        at = name + len + 1;
    }
}

static void the_document_has_them(void **state)
{
    (void)state;
    char parent[PATH_ROOM] = "";
    char *text = read_text(SOURCE "docs/record.md");
    record_paths told = { .count = 0 };
    char *at = strstr(text, "\n## Always");
    assert_non_null(at);
    for (at = strtok(at, "\n"); at && !begins(at, "## Flags"); at = strtok(NULL, "\n"))
        if (begins(at, "| `"))
            add_names(&told, at, parent);
    assert_int_equal(difference(&told, "docs/record.md", NULL), 0);
    free(text);
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
    for (size_t i = 0; i < PARTS; i++) {
        const bool is_said = (parts[i].shown & TH_IN_REPORT) != 0;
        if (is_in_array(parts[i].path) || is_taken(script, parts[i].path) == is_said)
            continue;
        print_error("report.js %s %s\n", is_said ? "lacks" : "shows", parts[i].path);
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
    write_record(&s, &line);
    record_paths_add(&written, th_buffer_view(&line));
    const th_inspection inspection = { &s.opt, &s.annotated, &readings, "thresher/test" };
    assert_int_equal(th_inspection_text(&inspection, false, &text), TH_OK);
    for (size_t i = 0; i < PARTS; i++) {
        const char *path = parts[i].path;
        size_t at = 0;
        while (at < written.count && strcmp(written.paths[at], path) != 0)
            at++;
        const th_view value = at < written.count ? written.strings[at] : TH_VIEW("");
        if (is_out_of_head(path) || !value.len)
            continue;
        const bool is_said = (parts[i].shown & TH_IN_TERMINAL) != 0;
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
        cmocka_unit_test(the_writer_has_them),
        cmocka_unit_test(the_document_has_them),
        cmocka_unit_test(the_report_shows_what_is_said),
        cmocka_unit_test(the_terminal_shows_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
