/* src/spool/spool_ledger.c: written lines are found again, after any truncation or flipped
 * bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spool/spool_ledger.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/spool_scene.h"
#include "outcomes.h"

static const th_view absent = { NULL, 0 };

static th_spool_entry entry_of(unsigned number, const char *name)
{
    th_spool_entry entry = { .id = { .device = 1,
                                     .inode = number,
                                     .size = 1000 + number,
                                     .head = 0xABCDEF0123456789u,
                                     .written_ns = 1700000000000000001 + number,
                                     .tail = UINT64_MAX - number },
                             .state = (th_spool_state)(number % TH_SPOOL_WITHDRAWN),
                             .next = { .offset = number * 10,
                                       .skip = number,
                                       .uoffset = UINT64_MAX - number,
                                       .dict_offset = UINT64_MAX,
                                       .version = UINT64_MAX / 2 + number },
                             .records = number * 7 };
    (void)snprintf(entry.name, sizeof entry.name, "%s", name);
    return entry;
}

static void assert_equal(const th_spool_entry *a, const th_spool_entry *b)
{
    assert_memory_equal(&a->id, &b->id, sizeof a->id); /* without padding */
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->next.offset, b->next.offset);
    assert_int_equal(a->next.skip, b->next.skip);
    assert_int_equal(a->next.uoffset, b->next.uoffset);
    assert_int_equal(a->next.dict_offset, b->next.dict_offset);
    assert_int_equal(a->next.version, b->next.version);
    assert_int_equal(a->records, b->records);
    assert_string_equal(a->name, b->name);
}

static th_spool_ledger *open_at(const char *path, uint32_t keep)
{
    const th_spool_ledger_options options = { .path = path, .keep = keep };
    th_spool_ledger *ledger = NULL;
    th_error err = { .text = "" };
    if (th_spool_ledger_open(&options, &ledger, &err) != TH_OK)
        fail_msg("%s", err.text);
    return ledger;
}

/* ---- text ---- */

static const char *const names[] = {
    "a.warc.gz",         "with space.warc",       "100%25.warc", "t\tn\n.warc",
    "\xC3\xA4\xFF.warc", "a launch/warcs/a.warc", "..a/b../...",
};

static void entry_survives_its_text(void **state)
{
    for (unsigned number = 0; number < 7; number++) {
        const th_spool_entry entry = entry_of(number, *state);
        th_spool_entry back = { .state = TH_SPOOL_ACTIVE };
        th_buffer id = { 0 }, text = { 0 };
        th_spool_id_write(&entry.id, &id);
        th_spool_entry_write(&entry, &text);
        assert_null(memchr(text.data, '\t', text.len));
        assert_null(memchr(text.data, '\n', text.len));
        assert_true(th_spool_id_read(th_buffer_view(&id), &back.id));
        assert_true(th_spool_entry_read(th_buffer_view(&text), &back));
        assert_equal(&entry, &back);
        for (size_t cut = 0; cut < id.len; cut++) /* exact-size copies */
        {
            char *copy = malloc(cut ? cut : 1);
            memcpy(copy, id.data, cut);
            th_spool_id other;
            if (th_spool_id_read((th_view){ copy, cut }, &other))
                assert_memory_not_equal(&other, &entry.id, sizeof other);
            free(copy);
        }
        th_buffer_done(&id);
        th_buffer_done(&text);
    }
}

static const char *const bad_entries[] = {
    "",
    "a",
    "a 0 0 0 0 0",
    "a 0 0 0 0 0 ",
    "q 0 0 0 0 0 name",
    "aa 0 0 0 0 0 name",
    "a -1 0 0 0 0 name",
    "a 18446744073709551616 0 0 0 0 name",
    "a 0x1 0 0 0 0 name",
    "a 0 0 0 0 0 name more",
    "a 0 0 0 0 0 ..",
    "a 0 0 0 0 0 ../../etc/passwd",
    "a 0 0 0 0 0 %2fetc%2fpasswd",
    "a 0 0 0 0 0 x%2f..",
    "a 0 0 0 0 0 x/../y",
    "a 0 0 0 0 0 ./y",
    "a 0 0 0 0 0 x//y",
    "a 0 0 0 0 0 x/",
    "a 0 0 0 0 0 x%00",
    "a 0 0 0 0 0 x%4",
    "a 0 0 0 0 0 x%zz",
    "A 0 0 0 0 0 name", /* no check */
    "a 0 0 0 0 0 0 name",
};

