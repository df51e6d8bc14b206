/*
 * Reads the text of a model, line by line:
 *
 *     thresher-model 1
 *     method boundary-graph
 *     features boundary-1
 *     corpora landmarks:184 blocks-2013:115
 *     without chaos-2017
 *     seed 1
 *     parameter grain 0
 *     fold final
 *     weight above.tokens -1585
 *     ...
 *     checksum 0123456789abcdef
 *
 * If there are folds, `fold 0` .. `fold 3` follow `final`, each with its own weights. The
 * checksum is the XXH3-64 of all bytes before its line. Any other text is rejected with
 * its line number, because a model with a small error would silently give wrong results.
 */
#include "segment/segment_model.h"
#include "base/ascii.h"
#include "base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool th_segment_model_has_seen(const th_segment_model *model, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = model->corpora; *at;) {
        const size_t word = strcspn(at, " ");
        if (word > len && at[len] == ':' && memcmp(at, name, len) == 0)
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

struct reading {
    th_view text;
    size_t at; /* after the line that was read */
    size_t line_start;
    unsigned line;
    const char *name; /* of the file */
    const th_segmenter *const *methods;
    const th_feature_set *features;
    th_segment_model *model;
    th_error *err;
    th_weights *weights;    /* of the current fold; NULL until there is one */
    uint64_t has_weight;    /* bits of the weights read so far */
    uint32_t has_parameter; /* bits */
    uint32_t has_fold;      /* bits; the last is `final` */
};

enum { FINAL_BIT = 1u << TH_MODEL_FOLDS };

static th_status refuse(const struct reading *reading, const char *what, th_view word)
{
    if (!word.data)
        return th_fail(reading->err, TH_USAGE, "model '%s', line %u: %s", reading->name,
                       reading->line, what);
    return th_fail(reading->err, TH_USAGE, "model '%s', line %u: %s '%.*s'",
                   reading->name, reading->line, what,
                   (int)(word.len > 60 ? 60 : word.len), word.data);
}

/* ---- words ---- */

static bool next_line(struct reading *reading, th_view *line)
{
    if (reading->at >= reading->text.len)
        return false;
    const char *start = reading->text.data + reading->at;
    const char *end = memchr(start, '\n', reading->text.len - reading->at);
    *line =
        (th_view){ start, end ? (size_t)(end - start) : reading->text.len - reading->at };
    reading->line_start = reading->at;
    reading->at += line->len + (end != NULL);
    reading->line++;
    return true;
}

/* Removes the first word of a line. */
static th_view next_word(th_view *line)
{
    const char *blank = line->len ? memchr(line->data, ' ', line->len) : NULL;
    const size_t len = blank ? (size_t)(blank - line->data) : line->len;
    const th_view word = { line->data, len };
    line->data += len + (blank != NULL);
    line->len -= len + (blank != NULL);
    return word;
}

static bool read_number(th_view word, int64_t low, int64_t high, int64_t *out)
{
    char digits[24];
    char *end = NULL;
    if (word.len == 0 || word.len >= sizeof digits)
        return false;
    memcpy(digits, word.data, word.len);
    digits[word.len] = 0;
    if (strspn(digits, "-0123456789") < word.len)
        return false;
    errno = 0;
    const long long value = strtoll(digits, &end, 10);
    if (*end || errno || value < low || value > high)
        return false;
    *out = value;
    return true;
}

/* ---- lines ---- */

static th_status expect(struct reading *reading, const char *key, th_view *rest)
{
    th_view line = { 0 };
    if (!next_line(reading, &line))
        return refuse(reading, "unexpected end of file; expected a line that begins with",
                      (th_view){ key, strlen(key) });
    *rest = line;
    return th_view_is(next_word(rest), key) ? TH_OK
                                            : refuse(reading, "unexpected line:", line);
}

static th_status read_method(struct reading *reading)
{
    th_view method = { 0 }, set = { 0 };
    th_status status = expect(reading, "method", &method);
    if (status == TH_OK)
        status = expect(reading, "features", &set);
    if (status != TH_OK)
        return status;
    for (const th_segmenter *const *at = reading->methods; *at; at++) {
        const th_feature_set *features = (*at)->features;
        if (!features || !th_view_is(method, features->method) ||
            !th_view_is(set, features->name))
            continue;
        if (reading->features && reading->features != features)
            return refuse(reading, "the model belongs to another method:", method);
        reading->features = reading->model->features = features;
        return TH_OK;
    }
    return refuse(reading,
                  "this program does not have these features for this method:", set);
}

static th_status read_text(struct reading *reading, const char *key, char *out)
{
    th_view rest = { 0 };
    const th_status status = expect(reading, key, &rest);
    if (status != TH_OK)
        return status;
    if (rest.len >= TH_MODEL_TEXT)
        return refuse(reading, "line is too long:", rest);
    if (rest.data)
        memcpy(out, rest.data, rest.len);
    out[rest.len] = 0;
    return TH_OK;
}

static th_status read_head(struct reading *reading)
{
    th_view rest = { 0 };
    int64_t seed = 0;
    th_status status = expect(reading, "thresher-model", &rest);
    if (status == TH_OK && !th_view_is(rest, "1"))
        status = refuse(reading, "unknown version", rest);
    if (status == TH_OK)
        status = read_method(reading);
    if (status == TH_OK)
        status = read_text(reading, "corpora", reading->model->corpora);
    if (status == TH_OK)
        status = read_text(reading, "without", reading->model->without);
    if (status == TH_OK)
        status = expect(reading, "seed", &rest);
    if (status == TH_OK && !read_number(rest, 0, INT64_MAX, &seed))
        status = refuse(reading, "not a seed:", rest);
    reading->model->seed = (uint64_t)seed;
    return status;
}

