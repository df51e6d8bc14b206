/* Data shared by the files that compute features: sums over rows, elements with text. */
#ifndef TH_FEATURE_WORK_H
#define TH_FEATURE_WORK_H

#include <stdbool.h>
#include <string.h>

#include "base/ascii_mask.h"
#include "content/class_family.h"
#include "content/features.h"

enum {
    TH_LEVEL_COUNT = TH_FEATURE_LEVEL_LINK - TH_FEATURE_LEVEL_MAIN + 1,
    TH_LEVELS = TH_LEVEL_COUNT + TH_FAMILY_COUNT, /* of both groups */
    TH_POOL_COUNT = TH_FEATURE_SUBTREE_2_TOKENS - TH_FEATURE_SUBTREE_1_TOKENS,
    TH_LONG_ROW = 10,       /* tokens */
    TH_PROSE_ROW = 25,      /* minimum tokens of a prose row, most of them not linked */
    TH_TOKEN_ANCESTORS = 8, /* elements whose classes are read by the regression */
    TH_LEVEL_GROUPS = 4,    /* of these: itself, 1, 2 and 3, further */
    TH_SHORT_WORDS = 12,    /* maximum tokens of a row with words that the regression
                             * reads */
    TH_UNKNOWN = 255,
    TH_TOKEN_UNKNOWN = 128,
};

/** Sums over the rows before. */
typedef struct th_row_sums {
    uint32_t rows;
    uint32_t tokens, linked, in_p, long_rows, headings;
    uint32_t titles; /* headings that are mostly linked */
    uint32_t prose;  /* tokens in rows of TH_PROSE_ROW and more */
} th_row_sums;

/** Adds the rows between two of the sums. */
static inline void th_row_sums_add(th_row_sums *to, const th_row_sums *first,
                                   const th_row_sums *end)
{
    enum { SUMS = sizeof *to / sizeof(uint32_t) };
    uint32_t sum[SUMS], before[SUMS], with[SUMS]; /* compilers make vectors of them */
    memcpy(sum, to, sizeof sum);
    memcpy(before, first, sizeof before);
    memcpy(with, end, sizeof with);
    for (unsigned i = 0; i < SUMS; i++)
        sum[i] += with[i] - before[i];
    memcpy(to, sum, sizeof sum);
}

/** An element with text. */
typedef struct th_text_node {
    uint32_t node;       /* in the page */
    uint32_t parent;     /* text node, itself for the root */
    uint32_t first, end; /* rows */
    uint32_t wider;      /* the nearest around that has more rows, or itself */
    uint32_t largest;    /* the largest around with under 70 % of tokens, or TH_NONE */
    uint32_t likeness;   /* of tag and class */
    uint32_t group;      /* number of its group of like siblings */
    uint32_t last_group; /* of its last child so far */
    uint32_t best_group; /* the largest group around */
    uint32_t sibling;    /* its number among its siblings, from 1 */
    uint32_t children;
    uint32_t class_set;
    uint32_t score; /* readability, for the direct text */
    uint8_t has_pool, has_mean;
    uint8_t mean; /* of the regression */
    uint8_t pool[TH_POOL_COUNT];
    uint8_t level[TH_LEVELS];
} th_text_node;

/** Like siblings. */
typedef struct th_similar_siblings {
    uint32_t parent, likeness;
    uint32_t count;
    th_row_sums sums; /* of all of them */
} th_similar_siblings;

typedef struct th_feature_work {
    const th_page *page;
    const th_token_table *table; /* may be NULL */
    th_arena *scratch;
    th_feature_columns out; /* a copy, so that a column is one step away */
    uint8_t *vector;
    uint32_t rows;

    th_row_sums *sums;      /* rows + 1 */
    uint32_t *text_node_of; /* rows: the element that contains a row */
    th_text_node *nodes;
    uint32_t node_count;
    th_similar_siblings *groups;
    uint32_t group_count;
    uint32_t h1; /* row, or TH_NONE */

    /* of the text */
    uint64_t *words_key;  /* rows: hash of the words */
    int32_t *word_value;  /* rows: of the regression */
    uint32_t title_words; /* largest number of the title's in one row */
} th_feature_work;

static inline uint8_t *th_column(const th_feature_work *work, unsigned feature)
{
    return work->out.column[feature];
}

/* 16 log2(v), linear between powers of two. Range of v: 1 to 61000. */
#define TH_LOG_POWER(v) (31u - (unsigned)__builtin_clz(v))
#define TH_LOG_OF(v)                                                                     \
    (uint8_t)(16 * TH_LOG_POWER(v) +                                                     \
              (((uint32_t)(v) << 16 >> TH_LOG_POWER(v)) >> 12 & 15))

