/* Words by the definition of the scorers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/extraction/word_hashes.h"

static th_view view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static const struct row {
    const char *text;
    size_t plain, bag, aligned; /* how many words */
} rows[] = {
    { "", 0, 0, 0 },
    { "one two", 2, 2, 2 },
    { "can't stop-me_now", 4, 4, 2 },
    { "  - * |  ", 0, 0, 0 },
    { "\xE4\xBD\xA0\xE5\xA5\xBD world", 2, 3, 3 }, /* two Chinese characters */
    { "\xE0\xB8\x81\xE0\xB8\x82", 1, 1, 2 },       /* two Thai letters */
    { "\xEA\xB0\x80\xEB\x82\x98", 1, 2, 1 },       /* two Korean syllables */
    { "a\x1C"
      "b",
      2, 2, 2 },                          /* file separator is whitespace */
    { "\xC2\xBD \xE2\x85\xA7", 2, 2, 2 }, /* one half, Roman eight */
    { "1,000.5", 3, 3, 1 },
};

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_hash_list lists[3] = { { 0 } };
        assert_int_equal(th_plain_words(view(rows[i].text), &lists[0]), 0);
        assert_int_equal(th_bag_words(view(rows[i].text), &lists[1]), 0);
        assert_int_equal(th_alignment_words(view(rows[i].text), &lists[2]), 0);
        assert_int_equal(lists[0].count, rows[i].plain);
        assert_int_equal(lists[1].count, rows[i].bag);
        assert_int_equal(lists[2].count, rows[i].aligned);
        for (int j = 0; j < 3; j++)
            th_hash_list_done(&lists[j]);
    }
}

/* Case and punctuation do not part words that are aligned. */
static void alignment_is_lenient(void **state)
{
    th_case_mapper mapper;
    th_hash_list words = { 0 };
    (void)state;
    assert_int_equal(th_case_mapper_init(&mapper), TH_OK);
    assert_int_equal(th_alignment_words(th_folded(&mapper, view("(Stra\xC3\x9F"
                                                                "e) STRASSE, strasse")),
                                        &words),
                     TH_OK);
    assert_int_equal(words.count, 3);
    assert_true(words.hashes[0] == words.hashes[1] && words.hashes[1] == words.hashes[2]);
    assert_true(th_alignment_word(th_folded(&mapper, view("Strasse!"))) ==
                words.hashes[0]);
    th_hash_list_done(&words);
    th_case_mapper_done(&mapper);
}

/* The dotted capital I grows, a sigma at the end of a word is another letter. */
static void lower_case_knows_its_exceptions(void **state)
{
    th_case_mapper mapper;
    (void)state;
    assert_int_equal(th_case_mapper_init(&mapper), TH_OK);
    th_view lower = th_lowered(&mapper, view("\xC4\xB0"));
    assert_int_equal(lower.len, 3);
    lower = th_lowered(&mapper, view("\xCE\x91\xCE\xA3"));
    assert_memory_equal(lower.data, "\xCE\xB1\xCF\x82", 4);
    th_case_mapper_done(&mapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(alignment_is_lenient),
        cmocka_unit_test(lower_case_knows_its_exceptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
