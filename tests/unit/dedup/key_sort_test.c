/* Compares src/dedup/key_sort.c with qsort, in memory and with many runs on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dedup/key_sort.h"

struct pair {
    uint64_t key;
    uint32_t value;
};

/* clang-format off */
static const struct row {
    const char *name;
    uint32_t count;
    uint64_t keys;   /* drawn from 0 .. keys-1, 0 = all 64 bits */
    uint64_t memory; /* bytes; 1024 items is the least */
    uint64_t least_runs;
} rows[] = {
    { "nothing",              0,      0,  1 << 20, 0 },
    { "one",                  1,      0,  1 << 20, 0 },
    { "in memory",            10000,  0,  1 << 20, 0 },
    { "one key",              10000,  1,  1,       9 },
    { "few keys",             10000,  7,  1,       9 },
    { "many runs",            100000, 0,  1,       97 },
    { "last run full",        4096,   0,  1,       3 },
    { "low bytes only",       50000,  300, 100000, 6 },
};
/* clang-format on */

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) * UINT64_C(0x9E3779B97F4A7C15);
}

static int compare(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void sorts_as_qsort(void **state)
{
    const struct row *row = *state;
    struct pair *want = calloc(row->count + 1, sizeof *want);
    struct pair *got = calloc(row->count + 1, sizeof *got);
    th_key_sort *sort = NULL;
    uint64_t seed = 7;
    assert_int_equal(th_key_sort_new("", row->memory, &sort, NULL), TH_OK);
    for (uint32_t i = 0; i < row->count; i++) {
        const uint64_t key = draw(&seed);
        want[i] = (struct pair){ row->keys ? key % row->keys : key, i };
        assert_int_equal(th_key_sort_add(sort, want[i].key, i, NULL), TH_OK);
    }
    assert_int_equal(th_key_sort_finish(sort, NULL), TH_OK);
    assert_true(th_key_sort_runs(sort) >= row->least_runs);
    assert_int_equal(th_key_sort_count(sort), row->count);
    for (uint32_t i = 0; i < row->count; i++) {
        assert_int_equal(th_key_sort_next(sort, &got[i].key, &got[i].value, NULL), TH_OK);
        if (i)
            assert_true(got[i].key >= got[i - 1].key);
    }
    uint64_t key;
    uint32_t value;
    assert_int_equal(th_key_sort_next(sort, &key, &value, NULL), TH_END);
    assert_int_equal(th_key_sort_next(sort, &key, &value, NULL), TH_END);
    qsort(want, row->count, sizeof *want, compare);
    qsort(got, row->count, sizeof *got, compare);
    for (uint32_t i = 0; i < row->count; i++) {
        assert_true(got[i].key == want[i].key);
        assert_int_equal(got[i].value, want[i].value);
    }
    th_key_sort_free(sort);
    free(want);
    free(got);
}

static void a_missing_folder_is_told(void **state)
{
    (void)state;
    th_key_sort *sort = NULL;
    th_error err = { .text = "" };
    th_status status = th_key_sort_new("/nowhere/at/all", 1, &sort, &err);
    for (uint32_t i = 0; i < 5000 && status == TH_OK; i++)
        status = th_key_sort_add(sort, i, i, &err);
    assert_int_equal(status, TH_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    th_key_sort_free(sort);
    th_key_sort_free(NULL);
}

/* Empties the deleted files that are open. */
static void empty_deleted_files(void)
{
    for (int fd = 3; fd < 64; fd++) {
        char link[32], path[256] = "";
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "(deleted)"))
            assert_int_equal(ftruncate(fd, 0), 0);
    }
}

static void a_truncated_file_is_told(void **state)
{
    (void)state;
    th_key_sort *sort = NULL;
    th_error err = { .text = "" };
    uint64_t key = 0;
    uint32_t value = 0;
    assert_int_equal(th_key_sort_new("", 1, &sort, &err), TH_OK);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(th_key_sort_add(sort, i, i, &err), TH_OK);
    assert_int_equal(th_key_sort_finish(sort, &err), TH_OK);
    empty_deleted_files();
    th_status status = TH_OK;
    for (uint32_t i = 0; i < 100000 && status == TH_OK; i++)
        status = th_key_sort_next(sort, &key, &value, &err);
    assert_int_equal(status, TH_IO);
    assert_non_null(strstr(err.text, "truncated during the run"));
    th_key_sort_free(sort);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, sorts_as_qsort, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(a_missing_folder_is_told);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(a_truncated_file_is_told);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
