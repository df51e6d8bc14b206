/* src/robots/robots_file.c and robots_lookup.c: files of random hosts, damaged files, and
 * the statements about random URLs, with one digest of all that they give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "outcomes.h"
#include "page/rights.h"
#include "robots/robots_lookup.h"

enum { FILES = 500, URLS = 40, HOSTS = 12 };

static struct outcomes all;
static char path[] = "/tmp/thresher-robots-XXXXXX";

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* Names in the order of bytes, as the lines of a file have them. */
static const char *const origins[HOSTS] = {
    "http://a.example",      "http://a.example:8080", "http://b.example",
    "http://www.b.example",  "https://a.example",     "https://a.example.org",
    "https://b.example",     "https://b.example:1",   "https://c.example",
    "https://long.host.org", "https://xn--d.example", "https://z",
};

/* ---- files ---- */

static void append_rules(th_buffer *out)
{
    static const char *const lines[] = {
        "user-agent: *",
        "user-agent: *",
        "user-agent: ourbot",
        "user-agent: ourbot",
        "user-agent: other",
        "allow: /",
        "disallow: /",
        "disallow: /a*",
        "allow: /a/b",
        "disallow: /*.pdf$",
        "content-usage: train-ai=n",
        "content-usage: /a train-ai=y",
        "content-signal: ai-train=no",
        "license: https://l.example/rsl",
        "license: ",
    };
    for (uint32_t n = chance(9); n > 0; n--) {
        th_buffer_append_text(out, lines[chance(15)]);
        th_buffer_append_text(out, "\\n");
    }
}

static void append_robots(th_buffer *out)
{
    static const char *const statuses[] = {
        "200", "200", "404", "503", "5000", "\"200\""
    };
    static const char *const ends[] = { "/robots.txt", "/robots.txt", "/robots.txt",
                                        "/other.txt", "/robots.txt?a" };
    th_buffer_append_text(out, ",\"robots\":{\"date\":\"2026-01-01\"");
    if (chance(6))
        th_buffer_printf(out, ",\"status\":%s", statuses[chance(6)]);
    if (chance(3)) {
        th_buffer_append_text(out, ",\"rules\":\"");
        append_rules(out);
        th_buffer_append_char(out, '"');
    }
    if (chance(3) == 0) {
        const char *origin = origins[chance(HOSTS)];
        th_buffer_printf(out, ",\"location\":\"%s%s\"", origin, ends[chance(5)]);
    }
    th_buffer_append_char(out, '}');
}

static void append_tdm(th_buffer *out)
{
    static const char *const lines[] = { "1 /", "0 /a*", "1 /a* https://p.example/policy",
                                         "1 /*.pdf$ https://p.example/pdf" };
    th_buffer_append_text(out, ",\"tdmrep\":{\"status\":200,\"rules\":\"");
    for (uint32_t n = chance(4); n > 0; n--) {
        th_buffer_append_text(out, lines[chance(4)]);
        th_buffer_append_text(out, "\\n");
    }
    th_buffer_append_text(out, "\"}");
}

static void append_hosts(th_buffer *out)
{
    const uint32_t seldom = 1 + chance(3);
    uint64_t hosts = 0;
    for (uint32_t i = 0; i < HOSTS; i++) {
        if (chance(seldom))
            continue;
        const th_view origin = { origins[i], strlen(origins[i]) };
        th_robots_line_begin(origin, out);
        if (chance(8))
            append_robots(out);
        if (chance(3) == 0)
            append_tdm(out);
        th_buffer_append_text(out, chance(20) ? "}\n" : "\n");
        hosts++;
    }
    th_robots_line_end(hosts, XXH3_64bits(out->data ? out->data : "", out->len), out);
}

/* Damages a file in one place, or cuts it. */
static void damage(th_buffer *bytes)
{
    const uint32_t kind = chance(3);
    const size_t at = chance(2) && bytes->len > 80 ? bytes->len - 1 - chance(80)
                                                   : chance((uint32_t)bytes->len);
    if (kind == 0)
        bytes->len = at;
    else if (kind == 1)
        bytes->data[at] = (char)(bytes->data[at] ^ 1 << chance(8));
    else
        th_buffer_append_text(bytes, chance(2) ? "\n" : "{}\n");
}

