/*
 * Holds the meta prescan against the encoding tests of html5lib-tests: FOLDER/<x>.dat,
 * the folder being the first argument, or TH_SHARED's. Skipped (exit 77) where it is
 * absent.
 *
 * The tests expect what a browser ends with: byte order mark, meta anywhere (it starts
 * over when it meets one late), else windows-1252. So the prescan is given the whole text
 * where its first 1,024 bytes say nothing; texts with a mark are th_charset_decode's, and
 * counted apart. Those in `scripted` need a browser and are not read.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "parse/charset.h"
#include "parse/meta_prescan.h"

#ifndef TH_SHARED
#define TH_SHARED "../shared"
#endif

enum { SKIPPED = 77, MAX_FILE = 1 << 20 };

struct count {
    int passed, failed, with_mark;
};

static void check(struct count *count, const char *file, const char *data, size_t len,
                  th_view want)
{
    if (len >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        count->with_mark++;
        return;
    }
    /* An exact copy, so that a sanitizer sees one byte read too far. */
    char *const copy = malloc(len ? len : 1);
    if (!copy)
        exit(1);
    memcpy(copy, data, len);
    const char *got = th_charset_prescan((th_view){ copy, len });
    const char *const name = th_charset_of_label(want);
    if (!got)
        got = th_charset_name(th_meta_prescan((th_view){ copy, len }));
    if (!got)
        got = "windows-1252";
    if (name && strcmp(got, name) == 0) {
        count->passed++;
    } else {
        count->failed++;
        printf("%s: got %s, want %.*s for:\n%.*s\n", file, got, (int)want.len, want.data,
               (int)(len < 200 ? len : 200), data);
    }
    free(copy);
}

static void read_tests(struct count *count, const char *file, const char *text,
                       size_t len)
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
        check(count, file, at, (size_t)(stop - at), (th_view){ label, label_len });
        at = label;
    }
}

static void read_file(struct count *count, const char *path)
{
    FILE *const file = fopen(path, "rb");
    char *const text = malloc(MAX_FILE);
    if (!file || !text) {
        printf("cannot read '%s'\n", path);
        count->failed++;
    } else {
        read_tests(count, path, text, fread(text, 1, MAX_FILE, file));
    }
    free(text);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    char pattern[4096];
    glob_t found = { 0 };
    struct count count = { 0, 0, 0 };
    const char *const folder = TH_SHARED "/corpora/html5lib-tests/encoding";
    snprintf(pattern, sizeof pattern, "%s/*.dat", argc > 1 ? argv[1] : folder);
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("skipped: no '%s'\n", pattern);
        return SKIPPED;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(&count, found.gl_pathv[i]);
    globfree(&found);
    printf("%d passed, %d failed, %d with a byte order mark\n", count.passed,
           count.failed, count.with_mark);
    return count.failed || !count.passed;
}
