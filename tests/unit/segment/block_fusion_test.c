/* Block Fusion on small pages, and against the listing of Algorithm 4.1 on random ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "make_page.h"
#include "segment/gap_profile.h"
#include "thresher/segmenter.h"

/* clang-format off */
static const struct row {
    const char *name, *method;
    double theta_max; /* negative: the method's own */
    struct block_row blocks[8];
    const char *want; /* a letter for each block */
} rows[] = {
    { "one block is one segment", "bf-plain", -1, { { "a", 0, NULL } }, "a" },
    /* [K11 §4.2.2] the dates of the CIKM page: 1.0/2.0/1.0 */
    { "dates that alternate 1/2/1 stay apart, plain", "bf-plain", -1,
      { { "May", 0, "span" }, { "June 3", 0, "span" }, { "May", 0, "span" } }, "abc" },
    { "2/1/2 is smoothed", "bf-smoothed", -1, { { "a b", 0, NULL }, { "c", 0, NULL },
      { "d e", 0, NULL } }, "aaa" },
    { "1/2/1 is not a dent", "bf-smoothed", -1, { { "a", 0, NULL }, { "b c", 0, NULL },
      { "d", 0, NULL } }, "abc" },
    { "5/1/5/1 is smoothed, then the last compared", "bf-smoothed", -1,
      { { "a b c d e", 0, NULL }, { "f", 0, NULL }, { "a b c d e", 0, NULL },
      { "f", 0, NULL } }, "aaab" },
    { "unequal blocks are not a rim", "bf-smoothed", 0.1, { { "a b c", 0, NULL },
      { "d", 0, NULL }, { "e f", 0, NULL } }, "abc" },
    { "what smoothing fused meets its next neighbour in the same sweep", "bf-smoothed",
      0.5, { { "a b", 0, NULL }, { "c", 0, NULL }, { "d e", 0, NULL }, { "f", 0, NULL } },
      "aaaa" },
    { "5 and 2: slope delta is 0.6, not more", "bf-plain", 0.6,
      { { "a b c d e", 0, NULL }, { "f g", 0, NULL } }, "aa" },
    { "a hair below 0.6 parts them", "bf-plain", 0.59999, { { "a b c d e", 0, NULL },
      { "f g", 0, NULL } }, "ab" },
    { "two blocks without a token are alike", "bf-plain", 0, { { "|", 0, NULL },
      { "|", 0, NULL } }, "aa" },
    { "a token and none are as unlike as can be", "bf-plain", 0.99, { { "a", 0, NULL },
      { "|", 0, NULL } }, "ab" },
    { "a fused block meets its next neighbour in the same sweep", "bf-plain", 0.34,
      { { "a b", 0, NULL }, { "a b c", 0, NULL }, { "a b", 0, NULL },
      { "a b c", 0, NULL } }, "aaaa" },
    { "plain heeds no tag", "bf-plain", -1, { { "a b", 0, "h1" }, { "c d", 0, "table" } },
      "aa" },
    { "smoothed heeds no tag", "bf-smoothed", -1, { { "a b", 0, "h1" },
      { "c", 0, "table" }, { "d e", 0, "hr" } }, "aaa" },
    { "a heading parts equals", "bf-rulebased", -1, { { "a b", 0, "p" },
      { "c d", 0, "/p h2" } }, "ab" },
    { "inline tags join what is unlike", "bf-rulebased", -1,
      { { "a b c d e f g h", 0, "p" }, { "i", 0, "br" }, { "j k", 0, "b /b" } }, "aaa" },
    { "an inline tag next to a block tag joins nothing", "bf-rulebased", -1,
      { { "a b c d e f g h", 0, "p" }, { "i", 0, "br div" } }, "ab" },
    { "other tags leave it to the density", "bf-rulebased", -1, { { "a b c d e", 0, "p" },
      { "f g", 0, "/p p" }, { "h", 0, "/p p" } }, "aab" },
    { "smoothing does not cross a heading before the dent", "bf-rulebased", 0.3,
      { { "a b", 0, "p" }, { "c", 0, "h2" }, { "d e", 0, "p" } }, "abc" },
    { "and not after it", "bf-rulebased", 0.3, { { "a b", 0, "p" }, { "c", 0, "p" },
      { "d e", 0, "h2" } }, "abc" },
    { "a fused block keeps the gap of its first", "bf-rulebased", -1, { { "a b", 0, "p" },
      { "c d", 0, "h2" }, { "e f", 0, "p" }, { "g h", 0, "br" } }, "abbb" },
    { "the gap before the page parts nothing", "just-rules", -1, { { "a", 0, "h1" },
      { "b c d e f", 0, "p" } }, "aa" },
    { "just-rules cuts at every rule", "just-rules", -1, { { "a", 0, "p" },
      { "b c d e f", 0, "div" }, { "g", 0, "p img" }, { "h", 0, "/ul" } }, "aabc" },
    { "just-rules has no threshold", "just-rules", 0, { { "a", 0, "p" },
      { "b c d e f", 0, "div" } }, "aa" },
};
/* clang-format on */

