/*
 * Records in: a source fills batches, one after the other, in input order.
 *
 * The bounds of a batch depend on the input alone, never on timing or on where a run was
 * resumed, because batch-by-batch compression must give the same output.
 */
#ifndef TH_SOURCE_H
#define TH_SOURCE_H

#include <stdatomic.h>

#include "base/warning.h"
#include "page/record.h"
#include "remote/remote.h"

/* A batch ends after this number of records or bytes of blocks, whichever comes first. */
enum { TH_BATCH_RECORDS = 64, TH_BATCH_BYTES = 1 << 20 };
/* Capacity in records. The records of one Kafka message are never split, because they
 * become durable with its offset. */
enum { TH_BATCH_CAPACITY = 1024 };

/** A position between two records of an input. --resume continues there. */
typedef struct th_checkpoint {
    uint32_t input;  /* index into the list of inputs */
    uint64_t offset; /* as in th_position; the four numbers are libwarc's position */
    uint64_t skip;
    uint64_t uoffset;
    uint64_t dict_offset;
    uint64_t version; /* of a remote object: th_remote_object_version; 0: any */
} th_checkpoint;

/** Counts of a source other than records, since the run's start. */
typedef struct th_source_counts {
    uint64_t bytes_read; /* of the inputs as stored */
    uint64_t damaged;    /* places where an archive is damaged */
    uint64_t unreadable; /* inputs that could not be opened or read completely */
} th_source_counts;

/** Records that travel together, and the arena that holds their bytes. */
typedef struct th_batch {
    th_arena *arena;
    th_record records[TH_BATCH_CAPACITY];
    uint32_t record_count;
    uint64_t turn[2];        /* in a site memory: the first record's number, which life */
    uint32_t epoch;          /* of a source: results of an older one are void */
    uint32_t input;          /* all records of a batch are of one input */
    bool is_last;            /* of its input */
    th_checkpoint next;      /* where the batch after this one starts */
    th_source_counts counts; /* sums up to the end of this batch */
} th_batch;

typedef struct th_source th_source;
struct th_source {
    /**
     * Fills a batch; its arena has been reset. A batch may be empty when it is the last
     * of its input.
     * @return TH_OK. TH_END when all inputs are done. TH_NOMEM. TH_INTERRUPTED or
     * TH_NOT_YET (a remote input does not answer): the batch is void, and no other batch
     * follows.
     * Damage is counted and noted, never an error.
     */
    th_status (*read)(th_source *source, th_batch *batch, th_error *err);
    void (*close)(th_source *source);
};

/** How to read files. */
typedef struct th_file_source_options {
    const char *const *inputs; /* paths, remote names, "-" is stdin; borrowed */
    uint32_t input_count;
    uint64_t max_record;  /* bytes of a block that are kept */
    bool keeps_heads;     /* records have their WARC headers */
    bool verify_digests;  /* flags a record whose block digest does not fit */
    const char *rendered; /* use of rendered copies (rendered_copies.h); NULL as off */
    th_warning_fn warn;   /* may be NULL */
    void *warn_context;
    const th_checkpoint *start; /* continue here; NULL = at the beginning */
    th_source_counts counts;    /* at `start` */
    /* Not 0: give up with TH_INTERRUPTED, also within a record; may be NULL. */
    const atomic_int *stop;
    th_remote *remote; /* for remote names, borrowed; NULL if they cannot be read */
    /* Fetches single records ahead, with these options; borrowed for the call. NULL: each
     * record is requested when it is read. `coalesce` and `requests` as in
     * ingest/range_fetcher.h. */
    const th_remote_options *ahead;
    uint64_t coalesce;
    uint32_t requests;
    /* No later run continues where this one ends: records before a failure of a store are
     * given, even if their batch is not full. */
    bool is_only_run;
} th_file_source_options;

/**
 * A source that reads archives one after the other.
 * @param out  closed by its close()
 * @return TH_OK or TH_NOMEM
 */
th_status th_file_source_open(const th_file_source_options *options, th_source **out,
                              th_error *err);

#endif
