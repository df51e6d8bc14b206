/* Commands that read archives and records, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shortage.h"

static const char *const commands[] = {
    "records -q ../a.warc",
    "records -q --validate --verify-digests ../a.warc ../damaged.warc.gz",
    "records -q --cdxj ../a.warc",
    "text -q --json -e full_text,links,posts,signals ../page.html",
    "inspect --json --compare=full-text,main-content ../page.html",
    "inspect --html o.html ../page.html",
    "get ../r.jsonl.zst <urn:uuid:5c0f6a34-0000-4000-8000-000000000029> none",
    "compare --json ../r.jsonl ../s.jsonl",
    "robots build -q -O o ../a.warc",
    "config check -c ../conf --json",
    "config show -c ../conf",
    "completion bash",
    "version --json",
    "sites build -q -j1 --min-pages 1 -O o ../a.warc",
};

static void outcomes_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 5 };
    shortage_begin();
    shortage_input("signs.warc", "a.warc");
    shortage_input("warc/damaged_crc.warc.gz", "damaged.warc.gz");
    static const char page[] =
        "<title>T</title><h1>A page</h1><p>One sentence of a page with a <a "
        "href=http://b.example/>link</a>.<p>Another sentence, which is longer than the "
        "first one, and has more words.<ul><li>one<li>two</ul>";
    shortage_write("page.html", page, sizeof page - 1);
    static const char conf[] = "[run]\njobs = 1\n[spool]\npath = s\n[files]\npath = o\n";
    shortage_write("conf", conf, sizeof conf - 1);
    shortage_prepare("run -q -j1 -e links -O r.jsonl ../a.warc", "r.jsonl");
    shortage_prepare("run -q -j1 -e full_text -O s.jsonl ../a.warc", "s.jsonl");
    shortage_prepare("run -q -j1 --compress zstd:seekable -O r.jsonl.zst ../a.warc",
                     "r.jsonl.zst");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 1000);
    shortage_end();
    expect_digest(&all, UINT64_C(0x92CC403780F86638));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("records_shortage", tests, NULL, NULL);
}
