/* Digests: every text form of one value is that value, and the value has one text. */
#include "warc/warc_digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Digests of "abc": FIPS 180-4 and RFC 1321. */
static const struct row {
    const char *name, *in;
    warc_status want;
    const char *hex;
} rows[] = {
    // clang-format off
    { "sha1 base32", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", WARC_OK, "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "sha1 base32 lower", "sha1:vgmt4nsha2awvor6evyxqugcnsonbwe5", WARC_OK, "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "sha1 hex", "SHA-1:A9993E364706816ABA3E25717850C26C9CD0D89D", WARC_OK, "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "sha1 base64", "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", WARC_OK, "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "md5", "md5:900150983cd24fb0d6963f7d28e17f72", WARC_OK, "900150983cd24fb0d6963f7d28e17f72" },
    { "md5 labelled sha1", "sha1:900150983cd24fb0d6963f7d28e17f72", WARC_OK, "900150983cd24fb0d6963f7d28e17f72" },
    { "sha256", "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", WARC_OK,
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "sha512", "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f", WARC_OK,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
    { "no colon", "sha1", WARC_BAD_DIGEST, NULL },
    { "empty", "", WARC_BAD_DIGEST, NULL },
    { "short", "sha1:VGMT4NSHA2AWVOR6", WARC_BAD_DIGEST, NULL },
    { "bad letter", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE1", WARC_BAD_DIGEST, NULL },
    { "unknown", "crc32:352441c2", WARC_UNKNOWN_ALGORITHM, NULL },
    { "long label", "abcdefghijklmnopqrstuvwxyz:00", WARC_UNKNOWN_ALGORITHM, NULL },
    // clang-format on
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    warc_digest_value value, again, computed;
    assert_int_equal(warc_digest_parse((warc_view){ row->in, strlen(row->in) }, &value),
                     row->want);
    if (row->want != WARC_OK)
        return;
    char hex[WARC_DIGEST_HEX_MAX], text[WARC_DIGEST_TEXT_MAX];
    assert_int_equal(warc_digest_hex(&value, hex), strlen(row->hex));
    assert_string_equal(hex, row->hex);
    const size_t len = warc_digest_text(&value, text);
    assert_int_equal(warc_digest_parse((warc_view){ text, len }, &again), WARC_OK);
    assert_true(warc_digest_equal(&value, &again));

    warc_digest *digest = NULL;
    assert_int_equal(warc_digest_new(&digest), WARC_OK);
    for (int turn = 0; turn < 2; turn++) { /* a restart resets it */
        assert_int_equal(warc_digest_begin(digest, value.algorithm), WARC_OK);
        warc_digest_update(digest, (warc_view){ "a", 1 });
        warc_digest_update(digest, (warc_view){ "", 0 });
        warc_digest_update(digest, (warc_view){ "bc", 2 });
        warc_digest_end(digest, &computed);
        assert_true(warc_digest_equal(&value, &computed));
    }
    warc_digest_free(digest);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        const union {
            const void *constant;
            void *state;
        } row = { .constant = &rows[i] };
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, row.state };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
