/* src/spool/rolling_sink.c and rolling_file.c with calls of the system that fail by chance,
 * crashes, and a clock that only waiting moves: all files, notes, messages and counts have
 * one digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/spool_scene.h"
#include "outcomes.h"
#include "spool/rolling_sink.h"
#include "still_clock.h"
#include "traffic/commit.h"

enum { ROUNDS = 1500, STEPS = 50, FILE_MAX = 1 << 16 };

static struct outcomes all;
static uint32_t failing; /* calls in 1,000 that fail */

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- the system ---- */

time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    (void)out;
    return (time_t)(still_ms / 1000);
}

static bool fails(const char *call, int error)
{
    if (chance(1000) >= failing)
        return false;
    say("%s fails: %d", call, error);
    errno = error;
    return true;
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    static const int errors[] = { ENOSPC, ENOSPC, EINTR, EDQUOT, EFBIG, EIO };
    if (fails("pwrite", errors[chance(chance(8) ? 4 : 6)]))
        return -1;
    if (chance(1000) < failing && len > 1)
        len = 1 + chance((uint32_t)len - 1);
    return __real_pwrite(fd, bytes, len, at);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    if (chance(2) && fails("fsync", chance(6) ? ENOSPC : EIO))
        return -1;
    return __real_fsync(fd);
}

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...)
{
    static const int errors[] = { ENOSPC, EMFILE, ENFILE, EACCES };
    if (chance(3) == 0 && fails("openat", errors[chance(chance(8) ? 3 : 4)]))
        return -1;
    return __real_openat(at, name, flags, 0666);
}

int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags)
{
    if (chance(4) == 0 && fails("renameat2", chance(4) ? EINVAL : EIO))
        return -1;
    return __real_renameat2(from_dir, from, to_dir, to, flags);
}

/* ---- a source that keeps its note, or not ---- */

struct fake_source {
    th_stream_source base;
    th_buffer note;
    uint32_t epoch;
    bool is_damaged;
};

static struct fake_source *fake_of(const th_stream_source *source)
{
    return (struct fake_source *)(uintptr_t)source;
}

static uint32_t fake_epoch(const th_stream_source *source)
{
    return fake_of(source)->epoch;
}

static th_status fake_token(th_stream_source *source, uint64_t mark, th_commit_token *out,
                            th_error *err)
{
    (void)err;
    *out = (th_commit_token){ .keeping = source->verbs->keeping,
                              .epoch = fake_of(source)->epoch,
                              .mark = mark };
    return TH_OK;
}

static th_status fake_acknowledge(th_stream_source *source, const th_commit_token *token,
                                  th_view note, th_error *err)
{
    (void)token;
    say("acknowledge: %.*s", (int)note.len, note.data ? note.data : "nothing");
    if (chance(1000) < failing)
        return chance(4) ? th_fail(err, TH_NO_ROOM, "the ledger is full")
                         : th_fail(err, TH_IO, "the ledger is gone");
    if (note.data) {
        th_buffer_reset(&fake_of(source)->note);
        th_buffer_append_view(&fake_of(source)->note, note);
    }
    return TH_OK;
}

static th_status fake_rewind(th_stream_source *source, th_error *err)
{
    (void)err;
    fake_of(source)->epoch++;
    return TH_OK;
}

static void fake_facts(th_stream_source *source, th_source_stats *out)
{
    memset(out, 0, sizeof *out);
    out->positions_damaged = fake_of(source)->is_damaged;
}

static th_view fake_note(const th_stream_source *source)
{
    return th_buffer_view(&fake_of(source)->note);
}

static const th_stream_source_verbs verbs[] = {
#define VERBS(kind)                                                                      \
    {                                                                                    \
        .keeping = (kind), .token = fake_token, .acknowledge = fake_acknowledge,         \
        .rewind = fake_rewind, .epoch = fake_epoch, .facts = fake_facts,                 \
        .note = fake_note                                                                \
    }
    VERBS(TH_KEPT_WITH_NOTE),
    VERBS(TH_KEPT_IN_ROWS),
};

/* ---- folders ---- */

