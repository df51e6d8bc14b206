/*
 * Computes the answers of a fastText classifier, as fastText 0.9.2 does: the same rows are
 * added in the same order in single precision, so the answers agree. [JGBM17]
 *
 * A text is the sum of the rows of its words, of the n-grams of letters in each word, and
 * of its n-grams of words. An n-gram has the row of its hash. The mean of these rows,
 * times the row of a label, is the label's score. The loss of the model turns scores into
 * probabilities.
 */
#include "language/fasttext.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "language/fasttext_file.h"
#include "language/language_codes.h"

enum {
    SIGMOID_MAX = 8, /* beyond it the sigmoid is 0 or 1 */
    SIGMOID_ROWS = 512,
    BLOCK = 16, /* labels that get their scores at once, in vectors of LANES */
    LANES = 4,
};

static const char line_end[] = "</s>";
static const char label_prefix[] = "__label__";

/* A node of the tree of labels: leaves first, the root last. -1: a leaf. */
struct node {
    int32_t left, right;
};

struct label {
    const char *name; /* without the prefix; in the file's text */
    th_language_codes codes;
};

struct th_fasttext {
    th_fasttext_file file;
    struct label *labels;
    int32_t *word_table; /* entries by hash; -1: free */
    uint32_t word_mask;
    int32_t (*kept_table)[2]; /* bucket and row by bucket; bucket -1: free */
    uint32_t kept_mask;
    struct node *tree; /* NULL without hierarchical softmax */
    /* Plain rows of labels, BLOCK at a time, column by column: the first weight of each
     * label, then the second of each. NULL with a tree, and if they are quantised. */
    float *blocks;
    float sigmoid[SIGMOID_ROWS + 1];
};

/* ---- the dictionary ---------------------------------------------------------------- */

/* FNV-1a; a byte is signed, as in fastText. */
static uint32_t hash_add(uint32_t hash, char byte)
{
    const uint32_t bits = (unsigned char)byte;
    return (hash ^ (bits < 0x80 ? bits : bits | 0xFFFFFF00u)) * 16777619u;
}

static uint32_t hash_of(const char *bytes, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = hash_add(hash, bytes[i]);
    return hash;
}

static const char *entry(const th_fasttext *model, int32_t number)
{
    return model->file.text + model->file.entry_at[number];
}

/* Returns the place of a word in the table: its own, or a free one. */
static uint32_t find_place(const th_fasttext *model, uint32_t hash, const char *bytes,
                           size_t len)
{
    uint32_t at = hash & model->word_mask;
    for (int32_t number; (number = model->word_table[at]) >= 0;
         at = (at + 1) & model->word_mask) {
        const char *word = entry(model, number);
        if (strncmp(word, bytes, len) == 0 && !word[len])
            break;
    }
    return at;
}

/* The smallest power of two of at least twice the rows. */
static uint32_t table_size(int64_t rows)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)rows)
        size *= 2;
    return (uint32_t)size;
}

static th_status fill_words(th_fasttext *model)
{
    const int32_t count = model->file.words + model->file.labels;
    const uint32_t size = table_size(count);
    model->word_mask = size - 1;
    model->word_table = malloc(size * sizeof *model->word_table);
    if (!model->word_table)
        return TH_NOMEM;
    memset(model->word_table, 0xFF, size * sizeof *model->word_table);
    for (int32_t i = 0; i < count; i++) {
        const char *word = entry(model, i);
        const size_t len = strlen(word);
        model->word_table[find_place(model, hash_of(word, len), word, len)] = i;
    }
    return TH_OK;
}

static uint32_t find_bucket(const th_fasttext *model, int32_t bucket)
{
    uint32_t at = (uint32_t)bucket * 2654435761u & model->kept_mask;
    while (model->kept_table[at][0] >= 0 && model->kept_table[at][0] != bucket)
        at = (at + 1) & model->kept_mask;
    return at;
}

static th_status fill_buckets(th_fasttext *model)
{
    if (model->file.kept <= 0)
        return TH_OK;
    const uint32_t size = table_size(model->file.kept);
    model->kept_mask = size - 1;
    model->kept_table = malloc(size * sizeof *model->kept_table);
    if (!model->kept_table)
        return TH_NOMEM;
    memset(model->kept_table, 0xFF, size * sizeof *model->kept_table);
    for (int64_t i = 0; i < model->file.kept; i++)
        memcpy(model->kept_table[find_bucket(model, model->file.kept_rows[i][0])],
               model->file.kept_rows[i], sizeof *model->kept_table);
    return TH_OK;
}

