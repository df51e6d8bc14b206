/* src/kafka/kafka_message.c: content of messages, and garbage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/warc_pointer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kafka/kafka_message.h"
#include "outcomes.h"
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
    { "blank lines, then a record", TH_MESSAGE_AUTO, AS_IS, NULL, "\r\n\r\n" RECORD, TH_OK, TH_RECORD_RESPONSE, "http://a.example/", HTTP },
    { "two requests: the first", TH_MESSAGE_AUTO, AS_IS, NULL, REQUEST REQUEST, TH_OK, TH_RECORD_OTHER, NULL, NULL },
    { "bare response", TH_MESSAGE_AUTO, AS_IS, "http://b.example/", HTTP, TH_OK, TH_RECORD_RESPONSE, "http://b.example/", HTTP },
    { "key is no URL", TH_MESSAGE_AUTO, AS_IS, "b.example", HTTP, TH_OK, TH_RECORD_RESPONSE, NULL, HTTP },
    { "key is a number", TH_MESSAGE_AUTO, AS_IS, "17:4", HTTP, TH_OK, TH_RECORD_RESPONSE, NULL, HTTP },
    { "bare page", TH_MESSAGE_AUTO, AS_IS, "http://b.example/", HTML, TH_OK, TH_RECORD_RESOURCE, "http://b.example/", HTML },
    { "page that begins as a pointer", TH_MESSAGE_HTML, AS_IS, NULL, "{}<p>", TH_OK, TH_RECORD_RESOURCE, NULL, "{}<p>" },
    { "null", TH_MESSAGE_AUTO, AS_IS, "k", NULL, TH_TOMBSTONE, TH_RECORD_OTHER, NULL, NULL },
    { "null, of a page that is gone", TH_MESSAGE_AUTO, AS_IS, "http://b.example/", NULL, TH_TOMBSTONE, TH_RECORD_OTHER, "http://b.example/", NULL },
    { "empty", TH_MESSAGE_WARC, AS_IS, "k", "", TH_NO_PAYLOAD, TH_RECORD_OTHER, NULL, NULL },
    { "no record, though configured", TH_MESSAGE_WARC, AS_IS, NULL, "rubbish", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "version line alone", TH_MESSAGE_AUTO, AS_IS, NULL, "WARC/1.0\r\n", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "gzip of rubbish", TH_MESSAGE_AUTO, GZIP, NULL, "rubbish", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "gzip magic alone", TH_MESSAGE_AUTO, AS_IS, NULL, "\x1f\x8b", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "another container", TH_MESSAGE_WARC, AS_IS, NULL, "PK\x03\x04 and so on", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "spaces, then a pointer", TH_MESSAGE_AUTO, AS_IS, NULL, " \t\r\n{\"warc_filename\":\"a\",\"warc_offset\":0}", TH_BAD_WARC, TH_RECORD_OTHER, NULL, NULL },
    { "blanks alone", TH_MESSAGE_AUTO, AS_IS, "k", " \n ", TH_OK, TH_RECORD_RESOURCE, NULL, " \n " },
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
    assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
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
                assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
                assert_int_equal(batch->record_count, 1);
                free((char *)(uintptr_t)cut.data);
            }
            free((char *)(uintptr_t)whole.data);
        }
    }
    th_message_reader_free(reader);
    free_batch(batch);
}

static void note_record(struct outcomes *all, const th_record *record)
{
    const th_view views[] = { record->type,     record->url,
                              record->id,       record->date,
                              record->ip,       record->content_type,
                              record->block,    record->truncated,
                              record->original, record->payload_digest,
                              record->rendered, record->rendered_type,
                              record->head,     record->position.key };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        note_view(all, views[i]);
    for (uint32_t i = 0; i < record->header_count; i++) {
        note_view(all, record->headers[i].name);
        note_view(all, record->headers[i].value);
    }
    note_text(all, record->detail);
    note_number(all, record->kind);
    note_number(all, record->refusal);
    note_number(all, record->block_len);
    note_number(all, record->flags * 2 + record->is_http);
    note_number(all, record->position.skip);
}

/* 3,000 messages of random parts, with edits, in every format: their records have one
 * digest. */
