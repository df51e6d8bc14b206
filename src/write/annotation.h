/* The record `thresher/1`: an annotated page as one JSON object. docs/record.md */
#ifndef TH_ANNOTATION_H
#define TH_ANNOTATION_H

#include "base/buffer.h"
#include "base/json.h"
#include "page/record.h"

/** Selects the parts of a page that are written in addition to the fields that are always
 * present. */
typedef struct th_annotation_parts {
    uint32_t emit;    /* TH_EMIT_... */
    bool has_no_text; /* leave out `text`, which is written elsewhere */
    bool is_packed;   /* as tokens (base/json.h), instead of a line of text */
    /* Note in annotated->near_duplicate_at where the member near_duplicate belongs. */
    bool has_hole;
} th_annotation_parts;

/**
 * Appends the record of an emitted page, as one line unless it is packed. Its bytes depend on page and options
 * only.
 * @param annotated  status TH_OK, page not NULL; the page's arena is used as scratch
 * @return TH_OK; or an error of th_annotation_failure, and `out` is unchanged
 * Cost: linear in the size of the output.
 */
th_status th_annotation_write(const th_options *opt, const th_annotated *annotated,
                              th_annotation_parts parts, th_buffer *out);

/**
 * Appends the data that finds near-duplicates of the page, one line: id, URL, date,
 * digest and signatures as in the record. A record without an id gets the id that
 * th_record_id_write makes.
 * @return TH_OK; TH_NOMEM
 */
th_status th_annotation_signed(const th_annotated *annotated, th_buffer *out);

/** An earlier page that is a near-duplicate of a page. */
typedef struct th_near_duplicate {
    th_view of, url; /* its id, and its URL, absent if it has none */
    double jaccard;
} th_near_duplicate;

/** Writes the member `near_duplicate`. */
void th_annotation_near_duplicate(th_json *json, const th_near_duplicate *found);

/** Writes the member `source`: the record's position in its archive. */
void th_annotation_source(th_json *json, const th_record *record);

/**
 * Returns the status for a page whose arena gave no memory. TH_TOO_LARGE, which refuses
 * the page, if the arena's own limit is used up. Otherwise TH_NOMEM, which stops the run.
 */
th_status th_annotation_failure(const th_page *page);

#endif
