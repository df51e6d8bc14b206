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

/* Refused, or about inputs that are not the usual ones. */
static const char *const others[] = {
    "eval density -q -j1 ../empty",
    "eval extraction -q -j1 ../empty",
    "eval lines -q -j1 ../empty",
    "eval segmentation -q -j1 ../empty",
    "eval features -q -j1 -O o ../empty",
    "eval duplicates -q ../empty ../empty",
    "eval density -q -j1 ../data/eval/extraction",
    "eval extraction -q -j1 ../data/eval/lines",
    "eval lines -q -j1 ../data/eval/extraction",
    "eval segmentation -q -j1 ../data/eval/extraction",
    "eval segmentation -q -j1 ../data/eval/segmentation",
    "eval density -q -j1 ../data/signs.warc ../data/tables_and_code.warc",
    "eval extraction -q -j1 ../data/eval/extraction ../data/eval/required",
    "train gcuts ../empty --output o",
    "train nothing ../data/eval/segmentation --output o",
    "train gcuts ../data/eval/segmentation",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 8 };
    shortage_begin();
    shortage_folder("empty");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        note_command(&all, others[i], NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 40);
    shortage_end();
    expect_digest(&all, UINT64_C(0xC3212AB504EFFCBA));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("eval_shortage", tests, NULL, NULL);
}
