/* `run` and `summary`, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

static const char *const commands[] = {
    "run -q -j1 --language-detector none -e full_text,segments,blocks,links,paragraphs "
    "--rejects r -O o.jsonl ../a.warc",
    "run -q -j1 --language-detector none --resume -O o/ --index.path i --index.edges e "
    "--sites.path s ../a.warc ../b.warc",
    "run -q -j1 --language-detector none --two-pass -f parquet -O o.parquet ../a.warc",
    "run -q -j1 --language-detector none --shard 0/1 -O o/ ../a.warc ../b.warc",
    "run -q -j1 --language-detector none --set-aside a.warc -f wet -O o.wet ../b.warc",
    "run -q -j1 --language-detector none --filter.urls ../urls --compress zstd:seekable "
    "-O o.jsonl.zst @../list",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    static const char urls[] = "signs.example\n", list[] = "../a.warc\n../b.warc\n";
    struct outcomes all = { .chance = 6 };
    shortage_begin();
    shortage_input("signs.warc", "a.warc");
    shortage_input("tables_and_code.warc", "b.warc");
    shortage_write("urls", urls, sizeof urls - 1);
    shortage_write("list", list, sizeof list - 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 150);
    shortage_end();
    expect_digest(&all, UINT64_C(0x3C0957B275311E17));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("run_shortage", tests, NULL, NULL);
}
