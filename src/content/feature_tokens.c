/*
 * The hashed logistic regression over words: words of the classes of the eight nearest
 * elements, and words of a short text. Computes its value for a row, and means of it over
 * elements around and over neighbours. [training/features.md]
 */
#include <string.h>

#include "content/feature_work.h"
#include "content/row_words.h"
#include "content/token_table.h"

enum {
    BYTE_UNIT = 12, /* of a column: log-odds times 12 */
    ANCESTORS = 4,
};

/* How far up an element is, in steps that the regression distinguishes. */
static const uint8_t group_of_step[TH_TOKEN_ANCESTORS] = { 0, 1, 2, 2, 3, 3, 3, 3 };

/* ---- buckets, for training ---------------------------------------------------------- */

static uint32_t class_buckets(const th_page *page, uint32_t node, uint16_t *out)
{
    uint32_t count = 0;
    for (unsigned step = 0; step < TH_TOKEN_ANCESTORS && node != TH_NONE; step++) {
        const th_class_set *set = &page->class_sets[page->class_set_of[node]];
        for (uint32_t k = 0; k < th_model_words(set); k++)
            out[count++] = th_bucket_of_class(page->class_words[set->first + k],
                                              group_of_step[step]);
        node = page->nodes[node].parent;
    }
    return count;
}

static uint32_t word_buckets(th_view text, uint16_t *out)
{
    uint32_t count = 0;
    th_row_word word;
    for (size_t at = 0; th_row_word_next(text, &at, &word);) {
        if (count == TH_SHORT_WORDS)
            return 0; /* no short text */
        out[count++] = th_bucket_of_word(word.hash);
    }
    return count;
}

th_status th_features_buckets(const th_page *page, th_arena *scratch,
                              th_token_buckets *out)
{
    enum { MOST = TH_TOKEN_ANCESTORS * TH_CLASS_ATTRIBUTE_WORDS + TH_SHORT_WORDS };
    const uint32_t rows = page->paragraph_count;
    uint32_t capacity = 0, count = 0;
    out->start = th_arena_alloc(scratch, (rows + (size_t)1) * sizeof *out->start);
    out->bucket = NULL;
    if (!out->start)
        return TH_NOMEM;
    for (uint32_t i = 0; i < rows; i++) {
        if (capacity - count < MOST) {
            const uint32_t more = capacity ? capacity * 2 : 4096;
            out->bucket =
                th_arena_grow(scratch, out->bucket, capacity * sizeof *out->bucket,
                              more * sizeof *out->bucket);
            capacity = more;
        }
        if (!out->bucket)
            return TH_NOMEM;
        out->start[i] = count;
        if (page->class_sets)
            count += class_buckets(page, th_node_of_row(page, i), out->bucket + count);
        count += word_buckets(th_paragraph_text(page, i), out->bucket + count);
    }
    out->start[rows] = count;
    return TH_OK;
}

/* ---- values ------------------------------------------------------------------------- */

/* The value of a set's words, by how far up their element is. */
struct set_value {
    int32_t by_group[TH_LEVEL_GROUPS];
};

/* Computed for the sets that rows ask for. */
struct set_values {
    struct set_value *of;
    uint8_t *is_known; /* a bit for each group */
};

static bool value_sets(const th_feature_work *work, struct set_values *out)
{
    const size_t count = work->page->class_set_count + (size_t)1;
    out->of = th_arena_alloc(work->scratch, count * sizeof *out->of);
    out->is_known = th_arena_calloc(work->scratch, count, 1);
    return out->of && out->is_known;
}

static inline int32_t value_of_set(const th_feature_work *work,
                                   const struct set_values *sets, uint32_t number,
                                   unsigned group)
{
    if (!(sets->is_known[number] & 1u << group)) {
        const th_class_set *set = &work->page->class_sets[number];
        int32_t value = 0;
        for (uint32_t k = set->first; k < set->first + th_model_words(set); k++)
            value += work->table
                         ->weight[th_bucket_of_class(work->page->class_words[k], group)];
        sets->of[number].by_group[group] = value;
        sets->is_known[number] = (uint8_t)(sets->is_known[number] | 1u << group);
    }
    return sets->of[number].by_group[group];
}

static uint8_t to_byte(int64_t value)
{
    const int64_t scaled = 128 + value * BYTE_UNIT / TH_TOKEN_UNIT;
    return (uint8_t)(scaled < 0 ? 0 : scaled > 255 ? 255 : scaled);
}

