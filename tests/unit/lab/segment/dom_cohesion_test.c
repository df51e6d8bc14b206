/* dom-cohesion: the reference's blocks, bounds, outliers and segments. */
#include "lab/segment/dom_cohesion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "segment/vectors.h"

static void check_found(json_val want, const th_dom_block *blocks, uint32_t count)
{
    assert_int_equal(length_of(want), count);
    for (uint32_t i = 0; i < count; i++) {
        json_val row = element(want, i);
        assert_int_equal(blocks[i].node, integer_at(row, 0));
        assert_int_equal(blocks[i].spread, integer_at(row, 1));
        assert_int_equal(blocks[i].cells, integer_at(row, 2));
        assert_true(fabs(blocks[i].heterogeneity - json_real(element(row, 3))) < 1e-9);
        assert_int_equal(blocks[i].is_outlier, integer_at(row, 4));
    }
}

static void pages_are_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("dom_cohesion.json");
    json_val pages = member(file, "pages");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(pages); i++) {
        json_val want = element(pages, i), bound = member(want, "bound");
        th_page *page = vector_page(string(member(want, "name")), arena);
        th_dom_block *blocks = NULL;
        uint32_t count = 0, segment_of[64];
        double have = 0;
        assert_true(page->block_count <= 64);
        assert_int_equal(th_dom_blocks_find(page, arena, &blocks, &count, &have), TH_OK);
        check_found(member(want, "found"), blocks, count);
        if (bound->type == JSON_NULL)
            assert_true(have < 0);
        else
            assert_true(fabs(have - json_real(bound)) < 1e-9);
        assert_int_equal(th_dom_cohesion.segment(page, NULL, arena, segment_of), TH_OK);
        check_numbers(member(want, "segment_of"), segment_of, page->block_count);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pages_are_the_references) };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
