/* src/base/state_folder.c: one process has the folder; a damaged file is recognized. */
#include "base/state_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/thresher-state-XXXXXX";
static char path[64], lock_path[64];

struct states {
    uint64_t mark, more, checksum;
};

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(path, sizeof path, "%s/state", dir);
    (void)snprintf(lock_path, sizeof lock_path, "%s/lock", dir);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(lock_path);
    return rmdir(dir);
}

static void one_process_has_the_folder(void **state)
{
    th_error err = { .text = "" };
    int first = -1, second = -1;
    (void)state;
    assert_int_equal(th_state_folder_lock(dir, "the memory", &first, &err), TH_OK);
    assert_int_equal(th_state_folder_lock(dir, "the memory", &second, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "another process uses the memory '/tmp/"));
    (void)close(second);
    (void)close(first);
    assert_int_equal(th_state_folder_lock(dir, "the memory", &first, &err), TH_OK);
    (void)close(first);
}

static void write_bytes(const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    (void)fclose(file);
}

static void any_damage_is_recognized(void **state)
{
    struct states saved = { .mark = 3, .more = 5 }, loaded = { 0 };
    unsigned char bytes[sizeof saved + 1] = { 0 };
    (void)state;
    assert_int_equal(th_state_file_load(path, &loaded, sizeof loaded, NULL), TH_ABSENT);
    assert_int_equal(th_state_file_save(path, &saved, sizeof saved, NULL), TH_OK);
    assert_int_equal(th_state_file_load(path, &loaded, sizeof loaded, NULL), TH_OK);
    assert_memory_equal(&loaded, &saved, sizeof saved);
    for (size_t i = 0; i < sizeof saved; i++) {
        memcpy(bytes, &saved, sizeof saved);
        bytes[i] ^= 1;
        write_bytes(bytes, sizeof saved);
        assert_int_equal(th_state_file_load(path, &loaded, sizeof loaded, NULL),
                         TH_DAMAGED);
        memcpy(bytes, &saved, sizeof saved);
        write_bytes(bytes, i);
        assert_int_equal(th_state_file_load(path, &loaded, sizeof loaded, NULL),
                         TH_DAMAGED);
    }
    write_bytes(bytes, sizeof bytes);
    assert_int_equal(th_state_file_load(path, &loaded, sizeof loaded, NULL), TH_DAMAGED);
}

static void a_state_is_found_by_its_mark(void **state)
{
    const struct states older = { .mark = 3 }, newest = { .mark = 4 }, fresh = { 0 };
    (void)state;
    assert_ptr_equal(th_state_with_mark(&older, &newest, 3), &older);
    assert_ptr_equal(th_state_with_mark(&older, &newest, 4), &newest);
    assert_ptr_equal(th_state_with_mark(&newest, &newest, 4), &newest);
    assert_null(th_state_with_mark(&older, &newest, 5));
    assert_null(th_state_with_mark(&fresh, &fresh, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_has_the_folder),
        cmocka_unit_test(any_damage_is_recognized),
        cmocka_unit_test(a_state_is_found_by_its_mark),
    };
    return cmocka_run_group_tests_name("state_folder", tests, make_folder, remove_folder);
}
