/* src/base/stoppable_read.c: input, its end, a stop, and errors. */
#include "base/stoppable_read.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void reads_end_by_input_or_by_a_stop(void **state)
{
    (void)state;
    int ends[2];
    char bytes[8];
    size_t got = 7;
    atomic_int stop = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abcdef", 6), 6);
    assert_int_equal(th_stoppable_read(ends[0], bytes, 4, &got, &stop), TH_OK);
    assert_int_equal(got, 4);
    assert_memory_equal(bytes, "abcd", 4);
    stop = 1; /* also with input */
    assert_int_equal(th_stoppable_read(ends[0], bytes, 4, &got, &stop), TH_INTERRUPTED);
    assert_int_equal(errno, EINTR);
    assert_int_equal(got, 0);
    assert_int_equal(th_stoppable_read(ends[0], bytes, 4, &got, NULL), TH_OK);
    assert_int_equal(got, 2);
    assert_int_equal(th_stoppable_read(ends[0], bytes, 4, &got, &stop), TH_INTERRUPTED);
    stop = 0;
    (void)close(ends[1]);
    got = 7;
    assert_int_equal(th_stoppable_read(ends[0], bytes, 4, &got, &stop), TH_OK);
    assert_int_equal(got, 0);
    (void)close(ends[0]);
    const int folder = open("/", O_RDONLY | O_CLOEXEC);
    assert_int_equal(th_stoppable_read(folder, bytes, 4, &got, &stop), TH_IO);
    assert_int_equal(errno, EISDIR);
    (void)close(folder);
}

/* A stream of lines. It also works if its descriptor is 0, because stdin is closed. */
static void streams_have_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/stoppable_read.XXXXXX", line[16];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "one\ntwo\n", 8), 8);
    (void)close(fd);
    atomic_int stop = 0;
    for (int is_zero = 0; is_zero < 2; is_zero++) {
        const int kept = is_zero ? dup(STDIN_FILENO) : -1;
        if (is_zero)
            (void)close(STDIN_FILENO);
        FILE *file = th_stoppable_stream(path, &stop);
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "one\n");
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "two\n");
        assert_null(fgets(line, sizeof line, file));
        assert_false(ferror(file));
        (void)fclose(file);
        if (kept >= 0) {
            (void)dup2(kept, STDIN_FILENO);
            (void)close(kept);
        }
    }
    FILE *file = th_stoppable_stream(path, &stop);
    assert_non_null(file);
    stop = 1;
    assert_null(fgets(line, sizeof line, file));
    assert_true(ferror(file));
    (void)fclose(file);
    (void)unlink(path);
    errno = 0;
    assert_null(th_stoppable_stream(path, &stop));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(th_stoppable_open(path), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_end_by_input_or_by_a_stop),
        cmocka_unit_test(streams_have_lines),
    };
    return cmocka_run_group_tests_name("stoppable_read", tests, NULL, NULL);
}
