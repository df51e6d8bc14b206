/* src/spool/spool_file.c: names that are taken, files that change between a look and a
 * rename, and files of others. */
#include "spool/spool_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/spool_scene.h"
#include "spool/spool_claims.h"

static struct scene scene;
static int spool_fd, done_fd, claims_fd;
static th_error err;

/* ---- what another process does right before the next rename ---- */

static const char *name_replaced, *by;

int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);

int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags)
{
    if (name_replaced) {
        const char *const name = name_replaced;
        name_replaced = NULL;
        if (by)
            assert_int_equal(renameat(spool_fd, by, spool_fd, name), 0);
        else
            assert_int_equal(unlinkat(spool_fd, name, 0), 0);
    }
    return __real_renameat2(from_dir, from, to_dir, to, flags);
}

static void replace_before_rename(const char *name, const char *other)
{
    name_replaced = name;
    by = other;
}

/* ---- a spool with a folder for finished files ---- */

static int set_up(void **state)
{
    bool is_sole = false;
    char path[SCENE_PATH];
    (void)state;
    scene_begin(&scene);
    err = (th_error){ .text = "" };
    name_replaced = NULL;
    assert_int_equal(mkdir(scene_path(&scene, "done", path), 0777), 0);
    spool_fd = open(scene.spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    done_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    claims_fd = th_spool_claims_open(spool_fd, "ledger", &is_sole);
    assert_true(spool_fd >= 0 && done_fd >= 0 && claims_fd >= 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_null(name_replaced); /* the rename took place */
    (void)close(claims_fd);
    (void)close(done_fd);
    (void)close(spool_fd);
    scene_end(&scene);
    return 0;
}

static th_spool_file take(const char *name, bool is_claimed)
{
    th_spool_file file;
    const th_status status =
        th_spool_file_acquire(spool_fd, claims_fd, name, is_claimed, &file, &err);
    if (status != TH_OK)
        fail_msg("%s: %d: %s", name, status, err.text);
    return file;
}

static th_spool_file take_new(const char *name)
{
    scene_write(&scene, name, TH_VIEW("0123456789"));
    return take(name, false);
}

/* Expects that a file of a folder begins with a text, or that it does not exist (NULL). */
static void expect_file(int dir, const char *name, const char *want)
{
    char text[128] = "";
    const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    if (!want) {
        assert_int_equal(fd, -1);
        return;
    }
    if (fd < 0)
        fail_msg("'%s' is not there", name);
    (void)!read(fd, text, sizeof text - 1);
    (void)close(fd);
    assert_string_equal(text, want);
}

/* ---- names ---- */

static void taken_names_get_numbers(void **state)
{
    static const struct {
        const char *name, *taken[3], *want;
    } rows[] = {
        { "a.warc", { NULL }, "a.warc" },
        { "x.warc", { "x.warc" }, "x.1.warc" },
        { "y.warc.gz", { "y.warc.gz", "y.1.warc.gz" }, "y.2.warc.gz" },
        { "z.tar.bz2", { "z.tar.bz2" }, "z.1.tar.bz2" },
        { "b.warc.zst", { "b.warc.zst" }, "b.1.warc.zst" },
        { "c.arc.xz", { "c.arc.xz" }, "c.1.arc.xz" },
        { "plain", { "plain" }, "plain.1" },
        { "only.gz", { "only.gz" }, "only.1.gz" },
        { ".gz", { ".gz" }, ".gz.1" },
        { ".hidden", { ".hidden" }, ".hidden.1" },
        { "v.1.2.warc", { "v.1.2.warc" }, "v.1.2.1.warc" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char as[TH_SPOOL_PRESENT];
        th_spool_file file = take_new(rows[i].name);
        for (int k = 0; k < 3 && rows[i].taken[k]; k++)
            (void)close(openat(done_fd, rows[i].taken[k], O_WRONLY | O_CREAT, 0666));
        assert_false(th_spool_file_find(done_fd, &file, as));
        assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_OK);
        assert_string_equal(as, rows[i].want);
        expect_file(done_fd, as, "0123456789");
        assert_false(scene_has(&scene, rows[i].name));
        as[0] = '\0';
        assert_true(th_spool_file_find(done_fd, &file, as));
        assert_string_equal(as, rows[i].want);
        th_spool_file_close(&file);
        assert_int_equal(file.fd, -1);
    }
}

/* A file keeps the folders that it came from. */
static void folders_are_made(void **state)
{
    char as[TH_SPOOL_PRESENT], path[SCENE_PATH];
    (void)state;
    assert_int_equal(mkdir(scene_path(&scene, "s.d", path), 0777), 0);
    assert_int_equal(mkdir(scene_path(&scene, "s.d/t", path), 0777), 0);
    th_spool_file file = take_new("s.d/t/x");
    assert_int_equal(mkdirat(done_fd, "s.d", 0777), 0);
    assert_int_equal(mkdirat(done_fd, "s.d/t", 0777), 0);
    (void)close(openat(done_fd, "s.d/t/x", O_WRONLY | O_CREAT, 0666));
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_OK);
    assert_string_equal(as, "s.d/t/x.1"); /* the dot of a folder is not of the name */
    th_spool_file_close(&file);
    assert_int_equal(mkdir(scene_path(&scene, "u", path), 0777), 0);
    assert_int_equal(mkdir(scene_path(&scene, "u/v", path), 0777), 0);
    file = take_new("u/v/y.warc");
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_OK);
    expect_file(done_fd, "u/v/y.warc", "0123456789");
    th_spool_file_close(&file);
}