static void bad_entry_is_refused(void **state)
{
    const char *text = *state;
    th_spool_entry entry = { .state = TH_SPOOL_ACTIVE };
    assert_false(th_spool_entry_read((th_view){ text, strlen(text) }, &entry));
}

/* ---- the log ---- */

static void is_found_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    assert_int_equal(th_spool_ledger_note(ledger).len, 0);
    for (unsigned i = 0; i < 200; i += 2) {
        const th_spool_entry two[2] = { entry_of(i, "a b"), entry_of(i + 1, "c") };
        char note[32];
        const int len = snprintf(note, sizeof note, "note %u\nline", i);
        assert_int_equal(
            th_spool_ledger_commit(ledger, two, 2, (th_view){ note, (size_t)len }, NULL),
            TH_OK);
    }
    th_spool_entry changed = entry_of(5, "new name");
    changed.records = 99;
    assert_int_equal(th_spool_ledger_commit(ledger, &changed, 1, absent, NULL), TH_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(th_spool_ledger_count(ledger), 200);
        for (unsigned i = 0; i < 200; i++) {
            const th_spool_entry want =
                i == 5 ? changed : entry_of(i, i % 2 ? "c" : "a b");
            th_spool_entry found;
            assert_true(th_spool_ledger_find(ledger, &want.id, &found));
            assert_equal(&found, &want);
        }
        assert_int_equal(th_spool_ledger_note(ledger).len, strlen("note 198\nline"));
        assert_memory_equal(th_spool_ledger_note(ledger).data, "note 198\nline", 13);
        th_spool_ledger_close(ledger);
        ledger = open_at(scene.ledger, 1000);
        assert_int_equal(th_spool_ledger_damaged(ledger), 0);
    }
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

static void what_was_withdrawn_is_not_known(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    th_spool_entry entry = entry_of(0, "a");
    assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, absent, NULL), TH_OK);
    assert_true(th_spool_ledger_find(ledger, &entry.id, NULL));
    entry.state = TH_SPOOL_WITHDRAWN;
    assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, absent, NULL), TH_OK);
    assert_false(th_spool_ledger_find(ledger, &entry.id, NULL));
    th_spool_ledger_close(ledger);
    ledger = open_at(scene.ledger, 1000);
    assert_int_equal(th_spool_ledger_damaged(ledger), 0);
    assert_false(th_spool_ledger_find(ledger, &entry.id, NULL));
    entry.state = TH_SPOOL_ACTIVE; /* it is claimed after all */
    assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, absent, NULL), TH_OK);
    assert_true(th_spool_ledger_find(ledger, &entry.id, NULL));
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

