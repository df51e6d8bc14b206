/* src/spool/rolling_sink.c with a spool as its input: after any failure, each record
 * is in the published files once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spool/rolling_sink.h"
#include "traffic/commit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "ingest/spool_scene.h"

static th_status make_start(const th_format_options *opt, th_view source, th_buffer *out)
{
    (void)source;
    return th_compress(opt->compression, TH_VIEW("START\n"), out);
}

static const th_format marked_format = { .name = "marked", .start = make_start };

enum { REFUSED = 2 }; /* of five records, which one */

/* A spool, a sink, and the loop between them. */
struct line {
    struct scene scene;
    char dir[SCENE_PATH];
    th_rolling_sink_options options;
    th_stream_source *source;
    th_stream_sink *sink;
    th_batch *batch;
    th_buffer pages, rejects, packed;
};

static void line_begin(struct line *line)
{
    memset(line, 0, sizeof *line);
    scene_begin(&line->scene);
    line->scene.options.settle_ms = 1;
    line->scene.options.quiet_ms = 1;
    line->scene.options.min_age_ms = 1;
    (void)snprintf(line->dir, sizeof line->dir, "%s/out", line->scene.root);
    th_rolling_sink_options_init(&line->options);
    line->options.dir = line->dir;
    line->options.suffix = ".txt";
    line->options.rejects_prefix = "thresher-rejects";
    line->options.rejects_suffix = ".txt";
    line->options.roll_bytes = 1500;
    line->options.format = &marked_format;
    line->batch = calloc(1, sizeof *line->batch);
    assert_non_null(line->batch);
    line->batch->arena = th_arena_new(0);
}

static void line_open(struct line *line)
{
    th_error err = { .text = "" };
    line->source = scene_open(&line->scene);
    if (th_rolling_sink_open(&line->options, &line->sink, &err) != TH_OK ||
        line->sink->verbs->recover(line->sink, line->source, &err) != TH_OK)
        fail_msg("%s", err.text);
}

static void line_close(struct line *line)
{
    line->sink->verbs->close(line->sink);
    line->source->verbs->close(line->source);
}

static void line_end(struct line *line)
{
    th_arena_free(line->batch->arena);
    free(line->batch);
    th_buffer_done(&line->pages);
    th_buffer_done(&line->rejects);
    th_buffer_done(&line->packed);
    scene_end(&line->scene);
}

/* The work: ids, one a line; every fifth record is refused. */
static void put_batch(struct line *line, unsigned *seen)
{
    const th_compression compression = line->options.format_options.compression;
    th_buffer_reset(&line->pages);
    th_buffer_reset(&line->rejects);
    th_buffer_reset(&line->packed);
    for (uint32_t i = 0; i < line->batch->record_count; i++) {
        const th_view id = line->batch->records[i].id;
        const bool is_refused = (id.data[id.len - 1] - '0') % 5 == REFUSED;
        th_buffer *to = is_refused ? &line->rejects : &line->pages;
        th_buffer_append_view(to, id);
        th_buffer_append_char(to, '\n');
    }
    if (compression != TH_PLAIN && line->pages.len)
        assert_int_equal(
            th_compress(compression, th_buffer_view(&line->pages), &line->packed), TH_OK);
    const th_work_result result = {
        .batch = line->batch,
        .pages = th_buffer_view(line->packed.len ? &line->packed : &line->pages),
        .rejects = th_buffer_view(&line->rejects),
    };
    assert_int_equal(line->sink->verbs->put(line->sink, &result, NULL), TH_OK);
    line->source->verbs->done(line->source, line->batch);
    *seen += line->batch->record_count;
}

/* Runs until `records` have been put, flushing after every `each` batches and at the end.
 */
