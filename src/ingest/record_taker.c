/* Moves records from libwarc's reader into batches. See the header. */
#include "ingest/record_taker.h"

#include <stdio.h>
#include <string.h>

#include "ingest/crawl_note.h"
#include "ingest/wacz.h"

/* Steps of a pending record on its way into a batch. */
enum { STEP_HEADER, STEP_BLOCK, STEP_TAIL, STEP_NEXT };

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
static th_status result_of(const th_record_taker *taker, warc_status status,
                           warc_error *error)
{
    th_error why = { .text = "" };
    th_status known = TH_OK;
    if (taker->member && (status == WARC_IO || status == WARC_END))
        known = th_wacz_failure(taker->member, &why);
    else if (taker->object && status == WARC_IO)
        known = th_remote_object_failure(taker->object, &why);
    if (known == TH_OK)
        return from_warc(status);
    if (error)
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    return known;
}

/* Opening needs no answer yet. */
static th_status open_remote(th_record_taker *taker, const char *name,
                             const th_record_taker_options *options,
                             const warc_reader_options *reading, warc_error *error)
{
    warc_input input;
    th_error why = { .text = "" };
    th_status status =
        th_remote_open(options->remote, name, &input, &taker->object, &why);
    if (status == TH_OK)
        th_remote_object_slice(taker->object, options->start, options->end);
    if (status == TH_OK)
        status = from_warc(warc_reader_open(&input, reading, &taker->reader, error));
    else
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    if (status != TH_OK)
        taker->object = NULL;
    return status == TH_USAGE ? TH_IO : status;
}

static th_status open_wacz(th_record_taker *taker, const char *name,
                           const th_record_taker_options *options,
                           const warc_reader_options *reading, warc_error *error)
{
    warc_input input;
    th_error why = { .text = "" };
    th_status status = th_wacz_open(name, options->remote, &input, &taker->member, &why);
    if (status == TH_OK)
        taker->object = th_wacz_object(taker->member);
    if (status == TH_OK)
        status = from_warc(warc_reader_open(&input, reading, &taker->reader, error));
    if (status == TH_OK)
        return status;
    taker->member = NULL;
    taker->object = NULL;
    if (*why.text)
        (void)snprintf(error->text, sizeof error->text, "%.*s",
                       (int)sizeof error->text - 1, why.text);
    return status == TH_INTERRUPTED ? TH_PAUSED : status;
}

th_status th_record_taker_open(th_record_taker *taker, const char *path, int fd,
                               const th_record_taker_options *options, warc_error *error)
{
    warc_reader_options reading;
    warc_reader_options_init(&reading);
    reading.verify_digests = options->verify_digests;
    reading.on_diag = options->on_diag;
    reading.diag_context = options->diag_context;
    reading.should_pause = options->should_pause;
    reading.pause_context = options->pause_context;
    *taker = (th_record_taker){ .max_record = options->max_record };
    if (path && (th_wacz_is_file(path) || th_wacz_file_len(path)))
        return open_wacz(taker, path, options, &reading, error);
    if (path && th_remote_is_name(path)) {
        taker->start = options->start;
        return open_remote(taker, path, options, &reading, error);
    }
    return from_warc(path ? warc_reader_open_path(path, &reading, &taker->reader, error)
                          : warc_reader_open_fd(fd, &reading, &taker->reader, error));
}

th_status th_record_taker_seek(th_record_taker *taker, const th_checkpoint *place,
                               warc_error *error)
{
    const warc_position position = { .offset = place->offset,
                                     .skip = place->skip,
                                     .uoffset = place->uoffset,
                                     .dict_offset = place->dict_offset };
    if (taker->object)
        th_remote_object_expect(taker->object, place->version);
    return result_of(taker, warc_reader_seek(taker->reader, &position, error), error);
}

th_status th_record_taker_next(th_record_taker *taker, warc_error *error)
{
    taker->pending = NULL;
    const th_status status =
        result_of(taker, warc_reader_next(taker->reader, &taker->pending, error), error);
    taker->step = status == TH_PAUSED ? STEP_NEXT : STEP_HEADER;
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

/* Copies header fields. If one copy fails the batch fails. */
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

static th_status take_header(const th_record_taker *taker, th_view name, th_batch *batch,
                             th_record *record)
{
    const warc_record *from = taker->pending;
    const warc_position position = warc_record_position(from);
    struct copier copier = { .arena = batch->arena };
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
                      .offset = taker->start + position.offset,
                      .skip = position.skip },
    };
    if (record->truncated.data)
        record->flags |= TH_FLAG_WARC_TRUNCATED;
    if (warc_record_get(from, WARC_FIELD_SEGMENT_NUMBER).data)
        record->flags |= TH_FLAG_SEGMENTED;
    return copier.has_failed ? TH_NOMEM : TH_OK;
}

/* Returns how many bytes of the pending record's block are read; 0 for none. */
static size_t block_cap(const th_record_taker *taker, const th_record *record)
{
    if (th_record_kind_holds_payload(record->kind))
        return (size_t)taker->max_record;
    return th_crawl_note_is(taker->pending) ? TH_CRAWL_NOTE_MAX : 0;
}