static void records_are_known(void **state)
{
    static const char *const parts[] = {
        RECORD,
        REQUEST,
        HTTP,
        HTML,
        "\r\n",
        "{\"warc_filename\":\"a\",\"warc_offset\":0}",
        "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: <http://r.example/>\r\n"
        "WARC-Date: 2024-01-02T03:04:05Z\r\nWARC-IP-Address: 192.0.2.1\r\n"
        "WARC-Payload-Digest: sha1:AAAA\r\nContent-Type: text/html\r\nContent-Length: "
        "12\r\n\r\n<p>resource.\r\n\r\n",
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n"
        "WARC-Truncated: length\r\nContent-Length: 99\r\n\r\n" HTTP,
        "rubbish",
        "WARC/1.0\r\n",
        "\0\0\0\0"
    };
    static const char *const keys[] = { NULL, "k", "http://k.example/", "", "https://x" };
    struct outcomes all = { .chance = 3 };
    th_batch *batch = new_batch();
    (void)state;
    for (int round = 0; round < 3000; round++) {
        const th_message_options options = {
            .format = (th_message_format)below(&all, TH_MESSAGE_FORMAT_COUNT),
            .url_header = below(&all, 3) ? NULL : "url",
            .max_record = below(&all, 2) ? 20 + below(&all, 80) : 1 << 20,
            .verify_digests = below(&all, 2),
            .keeps_original = below(&all, 2),
        };
        char text[2000];
        size_t len = 0;
        for (uint32_t left = 1 + below(&all, 5); left > 0; left--) {
            const char *part = parts[below(&all, sizeof parts / sizeof *parts)];
            const size_t size = *part ? strlen(part) : 4;
            memcpy(text + len, part, size);
            len += size;
        }
        if (below(&all, 3) == 0)
            text[below(&all, (uint32_t)len)] = "\n\r W0:"[below(&all, 6)];
        if (below(&all, 4) == 0)
            len = below(&all, (uint32_t)len);
        th_message_reader *reader = th_message_reader_new(&options);
        const th_message message =
            message_of(keys[below(&all, 5)], (th_view){ text, len });
        th_message_counts counts;
        th_arena_reset(batch->arena);
        batch->record_count = 0;
        note_number(&all, th_message_read(reader, &message, batch));
        for (uint32_t i = 0; i < batch->record_count; i++)
            note_record(&all, &batch->records[i]);
        th_message_counts_get(reader, &counts);
        note_number(&all, counts.damaged);
        th_message_reader_free(reader);
    }
    free_batch(batch);
    expect_digest(&all, UINT64_C(0xC18F291EE53325C1));
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
        assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
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

/* This number is copied, and one more states the number of omitted headers, if any. */
static void assert_headers(const th_record *record, uint32_t kept, const char *left_out)
{
    assert_int_equal(record->header_count, kept + (left_out ? 1 : 0));
    if (!left_out)
        return;
    assert_view(record->headers[kept].name, "thresher.left_out_headers");
    assert_view(record->headers[kept].value, left_out);
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
    message.headers_beyond = 9;
    assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
    assert_headers(&batch->records[0], TH_MESSAGE_HEADERS, "45");
    many[5].value = (th_view){ large, sizeof large };
    assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
    assert_headers(&batch->records[1], 5, "104");
    many[5].value = TH_VIEW("v");
    message.header_count = TH_MESSAGE_HEADERS;
    message.headers_beyond = 0;
    assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
    assert_headers(&batch->records[2], TH_MESSAGE_HEADERS, NULL);
    th_message_counts counts;
    th_message_counts_get(reader, &counts);
    assert_int_equal(counts.headers_left_out, 45 + 104);
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
    { "a record after it in its member", "{\"filename\":\"within.warc.gz\",\"offset\":0}", TH_BAD_WARC, NULL },
    { "after the end", "{\"filename\":\"two.warc\",\"offset\":99999}", TH_BAD_WARC, NULL },
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

/* Reads a message again and again until it no longer waits; returns how often it did. */
static unsigned read_patiently(th_message_reader *reader, const char *value,
                               th_batch *batch)
{
    const th_message message = message_of(NULL, (th_view){ value, strlen(value) });
    unsigned waits = 0;
    const uint32_t before = batch->record_count;
    th_status status = TH_NEED_MORE;
    while ((status = th_message_read(reader, &message, batch)) == TH_NEED_MORE) {
        assert_int_equal(batch->record_count, before);
        assert_true(waits++ < 1000);
        usleep(5000);
    }
    assert_int_equal(status, TH_OK);
    assert_int_equal(batch->record_count, before + 1);
    return waits;
}

static void remove_file(const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)unlink(path);
}

#define POINTER(file) "{\"warc_filename\":\"" file "\",\"warc_offset\":0}"

static void a_missing_archive_is_waited_for(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20,
                                         .archives = folder,
                                         .archive_wait_ms = 200 };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    const char *pointer = POINTER("late.warc");
    const th_message message = message_of(NULL, (th_view){ pointer, strlen(pointer) });
    write_file("late.warc.open", RECORD, strlen(RECORD));
    assert_int_equal(th_message_read(reader, &message, batch), TH_NEED_MORE);
    assert_true(read_patiently(reader, pointer, batch) > 0);
    assert_int_equal(batch->records[0].refusal, TH_BAD_WARC);
    /* The wait is the archive's: a second pointer into it has none. */
    assert_int_equal(read_patiently(reader, POINTER("late.warc") " ", batch), 0);
    th_message_counts counts;
    th_message_counts_get(reader, &counts);
    assert_int_equal(counts.archives_given_up, 1);
    /* It arrived. Then it disappears, and a new wait starts. */
    write_file("late.warc", RECORD, strlen(RECORD));
    assert_int_equal(read_patiently(reader, pointer, batch), 0);
    assert_int_equal(batch->records[2].refusal, TH_OK);
    assert_view(batch->records[2].block, HTTP);
    remove_file("late.warc");
    assert_int_equal(th_message_read(reader, &message, batch), TH_NEED_MORE);
    th_message_reader_free(reader);
    free_batch(batch);
}

