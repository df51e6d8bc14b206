/* Arrays that grow, searches in sorted ones, orders, and copies of views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/order.h"
#include "base/view_copier.h"

enum { COUNT = 1000 };

static void keeps_its_items(void **state)
{
    (void)state;
    uint64_t *items = NULL, *of_arena = NULL;
    size_t capacity = 0, growths = 0;
    uint32_t arena_capacity = 0;
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < COUNT; i++) {
        const size_t before = capacity;
        assert_true(TH_HAS_CAPACITY(items, i, capacity));
        assert_true(TH_ARENA_HAS_CAPACITY(arena, of_arena, i, arena_capacity));
        growths += capacity != before;
        items[i] = of_arena[i] = i;
    }
    assert_int_equal(growths, 6); /* 32 to 1024 */
    assert_int_equal(capacity, 1024);
    assert_int_equal(arena_capacity, 1024);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(items[i] == i && of_arena[i] == i);
    free(items);
    th_arena_free(arena);
}

/* A full arena has no capacity. The array stays. */
static void runs_out_of_memory(void **state)
{
    (void)state;
    uint64_t *items = NULL;
    uint32_t capacity = 0, count = 0;
    th_arena *arena = th_arena_new(4096);
    while (count < COUNT && TH_ARENA_HAS_CAPACITY(arena, items, count, capacity)) {
        items[count] = count;
        count++;
    }
    assert_in_range(count, 32, COUNT - 1);
    assert_int_equal(count, capacity);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(items[i], i);
    th_arena_free(arena);
}

/* The same as a search from the first row on. */
static void finds_the_first(void **state)
{
    (void)state;
    struct row {
        uint64_t other;
        uint32_t key;
    } rows[] = { { 9, 2 }, { 8, 2 }, { 7, 5 }, { 6, 9 }, { 5, UINT32_MAX } };
    for (uint32_t count = 0; count <= sizeof rows / sizeof *rows; count++)
        for (uint64_t key = 0; key <= (uint64_t)UINT32_MAX + 1;
             key += key == 12 ? UINT32_MAX - 13 : 1) {
            uint32_t want = 0;
            while (want < count && rows[want].key < key)
                want++;
            assert_int_equal(th_first_from(count ? rows : NULL, count, sizeof *rows,
                                           offsetof(struct row, key), key),
                             want);
        }
}

static void orders(void **state)
{
    (void)state;
    uint32_t small[] = { 3, UINT32_MAX, 0 };
    uint64_t large[] = { UINT64_MAX, 1, UINT64_C(1) << 32 };
    const char *names[] = { "b", "a", "ab" };
    qsort(small, 3, sizeof *small, th_order_uint32);
    qsort(large, 3, sizeof *large, th_order_uint64);
    qsort(names, 3, sizeof *names, th_order_names);
    assert_true(small[0] == 0 && small[1] == 3 && small[2] == UINT32_MAX);
    assert_true(large[0] == 1 && large[1] == UINT64_C(1) << 32 && large[2] == UINT64_MAX);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "ab");
    assert_string_equal(names[2], "b");
    for (unsigned i = 0; i < 2; i++) {
        assert_true(th_order_uint32(&small[i], &small[i + 1]) < 0);
        assert_true(th_order_uint32(&small[i + 1], &small[i]) > 0);
        assert_true(th_order_uint64(&large[i], &large[i + 1]) < 0);
        assert_true(th_order_uint64(&large[i + 1], &large[i]) > 0);
    }
}

/* An absent view stays absent, and an empty one present. */
static void copies_views(void **state)
{
    (void)state;
    char bytes[100000] = "text";
    th_view_copier copier = { .arena = th_arena_new(4096) };
    const th_view text = th_view_copy(&copier, (th_view){ bytes, 4 });
    const th_view empty = th_view_copy(&copier, (th_view){ bytes, 0 });
    assert_memory_equal(text.data, "text", 4);
    assert_true(text.data != bytes && empty.data && empty.data != bytes && !empty.len);
    assert_null(th_view_copy(&copier, (th_view){ NULL, 0 }).data);
    assert_false(copier.has_failed);
    assert_null(th_view_copy(&copier, (th_view){ bytes, sizeof bytes }).data);
    (void)th_view_copy(&copier, (th_view){ bytes, 4 });
    assert_true(copier.has_failed);
    th_arena_free(copier.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_items), cmocka_unit_test(runs_out_of_memory),
        cmocka_unit_test(finds_the_first), cmocka_unit_test(orders),
        cmocka_unit_test(copies_views),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
