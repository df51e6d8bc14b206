/*
 * Reads a content model, and converts the scores of its ensembles to probabilities.
 *
 * All is checked when the file is read, because a model that almost fits would give wrong
 * results silently. The checksum is checked first, so damage is reported as damage,
 * regardless of its place.
 */
#include "content/content_model.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/json_reader.h"
#include "base/whole_file.h"
#include "content/log_odds.h"

const char *const th_page_type_names[] = {
#define TH_PAGE_TYPE_NAME(name, text) text,
    TH_PAGE_TYPE_LIST(TH_PAGE_TYPE_NAME)
#undef TH_PAGE_TYPE_NAME
        NULL
};

static const char *type_name(unsigned type)
{
    return th_page_type_names[type];
}

static const char first_word[] = "thresher content model ";
static const char version[] = "1";

enum { CHECKSUM_LEN = 8, TOKEN_BYTES = 2 * TH_TOKEN_BUCKETS };

struct reading {
    const char *name; /* of the file */
    const th_content_schema *schema;
    th_content_model *model;
    th_error *err;
    th_json_reader json;
    uint32_t seen;     /* bits of the members met */
    const uint8_t *at; /* bytes after the header that are not read yet */
    size_t left;
};

static th_status refuse(const struct reading *reading, const char *what)
{
    return th_fail(reading->err, TH_USAGE, "model '%s': %s", reading->name, what);
}

static th_status refuse_member(const struct reading *reading, const char *member)
{
    return th_fail(reading->err, TH_USAGE,
                   "model '%s': header field '%s' is missing or invalid", reading->name,
                   member);
}

/* ---- values of the header ---- */

static bool read_number(struct reading *reading, int64_t low, int64_t high, int64_t *out)
{
    if (th_json_read(&reading->json) != TH_JSON_NUMBER)
        return false;
    const th_view text = reading->json.text;
    const bool is_negative = text.data[0] == '-';
    int64_t value = 0;
    if (text.len > 12)
        return false;
    for (size_t i = is_negative; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = 10 * value + (text.data[i] - '0');
    }
    *out = is_negative ? -value : value;
    return *out >= low && *out <= high;
}

