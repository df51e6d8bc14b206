/* The n-th of our allocations fails, for n = 1, 2, .... Then a URL has no key, or its key
 * is complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "cdxj/surt.h"
#include "failing_allocation.h"

static void every_failure_is_survived(void **state)
{
    (void)state;
    th_buffer url = { 0 };
    th_buffer_append_text(&url, "http://www.Example.org/");
    for (int i = 0; i < 20000; i++) /* so that the arena grows for the path */
        th_buffer_append_text(&url, "%41");
    th_arena *arena = th_arena_new(0);
    assert_non_null(arena);
    const th_view want = th_surt(th_buffer_view(&url), arena);
    assert_non_null(want.data);
    size_t n = 0, failures = 0;
    bool is_met = true;
    while (is_met) {
        th_arena *other = th_arena_new(0);
        assert_non_null(other);
        fail_allocation(++n);
        const th_view key = th_surt(th_buffer_view(&url), other);
        is_met = is_failure_met();
        fail_allocation(0);
        failures += !key.data;
        if (key.data) {
            assert_int_equal(key.len, want.len);
            assert_memory_equal(key.data, want.data, want.len);
        }
        th_arena_free(other);
    }
    assert_true(failures > 2);
    th_arena_free(arena);
    th_buffer_done(&url);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_failure_is_survived) };
    return cmocka_run_group_tests_name("surt_nomem", tests, NULL, NULL);
}
