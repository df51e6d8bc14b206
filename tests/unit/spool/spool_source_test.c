/* src/spool/spool_source.c: how each crawler fills a folder, and the fate of its
 * files. docs/reliability.md#spool */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spool/spool_ledger.h"
#include "spool/spool_source.h"
#include "warc/warc_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "ingest/spool_scene.h"

enum { QUIET = 120, LONG = 5000 }; /* ms, for no events and for an event */

static void expect(th_stream_source *source, unsigned records, const char *ids)
{
    struct scene_reading reading = { .records = 0 };
    scene_read(source, records, LONG, true, &reading);
    assert_int_equal(reading.records, records);
    if (ids) {
        th_buffer_append_char(&reading.ids, '\0');
        assert_string_equal(reading.ids.data, ids);
    }
    th_buffer_done(&reading.ids);
}

/* Waits until a file of the spool has a name. No record comes meanwhile. */
static void wait_for(const struct scene *scene, th_stream_source *source,
                     const char *name)
{
    for (int ms = 0; ms < LONG && !scene_has(scene, name); ms += 20)
        scene_expect_nothing(source, 20);
    if (!scene_has(scene, name))
        fail_msg("no %s", name);
}

static th_source_stats facts_of(th_stream_source *source)
{
    th_source_stats facts;
    source->verbs->facts(source, &facts);
    return facts;
}

/* Returns the value of a metric that the source publishes. */
static uint64_t published(th_stream_source *source, const char *name, const char *value)
{
    const th_own_metrics own = facts_of(source).own;
    for (uint32_t i = 0; i < own.count; i++) /* the others are counts */
        assert_int_equal(own.rows[i].is_seconds,
                         strstr(own.rows[i].name, "seconds") != NULL);
    for (uint32_t i = 0; i < own.count; i++)
        if (strcmp(own.rows[i].name, name) == 0 &&
            (!value || strcmp(own.rows[i].value, value) == 0))
            return own.values[i].count;
    return TH_METRIC_UNKNOWN;
}

/* ---- writers ---- */

static void heritrix_renames(struct scene *scene, th_stream_source *source)
{
    scene_archive(scene, "a.warc.gz.open", "a", 2);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(th_spool_source_stats(source).files_open, 1);
    assert_int_equal(th_spool_source_stats(source).files_stale, 0);
    scene_rename(scene, "a.warc.gz.open", "a.warc.gz");
    expect(source, 2, "a-0\na-1\n");
    assert_true(scene_has(scene, "done/a.warc.gz"));
}

static void heritrix_invalid(struct scene *scene, th_stream_source *source)
{
    scene_archive(scene, "a.warc.gz.open", "a", 2);
    scene_expect_nothing(source, 10);
    scene_rename(scene, "a.warc.gz.open", "a.warc.gz"); /* its final name for a moment */
    scene_expect_nothing(source, 5);
    scene_rename(scene, "a.warc.gz", "a.warc.gz.invalid");
    scene_expect_nothing(source, QUIET + 200);
    assert_true(scene_has(scene, "a.warc.gz.invalid"));
}

/* The lock must be another process's: one's own are not seen. */
static void warcprox_locks(struct scene *scene, th_stream_source *source)
{
    char path[SCENE_PATH], c = 0;
    int ready[2], go[2];
    scene_archive(scene, "a.warc", "a", 2);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        const int fd = open(scene_path(scene, "a.warc", path), O_RDWR);
        const int locked = lockf(fd, F_LOCK, 0);
        (void)!write(ready[1], &c, 1);
        (void)!read(go[0], &c, 1);
        _exit(locked);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    scene_expect_nothing(source, QUIET + 300);
    assert_int_equal(write(go[1], &c, 1), 1);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    expect(source, 2, "a-0\na-1\n");
    for (int i = 0; i < 2; i++) {
        (void)close(ready[i]);
        (void)close(go[i]);
    }
}

static void browsertrix_grows(struct scene *scene, th_stream_source *source)
{
    th_buffer bytes = { 0 };
    char path[SCENE_PATH];
    scene_archive_bytes("a", 40, &bytes);
    const int fd =
        open(scene_path(scene, "a.warc", path), O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (size_t at = 0; at < bytes.len;) { /* open all the time, never quiet for long */
        const size_t len = bytes.len - at < 300 ? bytes.len - at : 300;
        assert_int_equal(write(fd, bytes.data + at, len), len);
        at += len;
        scene_expect_nothing(source, 40);
    }
    (void)close(fd);
    expect(source, 40, NULL);
    th_buffer_done(&bytes);
}

static void wget_just_closes(struct scene *scene, th_stream_source *source)
{
    scene_archive(scene, "a.warc", "a", 1);
    scene_expect_nothing(source, 30); /* quiet is 60 */
    expect(source, 1, "a-0\n");
}

static void lay_there_before(struct scene *scene, th_stream_source *source)
{
    (void)scene;
    scene_expect_nothing(source, 10);
    expect(source, 3, "a-0\na-1\na-2\n");
}

static void httrack_leaves_tmp(struct scene *scene, th_stream_source *source)
{
    static const char *const others[] = { "a.warc.tmp",     "a.warc.part", ".a.warc",
                                          "a.warc.invalid", "a.html",      "warc",
                                          "a.warc.gz.open", ".warc",       "a.cdx" };
    char path[SCENE_PATH];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        scene_archive(scene, others[i], "a", 1);
    assert_int_equal(mkdir(scene_path(scene, "folder.warc", path), 0777), 0);
    assert_int_equal(symlink("a.html", scene_path(scene, "link.warc", path)), 0);
    scene_expect_nothing(source, QUIET + 300);
    assert_int_equal(th_spool_source_stats(source).files_pending, 0);
}

static void every_kind_of_name(struct scene *scene, th_stream_source *source)
{
    static const char *const others[] = { "f.warc.zst", "e.warc", "d.warc.gz",
                                          "c.arc.gz",   "b.arc",  "a b%.warc" };
    for (size_t i = 0; i < 6; i++)
        scene_archive(scene, others[i], others[i], 1);
    expect(source, 6, NULL);
    assert_true(scene_has(scene, "done/a b%.warc"));
}

static const struct convention {
    const char *name;
    void (*run)(struct scene *scene, th_stream_source *source);
    bool is_before;      /* "a.warc" exists before the spool is opened */
    uint32_t min_age_ms; /* 0 = the scene's */
} conventions[] = {
    { "Heritrix renames .open", heritrix_renames, false, 0 },
    { "Heritrix renames to .invalid", heritrix_invalid, false, 0 },
    { "warcprox locks the final name", warcprox_locks, false, 0 },
    { "browsertrix appends to the final name", browsertrix_grows, false, 1500 },
    { "wget closes and says nothing", wget_just_closes, false, 100000 },
    { "it was there before we came", lay_there_before, true, 0 },
    { "names that are not finished archives", httrack_leaves_tmp, false, 0 },
    { "names of every kind", every_kind_of_name, false, 0 },
};

static void convention_holds(void **state)
{
    const struct convention *row = *state;
    struct scene scene;
    scene_begin(&scene);
    if (row->min_age_ms)
        scene.options.min_age_ms = row->min_age_ms;
    if (row->is_before)
        scene_archive(&scene, "a.warc", "a", 3);
    th_stream_source *source = scene_open(&scene);
    row->run(&scene, source);
    source->verbs->close(source);
    scene_end(&scene);
}

/* ---- order and ends ---- */

static void files_come_in_the_order_of_their_names(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    static const char *const names[] = { "c", "a", "e", "b", "d" };
    for (size_t i = 0; i < 5; i++) {
        char as[16];
        (void)snprintf(as, sizeof as, "%s.warc", names[i]);
        scene_archive(&scene, as, names[i], 1);
        /* Old, or a slow machine sees the first complete before the last is. */
        char path[SCENE_PATH];
        const struct timespec old[2] = { { .tv_sec = 1000000000 },
                                         { .tv_sec = 1000000000 } };
        assert_int_equal(utimensat(AT_FDCWD, scene_path(&scene, as, path), old, 0), 0);
    }
    th_stream_source *source = scene_open(&scene);
    expect(source, 5, "a-0\nb-0\nc-0\nd-0\ne-0\n");
    assert_int_equal(th_spool_source_stats(source).files_done, 5);
    assert_int_equal(published(source, "spool_files", "done"), 5);
    assert_int_equal(published(source, "spool_files", "failed"), 0);
    assert_int_equal(published(source, "spool_files_copied_total", NULL), 0);
    assert_int_equal(facts_of(source).received, 5);
    assert_true(facts_of(source).bytes > 1000);
    source->verbs->close(source);
    scene_end(&scene);
}

static const struct ending {
    const char *name;
    th_spool_finish finish;
    th_spool_claim claim;
    const char *there; /* afterwards */
} endings[] = {
    { "moved", TH_SPOOL_MOVE, TH_SPOOL_RENAME, "done/a.warc" },
    { "removed", TH_SPOOL_DELETE, TH_SPOOL_RENAME, NULL },
    { "kept", TH_SPOOL_KEEP, TH_SPOOL_RENAME, "a.warc" },
    { "moved, by ledger", TH_SPOOL_MOVE, TH_SPOOL_BY_LEDGER, "done/a.warc" },
    { "removed, by ledger", TH_SPOOL_DELETE, TH_SPOOL_BY_LEDGER, NULL },
    { "kept, by ledger", TH_SPOOL_KEEP, TH_SPOOL_BY_LEDGER, "a.warc" },
};

static void ending_holds(void **state)
{
    const struct ending *row = *state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    scene.options.finish = row->finish;
    scene.options.claim = row->claim;
    scene_archive(&scene, "a.warc", "a", 100);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &reading);
    assert_int_equal(scene_has(&scene, "a.warc.processing"),
                     row->claim == TH_SPOOL_RENAME);
    expect(source, 36, NULL);
    assert_false(scene_has(&scene, "a.warc.processing"));
    assert_int_equal(scene_has(&scene, "a.warc"),
                     row->there && strcmp(row->there, "a.warc") == 0);
    if (row->there)
        assert_true(scene_has(&scene, row->there));
    scene_expect_nothing(source, QUIET + 200); /* not twice */
    source->verbs->close(source);
    source = scene_open(&scene); /* not in another life either */
    scene_expect_nothing(source, QUIET + 200);
    if (row->there && row->finish == TH_SPOOL_MOVE) {
        scene_rename(&scene, row->there, "again.warc");
        scene_expect_nothing(source, QUIET + 200);
        assert_true(scene_has(&scene, "done/again.warc"));
    }
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

static void done_files_of_one_name_do_not_replace_each_other(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    for (unsigned i = 1; i <= 3; i++) {
        scene_archive(&scene, "a.warc", "a", i);
        expect(source, i, NULL);
    }
    assert_true(scene_has(&scene, "done/a.warc"));
    assert_true(scene_has(&scene, "done/a.1.warc"));
    assert_true(scene_has(&scene, "done/a.2.warc"));
    source->verbs->close(source);
    scene_end(&scene);
}

static void what_cannot_be_read_is_put_aside(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH], text[512] = "";
    scene_begin(&scene);
    scene_write(&scene, "a.warc", TH_VIEW("this is no archive\n"));
    scene_write(&scene, "b.warc.gz", TH_VIEW("\x04\x22\x4D\x18lz4 is not for us"));
    scene_archive(&scene, "c.warc", "c", 1);
    scene_write(&scene, "d.warc", TH_VIEW("")); /* empty, but nothing is wrong with it */
    th_stream_source *source = scene_open(&scene);
    expect(source, 1, "c-0\n");
    scene_expect_nothing(source, QUIET);
    assert_true(scene_has(&scene, "failed/a.warc"));
    assert_true(scene_has(&scene, "failed/b.warc.gz"));
    assert_true(scene_has(&scene, "done/c.warc"));
    assert_true(scene_has(&scene, "done/d.warc"));
    assert_int_equal(th_spool_source_stats(source).files_failed, 2);
    const int fd = open(scene_path(&scene, "failed/a.warc.reason", path), O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    assert_string_equal(text, "{\"name\":\"a.warc\",\"size\":19,\"reason\":\"contains no "
                              "record\",\"records\":0,\"offset\":0}\n");
    source->verbs->close(source);
    scene_end(&scene);
}

/* Root may read and write anything: without its rights until come_back. */
static void leave_root(const struct scene *scene)
{
    enum { NOBODY = 65534 };
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(scene->root, NOBODY, NOBODY), 0);
    assert_int_equal(chown(scene->spool, NOBODY, NOBODY), 0);
    assert_int_equal(seteuid(NOBODY), 0);
}