static bool read_count(struct reading *reading, int64_t low, int64_t high, uint32_t *out)
{
    int64_t value = 0;
    if (!read_number(reading, low, high, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Reads an array of `count` numbers. */
static bool read_numbers(struct reading *reading, int64_t max, uint32_t count,
                         int32_t *out)
{
    if (th_json_read(&reading->json) != TH_JSON_OPEN_ARRAY)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (!read_number(reading, -max, max, &value))
            return false;
        out[i] = (int32_t)value;
    }
    return th_json_read(&reading->json) == TH_JSON_CLOSE_ARRAY;
}

/* Names must be these and no others, in this order. */
static th_status read_names(struct reading *reading, const char *member,
                            const char *(*name_of)(unsigned), uint32_t count)
{
    if (th_json_read(&reading->json) != TH_JSON_OPEN_ARRAY)
        return refuse_member(reading, member);
    for (uint32_t i = 0;; i++) {
        const th_json_token token = th_json_read(&reading->json);
        const th_view text = reading->json.text;
        if (token == TH_JSON_CLOSE_ARRAY && i == count)
            return TH_OK;
        if (token == TH_JSON_CLOSE_ARRAY)
            return th_fail(
                reading->err, TH_USAGE,
                "model '%s': its list of %s ends before '%s'; the model "
                "belongs to another version of this program; omit content-model, or "
                "train the model again (training/README.md)",
                reading->name, member, name_of(i));
        if (token != TH_JSON_STRING)
            return refuse_member(reading, member);
        if (i == count || !th_json_text_is(&reading->json, name_of(i)))
            return th_fail(reading->err, TH_USAGE,
                           "model '%s': entry %u of its %s is '%.*s', which this program "
                           "does not have at this position; the model belongs to another "
                           "version of this program; omit content-model, or train the "
                           "model again (training/README.md)",
                           reading->name, i + 1, member,
                           (int)(text.len > 60 ? 60 : text.len), text.data);
    }
}

static th_status read_tokens(struct reading *reading)
{
    uint32_t buckets = 0;
    int64_t bias = 0;
    bool is_sound = th_json_read(&reading->json) == TH_JSON_OPEN_OBJECT;
    while (is_sound) {
        const th_json_token token = th_json_read(&reading->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            break;
        if (token != TH_JSON_KEY)
            is_sound = false;
        else if (th_json_text_is(&reading->json, "buckets"))
            is_sound = read_count(reading, TH_TOKEN_BUCKETS, TH_TOKEN_BUCKETS, &buckets);
        else if (th_json_text_is(&reading->json, "bias"))
            is_sound = read_number(reading, -TH_TOKEN_BIAS, TH_TOKEN_BIAS, &bias);
        else
            is_sound = th_json_skip(&reading->json);
    }
    if (!is_sound || !buckets)
        return refuse_member(reading, "tokens");
    reading->model->tokens.bias = (int32_t)bias;
    return TH_OK;
}

static th_status read_ensemble(struct reading *reading, const char *member,
                               uint32_t outputs, th_ensemble *ensemble)
{
    bool has_trees = false, has_bias = false, has_shift = false;
    bool is_sound = th_json_read(&reading->json) == TH_JSON_OPEN_OBJECT;
    ensemble->output_count = outputs;
    while (is_sound) {
        const th_json_token token = th_json_read(&reading->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            break;
        if (token != TH_JSON_KEY)
            is_sound = false;
        else if (th_json_text_is(&reading->json, "trees"))
            is_sound = has_trees =
                read_count(reading, 0, TH_ENSEMBLE_TREES, &ensemble->tree_count);
        else if (th_json_text_is(&reading->json, "depth"))
            is_sound = read_count(reading, 1, TH_ENSEMBLE_DEPTH, &ensemble->depth);
        else if (th_json_text_is(&reading->json, "shift"))
            is_sound = has_shift =
                read_count(reading, 0, TH_ENSEMBLE_SHIFT, &ensemble->shift);
        else if (th_json_text_is(&reading->json, "bias"))
            is_sound = has_bias =
                read_numbers(reading, TH_ENSEMBLE_BIAS, outputs, ensemble->bias);
        else
            is_sound = th_json_skip(&reading->json);
    }
    return is_sound && has_trees && has_bias && has_shift && ensemble->depth
               ? TH_OK
               : refuse_member(reading, member);
}

static th_status read_calibration(struct reading *reading)
{
    bool is_sound = th_json_read(&reading->json) == TH_JSON_OPEN_ARRAY;
    for (int type = 0; is_sound && type < TH_PAGE_TYPE_COUNT; type++) {
        int32_t pair[2] = { 0, 0 };
        is_sound = read_numbers(reading, 1 << 24, 2, pair);
        reading->model->calibration[type] = (th_calibration){ pair[0], pair[1] };
    }
    is_sound = is_sound && th_json_read(&reading->json) == TH_JSON_CLOSE_ARRAY;
    return is_sound ? TH_OK : refuse_member(reading, "calibration");
}

static th_status read_cut(struct reading *reading)
{
    uint32_t cut = 0;
    if (!read_count(reading, 1, TH_PROBABILITY_ONE, &cut))
        return refuse_member(reading, "cut");
    reading->model->cut = (uint16_t)cut;
    return TH_OK;
}

static th_status read_fold(struct reading *reading)
{
    const th_json_reader before = reading->json;
    int64_t fold = -1;
    if (th_json_read(&reading->json) != TH_JSON_LITERAL) {
        reading->json = before;
        if (!read_number(reading, 0, 255, &fold))
            return refuse_member(reading, "without_fold");
    }
    reading->model->without_fold = (int)fold;
    return TH_OK;
}

/* ---- the header ---- */

/* clang-format off */
#define MEMBER_LIST(X) \
    X(COLUMNS, "columns") \
    X(PAGE_COLUMNS, "page_columns") \
    X(PAGE_TYPES, "page_types") \
    X(TOKENS, "tokens") \
    X(TYPE, "type") \
    X(PARAGRAPH, "paragraph") \
    X(CALIBRATION, "calibration") \
    X(CUT, "cut") \
    X(WITHOUT_FOLD, "without_fold")
/* clang-format on */
enum member {
#define MEMBER_ENUM(symbol, name) symbol,
    MEMBER_LIST(MEMBER_ENUM)
#undef MEMBER_ENUM
        MEMBER_COUNT
};
static const char *const member_names[] = {
#define MEMBER_NAME(symbol, name) name,
    MEMBER_LIST(MEMBER_NAME)
#undef MEMBER_NAME
};

static th_status read_member(struct reading *reading, unsigned member)
{
    const th_content_schema *schema = reading->schema;
    const char *name = member_names[member];
    switch ((enum member)member) {
    case COLUMNS:
        return read_names(reading, name, schema->column_name, schema->column_count);
    case PAGE_COLUMNS:
        return read_names(reading, name, schema->page_column_name,
                          schema->page_column_count);
    case PAGE_TYPES:
        return read_names(reading, name, type_name, TH_PAGE_TYPE_COUNT);
    case TOKENS:
        return read_tokens(reading);
    case TYPE:
        return read_ensemble(reading, name, TH_PAGE_TYPE_COUNT, &reading->model->type);
    case PARAGRAPH:
        return read_ensemble(reading, name, 1, &reading->model->paragraph);
    case CALIBRATION:
        return read_calibration(reading);
    case CUT:
        return read_cut(reading);
    case WITHOUT_FOLD:
        return read_fold(reading);
    case MEMBER_COUNT:
        break;
    }
    return refuse_member(reading, "member");
}

static th_status read_header(struct reading *reading, th_view header)
{
    th_status status = TH_OK;
    th_json_reader_init(&reading->json, header);
    if (th_json_read(&reading->json) != TH_JSON_OPEN_OBJECT)
        return refuse(reading, "its second line is not a JSON object");
    for (;;) {
        unsigned member = 0;
        const th_json_token token = th_json_read(&reading->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            break;
        if (token != TH_JSON_KEY)
            return refuse(reading, "its second line is not a JSON object");
        while (member < MEMBER_COUNT &&
               !th_json_text_is(&reading->json, member_names[member]))
            member++;
        if (member == MEMBER_COUNT) {
            if (!th_json_skip(&reading->json))
                return refuse(reading, "its second line is not a JSON object");
            continue;
        }
        if (reading->seen & 1u << member)
            return th_fail(reading->err, TH_USAGE,
                           "model '%s': header field '%s' occurs twice", reading->name,
                           member_names[member]);
        reading->seen |= 1u << member;
        status = read_member(reading, member);
        if (status != TH_OK)
            return status;
    }
    if (th_json_read(&reading->json) != TH_JSON_DONE)
        return refuse(reading,
                      "unexpected text after the JSON object of its second line");
    for (unsigned member = 0; member < MEMBER_COUNT; member++)
        if (!(reading->seen & 1u << member))
            return refuse_member(reading, member_names[member]);
    return TH_OK;
}

/* ---- data after the header ---- */

static const uint8_t *take(struct reading *reading, size_t len)
{
    const uint8_t *bytes = reading->at;
    if (len > reading->left)
        return NULL;
    reading->at += len;
    reading->left -= len;
    return bytes;
}

static th_status take_ensemble(struct reading *reading, const char *member,
                               uint32_t column_count, th_ensemble *ensemble)
{
    const size_t levels = (size_t)ensemble->tree_count * ensemble->depth;
    const size_t leaves = ((size_t)ensemble->tree_count * ensemble->output_count)
                          << ensemble->depth;
    ensemble->levels = take(reading, 2 * levels);
    ensemble->leaf_low = take(reading, leaves);
    ensemble->leaf_high = take(reading, leaves);
    if (!ensemble->levels || !ensemble->leaf_low || !ensemble->leaf_high)
        return refuse(reading, "it is shorter than its header declares");
    for (size_t i = 0; i < levels; i++)
        if (ensemble->levels[2 * i] >= column_count)
            return th_fail(
                reading->err, TH_USAGE,
                "model '%s': tree %zu of '%s' uses column %u, but there are %u columns",
                reading->name, i / ensemble->depth + 1, member,
                ensemble->levels[2 * i] + 1u, column_count);
    return TH_OK;
}

static th_status take_bytes(struct reading *reading)
{
    th_content_model *model = reading->model;
    const uint8_t *weights = take(reading, TOKEN_BYTES);
    if (!weights)
        return refuse(reading, "it is shorter than its header declares");
    for (size_t i = 0; i < TH_TOKEN_BUCKETS; i++) {
        const int32_t value = weights[2 * i] | weights[2 * i + 1] << 8;
        model->tokens.weight[i] = (int16_t)(value < 0x8000 ? value : value - 0x10000);
    }
    th_status status =
        take_ensemble(reading, "type", reading->schema->page_column_count, &model->type);
    if (status == TH_OK)
        status = take_ensemble(reading, "paragraph", reading->schema->column_count,
                               &model->paragraph);
    if (status == TH_OK && reading->left)
        status = refuse(reading, "it is longer than its header declares");
    return status;
}

/* ---- the whole file ---- */

static th_status check_first_line(const struct reading *reading, th_view file,
                                  size_t *len)
{
    const size_t word_len = sizeof first_word - 1;
    if (file.len <= word_len || memcmp(file.data, first_word, word_len) != 0)
        return refuse(reading, "not a content model: wrong first line");
    const char *number = file.data + word_len;
    const size_t max = file.len - word_len < 24 ? file.len - word_len : 24;
    const char *end = memchr(number, '\n', max);
    if (!end)
        return refuse(reading, "not a content model: its first line does not end");
    if ((size_t)(end - number) != sizeof version - 1 ||
        memcmp(number, version, sizeof version - 1) != 0)
        return th_fail(reading->err, TH_USAGE,
                       "model '%s': unsupported version %.*s (expected %s)",
                       reading->name, (int)(end - number), number, version);
    *len = (size_t)(end + 1 - file.data);
    return TH_OK;
}

static bool checksum_holds(th_view file, uint64_t *checksum)
{
    const uint8_t *stored = (const uint8_t *)file.data + file.len - CHECKSUM_LEN;
    uint64_t want = 0;
    for (int i = CHECKSUM_LEN; i-- > 0;)
        want = want << 8 | stored[i];
    *checksum = XXH3_64bits(file.data, file.len - CHECKSUM_LEN);
    return *checksum == want;
}

th_status th_content_model_read(th_view file, const th_content_schema *schema,
                                const char *name, th_content_model *out, th_error *err)
{
    th_content_model model = { .cut = 0 };
    struct reading reading = {
        .name = name, .schema = schema, .model = &model, .err = err
    };
    size_t first_len = 0;
    th_status status = check_first_line(&reading, file, &first_len);
    if (status != TH_OK)
        return status;
    const char *header = file.data + first_len;
    if (file.len - first_len < CHECKSUM_LEN || !checksum_holds(file, &model.checksum))
        return th_fail(err, TH_DAMAGED,
                       "model '%s': damaged or truncated (wrong checksum)", name);
    const char *header_end = memchr(header, '\n', file.len - first_len - CHECKSUM_LEN);
    if (!header_end)
        return refuse(&reading, "its second line does not end");
    model.about = (th_view){ header, (size_t)(header_end - header) };
    status = read_header(&reading, model.about);
    if (status != TH_OK)
        return status;
    reading.at = (const uint8_t *)header_end + 1;
    reading.left = file.len - CHECKSUM_LEN - (size_t)(header_end + 1 - file.data);
    status = take_bytes(&reading);
    if (status == TH_OK)
        *out = model;
    return status;
}

th_status th_content_model_load(const char *path, const th_content_schema *schema,
                                th_arena *arena, const th_content_model **out,
                                th_error *err)
{
    th_buffer bytes = { 0 };
    th_status status =
        th_whole_file_read(path, "model ", TH_CONTENT_MODEL_BYTES, TH_USAGE, &bytes, err);
    const th_view file = th_arena_copy(arena, th_buffer_view(&bytes));
    th_buffer_done(&bytes);
    th_content_model *model = th_arena_calloc(arena, 1, sizeof *model);
    if (status == TH_OK && file.data && model)
        status = th_content_model_read(file, schema, path, model, err);
    else if (status == TH_OK)
        status = th_fail(err, TH_NOMEM, "cannot read model '%s': out of memory", path);
    if (status == TH_OK)
        *out = model;
    return status;
}

/* ---- results for a page ---- */

void th_content_model_types(const th_content_model *model, const uint8_t *page_values,
                            uint16_t *probability)
{
    int32_t score[TH_ENSEMBLE_OUTPUTS];
    int64_t log_odds[TH_PAGE_TYPE_COUNT];
    th_ensemble_score_one(&model->type, page_values, score);
    for (int i = 0; i < TH_PAGE_TYPE_COUNT; i++)
        log_odds[i] = (int64_t)score[i] * 65536 / ((int64_t)1 << model->type.shift);
    th_softmax(log_odds, TH_PAGE_TYPE_COUNT, probability);
}

void th_content_model_calibrate(const th_content_model *model,
                                const uint16_t *type_probability, const int32_t *score,
                                uint32_t count, uint16_t *probability)
{
    int64_t slope = 0, offset = 0, sum = 0;
    for (int i = 0; i < TH_PAGE_TYPE_COUNT; i++) {
        slope += (int64_t)model->calibration[i].slope * type_probability[i];
        offset += (int64_t)model->calibration[i].offset * type_probability[i];
        sum += type_probability[i];
    }
    if (sum) {
        slope /= sum;
        offset /= sum;
    }
    const int64_t one = (int64_t)1 << model->paragraph.shift;
    for (uint32_t i = 0; i < count; i++)
        probability[i] = th_logistic(slope * score[i] / one + offset);
}