static void a_claim_is_a_suffix(void **state)
{
    (void)state;
    scene_write(&scene, "x.warc.processing", TH_VIEW("another"));
    th_spool_file file = take_new("x.warc");
    assert_false(file.is_claimed);
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_OK);
    assert_true(file.is_claimed);
    assert_string_equal(file.name, "x.warc");
    assert_string_equal(file.present, "x.1.warc.processing");
    expect_file(spool_fd, file.present, "0123456789");
    expect_file(spool_fd, "x.warc", NULL);
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_OK); /* as it is */
    assert_string_equal(file.present, "x.1.warc.processing");
    th_spool_file_close(&file);
    file = take("x.warc.processing", true);
    assert_string_equal(file.name, "x.warc");
    assert_true(file.is_claimed);
    th_spool_file_close(&file);
}

/* A name whose claim would be too long for the spool stays. */
static void a_long_name_is_not_numbered(void **state)
{
    char name[TH_SPOOL_NAME], claimed[TH_SPOOL_PRESENT], path[SCENE_PATH];
    (void)state;
    memset(name, 'n', sizeof name);
    for (int at = 200; at < TH_SPOOL_NAME - 1; at += 200) {
        name[at] = '\0';
        assert_int_equal(mkdir(scene_path(&scene, name, path), 0777), 0);
        name[at] = '/';
    }
    name[TH_SPOOL_NAME - 1] = '\0'; /* 511 bytes; the last name has 110 */
    th_spool_file file = take_new(name);
    (void)snprintf(claimed, sizeof claimed, "%s.processing", name);
    scene_write(&scene, claimed, TH_VIEW("another"));
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_IO);
    assert_memory_equal(err.text, "cannot claim 'nnn", 17);
    assert_false(file.is_claimed);
    expect_file(spool_fd, name, "0123456789");
    th_spool_file_close(&file);
    name[TH_SPOOL_NAME - 1] = 'n'; /* one byte more */
    assert_int_equal(
        th_spool_file_acquire(spool_fd, claims_fd, claimed, false, &file, &err),
        TH_NOT_YET);
}

/* ---- another process is faster ---- */

static void another_file_is_claimed(void **state)
{
    (void)state;
    th_spool_file file = take_new("x.warc");
    scene_write(&scene, "new", TH_VIEW("another"));
    replace_before_rename("x.warc", "new");
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_ABSENT);
    assert_string_equal(file.present, "x.warc.processing");
    expect_file(spool_fd, "x.warc.processing", "another");
    th_spool_file_close(&file);
    file = take_new("y.warc");
    replace_before_rename("y.warc", NULL);
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_NOT_YET);
    assert_false(file.is_claimed);
    assert_string_equal(file.present, "y.warc");
    th_spool_file_close(&file);
}

static void another_file_is_not_moved(void **state)
{
    char as[TH_SPOOL_PRESENT];
    (void)state;
    th_spool_file file = take_new("x.warc");
    scene_write(&scene, "new", TH_VIEW("another"));
    replace_before_rename("x.warc", "new");
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_ABSENT);
    expect_file(spool_fd, "x.warc", "another");
    expect_file(done_fd, "x.warc", NULL);
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_ABSENT);
    th_spool_file_close(&file);
    file = take_new("y.warc");
    replace_before_rename("y.warc", NULL);
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_ABSENT);
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_ABSENT);
    th_spool_file_close(&file);
}

static void another_file_is_not_removed(void **state)
{
    (void)state;
    th_spool_file file = take_new("x.warc");
    scene_write(&scene, "new", TH_VIEW("another"));
    replace_before_rename("x.warc", "new");
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_ABSENT);
    expect_file(spool_fd, "x.warc", "another");
    expect_file(spool_fd, "x.warc.processing", NULL);
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_ABSENT);
    expect_file(spool_fd, "x.warc", "another");
    th_spool_file_close(&file);
    file = take_new("y.warc");
    replace_before_rename("y.warc", NULL);
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_ABSENT);
    th_spool_file_close(&file);
}

static void a_file_that_grows_stays(void **state)
{
    char as[TH_SPOOL_PRESENT];
    (void)state;
    th_spool_file file = take_new("x.warc");
    scene_append(&scene, "x.warc", TH_VIEW("more"));
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_NOT_YET);
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_NOT_YET);
    expect_file(spool_fd, "x.warc", "0123456789more");
    scene_write(&scene, "x.warc", TH_VIEW("9876543210")); /* the same inode */
    assert_int_equal(th_spool_file_move(spool_fd, &file, done_fd, as, &err), TH_ABSENT);
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_ABSENT);
    expect_file(spool_fd, "x.warc", "9876543210");
    th_spool_file_close(&file);
}

