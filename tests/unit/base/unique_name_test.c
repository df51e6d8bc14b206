/* src/base/unique_name.c: no file is replaced, on any file system. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/unique_name.h"

/* Missing features of a row's file system. */
static const struct row {
    const char *name;
    int rename_error, link_error; /* 0 if the call works */
} rows[] = {
    { "a rename that replaces nothing", 0, 0 },
    { "links, no such rename", EINVAL, 0 },
    { "links, an old kernel", ENOSYS, 0 },
    { "neither", EINVAL, EPERM },
    { "neither, in other words", EINVAL, EOPNOTSUPP },
};

static const struct row *present;

int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);
int __real_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);

int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags)
{
    if (!present->rename_error)
        return __real_renameat2(from_dir, from, to_dir, to, flags);
    errno = present->rename_error;
    return -1;
}

int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    if (!present->link_error)
        return __real_linkat(from_dir, from, to_dir, to, flags);
    errno = present->link_error;
    return -1;
}

static void put(int dir, const char *name, char c)
{
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, &c, 1), 1);
    (void)close(fd);
}

/* Returns the byte in a file, or 0 if the file is missing. */
static char get(int dir, const char *name)
{
    char c = 0;
    const int fd = openat(dir, name, O_RDONLY);
    if (fd < 0)
        return 0;
    assert_int_equal(read(fd, &c, 1), 1);
    (void)close(fd);
    return c;
}

static void row_holds(void **state)
{
    char folder[] = "/tmp/thresher-free-XXXXXX";
    present = *state;
    assert_non_null(mkdtemp(folder));
    const int dir = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(dir >= 0);

    put(dir, "a", '1');
    assert_int_equal(th_rename_to_free(dir, "a", dir, "b"), 0);
    assert_int_equal(get(dir, "a"), 0);
    assert_int_equal(get(dir, "b"), '1');

    put(dir, "a", '2');
    assert_int_equal(th_rename_to_free(dir, "a", dir, "b"), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(get(dir, "a"), '2');
    assert_int_equal(get(dir, "b"), '1');

    assert_int_equal(th_rename_to_free(dir, "none", dir, "c"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(get(dir, "c"), 0);

    assert_int_equal(mkdirat(dir, "folder", 0777), 0);
    assert_int_equal(th_rename_to_free(dir, "a", dir, "folder"), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(get(dir, "a"), '2');

    if (present->rename_error) { /* a crash between link and unlink is made up for */
        assert_int_equal(__real_linkat(dir, "a", dir, "d", 0), 0);
        assert_int_equal(th_rename_to_free(dir, "a", dir, "d"),
                         present->link_error ? -1 : 0);
        assert_int_equal(get(dir, "d"), '2');
    }
    (void)unlinkat(dir, "a", 0);
    (void)unlinkat(dir, "b", 0);
    (void)unlinkat(dir, "d", 0);
    (void)unlinkat(dir, "folder", AT_REMOVEDIR);
    (void)close(dir);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("unique_name", tests, NULL, NULL);
}
