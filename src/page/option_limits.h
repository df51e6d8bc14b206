/*
 * Limits of a page's options, each with its default and its range. Used by
 * th_options_init, th_options_check and the program's option table.
 */
#ifndef TH_OPTION_LIMITS_H
#define TH_OPTION_LIMITS_H

/* clang-format off */
/* X(field of th_options, name of the option, lowest, default, highest) */
#define TH_OPTION_LIMITS(X)                                          \
    X(max_record,     "max-record",     1024, 16 << 20,  1 << 30)    \
    X(max_body,       "max-body",       1024, 8 << 20,   1 << 30)    \
    X(max_head,       "max-head",       256,  256 << 10, 16 << 20)   \
    X(max_codings,    "max-codings",    0,    5,         8)          \
    X(max_depth,      "max-depth",      1,    512,       65535)      \
    X(max_nodes,      "max-nodes",      1,    250000,    100000000)  \
    X(max_blocks,     "max-blocks",     1,    250000,    100000000)  \
    X(max_links,      "max-links",      0,    50000,     100000000)  \
    X(max_attributes, "max-attributes", 1,    1024,      65535)      \
    X(max_tag,        "max-tag",        256,  64 << 10,  64 << 20)   \
    X(page_ms,        "page-ms",        0,    2000,      3600000)    \
    X(w_max,          "w-max",          1,    80,        10000)      \
    X(language_bytes, "language-bytes", 64,   1024,      1 << 20)

enum {
#define TH_LIMIT_ENUM(field, name, low, standard, high) \
    TH_LOW_##field = low, TH_STANDARD_##field = standard, TH_HIGH_##field = high,
    TH_OPTION_LIMITS(TH_LIMIT_ENUM)
#undef TH_LIMIT_ENUM
    TH_THETA_MAX_OWN = -1, /* theta_max below 0: the segmenter's own */
};
/* clang-format on */

#endif