/* The digest of a finished file outlives its inode. The digest of another file does not. */
static void a_digest_outlives_its_inode(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    th_spool_entry done = entry_of(TH_SPOOL_DONE, "done"), next = done, found;
    done.id.digest[0] = 7;
    next.id.digest[0] = 8;
    next.state = TH_SPOOL_ACTIVE;
    (void)snprintf(next.name, sizeof next.name, "next");
    assert_int_equal(th_spool_ledger_commit(ledger, &done, 1, absent, NULL), TH_OK);
    assert_int_equal(th_spool_ledger_commit(ledger, &next, 1, absent, NULL), TH_OK);
    for (int round = 0; round < 2; round++) {
        assert_true(th_spool_ledger_find(ledger, &done.id, &found)); /* by its inode */
        assert_string_equal(found.name, "next");
        assert_true(th_spool_ledger_find_copy(ledger, &next.id, &found));
        assert_string_equal(found.name, "next");
        assert_true(th_spool_ledger_find_copy(ledger, &done.id, &found));
        assert_string_equal(found.name, "done");
        assert_int_equal(found.state, TH_SPOOL_DONE);
        assert_int_equal(found.id.inode, 0);
        th_spool_ledger_close(ledger);
        ledger = open_at(scene.ledger, 1000);
    }
    done = next;
    done.id.digest[0] = 9;
    assert_int_equal(th_spool_ledger_put(ledger, &done), TH_OK);
    assert_false(th_spool_ledger_find_copy(ledger, &next.id, &found)); /* not finished */
    done.state = TH_SPOOL_DONE;
    assert_int_equal(th_spool_ledger_put(ledger, &done), TH_OK);
    done.state = TH_SPOOL_WITHDRAWN; /* removed */
    assert_int_equal(th_spool_ledger_put(ledger, &done), TH_OK);
    assert_false(th_spool_ledger_find(ledger, &done.id, &found));
    assert_true(th_spool_ledger_find_copy(ledger, &done.id, &found));
    assert_int_equal(found.state, TH_SPOOL_DONE);
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

/* Many files on one inode: the tables stay valid for any remaining rows. */
static void an_inode_may_have_many_files(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 100);
    for (unsigned i = 1; i <= 5000; i++) {
        th_spool_entry entry = entry_of(1, "x"), found;
        entry.id.digest[0] = i;
        assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, absent, NULL), TH_OK);
        assert_true(th_spool_ledger_find(ledger, &entry.id, &found));
        assert_int_equal(found.id.digest[0], i);
        entry.id.digest[0] = i > 50 ? i - 50 : i;
        assert_true(th_spool_ledger_find_copy(ledger, &entry.id, NULL));
    }
    assert_in_range(th_spool_ledger_count(ledger), 100, 130);
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

/* A path that was mistaken: the file is somebody's, and stays as it is. */
static void another_file_is_no_ledger(void **state)
{
    (void)state;
    static const char text[] = "[spool]\npath = /data/spool\n; settings, not a ledger\n";
    struct scene scene;
    char got[sizeof text + 1] = "";
    th_spool_ledger *ledger = NULL;
    th_error err = { .text = "" };
    scene_begin(&scene);
    const th_spool_ledger_options options = { .path = scene.ledger, .keep = 10 };
    scene_write(&scene, "../ledger", (th_view){ text, sizeof text - 1 });
    assert_int_equal(th_spool_ledger_open(&options, &ledger, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "not a ledger"));
    FILE *file = fopen(scene.ledger, "r");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got, file), strlen(text));
    assert_string_equal(got, text);
    (void)fclose(file);
    scene_write(&scene, "../ledger", TH_VIEW("\0\0\0\0\0\0\0\0\0\0\0\0")); /* a crash */
    assert_int_equal(th_spool_ledger_open(&options, &ledger, &err), TH_OK);
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

/* Each has the words of its error, with the ledger's path in between. */
static const struct unusable {
    const char *name, *suffix, *target; /* a folder without a target, else a link */
    const char *before, *after;
} unusables[] = {
    { "a ledger that is a folder", "", NULL, "cannot read the ledger '",
      "': Is a directory" },
    { "a ledger that links to itself", "", "ledger", "cannot open the ledger '",
      "': Too many levels of symbolic links" },
    { "a lock that is a folder", ".lock", NULL, "cannot open '", "': Is a directory" },
};

static void an_unusable_path_is_reported(void **state)
{
    const struct unusable *row = *state;
    struct scene scene;
    char path[SCENE_PATH + 8], want[SCENE_PATH + 128];
    th_spool_ledger *ledger = NULL;
    th_error err = { .text = "" };
    scene_begin(&scene);
    const th_spool_ledger_options options = { .path = scene.ledger, .keep = 10 };
    (void)snprintf(path, sizeof path, "%s%s", scene.ledger, row->suffix);
    (void)snprintf(want, sizeof want, "%s%s%s", row->before, path, row->after);
    assert_int_equal(row->target ? symlink(row->target, path) : mkdir(path, 0777), 0);
    assert_int_equal(th_spool_ledger_open(&options, &ledger, &err), TH_IO);
    assert_string_equal(err.text, want);
    assert_null(ledger);
    scene_end(&scene);
}

