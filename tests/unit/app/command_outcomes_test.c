/* Random commands about random archives: all that they print and write, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"

enum { ROUNDS = 70, PAGES = 9 };

static const char *const words[] = { "river",  "stone", "of",     "the",    "quiet",
                                     "market", "and",   "opened", "winter", "a",
                                     "letter", "was",   "found",  "bridge", "near" };
static const char *const hosts[] = { "a.example", "www.a.example", "b.example:8080",
                                     "c.com" };
static const char *const statuses[] = { "200 OK",   "200 OK",    "200 OK",
                                        "404 Gone", "301 Moved", "503 Busy" };
static const char *const types[] = { "text/html; charset=utf-8", "text/html",
                                     "application/xhtml+xml", "text/plain",
                                     "application/pdf" };

static void put_words(struct outcomes *all, th_buffer *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        th_buffer_printf(out, "%s%s", i ? " " : "", ONE(all, words));
    th_buffer_append_text(out, ". ");
}

static void put_page(struct outcomes *all, th_buffer *out)
{
    th_buffer_append_text(out, "<!DOCTYPE html><title>");
    put_words(all, out, 1 + below(all, 4));
    th_buffer_append_text(out, "</title>");
    if (below(all, 2))
        th_buffer_append_text(out,
                              "<nav><a href=/>Home</a> <a href=/news>News</a></nav>");
    const uint32_t parts = 1 + below(all, 6);
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t kind = below(all, 6);
        if (kind == 0)
            th_buffer_append_text(out, "<h2>Chapter</h2>");
        else if (kind == 1)
            th_buffer_printf(out, "<ul><li><a href='http://%s/%" PRIu32 "'>",
                             ONE(all, hosts), i);
        else if (kind == 2)
            th_buffer_append_text(out, "<table><tr><td>1<td>2</table>");
        else
            th_buffer_append_text(out, "<p>");
        put_words(all, out, 3 + below(all, 30));
        th_buffer_append_text(out, kind == 1 ? "</a></ul>" : "");
    }
}

static void put_record(th_buffer *out, const char *type, const char *url, uint32_t number,
                       const char *fields, const th_buffer *block)
{
    th_buffer_printf(out,
                     "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: "
                     "2024-0%" PRIu32 "-11T00:00:00Z\r\nWARC-Record-ID: <urn:r:%" PRIu32
                     ">\r\n%sContent-Length: %zu\r\n\r\n",
                     type, url, 1 + number % 9, number, fields, block->len);
    th_buffer_append_view(out, th_buffer_view(block));
    th_buffer_append_text(out, "\r\n\r\n");
}

/* Pages, some of them copies, and rules of hosts. Some archives are damaged. */
static void write_archive(struct outcomes *all, const char *name, uint32_t first)
{
    th_buffer out = { 0 }, block = { 0 }, page = { 0 };
    char url[64];
    for (uint32_t i = 0; i < PAGES; i++) {
        if (!page.len || below(all, 3)) {
            th_buffer_reset(&page);
            put_page(all, &page);
        }
        th_buffer_reset(&block);
        const char *answer = ONE(all, statuses), *type = ONE(all, types);
        th_buffer_printf(&block, "HTTP/1.1 %s\r\nContent-Type: %s\r\n%s\r\n", answer,
                         type, below(all, 6) ? "" : "X-Robots-Tag: noai\r\n");
        th_buffer_append_view(&block, th_buffer_view(&page));
        const char *host = ONE(all, hosts);
        (void)snprintf(url, sizeof url, "http://%s/%" PRIu32, host, below(all, 30));
        put_record(&out, "response", url, below(all, 20) ? first + i : first,
                   "Content-Type: application/http\r\n", &block);
    }
    th_buffer_reset(&block);
    const char *status = ONE(all, statuses);
    th_buffer_printf(&block,
                     "HTTP/1.1 %s\r\nContent-Type: text/plain\r\n\r\nUser-agent: "
                     "*\nDisallow: /%" PRIu32,
                     status, below(all, 30));
    th_buffer_append_text(&block, "\nUser-agent: gptbot\nAllow: /1*$\nDisallow: /\n");
    (void)snprintf(url, sizeof url, "http://%s/robots.txt", ONE(all, hosts));
    put_record(&out, "response", url, first + PAGES, "Content-Type: application/http\r\n",
               &block);
    th_buffer_reset(&block);
    th_buffer_append_text(&block,
                          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
                          "[{\"location\":\"/\",\"tdm-reservation\":1}]");
    (void)snprintf(url, sizeof url, "http://%s/.well-known/tdmrep.json", ONE(all, hosts));
    put_record(&out, "response", url, first + PAGES + 1,
               "Content-Type: application/http\r\n", &block);
    const uint32_t damage = below(all, 8);
    if (damage == 0)
        out.len -= 1 + below(all, 200);
    else if (damage == 1)
        out.data[below(all, (uint32_t)out.len)] ^= 1;
    assert_false(out.has_failed || block.has_failed || page.has_failed);
    shortage_write(name, out.data, out.len);
    th_buffer_done(&out);
    th_buffer_done(&block);
    th_buffer_done(&page);
}

static const char *const formats[] = { "jsonl", "jsonl", "fineweb",   "dolma",
                                       "dclm",  "hplt",  "opensearch" };
