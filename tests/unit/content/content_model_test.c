/* Content models: values read from a file, and invalid files. */
#include "content/content_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "content/content_model_file.h"
#include "content/log_odds.h"

enum {
    TREES = 20,
    FIRST_LINE = sizeof "thresher content model 1\n", /* and one more byte */
};

static void a_sound_file_is_read(void **state)
{
    (void)state;
    th_buffer file = { 0 };
    static th_content_model model;
    th_error err = { .text = "" };
    write_content_model(1, TREES, &file);
    assert_int_equal(
        th_content_model_read(th_buffer_view(&file), &small_schema, "m", &model, &err),
        TH_OK);
    assert_int_equal(model.tokens.bias, -120);
    assert_int_equal(model.type.tree_count, 5);
    assert_int_equal(model.type.depth, 3);
    assert_int_equal(model.type.bias[6], -7);
    assert_int_equal(model.paragraph.tree_count, TREES);
    assert_int_equal(model.paragraph.shift, 14);
    assert_int_equal(model.paragraph.output_count, 1);
    assert_int_equal(model.paragraph.bias[0], -4000);
    assert_int_equal(model.calibration[1].slope, 60000);
    assert_int_equal(model.calibration[1].offset, -9000);
    assert_int_equal(model.cut, 30000);
    assert_int_equal(model.without_fold, -1);
    assert_int_equal(model.about.data[0], '{');
    assert_int_equal(model.about.data[model.about.len - 1], '}');
    /* the first token's weight directly follows the header */
    const uint8_t *bytes = (const uint8_t *)model.about.data + model.about.len + 1;
    assert_int_equal((uint16_t)model.tokens.weight[0], bytes[0] | bytes[1] << 8);
    assert_ptr_equal(model.paragraph.leaf_high + TREES * 64,
                     (const uint8_t *)file.data + file.len - 8);
    th_buffer_done(&file);
}

/* The header of a valid model with one text replaced. */
static const struct damage {
    const char *name, *from, *to, *says;
} damages[] = {
    { "another column", "\"depth\"]", "\"depth\"]", NULL }, /* not there: stays sound */
    { "renamed column", "\"links\"", "\"anchors\"",
      "entry 2 of its columns is 'anchors'" },
    { "fewer columns", ",\"p6\"", "", "its list of columns ends before 'p6'" },
    { "more columns", "\"p6\"", "\"p6\",\"p7\"", "entry 13 of its columns is 'p7'" },
    { "columns are a number", "\"columns\":[", "\"columns\":1,\"x\":[",
      "field 'columns' is missing or invalid" },
    { "a column is a number", "\"links\"", "2", "field 'columns' is missing or invalid" },
    { "another page column", "\"forms\"", "\"form\"",
      "entry 2 of its page_columns is 'form'" },
    { "other types", "\"forum\"", "\"thread\"", "entry 4 of its page_types is 'thread'" },
    { "no cut", "\"cut\":30000,", "", "field 'cut' is missing or invalid" },
    { "cut of nothing", "\"cut\":30000", "\"cut\":0",
      "field 'cut' is missing or invalid" },
    { "cut over one", "\"cut\":30000", "\"cut\":65536",
      "field 'cut' is missing or invalid" },
    { "cut is a fraction", "\"cut\":30000", "\"cut\":0.5",
      "field 'cut' is missing or invalid" },
    { "cut twice", "\"cut\":30000", "\"cut\":30000,\"cut\":1", "'cut' occurs twice" },
    { "fewer buckets", "4096", "2048", "field 'tokens' is missing or invalid" },
    { "no buckets", "\"buckets\":4096,", "", "field 'tokens' is missing or invalid" },
    { "bias of tokens", "\"bias\":-120", "\"bias\":99999999",
      "field 'tokens' is missing or invalid" },
    { "deep trees", "\"depth\":6", "\"depth\":7",
      "field 'paragraph' is missing or invalid" },
    { "no depth", "\"depth\":3,", "", "field 'type' is missing or invalid" },
    { "flat trees", "\"depth\":3", "\"depth\":0", "field 'type' is missing or invalid" },
    { "too many trees", "\"trees\":20", "\"trees\":4097",
      "field 'paragraph' is missing or invalid" },
    { "trees below none", "\"trees\":20", "\"trees\":-1",
      "field 'paragraph' is missing or invalid" },
    { "shift", "\"shift\":14", "\"shift\":21",
      "field 'paragraph' is missing or invalid" },
    { "bias of six", ",6,-7]", ",6]", "field 'type' is missing or invalid" },
    { "bias of eight", ",6,-7]", ",6,-7,8]", "field 'type' is missing or invalid" },
    { "large bias", "[-4000]", "[-300000000]",
      "field 'paragraph' is missing or invalid" },
    { "calibration of six", ",[9,10]]", "]",
      "field 'calibration' is missing or invalid" },
    { "calibration of three", "[9,10]", "[9,10,11]",
      "field 'calibration' is missing or invalid" },
    { "steep calibration", "[9,10]", "[99999999,10]",
      "field 'calibration' is missing or invalid" },
    { "fold", "\"without_fold\":null", "\"without_fold\":256",
      "field 'without_fold' is missing or invalid" },
    { "fold's name", "\"without_fold\":null", "\"without_fold\":\"a\"",
      "field 'without_fold' is missing or invalid" },
    { "more trees than there are", "\"trees\":20", "\"trees\":21",
      "shorter than its header declares" },
    { "fewer trees than there are", "\"trees\":20", "\"trees\":19",
      "longer than its header declares" },
    { "no object", "{\"columns\"", "\"columns\"", "not a JSON object" },
    { "no JSON inside", "\"sources\":[", "\"sources\":}", "not a JSON object" },
    { "two objects", "\"pages\":3}]}", "\"pages\":3}]}{}", "unexpected text after" },
};