static void run(struct line *line, unsigned records, unsigned each)
{
    unsigned seen = 0, batches = 0;
    th_error err = { .text = "" };
    while (seen < records) {
        line->sink->verbs->tick(line->sink);
        th_arena_reset(line->batch->arena);
        const th_status status =
            line->source->verbs->poll(line->source, true, 5, line->batch, &err);
        if (status == TH_NOT_YET)
            continue;
        assert_int_equal(status, TH_OK);
        put_batch(line, &seen);
        if (++batches % each == 0 || seen == records)
            assert_int_equal(th_commit(line->source, line->sink, 0, &err), TH_OK);
    }
    assert_int_equal(seen, records);
}

/* ---- what came out ---- */

struct published {
    unsigned files, parts, others;
    unsigned records;
    unsigned doubled;
    uint64_t longest;
};

/* Counts the lines of a file, each in `seen`; a file starts with its START. */
static void read_file(const char *path, bool is_page, uint8_t *seen, unsigned count,
                      struct published *out)
{
    char text[256];
    struct stat facts;
    gzFile file = gzopen(path, "r"); /* reads plain ones too */
    assert_non_null(file);
    assert_int_equal(stat(path, &facts), 0);
    if ((uint64_t)facts.st_size > out->longest)
        out->longest = (uint64_t)facts.st_size;
    if (is_page) {
        assert_non_null(gzgets(file, text, sizeof text));
        assert_string_equal(text, "START\n");
    }
    while (gzgets(file, text, sizeof text)) {
        unsigned archive, record;
        assert_int_equal(text[strlen(text) - 1], '\n');
        assert_int_equal(sscanf(text, "%3u.warc-%3u", &archive, &record), 2);
        assert_int_equal(record % 5 == REFUSED, !is_page);
        assert_true(archive * 100 + record < count);
        out->doubled += seen[archive * 100 + record]++ != 0;
        out->records++;
    }
    int error;
    (void)gzerror(file, &error);
    assert_int_equal(error, Z_OK);
    assert_int_equal(gzclose(file), Z_OK); /* Z_BUF_ERROR: a member that is cut */
}

static struct published look(const struct line *line, unsigned count)
{
    struct published out = { .files = 0 };
    uint8_t *seen = calloc(count + 1, 1);
    DIR *dir = opendir(line->dir);
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char path[2 * SCENE_PATH];
        const char *name = entry->d_name;
        if (name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", line->dir, name);
        if (strcmp(name + strlen(name) - 5, ".part") == 0) {
            out.parts++;
        } else if (strstr(name, ".damaged")) {
            out.others++;
        } else {
            out.files++;
            read_file(path, !strstr(name, "rejects"), seen, count, &out);
        }
    }
    (void)closedir(dir);
    free(seen);
    return out;
}

/* `archives` of 100 records each. */
static void fill(const struct line *line, unsigned archives)
{
    for (unsigned i = 0; i < archives; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%03u.warc", i);
        scene_archive(&line->scene, name, name, 100);
    }
}

/* ---- rows ---- */

static void files_roll_by_size(void **state)
{
    struct line line;
    line_begin(&line);
    line.options.format_options.compression = *(const th_compression *)*state;
    fill(&line, 10);
    line_open(&line);
    run(&line, 1000, 3);
    line_close(&line);
    const struct published out = look(&line, 1000);
    assert_int_equal(out.records, 1000);
    assert_int_equal(out.doubled, 0);
    assert_int_equal(out.parts + out.others, 0);
    assert_in_range(out.files, 3, 40);
    assert_true(out.longest < 1500 + 64 * 16);
    line_end(&line);
}

static void files_roll_by_age(void **state)
{
    (void)state;
    struct line line;
    th_sink_stats facts;
    line_begin(&line);
    line.options.roll_bytes = 1 << 20;
    line.options.roll_ms = 50;
    fill(&line, 1);
    line_open(&line);
    run(&line, 100, 1);
    assert_int_equal(look(&line, 100).parts, 2);
    scene_sleep(60);
    line.sink->verbs->tick(line.sink);
    const struct published out = look(&line, 100);
    assert_int_equal(out.parts, 0);
    assert_int_equal(out.records, 100);
    line.sink->verbs->facts(line.sink, &facts);
    assert_int_equal(facts.files, 2);
    assert_int_equal(facts.commits, 2);
    assert_int_equal(facts.queue_bytes, 0);
    line_close(&line);
    line_end(&line);
}