static void one_process_at_a_time(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    const th_spool_ledger_options options = { .path = scene.ledger, .keep = 10 };
    th_spool_ledger *ledger = open_at(scene.ledger, 10), *second = NULL;
    assert_int_equal(th_spool_ledger_open(&options, &second, NULL), TH_USAGE);
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

static bool is_odd_present(void *context, const th_spool_entry *entry)
{
    (void)context;
    return entry->id.inode % 2 != 0;
}

static void the_oldest_are_forgotten(void **state)
{
    (void)state;
    struct scene scene;
    scene_begin(&scene);
    const th_spool_ledger_options options = { .path = scene.ledger,
                                              .keep = 100,
                                              .is_present = is_odd_present };
    th_spool_ledger *ledger = NULL;
    assert_int_equal(th_spool_ledger_open(&options, &ledger, NULL), TH_OK);
    for (unsigned i = 0; i < 4000; i++) {
        /* Ones present are few: every 20th is odd. */
        const th_spool_entry entry = entry_of(i % 20 ? i * 2 : i * 2 + 1, "x");
        assert_int_equal(th_spool_ledger_put(ledger, &entry), TH_OK);
        if (i % 50 == 0)
            assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, absent, NULL),
                             TH_OK);
    }
    const th_spool_entry last = entry_of(3999 * 2, "x"), first = entry_of(1, "x"),
                         second = entry_of(2, "x");
    assert_int_equal(th_spool_ledger_commit(ledger, &last, 1, absent, NULL), TH_OK);
    assert_in_range(th_spool_ledger_count(ledger), 200, 400);
    assert_true(th_spool_ledger_find(ledger, &last.id, NULL));
    assert_true(th_spool_ledger_find(ledger, &first.id, NULL)); /* still there */
    assert_false(th_spool_ledger_find(ledger, &second.id, NULL));
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

static void keep_inode(void *context, const th_spool_entry *entry)
{
    th_buffer *inodes = context;
    assert_int_equal(entry->state, TH_SPOOL_DONE);
    th_buffer_printf(inodes, "%u ", (unsigned)entry->id.inode);
}

/* Every third entry is of a file that is done. A withdrawn inode does not count. */
static void the_newest_done_are_visited(void **state)
{
    (void)state;
    struct scene scene;
    th_buffer inodes = { 0 };
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 100);
    th_spool_ledger_visit_done(ledger, 4, keep_inode, &inodes);
    assert_int_equal(inodes.len, 0);
    for (unsigned number = 1; number <= 20; number++) {
        const th_spool_entry entry = entry_of(number, "a.warc");
        assert_int_equal(th_spool_ledger_put(ledger, &entry), TH_OK);
    }
    th_spool_entry gone = entry_of(16, "a.warc");
    gone.state = TH_SPOOL_WITHDRAWN;
    assert_int_equal(th_spool_ledger_put(ledger, &gone), TH_OK);
    th_spool_ledger_visit_done(ledger, 4, keep_inode, &inodes);
    th_buffer_append_char(&inodes, '\0');
    assert_string_equal(inodes.data, "7 10 13 19 ");
    th_spool_ledger_close(ledger);
    th_buffer_done(&inodes);
    scene_end(&scene);
}

static void a_long_log_is_rewritten(void **state)
{
    (void)state;
    struct scene scene;
    struct stat facts;
    scene_begin(&scene);
    char *note = malloc(60000);
    memset(note, 'n', 60000);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    for (unsigned i = 0; i < 100; i++) {
        const th_spool_entry entry = entry_of(3, "x");
        note[0] = (char)('a' + i % 26);
        assert_int_equal(
            th_spool_ledger_commit(ledger, &entry, 1, (th_view){ note, 60000 }, NULL),
            TH_OK);
    }
    assert_int_equal(stat(scene.ledger, &facts), 0);
    assert_in_range(facts.st_size, 60000, 2000000);
    th_spool_ledger_close(ledger);
    ledger = open_at(scene.ledger, 1000);
    assert_int_equal(th_spool_ledger_note(ledger).len, 60000);
    assert_memory_equal(th_spool_ledger_note(ledger).data, note, 60000);
    assert_int_equal(th_spool_ledger_count(ledger), 1);
    th_spool_ledger_close(ledger);
    free(note);
    scene_end(&scene);
}

/* A log that cannot be rewritten grows on, and is rewritten when that is possible. Files
 * that were withdrawn leave it. */
