/* src/spool with a random crawler, a random daemon and a clock that only waiting moves: all
 * records, files, messages and counts have one digest. */
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
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/spool_scene.h"
#include "outcomes.h"
#include "still_clock.h"

enum { ROUNDS = 120, STEPS = 300, READERS = 2, ROWS_MAX = 1 << 16 };

static struct outcomes all;

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- time ---- */

time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    const time_t now = (time_t)(still_ms / 1000);
    if (out)
        *out = now;
    return now;
}

int __real_poll(struct pollfd *rows, nfds_t count, int ms);
int __wrap_poll(struct pollfd *rows, nfds_t count, int ms);
int __wrap_poll(struct pollfd *rows, nfds_t count, int ms)
{
    const int ready = __real_poll(rows, count, 0);
    if (ready == 0)
        still_ms += ms;
    return ready;
}

/* ---- the crawler ---- */

static const char *const names[] = {
    "a.warc",
    "b.warc",
    "c.warc",
    "d.warc.open",
    "a.warc.open",
    "sub/e.warc",
    "sub/f.warc",
    "sub/low/g.warc",
    "c.warc.gz",
    "note.txt",
    "b.1.warc",
    "done/a.warc",
    "a.warc.processing",
    "b.warc.processing",
    "sub/e.warc.processing",
};
enum { NAMES = sizeof names / sizeof *names };

/* Gives a file the time of the clock, or an earlier one. */
static void set_time(const struct scene *scene, const char *name)
{
    char path[SCENE_PATH];
    const int64_t ms = still_ms - (chance(4) ? 0 : (int64_t)chance(1000));
    const struct timespec time = { .tv_sec = (time_t)(ms / 1000),
                                   .tv_nsec = (long)(ms % 1000) * 1000000 };
    const struct timespec times[2] = { time, time };
    (void)utimensat(AT_FDCWD, scene_path(scene, name, path), times, 0);
}

static bool is_file(const struct scene *scene, const char *name)
{
    struct stat facts;
    char path[SCENE_PATH];
    return stat(scene_path(scene, name, path), &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Returns bytes of an archive, or of something else. */
static void some_bytes(th_buffer *out)
{
    static unsigned number;
    char id[16];
    (void)snprintf(id, sizeof id, "r%u", number++);
    const uint32_t kind = chance(12);
    if (kind == 0)
        th_buffer_append_view(out, TH_VIEW("this is no archive\n"));
    else if (kind > 1)
        scene_archive_bytes(id, chance(8) ? 1 + chance(5) : 90, out);
    if (kind == 2 && out->len)
        out->len -= 1 + chance((uint32_t)out->len - 1);
}

static void write_some(const struct scene *scene, const char *name, bool appends)
{
    th_buffer bytes = { 0 };
    char path[SCENE_PATH];
    some_bytes(&bytes);
    (void)scene_path(scene, name, path);
    const int fd = open(path, O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC), 0666);
    if (fd >= 0) {
        assert_int_equal(write(fd, bytes.data ? bytes.data : "", bytes.len), bytes.len);
        assert_int_equal(close(fd), 0);
        set_time(scene, name);
    }
    say("write %s %d, %zu bytes", name, fd >= 0, bytes.len);
    th_buffer_done(&bytes);
}

static void copy(const struct scene *scene, const char *from, const char *to)
{
    static char bytes[1 << 16];
    char path[SCENE_PATH];
    const int in = open(scene_path(scene, from, path), O_RDONLY);
    const ssize_t len = in >= 0 ? read(in, bytes, sizeof bytes) : 0;
    if (in >= 0)
        (void)close(in);
    if (len > 0 && !is_file(scene, to) && strcmp(from, to) != 0) {
        const int out = open(scene_path(scene, to, path), O_WRONLY | O_CREAT, 0666);
        if (out >= 0) {
            assert_int_equal(write(out, bytes, (size_t)len), len);
            (void)close(out);
            set_time(scene, to);
        }
    }
    say("copy %s to %s", from, to);
}

static void crawl(const struct scene *scene)
{
    char path[SCENE_PATH], other[SCENE_PATH];
    const char *name = names[chance(chance(6) ? 8 : NAMES)];
    const char *second = names[chance(chance(6) ? 8 : NAMES)];
    switch (chance(14)) {
    case 0:
    case 1:
        write_some(scene, name, true);
        break;
    case 2:
        write_some(scene, name, false);
        break;
    case 3:
        say("remove %s: %d", name, unlink(scene_path(scene, name, path)));
        break;
    case 4:
        copy(scene, name, second);
        break;
    case 5:
        if (is_file(scene, name))
            say("truncate %s: %d", name,
                truncate(scene_path(scene, name, path), (off_t)chance(300)));
        set_time(scene, name);
        break;
    case 6:
        say("folder: %d",
            mkdir(scene_path(scene, chance(2) ? "sub" : "sub/low", path), 0777));
        break;
    case 7:
    case 8:
        say("rename %s to %s: %d", name, second,
            rename(scene_path(scene, name, path), scene_path(scene, second, other)));
        break;
    default:
        if (!is_file(scene, name))
            write_some(scene, name, false);
    }
}

/* ---- the daemon ---- */

/* A reader, and the rows of progress that its output keeps. */
struct reader {
    struct scene scene; /* of both the same folder, each with its ledger */
    th_stream_source *source;
    th_batch *batch;
    th_buffer rows; /* of TH_KEPT_IN_ROWS, all that were committed */
};

/* Leaves out the folder of the scene, whose name is random. */
static void take_warning(void *context, const char *line)
{
    const struct scene *scene = context;
    const size_t len = strlen(scene->root);
    say("warning:");
    for (const char *at; (at = strstr(line, scene->root)); line = at + len)
        say("  %.*s", (int)(at - line), line);
    say("  %s", line);
}

static void say_facts(th_stream_source *source)
{
    th_source_stats facts;
    memset(&facts, 0, sizeof facts);
    source->verbs->facts(source, &facts);
    say("facts %llu %llu %llu %llu %d '%s'", (unsigned long long)facts.received,
        (unsigned long long)facts.bytes, (unsigned long long)facts.damaged,
        (unsigned long long)facts.positions_damaged, facts.is_assigned, facts.unready);
    for (uint32_t i = 0; i < facts.own.count; i++) {
        const th_own_metric *row = &facts.own.rows[i];
        if (row->is_seconds)
            say("  %s %.3f", row->name, facts.own.values[i].seconds);
        else
            say("  %s %s %llu", row->name, row->value ? row->value : "",
                (unsigned long long)facts.own.values[i].count);
    }
}

static void restore_rows(struct reader *reader)
{
    const char *at = reader->rows.data, *end = at + reader->rows.len;
    while (at < end) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        const char *line = tab ? memchr(tab, '\n', (size_t)(end - tab)) : NULL;
        assert_non_null(line);
        const size_t len = (size_t)(line - tab) - 1;
        reader->source->verbs->restore(reader->source,
                                       (th_view){ at, (size_t)(tab - at) },
                                       (th_view){ len ? tab + 1 : NULL, len });
        at = line + 1;
    }
}

