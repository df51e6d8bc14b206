/* Folding ASCII: the class of each byte, and equal results of both versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"
#include "sketch/fold_ascii.h"

enum { ROUNDS = 20000 };

typedef th_folded fold(const unsigned char *from, size_t len);

/* Uses an exact-size copy, so that a sanitizer detects an overread. */
static void check(fold *function, const unsigned char *from, size_t len)
{
    unsigned char *exact = malloc(len);
    assert_non_null(exact);
    memcpy(exact, from, len);
    const th_folded folded = function(exact, len);
    free(exact);
    char text[TH_FOLD_BYTES];
    th_ascii_store8(text, folded.text[0]);
    th_ascii_store8(text + 8, folded.text[1]);
    for (size_t i = 0; i < TH_FOLD_BYTES; i++) {
        const char c = (char)(i < len ? from[i] : ' ');
        const bool is_word = th_is_letter(c) || th_is_digit(c);
        assert_int_equal(folded.high >> i & 1, c < 0);
        assert_int_equal(folded.word >> i & 1, is_word);
        if (c >= 0)
            assert_int_equal(text[i], is_word ? th_lower(c) : ' ');
    }
}

static void bytes_are_folded(void **state)
{
    fold *function = *(fold **)*state;
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char from[TH_FOLD_BYTES];
        for (size_t i = 0; i < sizeof from; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            from[i] = (unsigned char)(random >> 56 & (round % 2 ? 0x7F : 0xFF));
        }
        check(function, from, 1 + (size_t)(random >> 33) % TH_FOLD_BYTES);
    }
}

int main(void)
{
    static fold *portable = th_fold_ascii_portable, *chosen = th_fold_ascii;
    const struct CMUnitTest tests[] = {
        { .name = "portable",
          .test_func = bytes_are_folded,
          .initial_state = (void *)&portable },
        { .name = "chosen",
          .test_func = bytes_are_folded,
          .initial_state = (void *)&chosen },
    };
    return cmocka_run_group_tests_name("fold_ascii", tests, NULL, NULL);
}
