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
    /* Number of members of each list that ONE takes, 0 for all, and the choice of them. An
     * input of few kinds of parts has them in more combinations: swarm testing
     * [GZERC12]. */
    uint32_t variety, pick;
};

/** A number below n. */
static inline uint32_t below(struct outcomes *all, uint32_t n)
{
    all->chance = all->chance * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(all->chance >> 8) * n) >> 24);
}

/** Draws what ONE takes until the next call: sometimes everything, often a few members. */
static inline void pick_some(struct outcomes *all, uint32_t most)
{
    all->variety = below(all, 3) ? 2 + below(all, most - 1) : 0;
    all->pick = below(all, 1u << 24);
}

/** The place of a random member of a list of `count`. */
static inline uint32_t one_of(struct outcomes *all, uint32_t count)
{
    if (all->variety == 0)
        return below(all, count);
    const uint32_t which[2] = { all->pick, below(all, all->variety) };
    return (uint32_t)(XXH64(which, sizeof which, count) % count);
}

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))
#define ONE(all, list) ((list)[one_of(all, COUNT(list))])

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
