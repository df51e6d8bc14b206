/* The media type of a payload, by its header and by its first bytes. */
#ifndef TH_MEDIA_TYPE_H
#define TH_MEDIA_TYPE_H

#include <stdbool.h>

#include "thresher/view.h"

/** Media types that are distinguished, by header or by sniffing. */
typedef enum th_media {
    TH_MEDIA_OTHER,
    TH_MEDIA_HTML,
    TH_MEDIA_XHTML,
    TH_MEDIA_TEXT
} th_media;

/**
 * Splits a Content-Type value, of HTTP or of WARC. Also accepts quotes around any part,
 * spaces around the equals sign, a missing semicolon, and a list of types (the first
 * counts). The first charset that is not empty counts.
 * @param value       unchanged from the header
 * @param media_type  out: "text/html", no parameters; absent when there is none
 * @param charset     out: the label; absent when there is none
 */
void th_content_type_parse(th_view value, th_view *media_type, th_view *charset);

/**
 * Returns the media type of a payload. The header's media type decides if it is HTML,
 * XHTML or another definite type. The first KiB is sniffed (WHATWG MIME Sniffing) if the
 * type is absent, generic (text/plain, application/octet-stream, "any/any",
 * unknown/unknown), bare XML or not a media type. A payload served as HTML that is
 * clearly binary (PDF, image, gzip magic ...) is TH_MEDIA_OTHER.
 * @param sniffed  out: the result is not from the header
 */
th_media th_media_type(th_view media_type, th_view start_of_payload, bool *sniffed);

/** Returns whether a payload is plain text: text/plain or Markdown by its header, without
 * binary bytes, and not HTML by its first bytes. */
bool th_media_is_plain_text(th_view media_type, th_view payload);

/**
 * Returns the media type of a payload that is not HTML: the header's, or, if that is
 * absent or generic, the type that the first bytes show (PDF, EPUB, Office Open XML, RTF).
 * @param media_type  of the header, may be absent
 * @return a type, the header's otherwise
 */
th_view th_media_type_of_document(th_view media_type, th_view payload);

/**
 * Returns the media type of bytes that a person gives as a page, without a header. It is
 * "text/html" for a text that starts with a tag that the standard does not sniff
 * (`<section>`), and absent for other bytes, which th_media_type then sniffs.
 */
th_view th_media_type_of_page(th_view payload);

#endif
