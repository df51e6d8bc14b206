/*
 * What the class of an element says of the facts that it may hold.
 *
 * Nearly every start tag has a class, and nearly none says anything. So a class is asked
 * first whether a syllable may begin in it of which one is in each class that says
 * something ("auth", "byli", "by-l", "date", "time", "user", "writ"): sixteen places at
 * once. Both ways to do so are compiled where both can be, so that a test can hold them to
 * each other.
 */
#ifndef TH_CLASS_ROLES_H
#define TH_CLASS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/** Whether th_class_roles may find anything; cheap. @param classes  borrowed */
bool th_class_may_have_roles(th_view classes);

/** What a class attribute says, of its first 512 bytes. @return TH_MARK_..., combined */
uint32_t th_class_roles(th_view classes);

enum { TH_CLASS_WINDOW = 16 /* places that are looked at together */ };

/* The first two letters of the syllables, one pair behind the other. */
#define TH_CLASS_PAIRS "aubydatiuswr"

/**
 * Where the first two letters of a syllable stand, in either case.
 * @param bytes  TH_CLASS_WINDOW + 1 of them
 * @return bit i: at byte i
 */
static inline unsigned th_class_places_portable(const char *bytes)
{
    /* Which pairs a letter begins, and which it ends: bit i is pair i. */
    static const uint8_t begins[32] = { [1] = 1 << 0,  [2] = 1 << 1,  [4] = 1 << 2,
                                        [20] = 1 << 3, [21] = 1 << 4, [23] = 1 << 5 };
    static const uint8_t ends[32] = { [21] = 1 << 0, [25] = 1 << 1, [1] = 1 << 2,
                                      [9] = 1 << 3,  [19] = 1 << 4, [18] = 1 << 5 };
    unsigned places = 0;
    for (unsigned i = 0; i < TH_CLASS_WINDOW; i++) {
        const unsigned first = (unsigned char)bytes[i],
                       second = (unsigned char)bytes[i + 1];
        const bool are_letters = first >> 6 == 1 && second >> 6 == 1;
        const unsigned pairs = begins[first & 31] & ends[second & 31];
        places |= (unsigned)(are_letters && pairs) << i;
    }
    return places;
}

#if defined(__SSE2__)
/** As th_class_places_portable. */
static inline unsigned th_class_places_sse2(const char *bytes)
{
    const __m128i capital = _mm_set1_epi8(0x20);
    const __m128i first =
        _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)bytes), capital);
    const __m128i second = _mm_or_si128(
        _mm_loadu_si128((const __m128i *)(const void *)(bytes + 1)), capital);
    __m128i places = _mm_setzero_si128();
    for (unsigned i = 0; i < sizeof TH_CLASS_PAIRS - 1; i += 2)
        places = _mm_or_si128(
            places,
            _mm_and_si128(_mm_cmpeq_epi8(first, _mm_set1_epi8(TH_CLASS_PAIRS[i])),
                          _mm_cmpeq_epi8(second, _mm_set1_epi8(TH_CLASS_PAIRS[i + 1]))));
    return (unsigned)_mm_movemask_epi8(places);
}
#endif

static inline unsigned th_class_places(const char *bytes)
{
#if defined(__SSE2__)
    return th_class_places_sse2(bytes);
#else
    return th_class_places_portable(bytes);
#endif
}

#endif
