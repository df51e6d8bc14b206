/*
 * Holds the charset stage against the encoding tests of html5lib-tests: FOLDER/<x>.dat,
 * the folder being the argument. Skipped (exit 77) where it is absent.
 *
 * The tests expect what a browser ends with: byte order mark, meta anywhere (it starts
 * over when it meets one late), else windows-1252. Two things are held against that:
 *  - the prescan, given the whole text where its first 1,024 bytes say nothing. Texts
 *    with a mark are none of its business;
 *  - th_charset_decode without a label. It must return that encoding, or the same
 *    text. For text with only ASCII, the name of the default is "UTF-8". A meta
 *    after the first 1,024 bytes is ignored. The table below lists the intended
 *    differences.
 * Not read: scripted/ (a script writes its meta, and no script runs here) and
 * chardet/ (one Big5 text without an expectation).
 */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "parse/charset/charset.h"
#include "parse/charset/meta_prescan.h"

enum { SKIPPED = 77, MAX_FILE = 1 << 20 };

/* Where th_charset_decode means to differ. */
static const struct exception {
    const char *in;  /* part of the text */
    const char *got; /* what the stage says */
    const char *why;
} exceptions[] = {
    { "<title>Yahoo! JAPAN</title>", "UTF-8",
      "says euc-jp and is UTF-8: the bytes refute the declaration" },
};

struct count {
    int passed, failed, with_mark;
    int decoded, same_text, excepted;
};

/* The text of an encoding, as its HTTP label gives it; owned by the arena. */
static th_view text_of(th_charset *charset, th_arena *arena, const char *label,
                       th_view bytes, th_encoding *used)
{
    th_view text = { 0 };
    uint32_t flags = 0;
    const th_view label_view = { label, label ? strlen(label) : 0 };
    if (th_charset_decode(charset, label_view, bytes, arena, &text, used, &flags))
        exit(1);
    return text;
}

static const struct exception *find_exception(th_view bytes, const char *got)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (memmem(bytes.data, bytes.len, exceptions[i].in, strlen(exceptions[i].in)) &&
            strcmp(exceptions[i].got, got) == 0)
            return &exceptions[i];
    return NULL;
}

static void complain(const char *file, const char *what, const char *got,
                     const char *want, th_view bytes)
{
    printf("%s: %s: got %s, want %s for:\n%.*s\n", file, what, got, want,
           (int)(bytes.len < 200 ? bytes.len : 200), bytes.data);
}

static void check_decode(struct count *count, const char *file, th_charset *charset,
                         th_view bytes, const char *want)
{
    th_arena *const arena = th_arena_new(0);
    if (!arena)
        exit(1);
    th_encoding used;
    th_encoding unused;
    const th_view text = text_of(charset, arena, NULL, bytes, &used);
    const th_view same = text_of(charset, arena, want, bytes, &unused);
    const struct exception *const exception = find_exception(bytes, used.name);
    if (strcmp(used.name, want) == 0) {
        count->decoded++;
    } else if (exception) {
        printf("%s: excepted: %s\n", file, exception->why);
        count->excepted++;
    } else if (strcmp(unused.name, want) == 0 && text.len == same.len &&
               memcmp(text.data, same.data, text.len) == 0) {
        count->same_text++;
    } else {
        count->failed++;
        complain(file, "decode", used.name, want, bytes);
    }
    th_arena_free(arena);
}

static void check_prescan(struct count *count, const char *file, th_view bytes,
                          const char *want)
{
    if (bytes.len >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0) {
        count->with_mark++;
        return;
    }
    enum { START = 1024 };
    const th_view start = { bytes.data, bytes.len < START ? bytes.len : START };
    const char *got = th_charset_name(th_meta_prescan(start));
    if (!got)
        got = th_charset_name(th_meta_prescan(bytes));
    if (!got)
        got = "windows-1252";
    if (strcmp(got, want) == 0) {
        count->passed++;
    } else {
        count->failed++;
        complain(file, "prescan", got, want, bytes);
    }
}

static void check(struct count *count, const char *file, th_charset *charset,
                  th_view data, th_view label)
{
    const char *const want = th_charset_name(th_charset_id_of_label(label));
    /* An exact copy, so that a sanitizer sees one byte read too far. */
    char *const copy = malloc(data.len ? data.len : 1);
    if (!copy || !want) {
        printf("%s: no memory, or no encoding '%.*s'\n", file, (int)label.len,
               label.data);
        exit(1);
    }
    memcpy(copy, data.data, data.len);
    const th_view bytes = { copy, data.len };
    check_prescan(count, file, bytes, want);
    check_decode(count, file, charset, bytes, want);
    free(copy);
}

static void read_tests(struct count *count, const char *file, th_charset *charset,
                       const char *text, size_t len)
{
    static const char data_mark[] = "#data\n";
    static const char encoding_mark[] = "\n#encoding\n";
    const char *at = text;
    const char *const end = text + len;
    while ((at = memmem(at, (size_t)(end - at), data_mark, sizeof data_mark - 1))) {
        at += sizeof data_mark - 1;
        const char *const stop =
            memmem(at, (size_t)(end - at), encoding_mark, sizeof encoding_mark - 1);
        if (!stop)
            break;
        const char *const label = stop + sizeof encoding_mark - 1;
        const char *const line_end = memchr(label, '\n', (size_t)(end - label));
        const size_t label_len = (size_t)((line_end ? line_end : end) - label);
        check(count, file, charset, (th_view){ at, (size_t)(stop - at) },
              (th_view){ label, label_len });
        at = label;
    }
}

static void read_file(struct count *count, th_charset *charset, const char *path)
{
    FILE *const file = fopen(path, "rb");
    char *const text = malloc(MAX_FILE);
    if (!file || !text) {
        printf("cannot read '%s'\n", path);
        count->failed++;
    } else {
        read_tests(count, path, charset, text, fread(text, 1, MAX_FILE, file));
    }
    free(text);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    char pattern[4096];
    glob_t found = { 0 };
    struct count count = { 0 };
    if (argc != 2) {
        printf("usage: charset_conformance FOLDER\n");
        return 2;
    }
    snprintf(pattern, sizeof pattern, "%s/*.dat", argv[1]);
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("skipped: no '%s'\n", pattern);
        return SKIPPED;
    }
    th_charset *const charset = th_charset_new();
    if (!charset)
        return 1;
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(&count, charset, found.gl_pathv[i]);
    globfree(&found);
    th_charset_free(charset);
    printf("prescan: %d passed, %d with a byte order mark are not its own\n",
           count.passed, count.with_mark);
    printf("decode: %d name the encoding, %d give the same text, %d excepted\n",
           count.decoded, count.same_text, count.excepted);
    printf("%d failed\n", count.failed);
    return count.failed || !count.passed;
}
