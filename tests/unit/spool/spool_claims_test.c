/* src/spool/spool_claims.c: the list of ledgers, and the locks of files. */
#include "spool/spool_claims.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char name[] = ".thresher.claims";

struct scene {
    char folder[32];
    int dir_fd;
};

static int set_up(void **state)
{
    static struct scene scene;
    scene = (struct scene){ .folder = "/tmp/spool_claims.XXXXXX" };
    if (!mkdtemp(scene.folder))
        return -1;
    scene.dir_fd = open(scene.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &scene;
    return scene.dir_fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    const struct scene *scene = *state;
    (void)unlinkat(scene->dir_fd, name, 0);
    (void)unlinkat(scene->dir_fd, "target", 0);
    (void)close(scene->dir_fd);
    return rmdir(scene->folder);
}

/* Opens the claims for a ledger. @return whether it is the only ledger */
static bool is_sole(const struct scene *scene, const char *owner)
{
    bool is = true;
    const int claims = th_spool_claims_open(scene->dir_fd, owner, &is);
    assert_true(claims >= 0);
    assert_int_equal(fcntl(claims, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    (void)close(claims);
    return is;
}

static void put_file(const struct scene *scene, const char *file, const char *text,
                     size_t len)
{
    const int fd = openat(scene->dir_fd, file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), len);
    (void)close(fd);
}

static void list_is(const struct scene *scene, const char *wanted)
{
    char text[256] = "";
    const int fd = openat(scene->dir_fd, name, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) >= 0);
    assert_string_equal(text, wanted);
    (void)close(fd);
}

/* A ledger is alone from its second start on, until another one comes. */
static void each_ledger_has_a_line(void **state)
{
    const struct scene *scene = *state;
    assert_false(is_sole(scene, "a:/x"));
    list_is(scene, "a:/x\n");
    assert_true(is_sole(scene, "a:/x"));
    list_is(scene, "a:/x\n");
    assert_false(is_sole(scene, "a:/xy")); /* the start of a line is not the line */
    assert_false(is_sole(scene, "a:/"));
    list_is(scene, "a:/x\na:/xy\na:/\n");
    assert_false(is_sole(scene, "a:/x"));
    assert_false(is_sole(scene, "a:/xy"));
    list_is(scene, "a:/x\na:/xy\na:/\n");
}

static void an_earlier_version_has_no_list(void **state)
{
    const struct scene *scene = *state;
    put_file(scene, name, "", 0);
    assert_false(is_sole(scene, "a:/x"));
    list_is(scene, "an earlier version\na:/x\n");
    assert_false(is_sole(scene, "a:/x"));
}

/* A list beyond the limit is not read, and not extended. */
static void a_long_list_is_left_alone(void **state)
{
    const struct scene *scene = *state;
    enum { MOST = 64 << 10 };
    static const char first[] = { 'a', ':', '/', 'x', '\n' };
    char *text = malloc(MOST);
    assert_non_null(text);
    memset(text, 'x', MOST);
    memcpy(text, first, sizeof first);
    put_file(scene, name, text, MOST);
    assert_false(is_sole(scene, "a:/x"));
    assert_false(is_sole(scene, "a:/y"));
    const int fd = openat(scene->dir_fd, name, O_RDONLY);
    assert_int_equal(lseek(fd, 0, SEEK_END), MOST);
    (void)close(fd);
    put_file(scene, name, "a:/x\n", 5);
    assert_true(is_sole(scene, "a:/x"));
    free(text);
}

/* Neither an existing target nor a missing one: a link can come from another user. */
static void links_are_not_followed(void **state)
{
    const struct scene *scene = *state;
    bool is = true;
    assert_int_equal(symlinkat("target", scene->dir_fd, name), 0);
    assert_int_equal(th_spool_claims_open(scene->dir_fd, "a:/x", &is), -1);
    assert_false(is);
    assert_int_equal(faccessat(scene->dir_fd, "target", F_OK, 0), -1);
    put_file(scene, "target", "a:/x\n", 5);
    assert_int_equal(th_spool_claims_open(scene->dir_fd, "a:/x", &is), -1);
    assert_false(is);
}

/* The number of the inode decides, for another process. */
static void a_file_is_held_until_it_is_dropped(void **state)
{
    const struct scene *scene = *state;
    static const th_spool_id ids[] = {
        { .inode = 0 },
        { .inode = 1 },
        { .inode = 2 },
        { .inode = UINT64_MAX },
        { .inode = INT64_MAX >> 1 } /* the same place as the one before */
    };
    enum { COUNT = sizeof ids / sizeof *ids };
    bool is;
    const int ours = th_spool_claims_open(scene->dir_fd, "a:/x", &is);
    const int other = th_spool_claims_open(scene->dir_fd, "b:/x", &is);
    assert_true(ours >= 0 && other >= 0);
    for (size_t held = 0; held < COUNT; held++) {
        th_spool_claims_hold(ours, &ids[held]);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(th_spool_claims_are_held(other, &ids[i]),
                             i == held || (i >= 3 && held >= 3));
            assert_false(th_spool_claims_are_held(ours, &ids[i]));
        }
        th_spool_claims_drop(ours, &ids[held]);
        assert_false(th_spool_claims_are_held(other, &ids[held]));
    }
    th_spool_claims_hold(ours, &ids[1]);
    th_spool_claims_hold(other, &ids[1]); /* both read */
    assert_true(th_spool_claims_are_held(ours, &ids[1]));
    (void)close(ours); /* its process has ended */
    assert_false(th_spool_claims_are_held(other, &ids[1]));
    (void)close(other);
    th_spool_claims_hold(-1, &ids[1]);
    th_spool_claims_drop(-1, &ids[1]);
    assert_false(th_spool_claims_are_held(-1, &ids[1]));
}

int main(void)
{
#define IN_SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_SCENE(each_ledger_has_a_line),
        IN_SCENE(an_earlier_version_has_no_list),
        IN_SCENE(a_long_list_is_left_alone),
        IN_SCENE(links_are_not_followed),
        IN_SCENE(a_file_is_held_until_it_is_dropped),
    };
    return cmocka_run_group_tests_name("spool_claims", tests, NULL, NULL);
}
