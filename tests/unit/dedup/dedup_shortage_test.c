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
    "dedup components -q --output drop ../shard",
    "dedup -q ../r.jsonl.zst",
    "dedup components -q -O o.jsonl ../shard",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 7 };
    shortage_begin();
    shortage_input("signs.warc", "a.warc");
    shortage_input("tables_and_code.warc", "b.warc");
    shortage_prepare("run -q -j1 --language-detector none -e paragraphs -O r.jsonl "
                     "../a.warc ../b.warc ../a.warc",
                     "r.jsonl");
    shortage_prepare("run -q -j1 --compress zstd:seekable -O r.jsonl.zst ../a.warc",
                     "r.jsonl.zst");
    shortage_prepare("dedup partition -q --parts 1 -O shard ../r.jsonl", "shard");
    note_command(&all, "dedup pairs -q --part 0/1 ../shard", NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 2000);
    shortage_end();
    expect_digest(&all, UINT64_C(0x066E01C424493487));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("dedup_shortage", tests, NULL, NULL);
}
