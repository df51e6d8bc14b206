/* src/parse/charset/charset_detect.c: encodings that uchardet names in its own way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/charset/charset_detect.h"

/* clang-format off */
/* "This document tests how an encoding is found", and more, in Korean. Two of its words need
 * Microsoft's extension of EUC-KR. */
static const char korean[] =
    "\276\310\263\347\307\317\274\274\277\344. \300\314 \271\256\274\255\264\302 \307"
    "\321\261\271\276\356\267\316 \300\333\274\272\265\310 \275\303\307\350\277\353 "
    "\271\256\274\255\300\324\264\317\264\331. \277\354\270\256\264\302 \271\256\300"
    "\332 \300\316\304\332\265\371\300\273 \276\313\276\306\263\273\264\302 \271\346"
    "\271\375\300\273 \310\256\300\316\307\325\264\317\264\331. \214c\271\346\260\242"
    "\307\317\277\315 \274\204\275\303\304\335\266\363\264\302 \310\256\300\345 \277"
    "\317\274\272\307\374\277\241\270\270 \300\326\264\302 \261\333\300\332\300\324"
    "\264\317\264\331.";

/* The same in Russian, as in old documents of Macintosh computers. */
static const char russian[] =
    "\235\362\356 \344\356\352\363\354\345\355\362 \344\353\337 \357\360\356\342\345"
    "\360\352\350 \356\357\360\345\344\345\353\345\355\350\337 \352\356\344\350\360"
    "\356\342\352\350. \214\373 \367\350\362\340\345\354 \361\353\356\342\340 \360"
    "\363\361\361\352\356\343\356 \337\347\373\352\340, \350 \357\360\356\343\360\340"
    "\354\354\340 \344\356\353\346\355\340 \363\347\355\340\362\374 \352\356\344\350"
    "\360\356\342\352\363 \357\356 \367\340\361\362\356\362\345 \341\363\352\342.";
/* clang-format on */

static void names_of_uchardet_are_known(void **state)
{
    static const struct {
        const char *text;
        th_charset_id id;
    } rows[] = {
        { korean, TH_CHARSET_EUC_KR },
        { russian, TH_CHARSET_X_MAC_CYRILLIC },
        { "only ASCII", TH_CHARSET_NONE },
        { "", TH_CHARSET_NONE },
    };
    th_detector *detector = th_detector_new();
    (void)state;
    assert_non_null(detector);
    for (int round = 0; round < 2; round++) /* it is used again */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            assert_int_equal(
                th_detect_charset(detector,
                                  (th_view){ rows[i].text, strlen(rows[i].text) }),
                rows[i].id);
    th_detector_free(detector);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_of_uchardet_are_known) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
