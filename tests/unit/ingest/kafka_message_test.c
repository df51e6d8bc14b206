/* src/ingest/kafka_message.c: what a message may hold, and what becomes of rubbish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "ingest/kafka_message.h"
#include "write/format.h"

#define HTTP "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
#define HTML "<html><p>page"
#define RECORD                                                                           \
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"                \
    "WARC-Target-URI: http://a.example/\r\nContent-Type: application/http\r\n"           \
    "Content-Length: 51\r\n\r\n" HTTP "\r\n\r\n"
#define REQUEST                                                                          \
    "WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:0>\r\n"                 \
    "Content-Length: 3\r\n\r\nGET\r\n\r\n"

enum packing { AS_IS, GZIP, ZSTD };

static const struct row {
    const char *name;
    th_message_format format;
    enum packing packing;
    const char *key, *value; /* NULL: null */
    th_status refusal;
    th_record_kind kind;
    const char *url, *block;
} rows[] = {
    /* clang-format off */
    { "record", TH_MESSAGE_AUTO, AS_IS, "k", RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "gzip member", TH_MESSAGE_AUTO, GZIP, NULL, RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "zstd frame", TH_MESSAGE_AUTO, ZSTD, NULL, RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "record as configured", TH_MESSAGE_WARC, GZIP, NULL, RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "request alone", TH_MESSAGE_AUTO, AS_IS, NULL, REQUEST, TH_OK, TH_RECORD_OTHER, NULL, NULL },
    { "request, then response", TH_MESSAGE_AUTO, AS_IS, NULL, REQUEST RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "response, then request", TH_MESSAGE_AUTO, GZIP, NULL, RECORD REQUEST, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "two requests: the first", TH_MESSAGE_AUTO, AS_IS, NULL, REQUEST REQUEST, TH_OK, TH_RECORD_OTHER, NULL, NULL },
    { "bare response", TH_MESSAGE_AUTO, AS_IS, "http://b.example/", HTTP, TH_OK, TH_RECORD_RESPONSE, "http://b.example/", HTTP },
    { "key is no URL", TH_MESSAGE_AUTO, AS_IS, "b.example", HTTP, TH_OK, TH_RECORD_RESPONSE, NULL, HTTP },
    { "key is a number", TH_MESSAGE_AUTO, AS_IS, "17:4", HTTP, TH_OK, TH_RECORD_RESPONSE, NULL, HTTP },
    { "bare page", TH_MESSAGE_AUTO, AS_IS, "http://b.example/", HTML, TH_OK, TH_RECORD_RESOURCE, "http://b.example/", HTML },
    { "page that begins as a pointer", TH_MESSAGE_HTML, AS_IS, NULL, "{}<p>", TH_OK, TH_RECORD_RESOURCE, NULL, "{}<p>" },
    { "null", TH_MESSAGE_AUTO, AS_IS, "k", NULL, TH_NO_PAYLOAD, TH_RECORD_OTHER, NULL, NULL },
    { "empty", TH_MESSAGE_WARC, AS_IS, "k", "", TH_NO_PAYLOAD, TH_RECORD_OTHER, NULL, NULL },
    { "no record, though configured", TH_MESSAGE_WARC, AS_IS, NULL, "rubbish", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "version line alone", TH_MESSAGE_AUTO, AS_IS, NULL, "WARC/1.0\r\n", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "gzip of rubbish", TH_MESSAGE_AUTO, GZIP, NULL, "rubbish", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "gzip magic alone", TH_MESSAGE_AUTO, AS_IS, NULL, "\x1f\x8b", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "another container", TH_MESSAGE_WARC, AS_IS, NULL, "PK\x03\x04 and so on", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "pointer without folder", TH_MESSAGE_AUTO, AS_IS, NULL, "{\"warc_filename\":\"a\",\"warc_offset\":0}", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    /* clang-format on */
};

static const th_header headers[] = { { { "h", 1 }, { "1", 1 } },
                                     { { "null", 4 }, { NULL, 0 } },
                                     { { "url", 3 }, { "http://c.example/", 17 } } };

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

static void assert_view(th_view view, const char *want)
{
    if (!want) {
        assert_null(view.data);
        return;
    }
    assert_int_equal(view.len, strlen(want));
    assert_memory_equal(view.data, want, view.len);
}

/* An exact copy on the heap of the bytes, packed. */
static th_view packed(const char *text, size_t len, enum packing packing)
{
    th_buffer buffer = { 0 };
    if (!text)
        return (th_view){ NULL, 0 };
    assert_int_equal(th_compress(packing == GZIP   ? TH_GZIP
                                 : packing == ZSTD ? TH_ZSTD
                                                   : TH_PLAIN,
                                 (th_view){ text, len }, &buffer),
                     TH_OK);
    char *copy = malloc(buffer.len ? buffer.len : 1);
    assert_non_null(copy);
    if (buffer.len)
        memcpy(copy, buffer.data, buffer.len);
    const th_view view = { copy, buffer.len };
    th_buffer_done(&buffer);
    return view;
}

static th_message message_of(const char *key, th_view value)
{
    return (th_message){ .topic = TH_VIEW("pages"),
                         .partition = 3,
                         .offset = 41,
                         .key = { key, key ? strlen(key) : 0 },
                         .value = value,
                         .headers = headers,
                         .header_count = 3 };
}

static void read_one(const th_message_options *options, const char *key, th_view value,
                     th_batch *batch)
{
    th_message_reader *reader = th_message_reader_new(options);
    assert_non_null(reader);
    const th_message message = message_of(key, value);
    assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
    assert_int_equal(batch->record_count, 1);
    th_message_reader_free(reader);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_message_options options = { .format = row->format,
                                         .max_record = 1 << 20,
                                         .keeps_original = true };
    th_batch *batch = new_batch();
    const th_view value =
        packed(row->value, row->value ? strlen(row->value) : 0, row->packing);
    read_one(&options, row->key, value, batch);
    const th_record *record = &batch->records[0];
    assert_int_equal(record->refusal, row->refusal);
    assert_int_equal(record->detail != NULL, row->refusal != TH_OK);
    assert_int_equal(record->kind, row->kind);
    assert_view(record->url, row->url);
    assert_view(record->block, row->block);
    assert_view(record->position.topic, "pages");
    assert_view(record->position.key, row->key);
    assert_int_equal(record->position.partition, 3);
    assert_int_equal(record->position.offset, 41);
    assert_int_equal(record->header_count, 3);
    assert_view(record->headers[0].value, "1");
    assert_null(record->headers[1].value.data);
    assert_int_equal(record->original.len, value.len);
    if (value.len)
        assert_memory_equal(record->original.data, value.data, value.len);
    free((char *)(uintptr_t)value.data);
    free_batch(batch);
}

/* A message that is cut anywhere gives one record all the same. */
static void every_prefix_gives_a_record(void **state)
{
    (void)state;
    static const th_message_options options = { .max_record = 1 << 20 };
    static const char *const values[] = { RECORD, HTTP, HTML, REQUEST RECORD };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    for (int i = 0; i < 4; i++) {
        for (enum packing packing = AS_IS; packing <= ZSTD; packing++) {
            const th_view whole = packed(values[i], strlen(values[i]), packing);
            for (size_t len = 0; len <= whole.len; len++) {
                const th_view cut = packed(whole.data, len, AS_IS);
                const th_message message = message_of("k", cut);
                th_arena_reset(batch->arena);
                batch->record_count = 0;
                assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
                assert_int_equal(batch->record_count, 1);
                free((char *)(uintptr_t)cut.data);
            }
            free((char *)(uintptr_t)whole.data);
        }
    }
    th_message_reader_free(reader);
    free_batch(batch);
}

/* One reader for many messages gives what a reader for each would. */
static void a_reader_forgets(void **state)
{
    (void)state;
    static const th_message_options options = { .max_record = 1 << 20 };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch(), *alone = new_batch();
    const size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < 50; i++) {
        const struct row *row = &rows[i * 7 % count];
        const th_view value =
            packed(row->value, row->value ? strlen(row->value) : 0, row->packing);
        const th_message message = message_of(row->key, value);
        assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
        alone->record_count = 0;
        read_one(&options, row->key, value, alone);
        const th_record *a = &batch->records[i], *b = &alone->records[0];
        assert_int_equal(a->refusal, b->refusal);
        assert_int_equal(a->block.len, b->block.len);
        assert_int_equal(a->flags, b->flags);
        assert_string_equal(a->detail ? a->detail : "", b->detail ? b->detail : "");
        free((char *)(uintptr_t)value.data);
    }
    assert_int_equal(batch->record_count, 50);
    th_message_reader_free(reader);
    free_batch(batch);
    free_batch(alone);
}

