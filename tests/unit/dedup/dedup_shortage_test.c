/* The stages of `dedup`, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

static const char *const commands[] = {
    "dedup -q --memory 1M --temp . --report r -O o.jsonl ../r.jsonl",
    "dedup -q --output drop --by url -O o ../r.jsonl",
    "dedup partition -q --parts 2 -O o ../r.jsonl",
    "dedup partition -q --parts 1 --unit paragraph -O o ../r.jsonl",
    "dedup pairs -q --part 0/1 -O . ../shard",
    "dedup components -q -O o.jsonl ../pairs",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    static const char pairs[] = "[\"a\",\"b\"]\n[\"b\",\"c\"]\n";
    struct outcomes all = { .chance = 7 };
    shortage_begin();
    shortage_input("signs.warc", "a.warc");
    shortage_input("tables_and_code.warc", "b.warc");
    shortage_prepare("run -q -j1 --language-detector none -e paragraphs -O r.jsonl "
                     "../a.warc ../b.warc ../a.warc",
                     "r.jsonl");
    shortage_prepare("dedup partition -q --parts 1 -O shard ../r.jsonl", "shard");
    shortage_write("pairs", pairs, sizeof pairs - 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 2000);
    shortage_end();
    expect_digest(&all, UINT64_C(0xD72B533A4A26343B));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("dedup_shortage", tests, NULL, NULL);
}