static th_options options(const char *method, double theta_max)
{
    return (th_options){ .size = sizeof(th_options),
                         .segmenter = method,
                         .profile = "2008",
                         .theta_max = theta_max,
                         .w_max = 80 };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, strlen(row->want));
    const th_options opt = options(row->method, row->theta_max);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    for (uint32_t i = 0; i < page->block_count; i++)
        assert_int_equal('a' + page->segment_of[i], row->want[i]);
    th_arena_free(arena);
}

/* ---- the listing, line for line, on an array that closes up: slow, and plain to see */

struct listing {
    const th_page *page;
    bool is_smoothed, has_rules;
    uint64_t percent; /* theta_max in hundredths */
    uint32_t *start;  /* of ranges; start[count] is the end of the last */
    uint32_t count;
};

static void fraction(const struct listing *l, uint32_t i, uint64_t *tokens,
                     uint64_t *lines)
{
    *tokens = *lines = 0;
    for (uint32_t b = l->start[i]; b < l->start[i + 1]; b++) {
        *tokens += l->page->blocks[b].tokens;
        *lines += l->page->blocks[b].lines;
    }
    if (*lines > 1) {
        *tokens -= l->page->blocks[l->start[i + 1] - 1].last_line_tokens;
        *lines -= 1;
    }
}

static uint8_t class_before(const struct listing *l, uint32_t i)
{
    const th_block *block = &l->page->blocks[l->start[i]];
    if (!l->has_rules)
        return TH_GAP_NEUTRAL;
    return th_gap_class(th_gap_profile_find("2008"), l->page->gap_tags + block->gap_start,
                        block->gap_len);
}

static bool line_4(const struct listing *l, uint32_t i)
{
    if (!l->is_smoothed || i + 1 == l->count)
        return false;
    uint64_t tx, lx, ty, ly, tz, lz;
    fraction(l, i - 1, &tx, &lx);
    fraction(l, i, &ty, &ly);
    fraction(l, i + 1, &tz, &lz);
    return tx * lz == tz * lx && ty * lx < tx * ly &&
           class_before(l, i) != TH_GAP_ENFORCING &&
           class_before(l, i + 1) != TH_GAP_ENFORCING;
}

static bool line_11(const struct listing *l, uint32_t i)
{
    if (class_before(l, i) == TH_GAP_ENFORCING)
        return false;
    if (class_before(l, i) == TH_GAP_AVOIDING)
        return true;
    uint64_t tx, lx, ty, ly;
    fraction(l, i - 1, &tx, &lx);
    fraction(l, i, &ty, &ly);
    const uint64_t x = tx * ly, y = ty * lx;
    return (x > y ? x - y : y - x) * 100 <= l->percent * (x > y ? x : y);
}

static void drop_start(struct listing *l, uint32_t i)
{
    memmove(l->start + i, l->start + i + 1, (l->count - i) * sizeof *l->start);
    l->count--;
}

static void run_listing(struct listing *l)
{
    bool loop = true;
    while (loop) {
        loop = false;
        for (uint32_t i = 1; i < l->count;) {
            if (line_4(l, i)) {
                drop_start(l, i + 1);
                drop_start(l, i);
                loop = true; /* block i now follows the fused block */
            } else if (line_11(l, i)) {
                drop_start(l, i);
                loop = true;
            } else {
                i++;
            }
        }
    }
}

