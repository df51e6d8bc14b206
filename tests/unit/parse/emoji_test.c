/* src/parse/emoji.c: pictures of a smiley, and its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse/emoji.h"

/* clang-format off */
static const struct row {
    const char *classes, *alt, *words; /* NULL: no emoji */
} rows[] = {
    { "emoji", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80" },
    { "x emoji", " :smile: ", ":smile:" },
    { "wp-smiley", ":-)", ":-)" },
    { "wp-smiley y", ":D", ":D" },
    { "smilie--emoji", ":+1:", ":+1:" },
    { "emoji", ":a_b-2:", ":a_b-2:" },
    { "emoji", ":a:", ":a:" },
    { "emoji", "smile", NULL },
    { "emoji", ":smile", NULL },
    { "emoji", "smile:", NULL },
    { "emoji", ":big smile:", NULL },
    { "emoji", "", NULL },
    { "emoji", "  ", NULL },
    { "emojis", ":smile:", NULL },
    { "smileys", ":smile:", NULL },
    { "emoj", ":smile:", NULL },
    { "", ":smile:", NULL },
    { "emoji", ":a_name_that_is_far_longer_than_any_name_of_an_emoji_in_use_today_or_in_a_forum:", NULL },
};
/* clang-format on */

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_attribute attrs[] = {
            { .name = TH_VIEW("src"), .value = TH_VIEW("a.png") },
            { .name = TH_VIEW("class"),
              .value = { rows[i].classes, strlen(rows[i].classes) } },
            { .name = TH_VIEW("alt"), .value = { rows[i].alt, strlen(rows[i].alt) } },
        };
        th_view words = { NULL, 0 };
        const bool is_emoji = th_is_emoji(attrs, 3, &words);
        if (is_emoji != (rows[i].words != NULL))
            fail_msg("class '%s', alt '%s'", rows[i].classes, rows[i].alt);
        if (is_emoji) {
            assert_int_equal(words.len, strlen(rows[i].words));
            assert_memory_equal(words.data, rows[i].words, words.len);
        }
        assert_false(th_is_emoji(attrs, 2, &words));     /* without alt */
        assert_false(th_is_emoji(attrs + 2, 1, &words)); /* without class */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