static const char *const run_options[] = {
    "-k num-words",
    "-k keep-all",
    "-k densitometric",
    "-s bf-plain",
    "-s full-text",
    "-e full_text,segments",
    "-e blocks,paragraphs,links",
    "-e rights,posts,html",
    "-m none",
    "-m paper",
    "--sign all",
    "--text-format markdown,html",
    "--text-links",
    "--filter.status all",
    "--filter.status 2xx,404",
    "--filter.min-words 20",
    "--filter.suffix example",
    "--filter.since 2024-04",
    "--filter.until 2024-06",
    "--filter.rights noai",
    "--filter.media text/*",
    "--filter.not-ids ../ids",
    "--filter.urls ../urls",
    "-e rights --robots ../rules",
    "--sites ../counts",
    "--agent gptbot",
    "--max-body 1K",
    "--max-record 1K",
    "--redact email",
    "--verify-digests",
    "--text-plain",
    "--two-pass",
    "--set-aside aside.warc",
    "--resume",
    "--manifest",
    "--index.path i",
    "--index.path i --index.edges e",
};
static const char *const outputs[] = {
    "-O o.jsonl ../a.warc ../b.warc",
    "-O - ../b.warc",
    "--rejects rejects -O o.jsonl ../a.warc",
    "-O o/ ../a.warc ../x/a.warc ../b.warc",
    "-O o/ --shard 0/2 ../a.warc ../b.warc ../x/a.warc",
    "-O o/ --shard 1/2 ../a.warc ../b.warc"
};
static const char *const others[] = {
    "records -q ../a.warc ../b.warc",
    "records -q --verify-digests ../b.warc",
    "records -q ../x/a.warc ../x",
    "records --validate ../nothing.warc ../x",
    "robots build -O o ../x/a.warc ../x",
    "sites build -q -j1 --by host -O o ../x/a.warc ../x @../list",
    "dedup -q -f parquet -O o.parquet ../r.jsonl ../s.jsonl",
    "records --validate ../a.warc ../b.warc",
    "records --validate --json ../a.warc ../b.warc",
    "records -q --cdxj ../b.warc ../a.warc",
    "dedup --report r -O o ../r.jsonl ../s.jsonl",
    "dedup -q --threshold .5 --output pairs ../r.jsonl",
    "dedup -q --by url --report r ../r.jsonl ../s.jsonl",
    "dedup -q --by text --output drop ../r.jsonl",
    "dedup --unit paragraph --report r ../r.jsonl ../s.jsonl",
    "dedup -q --memory 1M --temp . --sign content ../r.jsonl",
    "compare ../r.jsonl ../s.jsonl",
    "compare --json ../s.jsonl ../r.jsonl",
    "summary ../o",
    "summary --json ../o",
    "summary --sha256 ../o",
    "summary --croissant --name N --date 2024-05-06 --creator C ../o",
    "sites show ../counts",
    "sites show ../counts a.example --json",
    "sites merge ../counts ../counts -O o",
    "robots show ../rules",
    "robots show ../rules www.a.example",
    "robots check ../rules gptbot http://a.example/1 http://c.com/2 http://x.example/",
    "get ../r.jsonl.zst <urn:r:3> urn:r:5 none",
    "inspect --json ../a.warc#0",
    "inspect --compare=all -k num-words ../b.warc#0",
    "text ../a.warc#0",
    "text --json -e paragraphs ../a.warc#0 ../b.warc#0",
};

static void run_at_random(struct outcomes *all)
{
    char command[512];
    const char *format = ONE(all, formats);
    int len = snprintf(command, sizeof command,
                       "run%s -j1 --language-detector none --page-ms 0 -f %s",
                       below(all, 3) ? " -q" : "", format);
    const uint32_t count = below(all, 4);
    for (uint32_t i = 0; i < count; i++)
        len += snprintf(command + len, sizeof command - (size_t)len, " %s",
                        ONE(all, run_options));
    (void)snprintf(command + len, sizeof command - (size_t)len, " %s", ONE(all, outputs));
    note_command(all, command, NULL);
}

static void outcomes_are_known(void **state)
{
    (void)state;
    static const char ids[] = "<urn:r:1>\nurn:r:4\n", urls[] = "a.example\nc.com/1*\n";
    static const char list[] = "# archives\n../b.warc\n\n../a.warc\n";
    static const char plain[] = "run -q -j1 --language-detector none ";
    char command[256];
    struct outcomes all = { .chance = 11 };
    shortage_begin();
    shortage_write("ids", ids, sizeof ids - 1);
    shortage_write("urls", urls, sizeof urls - 1);
    shortage_write("list", list, sizeof list - 1);
    shortage_folder("x");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_archive(&all, "a.warc", 0);
        write_archive(&all, "x/a.warc", 20);
        write_archive(&all, "b.warc", below(&all, 2) ? 40 : 5);
        note_command(&all, "robots build -q -O rules ../a.warc ../b.warc", "rules");
        note_command(&all,
                     "sites build -q -j1 --min-pages 1 -O counts ../a.warc ../b.warc",
                     "counts");
        (void)snprintf(command, sizeof command, "%s-e links -O r.jsonl ../a.warc", plain);
        note_command(&all, command, "r.jsonl");
        (void)snprintf(command, sizeof command, "%s-k num-words -O s.jsonl ../b.warc",
                       plain);
        note_command(&all, command, "s.jsonl");
        (void)snprintf(command, sizeof command,
                       "%s--compress zstd:seekable -O r.jsonl.zst ../a.warc ../x/a.warc",
                       plain);
        note_command(&all, command, "r.jsonl.zst");
        (void)snprintf(command, sizeof command,
                       "%s--manifest --shard 0/1 -O o/ ../a.warc ../x/a.warc", plain);
        note_command(&all, command, "o");
        for (unsigned i = 0; i < 8; i++)
            run_at_random(&all);
        for (unsigned i = 0; i < 10; i++)
            note_command(&all, ONE(&all, others), NULL);
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0x66839C0E085B5E02));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("command_outcomes", tests, NULL, NULL);
}
