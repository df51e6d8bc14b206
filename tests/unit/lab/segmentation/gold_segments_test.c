/* Gold segmentations: labels without gaps, pages found by id, invalid lines reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/segmentation/gold_segments.h"

static const char path[] = "gold_segments_test.tmp";

static th_status read_text(const char *text, const char *fields, th_arena *arena,
                           th_gold_set *set, th_error *err)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    const th_status status = th_gold_set_read(path, fields, NULL, arena, set, err);
    (void)unlink(path);
    return status;
}

static void pages_are_read(void **state)
{
    th_arena *arena = th_arena_new(0);
    th_gold_set set;
    th_error err = { .text = "" };
    (void)state;
    assert_int_equal(
        read_text("{\"id\":\"<urn:a>\",\"tokens\":[\"One\",\"two\",\"3\"],\"s\":[7,-1,9],"
                  "\"t\":[0,0,0]}\n"
                  "{\"of\":{\"id\":\"c\",\"s\":[9,8]},\"id\":\"urn:b\","
                  "\"tokens\":[\"x\"],\"s\":[0]}\n", /* members of members are skipped */
                  "s,t", arena, &set, &err),
        TH_OK);
    assert_int_equal(set.count, 2);
    assert_int_equal(set.field_count, 2);
    const th_gold_page *a = th_gold_page_find(&set, TH_VIEW("urn:a"));
    const th_gold_page *b = th_gold_page_find(&set, TH_VIEW("<urn:b>"));
    assert_non_null(a);
    assert_non_null(b);
    assert_null(th_gold_page_find(&set, TH_VIEW("urn:c")));
    assert_int_equal(a->number, 0);
    assert_int_equal(b->number, 1);
    assert_int_equal(a->count, 3);
    assert_int_equal(a->labels[0][0], 0);
    assert_int_equal(a->labels[0][1], -1);
    assert_int_equal(a->labels[0][2], 1);
    assert_int_equal(a->label_counts[0], 2);
    assert_true(a->words[0] == th_alignment_word(TH_VIEW("one")));
    assert_null(b->labels[1]); /* lacks the field */
    th_arena_free(arena);
}

static const struct row {
    const char *text, *fields;
    th_status want;
} rows[] = {
    { "{\"id\":\"a\",\"tokens\":[\"x\",\"y\"],\"s\":[1]}\n", "s", TH_IO },
    { "{\"id\":\"a\",\"tokens\":[\"x\"],\"s\":[-2]}\n", "s", TH_IO },
    { "{\"id\":\"a\",\"tokens\":[\"x\"],\"s\":[99999999]}\n", "s", TH_IO },
    { "{\"tokens\":[\"x\"],\"s\":[1]}\n", "s", TH_IO },
    { "nonsense\n", "s", TH_IO },
    { "{\"id\":\"a\",\"tokens\":[\"x\"],\"s\":[1]}\n", "t", TH_USAGE },
    { "", "s", TH_USAGE },
    { "", "", TH_USAGE },
    { "", "a,b,c,d,e,f,g,h,i", TH_USAGE },
};

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_arena *arena = th_arena_new(0);
        th_gold_set set;
        th_error err = { .text = "" };
        assert_int_equal(read_text(rows[i].text, rows[i].fields, arena, &set, &err),
                         rows[i].want);
        assert_true(err.text[0] != '\0');
        th_arena_free(arena);
    }
}

static void a_field_named_twice(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_gold_set set;
    th_error err = { .text = "" };
    const char *const page = "{\"id\":\"a\",\"tokens\":[\"x\"],\"s\":[1],\"t\":[1]}\n";
    assert_int_equal(read_text(page, "s,t,s", arena, &set, &err), TH_USAGE);
    assert_string_equal(err.text, "field 's' is specified twice");
    assert_int_equal(read_text(page, "s,t", arena, &set, &err), TH_OK);
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_read),
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(a_field_named_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
