/* Charts: foreign names are escaped as text, and points outside of the axes are not
 * drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "lab/report/svg_chart.h"

static uint32_t count_of(const th_buffer *text, const char *what)
{
    uint32_t count = 0;
    for (const char *at = text->data; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static void names_are_escaped(void **state)
{
    const double x[] = { 1, 10, 100, 1000, 5000 }, y[] = { 1000, 100, 10, 1, 50 };
    th_buffer out = { 0 };
    const th_chart chart = {
        .title = "<script>alert(1)</script> & co",
        .x_name = "x",
        .y_name = "y",
        .x_min = 1,
        .x_max = 1000,
        .y_min = 1,
        .y_max = 1000,
        .is_log = true,
        .series = { { "a<b", x, y, 5, 0, TH_CHART_LINE },
                    { NULL, x, y, 5, TH_CHART_BLACK, TH_CHART_DASHES } },
        .series_count = 2,
    };
    (void)state;
    th_svg_begin(&out, 1, 1);
    th_svg_chart(&out, &chart, 0, 0);
    th_svg_end(&out);
    th_buffer_append_char(&out, '\0');
    assert_false(out.has_failed);
    assert_int_equal(count_of(&out, "<script"), 0);
    assert_int_equal(count_of(&out, "&lt;script>alert(1)&lt;/script> &amp; co"), 1);
    assert_int_equal(count_of(&out, "a&lt;b"), 1);
    /* Two curves of four points within the axes, and one line of the legend. */
    assert_int_equal(count_of(&out, "<polyline"), 3);
    assert_int_equal(
        count_of(&out, "56.00,34.00 196.00,112.67 336.00,191.33 476.00,270.00 \""), 2);
    assert_int_equal(count_of(&out, "<path class=\"g\""), 8); /* 1, 10, 100, 1000 */
    assert_int_equal(count_of(&out, ">1000<"), 2);
    assert_int_equal(count_of(&out, "nan"), 0);
    assert_int_equal(count_of(&out, "inf"), 0);
    th_buffer_done(&out);
}

/* Marks of an axis are at multiples of 1, 2 or 5 times a power of ten. */
static void axes_have_round_numbers(void **state)
{
    static const struct {
        double most;
        uint32_t marks;
        const char *last, *before_it;
    } rows[] = {
        { 1.9, 10, ">1.8<", ">1.6<" }, { 2, 5, ">2<", ">1.5<" },
        { 2.9, 6, ">2.5<", ">2<" },    { 4.9, 10, ">4.5<", ">4<" },
        { 5, 6, ">5<", ">4<" },        { 99, 10, ">90<", ">80<" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_buffer out = { 0 };
        const th_chart chart = { .title = "t",
                                 .x_name = "x",
                                 .y_name = "y",
                                 .x_max = rows[i].most,
                                 .y_max = rows[i].most };
        th_svg_chart(&out, &chart, 0, 0);
        th_buffer_append_char(&out, '\0');
        assert_false(out.has_failed);
        assert_int_equal(count_of(&out, "<path class=\"g\""), 2 * rows[i].marks);
        assert_int_equal(count_of(&out, rows[i].last), 2);
        assert_int_equal(count_of(&out, rows[i].before_it), 2);
        th_buffer_done(&out);
    }
}

/* A corpus in a folder of an old disk: the file must stay well-formed. */
static void what_is_no_text_is_replaced(void **state)
{
    th_buffer out = { 0 };
    const th_chart chart = { .title = "caf\xE9 \xC3\xA9 \xEF\xBF\xBF end \xE2\x82",
                             .x_name = "x\x01",
                             .y_name = "y",
                             .x_max = 1,
                             .y_max = 1 };
    (void)state;
    th_svg_chart(&out, &chart, 0, 0);
    assert_int_equal(th_utf8_valid(out.data, out.len), out.len);
    th_buffer_append_char(&out, '\0');
    assert_false(out.has_failed);
    assert_int_equal(count_of(&out, "caf\xEF\xBF\xBD \xC3\xA9 \xEF\xBF\xBD end "
                                    "\xEF\xBF\xBD\xEF\xBF\xBD<"),
                     1);
    assert_int_equal(count_of(&out, ">x <"), 1);
    assert_int_equal(count_of(&out, "<path class=\"g\""), 12); /* 0, .2 .. 1 */
    assert_int_equal(count_of(&out, ">0<"), 2);
    assert_int_equal(count_of(&out, ">1<"), 2);
    th_buffer_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_escaped),
                                        cmocka_unit_test(what_is_no_text_is_replaced),
                                        cmocka_unit_test(axes_have_round_numbers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
