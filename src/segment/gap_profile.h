/* Named sets of tags that classify gaps. [K11 §4.2.2] */
#ifndef TH_GAP_PROFILE_H
#define TH_GAP_PROFILE_H

#include "thresher/page.h"

/** Effects of a tag, or of a whole gap. */
enum {
    TH_GAP_NEUTRAL,   /* the densities decide */
    TH_GAP_AVOIDING,  /* T_NoGap: both sides belong together */
    TH_GAP_ENFORCING, /* T_ForceGap: both sides are separate segments */
};

/** A named choice of both sets. Start and end tag of an element have the same effect. */
typedef struct th_gap_profile {
    const char *name; /* as in config: "2008" */
    const char *help; /* one line for --help */
    uint8_t class_of[TH_TAG_COUNT];
} th_gap_profile;

/** All profiles; ends with a NULL pointer. */
extern const th_gap_profile *const th_gap_profiles[];

/** Finds a profile by name. NULL if there is none. */
const th_gap_profile *th_gap_profile_find(const char *name);

/**
 * Returns the class of a gap [K11 Eq. 4.8]: enforcing if one of its tags is; avoiding if
 * it has tags and all are. A gap without tags is neutral.
 * @param tags  numbers, with TH_GAP_END set on end tags
 * O(len).
 */
uint8_t th_gap_class(const th_gap_profile *profile, const uint16_t *tags, uint32_t len);

#endif
