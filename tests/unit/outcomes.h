/*
 * Random calls, and a digest of all that they give: a change of any outcome shows. The
 * numbers are the same on every machine.
 */
#ifndef TH_TEST_OUTCOMES_H
#define TH_TEST_OUTCOMES_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "thresher/view.h"

/** Random numbers, and the digest so far. */
struct outcomes {
    uint32_t chance;
    uint64_t digest;
};

/** A number below n. */
static inline uint32_t below(struct outcomes *all, uint32_t n)
{
    all->chance = all->chance * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(all->chance >> 8) * n) >> 24);
}

static inline void note_number(struct outcomes *all, uint64_t number)
{
    all->digest = XXH64(&number, sizeof number, all->digest);
}

/** An absent view is not an empty one. */
static inline void note_view(struct outcomes *all, th_view view)
{
    all->digest = XXH64(view.data ? view.data : "", view.len, all->digest);
    note_number(all, view.data ? view.len : UINT64_MAX);
}

static inline void note_text(struct outcomes *all, const char *text)
{
    note_view(all, (th_view){ text, text ? strlen(text) : 0 });
}

/** Adds a line to the digest. TH_TEST_TRACE=1 prints it, to show which line has changed. */
__attribute__((format(printf, 2, 3))) static inline void
note_line(struct outcomes *all, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    note_text(all, text);
    if (getenv("TH_TEST_TRACE"))
        (void)fprintf(stderr, "%s\n", text);
}

/** Fails unless the digest is known. Look at the change, then write the new digest. */
static inline void expect_digest(const struct outcomes *all, uint64_t want)
{
    if (all->digest != want)
        fail_msg("the digest of all outcomes is 0x%016" PRIX64 ", not 0x%016" PRIX64,
                 all->digest, want);
}

#endif
