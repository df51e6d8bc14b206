/*
 * A record in the pipeline: what a source read, where it came from, and what was made
 * of it. Ingest fills the first part, the pipeline the second, write reads both.
 */
#ifndef TH_RECORD_H
#define TH_RECORD_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/page.h"
#include "thresher/parse.h"
#include "thresher/status.h"
#include "thresher/view.h"

/* Kinds of record, by WARC-Type or by what a message holds. */
typedef enum th_record_kind {
    TH_RECORD_OTHER, /* warcinfo, request, metadata, unknown: never a page */
    TH_RECORD_RESPONSE,
    TH_RECORD_RESOURCE,
    TH_RECORD_CONVERSION,
    TH_RECORD_CONTINUATION,
    TH_RECORD_REVISIT,
} th_record_kind;

/** Where a record stands; all that is needed to read it again. */
typedef struct th_position {
    th_view file;    /* path as given on the command line; absent: a Kafka message */
    uint64_t offset; /* of the record, or of the gzip member or frame it starts in */
    uint64_t length; /* compressed bytes; 0 = not known */
    uint64_t skip;   /* unpacked bytes between offset and the record, 0 = none */
    th_view topic;   /* of a Kafka message; then offset is the message's */
    int32_t partition;
    th_view key; /* of the message; absent when it has none */
} th_position;

/** A header of a Kafka message, carried through to what it gives. */
typedef struct th_header {
    th_view name, value; /* value absent: a null one */
} th_header;

/** A WARC record; views are borrowed from the batch that holds it. */
typedef struct th_record {
    th_record_kind kind;
    th_view type; /* WARC-Type as it stands */
    th_view url;  /* WARC-Target-URI without <> */
    th_view id;   /* WARC-Record-ID as it stands: "<urn:uuid:...>" */
    th_view date;
    th_view content_type;
    th_view ip;
    th_view truncated;      /* WARC-Truncated */
    th_view payload_digest; /* WARC-Payload-Digest as it stands */
    th_view block;          /* the first max_record bytes of the block */
    uint64_t block_len;     /* as declared, or as found */
    uint32_t flags;         /* TH_FLAG_... known at reading */
    bool is_http;           /* block starts with an HTTP head */
    /* JSON in which a metadata record beside it names its languages, absent: none does. */
    th_view crawl_languages;
    th_position position;
    const th_header *headers; /* of a Kafka message; NULL when there are none */
    uint32_t header_count;
    /* The message as it came, for dead letters; absent: there is none. */
    th_view original;
    /* Not TH_OK: the source has found that the record is to be refused, and why. */
    th_status refusal;
    const char *detail; /* that reason in words; in the batch */
} th_record;

/** What the HTTP head said and what came of it. */
typedef struct th_http_facts {
    int status;           /* 0: none */
    th_view content_type; /* as it stands */
    th_view encoding;     /* Content-Encoding as it stands, absent when none */
    th_view language;     /* Content-Language as it stands, absent when none */
} th_http_facts;

/**
 * A record after the pipeline: a page, or a refusal with its reason.
 * All views are in the page's arena or in the record's batch.
 */
typedef struct th_annotated {
    const th_record *record;
    th_status status;   /* TH_OK: emitted; else refused, with the words in `detail` */
    const char *detail; /* of a refusal; never NULL */
    th_http_facts http;
    th_encoding charset;
    th_view html;  /* the decoded document in UTF-8, for --emit html */
    th_page *page; /* NULL unless TH_OK */
    /* Out, where the format has a member near_duplicate: the length of the output at
     * which that member is to be inserted. NULL: not wanted. */
    size_t *near_duplicate_at;
} th_annotated;

/**
 * A name for a record that is the same whenever it is read again: its WARC-Record-ID;
 * without one "topic/partition/offset" of its message, or "file@offset", and "+skip"
 * behind where it does not stand at the beginning of that.
 */
void th_record_id_write(const th_record *record, th_buffer *out);

#endif
