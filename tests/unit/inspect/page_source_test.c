/* src/inspect/page_source.c: valid and invalid names of pages. */
#include "inspect/page_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "warc/warc.h"
#include "write/format.h"

#define PAGES TH_DATA "/../golden/two_pages.warc"

/* clang-format off */
static const struct row {
    const char *name, *place, *url;
    th_status want;
    const char *says;  /* of a failure: in its words */
    const char *found; /* URL of the record; NULL: has none */
} rows[] = {
    { "by url", PAGES, "http://apfel.example/", TH_OK, NULL, "http://apfel.example/" },
    { "by place", PAGES "#248", NULL, TH_OK, NULL, "http://light.example/keeper?a=1&b=2" },
    { "the first record", PAGES "#0", NULL, TH_OK, NULL, "http://example.org/" },
    { "not that of another type", PAGES, "http://example.org/", TH_ABSENT, ": 3 records, but no response of", NULL },
    { "no such url", PAGES, "http://apfel.example", TH_ABSENT, "'http://apfel.example'", NULL },
    { "no such url, but damage", TH_DATA "/warc/damaged_member.warc.gz", "http://none.example/", TH_ABSENT, "the archive is damaged in 1 place, first at offset 195, which may contain the page", NULL },
    { "no such url, several places", TH_DATA "/warc/clipped_member.warc.gz", "http://none.example/", TH_ABSENT, "the archive is damaged in 2 places, first at offset 195,", NULL },
    { "empty url", PAGES, "", TH_ABSENT, ": 3 records, but no", NULL },
    { "between two records", PAGES "#1", NULL, TH_ABSENT, "the next record starts at 248", NULL },
    { "after the end", PAGES "#99999999", NULL, TH_ABSENT, "at or after offset 99999999", NULL },
    { "a skip without a record", PAGES "#248+3", NULL, TH_ABSENT, "no record starts", NULL },
    { "no number", PAGES "#x", NULL, TH_IO, "cannot open", NULL },
    { "a number too large", PAGES "#99999999999999999999", NULL, TH_IO, "cannot open", NULL },
    { "no such file", "/nowhere/page.html", NULL, TH_IO, "No such file", NULL },
    { "no such archive", "/nowhere/a.warc#0", NULL, TH_IO, "No such file", NULL },
    { "no such archive, by url", "/nowhere/a.warc", "http://a/", TH_IO, "No such file", NULL },
    { "a folder", TH_DATA, NULL, TH_IO, "s a directory", NULL },
    { "an archive alone", PAGES, NULL, TH_USAGE, "is an archive", NULL },
    { "a packed archive alone", TH_DATA "/warc/one_member.warc.gz", NULL, TH_USAGE, "is an archive", NULL },
    { "no archive at all", TH_DATA "/minhash/vectors.jsonl#0", NULL, TH_ABSENT, "no record starts", NULL },
};
/* clang-format on */

static th_batch *new_batch(void)
{
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    assert_non_null(batch->arena);
    return batch;
}

static void free_batch(th_batch *batch)
{
    th_arena_free(batch->arena);
    free(batch);
}

static th_status find(const char *place, const char *url, th_batch *batch, th_error *err)
{
    const th_page_name name = { .place = place, .url = url, .base = "" };
    const atomic_int stop = 0;
    th_options opt;
    th_options_init(&opt);
    return th_page_source_read(&name, &opt, &stop, NULL, NULL, batch, err);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_batch *batch = new_batch();
    th_error err = { .text = "" };
    assert_int_equal(find(row->place, row->url, batch, &err), row->want);
    assert_int_equal(batch->record_count, row->want == TH_OK);
    if (row->says && !strstr(err.text, row->says))
        assert_string_equal(err.text, row->says);
    if (row->found) {
        const th_view url = batch->records[0].url;
        assert_int_equal(url.len, strlen(row->found));
        assert_memory_equal(url.data, row->found, url.len);
    }
    free_batch(batch);
}

/* Each record that can hold a page is found by the place that the reader gives it, in
 * files with one record in each member and in files with all in one. */
static void every_place_is_found(void **state)
{
    const char *path = *state;
    warc_error error = { .text = "" };
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    unsigned found = 0;
    assert_int_equal(warc_reader_open_path(path, NULL, &reader, &error), WARC_OK);
    while (warc_reader_next(reader, &record, &error) == WARC_OK) {
        const warc_position position = warc_record_position(record);
        const warc_view id = warc_record_get(record, WARC_FIELD_RECORD_ID);
        char place[4096];
        (void)snprintf(place, sizeof place, "%s#%llu+%llu", path,
                       (unsigned long long)position.offset,
                       (unsigned long long)position.skip);
        th_batch *batch = new_batch();
        th_error err = { .text = "" };
        assert_int_equal(find(place, NULL, batch, &err), TH_OK);
        assert_int_equal(batch->records[0].id.len, id.len);
        assert_memory_equal(batch->records[0].id.data, id.data, id.len);
        free_batch(batch);
        found++;
    }
    assert_in_range(found, 1, 1000);
    warc_reader_free(reader);
}

