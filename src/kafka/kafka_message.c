/*
 * Messages to records. See the header.
 *
 * A record's position is the position of its message, for any content of the message. The
 * position is acknowledged, and the record can be read from it again.
 */
#include "kafka/kafka_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/view_copier.h"
#include "ingest/batch_builder.h"
#include "ingest/read_limit.h"
#include "ingest/warc_pointer.h"
#include "kafka/archive_reader.h"
#include "kafka/remote_archives.h"

const char *const th_message_format_names[] = { "auto", "warc",    "http",
                                                "html", "pointer", NULL };

struct th_message_reader {
    const th_message_options *options;
    th_batch_builder builder;    /* over a message's bytes; its reader is kept */
    th_read_limit limit;         /* of that reader, for the present message */
    th_archive_reader *archives; /* NULL: pointers into a folder are refused */
    th_remote_archives *remotes; /* NULL: pointers into stores are refused */
    th_message_counts counts;
    char damage[160]; /* the first thing wrong with the present record; "" none */
};

/* ---- life ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    th_message_reader *reader = context;
    if (!warc_diag_is_damage(diag->code))
        return;
    reader->counts.damaged++;
    if (!reader->damage[0])
        (void)snprintf(reader->damage, sizeof reader->damage, "%s%s%s",
                       warc_diag_name(diag->code), diag->detail[0] ? ": " : "",
                       diag->detail);
}

/* Opens readers for the pointers that the options allow. */
static bool open_archives(th_message_reader *reader)
{
    const th_message_options *options = reader->options;
    const th_archive_options archives = {
        .folder = options->archives,
        .prefixes = options->archive_prefixes,
        .store = options->store,
        .wait_ms = options->archive_wait_ms,
        .max_record = options->max_record,
        .verify_digests = options->verify_digests,
        .on_diag = on_diag,
        .diag_context = reader,
        .warn = options->warn,
        .warn_context = options->warn_context,
    };
    if (archives.folder && *archives.folder &&
        !(reader->archives = th_archive_reader_new(&archives)))
        return false;
    return !archives.prefixes || !*archives.prefixes ||
           th_remote_archives_new(&archives, &reader->remotes, NULL) == TH_OK;
}

th_message_reader *th_message_reader_new(const th_message_options *options)
{
    th_message_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->options = options;
    if (open_archives(reader))
        return reader;
    th_message_reader_free(reader);
    return NULL;
}

void th_message_reader_free(th_message_reader *reader)
{
    if (!reader)
        return;
    th_batch_builder_close(&reader->builder);
    th_archive_reader_free(reader->archives);
    th_remote_archives_free(reader->remotes);
    free(reader);
}

void th_message_counts_get(const th_message_reader *reader, th_message_counts *out)
{
    *out = reader->counts;
    if (reader->archives)
        out->archives_given_up += th_archive_reader_given_up(reader->archives);
    if (reader->remotes)
        out->archives_given_up += th_remote_archives_given_up(reader->remotes);
}

/* ---- what a message holds ---- */

static bool begins_with(th_view bytes, const char *magic, size_t len)
{
    return bytes.len >= len && memcmp(bytes.data, magic, len) == 0;
}

/* Spaces before a pointer and line ends before a record mean nothing. */
static th_view without_blanks(th_view bytes)
{
    while (bytes.len && bytes.data[0] && strchr(" \t\r\n", bytes.data[0])) {
        bytes.data++;
        bytes.len--;
    }
    return bytes;
}

static th_message_format format_of(const th_message_reader *reader, th_view value)
{
    if (reader->options->format != TH_MESSAGE_AUTO)
        return reader->options->format;
    const th_view text = without_blanks(value);
    if (begins_with(text, "WARC/", 5) || begins_with(value, "\x1f\x8b", 2) ||
        begins_with(value, "\x28\xb5\x2f\xfd", 4) ||
        begins_with(value, "\x5d\x2a\x4d\x18", 4))
        return TH_MESSAGE_WARC;
    if (begins_with(value, "HTTP/", 5))
        return TH_MESSAGE_HTTP;
    return begins_with(text, "{", 1) ? TH_MESSAGE_POINTER : TH_MESSAGE_HTML;
}

