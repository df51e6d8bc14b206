/* Fixed-point functions that need a table or a loop. */
#include "segment/fixed_point.h"

#include <math.h>

enum { STEPS = 256, STEP_BITS = 5 }; /* a step is 1/32 */

/* round(1024 / (1 + exp(-i / 32))); literals, because exp() differs between machines. */
/* clang-format off */
static const int16_t sigmoid_table[STEPS + 1] = {
    512, 520, 528, 536, 544, 552, 560, 568, 576, 584, 591, 599, 607, 615, 622, 630, 637,
    645, 652, 660, 667, 674, 681, 688, 695, 702, 709, 716, 723, 729, 736, 742, 749, 755,
    761, 767, 773, 779, 785, 790, 796, 801, 807, 812, 817, 822, 827, 832, 837, 842, 847,
    851, 856, 860, 864, 868, 872, 876, 880, 884, 888, 891, 895, 899, 902, 905, 908, 912,
    915, 918, 921, 924, 926, 929, 932, 934, 937, 939, 942, 944, 946, 949, 951, 953, 955,
    957, 959, 961, 962, 964, 966, 968, 969, 971, 972, 974, 975, 977, 978, 980, 981, 982,
    983, 985, 986, 987, 988, 989, 990, 991, 992, 993, 994, 995, 996, 997, 997, 998, 999,
    1000, 1000, 1001, 1002, 1003, 1003, 1004, 1004, 1005, 1006, 1006, 1007, 1007, 1008,
    1008, 1009, 1009, 1010, 1010, 1010, 1011, 1011, 1012, 1012, 1012, 1013, 1013, 1013,
    1014, 1014, 1014, 1015, 1015, 1015, 1015, 1016, 1016, 1016, 1016, 1017, 1017, 1017,
    1017, 1018, 1018, 1018, 1018, 1018, 1018, 1019, 1019, 1019, 1019, 1019, 1019, 1020,
    1020, 1020, 1020, 1020, 1020, 1020, 1020, 1021, 1021, 1021, 1021, 1021, 1021, 1021,
    1021, 1021, 1021, 1021, 1022, 1022, 1022, 1022, 1022, 1022, 1022, 1022, 1022, 1022,
    1022, 1022, 1022, 1022, 1022, 1022, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023,
    1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023,
    1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1023, 1024,
    1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024,
};
/* clang-format on */

/* z >= 0 */
static int32_t upper_half(int64_t z)
{
    if (z >= STEPS << STEP_BITS)
        return sigmoid_table[STEPS];
    const int32_t i = (int32_t)(z >> STEP_BITS), rest = (int32_t)(z & 31);
    return sigmoid_table[i] +
           (((sigmoid_table[i + 1] - sigmoid_table[i]) * rest) >> STEP_BITS);
}

int32_t th_fixed_sigmoid(int64_t z)
{
    return z >= 0 ? upper_half(z) : TH_ONE - upper_half(-z);
}

uint32_t th_fixed_sqrt(uint64_t n)
{
    /* The machine's root is only an estimate. The correction here removes its
     * rounding. */
    const double near = sqrt((double)n);
    uint64_t root = near < UINT32_MAX ? (uint64_t)near : UINT32_MAX;
    while (root * root > n)
        root--;
    while (root < UINT32_MAX && (root + 1) * (root + 1) <= n)
        root++;
    return (uint32_t)root;
}