static void what_was_not_acknowledged_does_not_count(void **state)
{
    (void)state;
    struct line line;
    line_begin(&line);
    line.options.roll_bytes = 1 << 20;
    fill(&line, 2);
    line_open(&line);
    run(&line, 64, 1);
    th_arena_reset(line.batch->arena);
    unsigned seen = 0;
    assert_int_equal(line.source->verbs->poll(line.source, true, 0, line.batch, NULL),
                     TH_OK);
    put_batch(&line, &seen); /* staged, never flushed */
    line_close(&line);
    assert_int_equal(look(&line, 200).records, 64);
    line_open(&line);
    run(&line, 136, 2);
    line_close(&line);
    const struct published out = look(&line, 200);
    assert_int_equal(out.records, 200);
    assert_int_equal(out.doubled, 0);
    line_end(&line);
}

static void one_process_a_prefix(void **state)
{
    (void)state;
    struct line line;
    th_stream_sink *second = NULL;
    line_begin(&line);
    line_open(&line);
    assert_int_equal(th_rolling_sink_open(&line.options, &second, NULL), TH_USAGE);
    line.options.prefix = "other";
    /* Its rejects would still be called as the first one's. */
    assert_int_equal(th_rolling_sink_open(&line.options, &second, NULL), TH_USAGE);
    line.options.rejects_prefix = "other-rejects";
    assert_int_equal(th_rolling_sink_open(&line.options, &second, NULL), TH_OK);
    second->verbs->close(second);
    line_close(&line);
    line_end(&line);
}

static void a_lost_ledger_removes_nothing(void **state)
{
    (void)state;
    struct line line;
    line_begin(&line);
    line.options.roll_bytes = 1 << 20;
    fill(&line, 1);
    const pid_t child = fork();
    if (child == 0) {
        line_open(&line);
        run(&line, 100, 1);
        (void)kill(getpid(), SIGKILL); /* nothing is published */
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(look(&line, 100).parts, 2);
    assert_int_equal(truncate(line.scene.ledger, 10), 0);
    line_open(&line);
    assert_int_equal(look(&line, 100).others, 2);
    assert_int_equal(look(&line, 100).parts, 0);
    line_close(&line);
    line_end(&line);
}

/* ---- names that are taken ---- */

/* Lays a file that is not ours under the final name of each part. @return how many */
static unsigned take_names(const struct line *line)
{
    unsigned count = 0;
    DIR *dir = opendir(line->dir);
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        const size_t len = strlen(entry->d_name);
        char path[2 * SCENE_PATH];
        if (len <= 5 || strcmp(entry->d_name + len - 5, ".part") != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%.*s", line->dir, (int)len - 5,
                       entry->d_name);
        FILE *file = fopen(path, "wx");
        assert_non_null(file);
        /* As look() expects it: a record that is not ours. */
        assert_true(strstr(path, "rejects") ? fputs("001.warc-002\n", file) >= 0
                                            : fputs("START\n001.warc-000\n", file) >= 0);
        assert_int_equal(fclose(file), 0);
        count++;
    }
    (void)closedir(dir);
    return count;
}

static bool killed = true;

