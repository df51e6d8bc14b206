/* Commands that read archives and records, with calls that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"

static const char *const commands[] = {
    "records -q ../a.warc",
    "records -q --validate --verify-digests ../a.warc ../damaged.warc.gz",
    "records -q --cdxj ../a.warc",
    "text -q --json -e full_text,links,posts,signals ../page.html",
    "inspect --json --compare=full-text,main-content ../page.html",
    "inspect --html o.html ../page.html",
    "get ../r.jsonl.zst <urn:uuid:5c0f6a34-0000-4000-8000-000000000029> none",
    "robots show ../rules",
    "robots check ../rules gptbot http://a.example/1 http://b.example/",
    "sites show ../counts --json",
    "compare --json ../r.jsonl ../s.jsonl",
    "robots build -q -O o ../rules.warc",
    "config check -c ../conf --json",
    "config show -c ../conf",
    "completion bash",
    "version --json",
    "sites build -q -j1 --min-pages 1 -O o ../a.warc",
};

static void put_record(th_buffer *out, const char *url, const char *type,
                       const char *body)
{
    char head[128];
    const int len =
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n", type);
    th_buffer_printf(out,
                     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
                     "WARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:r:%zu>\r\n"
                     "Content-Type: application/http\r\nContent-Length: %zu\r\n\r\n%s%s"
                     "\r\n\r\n",
                     url, out->len, (size_t)len + strlen(body), head, body);
}

/* Rules of two hosts. */
static void write_rules(void)
{
    th_buffer out = { 0 };
    put_record(&out, "http://a.example/robots.txt", "text/plain",
               "User-agent: *\nDisallow: /x\nUser-agent: gptbot\nAllow: /1*$\nDisallow: "
               "/\n");
    put_record(&out, "http://b.example/robots.txt", "text/plain", "User-agent: *\n");
    put_record(&out, "http://b.example/.well-known/tdmrep.json", "application/json",
               "[{\"location\":\"/\",\"tdm-reservation\":1,\"tdm-policy\":\"/p\"}]");
    assert_false(out.has_failed);
    shortage_write("rules.warc", out.data, out.len);
    th_buffer_done(&out);
}

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
    write_rules();
    shortage_prepare("robots build -q -O rules ../rules.warc", "rules");
    shortage_prepare("sites build -q -j1 --min-pages 1 -O counts ../a.warc", "counts");
    shortage_prepare("run -q -j1 -e links -O r.jsonl ../a.warc", "r.jsonl");
    shortage_prepare("run -q -j1 -e full_text -O s.jsonl ../a.warc", "s.jsonl");
    shortage_prepare("run -q -j1 --compress zstd:seekable -O r.jsonl.zst ../a.warc",
                     "r.jsonl.zst");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        note_shortages(&all, commands[i], 1000);
    shortage_end();
    expect_digest(&all, UINT64_C(0x25E09A894232C6C4));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("records_shortage", tests, NULL, NULL);
}
