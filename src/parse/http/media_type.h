/* What a payload is: what its header says, and what its first bytes say. */
#ifndef TH_MEDIA_TYPE_H
#define TH_MEDIA_TYPE_H

#include <stdbool.h>

#include "thresher/view.h"

/** Media types that matter, by header or by sniffing. */
typedef enum th_media {
    TH_MEDIA_OTHER,
    TH_MEDIA_HTML,
    TH_MEDIA_XHTML,
    TH_MEDIA_TEXT
} th_media;

/**
 * Takes a Content-Type value apart, of HTTP or of WARC. Accepted too: quotes around any
 * part, blanks around the equals sign, a missing semicolon, a list of types (the first
 * counts); of repeated charsets the first that is not empty.
 * @param value       as it stands
 * @param media_type  out: "text/html", no parameters; absent when there is none
 * @param charset     out: the label; absent when there is none
 */
void th_content_type_parse(th_view value, th_view *media_type, th_view *charset);

/**
 * What a payload is: by the header's media type where it says HTML or XHTML or something
 * definite else; by sniffing the first KiB (WHATWG MIME Sniffing) where it is absent,
 * generic (text/plain, application/octet-stream, "any/any", unknown/unknown), bare XML or
 * not a media type. A payload served as HTML that is clearly binary (PDF, image, gzip
 * magic ...) is TH_MEDIA_OTHER.
 * @param sniffed  out: the answer is not the header's
 */
th_media th_media_type(th_view media_type, th_view start_of_payload, bool *sniffed);

#endif