struct place {
    struct scene scene;
    char dir[SCENE_PATH];
    uint32_t number; /* of the folder: each crash continues in a copy */
};

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static th_view read_whole(const char *path, char bytes[FILE_MAX])
{
    const int fd = open(path, O_RDONLY);
    const ssize_t len = fd >= 0 ? read(fd, bytes, FILE_MAX) : 0;
    if (fd >= 0)
        (void)close(fd);
    return (th_view){ bytes, len > 0 ? (size_t)len : 0 };
}

static void write_whole(const char *path, th_view bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.len), bytes.len);
    (void)close(fd);
}

/* Calls a function for each file of the folder of output, in the order of their names. */
static void for_each_file(const struct place *place,
                          void (*what)(const struct place *place, const char *name,
                                       th_view bytes))
{
    static char bytes[FILE_MAX];
    struct dirent **rows = NULL;
    const int count = scandir(place->dir, &rows, NULL, compare_names);
    for (int i = 0; i < count; i++) {
        char path[SCENE_PATH + 300];
        (void)snprintf(path, sizeof path, "%s/%s", place->dir, rows[i]->d_name);
        if (rows[i]->d_type == DT_REG)
            what(place, rows[i]->d_name, read_whole(path, bytes));
        free(rows[i]);
    }
    free((void *)rows);
}

static void say_file(const struct place *place, const char *name, th_view bytes)
{
    (void)place;
    say("file %s %zu", name, bytes.len);
    note_view(&all, bytes);
}

static void copy_file(const struct place *place, const char *name, th_view bytes)
{
    char path[SCENE_PATH + 300];
    (void)snprintf(path, sizeof path, "%s/out-%u/%s", place->scene.root,
                   place->number + 1, name);
    const bool is_part =
        strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".part") == 0;
    if (is_part && chance(4) == 0 && bytes.len)
        bytes.len -=
            chance(2) ? chance((uint32_t)bytes.len) + 1 : 0; /* it was not synced */
    write_whole(path, bytes);
    if (is_part && chance(8) == 0) { /* its name is taken meanwhile */
        path[strlen(path) - strlen(".part")] = '\0';
        write_whole(path, TH_VIEW("another file"));
    }
}

/* ---- the daemon ---- */

/* Leaves out the folder of the scene, whose name is random. */
static void say_without_root(const struct place *place, const char *what,
                             const char *line)
{
    const size_t len = strlen(place->scene.root);
    say("%s:", what);
    for (const char *at; (at = strstr(line, place->scene.root)); line = at + len)
        say("  %.*s", (int)(at - line), line);
    say("  %s", line);
}

static void take_warning(void *context, const char *line)
{
    say_without_root(context, "warning", line);
}

static void take_name(void *context, const char *name)
{
    (void)context;
    say("published %s", name);
}

static th_status make_start(const th_format_options *opt, th_view source, th_buffer *out)
{
    (void)source;
    return th_compress(opt->compression, TH_VIEW("START\n"), out);
}

static const th_format format = { .name = "marked", .start = make_start };

static void put_some(th_stream_sink *sink)
{
    static unsigned number;
    static char text[3000];
    th_error err = { .text = "" };
    const int len =
        snprintf(text, sizeof text, "page %u\n%.*s\n", number++, (int)chance(600),
                 "----------------------------------------");
    th_work_result result = { 0 };
    if (chance(6))
        result.pages = (th_view){ text, (size_t)len };
    if (chance(3) == 0)
        result.rejects = TH_VIEW("{\"refused\":1}\n");
    if (chance(3) == 0)
        result.edges = TH_VIEW("{\"of\":1}\n");
    say("put: %d", (int)sink->verbs->put(sink, &result, &err));
}

static void say_facts(th_stream_sink *sink)
{
    th_sink_stats facts;
    memset(&facts, 0, sizeof facts);
    sink->verbs->facts(sink, &facts);
    say("facts %llu %llu %llu %llu %.3f %llu %d %.3f '%s'",
        (unsigned long long)facts.bytes, (unsigned long long)facts.files,
        (unsigned long long)facts.commits, (unsigned long long)facts.aborts,
        facts.commit_seconds, (unsigned long long)facts.queue_bytes, facts.is_blocked,
        facts.blocked_seconds, facts.unready);
}

