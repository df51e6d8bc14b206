/*
 * The parts of an emitted record, `thresher/1` in docs/record.md, that the graph needs:
 * the page's address and its links. A foreign record with the same members serves as
 * well.
 */
#ifndef TH_LINK_RECORD_H
#define TH_LINK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

typedef struct th_record_link {
    th_view url;     /* in the record's `text` */
    bool is_content; /* its label; false for a link without one (a picture's) */
} th_record_link;

typedef struct th_link_record {
    th_view url;    /* in `text`; absent when the record has none */
    bool has_links; /* it has the member `links`, maybe empty */
    th_record_link *links;
    uint32_t link_count;
    size_t link_capacity;
    th_buffer text;
} th_link_record;

/** Frees the buffers of reading. The struct starts as { 0 } and can be reused. */
void th_link_record_done(th_link_record *record);

/**
 * Reads one record. A member of another type counts as absent.
 * @param json  borrowed during the call
 * @return TH_OK; TH_DAMAGED: it is not one JSON object; TH_NOMEM. O(length)
 */
th_status th_link_record_read(th_link_record *record, th_view json);

#endif
