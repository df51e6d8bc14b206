/*
 * Messages to records. See the header.
 *
 * A record's position is the message's, whatever the message holds: that is what is
 * acknowledged, and where the record can be read again.
 */
#include "ingest/kafka_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/record_taker.h"
#include "ingest/warc_pointer.h"

const char *const th_message_format_names[] = { "auto", "warc",    "http",
                                                "html", "pointer", NULL };

struct th_message_reader {
    const th_message_options *options;
    th_record_taker taker;   /* over a message's bytes; its reader is kept */
    th_record_taker archive; /* that the last pointer led into, if it is open */
    char *archive_name;
    uint64_t damaged;
    char damage[160]; /* the first thing wrong with the present record; "" none */
};

/* ---- life ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    th_message_reader *reader = context;
    if (!warc_diag_is_damage(diag->code))
        return;
    reader->damaged++;
    if (!reader->damage[0])
        (void)snprintf(reader->damage, sizeof reader->damage, "%s%s%s",
                       warc_diag_name(diag->code), diag->detail[0] ? ": " : "",
                       diag->detail);
}

th_message_reader *th_message_reader_new(const th_message_options *options)
{
    th_message_reader *reader = calloc(1, sizeof *reader);
    if (reader)
        reader->options = options;
    return reader;
}

static void close_archive(th_message_reader *reader)
{
    th_record_taker_close(&reader->archive);
    free(reader->archive_name);
    reader->archive_name = NULL;
}

void th_message_reader_free(th_message_reader *reader)
{
    if (!reader)
        return;
    th_record_taker_close(&reader->taker);
    close_archive(reader);
    free(reader);
}

uint64_t th_message_damaged(const th_message_reader *reader)
{
    return reader->damaged;
}

/* ---- what a message holds ---- */

static bool begins_with(th_view bytes, const char *magic, size_t len)
{
    return bytes.len >= len && memcmp(bytes.data, magic, len) == 0;
}

static th_message_format format_of(const th_message_reader *reader, th_view value)
{
    if (reader->options->format != TH_MESSAGE_AUTO)
        return reader->options->format;
    if (begins_with(value, "WARC/", 5) || begins_with(value, "\x1f\x8b", 2) ||
        begins_with(value, "\x28\xb5\x2f\xfd", 4) ||
        begins_with(value, "\x5d\x2a\x4d\x18", 4))
        return TH_MESSAGE_WARC;
    if (begins_with(value, "HTTP/", 5))
        return TH_MESSAGE_HTTP;
    return value.data[0] == '{' ? TH_MESSAGE_POINTER : TH_MESSAGE_HTML;
}

/* A text that begins with a scheme, "http:": a key may be anything else as well. */
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

/* Copies; the first that fails makes the batch fail. */
struct copier {
    th_arena *arena;
    bool has_failed;
};

static th_view copy(struct copier *copier, th_view view)
{
    if (!view.data)
        return view;
    const th_view copied = th_arena_copy(copier->arena, view);
    copier->has_failed |= !copied.data;
    return copied;
}

static void copy_headers(struct copier *copier, const th_message *message,
                         th_record *record)
{
    const uint32_t count = message->header_count < TH_MESSAGE_HEADERS
                               ? message->header_count
                               : TH_MESSAGE_HEADERS;
    if (count == 0)
        return;
    th_header *headers = th_arena_calloc(copier->arena, count, sizeof *headers);
    copier->has_failed |= !headers;
    size_t bytes = 0;
    for (uint32_t i = 0; i < count && !copier->has_failed; i++) {
        const th_header *header = &message->headers[i];
        bytes += header->name.len + header->value.len;
        if (bytes > TH_MESSAGE_HEADER_BYTES)
            break;
        headers[record->header_count++] =
            (th_header){ copy(copier, header->name), copy(copier, header->value) };
    }
    record->headers = record->header_count ? headers : NULL;
}

