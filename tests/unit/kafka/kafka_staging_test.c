/* src/kafka/kafka_staging.c: the topic of each record, and records that are too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kafka/kafka_staging.h"
#include "outcomes.h"
#include "thresher/minhash.h"

#define TEXT "{\"text\":\"page\"}"

static const th_header headers[] = { { { "h", 1 }, { "1", 1 } },
                                     { { "null", 4 }, { NULL, 0 } } };

/* A record that came as a message. */
static th_record from_message(void)
{
    return (th_record){ .url = TH_VIEW("http://a.example/"),
                        .id = TH_VIEW("<urn:uuid:1>"),
                        .block = TH_VIEW("block"),
                        .original = TH_VIEW("original"),
                        .position = { .topic = TH_VIEW("in"),
                                      .partition = 2,
                                      .offset = 7,
                                      .key = TH_VIEW("key") },
                        .headers = headers,
                        .header_count = 2 };
}

/* A record from a file, without an id. */
static th_record from_file(void)
{
    return (th_record){ .url = TH_VIEW("http://b.example/"),
                        .block = TH_VIEW("block"),
                        .position = { .file = TH_VIEW("a.warc"), .offset = 9 } };
}

static th_staging_options all_topics(uint32_t message_max)
{
    th_staging_options options = { .wants = { true, true, true, true, true },
                                   .instance = "one",
                                   .message_max = message_max };
    for (int i = 0; i < TH_TOPIC_COUNT; i++)
        options.limits[i] = (th_kafka_limit){ UINT64_MAX, UINT64_MAX };
    return options;
}

/* Options of the capture that the next stage() stages. */
static uint32_t staged_http_status;
static const th_work_options
    *staged_options; /* of the worker; NULL: the test names none */

/* Stages one record whose formatted text is `text`; a refusal where status is not
 * TH_OK. */
static void stage(th_staging *staging, const th_staging_options *options,
                  const th_record *record, th_status status, th_view text)
{
    static const uint8_t bands[2 * TH_BAND_KEY_LEN] = { 0, 1, 2, [9] = 1, 0, 9 };
    static const char detail[] = "the reason";
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->records[0] = *record;
    batch->record_count = 1;
    static const uint8_t low_bits[] = { 0x12, 0x34, 0x56 };
    const th_piece piece = { .status = status,
                             .http_status = staged_http_status,
                             .shingle_count = 70000,
                             .low_start = 1,
                             .low_len = 2,
                             .len = text.len,
                             .bands_count = status == TH_OK ? 2 : 0,
                             .detail_len = sizeof detail - 1 };
    const th_work_result result = { .options = staged_options,
                                    .batch = batch,
                                    .pages = text,
                                    .pieces = &piece,
                                    .bands = bands,
                                    .low_bits = low_bits,
                                    .details = { detail, sizeof detail - 1 } };
    assert_int_equal(th_stage_result(staging, options, &result), TH_OK);
    free(batch);
}

static void assert_view(th_view view, const char *want)
{
    if (!want) {
        assert_null(view.data);
        return;
    }
    assert_non_null(view.data);
    assert_int_equal(view.len, strlen(want));
    assert_memory_equal(view.data, want, view.len);
}

/* Returns the value of a message's header; data is NULL if there is none. */
static th_view header_of(const th_staging *staging, const th_staged *staged,
                         const char *name)
{
    for (uint32_t i = 0; i < staged->header_count; i++) {
        const th_header header = th_staging_header(staging, staged->headers + i);
        if (header.name.len == strlen(name) &&
            memcmp(header.name.data, name, header.name.len) == 0)
            return header.value;
    }
    return (th_view){ NULL, 0 };
}

static size_t size_of(const th_staging *staging, const th_staged *staged)
{
    size_t size = staged->key.len + staged->value.len;
    for (uint32_t i = 0; i < staged->header_count; i++) {
        const th_header header = th_staging_header(staging, staged->headers + i);
        size += header.name.len + header.value.len;
    }
    return size;
}