static void a_name_that_is_taken_is_not_replaced(void **state)
{
    const bool is_killed = *state != NULL;
    struct line line;
    line_begin(&line);
    line.options.roll_bytes = 1 << 20;
    fill(&line, 1);
    const pid_t child = is_killed ? fork() : 0;
    if (child == 0) {
        line_open(&line);
        run(&line, 100, 1);
        if (is_killed)
            (void)kill(getpid(), SIGKILL); /* nothing is published */
    } else {
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    assert_int_equal(take_names(&line), 2);
    if (is_killed)
        line_open(&line); /* publishes */
    line_close(&line);
    const struct published out = look(&line, 200);
    assert_int_equal(out.files, 4);
    assert_int_equal(out.parts + out.others, 0);
    assert_int_equal(out.records, 102);
    assert_int_equal(out.doubled, 0);
    line_end(&line);
}

static void what_was_set_aside_before_stays(void **state)
{
    (void)state;
    struct line line;
    char path[2 * SCENE_PATH], text[8] = "";
    line_begin(&line);
    assert_int_equal(mkdir(line.dir, 0777), 0);
    static const char *const names[] = {
        "thresher-20260101000000-00000.txt.part",
        "thresher-20260101000000-00000.txt.part.damaged"
    };
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", line.dir, names[i]);
        FILE *file = fopen(path, "wx");
        assert_non_null(file);
        assert_true(fputs(i ? "old" : "new", file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    line_open(&line); /* no ledger vouches for the part */
    line_close(&line);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 3);
    assert_memory_equal(text, "old", 3);
    (void)fclose(file);
    assert_int_equal(look(&line, 1).others, 2);
    line_end(&line);
}

/* ---- no descriptor is free ---- */

static void no_descriptor_blocks_and_loses_nothing(void **state)
{
    (void)state;
    struct line line;
    struct rlimit before, limit;
    th_error err = { .text = "" };
    unsigned seen = 0;
    line_begin(&line);
    fill(&line, 3);
    line_open(&line);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (unsigned i = 0; i < 40 && seen < 300; i++) {
        th_arena_reset(line.batch->arena);
        if (line.source->verbs->poll(line.source, true, 5, line.batch, &err) == TH_OK)
            put_batch(&line, &seen);
        limit = before;
        limit.rlim_cur = 3; /* every later open fails */
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        const th_status status = th_commit(line.source, line.sink, 0, &err);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(status == TH_OK || status == TH_BLOCKED);
        while (status == TH_BLOCKED &&
               th_commit(line.source, line.sink, 0, &err) != TH_OK)
            assert_true(false);
    }
    assert_int_equal(seen, 300);
    line_close(&line);
    const struct published out = look(&line, 300);
    assert_int_equal(out.records, 300);
    assert_int_equal(out.doubled, 0);
    line_end(&line);
}

/* ---- a full disk ---- */

static void a_full_disk_blocks_and_loses_nothing(void **state)
{
    struct line line;
    struct rlimit before, limit;
    th_sink_stats facts;
    unsigned blocked = 0, seen = 0;
    th_error err;
    line_begin(&line);
    line.options.format_options.compression = *(const th_compression *)*state;
    line.options.roll_bytes = 3000;
    fill(&line, 10);
    line_open(&line);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (unsigned round = 0; seen < 1000; round++) {
        th_arena_reset(line.batch->arena);
        if (line.source->verbs->poll(line.source, true, 5, line.batch, NULL) != TH_OK)
            continue;
        put_batch(&line, &seen);
        limit = before;
        limit.rlim_cur = round * 37 % 400;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const th_status status = th_commit(line.source, line.sink, 0, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        line.sink->verbs->facts(line.sink, &facts);
        assert_int_equal(facts.is_blocked, status == TH_BLOCKED);
        if (status == TH_OK)
            continue;
        assert_int_equal(status, TH_BLOCKED);
        assert_true(facts.queue_bytes > 0);
        blocked++;
        if (round % 3 == 0) /* others wait for several turns */
            assert_int_equal(th_commit(line.source, line.sink, 0, &err), TH_OK);
    }
    assert_int_equal(th_commit(line.source, line.sink, 0, &err), TH_OK);
    line.sink->verbs->facts(line.sink, &facts);
    assert_false(facts.is_blocked);
    assert_true(blocked > 5);
    line_close(&line);
    const struct published out = look(&line, 1000);
    assert_int_equal(out.records, 1000);
    assert_int_equal(out.doubled, 0);
    assert_int_equal(out.parts + out.others, 0);
    line_end(&line);
}

/* ---- crashes ---- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

enum { KILLS = 100 };

/* Counts the archives that are put away: only then is all work on them done. */
static unsigned count_done(const struct line *line)
{
    char path[SCENE_PATH];
    DIR *dir = opendir(scene_path(&line->scene, "done", path));
    const struct dirent *entry;
    unsigned count = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += entry->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

static void a_crash_at_any_moment_loses_and_doubles_nothing(void **state)
{
    struct line line;
    uint64_t seed = 0x9E3779B97F4A7C15u;
    unsigned kills = 0, archives = 0;
    int status = 1;
    line_begin(&line);
    line.options.format_options.compression = *(const th_compression *)*state;
    for (unsigned round = 0; kills < KILLS; round++) {
        assert_true(archives < 900);
        if (archives - round < 20) /* there is always something to do */
            for (unsigned i = 0; i < 8; i++, archives++) {
                char name[16];
                (void)snprintf(name, sizeof name, "%03u.warc", archives);
                scene_archive(&line.scene, name, name, 100);
            }
        const unsigned each = 1 + (unsigned)(next_random(&seed) % 3);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            line_open(&line);
            run(&line, UINT32_MAX, each);
            _exit(0);
        }
        const long us = (long)(next_random(&seed) % 25000);
        const struct timespec wait = { 0, us * 1000 };
        (void)nanosleep(&wait, NULL);
        (void)kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        kills++;
    }
    /* The last life finishes the work. */
    line_open(&line);
    while (count_done(&line) < archives) {
        unsigned seen = 0;
        th_arena_reset(line.batch->arena);
        if (line.source->verbs->poll(line.source, true, 60, line.batch, NULL) == TH_OK) {
            put_batch(&line, &seen);
            assert_int_equal(th_commit(line.source, line.sink, 0, NULL), TH_OK);
        }
    }
    line_close(&line);
    const struct published out = look(&line, archives * 100);
    assert_int_equal(out.doubled, 0);
    assert_int_equal(out.records, archives * 100);
    assert_int_equal(out.parts, 0);
    line_end(&line);
}

/* ---- a source that keeps no note ---- */

static void no_facts(th_stream_source *source, th_source_stats *out)
{
    (void)source;
    *out = (th_source_stats){ .received = 0 };
}

static const th_stream_source_verbs offset_verbs = { .name = "offsets",
                                                     .keeping = TH_KEPT_AS_OFFSETS,
                                                     .facts = no_facts };

/* A sink with a state file, and the lines that it reports. */
struct stated {
    struct scene scene;
    char dir[SCENE_PATH];
    th_rolling_sink_options options;
    th_stream_source source;
    th_stream_sink *sink;
    unsigned warnings;
    char warning[2 * SCENE_PATH];
};

static void hear(void *context, const char *text)
{
    struct stated *stated = context;
    stated->warnings++;
    (void)snprintf(stated->warning, sizeof stated->warning, "%s", text);
}

static int stated_begin(void **state)
{
    struct stated *stated = calloc(1, sizeof *stated);
    assert_non_null(stated);
    scene_begin(&stated->scene);
    (void)snprintf(stated->dir, sizeof stated->dir, "%s", stated->scene.spool);
    th_rolling_sink_options_init(&stated->options);
    stated->options.dir = stated->dir;
    stated->options.suffix = ".txt";
    stated->options.format = &marked_format;
    stated->options.warn = hear;
    stated->options.warn_context = stated;
    stated->source.verbs = &offset_verbs;
    *state = stated;
    return 0;
}

static int stated_end(void **state)
{
    struct stated *stated = *state;
    scene_end(&stated->scene);
    free(stated);
    return 0;
}

static th_status stated_open(struct stated *stated, th_error *err)
{
    if (th_rolling_sink_open(&stated->options, &stated->sink, err) != TH_OK)
        fail_msg("%s", err->text);
    return stated->sink->verbs->recover(stated->sink, &stated->source, err);
}

static th_status stated_put(struct stated *stated, const char *text)
{
    const th_work_result result = { .pages = { text, strlen(text) } };
    return stated->sink->verbs->put(stated->sink, &result, NULL);
}

static th_status stated_flush(struct stated *stated, uint64_t mark, th_error *err)
{
    const th_commit_token token = { .keeping = TH_KEPT_AS_OFFSETS, .mark = mark };
    th_view note;
    return stated->sink->verbs->flush(stated->sink, &token, &note, err);
}

/* The only part, without its suffix. */
static void stated_part(const struct stated *stated, char name[256])
{
    DIR *dir = opendir(stated->dir);
    const struct dirent *entry;
    assert_non_null(dir);
    name[0] = '\0';
    while ((entry = readdir(dir))) {
        const size_t len = strlen(entry->d_name);
        if (len > 5 && strcmp(entry->d_name + len - 5, ".part") == 0)
            (void)snprintf(name, 256, "%.*s", (int)len - 5, entry->d_name);
    }
    (void)closedir(dir);
    assert_true(name[0]);
}

#define STATE ".thresher.state"

static void expect_bytes(const struct stated *stated, const char *name, const char *want)
{
    char path[SCENE_PATH], bytes[512] = "";
    FILE *file = fopen(scene_path(&stated->scene, name, path), "rb");
    if (!file)
        fail_msg("no %s", name);
    (void)fread(bytes, 1, sizeof bytes - 1, file);
    (void)fclose(file);
    assert_string_equal(bytes, want);
}

static void the_state_file_says_what_counts(void **state)
{
    struct stated *stated = *state;
    th_error err = { .text = "" };
    th_sink_stats facts;
    char name[256], want[512], part[300];
    assert_int_equal(stated_open(stated, &err), TH_OK);
    assert_int_equal(stated->sink->mark, 0); /* there was no state file */
    assert_int_equal(stated_put(stated, "a\n"), TH_OK);
    assert_int_equal(stated_flush(stated, 17, &err), TH_OK);
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_OK, &err), TH_OK);
    stated_part(stated, name);
    (void)snprintf(want, sizeof want, "files\nmark 17\n8 %s\n", name);
    expect_bytes(stated, STATE, want);

    /* Results that are dropped are not written, and leave nothing to acknowledge. */
    assert_int_equal(stated_put(stated, "b\n"), TH_OK);
    stated->sink->verbs->facts(stated->sink, &facts);
    assert_int_equal(facts.queue_bytes, 2);
    stated->sink->verbs->drop(stated->sink);
    stated->sink->verbs->facts(stated->sink, &facts);
    assert_int_equal(facts.queue_bytes, 0);
    assert_int_equal(facts.bytes, 8);
    assert_int_equal(facts.commits, 1);
    assert_int_equal(stated_flush(stated, 18, &err), TH_OK);
    expect_bytes(stated, STATE, want);
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_NO_ROOM, &err),
                     TH_BLOCKED);
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_IO, &err), TH_IO);
    stated->sink->verbs->close(stated->sink);
    expect_bytes(stated, name, "START\na\n");

    /* The next process finds the mark, and more bytes than count. */
    (void)snprintf(part, sizeof part, "%s.part", name);
    scene_rename(&stated->scene, name, part);
    scene_append(&stated->scene, part, TH_VIEW("lost\n"));
    assert_int_equal(stated_open(stated, &err), TH_OK);
    assert_int_equal(stated->sink->mark, 17);
    expect_bytes(stated, name, "START\na\n");
    stated->sink->verbs->close(stated->sink);
    assert_int_equal(stated->warnings, 0);
}