/* A copy of `file` with `to` for `from` in its header, and a new checksum. */
static void replace(th_view file, const char *from, const char *to, th_buffer *out)
{
    th_buffer header = { 0 };
    const char *begin = file.data + FIRST_LINE - 1;
    const char *end = memchr(begin, '\n', file.len);
    const char *at = memmem(begin, (size_t)(end - begin), from, strlen(from));
    assert_non_null(end);
    if (!at)
        at = end;
    th_buffer_append(&header, begin, (size_t)(at - begin));
    if (at < end) {
        th_buffer_append_text(&header, to);
        at += strlen(from);
        th_buffer_append(&header, at, (size_t)(end - at));
    }
    seal_content_model(th_buffer_view(&header),
                       (th_view){ end + 1, file.len - 8 - (size_t)(end + 1 - file.data) },
                       out);
    th_buffer_done(&header);
}

static void damage_is_named(void **state)
{
    const struct damage *damage = *state;
    static th_content_model model;
    th_buffer sound = { 0 }, file = { 0 };
    th_error err = { .text = "" };
    write_content_model(2, TREES, &sound);
    replace(th_buffer_view(&sound), damage->from, damage->to, &file);
    const th_status status = th_content_model_read(th_buffer_view(&file), &small_schema,
                                                   "my.model", &model, &err);
    if (!damage->says) {
        assert_int_equal(status, TH_OK);
    } else {
        assert_int_equal(status, TH_USAGE);
        assert_non_null(strstr(err.text, "model 'my.model': "));
        if (!strstr(err.text, damage->says))
            fail_msg("'%s' does not say '%s'", err.text, damage->says);
    }
    th_buffer_done(&sound);
    th_buffer_done(&file);
}

static void expect_refusal(th_view file, const char *says)
{
    static th_content_model model;
    th_error err = { .text = "" };
    char *exact = malloc(file.len ? file.len : 1);
    assert_non_null(exact);
    memcpy(exact, file.data, file.len);
    const th_status status = th_content_model_read((th_view){ exact, file.len },
                                                   &small_schema, "m", &model, &err);
    assert_int_equal(status, strstr(err.text, "checksum") ? TH_DAMAGED : TH_USAGE);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    free(exact);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    expect_refusal(TH_VIEW(""), "not a content model");
    expect_refusal(TH_VIEW("thresher-model 1\nmethod gcuts\n"), "not a content model");
    expect_refusal(TH_VIEW("thresher content model "), "not a content model");
    expect_refusal(TH_VIEW("thresher content model 1"), "does not end");
    expect_refusal(TH_VIEW("thresher content model 2\n{}\n"), "version 2");
    expect_refusal(TH_VIEW("thresher content model \n{}\n"), "version ");
    expect_refusal(TH_VIEW("thresher content model 1\n"), "checksum");
    th_buffer file = { 0 };
    seal_content_model(TH_VIEW("{}"), TH_VIEW(""), &file);
    expect_refusal(th_buffer_view(&file), "field 'columns' is missing or invalid");
    th_buffer_done(&file);
}

static void any_changed_or_missing_byte_is_noticed(void **state)
{
    (void)state;
    th_buffer file = { 0 };
    write_content_model(3, 1, &file);
    for (size_t i = 0; i < file.len; i += 1 + i / 40) {
        file.data[i] ^= 4;
        const bool is_name = i < sizeof "thresher content model " - 1;
        expect_refusal(th_buffer_view(&file), is_name || i == FIRST_LINE - 2
                                                  ? "not a content model"
                                              : i < FIRST_LINE - 1 ? "unsupported version"
                                                                   : "checksum");
        file.data[i] ^= 4;
        if (i >= FIRST_LINE)
            expect_refusal((th_view){ file.data, i }, "checksum");
    }
    th_buffer_append_char(&file, 0);
    expect_refusal(th_buffer_view(&file), "checksum");
    th_buffer_done(&file);
}