static void a_rewrite_may_fail(void **state)
{
    (void)state;
    enum { NOTE = 60000 };
    struct scene scene;
    struct stat facts;
    char part[SCENE_PATH + 8];
    scene_begin(&scene);
    char *note = malloc(NOTE);
    assert_non_null(note);
    memset(note, 'n', NOTE);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    (void)snprintf(part, sizeof part, "%s.part", scene.ledger);
    assert_int_equal(mkdir(part, 0777), 0);
    th_spool_entry gone = entry_of(1, "gone");
    const th_spool_entry kept = entry_of(2, "kept");
    assert_int_equal(th_spool_ledger_commit(ledger, &gone, 1, absent, NULL), TH_OK);
    assert_int_equal(th_spool_ledger_commit(ledger, &kept, 1, absent, NULL), TH_OK);
    gone.state = TH_SPOOL_WITHDRAWN;
    assert_int_equal(th_spool_ledger_commit(ledger, &gone, 1, absent, NULL), TH_OK);
    off_t size = 0;
    for (unsigned i = 0; i < 60; i++) {
        if (i == 40) {
            assert_int_equal(stat(scene.ledger, &facts), 0);
            assert_true(facts.st_size > (off_t)40 * NOTE);
            size = facts.st_size;
            assert_int_equal(rmdir(part), 0);
        }
        note[0] = (char)('a' + i % 26);
        assert_int_equal(
            th_spool_ledger_commit(ledger, NULL, 0, (th_view){ note, NOTE }, NULL),
            TH_OK);
    }
    assert_int_equal(stat(scene.ledger, &facts), 0);
    assert_true(facts.st_size < size);
    th_spool_ledger_close(ledger);
    ledger = open_at(scene.ledger, 1000);
    assert_int_equal(th_spool_ledger_damaged(ledger), 0);
    assert_false(th_spool_ledger_find(ledger, &gone.id, NULL));
    assert_true(th_spool_ledger_find(ledger, &kept.id, NULL));
    assert_int_equal(th_spool_ledger_note(ledger).len, NOTE);
    assert_memory_equal(th_spool_ledger_note(ledger).data, note, NOTE);
    th_spool_ledger_close(ledger);
    free(note);
    scene_end(&scene);
}

/* ---- damage ---- */

/* Words with a valid checksum that are not words of a ledger. */
static void wrong_words_are_damage(void **state)
{
    (void)state;
    static const char *const wrong[] = { "n", "f", "f x", "x", "nn a", "ff a" };
    struct scene scene;
    const th_spool_entry entry = entry_of(1, "x"), other = entry_of(2, "y");
    scene_begin(&scene);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        th_buffer line = { 0 };
        th_spool_ledger *ledger = open_at(scene.ledger, 10);
        assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1, TH_VIEW("note"), NULL),
                         TH_OK);
        th_spool_ledger_close(ledger);
        th_buffer_printf(&line, "%016llx %s\n",
                         (unsigned long long)XXH3_64bits(wrong[i], strlen(wrong[i])),
                         wrong[i]);
        scene_append(&scene, "../ledger", th_buffer_view(&line));
        th_buffer_done(&line);
        ledger = open_at(scene.ledger, 10);
        assert_int_equal(th_spool_ledger_damaged(ledger), 1);
        assert_true(th_spool_ledger_find(ledger, &entry.id, NULL));
        assert_int_equal(th_spool_ledger_note(ledger).len, 4);
        assert_int_equal(th_spool_ledger_commit(ledger, &other, 1, absent, NULL), TH_OK);
        th_spool_ledger_close(ledger);
        ledger = open_at(scene.ledger, 10); /* it was rewritten */
        assert_int_equal(th_spool_ledger_damaged(ledger), 0);
        assert_int_equal(th_spool_ledger_count(ledger), 2);
        th_spool_ledger_close(ledger);
        assert_int_equal(unlink(scene.ledger), 0);
    }
    scene_end(&scene);
}

enum { COMMITS = 12 };

/* A log of COMMITS lines; commit i has entry i and note "i". Its bytes, and where each
 * line ends. */
