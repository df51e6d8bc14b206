/* src/spool/rolling_file.c: recoveries, and calls that fail.
 * rolling_sink_test.c has crashes. */
#include "spool/rolling_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/spool_scene.h"

#define PART "out-20260101000000-00007.txt"

/* A folder for a stream: the scene's. */
static struct scene scene;

static int begin(void **state)
{
    (void)state;
    scene_begin(&scene);
    return 0;
}

static int end(void **state)
{
    (void)state;
    scene_end(&scene);
    return 0;
}

static th_rolling_file *open_stream(th_rolling_options options)
{
    th_rolling_file *stream = NULL;
    th_error err = { .text = "" };
    options.dir = scene.spool;
    options.prefix = "out";
    options.suffix = ".txt";
    options.roll_bytes = options.roll_bytes ? options.roll_bytes : 100;
    if (th_rolling_file_new(&options, &stream, &err) != TH_OK)
        fail_msg("%s", err.text);
    return stream;
}

/* Expects that a file of the folder has these bytes, or, if `want` is NULL, that it does
 * not exist. */
static void expect_file(const char *name, const char *want)
{
    char path[SCENE_PATH], bytes[256] = "";
    FILE *file = fopen(scene_path(&scene, name, path), "rb");
    if (!want) {
        assert_null(file);
        return;
    }
    if (!file)
        fail_msg("'%s' does not exist", name);
    (void)fread(bytes, 1, sizeof bytes - 1, file);
    (void)fclose(file);
    assert_string_equal(bytes, want);
}

/* Name of the only part. */
static void find_part(char name[SCENE_PATH])
{
    DIR *dir = opendir(scene.spool);
    const struct dirent *entry;
    unsigned count = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        const size_t len = strlen(entry->d_name);
        if (len > 5 && strcmp(entry->d_name + len - 5, ".part") == 0) {
            (void)snprintf(name, SCENE_PATH, "%s", entry->d_name);
            count++;
        }
    }
    (void)closedir(dir);
    assert_int_equal(count, 1);
}

static void expect_failure(th_status status, const th_error *err, const char *call,
                           const char *name, const char *why)
{
    char want[3 * SCENE_PATH];
    (void)snprintf(want, sizeof want, "cannot %s '%s/%s': %s", call, scene.spool, name,
                   why);
    assert_string_equal(err->text, want);
    assert_int_equal(status, TH_IO);
}

/* ---- recoveries ---- */