static void come_back(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static void what_cannot_be_opened_is_put_aside(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH], text[512] = "";
    static const char *const names[] = { "a.warc", "b.warc.processing" };
    scene_begin(&scene);
    leave_root(&scene);
    for (size_t i = 0; i < 2; i++) {
        scene_archive(&scene, names[i], "a", 1);
        assert_int_equal(chmod(scene_path(&scene, names[i], path), 0), 0);
    }
    th_stream_source *source = scene_open(&scene);
    wait_for(&scene, source, "failed/a.warc");
    wait_for(&scene, source, "failed/b.warc.reason");
    come_back();
    assert_true(scene_has(&scene, "failed/b.warc"));
    for (size_t i = 0; i < 2; i++)
        assert_false(scene_has(&scene, names[i]));
    assert_int_equal(th_spool_source_stats(source).files_failed, 2);
    const int fd = open(scene_path(&scene, "failed/b.warc.reason", path), O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    assert_string_equal(text,
                        "{\"name\":\"b.warc\",\"size\":0,\"reason\":\"cannot open it: "
                        "Permission denied\",\"records\":0,\"offset\":0}\n");
    source->verbs->close(source);
    scene_end(&scene);
}

/* A file of many bytes is read for its digest before it is claimed, over many polls. */
static void a_taken_file_is_still_pending(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    scene_begin(&scene);
    scene_write(&scene, "a.warc", TH_VIEW("WARC/1.0"));
    assert_int_equal(truncate(scene_path(&scene, "a.warc", path), (off_t)16 << 30), 0);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, QUIET + 400); /* complete after 150 ms */
    const th_spool_stats counts = th_spool_source_stats(source);
    assert_int_equal(counts.files_waiting, 0);
    assert_int_equal(counts.files_processing, 0);
    assert_int_equal(counts.files_pending, 1);
    assert_true(counts.oldest_pending_seconds > 0.1);
    source->verbs->close(source);
    scene_end(&scene);
}

/* ---- lives ---- */

static void reading_goes_on_where_it_was_acknowledged(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading all = { .records = 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 200);
    scene_archive(&scene, "b.warc", "b", 200);
    while (all.records < 400) {
        struct scene_reading lost = { .records = 0 };
        th_stream_source *source = scene_open(&scene);
        scene_read(source, all.records + 1, LONG, true, &all); /* a batch */
        if (all.records < 400)
            scene_read(source, 64, 500, false, &lost); /* never acknowledged */
        source->verbs->close(source);
        th_buffer_done(&lost.ids);
    }
    assert_int_equal(all.records, 400);
    const char *at = all.ids.data;
    th_buffer_append_char(&all.ids, '\0');
    at = all.ids.data;
    for (unsigned i = 0; i < 400; i++) {
        char id[32];
        const int len = snprintf(id, sizeof id, "%c-%u\n", i < 200 ? 'a' : 'b', i % 200);
        assert_memory_equal(at, id, (size_t)len);
        at += len;
    }
    th_buffer_done(&all.ids);
    scene_end(&scene);
}

static void a_rewind_gives_it_again(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading first = { .records = 0 }, second = { .records = 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 70);
    scene_archive(&scene, "b.warc", "b", 70);
    scene_archive(&scene, "c.warc", "c", 70);
    th_stream_source *source = scene_open(&scene);
    expect(source, 64, NULL);
    scene_read(source, 140, LONG, false, &first);
    const uint32_t epoch = source->verbs->epoch(source);
    assert_int_equal(source->verbs->rewind(source, NULL), TH_OK);
    assert_int_not_equal(source->verbs->epoch(source), epoch);
    scene_read(source, 146, LONG, true, &second);
    assert_int_equal(second.records, 146);
    assert_memory_equal(first.ids.data, second.ids.data, first.ids.len);
    assert_int_equal(facts_of(source).received, 210); /* none counted twice */
    assert_int_equal(th_spool_source_stats(source).files_done, 3);
    source->verbs->close(source);
    th_buffer_done(&first.ids);
    th_buffer_done(&second.ids);
    scene_end(&scene);
}

static void notes_are_kept_with_the_position(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 70);
    th_stream_source *source = scene_open(&scene);
    assert_int_equal(source->verbs->note(source).len, 0);
    scene_read(source, 64, LONG, false, &reading);
    scene_acknowledge(source, TH_VIEW("x 1\ny"));
    source->verbs->close(source);
    source = scene_open(&scene);
    assert_int_equal(source->verbs->note(source).len, 5);
    assert_memory_equal(source->verbs->note(source).data, "x 1\ny", 5);
    expect(source, 6, NULL);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* ---- whose file ---- */

static void a_foreign_claim_is_left_alone(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    scene_archive(&scene, "a.warc.processing", "a", 3);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, QUIET + 200);
    source->verbs->close(source);
    scene.options.adopt_ms = 1000; /* its owner did not come back */
    scene_sleep(2100);
    source = scene_open(&scene);
    expect(source, 3, "a-0\na-1\na-2\n");
    source->verbs->close(source);
    scene_end(&scene);
}

static unsigned orphans;

static void count_orphans(void *context, const char *line)
{
    (void)context;
    orphans +=
        strstr(line, "was claimed by a process that has exited, and is not in this "
                     "ledger; the file waits until that process returns") != NULL;
}

/* With adopt_ms = 0 it waits for ever, and one warning says so. */
static void a_foreign_claim_is_never_taken(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.adopt_ms = 0;
    scene.options.warn = count_orphans;
    orphans = 0;
    scene_archive(&scene, "a.warc.processing", "a", 1);
    scene_archive(&scene, "b.warc.processing", "b", 1);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(orphans, 1);
    source->verbs->close(source);
    scene_end(&scene);
}

/* A file with two names, complete at once, is read once, and both names leave. */
static void a_hard_link_is_read_once(void **state)
{
    (void)state;
    struct scene scene;
    char a[SCENE_PATH], b[SCENE_PATH];
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 2);
    assert_int_equal(
        link(scene_path(&scene, "a.warc", a), scene_path(&scene, "b.warc", b)), 0);
    th_stream_source *source = scene_open(&scene);
    expect(source, 2, "a-0\na-1\n");
    wait_for(&scene, source, "done/a.warc");
    while (scene_has(&scene, "b.warc")) /* and without limit */
        scene_expect_nothing(source, 20);
    assert_int_equal(th_spool_source_stats(source).files_failed, 0);
    source->verbs->close(source);
    scene_end(&scene);
}

static void a_claim_that_the_ledger_lost_is_taken_up(void **state)
{
    (void)state;
    for (int has_other = 0; has_other < 2; has_other++) {
        struct scene scene;
        struct scene_reading reading = { .records = 0 };
        char other[SCENE_PATH];
        scene_begin(&scene);
        const char *own = scene.options.ledger;
        (void)snprintf(other, sizeof other, "%s/other", scene.root);
        scene.options.ledger = has_other ? other : own;
        th_stream_source *source = scene_open(&scene);
        source->verbs->close(source);
        scene.options.ledger = own;
        scene_archive(&scene, "a.warc", "a", 100);
        source = scene_open(&scene);
        scene_read(source, 64, LONG, true, &reading);
        source->verbs->close(source);
        assert_int_equal(truncate(scene.ledger, 60), 0);
        source = scene_open(&scene);
        assert_int_equal(facts_of(source).positions_damaged, 1);
        expect(source, 100, NULL);
        source->verbs->close(source);
        th_buffer_done(&reading.ids);
        scene_end(&scene);
    }
}

