/*
 * Raw deflate by zlib: half as fast as ISA-L, and exact on damage. All bytes before the
 * first wrong bit are output: the same bytes on every machine and for every cut of input
 * and output.
 */
#ifndef WARC_EXACT_INFLATER_H
#define WARC_EXACT_INFLATER_H

#include <stdint.h>
#include <zlib.h>

#include "inflater.h"

struct exact_inflater {
    z_stream stream;
    uint32_t crc;
};

warc_status exact_inflater_init(struct exact_inflater *inflater);
void exact_inflater_done(struct exact_inflater *inflater);
void exact_inflater_reset(struct exact_inflater *inflater);

/** As inflater_run; nothing is read ahead. */
enum inflate_result exact_inflater_run(struct exact_inflater *inflater,
                                       struct inflate_span *span);

#endif
