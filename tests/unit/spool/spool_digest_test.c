/* src/spool/spool_digest.c: pauses do not change a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "spool/spool_digest.h"

enum { PIECE = 256 << 10, SIZE = 2 * PIECE + 100 };

/* A file in memory of SIZE bytes; the last one is `last`. */
static int file_of(char last)
{
    char *bytes = calloc(SIZE, 1);
    const int fd = memfd_create("digest", MFD_CLOEXEC);
    assert_non_null(bytes);
    bytes[SIZE - 1] = last;
    assert_true(fd >= 0 && write(fd, bytes, SIZE) == SIZE);
    free(bytes);
    return fd;
}

static bool says(void *answer)
{
    return *(const bool *)answer;
}

static th_status step(th_spool_digest *digest, int fd, uint64_t size, bool pauses,
                      uint64_t out[2])
{
    return th_spool_digest_step(digest, fd, size, says, &pauses, out);
}

static void pauses_do_not_change_it(void **state)
{
    (void)state;
    th_spool_digest *digest = th_spool_digest_new();
    const int fd = file_of(0), other = file_of(1);
    uint64_t whole[2] = { 0, 0 }, slices[2] = { 7, 7 }, changed[2];
    assert_non_null(digest);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, fd, SIZE, false, whole), TH_OK);
    th_spool_digest_begin(digest);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(step(digest, fd, SIZE, true, slices), TH_PAUSED);
        assert_int_equal(slices[0], 7);
    }
    assert_int_equal(step(digest, fd, SIZE, true, slices), TH_OK);
    assert_memory_equal(whole, slices, sizeof whole);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, other, SIZE, false, changed), TH_OK);
    assert_memory_not_equal(whole, changed, sizeof whole);
    th_spool_digest_begin(digest); /* the last byte differs */
    assert_int_equal(step(digest, fd, SIZE - 1, false, whole), TH_OK);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, other, SIZE - 1, false, changed), TH_OK);
    assert_memory_equal(whole, changed, sizeof whole);
    th_spool_digest_free(digest);
    (void)close(fd);
    (void)close(other);
}

static void short_files_fail(void **state)
{
    (void)state;
    th_spool_digest *digest = th_spool_digest_new();
    const int fd = file_of(0);
    uint64_t out[2];
    assert_non_null(digest);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, fd, SIZE + 1, false, out), TH_IO);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, -1, 1, false, out), TH_IO);
    th_spool_digest_begin(digest);
    assert_int_equal(step(digest, -1, 0, false, out), TH_OK); /* reads nothing */
    assert_true(out[0] || out[1]);
    th_spool_digest_free(digest);
    (void)close(fd);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_do_not_change_it),
        cmocka_unit_test(short_files_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
