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
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/buffer.h"

enum {
    MAGIC = 793712314,
    OLDEST = 11, /* oldest supported version, then the newest */
    NEWEST = 12,
    SUPERVISED = 3,
    DIMENSIONS_MAX = 1 << 14,
    NGRAM_MAX = 64,       /* letters or words of an n-gram: time grows with it */
    LABELS_MAX = 1 << 14, /* limits recursion: a tree of labels may be as deep */
    LABEL_LEN_MAX = 64,   /* bytes; about 10 in use */
    WORD_LEN_MAX = 1 << 14,
    ENTRIES_MAX = INT32_MAX / 2, /* of a table: the hash tables have twice as many */
    CENTROIDS = 256,             /* of a quantiser */
};

/* Maximum count of a word, and of all labels: a node of the tree that is not built has
 * this count. */
static const int64_t count_max = (int64_t)1e15;
/* Bound of a weight that prevents overflow of any sum of products. */
static const float weight_max = 1e6f;

struct reading {
    FILE *file;
    XXH3_state_t *hash;
    th_error *err;
    th_status status; /* the first error */
    th_fasttext_file *out;
    int32_t version;
    int64_t input_rows;
};

static void fault(struct reading *reading, const char *what)
{
    if (reading->status == TH_OK)
        reading->status = th_fail(reading->err, TH_USAGE, "%s", what);
}

/* Reads bytes; zeros after the end of the file. */
static void take(struct reading *reading, void *bytes, size_t len)
{
    memset(bytes, 0, len);
    if (reading->status != TH_OK)
        return;
    if (fread(bytes, 1, len, reading->file) == len)
        XXH3_64bits_update(reading->hash, bytes, len);
    else if (ferror(reading->file))
        reading->status = th_fail(reading->err, TH_IO, "%s", strerror(errno));
    else
        fault(reading, "truncated file");
}

static int32_t take_int(struct reading *reading)
{
    int32_t value;
    take(reading, &value, sizeof value);
    return value;
}

static int64_t take_long(struct reading *reading)
{
    int64_t value;
    take(reading, &value, sizeof value);
    return value;
}

static bool take_switch(struct reading *reading)
{
    uint8_t value;
    take(reading, &value, sizeof value);
    if (value > 1)
        fault(reading, "invalid switch (expected 0 or 1)");
    return value == 1;
}

static int32_t take_within(struct reading *reading, int32_t low, int32_t high,
                           const char *what)
{
    const int32_t value = take_int(reading);
    if (value < low || value > high)
        fault(reading, what);
    return value;
}

/*
 * Reads an array. Memory grows with the bytes that were read, because the count may be
 * wrong. @return NULL after an error, and for no bytes
 */
static void *take_array(struct reading *reading, int64_t count, size_t size)
{
    char *bytes = NULL;
    const uint64_t wanted = (uint64_t)count * size; /* below 2^31 rows of 2^16 bytes */
    uint64_t len = 0, capacity = 0;
    while (len < wanted && reading->status == TH_OK) {
        if (len == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            capacity = capacity < wanted ? capacity : wanted;
            char *more = realloc(bytes, capacity);
            if (!more) {
                reading->status = th_fail(reading->err, TH_NOMEM, "out of memory");
                break;
            }
            bytes = more;
        }
        take(reading, bytes + len, capacity - len);
        len = capacity;
    }
    if (reading->status == TH_OK)
        return bytes;
    free(bytes);
    return NULL;
}

static float *take_weights(struct reading *reading, int64_t count)
{
    float *weights = take_array(reading, count, sizeof *weights);
    for (int64_t i = 0; weights && i < count; i++)
        if (!(fabsf(weights[i]) <= weight_max)) /* also NaN */
            fault(reading, "invalid weight (not a number, or out of range)");
    return weights;
}