/* Several processes, one spool: together they read every record once. */
static void processes_share_a_spool(void **state)
{
    (void)state;
    enum { PROCESSES = 3, FILES = 60 };
    struct scene scene;
    pid_t children[PROCESSES];
    scene_begin(&scene);
    for (unsigned i = 0; i < FILES; i++) {
        char as[16];
        (void)snprintf(as, sizeof as, "%02u.warc", i);
        scene_archive(&scene, as, as, 5);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        char ledger[SCENE_PATH], name[16];
        struct scene_reading reading = { .records = 0 };
        (void)snprintf(ledger, sizeof ledger, "%s/ledger-%u", scene.root, i);
        (void)snprintf(name, sizeof name, "ids-%u", i);
        scene.options.ledger = ledger;
        th_stream_source *source = scene_open(&scene);
        scene_read(source, FILES * 5, 1500, true, &reading);
        source->verbs->close(source);
        scene_write(&scene, name, th_buffer_view(&reading.ids));
        th_buffer_done(&reading.ids);
        _exit(0);
    }
    unsigned lines = 0;
    bool seen[FILES][5] = { { false } };
    for (unsigned i = 0; i < PROCESSES; i++) {
        char name[16], path[SCENE_PATH];
        unsigned file, record;
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
        (void)snprintf(name, sizeof name, "ids-%u", i);
        FILE *ids = fopen(scene_path(&scene, name, path), "r");
        assert_non_null(ids);
        while (fgets(path, sizeof path, ids)) {
            assert_int_equal(sscanf(path, "%2u.warc-%1u", &file, &record), 2);
            assert_true(file < FILES && record < 5);
            assert_false(seen[file][record]);
            seen[file][record] = true;
            lines++;
        }
        (void)fclose(ids);
    }
    assert_int_equal(lines, FILES * 5);
    scene_end(&scene);
}

/* ---- two files of one name ---- */

static void acknowledge(th_stream_source *source)
{
    scene_acknowledge(source, (th_view){ NULL, 0 });
}

/* A second a.warc comes while the first, of `count` records, is read and not
 * acknowledged. */
static void read_first_of_two(struct scene *scene, th_stream_source *source,
                              unsigned count)
{
    struct scene_reading reading = { .records = 0 };
    scene_archive(scene, "a.warc", "one", count);
    scene_read(source, count, LONG, false, &reading);
    assert_int_equal(reading.records, count);
    scene_archive(scene, "a.warc.open", "two", 3);
    scene_rename(scene, "a.warc.open", "a.warc");
    th_buffer_done(&reading.ids);
}

