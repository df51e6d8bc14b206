/* Options: defaults, checks, and programs that were compiled with another th_options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "page/options_size.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

static void defaults_are_good(void **state)
{
    (void)state;
    th_options opt;
    memset(&opt, 0x55, sizeof opt);
    th_options_init(&opt);
    assert_int_equal(opt.size, sizeof opt);
    assert_int_equal(th_options_check(&opt, NULL), TH_OK);
    opt.main_segment = NULL; /* the default's other name */
    assert_int_equal(th_options_check(&opt, NULL), TH_OK);
}

static void what_is_not_known_is_named(void **state)
{
    (void)state;
    th_options opt;
    th_error err;
    th_options_init(&opt);
    opt.main_segment = "smallest";
    assert_int_equal(th_options_check(&opt, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "smallest"));
    th_options_init(&opt);
    opt.w_max = 0;
    assert_int_equal(th_options_check(&opt, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "w-max"));
}

/* A library with more members keeps the program's values and uses defaults for the rest.
 * It reads and writes no byte after the program's struct. */
static void an_older_program(void **state)
{
    (void)state;
    const size_t first = offsetof(th_options, emit) + sizeof(uint32_t);
    th_options opt, capacity;
    memset(&opt, 0x55, sizeof opt);
    th_options_init_sized(&opt, first);
    assert_int_equal(opt.size, first);
    for (size_t i = first; i < sizeof opt; i++)
        assert_int_equal(((const char *)&opt)[i], 0x55);
    opt.w_max = 40;
    const th_options *whole = th_options_complete(&opt, &capacity);
    assert_non_null(whole);
    assert_true(whole->size >= first);
    assert_int_equal(whole->w_max, 40);
    assert_int_equal(th_options_check(&opt, NULL), TH_OK);
}

/* A library with fewer members reports it, and writes only the members that it knows. */
static void a_newer_program(void **state)
{
    (void)state;
    struct {
        th_options now;
        char later[8];
    } opt;
    th_error err;
    memset(&opt, 0x55, sizeof opt);
    th_options_init_sized(&opt.now, sizeof opt);
    assert_int_equal(opt.now.size, sizeof opt);
    assert_int_equal(opt.now.w_max, 80);
    assert_int_equal(opt.later[7], 0);
    assert_int_equal(th_options_check(&opt.now, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "newer"));
}

static void without_init_nothing_runs(void **state)
{
    (void)state;
    const th_options opt = { .segmenter = "full-text", .classifier = "keep-all" };
    th_page page = { .arena = NULL };
    th_error err;
    assert_int_equal(th_options_check(&opt, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "th_options_init"));
    assert_null(th_parser_new(&opt));
    assert_int_equal(th_segment_page(&page, &opt), TH_USAGE);
    assert_int_equal(th_select_page(&page, &opt), TH_USAGE);
    assert_int_equal(th_sketch_page(&page, &opt, NULL), TH_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_good),
        cmocka_unit_test(what_is_not_known_is_named),
        cmocka_unit_test(an_older_program),
        cmocka_unit_test(a_newer_program),
        cmocka_unit_test(without_init_nothing_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
