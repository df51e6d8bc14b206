/* A pair of similar records as a line: for `dedup --output pairs`, and for `serve` in the
 * role of pairs. */
#ifndef TH_PAIR_LINE_H
#define TH_PAIR_LINE_H

#include "base/json.h"
#include "dedup/signature_params.h"

/** The identity of a record; url may be absent. */
typedef struct th_paired {
    th_view id, url;
} th_paired;

/**
 * Appends {"id_a","url_a","id_b","url_b","jaccard","exact"}, as a line unless it is packed.
 * @param a  the older one
 * @return TH_OK; TH_NOMEM
 */
th_status th_pair_line_write(th_paired a, th_paired b, const th_likeness *likeness,
                             bool is_packed, th_buffer *out);

/** Writes the members `jaccard` and, if it is exact, `exact`. */
void th_likeness_write(th_json *json, const th_likeness *likeness);

#endif
