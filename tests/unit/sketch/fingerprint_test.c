/* Parts of a segment's text in its fingerprint, and ignored parts. [K11 §4.3.3] */
#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"

/* clang-format off */
static const struct row {
    const char *name;
    struct block_row blocks[3];
    const char *hashed; /* the fingerprint is the SHA-1 of this text */
} rows[] = {
    { "lower case, one space", { { "Cat  BITES dog", 0, NULL } }, "cat bites dog" },
    { "digits and signs go", { { "-- Cat bites 2 (or 3) dogs! --", 0, NULL } },
      "cat bites or dogs" },
    { "nothing but signs", { { "| 12:30 |", 0, NULL } }, "" },
    { "blocks are joined", { { "cat", 0, NULL }, { "bites", 0, NULL },
      { "dog", 0, NULL } }, "cat bites dog" },
    { "a month", { { "On 3 October 2011", 0, NULL } }, "on $DATE$" },
    { "months and weekdays, short and long, once marked", { { "Mon, Jan 3", 0, NULL },
      { "to Thursday, FEBRUARY 4", 0, NULL } }, "to $DATE$" },
    { "the hour's half, close to its digits", { { "open 9am-5PM", 0, NULL } },
      "open $DATE$" },
    { "a name within a word stays", { { "marching sunny maybe decade", 0, NULL } },
      "marching sunny maybe decade" },
    { "the longest names", { { "Wednesday 1 September", 0, NULL } }, "$DATE$" },
    { "a date and nothing else", { { "3 May", 0, NULL } }, "$DATE$" },
    { "a URL", { { "see HTTP://Example.org/May?x=1, please", 0, NULL } },
      "see please $URL$" },
    { "a URL in brackets and one without scheme",
      { { "(https://a.b/c) www.x.org", 0, NULL } }, "$URL$" },
    { "a URL ends at a quotation mark", { { "\"ftp://a.b\"cat", 0, NULL } },
      "cat $URL$" },
    { "no URL starts within a word", { { "xwww.cat 1http://dog", 0, NULL } },
      "xwww cat http dog" },
    { "both markers, the date's first", { { "www.a.b on Sunday", 0, NULL } },
      "on $DATE$ $URL$" },
    { "letters of any script", { { "Мэй 5, МОСКВА", 0, NULL } }, "мэй москва" },
    { "a lower case longer than its capital", { { "\u023A", 0, NULL } }, "\u2C65" },
    { "marks between letters separate them, like all non-letters",
      { { "a\u0308b", 0, NULL } }, "a b" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    size_t count = 0;
    while (count < 3 && row->blocks[count].text)
        count++;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, count);
    const th_options opt = {
        .size = sizeof opt, .segmenter = "full-text", .profile = "2008", .theta_max = -1
    };
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    uint8_t want[TH_FINGERPRINT_LEN], found[TH_FINGERPRINT_LEN];
    assert_true(
        EVP_Digest(row->hashed, strlen(row->hashed), want, NULL, EVP_sha1(), NULL));
    assert_int_equal(th_template_fingerprint(page, 0, arena, found), TH_OK);
    assert_memory_equal(found, want, sizeof want);
    th_arena_free(arena);
}

/* A value from another program: printf 'cat bites dog' | sha1sum. */
static void digest_is_sha1(void **state)
{
    (void)state;
    static const uint8_t want[TH_FINGERPRINT_LEN] = { 0xba, 0xa8, 0x5c, 0xfa, 0x87,
                                                      0x07, 0xe9, 0xdc, 0x85, 0x51,
                                                      0x06, 0x7b, 0x6d, 0xcb, 0x23,
                                                      0x99, 0x67, 0x1a, 0xf3, 0xc5 };
    const struct block_row block = { "Cat bites dog.", 0, NULL };
    const th_options opt = {
        .size = sizeof opt, .segmenter = "full-text", .profile = "2008", .theta_max = -1
    };
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, &block, 1);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    uint8_t found[TH_FINGERPRINT_LEN];
    assert_int_equal(th_template_fingerprint(page, 0, arena, found), TH_OK);
    assert_memory_equal(found, want, sizeof want);
    th_arena_free(arena);
}

/* Segments need not be contiguous: every block of it counts and no other. */
static void a_segment_in_pieces(void **state)
{
    (void)state;
    const struct block_row blocks[] = {
        { "cat", 0, NULL }, { "x", 0, NULL },   { "bites", 0, NULL },
        { "y", 0, NULL },   { "dog", 0, NULL },
    };
    uint32_t segment_of[] = { 0, 1, 0, 1, 0 };
    th_segment segments[] = { { .first_block = 0, .block_count = 3 },
                              { .first_block = 1, .block_count = 2 } };
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, blocks, 5);
    page->segment_of = segment_of;
    page->segments = segments;
    page->segment_count = 2;
    uint8_t want[TH_FINGERPRINT_LEN], found[TH_FINGERPRINT_LEN];
    assert_true(EVP_Digest("cat bites dog", 13, want, NULL, EVP_sha1(), NULL));
    assert_int_equal(th_template_fingerprint(page, 0, arena, found), TH_OK);
    assert_memory_equal(found, want, sizeof want);
    assert_true(EVP_Digest("x y", 3, want, NULL, EVP_sha1(), NULL));
    assert_int_equal(th_template_fingerprint(page, 1, arena, found), TH_OK);
    assert_memory_equal(found, want, sizeof want);
    th_arena_free(arena);
}

static void memory_runs_out(void **state)
{
    (void)state;
    const struct block_row block = { "cat", 0, NULL };
    const th_options opt = {
        .size = sizeof opt, .segmenter = "full-text", .profile = "2008", .theta_max = -1
    };
    th_arena *arena = th_arena_new(0);
    th_arena *small = th_arena_new(4);
    th_page *page = make_page(arena, &block, 1);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    uint8_t found[TH_FINGERPRINT_LEN];
    assert_int_equal(th_template_fingerprint(page, 0, small, found), TH_NOMEM);
    th_arena_free(small);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 3];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(digest_is_sha1);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(a_segment_in_pieces);
    tests[ROWS + 2] = (struct CMUnitTest)cmocka_unit_test(memory_runs_out);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
