/* See the header. */
#include "dedup/input_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

char input_file_path[] = "/tmp/thresher-input-XXXXXX";

int input_file_make(void **state)
{
    (void)state;
    const int fd = mkstemp(input_file_path);
    return fd < 0 ? -1 : close(fd);
}

int input_file_remove(void **state)
{
    (void)state;
    return unlink(input_file_path);
}

void input_file_write(const char *bytes, size_t len)
{
    FILE *file = fopen(input_file_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}