static void a_shorter_file_is_reported(void **state)
{
    struct stated *stated = *state;
    th_error err = { .text = "" };
    static const char part[] = "thresher-20260101000000-00000.txt.part";
    scene_write(&stated->scene, part, TH_VIEW("a"));
    scene_write(&stated->scene, STATE,
                TH_VIEW("files\n2 thresher-20260101000000-00000.txt\n"));
    assert_int_equal(stated_open(stated, &err), TH_OK);
    assert_int_equal(stated->warnings, 1);
    assert_string_equal(stated->warning,
                        "an output file became shorter; see *.part.damaged");
    assert_int_equal(stated->sink->mark, 0);
    stated->sink->verbs->close(stated->sink);
    expect_bytes(stated, "thresher-20260101000000-00000.txt.part.damaged", "a");
}

static int make_folder_at(const char *path)
{
    return mkdir(path, 0777);
}

static int make_loop_at(const char *path)
{
    return symlink(STATE, path);
}

static int make_large(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    const int result = ftruncate(fd, (1 << 20) + 1);
    (void)close(fd);
    return result;
}

/* A state file that is not one: how it is made, and the words of its error. */
static const struct wrong_state {
    const char *name;
    int (*make)(const char *path);
    const char *before, *after; /* words, and the path between them */
} wrong_states[] = {
    { "a state file that is a folder", make_folder_at, "cannot read '",
      "': Is a directory" },
    { "a state file that links to itself", make_loop_at, "cannot open '",
      "': Too many levels of symbolic links" },
    { "a state file that is too large", make_large, "'",
      "' is not a state file of an output" },
};

