/*
 * A model file contains, in this order:
 *
 * - magic, version, arguments
 * - the dictionary: words, then labels, then the buckets of n-grams that were kept
 * - the input matrix, then the output matrix, each plain or quantised
 *
 * Numbers are little-endian, as in memory. [JGBM17]
 */
#include "language/fasttext_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

enum {
    MAGIC = 793712314,
    OLDEST = 11, /* oldest supported version, then the newest */
    NEWEST = 12,
    SUPERVISED = 3,
    LOSSES = 4,
    DIMENSIONS_MAX = 1 << 14,
    NGRAM_MAX = 64,       /* letters or words of an n-gram: time grows with it */
    LABELS_MAX = 1 << 14, /* limits recursion: a tree of labels may be as deep */
    LABEL_LEN_MAX = 64,   /* bytes; about 10 in use */
    WORD_LEN_MAX = 1 << 14,
    CENTROIDS = 256, /* of a quantiser */
};

/* Maximum count of a word, and of all labels: the library treats this as infinite. */
static const int64_t count_max = (int64_t)1e15;
/* Bound of a weight that prevents overflow of any sum of products. */
static const float weight_max = 1e6f;

struct check {
    FILE *file;
    XXH3_state_t *hash;
    th_error *err;
    th_status status; /* the first error */
    /* the file's own parameters */
    int32_t version, dimensions, buckets;
    int64_t input_rows;
    bool is_pruned; /* it keeps only some of its buckets */
    int32_t labels;
};

static void fault(struct check *check, const char *what)
{
    if (check->status == TH_OK)
        check->status = th_fail(check->err, TH_USAGE, "%s", what);
}

/* Reads bytes; zeros after the end of the file. */
static void take(struct check *check, void *bytes, size_t len)
{
    memset(bytes, 0, len);
    if (check->status != TH_OK)
        return;
    if (fread(bytes, 1, len, check->file) == len)
        XXH3_64bits_update(check->hash, bytes, len);
    else if (ferror(check->file))
        check->status = th_fail(check->err, TH_IO, "%s", strerror(errno));
    else
        fault(check, "the file is cut short");
}

static int32_t take_int(struct check *check)
{
    int32_t value;
    take(check, &value, sizeof value);
    return value;
}

static int64_t take_long(struct check *check)
{
    int64_t value;
    take(check, &value, sizeof value);
    return value;
}

static bool take_switch(struct check *check)
{
    uint8_t value;
    take(check, &value, sizeof value);
    if (value > 1)
        fault(check, "a switch is neither on nor off");
    return value == 1;
}

static int32_t take_within(struct check *check, int32_t low, int32_t high,
                           const char *what)
{
    const int32_t value = take_int(check);
    if (value < low || value > high)
        fault(check, what);
    return value;
}

static void pass_weights(struct check *check, int64_t count)
{
    float weights[1024];
    while (count > 0 && check->status == TH_OK) {
        const size_t some = count < 1024 ? (size_t)count : 1024;
        take(check, weights, some * sizeof *weights);
        for (size_t i = 0; i < some; i++)
            if (!(fabsf(weights[i]) <= weight_max)) /* also NaN */
                fault(check, "a weight is no number, or larger than any");
        count -= (int64_t)some;
    }
}

static void pass_bytes(struct check *check, int64_t count)
{
    char bytes[4096];
    while (count > 0 && check->status == TH_OK) {
        const size_t some = count < (int64_t)sizeof bytes ? (size_t)count : sizeof bytes;
        take(check, bytes, some);
        count -= (int64_t)some;
    }
}

static void check_arguments(struct check *check)
{
    if (take_int(check) != MAGIC)
        fault(check, "it is no model of fastText");
    check->version =
        take_within(check, OLDEST, NEWEST, "its version is not known: 11 and 12 are");
    check->dimensions =
        take_within(check, 1, DIMENSIONS_MAX, "its number of dimensions makes no sense");
    (void)take_int(check); /* window, epochs, minimum count, negatives */
    (void)take_int(check);
    (void)take_int(check);
    (void)take_int(check);
    const int32_t words =
        take_within(check, 1, NGRAM_MAX, "its n-grams of words make no sense");
    (void)take_within(check, 1, LOSSES, "its loss is not known");
    if (take_int(check) != SUPERVISED)
        fault(check, "it has vectors of words, no labels: not a classifier");
    check->buckets = take_within(check, 0, INT32_MAX, "its buckets make no sense");
    const int32_t min =
        take_within(check, 0, NGRAM_MAX, "its n-grams of letters make no sense");
    const int32_t max =
        take_within(check, 0, NGRAM_MAX, "its n-grams of letters make no sense");
    if ((words > 1 || (max > 0 && max >= min)) && check->buckets == 0)
        fault(check, "it has n-grams, and no buckets for them");
    (void)take_int(check); /* rate of updates, threshold of sampling */
    (void)take_long(check);
}

