/* Languages of a page by a model of the user's, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

static const char page[] = "<!DOCTYPE html><html lang=de><title>The mill</title><p>The "
                           "river of stone is near the "
                           "quiet market, and the bridge was opened in winter.<p>Der "
                           "Fluss ist nahe am Markt, und "
                           "die Br&uuml;cke wurde im Winter er&ouml;ffnet.";

static const char *const commands[] = {
    "text -q --json -k keep-all --page-ms 0 --language-detector none --language-fasttext "
    "../data/fasttext/softmax.bin ../page.html",
    "text -q --json -k keep-all --page-ms 0 --language-detector fasttext "
    "--language-fasttext ../data/fasttext/tree.ftz -e paragraphs,languages ../page.html",
    "text -q --json -k keep-all --page-ms 0 --language-detector fasttext "
    "--language-fasttext ../data/fasttext/pruned.ftz -e paragraph_languages ../page.html",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 9 };
    shortage_begin();
    shortage_write("page.html", page, sizeof page - 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 150);
    shortage_end();
    expect_digest(&all, UINT64_C(0x8678CDE24E255DC8));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("language_shortage", tests, NULL, NULL);
}