static void a_page_gives_record_and_bands(void **state)
{
    (void)state;
    const th_staging_options options = all_topics(1000000);
    th_record record = from_message();
    record.date = TH_VIEW("1970-01-02T00:00:01Z");
    th_staging staging = { 0 };
    stage(&staging, &options, &record, TH_OK, TH_VIEW(TEXT "\n"));
    assert_int_equal(staging.count, 3);
    const th_staged page = th_staging_get(&staging, 0);
    assert_int_equal(page.topic, TH_TOPIC_RECORDS);
    assert_view(page.key, "http://a.example/");
    assert_view(page.value, TEXT);
    assert_int_equal(page.header_count, 2);
    assert_view(header_of(&staging, &page, "h"), "1");
    assert_null(th_staging_header(&staging, page.headers + 1).value.data);
    for (size_t i = 1; i < 3; i++) {
        const th_staged band = th_staging_get(&staging, i);
        assert_int_equal(band.topic, TH_TOPIC_BANDS);
        assert_int_equal(band.key.len, TH_BAND_KEY_LEN);
        assert_int_equal(band.key.data[0], (int)i - 1);
        static const char id[] = "<urn:uuid:1>";
        uint8_t want[8 + 4 + 2 + 2] = { [8] = 0, 1, 0x51, 0x81, 0xFF, 0xFF, 0x34, 0x56 };
        const uint64_t page_hash = XXH3_64bits(id, strlen(id));
        for (unsigned byte = 0; byte < 8; byte++)
            want[byte] = (uint8_t)(page_hash >> (56 - 8 * byte));
        assert_int_equal(band.value.len, sizeof want);
        assert_memory_equal(band.value.data, want, sizeof want);
        assert_int_equal(band.header_count, 0);
    }
    th_staging_drop(&staging);
    assert_int_equal(staging.count, 0);
    th_staging_done(&staging);
}

/* Two edges: one as it is, one too large for a message. */
static void an_edge_goes_to_its_representative(void **state)
{
    (void)state;
    static const char names[] = "<a><b>",
                      lines[] = "{\"of\":\"<b>\"}\n{\"of\":\"<a>\",\"url\":\"http://"
                                "a.example/much/longer/than/a/message/may/be\"}\n";
    const size_t first = (size_t)(strchr(lines, '\n') - lines) + 1;
    const th_edge edges[] = { { 0, first, 3, 3 },
                              { first, sizeof lines - 1 - first, 0, 3 } };
    const th_batch batch = { .record_count = 0 };
    const th_work_result result = { .batch = &batch,
                                    .edges = { lines, sizeof lines - 1 },
                                    .edge_rows = edges,
                                    .edge_count = 2,
                                    .names = { names, sizeof names - 1 } };
    th_staging_options options = all_topics(100);
    th_staging staging = { 0 };
    assert_int_equal(th_stage_result(&staging, &options, &result), TH_OK);
    assert_int_equal(staging.count, 1);
    const th_staged edge = th_staging_get(&staging, 0);
    assert_int_equal(edge.topic, TH_TOPIC_EDGES);
    assert_view(edge.key, "<b>");
    assert_view(edge.value, "{\"of\":\"<b>\"}");
    th_staging_drop(&staging);
    options.wants[TH_TOPIC_EDGES] = false;
    assert_int_equal(th_stage_result(&staging, &options, &result), TH_OK);
    assert_int_equal(staging.count, 0);
    th_staging_done(&staging);
}