/* Pointers that begin with the same 300 bytes: each archive has its own wait. */
static void alike_pointers_wait_each(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20,
                                         .archives = folder,
                                         .archive_wait_ms = 100 };
    static const char *const names[] = { "never", "late" };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    for (int i = 0; i < 2; i++) {
        char value[512];
        (void)snprintf(value, sizeof value,
                       "{\"collection\":\"%0300d\",\"warc_filename\":\"%s.warc\","
                       "\"warc_offset\":0}",
                       7, names[i]);
        assert_true(read_patiently(reader, value, batch) > 0);
    }
    th_message_reader_free(reader);
    free_batch(batch);
}

/* An archive is the current file of this name, and not the file that was opened before. */
static void a_replaced_archive_is_read_anew(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    char other[] = RECORD;
    memcpy(strstr(other, "a.example"), "z.example", 9);
    write_file("late.warc", RECORD, strlen(RECORD));
    (void)read_patiently(reader, POINTER("late.warc"), batch);
    assert_view(batch->records[0].url, "http://a.example/");
    remove_file("late.warc");
    (void)read_patiently(reader, POINTER("late.warc"), batch);
    assert_int_equal(batch->records[1].refusal, TH_BAD_WARC);
    write_file("late.warc", other, strlen(other));
    (void)read_patiently(reader, POINTER("late.warc"), batch);
    assert_view(batch->records[2].url, "http://z.example/");
    remove_file("late.warc");
    th_message_reader_free(reader);
    free_batch(batch);
}

/* Every prefix of a recently written archive causes a wait, in any compression. The complete
 * archive does not. */
static void an_archive_that_grows_is_waited_for(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20,
                                         .archives = folder,
                                         .archive_wait_ms = 60000 };
    static const char pointer[] = POINTER("late.warc");
    const th_message message = message_of(NULL, (th_view){ pointer, sizeof pointer - 1 });
    for (enum packing packing = AS_IS; packing <= ZSTD; packing++) {
        th_message_reader *reader = th_message_reader_new(&options);
        th_batch *batch = new_batch();
        const th_view whole = packed(RECORD, strlen(RECORD), packing);
        /* Without its last line ends a plain record is complete. */
        const size_t min = packing == AS_IS ? whole.len - 4 : whole.len;
        for (size_t len = 0; len < min; len++) {
            write_file("late.warc", whole.data, len);
            const th_status status = th_message_read(reader, &message, batch);
            if (status != TH_NEED_MORE)
                print_error("%d: %zu of %zu bytes\n", (int)packing, len, whole.len);
            assert_int_equal(status, TH_NEED_MORE);
        }
        write_file("late.warc", whole.data, whole.len);
        assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
        assert_view(batch->records[0].block, HTTP);
        assert_int_equal(batch->records[0].flags, 0);
        th_message_counts counts;
        th_message_counts_get(reader, &counts);
        assert_int_equal(counts.damaged, 0);
        free((char *)(uintptr_t)whole.data);
        th_message_reader_free(reader);
        free_batch(batch);
    }
    remove_file("late.warc");
}

