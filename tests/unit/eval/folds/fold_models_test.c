/* Models by folds: each has the fold of its name, or none is used. */
#include "eval/folds/fold_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "content/content_model_file.h"
#include "content/content_scores.h"

enum { NO_FOLD = -1 };

/* The folder of a test, and the bytes of the model that ships. */
struct scene {
    char folder[32];
    th_buffer shipped;
    th_arena *arena;
    th_error err;
};

static void read_file(const char *path, th_buffer *out)
{
    char bytes[4096];
    size_t len;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((len = fread(bytes, 1, sizeof bytes, file)) > 0)
        th_buffer_append(out, bytes, len);
    fclose(file);
}

static void open_scene(struct scene *scene)
{
    *scene = (struct scene){ .folder = "/tmp/fold_models.XXXXXX" };
    assert_non_null(mkdtemp(scene->folder));
    scene->arena = th_arena_new(0);
    assert_non_null(scene->arena);
    read_file(TH_CONTENT_MODEL, &scene->shipped);
}

static void path_of(const struct scene *scene, unsigned number, char *path, size_t size)
{
    snprintf(path, size, "%s/fold-%u.model", scene->folder, number);
}

/* Writes fold-NUMBER.model: the model that ships, as if it had not seen `fold`. */
static void put(const struct scene *scene, unsigned number, int fold)
{
    static const char member[] = "\"without_fold\":";
    char path[64], value[16];
    th_buffer header = { 0 }, sealed = { 0 };
    const th_view file = th_buffer_view(&scene->shipped);
    const char *begin = (const char *)memchr(file.data, '\n', file.len) + 1;
    const char *end = memchr(begin, '\n', file.len - (size_t)(begin - file.data));
    const char *at = memmem(begin, (size_t)(end - begin), member, sizeof member - 1);
    assert_non_null(at);
    at += sizeof member - 1;
    snprintf(value, sizeof value, "%d", fold);
    th_buffer_append(&header, begin, (size_t)(at - begin));
    th_buffer_append_text(&header, fold == NO_FOLD ? "null" : value);
    at += strlen("null");
    th_buffer_append(&header, at, (size_t)(end - at));
    seal_content_model(th_buffer_view(&header),
                       (th_view){ end + 1, file.len - 8 - (size_t)(end + 1 - file.data) },
                       &sealed);
    path_of(scene, number, path, sizeof path);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(sealed.data, 1, sealed.len, out), sealed.len);
    assert_int_equal(fclose(out), 0);
    th_buffer_done(&header);
    th_buffer_done(&sealed);
}

static void put_all(const struct scene *scene)
{
    for (unsigned fold = 0; fold < TH_CONTENT_FOLDS; fold++)
        put(scene, fold, (int)fold);
}

static th_status read_all(struct scene *scene, th_fold_models *models)
{
    return th_fold_models_read(scene->folder, scene->arena, models, &scene->err);
}

static void close_scene(struct scene *scene)
{
    for (unsigned i = 0; i < TH_CONTENT_FOLDS; i++) {
        char path[64];
        path_of(scene, i, path, sizeof path);
        remove(path);
    }
    assert_int_equal(remove(scene->folder), 0);
    th_buffer_done(&scene->shipped);
    th_arena_free(scene->arena);
}

static void each_is_its_fold(void **state)
{
    (void)state;
    struct scene scene;
    th_fold_models models = { { NULL } };
    open_scene(&scene);
    put_all(&scene);
    if (read_all(&scene, &models) != TH_OK)
        fail_msg("%s", scene.err.text);
    for (int fold = 0; fold < TH_CONTENT_FOLDS; fold++) {
        const th_content_model *model = models.models[fold];
        assert_int_equal(model->without_fold, fold);
        assert_int_equal(model->paragraph.tree_count,
                         th_content_model_shipped()->paragraph.tree_count);
    }
    close_scene(&scene);
}

static void expect(struct scene *scene, th_status status, const char *says)
{
    th_fold_models models;
    assert_int_equal(read_all(scene, &models), status);
    if (!strstr(scene->err.text, says))
        fail_msg("'%s' does not say '%s'", scene->err.text, says);
    close_scene(scene);
}

/* The model would judge pages from its own training data. */
static void another_fold_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    put_all(&scene);
    put(&scene, 3, 2);
    expect(&scene, TH_USAGE, "fold-3.model' was not trained without fold 3");
}

static void a_model_of_all_pages_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    put_all(&scene);
    put(&scene, 0, NO_FOLD);
    expect(&scene, TH_USAGE, "fold-0.model' was not trained without fold 0");
}

static void a_missing_one_is_named(void **state)
{
    (void)state;
    struct scene scene;
    char path[64];
    open_scene(&scene);
    put_all(&scene);
    path_of(&scene, 4, path, sizeof path);
    assert_int_equal(remove(path), 0);
    expect(&scene, TH_ABSENT, "fold-4.model");
}

static void a_damaged_one_is_named(void **state)
{
    (void)state;
    struct scene scene;
    char path[64];
    open_scene(&scene);
    put_all(&scene);
    path_of(&scene, 1, path, sizeof path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -9, SEEK_END), 0);
    const int last = fgetc(file);
    assert_int_equal(fseek(file, -9, SEEK_END), 0);
    assert_int_equal(fputc(last ^ 1, file), last ^ 1);
    assert_int_equal(fclose(file), 0);
    expect(&scene, TH_DAMAGED, "fold-1.model");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_its_fold),
        cmocka_unit_test(another_fold_is_refused),
        cmocka_unit_test(a_model_of_all_pages_is_refused),
        cmocka_unit_test(a_missing_one_is_named),
        cmocka_unit_test(a_damaged_one_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