/* Invalid dates give 0, and the latest date that fits in 32 bits is the last. */
static void bands_know_when_the_page_was_captured(void **state)
{
    (void)state;
    static const struct {
        const char *date;
        uint32_t seconds;
    } dates[] = {
        { "2026-01-02T03:04:05Z", 1767323045 },
        { "2026-01-02T03:04:05.678Z", 1767323045 },
        { "2106-02-07T06:28:15Z", UINT32_MAX },
        { "2106-02-07T06:28:16Z", 0 },
        { "1969-12-31T23:59:59Z", 0 },
        { "2026-13-02T03:04:05Z", 0 },
        { "2026-01-02 03:04:05Z", 0 },
        { "2026-01-0xT03:04:05Z", 0 },
        { "2026-01-02T03:04:0", 0 },
        { "2026-01-02", 0 },
        { NULL, 0 },
    };
    const th_staging_options options = all_topics(1000000);
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        const size_t len = dates[i].date ? strlen(dates[i].date) : 0;
        char *copy = malloc(len ? len : 1); /* exact size, for the sanitizer */
        assert_non_null(copy);
        if (len)
            memcpy(copy, dates[i].date, len);
        th_record record = from_message();
        record.date = (th_view){ dates[i].date ? copy : NULL, len };
        th_staging staging = { 0 };
        stage(&staging, &options, &record, TH_OK, TH_VIEW(TEXT "\n"));
        const th_staged band = th_staging_get(&staging, 1);
        const uint8_t *at = (const uint8_t *)band.value.data + 8;
        const uint32_t seconds =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        assert_int_equal(seconds, dates[i].seconds);
        th_staging_done(&staging);
        free(copy);
    }
}

/* For a worker that requests all data for pairs, the value contains only this data. */
static void bands_go_with_a_line(void **state)
{
    (void)state;
    const th_staging_options options = all_topics(1000000);
    const th_work_options work = { .wants_signed = true };
    const th_record record = from_message();
    th_staging staging = { 0 };
    staged_options = &work;
    stage(&staging, &options, &record, TH_OK, TH_VIEW(TEXT "\n"));
    staged_options = NULL;
    for (size_t i = 1; i < 3; i++)
        assert_view(th_staging_get(&staging, i).value, "\x34\x56");
    th_staging_done(&staging);
}