static void holds_against_listing(th_page *page, const char *method, bool is_smoothed,
                                  bool has_rules, uint64_t percent)
{
    struct listing l = { page, is_smoothed, has_rules, percent, NULL, page->block_count };
    l.start = calloc(page->block_count + 1u, sizeof *l.start);
    for (uint32_t i = 0; i <= page->block_count; i++)
        l.start[i] = i;
    run_listing(&l);
    const th_options opt = options(method, (double)percent / 100);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    assert_int_equal(page->segment_count, l.count);
    for (uint32_t i = 0; i < l.count; i++) {
        for (uint32_t b = l.start[i]; b < l.start[i + 1]; b++)
            assert_int_equal(page->segment_of[b], i);
    }
    free(l.start);
}

static void random_pages_equal_the_listing(void **state)
{
    (void)state;
    static const uint64_t percents[] = { 0, 10, 20, 38, 50, 60, 75, 90, 100 };
    uint64_t seed = 20081026;
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 600; round++) {
        th_arena_reset(arena);
        th_page *page = make_random_page(arena, &seed, next_random(&seed) % 60);
        const uint64_t percent =
            percents[next_random(&seed) % (sizeof percents / sizeof *percents)];
        holds_against_listing(page, "bf-plain", false, false, percent);
        holds_against_listing(page, "bf-smoothed", true, false, percent);
        holds_against_listing(page, "bf-rulebased", true, true, percent);
    }
    th_arena_free(arena);
}

/* ---- properties */

static void threshold_extremes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_random_page(arena, &seed, 200);
    th_options opt = options("bf-plain", INFINITY);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    assert_int_equal(page->segment_count, 1);
    opt.theta_max = 0;
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    for (uint32_t i = 1; i < page->segment_count; i++) /* only equals are fused */
        assert_true(page->segments[i - 1].density != page->segments[i].density);
    th_arena_free(arena);
}

static void just_rules_is_rulebased_without_end(void **state)
{
    (void)state;
    uint64_t seed = 77;
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 100; round++) {
        th_arena_reset(arena);
        th_page *page = make_random_page(arena, &seed, 1 + next_random(&seed) % 80);
        th_options opt = options("bf-rulebased", INFINITY);
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        const uint32_t *fused = page->segment_of;
        opt.segmenter = "just-rules";
        opt.theta_max = -1;
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        assert_memory_equal(page->segment_of, fused, page->block_count * sizeof *fused);
        uint32_t cuts = 0;
        for (uint32_t i = 1; i < page->block_count; i++)
            cuts += th_gap_class(th_gap_profile_find("2008"), &page->gap_tags[i], 1) ==
                    TH_GAP_ENFORCING;
        assert_int_equal(page->segment_count, cuts + 1);
    }
    th_arena_free(arena);
}

/*
 * 10, 6, 10, 6, ..., and a long block of 8 at the end. The pairs differ, but the last
 * block is similar to both of them and stays so. A literal sweep makes one fusion, so
 * 100,000 sweeps take minutes. Our code takes milliseconds. The bound leaves time for
 * sanitizers and a busy machine.
 */
static void alternation_is_linear(void **state)
{
    (void)state;
    enum { COUNT = 100001 };
    th_block *blocks = calloc(COUNT, sizeof *blocks);
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        const uint32_t tokens = i % 2 ? 6 : 10;
        blocks[i] = (th_block){ .tokens = tokens,
                                .lines = 1,
                                .last_line_tokens = tokens,
                                .gap_start = TH_TAG_P };
    }
    blocks[COUNT - 1] = (th_block){
        .tokens = 8000, .lines = 1000, .last_line_tokens = 8, .gap_start = TH_TAG_P
    };
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page_of_counts(arena, blocks, COUNT);
    free(blocks);
    static const char *const methods[] = { "bf-plain", "bf-smoothed", "bf-rulebased" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const th_options opt = options(methods[i], 0.38);
        const clock_t before = clock();
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 2);
        assert_int_equal(page->segment_count, 1);
    }
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 4];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(random_pages_equal_the_listing);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(threshold_extremes);
    tests[ROWS + 2] =
        (struct CMUnitTest)cmocka_unit_test(just_rules_is_rulebased_without_end);
    tests[ROWS + 3] = (struct CMUnitTest)cmocka_unit_test(alternation_is_linear);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
