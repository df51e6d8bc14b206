/* largest-content and main-content on pages that look like news. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/classifier.h"

#define WORDS_20 "a b c d e f g h i j k l m n o p q r s t"
#define WORDS_60 WORDS_20 " " WORDS_20 " " WORDS_20
/* clang-format off */
#define NAV { "home", 1, NULL }
#define NAV_11 NAV, NAV, NAV, NAV, NAV, NAV, NAV, NAV, NAV, NAV, NAV
/* clang-format on */

/* clang-format off */
static const struct row {
    const char *name, *classifier, *title;
    struct block_row blocks[30];
    const char *want; /* c: content, b: boilerplate */
} rows[] = {
    { "paragraphs are one run", "largest-content", "", { { WORDS_20, 0, NULL },
      { WORDS_20 " u", 0, NULL }, { WORDS_20, 0, NULL } }, "ccc" },
    { "the largest run alone", "largest-content", "", { { WORDS_20, 0, NULL }, NAV, NAV_11,
      { WORDS_60, 0, NULL }, { WORDS_20, 0, NULL } }, "bbbbbbbbbbbbbcc" },
    { "ties go to the earlier", "largest-content", "", { { WORDS_60, 0, NULL }, NAV, NAV_11,
      { WORDS_60, 0, NULL } }, "cbbbbbbbbbbbbb" },
    { "the title changes nothing", "largest-content", "Cat bites dog",
      { { WORDS_20, 0, NULL }, { "Cat bites dog", 0, NULL }, { WORDS_60, 0, NULL } }, "ccc" },
    { "nothing to keep", "largest-content", "", { NAV, NAV }, "bb" },
    { "nothing to keep of a run", "main-content", "News", { NAV, NAV }, "bb" },
    { "a run is kept whole, the links in it are not", "main-content", "",
      { { WORDS_20, 0, NULL }, NAV, NAV_11, { WORDS_60, 0, NULL }, NAV_11,
      { WORDS_60, 0, NULL } }, "bbbbbbbbbbbbbcbbbbbbbbbbbc" },
    { "the earlier of two equal runs", "main-content", "", { { WORDS_60, 0, NULL }, NAV,
      NAV_11, { WORDS_60, 0, NULL } }, "cbbbbbbbbbbbbb" },
    { "a title below most content does not count", "main-content",
      "Cat bites dog | Daily", { { WORDS_60, 0, NULL }, { WORDS_20, 0, NULL },
      { "Cat bites dog", 1, NULL }, { WORDS_60, 0, NULL } }, "ccbc" },
    { "nothing above the title", "main-content", "Cat bites dog | Daily News",
      { { WORDS_20, 0, NULL }, { WORDS_20, 0, NULL }, { "Cat Bites Dog!", 0, NULL },
      { WORDS_60, 0, NULL } }, "bbcc" },
    { "the site's name is not the title", "main-content", "Cat bites dog | Daily",
      { { WORDS_20, 0, NULL }, { "Daily", 0, NULL }, { WORDS_60, 0, NULL } }, "ccc" },
    { "several parts of the title", "main-content", "Dogs: cat bites one - The Daily",
      { { WORDS_20, 0, NULL }, { "Dogs: Cat bites one", 0, NULL },
      { WORDS_60, 0, NULL } }, "bcc" },
    { "a hyphen in a word parts nothing", "main-content", "Cat-sized dog - Daily",
      { { WORDS_20, 0, NULL }, { "Cat-sized dog", 0, NULL }, { WORDS_60, 0, NULL } },
      "bcc" },
    { "a block that only begins like the title", "main-content", "Cat bites dog - Daily",
      { { WORDS_20, 0, NULL }, { "Cat bites", 0, NULL }, { WORDS_60, 0, NULL } }, "ccc" },
    { "a block that continues after the title", "main-content", "Cat bites dog - Daily",
      { { WORDS_20, 0, NULL }, { "Cat bites dog da", 0, NULL }, { WORDS_60, 0, NULL } },
      "ccc" },
    { "a title without letters does not count", "main-content", " | - ", { { WORDS_20, 0, NULL },
      { "|", 0, NULL }, { WORDS_60, 0, NULL } }, "ccc" },
    { "nothing below the comments", "main-content", "", { { WORDS_60, 0, NULL },
      { "12 Comments:", 0, NULL }, { WORDS_60, 0, NULL } }, "cbb" },
    { "the marker shown in the paper", "main-content", "", { { WORDS_60, 0, NULL },
      { "User comments:", 0, NULL }, { WORDS_60, 0, NULL } }, "cbb" },
    { "a link to comments above the text is not a marker", "main-content", "",
      { { WORDS_20, 0, NULL }, { "Comments (3)", 0, NULL }, { WORDS_60, 0, NULL } },
      "ccc" },
    { "a marker with more text does not count", "main-content", "", { { WORDS_60, 0, NULL },
      { "Comments on cats", 0, NULL }, { WORDS_60, 0, NULL } }, "ccc" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, strlen(row->want));
    set_title(page, row->title);
    uint8_t labels[30];
    label_blocks(row->classifier, page, labels);
    for (uint32_t i = 0; i < page->block_count; i++)
        assert_int_equal(labels[i] == TH_CONTENT ? 'c' : 'b', row->want[i]);
    th_arena_free(arena);
}

/* All kept blocks are also kept by NumWords. */
static void they_only_take_away(void **state)
{
    (void)state;
    static const char *const names[] = { "largest-content", "main-content" };
    uint64_t seed = 9;
    th_arena *arena = th_arena_new(0);
    uint8_t all[64], labels[64];
    for (unsigned round = 0; round < 400; round++) {
        th_arena_reset(arena);
        const th_page *page = make_random_page(arena, &seed, round % 64);
        label_blocks("num-words", page, all);
        label_blocks(names[round % 2], page, labels);
        for (uint32_t i = 0; i < page->block_count; i++)
            assert_true(labels[i] == TH_BOILERPLATE || all[i] == TH_CONTENT);
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
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(they_only_take_away);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
