/* The CRC of a page's bytes in the file, in its header. [parquet.thrift, PageHeader] */
#ifndef TH_PAGE_CRC_H
#define TH_PAGE_CRC_H

#include <stdint.h>

#include "thresher/view.h"

/** Returns the CRC-32 of gzip, as the signed number that a header has. */
int32_t th_page_crc(th_view packed);

#endif
