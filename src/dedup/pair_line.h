/* Two records that are alike, as a line: of `dedup --output pairs`, and of `serve` in the role of pairs. */
#ifndef TH_PAIR_LINE_H
#define TH_PAIR_LINE_H

#include "base/json.h"
#include "dedup/signing.h"

/** The identity of a record; url may be absent. */
typedef struct th_paired {
    th_view id, url;
} th_paired;

/**
 * Appends {"id_a","url_a","id_b","url_b","jaccard","exact"} and a newline.
 * @param a  the older one
 * @return TH_OK; TH_NOMEM
 */
th_status th_pair_line_write(th_paired a, th_paired b, const th_likeness *likeness,
                             th_buffer *out);

/** The members `jaccard` and, where it is so, `exact`. */
void th_likeness_write(th_json *json, const th_likeness *likeness);

#endif