static void a_refusal_gives_a_dead_letter(void **state)
{
    (void)state;
    const th_staging_options options = all_topics(1000000);
    const th_record record = from_message();
    th_staging staging = { 0 };
    stage(&staging, &options, &record, TH_BAD_WARC, TH_VIEW(""));
    assert_int_equal(staging.count, 1);
    const th_staged letter = th_staging_get(&staging, 0);
    assert_int_equal(letter.topic, TH_TOPIC_DEAD_LETTERS);
    assert_view(letter.key, "key");
    assert_view(letter.value, "original");
    static const struct {
        const char *name, *value;
    } want[] = { { "h", "1" },
                 { "__connect.errors.topic", "in" },
                 { "__connect.errors.partition", "2" },
                 { "__connect.errors.offset", "7" },
                 { "__connect.errors.connector.name", "thresher" },
                 { "__connect.errors.task.id", "one" },
                 { "__connect.errors.exception.class.name", "bad_warc" },
                 { "__connect.errors.exception.message", "the reason" },
                 { "attempts", "1" },
                 { "thresher.url", "http://a.example/" } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_view(header_of(&staging, &letter, want[i].name), want[i].value);
    th_staging_done(&staging);
}

/* Without a value it would delete the letters of its key. */
static void a_tombstone_gives_no_dead_letter(void **state)
{
    (void)state;
    const th_staging_options options = all_topics(1000000);
    const th_record record = from_message();
    th_staging staging = { 0 };
    stage(&staging, &options, &record, TH_TOMBSTONE, TH_VIEW(""));
    assert_int_equal(staging.count, 0);
    th_staging_done(&staging);
}

/* Records of one message are distinguished, also if they have no id. */
static void records_of_a_message_have_names_of_their_own(void **state)
{
    (void)state;
    static const struct {
        uint64_t skip;
        const char *id, *want;
    } rows[] = { { 0, NULL, "in/2/7" },
                 { 512, NULL, "in/2/7+512" },
                 { 512, "<urn:uuid:1>", "<urn:uuid:1>" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_record record = from_message();
        th_buffer out = { 0 };
        record.id = (th_view){ rows[i].id, rows[i].id ? strlen(rows[i].id) : 0 };
        record.position.skip = rows[i].skip;
        th_record_id_write(&record, &out);
        assert_view(th_buffer_view(&out), rows[i].want);
        th_buffer_done(&out);
    }
}

static void a_file_s_refusal_is_its_block(void **state)
{
    (void)state;
    const th_staging_options options = all_topics(1000000);
    const th_record record = from_file();
    th_staging staging = { 0 };
    stage(&staging, &options, &record, TH_NOT_HTML, TH_VIEW(""));
    const th_staged letter = th_staging_get(&staging, 0);
    assert_view(letter.key, "http://b.example/");
    assert_view(letter.value, "block");
    assert_view(header_of(&staging, &letter, "thresher.file"), "a.warc");
    assert_view(header_of(&staging, &letter, "thresher.offset"), "9");
    assert_null(header_of(&staging, &letter, "__connect.errors.topic").data);
    assert_null(header_of(&staging, &letter, "thresher.skip").data);
    th_record inner = record;
    inner.position.skip = 512;
    stage(&staging, &options, &inner, TH_NOT_HTML, TH_VIEW(""));
    const th_staged second = th_staging_get(&staging, 1);
    assert_view(header_of(&staging, &second, "thresher.skip"), "512");
    th_staging_done(&staging);
}

static void keys_are_as_configured(void **state)
{
    (void)state;
    static const struct {
        th_kafka_key key;
        const char *message, *file;
    } want[] = { { TH_KAFKA_KEY_URL, "http://a.example/", "http://b.example/" },
                 { TH_KAFKA_KEY_ID, "<urn:uuid:1>", "a.warc@9" },
                 { TH_KAFKA_KEY_INPUT, "key", NULL },
                 { TH_KAFKA_KEY_NONE, NULL, NULL } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        th_staging_options options = { .wants = { true },
                                       .key = want[i].key,
                                       .instance = "one",
                                       .message_max = 1000000,
                                       .limits = { { 1000000, 1000000 } } };
        const th_record message = from_message(), file = from_file();
        th_staging staging = { 0 };
        stage(&staging, &options, &message, TH_OK, TH_VIEW(TEXT));
        stage(&staging, &options, &file, TH_OK, TH_VIEW(TEXT));
        stage(&staging, &options, &file, TH_BAD_HTTP, TH_VIEW(TEXT)); /* not wanted */
        assert_int_equal(staging.count, 2);
        assert_view(th_staging_get(&staging, 0).key, want[i].message);
        assert_view(th_staging_get(&staging, 1).key, want[i].file);
        th_staging_done(&staging);
    }
}

static void ids_name_a_message(void **state)
{
    (void)state;
    th_record record = from_message();
    th_buffer id = { 0 };
    record.id = (th_view){ NULL, 0 };
    th_record_id_write(&record, &id);
    assert_view(th_buffer_view(&id), "in/2/7");
    th_buffer_done(&id);
}

/* With any large part, every message fits and names the omitted parts. */
static void nothing_is_larger_than_allowed(void **state)
{
    (void)state;
    enum { LARGE = 40000, LIMIT = 16 << 10 };
    char *large = malloc(LARGE);
    assert_non_null(large);
    memset(large, 'x', LARGE);
    const th_view much = { large, LARGE };
    const th_staging_options options = all_topics(LIMIT);
    for (int what = 0; what < 7; what++) {
        th_header many[1] = { { TH_VIEW("large"), much } };
        th_record record = from_message();
        th_staging staging = { 0 };
        if (what == 1)
            record.url = much;
        if (what == 2)
            record.position.key = much;
        if (what == 3)
            record.headers = many, record.header_count = 1;
        if (what == 4)
            record.original = much;
        if (what == 5)
            record.id = much;
        stage(&staging, &options, &record, TH_OK, what == 0 ? much : TH_VIEW(TEXT));
        stage(&staging, &options, &record, TH_BAD_HTTP, TH_VIEW(""));
        const th_staged page = th_staging_get(&staging, 0);
        const th_staged letter = th_staging_get(&staging, staging.count - 1);
        for (size_t i = 0; i < staging.count; i++) {
            const th_staged any = th_staging_get(&staging, i);
            assert_true(size_of(&staging, &any) <= LIMIT);
        }
        assert_view(header_of(&staging, &letter, "__connect.errors.offset"), "7");
        if (what == 0) {
            char *text = strndup(page.value.data, page.value.len);
            assert_non_null(strstr(text, "\"text_cut\""));
            assert_non_null(strstr(text, "\"url\":\"http://a.example/\""));
            assert_non_null(strstr(text, "\"offset\":7"));
            free(text);
        }
        if (what == 4) {
            /* Cut to the accepted size, and reported. */
            char left_out[16];
            (void)snprintf(left_out, sizeof left_out, "%zu", LARGE - letter.value.len);
            assert_true(letter.value.len > LIMIT / 2);
            assert_view(header_of(&staging, &letter, "thresher.left_out_bytes"),
                        left_out);
        }
        th_staging_done(&staging);
    }
    free(large);
}

/* Bytes that do not pack. */
static void fill_noise(char *bytes, size_t len)
{
    uint32_t x = 1;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (char)(x >> 24);
    }
}

/* A limit is one topic's, and of batches as they are sent. */
static void a_limit_is_one_topic_s(void **state)
{
    (void)state;
    enum { LEN = 40000, LIMIT = 3000 };
    char *noise = malloc(LEN), *easy = malloc(LEN);
    assert_non_null(noise);
    assert_non_null(easy);
    fill_noise(noise, LEN);
    memset(easy, 'x', LEN);
    const th_view hard = { noise, LEN }, soft = { easy, LEN };
    th_record record = from_message();
    record.original = hard;
    th_staging_options options = all_topics(1000000);
    const struct {
        th_kafka_topic topic;
        uint64_t limit;
    } rows[] = { { TH_TOPIC_RECORDS, LIMIT }, { TH_TOPIC_DEAD_LETTERS, LIMIT } };
    for (size_t i = 0; i < 2; i++) {
        th_staging staging = { 0 };
        options.limits[rows[i].topic] = (th_kafka_limit){ rows[i].limit, rows[i].limit };
        stage(&staging, &options, &record, TH_OK, soft);
        stage(&staging, &options, &record, TH_OK, hard);
        stage(&staging, &options, &record, TH_BAD_HTTP, TH_VIEW(""));
        const bool cuts_records = rows[i].topic == TH_TOPIC_RECORDS;
        const th_staged whole = th_staging_get(&staging, 0);
        const th_staged page = th_staging_get(&staging, 3); /* after two bands */
        const th_staged letter = th_staging_get(&staging, staging.count - 1);
        assert_int_equal(whole.value.len, LEN);
        assert_int_equal(page.topic, TH_TOPIC_RECORDS);
        assert_true(cuts_records ? page.value.len < 1000 : page.value.len == LEN);
        assert_true(cuts_records ? letter.value.len == LEN
                                 : letter.value.len > LIMIT / 3);
        assert_true(cuts_records || size_of(&staging, &letter) < LIMIT);
        assert_int_equal(staging.cuts.cut[TH_TOPIC_RECORDS], cuts_records);
        assert_int_equal(staging.cuts.cut[TH_TOPIC_DEAD_LETTERS], !cuts_records);
        options.limits[rows[i].topic] = (th_kafka_limit){ UINT64_MAX, UINT64_MAX };
        th_staging_done(&staging);
    }
    free(noise);
    free(easy);
}

/* Down to its headers, to its place, to nothing: each form fits. */
static void a_dead_letter_shrinks(void **state)
{
    (void)state;
    char noise[5000];
    fill_noise(noise, sizeof noise);
    th_header many[1] = { { TH_VIEW("large"), { noise, 2000 } } };
    th_record record = from_message();
    record.original = (th_view){ noise, sizeof noise };
    record.headers = many;
    record.header_count = 1;
    bool was_left_out = false, had_place_only = false;
    for (uint64_t limit = 9000; limit > 50; limit -= 50) {
        th_staging_options options = all_topics(1000000);
        th_staging staging = { 0 };
        options.limits[TH_TOPIC_DEAD_LETTERS] = (th_kafka_limit){ limit, limit };
        stage(&staging, &options, &record, TH_BAD_HTTP, TH_VIEW(""));
        assert_int_equal(staging.count + staging.cuts.left_out[TH_TOPIC_DEAD_LETTERS], 1);
        was_left_out = was_left_out || !staging.count;
        if (staging.count) {
            const th_staged letter = th_staging_get(&staging, 0);
            assert_false(was_left_out);
            assert_true(size_of(&staging, &letter) < limit);
            assert_view(header_of(&staging, &letter, "__connect.errors.offset"), "7");
            assert_non_null(
                header_of(&staging, &letter, "__connect.errors.exception.class.name")
                    .data);
            had_place_only = had_place_only || !letter.key.data;
        }
        th_staging_done(&staging);
    }
    assert_true(was_left_out && had_place_only);
}

static void progress_rows_are_messages(void **state)
{
    (void)state;
    static const char rows[] = "a\t1\nb\t\nc\nd\t2\t3\n";
    static const char *const want[][2] = {
        { "a", "1" }, { "b", NULL }, { "c", NULL }, { "d", "2\t3" }
    };
    th_staging staging = { 0 };
    assert_int_equal(th_stage_progress(&staging, (th_view){ rows, sizeof rows - 1 }),
                     TH_OK);
    assert_int_equal(staging.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const th_staged row = th_staging_get(&staging, i);
        assert_int_equal(row.topic, TH_TOPIC_PROGRESS);
        assert_view(row.key, want[i][0]);
        assert_view(row.value, want[i][1]);
    }
    th_staging_done(&staging);
}

/* The frame of a schema registry: 0, the id, the JSON, also for stubs. */
static void a_schema_is_named_before_the_record(void **state)
{
    (void)state;
    static const char frame[] = { 0, 1, 2, 3, 4 };
    for (uint32_t max = 400; max <= 1000000; max += 999600) {
        th_staging staging = { .count = 0 };
        th_staging_options options = all_topics(max);
        options.schema_id = 0x01020304;
        char text[500];
        memset(text, ' ', sizeof text);
        memcpy(text, TEXT, sizeof TEXT - 1);
        const th_record record = from_file();
        stage(&staging, &options, &record, TH_OK, (th_view){ text, sizeof text });
        const th_staged staged = th_staging_get(&staging, 0);
        assert_int_equal(staged.topic, TH_TOPIC_RECORDS);
        assert_true(staged.value.len > TH_SCHEMA_FRAME);
        assert_memory_equal(staged.value.data, frame, sizeof frame);
        assert_int_equal(staged.value.data[TH_SCHEMA_FRAME], '{');
        assert_int_equal(staging.cuts.cut[TH_TOPIC_RECORDS], max == 400);
        assert_true(size_of(&staging, &staged) <= max);
        for (size_t i = 1; i < staging.count; i++) /* no other topic's */
            assert_int_not_equal(th_staging_get(&staging, i).topic, TH_TOPIC_RECORDS);
        th_staging_done(&staging);
    }
}

/* clang-format off */
static const struct withdrawal {
    const char *name, *list;
    uint32_t http_status;
    th_status status;
    th_kafka_key key;
    const char *want_key; /* of the tombstone; NULL if there is none */
    size_t count;         /* of messages for records and dead letters */
} withdrawals[] = {
    { "gone", "404, 410", 410, TH_OK, TH_KAFKA_KEY_URL, "http://a.example/", 1 },
    { "by the message's key", "404,410", 404, TH_OK, TH_KAFKA_KEY_INPUT, "key", 1 },
    { "gone and refused", "404,410", 404, TH_NOT_HTML, TH_KAFKA_KEY_URL, "http://a.example/", 2 },
    { "there", "404,410", 200, TH_OK, TH_KAFKA_KEY_URL, NULL, 1 },
    { "no status", "404,410", 0, TH_OK, TH_KAFKA_KEY_URL, NULL, 1 },
    { "not wanted", "", 410, TH_OK, TH_KAFKA_KEY_URL, NULL, 1 },
    { "a null message", "null", 0, TH_TOMBSTONE, TH_KAFKA_KEY_INPUT, "key", 1 },
    { "a null message, not wanted", "404", 0, TH_TOMBSTONE, TH_KAFKA_KEY_INPUT, NULL, 0 },
    { "no key", "410", 410, TH_OK, TH_KAFKA_KEY_NONE, NULL, 0 },
};
/* clang-format on */

static void what_is_withdrawn_gives_its_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof withdrawals / sizeof *withdrawals; i++) {
        const struct withdrawal *row = &withdrawals[i];
        th_staging staging = { .count = 0 };
        th_staging_options options = all_topics(1000000);
        options.key = row->key;
        options.wants[TH_TOPIC_BANDS] = false;
        assert_int_equal(th_withdrawals_parse(row->list, &options.withdrawals, NULL),
                         TH_OK);
        staged_http_status = row->http_status;
        const th_record record = from_message();
        stage(&staging, &options, &record, row->status, TH_VIEW(TEXT));
        staged_http_status = 0;
        if (staging.count != row->count)
            fail_msg("%s: %zu messages", row->name, staging.count);
        assert_int_equal(staging.tombstones, row->want_key ? 1 : 0);
        if (row->want_key) {
            const th_staged staged = th_staging_get(&staging, 0);
            assert_int_equal(staged.topic, TH_TOPIC_RECORDS);
            assert_view(staged.key, row->want_key);
            assert_null(staged.value.data);
        }
        th_staging_drop(&staging);
        assert_int_equal(staging.tombstones, 0);
        th_staging_done(&staging);
    }
}

