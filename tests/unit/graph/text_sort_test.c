/* Compares src/graph/text_sort.c with qsort, in memory and with runs on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/text_sort.h"

enum { KEY_MAX = 40 };

struct line {
    uint32_t len;
    char key[KEY_MAX];
    uint64_t value;
};

/* clang-format off */
static const struct row {
    const char *name;
    uint32_t count;
    uint32_t letters; /* different bytes of keys; the first one is NUL */
    uint32_t shared;  /* bytes that all keys begin with */
    uint64_t memory;
    uint64_t least_runs;
} rows[] = {
    { "nothing",       0,     2,   0,  1 << 20, 0 },
    { "one",           1,     2,   0,  1 << 20, 0 },
    { "in memory",     5000,  256, 0,  4 << 20, 0 },
    { "alike",         5000,  2,   20, 4 << 20, 0 },
    { "zeros alone",   3000,  1,   9,  4 << 20, 0 },
    { "runs",          20000, 3,   0,  1,       4 },
    { "runs alike",    20000, 2,   17, 1,       4 },
    { "runs of bytes", 20000, 256, 0,  1,       4 },
};
/* clang-format on */

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static int compare(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    const int order = memcmp(a->key, b->key, a->len < b->len ? a->len : b->len);
    if (order || a->len != b->len)
        return order ? order : a->len < b->len ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static struct line draw_line(const struct row *row, uint64_t *seed)
{
    struct line line = { .len = row->shared + draw(seed) % (KEY_MAX - row->shared) };
    memset(line.key, 'x', row->shared);
    for (uint32_t i = row->shared; i < line.len; i++)
        line.key[i] = (char)(draw(seed) % row->letters);
    line.value = draw(seed) % 3 ? draw(seed) % 5 : UINT64_MAX - draw(seed);
    return line;
}

static void sorts_as_qsort(void **state)
{
    const struct row *row = *state;
    struct line *want = calloc(row->count + 1, sizeof *want);
    th_text_sort *sort = NULL;
    uint64_t seed = 7, value = 0;
    th_view key;
    assert_int_equal(th_text_sort_new("", row->memory, &sort, NULL), TH_OK);
    for (uint32_t i = 0; i < row->count; i++) {
        want[i] = draw_line(row, &seed);
        assert_int_equal(th_text_sort_add(sort, (th_view){ want[i].key, want[i].len },
                                          want[i].value, NULL),
                         TH_OK);
    }
    qsort(want, row->count, sizeof *want, compare);
    assert_int_equal(th_text_sort_finish(sort, NULL), TH_OK);
    for (uint32_t i = 0; i < row->count; i++) {
        assert_int_equal(th_text_sort_next(sort, &key, &value, NULL), TH_OK);
        assert_int_equal(key.len, want[i].len);
        assert_memory_equal(key.data, want[i].key, key.len);
        assert_int_equal(value, want[i].value);
    }
    assert_int_equal(th_text_sort_next(sort, &key, &value, NULL), TH_END);
    assert_int_equal(th_text_sort_next(sort, &key, &value, NULL), TH_END);
    assert_int_equal(th_text_sort_count(sort), row->count);
    assert_true(th_text_sort_runs(sort) >= row->least_runs);
    assert_true(row->least_runs || !th_text_sort_runs(sort));
    th_text_sort_free(sort);
    free(want);
}

static void long_keys_have_a_limit(void **state)
{
    (void)state;
    static char key[TH_TEXT_SORT_KEY_MAX + 1];
    th_text_sort *sort = NULL;
    assert_int_equal(th_text_sort_new("", 0, &sort, NULL), TH_OK);
    assert_int_equal(th_text_sort_add(sort, (th_view){ key, sizeof key }, 0, NULL),
                     TH_TOO_LARGE);
    for (int i = 0; i < 100; i++) /* more than the memory */
        assert_int_equal(
            th_text_sort_add(sort, (th_view){ key, sizeof key - 1 }, 0, NULL), TH_OK);
    assert_int_equal(th_text_sort_finish(sort, NULL), TH_OK);
    th_view got;
    uint64_t value = 0;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(th_text_sort_next(sort, &got, &value, NULL), TH_OK);
        assert_int_equal(got.len, sizeof key - 1);
    }
    assert_int_equal(th_text_sort_next(sort, &got, &value, NULL), TH_END);
    th_text_sort_free(sort);
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows + 1];
    size_t count = 0;
    for (; count < sizeof rows / sizeof *rows; count++)
        tests[count] = (struct CMUnitTest){ rows[count].name, sorts_as_qsort, NULL, NULL,
                                            (void *)(uintptr_t)&rows[count] };
    tests[count] = (struct CMUnitTest)cmocka_unit_test(long_keys_have_a_limit);
    return _cmocka_run_group_tests("text_sort", tests, count + 1, NULL, NULL);
}
