/*
 * A reading of an archive as text, so that two readings can be compared: one line per
 * record, with its location, block and diagnostics. Shared by the reader's tests and its
 * fuzz target. It is only a header, because the fuzz target links no test library.
 */
#ifndef WARC_TRACE_H
#define WARC_TRACE_H

#include "warc/warc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that come in pieces of `step`, and cannot be positioned when can_seek is false.
 */
struct trickle {
    warc_view bytes;
    size_t at, step;
    bool is_slow;  /* every second read gives nothing yet */
    bool is_ready; /* the next one gives something */
};

static inline warc_status trickle_read(void *context, char *buffer, size_t capacity,
                                       size_t *got)
{
    struct trickle *trickle = context;
    trickle->is_ready = !trickle->is_ready;
    if (trickle->is_slow && trickle->is_ready)
        return WARC_PAUSED;
    size_t count = trickle->bytes.len - trickle->at;
    if (count > trickle->step)
        count = trickle->step;
    if (count > capacity)
        count = capacity;
    if (count > 0)
        memcpy(buffer, trickle->bytes.data + trickle->at, count);
    trickle->at += count;
    *got = count;
    return WARC_OK;
}

static inline warc_status trickle_seek(void *context, uint64_t offset)
{
    struct trickle *trickle = context;
    trickle->at = offset < trickle->bytes.len ? (size_t)offset : trickle->bytes.len;
    return WARC_OK;
}

/* How a reading is done. */
struct trace_way {
    size_t step;           /* bytes in a read */
    bool is_pipe;          /* input is not seekable */
    bool is_slow;          /* as in trickle */
    unsigned pause_every;  /* number of steps; 0 means never */
    warc_view dictionary;  /* from elsewhere */
    size_t max_dictionary; /* bytes; 0: the default */
};

/* The text of a reading; grows. */
struct trace {
    char *text;
    size_t len, capacity;
    warc_position *positions; /* of the records */
    size_t *lines;            /* where their lines begin in text */
    size_t count;
    uint64_t damage;
    uint64_t diags; /* of all diagnostics in their order: a hash */
    uint64_t pauses;
    unsigned pause_every, steps;
    warc_status end;
};

static inline void trace_done(struct trace *trace)
{
    free(trace->text);
    free(trace->positions);
    free(trace->lines);
}

static inline void trace_add(struct trace *trace, const char *text)
{
    const size_t len = strlen(text);
    if (trace->len + len + 1 > trace->capacity) {
        trace->capacity = 2 * (trace->capacity + len + 64);
        trace->text = realloc(trace->text, trace->capacity);
        if (!trace->text)
            abort();
    }
    memcpy(trace->text + trace->len, text, len + 1);
    trace->len += len;
}

static inline uint64_t trace_hash(uint64_t hash, warc_view bytes) /* FNV-1a */
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.data[i]) * 1099511628211u;
    return hash;
}

static inline uint64_t trace_fields(const warc_record *record)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < warc_record_field_count(record); i++) {
        const warc_header_field field = warc_record_field_at(record, i);
        hash = trace_hash(trace_hash(hash, field.name), field.value);
    }
    return hash;
}

static inline bool trace_should_pause(void *context)
{
    struct trace *trace = context;
    const bool is_due = ++trace->steps == trace->pause_every;
    if (is_due)
        trace->steps = 0;
    trace->pauses += is_due;
    return is_due;
}

static inline void trace_diag(void *context, const warc_diag *diag)
{
    struct trace *trace = context;
    char line[256];
    snprintf(line, sizeof line, "%s@%" PRIu64 "/%" PRIu64 "'%s'",
             warc_diag_name(diag->code), diag->offset, diag->uoffset, diag->detail);
    trace->diags = trace_hash(trace->diags + 1, (warc_view){ line, strlen(line) });
}

/* One record, read completely, as a line. */
static inline void trace_record(struct trace *trace, warc_reader *reader,
                                warc_record *record)
{
    uint64_t hash = 14695981039346656037u;
    warc_view chunk;
    warc_status status;
    do {
        status = warc_reader_chunk(reader, &chunk, NULL);
        if (status == WARC_OK)
            hash = trace_hash(hash, chunk);
    } while (status == WARC_OK || status == WARC_PAUSED);
    while (warc_reader_finish(reader, NULL) == WARC_PAUSED)
        ;
    const warc_position at = warc_record_position(record);
    uint64_t length = 0;
    warc_record_length(record, &length);
    char line[512];
    snprintf(line, sizeof line,
             "%" PRIu64 "+%" PRIu64 " u%" PRIu64 " length %" PRIu64 " %s fields %" PRIx64
             " block %" PRIu64 " %" PRIx64 "%s",
             at.offset, at.skip, at.uoffset, length,
             warc_type_name(warc_record_type(record)), trace_fields(record),
             warc_record_block_len(record), hash,
             warc_record_is_damaged(record) ? " damaged" : "");
    trace_add(trace, line);
    for (size_t i = 0; i < warc_record_diag_count(record); i++) {
        const warc_diag *diag = warc_record_diag_at(record, i);
        snprintf(line, sizeof line, " %s@%" PRIu64 "'%s'", warc_diag_name(diag->code),
                 diag->offset, diag->detail);
        trace_add(trace, line);
    }
    trace_add(trace, "\n");
}