/* A part is "0123456789". A NULL is a file that must not exist. */
static const struct row {
    const char *name, *note;
    bool is_doubtful;
    uint64_t shorter, aside;
    const char *published, *damaged;
} rows[] = {
    /* clang-format off */
    { "the note has its length", "10 " PART "\n", false, 0, 0, "0123456789", NULL },
    { "bytes after its length never counted", "4 " PART "\n", false, 0, 0, "0123", NULL },
    { "in doubt they are kept", "4 " PART "\n", true, 0, 1, "0123", "456789" },
    { "also one byte", "9 " PART "\n", true, 0, 1, "012345678", "9" },
    { "a line that cannot be read causes doubt", "x\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "a line without a name", "4\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "a line with a path", "4 a/b\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "a hidden name", "4 .a\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "a number that overflows", "18446744073709551616 a\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "a number beyond all files", "9223372036854775808 a\n4 " PART "\n", false, 0, 1, "0123", "456789" },
    { "the largest number is read", "9223372036854775807 a\n4 " PART "\n", false, 0, 0, "0123", NULL },
    { "a last line without its end", "4 " PART, false, 0, 0, "0123", NULL },
    { "no byte counts", "0 " PART "\n", true, 0, 1, "", "0123456789" },
    { "a part that became shorter", "11 " PART "\n", false, 1, 0, NULL, "0123456789" },
    { "a part without a line never counted", "", false, 0, 0, NULL, NULL },
    { "in doubt it is kept", "", true, 0, 1, NULL, "0123456789" },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_rolling_losses losses = { 0, 0 };
    th_error err = { .text = "" };
    scene_write(&scene, PART ".part", TH_VIEW("0123456789"));
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    const th_view note = { row->note, strlen(row->note) };
    assert_int_equal(
        th_rolling_file_recover(stream, note, row->is_doubtful, &losses, &err), TH_OK);
    assert_int_equal(losses.shorter, row->shorter);
    assert_int_equal(losses.aside, row->aside);
    assert_int_equal(th_rolling_file_published(stream), row->published ? 1 : 0);
    expect_file(PART, row->published);
    expect_file(PART ".part.damaged", row->damaged);
    expect_file(PART ".part", NULL);
    th_rolling_file_free(stream);
}

/* Files that were set aside before stay, and the next one gets a number. */
static void damaged_names_are_numbered(void **state)
{
    (void)state;
    th_rolling_losses losses = { 0, 0 };
    scene_write(&scene, PART ".part", TH_VIEW("0123456789"));
    scene_write(&scene, PART ".part.damaged", TH_VIEW("a"));
    scene_write(&scene, PART ".part.damaged.1", TH_VIEW("b"));
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(
        th_rolling_file_recover(stream, TH_VIEW("8 " PART "\n"), true, &losses, NULL),
        TH_OK);
    expect_file(PART ".part.damaged", "a");
    expect_file(PART ".part.damaged.1", "b");
    expect_file(PART ".part.damaged.2", "89");
    expect_file(PART, "01234567");
    th_rolling_file_free(stream);
}

/* A tail of several pieces is copied byte by byte. */
static void a_long_tail_is_kept(void **state)
{
    (void)state;
    enum { LEN = 50000, GOOD = 9 };
    char path[SCENE_PATH], *bytes = malloc(LEN), *seen = malloc(LEN);
    th_rolling_losses losses = { 0, 0 };
    assert_true(bytes && seen);
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (char)(i * i % 251);
    scene_write(&scene, PART ".part", (th_view){ bytes, LEN });
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(
        th_rolling_file_recover(stream, TH_VIEW("9 " PART "\n"), true, &losses, NULL),
        TH_OK);
    FILE *file = fopen(scene_path(&scene, PART ".part.damaged", path), "rb");
    assert_non_null(file);
    assert_int_equal(fread(seen, 1, LEN, file), LEN - GOOD);
    assert_memory_equal(seen, bytes + GOOD, LEN - GOOD);
    (void)fclose(file);
    th_rolling_file_free(stream);
    free(bytes);
    free(seen);
}

/* A recovery removes parts of this stream only. */
static void files_of_others_stay(void **state)
{
    static const char *const names[] = {
        "out-20260101000000-0007.txt.part",   /* shorter */
        "out-20260101000000-000007.txt.part", /* longer */
        "our-20260101000000-00007.txt.part",  /* another prefix */
        "out-20260101000000-00007.tst.part",  /* another suffix */
        "out-2026010100000x-00007.txt.part",  /* no time */
        "out-20260101000000_00007.txt.part",  /* another sign between */
        "out-20260101000000-00007.txt",       /* published */
        ".part",
    };
    enum { COUNT = sizeof names / sizeof *names };
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        scene_write(&scene, names[i], TH_VIEW("a"));
    scene_write(&scene, PART ".part", TH_VIEW("b"));
    for (int is_doubtful = 0; is_doubtful < 2; is_doubtful++) {
        th_rolling_losses losses = { 0, 0 };
        th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
        assert_int_equal(
            th_rolling_file_recover(stream, TH_VIEW(""), is_doubtful, &losses, NULL),
            TH_OK);
        expect_file(PART ".part", NULL);
        for (size_t i = 0; i < COUNT; i++)
            expect_file(names[i], "a");
        assert_int_equal(losses.aside, 0);
        th_rolling_file_free(stream);
    }
}

static void a_link_is_not_followed(void **state)
{
    (void)state;
    char path[SCENE_PATH];
    th_rolling_losses losses = { 0, 0 };
    th_error err = { .text = "" };
    assert_int_equal(symlink("/etc/passwd", scene_path(&scene, PART ".part", path)), 0);
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    const th_status status =
        th_rolling_file_recover(stream, TH_VIEW("4 " PART "\n"), true, &losses, &err);
    expect_failure(status, &err, "open", PART ".part",
                   "Too many levels of symbolic links");
    th_rolling_file_free(stream);
}

static void a_part_that_cannot_be_removed_ends_it(void **state)
{
    (void)state;
    char path[SCENE_PATH];
    th_rolling_losses losses = { 0, 0 };
    th_error err = { .text = "" };
    assert_int_equal(mkdir(scene_path(&scene, PART ".part", path), 0777), 0);
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    const th_status status =
        th_rolling_file_recover(stream, TH_VIEW(""), false, &losses, &err);
    expect_failure(status, &err, "remove", PART ".part", "Is a directory");
    th_rolling_file_free(stream);
}

static void no_descriptor_for_the_folder(void **state)
{
    (void)state;
    struct rlimit before, limit;
    th_rolling_losses losses = { 0, 0 };
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    limit.rlim_cur = 3; /* every later open fails */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const th_status status =
        th_rolling_file_recover(stream, TH_VIEW(""), false, &losses, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    expect_failure(status, &err, "read", "", "Too many open files");
    th_rolling_file_free(stream);
}

/* ---- calls that fail ---- */

static th_status no_start(void *context, th_buffer *out)
{
    (void)context;
    (void)out;
    return TH_NOMEM;
}

static void a_start_that_fails(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .start = no_start });
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("a"), &err), TH_NOMEM);
    assert_string_equal(err.text, "cannot create the start of a file");
    th_rolling_file_free(stream);
}