/* What every record has from its message, whatever became of it. */
static th_status stamp(const th_message_reader *reader, const th_message *message,
                       th_batch *batch, th_record *record)
{
    struct copier copier = { .arena = batch->arena };
    record->position = (th_position){
        .topic = copy(&copier, message->topic),
        .partition = message->partition,
        .offset = (uint64_t)message->offset,
        .key = copy(&copier, message->key),
    };
    copy_headers(&copier, message, record);
    if (reader->options->keeps_original && !record->original.data)
        record->original = copy(&copier, message->value);
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

/* A record that could not be read from a message or an archive. */
static th_status refuse_damaged(const th_message_reader *reader, th_batch *batch,
                                th_record *record, const char *words)
{
    th_error why;
    (void)th_fail(&why, TH_BAD_WARC, "%s%s%s", words, reader->damage[0] ? ": " : "",
                  reader->damage);
    return refuse(batch, record, TH_BAD_WARC, why.text);
}

/* Takes the pending record into the batch's next place, without counting it. */
static th_status take(th_record_taker *taker, th_batch *batch, warc_error *error)
{
    const uint32_t count = batch->record_count;
    const th_status status =
        th_record_taker_take(taker, (th_view){ NULL, 0 }, batch, error);
    batch->record_count = count;
    return status;
}

/* ---- a WARC record ---- */

static th_status open_message(th_message_reader *reader, th_view value)
{
    warc_view bytes = { value.data, value.len };
    if (reader->taker.reader)
        return warc_reader_reopen_memory(reader->taker.reader, bytes, NULL) == WARC_OK
                   ? TH_OK
                   : TH_NOMEM;
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = reader->options->verify_digests;
    options.on_diag = on_diag;
    options.diag_context = reader;
    reader->taker = (th_record_taker){ .max_record = reader->options->max_record,
                                       .stops_at_max = true };
    return warc_reader_open_memory(bytes, &options, &reader->taker.reader, NULL) ==
                   WARC_OK
               ? TH_OK
               : TH_NOMEM;
}

/* Could a page come behind this record, at a cost that max_record bounds? */
static bool is_worth_passing(const th_message_reader *reader, const th_record *record)
{
    uint64_t declared = 0;
    return !th_record_kind_holds_payload(record->kind) &&
           warc_record_content_length(reader->taker.pending, &declared) &&
           declared <= reader->options->max_record;
}

static th_status read_warc(th_message_reader *reader, const th_message *message,
                           th_batch *batch, th_record *record)
{
    warc_error error = { .text = "" };
    if (open_message(reader, message->value) != TH_OK)
        return TH_NOMEM;
    th_status status = th_record_taker_next(&reader->taker, &error);
    if (status == TH_END)
        return refuse_damaged(reader, batch, record, "message holds no WARC record");
    if (status == TH_IO)
        return refuse_damaged(reader, batch, record, error.text);
    while (status == TH_OK) {
        const th_record before = *record;
        status = take(&reader->taker, batch, &error);
        if (status == TH_NOMEM)
            return status;
        if (before.type.data && !th_record_kind_holds_payload(record->kind))
            *record = before; /* of those without a page, the first */
        if (status == TH_OK && is_worth_passing(reader, record))
            status = th_record_taker_next(&reader->taker, &error);
        else
            break;
    }
    return status == TH_NOMEM ? status : TH_OK;
}

/* ---- a response, a page ---- */

static th_status read_plain(const th_message_reader *reader, const th_message *message,
                            bool is_http, th_batch *batch, th_record *record)
{
    struct copier copier = { .arena = batch->arena };
    const uint64_t cap = reader->options->max_record;
    const bool is_cut = message->value.len > cap;
    /* One copy is block and original both, unless the block is a part only. */
    const th_view whole = is_cut && !reader->options->keeps_original
                              ? (th_view){ message->value.data, (size_t)cap }
                              : message->value;
    const th_view bytes = copy(&copier, whole);
    record->kind = is_http ? TH_RECORD_RESPONSE : TH_RECORD_RESOURCE;
    record->url = copy(&copier, url_of(reader, message));
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

/* Path of the archive in its folder, NULL without memory. */
static char *path_of(const th_message_reader *reader, th_view file)
{
    const size_t len = strlen(reader->options->archives);
    char *path = malloc(len + file.len + 2);
    if (!path)
        return NULL;
    memcpy(path, reader->options->archives, len);
    path[len] = '/';
    memcpy(path + len + 1, file.data, file.len);
    path[len + 1 + file.len] = '\0';
    return path;
}

/* Opens the archive at `path`, which is taken; one that is open already is used again.
 * TH_OK; TH_EMPTY: it is not there (yet); TH_IO with words; TH_NOMEM. */
static th_status open_archive(th_message_reader *reader, char *path, warc_error *error)
{
    struct stat about;
    if (reader->archive_name && strcmp(reader->archive_name, path) == 0) {
        free(path);
        return TH_OK;
    }
    close_archive(reader);
    th_status status = stat(path, &about) != 0   ? TH_EMPTY
                       : !S_ISREG(about.st_mode) ? TH_IO
                                                 : TH_OK;
    const th_record_taker_options options = {
        .max_record = reader->options->max_record,
        .verify_digests = reader->options->verify_digests,
        .on_diag = on_diag,
        .diag_context = reader,
    };
    if (status == TH_OK)
        status = th_record_taker_open(&reader->archive, path, -1, &options, error);
    if (status == TH_OK) {
        reader->archive.stops_at_max = true;
        reader->archive_name = path;
    } else {
        free(path);
    }
    return status;
}

/* Goes to the record at `offset`. TH_OK; TH_IO; TH_NOMEM. */
static th_status find_record(th_message_reader *reader, uint64_t offset,
                             warc_error *error)
{
    const th_checkpoint place = { .offset = offset,
                                  .uoffset = WARC_NO_OFFSET,
                                  .dict_offset = WARC_NO_OFFSET };
    th_status status = th_record_taker_seek(&reader->archive, &place, error);
    if (status == TH_OK)
        status = th_record_taker_next(&reader->archive, error);
    if (status == TH_END)
        return TH_IO;
    if (status == TH_OK && warc_record_position(reader->archive.pending).offset != offset)
        return TH_IO; /* the reader found its way to a later record */
    return status;
}

static th_status read_pointer(th_message_reader *reader, const th_message *message,
                              bool may_wait, th_batch *batch, th_record *record)
{
    if (!reader->options->archives || !*reader->options->archives)
        return refuse(batch, record, TH_BAD_WARC,
                      "message is a pointer, and no folder of archives is configured");
    th_error words = { .status = TH_OK };
    th_warc_pointer pointer;
    th_status status =
        th_warc_pointer_read(message->value, batch->arena, &pointer, &words);
    if (th_status_is_refusal(status))
        return refuse(batch, record, status, words.text);
    char *path = status == TH_OK ? path_of(reader, pointer.file) : NULL;
    if (!path)
        return TH_NOMEM;
    warc_error error = { .text = "" };
    status = open_archive(reader, path, &error);
    if (status == TH_EMPTY && may_wait)
        return TH_NEED_MORE;
    if (status == TH_EMPTY)
        return refuse(batch, record, TH_BAD_WARC, "archive of the pointer is not there");
    if (status == TH_OK)
        status = find_record(reader, pointer.offset, &error);
    if (status == TH_OK)
        status = take(&reader->archive, batch, &error);
    if (status == TH_NOMEM)
        return status;
    if (!record->url.data)
        record->url = pointer.url;
    if (status == TH_OK)
        return TH_OK;
    close_archive(reader); /* it may be another file by now */
    return refuse_damaged(reader, batch, record,
                          "archive of the pointer has no record at its offset");
}

/* ---- all together ---- */

static th_status read_value(th_message_reader *reader, const th_message *message,
                            bool may_wait, th_batch *batch, th_record *record)
{
    if (message->value.len == 0)
        return refuse(batch, record, TH_NO_PAYLOAD, "message is empty");
    switch (format_of(reader, message->value)) {
    case TH_MESSAGE_WARC:
        return read_warc(reader, message, batch, record);
    case TH_MESSAGE_HTTP:
        return read_plain(reader, message, true, batch, record);
    case TH_MESSAGE_POINTER:
        return read_pointer(reader, message, may_wait, batch, record);
    case TH_MESSAGE_AUTO:
    case TH_MESSAGE_HTML:
    case TH_MESSAGE_FORMAT_COUNT:
    default:
        return read_plain(reader, message, false, batch, record);
    }
}

th_status th_message_read(th_message_reader *reader, const th_message *message,
                          bool may_wait, th_batch *batch)
{
    th_record *record = &batch->records[batch->record_count];
    *record = (th_record){ .kind = TH_RECORD_OTHER };
    reader->damage[0] = '\0';
    th_status status = read_value(reader, message, may_wait, batch, record);
    if (status == TH_OK)
        status = stamp(reader, message, batch, record);
    if (status == TH_OK)
        batch->record_count++;
    return status;
}
