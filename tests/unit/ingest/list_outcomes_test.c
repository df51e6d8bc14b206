/* src/ingest/input_list.c and list_lines.c: random arguments in a folder with archives,
 * links, and lists, plain and packed. All inputs and errors have one digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/input_list.h"
#include "outcomes.h"
#include "parquet/page_crc.h"

enum { ROUNDS = 1500 };

static struct outcomes all;

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- files ---- */

static const char *const files[] = { "a.warc",          "b.warc.gz",     "c d.arc",
                                     "n.txt",           "sub/e.warc",    "sub/f.warc.zst",
                                     "sub/g.warc.open", "sub/in/h.warc", "other/i.warc" };
static const char *const links[][2] = { { "..", "sub/loop" },
                                        { "../other", "sub/way" },
                                        { "../a.warc", "sub/same.warc" },
                                        { "nowhere", "sub/dangling.warc" } };
enum { FILES = sizeof files / sizeof *files, LINKS = sizeof links / sizeof *links };

static void write_bytes(const char *path, th_view bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (bytes.len)
        assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

/* ---- lists ---- */

#define POINTER                                                                          \
    "com,example)/ 20260101000000 {\"url\": \"http://example.com/\", \"filename\": "     \
    "\"a.warc\", \"offset\": \"5\", \"length\": \"30\"}"

static void append_line(th_buffer *out)
{
    static const char *const lines[] = {
        "a.warc",
        "b.warc.gz",
        "c d.arc",
        "sub",
        "sub/*.warc",
        "other/",
        "# a comment",
        "",
        "*.warc",
        "a.warc#17",
        "a.warc#17+20",
        POINTER,
        "https://store.example/x.warc",
        "missing.warc",
        "@list",
        "/nowhere/at/all.warc",
        "none*",
    };
    static const char *const ends[] = { "\n", "\n", "\n", "\r\n", " \n" };
    th_buffer_append_text(out, lines[chance(chance(6) ? 12 : 17)]);
    th_buffer_append_text(out, ends[chance(chance(4) ? 3 : 5)]);
}

static void append_number(th_buffer *out, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

/* Appends a member of gzip with one block that is not compressed. */
static void append_member(th_buffer *out, th_view bytes)
{
    static const char head[10] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
    th_buffer_append(out, head, sizeof head);
    th_buffer_append_char(out, 1);
    append_number(out, (uint32_t)bytes.len, 2);
    append_number(out, ~(uint32_t)bytes.len, 2);
    th_buffer_append_view(out, bytes);
    append_number(out, (uint32_t)th_page_crc(bytes), 4);
    append_number(out, (uint32_t)bytes.len, 4);
}

/* Packs a list as members that may end within a line. */
static void pack(const th_buffer *list, th_buffer *out)
{
    for (size_t at = 0, len; at < list->len; at += len) {
        const size_t left = list->len - at;
        len = chance(2) ? left : 1 + chance((uint32_t)left);
        append_member(out, (th_view){ list->data + at, len });
    }
}

static void write_list(void)
{
    th_buffer list = { 0 }, packed = { 0 };
    for (uint32_t n = chance(6); n > 0; n--)
        append_line(&list);
    if (chance(20) == 0) /* a line near the limit of bytes */
        for (uint32_t n = 8180 + chance(20); n > 0; n--)
            th_buffer_append_char(&list, 'x');
    if (list.len && chance(4) == 0)
        list.len--; /* without the last end */
    if (chance(2)) {
        pack(&list, &packed);
        if (packed.len && chance(6) == 0)
            packed.len = chance((uint32_t)packed.len);
        if (packed.len && chance(10) == 0)
            packed.data[chance((uint32_t)packed.len)] ^= 4;
        if (chance(10) == 0)
            th_buffer_append_text(&packed, "junk");
    }
    say("list of %zu bytes, %zu packed", list.len, packed.len);
    write_bytes("list", packed.len ? th_buffer_view(&packed) : th_buffer_view(&list));
    th_buffer_done(&list);
    th_buffer_done(&packed);
}

/* ---- arguments ---- */

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

static void add_argument(th_input_list *list)
{
    static const char *const arguments[] = {
        "@list",  "@list",    "@list", "a.warc",   "sub",           "sub/",  ".",
        "*.warc", "sub/*",    "other", "-",        "@missing",      "none*", "missing",
        "s3://b", "a.warc#5", "n.txt", "sub/loop", "sub/same.warc", "@sub",  "",
    };
    const char *argument = arguments[chance(21)];
    th_error err = { .text = "" };
    const uint32_t before = list->count;
    const th_status status = th_input_list_add(list, argument, &err);
    say("%s: %d %s", argument, (int)status, err.text);
    for (uint32_t i = before; i < list->count; i++)
        say("  %s", list->paths[i]);
    say("  %u inputs, %llu bytes", list->count, (unsigned long long)list->total_bytes);
}

static void one_round(uint32_t round)
{
    static const char *const text_ends[] = { ".txt", ".arc", NULL };
    static const char *const bases[] = { "", "sub", "sub/", "../x" };
    th_input_list list;
    all.chance = round * 7919 + 19;
    write_list();
    assert_int_equal(th_input_list_init(&list), TH_OK);
    list.warn = chance(4) ? take_warning : NULL;
    list.name_ends = chance(5) ? NULL : text_ends;
    list.takes_records = chance(2);
    list.base = chance(4) ? NULL : bases[chance(4)];
    say("round %u", round);
    for (uint32_t n = 1 + chance(4); n > 0; n--)
        add_argument(&list);
    th_input_list_done(&list);
}

static void one_digest_for_all(void **state)
{
    char folder[] = "/tmp/thresher-list-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder) | mkdir("x", 0700), 0);
    assert_int_equal(chdir("x") | mkdir("sub", 0700) | mkdir("sub/in", 0700) |
                         mkdir("other", 0700),
                     0);
    for (size_t i = 0; i < FILES; i++)
        write_bytes(files[i], (th_view){ "0123456789abcdefghij", 5 + i });
    for (size_t i = 0; i < LINKS; i++)
        assert_int_equal(symlink(links[i][0], links[i][1]), 0);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    for (size_t i = 0; i < FILES; i++)
        assert_int_equal(unlink(files[i]), 0);
    for (size_t i = 0; i < LINKS; i++)
        assert_int_equal(unlink(links[i][1]), 0);
    assert_int_equal(unlink("list") | rmdir("sub/in") | rmdir("sub") | rmdir("other"), 0);
    assert_int_equal(chdir("..") | rmdir("x") | chdir("/") | rmdir(folder), 0);
    expect_digest(&all, UINT64_C(0xF38245187305D477));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
