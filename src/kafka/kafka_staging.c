/*
 * Results as Kafka messages. See the header.
 *
 * The headers of dead letters are the headers of Kafka Connect, so tools for its dead
 * letter queues read ours. [docs/reliability.md#promises] Sizes are checked here, before
 * anything is sent: a message that a broker refuses for its size would abort its
 * transaction, return, and abort the next.
 */
#include "kafka/kafka_staging.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "base/json.h"
#include "thresher/minhash.h"
#include "write/annotation.h"
#include "write/format.h"

const char *const th_kafka_key_names[] = { "url", "id", "input", "none", NULL };

/* A piece of staging->bytes. */
struct span {
    size_t at, len;
    bool is_absent;
};

struct message {
    th_kafka_topic topic;
    struct span key, value;
    size_t headers;
    uint32_t header_count;
    bool is_min;
};

struct header {
    struct span name, value;
};

enum {
    KEEP = 64 << 20,       /* memory that is kept from one flush to the next */
    MESSAGE_OVERHEAD = 64, /* bytes of a message in addition to key, value and headers */
    HEADER_OVERHEAD = 16,
    PLACE_MAX = 2048, /* bytes of a URL or an id in stubs and reasons */
    BATCH_OVERHEAD = 64,
    STUB_LEAST = 256,  /* records up to this size never become stubs */
    CUT_HEADERS = 128, /* bytes of the headers that say what was cut */
};

/* ---- the store ---- */

void th_staging_done(th_staging *staging)
{
    th_buffer_done(&staging->bytes);
    th_buffer_done(&staging->messages);
    th_buffer_done(&staging->headers);
    staging->count = 0;
}

void th_staging_drop(th_staging *staging)
{
    if (staging->bytes.capacity > KEEP)
        th_buffer_done(&staging->bytes);
    th_buffer_reset(&staging->bytes);
    th_buffer_reset(&staging->messages);
    th_buffer_reset(&staging->headers);
    staging->count = 0;
    staging->cuts = (th_staging_cuts){ { 0 }, { 0 } };
    staging->tombstones = 0;
}

static bool has_failed(const th_staging *staging)
{
    return staging->bytes.has_failed || staging->messages.has_failed ||
           staging->headers.has_failed;
}

static struct span add_bytes(th_staging *staging, th_view bytes)
{
    const struct span span = { staging->bytes.len, bytes.len, !bytes.data };
    if (bytes.len)
        th_buffer_append_view(&staging->bytes, bytes);
    return span;
}

static th_view view_of(const th_staging *staging, struct span span)
{
    if (span.is_absent)
        return (th_view){ NULL, 0 };
    return (th_view){ staging->bytes.data ? staging->bytes.data + span.at : "",
                      span.len };
}

static size_t header_count(const th_staging *staging)
{
    return staging->headers.len / sizeof(struct header);
}

static void put_big_endian(th_buffer *out, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        th_buffer_append_char(out, (char)(value >> (8 * bytes)));
}

static void add_header(th_staging *staging, th_view name, th_view value)
{
    const struct header header = { add_bytes(staging, name), add_bytes(staging, value) };
    th_buffer_append(&staging->headers, (const char *)&header, sizeof header);
}

static void add_text_header(th_staging *staging, const char *name, th_view value)
{
    if (value.data)
        add_header(staging, (th_view){ name, strlen(name) }, value);
}

static void add_number_header(th_staging *staging, const char *name, uint64_t value)
{
    char text[24];
    const int len = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    add_text_header(staging, name, (th_view){ text, (size_t)len });
}

/* Cuts a URL or an id to PLACE_MAX bytes. */
static th_view cut(th_view text)
{
    return (th_view){ text.data, text.len < PLACE_MAX ? text.len : PLACE_MAX };
}

static void add_message(th_staging *staging, const struct message *message)
{
    th_buffer_append(&staging->messages, (const char *)message, sizeof *message);
    staging->count++;
}

static size_t size_of_headers(const th_staging *staging, size_t first)
{
    const struct header *headers =
        (const struct header *)(const void *)staging->headers.data;
    size_t size = 0;
    for (size_t i = first; i < header_count(staging); i++)
        size += headers[i].name.len + headers[i].value.len + HEADER_OVERHEAD;
    return size;
}