/* ---- labels ------------------------------------------------------------------------ */

static struct label label_of(const char *word)
{
    const size_t prefix = sizeof label_prefix - 1;
    const bool has_prefix = strncmp(word, label_prefix, prefix) == 0;
    const char *const name = has_prefix ? word + prefix : word;
    return (struct label){ name, th_language_codes_of(name) };
}

static th_status fill_labels(th_fasttext *model)
{
    model->labels = calloc((size_t)model->file.labels, sizeof *model->labels);
    if (!model->labels)
        return TH_NOMEM;
    for (int32_t i = 0; i < model->file.labels; i++)
        model->labels[i] = label_of(entry(model, model->file.words + i));
    return TH_OK;
}

/*
 * Builds the Huffman tree of the labels' counts. The leaves are in the order of the
 * counts, most first, so the two smallest nodes are at the end of the leaves or at the
 * start of the inner nodes.
 */
static th_status build_tree(th_fasttext *model)
{
    const int32_t leaves = model->file.labels, count = 2 * leaves - 1;
    int64_t *counts = calloc((size_t)count, sizeof *counts);
    model->tree = malloc((size_t)count * sizeof *model->tree);
    if (!counts || !model->tree) {
        free(counts);
        return TH_NOMEM;
    }
    for (int32_t i = 0; i < count; i++) {
        model->tree[i] = (struct node){ -1, -1 };
        counts[i] = i < leaves ? model->file.label_counts[i] : (int64_t)1e15;
    }
    int32_t leaf = leaves - 1, inner = leaves;
    for (int32_t i = leaves; i < count; i++) {
        int32_t smallest[2];
        for (int k = 0; k < 2; k++)
            smallest[k] = leaf >= 0 && counts[leaf] < counts[inner] ? leaf-- : inner++;
        model->tree[i] = (struct node){ smallest[0], smallest[1] };
        counts[i] = counts[smallest[0]] + counts[smallest[1]];
    }
    free(counts);
    return TH_OK;
}

/*
 * Copies the rows of labels, so that the scores of BLOCK labels are computed at once by
 * vector instructions. Each score is still the sum of the same products in the same order,
 * so its bits do not change.
 */
static th_status fill_blocks(th_fasttext *model)
{
    const size_t labels = (size_t)model->file.labels;
    const size_t dimensions = (size_t)model->file.dimensions;
    const float *const weights = model->file.output.weights;
    if (model->file.loss == TH_FASTTEXT_TREE || !weights)
        return TH_OK;
    model->blocks =
        calloc((labels + BLOCK - 1) / BLOCK * dimensions, BLOCK * sizeof *model->blocks);
    if (!model->blocks)
        return TH_NOMEM;
    for (size_t i = 0; i < labels; i++) {
        float *const block = model->blocks + i / BLOCK * dimensions * BLOCK;
        for (size_t k = 0; k < dimensions; k++)
            block[k * BLOCK + i % BLOCK] = weights[i * dimensions + k];
    }
    free(model->file.output.weights);
    model->file.output.weights = NULL;
    return TH_OK;
}

static void fill_sigmoid(th_fasttext *model)
{
    for (int i = 0; i <= SIGMOID_ROWS; i++) {
        const float x =
            (float)(i * 2 * SIGMOID_MAX) / (float)SIGMOID_ROWS - (float)SIGMOID_MAX;
        model->sigmoid[i] = (float)(1.0 / (1.0 + (double)expf(-x)));
    }
}

/* ---- the file ---------------------------------------------------------------------- */

static th_status prepare(th_fasttext *model)
{
    th_status status = fill_words(model);
    if (status == TH_OK)
        status = fill_buckets(model);
    if (status == TH_OK)
        status = fill_labels(model);
    if (status == TH_OK && model->file.loss == TH_FASTTEXT_TREE)
        status = build_tree(model);
    if (status == TH_OK)
        status = fill_blocks(model);
    fill_sigmoid(model);
    return status;
}

