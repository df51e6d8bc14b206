/* The prefix by falling probability that has the highest expected F1. */
#include "content/expected_f1.h"

enum { STEPS = 1024, STEP_BITS = 6, WORD = 64 };

/* part / whole of TH_F1_ONE, part <= whole. */
static uint32_t ratio(uint64_t part, uint64_t whole)
{
    while (whole >> 32) {
        whole >>= 1;
        part >>= 1;
    }
    return whole ? (uint32_t)(part * TH_F1_ONE / whole) : 0;
}

uint32_t th_expected_f1(uint64_t kept, uint64_t chosen, uint64_t expected,
                        th_cut_taste taste)
{
    return ratio((TH_TASTE_ONE + (uint64_t)taste.missed) * kept,
                 TH_TASTE_ONE * chosen + taste.missed * expected);
}

th_best_cut th_best_cut_find(const uint16_t *score, const uint32_t *tokens,
                             uint32_t count, th_cut_taste taste)
{
    uint64_t kept_at[STEPS], tokens_at[STEPS]; /* of the used steps; most pages use few */
    uint64_t used[STEPS / WORD] = { 0 };       /* a bit for each step */
    uint64_t expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t kept = (uint64_t)score[i] * tokens[i];
        const unsigned step = score[i] >> STEP_BITS;
        const uint64_t bit = UINT64_C(1) << step % WORD;
        if (!(used[step / WORD] & bit))
            kept_at[step] = tokens_at[step] = 0;
        used[step / WORD] |= bit;
        kept_at[step] += kept;
        tokens_at[step] += tokens[i];
        expected += kept;
    }
    th_best_cut best = { .cut = TH_PROBABILITY_ONE, .quality = 0 };
    uint64_t kept = 0, chosen = 0;
    for (unsigned word = STEPS / WORD; word-- > 0;) {
        while (used[word]) { /* the highest step first */
            const unsigned bit = WORD - 1 - (unsigned)__builtin_clzll(used[word]);
            const unsigned step = word * WORD + bit;
            used[word] ^= UINT64_C(1) << bit;
            if (!tokens_at[step])
                continue;
            kept += kept_at[step];
            chosen += tokens_at[step] * TH_PROBABILITY_ONE;
            const uint32_t quality = th_expected_f1(kept, chosen, expected, taste);
            if (quality > best.quality)
                best = (th_best_cut){ .cut = (uint16_t)(step << STEP_BITS),
                                      .quality = quality };
        }
    }
    return best;
}