/* Returns whether a text begins with a scheme, "http:". A key may be any other text. */
static bool is_url(th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (i > 0 && c == ':')
            return true;
        if (!is_letter &&
            (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return false;
    }
    return false;
}

static th_view url_of(const th_message_reader *reader, const th_message *message)
{
    const char *name = reader->options->url_header;
    th_view url = message->key;
    if (name && *name) {
        url = (th_view){ NULL, 0 };
        for (uint32_t i = 0; i < message->header_count && !url.data; i++)
            if (message->headers[i].name.len == strlen(name) &&
                memcmp(message->headers[i].name.data, name, strlen(name)) == 0)
                url = message->headers[i].value;
    }
    return url.data && is_url(url) ? url : (th_view){ NULL, 0 };
}

/* ---- records ---- */

/* Copies headers up to the limits. Returns the number of omitted headers, and adds a
 * header with it. */
static uint32_t copy_headers(th_view_copier *copier, const th_message *message,
                             th_record *record)
{
    if (message->header_count == 0)
        return 0;
    th_header *headers =
        th_arena_calloc(copier->arena, TH_MESSAGE_HEADERS + 1, sizeof *headers);
    copier->has_failed |= !headers;
    const uint32_t max = message->header_count < TH_MESSAGE_HEADERS
                             ? message->header_count
                             : TH_MESSAGE_HEADERS;
    uint32_t count = 0;
    for (size_t bytes = 0; count < max && !copier->has_failed; count++) {
        const th_header *header = &message->headers[count];
        bytes += header->name.len + header->value.len;
        if (bytes > TH_MESSAGE_HEADER_BYTES)
            break;
        headers[count] = (th_header){ th_view_copy(copier, header->name),
                                      th_view_copy(copier, header->value) };
    }
    const uint32_t left_out = message->header_count - count + message->headers_beyond;
    if (left_out && !copier->has_failed) {
        char digits[16];
        const int len = snprintf(digits, sizeof digits, "%u", left_out);
        headers[count++] =
            (th_header){ TH_VIEW("thresher.left_out_headers"),
                         th_view_copy(copier, (th_view){ digits, (size_t)len }) };
    }
    record->headers = headers;
    record->header_count = count;
    return left_out;
}

/* Sets the fields that every record has from its message, also for refused messages.
 * The records of one message share one copy. */
static th_status stamp(th_message_reader *reader, const th_message *message,
                       th_batch *batch, uint32_t count)
{
    th_view_copier copier = { .arena = batch->arena };
    th_record *records = &batch->records[batch->record_count];
    th_record common = { .original = records[0].original };
    common.position = (th_position){
        .topic = th_view_copy(&copier, message->topic),
        .partition = message->partition,
        .offset = (uint64_t)message->offset,
        .key = th_view_copy(&copier, message->key),
    };
    reader->counts.headers_left_out += copy_headers(&copier, message, &common);
    if (reader->options->keeps_original && !common.original.data)
        common.original = th_view_copy(&copier, message->value);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t skip = i ? records[i].position.skip : 0;
        records[i].position = common.position;
        records[i].position.skip = skip;
        records[i].headers = common.headers;
        records[i].header_count = common.header_count;
        records[i].original = common.original;
    }
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

static th_status refuse(th_batch *batch, th_record *record, th_status why,
                        const char *words)
{
    const th_view detail =
        th_arena_copy(batch->arena, (th_view){ words, strlen(words) + 1 });
    if (!detail.data)
        return TH_NOMEM;
    record->kind = TH_RECORD_OTHER;
    record->refusal = why;
    record->detail = detail.data;
    return TH_OK;
}

/* Adds a record that could not be read from a message or an archive. */
static th_status refuse_damaged(const th_message_reader *reader, th_batch *batch,
                                th_record *record, const char *words)
{
    th_error why;
    (void)th_fail(&why, TH_BAD_WARC, "%s%s%s", words, reader->damage[0] ? ": " : "",
                  reader->damage);
    return refuse(batch, record, TH_BAD_WARC, why.text);
}

/* ---- a WARC record ---- */

static th_status open_message(th_message_reader *reader, th_view value)
{
    warc_view bytes = { value.data, value.len };
    if (reader->builder.reader)
        return warc_reader_reopen_memory(reader->builder.reader, bytes, NULL) == WARC_OK
                   ? TH_OK
                   : TH_NOMEM;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = reader->options->verify_digests;
    options.on_diag = on_diag;
    options.diag_context = reader;
    options.should_pause = th_read_limit_is_passed;
    options.pause_context = &reader->limit;
    reader->builder = (th_batch_builder){ .max_record = reader->options->max_record,
                                          .stops_at_max = true };
    return warc_reader_open_memory(bytes, &options, &reader->builder.reader, NULL) ==
                   WARC_OK
               ? TH_OK
               : TH_NOMEM;
}

/* The records of a message, as they are read. */
struct reading {
    th_message_reader *reader;
    th_batch *batch;
    uint32_t pages;        /* records in the batch that are not counted there yet */
    bool has_other;        /* a record that holds no page was met */
    th_record other;       /* the first of these */
    uint64_t decompressed; /* bytes of blocks so far */
    uint64_t max;          /* limit of `unpacked` */
};

/* Takes the record whose header has been read. TH_OK; TH_IO, TH_PAUSED (in part);
 * TH_NOMEM. */
static th_status take_record(struct reading *reading, warc_error *error)
{
    th_batch *batch = reading->batch;
    const uint32_t count = batch->record_count;
    batch->record_count += reading->pages;
    th_record *record = &batch->records[batch->record_count];
    const uint64_t place = warc_record_position(reading->reader->builder.pending).uoffset;
    const th_status status = th_batch_builder_add(&reading->reader->builder,
                                                  (th_view){ NULL, 0 }, batch, error);
    if (status == TH_PAUSED)
        th_batch_builder_cut(&reading->reader->builder, batch);
    batch->record_count = count;
    if (status == TH_NOMEM)
        return status;
    record->position.skip = place;
    reading->decompressed += record->block_len;
    if (th_record_kind_holds_payload(record->kind)) {
        reading->pages++;
    } else if (!reading->has_other) {
        reading->has_other = true;
        reading->other = *record;
    }
    return status;
}

/* Returns whether to skip the rest of the present record to reach the next one. A
 * record that is larger than the read limit ends the message, and its flags say that
 * it was cut. */
static bool may_pass(const struct reading *reading)
{
    uint64_t declared = 0;
    return warc_record_content_length(reading->reader->builder.pending, &declared) &&
           declared <= reading->max;
}

/* Refuses the records after the last accepted one, as one record. */
static th_status refuse_rest(struct reading *reading)
{
    th_record *record =
        &reading->batch->records[reading->batch->record_count + reading->pages];
    *record = (th_record){ .kind = TH_RECORD_OTHER };
    reading->pages++;
    th_error why;
    (void)th_fail(
        &why, TH_TOO_LARGE,
        "message contains more than %u pages or %llu bytes; the rest is ignored",
        (unsigned)TH_MESSAGE_RECORDS - 1, (unsigned long long)reading->max);
    return refuse(reading->batch, record, TH_TOO_LARGE, why.text);
}

static th_status read_records(struct reading *reading, warc_error *error)
{
    th_status status = TH_OK;
    while (status == TH_OK) {
        if (reading->pages == TH_MESSAGE_RECORDS - 1 ||
            reading->decompressed > reading->max)
            return refuse_rest(reading);
        status = take_record(reading, error);
        if (status == TH_OK && may_pass(reading))
            status = th_batch_builder_next(&reading->reader->builder, error);
        else
            break;
    }
    if (status == TH_PAUSED)
        return refuse_rest(reading);
    return status == TH_NOMEM ? status : TH_OK;
}

/* Reads all pages of a message, in order; if it has none, its first record. */
static th_status read_warc(th_message_reader *reader, const th_message *message,
                           th_batch *batch, uint32_t *count)
{
    warc_error error = { .text = "" };
    th_record *record = &batch->records[batch->record_count];
    struct reading reading = { .reader = reader,
                               .batch = batch,
                               .max =
                                   message->value.len + 2 * reader->options->max_record };
    if (open_message(reader, message->value) != TH_OK)
        return TH_NOMEM;
    th_read_limit_begin(&reader->limit, reader->builder.reader, reading.max);
    th_status status = th_batch_builder_next(&reader->builder, &error);
    if (status == TH_END || status == TH_PAUSED)
        return refuse_damaged(reader, batch, record, "message contains no WARC record");
    if (status == TH_IO)
        return refuse_damaged(reader, batch, record, error.text);
    if (status == TH_OK)
        status = read_records(&reading, &error);
    if (status != TH_OK)
        return status;
    if (reading.pages == 0)
        *record = reading.other;
    else
        *count = reading.pages;
    return TH_OK;
}

/* ---- a response, a page ---- */

static th_status read_plain(const th_message_reader *reader, const th_message *message,
                            bool is_http, th_batch *batch, th_record *record)
{
    th_view_copier copier = { .arena = batch->arena };
    const uint64_t cap = reader->options->max_record;
    const bool is_cut = message->value.len > cap;
    /* One copy is both block and original, unless the block is only a part. */
    const th_view whole = is_cut && !reader->options->keeps_original
                              ? (th_view){ message->value.data, (size_t)cap }
                              : message->value;
    const th_view bytes = th_view_copy(&copier, whole);
    record->kind = is_http ? TH_RECORD_RESPONSE : TH_RECORD_RESOURCE;
    record->url = th_view_copy(&copier, url_of(reader, message));
    record->is_http = is_http;
    record->block = (th_view){ bytes.data, is_cut ? (size_t)cap : bytes.len };
    record->block_len = message->value.len;
    if (is_cut)
        record->flags |= TH_FLAG_RECORD_TRUNCATED;
    if (reader->options->keeps_original)
        record->original = bytes;
    if (!is_http && reader->options->format == TH_MESSAGE_HTML)
        record->content_type = TH_VIEW("text/html");
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

/* ---- a pointer ---- */

static bool is_remote(th_view file)
{
    return begins_with(file, "s3://", 5) || begins_with(file, "https://", 8) ||
           begins_with(file, "http://", 7);
}

/* As th_archive_reader_take. */
static th_status follow(th_message_reader *reader, const th_warc_pointer *pointer,
                        th_batch *batch, th_error *why)
{
    if (is_remote(pointer->file))
        return reader->remotes
                   ? th_remote_archives_take(reader->remotes, pointer, batch, why)
                   : th_fail(why, TH_BAD_WARC,
                             "pointer to '%.*s', but archive-prefixes is not set",
                             (int)(pointer->file.len < 250 ? pointer->file.len : 250),
                             pointer->file.data);
    return reader->archives
               ? th_archive_reader_take(reader->archives, pointer->file, pointer->offset,
                                        batch, why)
               : th_fail(why, TH_BAD_WARC,
                         "pointer to a file, but no folder of archives is configured");
}

static th_status read_pointer(th_message_reader *reader, const th_message *message,
                              th_batch *batch, th_record *record)
{
    if (!reader->archives && !reader->remotes)
        return refuse(batch, record, TH_BAD_WARC,
                      "message is a pointer, but no folder of archives is configured");
    th_error why = { .status = TH_OK };
    th_warc_pointer pointer;
    th_status status = th_warc_pointer_read(message->value, batch->arena, &pointer, &why);
    if (th_status_is_refusal(status))
        return refuse(batch, record, status, why.text);
    const uint64_t damaged = reader->counts.damaged;
    if (status == TH_OK)
        status = follow(reader, &pointer, batch, &why);
    if (status == TH_NEED_MORE)
        reader->counts.damaged = damaged; /* only incomplete yet, not damaged */
    if (status == TH_BAD_WARC)
        return refuse_damaged(reader, batch, record, why.text);
    if (status == TH_OK && !record->url.data)
        record->url = pointer.url;
    return status;
}

/* ---- no value ---- */

/* Adds a record without a page. It names the page that is gone. */
static th_status read_tombstone(const th_message_reader *reader,
                                const th_message *message, th_batch *batch,
                                th_record *record)
{
    th_view_copier copier = { .arena = batch->arena };
    const th_status status = refuse(batch, record, TH_TOMBSTONE, "message has no value");
    record->url = th_view_copy(&copier, url_of(reader, message));
    return copier.has_failed ? TH_NOMEM : status;
}

/* ---- all together ---- */

/* Fills the batch's next places, without counting them; `count` of them, 1 unless
 * said. */
static th_status read_value(th_message_reader *reader, const th_message *message,
                            th_batch *batch, uint32_t *count)
{
    th_record *record = &batch->records[batch->record_count];
    *record = (th_record){ .kind = TH_RECORD_OTHER };
    if (!message->value.data)
        return read_tombstone(reader, message, batch, record);
    if (message->value.len == 0)
        return refuse(batch, record, TH_NO_PAYLOAD, "message is empty");
    switch (format_of(reader, message->value)) {
    case TH_MESSAGE_WARC:
        return read_warc(reader, message, batch, count);
    case TH_MESSAGE_HTTP:
        return read_plain(reader, message, true, batch, record);
    case TH_MESSAGE_POINTER:
        return read_pointer(reader, message, batch, record);
    case TH_MESSAGE_AUTO:
    case TH_MESSAGE_HTML:
    case TH_MESSAGE_FORMAT_COUNT:
    default:
        return read_plain(reader, message, false, batch, record);
    }
}

th_status th_message_read(th_message_reader *reader, const th_message *message,
                          th_batch *batch)
{
    uint32_t count = 1;
    reader->damage[0] = '\0';
    th_status status = read_value(reader, message, batch, &count);
    if (status == TH_OK)
        status = stamp(reader, message, batch, count);
    if (status == TH_OK)
        batch->record_count += count;
    return status;
}