/* Opens and recovers. Opening never fails, because the round could not continue. */
static th_stream_sink *start(struct place *place, th_rolling_sink_options *options,
                             struct fake_source *source)
{
    th_error err = { .text = "" };
    th_stream_sink *sink = NULL;
    const uint32_t before = failing;
    failing = 0;
    (void)snprintf(place->dir, sizeof place->dir, "%s/out-%u", place->scene.root,
                   place->number);
    options->dir = place->dir;
    if (th_rolling_sink_open(options, &sink, &err) != TH_OK)
        fail_msg("%s", err.text);
    failing = chance(4) ? 0 : before;
    const th_status status = sink->verbs->recover(sink, &source->base, &err);
    say("recovered: %d, mark %llu", (int)status, (unsigned long long)sink->mark);
    say_without_root(place, "error", err.text);
    failing = before;
    return sink;
}

/* The process ends at once, and the next one finds the files as they are now. */
static th_stream_sink *crash(struct place *place, th_rolling_sink_options *options,
                             struct fake_source *source, th_stream_sink *sink)
{
    char next[SCENE_PATH];
    say("crash");
    (void)snprintf(next, sizeof next, "%s/out-%u", place->scene.root, place->number + 1);
    assert_int_equal(mkdir(next, 0777), 0);
    for_each_file(place, copy_file);
    sink->verbs->close(sink);
    place->number++;
    source->is_damaged = chance(4) == 0;
    if (chance(8) == 0)
        th_buffer_reset(&source->note); /* the ledger is lost */
    return start(place, options, source);
}

static th_status step(struct place *place, th_rolling_sink_options *options,
                      struct fake_source *source, th_stream_sink **sink)
{
    th_error err = { .text = "" };
    th_status status = TH_OK;
    const uint32_t what = chance(20);
    if (what < 8) {
        put_some(*sink);
    } else if (what < 14) {
        const uint64_t mark = chance(2) ? chance(1000) : 0;
        status = th_commit(&source->base, *sink, mark, &err);
        say_without_root(place, "commit", err.text);
        say("commit: %d", (int)status);
    } else if (what < 15) {
        (*sink)->verbs->drop(*sink);
    } else if (what < 17) {
        still_ms += chance(3000);
        (*sink)->verbs->tick(*sink);
    } else if (what < 19) {
        say_facts(*sink);
    } else {
        *sink = crash(place, options, source, *sink);
    }
    return status;
}

static void one_round(uint32_t round)
{
    static const uint32_t failures[] = { 0, 20, 100 };
    struct fake_source source = { 0 };
    struct place place = { .number = 0 };
    th_rolling_sink_options options;
    all.chance = round * 7919 + 9;
    still_ms = INT64_C(1767225600000) + chance(5000000);
    failing = 0;
    scene_begin(&place.scene);
    source.base.verbs = &verbs[chance(2)];
    th_rolling_sink_options_init(&options);
    options.suffix = ".txt";
    options.rejects_prefix = chance(2) ? "refused" : NULL;
    options.rejects_suffix = ".lines";
    options.edges_prefix = chance(2) ? "edges" : NULL;
    options.edges_suffix = ".lines";
    options.roll_bytes = 1 + chance(1500);
    options.roll_ms = chance(2) ? 2000 : 0;
    options.format = &format;
    options.warn = take_warning;
    options.warn_context = &place;
    options.published = take_name;
    say("round %u", round);
    failing = failures[round % 3];
    th_stream_sink *sink = start(&place, &options, &source);
    for (int i = 0; i < STEPS; i++)
        if (step(&place, &options, &source, &sink) == TH_IO)
            break;
    say_facts(sink);
    failing = chance(2) ? 0 : failing;
    sink->verbs->close(sink);
    for_each_file(&place, say_file);
    th_buffer_done(&source.note);
    scene_end(&place.scene);
}

static void one_digest_for_all(void **state)
{
    (void)state;
    const int descriptors = scene_descriptors();
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    assert_int_equal(scene_descriptors(), descriptors);
    expect_digest(&all, UINT64_C(0xA52DE76AE97E5D0C));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
