/* src/parquet/page_crc.c: the check value of CRC-32, and texts of many lengths. */
#include "parquet/page_crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

static void is_the_crc_of_gzip(void **state)
{
    static unsigned char bytes[3000];
    (void)state;
    assert_int_equal((uint32_t)th_page_crc(TH_VIEW("123456789")), 0xCBF43926);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 256);
    for (size_t len = 0; len <= sizeof bytes; len += len < 300 ? 1 : 299)
        assert_int_equal((uint32_t)th_page_crc((th_view){ (const char *)bytes, len }),
                         crc32_z(0, bytes, len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_crc_of_gzip),
    };
    return cmocka_run_group_tests_name("page_crc", tests, NULL, NULL);
}