static void read_arguments(struct reading *reading)
{
    th_fasttext_file *out = reading->out;
    if (take_int(reading) != MAGIC)
        fault(reading, "not a fastText model");
    reading->version =
        take_within(reading, OLDEST, NEWEST, "unsupported version (expected 11 or 12)");
    out->dimensions =
        take_within(reading, 1, DIMENSIONS_MAX, "invalid number of dimensions");
    (void)take_int(reading); /* window, epochs, minimum count, negatives */
    (void)take_int(reading);
    (void)take_int(reading);
    (void)take_int(reading);
    out->word_ngram =
        take_within(reading, 1, NGRAM_MAX, "invalid length of word n-grams");
    out->loss = (th_fasttext_loss)take_within(
        reading, TH_FASTTEXT_TREE, TH_FASTTEXT_ONE_VS_ALL, "unknown loss function");
    if (take_int(reading) != SUPERVISED)
        fault(reading, "word vectors without labels (expected a classifier)");
    out->buckets = take_within(reading, 0, INT32_MAX, "invalid number of buckets");
    out->letters_min =
        take_within(reading, 0, NGRAM_MAX, "invalid length of character n-grams");
    out->letters_max =
        take_within(reading, 0, NGRAM_MAX, "invalid length of character n-grams");
    if ((out->word_ngram > 1 ||
         (out->letters_max > 0 && out->letters_max >= out->letters_min)) &&
        out->buckets == 0)
        fault(reading, "n-grams without buckets");
    if (reading->version == OLDEST)
        out->letters_max = 0; /* classifiers of this version have no such n-grams */
    (void)take_int(reading);  /* rate of updates, threshold of sampling */
    (void)take_long(reading);
}

