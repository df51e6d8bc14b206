/*
 * Deduplication of a batch: records in, sets of duplicates out, in bounded memory.
 *
 *   add:   write rows and names to temporary files                (record_store)
 *
 *   find:  order the records by age. Sort the keys of every record outside memory
 *          (key_sort). Compare the signatures of records that share a key. Join
 *          duplicates (union_find).
 *
 *   then:  write clusters, pairs or the records to drop           (cluster_writer)
 *
 * The result depends only on the records, not on their order or on the memory.
 */
#ifndef TH_DUPLICATE_FINDER_H
#define TH_DUPLICATE_FINDER_H

#include <stdatomic.h>

#include "dedup/key_sort.h"
#include "dedup/record_store.h"
#include "dedup/union_find.h"

/* Items of a step between two checks of `stop` and two reports of progress. */
enum { TH_DEDUP_TICK = 4096 };

/** Called with the progress of a step: `done` of `total` items. */
typedef void (*th_dedup_progress)(void *context, const char *step, uint64_t done,
                                  uint64_t total);

/** The data to keep about pairs of duplicates. */
typedef enum th_dedup_kept {
    TH_KEEP_SETS,  /* the sets that they make */
    TH_KEEP_JOINS, /* and pairs that connect each set: fewer than its members */
    TH_KEEP_PAIRS  /* and every pair */
} th_dedup_kept;

typedef struct th_dedup_options {
    th_compared compared;
    double threshold; /* minimum share of equal slots, 0 = the preset's rule */
    uint32_t fan_out; /* records of a bucket with which the others are compared */
    uint64_t memory;  /* bytes in all */
    const char *temp; /* folder of temporary files, "" = $TMPDIR or /tmp; borrowed */
    th_dedup_kept kept;
    th_dedup_progress progress; /* may be NULL */
    void *progress_context;
    const atomic_int *stop; /* not 0: give up with TH_INTERRUPTED; may be NULL */
} th_dedup_options;

typedef struct th_dedup_counts {
    uint64_t records;          /* that have a rank */
    uint64_t unsigned_records; /* of them, records without signatures to compare */
    uint64_t repeated;         /* left out: another record has their id */
    uint64_t keys;             /* band keys, values and digests sorted */
    uint64_t spilled_runs;     /* sorted runs of keys that went to the disk */
    uint64_t buckets;          /* keys of two or more records */
    uint64_t largest_bucket;
    uint64_t capped_buckets; /* larger than fan_out: not all pairs were compared */
    uint64_t compared; /* comparisons; a pair may be compared for each key it shares */
} th_dedup_counts;

typedef struct th_duplicate_finder {
    th_dedup_options options;
    th_signature_params params;
    th_record_store *store;
    th_union_find sets; /* of ranks; the root is the representative */
    th_key_sort *pairs; /* kept ones, or NULL: key = smaller rank << 32 | larger rank */
    th_dedup_counts counts;
    struct th_held_row *held; /* rows of a bucket's first fan_out records, one more */
} th_duplicate_finder;

/** TH_OK; TH_IO (temporary folder); TH_NOMEM. On failure nothing is left to free. */
th_status th_duplicate_finder_init(th_duplicate_finder *finder,
                                   const th_dedup_options *options, th_error *err);
void th_duplicate_finder_done(th_duplicate_finder *finder);

/**
 * Adds a record.
 * @param place  "FILE: line N", for the message about signatures that do not fit
 * @param fault  out: TH_RECORD_NONE, or why it was refused
 * @return TH_OK, TH_USAGE (another kind of signature than the earlier records),
 *         TH_TOO_LARGE (more records than the memory holds), TH_IO or TH_NOMEM
 */
th_status th_duplicate_finder_add(th_duplicate_finder *finder,
                                  const th_record_line *record, const char *place,
                                  th_record_fault *fault, th_error *err);

/** Finds all duplicates. Call it once, after the last record. TH_OK; TH_INTERRUPTED;
 * TH_IO; TH_NOMEM */
th_status th_duplicate_finder_find(th_duplicate_finder *finder, th_error *err);

/** Keys of records that have a rank, in ascending order. */
typedef struct th_key_source {
    void *context;
    /** Returns the next key. TH_OK; TH_END; any other status ends the comparison */
    th_status (*next)(void *context, uint64_t *key, uint32_t *rank, th_error *err);
    uint64_t total; /* keys, for progress */
} th_key_source;

/** The first half of th_duplicate_finder_find, for keys that were sorted elsewhere. Gives
 * each record its rank, and makes each a separate set. TH_OK; TH_IO; TH_NOMEM */
th_status th_duplicate_finder_rank(th_duplicate_finder *finder, th_error *err);

/** The second half. Compares the records that share a key. Call it once. Returns the
 * statuses of th_duplicate_finder_find, and errors of the source. */
th_status th_duplicate_finder_compare_keys(th_duplicate_finder *finder,
                                           const th_key_source *source, th_error *err);

/** Compares two records by rank, after th_duplicate_finder_find. TH_OK or TH_IO */
th_status th_duplicate_finder_compare(th_duplicate_finder *finder, uint32_t a, uint32_t b,
                                      th_likeness *out, th_error *err);

#endif
