/* Models of segmenters: the built-in models equal the files, and invalid
 * files. */
#include "lab/segment/lab_segmenters.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

/* The build names TH_SOURCES, the folder src. */
static const th_segment_model *const shipped[] = {
    &th_gcuts_model,
    &th_cclus_model,
    &th_boundary_graph_model,
};

static void path_of(const th_segment_model *model, char path[512])
{
    const bool is_lab = model != &th_boundary_graph_model;
    snprintf(path, 512, TH_SOURCES "/%ssegment/models/%s.model", is_lab ? "lab/" : "",
             model->features->method);
}

static void check_same(const th_segment_model *a, const th_segment_model *b)
{
    assert_ptr_equal(a->features, b->features);
    assert_int_equal(a->checksum, b->checksum);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->has_folds, b->has_folds);
    assert_memory_equal(a->parameters, b->parameters, sizeof a->parameters);
    assert_memory_equal(&a->final, &b->final, sizeof a->final);
    assert_memory_equal(a->folds, b->folds, sizeof a->folds);
    assert_string_equal(a->corpora, b->corpora);
    assert_string_equal(a->without, b->without);
}

static void what_ships_is_what_the_files_say(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char path[512];
        th_segment_model model;
        th_error err = { 0 };
        path_of(shipped[i], path);
        const th_status status = th_segment_model_load(
            path, th_lab_segmenters, shipped[i]->features, &model, &err);
        if (status != TH_OK)
            fail_msg("%s", err.text);
        check_same(&model, shipped[i]);
    }
}

/* ---- damage ---- */

#define HEAD                                                                             \
    "thresher-model 1\nmethod cclus\nfeatures cclus-1\ncorpora a:1\nwithout\nseed 1\n"

/* Text of a whole model of cclus; freed by the caller. */
static char *make_text(const char *fold)
{
    char *text = calloc(1, 4096);
    assert_non_null(text);
    strcat(text, HEAD "parameter lambda 820\n");
    for (int round = 0; round < (fold ? 2 : 1); round++) {
        sprintf(text + strlen(text), "fold %s\n", round ? fold : "final");
        for (uint32_t i = 0; i < th_cclus_features.weight_count; i++)
            sprintf(text + strlen(text), "weight %s %u\n", th_cclus_features.weights[i],
                    i);
    }
    return text;
}

static void seal(char *text)
{
    const size_t len = strlen(text);
    sprintf(text + len, "checksum %016" PRIx64 "\n", (uint64_t)XXH3_64bits(text, len));
}

/* A change of a good model, and the words that refuse it. */
static const struct row {
    const char *name, *find, *put, *want;
} rows[] = {
    { "version", "thresher-model 1", "thresher-model 2", "line 1: unknown version '2'" },
    { "no model", "thresher-model 1", "<html>", "line 1: unexpected line: '<html>" },
    { "method", "method cclus", "method clus",
      "does not have these features for this method" },
    { "features", "cclus-1", "cclus-2",
      "line 3: this program does not have these features" },
    { "other method", "method cclus\nfeatures cclus-1", "method gcuts\nfeatures gcuts-1",
      "the model belongs to another method" },
    { "corpora left out", "corpora a:1\n", "", "line 4: unexpected line: " },
    { "seed", "seed 1", "seed one", "line 6: not a seed: 'one'" },
    { "parameter unknown", "parameter lambda", "parameter lambdo",
      "line 7: unknown parameter 'lambdo'" },
    { "parameter out of range", "lambda 820", "lambda 99999999",
      "line 7: parameter out of range" },
    { "parameter twice", "fold final", "parameter lambda 1\nfold final",
      "line 8: duplicate parameter: 'lambda'" },
    { "parameter missing", "parameter lambda 820\n", "", "missing parameter: 'lambda'" },
    { "weight missing", "weight apart 5\n", "",
      "missing weight before this line: 'apart'" },
    { "weight doubled", "weight apart 5", "weight hard 5", "duplicate weight: 'hard'" },
    { "weight unknown", "weight apart 5", "weight afar 5",
      "line 14: unknown weight 'afar'" },
    { "weight too large", "weight apart 5", "weight apart 2147483648",
      "not a 32-bit weight" },
    { "weight no number", "weight apart 5", "weight apart 5x", "not a 32-bit weight" },
    { "weight empty", "weight apart 5", "weight apart ", "not a 32-bit weight" },
    { "weight before a fold", "fold final\n", "", "weight before the first fold" },
    { "fold unknown", "fold final", "fold 4", "unknown fold '4'" },
    { "fold final missing", "fold final", "fold 0", "the fold 'final' is missing" },
    { "word unknown", "weight apart 5", "wait apart 5", "line 14: unknown word 'wait'" },
};

