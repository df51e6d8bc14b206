/*
 * Converts messages to records. The first bytes of a message distinguish the formats that
 * crawlers put on topics. Does not use Kafka's client library.
 *
 *     WARC/... or gzip or zstd   WARC records, plain or packed
 *     HTTP/...                   a response as it came over the wire
 *     {...}                      a pointer into an archive of a folder or a store (JSON)
 *     anything else              a page's HTML
 *
 * The URL of a response or a page is the message's key, or the value of a header.
 * A message that cannot be read becomes a record that says why. Nothing is dropped here.
 */
#ifndef TH_KAFKA_MESSAGE_H
#define TH_KAFKA_MESSAGE_H

#include "ingest/source.h"

typedef enum th_message_format {
    TH_MESSAGE_AUTO,
    TH_MESSAGE_WARC,
    TH_MESSAGE_HTTP,
    TH_MESSAGE_HTML,
    TH_MESSAGE_POINTER,
    TH_MESSAGE_FORMAT_COUNT
} th_message_format;

/** "auto", "warc", "http", "html", "pointer"; ends with NULL. */
extern const char *const th_message_format_names[];

/* Limits of a message's headers: their count, and the bytes of names and values. The
 * rest is omitted, and a header "thresher.left_out_headers" contains its count. */
enum { TH_MESSAGE_HEADERS = 64, TH_MESSAGE_HEADER_BYTES = 64 << 10 };
/* Maximum number of records of a message. */
enum { TH_MESSAGE_RECORDS = TH_BATCH_CAPACITY - TH_BATCH_RECORDS };

typedef struct th_message_options {
    th_message_format format;
    const char *url_header; /* header that holds the URL; NULL or "" to use the key */
    /* folder that pointers point into; NULL or "" to refuse pointers */
    const char *archives;
    /* Prefixes of stores that pointers may lead to, as for th_remote_prefixes_read. NULL
     * or "" refuses pointers into stores. `store`: how stores are reached. */
    const char *archive_prefixes;
    const th_remote_options *store;
    uint32_t archive_wait_ms; /* longest wait for an archive that does not change */
    uint64_t max_record;      /* bytes of a block that are kept */
    bool verify_digests;
    bool keeps_original; /* records carry the message, for dead letters */
    th_warning_fn warn;  /* called while archives are awaited; may be NULL */
    void *warn_context;
} th_message_options;

/** Counts of a reader since its start. */
typedef struct th_message_counts {
    uint64_t damaged;           /* places where a message or an archive is damaged */
    uint64_t headers_left_out;  /* headers of messages that are over the limits */
    uint64_t archives_given_up; /* archives that did not arrive in time */
} th_message_counts;

/** A message; all is borrowed for the call. */
typedef struct th_message {
    th_view topic;
    int32_t partition;
    int64_t offset;
    th_view key;              /* absent: null */
    th_view value;            /* absent: null */
    const th_header *headers; /* the first TH_MESSAGE_HEADERS are enough */
    uint32_t header_count;
    uint32_t headers_beyond; /* further headers of the message */
} th_message;

/** Reads messages one after the other. For one thread. */
typedef struct th_message_reader th_message_reader;

/** @param options  borrowed while the reader lives. @return NULL if out of memory, or
 * if prefixes are invalid */
th_message_reader *th_message_reader_new(const th_message_options *options);
void th_message_reader_free(th_message_reader *reader);

/**
 * Appends a message's records to a batch, which has room for TH_MESSAGE_RECORDS. All is
 * copied.
 * @return TH_OK with one record or more, maybe with a refusal. TH_NEED_MORE if the
 * archive of a pointer may still arrive. Then nothing was appended, and the caller must ask
 * again later. TH_NOMEM if the batch is void.
 * Cost: linear in the message, unpacked up to its length and twice max_record. A pointer
 * costs one record of the archive, and may block as long as th_remote_archives_take.
 * From a message with several records the reader takes the records that can hold a page,
 * in their order, at most TH_MESSAGE_RECORDS - 1. The rest becomes one refused record
 * (TH_TOO_LARGE). If no record can hold a page, the first record is taken.
 */
th_status th_message_read(th_message_reader *reader, const th_message *message,
                          th_batch *batch);

void th_message_counts_get(const th_message_reader *reader, th_message_counts *out);

#endif
