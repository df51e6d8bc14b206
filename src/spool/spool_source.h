/*
 * Reads records from a spool folder that crawlers write to. docs/reliability.md#spool
 * describes the protocol. spool_scan.h decides when a file is complete, spool_ledger.h
 * stores the progress, and spool_file.h opens, claims and moves files.
 */
#ifndef TH_SPOOL_SOURCE_H
#define TH_SPOOL_SOURCE_H

#include "traffic/stream_source.h"

/** Actions for a file whose records are all durable. */
typedef enum th_spool_finish {
    TH_SPOOL_MOVE,   /* to done_dir */
    TH_SPOOL_DELETE, /* it is deleted */
    TH_SPOOL_KEEP    /* it stays; only the ledger knows that it is done */
} th_spool_finish;

typedef enum th_spool_claim {
    TH_SPOOL_RENAME,   /* to NAME.processing: several processes may share the spool */
    TH_SPOOL_BY_LEDGER /* not at all: the spool is this process's, or not writable */
} th_spool_claim;

/** Names of both, in their order; each ends with NULL. */
extern const char *const th_spool_finish_names[];
extern const char *const th_spool_claim_names[];

/* Defaults. */
#define TH_SPOOL_PATTERNS "*.warc *.warc.gz *.warc.zst *.arc *.arc.gz *.arc.zst"
enum {
    TH_SPOOL_SETTLE_MS = 1000,
    TH_SPOOL_QUIET_MS = 5000,
    TH_SPOOL_MIN_AGE_MS = 30000,
    TH_SPOOL_RESCAN_MS = 60000,
    TH_SPOOL_LEDGER_KEEP = 100000,
    TH_SPOOL_STUCK_MS = 10000,
    TH_SPOOL_GIVE_UP_MS = 300000,
};

/* Longest reading in one poll. */
enum { TH_SPOOL_SLICE_MS = 20 };

/** How to read a spool. Strings are borrowed for the source's life. */
typedef struct th_spool_options {
    const char *dir;
    const char *patterns;   /* of complete names, fnmatch's, separated by spaces */
    const char *ledger;     /* path; each process has its own */
    const char *done_dir;   /* NULL: DIR/done; on the spool's file system */
    const char *failed_dir; /* NULL: DIR/failed; the same */
    th_spool_finish finish;
    th_spool_claim claim;
    uint32_t settle_ms, quiet_ms, min_age_ms, rescan_ms; /* as in spool_scan.h */
    uint64_t stale_ms; /* an .open file older than this is counted as stale */
    /* A claimed file is taken over, from its beginning, if none of our ledgers knows it,
     * it is not locked, and it was claimed this long ago: its owner is gone. 0 for never.
     * If no other ledger has claimed files here, it is taken over at once, because our
     * ledger was lost. */
    uint64_t adopt_ms;
    uint32_t ledger_keep; /* finished files that are remembered */
    bool has_subfolders;  /* folders below are read too: spool_tree.h */
    bool is_ledger_cache; /* the output keeps the progress: TH_KEPT_IN_ROWS */
    uint32_t stuck_ms;    /* so much reading without a record is told; */
    /* after this time the file is passed over, as failed; 0 for never */
    uint32_t give_up_ms;
    bool knows_copies;   /* by a digest of all bytes: each file is read a second time */
    uint64_t max_record; /* bytes of a block that are kept */
    bool verify_digests;
    th_warning_fn warn; /* may be NULL */
    void *warn_context;
} th_spool_options;

/** Fills in the defaults of the protocol. `dir` and `ledger` remain to be set. */
void th_spool_options_init(th_spool_options *options);

/**
 * Opens a spool. Records' positions name a file by its path below the spool, as the
 * crawler called it.
 *
 * Files are read one after the other, in the order of their names as far as they are
 * complete. Makes done_dir and failed_dir if they are missing, also when they are removed
 * later. A file goes to the subfolder there that it came from. No file is ever replaced:
 * if a name is taken, the file gets a name with a number (x.1.warc).
 *
 * Descriptors: those needed for the spool, one for the file being read, and one for a
 * file being checked. A poll reads for at most TH_SPOOL_SLICE_MS. If a batch is not
 * complete in that time, the next poll continues.
 * @param out  closed by its close()
 * @return TH_OK; TH_USAGE (a folder on another file system, the ledger is in use); TH_IO;
 *         TH_NOMEM
 */
th_status th_spool_source_open(const th_spool_options *options, th_stream_source **out,
                               th_error *err);

/** Counts of the files of a spool. */
typedef struct th_spool_stats {
    uint64_t files_pending, files_open, files_processing, files_failed, files_done;
    uint64_t files_stale; /* of files_open, those older than a crawler's file gets */
    /* Files read completely that are still written, or cannot be put away; and claimed files
     * without a process. */
    uint64_t files_waiting;
    uint64_t files_grown;       /* written to after they were read, and read on */
    uint64_t files_changed;     /* changed so that records may be lost or doubled */
    uint64_t files_copied;      /* with the bytes of a file that was read */
    uint64_t files_passed_over; /* the stuck files among files_failed */
    uint64_t folders, folders_passed_over; /* at the last look */
    double oldest_pending_seconds;
    double stuck_seconds; /* time of reading without a record; 0 if it is not stuck */
} th_spool_stats;

/** Returns the counts of a source that th_spool_source_open made. */
th_spool_stats th_spool_source_stats(th_stream_source *source);

#endif
