/* src/app/progress_bar.c: the line, and where a step begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/progress_bar.h"
#include "base/clock.h"

enum { AGO = 1000 }; /* seconds; a tenth more or less makes no difference */

/* Shows a view. @return the line, of a stream without a width; freed by the caller */
static char *shown(th_progress_bar *bar, const th_progress_view *view)
{
    char *line = NULL;
    size_t len = 0;
    bar->out = open_memstream(&line, &len);
    assert_non_null(bar->out);
    th_progress_bar_show(bar, view);
    (void)fclose(bar->out);
    assert_memory_equal(line, "\r\033[K", 4);
    return line;
}

static void a_step_counts_from_its_begin(void **state)
{
    (void)state;
    th_progress_bar bar = { .is_shown = true,
                            .started = th_clock_seconds(CLOCK_MONOTONIC) - AGO,
                            .first = 100 };
    th_progress_view view = { .step = "reading",
                              .done = (uint64_t)AGO * 500000,
                              .total = (uint64_t)AGO * 1000000,
                              .is_bytes = true,
                              .words = "7 records" };
    char *line = shown(&bar, &view);
    assert_non_null(strstr(line, "reading   ["));
    assert_non_null(strstr(line, " 50.0%  0.5 MB/s  1"));
    assert_non_null(strstr(line, " left  7 records"));
    assert_int_equal(bar.first, 100); /* the first step has begun already */
    free(line);

    /* Nothing is known of the speed of the next step. */
    view = (th_progress_view){ .step = "ranking", .done = 7, .total = 10, .words = "x" };
    for (int i = 0; i < 2; i++) {
        line = shown(&bar, &view);
        assert_non_null(strstr(line, "ranking   ["));
        assert_non_null(strstr(line, " 70.0%  x"));
        assert_int_equal(bar.first, 7);
        assert_string_equal(bar.step, "ranking");
        free(line);
    }

    /* Nor of a step whose name is longer than the bar keeps. */
    view.step = "a step of many words";
    for (view.done = 8; view.done < 10; view.done++) {
        free(shown(&bar, &view));
        assert_int_equal(bar.first, 8);
    }
}

/* Without a total there is neither a bar nor a share. */
static void without_a_total_there_is_no_bar(void **state)
{
    (void)state;
    th_progress_bar bar = { .started = th_clock_seconds(CLOCK_MONOTONIC) - AGO };
    const th_progress_view view = { .done = (uint64_t)AGO * 2000000,
                                    .is_bytes = true,
                                    .words = "records" };
    char *line = shown(&bar, &view);
    assert_string_equal(line, "\r\033[K  2.0 MB/s  records");
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_counts_from_its_begin),
        cmocka_unit_test(without_a_total_there_is_no_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