static void start(struct reader *reader)
{
    th_error err = { .text = "" };
    const th_status status =
        th_spool_source_open(&reader->scene.options, &reader->source, &err);
    say("open: %d", (int)status);
    if (status != TH_OK)
        fail_msg("%s", err.text);
    if (reader->source->verbs->keeping == TH_KEPT_IN_ROWS)
        restore_rows(reader);
    else
        note_view(&all, reader->source->verbs->note(reader->source));
}

static void read_some(struct reader *reader)
{
    th_error err = { .text = "" };
    th_batch *batch = reader->batch;
    const bool may_read = chance(10) > 0;
    th_arena_reset(batch->arena);
    const th_status status = reader->source->verbs->poll(reader->source, may_read,
                                                         (int)chance(60), batch, &err);
    say("poll %d: %d %s", may_read, (int)status, err.text);
    if (status != TH_OK)
        return;
    for (uint32_t i = 0; i < batch->record_count; i++) {
        const th_record *record = &batch->records[i];
        say("  %.*s at %llu of %.*s", (int)record->id.len, record->id.data,
            (unsigned long long)record->position.offset, (int)record->position.file.len,
            record->position.file.data);
        note_view(&all, record->block);
    }
    reader->source->verbs->done(reader->source, batch);
}

/* Rows have numbers of files and times of writing. */
static void say_without_numbers(th_view rows)
{
    char text[2048];
    size_t len = 0;
    for (size_t i = 0; i < rows.len && len < sizeof text; i++) {
        const bool is_digit = strchr("0123456789abcdef", rows.data[i]) != NULL;
        if (!is_digit || !len || text[len - 1] != '#')
            text[len++] = is_digit ? '#' : rows.data[i];
    }
    say("rows %.*s", (int)len, text);
}

static void commit(struct reader *reader)
{
    static const char *const notes[] = { NULL, "", "a note",
                                         "another note\nof two lines" };
    const char *note = notes[chance(4)];
    th_commit_token token;
    th_error err = { .text = "" };
    th_status status =
        reader->source->verbs->token(reader->source, chance(9), &token, &err);
    say("token: %d", (int)status);
    say_without_numbers(token.rows);
    if (chance(10) == 0) {
        status = reader->source->verbs->rewind(reader->source, &err);
        say("rewind: %d", (int)status);
        return;
    }
    if (token.rows.len && reader->rows.len < ROWS_MAX)
        th_buffer_append_view(&reader->rows, token.rows);
    status = reader->source->verbs->acknowledge(
        reader->source, &token, (th_view){ note, note ? strlen(note) : 0 }, &err);
    say("acknowledge: %d %s", (int)status, err.text);
}

static void restart(struct reader *reader)
{
    reader->source->verbs->close(reader->source);
    if (chance(12) == 0) {
        say("the ledger is lost: %d", unlink(reader->scene.ledger));
    } else if (chance(12) == 0) { /* a torn end */
        struct stat facts;
        if (stat(reader->scene.ledger, &facts) == 0 && facts.st_size > 10)
            assert_int_equal(truncate(reader->scene.ledger, facts.st_size - 5), 0);
        say("the ledger is torn");
    }
    start(reader);
}

