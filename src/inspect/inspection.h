/* The contents of `thresher inspect`: one page, and each method's reading of it. */
#ifndef TH_INSPECTION_H
#define TH_INSPECTION_H

#include "base/buffer.h"
#include "inspect/reading.h"
#include "page/record.h"
#include "thresher/options.h"

/** One page with its readings; all borrowed. */
typedef struct th_inspection {
    const th_options *opt;
    const th_annotated *annotated; /* emitted */
    const th_readings *readings;
    const char *software; /* "thresher/1.0.0" */
} th_inspection;

/** Limits of the parts of a page that are shown. Omitted parts are counted, and the count
 * is shown. */
typedef struct th_inspection_limits {
    uint32_t blocks, links;
    uint32_t block_bytes; /* of a block's text, cut at a code point */
} th_inspection_limits;

/** Only the page's own limits. */
extern const th_inspection_limits th_inspection_complete;

/** The limits for a browser without delay. */
extern const th_inspection_limits th_inspection_shown;

/**
 * Appends the page as text for a terminal: a head with metadata, counts and signature,
 * then each wrapped line with segment, label, a bar of its block's text density, and the
 * figures of the block on its first line. Control characters of the page are shown as
 * U+FFFD: none reaches the terminal.
 * @param has_colour  write ANSI colours
 * @return TH_OK or TH_NOMEM. Linear in the text.
 */
th_status th_inspection_text(const th_inspection *inspection, bool has_colour,
                             th_buffer *out);

/**
 * Appends the page as one JSON object, `thresher-inspect/1`, on one line. Fields:
 * docs/inspect.md.
 * @return TH_OK; TH_TOO_LARGE when the page's arena is at its limit; TH_NOMEM
 */
th_status th_inspection_json(const th_inspection *inspection,
                             const th_inspection_limits *limits, th_buffer *out);

/**
 * Appends a self-contained HTML page: style, script and the JSON above, and nothing else
 * that a browser would fetch or run.
 * @return as th_inspection_json
 */
th_status th_inspection_html(const th_inspection *inspection, th_buffer *out);

#endif