/* A prefix that was not written to for long is final. */
static void an_old_archive_is_not_waited_for(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 1 << 20,
                                         .archives = folder,
                                         .archive_wait_ms = 60000 };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    char path[256];
    (void)snprintf(path, sizeof path, "%s/late.warc", folder);
    const struct timespec times[2] = { { .tv_sec = 1000000000 },
                                       { .tv_sec = 1000000000 } };
    write_file("late.warc", RECORD, strlen(RECORD) - 20);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(read_patiently(reader, POINTER("late.warc"), batch), 0);
    assert_true(batch->records[0].flags & TH_FLAG_WARC_DAMAGED);
    assert_int_equal(
        read_patiently(reader, "{\"filename\":\"late.warc\",\"offset\":99999}", batch),
        0);
    assert_int_equal(batch->records[1].refusal, TH_BAD_WARC);
    remove_file("late.warc");
    th_message_reader_free(reader);
    free_batch(batch);
}

/* An archive that ends within the record of a pointer: its damage is counted. */
static void damage_of_an_archive_is_counted(void **state)
{
    (void)state;
    static const char pointer[] = "{\"filename\":\"cut.warc\",\"offset\":0}";
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    th_message_counts counts;
    write_file("cut.warc", RECORD, strlen(RECORD) - 10);
    assert_int_equal(read_patiently(reader, pointer, batch), 0);
    th_message_counts_get(reader, &counts);
    assert_int_equal(counts.damaged, 1);
    write_file("cut.warc", RECORD, strlen(RECORD));
    assert_int_equal(read_patiently(reader, pointer, batch), 0);
    assert_int_equal(batch->records[1].refusal, TH_OK);
    th_message_counts_get(reader, &counts);
    assert_int_equal(counts.damaged, 1);
    th_message_reader_free(reader);
    free_batch(batch);
}

/* Links within the folder work, and a fifo does not block. */
static void links_stay_in_the_folder(void **state)
{
    (void)state;
    static const struct {
        const char *target; /* NULL: a fifo */
        th_status refusal;
    } links[] = {
        { "two.warc", TH_OK },
        { "./two.warc", TH_OK },
        { "../two.warc", TH_BAD_WARC },
        { "/etc/passwd", TH_BAD_WARC },
        { "late.warc", TH_BAD_WARC },
        { NULL, TH_BAD_WARC },
        { "/proc/self/exe", TH_BAD_WARC },
    };
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    char path[256];
    (void)snprintf(path, sizeof path, "%s/late.warc", folder);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        assert_int_equal(
            links[i].target ? symlink(links[i].target, path) : mkfifo(path, 0600), 0);
        (void)read_patiently(reader, POINTER("late.warc"), batch);
        assert_int_equal(batch->records[i].refusal, links[i].refusal);
        remove_file("late.warc");
    }
    /* A folder that is a link. */
    assert_int_equal(symlink("/", path), 0);
    (void)read_patiently(reader, POINTER("late.warc/etc/passwd"), batch);
    assert_int_equal(batch->records[batch->record_count - 1].refusal, TH_BAD_WARC);
    assert_non_null(strstr(batch->records[batch->record_count - 1].detail, "link"));
    remove_file("late.warc");
    th_message_reader_free(reader);
    free_batch(batch);
}

/* ---- several records ---- */

/* `count` records, with a request before each; owned. */
static th_view many_records(unsigned count, enum packing packing)
{
    th_buffer buffer = { 0 };
    for (unsigned i = 0; i < count; i++) {
        char record[] = RECORD;
        char digits[16];
        (void)snprintf(digits, sizeof digits, "%04u", i % 10000);
        memcpy(strstr(record, "page"), digits, 4);
        th_buffer_append_text(&buffer, REQUEST);
        th_buffer_append_text(&buffer, record);
    }
    const th_view view = packed(buffer.data, buffer.len, packing);
    th_buffer_done(&buffer);
    return view;
}

