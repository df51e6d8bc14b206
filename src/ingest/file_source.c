/*
 * Archives on disk to batches of records, by libwarc.
 *
 * Records of kinds that never hold a page travel without their block: they are counted
 * and refused by name, and cost no memory. The header of the record behind a batch has
 * been read when the batch is handed out, so that its place is known: that is where a
 * resumed run starts.
 */
#include "ingest/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warc/warc.h"

struct file_source {
    th_source base;
    th_file_source_options options;
    uint32_t input;        /* the one under way, or the next to open */
    warc_reader *reader;   /* of it; NULL between inputs */
    warc_record *pending;  /* read, its block not yet taken; NULL: none */
    bool is_resuming;      /* the next input opened starts at options.start */
    th_source_counts done; /* of the inputs before this one, and before the start */
};

static const char *input_name(const struct file_source *source)
{
    return source->options.inputs[source->input];
}

static void notice(struct file_source *source, const char *text)
{
    if (!source->options.notice)
        return;
    char line[1024];
    (void)snprintf(line, sizeof line, "%s: %s", input_name(source), text);
    source->options.notice(source->options.notice_context, line);
}

/* libwarc's diagnostics reach the log when something is lost. */
static void on_diag(void *context, const warc_diag *diag)
{
    if (!warc_diag_is_damage(diag->code))
        return;
    char text[256];
    (void)snprintf(text, sizeof text, "offset %llu: %s%s%s",
                   (unsigned long long)diag->offset, warc_diag_name(diag->code),
                   diag->detail[0] ? ": " : "", diag->detail);
    notice(context, text);
}

static th_source_counts counts_so_far(const struct file_source *source)
{
    th_source_counts counts = source->done;
    if (source->reader) {
        const warc_reader_stats *stats = warc_reader_get_stats(source->reader);
        counts.bytes_read += warc_reader_tell(source->reader);
        counts.damaged += stats->damage_count;
    }
    return counts;
}

static void close_input(struct file_source *source, bool is_read_to_end)
{
    source->done = counts_so_far(source);
    if (!is_read_to_end)
        source->done.unreadable++;
    warc_reader_free(source->reader);
    source->reader = NULL;
    source->pending = NULL;
    source->input++;
}

static th_status from_warc(warc_status status)
{
    switch (status) {
    case WARC_OK:
        return TH_OK;
    case WARC_END:
        return TH_END;
    case WARC_NOMEM:
        return TH_NOMEM;
    default:
        return TH_IO;
    }
}

static th_status seek_to_start(struct file_source *source, warc_error *error)
{
    const th_checkpoint *start = source->options.start;
    const warc_position position = { .offset = start->offset,
                                     .skip = start->skip,
                                     .uoffset = start->uoffset,
                                     .dict_offset = start->dict_offset };
    source->is_resuming = false;
    const warc_status status = warc_reader_seek(source->reader, &position, error);
    /* The bytes before the start are in options.counts already. */
    if (status == WARC_OK)
        source->done.bytes_read -=
            warc_reader_tell(source->reader) < source->done.bytes_read
                ? warc_reader_tell(source->reader)
                : source->done.bytes_read;
    return from_warc(status);
}

/* Reads the next record's header into `pending`; TH_END at the end of the input. */
static th_status advance(struct file_source *source, warc_error *error)
{
    source->pending = NULL;
    return from_warc(warc_reader_next(source->reader, &source->pending, error));
}

/* Opens the input under way and finds its first record. TH_OK, TH_END, TH_IO, TH_NOMEM.
 */
static th_status open_input(struct file_source *source)
{
    warc_error error = { .text = "" };
    warc_reader_options options;
    warc_reader_options_init(&options);
    options.verify_digests = source->options.verify_digests;
    options.on_diag = on_diag;
    options.diag_context = source;
    const char *name = input_name(source);
    th_status status = from_warc(
        strcmp(name, "-") == 0
            ? warc_reader_open_fd(STDIN_FILENO, &options, &source->reader, &error)
            : warc_reader_open_path(name, &options, &source->reader, &error));
    if (status == TH_OK && source->is_resuming)
        status = seek_to_start(source, &error);
    if (status == TH_OK)
        status = advance(source, &error);
    if (status == TH_IO)
        notice(source, error.text);
    return status;
}