static void a_second_file_of_a_name_is_read_too(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    read_first_of_two(&scene, source, 2);
    scene_read(source, 3, LONG, false, &reading);
    assert_int_equal(reading.records, 3);
    assert_true(scene_has(&scene, "a.warc.processing"));
    assert_true(scene_has(&scene, "a.1.warc.processing"));
    assert_int_equal(th_spool_source_stats(source).files_waiting, 0);
    acknowledge(source);
    assert_true(scene_has(&scene, "done/a.warc"));
    assert_true(scene_has(&scene, "done/a.1.warc"));
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

static void a_second_file_survives_a_death(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading lost = { .records = 0 };
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    read_first_of_two(&scene, source, 2);
    scene_read(source, 3, LONG, false, &lost); /* never acknowledged */
    source->verbs->close(source);
    source = scene_open(&scene);
    expect(source, 5, "two-0\ntwo-1\ntwo-2\none-0\none-1\n");
    assert_true(scene_has(&scene, "done/a.warc"));
    assert_true(scene_has(&scene, "done/a.1.warc"));
    source->verbs->close(source);
    th_buffer_done(&lost.ids);
    scene_end(&scene);
}

/* Another process sees the first file's claim though no descriptor holds it. */
static void a_second_process_leaves_a_claim_alone(void **state)
{
    (void)state;
    struct scene scene;
    char ledger[SCENE_PATH];
    scene_begin(&scene);
    scene.options.adopt_ms = 1;
    th_stream_source *source = scene_open(&scene);
    (void)snprintf(ledger, sizeof ledger, "%s/ledger-2", scene.root);
    scene.options.ledger = ledger;
    th_stream_source *second = scene_open(&scene);
    read_first_of_two(&scene, source, 2);
    scene_sleep(2100); /* old enough to be taken up, had its owner died */
    expect(second, 3, "two-0\ntwo-1\ntwo-2\n");
    scene_expect_nothing(second, QUIET + 200);
    acknowledge(source);
    assert_true(scene_has(&scene, "done/a.warc"));
    assert_true(scene_has(&scene, "done/a.1.warc"));
    second->verbs->close(second);
    source->verbs->close(source);
    scene_end(&scene);
}

/* If files keep their names, a crawler can replace a file that is being read. The first one
 * ends, and the second one is neither moved nor removed with it. */
static void a_replaced_name_is_another_file(void **state)
{
    const th_spool_finish *finish = *state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.claim = TH_SPOOL_BY_LEDGER;
    scene.options.finish = *finish;
    th_stream_source *source = scene_open(&scene);
    read_first_of_two(&scene, source, 2);
    acknowledge(source);
    assert_true(scene_has(&scene, "a.warc"));
    assert_false(scene_has(&scene, "done/a.warc"));
    expect(source, 3, "two-0\ntwo-1\ntwo-2\n");
    assert_int_equal(scene_has(&scene, "done/a.warc"), *finish == TH_SPOOL_MOVE);
    assert_int_equal(scene_has(&scene, "a.warc"), *finish == TH_SPOOL_KEEP);
    source->verbs->close(source);
    scene_end(&scene);
}

static th_spool_finish finishes[] = { TH_SPOOL_MOVE, TH_SPOOL_DELETE, TH_SPOOL_KEEP };

/* ---- files that change ---- */

/* Writes bytes to an open file, or appends them to a closed file. */
static int open_writer(const struct scene *scene, const char *as)
{
    char path[SCENE_PATH];
    const int fd = open(scene_path(scene, as, path), O_WRONLY | O_CREAT | O_APPEND, 0666);
    assert_true(fd >= 0);
    return fd;
}

static void write_part(int fd, const th_buffer *bytes, size_t from, size_t to)
{
    assert_int_equal(write(fd, bytes->data + from, to - from), to - from);
}

/* Where record `number` of an archive begins. */
static size_t start_of(const char *name, unsigned number)
{
    th_buffer bytes = { 0 };
    scene_archive_bytes(name, number, &bytes);
    const size_t len = bytes.len;
    th_buffer_done(&bytes);
    return len;
}

/* A writer pauses for longer than min_age_ms and writes on. `where` is the byte at which
 * it pauses: at the border of a record, or anywhere. */
static void writer_pauses(th_spool_finish finish, th_spool_claim claim, size_t where,
                          unsigned complete)
{
    struct scene scene;
    th_buffer bytes = { 0 };
    char ids[64 * 6] = "";
    scene_begin(&scene);
    scene.options.finish = finish;
    scene.options.claim = claim;
    scene_archive_bytes("a", 6, &bytes);
    th_stream_source *source = scene_open(&scene);
    const int fd = open_writer(&scene, "a.warc");
    write_part(fd, &bytes, 0, where);
    for (unsigned i = 0; i < 6; i++)
        (void)snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "a-%u\n", i);
    struct scene_reading reading = { .records = 0 };
    scene_read(source, complete, LONG, true, &reading);
    assert_int_equal(reading.records, complete);
    scene_expect_nothing(source, QUIET + 200); /* an unfinished record is not delivered */
    assert_true(scene_has(&scene, "a.warc"));  /* under the name that its writer knows */
    assert_int_equal(th_spool_source_stats(source).files_done, 0);
    assert_int_equal(facts_of(source).damaged, 0);
    if (complete > 0)
        assert_int_equal(th_spool_source_stats(source).files_waiting, 1);
    write_part(fd, &bytes, where, bytes.len);
    (void)close(fd);
    scene_read(source, 6, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    th_buffer_append_char(&reading.ids, '\0');
    assert_string_equal(reading.ids.data, ids);
    assert_int_equal(th_spool_source_stats(source).files_done, 1);
    assert_int_equal(th_spool_source_stats(source).files_waiting, 0);
    assert_int_equal(scene_has(&scene, "done/a.warc"), finish == TH_SPOOL_MOVE);
    assert_int_equal(scene_has(&scene, "a.warc"), finish == TH_SPOOL_KEEP);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

static void a_writer_may_pause(void **state)
{
    (void)state;
    for (th_spool_finish finish = TH_SPOOL_MOVE; finish <= TH_SPOOL_KEEP; finish++)
        for (th_spool_claim claim = TH_SPOOL_RENAME; claim <= TH_SPOOL_BY_LEDGER; claim++)
            writer_pauses(finish, claim, start_of("a", 3), 3);
}

static void a_writer_may_pause_anywhere(void **state)
{
    (void)state;
    const size_t start = start_of("a", 3), end = start_of("a", 4);
    const size_t places[] = { start + 2, start + 40, end - 60,
                              end - 5,   end - 4,    end - 3,
                              end - 2,   end - 1,    start_of("a", 0) + 30 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        writer_pauses(TH_SPOOL_MOVE, TH_SPOOL_RENAME, places[i],
                      places[i] < start_of("a", 1) ? 0
                      /* a record without its two final lines has not ended */
                      : places[i] < start_of("a", 4) ? 3
                                                     : 4);
}

/* The resumed reader has seen no record before the truncation. */
static void a_writer_may_pause_twice(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    th_buffer bytes = { 0 };
    scene_begin(&scene);
    scene_archive_bytes("a", 3, &bytes);
    th_stream_source *source = scene_open(&scene);
    const int fd = open_writer(&scene, "a.warc");
    const size_t places[] = { 0, start_of("a", 1), start_of("a", 1) + 40, bytes.len };
    for (size_t i = 1; i < sizeof places / sizeof *places; i++) {
        write_part(fd, &bytes, places[i - 1], places[i]);
        if (i == 1)
            scene_read(source, 1, LONG, true, &reading);
        else
            scene_expect_nothing(source, i == 2 ? QUIET + 400 : 0);
    }
    (void)close(fd);
    scene_read(source, 3, LONG, true, &reading);
    assert_int_equal(reading.records, 3);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

/* A writer that the daemon cannot see, because it closes the file between two records. */
static void a_closed_file_may_grow(void **state)
{
    const th_spool_finish *finish = *state;
    struct scene scene;
    th_buffer bytes = { 0 };
    scene_begin(&scene);
    scene.options.finish = *finish;
    scene_archive_bytes("a", 4, &bytes);
    th_stream_source *source = scene_open(&scene);
    const size_t half = start_of("a", 2);
    scene_write(&scene, "a.warc", (th_view){ bytes.data, half });
    expect(source, 2, "a-0\na-1\n");
    const char *name = *finish == TH_SPOOL_KEEP ? "a.warc" : "done/a.warc";
    assert_true(scene_has(&scene, name));
    scene_append(&scene, name, (th_view){ bytes.data + half, bytes.len - half });
    expect(source, 2, "a-2\na-3\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_true(scene_has(&scene, name));
    assert_true(th_spool_source_stats(source).files_grown >= 1);
    assert_int_equal(th_spool_source_stats(source).files_changed, 0);
    source->verbs->close(source);
    /* While no reader is open. */
    th_buffer_reset(&bytes);
    scene_archive_bytes("b", 1, &bytes);
    scene_append(&scene, name, th_buffer_view(&bytes));
    source = scene_open(&scene);
    expect(source, 1, "b-0\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_true(scene_has(&scene, name));
    source->verbs->close(source);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

/* A finished file is written again with the same bytes. It is read as another file. */
static void a_file_may_be_written_again(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer bytes = { 0 };
    scene_begin(&scene);
    scene.options.finish = TH_SPOOL_KEEP;
    scene.options.knows_copies = false;
    scene_archive_bytes("a", 2, &bytes);
    th_stream_source *source = scene_open(&scene);
    for (int i = 0; i < 3; i++) {
        scene_write(&scene, "a.warc", th_buffer_view(&bytes));
        expect(source, 2, "a-0\na-1\n");
        scene_expect_nothing(source, QUIET + 100);
    }
    source->verbs->close(source);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

static th_spool_finish growing[] = { TH_SPOOL_MOVE, TH_SPOOL_KEEP };

/* The same inode, size and first 64 KiB, and another end: another file. */
static void other_bytes_are_another_file(void **state)
{
    const bool *knows_copies = *state;
    struct scene scene;
    th_buffer bytes = { 0 };
    scene_begin(&scene);
    scene.options.finish = TH_SPOOL_KEEP;
    scene.options.knows_copies = *knows_copies;
    th_stream_source *source = scene_open(&scene);
    scene_archive_bytes("a", 400, &bytes);
    assert_true(bytes.len > TH_SPOOL_HASHED + 2000);
    scene_write(&scene, "a.warc", th_buffer_view(&bytes));
    expect(source, 400, NULL);
    char *last = bytes.data + start_of("a", 399);
    char *id = strstr(last, "a-399");
    assert_non_null(id);
    memcpy(id, "z-399", 5);
    struct stat before, after;
    char path[SCENE_PATH];
    assert_int_equal(stat(scene_path(&scene, "a.warc", path), &before), 0);
    scene_write(&scene, "a.warc", th_buffer_view(&bytes));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_size, after.st_size);
    expect(source, 400, NULL);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(published(source, "spool_files_changed_total", NULL), 1);
    source->verbs->close(source);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

static bool switches[] = { false, true };

/* It is rewritten during the read. All new bytes are read, and it is reported. */
static void a_file_may_be_replaced_while_it_is_read(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading old = { .records = 0 }, new = { .records = 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "old", 200);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &old);
    scene_archive(&scene, "a.warc.processing", "new", 100);
    scene_read(source, 100, LONG, true, &new);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(new.records, 100);
    th_buffer_append_char(&new.ids, '\0');
    assert_null(strstr(new.ids.data, "old"));
    assert_int_equal(th_spool_source_stats(source).files_changed, 1);
    assert_true(scene_has(&scene, "done/a.warc"));
    source->verbs->close(source);
    th_buffer_done(&old.ids);
    th_buffer_done(&new.ids);
    scene_end(&scene);
}

/* It is rewritten between two reads, while it waits for its writer. */
static void a_file_may_be_replaced_while_it_waits(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer bytes = { 0 };
    scene_begin(&scene);
    scene_archive_bytes("old", 3, &bytes);
    th_stream_source *source = scene_open(&scene);
    const int fd = open_writer(&scene, "a.warc");
    write_part(fd, &bytes, 0, bytes.len);
    expect(source, 3, "old-0\nold-1\nold-2\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_true(scene_has(&scene, "a.warc"));
    th_buffer_reset(&bytes);
    scene_archive_bytes("new", 2, &bytes);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    write_part(fd, &bytes, 0, bytes.len);
    (void)close(fd);
    expect(source, 2, "new-0\nnew-1\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(published(source, "spool_files_changed_total", NULL), 1);
    assert_true(scene_has(&scene, "done/a.warc"));
    source->verbs->close(source);
    th_buffer_done(&bytes);
    scene_end(&scene);
}

/* The truncated part was not read yet, so nothing is lost or repeated. */
static void an_unread_end_may_be_cut_off(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    char path[SCENE_PATH];
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 200);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &reading);
    source->verbs->close(source);
    assert_int_equal(truncate(scene_path(&scene, "a.warc.processing", path),
                              (off_t)start_of("a", 100)),
                     0);
    source = scene_open(&scene);
    scene_read(source, 100, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(reading.records, 100);
    assert_int_equal(th_spool_source_stats(source).files_changed, 0);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* The writer replaces records that the reader has read ahead, and has not dispatched. */
static void bytes_read_ahead_may_be_replaced(void **state)
{
    (void)state;
    enum { ALL = 3000, KEPT = 600 };
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    th_buffer new = { 0 }, wanted = { 0 };
    char path[SCENE_PATH];
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", ALL);
    scene_archive_bytes("b", ALL, &new);
    const size_t from = start_of("b", KEPT);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &reading);
    assert_true(reading.records < KEPT &&
                from < (256 << 10)); /* libwarc reads more ahead */
    assert_int_equal(truncate(scene_path(&scene, "a.warc.processing", path), (off_t)from),
                     0);
    scene_append(&scene, "a.warc.processing",
                 (th_view){ new.data + from, new.len - from });
    scene_read(source, ALL, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    for (unsigned i = 0; i < ALL; i++)
        th_buffer_printf(&wanted, "%s-%u\n", i < KEPT ? "a" : "b", i);
    th_buffer_append_char(&wanted, '\0');
    th_buffer_append_char(&reading.ids, '\0');
    assert_string_equal(reading.ids.data, wanted.data);
    assert_int_equal(th_spool_source_stats(source).files_changed, 0);
    assert_true(scene_has(&scene, "done/a.warc"));
    source->verbs->close(source);
    th_buffer_done(&wanted);
    th_buffer_done(&new);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* If files keep their names, a crawler can rename a file that is not read yet. */
static void a_file_may_be_renamed_before_it_is_read(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    scene.options.claim = TH_SPOOL_BY_LEDGER;
    th_stream_source *source = scene_open(&scene);
    scene_archive(&scene, "a.warc", "a", 2);
    scene_archive(&scene, "b.warc", "b", 100);
    scene_read(source, 66, LONG, false, &reading);
    assert_int_equal(reading.records, 66);
    assert_int_equal(source->verbs->rewind(source, NULL), TH_OK);
    scene_rename(&scene, "b.warc", "c.warc");
    th_buffer_done(&reading.ids);
    reading = (struct scene_reading){ .records = 0 };
    scene_read(source, 102, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(reading.records, 102);
    assert_true(scene_has(&scene, "done/c.warc"));
    assert_false(scene_has(&scene, "failed/c.warc"));
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* ---- copies ---- */

static void copy_file(const struct scene *scene, const char *from, const char *to)
{
    char path[SCENE_PATH], bytes[1 << 16];
    const int fd = open(scene_path(scene, from, path), O_RDONLY);
    const ssize_t len = read(fd, bytes, sizeof bytes);
    assert_in_range(len, 1, sizeof bytes - 1);
    (void)close(fd);
    scene_write(scene, to, (th_view){ bytes, (size_t)len });
}

static void a_copy_is_not_read_again(void **state)
{
    const th_spool_finish *finish = *state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.finish = *finish;
    th_stream_source *source = scene_open(&scene);
    scene_archive(&scene, "a.warc", "a", 3);
    copy_file(&scene, "a.warc", "a0.warc"); /* before it is read */
    copy_file(&scene, "a.warc", "kept");
    expect(source, 3, "a-0\na-1\na-2\n");
    scene_expect_nothing(source, QUIET + 300);
    copy_file(&scene, "kept", "b.warc"); /* after */
    scene_expect_nothing(source, QUIET + 300);
    source->verbs->close(source);
    source = scene_open(&scene);
    copy_file(&scene, "kept", "c.warc"); /* in another life */
    scene_expect_nothing(source, QUIET + 300);
    assert_int_equal(scene_has(&scene, "done/b.warc"), *finish == TH_SPOOL_MOVE);
    assert_int_equal(scene_has(&scene, "done/c.warc"), *finish == TH_SPOOL_MOVE);
    assert_int_equal(scene_has(&scene, "c.warc"), *finish == TH_SPOOL_KEEP);
    source->verbs->close(source);
    scene.options.knows_copies = false;
    source = scene_open(&scene);
    copy_file(&scene, "kept", "d.warc");
    expect(source, 3, "a-0\na-1\na-2\n");
    source->verbs->close(source);
    scene_end(&scene);
}

/* A copy ends before it is its turn: together with the file that is read before it. */
static void a_copy_may_follow_a_new_file(void **state)
{
    (void)state;
    struct scene scene;
    const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
    char path[SCENE_PATH];
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_archive(&scene, "kept", "one", 1);
    copy_file(&scene, "kept", "x.warc");
    expect(source, 1, "one-0\n");
    for (unsigned round = 0; round < 3; round++) {
        const char name[2] = { (char)('a' + round), '\0' };
        scene_archive(&scene, "1.open", name, 1);
        copy_file(&scene, "kept", "2.open");
        for (unsigned i = 1; i <= 2; i++) { /* both are complete at once */
            assert_int_equal(
                utimensat(AT_FDCWD,
                          scene_path(&scene, i == 1 ? "1.open" : "2.open", path), old, 0),
                0);
        }
        scene_rename(&scene, "1.open", "1.warc");
        scene_rename(&scene, "2.open", "2.warc");
        expect(source, 1, NULL);
    }
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(th_spool_source_stats(source).files_copied, 3);
    assert_int_equal(th_spool_source_stats(source).files_done, 7);
    source->verbs->close(source);
    scene_end(&scene);
}

/* The inode is known from a file of which nothing was acknowledged. */
static void a_copy_of_a_file_on_a_known_inode(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading lost = { .records = 0 };
    scene_begin(&scene);
    scene.options.claim = TH_SPOOL_BY_LEDGER;
    scene_archive(&scene, "a.warc", "one", 2);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 2, LONG, false, &lost);
    source->verbs->close(source);
    scene_archive(&scene, "a.warc", "other", 1);
    copy_file(&scene, "a.warc", "kept");
    source = scene_open(&scene);
    expect(source, 1, "other-0\n");
    copy_file(&scene, "kept", "b.warc");
    scene_expect_nothing(source, QUIET + 300);
    assert_int_equal(th_spool_source_stats(source).files_copied, 1);
    source->verbs->close(source);
    th_buffer_done(&lost.ids);
    scene_end(&scene);
}

/* The file was copied, and removed before it was read completely. */
static void a_copy_takes_the_place_of_its_original(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    char path[SCENE_PATH];
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 100);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &reading);
    source->verbs->close(source);
    copy_file(&scene, "a.warc.processing", "b.warc");
    assert_int_equal(unlink(scene_path(&scene, "a.warc.processing", path)), 0);
    source = scene_open(&scene);
    scene_read(source, 100, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(reading.records, 100);
    assert_int_equal(th_spool_source_stats(source).files_copied, 1);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* A file that is exchanged when it has been compared with the ledger, and before it is
 * claimed: a warning comes in between. */
struct exchange {
    struct scene *scene;
    bool is_removed, is_done;
    unsigned others; /* other warnings */
};

static void exchange(void *context, const char *line)
{
    struct exchange *with = context;
    char path[SCENE_PATH];
    if (!strstr(line, "is a copy of 'a.warc', which was removed; reading continues at "
                      "its last position")) {
        with->others++;
        return;
    }
    assert_false(with->is_done);
    with->is_done = true;
    if (with->is_removed)
        assert_int_equal(unlink(scene_path(with->scene, "b.warc", path)), 0);
    else
        scene_rename(with->scene, "c.open", "b.warc");
}

static void a_file_may_be_exchanged_before_its_claim(void **state)
{
    struct scene scene;
    struct exchange with = { .scene = &scene, .is_removed = *state != NULL };
    struct scene_reading reading = { .records = 0 };
    char path[SCENE_PATH];
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 100);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, true, &reading);
    assert_int_equal(reading.records, 64);
    source->verbs->close(source);
    copy_file(&scene, "a.warc.processing", "b.warc");
    copy_file(&scene, "a.warc.processing", "kept");
    assert_int_equal(unlink(scene_path(&scene, "a.warc.processing", path)), 0);
    scene_archive(&scene, "c.open", "c", 2);
    scene.options.warn = exchange;
    scene.options.warn_context = &with;
    source = scene_open(&scene);
    while (with.is_removed && !with.is_done)
        scene_expect_nothing(source, 20);
    if (!with.is_removed) {
        expect(source, 2, "c-0\nc-1\n"); /* from its beginning */
        wait_for(&scene, source, "done/b.warc");
    }
    assert_true(with.is_done);
    scene_expect_nothing(source, QUIET);
    assert_int_equal(scene_has(&scene, "done/b.warc"), !with.is_removed);
    assert_false(scene_has(&scene, "b.warc.processing"));
    assert_int_equal(with.others, 0);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* ---- what could not be done at once ---- */

/* A claim is noted before the file is renamed, so a ledger that cannot grow claims
 * nothing. */
static void a_full_disk_claims_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct rlimit before, limit;
    struct stat facts;
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    scene_archive(&scene, "a.warc", "a", 2);
    scene_archive(&scene, "b.warc", "b", 1);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    assert_int_equal(stat(scene.ledger, &facts), 0);
    limit.rlim_cur = (rlim_t)facts.st_size + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(scene_has(&scene, "a.warc"));
    assert_true(scene_has(&scene, "b.warc"));
    assert_int_equal(th_spool_source_stats(source).files_processing, 0);
    expect(source, 3, "a-0\na-1\nb-0\n");
    source->verbs->close(source);
    scene_end(&scene);
}

static unsigned refusals, refused_removals;

static void count_refusals(void *context, const char *line)
{
    (void)context;
    refusals += strstr(line, "a.warc: cannot claim 'a.warc': Permission denied") != NULL;
    refused_removals += strstr(line, "cannot remove 'a.warc': Permission denied") != NULL;
}

/* The ledger alone remembers the claim. */
static void a_spool_that_cannot_be_written_is_read(void **state)
{
    const th_spool_finish *finish = *state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.finish = *finish;
    scene.options.warn = count_refusals;
    refusals = refused_removals = 0;
    leave_root(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_archive(&scene, "a.warc", "a", 2);
    assert_int_equal(chmod(scene.spool, 0555), 0);
    expect(source, 2, "a-0\na-1\n");
    scene_expect_nothing(source, QUIET);
    assert_true(scene_has(&scene, "a.warc"));
    assert_int_equal(refusals, 1);
    while (*finish == TH_SPOOL_DELETE && !refused_removals)
        scene_expect_nothing(source, 20);
    assert_int_equal(chmod(scene.spool, 0755), 0);
    if (*finish == TH_SPOOL_MOVE)
        wait_for(&scene, source, "done/a.warc");
    while (scene_has(&scene, "a.warc")) /* until the test's limit */
        scene_expect_nothing(source, 20);
    come_back();
    source->verbs->close(source);
    scene_end(&scene);
}

/* A file that is done is not moved while a writer has it open, after a restart too. */
static void a_done_file_waits_for_its_writer(void **state)
{
    (void)state;
    struct scene scene;
    char done[SCENE_PATH], path[SCENE_PATH];
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_path(&scene, "done", done);
    assert_int_equal(rmdir(done), 0);
    scene_write(&scene, "done", TH_VIEW("not a folder"));
    scene_archive(&scene, "a.warc", "a", 2);
    expect(source, 2, "a-0\na-1\n");
    source->verbs->close(source);
    assert_int_equal(unlink(done), 0);
    const int fd = open(scene_path(&scene, "a.warc.processing", path), O_WRONLY);
    assert_true(fd >= 0);
    source = scene_open(&scene);
    scene_expect_nothing(source, QUIET + 200);
    assert_true(scene_has(&scene, "a.warc.processing"));
    assert_int_equal(close(fd), 0);
    wait_for(&scene, source, "done/a.warc");
    source->verbs->close(source);
    scene_end(&scene);
}

static void a_file_that_cannot_be_moved_is_moved_later(void **state)
{
    (void)state;
    struct scene scene;
    char done[SCENE_PATH];
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_path(&scene, "done", done);
    assert_int_equal(rmdir(done), 0);
    scene_write(&scene, "done", TH_VIEW("not a folder"));
    scene_archive(&scene, "a.warc", "a", 2);
    expect(source, 2, "a-0\na-1\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_false(scene_has(&scene, "done/a.warc"));
    assert_int_equal(th_spool_source_stats(source).files_waiting, 1);
    assert_int_equal(unlink(done), 0);
    scene_expect_nothing(source, QUIET + 300);
    assert_true(scene_has(&scene, "done/a.warc"));
    assert_false(scene_has(&scene, "a.warc.processing"));
    assert_int_equal(th_spool_source_stats(source).files_waiting, 0);
    source->verbs->close(source);
    scene_end(&scene);
}

/* No other ledger has ever claimed here, so the claimed file was ours. */
static void a_claim_of_a_lost_ledger_is_taken_up_at_once(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    scene_archive(&scene, "a.warc", "a", 100);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, false, &reading);
    source->verbs->close(source);
    assert_int_equal(unlink(scene.ledger), 0);
    source = scene_open(&scene);
    expect(source, 100, NULL);
    assert_true(scene_has(&scene, "done/a.warc"));
    source->verbs->close(source);
    /* Nor by another way to it. */
    char ledger[SCENE_PATH], link[SCENE_PATH];
    const char *first = scene.options.ledger;
    for (char name = 'a'; name <= 'b'; name++) {
        (void)snprintf(link, sizeof link, "%s/link-%c", scene.root, name);
        assert_int_equal(symlink(scene.root, link), 0);
        (void)snprintf(ledger, sizeof ledger, "%.3000s%s", link, strrchr(first, '/'));
        scene.options.ledger = ledger;
        source = scene_open(&scene);
        source->verbs->close(source);
    }
    scene_archive(&scene, "c.warc.processing", "c", 1);
    scene.options.ledger = first;
    source = scene_open(&scene);
    expect(source, 1, "c-0\n");
    source->verbs->close(source);
    /* Another ledger has been here since. */
    (void)snprintf(ledger, sizeof ledger, "%s/ledger-2", scene.root);
    scene.options.ledger = ledger;
    source = scene_open(&scene);
    source->verbs->close(source);
    scene_archive(&scene, "b.warc.processing", "b", 1);
    scene.options.ledger = first;
    source = scene_open(&scene);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(th_spool_source_stats(source).files_waiting, 1);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* ---- many files ---- */

static unsigned count_lines(const char *path)
{
    unsigned lines = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        lines += c == '\n';
    (void)fclose(file);
    return lines;
}

/* A line of the ledger costs a sync. */
static void files_are_claimed_and_settled_together(void **state)
{
    const bool has_records = *state != NULL;
    enum { FILES = 200 };
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    char path[SCENE_PATH], as[16];
    scene_begin(&scene);
    for (unsigned i = 0; i < FILES; i++) {
        (void)snprintf(as, sizeof as, "%03u.warc", i);
        if (has_records)
            scene_archive(&scene, as, as, 1);
        else
            scene_write(&scene, as, TH_VIEW(""));
        const struct timespec old[2] = { { .tv_sec = 1000000000 },
                                         { .tv_sec = 1000000000 } };
        assert_int_equal(utimensat(AT_FDCWD, scene_path(&scene, as, path), old, 0), 0);
    }
    th_stream_source *source = scene_open(&scene);
    const unsigned before = count_lines(scene.ledger);
    scene_read(source, has_records ? FILES : 1, has_records ? LONG : QUIET + 300, false,
               &reading);
    acknowledge(source);
    for (int i = 0; i < 100 && th_spool_source_stats(source).files_done < FILES; i++)
        scene_expect_nothing(source, 20);
    assert_int_equal(th_spool_source_stats(source).files_done, FILES);
    assert_in_range(count_lines(scene.ledger) - before, 2, FILES / 10);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

/* ---- folders next to the spool ---- */

static void a_removed_folder_is_made_again(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    for (int round = 0; round < 3; round++) {
        if (round == 1) { /* gone */
            scene_rename(&scene, "failed", "../failed-1");
            scene_rename(&scene, "done", "../done-1");
        } else if (round == 2) { /* another one is in its place */
            scene_rename(&scene, "done", "../done-2");
            assert_int_equal(mkdir(scene_path(&scene, "done", path), 0777), 0);
        }
        static const char *const ids[] = { "a-0\na-1\n", "b-0\nb-1\n", "c-0\nc-1\n" };
        char name[2] = { (char)('a' + round), '\0' };
        scene_archive(&scene, "a.warc", name, 2);
        scene_write(&scene, "b.warc", TH_VIEW("this is no archive\n"));
        expect(source, 2, ids[round]);
        scene_expect_nothing(source, QUIET + 200);
        assert_true(scene_has(&scene, "done/a.warc"));
        assert_false(scene_has(&scene, "done/a.1.warc"));
        assert_true(scene_has(&scene, round < 2 ? "failed/b.warc" : "failed/b.1.warc"));
        assert_false(scene_has(&scene, "a.warc.processing"));
    }
    source->verbs->close(source);
    scene_end(&scene);
}

/* Polls until the source cannot continue, with these words. */
static void expect_end(th_stream_source *source, const char *words)
{
    th_error err = { .text = "" };
    th_batch batch = { .arena = th_arena_new(0) };
    th_status status = TH_NOT_YET;
    while (status == TH_NOT_YET)
        status = source->verbs->poll(source, true, 10, &batch, &err);
    assert_int_equal(status, TH_IO);
    assert_string_equal(err.text, words);
    th_arena_free(batch.arena);
}

static void a_removed_spool_ends_it(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH], want[2 * SCENE_PATH];
    scene_begin(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    DIR *dir = opendir(scene.spool);
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        (void)remove(scene_path(&scene, entry->d_name, path));
    (void)closedir(dir);
    assert_int_equal(rmdir(scene.spool), 0);
    (void)snprintf(want, sizeof want, "the spool '%s' has been removed", scene.spool);
    expect_end(source, want);
    source->verbs->close(source);
    scene_end(&scene);
}

static void a_spool_that_cannot_be_read_ends_it(void **state)
{
    (void)state;
    struct scene scene;
    char want[2 * SCENE_PATH];
    scene_begin(&scene);
    leave_root(&scene);
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    assert_int_equal(chmod(scene.spool, 0300), 0);
    (void)snprintf(want, sizeof want, "cannot read the spool '%s': Permission denied",
                   scene.spool);
    expect_end(source, want);
    assert_int_equal(chmod(scene.spool, 0755), 0);
    come_back();
    source->verbs->close(source);
    scene_end(&scene);
}

/* ---- descriptors ---- */

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void queued_files_hold_no_descriptor(void **state)
{
    (void)state;
    enum { FILES = 100 };
    struct scene scene;
    struct scene_reading first = { .records = 0 }, again = { .records = 0 };
    scene_begin(&scene);
    for (unsigned i = 0; i < FILES; i++) {
        char as[16];
        (void)snprintf(as, sizeof as, "%03u.warc", i);
        scene_archive(&scene, as, as, 1);
    }
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    const unsigned before = open_descriptors();
    scene_read(source, FILES, LONG, false, &first);
    assert_int_equal(th_spool_source_stats(source).files_processing, FILES);
    assert_in_range(open_descriptors(), before, before + 2);
    assert_int_equal(source->verbs->rewind(source, NULL), TH_OK);
    scene_read(source, FILES, LONG, false, &again);
    assert_int_equal(again.ids.len, first.ids.len);
    assert_memory_equal(again.ids.data, first.ids.data, first.ids.len);
    acknowledge(source);
    assert_int_equal(th_spool_source_stats(source).files_done, FILES);
    source->verbs->close(source);
    th_buffer_done(&first.ids);
    th_buffer_done(&again.ids);
    scene_end(&scene);
}

static unsigned shortages;

static void count_shortages(void *context, const char *line)
{
    (void)context;
    shortages += strstr(line, "Too many open files") != NULL;
}

/* No descriptor is free for a while. Nothing ends, nothing fails, and it continues. */
static void a_lack_of_descriptors_passes(void **state)
{
    const bool is_rewound = *state != NULL;
    struct scene scene;
    struct rlimit before, limit;
    struct scene_reading reading = { .records = 0 };
    scene_begin(&scene);
    scene.options.warn = count_shortages;
    shortages = 0;
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    scene_archive(&scene, "a.warc", "a", 2);
    if (is_rewound) {
        scene_read(source, 2, LONG, false, &reading);
        assert_int_equal(reading.records, 2);
        assert_int_equal(source->verbs->rewind(source, NULL), TH_OK);
        th_buffer_done(&reading.ids);
        reading = (struct scene_reading){ .records = 0 };
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    limit.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    scene_read(source, 1, QUIET + 300, true, &reading);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(reading.records, 0);
    assert_int_equal(shortages, 1);
    assert_int_equal(th_spool_source_stats(source).files_failed, 0);
    expect(source, 2, "a-0\na-1\n");
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

static bool rewound = true;

/* ---- subfolders ---- */

static void make_folder(const struct scene *scene, const char *name)
{
    char path[SCENE_PATH];
    assert_int_equal(mkdir(scene_path(scene, name, path), 0777), 0);
}

/* Heritrix: a folder for each launch, `latest` leads to the newest. */
static void each_launch_has_its_folder(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    scene_begin(&scene);
    make_folder(&scene, "1");
    make_folder(&scene, "1/warcs");
    scene_archive(&scene, "1/warcs/a.warc", "one", 2);
    assert_int_equal(symlink("1", scene_path(&scene, "latest", path)), 0);
    assert_int_equal(symlink("..", scene_path(&scene, "1/up", path)), 0);
    th_stream_source *source = scene_open(&scene);
    expect(source, 2, "one-0\none-1\n");
    assert_true(scene_has(&scene, "done/1/warcs/a.warc"));
    /* Another one while it runs, with a file of the same name. */
    make_folder(&scene, "2");
    make_folder(&scene, "2/warcs");
    scene_archive(&scene, "2/warcs/a.warc.open", "two", 1);
    scene_write(&scene, "2/warcs/bad.warc", TH_VIEW("this is no archive\n"));
    scene_rename(&scene, "2/warcs/a.warc.open", "2/warcs/a.warc");
    expect(source, 1, "two-0\n");
    scene_expect_nothing(source, QUIET + 300);
    assert_true(scene_has(&scene, "done/2/warcs/a.warc"));
    assert_true(scene_has(&scene, "failed/2/warcs/bad.warc"));
    assert_true(scene_has(&scene, "failed/2/warcs/bad.warc.reason"));
    assert_int_equal(th_spool_source_stats(source).folders, 5);
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 0);
    source->verbs->close(source);
    source = scene_open(&scene); /* what is done is not found again in done/ */
    scene_expect_nothing(source, QUIET + 200);
    source->verbs->close(source);
    scene_end(&scene);
}

static void a_folder_below_is_heard_of(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.rescan_ms = 100000; /* only news help */
    scene.options.min_age_ms = 100000;
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, 10);
    make_folder(&scene, "launch");
    scene_expect_nothing(source, 100);
    scene_archive(&scene, "launch/a.warc.open", "a", 2);
    scene_rename(&scene, "launch/a.warc.open", "launch/a.warc");
    expect(source, 2, "a-0\na-1\n");
    scene_rename(&scene, "launch", "renamed");
    scene_expect_nothing(source, 100);
    scene_archive(&scene, "renamed/b.warc", "b", 1);
    expect(source, 1, "b-0\n");
    assert_true(scene_has(&scene, "done/renamed/b.warc"));
    source->verbs->close(source);
    scene_end(&scene);
}

static void subfolders_may_be_left_alone(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    scene.options.has_subfolders = false;
    make_folder(&scene, "launch");
    scene_archive(&scene, "launch/a.warc", "a", 2);
    scene_archive(&scene, "b.warc", "b", 1);
    th_stream_source *source = scene_open(&scene);
    expect(source, 1, "b-0\n");
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(th_spool_source_stats(source).folders, 1);
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 1);
    source->verbs->close(source);
    scene_end(&scene);
}

/* done/ of an earlier configuration, and a folder with another name. */
static void own_folders_are_no_input(void **state)
{
    (void)state;
    struct scene scene;
    char done[SCENE_PATH];
    scene_begin(&scene);
    make_folder(&scene, "done");
    scene_archive(&scene, "done/old.warc", "old", 2);
    make_folder(&scene, "kept");
    scene.options.done_dir = scene_path(&scene, "kept/here", done);
    scene_archive(&scene, "a.warc", "a", 1);
    th_stream_source *source = scene_open(&scene);
    expect(source, 1, "a-0\n");
    scene_expect_nothing(source, QUIET + 300);
    assert_true(scene_has(&scene, "kept/here/a.warc"));
    assert_true(scene_has(&scene, "done/old.warc"));
    source->verbs->close(source);
    scene_end(&scene);
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    struct scene scene;
    char path[256] = "", file[300];
    scene_begin(&scene);
    for (unsigned depth = 1; depth <= 20; depth++) {
        (void)snprintf(path + strlen(path), sizeof path - strlen(path), "%sd",
                       depth > 1 ? "/" : "");
        make_folder(&scene, path);
        (void)snprintf(file, sizeof file, "%s/%02u.warc", path, depth);
        scene_archive(&scene, file, file + strlen(path) + 1, 1);
    }
    th_stream_source *source = scene_open(&scene);
    expect(source, 16, NULL);
    scene_expect_nothing(source, QUIET + 200);
    assert_int_equal(th_spool_source_stats(source).folders, 17);
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 1);
    source->verbs->close(source);
    scene_end(&scene);
}

static void a_folder_that_cannot_be_read_is_passed_over(void **state)
{
    (void)state;
    struct scene scene;
    char path[SCENE_PATH];
    scene_begin(&scene);
    leave_root(&scene);
    make_folder(&scene, "closed");
    make_folder(&scene, "open");
    scene_archive(&scene, "closed/a.warc", "a", 1);
    scene_archive(&scene, "open/b.warc", "b", 1);
    assert_int_equal(chmod(scene_path(&scene, "closed", path), 0), 0);
    th_stream_source *source = scene_open(&scene);
    expect(source, 1, "b-0\n");
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 1);
    assert_int_equal(chmod(path, 0755), 0);
    expect(source, 1, "a-0\n");
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 0);
    come_back();
    source->verbs->close(source);
    scene_end(&scene);
}

/* The longest allowed path is read under its claimed name. A longer path is
 * reported and counted. */
static void paths_have_a_limit(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    char path[TH_SPOOL_NAME + 1];
    scene_begin(&scene);
    memset(path, 'f', sizeof path);
    for (size_t at = 170; at <= 340; at += 170) {
        path[at] = '\0';
        make_folder(&scene, path);
        path[at] = '/';
    }
    for (size_t len = TH_SPOOL_NAME - 1; len <= TH_SPOOL_NAME; len++) {
        memset(path + 400, 'x', sizeof path - 400);
        memcpy(path + len - 5, ".warc", 5);
        path[len] = '\0';
        scene_archive(&scene, path, "a", 1);
    }
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 1, LONG, false, &reading);
    assert_int_equal(reading.records, 1);
    assert_int_equal(th_spool_source_stats(source).folders_passed_over, 1);
    source->verbs->close(source);
    source = scene_open(&scene); /* already claimed */
    expect(source, 1, "a-0\n");
    scene_expect_nothing(source, QUIET);
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    scene_end(&scene);
}

static unsigned long_names;

static void count_long_names(void *context, const char *line)
{
    (void)context;
    long_names += strstr(line, "xxx.warc: skipped because its name is too long") != NULL;
}

/* The suffix of a claim, ".processing", must fit into the 255 bytes of a name. */
static void names_have_a_limit(void **state)
{
    (void)state;
    struct scene scene;
    char name[256];
    scene_begin(&scene);
    scene.options.warn = count_long_names;
    long_names = 0;
    memset(name, 'x', sizeof name);
    for (size_t len = 245; len <= 247; len++) {
        memcpy(name + len - 5, ".warc", 5);
        name[len] = '\0';
        scene_archive(&scene, name, "a", 1);
        memset(name, 'x', sizeof name);
    }
    th_stream_source *source = scene_open(&scene);
    scene_expect_nothing(source, QUIET);
    assert_int_equal(long_names, 1);
    memcpy(name + 239, ".warc", 6);
    scene_archive(&scene, name, "a", 1);
    expect(source, 1, "a-0\n");
    source->verbs->close(source);
    scene_end(&scene);
}

/* ---- progress in the output's transaction ---- */

static void restored_rows_win(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_reading reading = { .records = 0 };
    th_commit_token token;
    th_buffer rows = { 0 };
    scene_begin(&scene);
    scene.options.is_ledger_cache = true;
    scene_archive(&scene, "a.warc", "a", 100);
    th_stream_source *source = scene_open(&scene);
    scene_read(source, 64, LONG, false, &reading);
    /* Committed; then a crash, before acknowledge. */
    assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
    assert_int_equal(token.keeping, TH_KEPT_IN_ROWS);
    th_buffer_append_view(&rows, token.rows);
    assert_non_null(memchr(rows.data, '\t', rows.len));
    assert_int_equal(rows.data[rows.len - 1], '\n');
    source->verbs->close(source);
    source = scene_open(&scene);
    const char *tab = memchr(rows.data, '\t', rows.len);
    const size_t key = (size_t)(tab - rows.data);
    source->verbs->restore(source, TH_VIEW("rubbish"), TH_VIEW("rubbish"));
    source->verbs->restore(source, (th_view){ rows.data, key },
                           (th_view){ tab + 1, rows.len - key - 2 });
    struct scene_reading rest = { .records = 0 };
    scene_read(source, 36, LONG, true, &rest);
    assert_memory_equal(rest.ids.data, "a-64\n", 5);
    assert_int_equal(rest.records, 36);
    /* All is acknowledged, and the file is not in the spool: its row is withdrawn. */
    assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
    assert_int_equal(token.rows.len, key + 2);
    assert_memory_equal(token.rows.data, rows.data, key + 1);
    assert_int_equal(token.rows.data[key + 1], '\n');
    assert_int_equal(
        source->verbs->acknowledge(source, &token, (th_view){ NULL, 0 }, NULL), TH_OK);
    assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
    assert_int_equal(token.rows.len, 0);
    source->verbs->close(source);
    th_buffer_done(&rows);
    th_buffer_done(&reading.ids);
    th_buffer_done(&rest.ids);
    scene_end(&scene);
}

/* ---- what earlier versions wrote ---- */

/* The identity of an earlier version, `STATE OFFSET SKIP UOFFSET DICT RECORDS NAME` after
 * it in a ledger's line. */
static void write_old_id(const struct scene *scene, const char *as, th_buffer *out)
{
    struct stat facts;
    char path[SCENE_PATH], bytes[TH_SPOOL_HASHED];
    assert_int_equal(stat(scene_path(scene, as, path), &facts), 0);
    const int fd = open(path, O_RDONLY);
    const ssize_t len = read(fd, bytes, sizeof bytes);
    (void)close(fd);
    th_buffer_printf(out, "%llx-%llx-%llx-%llx", (unsigned long long)facts.st_dev,
                     (unsigned long long)facts.st_ino, (unsigned long long)facts.st_size,
                     (unsigned long long)XXH3_64bits(bytes, (size_t)len));
}

static void write_old_line(th_buffer *log, const th_buffer *words)
{
    th_buffer_printf(log, "%016llx ",
                     (unsigned long long)XXH3_64bits(words->data, words->len));
    th_buffer_append_view(log, th_buffer_view(words));
    th_buffer_append_char(log, '\n');
}

static void write_file(const char *path, const th_buffer *bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(fd, bytes->data, bytes->len), bytes->len);
    (void)close(fd);
}

/* A file that was read in part, a finished file, a finished file that has grown, and a file
 * with the inode of another one. */
static void an_earlier_ledger_is_read(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer log = { 0 }, words = { 0 }, more = { 0 };
    scene_begin(&scene);
    scene.options.finish = TH_SPOOL_KEEP;
    scene_archive(&scene, "a.warc.processing", "a", 10);
    scene_archive(&scene, "b.warc", "b", 2);
    scene_archive(&scene, "c.warc", "c", 2);
    scene_archive(&scene, "d.warc", "d", 1);
    th_buffer_append_text(&words, "f ");
    write_old_id(&scene, "a.warc.processing", &words);
    th_buffer_printf(&words, " a %zu 0 %zu %llu 4 a.warc f ", start_of("a", 4),
                     start_of("a", 4), (unsigned long long)WARC_NO_OFFSET);
    write_old_id(&scene, "b.warc", &words);
    th_buffer_printf(&words, " d 0 0 0 %llu 2 b.warc f ",
                     (unsigned long long)WARC_NO_OFFSET);
    write_old_id(&scene, "c.warc", &words);
    th_buffer_printf(&words, " d 0 0 0 %llu 2 c.warc f ",
                     (unsigned long long)WARC_NO_OFFSET);
    write_old_id(&scene, "d.warc", &words);
    th_buffer_printf(&words, " d 0 0 0 %llu 1 earlier.warc n a%%20note",
                     (unsigned long long)WARC_NO_OFFSET);
    write_old_line(&log, &words);
    write_file(scene.ledger, &log);
    scene_archive_bytes("more", 1, &more);
    scene_append(&scene, "c.warc", th_buffer_view(&more));
    th_stream_source *source = scene_open(&scene);
    assert_int_equal(facts_of(source).positions_damaged, 0);
    assert_int_equal(source->verbs->note(source).len, strlen("a note"));
    struct scene_reading reading = { .records = 0 };
    scene_read(source, 8, LONG, true, &reading);
    scene_expect_nothing(source, QUIET + 200);
    th_buffer_append_char(&reading.ids, '\0');
    assert_int_equal(reading.records, 8);
    assert_non_null(strstr(reading.ids.data, "a-4\na-5\na-6\na-7\na-8\na-9\n"));
    assert_non_null(strstr(reading.ids.data, "more-0\n"));
    assert_non_null(strstr(reading.ids.data, "d-0\n"));
    assert_true(scene_has(&scene, "a.warc"));
    source->verbs->close(source);
    th_buffer_done(&reading.ids);
    th_buffer_done(&log);
    th_buffer_done(&words);
    th_buffer_done(&more);
    scene_end(&scene);
}

/* Gives rows of the form KEY '\t' VALUE '\n' to a source. */
static void restore_rows(th_stream_source *source, th_view rows)
{
    while (rows.len > 0) {
        const char *end = memchr(rows.data, '\n', rows.len);
        const char *tab = memchr(rows.data, '\t', rows.len);
        const size_t key = (size_t)(tab - rows.data), len = (size_t)(end - rows.data);
        const th_view value = { len > key + 1 ? tab + 1 : NULL, len - key - 1 };
        source->verbs->restore(source, (th_view){ rows.data, key }, value);
        rows = (th_view){ end + 1, rows.len - len - 1 };
    }
}

static void append_rows(th_stream_source *source, th_buffer *out)
{
    th_commit_token token;
    assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
    th_buffer_append_view(out, token.rows);
    assert_int_equal(
        source->verbs->acknowledge(source, &token, (th_view){ NULL, 0 }, NULL), TH_OK);
}

/* Rows of an earlier version: rows of missing files are withdrawn, and the others are
 * replaced by ours. */
static void earlier_rows_are_replaced(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer old = { 0 }, new = { 0 };
    scene_begin(&scene);
    scene.options.is_ledger_cache = true;
    scene.options.finish = TH_SPOOL_KEEP;
    scene_archive(&scene, "a.warc.processing", "a", 10);
    scene_archive(&scene, "b.warc", "b", 2);
    write_old_id(&scene, "a.warc.processing", &old);
    th_buffer_printf(&old, "\ta %zu 0 %zu %llu 4 a.warc\n", start_of("a", 4),
                     start_of("a", 4), (unsigned long long)WARC_NO_OFFSET);
    write_old_id(&scene, "b.warc", &old);
    th_buffer_printf(&old, "\td 0 0 0 %llu 2 b.warc\n",
                     (unsigned long long)WARC_NO_OFFSET);
    th_buffer_printf(&old, "1-2-3-4\td 0 0 0 %llu 2 gone.warc\n",
                     (unsigned long long)WARC_NO_OFFSET);
    th_stream_source *source = scene_open(&scene);
    restore_rows(source, th_buffer_view(&old));
    append_rows(source, &new);
    th_buffer_append_char(&new, '\0');
    assert_non_null(strstr(new.data, "1-2-3-4\t\n"));
    unsigned withdrawn = 0, rows = 0;
    for (const char *at = new.data; (at = strchr(at, '\n')); at++)
        rows++;
    for (const char *at = new.data; (at = strstr(at, "\t\n")); at++)
        withdrawn++;
    assert_int_equal(withdrawn, 3);
    assert_int_equal(rows, 5);
    source->verbs->close(source);
    assert_int_equal(unlink(scene.ledger), 0);
    source = scene_open(&scene); /* the ledger is lost, the rows are not */
    restore_rows(source, (th_view){ new.data, new.len - 1 });
    expect(source, 6, "a-4\na-5\na-6\na-7\na-8\na-9\n");
    scene_expect_nothing(source, QUIET + 200);
    source->verbs->close(source);
    th_buffer_done(&old);
    th_buffer_done(&new);
    scene_end(&scene);
}

static void append_gone_row(th_buffer *rows, unsigned number, bool is_old)
{
    th_buffer_printf(rows, "1-%x", number);
    if (is_old)
        th_buffer_printf(rows, "-3-4\td 0 0 0 %llu 2 gone.warc\n",
                         (unsigned long long)WARC_NO_OFFSET);
    else
        th_buffer_printf(rows, "\t1-%x-3-4-5-6-0-0 D 0 0 0 %llu 7 2 gone.warc\n", number,
                         (unsigned long long)WARC_NO_OFFSET);
}

/* A topic that is not compacted has rows and their withdrawals. A row after the
 * withdrawal is withdrawn again, because the inode was used again. */
static void rows_are_withdrawn_once(void **state)
{
    enum { ROWS = 300 };
    const bool *is_old = *state;
    struct scene scene;
    th_buffer read = { 0 }, written = { 0 };
    scene_begin(&scene);
    scene.options.is_ledger_cache = true;
    for (unsigned i = 1; i <= ROWS; i++)
        append_gone_row(&read, i, *is_old);
    for (unsigned i = 4; i <= ROWS; i++)
        th_buffer_printf(&read, "1-%x%s\t\n", i, *is_old ? "-3-4" : "");
    append_gone_row(&read, 99, *is_old);
    append_gone_row(&read, 1, *is_old); /* the same row again: one withdrawal */
    th_stream_source *source = scene_open(&scene);
    restore_rows(source, th_buffer_view(&read));
    append_rows(source, &written);
    append_rows(source, &written);
    th_buffer_append_char(&written, '\0');
    assert_string_equal(written.data,
                        *is_old ? "1-2-3-4\t\n1-3-3-4\t\n1-63-3-4\t\n1-1-3-4\t\n"
                                : "1-2\t\n1-3\t\n1-63\t\n1-1\t\n");
    source->verbs->close(source);
    th_buffer_done(&read);
    th_buffer_done(&written);
    scene_end(&scene);
}

/* Rows in the topic after any number of files: no row of a file that has left. */
static void rows_do_not_pile_up(void **state)
{
    const th_spool_finish *finish = *state;
    struct scene scene;
    th_buffer rows = { 0 };
    unsigned withdrawn = 0;
    scene_begin(&scene);
    scene.options.is_ledger_cache = true;
    scene.options.finish = *finish;
    th_stream_source *source = scene_open(&scene);
    for (unsigned i = 0; i < 20; i++) {
        struct scene_reading reading = { .records = 0 };
        char name[16];
        (void)snprintf(name, sizeof name, "x%u", i);
        scene_archive(&scene, "a.warc", name, 1);
        scene_read(source, 1, LONG, false, &reading);
        assert_int_equal(reading.records, 1);
        th_buffer_reset(&rows);
        append_rows(source, &rows);
        th_buffer_append_char(&rows, '\0');
        const char *first = strchr(rows.data, '\t');
        const bool is_withdrawal = first[1] == '\n';
        /* Withdrawals come first, because the next file can have the same inode. */
        assert_non_null(strchr(is_withdrawal ? first + 1 : first, '\t'));
        withdrawn += is_withdrawal;
        th_buffer_done(&reading.ids);
    }
    /* A removed file's inode, and with it the key, may have gone to the next file. */
    assert_in_range(withdrawn, *finish == TH_SPOOL_MOVE ? 19 : 0, 19);
    source->verbs->close(source);
    th_buffer_done(&rows);
    scene_end(&scene);
}

enum {
    CONVENTIONS = sizeof conventions / sizeof *conventions,
    ENDINGS = sizeof endings / sizeof *endings
};

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(files_come_in_the_order_of_their_names),
        cmocka_unit_test(done_files_of_one_name_do_not_replace_each_other),
        cmocka_unit_test(a_taken_file_is_still_pending),
        cmocka_unit_test(what_cannot_be_read_is_put_aside),
        cmocka_unit_test(what_cannot_be_opened_is_put_aside),
        cmocka_unit_test(reading_goes_on_where_it_was_acknowledged),
        cmocka_unit_test(a_rewind_gives_it_again),
        cmocka_unit_test(notes_are_kept_with_the_position),
        cmocka_unit_test(a_foreign_claim_is_left_alone),
        cmocka_unit_test(a_foreign_claim_is_never_taken),
        cmocka_unit_test(a_hard_link_is_read_once),
        cmocka_unit_test(a_claim_that_the_ledger_lost_is_taken_up),
        cmocka_unit_test(processes_share_a_spool),
        cmocka_unit_test(a_second_file_of_a_name_is_read_too),
        cmocka_unit_test(a_second_file_survives_a_death),
        cmocka_unit_test(a_second_process_leaves_a_claim_alone),
        { "a replaced name is another file, move", a_replaced_name_is_another_file, NULL,
          NULL, &finishes[0] },
        { "a replaced name is another file, delete", a_replaced_name_is_another_file,
          NULL, NULL, &finishes[1] },
        { "a replaced name is another file, keep", a_replaced_name_is_another_file, NULL,
          NULL, &finishes[2] },
        cmocka_unit_test(a_writer_may_pause),
        cmocka_unit_test(a_writer_may_pause_anywhere),
        { "a closed file may grow, move", a_closed_file_may_grow, NULL, NULL,
          &growing[0] },
        { "a closed file may grow, keep", a_closed_file_may_grow, NULL, NULL,
          &growing[1] },
        cmocka_unit_test(a_file_may_be_written_again),
        { "other bytes are another file", other_bytes_are_another_file, NULL, NULL,
          &switches[0] },
        { "other bytes are another file, with digests", other_bytes_are_another_file,
          NULL, NULL, &switches[1] },
        cmocka_unit_test(a_file_may_be_replaced_while_it_is_read),
        cmocka_unit_test(a_file_may_be_replaced_while_it_waits),
        cmocka_unit_test(an_unread_end_may_be_cut_off),
        cmocka_unit_test(bytes_read_ahead_may_be_replaced),
        cmocka_unit_test(a_file_may_be_renamed_before_it_is_read),
        cmocka_unit_test(a_writer_may_pause_twice),
        { "a copy is not read again, move", a_copy_is_not_read_again, NULL, NULL,
          &finishes[0] },
        { "a copy is not read again, delete", a_copy_is_not_read_again, NULL, NULL,
          &finishes[1] },
        { "a copy is not read again, keep", a_copy_is_not_read_again, NULL, NULL,
          &finishes[2] },
        cmocka_unit_test(a_copy_may_follow_a_new_file),
        cmocka_unit_test(a_copy_of_a_file_on_a_known_inode),
        cmocka_unit_test(a_copy_takes_the_place_of_its_original),
        { "a file may be exchanged before its claim",
          a_file_may_be_exchanged_before_its_claim, NULL, NULL, NULL },
        { "a file may be removed before its claim",
          a_file_may_be_exchanged_before_its_claim, NULL, NULL, &switches[1] },
        cmocka_unit_test(a_full_disk_claims_nothing),
        { "a spool that cannot be written is read, move",
          a_spool_that_cannot_be_written_is_read, NULL, NULL, &finishes[0] },
        { "a spool that cannot be written is read, delete",
          a_spool_that_cannot_be_written_is_read, NULL, NULL, &finishes[1] },
        cmocka_unit_test(a_done_file_waits_for_its_writer),
        cmocka_unit_test(a_file_that_cannot_be_moved_is_moved_later),
        cmocka_unit_test(a_claim_of_a_lost_ledger_is_taken_up_at_once),
        { "files are claimed together", files_are_claimed_and_settled_together, NULL,
          NULL, &switches[1] },
        { "files without records are settled together",
          files_are_claimed_and_settled_together, NULL, NULL, NULL },
        cmocka_unit_test(a_removed_folder_is_made_again),
        cmocka_unit_test(a_removed_spool_ends_it),
        cmocka_unit_test(a_spool_that_cannot_be_read_ends_it),
        cmocka_unit_test(queued_files_hold_no_descriptor),
        cmocka_unit_test(a_lack_of_descriptors_passes),
        { "a lack of descriptors passes, after a rewind", a_lack_of_descriptors_passes,
          NULL, NULL, &rewound },
        cmocka_unit_test(each_launch_has_its_folder),
        cmocka_unit_test(a_folder_below_is_heard_of),
        cmocka_unit_test(subfolders_may_be_left_alone),
        cmocka_unit_test(own_folders_are_no_input),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(a_folder_that_cannot_be_read_is_passed_over),
        cmocka_unit_test(paths_have_a_limit),
        cmocka_unit_test(names_have_a_limit),
        cmocka_unit_test(restored_rows_win),
        cmocka_unit_test(an_earlier_ledger_is_read),
        cmocka_unit_test(earlier_rows_are_replaced),
        { "rows are withdrawn once", rows_are_withdrawn_once, NULL, NULL, &switches[0] },
        { "rows are withdrawn once, earlier version", rows_are_withdrawn_once, NULL, NULL,
          &switches[1] },
        { "rows do not pile up, move", rows_do_not_pile_up, NULL, NULL, &finishes[0] },
        { "rows do not pile up, delete", rows_do_not_pile_up, NULL, NULL, &finishes[1] },
    };
    struct CMUnitTest tests[CONVENTIONS + ENDINGS + sizeof others / sizeof *others];
    size_t count = 0;
    for (size_t i = 0; i < CONVENTIONS; i++)
        tests[count++] = (struct CMUnitTest){ conventions[i].name, convention_holds, NULL,
                                              NULL, (void *)(uintptr_t)&conventions[i] };
    for (size_t i = 0; i < ENDINGS; i++)
        tests[count++] = (struct CMUnitTest){ endings[i].name, ending_holds, NULL, NULL,
                                              (void *)(uintptr_t)&endings[i] };
    memcpy(tests + count, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
