/* Which files of a spool directory are complete. See the header for the rules. */
#include "ingest/spool_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_name.h"

enum {
    MAX_FILES = 1 << 20, /* names kept of a folder; the others wait for a later look */
    MAX_PATTERN = 256,
    NEVER = -1
};

/* What a look at a file finds; equal when it is the same file, unchanged. */
struct look {
    uint64_t device, inode, size;
    int64_t written_ns; /* since the epoch */
};

struct file {
    char *name; /* as in the folder */
    struct look look;
    int64_t changed_at; /* ms: first seen as it is now */
    int64_t moved_at;   /* ms: came by a rename, NEVER: not that we know */
    int64_t closed_at;  /* ms: its writer closed it */
    bool is_claimed;    /* NAME.processing */
    bool is_offered;    /* and not changed since */
};

struct th_spool_scan {
    th_spool_scan_options options;
    int dir_fd;
    int notify_fd;      /* -1: no inotify */
    struct file *files; /* sorted by name */
    size_t count, capacity;
    uint64_t open, stale;
    int64_t look_at; /* ms: when to look at the whole folder */
    int64_t due_at;  /* ms: no file can be complete before */
    size_t offered;  /* index of the last one */
    bool is_scanned;
};

static int64_t now_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- names ---- */

static bool fits_patterns(const th_spool_scan *scan, const char *name)
{
    const char *at = scan->options.patterns;
    while (*at) {
        char pattern[MAX_PATTERN];
        const size_t len = strcspn(at, " ");
        if (len > 0 && len < sizeof pattern) {
            memcpy(pattern, at, len);
            pattern[len] = '\0';
            if (fnmatch(pattern, name, FNM_PERIOD) == 0)
                return true;
        }
        at += len + (at[len] != '\0');
    }
    return false;
}

