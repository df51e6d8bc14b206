/*
 * A stream of files that are complete when they appear. See the header for the two steps.
 *
 * Between two _keep calls several files may be started. The list holds all of them, with
 * the current one last. Only the first can hold bytes that count already.
 */
#include "spool/rolling_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file_sink.h"
#include "base/io_status.h"
#include "base/unique_name.h"

enum {
    TIME_DIGITS = 14,
    SERIAL_DIGITS = 5,
    SERIALS = 100000,
    NUMBERS = 1 + TIME_DIGITS + 1 + SERIAL_DIGITS, /* in a name */
    PART_NAME = TH_ROLLING_NAME + sizeof TH_PART_SUFFIX,
    MAX_DAMAGED = 9999, /* files set aside of one name */
    DAMAGED_NAME = PART_NAME + sizeof ".damaged.9999"
};

/* A file that is not published yet. */
struct part {
    char name[TH_ROLLING_NAME]; /* final */
    uint64_t len, kept;         /* bytes written, and bytes that count */
    int64_t opened_at;          /* ms */
};

struct th_rolling_file {
    th_rolling_options options;
    int dir_fd;
    int lock_fd; /* held while the names of this prefix are ours */
    int fd;      /* of the last part; -1: closed */
    struct part *parts;
    size_t count, capacity;
    uint32_t serial;
    bool has_new;   /* a name that the folder may not hold durably */
    bool is_dirty;  /* bytes of the last part are not synced */
    bool must_roll; /* the last part cannot grow */
    bool must_trim; /* the last part is longer on the disk than `len` */
    uint64_t bytes, published;
};

static th_status fail(const th_rolling_file *stream, const char *what, const char *name,
                      th_error *err)
{
    const int error = errno;
    return th_fail(err, th_io_status(error), "cannot %s '%s/%s': %s", what,
                   stream->options.dir, name, strerror(error));
}

static void part_name(const char *name, char out[PART_NAME])
{
    (void)snprintf(out, PART_NAME, "%s" TH_PART_SUFFIX, name);
}

static struct part *last_part(const th_rolling_file *stream)
{
    return stream->count ? &stream->parts[stream->count - 1] : NULL;
}

static void close_part(th_rolling_file *stream)
{
    if (stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}

static th_status sync_dir(const th_rolling_file *stream, th_error *err)
{
    /* Some file systems do not sync folders. Then there is no sync to wait for. */
    return fsync(stream->dir_fd) == 0 || errno == EINVAL ? TH_OK
                                                         : fail(stream, "sync", "", err);
}

/* ---- writing ---- */

static th_status append(th_rolling_file *stream, th_view bytes, th_error *err)
{
    struct part *part = last_part(stream);
    size_t at = 0;
    while (at < bytes.len) {
        const ssize_t put =
            pwrite(stream->fd, bytes.data + at, bytes.len - at, (off_t)(part->len + at));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            stream->must_roll = stream->must_roll || errno == EFBIG;
            part->len += at; /* so that _cut knows */
            return fail(stream, "write", part->name, err);
        }
        at += (size_t)put;
    }
    part->len += bytes.len;
    stream->is_dirty = true;
    return TH_OK;
}

static th_view own_prefix(const th_rolling_file *stream)
{
    return (th_view){ stream->options.prefix, strlen(stream->options.prefix) };
}

/* Makes the next name in turn, with `prefix` before its time and `suffix` after its
 * number. */
static void next_name(th_rolling_file *stream, th_view prefix, const char *suffix,
                      char out[TH_ROLLING_NAME])
{
    const time_t now = time(NULL);
    struct tm utc;
    char stamp[32];
    (void)gmtime_r(&now, &utc);
    (void)strftime(stamp, sizeof stamp, "%Y%m%d%H%M%S", &utc);
    (void)snprintf(out, TH_ROLLING_NAME, "%.*s-%s-%05u%s", (int)prefix.len, prefix.data,
                   stamp, stream->serial, suffix);
    stream->serial = (stream->serial + 1) % SERIALS;
}

/* Returns whether a time and a number start at `at`, each after its dash. */
static bool has_numbers(const char *at)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        const bool is_dash = i == 0 || i == 1 + TIME_DIGITS;
        if (is_dash ? at[i] != '-' : at[i] < '0' || at[i] > '9')
            return false;
    }
    return true;
}

/* Makes another name of the same stream. A note may name a file whose name has since been
 * taken by another file. */