th_staged th_staging_get(const th_staging *staging, size_t index)
{
    const struct message *message =
        (const struct message *)(const void *)staging->messages.data + index;
    return (th_staged){ message->topic,
                        view_of(staging, message->key),
                        view_of(staging, message->value),
                        message->header_count,
                        message->headers,
                        message->is_min };
}

th_header th_staging_header(const th_staging *staging, size_t index)
{
    const struct header *header =
        (const struct header *)(const void *)staging->headers.data + index;
    return (th_header){ view_of(staging, header->name), view_of(staging, header->value) };
}

/* ---- sizes ---- */

/* Returns the packed size of a value, as a batch, or SIZE_MAX if out of memory. Other
 * codecs come near to it. If a codec does not, the topic refuses, and the limit is
 * learned. */
static size_t packed_size(th_view value)
{
    th_buffer packed = { 0 };
    const th_status status = th_compress(TH_ZSTD, value, &packed);
    const size_t size = packed.len < value.len ? packed.len : value.len;
    th_buffer_done(&packed);
    /* librdkafka packs in a stream, which makes a little more of it. */
    return status == TH_OK ? size + size / 64 : SIZE_MAX;
}

size_t th_staging_packed_size(const th_staging *staging, size_t index)
{
    const struct message *message =
        (const struct message *)(const void *)staging->messages.data + index;
    const size_t value = packed_size(view_of(staging, message->value));
    size_t rest = message->key.len + MESSAGE_OVERHEAD + BATCH_OVERHEAD;
    for (uint32_t i = 0; i < message->header_count; i++) {
        const th_header header = th_staging_header(staging, message->headers + i);
        rest += header.name.len + header.value.len + HEADER_OVERHEAD;
    }
    return value == SIZE_MAX ? value : value + rest;
}

/* Returns the bytes of a value that a topic accepts for certain with `rest` other bytes
 * in the message. */
static size_t sure_capacity(const th_staging_options *options, th_kafka_topic topic,
                            size_t rest)
{
    const th_kafka_limit *limit = &options->limits[topic];
    const size_t max = limit->sure && limit->sure < limit->packed ? (size_t)limit->sure
                                                                  : (size_t)limit->packed;
    const size_t batch = max > BATCH_OVERHEAD ? max - BATCH_OVERHEAD : 0;
    const size_t all = batch < options->message_max ? batch : options->message_max;
    return all > rest ? all - rest : 0;
}

/* Returns whether a topic accepts a value with `rest` other bytes in the message. */
static bool fits(const th_staging_options *options, th_kafka_topic topic, size_t rest,
                 th_view value)
{
    if (value.len <= sure_capacity(options, topic, rest) &&
        sure_capacity(options, topic, rest))
        return true;
    if (value.len + rest > options->message_max)
        return false;
    const size_t packed = packed_size(value);
    return packed < SIZE_MAX &&
           packed + rest + BATCH_OVERHEAD < options->limits[topic].packed;
}

/* ---- names and keys ---- */

static struct span add_id(th_staging *staging, const th_record *record)
{
    struct span span = { .at = staging->bytes.len };
    th_record_id_write(record, &staging->bytes);
    span.len = staging->bytes.len - span.at;
    if (span.len > TH_KAFKA_KEY_MAX)
        span.len = TH_KAFKA_KEY_MAX;
    return span;
}

static struct span add_key(th_staging *staging, th_kafka_key kind,
                           const th_record *record)
{
    struct span span = { .is_absent = true };
    switch (kind) {
    case TH_KAFKA_KEY_URL:
        span = add_bytes(staging, record->url);
        break;
    case TH_KAFKA_KEY_ID:
        span = add_id(staging, record);
        break;
    case TH_KAFKA_KEY_INPUT:
        span = add_bytes(staging, record->position.key);
        break;
    case TH_KAFKA_KEY_NONE:
    case TH_KAFKA_KEY_COUNT:
    default:
        break;
    }
    if (span.len > TH_KAFKA_KEY_MAX)
        span.len = TH_KAFKA_KEY_MAX;
    return span;
}

