/*
 * One message to one record: what a crawler may have put on a topic, told apart by its
 * first bytes. Knows nothing of Kafka's client library.
 *
 *     WARC/... or gzip or zstd   a WARC record, plain or packed
 *     HTTP/...                   a response as it came over the wire
 *     {...}                      a pointer into an archive of a folder (JSON)
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
 * What is beyond is left out. */
enum { TH_MESSAGE_HEADERS = 64, TH_MESSAGE_HEADER_BYTES = 64 << 10 };
/* Longest pointer and longest file name in one. */
enum { TH_POINTER_MAX = 64 << 10, TH_POINTER_NAME_MAX = 1024 };

typedef struct th_message_options {
    th_message_format format;
    const char *url_header; /* header that holds the URL; NULL or "": the key does */
    const char *archives;   /* folder that pointers point into; NULL or "": they are
                               refused */
    uint64_t max_record;    /* bytes of a block that are kept */
    bool verify_digests;
    bool keeps_original; /* records carry the message, for dead letters */
} th_message_options;

/** A message; all is borrowed for the call. */
typedef struct th_message {
    th_view topic;
    int32_t partition;
    int64_t offset;
    th_view key;   /* absent: null */
    th_view value; /* absent: null */
    const th_header *headers;
    uint32_t header_count;
} th_message;

/** Reads messages, one after the other; for one thread. */
typedef struct th_message_reader th_message_reader;

/** @param options  borrowed while the reader lives. @return NULL without memory */
th_message_reader *th_message_reader_new(const th_message_options *options);
void th_message_reader_free(th_message_reader *reader);

/**
 * Appends a message's record to a batch, which has room for it. Everything is copied.
 * @param may_wait  the archive of a pointer may come yet: say so instead of refusing
 * @return TH_OK: a record, maybe one with a refusal; TH_NEED_MORE: ask again later,
 *         nothing was appended; TH_NOMEM: the batch is void
 * Cost: linear in the message, unpacked up to max_record; of a pointer: one record of the
 * archive.
 * Of a message with several records, the first that can hold a page counts.
 */
th_status th_message_read(th_message_reader *reader, const th_message *message,
                          bool may_wait, th_batch *batch);

/** Places where a message or an archive was damaged, since the start. */
uint64_t th_message_damaged(const th_message_reader *reader);

#endif
