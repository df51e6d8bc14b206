/* The scored variants: the table's methods, and with a plot also the points of its curves. */
#include "lab/segmentation/segmentation_variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static th_segmentation_variants list(bool wants_plot, th_arena *arena)
{
    static th_options page;
    const th_eval_request request = { .page = &page, .wants_plot = wants_plot };
    const th_method_list segmenters = {
        .names = { "bf-rulebased", "gcuts", "boundary-graph" }, .count = 3
    };
    const th_method_list profiles = { .names = { "html5", "2008" }, .count = 2 };
    th_segmentation_variants variants;
    th_options_init(&page);
    assert_int_equal(
        th_segmentation_list_variants(&request, &segmenters, &profiles, arena, &variants),
        TH_OK);
    return variants;
}

static void tables_have_methods_alone(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_segmentation_variants variants = list(false, arena);
    assert_int_equal(variants.count, 4); /* bf-rulebased with either profile */
    assert_int_equal(variants.table_count, 4);
    assert_false(variants.items[3].has_parameter);
    th_arena_free(arena);
}

/* A learned method's curve goes over the parameter of its model and holds its default. */
static void curves_go_over_parameters(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_segmentation_variants variants = list(true, arena);
    uint32_t lambdas = 0, grains = 0, defaults = 0;
    for (uint32_t i = variants.parameter_first; i < variants.width_first; i++) {
        const th_segmentation_variant *at = &variants.items[i];
        assert_true(at->has_parameter);
        assert_int_equal(at->w_max, 80);
        if (th_segmentation_is_same_method(at, &variants.items[2])) {
            assert_string_equal(th_segmentation_parameter(at->segmenter), "lambda");
            assert_true(at->parameter >= 0);
            lambdas++;
        } else {
            assert_string_equal(th_segmentation_parameter(at->segmenter), "grain");
            defaults += at->parameter == 0;
            grains++;
        }
    }
    assert_int_equal(lambdas, 21);
    assert_int_equal(grains, 21);
    assert_int_equal(defaults, 1);
    assert_null(th_segmentation_parameter("bf-rulebased"));
    for (uint32_t i = variants.table_count; i < variants.parameter_first; i++)
        assert_false(variants.items[i].has_parameter);
    th_arena_free(arena);
}

/* The other curves go over every value of theta_max and of w_max, for each of their methods. */
static void curves_go_over_thresholds_and_widths(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_segmentation_variants variants = list(true, arena);
    assert_int_equal(variants.parameter_first - variants.table_count, 2 * 21);
    for (uint32_t i = 0; i < 21; i++) { /* of bf-rulebased with its first profile */
        const th_segmentation_variant *at = &variants.items[variants.table_count + i];
        assert_string_equal(at->segmenter, "bf-rulebased");
        assert_true(at->theta_max == i / 20.);
    }
    assert_int_equal(variants.count - variants.width_first, 12 * variants.table_count);
    const uint32_t widths[] = { 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160 };
    for (uint32_t i = 0; i < variants.count - variants.width_first; i++) {
        const th_segmentation_variant *at = &variants.items[variants.width_first + i];
        assert_int_equal(at->w_max, widths[i / variants.table_count]);
        assert_true(th_segmentation_is_same_method(
            at, &variants.items[i % variants.table_count]));
    }
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_methods_alone),
        cmocka_unit_test(curves_go_over_parameters),
        cmocka_unit_test(curves_go_over_thresholds_and_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