static void make_log(const struct scene *scene, th_buffer *bytes,
                     size_t ends[COMMITS + 2])
{
    th_spool_ledger *ledger = open_at(scene->ledger, 1000);
    for (unsigned i = 0; i < COMMITS; i++) {
        char note[16];
        const th_spool_entry entry = entry_of(i, "some name.warc.gz");
        const int len = snprintf(note, sizeof note, "%u", i);
        assert_int_equal(th_spool_ledger_commit(ledger, &entry, 1,
                                                (th_view){ note, (size_t)len }, NULL),
                         TH_OK);
    }
    th_spool_ledger_close(ledger);
    char buffer[8192];
    const int fd = open(scene->ledger, O_RDONLY);
    const ssize_t got = read(fd, buffer, sizeof buffer);
    assert_in_range(got, 100, sizeof buffer - 1);
    (void)close(fd);
    th_buffer_append(bytes, buffer, (size_t)got);
    size_t line = 0;
    for (size_t i = 0; i < bytes->len; i++)
        if (bytes->data[i] == '\n')
            ends[line++] = i + 1;
    assert_int_equal(line, COMMITS + 2); /* the empty note, twice, comes first */
}

static void write_log(const struct scene *scene, const char *data, size_t len)
{
    const int fd = open(scene->ledger, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(fd, data, len), len);
    (void)close(fd);
}

