/* src/daemon/daemon_places.c: which folders may be used together. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/daemon_places.h"
#include "kafka/kafka_conf.h"

static char folder[] = "/tmp/thresher-places-XXXXXX";

/* A folder `spool` with a folder `sub`, a link to each, and `other`; as the working folder. */
static int make_folders(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 &&
                   system(
                       "mkdir -p spool/sub other && ln -s spool link && " // NOLINT(cert-env33-c)
                       "ln -s spool/sub other/far && ln -s ../spool/sub other/near") == 0
               ? 0
               : -1;
}

static int remove_folders(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "cd / && rm -r '%s'", folder);
    return system(command); // NOLINT(cert-env33-c)
}

/* Options as KEY=VALUE, and the words of the refusal; "" if they go together. A '@' is the
 * absolute path of the working folder. */
static const struct row {
    const char *name, *options[4], *words;
} rows[] = {
    /* clang-format off */
    { "apart", { "spool.path=spool", "files.path=other" }, "" },
    { "the same", { "spool.path=spool", "files.path=spool" }, "output folder 'spool' is the spool, 'spool'" },
    { "the same, absolute", { "spool.path=spool", "files.path=@/spool" }, "output folder" },
    { "the same, with slashes", { "spool.path=spool//", "files.path=./spool/" }, "output folder" },
    { "the same, by a link", { "spool.path=spool", "files.path=link" }, "output folder 'link' is the spool" },
    { "the same, through its parent", { "spool.path=spool", "files.path=spool/sub/.." }, "output folder" },
    { "the same, not made yet", { "spool.path=new/er", "files.path=@/new/er/" }, "output folder" },
    { "a longer name", { "spool.path=spool", "files.path=spool2", "spool.subfolders=yes" }, "" },
    { "a shorter name", { "spool.path=spool", "files.path=spoo", "spool.subfolders=yes" }, "" },
    { "around", { "spool.path=spool/sub", "files.path=spool", "spool.subfolders=yes" }, "" },
    { "below, not read", { "spool.path=spool", "files.path=spool/sub", "spool.subfolders=no" }, "" },
    { "below, and read", { "spool.path=spool", "files.path=spool/sub", "spool.subfolders=yes" }, "output folder 'spool/sub' is inside the spool 'spool', which serve reads" },
    { "below, not made yet", { "spool.path=spool", "files.path=spool/new/er", "spool.subfolders=yes" }, "is inside the spool" },
    { "below, by a link", { "spool.path=link", "files.path=other/near", "spool.subfolders=yes" }, "is inside the spool" },
    { "a link to nothing", { "spool.path=spool", "files.path=other/far", "spool.subfolders=yes" }, "" },
    { "all is below", { "spool.path=/", "files.path=@/other", "spool.subfolders=yes" }, "is inside the spool '/'" },
    { "index in the spool", { "spool.path=spool", "index.path=spool/sub", "spool.subfolders=yes" }, "index folder 'spool/sub' is inside the spool" },
    { "index is the output", { "files.path=other", "index.path=@/other" }, "index folder '@/other' is output folder, 'other'" },
    { "index below the output", { "files.path=other", "index.path=other/index" }, "" },
    { "index is for finished files", { "spool.done=other", "index.path=other", "spool.path=spool" }, "is folder of finished files" },
    { "index is for failed files", { "spool.failed=other", "index.path=other", "spool.path=spool" }, "is folder of failed files" },
    { "finished files stay", { "spool.path=spool", "spool.done=link" }, "folder of finished files 'link' is the spool" },
    { "finished files below", { "spool.path=spool", "spool.done=spool/sub", "spool.subfolders=yes" }, "" },
    { "failed files stay", { "spool.path=spool", "spool.failed=@/spool" }, "folder of failed files" },
    { "output between archives", { "kafka.archives=spool", "files.path=link" }, "output folder 'link' is the folder of archives" },
    { "index between archives", { "kafka.archives=spool", "index.path=link" }, "index folder 'link' is the folder of archives" },
    { "a ledger like an archive", { "spool.path=spool", "spool.ledger=spool/a.warc.gz" }, "ledger 'spool/a.warc.gz' is inside the spool 'spool' and has the name of an archive" },
    { "a ledger below", { "spool.path=spool", "spool.ledger=spool/sub/a.warc" }, "ledger" },
    { "a ledger in the working folder", { "spool.path=.", "spool.ledger=a.warc" }, "ledger" },
    { "a ledger elsewhere", { "spool.path=spool", "spool.ledger=a.warc" }, "" },
    { "a ledger in the root", { "spool.path=spool", "spool.ledger=/a.warc" }, "" },
    { "a ledger of another name", { "spool.path=spool", "spool.ledger=spool/a.ledger" }, "" },
    /* clang-format on */
};

/* Text with each '@' replaced. */
static void expand(const char *text, char *out, size_t capacity)
{
    size_t len = 0;
    for (; *text && len + sizeof folder < capacity; text++)
        len += (size_t)(*text == '@' ? snprintf(out + len, capacity - len, "%s", folder)
                                     : snprintf(out + len, capacity - len, "%c", *text));
    out[len] = '\0';
}

static th_status check(const char *const *options, size_t count, th_error *err)
{
    th_settings settings;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    for (size_t i = 0; i < count && options[i]; i++) {
        char key[64], value[2 * PATH_MAX];
        const char *equals = strchr(options[i], '=');
        (void)snprintf(key, sizeof key, "%.*s", (int)(equals - options[i]), options[i]);
        expand(equals + 1, value, sizeof value);
        assert_int_equal(th_settings_set(&settings, key, value, err), TH_OK);
    }
    const th_status status = th_daemon_check_places(&settings, err);
    th_settings_done(&settings);
    return status;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    char words[512];
    th_error err = { .text = "" };
    expand(row->words, words, sizeof words);
    const th_status status = check(row->options, 4, &err);
    if (status != (*words ? TH_USAGE : TH_OK) || !strstr(err.text, words))
        fail_msg("status %d: %s", status, err.text);
}

/* A path that is too long cannot be opened, and is apart from all others. The checks before
 * it leave their paths on the stack. */
static void a_path_that_is_too_long_is_apart(void **state)
{
    (void)state;
    static char path[PATH_MAX + 100] = "files.path=/";
    const char *const same[] = { "spool.path=/", "files.path=/" };
    const char *const other[] = { "spool.path=/", path };
    th_error err = { .text = "" };
    memset(path + strlen(path), 'x', sizeof path - strlen(path) - 1);
    for (size_t len = PATH_MAX + 30; len > PATH_MAX + 11; len--) {
        assert_int_equal(check(same, 2, &err), TH_USAGE);
        path[len] = '\0';
        assert_int_equal(check(other, 2, &err), TH_OK);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1] = { cmocka_unit_test(
        a_path_that_is_too_long_is_apart) };
    size_t count = 1;
    for (size_t i = 0; i < ROWS; i++) /* without Kafka its options are unknown */
        if (th_kafka_is_built || strncmp(rows[i].options[0], "kafka.", 6) != 0)
            tests[count++] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                                  (void *)(uintptr_t)&rows[i] };
    return _cmocka_run_group_tests("daemon_places", tests, count, make_folders,
                                   remove_folders);
}