/* Takes the block's first bytes. libwarc skips the rest. */
static th_status take_block(th_record_taker *taker, th_batch *batch, th_record *record,
                            warc_error *error)
{
    const size_t cap = block_cap(taker, record);
    char *bytes = taker->block;
    size_t len = record->block.len;
    warc_view chunk;
    warc_status status = WARC_OK;
    while (status == WARC_OK && len < cap) {
        status = warc_reader_chunk(taker->reader, &chunk, error);
        if (status != WARC_OK)
            break;
        const size_t take = chunk.len < cap - len ? chunk.len : cap - len;
        if (len + take > taker->capacity) {
            const size_t larger =
                len + take > taker->capacity * 2 ? len + take : taker->capacity * 2;
            char *grown = th_arena_grow(batch->arena, bytes, len, larger);
            if (!grown)
                return TH_NOMEM;
            taker->block = bytes = grown;
            taker->capacity = larger;
        }
        memcpy(bytes + len, chunk.data, take);
        len += take;
    }
    record->block = (th_view){ bytes, len };
    return status == WARC_END ? TH_OK : result_of(taker, status, error);
}

static th_status begin_block(th_record_taker *taker, th_batch *batch, th_record *record)
{
    uint64_t declared = 0;
    const bool is_known = warc_record_content_length(taker->pending, &declared);
    /* A declared length may be wrong. It is only a hint for the first allocation. */
    taker->capacity =
        is_known && declared < (256u << 10) ? (size_t)declared + 1 : 256u << 10;
    taker->block = th_arena_alloc(batch->arena, taker->capacity);
    record->block = (th_view){ taker->block, 0 };
    return taker->block ? TH_OK : TH_NOMEM;
}

/* Takes the facts that are known only after the block: length, damage, digest. */
static th_status take_tail(th_record_taker *taker, th_record *record, warc_error *error)
{
    const bool is_left = taker->stops_at_max && record->block.len == taker->max_record;
    const th_status status =
        is_left ? TH_OK
                : result_of(taker, warc_reader_finish(taker->reader, error), error);
    const warc_record *from = taker->pending;
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
static void note_cut(const th_record_taker *taker, th_record *record)
{
    record->block_len = warc_record_block_len(taker->pending);
    record->is_http = warc_record_is_http(taker->pending);
    record->flags |= TH_FLAG_WARC_DAMAGED;
    if (th_record_kind_holds_payload(record->kind))
        record->flags |= TH_FLAG_RECORD_TRUNCATED;
}

th_status th_record_taker_take(th_record_taker *taker, th_view name, th_batch *batch,
                               warc_error *error)
{
    th_record *record = &batch->records[batch->record_count];
    th_status status = TH_OK;
    if (taker->step == STEP_HEADER) {
        status = take_header(taker, name, batch, record);
        const bool has_block = block_cap(taker, record) > 0;
        if (status == TH_OK && has_block)
            status = begin_block(taker, batch, record);
        taker->step = has_block ? STEP_BLOCK : STEP_TAIL;
    }
    if (status == TH_OK && taker->step == STEP_BLOCK) {
        status = take_block(taker, batch, record, error);
        if (status == TH_OK)
            taker->step = STEP_TAIL;
    }
    if (status == TH_OK && taker->step == STEP_TAIL)
        status = take_tail(taker, record, error);
    if (status == TH_NOMEM || status == TH_PAUSED || status == TH_NOT_YET)
        return status;
    taker->step = STEP_NEXT;
    if (status == TH_IO)
        note_cut(taker, record);
    if (record->block.data && !th_record_kind_holds_payload(record->kind)) {
        th_crawl_note_join(taker->pending, record->block, batch);
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

th_status th_record_taker_fill(th_record_taker *taker, th_view name, th_batch *batch,
                               warc_error *error)
{
    /* libwarc's end of input comes with the next header, not with the last block. */
    const bool is_between = taker->step == STEP_NEXT;
    th_status status = taker->pending || is_between ? TH_OK : TH_END;
    while (status == TH_OK &&
           !(taker->step == STEP_HEADER && is_full(batch, taker->pending))) {
        if (taker->step != STEP_NEXT)
            status = th_record_taker_take(taker, name, batch, error);
        if (status == TH_OK)
            status = th_record_taker_next(taker, error);
    }
    return status;
}

void th_record_taker_cut(th_record_taker *taker, th_batch *batch)
{
    if (taker->step != STEP_BLOCK && taker->step != STEP_TAIL)
        return;
    th_record *record = &batch->records[batch->record_count++];
    record->block_len = warc_record_block_len(taker->pending);
    record->is_http = warc_record_is_http(taker->pending);
    record->flags |= TH_FLAG_RECORD_TRUNCATED;
    taker->pending = NULL;
    taker->step = STEP_HEADER;
}

void th_record_taker_place(const th_record_taker *taker, th_checkpoint *place)
{
    warc_position position = { .dict_offset = WARC_NO_OFFSET };
    if (taker->pending)
        position = warc_record_position(taker->pending);
    place->offset = position.offset;
    place->skip = position.skip;
    place->uoffset = position.uoffset;
    place->dict_offset = position.dict_offset;
    place->version = taker->object ? th_remote_object_version(taker->object) : 0;
}

void th_record_taker_close(th_record_taker *taker)
{
    warc_reader_free(taker->reader);
    *taker = (th_record_taker){ .reader = NULL };
}