static void rename_part(th_rolling_file *stream, const char *name,
                        char out[TH_ROLLING_NAME])
{
    const size_t len = strlen(name);
    size_t at = 0;
    while (at + NUMBERS <= len && !has_numbers(name + at))
        at++;
    const bool is_found = at + NUMBERS <= len;
    next_name(stream, is_found ? (th_view){ name, at } : own_prefix(stream),
              is_found ? name + at + NUMBERS : stream->options.suffix, out);
}

/* Makes a name that no file has, and its part. */
static th_status create_part(th_rolling_file *stream, struct part *part, th_error *err)
{
    char temporary[PART_NAME];
    for (int attempt = 0; attempt < SERIALS; attempt++) {
        next_name(stream, own_prefix(stream), stream->options.suffix, part->name);
        part_name(part->name, temporary);
        if (faccessat(stream->dir_fd, part->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            continue;
        stream->fd = openat(stream->dir_fd, temporary,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (stream->fd >= 0 || errno != EEXIST)
            break;
    }
    return stream->fd >= 0 ? TH_OK : fail(stream, "open", temporary, err);
}

static th_status write_start(th_rolling_file *stream, th_error *err)
{
    th_buffer start = { 0 };
    th_status status = TH_OK;
    if (stream->options.start)
        status = stream->options.start(stream->options.context, &start);
    if (status != TH_OK)
        status = th_fail(err, status, "cannot create the start of a file");
    else
        status = append(stream, th_buffer_view(&start), err);
    th_buffer_done(&start);
    return status;
}

/* Starts another file. The previous one is complete. */
static th_status begin_part(th_rolling_file *stream, th_error *err)
{
    th_status status = th_rolling_file_sync(stream, err);
    if (status != TH_OK)
        return status;
    close_part(stream);
    if (!TH_HAS_CAPACITY(stream->parts, stream->count, stream->capacity))
        return th_fail(err, TH_NOMEM, "out of memory for another output file");
    struct part part = { .opened_at = th_now_ms() };
    status = create_part(stream, &part, err);
    if (status != TH_OK)
        return status;
    stream->parts[stream->count++] = part;
    stream->has_new = true;
    stream->must_roll = false;
    return write_start(stream, err);
}

/* Opens the last part again after it was closed or cut. */
static th_status reopen_part(th_rolling_file *stream, th_error *err)
{
    char temporary[PART_NAME];
    part_name(last_part(stream)->name, temporary);
    stream->fd = openat(stream->dir_fd, temporary, O_WRONLY | O_CLOEXEC);
    return stream->fd >= 0 ? TH_OK : fail(stream, "open", temporary, err);
}

/* Cuts off the bytes that were taken back. */
static th_status trim(th_rolling_file *stream, th_error *err)
{
    if (!stream->must_trim)
        return TH_OK;
    const struct part *part = last_part(stream);
    th_status status = stream->fd < 0 ? reopen_part(stream, err) : TH_OK;
    if (status == TH_OK && ftruncate(stream->fd, (off_t)part->len) != 0)
        status = fail(stream, "cut", part->name, err);
    stream->must_trim = status != TH_OK;
    return status;
}

th_status th_rolling_file_write(th_rolling_file *stream, th_view bytes, th_error *err)
{
    const struct part *part = last_part(stream);
    if (bytes.len == 0)
        return TH_OK;
    th_status status = trim(stream, err);
    if (status != TH_OK)
        return status;
    if (!part || stream->must_roll || part->len >= stream->options.roll_bytes)
        status = begin_part(stream, err);
    else if (stream->fd < 0)
        status = reopen_part(stream, err);
    return status == TH_OK ? append(stream, bytes, err) : status;
}

th_status th_rolling_file_sync(th_rolling_file *stream, th_error *err)
{
    if (stream->is_dirty && fsync(stream->fd) != 0)
        return fail(stream, "sync", last_part(stream)->name, err);
    stream->is_dirty = false;
    if (!stream->has_new)
        return TH_OK;
    const th_status status = sync_dir(stream, err);
    stream->has_new = status != TH_OK;
    return status;
}

th_status th_rolling_file_cut(th_rolling_file *stream, th_error *err)
{
    char temporary[PART_NAME];
    close_part(stream);
    stream->is_dirty = false;
    while (stream->count && last_part(stream)->kept == 0) {
        part_name(last_part(stream)->name, temporary);
        if (unlinkat(stream->dir_fd, temporary, 0) != 0 && errno != ENOENT)
            return fail(stream, "remove", temporary, err);
        stream->count--;
    }
    struct part *part = last_part(stream);
    if (!part || part->len == part->kept)
        return TH_OK;
    part->len = part->kept;
    stream->must_trim = true;
    const th_status status = trim(stream, err);
    return status == TH_NO_ROOM ? TH_OK : status; /* before the next byte, then */
}

/* ---- publishing ---- */

/* Gives a part its final name. If a file that is not ours has taken that name since, the
 * part gets the next free name. The note need not know, because a missing part counts as
 * published.
 */
static th_status publish(th_rolling_file *stream, const char *name, th_error *err)
{
    char temporary[PART_NAME], unique_name[TH_ROLLING_NAME];
    part_name(name, temporary);
    (void)snprintf(unique_name, sizeof unique_name, "%s", name);
    int result =
        th_rename_to_free(stream->dir_fd, temporary, stream->dir_fd, unique_name);
    for (int attempt = 0; result != 0 && errno == EEXIST && attempt < SERIALS;
         attempt++) {
        rename_part(stream, name, unique_name);
        result =
            th_rename_to_free(stream->dir_fd, temporary, stream->dir_fd, unique_name);
    }
    if (result != 0)
        return fail(stream, "publish", temporary, err);
    stream->published++;
    if (stream->options.published)
        stream->options.published(stream->options.context, unique_name);
    return TH_OK;
}

/* Publishes the oldest part. */
static th_status publish_first(th_rolling_file *stream, th_error *err)
{
    th_status status = TH_OK;
    if (stream->count == 1) {
        status = trim(stream, err);
        close_part(stream);
    }
    if (status == TH_OK)
        status = publish(stream, stream->parts[0].name, err);
    if (status != TH_OK)
        return status;
    stream->count--;
    memmove(stream->parts, stream->parts + 1, stream->count * sizeof *stream->parts);
    return sync_dir(stream, err);
}

static bool is_old(const th_rolling_file *stream, const struct part *part)
{
    return stream->options.roll_ms &&
           th_now_ms() - part->opened_at >= (int64_t)stream->options.roll_ms;
}

/* Ignores a lack of space or descriptors. The step is repeated later, and no data is
 * lost. */
static th_status or_later(th_status status)
{
    return status == TH_NO_ROOM ? TH_OK : status;
}

th_status th_rolling_file_keep(th_rolling_file *stream, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; i < stream->count; i++) {
        struct part *part = &stream->parts[i];
        stream->bytes += part->len - part->kept;
        part->kept = part->len;
    }
    while (status == TH_OK && stream->count > 1)
        status = publish_first(stream, err);
    const struct part *part = last_part(stream);
    if (status == TH_OK && part && part->len >= stream->options.roll_bytes)
        status = publish_first(stream, err);
    if (status == TH_OK)
        status = th_rolling_file_roll_by_age(stream, err);
    return or_later(status);
}

th_status th_rolling_file_publish(th_rolling_file *stream, th_error *err)
{
    th_status status = TH_OK;
    while (status == TH_OK && stream->count && stream->parts[0].kept &&
           stream->parts[0].kept == stream->parts[0].len)
        status = publish_first(stream, err);
    return or_later(status);
}

th_status th_rolling_file_roll_by_age(th_rolling_file *stream, th_error *err)
{
    const bool is_due = stream->count && is_old(stream, &stream->parts[0]);
    return is_due ? th_rolling_file_publish(stream, err) : TH_OK;
}

/* ---- notes ---- */

void th_rolling_file_note(const th_rolling_file *stream, th_buffer *out)
{
    for (size_t i = 0; i < stream->count; i++)
        th_buffer_printf(out, "%llu %s\n", (unsigned long long)stream->parts[i].len,
                         stream->parts[i].name);
}

/* Returns whether this stream could have made a name. */
static bool is_ours(const th_rolling_file *stream, const char *name, size_t len)
{
    const size_t prefix = strlen(stream->options.prefix);
    const size_t suffix = strlen(stream->options.suffix);
    return len == prefix + NUMBERS + suffix &&
           memcmp(name, stream->options.prefix, prefix) == 0 &&
           memcmp(name + len - suffix, stream->options.suffix, suffix) == 0 &&
           has_numbers(name + prefix);
}

/* Parses a line of a note. Returns false if it is invalid. */
static bool read_line(th_view line, struct part *part)
{
    size_t at = 0;
    for (; at < line.len && line.data[at] >= '0' && line.data[at] <= '9'; at++)
        if (__builtin_mul_overflow(part->len, 10, &part->len) ||
            __builtin_add_overflow(part->len, (uint64_t)(line.data[at] - '0'),
                                   &part->len))
            return false;
    if (at == 0 || at + 1 >= line.len || line.data[at] != ' ' || part->len > INT64_MAX)
        return false;
    const char *name = line.data + at + 1;
    const size_t len = line.len - at - 1;
    if (len >= sizeof part->name || name[0] == '.' || memchr(name, '/', len) ||
        memchr(name, '\0', len))
        return false;
    memcpy(part->name, name, len);
    part->name[len] = '\0';
    return true;
}

/* Makes NAME.part.damaged, then NAME.part.damaged.1 and so on, so existing files are
 * kept. */
static void damaged_name(const char *temporary, int copy, char out[DAMAGED_NAME])
{
    if (copy == 0)
        (void)snprintf(out, DAMAGED_NAME, "%s.damaged", temporary);
    else
        (void)snprintf(out, DAMAGED_NAME, "%s.damaged.%d", temporary, copy);
}

/* Makes a file for the bytes after a part's good bytes. @return -1 with errno */
static int create_damaged(const th_rolling_file *stream, const char *temporary,
                          char damaged[DAMAGED_NAME])
{
    int fd = -1;
    errno = EEXIST;
    for (int copy = 0; fd < 0 && errno == EEXIST && copy <= MAX_DAMAGED; copy++) {
        damaged_name(temporary, copy, damaged);
        fd = openat(stream->dir_fd, damaged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0666);
    }
    return fd;
}

/* Copies the bytes after `start` to NAME.part.damaged. */
static th_status copy_tail(const th_rolling_file *stream, const char *temporary, int fd,
                           uint64_t start, th_error *err)
{
    char damaged[DAMAGED_NAME], bytes[16 << 10];
    const int copy = create_damaged(stream, temporary, damaged);
    ssize_t got = copy >= 0 ? 1 : -1;
    while (got > 0) {
        got = pread(fd, bytes, sizeof bytes, (off_t)start);
        if (got > 0 && write(copy, bytes, (size_t)got) != got)
            got = -1;
        start += got > 0 ? (uint64_t)got : 0;
    }
    if (got == 0 && fsync(copy) != 0)
        got = -1;
    const th_status status = got == 0 ? TH_OK : fail(stream, "write", damaged, err);
    if (copy >= 0)
        (void)close(copy);
    return status;
}

static th_status set_aside(const th_rolling_file *stream, const char *temporary,
                           th_error *err)
{
    char damaged[DAMAGED_NAME];
    int result = -1;
    errno = EEXIST;
    for (int copy = 0; result != 0 && errno == EEXIST && copy <= MAX_DAMAGED; copy++) {
        damaged_name(temporary, copy, damaged);
        result = th_rename_to_free(stream->dir_fd, temporary, stream->dir_fd, damaged);
    }
    return result == 0 ? TH_OK : fail(stream, "set aside", temporary, err);
}

/* State of one recovery. */
struct recovery {
    bool is_doubtful;
    th_rolling_losses *losses;
};

/* Cuts a part to its length, unless it is shorter. */
static th_status cut_part(const th_rolling_file *stream, const char *temporary,
                          uint64_t len, const struct recovery *recovery, bool *is_whole,
                          th_error *err)
{
    struct stat facts;
    const int fd = openat(stream->dir_fd, temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0) {
        const th_status status = fail(stream, "open", temporary, err);
        if (fd >= 0)
            (void)close(fd);
        return status;
    }
    th_status status = TH_OK;
    *is_whole = (uint64_t)facts.st_size >= len;
    if ((uint64_t)facts.st_size > len) {
        if (recovery->is_doubtful) {
            status = copy_tail(stream, temporary, fd, len, err);
            recovery->losses->aside++;
        }
        if (status == TH_OK && (ftruncate(fd, (off_t)len) != 0 || fsync(fd) != 0))
            status = fail(stream, "cut", temporary, err);
    }
    (void)close(fd);
    return status;
}

/* Cuts a part in the note to its length, and gives it its final name. */
static th_status recover_part(th_rolling_file *stream, const struct part *part,
                              const struct recovery *recovery, th_error *err)
{
    char temporary[PART_NAME];
    bool is_whole = false;
    part_name(part->name, temporary);
    if (faccessat(stream->dir_fd, temporary, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return TH_OK; /* published, and perhaps removed, before the note was updated */
    const th_status status =
        cut_part(stream, temporary, part->len, recovery, &is_whole, err);
    if (status != TH_OK)
        return status;
    if (!is_whole) {
        recovery->losses->shorter++;
        return set_aside(stream, temporary, err);
    }
    return publish(stream, part->name, err);
}

/* Removes our remaining parts, because they never counted. */
static th_status remove_parts(th_rolling_file *stream, const struct recovery *recovery,
                              th_error *err)
{
    const int fd = openat(stream->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        const th_status status = fail(stream, "read", "", err);
        if (fd >= 0)
            (void)close(fd);
        return status;
    }
    const size_t suffix = strlen(TH_PART_SUFFIX);
    th_status status = TH_OK;
    const struct dirent *entry;
    while (status == TH_OK && (entry = readdir(dir))) {
        const size_t len = strlen(entry->d_name);
        if (len <= suffix || strcmp(entry->d_name + len - suffix, TH_PART_SUFFIX) != 0 ||
            !is_ours(stream, entry->d_name, len - suffix))
            continue;
        if (recovery->is_doubtful) {
            status = set_aside(stream, entry->d_name, err);
            recovery->losses->aside++;
        } else if (unlinkat(stream->dir_fd, entry->d_name, 0) != 0 && errno != ENOENT) {
            status = fail(stream, "remove", entry->d_name, err);
        }
    }
    (void)closedir(dir);
    return status;
}

th_status th_rolling_file_recover(th_rolling_file *stream, th_view note, bool is_doubtful,
                                  th_rolling_losses *losses, th_error *err)
{
    th_status status = TH_OK;
    struct recovery recovery = { .is_doubtful = is_doubtful, .losses = losses };
    while (status == TH_OK && note.len > 0) {
        const char *end = memchr(note.data, '\n', note.len);
        const size_t len = end ? (size_t)(end - note.data) : note.len;
        struct part part = { .len = 0 };
        if (read_line((th_view){ note.data, len }, &part))
            status = recover_part(stream, &part, &recovery, err);
        else
            recovery.is_doubtful = true;
        note.data += end ? len + 1 : len;
        note.len -= end ? len + 1 : len;
    }
    if (status == TH_OK)
        status = remove_parts(stream, &recovery, err);
    if (status == TH_OK)
        status = sync_dir(stream, err);
    return status == TH_NO_ROOM ? TH_IO : status;
}

/* ---- life ---- */

uint64_t th_rolling_file_bytes(const th_rolling_file *stream)
{
    return stream->bytes;
}

uint64_t th_rolling_file_published(const th_rolling_file *stream)
{
    return stream->published;
}

void th_rolling_file_free(th_rolling_file *stream)
{
    if (!stream)
        return;
    close_part(stream);
    if (stream->lock_fd >= 0)
        (void)close(stream->lock_fd);
    if (stream->dir_fd >= 0)
        (void)close(stream->dir_fd);
    free(stream->parts);
    free(stream);
}

/* Makes the folder if it is missing. */
static th_status open_folder(th_rolling_file *stream, th_error *err)
{
    const char *dir = stream->options.dir;
    if (mkdir(dir, 0777) == 0 || errno == EEXIST)
        stream->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return stream->dir_fd >= 0 ? TH_OK
                               : th_fail(err, TH_IO, "cannot open the folder '%s': %s",
                                         dir, strerror(errno));
}

/* Two streams with one prefix would remove each other's parts. */
static th_status lock(th_rolling_file *stream, th_error *err)
{
    char name[TH_ROLLING_NAME + sizeof "..lock"];
    (void)snprintf(name, sizeof name, ".%s.lock", stream->options.prefix);
    stream->lock_fd = openat(stream->dir_fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (stream->lock_fd < 0)
        return th_fail(err, TH_IO, "cannot open '%s/%s': %s", stream->options.dir, name,
                       strerror(errno));
    if (flock(stream->lock_fd, LOCK_EX | LOCK_NB) != 0)
        return th_fail(err, TH_USAGE,
                       "another process writes files with the name '%s' in '%s'",
                       stream->options.prefix, stream->options.dir);
    return TH_OK;
}

th_status th_rolling_file_new(const th_rolling_options *options, th_rolling_file **out,
                              th_error *err)
{
    if (strlen(options->prefix) + strlen(options->suffix) + TIME_DIGITS + SERIAL_DIGITS +
            3 >
        TH_ROLLING_NAME)
        return th_fail(err, TH_USAGE, "'%s' is too long for names of output files",
                       options->prefix);
    th_rolling_file *stream = calloc(1, sizeof *stream);
    if (!stream)
        return th_fail(err, TH_NOMEM, "cannot allocate an output");
    stream->options = *options;
    stream->fd = -1;
    stream->dir_fd = -1;
    stream->lock_fd = -1;
    th_status status = open_folder(stream, err);
    if (status == TH_OK)
        status = lock(stream, err);
    if (status == TH_OK) {
        *out = stream;
        stream = NULL; /* the caller owns it now */
    }
    th_rolling_file_free(stream);
    return status;
}
