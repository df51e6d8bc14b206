/*
 * Moves an archive's records from libwarc's reader into batches. All sources that read
 * archives share this. Each source decides which archive comes next, and handles the end
 * of an archive.
 *
 * The header of the record after a batch has been read when the batch is full, so its
 * position is known. Reading can continue there after a restart.
 *
 * If a remote object could not be reached after all tries, the calls return TH_NOT_YET,
 * and the batch is void. If it is missing or has changed, they return TH_IO.
 *
 * If options.should_pause is true the calls return TH_PAUSED. The same call, with the
 * unchanged batch, continues where it was.
 */
#ifndef TH_BATCH_BUILDER_H
#define TH_BATCH_BUILDER_H

#include "ingest/source.h"
#include "ingest/wacz.h"
#include "remote/remote.h"
#include "warc/warc.h"

typedef struct th_rendered_copies th_rendered_copies; /* ingest/rendered_copies.h */

/** A reader and its next record. { 0 } is closed. */
typedef struct th_batch_builder {
    warc_reader *reader;  /* owned; NULL: closed */
    warc_record *pending; /* its header is read, its block is not; NULL: none */
    th_remote_object
        *object;            /* of a remote input, borrowed from its reader; NULL: local */
    th_wacz_member *member; /* of a WACZ file, borrowed from the reader; NULL: none */
    uint64_t start;         /* offset of the read range in a remote object; 0 for all */
    uint64_t max_record;    /* bytes of a block that are kept */
    bool keeps_heads;
    th_rendered_copies *rendered; /* of the pages, borrowed; NULL if not used */
    /* Bytes beyond it are not even unpacked: for inputs that end with the record. */
    bool stops_at_max;
    int step;        /* of the pending record's way into a batch, when it paused */
    char *block;     /* memory in the batch's arena for the pending record's block */
    size_t capacity; /* bytes of `block` */
} th_batch_builder;

/** How to read an archive. */
typedef struct th_batch_builder_options {
    uint64_t max_record;
    bool keeps_heads; /* records have their headers */
    bool verify_digests;
    th_rendered_copies *rendered; /* pages get their rendered copies; may be NULL */
    void (*on_diag)(void *context, const warc_diag *diag); /* as libwarc's */
    void *diag_context;
    bool (*should_pause)(void *context); /* the same; NULL: never pauses */
    void *pause_context;
    th_remote *remote; /* for remote names, NULL to refuse them */
    /* Range of a remote object whose bytes are read like a separate archive; `end` 0 for
     * no end. Positions are relative to the whole object. */
    uint64_t start, end;
    /* The bytes of that range, if they were fetched before: nothing is opened. Borrowed
     * while the batch builder is open; data NULL: none. */
    th_view bytes;
} th_batch_builder_options;

/**
 * Opens a reader, of a path, an archive in a WACZ file, a remote name or a descriptor.
 * @param path  borrowed while the batch builder is open; NULL to read `fd` from its current
 * offset. `fd` is borrowed while the batch builder is open.
 * @return TH_OK; TH_IO with words in error; TH_NOMEM. Unless TH_OK it is closed
 */
th_status th_batch_builder_open(th_batch_builder *builder, const char *path, int fd,
                                const th_batch_builder_options *options,
                                warc_error *error);

/** Goes to a place that th_batch_builder_place gave. TH_OK, TH_IO, TH_NOMEM,
 * TH_PAUSED. O(skip). */
th_status th_batch_builder_seek(th_batch_builder *builder, const th_checkpoint *place,
                                warc_error *error);

/**
 * Reads the next record's header into `pending`; call once before the first
 * th_batch_builder_fill.
 * @return TH_OK; TH_END; TH_IO; TH_NOMEM; TH_PAUSED
 */
th_status th_batch_builder_next(th_batch_builder *builder, warc_error *error);

/** Whether records of this kind can hold a page; others travel without their block. */
bool th_record_kind_holds_payload(th_record_kind kind);

/** The kind of a record, by its WARC-Type. */
th_record_kind th_record_kind_of(const warc_record *record);

/**
 * Moves the pending record into the batch, which has room for it. th_batch_builder_next
 * continues.
 * @param name  as in th_batch_builder_fill
 * @return TH_OK. TH_IO: the record is in the batch, with the bytes that could be read and
 * flags that say so. TH_NOMEM: the batch is void. TH_PAUSED: the record is not counted in
 * the batch yet.
 */
th_status th_batch_builder_add(th_batch_builder *builder, th_view name, th_batch *batch,
                               warc_error *error);

/**
 * Appends records to the batch until it is full or the archive ends. Records of kinds
 * that never hold a page travel without their block. A page's notes (crawl_note.h) come
 * into its batch, full or not.
 * @param name  what the records' positions call the archive; borrowed while the batch
 *              lives
 * @return TH_OK (full); TH_END; TH_IO; TH_NOMEM (the batch is void); TH_PAUSED: the
 *         batch is as full as record_count says, and the rest follows
 */
th_status th_batch_builder_fill(th_batch_builder *builder, th_view name, th_batch *batch,
                                warc_error *error);

/**
 * Gives up a record after the last call has paused within it. Its bytes so far become the
 * batch's last record, flagged as truncated. After that only closing is allowed.
 */
void th_batch_builder_cut(th_batch_builder *builder, th_batch *batch);

/** Sets the four numbers of `place` to the position of the pending record, or to the
 * start if there is none. */
void th_batch_builder_place(const th_batch_builder *builder, th_checkpoint *place);

/** Closes the reader. A closed one is left as it is. */
void th_batch_builder_close(th_batch_builder *builder);

#endif
