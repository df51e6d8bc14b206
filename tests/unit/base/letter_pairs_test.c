/* Both implementations find pairs of letters at any location, each location once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/letter_pairs.h"

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 16;
}

/* Texts of each length, by the plainest way that there is. */
static void every_place_is_given_once(void **state)
{
    static const char letters[] = "abAB-a";
    uint32_t random = 1;
    (void)state;
    for (size_t len = 0; len <= 70; len++)
        for (unsigned round = 0; round < 40; round++) {
            char bytes[80];
            for (size_t i = 0; i < sizeof bytes; i++) /* also after the text */
                bytes[i] = letters[next_random(&random) % (sizeof letters - 1)];
            th_pair_search search = { .text = { bytes, len } };
            size_t place = 0;
            for (size_t at = 0; at + 1 < len; at++) {
                const int first = bytes[at] | 0x20, second = bytes[at + 1] | 0x20;
                if (!(first == 'a' && second == 'b') && !(first == 'b' && second == 'b'))
                    continue;
                assert_true(th_pair_next(&search, TH_VIEW("abbb"), &place));
                assert_int_equal(place, at);
            }
            assert_false(th_pair_next(&search, TH_VIEW("abbb"), &place));
            assert_false(th_pair_next(&search, TH_VIEW("abbb"), &place));
        }
}

#if defined(__SSE2__)
static void both_ways_see_the_same(void **state)
{
    (void)state;
    static const char letters[] = "aAuUbByYdDtTiIsSrRwW-_@`[{\xC1\xE1\x01\x95";
    uint32_t random = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char bytes[TH_PAIR_WINDOW + 1];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = letters[next_random(&random) % (sizeof letters - 1)];
        assert_int_equal(th_pair_places_sse2(bytes, TH_VIEW("aubydatiuswr")),
                         th_pair_places_portable(bytes, TH_VIEW("aubydatiuswr")));
    }
}
#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_is_given_once),
#if defined(__SSE2__)
        cmocka_unit_test(both_ways_see_the_same),
#endif
    };
    return cmocka_run_group_tests_name("letter_pairs", tests, NULL, NULL);
}