static void a_list_of_withdrawals_is_checked(void **state)
{
    (void)state;
    static const char *const bad[] = { "4xx", "99", "600", "404;410", "Null", "4040" };
    th_withdrawals out;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_error err = { .text = "" };
        assert_int_equal(th_withdrawals_parse(bad[i], &out, &err), TH_USAGE);
        assert_non_null(strstr(err.text, "kafka.tombstones"));
    }
    th_error err = { .text = "" };
    assert_int_equal(
        th_withdrawals_parse("404,0123456789012345678901234567890123456789", &out, &err),
        TH_USAGE);
    assert_string_equal(err.text,
                        "kafka.tombstones: '01234567890123456789012345678901' is "
                        "not valid (expected an HTTP status or 'null')");
    assert_int_equal(th_withdrawals_parse(" ,100,599,", &out, NULL), TH_OK);
    assert_true(out.statuses[100] && out.statuses[599] && !out.has_null);
}

/* ---- any record with any options ---- */

static struct outcomes all;

/* A text of random length, or none. */
static th_view any_text(const char *bytes)
{
    static const uint32_t most[] = { 1, 2, 20, 100, 900, 5000, 12000 };
    const uint32_t len = below(&all, most[below(&all, 7)]);
    return below(&all, 8) ? (th_view){ bytes + below(&all, 1000), len }
                          : (th_view){ NULL, 0 };
}

