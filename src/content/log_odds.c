/*
 * exp(-d) is 2^-k times 2^-f with d log2(e) = k + f: a shift, and a table of 2^-f between
 * whose entries a straight line is right to 1.5e-5.
 */
#include "content/log_odds.h"

enum {
    TABLE_BITS = 6,
    REST_BITS = 16 - TABLE_BITS,
    LOG2_E = 1512775, /* log2(e) in 1/2^20 */
    LEAST = 22 << 16,
};

/* 2^(-i/64) in 1/2^30. */
/* clang-format off */
static const uint32_t power[(1 << TABLE_BITS) + 1] = {
    1073741824, 1062175491, 1050733751, 1039415261, 1028218693, 1017142735,
    1006186087, 995347464, 984625594, 974019220, 963527098, 953147997,
    942880699, 932724001, 922676710, 912737649, 902905651, 893179563,
    883558244, 874040567, 864625413, 855311680, 846098274, 836984114,
    827968132, 819049271, 810226483, 801498734, 792865000, 784324269,
    775875538, 767517817, 759250125, 751071493, 742980960, 734977579,
    727060411, 719228525, 711481005, 703816941, 696235434, 688735596,
    681316545, 673977412, 666717336, 659535466, 652430958, 645402981,
    638450708, 631573326, 624770026, 618040012, 611382493, 604796689,
    598281827, 591837143, 585461881, 579155293, 572916640, 566745190,
    560640218, 554601009, 548626854, 542717053, 536870912,
};
/* clang-format on */

uint32_t th_exp_minus(uint64_t distance)
{
    if (distance >= LEAST)
        return 0;
    const uint32_t x = (uint32_t)((distance * LOG2_E) >> 20);
    const uint32_t f = x & 0xFFFF, i = f >> REST_BITS;
    const uint32_t rest = f & ((1u << REST_BITS) - 1);
    const uint32_t step =
        (uint32_t)(((uint64_t)(power[i] - power[i + 1]) * rest) >> REST_BITS);
    return (power[i] - step) >> (x >> 16);
}

uint16_t th_logistic(int64_t log_odds)
{
    const uint64_t distance = log_odds < 0 ? 0 - (uint64_t)log_odds : (uint64_t)log_odds;
    const uint64_t one = UINT64_C(1) << 30, whole = one + th_exp_minus(distance);
    const uint32_t likely = (uint32_t)((TH_PROBABILITY_ONE * one + whole / 2) / whole);
    return (uint16_t)(log_odds < 0 ? TH_PROBABILITY_ONE - likely : likely);
}

void th_softmax(const int64_t *log_odds, uint32_t count, uint16_t *probability)
{
    int64_t max = log_odds[0];
    uint64_t sum = 0;
    for (uint32_t i = 1; i < count; i++)
        max = log_odds[i] > max ? log_odds[i] : max;
    for (uint32_t i = 0; i < count; i++)
        sum += th_exp_minus((uint64_t)max - (uint64_t)log_odds[i]);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t part = th_exp_minus((uint64_t)max - (uint64_t)log_odds[i]);
        probability[i] = (uint16_t)(part * TH_PROBABILITY_ONE / sum);
    }
}