static void write_file(const th_buffer *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (bytes->len)
        assert_int_equal(fwrite(bytes->data, 1, bytes->len, file), bytes->len);
    assert_int_equal(fclose(file), 0);
}

/* ---- URLs ---- */

static void look_up(th_robots_lookup *lookup, th_arena *arena)
{
    static const char *const paths[] = { "",         "/",  "/a",          "/a/b",
                                         "/a/b.pdf", "/c", "/robots.txt", "/%61?x#y" };
    char url[256];
    th_robots_answer answer;
    const char *origin = chance(12) ? origins[chance(HOSTS)] : "ftp://a.example";
    (void)snprintf(url, sizeof url, "%s%s", origin, paths[chance(8)]);
    const th_view view = { url, strlen(url) };
    const th_status status = th_robots_lookup_find(lookup, view, &answer);
    say("%s: %d known %d named %d status %d, '%.*s' %d usage '%.*s' signal '%.*s'", url,
        (int)status, answer.is_known, answer.is_named, answer.status,
        (int)answer.match.rule.len, answer.match.rule.data ? answer.match.rule.data : "",
        answer.match.is_disallowed, (int)answer.match.usage.len,
        answer.match.usage.data ? answer.match.usage.data : "",
        (int)answer.match.signal.len,
        answer.match.signal.data ? answer.match.signal.data : "");
    th_rights rights = { .arena = arena };
    assert_int_equal(th_robots_lookup_add(lookup, view, &rights), TH_OK);
    for (uint32_t i = 0; i < rights.count; i++) {
        const th_right *row = &rights.rows[i];
        say("  %s from %s of '%.*s': '%.*s'", row->signal, row->from, (int)row->agent.len,
            row->agent.data ? row->agent.data : "", (int)row->value.len,
            row->value.data ? row->value.data : "");
    }
    th_arena_reset(arena);
}

static void one_file(uint32_t number, th_arena *arena)
{
    static const char *const agents[] = { "OurBot", "ourbot", "", NULL };
    th_buffer bytes = { 0 };
    th_robots_file *file = NULL;
    th_robots_lookup lookup;
    th_error err = { .text = "" };
    all.chance = number * 7919 + 17;
    append_hosts(&bytes);
    if (chance(2))
        damage(&bytes);
    write_file(&bytes);
    const th_status status = th_robots_file_open(path, &file, &err);
    const char *words = strchr(err.text, ' '); /* not the name of the file */
    say("file %u of %zu bytes: %d %s", number, bytes.len, (int)status,
        words ? words : "");
    if (status == TH_OK) {
        say("checksum %016" PRIX64 ", %zu bytes of hosts", th_robots_file_checksum(file),
            th_robots_file_lines(file).len);
        th_robots_lookup_begin(&lookup, file, agents[chance(4)]);
        for (int i = 0; i < URLS; i++)
            look_up(&lookup, arena);
        th_robots_lookup_done(&lookup);
    }
    th_robots_file_free(file);
    th_buffer_done(&bytes);
}

static void no_other_file_is_opened(void **state)
{
    th_robots_file *file = NULL;
    th_error err = { .text = "" };
    (void)state;
    assert_int_equal(th_robots_file_open("/nowhere/at/all", &file, &err), TH_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    assert_int_equal(th_robots_file_open("/tmp", &file, &err), TH_USAGE);
    assert_int_equal(th_robots_file_open("/dev/null", &file, &err), TH_USAGE);
    assert_null(file);
}

static void one_digest_for_all(void **state)
{
    th_arena *arena = th_arena_new(0);
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0 && arena);
    (void)close(fd);
    for (uint32_t number = 0; number < FILES; number++)
        one_file(number, arena);
    th_arena_free(arena);
    (void)unlink(path);
    expect_digest(&all, UINT64_C(0x8FD8580AC7A10B8B));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_other_file_is_opened),
                                        cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