static void a_wrong_state_file_ends_it(void **state)
{
    const struct wrong_state *row = *state;
    char path[SCENE_PATH], want[2 * SCENE_PATH];
    th_error err = { .text = "" };
    void *made = NULL;
    assert_int_equal(stated_begin(&made), 0);
    struct stated *stated = made;
    assert_int_equal(row->make(scene_path(&stated->scene, STATE, path)), 0);
    assert_int_equal(stated_open(stated, &err), TH_IO);
    (void)snprintf(want, sizeof want, "%s%s%s", row->before, path, row->after);
    assert_string_equal(err.text, want);
    stated->sink->verbs->close(stated->sink);
    assert_int_equal(stated_end(&made), 0);
}

static void the_largest_state_file_is_read(void **state)
{
    struct stated *stated = *state;
    char path[SCENE_PATH];
    th_error err = { .text = "" };
    assert_int_equal(make_large(scene_path(&stated->scene, STATE, path)), 0);
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_int_equal(stated_open(stated, &err), TH_OK);
    stated->sink->verbs->close(stated->sink);
}

/* A state that cannot be written: no byte counts, and the bytes wait. */
static void a_state_that_cannot_be_written_blocks(void **state)
{
    struct stated *stated = *state;
    char path[SCENE_PATH], name[256];
    th_error err = { .text = "" };
    th_sink_stats facts;
    assert_int_equal(stated_open(stated, &err), TH_OK);
    assert_int_equal(mkdir(scene_path(&stated->scene, STATE, path), 0777), 0);
    assert_int_equal(stated_put(stated, "a\n"), TH_OK);
    assert_int_equal(stated_flush(stated, 1, &err), TH_BLOCKED);
    stated->sink->verbs->facts(stated->sink, &facts);
    assert_true(facts.is_blocked);
    assert_int_equal(facts.aborts, 1);
    assert_int_equal(facts.queue_bytes, 2);
    assert_int_equal(stated->warnings, 1);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(stated_flush(stated, 1, &err), TH_OK);
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_OK, &err), TH_OK);
    stated->sink->verbs->facts(stated->sink, &facts);
    assert_false(facts.is_blocked);
    assert_int_equal(facts.aborts, 1);
    assert_int_equal(facts.commits, 1);
    assert_int_equal(stated->warnings, 2);
    assert_string_equal(stated->warning,
                        "disk space is available again; output continues");
    stated_part(stated, name);
    stated->sink->verbs->close(stated->sink);
    expect_bytes(stated, name, "START\na\n");
}