static th_record_kind kind_of(const warc_record *record)
{
    switch (warc_record_type(record)) {
    case WARC_TYPE_RESPONSE:
        return TH_RECORD_RESPONSE;
    case WARC_TYPE_RESOURCE:
        return TH_RECORD_RESOURCE;
    case WARC_TYPE_CONVERSION:
        return TH_RECORD_CONVERSION;
    case WARC_TYPE_CONTINUATION:
        return TH_RECORD_CONTINUATION;
    case WARC_TYPE_REVISIT:
        return TH_RECORD_REVISIT;
    default:
        return TH_RECORD_OTHER;
    }
}

static bool holds_payload(th_record_kind kind)
{
    return kind == TH_RECORD_RESPONSE || kind == TH_RECORD_RESOURCE ||
           kind == TH_RECORD_CONVERSION;
}

/* Copies of header fields; the first that fails makes the batch fail. */
struct copier {
    th_arena *arena;
    bool has_failed;
};

static th_view copy(struct copier *copier, warc_view view)
{
    if (!view.data)
        return (th_view){ NULL, 0 };
    const th_view copied = th_arena_copy(copier->arena, (th_view){ view.data, view.len });
    if (!copied.data)
        copier->has_failed = true;
    return copied;
}

static th_status take_header(struct file_source *source, th_batch *batch,
                             th_record *record)
{
    const warc_record *from = source->pending;
    const warc_position position = warc_record_position(from);
    const char *name = input_name(source);
    struct copier copier = { .arena = batch->arena };
    *record = (th_record){
        .kind = kind_of(from),
        .type = copy(&copier, warc_record_get(from, WARC_FIELD_TYPE)),
        .url = copy(&copier, warc_record_target_uri(from)),
        .id = copy(&copier, warc_record_get(from, WARC_FIELD_RECORD_ID)),
        .date = copy(&copier, warc_record_get(from, WARC_FIELD_DATE)),
        .content_type = copy(&copier, warc_record_get(from, WARC_FIELD_CONTENT_TYPE)),
        .ip = copy(&copier, warc_record_get(from, WARC_FIELD_IP_ADDRESS)),
        .truncated = copy(&copier, warc_record_get(from, WARC_FIELD_TRUNCATED)),
        .payload_digest = copy(&copier, warc_record_get(from, WARC_FIELD_PAYLOAD_DIGEST)),
        .position = { .file = { name, strlen(name) },
                      .offset = position.offset,
                      .skip = position.skip },
    };
    if (record->truncated.data)
        record->flags |= TH_FLAG_WARC_TRUNCATED;
    if (warc_record_get(from, WARC_FIELD_SEGMENT_NUMBER).data)
        record->flags |= TH_FLAG_SEGMENTED;
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

/* Takes the block's first max_record bytes; what is beyond, libwarc passes over. */
static th_status take_block(struct file_source *source, th_batch *batch,
                            th_record *record, warc_error *error)
{
    const size_t cap = (size_t)source->options.max_record;
    uint64_t declared = 0;
    const bool is_known = warc_record_content_length(source->pending, &declared);
    /* A declared length is a hint for the first allocation, no more: it may lie. */
    size_t capacity =
        is_known && declared < (256u << 10) ? (size_t)declared + 1 : 256u << 10;
    char *bytes = th_arena_alloc(batch->arena, capacity);
    size_t len = 0;
    warc_view chunk;
    warc_status status = bytes ? WARC_OK : WARC_NOMEM;
    while (status == WARC_OK && len < cap) {
        status = warc_reader_chunk(source->reader, &chunk, error);
        if (status != WARC_OK)
            break;
        const size_t take = chunk.len < cap - len ? chunk.len : cap - len;
        if (len + take > capacity) {
            const size_t larger = len + take > capacity * 2 ? len + take : capacity * 2;
            char *grown = th_arena_grow(batch->arena, bytes, len, larger);
            if (!grown)
                return TH_NOMEM;
            bytes = grown;
            capacity = larger;
        }
        memcpy(bytes + len, chunk.data, take);
        len += take;
    }
    record->block = (th_view){ bytes, len };
    return status == WARC_END ? TH_OK : from_warc(status);
}

/* What is known only behind the block: length, damage, digest. */
static th_status take_tail(struct file_source *source, th_record *record,
                           warc_error *error)
{
    const th_status status = from_warc(warc_reader_finish(source->reader, error));
    const warc_record *from = source->pending;
    uint64_t length = 0;
    if (warc_record_length(from, &length))
        record->position.length = length;
    record->block_len = warc_record_block_len(from);
    record->is_http = warc_record_is_http(from);
    if (holds_payload(record->kind) && record->block_len > record->block.len)
        record->flags |= TH_FLAG_RECORD_TRUNCATED;
    if (warc_record_is_damaged(from))
        record->flags |= TH_FLAG_WARC_DAMAGED;
    if (warc_record_block_digest(from) == WARC_DIGEST_BAD)
        record->flags |= TH_FLAG_DIGEST_MISMATCH;
    return status;
}

/* Moves the pending record into the batch and reads the next header. */
static th_status take_record(struct file_source *source, th_batch *batch,
                             warc_error *error)
{
    th_record *record = &batch->records[batch->record_count];
    th_status status = take_header(source, batch, record);
    if (status == TH_OK && holds_payload(record->kind))
        status = take_block(source, batch, record, error);
    if (status == TH_NOMEM)
        return status;
    if (status == TH_OK)
        status = take_tail(source, record, error);
    batch->record_count++;
    return status == TH_OK ? advance(source, error) : status;
}

static bool is_full(const th_batch *batch)
{
    return batch->record_count == TH_BATCH_RECORDS ||
           th_arena_used(batch->arena) >= TH_BATCH_BYTES;
}

static void end_batch(struct file_source *source, th_batch *batch)
{
    batch->next = (th_checkpoint){ .input = source->input };
    if (source->pending) {
        const warc_position position = warc_record_position(source->pending);
        batch->next.offset = position.offset;
        batch->next.skip = position.skip;
        batch->next.uoffset = position.uoffset;
        batch->next.dict_offset = position.dict_offset;
    } else {
        batch->next.dict_offset = WARC_NO_OFFSET;
    }
    batch->counts = counts_so_far(source);
}

static th_status read_batch(th_source *base, th_batch *batch, th_error *err)
{
    struct file_source *source = (struct file_source *)base;
    batch->record_count = 0;
    batch->is_last = false;
    if (source->input >= source->options.input_count)
        return TH_END;
    batch->input = source->input;

    warc_error error = { .text = "" };
    th_status status = source->reader ? TH_OK : open_input(source);
    const bool has_opened = status != TH_IO;
    while (status == TH_OK && !is_full(batch))
        status = take_record(source, batch, &error);
    if (status == TH_NOMEM)
        return th_fail(err, TH_NOMEM, "%s: out of memory", input_name(source));
    if (status == TH_IO && has_opened)
        notice(source, error.text);
    if (status != TH_OK) {
        batch->is_last = true;
        close_input(source, status == TH_END);
    }
    end_batch(source, batch);
    return TH_OK;
}

static void close_source(th_source *base)
{
    struct file_source *source = (struct file_source *)base;
    warc_reader_free(source->reader);
    free(source);
}

th_status th_file_source_open(const th_file_source_options *options, th_source **out,
                              th_error *err)
{
    struct file_source *source = calloc(1, sizeof *source);
    if (!source)
        return th_fail(err, TH_NOMEM, "cannot allocate a file source");
    source->base = (th_source){ .read = read_batch, .close = close_source };
    source->options = *options;
    source->done = options->counts;
    if (options->start) {
        source->input = options->start->input;
        /* A checkpoint at offset 0 may lie between two inputs: that one opens as usual.
         */
        source->is_resuming = options->start->offset != 0 || options->start->skip != 0;
    }
    *out = &source->base;
    return TH_OK;
}