static void starts_after_any_cut(void **state)
{
    (void)state;
    struct scene scene;
    size_t ends[COMMITS + 2];
    th_buffer log = { 0 };
    scene_begin(&scene);
    make_log(&scene, &log, ends);
    for (size_t cut = 0; cut <= log.len; cut++) {
        write_log(&scene, log.data, cut);
        size_t whole = 0; /* lines; a line that lacks only its newline is complete */
        while (whole < COMMITS + 2 && ends[whole] - 1 <= cut)
            whole++;
        const bool is_torn = cut != 0 && cut != ends[whole ? whole - 1 : 0] &&
                             (whole == 0 || cut != ends[whole - 1] - 1);
        th_spool_ledger *ledger = open_at(scene.ledger, 1000);
        const size_t want = whole > 2 ? whole - 2 : 0;
        assert_int_equal(th_spool_ledger_count(ledger), want);
        assert_int_equal(th_spool_ledger_damaged(ledger), is_torn);
        for (unsigned i = 0; i < want; i++) {
            const th_spool_entry entry = entry_of(i, "some name.warc.gz");
            th_spool_entry found;
            assert_true(th_spool_ledger_find(ledger, &entry.id, &found));
            assert_equal(&found, &entry);
        }
        /* It continues as without an error. */
        const th_spool_entry more = entry_of(500, "more");
        assert_int_equal(th_spool_ledger_commit(ledger, &more, 1, absent, NULL), TH_OK);
        th_spool_ledger_close(ledger);
        ledger = open_at(scene.ledger, 1000);
        assert_int_equal(th_spool_ledger_damaged(ledger), 0);
        assert_int_equal(th_spool_ledger_count(ledger), want + 1);
        th_spool_ledger_close(ledger);
    }
    th_buffer_done(&log);
    scene_end(&scene);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void starts_after_any_flip(void **state)
{
    (void)state;
    struct scene scene;
    size_t ends[COMMITS + 2];
    uint64_t seed = 88172645463325252u;
    th_buffer log = { 0 };
    scene_begin(&scene);
    make_log(&scene, &log, ends);
    for (unsigned round = 0; round < 1000; round++) {
        char *copy = malloc(log.len);
        memcpy(copy, log.data, log.len);
        const size_t at = next_random(&seed) % log.len;
        copy[at] = (char)(copy[at] ^ 1 << next_random(&seed) % 8);
        write_log(&scene, copy, log.len);
        free(copy);
        th_spool_ledger *ledger = open_at(scene.ledger, 1000);
        /* A line, or two joined lines, or a line broken in two. */
        assert_in_range(th_spool_ledger_damaged(ledger), at + 1 == log.len ? 0 : 1, 2);
        assert_in_range(th_spool_ledger_count(ledger), COMMITS - 2, COMMITS);
        for (unsigned i = 0; i < COMMITS; i++) {
            const th_spool_entry entry = entry_of(i, "some name.warc.gz");
            th_spool_entry found;
            if (th_spool_ledger_find(ledger, &entry.id, &found))
                assert_equal(&found, &entry);
        }
        th_spool_ledger_close(ledger);
    }
    char path[SCENE_PATH + 8];
    struct stat facts;
    (void)snprintf(path, sizeof path, "%s.bad", scene.ledger);
    assert_int_equal(stat(path, &facts), 0);
    assert_in_range(facts.st_size, 1000, 1 << 20);
    th_buffer_done(&log);
    scene_end(&scene);
}

static void a_full_disk_changes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct rlimit before, limit;
    scene_begin(&scene);
    th_spool_ledger *ledger = open_at(scene.ledger, 1000);
    const th_spool_entry first = entry_of(1, "first"), second = entry_of(2, "second");
    assert_int_equal(th_spool_ledger_commit(ledger, &first, 1, TH_VIEW("one"), NULL),
                     TH_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    limit = before;
    for (unsigned capacity = 0; capacity < 60; capacity += 7) {
        struct stat facts;
        assert_int_equal(stat(scene.ledger, &facts), 0);
        limit.rlim_cur = (rlim_t)facts.st_size + capacity;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(th_spool_ledger_commit(ledger, &second, 1, TH_VIEW("two"), NULL),
                         TH_NO_ROOM);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(th_spool_ledger_find(ledger, &second.id, NULL));
        assert_memory_equal(th_spool_ledger_note(ledger).data, "one", 3);
    }
    assert_int_equal(th_spool_ledger_commit(ledger, &second, 1, TH_VIEW("two"), NULL),
                     TH_OK);
    th_spool_ledger_close(ledger);
    ledger = open_at(scene.ledger, 1000);
    assert_int_equal(th_spool_ledger_damaged(ledger), 0);
    assert_int_equal(th_spool_ledger_count(ledger), 2);
    assert_memory_equal(th_spool_ledger_note(ledger).data, "two", 3);
    th_spool_ledger_close(ledger);
    scene_end(&scene);
}

enum {
    NAMES = sizeof names / sizeof *names,
    BAD = sizeof bad_entries / sizeof *bad_entries,
    UNUSABLE = sizeof unusables / sizeof *unusables
};

/* ---- any order of calls ---- */

static struct outcomes all;

static void note_entry(void *context, const th_spool_entry *entry)
{
    th_buffer text = { 0 };
    (void)context;
    th_spool_entry_write(entry, &text);
    note_view(&all, th_buffer_view(&text));
    note_number(&all, entry->id.inode * 1000 + entry->id.size);
    note_number(&all, entry->id.digest[0]);
    th_buffer_done(&text);
}

static bool is_third_absent(void *context, const th_spool_entry *entry)
{
    (void)context;
    return entry->id.inode % 3 != 0;
}

static th_spool_entry any_entry(void)
{
    th_spool_entry entry = entry_of(below(&all, 12), below(&all, 2) ? "a.warc" : "b/c");
    entry.state = (th_spool_state)below(&all, TH_SPOOL_STATES);
    entry.id.size = 1 + below(&all, 3);
    entry.id.head = entry.id.tail = below(&all, 2);
    entry.id.digest[0] = below(&all, 6);
    if (!below(&all, 8))
        entry.id.inode = 0;
    return entry;
}

static void note_file(const char *name)
{
    char bytes[1 << 16];
    FILE *file = fopen(name, "rb");
    const size_t len = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        (void)fclose(file);
    note_view(&all, (th_view){ file ? bytes : NULL, len });
}

static void act(th_spool_ledger *ledger)
{
    const th_spool_entry entry = any_entry();
    th_spool_entry entries[3] = { entry, any_entry(), any_entry() },
                   found = { .next = { 0 } };
    const th_view notes[] = { absent, TH_VIEW(""), TH_VIEW("a note"),
                              TH_VIEW("two\nlines\t") };
    switch (below(&all, 5)) {
    case 0:
        note_number(&all, th_spool_ledger_put(ledger, &entry));
        break;
    case 1:
        note_number(&all, th_spool_ledger_commit(ledger, entries, below(&all, 4),
                                                 notes[below(&all, 4)], NULL));
        break;
    case 2:
        if (th_spool_ledger_find(ledger, &entry.id, &found))
            note_entry(NULL, &found);
        break;
    case 3:
        if (th_spool_ledger_find_copy(ledger, &entry.id, &found))
            note_entry(NULL, &found);
        break;
    default:
        th_spool_ledger_visit_done(ledger, below(&all, 6), note_entry, NULL);
    }
    note_view(&all, th_spool_ledger_note(ledger));
    note_number(&all, th_spool_ledger_count(ledger));
}

/* 150 ledgers, each opened six times, sometimes after damage: all answers and files have
 * one digest. */
static void answers_are_known(void **state)
{
    (void)state;
    all = (struct outcomes){ .chance = 5 };
    for (int round = 0; round < 150; round++) {
        struct scene scene;
        char bad[SCENE_PATH + 4];
        scene_begin(&scene);
        (void)snprintf(bad, sizeof bad, "%s.bad", scene.ledger);
        const th_spool_ledger_options options = { .path = scene.ledger,
                                                  .keep = below(&all, 6),
                                                  .is_present = below(&all, 2)
                                                                    ? is_third_absent
                                                                    : NULL };
        for (int life = 0; life < 6; life++) {
            th_spool_ledger *ledger = NULL;
            th_error err = { .text = "" };
            const th_status status = th_spool_ledger_open(&options, &ledger, &err);
            note_number(&all, status);
            if (status != TH_OK)
                break;
            note_number(&all, th_spool_ledger_damaged(ledger));
            for (uint32_t left = below(&all, 20); left > 0; left--)
                act(ledger);
            th_spool_ledger_close(ledger);
            note_file(scene.ledger);
            note_file(bad);
            const int fd = open(scene.ledger, O_RDWR | O_CLOEXEC);
            const off_t size = lseek(fd, 0, SEEK_END);
            if (size > 40 && !below(&all, 3))
                (void)!pwrite(fd, "x", 1, 30 + below(&all, (uint32_t)size - 30));
            if (size > 40 && !below(&all, 3))
                (void)!ftruncate(fd, 30 + below(&all, (uint32_t)size - 30));
            (void)close(fd);
        }
        scene_end(&scene);
    }
    expect_digest(&all, UINT64_C(0x4755AD98CE11EC05));
}

int main(void)
{
    static char bad_names[BAD][80];
    struct CMUnitTest tests[NAMES + BAD + UNUSABLE + 15];
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++)
        tests[count++] = (struct CMUnitTest){ names[i], entry_survives_its_text, NULL,
                                              NULL, (void *)(uintptr_t)names[i] };
    for (size_t i = 0; i < BAD; i++) {
        (void)snprintf(bad_names[i], sizeof bad_names[i], "refused: '%s'",
                       bad_entries[i]);
        tests[count++] = (struct CMUnitTest){ bad_names[i], bad_entry_is_refused, NULL,
                                              NULL, (void *)(uintptr_t)bad_entries[i] };
    }
    for (size_t i = 0; i < UNUSABLE; i++)
        tests[count++] =
            (struct CMUnitTest){ unusables[i].name, an_unusable_path_is_reported, NULL,
                                 NULL, (void *)(uintptr_t)&unusables[i] };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(is_found_again),
        cmocka_unit_test(what_was_withdrawn_is_not_known),
        cmocka_unit_test(a_digest_outlives_its_inode),
        cmocka_unit_test(an_inode_may_have_many_files),
        cmocka_unit_test(another_file_is_no_ledger),
        cmocka_unit_test(one_process_at_a_time),
        cmocka_unit_test(the_oldest_are_forgotten),
        cmocka_unit_test(the_newest_done_are_visited),
        cmocka_unit_test(a_long_log_is_rewritten),
        cmocka_unit_test(a_rewrite_may_fail),
        cmocka_unit_test(wrong_words_are_damage),
        cmocka_unit_test(starts_after_any_cut),
        cmocka_unit_test(starts_after_any_flip),
        cmocka_unit_test(a_full_disk_changes_nothing),
        cmocka_unit_test(answers_are_known),
    };
    memcpy(tests + count, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
