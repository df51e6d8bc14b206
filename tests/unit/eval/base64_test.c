/* Base64: the RFC's own examples, and invalid texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/base64.h"

static const struct row {
    const char *in, *want; /* want NULL: refused */
} rows[] = {
    { "", "" },
    { "Zg==", "f" },
    { "Zm8=", "fo" },
    { "Zm9v", "foo" },
    { "Zm9vYg", "foob" },
    { "Zm9vYmE=", "fooba" },
    { "Zm9vYmFy", "foobar" },
    { "Z", NULL },
    { "Zm9v!", NULL },
    { "Zm=9v", NULL },
    { "====", NULL },
};

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t len = strlen(rows[i].in);
        char *bytes = malloc(len + 2); /* decoded in place */
        size_t out_len = 99;
        memcpy(bytes, rows[i].in, len);
        const bool is_good = th_base64_decode((th_view){ bytes, len }, bytes, &out_len);
        assert_int_equal(is_good, rows[i].want != NULL);
        if (rows[i].want) {
            assert_int_equal(out_len, strlen(rows[i].want));
            assert_memory_equal(bytes, rows[i].want, out_len);
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
