/* Moves records from libwarc's reader into batches. See the header. */
#include "ingest/batch_builder.h"

#include <stdio.h>
#include <string.h>

#include "base/view_copier.h"
#include "ingest/crawl_note.h"
#include "ingest/rendered_copies.h"
#include "ingest/wacz.h"

/* Steps of moving a pending record into a batch. */
enum { STEP_HEADER, STEP_BLOCK, STEP_TAIL, STEP_JOIN, STEP_NEXT };

static th_status from_warc(warc_status status)
{
    switch (status) {
    case WARC_OK:
        return TH_OK;
    case WARC_END:
        return TH_END;
    case WARC_NOMEM:
        return TH_NOMEM;
    case WARC_PAUSED:
        return TH_PAUSED;
    default:
        return TH_IO;
    }
}

/* Returns libwarc's result for its input, or the better one of a remote object or a WACZ
 * member. */
static th_status result_of(const th_batch_builder *builder, warc_status status,
                           warc_error *error)
{
    th_error why = { .text = "" };
    th_status known = TH_OK;
    if (builder->member && (status == WARC_IO || status == WARC_END))
        known = th_wacz_failure(builder->member, &why);
    else if (builder->object && status == WARC_IO)
        known = th_remote_object_failure(builder->object, &why);
    if (known == TH_OK)
        return from_warc(status);
    if (error)
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    return known;
}

/* Opening needs no answer yet. */
static th_status open_remote(th_batch_builder *builder, const char *name,
                             const th_batch_builder_options *options,
                             const warc_reader_options *reading, warc_error *error)
{
    warc_input input;
    th_error why = { .text = "" };
    th_status status =
        th_remote_open(options->remote, name, &input, &builder->object, &why);
    if (status == TH_OK)
        th_remote_object_slice(builder->object, options->start, options->end);
    if (status == TH_OK)
        status = from_warc(warc_reader_open(&input, reading, &builder->reader, error));
    else
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    if (status != TH_OK)
        builder->object = NULL;
    return status == TH_USAGE ? TH_IO : status;
}

static th_status open_wacz(th_batch_builder *builder, const char *name,
                           const th_batch_builder_options *options,
                           const warc_reader_options *reading, warc_error *error)
{
    warc_input input;
    th_error why = { .text = "" };
    th_status status =
        th_wacz_open(name, options->remote, &input, &builder->member, &why);
    if (status == TH_OK)
        builder->object = th_wacz_object(builder->member);
    if (status == TH_OK)
        status = from_warc(warc_reader_open(&input, reading, &builder->reader, error));
    if (status == TH_OK)
        return status;
    builder->member = NULL;
    builder->object = NULL;
    if (*why.text)
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    return status == TH_INTERRUPTED ? TH_PAUSED : status;
}

static th_status open_bytes(th_batch_builder *builder,
                            const th_batch_builder_options *options,
                            const warc_reader_options *reading, warc_error *error)
{
    warc_input input;
    warc_status status = warc_input_from_memory(
        (warc_view){ options->bytes.data, options->bytes.len }, &input, error);
    if (status == WARC_OK)
        status = warc_reader_open(&input, reading, &builder->reader, error);
    return from_warc(status);
}

th_status th_batch_builder_open(th_batch_builder *builder, const char *path, int fd,
                                const th_batch_builder_options *options,
                                warc_error *error)
{
    warc_reader_options reading;
    warc_reader_options_init(&reading);
    reading.verify_digests = options->verify_digests;
    reading.on_diag = options->on_diag;
    reading.diag_context = options->diag_context;
    reading.should_pause = options->should_pause;
    reading.pause_context = options->pause_context;
    *builder = (th_batch_builder){ .max_record = options->max_record,
                                   .keeps_heads = options->keeps_heads,
                                   .rendered = options->rendered };
    if (path && (th_wacz_is_file(path) || th_wacz_file_len(path)))
        return open_wacz(builder, path, options, &reading, error);
    if (path && th_remote_is_name(path)) {
        builder->start = options->start;
        if (options->bytes.data)
            return open_bytes(builder, options, &reading, error);
        return open_remote(builder, path, options, &reading, error);
    }
    return from_warc(path ? warc_reader_open_path(path, &reading, &builder->reader, error)
                          : warc_reader_open_fd(fd, &reading, &builder->reader, error));
}

th_status th_batch_builder_seek(th_batch_builder *builder, const th_checkpoint *place,
                                warc_error *error)
{
    const warc_position position = { .offset = place->offset,
                                     .skip = place->skip,
                                     .uoffset = place->uoffset,
                                     .dict_offset = place->dict_offset };
    if (builder->object)
        th_remote_object_expect(builder->object, place->version);
    return result_of(builder, warc_reader_seek(builder->reader, &position, error), error);
}