static void note_messages(const th_staging *staging)
{
    for (size_t i = 0; i < staging->count; i++) {
        const th_staged staged = th_staging_get(staging, i);
        note_view(&all, staged.key);
        note_view(&all, staged.value);
        for (uint32_t k = 0; k < staged.header_count; k++) {
            const th_header header = th_staging_header(staging, staged.headers + k);
            note_view(&all, header.name);
            note_view(&all, header.value);
        }
        note_number(&all, (uint64_t)staged.topic * 2 + staged.is_min);
    }
    for (int topic = 0; topic < TH_TOPIC_COUNT; topic++) {
        note_number(&all, staging->cuts.cut[topic]);
        note_number(&all, staging->cuts.left_out[topic]);
    }
    note_number(&all, staging->tombstones);
}

static void any_options(th_staging_options *options)
{
    static const uint32_t sizes[] = { 1000, 2000, 4000, 8000, 16000, 1000000 };
    *options = all_topics(sizes[below(&all, 6)]);
    for (int topic = 0; topic < TH_TOPIC_COUNT; topic++) {
        options->wants[topic] = below(&all, 9) > 0;
        if (below(&all, 3) == 0)
            options->limits[topic] =
                (th_kafka_limit){ below(&all, 3) * 700, below(&all, 2) ? 1 : UINT64_MAX };
    }
    options->key = (th_kafka_key)below(&all, TH_KAFKA_KEY_COUNT);
    options->schema_id = below(&all, 3) ? 0 : 70000;
    options->withdrawals.statuses[404] = below(&all, 2);
    options->withdrawals.has_null = below(&all, 2);
}

