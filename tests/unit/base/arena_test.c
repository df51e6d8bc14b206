/* src/base/arena.c: alignment, growth, limits, resets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_failure.h"

static void allocations_are_aligned_and_apart(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    char *before = NULL;
    size_t before_len = 0;
    for (size_t size = 0; size < 3000; size += 7) {
        char *memory = th_arena_alloc(arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        memset(memory, (int)(size & 0x7F), size);
        for (size_t i = 0; i < before_len; i++)
            assert_int_equal(before[i], (before_len & 0x7F));
        before = memory;
        before_len = size;
    }
    th_arena_free(arena);
}

static void grow_keeps_what_was_there(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    char *memory = NULL;
    size_t size = 0;
    for (size_t next = 1; next < (8u << 20); next = next * 2 + 1) {
        memory = th_arena_grow(arena, memory, size, next);
        assert_non_null(memory);
        memset(memory + size, 'x', next - size);
        size = next;
        for (size_t i = 0; i < size; i += 997)
            assert_int_equal(memory[i], 'x');
    }
    /* The newest allocation grows in place if there is space. */
    char *small = th_arena_alloc(arena, 10);
    assert_ptr_equal(th_arena_grow(arena, small, 10, 20), small);
    (void)th_arena_alloc(arena, 1);
    assert_ptr_not_equal(th_arena_grow(arena, small, 20, 40), small);
    th_arena_free(arena);
}

static void limit_refuses_and_says_so(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(1000);
    char *memory = th_arena_alloc(arena, 600);
    assert_non_null(memory);
    assert_false(th_arena_is_full(arena));
    assert_null(th_arena_alloc(arena, 401));
    assert_true(th_arena_is_full(arena));
    assert_false(th_arena_has_failed(arena)); /* the limit, not the system */
    assert_null(th_arena_grow(arena, memory, 600, 1001));
    assert_non_null(th_arena_grow(arena, memory, 600, 1000));
    assert_int_equal(th_arena_used(arena), 1000);
    th_arena_reset(arena);
    assert_false(th_arena_is_full(arena));
    assert_int_equal(th_arena_used(arena), 0);
    assert_non_null(th_arena_alloc(arena, 1000));
    th_arena_free(arena);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    assert_false(th_arena_has_failed(arena));
    assert_null(th_arena_alloc(arena, SIZE_MAX));
    assert_true(th_arena_has_failed(arena));
    th_arena_rewind(arena, th_arena_get_mark(arena));
    assert_true(th_arena_has_failed(arena));
    th_arena_reset(arena);
    assert_false(th_arena_has_failed(arena));
    assert_null(th_arena_calloc(arena, SIZE_MAX / 2, 3));
    assert_true(th_arena_has_failed(arena));
    th_arena_reset(arena);
    assert_null(th_arena_grow(arena, th_arena_alloc(arena, 1), 1, SIZE_MAX - 1));
    th_arena_free(arena);
    th_arena_free(NULL);
}

static void copies_are_equal_and_present(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_view copied = th_arena_copy(arena, (th_view){ "a\0b", 3 });
    assert_int_equal(copied.len, 3);
    assert_memory_equal(copied.data, "a\0b", 3);
    assert_non_null(th_arena_copy(arena, (th_view){ "", 0 }).data);
    const unsigned char *zeros = th_arena_calloc(arena, 100, 3);
    for (int i = 0; i < 300; i++)
        assert_int_equal(zeros[i], 0);
    th_arena_free(arena);
}

static void resets_forget_huge_pages(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    for (int round = 0; round < 50; round++) {
        assert_non_null(th_arena_alloc(arena, 10u << 20));
        for (int i = 0; i < 1000; i++)
            assert_non_null(th_arena_alloc(arena, 1000));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_apart),
        cmocka_unit_test(grow_keeps_what_was_there),
        cmocka_unit_test(limit_refuses_and_says_so),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(copies_are_equal_and_present),
        cmocka_unit_test(resets_forget_huge_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