static th_status read_parameter(struct reading *reading, th_view rest)
{
    const th_view name = next_word(&rest);
    for (uint32_t i = 0; i < reading->features->parameter_count; i++) {
        const th_model_parameter *parameter = &reading->features->parameters[i];
        int64_t value = 0;
        if (!th_view_is(name, parameter->name))
            continue;
        if (reading->has_parameter & 1u << i)
            return refuse(reading, "duplicate parameter:", name);
        if (!read_number(rest, parameter->low, parameter->high, &value))
            return refuse(reading, "parameter out of range:", rest);
        reading->has_parameter |= 1u << i;
        reading->model->parameters[i] = (int32_t)value;
        return TH_OK;
    }
    return refuse(reading, "unknown parameter", name);
}

static th_status end_fold(const struct reading *reading)
{
    for (uint32_t i = 0; reading->weights && i < reading->features->weight_count; i++) {
        const char *name = reading->features->weights[i];
        if (!(reading->has_weight & 1ull << i))
            return refuse(reading, "missing weight before this line:",
                          (th_view){ name, strlen(name) });
    }
    return TH_OK;
}

static th_status begin_fold(struct reading *reading, th_view name)
{
    int64_t number = TH_MODEL_FOLDS;
    const th_status status = end_fold(reading);
    if (status != TH_OK)
        return status;
    if (!th_view_is(name, "final") && !read_number(name, 0, TH_MODEL_FOLDS - 1, &number))
        return refuse(reading, "unknown fold", name);
    if (reading->has_fold & 1u << number)
        return refuse(reading, "duplicate fold:", name);
    reading->has_fold |= 1u << number;
    reading->has_weight = 0;
    reading->weights = number == TH_MODEL_FOLDS ? &reading->model->final
                                                : &reading->model->folds[number];
    return TH_OK;
}

static th_status read_weight(struct reading *reading, th_view rest)
{
    const th_view name = next_word(&rest);
    int64_t value = 0;
    if (!reading->weights)
        return refuse(reading, "weight before the first fold:", name);
    for (uint32_t i = 0; i < reading->features->weight_count; i++) {
        if (!th_view_is(name, reading->features->weights[i]))
            continue;
        if (reading->has_weight & 1ull << i)
            return refuse(reading, "duplicate weight:", name);
        if (!read_number(rest, INT32_MIN, INT32_MAX, &value))
            return refuse(reading, "not a 32-bit weight:", rest);
        reading->has_weight |= 1ull << i;
        reading->weights->of[i] = (int32_t)value;
        return TH_OK;
    }
    return refuse(reading, "unknown weight", name);
}

static th_status read_checksum(struct reading *reading, th_view word)
{
    char want[17];
    const uint64_t checksum = XXH3_64bits(reading->text.data, reading->line_start);
    (void)snprintf(want, sizeof want, "%016" PRIx64, checksum);
    if (!th_view_is(word, want))
        return refuse(reading, "wrong checksum (the file was changed):", word);
    if (reading->at != reading->text.len)
        return refuse(reading, "unexpected text after", word);
    reading->model->checksum = checksum;
    return TH_OK;
}

static th_status end_model(struct reading *reading)
{
    const uint32_t all = FINAL_BIT - 1, folds = reading->has_fold & all;
    const th_view none = { 0 };
    for (uint32_t i = 0; i < reading->features->parameter_count; i++) {
        const char *name = reading->features->parameters[i].name;
        if (!(reading->has_parameter & 1u << i))
            return refuse(reading, "missing parameter:", (th_view){ name, strlen(name) });
    }
    if (!(reading->has_fold & FINAL_BIT))
        return refuse(reading, "the fold 'final' is missing", none);
    if (folds && folds != all)
        return refuse(reading, "some folds are missing (expected all folds or none)",
                      none);
    reading->model->has_folds = folds == all;
    return end_fold(reading);
}

static th_status read_body(struct reading *reading)
{
    th_view line = { 0 };
    th_status status = TH_OK;
    while (status == TH_OK && next_line(reading, &line)) {
        const th_view key = next_word(&line);
        if (th_view_is(key, "parameter")) {
            status = read_parameter(reading, line);
        } else if (th_view_is(key, "fold")) {
            status = begin_fold(reading, line);
        } else if (th_view_is(key, "weight")) {
            status = read_weight(reading, line);
        } else if (th_view_is(key, "checksum")) {
            status = end_model(reading);
            return status == TH_OK ? read_checksum(reading, line) : status;
        } else {
            status = refuse(reading, "unknown word", key);
        }
    }
    return status == TH_OK
               ? refuse(reading, "truncated file: the checksum is missing", line)
               : status;
}

th_status th_segment_model_read(th_view text, const th_segmenter *const *methods,
                                const th_feature_set *features, const char *name,
                                th_segment_model *out, th_error *err)
{
    th_segment_model model = { 0 };
    struct reading reading = { .text = text,
                               .name = name,
                               .methods = methods ? methods : th_segmenters,
                               .features = features,
                               .model = &model,
                               .err = err };
    th_status status = read_head(&reading);
    if (status == TH_OK)
        status = read_body(&reading);
    if (status == TH_OK)
        *out = model;
    return status;
}

th_status th_segment_model_load(const char *path, const th_segmenter *const *methods,
                                const th_feature_set *features, th_segment_model *out,
                                th_error *err)
{
    th_buffer bytes = { 0 };
    th_status status =
        th_whole_file_read(path, "model ", TH_MODEL_BYTES, TH_USAGE, &bytes, err);
    if (status == TH_OK)
        status = th_segment_model_read(th_buffer_view(&bytes), methods, features, path,
                                       out, err);
    th_buffer_done(&bytes);
    return status;
}