/*
 * All messages of 4,000 random records have one digest. A change of any message shows
 * here. Then look at the change, and write the new digest here.
 */
static void messages_are_known(void **state)
{
    enum { BYTES = 16000, ROUNDS = 4000 };
    static const th_status statuses[] = { TH_OK,       TH_OK,       TH_OK,
                                          TH_BAD_WARC, TH_NOT_HTML, TH_TOMBSTONE };
    static const char *const words = "{\"text\":\"A keeper counted ships.\"} ";
    (void)state;
    char *noise = malloc(BYTES), *text = malloc(BYTES);
    assert_true(noise && text);
    fill_noise(noise, BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        noise[i] = (char)('a' + (unsigned char)noise[i] % 26);
        text[i] = words[i % strlen(words)];
    }
    all = (struct outcomes){ .chance = 7 };
    for (int round = 0; round < ROUNDS; round++) {
        th_staging_options options;
        th_header many[3];
        th_staging staging = { 0 };
        any_options(&options);
        th_record record = below(&all, 3) ? from_message() : from_file();
        if (below(&all, 2))
            record.url = any_text(noise);
        if (below(&all, 2))
            record.id = any_text(noise);
        if (below(&all, 2))
            record.original = any_text(below(&all, 2) ? noise : text);
        if (below(&all, 2))
            record.block = any_text(below(&all, 2) ? noise : text);
        if (below(&all, 2))
            record.position.key = any_text(noise);
        record.position.skip = below(&all, 2) * 300;
        record.header_count = below(&all, 4);
        record.headers = many;
        for (uint32_t i = 0; i < record.header_count; i++)
            many[i] =
                (th_header){ { noise + 40 * i, 1 + below(&all, 30) }, any_text(noise) };
        staged_http_status = below(&all, 2) ? 404 : 200;
        const th_status status = statuses[below(&all, 6)];
        th_view value = any_text(below(&all, 2) ? noise : text);
        stage(&staging, &options, &record, status, value.data ? value : TH_VIEW(TEXT));
        note_messages(&staging);
        th_staging_done(&staging);
    }
    staged_http_status = 0;
    free(noise);
    free(text);
    expect_digest(&all, UINT64_C(0xCE571BAEEB42AFF0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_gives_record_and_bands),
        cmocka_unit_test(bands_know_when_the_page_was_captured),
        cmocka_unit_test(bands_go_with_a_line),
        cmocka_unit_test(an_edge_goes_to_its_representative),
        cmocka_unit_test(a_refusal_gives_a_dead_letter),
        cmocka_unit_test(a_tombstone_gives_no_dead_letter),
        cmocka_unit_test(records_of_a_message_have_names_of_their_own),
        cmocka_unit_test(a_file_s_refusal_is_its_block),
        cmocka_unit_test(keys_are_as_configured),
        cmocka_unit_test(ids_name_a_message),
        cmocka_unit_test(nothing_is_larger_than_allowed),
        cmocka_unit_test(a_limit_is_one_topic_s),
        cmocka_unit_test(a_dead_letter_shrinks),
        cmocka_unit_test(progress_rows_are_messages),
        cmocka_unit_test(a_schema_is_named_before_the_record),
        cmocka_unit_test(what_is_withdrawn_gives_its_key),
        cmocka_unit_test(a_list_of_withdrawals_is_checked),
        cmocka_unit_test(messages_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
