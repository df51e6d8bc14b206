/* src/kafka/archive_reader.c, archive_folder.c and archive_waits.c with archives that
 * arrive, grow, are cut, replaced and removed by chance: all records, errors and warnings
 * have one digest. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "failing_allocation.h"
#include "kafka/archive_reader.h"
#include "outcomes.h"
#include "still_clock.h"

enum { ROUNDS = 60, STEPS = 120, NAMES = 4, RECORDS = 7, ARCHIVE_MAX = 1 << 15 };

static struct outcomes all;

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- archives ---- */

/* The complete archive, and where its records begin. */
struct archive {
    uint8_t bytes[ARCHIVE_MAX];
    size_t len;
    uint64_t offsets[RECORDS];
    uint32_t count;
};

static struct archive archives[NAMES];
static char root[] = "/tmp/th-archives-XXXXXX";
/* Links that a pointer may follow, and links that it may not. */
static const char *const names[NAMES] = { "a.warc", "b.warc.gz", "sub/c.warc", "d.warc" };
static const char *const others[] = {
    "sub", "link.warc", "out.warc", "circle", "sub/up.warc", "none/a", "fifo", "a.warc/b"
};

static const char *path_of(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/in/%s", root, name);
    return path;
}

static void add_bytes(struct archive *archive, const void *bytes, size_t len)
{
    assert_true(archive->len + len <= ARCHIVE_MAX);
    memcpy(archive->bytes + archive->len, bytes, len);
    archive->len += len;
}

static void add_number(struct archive *archive, uint32_t number, size_t len)
{
    const uint8_t bytes[] = { (uint8_t)number, (uint8_t)(number >> 8),
                              (uint8_t)(number >> 16), (uint8_t)(number >> 24) };
    add_bytes(archive, bytes, len);
}

/* Appends a member of one stored block. */
static void add_member(struct archive *archive, const char *text, uint32_t len)
{
    add_bytes(archive, "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11);
    add_number(archive, len, 2);
    add_number(archive, ~len, 2);
    add_bytes(archive, text, len);
    add_number(archive, (uint32_t)crc32(0, (const Bytef *)text, (uInt)len), 4);
    add_number(archive, len, 4);
}

/* Appends a record, in a separate member or not packed. */
static void add_record(struct archive *archive, bool is_packed, uint32_t round)
{
    static char text[8192];
    const uint32_t size = chance(6) ? chance(400) : chance(6000);
    const char *type = chance(8) ? "response" : "request";
    const uint32_t id = chance(1000);
    int len = snprintf(text, sizeof text,
                       "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%u>\r\n"
                       "WARC-Date: 2026-11-25T00:00:00Z\r\n"
                       "WARC-Target-URI: http://a.example/%u\r\n"
                       "Content-Type: application/http\r\nContent-Length: %u\r\n\r\n"
                       "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
                       type, id, round, size + 44);
    for (uint32_t i = 0; i < size; i++)
        text[len++] = (char)('a' + i * 7 % 23);
    len += sprintf(text + len, "\r\n\r\n");
    archive->offsets[archive->count++] = archive->len;
    if (is_packed)
        add_member(archive, text, (uint32_t)len);
    else
        add_bytes(archive, text, (size_t)len);
}

static void make_archive(struct archive *archive, bool is_packed, uint32_t round)
{
    archive->len = archive->count = 0;
    const uint32_t count = 1 + chance(RECORDS);
    while (archive->count < count && archive->len < ARCHIVE_MAX - 8192)
        add_record(archive, is_packed, round);
    for (uint32_t i = chance(3) ? 0 : chance(4); i; i--) { /* damage */
        const size_t at = chance((uint32_t)archive->len);
        archive->bytes[at] = (uint8_t)chance(256);
    }
}

/* A file's time is the clock's, or earlier or later. No two are the same: a file system can
 * give the number of a removed file to the next one. */
static void set_time(const char *path)
{
    static const int32_t shifts[] = { 0, 0, -1500, -100000, 5000 };
    static int32_t count;
    const int64_t ms = still_ms + shifts[chance(5)];
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 + ++count };
    const struct timespec times[] = { time, time };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_file(const char *path, const struct archive *archive, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, archive->bytes, len), (ssize_t)len);
    assert_int_equal(close(fd), 0);
}

/* Replaces a file by another of the same size and time. The old one stays elsewhere. */
static void replace_file(uint32_t which)
{
    static uint32_t count;
    char path[128], old[128];
    struct stat about;
    (void)snprintf(path, sizeof path, "%s", path_of(names[which]));
    (void)snprintf(old, sizeof old, "%s/old/%u", root, count++);
    if (stat(path, &about) != 0 || rename(path, old) != 0)
        return;
    const size_t len = (size_t)about.st_size;
    archives[which].bytes[len ? chance((uint32_t)len) : 0] ^= 1;
    write_file(path, &archives[which], len);
    const struct timespec times[] = { about.st_mtim, about.st_mtim };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    say("%s is another file", names[which]);
}

