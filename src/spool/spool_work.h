/*
 * The state of a spool that is read: its files from their claim to the acknowledgement of
 * their last record. spool_take.c fills the queue, spool_read.c reads from it,
 * spool_finish.c empties it, and spool_source.c is the interface to the runner.
 */
#ifndef TH_SPOOL_WORK_H
#define TH_SPOOL_WORK_H

#include "base/clock.h"
#include "ingest/batch_builder.h"
#include "spool/spool_claims.h"
#include "spool/spool_digest.h"
#include "spool/spool_file.h"
#include "spool/spool_ledger.h"
#include "spool/spool_moved.h"
#include "spool/spool_rows.h"
#include "spool/spool_scan.h"
#include "spool/spool_source.h"

enum {
    TH_SPOOL_QUEUE = 4096, /* files claimed and not yet acknowledged */
    TH_SPOOL_GROUP = 256,  /* files claimed together */
    TH_SPOOL_REASON = 256,
};

/* Said of a file whose records may occur twice. */
#define TH_SPOOL_CHANGED                                                                 \
    "the part already read was changed or truncated; it is read again from its "         \
    "beginning, and records may occur twice"

/* Progress in a file, in one of three senses: dispatched, done, acknowledged. `next` has
 * the check of its position as its version. */
typedef struct th_spool_progress {
    th_checkpoint next;
    uint64_t records;
    bool is_ended; /* no records follow */
} th_spool_progress;

typedef struct th_spool_queued {
    th_spool_file file;
    uint32_t serial;         /* batch->input */
    th_spool_progress given; /* since the last rewind */
    th_spool_progress done;
    th_spool_progress acknowledged;
    uint64_t given_ever;          /* records, over all rewinds: counted once */
    uint64_t bytes_ever;          /* bytes of the file read, over all rewinds */
    bool has_failed;              /* could not be read completely */
    bool has_writer;              /* read to its present end, and its writer continues */
    bool is_gone;                 /* removed or renamed before it was read completely */
    char reason[TH_SPOOL_REASON]; /* the reason of the failure, in words */
} th_spool_queued;

/* A file that is taken and not yet claimed. Closed, with its claim held. */
typedef struct th_spool_taken {
    th_spool_file file;
    th_spool_progress
        progress;      /* where reading begins; nothing is read if it has ended */
    bool is_new;       /* the ledger has to know of it before it is claimed */
    bool is_rewritten; /* records of its former bytes were delivered */
    bool has_failed;   /* a copy of a file that failed */
    th_spool_id
        replaced; /* of a copy that is gone, whose place it takes; inode 0: none */
} th_spool_taken;

/* Where the input seems to end too early: within the record at an offset, or after the
 * last record, at an offset. */
typedef struct th_spool_cut {
    bool has_within, has_after;
    uint64_t within, after;
} th_spool_cut;

/* A folder that finished files go to. */
typedef struct th_spool_folder {
    const char *path; /* NULL if there is no folder */
    int fd;           /* -1 if there is no folder */
} th_spool_folder;

typedef struct th_spool {
    th_stream_source base;
    th_spool_options options;
    th_spool_folder done, failed;
    char *default_done,
        *default_failed; /* paths: never read, also when they are not used */
    int claims;          /* spool_claims.h; -1: the spool is not written */
    bool is_sole;        /* no other ledger has claimed files here */
    bool has_orphans;    /* reported: claimed files that none of our ledgers knows */
    th_spool_scan *scan;
    th_spool_ledger *ledger;
    th_spool_queued *queue; /* the oldest first, with consecutive serials */
    size_t queue_len, queue_capacity;
    size_t reading; /* index of the file to read from, or queue_len */
    th_batch_builder builder;
    bool
        is_placed; /* the batch builder is at the position where reading the file continues */
    bool is_begun;   /* the batch builder has read the first record's header there */
    th_batch *draft; /* the current batch, in separate memory */
    bool is_drafting;
    th_view draft_name; /* of its file, in its arena */
    int64_t slice_end;  /* ms: of this poll's reading */
    int64_t barren_ms;  /* of reading since the last record of the file */
    uint32_t next_serial, epoch;
    th_spool_taken *group; /* TH_SPOOL_GROUP */
    size_t group_len;
    int64_t group_at;      /* ms: when its first file was taken */
    th_spool_taken probed; /* its digest is being computed; open */
    bool is_probing;
    th_spool_digest *digest; /* NULL if copies are not detected */
    th_spool_cut cut;        /* what the reader has met */
    th_spool_moved *moved;   /* NULL: files are not moved */
    uint64_t moved_looks;    /* of the scan, at the last check of them */
    th_spool_rows withdrawn; /* TH_KEPT_IN_ROWS */
    th_buffer replaced_rows; /* rows that replace the rows of an earlier version */
    th_buffer present;       /* uint64_t[2] each: files of the spool, sorted; at start */
    bool is_present_known;
    th_spool_entry *entries; /* scratch */
    size_t entry_capacity;
    th_buffer rows;        /* of the last commit token */
    th_source_stats facts; /* the counters */
    th_spool_stats counts;
} th_spool;

/** Warns of a file, or of the spool (name ""). */
void th_spool_warn(th_spool *spool, const char *name, const char *text);

/** The file to read from; there must be one. */
static inline th_spool_queued *th_spool_reading(th_spool *spool)
{
    return &spool->queue[spool->reading];
}

/** Whether this poll has read for long enough. @param context  the th_spool */
static inline bool th_spool_slice_is_over(void *context)
{
    const th_spool *spool = context;
    return th_now_ms() >= spool->slice_end;
}

#endif
