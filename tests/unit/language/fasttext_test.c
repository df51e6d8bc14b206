/*
 * The answers of Debian's `fasttext` for small models of every loss, plain and quantised:
 * tests/data/fasttext/make.py trains the models and asks for the answers. And files that
 * end early or have a wrong number.
 */
#include "language/fasttext.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "outcomes.h"

enum { LINE_MAX_BYTES = 4096, MODEL_MAX_BYTES = 1 << 16 };

static th_fasttext *load(const char *name)
{
    char path[512];
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    snprintf(path, sizeof path, TH_DATA "/fasttext/%s", name);
    if (th_fasttext_load(path, &model, &err) != TH_OK)
        fail_msg("%s", err.text);
    return model;
}

/* Replaces "\t", "\v" and "\f" in place. */
static void unescape(char *text)
{
    static const char letters[] = "tvf", blanks[] = "\t\v\f";
    char *out = text;
    for (; *text; text++) {
        const char *letter = *text == '\\' ? strchr(letters, text[1]) : NULL;
        *out++ = letter ? blanks[letter - letters] : *text;
        text += letter != NULL;
    }
    *out = '\0';
}

static void check_answer(const th_fasttext *model, char *text, const char *label,
                         double score)
{
    th_second_language out;
    unescape(text);
    const size_t len = strlen(text);
    char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, text, len);
    assert_int_equal(th_fasttext_detect(model, (th_view){ exact, len }, &out), TH_OK);
    free(exact);
    if (!*label) {
        assert_null(out.name);
        return;
    }
    assert_string_equal(out.name, label);
    /* printed with six digits; a probability may be 1.00001 */
    if (fabs(out.score - score) > (score < 1 ? 1e-6 : 6e-6))
        fail_msg("'%s' has %.7f, not %.7f", text, out.score, score);
}

static void answers_hold(void **state)
{
    (void)state;
    FILE *file = fopen(TH_DATA "/fasttext/answers.tsv", "r");
    assert_non_null(file);
    char line[LINE_MAX_BYTES], last[64] = "";
    th_fasttext *model = NULL;
    unsigned models = 0, answers = 0;
    while (fgets(line, sizeof line, file)) {
        char *rest = line;
        const char *name = strsep(&rest, "\t");
        char *text = strsep(&rest, "\t");
        const char *label = strsep(&rest, "\t");
        assert_non_null(rest);
        if (strcmp(name, last) != 0) {
            th_fasttext_free(model);
            model = load(name);
            snprintf(last, sizeof last, "%s", name);
            models++;
        }
        check_answer(model, text, label, strtod(rest, NULL));
        answers++;
    }
    th_fasttext_free(model);
    (void)fclose(file);
    assert_int_equal(models, 6);
    assert_int_equal(answers, 6 * 25);
}

static void a_line_ends_at_its_end_mark(void **state)
{
    (void)state;
    th_fasttext *model = load("tree.bin");
    th_second_language whole, cut, blank;
    const th_view text = TH_VIEW("the people</s>"), marked = TH_VIEW("the </s> Leute");
    assert_int_equal(th_fasttext_detect(model, TH_VIEW("the"), &cut), TH_OK);
    assert_int_equal(th_fasttext_detect(model, marked, &whole), TH_OK);
    assert_ptr_equal(whole.name, cut.name);
    assert_true(whole.score == cut.score);
    assert_int_equal(th_fasttext_detect(model, text, &whole), TH_OK);
    assert_true(whole.score != cut.score); /* part of a word */
    assert_int_equal(th_fasttext_detect(model, TH_VIEW("\nthe\0"), &blank), TH_OK);
    assert_true(blank.score == cut.score);
    th_fasttext_free(model);
}

/* Every file that ends early is refused. */
static void a_cut_file_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "all.bin", "pruned.ftz" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512], bytes[MODEL_MAX_BYTES], cut_path[] = "/tmp/thresher-model-XXXXXX";
        snprintf(path, sizeof path, TH_DATA "/fasttext/%s", names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t len = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        assert_in_range(len, 1000, sizeof bytes - 1);
        const int fd = mkstemp(cut_path);
        assert_true(fd >= 0);
        for (size_t end = 0; end < len; end += end < 200 ? 1 : 97) {
            th_error err = { .text = "" };
            th_fasttext *model = NULL;
            assert_int_equal(pwrite(fd, bytes, end, 0), end);
            assert_int_equal(ftruncate(fd, (off_t)end), 0);
            assert_int_equal(th_fasttext_load(cut_path, &model, &err), TH_USAGE);
            assert_non_null(strstr(err.text, "truncated"));
            assert_null(model);
        }
        (void)close(fd);
        (void)unlink(cut_path);
    }
}

