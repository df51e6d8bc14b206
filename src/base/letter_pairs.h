/*
 * Finds the next of a few pairs of letters in a text, in either case, sixteen positions
 * at once. For words that are searched in many texts and found hardly ever: a word is
 * compared only after its first two letters are found.
 *
 * If both versions can be compiled, both are, so a test can compare them.
 */
#ifndef TH_LETTER_PAIRS_H
#define TH_LETTER_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "thresher/view.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { TH_PAIR_WINDOW = 16 /* positions that are searched together */ };

/**
 * Finds pairs in a window.
 * @param bytes  TH_PAIR_WINDOW + 1 of them
 * @param pairs  lower-case letters, concatenated pairs: a constant
 * @return bit i is set if a pair starts at byte i
 */
static inline unsigned th_pair_places_portable(const char *bytes, th_view pairs)
{
    unsigned places = 0;
    for (unsigned i = 0; i < TH_PAIR_WINDOW; i++)
        for (size_t pair = 0; pair < pairs.len; pair += 2)
            places |= (unsigned)((bytes[i] | 0x20) == pairs.data[pair] &&
                                 (bytes[i + 1] | 0x20) == pairs.data[pair + 1])
                      << i;
    return places;
}

#if defined(__SSE2__)
/** Like th_pair_places_portable. */
static inline unsigned th_pair_places_sse2(const char *bytes, th_view pairs)
{
    const __m128i small = _mm_set1_epi8(0x20);
    const __m128i first =
        _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)bytes), small);
    const __m128i second =
        _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)(bytes + 1)), small);
    __m128i places = _mm_setzero_si128();
    for (size_t pair = 0; pair < pairs.len; pair += 2)
        places = _mm_or_si128(
            places,
            _mm_and_si128(_mm_cmpeq_epi8(first, _mm_set1_epi8(pairs.data[pair])),
                          _mm_cmpeq_epi8(second, _mm_set1_epi8(pairs.data[pair + 1]))));
    return (unsigned)_mm_movemask_epi8(places);
}
#endif

static inline unsigned th_pair_places(const char *bytes, th_view pairs)
{
#if defined(__SSE2__)
    return th_pair_places_sse2(bytes, pairs);
#else
    return th_pair_places_portable(bytes, pairs);
#endif
}

/** A search in progress. Initialise only the text. */
typedef struct th_pair_search {
    th_view text;    /* borrowed */
    size_t window;   /* where the last window began */
    size_t next;     /* where the next one does */
    unsigned places; /* of the last window that have not been given yet */
} th_pair_search;

/** Finds the next window that contains a pair. @return false if there is none */
static inline bool th_pair_window(th_pair_search *search, th_view pairs)
{
    enum { BYTES = TH_PAIR_WINDOW + 1 };
    const th_view text = search->text;
    while (!search->places && search->next + 1 < text.len) {
        const size_t window = search->next;
        const char *bytes = text.data + window;
        char few[BYTES] = { 0 };
        size_t again = 0; /* positions already searched */
        if (text.len < BYTES) {
            memcpy(few, text.data, text.len);
            bytes = few;
        } else if (text.len - window < BYTES) { /* the last windows overlap */
            again = BYTES - (text.len - window);
            bytes -= again;
        }
        search->window = window;
        search->next = window + TH_PAIR_WINDOW;
        search->places = th_pair_places(bytes, pairs) >> again;
    }
    return search->places;
}

/** @param place  gets the position of the next pair @return false if there is none */
static inline bool th_pair_next(th_pair_search *search, th_view pairs, size_t *place)
{
    if (!th_pair_window(search, pairs))
        return false;
    *place = search->window + (size_t)__builtin_ctz(search->places);
    search->places &= search->places - 1;
    return true;
}

#endif