th_status th_fasttext_load(const char *path, th_fasttext **out, th_error *err)
{
    th_error why = { .text = "" };
    FILE *file = fopen(path, "rbe");
    if (!file)
        return th_fail(err, TH_IO, "cannot open model '%s': %s", path, strerror(errno));
    th_fasttext *model = calloc(1, sizeof *model);
    th_status status = model ? th_fasttext_file_read(file, &model->file, &why) : TH_NOMEM;
    (void)fclose(file);
    if (status == TH_OK)
        status = prepare(model);
    if (status == TH_OK) {
        *out = model;
        return TH_OK;
    }
    th_fasttext_free(model);
    return th_fail(err, status, "model '%s': %s", path,
                   *why.text ? why.text : "out of memory");
}

void th_fasttext_free(th_fasttext *model)
{
    if (!model)
        return;
    th_fasttext_file_done(&model->file);
    free(model->labels);
    free(model->word_table);
    free(model->kept_table);
    free(model->tree);
    free(model->blocks);
    free(model);
}

uint64_t th_fasttext_checksum(const th_fasttext *model)
{
    return model->file.checksum;
}

/* ---- a text to a mean of rows ------------------------------------------------------ */

struct mean {
    const th_fasttext *model;
    float *sum; /* of the rows, then their mean */
    uint64_t rows;
    uint32_t *hashes; /* of the words, for n-grams of words */
    size_t words;
};

static const float *centroid(const th_fasttext_quantiser *quantiser, int32_t part,
                             uint8_t code)
{
    const float *of_part =
        quantiser->centroids + (size_t)part * 256 * (size_t)quantiser->width;
    const int32_t width =
        part == quantiser->parts - 1 ? quantiser->last_width : quantiser->width;
    return of_part + (size_t)code * (size_t)width;
}

static float norm_of(const th_fasttext_matrix *matrix, int64_t row)
{
    return matrix->norm_codes ? *centroid(&matrix->norms, 0, matrix->norm_codes[row]) : 1;
}

static void add_row(struct mean *mean, int64_t row)
{
    const th_fasttext_matrix *matrix = &mean->model->file.input;
    const int32_t dimensions = mean->model->file.dimensions;
    mean->rows++;
    if (matrix->weights) {
        const float *weights = matrix->weights + row * dimensions;
        for (int32_t i = 0; i < dimensions; i++)
            mean->sum[i] += weights[i];
        return;
    }
    const th_fasttext_quantiser *quantiser = &matrix->quantiser;
    const uint8_t *codes = matrix->codes + row * quantiser->parts;
    const float norm = norm_of(matrix, row);
    for (int32_t part = 0, at = 0; part < quantiser->parts; part++) {
        const float *weights = centroid(quantiser, part, codes[part]);
        for (int32_t i = 0; i < quantiser->width && at < dimensions; i++)
            mean->sum[at++] += norm * weights[i];
    }
}

static void add_bucket(struct mean *mean, uint64_t hash)
{
    const th_fasttext_file *file = &mean->model->file;
    int32_t row = (int32_t)(hash % (uint64_t)file->buckets);
    if (file->kept == 0)
        return;
    if (file->kept > 0) {
        const int32_t *kept = mean->model->kept_table[find_bucket(mean->model, row)];
        if (kept[0] < 0)
            return;
        row = kept[1];
    }
    add_row(mean, (int64_t)file->words + row);
}

static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Returns a byte of "<word>". */
static char letter_at(th_view word, size_t i)
{
    if (i == 0)
        return '<';
    return (i > word.len ? ">" : word.data + i - 1)[0];
}

/* Adds the n-grams of letters in "<word>", as far as they are long enough. */
static void add_letters(struct mean *mean, th_view word)
{
    const th_fasttext_file *file = &mean->model->file;
    const size_t len = word.len + 2;
    for (size_t first = 0; first < len; first++) {
        if (is_inside(letter_at(word, first)))
            continue;
        uint32_t hash = hash_of("", 0);
        size_t at = first;
        for (int32_t n = 1; at < len && n <= file->letters_max; n++) {
            do
                hash = hash_add(hash, letter_at(word, at));
            while (++at < len && is_inside(letter_at(word, at)));
            if (n >= file->letters_min && !(n == 1 && (first == 0 || at == len)))
                add_bucket(mean, hash);
        }
    }
}

