/* Options of a caller that was compiled with an older or a newer th_options. */
#ifndef TH_OPTIONS_SIZE_H
#define TH_OPTIONS_SIZE_H

#include "thresher/options.h"

/**
 * Returns the options with every member that this library has. They are unchanged, or a
 * copy in `scratch` with defaults for members that the caller's struct lacks.
 * @return NULL if their size shows that th_options_init has not initialised them
 */
const th_options *th_options_complete(const th_options *options, th_options *scratch);

/**
 * Returns the parts of a page to keep: the union of the options' requests and the parts
 * that their classifier reads.
 * @param options  complete @return TH_READS_...
 */
uint32_t th_options_reads(const th_options *options);

#endif
