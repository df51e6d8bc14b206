/* src/traffic/work_result.c: large buffers are charged and freed, small ones are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "traffic/work_result.h"

enum { SMALL = 1 << 20, LARGE = 5 << 20 };

/* A budget smaller than two charges: a charge that is not given back would wait forever. */
static void large_buffers_do_not_stay(void **state)
{
    (void)state;
    const size_t buffers[] = {
        offsetof(th_work_buffers, pages),
        offsetof(th_work_buffers, packed),
        offsetof(th_work_buffers, rejects),
        offsetof(th_work_buffers, aside),
    };
    th_budget *budget = th_budget_new((uint64_t)LARGE * 3 / 2);
    th_work_buffers room = { 0 };
    assert_non_null(budget);
    assert_true(th_buffer_reserve(&room.bands, SMALL));
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        th_buffer *buffer = (th_buffer *)(void *)((char *)&room + buffers[i]);
        assert_true(th_buffer_reserve(buffer, SMALL));
        th_work_buffers_charge(&room, budget, i);
        assert_int_equal(room.charged, 0);
        th_work_buffers_release_memory(&room, budget);
        assert_true(buffer->capacity >= SMALL);

        assert_true(th_buffer_reserve(buffer, LARGE));
        th_work_buffers_charge(&room, budget, i);
        assert_true(room.charged >= LARGE);
        th_work_buffers_release_memory(&room, budget);
        assert_int_equal(room.charged, 0);
        assert_int_equal(buffer->capacity, 0);
        assert_true(room.bands.capacity >= SMALL);
        th_budget_advance(budget, i + 1);
    }
    th_work_buffers_done(&room);
    th_budget_free(budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(large_buffers_do_not_stay) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