/* The numbers of a quantizer: dimensions, parts, and the widths of a part and of the last
 * part. Returns where they are in a model of `dimensions`. */
static size_t quantizer_at(const char *bytes, size_t len, int32_t dimensions)
{
    for (size_t at = 64; at + 16 < len; at++) {
        int32_t number[4];
        memcpy(number, bytes + at, sizeof number);
        if (number[0] == dimensions && number[2] > 1 && number[2] <= dimensions &&
            number[1] == (dimensions + number[2] - 1) / number[2] &&
            number[3] == (dimensions % number[2] ? dimensions % number[2] : number[2]))
            return at;
    }
    fail_msg("no quantizer found");
    return 0;
}

static void a_quantizer_of_another_matrix_is_refused(void **state)
{
    (void)state;
    char bytes[MODEL_MAX_BYTES], path[] = "/tmp/thresher-model-XXXXXX";
    FILE *file = fopen(TH_DATA "/fasttext/tree.ftz", "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    int32_t dimensions;
    memcpy(&dimensions, bytes + 8, sizeof dimensions);
    const size_t at = quantizer_at(bytes, len, dimensions);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    for (size_t i = 0; i < 4; i++) {
        int32_t right;
        memcpy(&right, bytes + at + 4 * i, sizeof right);
        const int32_t wrong[] = {
            0, -1, right - 1, right + 1, dimensions + 1, INT32_MAX
        };
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            th_error err = { .text = "" };
            th_fasttext *model = NULL;
            if (wrong[j] == right)
                continue;
            assert_int_equal(pwrite(fd, &wrong[j], 4, (off_t)(at + 4 * i)), 4);
            assert_int_equal(th_fasttext_load(path, &model, &err), TH_USAGE);
            assert_non_null(strstr(err.text, "quantizer does not match"));
        }
        assert_int_equal(pwrite(fd, &right, 4, (off_t)(at + 4 * i)), 4);
    }
    (void)close(fd);
    (void)unlink(path);
}

/* The counts of a file that states more than a table can have: no memory is needed. */
static void too_many_kept_buckets_are_refused(void **state)
{
    char path[] = "/tmp/thresher-model-XXXXXX";
    int32_t head[16] = { 793712314, 12 };
    (void)state;
    head[2] = 4;                                    /* dimensions */
    head[7] = 1;                                    /* words of an n-gram */
    head[8] = 3;                                    /* softmax */
    head[9] = 3;                                    /* a classifier */
    head[10] = INT32_MAX;                           /* buckets */
    const int32_t dictionary[] = { 1, 0, 1, 0, 0 }; /* entries, words, labels, tokens */
    const int64_t kept = INT32_MAX / 2 + (int64_t)1;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, head, sizeof head), sizeof head);
    assert_int_equal(write(fd, dictionary, sizeof dictionary), sizeof dictionary);
    assert_int_equal(write(fd, &kept, sizeof kept), sizeof kept);
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    assert_int_equal(th_fasttext_load(path, &model, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "more kept buckets than the limit"));
    (void)close(fd);
    (void)unlink(path);
}

enum { DICTIONARY = 64, ENTRIES = DICTIONARY + 3 * 4 + 2 * 8 }; /* bytes of a model */

/* Loads a copy with other bytes at a place, and expects the words in its error. */
static void expect_refused(const char *bytes, size_t len, size_t at, const void *wrong,
                           size_t wrong_len, const char *words)
{
    char copy[MODEL_MAX_BYTES], path[] = "/tmp/thresher-model-XXXXXX";
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    memcpy(copy, bytes, len);
    memcpy(copy + at, wrong, wrong_len);
    assert_int_equal(write(fd, copy, len), len);
    assert_int_equal(th_fasttext_load(path, &model, &err), TH_USAGE);
    if (!strstr(err.text, words))
        fail_msg("at %zu: '%s' and not '%s'", at, err.text, words);
    assert_null(model);
    (void)close(fd);
    (void)unlink(path);
}