/* Sums over the rows before, by weight: a row weighs one more than its tokens. */
struct value_sum {
    int64_t value;
    int64_t weight;
};

static uint8_t mean(const struct value_sum *sums, uint32_t first, uint32_t end)
{
    const int64_t weight = sums[end].weight - sums[first].weight;
    return weight ? to_byte((sums[end].value - sums[first].value) / weight)
                  : TH_TOKEN_UNKNOWN;
}

static uint8_t mean_around(const struct value_sum *sums, uint32_t row, uint32_t width,
                           uint32_t rows)
{
    return mean(sums, row > width ? row - width : 0,
                rows - row > width ? row + width + 1 : rows);
}

/* The classes of elements one around the other. */
struct classes {
    int32_t sum, min, max; /* of their values */
    uint32_t words;
};

static const struct classes no_classes = { .min = INT32_MAX, .max = INT32_MIN };

/* Steps up from a row. Many rows share an element that is so far up. */
enum { FAR = 2 };

/* The classes of each element that is FAR steps up, with those around it. */
struct far_classes {
    struct classes *of;
    uint8_t *is_known;
};

static bool value_far(const th_feature_work *work, struct far_classes *out)
{
    const size_t count = work->page->node_count + (size_t)1;
    out->of = th_arena_alloc(work->scratch, count * sizeof *out->of);
    out->is_known = th_arena_calloc(work->scratch, count, 1);
    return out->of && out->is_known;
}

/* Adds the classes of an element that is `step` up. */
static inline void add_classes(const th_feature_work *work, const struct set_values *sets,
                               struct classes *to, uint32_t node, unsigned step)
{
    const th_page *page = work->page;
    const uint32_t set = page->class_set_of[node];
    const uint32_t count = th_model_words(&page->class_sets[set]);
    to->words += count;
    if (!count || !sets)
        return;
    const int32_t own = value_of_set(work, sets, set, group_of_step[step]);
    to->sum += own;
    to->min = own < to->min ? own : to->min;
    to->max = own > to->max ? own : to->max;
}

/* Returns the classes of an element that is FAR steps up, with those around it. */
static struct classes classes_from(const th_feature_work *work,
                                   const struct set_values *sets,
                                   const struct far_classes *far, uint32_t node)
{
    if (!far->is_known[node]) {
        struct classes sum = no_classes;
        uint32_t at = node;
        for (unsigned step = FAR; step < TH_TOKEN_ANCESTORS && at != TH_NONE; step++) {
            add_classes(work, sets, &sum, at, step);
            at = work->page->nodes[at].parent;
        }
        far->of[node] = sum;
        far->is_known[node] = 1;
    }
    return far->of[node];
}

/* Returns the classes of the eight nearest elements of a row. */
static struct classes classes_of_row(const th_feature_work *work,
                                     const struct set_values *sets,
                                     const struct far_classes *far, uint32_t row)
{
    const th_page *page = work->page;
    if (!page->class_set_of || !page->class_sets)
        return no_classes;
    const uint32_t own = th_node_of_row(page, row), parent = page->nodes[own].parent;
    const uint32_t above = parent == TH_NONE ? TH_NONE : page->nodes[parent].parent;
    struct classes sum =
        above == TH_NONE ? no_classes : classes_from(work, sets, far, above);
    if (parent != TH_NONE)
        add_classes(work, sets, &sum, parent, 1);
    add_classes(work, sets, &sum, own, 0);
    return sum;
}

/*
 * Writes the values of the classes of the eight nearest elements, and the number of their
 * words.
 */
static int32_t write_classes(const th_feature_work *work, const struct set_values *sets,
                             const struct far_classes *far, uint32_t row)
{
    const struct classes classes = classes_of_row(work, sets, far, row);
    if (work->page->class_sets)
        th_column(work, TH_FEATURE_TOKEN_COUNT)[row] = th_log(classes.words);
    if (!sets)
        return 0;
    th_column(work, TH_FEATURE_TOKEN_CLASSES)[row] = to_byte(classes.sum);
    th_column(work, TH_FEATURE_TOKEN_MIN)[row] =
        classes.min == INT32_MAX ? TH_TOKEN_UNKNOWN : to_byte(classes.min);
    th_column(work, TH_FEATURE_TOKEN_MAX)[row] =
        classes.max == INT32_MIN ? TH_TOKEN_UNKNOWN : to_byte(classes.max);
    return classes.sum;
}

