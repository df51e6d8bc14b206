/*
 * Finds near-duplicates as pages arrive, over many machines: a consumer of the bands
 * topic that writes each pair of pages that are alike to the edges topic, once.
 *
 * The content of its partitions is kept in memory (dedup/pairing_table.h). A transaction
 * holds the edges and the offsets of the messages they were found at, so an edge is
 * written once, whichever process is killed. The tables are in no file. A newly assigned
 * partition is read from its beginning, and nothing is written up to the offset that its
 * group has committed. A partition that returns unchanged continues where it was. If the
 * bands topic is deleted and created again, the new topic is read from its beginning.
 */
#ifndef TH_KAFKA_PAIRING_H
#define TH_KAFKA_PAIRING_H

#include "base/deadline.h"
#include "dedup/pairing_table.h"
#include "kafka/kafka_source.h"

typedef struct th_kafka_pairing_options {
    th_kafka_source_options in; /* topics: the bands topic alone; message is not used */
    const char *edges;          /* topic */
    const char *instance; /* transactional.id: the same over restarts, of one process */
    uint32_t transaction_ms;
    uint32_t message_max;
    uint32_t flush_ms;       /* a transaction is committed at this age */
    uint32_t flush_messages; /* or when it covers this number of input messages */
    th_pairing_options table;
    uint64_t memory; /* bytes of all tables: beyond it oldest epochs are forgotten */
} th_kafka_pairing_options;

/** Counts since the start, and the present state. */
typedef struct th_kafka_pairing_stats {
    bool is_assigned;    /* by the group, even if with no partitions */
    uint32_t partitions; /* ours */
    uint32_t rebuilding; /* our partitions that are still read again */
    uint64_t messages;   /* taken */
    uint64_t again;      /* messages of these that were taken to rebuild a table */
    uint64_t faults[TH_PAIRING_FAULT_COUNT];
    uint64_t late, full, compared;
    uint64_t edges;          /* committed */
    uint64_t left_out;       /* edges that are longer than a message may be, omitted */
    uint64_t shed;           /* epochs that were forgotten for lack of memory */
    uint64_t records, bytes; /* held now */
    uint64_t remade; /* times that a partition's offsets went back: another topic */
    uint64_t commits, aborts, rebalances;
    char unready[256]; /* why no messages arrive, or why they wait, "" if they arrive */
} th_kafka_pairing_stats;

typedef struct th_kafka_pairing th_kafka_pairing;

/**
 * Makes consumer and producer, waits until the producer has its transactions, and joins
 * the group.
 * @param options  copied; the objects it points to are borrowed
 * @param deadline for waiting; borrowed until the end
 * @return TH_OK; TH_USAGE; TH_IO; TH_INTERRUPTED: the deadline passed; TH_NOMEM
 */
th_status th_kafka_pairing_open(const th_kafka_pairing_options *options,
                                const th_deadline *deadline, th_kafka_pairing **out,
                                th_error *err);

/**
 * Reads messages for a while, and commits when that is due.
 * @return TH_OK. TH_IO if the process must end; uncommitted pairs are found again.
 * TH_NOMEM.
 */
th_status th_kafka_pairing_turn(th_kafka_pairing *pairing, th_error *err);

/** Commits the pairs that were found. As above. */
th_status th_kafka_pairing_settle(th_kafka_pairing *pairing, th_error *err);

void th_kafka_pairing_stats_of(const th_kafka_pairing *pairing,
                               th_kafka_pairing_stats *facts);

/** Leaves the group and frees. Uncommitted pairs are void. NULL is legal. */
void th_kafka_pairing_close(th_kafka_pairing *pairing);

#endif
