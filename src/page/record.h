/*
 * A record in the pipeline: input, origin, and result. Ingest fills the first part, the
 * pipeline the second. Write reads both.
 */
#ifndef TH_RECORD_H
#define TH_RECORD_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/page.h"
#include "thresher/parse.h"
#include "thresher/status.h"
#include "thresher/view.h"

/* Kinds of record, by WARC-Type or by a message's contents. */
typedef enum th_record_kind {
    TH_RECORD_OTHER, /* warcinfo, request, metadata, unknown: never a page */
    TH_RECORD_RESPONSE,
    TH_RECORD_RESOURCE,
    TH_RECORD_CONVERSION,
    TH_RECORD_CONTINUATION,
    TH_RECORD_REVISIT,
} th_record_kind;

/** The position of a record, with everything that is needed to read it again. */
typedef struct th_position {
    th_view file;    /* path from the command line, or absent for Kafka */
    uint64_t offset; /* of the record, or of the gzip member or frame it starts in */
    uint64_t length; /* compressed bytes; 0 = not known */
    uint64_t skip;   /* unpacked bytes between offset and the record, 0 = none */
    th_view topic;   /* of a Kafka message; then offset is the message's */
    int32_t partition;
    th_view key; /* of the message; absent if it has none */
} th_position;

/** A header of a Kafka message, passed through to its output. */
typedef struct th_header {
    th_view name, value; /* value absent: a null value */
} th_header;

/** A WARC record; views are borrowed from the batch that contains it. */
typedef struct th_record {
    th_record_kind kind;
    th_view type; /* WARC-Type, unchanged */
    th_view url;  /* WARC-Target-URI without <> */
    th_view id;   /* WARC-Record-ID, unchanged: "<urn:uuid:...>" */
    th_view date;
    th_view content_type;
    th_view ip;
    th_view truncated;      /* WARC-Truncated */
    th_view payload_digest; /* WARC-Payload-Digest, unchanged */
    th_view head;       /* the WARC header with its blank line, if the source keeps it */
    th_view block;      /* the first max_record bytes of the block */
    uint64_t block_len; /* as declared, or as found */
    uint32_t flags;     /* TH_FLAG_... that the source has set */
    bool is_http;       /* block starts with an HTTP head */
    /* Body of the page's rendered copy, UTF-8, and "dom" or "text" (ingest's
     * rendered_copies.h). It replaces the body in the block; absent if there is none. */
    th_view rendered;
    th_view rendered_type; /* without `rendered`: the block is such a copy */
    /* JSON with the page's languages, from its metadata record; absent if there is
     * none. */
    th_view crawl_languages;
    th_position position;
    const th_header *headers; /* of a Kafka message; NULL if there are none */
    uint32_t header_count;
    /* The message as received, for dead letters; absent if there is none. */
    th_view original;
    /* Only for th_answer_format: 1 + the index of a format in th_text_formats, 0 for the
     * record itself. */
    uint32_t answer_format;
    /* If not TH_OK, the source rejects the record for this reason. */
    th_status refusal;
    const char *detail; /* the reason as text; stored in the batch */
} th_record;

/** The HTTP head's values, and the results of processing it. */
typedef struct th_http_facts {
    int status;           /* 0 if absent */
    th_view content_type; /* unchanged */
    th_view encoding;     /* Content-Encoding, unchanged; may be absent */
    th_view language;     /* Content-Language, unchanged; may be absent */
    th_view rendered; /* "dom" or "text" if the page is its rendered copy, or absent */
} th_http_facts;

/**
 * A record after the pipeline: a page, or a rejection with its reason. All views are in
 * the page's arena or in the record's batch.
 */
typedef struct th_annotated {
    const th_record *record;
    th_status status;   /* TH_OK: emitted; else rejected, see `detail` */
    const char *detail; /* reason of a rejection; never NULL */
    th_http_facts http;
    th_view media_type; /* of a record that is no page (TH_NOT_HTML); may be absent */
    th_encoding charset;
    th_view html;  /* the decoded document in UTF-8, for --emit html */
    th_page *page; /* NULL unless TH_OK */
    /* Out, if the format has a member near_duplicate: the length of the output at which
     * that member must be inserted. NULL if not wanted. */
    size_t *near_duplicate_at;
} th_annotated;

/**
 * Writes an identifier that is the same whenever the record is read again: its
 * WARC-Record-ID. Without one, "topic/partition/offset" of its message, or "file@offset",
 * followed by "+skip" if the record does not start at that offset.
 */
void th_record_id_write(const th_record *record, th_buffer *out);

#endif