/* Writes so much of an archive as has arrived, into the same or another file. */
static void change_file(uint32_t which)
{
    const struct archive *archive = &archives[which];
    const char *path = path_of(names[which]);
    const uint32_t what = chance(9);
    if (what == 0) {
        (void)unlink(path);
        say("%s is removed", names[which]);
        return;
    }
    if (what == 8) {
        replace_file(which);
        return;
    }
    size_t len = archive->len;
    if (what < 5)
        len = chance((uint32_t)archive->len + 1);
    if (what == 5 && archive->count > 1)
        len = archive->offsets[archive->count - 1] + chance(40);
    if (len > archive->len)
        len = archive->len;
    if (chance(3) == 0)
        (void)unlink(path);
    write_file(path, archive, len);
    set_time(path);
    say("%s has %zu bytes", names[which], len);
}

/* ---- pointers ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    (void)context;
    say("diagnostic %d at %llu", (int)diag->code, (unsigned long long)diag->offset);
}

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

static void say_record(const th_record *record)
{
    say("  flags %llu", (unsigned long long)record->flags);
    note_view(&all, record->id);
    note_view(&all, record->url);
    note_view(&all, record->date);
    note_view(&all, record->content_type);
    note_view(&all, record->truncated);
    note_view(&all, record->block);
}

static void follow_pointer(th_archive_reader *reader, th_batch *batch)
{
    const uint32_t which = chance(NAMES);
    const struct archive *archive = &archives[which];
    const char *name = chance(8) ? names[which] : others[chance(8)];
    uint64_t offset = archive->offsets[chance(archive->count)];
    th_error why = { .text = "" };
    if (chance(8) == 0)
        offset += chance(50);
    else if (chance(12) == 0)
        offset = archive->len - chance(60);
    batch->record_count = chance(3);
    th_record *record = &batch->records[batch->record_count];
    *record = (th_record){ .flags = 77 };
    const uint32_t count = batch->record_count;
    fail_allocation(chance(25) ? 0 : 1 + chance(12));
    const th_status status = th_archive_reader_take(
        reader, (th_view){ name, strlen(name) }, offset, batch, &why);
    fail_allocation(0);
    say("%s at %llu: %d %s, %llu given up", name, (unsigned long long)offset, (int)status,
        status == TH_NOMEM ? "" : why.text,
        (unsigned long long)th_archive_reader_given_up(reader));
    assert_int_equal(batch->record_count, count);
    if (status == TH_OK)
        say_record(record);
    else if (status != TH_NOMEM) /* the place is as it was */
        assert_true(record->flags == 77 && !record->block.data);
}

/* Follows one pointer while the process may open no further file. */
static void follow_without_descriptors(th_archive_reader *reader, th_batch *batch)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(0);
    assert_true(next >= 0);
    (void)close(next);
    const struct rlimit none = { (rlim_t)next + chance(2), before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    follow_pointer(reader, batch);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* ---- rounds ---- */

static void one_round(uint32_t round, th_batch *batch)
{
    static const uint32_t waits[] = { 0, 500, 4000, 60000 };
    static const uint64_t most[] = { 1 << 20, 3000, 100 };
    all.chance = round * 7919 + 3;
    still_ms = 1000000 + (int64_t)round * 10000000;
    for (uint32_t i = 0; i < NAMES; i++) {
        make_archive(&archives[i], i == 1, round);
        (void)unlink(path_of(names[i]));
    }
    th_archive_options options = { .warn = take_warning, .on_diag = on_diag };
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s/in", root);
    options.folder = round % 20 == 19 ? "/no/such/folder" : folder;
    options.wait_ms = waits[chance(4)];
    options.max_record = most[chance(3)];
    options.verify_digests = chance(2);
    if (chance(8) == 0)
        options.on_diag = NULL;
    if (chance(8) == 0)
        options.warn = NULL;
    say("round %u", round);
    fail_allocation(chance(4) ? 0 : 1 + chance(2));
    th_archive_reader *reader = th_archive_reader_new(&options);
    fail_allocation(0);
    say("reader: %d", reader != NULL);
    for (int i = 0; i < STEPS && reader; i++) {
        const uint32_t what = chance(12);
        if (what < 3)
            change_file(chance(NAMES));
        else if (what < 4)
            follow_without_descriptors(reader, batch);
        else
            follow_pointer(reader, batch);
        if (chance(4) == 0)
            still_ms += chance(4) ? chance(600) : chance(100000);
        if (chance(10) == 0)
            th_arena_reset(batch->arena);
    }
    th_archive_reader_free(reader);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void one_digest_for_all(void **state)
{
    th_batch *batch = calloc(1, sizeof *batch);
    char line[512];
    (void)state;
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    assert_non_null(mkdtemp(root));
    (void)snprintf(line, sizeof line,
                   "cd %s && mkdir -p in/sub out old && printf WARC > out/o.warc", root);
    assert_int_equal(system(line), 0);
    (void)snprintf(line, sizeof line,
                   "cd %s/in && ln -s a.warc link.warc && ln -s ../d.warc sub/up.warc && "
                   "ln -s ../out/o.warc out.warc && ln -s circle circle && mkfifo fifo",
                   root);
    assert_int_equal(system(line), 0);
    const int before = open_descriptors();
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round, batch);
    assert_int_equal(open_descriptors(), before);
    (void)snprintf(line, sizeof line, "rm -rf %s", root);
    assert_int_equal(system(line), 0);
    th_arena_free(batch->arena);
    free(batch);
    expect_digest(&all, UINT64_C(0x7F06BF980BE95710));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
