/* src/kafka/archive_folder.c: files that are opened below a folder, and files that never
 * are, with and without openat2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kafka/archive_folder.h"

static char root[] = "/tmp/th-folder-XXXXXX";

#define X16 "xxxxxxxxxxxxxxxx"
#define X255 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 "xxxxxxxxxxxxxxx"

static const struct row {
    const char *name;
    th_status with, without; /* openat2 */
} rows[] = {
    { X255, TH_ABSENT, TH_ABSENT },
    { X255 "x", TH_BAD_WARC, TH_BAD_WARC },
    { "a", TH_OK, TH_OK },
    { "./a", TH_OK, TH_OK },
    { "sub/b", TH_OK, TH_OK },
    { "sub//b", TH_OK, TH_OK },
    { "sub/./b", TH_OK, TH_OK },
    { "none", TH_ABSENT, TH_ABSENT },
    { "none/a", TH_ABSENT, TH_ABSENT },
    { "a/b", TH_BAD_WARC, TH_BAD_WARC },
    { "sub", TH_BAD_WARC, TH_BAD_WARC },
    { "link", TH_OK, TH_BAD_WARC },
    { "sub/up", TH_OK, TH_BAD_WARC },
    { "out", TH_BAD_WARC, TH_BAD_WARC },
    { "outside/secret", TH_BAD_WARC, TH_BAD_WARC },
    { "absolute", TH_BAD_WARC, TH_BAD_WARC },
    { "circle", TH_BAD_WARC, TH_BAD_WARC },
    { "fifo", TH_BAD_WARC, TH_BAD_WARC },
};

static void make(const char *command)
{
    char line[512];
    (void)snprintf(line, sizeof line,
                   "cd %s && mkdir -p archives/sub secrets && printf a > archives/a && "
                   "printf bb > archives/sub/b && printf s > secrets/secret && "
                   "cd archives && ln -s a link && ln -s ../a sub/up && "
                   "ln -s ../secrets/secret out && ln -s ../secrets outside && "
                   "ln -s /etc/passwd absolute && ln -s circle circle && mkfifo fifo",
                   root);
    assert_int_equal(system(command ? command : line), 0);
}

/* Opens every row; returns the number of the first that is wrong, from 1; 0: none is. */
static int first_wrong(bool has_openat2)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s/archives", root);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fd = -1;
        th_file_identity identity = { .size = 99 };
        th_error why = { .text = "" };
        const th_status status =
            th_archive_open(folder, rows[i].name, &fd, &identity, &why);
        const bool is_open = status == TH_OK;
        if (status != (has_openat2 ? rows[i].with : rows[i].without) ||
            is_open != (fd >= 0) || is_open != (identity.size < 3) ||
            is_open != (why.text[0] == '\0'))
            return (int)i + 1;
        if (is_open)
            (void)close(fd);
    }
    return 0;
}

static void assert_right(int wrong)
{
    if (wrong)
        print_error("wrong: %s\n", rows[wrong - 1].name);
    assert_int_equal(wrong, 0);
}

static void links_stay_within(void **state)
{
    (void)state;
    assert_right(first_wrong(true));
}

/* In a child that the kernel denies the call. */
static void so_they_do_without_openat2(void **state)
{
    (void)state;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38 /* ENOSYS */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { sizeof rules / sizeof *rules, rules };
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            _exit(99);
        _exit(first_wrong(false));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 99)
        skip(); /* no seccomp here */
    assert_right(WEXITSTATUS(status));
}

static void the_state_of_a_file_is_known(void **state)
{
    (void)state;
    char folder[64], line[128];
    (void)snprintf(folder, sizeof folder, "%s/archives", root);
    th_file_identity one, two;
    int fd = -1;
    assert_int_equal(th_archive_open(folder, "a", &fd, &one, NULL), TH_OK);
    (void)close(fd);
    assert_int_equal(th_archive_open(folder, "link", &fd, &two, NULL), TH_OK);
    (void)close(fd);
    assert_true(th_file_identity_equal(&one, &two));
    (void)snprintf(line, sizeof line, "printf x >> %s/a", folder);
    make(line);
    assert_int_equal(th_archive_open(folder, "a", &fd, &two, NULL), TH_OK);
    (void)close(fd);
    assert_false(th_file_identity_equal(&one, &two));
}

static void a_folder_that_is_not_there_may_come(void **state)
{
    (void)state;
    th_file_identity identity;
    int fd = -1;
    assert_int_equal(th_archive_open("/nowhere", "a", &fd, &identity, NULL), TH_ABSENT);
    assert_int_equal(fd, -1);
}

static int open_root(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    make(NULL);
    return 0;
}

static int remove_root(void **state)
{
    char line[64];
    (void)state;
    (void)snprintf(line, sizeof line, "rm -r %s", root);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_stay_within),
        cmocka_unit_test(so_they_do_without_openat2),
        cmocka_unit_test(the_state_of_a_file_is_known),
        cmocka_unit_test(a_folder_that_is_not_there_may_come),
    };
    return cmocka_run_group_tests(tests, open_root, remove_root);
}