/* Writes a part, which someone else removes. Makes the words of the failure to publish it.
 */
static void lose_part(struct stated *stated, char words[2 * SCENE_PATH])
{
    char path[SCENE_PATH], name[256], part[300];
    th_error err = { .text = "" };
    assert_int_equal(stated_open(stated, &err), TH_OK);
    assert_int_equal(stated_put(stated, "a\n"), TH_OK);
    assert_int_equal(stated_flush(stated, 1, &err), TH_OK);
    stated_part(stated, name);
    (void)snprintf(part, sizeof part, "%s.part", name);
    assert_int_equal(unlink(scene_path(&stated->scene, part, path)), 0);
    (void)snprintf(words, 2 * SCENE_PATH,
                   "cannot publish '%s/%s': No such file or directory", stated->dir,
                   part);
}

static void a_part_that_is_gone_ends_the_output(void **state)
{
    struct stated *stated = *state;
    char words[2 * SCENE_PATH];
    th_error err = { .text = "" };
    stated->options.roll_ms = 1;
    lose_part(stated, words);
    scene_sleep(2); /* so that it is old enough */
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_OK, &err), TH_IO);
    assert_string_equal(err.text, words);
    assert_int_equal(stated->warnings, 0);
    for (unsigned twice = 0; twice < 2; twice++) { /* reported once */
        stated->sink->verbs->tick(stated->sink);
        assert_int_equal(stated->warnings, 1);
        assert_string_equal(stated->warning, words);
    }
    assert_int_equal(stated_put(stated, "b\n"), TH_OK);
    assert_int_equal(stated_flush(stated, 2, &err), TH_IO);
    assert_string_equal(err.text, "an earlier write of the output failed");
    stated->sink->verbs->close(stated->sink);
}