enum { TH_LOGS = 256 };

#pragma GCC visibility push(hidden)
/* th_log of the most frequent values. */
extern const uint8_t th_logs[TH_LOGS];
#pragma GCC visibility pop

/** 16 log2(1 + n), linear between powers of two, and at most 254. */
static inline uint8_t th_log(uint32_t n)
{
    if (n < TH_LOGS)
        return th_logs[n];
    return n < 61000 ? TH_LOG_OF(n + 1) : 254;
}

/** part / all, of 255; 0 of nothing. */
static inline uint8_t th_share(uint32_t part, uint32_t all)
{
    if (!part)
        return 0;
    if (part >= all)
        return all ? 255 : 0;
    return (uint8_t)(part < 1u << 24 ? part * 255 / all : (uint64_t)part * 255 / all);
}

static inline uint8_t th_at_most(uint32_t value, uint8_t max)
{
    return value < max ? (uint8_t)value : max;
}

enum { TH_EIGHT = 8 }; /* rows that are written at once */

/**
 * Writes eight columns of eight rows.
 * @param from  eight bytes of each row; their order changes
 * @param to    place of the first row in the first column
 */
static inline void th_write_eight_portable(uint64_t from[TH_EIGHT], uint8_t *to,
                                           size_t stride)
{
    static const uint64_t mask[3] = { UINT64_C(0x00000000FFFFFFFF),
                                      UINT64_C(0x0000FFFF0000FFFF),
                                      UINT64_C(0x00FF00FF00FF00FF) };
    /* Squares of four, two and one bytes change places with those beyond the diagonal. */
    for (unsigned step = 0, width = 4; step < 3; step++, width /= 2)
        for (unsigned i = 0; i < TH_EIGHT; i++) {
            if (i & width)
                continue;
            const uint64_t swap = (from[i] >> 8 * width ^ from[i + width]) & mask[step];
            from[i + width] ^= swap;
            from[i] ^= swap << 8 * width;
        }
    for (unsigned i = 0; i < TH_EIGHT; i++)
        th_ascii_store8((char *)to + i * stride, from[i]);
}

#if defined(__SSE2__)

/** Like th_write_eight_portable. Three times, the bytes of a row and of the row four
 * further on alternate. */
static inline void th_write_eight_sse2(const uint64_t from[TH_EIGHT], uint8_t *to,
                                       size_t stride)
{
    __m128i row[4];
    for (unsigned i = 0; i < 4; i++)
        row[i] = _mm_unpacklo_epi8(_mm_cvtsi64_si128((long long)from[i]),
                                   _mm_cvtsi64_si128((long long)from[i + 4]));
    for (unsigned step = 0; step < 2; step++) {
        const __m128i first = row[0], second = row[1];
        row[0] = _mm_unpacklo_epi8(first, row[2]);
        row[1] = _mm_unpackhi_epi8(first, row[2]);
        row[2] = _mm_unpacklo_epi8(second, row[3]);
        row[3] = _mm_unpackhi_epi8(second, row[3]);
    }
    for (unsigned i = 0; i < 4; i++, to += 2 * stride) {
        _mm_storel_epi64((__m128i *)(void *)to, row[i]);
        _mm_storel_epi64((__m128i *)(void *)(to + stride),
                         _mm_unpackhi_epi64(row[i], row[i]));
    }
}

#define th_write_eight th_write_eight_sse2
#else
#define th_write_eight th_write_eight_portable
#endif

/* Returns the number of words of a set that the model counts. It was trained with this
 * limit. */
static inline uint32_t th_model_words(const th_class_set *set)
{
    return set->count < TH_CLASS_ATTRIBUTE_WORDS ? set->count : TH_CLASS_ATTRIBUTE_WORDS;
}

/**
 * The element that contains a row. If one element within a line contains the complete
 * row, it is that element.
 */
static inline uint32_t th_node_of_row(const th_page *page, uint32_t row)
{
    const th_paragraph *paragraph = &page->paragraphs[row];
    return paragraph->end_block - paragraph->first_block == 1
               ? page->blocks[paragraph->first_block].node
               : paragraph->node;
}

/* Each fills its groups of columns. TH_OK or TH_NOMEM. */
th_status th_feature_tree(th_feature_work *work);
th_status th_feature_text(th_feature_work *work);
th_status th_feature_tokens(th_feature_work *work);
void th_feature_places(th_feature_work *work);
th_status th_feature_repetition(th_feature_work *work);
th_status th_feature_rules(th_feature_work *work);
void th_feature_page(th_feature_work *work);

#endif