/* The numbers of a dictionary, and the rows of its kept buckets, have their ranges. */
static void a_dictionary_with_wrong_numbers_is_refused(void **state)
{
    (void)state;
    char bytes[MODEL_MAX_BYTES];
    int32_t counts[3], buckets;
    int64_t kept;
    FILE *file = fopen(TH_DATA "/fasttext/pruned.ftz", "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    memcpy(&buckets, bytes + 8 + 8 * 4, sizeof buckets);
    memcpy(counts, bytes + DICTIONARY, sizeof counts);
    memcpy(&kept, bytes + DICTIONARY + 20, sizeof kept);
    assert_int_equal(counts[0], counts[1] + counts[2]);
    assert_in_range(kept, 1, buckets);
    expect_refused(bytes, len, 4, &(int32_t){ 13 }, 4, "version");
    expect_refused(bytes, len, 4, &(int32_t){ 10 }, 4, "version");
    expect_refused(bytes, len, DICTIONARY + 4, &(int32_t){ counts[1] + 1 }, 4,
                   "do not add up");
    expect_refused(bytes, len, DICTIONARY + 8, &(int32_t){ 0 }, 4,
                   "invalid number of labels");
    expect_refused(bytes, len, DICTIONARY + 12, &(int64_t){ -1 }, 8,
                   "invalid number of tokens");
    expect_refused(bytes, len, DICTIONARY + 20, &(int64_t){ -2 }, 8,
                   "more kept buckets than buckets");
    expect_refused(bytes, len, DICTIONARY + 20, &(int64_t){ buckets + (int64_t)1 }, 8,
                   "more kept buckets than buckets");
    size_t at = ENTRIES; /* each entry: a word and its zero, a count, a kind */
    for (int32_t i = 0; i < counts[0]; i++)
        at += strlen(bytes + at) + 1 + 8 + 1;
    for (int64_t i = 0; i < kept; i += kept - 1 ? kept - 1 : 1) {
        const size_t row = at + (size_t)i * 8;
        expect_refused(bytes, len, row, &(int32_t){ -1 }, 4, "bucket out of range");
        expect_refused(bytes, len, row, &buckets, 4, "bucket out of range");
        expect_refused(bytes, len, row + 4, &(int32_t){ -1 }, 4, "bucket out of range");
        expect_refused(bytes, len, row + 4, &(int32_t){ (int32_t)kept }, 4,
                       "bucket out of range");
    }
}

/* Reads a model of tests/data. Returns its length. */
static size_t read_model(const char *name, char *bytes)
{
    char path[512];
    snprintf(path, sizeof path, TH_DATA "/fasttext/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, MODEL_MAX_BYTES, file);
    (void)fclose(file);
    assert_in_range(len, 1000, MODEL_MAX_BYTES - 1);
    return len;
}

/* Loads a copy with another int at a place, and detects the language of a text. */
static void detect_with(const char *bytes, size_t len, size_t at, int32_t number,
                        th_second_language *out)
{
    char copy[MODEL_MAX_BYTES], path[] = "/tmp/thresher-model-XXXXXX";
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    memcpy(copy, bytes, len);
    memcpy(copy + at, &number, sizeof number);
    assert_int_equal(write(fd, copy, len), len);
    if (th_fasttext_load(path, &model, &err) != TH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(th_fasttext_detect(model, TH_VIEW("alte people"), out), TH_OK);
    assert_non_null(out->name);
    out->name = NULL; /* it belongs to the model */
    th_fasttext_free(model);
    (void)close(fd);
    (void)unlink(path);
}

enum { VERSION = 4, LETTERS_MAX = 12 * 4 }; /* places of arguments */

/* A classifier of version 11 has no n-grams of letters, regardless of its file. */
static void an_old_classifier_has_no_letters(void **state)
{
    (void)state;
    char bytes[MODEL_MAX_BYTES];
    th_second_language now, old, none;
    const size_t len = read_model("tree.bin", bytes);
    detect_with(bytes, len, VERSION, 12, &now);
    detect_with(bytes, len, VERSION, 11, &old);
    detect_with(bytes, len, LETTERS_MAX, 0, &none);
    assert_true(old.score == none.score);
    assert_true(old.score != now.score);
}

static void wrong_values_are_refused(void **state)
{
    (void)state;
    char bytes[MODEL_MAX_BYTES];
    int32_t counts[3];
    int64_t kept;
    size_t len = read_model("pruned.ftz", bytes);
    memcpy(counts, bytes + DICTIONARY, sizeof counts);
    memcpy(&kept, bytes + DICTIONARY + 20, sizeof kept);
    expect_refused(bytes, len, VERSION, &(int32_t){ 11 }, 4,
                   "kept buckets in a version without them");
    assert_true(counts[2] > 1);
    size_t at = ENTRIES, label = 0; /* of counts */
    for (int32_t i = 0; i < counts[0]; i++) {
        at += strlen(bytes + at) + 1;
        label = i == counts[1] ? at : label;
        at += 8 + 1;
    }
    const int64_t max = (int64_t)1e15; /* no count is as high */
    const size_t first = ENTRIES + strlen(bytes + ENTRIES) + 1;
    expect_refused(bytes, len, first, &(int64_t){ -1 }, 8, "invalid count");
    expect_refused(bytes, len, first, &max, 8, "invalid count");
    expect_refused(bytes, len, label, &max, 8, "invalid count");
    expect_refused(bytes, len, label, &(int64_t){ max - 1 }, 8,
                   "invalid counts of labels");
    const size_t matrix = at + (size_t)kept * 8;
    expect_refused(bytes, len, matrix, &(uint8_t){ 2 }, 1,
                   "invalid switch (expected 0 or 1)");

    len = read_model("all.bin", bytes); /* its last bytes are a weight */
    static const float wrong[] = { NAN, INFINITY, -INFINITY, 1.001e6f, -1.001e6f };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(bytes, len, len - sizeof(float), &wrong[i], sizeof(float),
                       "invalid weight (not a number, or out of range)");
}

/* A word of one byte more than the limit, its end included. */
static void too_long_words_are_refused(void **state)
{
    (void)state;
    enum { LONGEST = 1 << 14 };
    static char word[LONGEST];
    char bytes[MODEL_MAX_BYTES];
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    (void)read_model("all.bin", bytes);
    memset(word, 'x', sizeof word);
    for (size_t len = LONGEST - 1; len <= LONGEST; len++) {
        char path[] = "/tmp/thresher-model-XXXXXX";
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, bytes, ENTRIES), ENTRIES);
        assert_int_equal(write(fd, word, len), len);
        assert_int_equal(write(fd, "", 1), 1);
        assert_int_equal(th_fasttext_load(path, &model, &err), TH_USAGE);
        assert_non_null(strstr(err.text, len < LONGEST ? ": truncated file"
                                                       : ": word longer than the limit"));
        (void)close(fd);
        (void)unlink(path);
    }
}

/* A file that does not exist, and a file that cannot be read. */
/* Each byte of each model has another value once: the files that are refused, and the
 * reasons. */
static void a_wrong_byte_has_a_known_outcome(void **state)
{
    static const char *const names[] = { "all.bin",     "negatives.bin", "pruned.ftz",
                                         "softmax.bin", "tree.bin",      "tree.ftz" };
    (void)state;
    struct outcomes all = { .chance = 1 };
    char bytes[MODEL_MAX_BYTES], wrong_path[] = "/tmp/thresher-model-XXXXXX";
    const int fd = mkstemp(wrong_path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        snprintf(path, sizeof path, TH_DATA "/fasttext/%s", names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t len = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        assert_int_equal(pwrite(fd, bytes, len, 0), len);
        assert_int_equal(ftruncate(fd, (off_t)len), 0);
        for (size_t at = 0; at < len; at++) {
            static const uint8_t values[] = { 0, 1, 2, 0x20, 0x7F, 0x80, 0xFF };
            const uint8_t flipped = (uint8_t)(bytes[at] ^ 1 << below(&all, 8));
            const uint8_t byte = below(&all, 2) ? ONE(&all, values) : flipped;
            th_error err = { .text = "" };
            th_fasttext *model = NULL;
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
            const th_status status = th_fasttext_load(wrong_path, &model, &err);
            const char *reason = strchr(err.text, ':');
            note_line(&all, "%s %zu: %d %s", names[i], at, (int)status,
                      reason ? reason : "");
            th_fasttext_free(model);
            assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
        }
    }
    (void)close(fd);
    (void)unlink(wrong_path);
    expect_digest(&all, UINT64_C(0x476692B5A20D6DB0));
}

static void unreadable_files_are_reported(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    th_fasttext *model = NULL;
    assert_int_equal(th_fasttext_load("/nonexistent/m.bin", &model, &err), TH_IO);
    assert_string_equal(
        err.text, "cannot open model '/nonexistent/m.bin': No such file or directory");
    assert_int_equal(th_fasttext_load("/tmp", &model, &err), TH_IO);
    assert_string_equal(err.text, "model '/tmp': Is a directory");
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_hold),
        cmocka_unit_test(a_line_ends_at_its_end_mark),
        cmocka_unit_test(a_cut_file_is_refused),
        cmocka_unit_test(a_quantizer_of_another_matrix_is_refused),
        cmocka_unit_test(too_many_kept_buckets_are_refused),
        cmocka_unit_test(a_dictionary_with_wrong_numbers_is_refused),
        cmocka_unit_test(an_old_classifier_has_no_letters),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(too_long_words_are_refused),
        cmocka_unit_test(a_wrong_byte_has_a_known_outcome),
        cmocka_unit_test(unreadable_files_are_reported),
    };
    return cmocka_run_group_tests_name("fasttext", tests, NULL, NULL);
}