/* Names that say "not finished", and our own, whatever the patterns are. */
static bool is_excluded(const char *name)
{
    static const char *const suffixes[] = { ".open", ".tmp", ".part", ".invalid",
                                            ".reason" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (th_file_name_ends(name, suffixes[i]))
            return true;
    return name[0] == '.' || strlen(name) >= TH_SPOOL_NAME - sizeof TH_SPOOL_CLAIMED;
}

/* The name a file had before it was claimed; "" when it is too long. */
static void strip_claimed(const char *name, char out[TH_SPOOL_NAME])
{
    const size_t len = strlen(name) - strlen(TH_SPOOL_CLAIMED);
    out[0] = '\0';
    if (len >= TH_SPOOL_NAME)
        return;
    memcpy(out, name, len);
    out[len] = '\0';
}

static bool is_wanted(const th_spool_scan *scan, const char *name, bool *is_claimed)
{
    char base[TH_SPOOL_NAME];
    *is_claimed = th_file_name_ends(name, TH_SPOOL_CLAIMED);
    if (!*is_claimed)
        return !is_excluded(name) && fits_patterns(scan, name);
    strip_claimed(name, base);
    return base[0] && !is_excluded(base) && fits_patterns(scan, base);
}

/* ---- looks ---- */

/* Looks at a file; false when it is gone or no regular file. */
static bool look_at(const th_spool_scan *scan, const char *name, struct look *look)
{
    struct stat facts;
    if (fstatat(scan->dir_fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(facts.st_mode))
        return false;
    *look = (struct look){ .device = facts.st_dev,
                           .inode = facts.st_ino,
                           .size = (uint64_t)facts.st_size,
                           .written_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 +
                                         facts.st_mtim.tv_nsec };
    return true;
}

static bool is_same(const struct look *a, const struct look *b)
{
    return a->inode == b->inode && a->size == b->size && a->written_ns == b->written_ns &&
           a->device == b->device;
}

/* It is not what it was: its story begins anew. */
static void restart(struct file *file, const struct look *look, int64_t now)
{
    file->look = *look;
    file->changed_at = now;
    file->moved_at = NEVER;
    file->closed_at = NEVER;
    file->is_offered = false;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When a file will be complete if nothing happens to it, ms. */
static int64_t due_at(const th_spool_scan *scan, const struct file *file, int64_t now)
{
    const th_spool_scan_options *options = &scan->options;
    if (file->is_claimed)
        return now;
    if (file->moved_at != NEVER)
        return file->moved_at + options->settle_ms;
    if (file->closed_at != NEVER)
        return file->closed_at + larger(options->quiet_ms, options->settle_ms);
    const int64_t age = now_ms(CLOCK_REALTIME) - file->look.written_ns / 1000000;
    const int64_t second_look = file->changed_at + options->settle_ms;
    /* A clock that runs ahead on a file server must not keep a file waiting for ever. */
    const int64_t watched =
        file->changed_at + larger(options->min_age_ms, options->settle_ms);
    return smaller(watched,
                   larger(second_look, now + (int64_t)options->min_age_ms - age));
}

/* ---- the table ---- */

/* Index of a name, or of where it belongs. */
static size_t place_of(const th_spool_scan *scan, const char *name, bool *is_there)
{
    size_t low = 0, high = scan->count;
    *is_there = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(scan->files[middle].name, name);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static th_status make_room(th_spool_scan *scan)
{
    if (scan->count < scan->capacity)
        return TH_OK;
    const size_t capacity = scan->capacity ? scan->capacity * 2 : 64;
    struct file *files = realloc(scan->files, capacity * sizeof *files);
    if (!files)
        return TH_NOMEM;
    scan->files = files;
    scan->capacity = capacity;
    return TH_OK;
}

/* Puts a file that was not known at `place`. */
static th_status add_file(th_spool_scan *scan, size_t place, const char *name,
                          bool is_claimed, const struct look *look, int64_t now)
{
    char *copy = make_room(scan) == TH_OK ? strdup(name) : NULL;
    if (!copy)
        return TH_NOMEM;
    memmove(&scan->files[place + 1], &scan->files[place],
            (scan->count - place) * sizeof *scan->files);
    scan->files[place] = (struct file){ .name = copy, .is_claimed = is_claimed };
    restart(&scan->files[place], look, now);
    scan->count++;
    return TH_OK;
}

static void remove_file(th_spool_scan *scan, size_t place)
{
    free(scan->files[place].name);
    scan->count--;
    memmove(&scan->files[place], &scan->files[place + 1],
            (scan->count - place) * sizeof *scan->files);
}

/* ---- the whole folder ---- */

/* Names of the folder, sorted, while they are merged into the table. */
struct listing {
    char **names;
    size_t count, capacity;
};

static void listing_done(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->names[i]);
    free(listing->names);
}

static th_status list_name(struct listing *listing, const char *name)
{
    if (listing->count == listing->capacity) {
        const size_t capacity = listing->capacity ? listing->capacity * 2 : 64;
        char **names = realloc(listing->names, capacity * sizeof *names);
        if (!names)
            return TH_NOMEM;
        listing->names = names;
        listing->capacity = capacity;
    }
    listing->names[listing->count] = strdup(name);
    return listing->names[listing->count++] ? TH_OK : TH_NOMEM;
}

static void count_open(th_spool_scan *scan, const char *name)
{
    struct look look;
    if (!look_at(scan, name, &look))
        return;
    const int64_t age = now_ms(CLOCK_REALTIME) - look.written_ns / 1000000;
    scan->open++;
    scan->stale += age > 0 && (uint64_t)age > scan->options.stale_ms;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static th_status list_folder(th_spool_scan *scan, struct listing *listing, th_error *err)
{
    /* A descriptor of its own: one that is read twice would have to be rewound. */
    const int fd = openat(scan->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        const int error = errno;
        if (fd >= 0)
            (void)close(fd);
        return th_fail(err, TH_IO, "cannot read the spool '%s': %s", scan->options.dir,
                       strerror(error));
    }
    th_status status = TH_OK;
    const struct dirent *entry;
    bool is_claimed;
    scan->open = 0;
    scan->stale = 0;
    while (status == TH_OK && listing->count < MAX_FILES && (entry = readdir(dir))) {
        if (is_wanted(scan, entry->d_name, &is_claimed))
            status = list_name(listing, entry->d_name);
        else if (entry->d_name[0] != '.' && th_file_name_ends(entry->d_name, ".open"))
            count_open(scan, entry->d_name);
    }
    (void)closedir(dir);
    if (status != TH_OK)
        return th_fail(err, status, "cannot list the spool '%s'", scan->options.dir);
    if (listing->count > 1)
        qsort(listing->names, listing->count, sizeof *listing->names, compare_names);
    return TH_OK;
}

/* Makes the table what the listing says; takes names over from both. */
static th_status merge(th_spool_scan *scan, struct listing *listing, int64_t now)
{
    struct file *files = calloc(listing->count + 1, sizeof *files);
    if (!files)
        return TH_NOMEM;
    size_t count = 0, old = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct look look;
        int order = 1;
        while (old < scan->count &&
               (order = strcmp(scan->files[old].name, listing->names[i])) < 0)
            free(scan->files[old++].name);
        if (!look_at(scan, listing->names[i], &look))
            continue;
        struct file *file = &files[count++];
        if (old < scan->count && order == 0) {
            *file = scan->files[old++];
        } else {
            *file = (struct file){ .name = listing->names[i] };
            listing->names[i] = NULL;
            (void)is_wanted(scan, file->name, &file->is_claimed);
            restart(file, &look, now);
        }
        if (!is_same(&file->look, &look))
            restart(file, &look, now);
        if (file->is_claimed)
            file->is_offered = false; /* its owner may have died since */
    }
    while (old < scan->count)
        free(scan->files[old++].name);
    free(scan->files);
    scan->files = files;
    scan->count = count;
    scan->capacity = listing->count + 1;
    return TH_OK;
}

static th_status look_at_all(th_spool_scan *scan, th_error *err)
{
    const int64_t now = now_ms(CLOCK_MONOTONIC);
    struct listing listing = { NULL, 0, 0 };
    struct stat facts;
    if (fstat(scan->dir_fd, &facts) != 0 || facts.st_nlink == 0)
        return th_fail(err, TH_IO, "the spool '%s' has been removed", scan->options.dir);
    th_status status = list_folder(scan, &listing, err);
    if (status == TH_OK && merge(scan, &listing, now) != TH_OK)
        status = th_fail(err, TH_NOMEM, "cannot list the spool '%s'", scan->options.dir);
    listing_done(&listing);
    scan->look_at = now + scan->options.rescan_ms;
    scan->due_at = now;
    scan->is_scanned = scan->is_scanned || status == TH_OK;
    return status;
}

/* ---- news ---- */

static th_status take_news(th_spool_scan *scan, const char *name, uint32_t mask,
                           int64_t now)
{
    struct look look;
    bool is_claimed, is_known;
    if (!is_wanted(scan, name, &is_claimed) || is_claimed || !look_at(scan, name, &look))
        return TH_OK;
    const size_t place = place_of(scan, name, &is_known);
    if (!is_known) {
        if (scan->count >= MAX_FILES)
            return TH_OK;
        if (add_file(scan, place, name, false, &look, now) != TH_OK)
            return TH_NOMEM;
    }
    struct file *file = &scan->files[place];
    if (file->is_offered && is_same(&file->look, &look))
        return TH_OK; /* closed by a reader, or our own rename back */
    restart(file, &look, now);
    if (mask & IN_MOVED_TO)
        file->moved_at = now;
    else
        file->closed_at = now;
    scan->due_at = now;
    return TH_OK;
}

/* Takes up all that inotify has to tell; an overflow asks for a look at the whole folder.
 */
static th_status hear_news(th_spool_scan *scan, th_error *err)
{
    _Alignas(struct inotify_event) char bytes[16 << 10];
    ssize_t got;
    while (scan->notify_fd >= 0 &&
           (got = read(scan->notify_fd, bytes, sizeof bytes)) > 0) {
        const int64_t now = now_ms(CLOCK_MONOTONIC);
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event =
                (const struct inotify_event *)(const void *)(bytes + at);
            at += (ssize_t)(sizeof *event + event->len);
            if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED))
                scan->look_at = now;
            else if (event->len && !(event->mask & IN_ISDIR) &&
                     take_news(scan, event->name, event->mask, now) != TH_OK)
                return th_fail(err, TH_NOMEM, "cannot note a file of the spool");
        }
    }
    return TH_OK;
}