/* Reads a NUL-terminated word. Returns its length. */
static size_t take_word(struct reading *reading, char *word)
{
    for (size_t len = 0; reading->status == TH_OK; len++) {
        take(reading, &word[len], 1);
        if (!word[len])
            return len;
        if (len + 1 == WORD_LEN_MAX)
            fault(reading, "word longer than the limit");
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

/* Reads an entry, with its count and its kind. */
static void read_entry(struct reading *reading, int32_t number, th_buffer *text,
                       int64_t *labelled)
{
    th_fasttext_file *out = reading->out;
    char word[WORD_LEN_MAX];
    const bool is_of_label = number >= out->words;
    const size_t len = take_word(reading, word);
    const int64_t count = take_long(reading);
    int8_t kind;
    take(reading, &kind, 1);
    if (kind != is_of_label)
        fault(reading, "a label before a word");
    if (count < 0 || count >= count_max)
        fault(reading, "invalid count");
    if (is_of_label && !is_label(word, len))
        fault(reading, "invalid label");
    if (reading->status != TH_OK)
        return;
    if (is_of_label) {
        out->label_counts[number - out->words] = count;
        *labelled += count;
    }
    if (*labelled >= count_max)
        fault(reading, "invalid counts of labels");
    out->entry_at[number] = text->len;
    th_buffer_append(text, word, len + 1);
}

static bool has_memory(struct reading *reading, const void *memory)
{
    if (!memory && reading->status == TH_OK)
        reading->status = th_fail(reading->err, TH_NOMEM, "out of memory");
    return memory != NULL;
}

/* The entries' offsets grow with the entries, because their number may be wrong. */
static bool reserve_entry(struct reading *reading, int32_t number, int32_t size)
{
    th_fasttext_file *out = reading->out;
    enum { FIRST = 1024 };
    const bool is_full = number == 0 || (number >= FIRST && (number & (number - 1)) == 0);
    if (!is_full)
        return true;
    int64_t capacity = number < FIRST ? FIRST : 2 * (int64_t)number;
    capacity = capacity < size ? capacity : size;
    uint64_t *more = realloc(out->entry_at, (size_t)capacity * sizeof *out->entry_at);
    if (more)
        out->entry_at = more;
    return has_memory(reading, more);
}

static void read_entries(struct reading *reading, int32_t size)
{
    th_fasttext_file *out = reading->out;
    th_buffer text = { 0 };
    int64_t labelled = 0;
    out->label_counts = calloc((size_t)out->labels, sizeof *out->label_counts);
    (void)has_memory(reading, out->label_counts);
    for (int32_t i = 0; i < size && reading->status == TH_OK; i++)
        if (reserve_entry(reading, i, size))
            read_entry(reading, i, &text, &labelled);
    if (text.has_failed)
        (void)has_memory(reading, NULL);
    out->text = text.data;
}

static void read_dictionary(struct reading *reading)
{
    th_fasttext_file *out = reading->out;
    const int32_t size =
        take_within(reading, 1, ENTRIES_MAX, "invalid size of the dictionary");
    out->words = take_within(reading, 0, size, "more words than entries");
    out->labels = take_within(reading, 1, LABELS_MAX, "invalid number of labels");
    if ((int64_t)out->words + out->labels != size)
        fault(reading, "words and labels do not add up to the dictionary");
    if (take_long(reading) < 0)
        fault(reading, "invalid number of tokens");
    out->kept = take_long(reading);
    if (out->kept < -1 || out->kept > out->buckets)
        fault(reading, "more kept buckets than buckets");
    if (out->kept > ENTRIES_MAX)
        fault(reading, "more kept buckets than the limit");
    if (reading->status == TH_OK)
        read_entries(reading, size);
    if (reading->status == TH_OK && out->kept > 0)
        out->kept_rows = take_array(reading, out->kept, sizeof *out->kept_rows);
    for (int64_t i = 0; i < out->kept && out->kept_rows; i++)
        if (out->kept_rows[i][0] < 0 || out->kept_rows[i][0] >= out->buckets ||
            out->kept_rows[i][1] < 0 || out->kept_rows[i][1] >= out->kept)
            fault(reading, "bucket out of range");
    if (reading->status != TH_OK)
        return; /* the sums below need valid numbers */
    reading->input_rows =
        (int64_t)out->words + (out->kept >= 0 ? out->kept : out->buckets);
    if (out->kept >= 0 && reading->version == OLDEST)
        fault(reading, "kept buckets in a version without them");
}

static void read_quantiser(struct reading *reading, int32_t dimensions, int64_t rows,
                           int32_t codes, th_fasttext_quantiser *out)
{
    const int32_t all = take_int(reading);
    out->parts = take_int(reading);
    out->width = take_int(reading);
    out->last_width = take_int(reading);
    if (reading->status != TH_OK)
        return;
    const int32_t width = out->width;
    if (all != dimensions || width < 1 || width > all ||
        out->parts != (all + width - 1) / width ||
        out->last_width != (all % width ? all % width : width) ||
        rows * out->parts != codes)
        fault(reading, "quantizer does not match its matrix");
    if (reading->status == TH_OK)
        out->centroids = take_weights(reading, (int64_t)all * CENTROIDS);
}

static void read_matrix(struct reading *reading, bool is_quantised, int64_t rows,
                        th_fasttext_matrix *out)
{
    const int32_t dimensions = reading->out->dimensions;
    const bool has_norms = is_quantised && take_switch(reading);
    const int64_t columns = (out->rows = take_long(reading), take_long(reading));
    if (out->rows != rows || columns != dimensions)
        fault(reading, "matrix does not match the dictionary");
    if (reading->status != TH_OK)
        return;
    if (!is_quantised) {
        out->weights = take_weights(reading, rows * dimensions);
        return;
    }
    const int32_t codes =
        take_within(reading, 0, INT32_MAX, "invalid number of codes in a matrix");
    if (reading->status == TH_OK)
        out->codes = take_array(reading, codes, 1);
    read_quantiser(reading, dimensions, rows, codes, &out->quantiser);
    if (has_norms && reading->status == TH_OK) {
        out->norm_codes = take_array(reading, rows, 1);
        read_quantiser(reading, 1, rows, (int32_t)rows, &out->norms);
    }
}

static void read_parts(struct reading *reading)
{
    th_fasttext_file *out = reading->out;
    read_arguments(reading);
    read_dictionary(reading);
    const bool is_quantised = take_switch(reading);
    if (out->kept >= 0 && !is_quantised)
        fault(reading, "kept buckets without quantization");
    read_matrix(reading, is_quantised, reading->input_rows, &out->input);
    const bool is_output_quantised = take_switch(reading) && is_quantised;
    read_matrix(reading, is_output_quantised, out->labels, &out->output);
    if (reading->status == TH_OK && fgetc(reading->file) != EOF)
        fault(reading, "unexpected bytes after the end of the model");
}

th_status th_fasttext_file_read(FILE *file, th_fasttext_file *out, th_error *err)
{
    *out = (th_fasttext_file){ .kept = -1 };
    struct reading reading = {
        .file = file, .hash = XXH3_createState(), .err = err, .out = out
    };
    if (!reading.hash)
        return th_fail(err, TH_NOMEM, "out of memory");
    XXH3_64bits_reset(reading.hash);
    read_parts(&reading);
    out->checksum = XXH3_64bits_digest(reading.hash);
    XXH3_freeState(reading.hash);
    if (reading.status != TH_OK)
        th_fasttext_file_done(out);
    return reading.status;
}

static void matrix_done(th_fasttext_matrix *matrix)
{
    free(matrix->weights);
    free(matrix->codes);
    free(matrix->quantiser.centroids);
    free(matrix->norm_codes);
    free(matrix->norms.centroids);
}

void th_fasttext_file_done(th_fasttext_file *file)
{
    free(file->text);
    free(file->entry_at);
    free(file->label_counts);
    free(file->kept_rows);
    matrix_done(&file->input);
    matrix_done(&file->output);
    *file = (th_fasttext_file){ .kept = -1 };
}
