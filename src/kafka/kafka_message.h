/*
 * Messages to records: what a crawler may have put on a topic, distinguished by its first
 * bytes. Does not use Kafka's client library.
 *
 *     WARC/... or gzip or zstd   WARC records, plain or packed
 *     HTTP/...                   a response as it came over the wire
 *     {...}                      a pointer into an archive of a folder or a store (JSON)
 *     anything else              a page's HTML
 *
 * The URL of a response or a page is the message's key, or the value of a header.
 * A message that cannot be read becomes a record that says why: nothing is dropped here.
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

/* What is kept of a message's headers: so many, and so many bytes of names and values.
 * What is beyond is left out, and a header "thresher.left_out_headers" says how many. */
enum { TH_MESSAGE_HEADERS = 64, TH_MESSAGE_HEADER_BYTES = 64 << 10 };
/* Records that a message gives at most. */
enum { TH_MESSAGE_RECORDS = TH_BATCH_ROOM - TH_BATCH_RECORDS };

typedef struct th_message_options {
    th_message_format format;
    const char *url_header; /* header that holds the URL; NULL or "": the key does */
    /* folder that pointers point into; NULL or "": they are refused */
    const char *archives;
    /* Below what pointers may lead into stores, as of th_remote_prefixes_read; NULL or "":
     * those are refused; and how stores are reached. */
    const char *archive_prefixes;
    const th_remote_options *store;
    uint32_t archive_wait_ms; /* longest wait for an archive that does not change */
    uint64_t max_record;      /* bytes of a block that are kept */
    bool verify_digests;
    bool keeps_original; /* records carry the message, for dead letters */
    th_notice notice;    /* told of archives that are waited for; may be NULL */
    void *notice_context;
} th_message_options;

/** What a reader met, since its start. */
typedef struct th_message_counts {
    uint64_t damaged;           /* places where a message or an archive is damaged */
    uint64_t headers_left_out;  /* headers of messages that are over the limits */
    uint64_t archives_given_up; /* archives that did not come in time */
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
    uint32_t headers_beyond; /* that the message has besides these */
} th_message;

/** Reads messages, one after the other; for one thread. */
typedef struct th_message_reader th_message_reader;

/** @param options  borrowed while the reader lives. @return NULL without memory, or with
 * prefixes that are no good */
th_message_reader *th_message_reader_new(const th_message_options *options);
void th_message_reader_free(th_message_reader *reader);

/**
 * Appends a message's records to a batch, which has room for TH_MESSAGE_RECORDS. All is
 * copied.
 * @return TH_OK: one record or more, maybe with a refusal; TH_NEED_MORE: the archive of a
 * pointer may come yet, ask again later, nothing was appended; TH_NOMEM: the batch is
 * void.
 * Cost: linear in the message, unpacked up to its length and twice max_record; of a
 * pointer: one record of the archive, and as long as th_remote_archives_take may block.
 * Of a message with several records those that can hold a page are taken, in their order,
 * TH_MESSAGE_RECORDS - 1 at most; what is beyond is one refused record (TH_TOO_LARGE). If
 * none can hold a page, the first record is taken.
 */
th_status th_message_read(th_message_reader *reader, const th_message *message,
                          th_batch *batch);

void th_message_counts_get(const th_message_reader *reader, th_message_counts *out);

#endif