th_status th_spool_scan_step(th_spool_scan *scan, th_error *err)
{
    const th_status status = hear_news(scan, err);
    if (status != TH_OK || now_ms(CLOCK_MONOTONIC) < scan->look_at)
        return status;
    return look_at_all(scan, err);
}

bool th_spool_scan_next(th_spool_scan *scan, char name[TH_SPOOL_NAME], bool *is_claimed)
{
    const int64_t now = now_ms(CLOCK_MONOTONIC);
    if (now < scan->due_at)
        return false;
    int64_t earliest = INT64_MAX;
    for (size_t i = 0; i < scan->count; i++) {
        struct file *file = &scan->files[i];
        struct look look;
        if (file->is_offered)
            continue;
        const int64_t due = due_at(scan, file, now);
        if (due > now) {
            earliest = smaller(earliest, due);
            continue;
        }
        /* The last look, by the same name. */
        if (!look_at(scan, file->name, &look)) {
            remove_file(scan, i--);
            continue;
        }
        if (!is_same(&look, &file->look)) {
            restart(file, &look, now);
            earliest = smaller(earliest, due_at(scan, file, now));
            continue;
        }
        file->is_offered = true;
        scan->offered = i;
        *is_claimed = file->is_claimed;
        if (file->is_claimed)
            strip_claimed(file->name, name);
        else
            memcpy(name, file->name, strlen(file->name) + 1);
        return true;
    }
    scan->due_at = earliest;
    return false;
}