static void write_means(const th_feature_work *work, const struct value_sum *sums)
{
    const uint32_t rows = work->rows;
    for (uint32_t i = 0; i < rows; i++) {
        th_text_node *node = &work->nodes[work->text_node_of[i]];
        if (node->end - node->first <= 1)
            node = &work->nodes[node->wider];
        for (unsigned k = 0; k < ANCESTORS; k++) {
            if (!node->has_mean) {
                node->has_mean = 1;
                node->mean = mean(sums, node->first, node->end);
            }
            th_column(work, TH_FEATURE_TOKEN_SUBTREE_1 + k)[i] = node->mean;
            node = &work->nodes[node->wider];
        }
        th_column(work, TH_FEATURE_TOKEN_WINDOW_4)[i] = mean_around(sums, i, 4, rows);
        th_column(work, TH_FEATURE_TOKEN_WINDOW_10)[i] = mean_around(sums, i, 10, rows);
    }
    const uint8_t *own = th_column(work, TH_FEATURE_TOKEN_OWN);
    uint8_t *before = th_column(work, TH_FEATURE_TOKEN_PREVIOUS);
    uint8_t *after = th_column(work, TH_FEATURE_TOKEN_NEXT);
    before[0] = after[rows - 1] = TH_TOKEN_UNKNOWN;
    memcpy(before + 1, own, rows - 1);
    memcpy(after, own + 1, rows - 1);
    memset(th_column(work, TH_FEATURE_TOKEN_PAGE), mean(sums, 0, rows), rows);
}

/*
 * Writes the values of the headings over each row: the last heading, and the one of a
 * higher level before it.
 */
static void write_headings(const th_feature_work *work)
{
    enum { LEVELS = 7 };
    uint8_t value[LEVELS] = { 0 };
    unsigned last = 0, above = 0; /* levels; 0: none */
    value[0] = TH_TOKEN_UNKNOWN;
    for (uint32_t i = 0; i < work->rows; i++) {
        const th_paragraph *row = &work->page->paragraphs[i];
        if (row->kind == TH_PARAGRAPH_HEADING && row->level < LEVELS) {
            above = last && last < row->level ? last : above;
            above = above < row->level ? above : 0;
            last = row->level;
            value[last] = to_byte(work->word_value[i]);
        }
        th_column(work, TH_FEATURE_TOKEN_HEADING)[i] = value[last];
        th_column(work, TH_FEATURE_TOKEN_HEADING_ABOVE)[i] = value[above];
    }
}

th_status th_feature_tokens(th_feature_work *work)
{
    const uint32_t rows = work->rows;
    struct far_classes far;
    if (!value_far(work, &far))
        return TH_NOMEM;
    if (!work->table || !rows) {
        for (uint32_t i = 0; i < rows; i++)
            (void)write_classes(work, NULL, &far, i);
        for (unsigned i = TH_FEATURE_TOKEN_OWN; i < TH_FEATURE_TOKEN_COUNT; i++)
            memset(th_column(work, i), TH_TOKEN_UNKNOWN, rows);
        return TH_OK;
    }
    struct set_values values;
    const struct set_values *sets = value_sets(work, &values) ? &values : NULL;
    struct value_sum *sums =
        th_arena_alloc(work->scratch, (rows + (size_t)1) * sizeof *sums);
    if (!sets || !sums)
        return TH_NOMEM;
    sums[0] = (struct value_sum){ 0 };
    for (uint32_t i = 0; i < rows; i++) {
        const int32_t words = work->word_value[i];
        const int32_t value =
            work->table->bias + write_classes(work, sets, &far, i) + words;
        th_column(work, TH_FEATURE_TOKEN_OWN)[i] = to_byte(value);
        th_column(work, TH_FEATURE_TOKEN_WORDS)[i] = to_byte(words);
        const int64_t weight =
            1 + (int64_t)(work->sums[i + 1].tokens - work->sums[i].tokens);
        sums[i + 1].value = sums[i].value + value * weight;
        sums[i + 1].weight = sums[i].weight + weight;
    }
    write_means(work, sums);
    write_headings(work);
    return TH_OK;
}
