/* [K11 Alg. 4.3]: a row for each leaf of the tree, and one on each side of each border.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/classifier.h"

/* Words and linked words of the previous, this and the next block; 0 words at a border.
 */
/* clang-format off */
static const struct row {
    const char *name;
    uint32_t prev, prev_linked, curr, curr_linked, next;
    int want;
} rows[] = {
    { "few words, few around", 4, 0, 16, 0, 15, TH_BOILERPLATE },
    { "few words, five before", 5, 0, 16, 0, 15, TH_CONTENT },
    { "few words, sixteen after", 0, 0, 1, 0, 16, TH_CONTENT },
    { "seventeen words", 0, 0, 17, 0, 0, TH_CONTENT },
    { "sixteen words alone on the page", 0, 0, 16, 0, 0, TH_BOILERPLATE },
    { "no words but words before", 5, 0, 0, 0, 0, TH_CONTENT },
    { "links before, forty words", 9, 6, 40, 0, 17, TH_BOILERPLATE },
    { "links before, forty-one words", 9, 6, 41, 0, 0, TH_CONTENT },
    { "links before, eighteen words after", 9, 6, 1, 0, 18, TH_CONTENT },
    { "five of nine linked before is few: 0.555556", 9, 5, 17, 0, 0, TH_CONTENT },
    { "a third linked is too much: 1/3 > 0.333333", 0, 0, 90, 30, 90, TH_BOILERPLATE },
    { "less than a third linked", 0, 0, 90, 29, 0, TH_CONTENT },
    { "all linked", 90, 0, 90, 90, 90, TH_BOILERPLATE },
};
/* clang-format on */

static th_block block(uint32_t words, uint32_t linked)
{
    return (th_block){
        .tokens = words, .linked_tokens = linked, .lines = 1, .last_line_tokens = words
    };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_block blocks[] = { block(row->prev, row->prev_linked),
                                block(row->curr, row->curr_linked), block(row->next, 0) };
    uint8_t labels[3];
    const th_page *page = make_page_of_counts(arena, blocks, 3);
    label_blocks("num-words", page, labels);
    assert_int_equal(labels[1], row->want);
    if (row->prev == 0 && row->next == 0) { /* a border is a block of zeros */
        page = make_page_of_counts(arena, blocks + 1, 1);
        label_blocks("num-words", page, labels);
        assert_int_equal(labels[0], row->want);
    }
    th_arena_free(arena);
}

/* A menu that recurs is skipped between two neighbouring blocks, on request. */
static void what_recurs_is_no_neighbour(void **state)
{
    th_block blocks[] = { block(40, 0), block(9, 9), block(9, 9), block(30, 0),
                          block(9, 9) };
    static uint8_t recurs[] = { 0, 1, 1, 0, 1 };
    static const char *const rules[] = { "signatures", "labels" };
    static const uint8_t wanted[] = { TH_BOILERPLATE, TH_CONTENT };
    th_arena *arena = th_arena_new(0);
    (void)state;
    th_page *page = make_page_of_counts(arena, blocks, 5);
    page->paragraph_recurs = recurs;
    for (uint32_t i = 0; i < 5; i++)
        page->blocks[i].paragraph = i;
    for (size_t i = 0; i < 2; i++) {
        const th_classifier *num_words = th_classifier_find("num-words");
        uint8_t reason_of[5] = { 0 };
        th_options opt;
        th_options_init(&opt);
        opt.sites_rule = rules[i];
        assert_int_equal(num_words->decide(page, &opt, arena, reason_of), TH_OK);
        assert_int_equal(num_words->reasons[reason_of[0]].label, TH_CONTENT);
        assert_int_equal(num_words->reasons[reason_of[3]].label, wanted[i]);
        assert_int_equal(num_words->reasons[reason_of[4]].label, TH_BOILERPLATE);
    }
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(what_recurs_is_no_neighbour);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
