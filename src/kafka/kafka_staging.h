/*
 * Results as Kafka messages, in memory until they are flushed: their topics, keys and
 * headers, and how to cut messages that are too large. Does not use Kafka's client
 * library.
 *
 *     records       a page's record, with the configured key. It carries the headers of
 *                   its message. A page that was withdrawn gives its key with no value,
 *                   if that is wanted.
 *     bands         one message for each band key of a page, so pages that share a key
 *                   come to one consumer. The key is the band key.
 *                   The value is big-endian. It has the page (u64, XXH3-64 of the record's
 *                   id, th_record_id_write), and the seconds since 1970 of its WARC-Date
 *                   (u32, or 0). The number of shingles follows (u16, 65535 for more).
 *                   If the option selects them, 4 or 8 low bits of each slot follow
 *                   [docs/near-duplicates.md#low-bits]
 *     edges         a near-duplicate and the page that it is like: the line that `run
 *                   --index.edges` writes. The key is the representative's id, so a
 *                   cluster comes to one consumer. An edge that its topic does not
 *                   accept is omitted: its record also names the representative.
 *     dead letters  a refused record's original bytes, the reason in headers; none for a
 *                   message without a value (TH_TOMBSTONE)
 *     progress      rows of a spool's progress: key, value
 */
#ifndef TH_KAFKA_STAGING_H
#define TH_KAFKA_STAGING_H

#include "base/buffer.h"
#include "traffic/work_result.h"

typedef enum th_kafka_topic {
    TH_TOPIC_RECORDS,
    TH_TOPIC_BANDS,
    TH_TOPIC_EDGES,
    TH_TOPIC_DEAD_LETTERS,
    TH_TOPIC_PROGRESS,
    TH_TOPIC_COUNT
} th_kafka_topic;

/** Choices for the key of a record. */
typedef enum th_kafka_key {
    TH_KAFKA_KEY_URL,
    TH_KAFKA_KEY_ID,    /* WARC-Record-ID, see th_record_id_write */
    TH_KAFKA_KEY_INPUT, /* the key of the message that it came from */
    TH_KAFKA_KEY_NONE,
    TH_KAFKA_KEY_COUNT
} th_kafka_key;

/** "url", "id", "input", "none"; ends with NULL. */
extern const char *const th_kafka_key_names[];

/* A longer key is cut, because keys only select a partition. */
enum { TH_KAFKA_KEY_MAX = 8 << 10 };

/**
 * Limits of a topic. A broker checks batches as they are sent, that is packed. So a
 * message that is larger than the limit may be accepted all the same, if it packs well.
 * It is packed here with zstd to find its packed size.
 */
typedef struct th_kafka_limit {
    /* bytes of a batch that is accepted however it packs; 0 if no batch is: each message
     * goes alone */
    uint64_t sure;
    uint64_t packed; /* bytes of a packed batch that is not accepted */
} th_kafka_limit;

/** Counts of messages over the limits of topics. */
typedef struct th_staging_cuts {
    uint64_t cut[TH_TOPIC_COUNT];      /* messages that lost a part of themselves */
    uint64_t left_out[TH_TOPIC_COUNT]; /* messages that could not be cut so far */
} th_staging_cuts;

/** Conditions that withdraw a page from the topic of records: its key goes there with no
 * value, which deletes its records from a compacted topic. */
typedef struct th_withdrawals {
    bool statuses[600]; /* HTTP statuses of a capture */
    bool has_null;      /* a message without a value that came in */
} th_withdrawals;

/**
 * Reads a list as "404,410,null": HTTP statuses, and `null` for messages without a value.
 * @return TH_OK ("" withdraws nothing) or TH_USAGE with the item in err
 */
th_status th_withdrawals_parse(const char *list, th_withdrawals *out, th_error *err);

/* Bytes before a record's JSON if a schema is set: 0, then its id, big-endian. */
enum { TH_SCHEMA_FRAME = 5 };

typedef struct th_staging_options {
    bool wants[TH_TOPIC_COUNT];
    th_kafka_key key;
    th_withdrawals withdrawals;
    uint32_t schema_id;   /* of records, in a schema registry, 0 for no frame */
    const char *instance; /* the sender's name, in the headers of dead letters */
    uint32_t message_max; /* bytes of key, value and headers, for any topic */
    th_kafka_limit limits[TH_TOPIC_COUNT];
} th_staging_options;

/** A staged message; views hold until something is staged or dropped. */
typedef struct th_staged {
    th_kafka_topic topic;
    th_view key;   /* absent: none */
    th_view value; /* absent: null */
    uint32_t header_count;
    size_t headers; /* number of the first, for th_staging_header */
    bool is_min;    /* it cannot be cut any more */
} th_staged;

/** Messages in the order staged. { 0 } is empty. */
typedef struct th_staging {
    th_buffer bytes, messages, headers;
    size_t count;
    th_staging_cuts cuts;
    uint64_t tombstones; /* of withdrawn pages */
} th_staging;

void th_staging_done(th_staging *staging);

/** Forgets all messages. Keeps the memory if it is not large. */
void th_staging_drop(th_staging *staging);

/**
 * Stages the messages of a result. A record that is larger than message_max, or than its
 * topic accepts, is replaced by a stub with the page's location and the flag "text_cut".
 *
 * A page that was withdrawn gives its key without a value instead of its record. A
 * refused page gives it in addition to its dead letter. A page without a key gives none.
 *
 * A dead letter is cut to the size that its topic accepts. If that is not enough, it is
 * cut to its headers, then to the few headers that name its location, and at last it is
 * omitted. "thresher.left_out_bytes" is the number of bytes of the original that are
 * missing, "thresher.left_out_headers" the number of its headers.
 *
 * Every cut is counted, in staging->cuts. Cost: a message that is larger than its
 * topic's limit is packed once.
 * @return TH_OK or TH_NOMEM (the messages staged for the result are incomplete)
 */
th_status th_stage_result(th_staging *staging, const th_staging_options *options,
                          const th_work_result *result);

/** Stages progress rows, key '\t' value '\n' each. An empty value becomes a null value,
 * which deletes the key. Returns TH_OK or TH_NOMEM. */
th_status th_stage_progress(th_staging *staging, th_view rows);

/** Returns the bytes of a message alone in a batch, packed, or SIZE_MAX if out of memory. */
size_t th_staging_packed_size(const th_staging *staging, size_t index);

/** Message `index`, 0 .. count - 1. */
th_staged th_staging_get(const th_staging *staging, size_t index);

/** Header `index` of all; a message's are headers .. headers + header_count - 1. */
th_header th_staging_header(const th_staging *staging, size_t index);

#endif
