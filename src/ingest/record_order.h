/* The order in which single records of remote archives are read. */
#ifndef TH_RECORD_ORDER_H
#define TH_RECORD_ORDER_H

#include "ingest/input_list.h"

/**
 * Sorts the inputs that are single records of remote archives, where several follow one
 * another: by archive, in the order in which the list first names each, then by offset.
 * Other inputs stay in their places. O(n log n).
 * @return TH_OK; TH_NOMEM
 */
th_status th_record_order(th_input_list *list, th_error *err);

#endif
