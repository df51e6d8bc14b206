/* The head of an HTTP response: status line and the few fields that a page depends on. */
#ifndef TH_HTTP_HEAD_H
#define TH_HTTP_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

enum { TH_HTTP_MAX_CODINGS = 8 };

enum th_coding { TH_CODING_GZIP, TH_CODING_DEFLATE, TH_CODING_BR, TH_CODING_ZSTD };

/** A response head; views point into the parsed bytes. */
typedef struct th_http_head {
    int status;      /* 100..999; 0 when the line has no valid status */
    size_t head_len; /* bytes including the blank line */
    /* First non-empty occurrence, unchanged, including the line ends of a folded field.
     * Absent = {NULL, 0}. */
    th_view content_type;
    th_view media_type;       /* of it: "text/html" unchanged, no parameters, no quotes */
    th_view charset;          /* of it: the label without quotes */
    th_view content_encoding; /* first non-empty, unchanged; may be absent */
    th_view content_language; /* the same */
    bool is_chunked;          /* Transfer-Encoding names chunked, at least once */
    /* Content codings, then other transfer codings, in the order applied. Codings applied
     * before an unknown one are left out, because they cannot be reached. May exceed the
     * capacity below. Then th_body_begin refuses it. */
    uint32_t coding_count;
    uint8_t codings[TH_HTTP_MAX_CODINGS]; /* enum th_coding */
    bool is_malformed;      /* repaired: LF only, no reason, junk lines, folded, ... */
    bool is_coding_unknown; /* a coding is named that is not implemented */
} th_http_head;

/**
 * Parses the head at the start of a block. Accepts blank lines before it, LF and CR CR LF
 * line ends, folded fields, lines without a colon and odd names, and sets `is_malformed`.
 * @param block     the block, or as much of it as there is
 * @param max_head  bytes within which the head must end
 * @param is_whole  no more bytes will come: a head that is cut off is accepted
 * @param head      out; untouched unless TH_OK
 * @return TH_OK, TH_NEED_MORE, TH_BAD_HTTP (no head: does not start with HTTP/), or
 *         TH_TOO_LARGE (no end within max_head; the caller may continue with the next
 *         record).
 * Linear in the head, allocates nothing.
 */
th_status th_http_head_parse(th_view block, size_t max_head, bool is_whole,
                             th_http_head *head);

/** Takes a field of a head: trimmed, unchanged, the value is not empty. Borrowed. */
typedef void (*th_http_field_fn)(void *context, th_view name, th_view value);

/**
 * Passes the fields of a head in order.
 * @param head  the bytes of a head that th_http_head_parse accepted
 * Linear in the head, allocates nothing.
 */
void th_http_head_fields(th_view head, th_http_field_fn take, void *context);

#endif
