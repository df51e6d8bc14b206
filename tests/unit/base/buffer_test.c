/* src/base/buffer.c and status.c: growth, sticky errors, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "thresher/status.h"

static void appends_add_up(void **state)
{
    (void)state;
    th_buffer buffer = { 0 };
    assert_int_equal(th_buffer_view(&buffer).len, 0);
    assert_non_null(th_buffer_view(&buffer).data);
    for (int i = 0; i < 1000; i++) {
        th_buffer_append_text(&buffer, "ab");
        th_buffer_append_char(&buffer, 'c');
        th_buffer_append(&buffer, "", 0);
        th_buffer_printf(&buffer, "%d", i % 10);
    }
    assert_int_equal(buffer.len, 4000);
    for (int i = 0; i < 1000; i++) {
        const char want[] = { 'a', 'b', 'c', (char)('0' + i % 10) };
        assert_memory_equal(buffer.data + (ptrdiff_t)4 * i, want, 4);
    }
    th_buffer_reset(&buffer);
    assert_int_equal(buffer.len, 0);
    th_buffer_done(&buffer);
    assert_null(buffer.data);
}

static void a_failure_stays_until_reset(void **state)
{
    (void)state;
    th_buffer buffer = { 0 };
    th_buffer_append_text(&buffer, "kept");
    assert_false(th_buffer_reserve(&buffer, SIZE_MAX / 2));
    th_buffer_append_text(&buffer, "lost");
    assert_int_equal(buffer.len, 4);
    assert_true(buffer.has_failed);
    th_buffer_reset(&buffer);
    th_buffer_append_text(&buffer, "new");
    assert_int_equal(buffer.len, 3);
    th_buffer_done(&buffer);
}

static void statuses_have_names_and_families(void **state)
{
    (void)state;
    for (int i = 0; i < TH_STATUS_COUNT; i++) {
        assert_true(strlen(th_status_name((th_status)i)) > 1);
        assert_true(strlen(th_status_text((th_status)i)) > 3);
    }
    assert_true(th_status_is_refusal(TH_NOT_HTML));
    assert_true(th_status_is_refusal(TH_BAD_WARC));
    assert_false(th_status_is_refusal(TH_OK));
    assert_false(th_status_is_refusal(TH_NOT_YET));
    assert_false(th_status_is_refusal(TH_NOMEM));
    th_error err;
    assert_int_equal(th_fail(&err, TH_IO, "cannot open '%s'", "x"), TH_IO);
    assert_string_equal(err.text, "cannot open 'x'");
    assert_int_equal(err.status, TH_IO);
    assert_int_equal(th_fail(NULL, TH_NOMEM, "no words"), TH_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_add_up),
        cmocka_unit_test(a_failure_stays_until_reset),
        cmocka_unit_test(statuses_have_names_and_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
