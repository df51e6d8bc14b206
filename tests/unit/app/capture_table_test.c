/* src/app/capture_table.c: the rows of a table of captures, and a table that is not
 * finished. */
#include "app/capture_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "parquet/parquet_reader.h"

#define PAGE_HEAD                                                                        \
    "HTTP/1.1 301 Moved\r\nContent-Type: text/html; charset=x\r\nLocation: /b\r\n\r\n"
#define CRAWL "/data/crawl-data/CC-MAIN-2024-10/segments/170.5/warc/a.warc.gz"

/* clang-format off */
static const struct row {
    const char *path, *fields, *head; /* the head is of HTTP, or NULL */
    const char *want;                 /* NULL if the record is not a capture */
} rows[] = {
    { "in/a.warc", "WARC-Type: response\r\nWARC-Target-URI: http://www.a.example:8080/p%20q?x=1\r\nWARC-Date: 2024-03-01T12:00:01Z\r\n"
      "Content-Type: application/http; msgtype=response\r\nWARC-Truncated: length\r\n", PAGE_HEAD,
      "{\"url_surtkey\":\"example,a:8080)/p%20q?x=1\",\"url\":\"http://www.a.example:8080/p%20q?x=1\",\"url_host_name\":\"www.a.example\",\"url_host_tld\":\"example\",\"url_host_2nd_last_part\":\"a\",\"url_host_3rd_last_part\":\"www\",\"url_host_name_reversed\":\"example.a.www\",\"url_protocol\":\"http\",\"url_port\":8080,\"url_path\":\"/p%20q\",\"url_query\":\"x=1\",\"fetch_time\":1709294401000,\"fetch_status\":301,\"fetch_redirect\":\"http://www.a.example:8080/b\",\"content_mime_type\":\"text/html\",\"content_truncated\":\"length\",\"warc_filename\":\"in/a.warc\",\"warc_record_offset\":0}" },
    { "in/a.warc", "WARC-Type: warcinfo\r\n", NULL, NULL },
    { CRAWL, "WARC-Type: resource\r\nWARC-Target-URI: https://10.0.0.1/\r\nWARC-Date: 2024-03-01T12:00:02.5Z\r\nContent-Type: text/plain\r\n", NULL,
      "{\"url_surtkey\":\"1,0,0,10)/\",\"url\":\"https://10.0.0.1/\",\"url_host_name\":\"10.0.0.1\",\"url_protocol\":\"https\",\"url_path\":\"/\",\"fetch_time\":1709294402500,\"content_mime_type\":\"text/plain\",\"warc_filename\":\"crawl-data/CC-MAIN-2024-10/segments/170.5/warc/a.warc.gz\",\"warc_record_offset\":0,\"warc_segment\":\"170.5\",\"crawl\":\"CC-MAIN-2024-10\",\"subset\":\"warc\"}" },
    { "in/crawl-data/x", "WARC-Type: resource\r\nWARC-Target-URI: urn:x\r\nContent-Type: text/plain\r\n", NULL,
      "{\"url_surtkey\":\"urn:x\",\"url\":\"urn:x\",\"url_protocol\":\"urn\",\"url_path\":\"x\",\"content_mime_type\":\"text/plain\",\"warc_filename\":\"in/crawl-data/x\",\"warc_record_offset\":0}" },
    { "in/a.warc", "WARC-Type: revisit\r\nWARC-Target-URI: http://a.example/\r\nWARC-Payload-Digest: sha1:ABC\r\nContent-Type: application/http\r\n", PAGE_HEAD,
      "{\"url_surtkey\":\"example,a)/\",\"url\":\"http://a.example/\",\"url_host_name\":\"a.example\",\"url_host_tld\":\"example\",\"url_host_2nd_last_part\":\"a\",\"url_host_name_reversed\":\"example.a\",\"url_protocol\":\"http\",\"url_path\":\"/\",\"fetch_status\":301,\"fetch_redirect\":\"http://a.example/b\",\"content_digest\":\"ABC\",\"content_mime_type\":\"warc/revisit\",\"warc_filename\":\"in/a.warc\",\"warc_record_offset\":0}" },
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

static char path[] = "/tmp/thresher-captures-XXXXXX.parquet";
static th_capture_table table;

static void open_table(void)
{
    th_error err;
    const int fd = mkstemps(path, 8);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(th_capture_table_open(&table, path, 1 << 20, &err), TH_OK);
}

static void add_row(const struct row *row)
{
    char text[2000];
    const char *head = row->head ? row->head : "";
    const int len = snprintf(text, sizeof text,
                             "WARC/1.1\r\nWARC-Record-ID: <urn:uuid:1>\r\n%s"
                             "Content-Length: %zu\r\n\r\n%s\r\n\r\n",
                             row->fields, strlen(head), head);
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    warc_error error;
    th_error err = { .text = "" };
    th_http_head http;
    assert_int_equal(
        warc_reader_open_memory((warc_view){ text, (size_t)len }, NULL, &reader, &error),
        WARC_OK);
    assert_int_equal(warc_reader_next(reader, &record, &error), WARC_OK);
    if (row->head)
        assert_int_equal(
            th_http_head_parse((th_view){ head, strlen(head) }, 4096, true, &http),
            TH_OK);
    if (th_capture_table_add(&table, row->path, record, row->head ? &http : NULL,
                             row->head ? (th_view){ head, strlen(head) }
                                       : (th_view){ NULL, 0 },
                             NULL, &err) != TH_OK)
        fail_msg("%s", err.text);
    warc_reader_free(reader);
}

static th_status read_bytes(void *context, uint64_t offset, char *out, size_t len,
                            th_error *err)
{
    (void)err;
    FILE *file = context;
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(out, 1, len, file), len);
    return TH_OK;
}

static void rows_have_the_facts_of_their_records(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    th_parquet_reader *reader = NULL;
    th_view json;
    open_table();
    for (size_t i = 0; i < ROWS; i++)
        add_row(&rows[i]);
    assert_int_equal(table.count, ROWS - 1);
    assert_int_equal(th_capture_table_finish(&table, &err), TH_OK);
    th_capture_table_done(&table);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const th_parquet_source source = { file, (uint64_t)ftell(file), read_bytes };
    assert_int_equal(th_parquet_reader_open(&source, NULL, &reader, &err), TH_OK);
    for (size_t i = 0; i < ROWS; i++) {
        if (!rows[i].want)
            continue;
        assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_OK);
        if (json.len != strlen(rows[i].want) ||
            memcmp(json.data, rows[i].want, json.len) != 0)
            fail_msg("row %zu: %.*s", i, (int)json.len, json.data);
    }
    assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_END);
    th_parquet_reader_free(reader);
    (void)fclose(file);
    (void)unlink(path);
}

/* Everything is freed. The file has no other name than its temporary one. */
static void an_unfinished_table_has_no_name(void **state)
{
    (void)state;
    memcpy(path + strlen("/tmp/thresher-captures-"), "XXXXXX", 6);
    open_table();
    assert_int_equal(unlink(path), 0);
    add_row(&rows[0]);
    th_capture_table_done(&table);
    assert_int_equal(access(path, F_OK), -1);
    char part[sizeof path + 8];
    (void)snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(unlink(part), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_facts_of_their_records),
        cmocka_unit_test(an_unfinished_table_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
