/* Pages with posts and comments, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

#define TEXT "text -q --json --comments -e posts,structured,paragraphs,languages,signals "
#define PAGE TEXT "../data/../threads/"

static const char *const commands[] = {
    PAGE "schema_forum.html", PAGE "wordy_class.html",   PAGE "inner_comments.html",
    PAGE "name_above.html",   PAGE "quote_buttons.html", PAGE "faq.html",
    PAGE "phpbb2.html",       PAGE "thread_frame.html",  PAGE "date_below.html",
    PAGE "reply_links.html",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 9 };
    shortage_begin();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 400);
    shortage_end();
    expect_digest(&all, UINT64_C(0x386E0602B704AD72));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("content_shortage", tests, NULL, NULL);
}
