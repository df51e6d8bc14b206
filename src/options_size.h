/* Options of a caller that was compiled with an older or a newer th_options. */
#ifndef TH_OPTIONS_SIZE_H
#define TH_OPTIONS_SIZE_H

#include "thresher/options.h"

/**
 * The options with every member that this library knows: as they are, or a copy in `room`
 * with the defaults of what the caller's struct does not have yet.
 * @return NULL when their size says that th_options_init has not seen them
 */
const th_options *th_options_whole(const th_options *options, th_options *room);

/** What is to be kept of a page: what the options ask for, and what their classifier
 * reads.
 * @param options  whole @return TH_READS_... */
uint32_t th_options_reads(const th_options *options);

#endif
