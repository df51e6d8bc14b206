/* Guesses the encoding of a document that does not declare it, from its bytes. */
#ifndef TH_CHARSET_DETECT_H
#define TH_CHARSET_DETECT_H

#include "parse/charset/charset_label.h"

/** A detector, kept from page to page. Each worker has one. */
typedef struct th_detector th_detector;

/** @return NULL when there is no memory */
th_detector *th_detector_new(void);
void th_detector_free(th_detector *detector);

/**
 * Returns the likeliest encoding, by uchardet, which gets at most 64 KiB from the first
 * byte that is not ASCII.
 * @return TH_CHARSET_NONE when nothing is likely, or it is not a web encoding
 */
th_charset_id th_detect_charset(th_detector *detector, th_view bytes);

#endif