static void large_blocks_are_cut(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 20 };
    for (enum packing packing = AS_IS; packing <= ZSTD; packing++) {
        th_batch *batch = new_batch();
        const th_view value = packed(RECORD, strlen(RECORD), packing);
        read_one(&options, NULL, value, batch);
        const th_record *record = &batch->records[0];
        assert_int_equal(record->block.len, 20);
        assert_int_equal(record->block_len, 51);
        assert_true(record->flags & TH_FLAG_RECORD_TRUNCATED);
        free((char *)(uintptr_t)value.data);
        free_batch(batch);
    }
    th_batch *batch = new_batch();
    read_one(&options, NULL, TH_VIEW(HTTP), batch);
    assert_int_equal(batch->records[0].block.len, 20);
    assert_int_equal(batch->records[0].block_len, 51);
    assert_true(batch->records[0].flags & TH_FLAG_RECORD_TRUNCATED);
    free_batch(batch);
}

static void headers_name_the_url(void **state)
{
    (void)state;
    th_message_options options = { .max_record = 1 << 20, .url_header = "url" };
    th_batch *batch = new_batch();
    read_one(&options, "http://b.example/", TH_VIEW(HTML), batch);
    assert_view(batch->records[0].url, "http://c.example/");
    options.url_header = "absent";
    batch->record_count = 0;
    read_one(&options, "http://b.example/", TH_VIEW(HTML), batch);
    assert_null(batch->records[0].url.data);
    free_batch(batch);
}