/* A file of these bytes, which the caller unlinks. */
static void write_file(char *path, const char *bytes, size_t len)
{
    const int fd = mkstemps(path, (int)strlen(strrchr(path, '.')));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    (void)close(fd);
}

static void a_file_is_the_page(void **state)
{
    (void)state;
    static const struct {
        const char *path, *bytes, *type;
        bool is_http;
    } files[] = {
        { "/tmp/page.XXXXXX.html", "plain words", "text/html", false },
        { "/tmp/page.XXXXXX.HTM", "plain words", "text/html", false },
        { "/tmp/page.XXXXXX.xhtml", "<html/>", "application/xhtml+xml", false },
        { "/tmp/page.XXXXXX.txt", "<html>", NULL, false },
        { "/tmp/page.XXXXXX.txt", "HTTP/1.1 200 OK\r\n\r\n<html>", NULL, true },
        { "/tmp/page.XXXXXX.html", "", "text/html", false },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s", files[i].path);
        write_file(path, files[i].bytes, strlen(files[i].bytes));
        th_batch *batch = new_batch();
        th_error err = { .text = "" };
        assert_int_equal(find(path, NULL, batch, &err), TH_OK);
        const th_record *record = &batch->records[0];
        assert_int_equal(record->block.len, strlen(files[i].bytes));
        assert_memory_equal(record->block.data, files[i].bytes, record->block.len);
        assert_int_equal(record->is_http, files[i].is_http);
        assert_int_equal(record->content_type.data != NULL, files[i].type != NULL);
        if (files[i].type)
            assert_memory_equal(record->content_type.data, files[i].type,
                                record->content_type.len);
        free_batch(batch);
        (void)unlink(path);
    }
}

/* Reads a file of 5,000 bytes with max_record just below and at its length. More is cut
 * and flagged, at the limit itself nothing is. */
static void cut_file(const char *path)
{
    enum { LEN = 5000 };
    const th_page_name name = { .place = path, .base = "http://a.example/" };
    const atomic_int stop = 0;
    th_options opt;
    th_options_init(&opt);
    for (uint64_t max = LEN - 1; max <= LEN; max++) {
        th_batch *batch = new_batch();
        opt.max_record = max;
        assert_int_equal(th_page_source_read(&name, &opt, &stop, NULL, NULL, batch, NULL),
                         TH_OK);
        assert_int_equal(batch->records[0].block.len, max);
        assert_int_equal(batch->records[0].flags,
                         max < LEN ? TH_FLAG_RECORD_TRUNCATED : 0);
        assert_int_equal(batch->records[0].url.len, strlen(name.base));
        free_batch(batch);
    }
}

static void a_long_file_is_cut(void **state)
{
    (void)state;
    static char bytes[5000];
    memset(bytes, 'x', sizeof bytes);
    for (th_compression how = TH_PLAIN; how <= TH_ZSTD; how++) {
        char path[] = "/tmp/page.XXXXXX.html";
        th_buffer file = { 0 };
        assert_int_equal(th_compress(how, (th_view){ bytes, sizeof bytes }, &file),
                         TH_OK);
        write_file(path, file.data, file.len);
        cut_file(path);
        th_buffer_done(&file);
        (void)unlink(path);
    }
}

static void a_search_can_be_stopped(void **state)
{
    (void)state;
    const th_page_name name = { .place = PAGES, .url = "http://apfel.example/" };
    const atomic_int stop = 1;
    th_options opt;
    th_options_init(&opt);
    th_batch *batch = new_batch();
    assert_int_equal(th_page_source_read(&name, &opt, &stop, NULL, NULL, batch, NULL),
                     TH_INTERRUPTED);
    free_batch(batch);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static const char *const archives[] = {
        PAGES,
        TH_DATA "/warc/one_member.warc.gz",
        TH_DATA "/warc/three_members.warc.gz",
        TH_DATA "/warc/one_frame.warc.zst",
        TH_DATA "/warc/three_frames.warc.zst",
        TH_DATA "/warc/dict_packed.warc.zst",
    };
    enum { ARCHIVES = sizeof archives / sizeof *archives };
    struct CMUnitTest tests[ROWS + ARCHIVES + 3];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < ARCHIVES; i++)
        tests[count++] =
            (struct CMUnitTest){ strrchr(archives[i], '/') + 1, every_place_is_found,
                                 NULL, NULL, (void *)(uintptr_t)archives[i] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_file_is_the_page);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_long_file_is_cut);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_search_can_be_stopped);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
