/*
 * Tags that enforce or avoid a gap between segments: data for the rule-based methods.
 * "2008" is the paper's choice [K11 §4.2.2]. "html5" adds later elements: sectioning
 * elements to the first set and phrasing elements to the second.
 */
#include "segment/gap_profile.h"

#include <string.h>

/* clang-format off */
#define ENFORCING_2008(X) \
    X(H1) X(H2) X(H3) X(H4) X(H5) X(H6) X(UL) X(DL) X(OL) X(HR) X(TABLE) X(ADDRESS) X(IMG) \
    X(SCRIPT)
#define AVOIDING_2008(X) \
    X(A) X(B) X(BR) X(EM) X(FONT) X(I) X(S) X(SPAN) X(STRONG) X(SUB) X(SUP) X(U) X(TT)
#define ENFORCING_HTML5(X) \
    X(MAIN) X(ARTICLE) X(ASIDE) X(NAV) X(HEADER) X(FOOTER) X(SECTION) X(FIGURE) X(DETAILS) \
    X(DIALOG) X(FORM) X(FIELDSET)
#define AVOIDING_HTML5(X) \
    X(ABBR) X(BDI) X(BDO) X(CITE) X(CODE) X(DATA) X(DFN) X(KBD) X(MARK) X(Q) X(RUBY) X(SAMP) \
    X(SMALL) X(TIME) X(VAR) X(WBR) X(INS) X(DEL)
/* clang-format on */

#define ENFORCING(tag) [TH_TAG_##tag] = TH_GAP_ENFORCING,
#define AVOIDING(tag) [TH_TAG_##tag] = TH_GAP_AVOIDING,

static const th_gap_profile profile_2008 = {
    .name = "2008",
    .help = "the tags of the paper [K11 4.2.2]",
    .class_of = { ENFORCING_2008(ENFORCING) AVOIDING_2008(AVOIDING) },
};

static const th_gap_profile profile_html5 = {
    .name = "html5",
    .help = "the tags of the paper, and sectioning and phrasing elements of HTML 5",
    .class_of = { ENFORCING_2008(ENFORCING) AVOIDING_2008(AVOIDING)
                      ENFORCING_HTML5(ENFORCING) AVOIDING_HTML5(AVOIDING) },
};

const th_gap_profile *const th_gap_profiles[] = { &profile_2008, &profile_html5, NULL };

const th_gap_profile *th_gap_profile_find(const char *name)
{
    for (const th_gap_profile *const *at = th_gap_profiles; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

uint8_t th_gap_class(const th_gap_profile *profile, const uint16_t *tags, uint32_t len)
{
    uint8_t class = len ? TH_GAP_AVOIDING : TH_GAP_NEUTRAL;
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t asks = profile->class_of[tags[i] & ~TH_GAP_END];
        if (asks == TH_GAP_ENFORCING)
            return TH_GAP_ENFORCING;
        if (asks == TH_GAP_NEUTRAL)
            class = TH_GAP_NEUTRAL;
    }
    return class;
}