th_status th_batch_builder_next(th_batch_builder *builder, warc_error *error)
{
    builder->pending = NULL;
    const th_status status = result_of(
        builder, warc_reader_next(builder->reader, &builder->pending, error), error);
    builder->step = status == TH_PAUSED ? STEP_NEXT : STEP_HEADER;
    return status;
}

th_record_kind th_record_kind_of(const warc_record *record)
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

bool th_record_kind_holds_payload(th_record_kind kind)
{
    return kind == TH_RECORD_RESPONSE || kind == TH_RECORD_RESOURCE ||
           kind == TH_RECORD_CONVERSION;
}

static th_view copy(th_view_copier *copier, warc_view view)
{
    return th_view_copy(copier, (th_view){ view.data, view.len });
}

static th_status take_header(const th_batch_builder *builder, th_view name,
                             th_batch *batch, th_record *record)
{
    const warc_record *from = builder->pending;
    const warc_position position = warc_record_position(from);
    th_view_copier copier = { .arena = batch->arena };
    *record = (th_record){
        .kind = th_record_kind_of(from),
        .type = copy(&copier, warc_record_get(from, WARC_FIELD_TYPE)),
        .url = copy(&copier, warc_record_target_uri(from)),
        .id = copy(&copier, warc_record_get(from, WARC_FIELD_RECORD_ID)),
        .date = copy(&copier, warc_record_get(from, WARC_FIELD_DATE)),
        .content_type = copy(&copier, warc_record_get(from, WARC_FIELD_CONTENT_TYPE)),
        .ip = copy(&copier, warc_record_get(from, WARC_FIELD_IP_ADDRESS)),
        .truncated = copy(&copier, warc_record_get(from, WARC_FIELD_TRUNCATED)),
        .payload_digest = copy(&copier, warc_record_get(from, WARC_FIELD_PAYLOAD_DIGEST)),
        .position = { .file = name,
                      .offset = builder->start + position.offset,
                      .skip = position.skip },
    };
    if (builder->keeps_heads && th_record_kind_holds_payload(record->kind))
        record->head = copy(&copier, warc_record_header(from));
    if (record->truncated.data)
        record->flags |= TH_FLAG_WARC_TRUNCATED;
    if (warc_record_get(from, WARC_FIELD_SEGMENT_NUMBER).data)
        record->flags |= TH_FLAG_SEGMENTED;
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

/* Returns how many bytes of the pending record's block are read; 0 for none. */
static size_t block_cap(const th_batch_builder *builder, const th_record *record)
{
    if (th_record_kind_holds_payload(record->kind))
        return (size_t)builder->max_record;
    return th_crawl_note_is(builder->pending) ? TH_CRAWL_NOTE_MAX : 0;
}

/* Takes the block's first bytes. libwarc skips the rest. */
static th_status take_block(th_batch_builder *builder, th_batch *batch, th_record *record,
                            warc_error *error)
{
    const size_t cap = block_cap(builder, record);
    char *bytes = builder->block;
    size_t len = record->block.len;
    warc_view chunk;
    warc_status status = WARC_OK;
    while (status == WARC_OK && len < cap) {
        status = warc_reader_chunk(builder->reader, &chunk, error);
        if (status != WARC_OK)
            break;
        const size_t take = chunk.len < cap - len ? chunk.len : cap - len;
        if (len + take > builder->capacity) {
            const size_t larger =
                len + take > builder->capacity * 2 ? len + take : builder->capacity * 2;
            char *grown = th_arena_grow(batch->arena, bytes, len, larger);
            if (!grown)
                return TH_NOMEM;
            builder->block = bytes = grown;
            builder->capacity = larger;
        }
        memcpy(bytes + len, chunk.data, take);
        len += take;
    }
    record->block = (th_view){ bytes, len };
    return status == WARC_END ? TH_OK : result_of(builder, status, error);
}

static th_status begin_block(th_batch_builder *builder, th_batch *batch,
                             th_record *record)
{
    uint64_t declared = 0;
    const bool is_known = warc_record_content_length(builder->pending, &declared);
    /* A declared length may be wrong. It is only a hint for the first allocation. */
    builder->capacity =
        is_known && declared < (256u << 10) ? (size_t)declared + 1 : 256u << 10;
    builder->block = th_arena_alloc(batch->arena, builder->capacity);
    record->block = (th_view){ builder->block, 0 };
    return builder->block ? TH_OK : TH_NOMEM;
}

/* Takes the facts that are known only after the block: length, damage, digest. */
static th_status take_tail(th_batch_builder *builder, th_record *record,
                           warc_error *error)
{
    const bool is_left =
        builder->stops_at_max && record->block.len == builder->max_record;
    const th_status status =
        is_left ? TH_OK
                : result_of(builder, warc_reader_finish(builder->reader, error), error);
    const warc_record *from = builder->pending;
    uint64_t length = 0;
    if (warc_record_length(from, &length))
        record->position.length = length;
    record->block_len = warc_record_block_len(from);
    if (is_left && !warc_record_content_length(from, &record->block_len))
        record->block_len++; /* at least one more byte may follow */
    record->is_http = warc_record_is_http(from);
    if (th_record_kind_holds_payload(record->kind) &&
        record->block_len > record->block.len)
        record->flags |= TH_FLAG_RECORD_TRUNCATED;
    if (warc_record_is_damaged(from))
        record->flags |= TH_FLAG_WARC_DAMAGED;
    if (warc_record_block_digest(from) == WARC_DIGEST_BAD)
        record->flags |= TH_FLAG_DIGEST_MISMATCH;
    return status;
}

/* Sets the facts of a record within which the archive became unreadable. */
static void note_cut(const th_batch_builder *builder, th_record *record)
{
    record->block_len = warc_record_block_len(builder->pending);
    record->is_http = warc_record_is_http(builder->pending);
    record->flags |= TH_FLAG_WARC_DAMAGED;
    if (th_record_kind_holds_payload(record->kind))
        record->flags |= TH_FLAG_RECORD_TRUNCATED;
}

th_status th_batch_builder_add(th_batch_builder *builder, th_view name, th_batch *batch,
                               warc_error *error)
{
    th_record *record = &batch->records[batch->record_count];
    th_status status = TH_OK;
    if (builder->step == STEP_HEADER) {
        status = take_header(builder, name, batch, record);
        const bool has_block = block_cap(builder, record) > 0;
        if (status == TH_OK && has_block)
            status = begin_block(builder, batch, record);
        builder->step = has_block ? STEP_BLOCK : STEP_TAIL;
    }
    if (status == TH_OK && builder->step == STEP_BLOCK) {
        status = take_block(builder, batch, record, error);
        if (status == TH_OK)
            builder->step = STEP_TAIL;
    }
    if (status == TH_OK && builder->step == STEP_TAIL) {
        status = take_tail(builder, record, error);
        if (status == TH_OK)
            builder->step = STEP_JOIN;
    }
    if (status == TH_OK && builder->step == STEP_JOIN && builder->rendered)
        status = th_rendered_copies_join(builder->rendered, record, batch, error);
    if (status == TH_NOMEM || status == TH_PAUSED || status == TH_NOT_YET)
        return status;
    builder->step = STEP_NEXT;
    if (status == TH_IO)
        note_cut(builder, record);
    if (record->block.data && !th_record_kind_holds_payload(record->kind)) {
        th_crawl_note_join(builder->pending, record->block, batch);
        record->block = (th_view){ NULL, 0 };
    }
    batch->record_count++;
    return status;
}

/* Returns whether a batch is full. A page and its notes are kept in one batch. */
static bool is_full(const th_batch *batch, const warc_record *pending)
{
    return (batch->record_count >= TH_BATCH_RECORDS ||
            th_arena_used(batch->arena) >= TH_BATCH_BYTES) &&
           !(pending && th_crawl_note_belongs(pending, batch));
}

th_status th_batch_builder_fill(th_batch_builder *builder, th_view name, th_batch *batch,
                                warc_error *error)
{
    /* libwarc's end of input comes with the next header, not with the last block. */
    const bool is_between = builder->step == STEP_NEXT;
    th_status status = builder->pending || is_between ? TH_OK : TH_END;
    while (status == TH_OK &&
           !(builder->step == STEP_HEADER && is_full(batch, builder->pending))) {
        if (builder->step != STEP_NEXT)
            status = th_batch_builder_add(builder, name, batch, error);
        if (status == TH_OK)
            status = th_batch_builder_next(builder, error);
    }
    return status;
}

void th_batch_builder_cut(th_batch_builder *builder, th_batch *batch)
{
    if (builder->step != STEP_BLOCK && builder->step != STEP_TAIL)
        return;
    th_record *record = &batch->records[batch->record_count++];
    record->block_len = warc_record_block_len(builder->pending);
    record->is_http = warc_record_is_http(builder->pending);
    record->flags |= TH_FLAG_RECORD_TRUNCATED;
    builder->pending = NULL;
    builder->step = STEP_HEADER;
}

void th_batch_builder_place(const th_batch_builder *builder, th_checkpoint *place)
{
    warc_position position = { .dict_offset = WARC_NO_OFFSET };
    if (builder->pending)
        position = warc_record_position(builder->pending);
    place->offset = position.offset;
    place->skip = position.skip;
    place->uoffset = position.uoffset;
    place->dict_offset = position.dict_offset;
    place->version = builder->object ? th_remote_object_version(builder->object) : 0;
}

void th_batch_builder_close(th_batch_builder *builder)
{
    warc_reader_free(builder->reader);
    *builder = (th_batch_builder){ .reader = NULL };
}
