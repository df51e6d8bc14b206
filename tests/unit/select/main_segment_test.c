/* src/select/main_segment.c: weights of segments, by both rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/main_segment.h"

/* clang-format off */
/* Two segments each. The tag is the element of the second one. */
static const struct row {
    const char *name;
    uint32_t tokens[2], linked[2];
    double density[2];
    th_tag tag;
    uint32_t weighed, largest;
} rows[] = {
    { "more tokens",                 { 50, 60 }, { 0, 0 },  { 12, 12 }, TH_TAG_DIV, 1, 1 },
    { "a tie goes to the earlier",   { 60, 60 }, { 0, 0 },  { 12, 12 }, TH_TAG_DIV, 0, 0 },
    { "density over ten is enough",  { 50, 60 }, { 0, 0 },  { 18, 10 }, TH_TAG_DIV, 1, 1 },
    { "thin text weighs less",       { 50, 60 }, { 0, 0 },  { 10, 8 },  TH_TAG_DIV, 0, 1 },
    { "linked tokens do not count",  { 50, 60 }, { 0, 20 }, { 12, 12 }, TH_TAG_DIV, 0, 1 },
    { "half linked is out of both",  { 10, 60 }, { 0, 30 }, { 12, 12 }, TH_TAG_DIV, 0, 0 },
    { "outside of the content: half",   { 50, 90 }, { 0, 0 },  { 12, 12 }, TH_TAG_FOOTER, 0, 1 },
    { "twice as large all the same", { 50, 101 },{ 0, 0 },  { 12, 12 }, TH_TAG_ASIDE, 1, 1 },
    { "navigation",                  { 50, 90 }, { 0, 0 },  { 12, 12 }, TH_TAG_NAV, 0, 1 },
    { "a header is content",     { 50, 90 }, { 0, 0 },  { 12, 12 }, TH_TAG_HEADER, 1, 1 },
    { "no plain token: none",        { 5, 0 },   { 5, 0 },  { 5, 0 },   TH_TAG_DIV, TH_NONE, TH_NONE },
};
/* clang-format on */

/* Nodes: html, the tag in it, a paragraph in that. The second block is in the paragraph.
 */
static th_page page_of(const struct row *row, th_arena *arena, th_block blocks[2],
                       th_segment segments[2], th_node nodes[3], uint32_t segment_of[2])
{
    nodes[0] = (th_node){ .parent = TH_NONE, .tag = TH_TAG_HTML };
    nodes[1] = (th_node){ .parent = 0, .tag = row->tag };
    nodes[2] = (th_node){ .parent = 1, .tag = TH_TAG_P };
    for (uint32_t i = 0; i < 2; i++) {
        blocks[i] = (th_block){ .tokens = row->tokens[i], .node = i ? 2 : 0 };
        segments[i] = (th_segment){ .tokens = row->tokens[i],
                                    .linked_tokens = row->linked[i],
                                    .density = row->density[i] };
        segment_of[i] = i;
    }
    return (th_page){ .arena = arena,
                      .blocks = blocks,
                      .block_count = 2,
                      .nodes = nodes,
                      .node_count = 3,
                      .segments = segments,
                      .segment_count = 2,
                      .segment_of = segment_of };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_block blocks[2];
    th_segment segments[2];
    th_node nodes[3];
    uint32_t segment_of[2], found = 7;
    th_options opt;
    th_options_init(&opt);
    assert_string_equal(opt.main_segment, th_main_segment_names[0]);
    const th_page page = page_of(row, arena, blocks, segments, nodes, segment_of);
    assert_int_equal(th_main_segment_find(&page, &opt, &found), TH_OK);
    assert_int_equal(found, row->weighed);
    opt.main_segment = "largest";
    assert_int_equal(th_main_segment_find(&page, &opt, &found), TH_OK);
    assert_int_equal(found, row->largest);
    th_arena_free(arena);
}

static void an_empty_page_has_none(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_page page = { .arena = arena };
    uint32_t found = 7;
    th_options opt;
    th_options_init(&opt);
    assert_int_equal(th_main_segment_find(&page, &opt, &found), TH_OK);
    assert_int_equal(found, TH_NONE);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(an_empty_page_has_none);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
