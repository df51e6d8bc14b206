/* libxml2's bare HTML parser, as a baseline for the other benches. */
#ifndef TH_BENCH_SAX_H
#define TH_BENCH_SAX_H

#include "bench_pages.h"

/**
 * Sends every page through libxml2's HTML parser, as UTF-8 whatever the page says of
 * itself, with callbacks that do nothing but count.
 * @return start and end tags that it reported
 */
size_t bench_sax(const bench_pages *pages);

#endif