static void a_column_that_is_not_there(void **state)
{
    (void)state;
    th_buffer file = { 0 }, again = { 0 };
    write_content_model(4, 1, &file);
    const char *header = file.data + FIRST_LINE - 1;
    const char *bytes = (const char *)memchr(header, '\n', file.len) + 1;
    const size_t len = file.len - 8 - (size_t)(bytes - file.data);
    file.data[file.len - 8 - 128 - 4] = 12; /* the fifth level of the last tree */
    seal_content_model((th_view){ header, (size_t)(bytes - 1 - header) },
                       (th_view){ bytes, len }, &again);
    expect_refusal(th_buffer_view(&again),
                   "tree 1 of 'paragraph' uses column 13, but there are 12 columns");
    th_buffer_done(&file);
    th_buffer_done(&again);
}

static void files_are_loaded(void **state)
{
    (void)state;
    char path[] = "/tmp/content_model_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    th_buffer file = { 0 };
    th_error err = { .text = "" };
    const th_content_model *model = NULL;
    th_arena *arena = th_arena_new(0);
    write_content_model(5, 3000, &file); /* more than a first read takes */
    FILE *out = fdopen(fd, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file.data, 1, file.len, out), file.len);
    assert_int_equal(fflush(out), 0);
    assert_int_equal(th_content_model_load(path, &small_schema, arena, &model, &err),
                     TH_OK);
    assert_int_equal(model->paragraph.tree_count, 3000);
    assert_int_equal(fwrite(file.data, 1, 1, out), 1);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(th_content_model_load(path, &small_schema, arena, &model, &err),
                     TH_DAMAGED);
    assert_int_equal(truncate(path, TH_CONTENT_MODEL_BYTES + 1), 0);
    assert_int_equal(th_content_model_load(path, &small_schema, arena, &model, &err),
                     TH_USAGE);
    assert_non_null(strstr(err.text, "larger than the limit"));
    assert_int_equal(remove(path), 0);
    assert_int_equal(th_content_model_load(path, &small_schema, arena, &model, &err),
                     TH_ABSENT);
    assert_non_null(strstr(err.text, path));
    th_arena_free(arena);
    th_buffer_done(&file);
}

static uint16_t calibrated(const th_content_model *model, const uint16_t *type,
                           int32_t score)
{
    const int32_t scores[] = { score, 0 };
    uint16_t probability[2];
    th_content_model_calibrate(model, type, scores, 2, probability);
    return probability[0];
}

static void types_weigh_the_constants(void **state)
{
    (void)state;
    static th_content_model model;
    uint16_t type[TH_PAGE_TYPE_COUNT] = { 65535 };
    model.paragraph.shift = 14;
    model.calibration[0] = (th_calibration){ 65536, 0 };
    model.calibration[1] = (th_calibration){ 131072, -65536 };
    assert_int_equal(calibrated(&model, type, 1 << 14), th_logistic(65536));
    type[0] = 0;
    type[1] = 65535;
    assert_int_equal(calibrated(&model, type, 1 << 14), th_logistic(65536));
    assert_int_equal(calibrated(&model, type, 0), th_logistic(-65536));
    type[0] = type[1] = 30000; /* halves: slope 1.5, offset -.5 */
    assert_int_equal(calibrated(&model, type, 1 << 15), th_logistic(2 * 98304 - 32768));
    memset(type, 0, sizeof type);
    assert_int_equal(calibrated(&model, type, 5), 32768);
}

static void types_of_a_page(void **state)
{
    (void)state;
    static th_content_model model;
    uint16_t p[TH_PAGE_TYPE_COUNT];
    /* no tree: the biases alone */
    model.type = (th_ensemble){ .depth = 1, .output_count = 7, .shift = 4 };
    model.type.bias[TH_PAGE_TYPE_FORUM] = 16 * 20;
    th_content_model_types(&model, (const uint8_t[]){ 0 }, p);
    assert_int_equal(p[TH_PAGE_TYPE_FORUM], TH_PROBABILITY_ONE - 1);
    assert_int_equal(p[TH_PAGE_TYPE_ARTICLE], 0);
    assert_string_equal(th_page_type_names[TH_PAGE_TYPE_FORUM], "forum");
    assert_null(th_page_type_names[TH_PAGE_TYPE_COUNT]);
}

int main(void)
{
    enum { DAMAGES = sizeof damages / sizeof *damages };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_sound_file_is_read),
        cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(any_changed_or_missing_byte_is_noticed),
        cmocka_unit_test(a_column_that_is_not_there),
        cmocka_unit_test(files_are_loaded),
        cmocka_unit_test(types_weigh_the_constants),
        cmocka_unit_test(types_of_a_page),
    };
    struct CMUnitTest tests[DAMAGES + sizeof others / sizeof *others];
    for (size_t i = 0; i < DAMAGES; i++)
        tests[i] = (struct CMUnitTest){ damages[i].name, damage_is_named, NULL, NULL,
                                        (void *)(uintptr_t)&damages[i] };
    memcpy(tests + DAMAGES, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
