/*
 * The features of a paragraph and of a page for a learned classifier: about 200 bytes for
 * each. [training/features.md]
 *
 * The same code computes them for training and for use. All are integers, computed in a
 * fixed number of passes over paragraphs and nodes.
 */
#ifndef TH_FEATURES_H
#define TH_FEATURES_H

#include "content/feature_list.h"
#include "content/page_type.h"
#include "content/token_table.h"
#include "thresher/page.h"

enum {
#define TH_FEATURE_GROUP_ENUM(name, text, help) TH_FEATURE_GROUP_##name,
    TH_FEATURE_GROUP_LIST(TH_FEATURE_GROUP_ENUM)
#undef TH_FEATURE_GROUP_ENUM
        TH_FEATURE_GROUP_COUNT
};
enum {
#define TH_FEATURE_ENUM(name, text, group, help) TH_FEATURE_##name,
    TH_FEATURE_LIST(TH_FEATURE_ENUM)
#undef TH_FEATURE_ENUM
        TH_FEATURE_COUNT
};
enum {
#define TH_PAGE_FEATURE_ENUM(name, text, help) TH_PAGE_FEATURE_##name,
    TH_PAGE_FEATURE_LIST(TH_PAGE_FEATURE_ENUM)
#undef TH_PAGE_FEATURE_ENUM
        TH_PAGE_FEATURE_COUNT
};
_Static_assert(TH_FEATURE_COUNT <= 255, "the index of a feature fits in a byte");

/* The last columns: probabilities of page types, filled by whoever has a model of them. */
enum { TH_FEATURE_TYPES = TH_FEATURE_COUNT - TH_PAGE_TYPE_COUNT };

/* The parts that the page model must keep for all features: th_options.reads. */
#define TH_FEATURES_READ (TH_READS_CLASSES | TH_READS_HIDDEN | TH_READS_HINTS)

/** A plane of bytes for each feature. */
typedef struct th_feature_columns {
    uint32_t rows;   /* th_page.paragraph_count */
    uint32_t stride; /* rows, up to the next multiple of 32. The additional bytes are
                      * zero */
    uint8_t *column[TH_FEATURE_COUNT];
} th_feature_columns;

/** The buckets of each row, for training. */
typedef struct th_token_buckets {
    uint32_t *start; /* rows + 1 */
    uint16_t *bucket;
} th_token_buckets;

const char *th_feature_name(unsigned feature);
const char *th_feature_help(unsigned feature);
/** TH_FEATURE_GROUP_... */
unsigned th_feature_group(unsigned feature);
const char *th_feature_group_name(unsigned group);
const char *th_feature_group_help(unsigned group);
const char *th_page_feature_name(unsigned feature);
const char *th_page_feature_help(unsigned feature);

/**
 * Computes all columns but the last seven, which are zero, and the page's vector.
 * @param page    made with TH_FEATURES_READ. Without it, features of missing parts are
 *                unknown or 0
 * @param table   if NULL, the columns of the group "token" are unknown
 * @param scratch owns the columns; temporary memory is returned on TH_OK
 * @param vector  out: uint8_t[TH_PAGE_FEATURE_COUNT]
 * @return TH_OK or TH_NOMEM
 * O(text + nodes + rows). Keeps a byte for each column and row. Temporarily uses about
 * 100 bytes more for each row, and 130 for each element with text.
 */
th_status th_features_compute(const th_page *page, const th_token_table *table,
                              th_arena *scratch, th_feature_columns *out,
                              uint8_t *vector);

/**
 * Returns the buckets of a row's words.
 * @param scratch  owns them
 * @return TH_OK or TH_NOMEM
 */
th_status th_features_buckets(const th_page *page, th_arena *scratch,
                              th_token_buckets *out);

#endif