/* Adds a word. @return whether it ends the line */
static bool add_word(struct mean *mean, th_view word)
{
    const th_fasttext *model = mean->model;
    const uint32_t hash = hash_of(word.data, word.len);
    const int32_t number =
        model->word_table[find_place(model, hash, word.data, word.len)];
    const size_t prefix = sizeof label_prefix - 1;
    const bool is_end =
        word.len == sizeof line_end - 1 && memcmp(word.data, line_end, word.len) == 0;
    const bool is_label =
        number >= 0 ? number >= model->file.words
                    : word.len >= prefix && memcmp(word.data, label_prefix, prefix) == 0;
    if (is_label)
        return false;
    if (number >= 0)
        add_row(mean, number);
    if (!is_end && model->file.letters_max > 0)
        add_letters(mean, word);
    if (mean->hashes)
        mean->hashes[mean->words++] = hash;
    return is_end;
}

/* Hashes are signed in fastText, so they are extended with their sign. */
static uint64_t extended(uint32_t hash)
{
    return (uint64_t)(int64_t)(int32_t)hash;
}

static void add_word_ngrams(struct mean *mean)
{
    for (size_t i = 0; i < mean->words; i++) {
        uint64_t hash = extended(mean->hashes[i]);
        const size_t end = i + (size_t)mean->model->file.word_ngram;
        for (size_t k = i + 1; k < mean->words && k < end; k++) {
            hash = hash * 116049371u + extended(mean->hashes[k]);
            add_bucket(mean, hash);
        }
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

/* Computes the mean of a line's rows. */
static void add_line(struct mean *mean, th_view text)
{
    bool is_end = false;
    for (size_t at = 0; at < text.len && !is_end;) {
        size_t end = at;
        while (end < text.len && !is_blank(text.data[end]))
            end++;
        if (end > at)
            is_end = add_word(mean, (th_view){ text.data + at, end - at });
        at = end + 1;
    }
    if (!is_end)
        (void)add_word(mean, (th_view){ line_end, sizeof line_end - 1 });
    add_word_ngrams(mean);
    const float factor = mean->rows ? (float)(1.0 / (double)mean->rows) : 0;
    for (int32_t i = 0; i < mean->model->file.dimensions; i++)
        mean->sum[i] *= factor;
}

/* ---- a mean to a label ------------------------------------------------------------- */

struct answer {
    int32_t label; /* -1: none */
    float log;     /* of its probability */
};

/* Only probabilities above this part of the best one can have the same logarithm. */
static const float near_best = .999f;

/* The last of equal labels is the answer, as in fastText. */
static void offer(struct answer *answer, int32_t label, float log)
{
    if (answer->label < 0 || log >= answer->log)
        *answer = (struct answer){ label, log };
}

static float log_of(float probability)
{
    return (float)log((double)probability + 1e-5);
}

static float dot_row(const th_fasttext *model, int64_t row, const float *mean)
{
    const th_fasttext_matrix *matrix = &model->file.output;
    const int32_t dimensions = model->file.dimensions;
    float sum = 0;
    if (matrix->weights) {
        const float *weights = matrix->weights + row * dimensions;
        for (int32_t i = 0; i < dimensions; i++)
            sum += weights[i] * mean[i];
        return sum;
    }
    const th_fasttext_quantiser *quantiser = &matrix->quantiser;
    const uint8_t *codes = matrix->codes + row * quantiser->parts;
    for (int32_t part = 0, at = 0; part < quantiser->parts; part++) {
        const float *weights = centroid(quantiser, part, codes[part]);
        for (int32_t i = 0; i < quantiser->width && at < dimensions; i++)
            sum += mean[at++] * weights[i];
    }
    return sum * norm_of(matrix, row);
}

struct open_node {
    int32_t number;
    float log;
};

/* Searches the tree, without nodes that are less probable than the best leaf so far. */
static void search_tree(const th_fasttext *model, const float *mean,
                        struct open_node *stack, struct answer *answer)
{
    const int32_t leaves = model->file.labels;
    const float least = log_of(0);
    int32_t open = 0;
    stack[open++] = (struct open_node){ 2 * leaves - 2, 0 };
    while (open) {
        const struct open_node at = stack[--open];
        const struct node node = model->tree[at.number];
        if (at.log < least || (answer->label >= 0 && at.log < answer->log))
            continue;
        if (node.left < 0) {
            offer(answer, at.number, at.log);
            continue;
        }
        float right = dot_row(model, at.number - leaves, mean);
        right = (float)(1.0 / (double)(1 + expf(-right)));
        const float left = (float)(1.0 - (double)right);
        stack[open++] = (struct open_node){ node.right, at.log + log_of(right) };
        stack[open++] = (struct open_node){ node.left, at.log + log_of(left) };
    }
}

static float sigmoid(const th_fasttext *model, float x)
{
    if (x < -SIGMOID_MAX)
        return 0;
    if (x > (float)SIGMOID_MAX)
        return 1;
    return model->sigmoid[(int)((x + (float)SIGMOID_MAX) * (float)SIGMOID_ROWS /
                                (float)SIGMOID_MAX / 2)];
}

static void turn_to_softmax(float *scores, int32_t count)
{
    float max = scores[0], sum = 0;
    for (int32_t i = 1; i < count; i++)
        max = scores[i] > max ? scores[i] : max;
    for (int32_t i = 0; i < count; i++) {
        scores[i] = (float)exp((double)(scores[i] - max));
        sum += scores[i];
    }
    for (int32_t i = 0; i < count; i++)
        scores[i] /= sum;
}

/* Computes the scores of the labels of a block. GCC vectorizes plain loops over the weights
 * badly, so the vectors are explicit. */
static void dot_block(const float *block, const float *mean, int32_t dimensions,
                      float *scores)
{
    typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
    lanes sums[BLOCK / LANES] = { { 0 } };
    for (int32_t i = 0; i < dimensions; i++)
        for (int k = 0; k < BLOCK / LANES; k++, block += LANES) {
            lanes weights;
            memcpy(&weights, block, sizeof weights);
            sums[k] += weights * mean[i];
        }
    memcpy(scores, sums, sizeof sums);
}

/* @param scores  out; capacity for a multiple of BLOCK */
static void search_labels(const th_fasttext *model, const float *mean, float *scores,
                          struct answer *answer)
{
    const int32_t count = model->file.labels, dimensions = model->file.dimensions;
    for (int32_t i = 0; model->blocks && i < count; i += BLOCK)
        dot_block(model->blocks + (size_t)i * (size_t)dimensions, mean, dimensions,
                  scores + i);
    for (int32_t i = 0; !model->blocks && i < count; i++)
        scores[i] = dot_row(model, i, mean);
    if (model->file.loss == TH_FASTTEXT_SOFTMAX)
        turn_to_softmax(scores, count);
    else
        for (int32_t i = 0; i < count; i++)
            scores[i] = sigmoid(model, scores[i]);
    float best = 0;
    for (int32_t i = 0; i < count; i++)
        best = scores[i] > best ? scores[i] : best;
    for (int32_t i = 0; i < count; i++)
        if (scores[i] >= best * near_best)
            offer(answer, i, log_of(scores[i]));
}

static th_status detect(const th_fasttext *model, th_view text, struct answer *answer)
{
    th_status status = TH_NOMEM;
    const size_t words_max = model->file.word_ngram > 1 ? text.len / 2 + 2 : 0;
    struct mean mean = { .model = model,
                         .sum = calloc((size_t)model->file.dimensions, sizeof(float)) };
    /* The stack of the tree is not deeper than the tree, which has all labels. */
    void *scores = calloc((size_t)model->file.labels + BLOCK, sizeof(struct open_node));
    mean.hashes = words_max ? malloc(words_max * sizeof *mean.hashes) : NULL;
    if (mean.sum && scores && (mean.hashes || !words_max)) {
        status = TH_OK;
        add_line(&mean, text);
        if (mean.rows && model->tree)
            search_tree(model, mean.sum, scores, answer);
        else if (mean.rows)
            search_labels(model, mean.sum, scores, answer);
    }
    free(mean.sum);
    free(mean.hashes);
    free(scores);
    return status;
}

th_status th_fasttext_detect(const th_fasttext *model, th_view text,
                             th_second_language *out)
{
    struct answer answer = { .label = -1 };
    *out = (th_second_language){ .name = NULL };
    const th_status status = detect(model, text, &answer);
    if (status != TH_OK || answer.label < 0)
        return status;
    const struct label *label = &model->labels[answer.label];
    *out = (th_second_language){ .name = label->name,
                                 .iso = label->codes.iso,
                                 .score = (double)expf(answer.log),
                                 .model = model->file.checksum,
                                 .script = label->codes.script,
                                 .tag = label->codes.tag };
    return TH_OK;
}