static void all_pages_of_a_message_come(void **state)
{
    (void)state;
    static const unsigned counts[] = {
        1, 2, 3, 64, 65, TH_MESSAGE_RECORDS - 1, TH_MESSAGE_RECORDS, 3000
    };
    const th_message_options options = { .max_record = 1 << 20, .keeps_original = true };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (enum packing packing = AS_IS; packing <= ZSTD; packing++) {
            const th_view value = many_records(counts[i], packing);
            const th_message message = message_of("k", value);
            const bool is_over = counts[i] >= TH_MESSAGE_RECORDS;
            th_arena_reset(batch->arena);
            batch->record_count = 63; /* the batch is all but full */
            assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
            const th_record *records = &batch->records[63];
            const uint32_t count = batch->record_count - 63;
            assert_int_equal(count, is_over ? TH_MESSAGE_RECORDS : counts[i]);
            for (uint32_t n = 0; n < count - is_over; n++) {
                char digits[16];
                (void)snprintf(digits, sizeof digits, "%04u", n);
                assert_int_equal(records[n].kind, TH_RECORD_RESPONSE);
                assert_int_equal(records[n].refusal, TH_OK);
                assert_memory_equal(records[n].block.data + records[n].block.len - 4,
                                    digits, 4);
            }
            assert_int_equal(records[count - 1].refusal, is_over ? TH_TOO_LARGE : TH_OK);
            for (uint32_t n = 0; n < count; n++) {
                assert_int_equal(records[n].position.offset, 41);
                assert_ptr_equal(records[n].original.data, records[0].original.data);
                assert_true(n == 0 || is_over || records[n].position.skip > 0);
            }
            free((char *)(uintptr_t)value.data);
        }
    }
    th_message_reader_free(reader);
    free_batch(batch);
}

/* A small message that decompresses to a very large one is read up to a limit, which is
 * reported. */
static void unpacked_bytes_are_bounded(void **state)
{
    (void)state;
    const th_message_options options = { .max_record = 200 };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    const th_view value = many_records(200, ZSTD);
    const th_message message = message_of("k", value);
    assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
    assert_true(batch->record_count > 2 && batch->record_count < 100);
    assert_int_equal(batch->records[batch->record_count - 1].refusal, TH_TOO_LARGE);
    free((char *)(uintptr_t)value.data);
    th_message_reader_free(reader);
    free_batch(batch);
}

/* Zeros without end, with something before them: no disk space. */
static void write_sparse(const char *name, const char *before)
{
    char path[256];
    write_file(name, before, strlen(before));
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(truncate(path, (off_t)400 << 30), 0);
}

#define HUGE_HEADER(type)                                                                \
    "WARC/1.0\r\nWARC-Type: " type "\r\nWARC-Record-ID: <urn:uuid:1>\r\n"                \
    "WARC-Target-URI: http://a.example/\r\nContent-Length: 300000000000\r\n\r\n"

/* Pointers into what would be searched or passed over for hours. */
static void garbage_without_end_is_left(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        th_status refusal;
        uint32_t flags;
    } cases[] = {
        { "garbage\r\n", TH_BAD_WARC, 0 },
        { "", TH_BAD_WARC, 0 },
        { "WARC/1.0\r\n", TH_BAD_WARC, 0 },
        { HUGE_HEADER("response"), TH_OK, TH_FLAG_RECORD_TRUNCATED },
        { HUGE_HEADER("metadata"), TH_OK, TH_FLAG_RECORD_TRUNCATED },
    };
    static const char pointer[] = POINTER("huge.warc");
    const th_message_options options = { .max_record = 1 << 20,
                                         .archives = folder,
                                         .archive_wait_ms = 60000 };
    const th_message message = message_of(NULL, (th_view){ pointer, sizeof pointer - 1 });
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sparse("huge.warc", cases[i].before);
        for (int again = 0; again < 2; again++) { /* the second time it is open */
            batch->record_count = 0;
            th_arena_reset(batch->arena);
            assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
            assert_int_equal(batch->record_count, 1);
            const th_record *record = &batch->records[0];
            assert_int_equal(record->refusal, cases[i].refusal);
            assert_int_equal(record->flags & TH_FLAG_RECORD_TRUNCATED, cases[i].flags);
        }
        remove_file("huge.warc");
    }
    /* A record after all that is found as usual. */
    write_file("huge.warc", RECORD, strlen(RECORD));
    assert_int_equal(read_patiently(reader, pointer, batch), 0);
    assert_view(batch->records[1].block, HTTP);
    remove_file("huge.warc");
    th_message_reader_free(reader);
    free_batch(batch);
}

