/* Which files of a spool directory are complete. See the header for the rules. */
#include "spool/spool_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file_name.h"
#include "base/order.h"
#include "spool/spool_tree.h"

enum {
    MAX_FILES = 1 << 20, /* names kept; the others wait for a later look */
    MAX_NAME = 255,      /* bytes of a name in its folder */
    AGAIN_MS = 1000,     /* after a look that could not be finished */
    FEW_FILES = 1000,    /* up to this number files are counted at each request */
    COUNT_MS = 100,      /* more files than that are counted at most this often */
    NEVER = -1
};

/* Findings about a file. They are equal if it is the same file, unchanged. */
struct look {
    uint64_t device, inode, size;
    int64_t written_ns; /* since the epoch */
};

struct file {
    char *name; /* path below the spool */
    struct look look;
    int64_t changed_at; /* ms: first seen as it is now */
    int64_t moved_at;   /* ms: came by a rename, NEVER: not that we know */
    int64_t closed_at;  /* ms: its writer closed it */
    bool is_claimed;    /* NAME.processing */
    bool is_offered;    /* was offered and has not changed since */
    bool is_waiting;    /* held by th_spool_scan_hold */
    int64_t query_at;   /* ms: not offered again before this time */
};

/* A folder that inotify watches. */
struct watch {
    int number;
    char *path; /* below the spool */
};

struct th_spool_scan {
    th_spool_scan_options options;
    int dir_fd;
    int notify_fd; /* -1: no inotify */
    th_spool_tree tree;
    struct watch *watches; /* of the last look */
    size_t watch_count, watch_capacity;
    struct file *files; /* sorted by name */
    size_t count, capacity;
    struct file *fresh; /* not sorted in yet, in the order of their events */
    size_t fresh_count, fresh_capacity;
    uint64_t open, stale;
    int64_t look_at; /* ms: when to look at the whole folder */
    int64_t due_at;  /* ms: no file can be complete before */
    size_t cursor;   /* of the present pass through the files; 0: none has begun */
    int64_t next_at; /* ms: when the first file that this pass has left is due */
    size_t offered;  /* index of the last one */
    uint64_t looks;
    th_spool_scan_stats counted; /* at counted_at, ms */
    int64_t counted_at;
    bool is_scanned;
    bool is_short;      /* of descriptors: said once while it lasts */
    bool has_long_name; /* said once */
};

/* ---- names ---- */