static void damage_is_refused_by_name(void **state)
{
    const struct row *row = *state;
    char *text = make_text(NULL), *at = strstr(text, row->find);
    char changed[4096];
    th_segment_model model = { .checksum = 7 };
    th_error err = { 0 };
    assert_non_null(at);
    snprintf(changed, sizeof changed - 64, "%.*s%s%s", (int)(at - text), text, row->put,
             at + strlen(row->find));
    seal(changed);
    assert_int_equal(th_segment_model_read((th_view){ changed, strlen(changed) },
                                           th_lab_segmenters, &th_cclus_features,
                                           "x.model", &model, &err),
                     TH_USAGE);
    if (!strstr(err.text, row->want) || !strstr(err.text, "'x.model'"))
        fail_msg("%s", err.text);
    assert_int_equal(model.checksum, 7);
    free(text);
}

static th_status read(const char *text, size_t len, th_error *err)
{
    th_segment_model model;
    return th_segment_model_read((th_view){ text, len }, th_lab_segmenters, NULL,
                                 "x.model", &model, err);
}

static void a_good_one_is_read(void **unused)
{
    (void)unused;
    char *text = make_text(NULL);
    th_error err = { 0 };
    seal(text);
    assert_int_equal(read(text, strlen(text), &err), TH_OK);
    free(text);
}

static void folds_are_all_or_none(void **unused)
{
    (void)unused;
    char *text = make_text("2");
    th_error err = { 0 };
    seal(text);
    assert_int_equal(read(text, strlen(text), &err), TH_USAGE);
    assert_non_null(strstr(err.text, "some folds are missing"));
    free(text);
    text = make_text("final");
    seal(text);
    assert_int_equal(read(text, strlen(text), &err), TH_USAGE);
    assert_non_null(strstr(err.text, "duplicate fold"));
    free(text);
}

/* Cut anywhere, or one bit changed anywhere: refused. */
static void every_byte_counts(void **unused)
{
    (void)unused;
    char *text = make_text(NULL);
    seal(text);
    const size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        th_error err = { 0 };
        char *exact = malloc(i ? i : 1);
        assert_non_null(exact);
        memcpy(exact, text, i);
        if (i + 1 < len) /* the last line end may be missing */
            assert_int_equal(read(exact, i, &err), TH_USAGE);
        free(exact);
        text[i] ^= 4;
        assert_int_equal(read(text, len, &err), TH_USAGE);
        text[i] ^= 4;
    }
    free(text);
}

static void files_that_cannot_be_read_say_so(void **unused)
{
    (void)unused;
    th_segment_model model;
    th_error err = { 0 };
    assert_int_equal(
        th_segment_model_load("/nonexistent/x.model", NULL, NULL, &model, &err),
        TH_ABSENT);
    assert_non_null(strstr(err.text, "/nonexistent/x.model"));
    assert_int_equal(th_segment_model_load("/dev/zero", NULL, NULL, &model, &err),
                     TH_USAGE);
    assert_non_null(strstr(err.text, "larger than the limit"));
}

int main(void)
{
    enum { COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[COUNT + 5] = {
        cmocka_unit_test(what_ships_is_what_the_files_say),
        cmocka_unit_test(a_good_one_is_read),
        cmocka_unit_test(folds_are_all_or_none),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(files_that_cannot_be_read_say_so),
    };
    for (size_t i = 0; i < COUNT; i++)
        tests[5 + i] = (struct CMUnitTest){ rows[i].name, damage_is_refused_by_name, NULL,
                                            NULL, (void *)(size_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
