/*
 * The records of each key, in one partition of a topic of band keys. It finds pairs of
 * similar records, message by message.
 * [docs/near-duplicates.md#while-pages-come-in-over-many-machines]
 *
 * Each key of a record is a message. The message's key is the band key, and its value has
 * all the data that the record is compared by. Two records that share several keys meet
 * several times, in as many partitions. The pair is written once, for the smallest of
 * these keys.
 *
 * The table is a function only of the messages and their order: a partition that is read
 * again from its beginning makes the same table.
 */
#ifndef TH_PAIRING_TABLE_H
#define TH_PAIRING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "dedup/record_line.h"
#include "dedup/signature_params.h"

typedef struct th_pairing_options {
    th_compared compared; /* one text, the keys': not both, either or auto */
    double threshold;     /* share of equal slots; 0: the preset's own */
    uint32_t fan_out; /* number of first records of a key that are kept for comparison */
    uint32_t
        epoch_s; /* length of an epoch, in seconds by the messages' timestamps; 1... */
    uint32_t epochs; /* that are kept, the newest included; 1... */
} th_pairing_options;

/* Why a message gave nothing: code, name in metrics, text for people. */
/* clang-format off */
#define TH_PAIRING_FAULT_LIST(X)                                                         \
    X(NONE,     "none",          "no error")                                     \
    X(RECORD,   "bad_record",    "its value is not a comparable record")          \
    X(VERSION,  "other_version", "its version is not supported")     \
    X(SIGNING,  "other_signing", "its signature parameters differ from earlier messages")       \
    X(KEY,      "other_key",     "its key does not belong to its record")                      \
    X(REPEATED, "repeated",      "its record occurred under this key before")
/* clang-format on */

typedef enum th_pairing_fault {
#define TH_PAIRING_FAULT_ENUM(symbol, name, text) TH_PAIRING_##symbol,
    TH_PAIRING_FAULT_LIST(TH_PAIRING_FAULT_ENUM)
#undef TH_PAIRING_FAULT_ENUM
        TH_PAIRING_FAULT_COUNT
} th_pairing_fault;

const char *th_pairing_fault_name(th_pairing_fault fault);
const char *th_pairing_fault_text(th_pairing_fault fault);

typedef struct th_pairing_message {
    th_view key, value;
    int64_t time_ms; /* since 1970; negative: unknown, it is of the newest epoch */
} th_pairing_message;

/** Receives a pair: its line with the newline, and the id of the older record. Any status
 * except TH_OK ends th_pairing_take. */
typedef th_status (*th_pairing_found)(void *context, th_view older, th_view line);

/** Counts since the table was made. `records` and `bytes` are its current contents. */
typedef struct th_pairing_counts {
    uint64_t taken, faults[TH_PAIRING_FAULT_COUNT]; /* NONE: good messages */
    uint64_t late;     /* of an epoch that is not kept any more: compared, not kept */
    uint64_t full;     /* not kept: the key has fan_out records */
    uint64_t compared; /* with one record each */
    uint64_t pairs;
    uint64_t records, bytes;
} th_pairing_counts;

typedef struct th_pairing_table th_pairing_table;

/** @param options  copied. NULL without memory */
th_pairing_table *th_pairing_table_new(const th_pairing_options *options);
void th_pairing_table_free(th_pairing_table *table);

/**
 * Takes the next message: compares its record with the earlier ones of the same key, and
 * keeps it.
 * @param found  NULL if pairs are known already and no search is needed
 * @param fault  out: TH_PAIRING_NONE, or why the message gave nothing
 * @return TH_OK, also for a faulty message. TH_NOMEM. The error of `found`.
 * Cost: O(fan_out * k).
 */
th_status th_pairing_take(th_pairing_table *table, const th_pairing_message *message,
                          th_pairing_found found, void *context, th_pairing_fault *fault,
                          th_error *err);

/** Forgets the oldest epoch. @return false if there is none */
bool th_pairing_drop_epoch(th_pairing_table *table);

const th_pairing_counts *th_pairing_table_counts(const th_pairing_table *table);

#endif