/* Someone else puts a folder in the place of a part. */
static void a_part_that_cannot_be_cut_off(void **state)
{
    (void)state;
    char name[SCENE_PATH], path[SCENE_PATH];
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("a"), &err), TH_OK);
    find_part(name);
    assert_int_equal(unlink(scene_path(&scene, name, path)), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    expect_failure(th_rolling_file_cut(stream, &err), &err, "remove", name,
                   "Is a directory");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(th_rolling_file_cut(stream, &err), TH_OK); /* it is gone */
    th_rolling_file_free(stream);
}

/* A part that counts in part, whose place a device has taken. */
static void a_part_that_cannot_be_shortened(void **state)
{
    (void)state;
    char name[SCENE_PATH], path[SCENE_PATH];
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("a"), &err), TH_OK);
    assert_int_equal(th_rolling_file_keep(stream, &err), TH_OK);
    assert_int_equal(th_rolling_file_bytes(stream), 1);
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("bc"), &err), TH_OK);
    find_part(name);
    assert_int_equal(unlink(scene_path(&scene, name, path)), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    const th_status status = th_rolling_file_cut(stream, &err);
    name[strlen(name) - strlen(".part")] = '\0';
    expect_failure(status, &err, "cut", name, "Invalid argument");
    th_rolling_file_free(stream);
}

static void a_part_that_is_gone_is_not_published(void **state)
{
    (void)state;
    char name[SCENE_PATH], path[SCENE_PATH];
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_bytes = 2 });
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("ab"), &err), TH_OK);
    find_part(name);
    assert_int_equal(unlink(scene_path(&scene, name, path)), 0);
    expect_failure(th_rolling_file_keep(stream, &err), &err, "publish", name,
                   "No such file or directory");
    assert_int_equal(th_rolling_file_bytes(stream), 2);
    assert_int_equal(th_rolling_file_published(stream), 0);
    th_rolling_file_free(stream);
}

/* Puts a descriptor that cannot be synced in the place of the stream's folder. */
static void replace_folder(int *folder, int *kept)
{
    char link[64], path[SCENE_PATH];
    for (*folder = 3; *folder < 64; ++*folder) {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", *folder);
        const ssize_t len = readlink(link, path, sizeof path - 1);
        if (len > 0 && (size_t)len == strlen(scene.spool) &&
            memcmp(path, scene.spool, (size_t)len) == 0)
            break;
    }
    assert_true(*folder < 64);
    const int only_path = open(scene.spool, O_PATH | O_CLOEXEC);
    assert_true((*kept = dup(*folder)) >= 0 && only_path >= 0);
    assert_int_equal(dup2(only_path, *folder), *folder);
    assert_int_equal(close(only_path), 0);
}

/* A new name that is perhaps not on the disk: the caller must know it, each time. */
static void a_folder_that_cannot_be_synced(void **state)
{
    (void)state;
    int folder, kept;
    th_error err = { .text = "" };
    th_rolling_file *stream = open_stream((th_rolling_options){ .roll_ms = 0 });
    assert_int_equal(th_rolling_file_write(stream, TH_VIEW("a"), &err), TH_OK);
    replace_folder(&folder, &kept);
    for (int i = 0; i < 2; i++)
        expect_failure(th_rolling_file_sync(stream, &err), &err, "sync", "",
                       "Bad file descriptor");
    th_rolling_losses losses = { 0, 0 };
    expect_failure(th_rolling_file_recover(stream, TH_VIEW(""), false, &losses, &err),
                   &err, "sync", "", "Bad file descriptor");
    assert_int_equal(dup2(kept, folder), folder);
    assert_int_equal(close(kept), 0);
    assert_int_equal(th_rolling_file_sync(stream, &err), TH_OK);
    th_rolling_file_free(stream);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct CMUnitTest others[] = {
        cmocka_unit_test_setup_teardown(damaged_names_are_numbered, begin, end),
        cmocka_unit_test_setup_teardown(a_long_tail_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(files_of_others_stay, begin, end),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, begin, end),
        cmocka_unit_test_setup_teardown(a_part_that_cannot_be_removed_ends_it, begin,
                                        end),
        cmocka_unit_test_setup_teardown(no_descriptor_for_the_folder, begin, end),
        cmocka_unit_test_setup_teardown(a_start_that_fails, begin, end),
        cmocka_unit_test_setup_teardown(a_part_that_cannot_be_cut_off, begin, end),
        cmocka_unit_test_setup_teardown(a_part_that_cannot_be_shortened, begin, end),
        cmocka_unit_test_setup_teardown(a_part_that_is_gone_is_not_published, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_synced, begin, end),
    };
    struct CMUnitTest tests[ROWS + sizeof others / sizeof *others];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, begin, end,
                                        (void *)(uintptr_t)&rows[i] };
    memcpy(tests + ROWS, others, sizeof others);
    return cmocka_run_group_tests_name("rolling_file", tests, NULL, NULL);
}