static inline void trace_note(struct trace *trace, const warc_record *record)
{
    const size_t count = trace->count + 1;
    trace->positions = realloc(trace->positions, count * sizeof *trace->positions);
    trace->lines = realloc(trace->lines, count * sizeof *trace->lines);
    if (!trace->positions || !trace->lines)
        abort();
    trace->positions[trace->count] = warc_record_position(record);
    trace->lines[trace->count] = trace->len;
    trace->count = count;
}

/* Reads at most `limit` records from the reader's position. */
static inline void trace_rest(struct trace *trace, warc_reader *reader, size_t limit)
{
    warc_record *record = NULL;
    do {
        trace->end = warc_reader_next(reader, &record, NULL);
        if (trace->end == WARC_OK) {
            trace_note(trace, record);
            trace_record(trace, reader, record);
        }
    } while (trace->count < limit &&
             (trace->end == WARC_OK || trace->end == WARC_PAUSED));
    trace->damage = warc_reader_get_stats(reader)->damage_count;
}

/* `trace` counts pauses and hashes diagnostics while the reader lives. */
static inline warc_reader *trace_open_for(struct trace *trace, struct trickle *trickle,
                                          const struct trace_way *way)
{
    const warc_input input = { trickle, trickle_read, way->is_pipe ? NULL : trickle_seek,
                               NULL };
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = true;
    options.dictionary = way->dictionary;
    if (way->max_dictionary)
        options.max_dictionary = way->max_dictionary;
    if (trace) {
        options.on_diag = trace_diag;
        options.diag_context = trace;
        options.should_pause = trace_should_pause;
        options.pause_context = trace;
        trace->pause_every = way->pause_every;
    }
    warc_reader *reader = NULL;
    if (warc_reader_open(&input, &options, &reader, NULL) != WARC_OK)
        abort();
    return reader;
}

static inline warc_reader *trace_open(struct trickle *trickle,
                                      const struct trace_way *way)
{
    return trace_open_for(NULL, trickle, way);
}

/* A complete seek, with any pauses. */
static inline warc_status trace_seek(warc_reader *reader, const warc_position *position)
{
    warc_status status;
    do
        status = warc_reader_seek(reader, position, NULL);
    while (status == WARC_PAUSED);
    return status;
}

/* Reads all of `bytes`. */
static inline void trace_all(struct trace *trace, warc_view bytes,
                             const struct trace_way *way)
{
    *trace = (struct trace){ 0 };
    trace_add(trace, "");
    struct trickle trickle = { .bytes = bytes,
                               .step = way->step,
                               .is_slow = way->is_slow };
    warc_reader *reader = trace_open_for(trace, &trickle, way);
    trace_rest(trace, reader, SIZE_MAX);
    char line[96];
    const warc_reader_stats *stats = warc_reader_get_stats(reader);
    snprintf(line, sizeof line, "%s, %" PRIu64 " stray", warc_status_name(trace->end),
             stats->stray_bytes);
    trace_add(trace, line);
    for (int i = 0; i < WARC_DIAG_COUNT; i++)
        if (stats->diag_count[i] > 0) {
            snprintf(line, sizeof line, " %s=%" PRIu64, warc_diag_name((warc_diag_code)i),
                     stats->diag_count[i]);
            trace_add(trace, line);
        }
    warc_reader_free(reader);
}

static inline void trace_outcome(uint64_t *digest, const char *bytes, size_t len,
                                 const struct trace_way *way)
{
    struct trace trace;
    trace_all(&trace, (warc_view){ bytes, len }, way);
    *digest = trace_hash(*digest + trace.diags, (warc_view){ trace.text, trace.len });
    trace_done(&trace);
}

/* A digest of all readings of a file with a cut, with a changed byte, without a byte, and
 * with one byte more, each at 60 places. */
static inline uint32_t trace_outcomes(warc_view bytes)
{
    static const struct trace_way at_once = { .step = SIZE_MAX };
    static const struct trace_way in_pieces = { .step = 100, .is_pipe = true };
    static const char bytes_more[] = { '\n', '\r', 'W', '\0', ' ' };
    const size_t step = 1 + bytes.len / 60;
    uint64_t digest = 0;
    for (size_t at = 0; at < bytes.len; at += step) {
        char *copy = malloc(bytes.len + 1);
        if (!copy)
            abort();
        memcpy(copy, bytes.data, bytes.len);
        copy[at] = (char)(copy[at] ^ 1 << at % 7);
        trace_outcome(&digest, copy, bytes.len, &at_once);
        memmove(copy + at, bytes.data + at + 1, bytes.len - at - 1);
        trace_outcome(&digest, copy, bytes.len - 1, &in_pieces);
        memcpy(copy + at + 1, bytes.data + at, bytes.len - at);
        copy[at] = bytes_more[at % sizeof bytes_more];
        trace_outcome(&digest, copy, bytes.len + 1, &at_once);
        trace_outcome(&digest, bytes.data, at, &at_once);
        free(copy);
    }
    return (uint32_t)(digest ^ digest >> 32);
}

#endif