static void step(struct reader *readers, uint32_t count)
{
    struct reader *reader = &readers[chance(count)];
    const uint32_t what = chance(80);
    if (what < 22)
        crawl(&readers[0].scene);
    else if (what < 58)
        read_some(reader);
    else if (what < 70)
        commit(reader);
    else if (what < 74)
        say_facts(reader->source);
    else if (what < 75)
        restart(reader);
    else if (chance(15) == 0)
        still_ms += 10000000; /* a night */
    else
        still_ms += chance(500);
}

/* ---- rounds ---- */

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

/* All files below the spool, with their sizes. */
static void say_tree(const struct scene *scene, const char *folder)
{
    char path[SCENE_PATH];
    struct dirent **rows = NULL;
    const int count =
        scandir(scene_path(scene, folder, path), &rows, NULL, compare_names);
    for (int i = 0; i < count; i++) {
        char name[1024];
        struct stat facts;
        (void)snprintf(name, sizeof name, "%s/%s", folder, rows[i]->d_name);
        if (strcmp(rows[i]->d_name, ".") != 0 && strcmp(rows[i]->d_name, "..") != 0 &&
            stat(scene_path(scene, name, path), &facts) == 0) {
            /* The file of claims has the names of ledgers, which are random. */
            const bool is_ours = strstr(name, "claims") != NULL;
            say("file %s %lld", name,
                S_ISDIR(facts.st_mode) || is_ours ? -1 : (long long)facts.st_size);
            if (S_ISDIR(facts.st_mode))
                say_tree(scene, name);
        }
        free(rows[i]);
    }
    free((void *)rows);
}

static void choose_options(th_spool_options *options)
{
    options->warn = take_warning;
    options->finish = (th_spool_finish)chance(3);
    options->claim = (th_spool_claim)chance(2);
    options->settle_ms = 1 + chance(40);
    options->quiet_ms = 50 + chance(100);
    options->min_age_ms = 100 + chance(300);
    options->rescan_ms = 10 + chance(2000);
    options->stale_ms = chance(2) ? 1000 : 100000000;
    options->adopt_ms = chance(3) ? 1000000 : 0; /* only a night is longer */
    options->ledger_keep = chance(3) ? 1000 : 3;
    options->has_subfolders = chance(4) > 0;
    options->is_ledger_cache = chance(3) == 0;
    options->stuck_ms = 50;
    options->give_up_ms = chance(2) ? 200 : 0;
    options->knows_copies = chance(2);
    options->max_record = chance(3) ? 1 << 20 : 60;
    options->verify_digests = chance(2);
}

static void one_round(uint32_t round, struct reader *readers)
{
    struct scene scene;
    all.chance = round * 7919 + 3;
    still_ms += 20000000;
    still_step_ms = round % 5 == 0 ? 7 : 0; /* a slow disk */
    scene_begin(&scene);
    choose_options(&scene.options);
    say("round %u", round);
    const uint32_t count =
        scene.options.claim == TH_SPOOL_RENAME ? 1 + chance(READERS) : 1;
    for (uint32_t i = chance(10); i; i--)
        crawl(&scene);
    for (uint32_t i = 0; i < count; i++) {
        readers[i].scene = scene;
        (void)snprintf(readers[i].scene.ledger, sizeof readers[i].scene.ledger,
                       "%s/ledger-%u", scene.root, i);
        readers[i].scene.options.dir = readers[0].scene.spool;
        readers[i].scene.options.ledger = readers[i].scene.ledger;
        readers[i].scene.options.warn_context = &readers[0].scene;
        th_buffer_reset(&readers[i].rows);
        start(&readers[i]);
    }
    for (int i = 0; i < STEPS; i++)
        step(readers, count);
    for (uint32_t i = 0; i < count; i++) {
        for (int turn = 0; turn < 8; turn++) {
            still_ms += 300;
            read_some(&readers[i]);
            commit(&readers[i]);
        }
        say_facts(readers[i].source);
        readers[i].source->verbs->close(readers[i].source);
    }
    say_tree(&scene, ".");
    scene_end(&scene);
}

static void one_digest_for_all(void **state)
{
    struct reader readers[READERS] = { 0 };
    (void)state;
    still_ms = (int64_t)time(NULL) * 1000;
    for (int i = 0; i < READERS; i++) {
        readers[i].batch = calloc(1, sizeof *readers[i].batch);
        assert_non_null(readers[i].batch);
        readers[i].batch->arena = th_arena_new(0);
    }
    const int descriptors = scene_descriptors();
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round, readers);
    assert_int_equal(scene_descriptors(), descriptors);
    for (int i = 0; i < READERS; i++) {
        th_arena_free(readers[i].batch->arena);
        free(readers[i].batch);
        th_buffer_done(&readers[i].rows);
    }
    expect_digest(&all, UINT64_C(0x9D2F99FC79FEAAF6));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    if (access("/dev/shm", W_OK) != 0)
        return 77; /* other file systems give the number of a removed file again */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