/* Reads a NUL-terminated word. Returns its length. */
static size_t take_word(struct check *check, char *word)
{
    for (size_t len = 0; check->status == TH_OK; len++) {
        take(check, &word[len], 1);
        if (!word[len])
            return len;
        if (len + 1 == WORD_LEN_MAX)
            fault(check, "a word is longer than any");
    }
    return 0;
}

/* Returns whether a label is valid as a name in records. */
static bool is_label(const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (word[i] <= ' ' || word[i] > '~')
            return false;
    return len > 0 && len <= LABEL_LEN_MAX;
}

static void check_dictionary(struct check *check)
{
    char word[WORD_LEN_MAX];
    int64_t labelled = 0;
    const int32_t size =
        take_within(check, 1, INT32_MAX / 2, "its dictionary has no sensible size");
    const int32_t words = take_within(check, 0, size, "it has more words than entries");
    check->labels =
        take_within(check, 1, LABELS_MAX, "its number of labels makes no sense");
    if ((int64_t)words + check->labels != size)
        fault(check, "words and labels are not all of the dictionary");
    if (take_long(check) < 0)
        fault(check, "its number of tokens makes no sense");
    const int64_t kept = take_long(check);
    if (kept < -1 || kept > check->buckets)
        fault(check, "it keeps more buckets than there are");
    for (int32_t i = 0; i < size && check->status == TH_OK; i++) {
        const size_t len = take_word(check, word);
        const int64_t count = take_long(check);
        int8_t kind;
        take(check, &kind, 1);
        if (kind != (i >= words))
            fault(check, "words and labels are mixed");
        if (count < 0 || count >= count_max)
            fault(check, "a count makes no sense");
        if (i >= words && !is_label(word, len))
            fault(check, "a label is no name");
        if (check->status == TH_OK && i >= words)
            labelled += count;
        if (labelled >= count_max)
            fault(check, "the labels' counts make no sense");
    }
    for (int64_t i = 0; i < kept && check->status == TH_OK; i++) {
        (void)take_within(check, 0, check->buckets - 1, "a bucket is none");
        (void)take_within(check, 0, (int32_t)kept - 1, "a bucket's place is none");
    }
    if (check->status != TH_OK)
        return; /* the sums below need valid numbers */
    check->is_pruned = kept >= 0;
    check->input_rows = (int64_t)words + (kept >= 0 ? kept : check->buckets);
    if (kept >= 0 && check->version == OLDEST)
        fault(check, "its version has no kept buckets");
}

static void check_quantiser(struct check *check, int32_t dimensions, int64_t rows,
                            int32_t codes)
{
    const int32_t all = take_int(check), parts = take_int(check), wide = take_int(check),
                  last = take_int(check);
    if (check->status != TH_OK)
        return;
    if (all != dimensions || wide < 1 || wide > all || parts != (all + wide - 1) / wide ||
        last != (all % wide ? all % wide : wide) || rows * parts != codes)
        fault(check, "a quantiser does not fit its matrix");
    pass_weights(check, (int64_t)all * CENTROIDS);
}

static void check_matrix(struct check *check, bool is_quantised, int64_t rows)
{
    const bool has_norms = is_quantised && take_switch(check);
    const int64_t its_rows = take_long(check), columns = take_long(check);
    if (its_rows != rows || columns != check->dimensions)
        fault(check, "a matrix does not fit the dictionary");
    if (check->status != TH_OK)
        return;
    if (!is_quantised) {
        pass_weights(check, rows * check->dimensions);
        return;
    }
    const int32_t codes = take_within(check, 0, INT32_MAX, "a matrix has no codes");
    pass_bytes(check, codes);
    check_quantiser(check, check->dimensions, rows, codes);
    if (has_norms) {
        pass_bytes(check, rows);
        check_quantiser(check, 1, rows, (int32_t)rows);
    }
}

static void check_parts(struct check *check)
{
    check_arguments(check);
    check_dictionary(check);
    const bool is_quantised = take_switch(check);
    if (check->is_pruned && !is_quantised)
        fault(check, "it keeps some buckets, and is not quantised");
    check_matrix(check, is_quantised, check->input_rows);
    const bool is_output_quantised = take_switch(check) && is_quantised;
    check_matrix(check, is_output_quantised, check->labels);
    if (check->status == TH_OK && fgetc(check->file) != EOF)
        fault(check, "there is more behind its end");
}

th_status th_fasttext_file_check(FILE *file, uint64_t *checksum, th_error *err)
{
    struct check check = { .file = file, .hash = XXH3_createState(), .err = err };
    if (!check.hash)
        return th_fail(err, TH_NOMEM, "out of memory");
    XXH3_64bits_reset(check.hash);
    check_parts(&check);
    if (check.status == TH_OK)
        *checksum = XXH3_64bits_digest(check.hash);
    XXH3_freeState(check.hash);
    return check.status;
}