static void headers_are_bounded(void **state)
{
    (void)state;
    static const th_message_options options = { .max_record = 1 << 20 };
    static char large[TH_MESSAGE_HEADER_BYTES];
    th_header many[100];
    for (int i = 0; i < 100; i++)
        many[i] = (th_header){ TH_VIEW("n"), TH_VIEW("v") };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    th_message message = { .topic = TH_VIEW("t"),
                           .value = TH_VIEW(HTML),
                           .headers = many,
                           .header_count = 100 };
    assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
    assert_int_equal(batch->records[0].header_count, TH_MESSAGE_HEADERS);
    many[5].value = (th_view){ large, sizeof large };
    assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
    assert_int_equal(batch->records[1].header_count, 5);
    th_message_reader_free(reader);
    free_batch(batch);
}

/* ---- pointers ---- */

static char folder[] = "/tmp/th-message-XXXXXX";

static void write_file(const char *name, const char *text, size_t len)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static const struct pointer_row {
    const char *name, *value;
    th_status refusal;
    const char *url;
} pointer_rows[] = {
    /* clang-format off */
    { "heritrix", "{\"url\":\"http://x/\",\"warc_filename\":\"two.warc\",\"warc_offset\":OFF,\"extra_info\":{\"warcFileRecordLength\":9,\"warc_filename\":\"no\"}}", TH_OK, "http://a.example/" },
    { "index", "{\"warc_filename\":\"two.warc\",\"warc_record_offset\":OFF,\"warc_record_length\":3}", TH_OK, "http://a.example/" },
    { "common crawl", "{\"filename\":\"two.warc\",\"offset\":\"OFF\",\"length\":\"3\"}", TH_OK, "http://a.example/" },
    { "escaped slash", "{\"filename\":\".\\/two.warc\",\"offset\":\"OFF\"}", TH_OK, "http://a.example/" },
    { "url of the pointer", "{\"url\":\"http://x/\",\"filename\":\"two.warc\",\"offset\":0}", TH_OK, "http://x/" },
    { "between records", "{\"filename\":\"two.warc\",\"offset\":3}", TH_BAD_WARC, NULL },
    { "behind the end", "{\"filename\":\"two.warc\",\"offset\":99999}", TH_BAD_WARC, NULL },
    { "parent", "{\"filename\":\"../two.warc\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "parent within", "{\"filename\":\"a/../../two.warc\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "escaped parent", "{\"filename\":\"\\u002e\\u002e/two.warc\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "absolute", "{\"filename\":\"/etc/passwd\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "nul", "{\"filename\":\"two.warc\\u0000x\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "folder", "{\"filename\":\".\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "empty name", "{\"filename\":\"\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "no name", "{\"offset\":0}", TH_BAD_WARC, NULL },
    { "no offset", "{\"filename\":\"two.warc\"}", TH_BAD_WARC, NULL },
    { "negative offset", "{\"filename\":\"two.warc\",\"offset\":-1}", TH_BAD_WARC, NULL },
    { "fraction", "{\"filename\":\"two.warc\",\"offset\":1.5}", TH_BAD_WARC, NULL },
    { "huge offset", "{\"filename\":\"two.warc\",\"offset\":99999999999999999999}", TH_BAD_WARC, NULL },
    { "number for a name", "{\"filename\":7,\"offset\":0}", TH_BAD_WARC, NULL },
    { "no JSON", "{filename}", TH_BAD_WARC, NULL },
    { "cut JSON", "{\"filename\":\"two.warc\",\"offset\":0", TH_BAD_WARC, NULL },
    { "more behind", "{\"filename\":\"two.warc\",\"offset\":0}{}", TH_BAD_WARC, NULL },
    /* clang-format on */
};

static void pointer_row_holds(void **state)
{
    const struct pointer_row *row = *state;
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    char value[512];
    const char *at = strstr(row->value, "OFF");
    if (at)
        (void)snprintf(value, sizeof value, "%.*s%zu%s", (int)(at - row->value),
                       row->value, strlen(REQUEST), at + 3);
    else
        (void)snprintf(value, sizeof value, "%s", row->value);
    th_batch *batch = new_batch();
    const th_view exact = packed(value, strlen(value), AS_IS);
    read_one(&options, NULL, exact, batch);
    const th_record *record = &batch->records[0];
    assert_int_equal(record->refusal, row->refusal);
    assert_view(record->url, row->url);
    if (row->refusal == TH_OK && row->url[7] == 'a')
        assert_view(record->block, HTTP);
    free((char *)(uintptr_t)exact.data);
    free_batch(batch);
}

static void a_missing_archive_is_waited_for(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    const th_message message =
        message_of(NULL, TH_VIEW("{\"warc_filename\":\"late.warc\",\"warc_offset\":0}"));
    write_file("late.warc.open", RECORD, strlen(RECORD));
    assert_int_equal(th_message_read(reader, &message, true, batch), TH_NEED_MORE);
    assert_int_equal(batch->record_count, 0);
    assert_int_equal(th_message_read(reader, &message, false, batch), TH_OK);
    assert_int_equal(batch->records[0].refusal, TH_BAD_WARC);
    write_file("late.warc", RECORD, strlen(RECORD));
    assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
    assert_int_equal(batch->records[1].refusal, TH_OK);
    assert_view(batch->records[1].block, HTTP);
    th_message_reader_free(reader);
    free_batch(batch);
}

/* yajl's memory is bounded by what its text can make it ask for: texts that ask for most. */
static void long_pointers_are_read(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    static const char *const bodies[] = { "\\u00e9",    "[", "\"\\n\",",
                                          "1234567890", "x", "\"a\":[{" };
    th_message_reader *reader = th_message_reader_new(&options);
    char *text = malloc(TH_POINTER_MAX + 1);
    assert_non_null(text);
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        for (unsigned opening = 0; opening < 3; opening++) {
            for (size_t size = 64; size <= TH_POINTER_MAX + 1; size *= 2) {
                static const char *const openings[] = { "{\"url\":\"", "{\"url\":[",
                                                        "{" };
                const size_t want = size > TH_POINTER_MAX ? TH_POINTER_MAX + 1 : size;
                size_t len = (size_t)snprintf(text, size, "%s", openings[opening]);
                while (len < want)
                    text[len] = bodies[i][(len - 2) % strlen(bodies[i])], len++;
                th_batch *batch = new_batch();
                const th_message message = message_of(NULL, (th_view){ text, want });
                assert_int_equal(th_message_read(reader, &message, true, batch), TH_OK);
                assert_true(batch->records[0].refusal == TH_BAD_WARC ||
                            batch->records[0].refusal == TH_TOO_LARGE);
                free_batch(batch);
            }
        }
    }
    free(text);
    th_message_reader_free(reader);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_file("two.warc", REQUEST RECORD, strlen(REQUEST RECORD));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = { "two.warc", "late.warc", "late.warc.open" };
    char path[256];
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    enum {
        ROWS = sizeof rows / sizeof *rows,
        POINTERS = sizeof pointer_rows / sizeof *pointer_rows
    };
    static struct CMUnitTest tests[ROWS], pointers[POINTERS + 2];
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(every_prefix_gives_a_record),
        cmocka_unit_test(a_reader_forgets),
        cmocka_unit_test(large_blocks_are_cut),
        cmocka_unit_test(headers_name_the_url),
        cmocka_unit_test(headers_are_bounded),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < POINTERS; i++)
        pointers[i] = (struct CMUnitTest){ pointer_rows[i].name, pointer_row_holds, NULL,
                                           NULL, (void *)(uintptr_t)&pointer_rows[i] };
    pointers[POINTERS] =
        (struct CMUnitTest)cmocka_unit_test(a_missing_archive_is_waited_for);
    pointers[POINTERS + 1] = (struct CMUnitTest)cmocka_unit_test(long_pointers_are_read);
    int failed = cmocka_run_group_tests_name("messages", tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("claims", claims, NULL, NULL);
    return failed +
           cmocka_run_group_tests_name("pointers", pointers, make_folder, remove_folder);
}