static void carry_headers(th_staging *staging, const th_record *record)
{
    for (uint32_t i = 0; i < record->header_count; i++)
        add_header(staging, record->headers[i].name, record->headers[i].value);
}

/* ---- withdrawals ---- */

th_status th_withdrawals_parse(const char *list, th_withdrawals *out, th_error *err)
{
    *out = (th_withdrawals){ .has_null = false };
    for (const char *at = list; *at;) {
        const size_t len = strcspn(at, ", ");
        const bool is_status = len == 3 && at[0] >= '1' && at[0] <= '5' &&
                               th_is_digit(at[1]) && th_is_digit(at[2]);
        if (is_status)
            out->statuses[(at[0] - '0') * 100 + (at[1] - '0') * 10 + (at[2] - '0')] =
                true;
        else if (len == 4 && memcmp(at, "null", 4) == 0)
            out->has_null = true;
        else if (len)
            return th_fail(err, TH_USAGE,
                           "kafka.tombstones: '%.*s' is not valid (expected an HTTP "
                           "status or 'null')",
                           (int)(len < 32 ? len : 32), at);
        at += len;
        at += strspn(at, ", ");
    }
    return TH_OK;
}

static bool is_withdrawn(const th_withdrawals *withdrawals, const th_piece *piece)
{
    enum { STATUSES = sizeof withdrawals->statuses };
    if (piece->status == TH_TOMBSTONE)
        return withdrawals->has_null;
    return piece->http_status < STATUSES && withdrawals->statuses[piece->http_status];
}

/* Adds the key of the page's records with no value. */
static void stage_tombstone(th_staging *staging, const th_staging_options *options,
                            const th_record *record)
{
    struct message message = { .topic = TH_TOPIC_RECORDS,
                               .headers = header_count(staging),
                               .key = add_key(staging, options->key, record),
                               .value = { .is_absent = true },
                               .is_min = true };
    if (message.key.len == 0)
        return;
    staging->tombstones++;
    add_message(staging, &message);
}

/* ---- records ---- */

/* Adds the schema registry's frame with the schema id. Returns where the message's value
 * begins. */
static size_t add_frame(th_staging *staging, uint32_t schema_id)
{
    const size_t at = staging->bytes.len;
    if (schema_id) {
        th_buffer_append_char(&staging->bytes, 0);
        put_big_endian(&staging->bytes, schema_id, 4);
    }
    return at;
}

static size_t frame_size(const th_staging_options *options)
{
    return options->schema_id ? TH_SCHEMA_FRAME : 0;
}

/* Adds a stub for a record that is too large: its location, without text. `is_bare` omits
 * fields that may be long themselves. */
static struct span add_stub(th_staging *staging, const th_staging_options *options,
                            const th_record *record, bool is_bare)
{
    struct span span = { .at = add_frame(staging, options->schema_id) };
    th_record bare = { .position = record->position };
    bare.position.key = (th_view){ NULL, 0 };
    th_json json;
    th_json_begin(&json, &staging->bytes);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", "thresher/1");
    if (!is_bare) {
        th_json_member(&json, "id", record->id);
        th_json_member(&json, "url", cut(record->url));
        th_json_member(&json, "date", record->date);
    }
    th_annotation_source(&json, is_bare ? &bare : record);
    th_json_key(&json, "flags");
    th_json_open_array(&json);
    th_json_string(&json, TH_VIEW("text_cut"));
    th_json_close_array(&json);
    th_json_close_object(&json);
    if (th_json_end(&json) == TH_OK)
        span.len = staging->bytes.len - span.at - 1; /* without the newline */
    return span;
}

