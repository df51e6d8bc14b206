/* `eval` and `train`, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

static const char *const commands[] = {
    "eval extraction -q -j1 --json ../data/eval/extraction",
    "eval extraction -q -j1 --json ../data/eval/required",
    "eval lines -q -j1 --json ../data/eval/lines",
    "eval segmentation -q -j1 --profiles all --plot o.svg -O o ../data/eval/segmentation",
    "eval features -q -j1 -O o ../data/eval/extraction",
    "eval density -q -j1 --json --plot o.svg ../data/eval/segmentation/pages.warc.gz",
    "train -q gcuts ../data/eval/segmentation --output o",
    "train -q boundary-graph ../data/eval/segmentation --output o",
    "train -q cclus-without-tree ../data/eval/segmentation --output o",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 8 };
    shortage_begin();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 40);
    shortage_end();
    expect_digest(&all, UINT64_C(0xD14AAD9BFDA9D792));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("eval_shortage", tests, NULL, NULL);
}
