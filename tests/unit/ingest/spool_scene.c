/* See the header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/spool_scene.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void scene_begin(struct scene *scene)
{
    /* In memory if available, because thousands of syncs take no time there. */
    (void)snprintf(scene->root, sizeof scene->root, "%s/th-spool-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(scene->root));
    (void)snprintf(scene->spool, sizeof scene->spool, "%s/spool", scene->root);
    (void)snprintf(scene->ledger, sizeof scene->ledger, "%s/ledger", scene->root);
    assert_int_equal(mkdir(scene->spool, 0777), 0);
    th_spool_options_init(&scene->options);
    scene->options.dir = scene->spool;
    scene->options.ledger = scene->ledger;
    scene->options.settle_ms = 20;
    scene->options.quiet_ms = 60;
    scene->options.min_age_ms = 150;
    scene->options.rescan_ms = 40;
}

static int remove_one(const char *path, const struct stat *facts, int kind,
                      struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

void scene_end(struct scene *scene)
{
    (void)nftw(scene->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scene_path(const struct scene *scene, const char *name, char path[SCENE_PATH])
{
    const int len = snprintf(path, SCENE_PATH, "%.1024s/%s", scene->spool, name);
    assert_in_range(len, 1, SCENE_PATH - 1);
    return path;
}

bool scene_has(const struct scene *scene, const char *name)
{
    char path[SCENE_PATH];
    return access(scene_path(scene, name, path), F_OK) == 0;
}

void scene_archive_bytes(const char *name, unsigned count, th_buffer *out)
{
    for (unsigned i = 0; i < count; i++) {
        char block[200];
        const int len = snprintf(block, sizeof block,
                                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                                 "<p>record %u of %s</p>",
                                 i, name);
        th_buffer_printf(out,
                         "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: %s-%u\r\n"
                         "WARC-Date: 2026-01-01T00:00:00Z\r\n"
                         "WARC-Target-URI: http://example.org/%u\r\n"
                         "Content-Type: application/http; msgtype=response\r\n"
                         "Content-Length: %d\r\n\r\n%s\r\n\r\n",
                         name, i, i, len, block);
    }
    assert_false(out->has_failed);
}

static void put(const struct scene *scene, const char *as, th_view bytes, int flags)
{
    char path[SCENE_PATH];
    const int fd = open(scene_path(scene, as, path), O_WRONLY | O_CREAT | flags, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.data, bytes.len), bytes.len);
    assert_int_equal(close(fd), 0);
}

void scene_write(const struct scene *scene, const char *as, th_view bytes)
{
    put(scene, as, bytes, O_TRUNC);
}

void scene_append(const struct scene *scene, const char *as, th_view bytes)
{
    put(scene, as, bytes, O_APPEND);
}

void scene_archive(const struct scene *scene, const char *as, const char *name,
                   unsigned count)
{
    th_buffer bytes = { 0 };
    scene_archive_bytes(name, count, &bytes);
    scene_write(scene, as, th_buffer_view(&bytes));
    th_buffer_done(&bytes);
}

void scene_rename(const struct scene *scene, const char *from, const char *to)
{
    char old[SCENE_PATH], new[SCENE_PATH];
    assert_int_equal(rename(scene_path(scene, from, old), scene_path(scene, to, new)), 0);
}

th_stream_source *scene_open(struct scene *scene)
{
    th_stream_source *source = NULL;
    th_error err = { .text = "" };
    if (th_spool_source_open(&scene->options, &source, &err) != TH_OK)
        fail_msg("%s", err.text);
    return source;
}

void scene_sleep(int ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
    (void)nanosleep(&time, NULL);
}

int scene_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = -1; /* the folder itself */
    while (dir && readdir(dir))
        count++;
    if (dir)
        (void)closedir(dir);
    return count;
}

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void scene_acknowledge(th_stream_source *source, th_view note)
{
    th_commit_token token;
    assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
    assert_int_equal(source->verbs->acknowledge(source, &token, note, NULL), TH_OK);
}

void scene_read(th_stream_source *source, unsigned records, int ms, bool acknowledges,
                scene_reading *reading)
{
    const int64_t end = now_ms() + ms;
    th_error err = { .text = "" };
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    while (now_ms() < end && reading->records < records) {
        th_arena_reset(batch->arena);
        const th_status status = source->verbs->poll(source, true, 10, batch, &err);
        if (status == TH_NOT_YET)
            continue;
        if (status != TH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(batch->epoch, source->verbs->epoch(source));
        for (uint32_t i = 0; i < batch->record_count; i++) {
            th_buffer_append_view(&reading->ids, batch->records[i].id);
            th_buffer_append_char(&reading->ids, '\n');
        }
        reading->records += batch->record_count;
        source->verbs->done(source, batch);
        if (acknowledges)
            scene_acknowledge(source, (th_view){ NULL, 0 });
    }
    th_arena_free(batch->arena);
    free(batch);
}

void scene_expect_nothing(th_stream_source *source, int ms)
{
    scene_reading reading = { .records = 0 };
    scene_read(source, 1, ms, true, &reading);
    assert_int_equal(reading.records, 0);
    th_buffer_done(&reading.ids);
}
