/* src/write/record_table.c: the columns are the record's fields, in their order. */
#include "write/record_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/page.h"
#include "write/record_parts.h"

static const char *const parts[] = {
#define PART(path, shown) path,
#define METADATA(name, shown) #name,
    TH_RECORD_BEFORE_METADATA(PART) TH_RECORD_METADATA(METADATA)
        TH_RECORD_BEHIND_METADATA(PART)
#undef METADATA
#undef PART
};
enum { PARTS = sizeof parts / sizeof *parts };

static void columns_are_the_fields(void **state)
{
    (void)state;
    const th_options all = { .emit = UINT32_MAX };
    th_parquet_field fields[TH_RECORD_FIELDS];
    char path[256] = "";
    assert_int_equal(th_record_fields(&all, fields), PARTS);
    for (unsigned i = 0; i < PARTS; i++) {
        char *at = path;
        for (unsigned depth = fields[i].depth; depth; depth--)
            at = strchr(at, '.') && depth > 1 ? strchr(at, '.') + 1
                                              : at + strcspn(at, ".");
        (void)snprintf(at, sizeof path - (size_t)(at - path), "%s%s",
                       fields[i].depth ? "." : "", fields[i].name);
        assert_string_equal(path, parts[i]);
    }
}

static bool has(uint32_t emit, const char *name)
{
    const th_options page = { .emit = emit };
    th_parquet_field fields[TH_RECORD_FIELDS];
    const uint32_t count = th_record_fields(&page, fields);
    for (uint32_t i = 0; i < count; i++)
        if (fields[i].depth == 0 && strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

static void parts_come_when_asked_for(void **state)
{
    (void)state;
    static const struct {
        uint32_t emit;
        const char *name;
    } rows[] = {
        { TH_EMIT_FULL_TEXT, "full_text" },     { TH_EMIT_SEGMENTS, "segments" },
        { TH_EMIT_BLOCKS, "blocks" },           { TH_EMIT_LINKS, "links" },
        { TH_EMIT_PARAGRAPHS, "paragraphs" },   { TH_EMIT_HTML, "html" },
        { TH_EMIT_SIGNALS, "quality_signals" }, { TH_EMIT_POSTS, "posts" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(has(rows[i].emit, rows[i].name));
        assert_false(has(~rows[i].emit, rows[i].name));
    }
    assert_true(has(0, "text") && has(0, "flags"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_fields),
        cmocka_unit_test(parts_come_when_asked_for),
    };
    return cmocka_run_group_tests_name("record_table", tests, NULL, NULL);
}
