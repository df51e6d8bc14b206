/*
 * A shard of the records of a deduplication: the output of one process for its inputs, in
 * a folder, for the processes that compare. docs/dedup.md#on-many-machines
 *
 *   shard.records  each record: a head, its row (signing.h), its id, URL and date
 *
 *   shard.places   where each begins in shard.records, and the last one's end: u64
 *
 *   shard.ids      hash of the id and number of each record, by hash     (struct th_item)
 *
 *   shard.keys     key and number, by key: the ranges, concatenated
 *
 *   shard          how the records were signed, counts, sums. It is written last, so a
 *                  folder that contains it is complete.
 *
 * Numbers are in the machine's byte order, which is little-endian on all that thresher is
 * built for. The head records it.
 */
#ifndef TH_RECORD_SHARD_H
#define TH_RECORD_SHARD_H

#include "dedup/signature_params.h"

enum { TH_PARTS_MAX = 65536 };

/** A key or a hash, and the number of its record. 12 bytes without a hole. */
typedef struct th_item {
    uint32_t low, high; /* of the key */
    uint32_t number;
} th_item;

/** Counts of the inputs. */
typedef struct th_shard_counts {
    uint64_t read; /* records */
    uint64_t refused[TH_RECORD_FAULT_COUNT];
    uint64_t inputs, damaged_inputs;
    uint64_t bytes; /* of the inputs, compressed */
} th_shard_counts;

/** The beginning of `shard`. For each range, its end in items and the XXH3-64 of its
 * bytes follow. Last is the XXH3-64 of all preceding bytes. */
typedef struct th_shard_head {
    char magic[32];
    uint64_t order_mark;
    uint64_t job; /* hash of options and inputs: whether a rerun would give the same */
    uint64_t records, unsigned_records, keys, parts;
    uint64_t record_bytes; /* of shard.records */
    uint64_t ids_sum;
    uint32_t compared;   /* th_compared */
    uint32_t text_count; /* as of th_signature_params */
    uint32_t is_signed;  /* whether the following members are valid */
    uint32_t zero;
    th_signature_words words;
    char params[TH_SIGNING_MAX];
    char source[512];
    th_shard_counts counts;
} th_shard_head;

typedef struct th_record_shard {
    char *folder; /* owned */
    th_shard_head head;
    uint64_t *ends, *sums; /* of each range; owned */
    uint64_t fingerprint;  /* of the file `shard`; edges refer to it */
} th_record_shard;

/** Returns the range that a key is in; ascending with the key. */
uint32_t th_part_of(uint64_t key, uint32_t parts);

uint64_t th_item_key(const th_item *item);

/** Returns a file's path in a folder: "FOLDER/NAME". The caller frees it. NULL without
 * memory. */
char *th_shard_path(const char *folder, const char *name);

/**
 * Reads `shard` of a folder.
 * @return TH_OK, TH_ABSENT if the folder is not a shard or not complete yet, TH_DAMAGED
 *         with the path in err, TH_IO or TH_NOMEM. Only TH_OK leaves memory to free.
 */
th_status th_record_shard_load(const char *folder, th_record_shard *out, th_error *err);

/** Writes `shard` completely or not at all, and fills in the fingerprint. TH_OK; TH_IO;
 * TH_NOMEM */
th_status th_record_shard_save(th_record_shard *shard, th_error *err);

void th_record_shard_done(th_record_shard *shard);

/** Adds the shard's signature parameters to `signing`, as th_signature_agree does. */
th_status th_record_shard_agree(const th_record_shard *shard, th_signature_params *params,
                                th_error *err);

/** A record of a shard; borrowed from the reader until its next call. */
typedef struct th_shard_record {
    th_view row;
    th_view parts[3]; /* id, URL, date */
} th_shard_record;

/** Reads records of one shard, fast in ascending order. */
typedef struct th_shard_reader {
    const th_record_shard *shard; /* borrowed */
    int records, places;          /* descriptors */
    uint64_t place_at;            /* number of the first place held */
    size_t place_count;
    uint64_t *held_places;
    th_buffer bytes; /* read ahead, starting at bytes_at */
    uint64_t bytes_at, next_at;
} th_shard_reader;

/** Opens a reader. TH_OK; TH_DAMAGED if a file is missing or has another length; TH_IO;
 * TH_NOMEM. Unless TH_OK it is closed. */
th_status th_shard_reader_open(th_shard_reader *reader, const th_record_shard *shard,
                               th_error *err);
void th_shard_reader_close(th_shard_reader *reader);

/** Reads a record. TH_OK; TH_DAMAGED with file and place in err; TH_IO; TH_NOMEM */
th_status th_shard_reader_get(th_shard_reader *reader, uint32_t number,
                              th_shard_record *out, th_error *err);

/**
 * Appends a record to `out` in the layout of shard.records.
 * @param number  the record's number, which is part of its sum
 */
void th_shard_record_append(const th_shard_record *record, uint32_t number,
                            th_buffer *out);

#endif
