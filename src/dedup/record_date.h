/* The capture time of a record as a number, which decides the older of two similar
 * records. */
#ifndef TH_RECORD_DATE_H
#define TH_RECORD_DATE_H

#include <stdint.h>

#include "thresher/view.h"

/**
 * Converts a WARC-Date, "2024-05-06T07:08:09.123Z", or a beginning of it, to a number
 * that grows with time. No calendar: months of 31 days keep the order.
 * @return in 100 ns; UINT64_MAX if it is malformed or absent. Pure
 */
uint64_t th_record_date(th_view date);

#endif