static void stage_record(th_staging *staging, const th_staging_options *options,
                         const th_record *record, th_view text)
{
    struct message message = { .topic = TH_TOPIC_RECORDS,
                               .headers = header_count(staging) };
    message.key = add_key(staging, options->key, record);
    carry_headers(staging, record);
    message.header_count = (uint32_t)(header_count(staging) - message.headers);
    if (text.data && text.len && text.data[text.len - 1] == '\n')
        text.len--;
    const size_t rest = message.key.len + size_of_headers(staging, message.headers) +
                        MESSAGE_OVERHEAD + frame_size(options);
    message.is_min = rest + text.len <= STUB_LEAST;
    if (message.is_min || fits(options, TH_TOPIC_RECORDS, rest, text)) {
        const size_t at = add_frame(staging, options->schema_id);
        (void)add_bytes(staging, text);
        message.value = (struct span){ .at = at, .len = staging->bytes.len - at };
        add_message(staging, &message);
        return;
    }
    staging->cuts.cut[TH_TOPIC_RECORDS]++;
    message.value = add_stub(staging, options, record, false);
    if (!fits(options, TH_TOPIC_RECORDS, rest, view_of(staging, message.value))) {
        message.value = add_stub(staging, options, record, true);
        message.header_count = 0;
        message.is_min = true;
    }
    add_message(staging, &message);
}

/* ---- band keys ---- */

/* Reads two or four digits; -1 if they are not digits. */
static int digits(const char *at, unsigned count)
{
    int number = 0;
    for (unsigned i = 0; i < count; i++) {
        if (at[i] < '0' || at[i] > '9')
            return -1;
        number = number * 10 + (at[i] - '0');
    }
    return number;
}

/* Seconds since 1970 of a WARC-Date, "2026-01-02T03:04:05Z", or 0. */
static uint32_t seconds_of(th_view date)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    if (date.len < sizeof form)
        return 0;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] != 'd' && date.data[i] != form[i])
            return 0;
    const int year = digits(date.data, 4), month = digits(date.data + 5, 2);
    const int day = digits(date.data + 8, 2), hour = digits(date.data + 11, 2);
    const int minute = digits(date.data + 14, 2), second = digits(date.data + 17, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 ||
        minute < 0 || second < 0)
        return 0;
    struct tm time = { .tm_year = year - 1900,
                       .tm_mon = month - 1,
                       .tm_mday = day,
                       .tm_hour = hour,
                       .tm_min = minute,
                       .tm_sec = second };
    const time_t seconds = timegm(&time);
    return seconds > 0 && (uint64_t)seconds <= UINT32_MAX ? (uint32_t)seconds : 0;
}

/* Adds the value that goes with each of a page's keys. The header describes it. */
static struct span add_band_value(th_staging *staging, const th_work_result *result,
                                  const th_piece *piece)
{
    const th_record *record = &result->batch->records[piece->record];
    const bool has_lines = result->options && result->options->wants_signed;
    th_buffer *bytes = &staging->bytes;
    struct span span = { .at = bytes->len };
    if (has_lines) {
        th_buffer_append(bytes, (const char *)result->low_bits + piece->low_start,
                         piece->low_len);
        span.len = bytes->len - span.at;
        return span;
    }
    th_record_id_write(record, bytes);
    if (bytes->has_failed || !bytes->data)
        return span;
    const uint64_t page = XXH3_64bits(bytes->data + span.at, bytes->len - span.at);
    bytes->len = span.at;
    put_big_endian(bytes, page, 8);
    put_big_endian(bytes, seconds_of(record->date), 4);
    put_big_endian(
        bytes, piece->shingle_count < UINT16_MAX ? piece->shingle_count : UINT16_MAX, 2);
    if (piece->low_len)
        th_buffer_append(bytes, (const char *)result->low_bits + piece->low_start,
                         piece->low_len);
    span.len = bytes->len - span.at;
    return span;
}

static void stage_bands(th_staging *staging, const th_work_result *result,
                        const th_piece *piece)
{
    if (piece->bands_count == 0)
        return;
    const struct span value = add_band_value(staging, result, piece);
    for (size_t i = 0; i < piece->bands_count; i++) {
        const uint8_t *key = result->bands + (piece->bands_start + i) * TH_BAND_KEY_LEN;
        const struct message message = {
            .topic = TH_TOPIC_BANDS,
            .key = add_bytes(staging, (th_view){ (const char *)key, TH_BAND_KEY_LEN }),
            .value = value,
            .is_min = true,
        };
        add_message(staging, &message);
    }
}