/* Names that mean "not finished", and our own. Excluded regardless of the patterns. */
static bool is_excluded(const char *name)
{
    static const char *const suffixes[] = { ".open", ".tmp", ".part", ".invalid",
                                            ".reason" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (th_file_name_ends(name, suffixes[i]))
            return true;
    return name[0] == '.';
}

/* Whether a name has no room for the suffix of a claim. */
static bool is_too_long(const char *name)
{
    return strlen(name) > MAX_NAME - strlen(TH_SPOOL_CLAIMED);
}

static bool is_wanted(const th_spool_scan *scan, const char *path, bool *is_claimed)
{
    char base[TH_SPOOL_NAME];
    *is_claimed = th_file_name_ends(path, TH_SPOOL_CLAIMED);
    const size_t len = strlen(path) - (*is_claimed ? strlen(TH_SPOOL_CLAIMED) : 0);
    if (len >= TH_SPOOL_NAME)
        return false;
    memcpy(base, path, len);
    base[len] = '\0';
    return !is_excluded(th_last_name(base)) && !is_too_long(th_last_name(base)) &&
           th_file_name_fits(th_last_name(base), scan->options.patterns);
}

/* Warns once of names that are too long. */
static void warn_of_name(th_spool_scan *scan, const char *path, const char *name)
{
    if (scan->has_long_name || !is_too_long(name) || is_excluded(name) ||
        !th_file_name_fits(name, scan->options.patterns))
        return;
    scan->has_long_name = true;
    if (scan->options.warn)
        scan->options.warn(scan->options.context, path,
                           "skipped because its name is too long");
}

/* ---- looks ---- */

/* Looks at a file; false when it is gone or no regular file. */
static bool look_at(const th_spool_scan *scan, const char *name, struct look *look)
{
    struct stat facts;
    if (fstatat(scan->dir_fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(facts.st_mode))
        return false;
    *look = (struct look){ .device = (uint64_t)facts.st_dev,
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

/* The file has changed: all that was noted of it starts again. */
static void restart(struct file *file, const struct look *look, int64_t now)
{
    file->look = *look;
    file->changed_at = now;
    file->moved_at = NEVER;
    file->closed_at = NEVER;
    file->is_offered = false;
    file->is_waiting = false;
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
    if (file->is_waiting)
        return file->query_at;
    if (file->is_claimed)
        return now;
    if (file->moved_at != NEVER)
        return file->moved_at + options->settle_ms;
    if (file->closed_at != NEVER)
        return file->closed_at + larger(options->quiet_ms, options->settle_ms);
    const int64_t age = th_clock_ms(CLOCK_REALTIME) - file->look.written_ns / 1000000;
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

/* Restarts the pass through the files, because one of them may be due now. */
static void begin_pass(th_spool_scan *scan)
{
    scan->cursor = 0;
    scan->next_at = INT64_MAX;
    scan->due_at = 0;
}

/* Notes a file that was not known; it is sorted in by sort_in_fresh. */
static struct file *add_fresh(th_spool_scan *scan, const char *name, bool is_claimed,
                              const struct look *look, int64_t now)
{
    if (!TH_HAS_CAPACITY(scan->fresh, scan->fresh_count, scan->fresh_capacity))
        return NULL;
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    struct file *file = &scan->fresh[scan->fresh_count++];
    *file = (struct file){ .name = copy, .is_claimed = is_claimed };
    restart(file, look, now);
    return file;
}

static int compare_files(const void *left, const void *right)
{
    const struct file *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    if (order != 0)
        return order;
    /* The last event of a name counts, so it is put first. */
    return (a->changed_at < b->changed_at) - (a->changed_at > b->changed_at);
}

static void forget_fresh(th_spool_scan *scan)
{
    for (size_t i = 0; i < scan->fresh_count; i++)
        free(scan->fresh[i].name);
    scan->fresh_count = 0;
}

/* Sorts the new files in, from the end, in place. A later look finds the files that do
 * not fit now. */
static th_status sort_in_fresh(th_spool_scan *scan)
{
    size_t fresh = 0;
    if (scan->fresh_count == 0)
        return TH_OK;
    qsort(scan->fresh, scan->fresh_count, sizeof *scan->fresh, compare_files);
    for (size_t i = 0; i < scan->fresh_count; i++) {
        if ((fresh > 0 &&
             strcmp(scan->fresh[fresh - 1].name, scan->fresh[i].name) == 0) ||
            scan->count + fresh >= MAX_FILES)
            free(scan->fresh[i].name);
        else
            scan->fresh[fresh++] = scan->fresh[i];
    }
    scan->fresh_count = fresh;
    if (scan->count + fresh > scan->capacity) {
        const size_t capacity = 2 * scan->capacity > scan->count + fresh
                                    ? 2 * scan->capacity
                                    : scan->count + fresh;
        struct file *files = realloc(scan->files, capacity * sizeof *files);
        if (!files) {
            forget_fresh(scan);
            return TH_NOMEM;
        }
        scan->files = files;
        scan->capacity = capacity;
    }
    size_t old = scan->count, to = scan->count + fresh;
    while (fresh > 0) {
        const bool is_old =
            old > 0 && strcmp(scan->files[old - 1].name, scan->fresh[fresh - 1].name) > 0;
        scan->files[--to] = is_old ? scan->files[--old] : scan->fresh[--fresh];
    }
    scan->count += scan->fresh_count;
    scan->fresh_count = 0;
    begin_pass(scan);
    return TH_OK;
}

/* ---- all folders ---- */

/* Paths of files, sorted, while they are merged into the table. */
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
    if (!TH_HAS_CAPACITY(listing->names, listing->count, listing->capacity))
        return TH_NOMEM;
    listing->names[listing->count] = strdup(name);
    return listing->names[listing->count++] ? TH_OK : TH_NOMEM;
}

static void count_open(th_spool_scan *scan, const char *name)
{
    struct look look;
    if (!look_at(scan, name, &look))
        return;
    const int64_t age = th_clock_ms(CLOCK_REALTIME) - look.written_ns / 1000000;
    scan->open++;
    scan->stale += age > 0 && (uint64_t)age > scan->options.stale_ms;
}

/* ---- watches ---- */

static void forget_watches(struct watch *watches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(watches[i].path);
    free(watches);
}

static int compare_watches(const void *left, const void *right)
{
    const struct watch *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static const struct watch *find_watch(const th_spool_scan *scan, int number)
{
    const struct watch key = { .number = number };
    return scan->watch_count ? bsearch(&key, scan->watches, scan->watch_count, sizeof key,
                                       compare_watches)
                             : NULL;
}

/* Without a watch (a limit, no memory) rescans alone find the folder's files. */
static void watch_folder(th_spool_scan *scan, const char *path)
{
    char whole[PATH_MAX];
    if (scan->notify_fd < 0)
        return;
    const int len = snprintf(whole, sizeof whole, "%s/%s", scan->options.dir, path);
    if (len < 0 || (size_t)len >= sizeof whole)
        return;
    const int number = inotify_add_watch(scan->notify_fd, whole,
                                         IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE |
                                             IN_ONLYDIR | (*path ? IN_DONT_FOLLOW : 0u));
    if (number < 0)
        return;
    if (!TH_HAS_CAPACITY(scan->watches, scan->watch_count, scan->watch_capacity))
        return;
    char *copy = strdup(path);
    if (copy)
        scan->watches[scan->watch_count++] = (struct watch){ number, copy };
}

/* ---- listing ---- */

/* Results of a walk through the folders. */
struct walk {
    th_spool_scan *scan;
    struct listing *listing;
};

static void enter_folder(void *context, const char *path)
{
    const struct walk *walk = context;
    watch_folder(walk->scan, path);
}

static th_status meet_file(void *context, const char *path, const char *name)
{
    const struct walk *walk = context;
    bool is_claimed;
    if (walk->listing->count < MAX_FILES && is_wanted(walk->scan, path, &is_claimed))
        return list_name(walk->listing, path);
    if (th_file_name_ends(name, ".open"))
        count_open(walk->scan, path);
    warn_of_name(walk->scan, path, name);
    return TH_OK;
}

/* Lists all folders and watches them; folders that are gone are watched no more. */
static th_status list_folders(th_spool_scan *scan, struct listing *listing, th_error *err)
{
    struct walk walk = { scan, listing };
    const th_spool_visitor visitor = { .folder = enter_folder,
                                       .file = meet_file,
                                       .context = &walk };
    struct watch *old = scan->watches;
    const size_t old_count = scan->watch_count;
    scan->watches = NULL;
    scan->watch_count = 0;
    scan->watch_capacity = 0;
    scan->open = 0;
    scan->stale = 0;
    const th_status status = th_spool_tree_walk(&scan->tree, scan->dir_fd, &visitor, err);
    if (scan->watch_count > 1)
        qsort(scan->watches, scan->watch_count, sizeof *scan->watches, compare_watches);
    for (size_t i = 0; i < old_count && status == TH_OK; i++)
        if (!find_watch(scan, old[i].number))
            (void)inotify_rm_watch(scan->notify_fd, old[i].number);
    forget_watches(old, old_count);
    if (listing->count > 1)
        qsort(listing->names, listing->count, sizeof *listing->names, th_order_names);
    return status;
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

/* Schedules another look soon, because no descriptor is free. The known files are
 * kept. */
static th_status look_later(th_spool_scan *scan, const char *why)
{
    scan->look_at = th_now_ms() + AGAIN_MS;
    if (!scan->is_short && scan->options.warn)
        scan->options.warn(scan->options.context, "", why);
    scan->is_short = true;
    return TH_OK;
}

static th_status look_at_all(th_spool_scan *scan, th_error *err)
{
    const int64_t now = th_now_ms();
    struct listing listing = { NULL, 0, 0 };
    th_error why = { .text = "" };
    th_status status = list_folders(scan, &listing, &why);
    if (status == TH_OK && merge(scan, &listing, now) != TH_OK)
        status = th_fail(&why, TH_NOMEM, "cannot list the spool '%s'", scan->options.dir);
    listing_done(&listing);
    if (status == TH_NO_ROOM)
        return look_later(scan, why.text);
    scan->look_at = now + scan->options.rescan_ms;
    begin_pass(scan);
    scan->looks += status == TH_OK;
    scan->is_scanned = scan->is_scanned || status == TH_OK;
    scan->is_short = false;
    if (status != TH_OK && err)
        *err = why;
    return status;
}

/* ---- news ---- */

/* Whether an event tells nothing new: our own rename back, or a reader that closes. A
 * writer that closes a held file does. */
static bool is_old_news(const struct file *file, const struct look *look, uint32_t mask)
{
    return (file->is_offered || (file->is_waiting && (mask & IN_MOVED_TO))) &&
           is_same(&file->look, look);
}

static th_status take_news(th_spool_scan *scan, const char *name, uint32_t mask,
                           int64_t now)
{
    struct look look;
    bool is_claimed, is_known;
    if (!is_wanted(scan, name, &is_claimed) || is_claimed || !look_at(scan, name, &look))
        return TH_OK;
    const size_t place = place_of(scan, name, &is_known);
    struct file *file = is_known ? &scan->files[place] : NULL;
    if (file && is_old_news(file, &look, mask))
        return TH_OK;
    if (!file)
        file = add_fresh(scan, name, false, &look, now);
    if (!file)
        return TH_NOMEM;
    restart(file, &look, now);
    if (mask & IN_MOVED_TO)
        file->moved_at = now;
    else
        file->closed_at = now;
    begin_pass(scan);
    return TH_OK;
}

/* Handles an event. A new folder is searched once its first files exist. */
static th_status take_event(th_spool_scan *scan, const struct inotify_event *event,
                            int64_t now)
{
    char path[TH_SPOOL_NAME];
    const struct watch *watch = find_watch(scan, event->wd);
    if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED))
        scan->look_at = now;
    else if ((event->mask & IN_ISDIR) && scan->options.has_subfolders)
        scan->look_at = smaller(scan->look_at, now + scan->options.settle_ms);
    if (!watch || !event->len || (event->mask & IN_ISDIR) ||
        !(event->mask & (IN_MOVED_TO | IN_CLOSE_WRITE)))
        return TH_OK;
    const int len = snprintf(path, sizeof path, "%s%s%s", watch->path,
                             *watch->path ? "/" : "", event->name);
    if (len < 0 || (size_t)len >= sizeof path)
        return TH_OK;
    return take_news(scan, path, event->mask, now);
}

/* Takes up all that inotify has to tell; an overflow asks for a look at everything. */
static th_status hear_news(th_spool_scan *scan, th_error *err)
{
    _Alignas(struct inotify_event) char bytes[16 << 10];
    ssize_t got;
    while (scan->notify_fd >= 0 &&
           (got = read(scan->notify_fd, bytes, sizeof bytes)) > 0) {
        const int64_t now = th_now_ms();
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event =
                (const struct inotify_event *)(const void *)(bytes + at);
            at += (ssize_t)(sizeof *event + event->len);
            if (take_event(scan, event, now) != TH_OK)
                return th_fail(err, TH_NOMEM, "out of memory for a file of the spool");
        }
    }
    return sort_in_fresh(scan) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for the files of the spool");
}

th_status th_spool_scan_step(th_spool_scan *scan, th_error *err)
{
    const th_status status = hear_news(scan, err);
    if (status != TH_OK || th_now_ms() < scan->look_at)
        return status;
    return look_at_all(scan, err);
}

/* Looks at a file for the last time before it is offered, by the same name. */
static bool is_complete(th_spool_scan *scan, struct file *file, int64_t now)
{
    struct look look;
    const int64_t due = due_at(scan, file, now);
    if (due > now) {
        scan->next_at = smaller(scan->next_at, due);
        return false;
    }
    if (!look_at(scan, file->name, &look)) {
        /* It is gone, until the next look or an event of its name. */
        file->look = (struct look){ .size = 0 };
        file->is_offered = true;
        file->is_waiting = false;
        return false;
    }
    if (is_same(&look, &file->look))
        return true;
    restart(file, &look, now);
    scan->next_at = smaller(scan->next_at, due_at(scan, file, now));
    return false;
}

bool th_spool_scan_next(th_spool_scan *scan, th_spool_offer *offer)
{
    const int64_t now = th_now_ms();
    if (scan->cursor == 0 && now < scan->due_at)
        return false;
    while (scan->cursor < scan->count) {
        struct file *file = &scan->files[scan->cursor++];
        if (file->is_offered || !is_complete(scan, file, now))
            continue;
        scan->offered = scan->cursor - 1;
        *offer = (th_spool_offer){ .is_claimed = file->is_claimed,
                                   .was_held = file->is_waiting,
                                   .device = file->look.device,
                                   .inode = file->look.inode };
        (void)snprintf(offer->present, sizeof offer->present, "%s", file->name);
        file->is_offered = true;
        file->is_waiting = false;
        return true;
    }
    const int64_t next_at = scan->next_at;
    begin_pass(scan);
    scan->due_at = next_at;
    return false;
}

/* A file that this pass has been at will be due. */
static void query_again(th_spool_scan *scan, const struct file *file)
{
    const int64_t at = due_at(scan, file, th_now_ms());
    scan->next_at = smaller(scan->next_at, at);
    scan->due_at = smaller(scan->due_at, at);
}

void th_spool_scan_later(th_spool_scan *scan)
{
    if (scan->offered >= scan->count)
        return;
    struct file *file = &scan->files[scan->offered];
    if (file->is_claimed) /* those come with the next look at the folder */
        return;
    restart(file, &file->look, th_now_ms());
    query_again(scan, file);
}

void th_spool_scan_hold(th_spool_scan *scan, const char *present, uint32_t delay_ms)
{
    const int64_t now = th_now_ms();
    struct look look;
    bool is_claimed, is_known;
    if (!is_wanted(scan, present, &is_claimed) || !look_at(scan, present, &look))
        return;
    size_t place = place_of(scan, present, &is_known);
    if (!is_known) {
        if (!add_fresh(scan, present, is_claimed, &look, now) ||
            sort_in_fresh(scan) != TH_OK)
            return; /* the next look finds it */
        place = place_of(scan, present, &is_known);
        if (!is_known)
            return;
    }
    struct file *file = &scan->files[place];
    restart(file, &look, now);
    file->is_waiting = true;
    file->query_at = now + delay_ms;
    query_again(scan, file);
}

void th_spool_scan_hurry(th_spool_scan *scan)
{
    scan->look_at = 0;
}

uint64_t th_spool_scan_looks(const th_spool_scan *scan)
{
    return scan->looks;
}

void th_spool_scan_visit(const th_spool_scan *scan,
                         void (*visit)(void *context, uint64_t device, uint64_t inode),
                         void *context)
{
    for (size_t i = 0; i < scan->count; i++)
        visit(context, scan->files[i].look.device, scan->files[i].look.inode);
}

void th_spool_scan_wait(const th_spool_scan *scan, int timeout_ms)
{
    const int64_t now = th_now_ms();
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

static th_spool_scan_stats count_files(const th_spool_scan *scan)
{
    const int64_t now = th_clock_ms(CLOCK_REALTIME);
    th_spool_scan_stats counted = { .pending = 0 };
    for (size_t i = 0; i < scan->count; i++) {
        const struct file *file = &scan->files[i];
        const int64_t age_ms = now - file->look.written_ns / 1000000;
        const double age = (double)age_ms / 1000;
        counted.claimed += file->is_claimed;
        counted.waiting += file->is_waiting;
        if (file->is_claimed || file->is_offered || file->is_waiting)
            continue;
        counted.pending++;
        if (age > counted.oldest_pending_seconds)
            counted.oldest_pending_seconds = age;
    }
    return counted;
}

void th_spool_scan_facts_get(th_spool_scan *scan, th_spool_scan_stats *out)
{
    const int64_t now = th_now_ms();
    if (scan->count < FEW_FILES || now - scan->counted_at >= COUNT_MS) {
        scan->counted = count_files(scan);
        scan->counted_at = now;
    }
    *out = scan->counted;
    out->open = scan->open;
    out->stale = scan->stale;
    out->folders = scan->tree.folders;
    out->folders_passed_over = scan->tree.passed_over;
    out->is_scanned = scan->is_scanned;
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
    forget_fresh(scan);
    free(scan->fresh);
    forget_watches(scan->watches, scan->watch_count);
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
    scan->tree.options =
        (th_spool_tree_options){ .dir = options->dir,
                                 .has_subfolders = options->has_subfolders,
                                 .warn = options->warn,
                                 .context = options->context };
    memcpy(scan->tree.options.excluded, options->excluded, sizeof options->excluded);
    /* The spool is watched from the start; the folders below from the first look. Without
     * inotify (a limit, a file system that has none) rescans alone find files. */
    scan->notify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    watch_folder(scan, "");
    *out = scan;
    return TH_OK;
}
