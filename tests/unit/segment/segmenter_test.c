/* The segment stage: properties of every method, and the table of segments. */
#include "thresher/segmenter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "make_page.h"

static th_options options(const th_segmenter *method)
{
    return (th_options){ .size = sizeof(th_options),
                         .segmenters = th_lab_segmenters,
                         .segmenter = method->name,
                         .profile = "html5",
                         .theta_max = -1,
                         .w_max = 80 };
}

static void numbers_are_dense(const th_page *page)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        assert_true(page->segment_of[i] <= count);
        count += page->segment_of[i] == count;
    }
    assert_int_equal(page->segment_count, count);
}

/* A segment's row is the sum of its blocks, at any position. */
static void table_sums_up(const th_page *page)
{
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const th_segment *segment = &page->segments[i];
        uint32_t blocks = 0, first = 0, end = 0, tokens = 0, linked = 0;
        for (uint32_t k = 0; k < page->block_count; k++) {
            if (page->segment_of[k] != i)
                continue;
            first = blocks ? first : k;
            end = k + 1;
            blocks++;
            tokens += page->blocks[k].tokens;
            linked += page->blocks[k].linked_tokens;
        }
        assert_true(blocks > 0);
        assert_int_equal(segment->first_block, first);
        assert_int_equal(segment->block_count, blocks);
        assert_int_equal(segment->tokens, tokens);
        assert_int_equal(segment->linked_tokens, linked);
        if (end - first != blocks)
            continue; /* a density of adjacent blocks is not its */
        assert_true(segment->density == th_page_density(page, first, end));
        assert_true(segment->link_density == th_page_link_density(page, first, end));
    }
}

static void method_holds(void **state)
{
    const th_segmenter *method = *state;
    const th_options opt = options(method);
    assert_ptr_equal(th_segmenter_find(th_lab_segmenters, method->name), method);
    assert_true(method->cites[0] == '[' && method->help[0]);
    uint64_t seed = 11;
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 200; round++) {
        th_arena_reset(arena);
        th_page *page = make_random_page(arena, &seed, round % 50);
        if (round % 2)
            nest_at_random(page, arena, &seed);
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        numbers_are_dense(page);
        table_sums_up(page);
    }
    th_arena_free(arena);
}

/* With one byte more each time, the stage fails and changes nothing, until it holds. */
static void memory_runs_out(void **state)
{
    const th_options opt = options(*state);
    uint64_t seed = 3;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_random_page(arena, &seed, 12);
    th_status status = TH_NOMEM;
    for (size_t limit = 1; status != TH_OK; limit++) {
        page->arena = th_arena_new(limit);
        status = th_segment_page(page, &opt);
        if (status != TH_OK) {
            assert_int_equal(status, TH_NOMEM);
            assert_null(page->segment_of);
            assert_null(page->segments);
        }
        th_arena_free(page->arena);
    }
    th_arena_free(arena);
}

/* The maximum of blocks per page, with the memory that the page leaves: limited work
 * is never refused for its size. */
static void large_pages_have_capacity(void **state)
{
    enum { BLOCKS = 250000, ROOM = 80 << 20 };
    const th_options opt = options(*state);
    uint64_t seed = 5;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_random_page(arena, &seed, BLOCKS);
    page->arena = th_arena_new(ROOM);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    th_arena_free(page->arena);
    th_arena_free(arena);
}

static void unknown_names_find_nothing(void **state)
{
    (void)state;
    assert_null(th_segmenter_find(NULL, "bf"));
    assert_null(th_segmenter_find(NULL, ""));
}

int main(void)
{
    enum { MOST = 64 };
    struct CMUnitTest tests[MOST + 1];
    char names[MOST][64];
    size_t count = 0;
    for (const th_segmenter *const *at = th_lab_segmenters; *at && count + 3 < MOST;
         at++) {
        char *name = names[count];
        (void)snprintf(name, sizeof names[0], "%s keeps its promises", (*at)->name);
        tests[count++] =
            (struct CMUnitTest){ name, method_holds, NULL, NULL, (void *)(uintptr_t)*at };
        name = names[count];
        (void)snprintf(name, sizeof names[0], "%s without memory", (*at)->name);
        tests[count++] = (struct CMUnitTest){ name, memory_runs_out, NULL, NULL,
                                              (void *)(uintptr_t)*at };
        name = names[count];
        (void)snprintf(name, sizeof names[0], "%s on large pages", (*at)->name);
        tests[count++] = (struct CMUnitTest){ name, large_pages_have_capacity, NULL, NULL,
                                              (void *)(uintptr_t)*at };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(unknown_names_find_nothing);
    return _cmocka_run_group_tests("segmenter", tests, count, NULL, NULL);
}