static void a_part_that_is_gone_is_reported_at_the_end(void **state)
{
    struct stated *stated = *state;
    char words[2 * SCENE_PATH];
    th_error err = { .text = "" };
    stated->options.roll_ms = 0;
    lose_part(stated, words);
    assert_int_equal(stated->sink->verbs->conclude(stated->sink, TH_OK, &err), TH_OK);
    stated->sink->verbs->tick(stated->sink);
    assert_int_equal(stated->warnings, 0);
    stated->sink->verbs->close(stated->sink);
    assert_int_equal(stated->warnings, 1);
    assert_string_equal(stated->warning, words);
}

static const th_compression compressions[] = { TH_PLAIN, TH_GZIP };
#define WITH(name, test, compression)                                                    \
    {                                                                                    \
        name, test, NULL, NULL, (void *)(uintptr_t)&compressions[compression]            \
    }

#define WITH_STATE(test) cmocka_unit_test_setup_teardown(test, stated_begin, stated_end)
#define WRONG_STATE(i)                                                                   \
    {                                                                                    \
        wrong_states[i].name, a_wrong_state_file_ends_it, NULL, NULL,                    \
            (void *)(uintptr_t)&wrong_states[i]                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH("files roll by size, plain", files_roll_by_size, TH_PLAIN),
        WITH("files roll by size, gzip", files_roll_by_size, TH_GZIP),
        cmocka_unit_test(files_roll_by_age),
        cmocka_unit_test(what_was_not_acknowledged_does_not_count),
        cmocka_unit_test(one_process_a_prefix),
        cmocka_unit_test(a_lost_ledger_removes_nothing),
        { "a name that is taken is not replaced", a_name_that_is_taken_is_not_replaced,
          NULL, NULL, NULL },
        { "a name that is taken is not replaced, after a kill",
          a_name_that_is_taken_is_not_replaced, NULL, NULL, &killed },
        cmocka_unit_test(what_was_set_aside_before_stays),
        cmocka_unit_test(no_descriptor_blocks_and_loses_nothing),
        WITH("a full disk, plain", a_full_disk_blocks_and_loses_nothing, TH_PLAIN),
        WITH("a full disk, gzip", a_full_disk_blocks_and_loses_nothing, TH_GZIP),
        WITH_STATE(the_state_file_says_what_counts),
        WITH_STATE(a_shorter_file_is_reported),
        WRONG_STATE(0),
        WRONG_STATE(1),
        WRONG_STATE(2),
        WITH_STATE(the_largest_state_file_is_read),
        WITH_STATE(a_state_that_cannot_be_written_blocks),
        WITH_STATE(a_part_that_is_gone_ends_the_output),
        WITH_STATE(a_part_that_is_gone_is_reported_at_the_end),
        WITH("100 kills, plain", a_crash_at_any_moment_loses_and_doubles_nothing,
             TH_PLAIN),
        WITH("100 kills, gzip", a_crash_at_any_moment_loses_and_doubles_nothing, TH_GZIP),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