/* ---- edges ---- */

static void stage_edge(th_staging *staging, const th_staging_options *options,
                       const th_work_result *result, const th_edge *edge)
{
    const size_t key_len =
        edge->of_len < TH_KAFKA_KEY_MAX ? edge->of_len : TH_KAFKA_KEY_MAX;
    const th_view line = { result->edges.data + edge->start,
                           edge->len - 1 }; /* without the newline */
    if (!fits(options, TH_TOPIC_EDGES, key_len + MESSAGE_OVERHEAD, line)) {
        staging->cuts.left_out[TH_TOPIC_EDGES]++;
        return;
    }
    const struct message message = {
        .topic = TH_TOPIC_EDGES,
        .key = add_bytes(staging, (th_view){ result->names.data + edge->of, key_len }),
        .value = add_bytes(staging, line),
    };
    add_message(staging, &message);
}

/* ---- dead letters ---- */

/* Adds the location of the input, and why it was refused. */
static void add_place(th_staging *staging, const th_record *record, th_status status)
{
    const th_position *position = &record->position;
    const char *name = th_status_name(status);
    if (position->topic.data) {
        add_text_header(staging, "__connect.errors.topic", position->topic);
        add_number_header(staging, "__connect.errors.partition",
                          (uint64_t)position->partition);
        add_number_header(staging, "__connect.errors.offset", position->offset);
    } else {
        add_text_header(staging, "thresher.file", position->file);
        add_number_header(staging, "thresher.offset", position->offset);
    }
    if (position->skip)
        add_number_header(staging, "thresher.skip", position->skip);
    add_text_header(staging, "__connect.errors.exception.class.name",
                    (th_view){ name, strlen(name) });
}

static void add_reason(th_staging *staging, const th_staging_options *options,
                       const th_record *record, th_view detail)
{
    add_text_header(staging, "__connect.errors.connector.name", TH_VIEW("thresher"));
    add_text_header(staging, "__connect.errors.task.id",
                    (th_view){ options->instance, strlen(options->instance) });
    add_text_header(staging, "__connect.errors.stage", TH_VIEW("TRANSFORMATION"));
    add_text_header(staging, "__connect.errors.class.name", TH_VIEW("thresher"));
    add_text_header(staging, "__connect.errors.exception.message", detail);
    add_text_header(staging, "attempts", TH_VIEW("1"));
    add_text_header(staging, "thresher.id", cut(record->id));
    add_text_header(staging, "thresher.url", cut(record->url));
}

/* Forms of a dead letter, from the largest to the smallest. */
enum letter_form {
    WITH_HEADERS, /* headers of the original message, and the reason */
    WITH_REASON,  /* the reason alone */
    WITH_PLACE,   /* its location and the reason, without a key */
    LETTER_FORMS
};

struct letter {
    const th_record *record;
    th_status status;
    th_view detail, bytes;
};

/* Headers and key of a form. Returns their bytes. */
static size_t add_letter_form(th_staging *staging, const th_staging_options *options,
                              const struct letter *letter, enum letter_form form,
                              struct message *message)
{
    const th_record *record = letter->record;
    *message = (struct message){ .topic = TH_TOPIC_DEAD_LETTERS,
                                 .headers = header_count(staging),
                                 .key = { .is_absent = true } };
    if (form != WITH_PLACE)
        message->key = add_key(
            staging, record->position.topic.data ? TH_KAFKA_KEY_INPUT : TH_KAFKA_KEY_URL,
            record);
    if (form == WITH_HEADERS)
        carry_headers(staging, record);
    add_place(staging, record, letter->status);
    if (form != WITH_PLACE)
        add_reason(staging, options, record, letter->detail);
    if (form != WITH_HEADERS && record->header_count)
        add_number_header(staging, "thresher.left_out_headers", record->header_count);
    return message->key.len + size_of_headers(staging, message->headers) +
           MESSAGE_OVERHEAD;
}

