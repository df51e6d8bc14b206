/* The parts of a page that its methods read. */
#ifndef TH_PAGE_PARTS_H
#define TH_PAGE_PARTS_H

#include "thresher/options.h"

/**
 * Returns the parts of a page to keep: the union of the options' requests and the parts
 * that their classifier reads.
 * @param options  complete @return TH_READS_...
 */
uint32_t th_options_reads(const th_options *options);

#endif
