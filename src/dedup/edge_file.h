/*
 * Edges that one range of the keys gave: pairs of numbers of a shard set, in a file that
 * appears only when complete. Its head has the shards' fingerprint and the rule by which
 * it was made.
 */
#ifndef TH_EDGE_FILE_H
#define TH_EDGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/** The beginning of the file. Edges follow, two u32 each, then their count, and the
 * XXH3-64 of all preceding bytes. */
typedef struct th_edge_head {
    char magic[32];
    uint64_t order_mark;
    uint64_t shards; /* fingerprint of the set */
    uint64_t records;
    uint32_t part, parts;
    uint32_t fan_out, kept; /* th_dedup_kept */
    double threshold;
    uint64_t keys, buckets, largest_bucket, capped_buckets, compared;
} th_edge_head;

/** The name of a range's file: "edges-00003-of-00064". */
enum { TH_EDGE_NAME_MAX = 40 };
void th_edge_file_name(uint32_t part, uint32_t parts, char name[TH_EDGE_NAME_MAX]);

typedef struct th_edge_writer th_edge_writer;

/** Opens. TH_OK; TH_IO; TH_NO_ROOM; TH_NOMEM */
th_status th_edge_writer_new(const char *path, const th_edge_head *head,
                             th_edge_writer **out, th_error *err);
th_status th_edge_writer_add(th_edge_writer *writer, uint32_t a, uint32_t b,
                             th_error *err);
/** Renames the file to its final name. */
th_status th_edge_writer_finish(th_edge_writer *writer, th_error *err);
uint64_t th_edge_writer_count(const th_edge_writer *writer);
/** NULL is legal; an unfinished file keeps its temporary name. */
void th_edge_writer_free(th_edge_writer *writer);

typedef struct th_edge_reader th_edge_reader;

/** Opens. TH_OK; TH_ABSENT; TH_DAMAGED with the path in err; TH_IO; TH_NOMEM */
th_status th_edge_reader_new(const char *path, th_edge_reader **out, th_error *err);
const th_edge_head *th_edge_reader_head(const th_edge_reader *reader);
uint64_t th_edge_reader_count(const th_edge_reader *reader);
/** Reads the next edge. TH_OK; TH_END after all edges if the sum is right; TH_DAMAGED;
 * TH_IO */
th_status th_edge_reader_next(th_edge_reader *reader, uint32_t *a, uint32_t *b,
                              th_error *err);
/** NULL is legal. */
void th_edge_reader_free(th_edge_reader *reader);

#endif