void th_spool_scan_later(th_spool_scan *scan)
{
    if (scan->offered >= scan->count)
        return;
    struct file *file = &scan->files[scan->offered];
    if (!file->is_claimed) /* those come with the next look at the folder */
        restart(file, &file->look, now_ms(CLOCK_MONOTONIC));
}

void th_spool_scan_wait(const th_spool_scan *scan, int timeout_ms)
{
    const int64_t now = now_ms(CLOCK_MONOTONIC);
    const int64_t next = smaller(scan->due_at, scan->look_at);
    int64_t wait = timeout_ms;
    if (next < now + wait)
        wait = larger(next - now, 0);
    /* Something is due and was not taken: not so fast, or the caller's loop spins. */
    if (wait == 0 && timeout_ms > 0)
        wait = 1;
    struct pollfd news = { .fd = scan->notify_fd, .events = POLLIN };
    (void)poll(&news, 1, (int)wait);
}

void th_spool_scan_facts_get(const th_spool_scan *scan, th_spool_scan_facts *out)
{
    const int64_t now = now_ms(CLOCK_REALTIME);
    *out = (th_spool_scan_facts){ .open = scan->open,
                                  .stale = scan->stale,
                                  .is_scanned = scan->is_scanned };
    for (size_t i = 0; i < scan->count; i++) {
        const struct file *file = &scan->files[i];
        const int64_t age_ms = now - file->look.written_ns / 1000000;
        const double age = (double)age_ms / 1000;
        out->claimed += file->is_claimed;
        if (file->is_claimed || file->is_offered)
            continue;
        out->pending++;
        if (age > out->oldest_pending_seconds)
            out->oldest_pending_seconds = age;
    }
}

int th_spool_scan_dir(const th_spool_scan *scan)
{
    return scan->dir_fd;
}

void th_spool_scan_close(th_spool_scan *scan)
{
    if (!scan)
        return;
    for (size_t i = 0; i < scan->count; i++)
        free(scan->files[i].name);
    free(scan->files);
    if (scan->notify_fd >= 0)
        (void)close(scan->notify_fd);
    if (scan->dir_fd >= 0)
        (void)close(scan->dir_fd);
    free(scan);
}

th_status th_spool_scan_open(const th_spool_scan_options *options, th_spool_scan **out,
                             th_error *err)
{
    th_spool_scan *scan = calloc(1, sizeof *scan);
    if (!scan)
        return th_fail(err, TH_NOMEM, "cannot allocate a spool");
    scan->options = *options;
    scan->dir_fd = open(options->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scan->dir_fd < 0) {
        free(scan);
        return th_fail(err, TH_IO, "cannot open the spool '%s': %s", options->dir,
                       strerror(errno));
    }
    /* No watch (a limit, a file system that has none): looking must do. */
    scan->notify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (scan->notify_fd >= 0 && inotify_add_watch(scan->notify_fd, options->dir,
                                                  IN_MOVED_TO | IN_CLOSE_WRITE) < 0) {
        (void)close(scan->notify_fd);
        scan->notify_fd = -1;
    }
    *out = scan;
    return TH_OK;
}
