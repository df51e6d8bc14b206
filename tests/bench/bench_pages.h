/* The pages of archives in memory, and statistics of repeated runs, for benches. */
#ifndef TH_BENCH_PAGES_H
#define TH_BENCH_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "ingest/source.h"
#include "thresher/options.h"

/** A page as the parser gets it, and the text that it finds. */
typedef struct bench_page {
    char *html; /* UTF-8 */
    size_t len;
    char *url;
    char *text; /* a line for each block */
    size_t text_len;
} bench_page;

typedef struct bench_pages {
    bench_page *pages;
    size_t count, capacity;
    uint64_t bytes; /* of HTML */
    uint64_t text_bytes;
} bench_pages;

/** Opens the archives as one source; ends the program if it cannot. */
th_source *bench_open(const th_options *opt, const char *const *paths, uint32_t count);

/** Loads every page; ends the program if there is none. */
void bench_load(bench_pages *pages, const th_options *opt, const char *const *paths,
                uint32_t count);
void bench_unload(bench_pages *pages);

/** Ends the program with a message. */
_Noreturn void bench_die(const char *what);

/** Monotonic time in seconds. */
double bench_now(void);

/** Seconds of this thread on a core: of a busy machine the better measure. */
double bench_cpu(void);

/** The middle one of 1..101 values. */
double bench_median(const double *values, int count);

/** Returns the median of the ratios above[i] / below[i], each measured in one
 * round. */
double bench_median_ratio(const double *above, const double *below, int count);

enum { BENCH_MAX_ROUNDS = 101 };

#endif
