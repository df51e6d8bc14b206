/*
 * Several shards as one. Records are numbered from the first shard to the last, in an
 * order that depends on the shards' contents, not on their names. Their sorted items are
 * merged.
 */
#ifndef TH_SHARD_SET_H
#define TH_SHARD_SET_H

#include "dedup/record_shard.h"

typedef struct th_shard_set {
    th_record_shard *shards; /* owned; by fingerprint */
    uint32_t *firsts;        /* number of each shard's first record */
    uint32_t count;
    size_t capacity;
    uint32_t records; /* of all */
    uint32_t parts;   /* ranges of keys, the same in all */
    uint64_t fingerprint;
    th_signature_params params;
    uint64_t unsigned_records;
    th_shard_counts counts; /* sums */
    th_shard_reader reader; /* of the shard read last */
} th_shard_set;

/**
 * Adds the shard in a folder, or the shards in its subfolders.
 * @return TH_OK, TH_ABSENT if neither it nor a subfolder is a shard, TH_DAMAGED, TH_IO or
 *         TH_NOMEM
 */
th_status th_shard_set_add(th_shard_set *set, const char *folder, th_error *err);

/**
 * Ends the adding of shards.
 * @param threshold  as of th_signature_init
 * @return TH_OK, TH_USAGE, with the names in err, for a repeated shard or incompatible
 *         shards, or TH_TOO_LARGE for more than 4,294,967,294 records
 */
th_status th_shard_set_close(th_shard_set *set, double threshold, th_error *err);

void th_shard_set_done(th_shard_set *set);

/** Reads a record, fast in ascending order. TH_OK; TH_DAMAGED, also when its row does not
 * fit the signing; TH_IO; TH_NOMEM */
th_status th_shard_set_get(th_shard_set *set, uint32_t number, th_shard_record *out,
                           th_error *err);

/** Items of all shards, by key and then by number. */
typedef struct th_shard_merge th_shard_merge;

/** The items to merge: a range of the keys, or the hashes of ids. */
enum { TH_MERGE_IDS = -1 };

/**
 * @param part    a range, or TH_MERGE_IDS
 * @param temp    folder of temporary files, borrowed; used for shards whose keys must be
 *                recomputed, because other shards compare a text that they do not have
 * @param memory  bytes of its buffers; each shard has 3 KiB in any case
 * @return TH_OK; TH_DAMAGED; TH_IO; TH_NOMEM
 */
th_status th_shard_merge_new(th_shard_set *set, int part, const char *temp,
                             uint64_t memory, th_shard_merge **out, th_error *err);

/** NULL is legal. */
void th_shard_merge_free(th_shard_merge *merge);

/** Returns the next item. TH_OK; TH_END; TH_DAMAGED with file and range in err; TH_IO;
 * TH_NOMEM. O(log shards). */
th_status th_shard_merge_next(th_shard_merge *merge, uint64_t *key, uint32_t *number,
                              th_error *err);

/** Returns the number of items. */
uint64_t th_shard_merge_count(const th_shard_merge *merge);

#endif
