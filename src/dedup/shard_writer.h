/*
 * Makes a shard: records in, then their keys in ranges (record_shard.h). If it is killed
 * before it finishes, it leaves no `shard`. A repeated run gives the same bytes, for any
 * memory.
 */
#ifndef TH_SHARD_WRITER_H
#define TH_SHARD_WRITER_H

#include <stdatomic.h>

#include "dedup/record_shard.h"

typedef struct th_shard_writer th_shard_writer;

typedef struct th_shard_options {
    const char *folder; /* made if missing, including its parents; borrowed */
    th_compared compared;
    uint32_t parts;   /* ranges of keys, 1..TH_PARTS_MAX */
    uint64_t memory;  /* bytes of its sorts */
    const char *temp; /* folder of temporary files, as in scratch_file.h; borrowed */
    uint64_t job;     /* copied to the head */
    const atomic_int *stop;
} th_shard_options;

/** TH_OK; TH_IO; TH_NO_ROOM; TH_NOMEM */
th_status th_shard_writer_new(const th_shard_options *options, th_shard_writer **out,
                              th_error *err);

/** Frees the writer. Unfinished files keep their temporary names. NULL is legal. */
void th_shard_writer_free(th_shard_writer *writer);

/**
 * Adds a record.
 * @param place  "FILE: line N", for the message about signatures that do not fit
 * @param fault  out: TH_RECORD_NONE, or why it was refused
 * @return TH_OK, TH_USAGE (another kind of signature than the earlier records),
 *         TH_TOO_LARGE (more records than 32-bit numbers), TH_IO, TH_NO_ROOM or TH_NOMEM
 */
th_status th_shard_writer_add(th_shard_writer *writer, const th_record_line *record,
                              const char *place, th_record_fault *fault, th_error *err);

/**
 * Sorts the keys and writes the remaining files, `shard` last.
 * @param counts  of the inputs
 * @param shard   out: filled; the caller frees it
 * @return TH_OK; TH_INTERRUPTED; TH_IO; TH_NO_ROOM; TH_NOMEM
 */
th_status th_shard_writer_finish(th_shard_writer *writer, const th_shard_counts *counts,
                                 th_record_shard *shard, th_error *err);

#endif