static void add_letter(th_staging *staging, struct message *message, th_view bytes,
                       size_t len)
{
    if (len < bytes.len)
        add_number_header(staging, "thresher.left_out_bytes", bytes.len - len);
    message->value = add_bytes(staging, (th_view){ bytes.data, len });
    message->header_count = (uint32_t)(header_count(staging) - message->headers);
    add_message(staging, message);
}

static void stage_dead_letter(th_staging *staging, const th_staging_options *options,
                              const th_work_result *result, const th_piece *piece)
{
    const th_record *record = &result->batch->records[piece->record];
    const th_view original = record->original.data ? record->original : record->block;
    const struct letter letter = {
        .record = record,
        .status = piece->status,
        .detail = { result->details.data + piece->detail_start, piece->detail_len },
        .bytes = original.data ? original : TH_VIEW(""),
    };
    struct message message;
    for (int form = WITH_HEADERS; form < LETTER_FORMS; form++) {
        const size_t rest =
            add_letter_form(staging, options, &letter, (enum letter_form)form, &message);
        if (form == WITH_HEADERS &&
            fits(options, TH_TOPIC_DEAD_LETTERS, rest, letter.bytes)) {
            add_letter(staging, &message, letter.bytes, letter.bytes.len);
            return;
        }
        const size_t capacity =
            sure_capacity(options, TH_TOPIC_DEAD_LETTERS, rest + CUT_HEADERS);
        if (capacity) {
            add_letter(staging, &message, letter.bytes,
                       capacity < letter.bytes.len ? capacity : letter.bytes.len);
            staging->cuts.cut[TH_TOPIC_DEAD_LETTERS]++;
            return;
        }
        /* The headers of this form are of no message. */
        staging->headers.len = message.headers * sizeof(struct header);
    }
    staging->cuts.left_out[TH_TOPIC_DEAD_LETTERS]++;
}

/* ---- all together ---- */

th_status th_stage_result(th_staging *staging, const th_staging_options *options,
                          const th_work_result *result)
{
    for (uint32_t i = 0; i < result->batch->record_count; i++) {
        const th_piece *piece = &result->pieces[i];
        const bool is_gone = is_withdrawn(&options->withdrawals, piece);
        if (is_gone && options->wants[TH_TOPIC_RECORDS])
            stage_tombstone(staging, options, &result->batch->records[piece->record]);
        if (piece->status != TH_OK) {
            /* A letter without a value would delete others of its key. */
            if (options->wants[TH_TOPIC_DEAD_LETTERS] && piece->status != TH_TOMBSTONE)
                stage_dead_letter(staging, options, result, piece);
            continue;
        }
        if (is_gone)
            continue;
        if (options->wants[TH_TOPIC_RECORDS])
            stage_record(staging, options, &result->batch->records[piece->record],
                         (th_view){ result->pages.data + piece->start, piece->len });
        if (options->wants[TH_TOPIC_BANDS])
            stage_bands(staging, result, piece);
    }
    for (size_t i = 0; options->wants[TH_TOPIC_EDGES] && i < result->edge_count; i++)
        stage_edge(staging, options, result, &result->edge_rows[i]);
    return has_failed(staging) ? TH_NOMEM : TH_OK;
}

th_status th_stage_progress(th_staging *staging, th_view rows)
{
    while (rows.len) {
        const char *end = memchr(rows.data, '\n', rows.len);
        const size_t len = end ? (size_t)(end - rows.data) : rows.len;
        const char *tab = memchr(rows.data, '\t', len);
        const size_t key = tab ? (size_t)(tab - rows.data) : len;
        const th_view value = { tab ? tab + 1 : NULL, tab ? len - key - 1 : 0 };
        const struct message message = {
            .topic = TH_TOPIC_PROGRESS,
            .key = add_bytes(staging, (th_view){ rows.data, key }),
            .value = add_bytes(staging, value.len ? value : (th_view){ NULL, 0 }),
            .is_min = true,
        };
        add_message(staging, &message);
        const size_t used = end ? len + 1 : len;
        rows = (th_view){ rows.data + used, rows.len - used };
    }
    return has_failed(staging) ? TH_NOMEM : TH_OK;
}
