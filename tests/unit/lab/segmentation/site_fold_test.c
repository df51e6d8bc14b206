/* src/lab/segmentation/site_fold.c: only the host counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segmentation/site_fold.h"

static void only_the_host_counts(void **state)
{
    (void)state;
    static const char *const alike[] = { "http://www.d.example/",
                                         "https://www.d.example:81/x?y#z",
                                         "HTTP://WWW.d.Example",
                                         "http://www.d.example:81/" };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        assert_int_equal(th_site_fold((th_view){ alike[i], strlen(alike[i]) }),
                         th_site_fold((th_view){ alike[0], strlen(alike[0]) }));
    assert_int_equal(th_site_fold(TH_VIEW("")), 0);
}

/* Of SHA-1("a.example") the last byte is 0xF9, of "x.example" 0x93. */
static void the_digest_decides(void **state)
{
    (void)state;
    assert_int_equal(th_site_fold(TH_VIEW("http://a.example/")), 0xF9 & 3);
    assert_int_equal(th_site_fold(TH_VIEW("http://x.example/")), 0x93 & 3);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_host_counts),
        cmocka_unit_test(the_digest_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