static void our_file_is_removed(void **state)
{
    (void)state;
    th_spool_file file = take_new("x.warc");
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_OK);
    expect_file(spool_fd, "x.warc", NULL);
    expect_file(spool_fd, "x.warc.processing", NULL);
    th_spool_file_close(&file);
    file = take_new("y.warc");
    assert_int_equal(th_spool_file_claim(spool_fd, &file, &err), TH_OK);
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_OK);
    expect_file(spool_fd, "y.warc.processing", NULL);
    th_spool_file_close(&file);
    scene_write(&scene, "z.warc", TH_VIEW("unreadable"));
    file = (th_spool_file){ .fd = -1, .name = "z.warc", .present = "z.warc" };
    assert_int_equal(th_spool_file_remove(spool_fd, &file, &err), TH_OK);
    expect_file(spool_fd, "z.warc", NULL);
}

/* ---- opened, and opened again ---- */

static void a_file_of_another_process_waits(void **state)
{
    char path[SCENE_PATH];
    th_spool_file file;
    (void)state;
    assert_int_equal(
        th_spool_file_acquire(spool_fd, claims_fd, "none.warc", false, &file, &err),
        TH_NOT_YET);
    assert_int_equal(mkdir(scene_path(&scene, "folder", path), 0777), 0);
    assert_int_equal(
        th_spool_file_acquire(spool_fd, claims_fd, "folder", false, &file, &err),
        TH_NOT_YET);
    assert_int_equal(symlink("folder", scene_path(&scene, "link", path)), 0);
    assert_int_equal(
        th_spool_file_acquire(spool_fd, claims_fd, "link", false, &file, &err), TH_IO);
    assert_string_equal(err.text, "cannot open it: Too many levels of symbolic links");
    scene_write(&scene, "x.warc", TH_VIEW("0123456789"));
    const int lock = open(scene_path(&scene, "x.warc", path), O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(
        th_spool_file_acquire(spool_fd, claims_fd, "x.warc", false, &file, &err),
        TH_NOT_YET);
    assert_int_equal(flock(lock, LOCK_UN), 0);
    file = take("x.warc", false);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), -1); /* it is locked */
    if (th_spool_file_writer(&file) != TH_SPOOL_UNKNOWN_WRITER) {
        assert_int_equal(th_spool_file_writer(&file), TH_SPOOL_WRITER);
        assert_int_equal(close(lock), 0);
        assert_int_equal(th_spool_file_writer(&file), TH_SPOOL_NO_WRITER);
    }
    th_spool_file_close(&file);
}

static void reopened(const char *bytes, th_status want, const char *words)
{
    th_spool_file file = take_new("x.warc");
    th_checkpoint next = { .offset = 10, .version = file.id.tail };
    th_spool_file_close(&file);
    if (bytes)
        scene_write(&scene, "x.warc", (th_view){ bytes, strlen(bytes) });
    else
        assert_int_equal(unlinkat(spool_fd, "x.warc", 0), 0);
    err.text[0] = '\0';
    const th_status status = th_spool_file_reopen(spool_fd, &file, &next, &err);
    assert_string_equal(err.text, words);
    assert_int_equal(status, want);
    assert_true((file.fd >= 0) == (want == TH_OK));
    if (want == TH_OK)
        assert_int_equal(file.id.size, strlen(bytes));
    th_spool_file_close(&file);
}

static void reopening_checks_the_bytes(void **state)
{
    (void)state;
    reopened("0123456789", TH_OK, "");
    reopened("0123456789 and more", TH_OK, "");
    reopened("012345678", TH_ABSENT, "it was replaced before it was read completely");
    reopened("0123456788", TH_ABSENT, "it was replaced before it was read completely");
    reopened("0123456788 and more", TH_ABSENT,
             "it was replaced before it was read completely");
    reopened(NULL, TH_ABSENT, "it was removed before it was read completely");
}

static void a_reason_is_json(void **state)
{
    char path[SCENE_PATH];
    const th_spool_entry entry = {
        .id = { .size = 12 }, .next = { .offset = 7 }, .records = 3, .name = "a\"b.warc"
    };
    (void)state;
    assert_int_equal(th_spool_file_explain(scene_path(&scene, "done", path), "a.1.warc",
                                           &entry, "it is damaged", &err),
                     TH_OK);
    expect_file(done_fd, "a.1.warc.reason",
                "{\"name\":\"a\\\"b.warc\",\"size\":12,\"reason\":\"it is "
                "damaged\",\"records\":3,\"offset\":7}\n");
    assert_int_equal(th_spool_file_explain(scene_path(&scene, "none", path), "a.warc",
                                           &entry, "it is damaged", &err),
                     TH_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(taken_names_get_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_are_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_claim_is_a_suffix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_name_is_not_numbered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_file_is_claimed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_file_is_not_moved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_file_is_not_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_grows_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(our_file_is_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_another_process_waits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(reopening_checks_the_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reason_is_json, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