/* A message of 4 MB that decompresses to a hundred GB of garbage, after a record or not. */
static void unpacked_garbage_is_left(void **state)
{
    (void)state;
    enum { BLOCKS = 1 << 20, BLOCK = 128 << 10 };
    const th_message_options options = { .max_record = 1 << 20 };
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    for (int has_record = 0; has_record < 2; has_record++) {
        const char *text = has_record ? RECORD : "garbage\r\n";
        const size_t len = strlen(text);
        th_buffer bytes = { 0 };
        /* No sizes, no checksum, a window of 2 MiB, a raw block, and blocks of one repeated
         * byte. [RFC 8878 3.1.1] */
        th_buffer_append(&bytes, "\x28\xb5\x2f\xfd\0\x58", 6);
        const uint32_t raw = (uint32_t)len << 3, run = (uint32_t)BLOCK << 3 | 1 << 1;
        const char block[] = { (char)run, (char)(run >> 8), (char)(run >> 16), 'x' };
        th_buffer_append(&bytes, (const char *)&raw, 3);
        th_buffer_append(&bytes, text, len);
        for (int i = 0; i < BLOCKS; i++)
            th_buffer_append(&bytes, block, sizeof block);
        assert_false(bytes.has_failed);
        const th_message message = message_of("k", th_buffer_view(&bytes));
        batch->record_count = 0;
        th_arena_reset(batch->arena);
        assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
        assert_int_equal(batch->record_count, 1 + has_record);
        assert_int_equal(batch->records[0].refusal, has_record ? TH_OK : TH_BAD_WARC);
        if (has_record) {
            assert_view(batch->records[0].block, HTTP);
            assert_int_equal(batch->records[1].refusal, TH_TOO_LARGE);
        }
        th_buffer_done(&bytes);
    }
    th_message_reader_free(reader);
    free_batch(batch);
}

/* Without a descriptor the state of an archive is unknown. The partition waits, and no
 * pointer is refused. */
static void descriptors_come_back(void **state)
{
    (void)state;
    static const char pointer[] = POINTER("late.warc");
    const th_message_options options = { .max_record = 1 << 20, .archives = folder };
    const th_message message = message_of(NULL, (th_view){ pointer, sizeof pointer - 1 });
    th_message_reader *reader = th_message_reader_new(&options);
    th_batch *batch = new_batch();
    struct rlimit limit;
    write_file("late.warc", RECORD, strlen(RECORD));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = { 0, limit.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(th_message_read(reader, &message, batch), TH_NEED_MORE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(read_patiently(reader, pointer, batch), 0);
    assert_int_equal(batch->records[0].refusal, TH_OK);
    remove_file("late.warc");
    th_message_reader_free(reader);
    free_batch(batch);
}

/* The memory of the JSON reader is bounded for any text. These texts need the
 * most. */
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
                assert_int_equal(th_message_read(reader, &message, batch), TH_OK);
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
    const th_view within =
        packed("no record\r\n\r\n" RECORD, strlen("no record\r\n\r\n" RECORD), GZIP);
    write_file("within.warc.gz", within.data, within.len);
    free((char *)(uintptr_t)within.data);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = { "two.warc", "within.warc.gz", "late.warc",
                                         "late.warc.open", "cut.warc" };
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
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
    static struct CMUnitTest tests[ROWS], pointers[POINTERS];
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(every_prefix_gives_a_record),
        cmocka_unit_test(a_reader_forgets),
        cmocka_unit_test(large_blocks_are_cut),
        cmocka_unit_test(records_are_known),
        cmocka_unit_test(headers_name_the_url),
        cmocka_unit_test(headers_are_bounded),
        cmocka_unit_test(all_pages_of_a_message_come),
        cmocka_unit_test(unpacked_bytes_are_bounded),
    };
    const struct CMUnitTest archives[] = {
        cmocka_unit_test(a_missing_archive_is_waited_for),
        cmocka_unit_test(alike_pointers_wait_each),
        cmocka_unit_test(a_replaced_archive_is_read_anew),
        cmocka_unit_test(an_archive_that_grows_is_waited_for),
        cmocka_unit_test(an_old_archive_is_not_waited_for),
        cmocka_unit_test(damage_of_an_archive_is_counted),
        cmocka_unit_test(links_stay_in_the_folder),
        cmocka_unit_test(long_pointers_are_read),
        cmocka_unit_test(garbage_without_end_is_left),
        cmocka_unit_test(unpacked_garbage_is_left),
        cmocka_unit_test(descriptors_come_back),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < POINTERS; i++)
        pointers[i] = (struct CMUnitTest){ pointer_rows[i].name, pointer_row_holds, NULL,
                                           NULL, (void *)(uintptr_t)&pointer_rows[i] };
    int failed = cmocka_run_group_tests_name("messages", tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("claims", claims, NULL, NULL);
    failed += cmocka_run_group_tests_name("pointers", pointers, make_folder, NULL);
    return failed +
           cmocka_run_group_tests_name("archives", archives, NULL, remove_folder);
}
