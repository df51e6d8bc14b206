/* A site memory that grows: epochs in memory, a journal and snapshots on disk. */
#include "site/site_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/order.h"
#include "base/state_folder.h"
#include "site/site_table.h"

enum { VERSION = 2, PATH_ROOM = 4096 };

static const char state_magic[16] = "thresher memory";

/* The state of the memory at a mark. */
struct mark {
    uint64_t mark; /* 0 if unused */
    uint64_t other;
    uint64_t records;     /* kept */
    uint64_t segment;     /* of the journal: its first record, */
    uint64_t segment_len; /* and its bytes */
};

struct state {
    char magic[16];
    uint32_t version;
    uint16_t grouping, has_segments;
    uint32_t pages, hashes, min, epoch;
    uint64_t memory;
    struct mark older, newest;
    uint64_t checksum; /* of the bytes before it */
};

/* The head of each entry in the journal. */
struct frame {
    uint32_t len;
    uint32_t checksum;
};

struct th_site_memory {
    th_site_memory_options options;
    char *dir;
    int lock_fd;
    th_site_lookup lookup;

    pthread_rwlock_t table_lock;
    th_site_table table;

    pthread_mutex_t lock; /* guards all members below */
    pthread_cond_t sealed_one;
    uint64_t life;        /* number of rewinds */
    uint64_t sealed;      /* counted records: a multiple of the epoch */
    uint64_t noted;       /* processed records after them */
    th_buffer pending;    /* their entries */
    uint64_t taken;       /* number of the next record that is read */
    uint64_t fresh_bytes; /* of entries since the last snapshot */
    uint64_t forgotten;   /* sites, because of the memory limit */
    bool is_cancelled;

    /* only for the committing thread */
    uint64_t kept;
    th_buffer journal; /* not yet written */
    int journal_fd;
    uint64_t segment, segment_len;
    struct mark older, newest;
    bool is_committed; /* whether newest is */
    bool has_failed;
};

/* ---- names ---- */

static void path_of(const th_site_memory *memory, const char *name, uint64_t number,
                    char out[PATH_ROOM])
{
    (void)snprintf(out, PATH_ROOM, "%s/%s-%020" PRIu64, memory->dir, name, number);
}

/* Calls `take` with the number of each file NAME-N in the folder, in any order. */
static th_status each_file(const th_site_memory *memory, const char *name,
                           void (*take)(void *context, uint64_t number), void *context,
                           th_error *err)
{
    DIR *folder = opendir(memory->dir);
    const size_t len = strlen(name);
    if (!folder)
        return th_fail(err, TH_IO, "cannot read '%.300s': %s", memory->dir,
                       strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *end = NULL;
        if (strncmp(entry->d_name, name, len) != 0 || entry->d_name[len] != '-' ||
            strlen(entry->d_name) != len + 21)
            continue;
        const uint64_t number = strtoull(entry->d_name + len + 1, &end, 10);
        if (end && !*end)
            take(context, number);
    }
    closedir(folder);
    return TH_OK;
}

static void add_number(void *context, uint64_t number)
{
    th_buffer_append(context, (const char *)&number, sizeof number);
}

/* Lists the numbers of the files of a name, ascending. */
static th_status list_files(const th_site_memory *memory, const char *name,
                            th_buffer *numbers, size_t *count, th_error *err)
{
    const th_status status = each_file(memory, name, add_number, numbers, err);
    if (status == TH_OK && numbers->has_failed)
        return th_fail(err, TH_NOMEM, "out of memory");
    *count = numbers->len / sizeof(uint64_t);
    if (*count)
        qsort(numbers->data, *count, sizeof(uint64_t), th_order_uint64);
    return status;
}

/* ---- state ---- */

static void describe(const th_site_memory *memory, struct state *state)
{
    const th_site_memory_options *options = &memory->options;
    *state = (struct state){ .version = VERSION,
                             .grouping = (uint16_t)options->grouping,
                             .has_segments = options->has_segments,
                             .pages = options->limits.pages,
                             .hashes = options->limits.hashes,
                             .min = options->limits.min,
                             .epoch = options->epoch,
                             .memory = options->memory };
    memcpy(state->magic, state_magic, sizeof state_magic);
}

static th_status save_state(const th_site_memory *memory, th_error *err)
{
    struct state state;
    char path[PATH_ROOM];
    describe(memory, &state);
    state.older = memory->older;
    state.newest = memory->newest;
    (void)snprintf(path, sizeof path, "%s/state", memory->dir);
    return th_state_file_save(path, &state, sizeof state, err);
}

static th_status load_state(th_site_memory *memory, th_error *err)
{
    struct state state, now;
    char path[PATH_ROOM];
    (void)snprintf(path, sizeof path, "%s/state", memory->dir);
    const th_status status = th_state_file_load(path, &state, sizeof state, err);
    if (status != TH_OK && status != TH_DAMAGED)
        return status;
    if (status == TH_DAMAGED || memcmp(state.magic, state_magic, sizeof state_magic) != 0)
        return th_fail(err, TH_DAMAGED,
                       "'%.300s' is damaged: the state of the sites is unknown. To "
                       "restart, remove the folder",
                       path);
    if (state.version != VERSION)
        return th_fail(
            err, TH_USAGE,
            "'%.300s' has version %u (expected %d). To restart, remove the folder",
            memory->dir, state.version, VERSION);
    describe(memory, &now);
    if (memcmp(&state, &now, offsetof(struct state, older)) != 0)
        return th_fail(err, TH_USAGE,
                       "'%.300s' was created with other sites options (by, segments, "
                       "pages, hashes, min-pages, epoch or memory)",
                       memory->dir);
    memory->older = state.older;
    memory->newest = state.newest;
    return TH_OK;
}

/* ---- looking up ---- */

static th_status find(void *context, const th_site_name *name, th_site *out)
{
    th_site_memory *memory = context;
    return th_site_table_find(&memory->table, name->number, out);
}

static void hold(void *context, bool is_held)
{
    th_site_memory *memory = context;
    if (is_held)
        pthread_rwlock_rdlock(&memory->table_lock);
    else
        pthread_rwlock_unlock(&memory->table_lock);
}

const th_site_lookup *th_site_memory_lookup(const th_site_memory *memory)
{
    return &memory->lookup;
}

/* ---- sealing ---- */

/* Writes a snapshot, which is used once the records before it are committed. */
static void make_snapshot(th_site_memory *memory)
{
    char path[PATH_ROOM];
    th_error err = { .text = "" };
    th_site_writer *writer = NULL;
    path_of(memory, "sites", memory->sealed, path);
    th_status status = th_site_writer_open(path, memory->options.grouping,
                                           memory->options.has_segments, &writer, &err);
    if (status == TH_OK)
        status = th_site_table_write(&memory->table, writer, &err);
    if (status == TH_OK)
        status = th_site_writer_finish(writer, &err);
    th_site_writer_free(writer);
    if (status != TH_OK && memory->options.warn)
        memory->options.warn(memory->options.warn_context, err.text);
    memory->fresh_bytes = 0; /* also after a failure: the journal has all entries */
}

/* Counts the records of an epoch once all were processed. Later pages see them. */
static th_status seal(th_site_memory *memory)
{
    pthread_rwlock_wrlock(&memory->table_lock);
    th_status status = th_site_table_add(&memory->table, th_buffer_view(&memory->pending),
                                         &memory->options.limits);
    const size_t count = memory->table.count;
    if (status == TH_OK)
        status = th_site_table_bound(&memory->table, memory->options.memory);
    memory->forgotten += count - memory->table.count;
    pthread_rwlock_unlock(&memory->table_lock);
    memory->fresh_bytes += memory->pending.len;
    th_buffer_reset(&memory->pending);
    memory->sealed += memory->options.epoch;
    memory->noted = 0;
    return status;
}

th_site_turn th_site_memory_take(th_site_memory *memory, uint32_t records)
{
    pthread_mutex_lock(&memory->lock);
    const th_site_turn turn = { memory->taken, memory->life };
    memory->taken += records;
    pthread_mutex_unlock(&memory->lock);
    return turn;
}

bool th_site_memory_has_open_turns(th_site_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    const bool has_any = memory->taken != memory->kept;
    pthread_mutex_unlock(&memory->lock);
    return has_any;
}

uint64_t th_site_memory_epoch_end(const th_site_memory *memory, uint64_t number)
{
    return (number / memory->options.epoch + 1) * memory->options.epoch;
}

th_status th_site_memory_wait(th_site_memory *memory, const th_site_turn *turn,
                              uint64_t number)
{
    const uint64_t begin = number / memory->options.epoch * memory->options.epoch;
    pthread_mutex_lock(&memory->lock);
    while (turn->life == memory->life && memory->sealed < begin && !memory->is_cancelled)
        pthread_cond_wait(&memory->sealed_one, &memory->lock);
    const th_status status =
        turn->life == memory->life && memory->is_cancelled ? TH_INTERRUPTED : TH_OK;
    pthread_mutex_unlock(&memory->lock);
    return status;
}

th_status th_site_memory_note(th_site_memory *memory, const th_site_turn *turn,
                              uint32_t records, th_view entries)
{
    th_status status = TH_OK;
    pthread_mutex_lock(&memory->lock);
    if (turn->life == memory->life) {
        th_buffer_append_view(&memory->pending, entries);
        memory->noted += records;
        if (memory->pending.has_failed)
            status = TH_NOMEM;
        else if (memory->noted == memory->options.epoch) {
            status = seal(memory);
            if (status == TH_OK && memory->fresh_bytes >= memory->options.journal_bytes)
                make_snapshot(memory);
            pthread_cond_broadcast(&memory->sealed_one);
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return status;
}

void th_site_memory_cancel(th_site_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    memory->is_cancelled = true;
    pthread_cond_broadcast(&memory->sealed_one);
    pthread_mutex_unlock(&memory->lock);
}

/* ---- the journal ---- */

th_status th_site_memory_keep(th_site_memory *memory, uint32_t records, th_view entries,
                              th_error *err)
{
    for (th_view rest = entries; rest.len;) {
        const th_site_entry *entry = (const th_site_entry *)(const void *)rest.data;
        const size_t len = th_site_entry_len(entry);
        const struct frame frame = { (uint32_t)len,
                                     (uint32_t)XXH3_64bits(rest.data, len) };
        th_buffer_append(&memory->journal, (const char *)&frame, sizeof frame);
        th_buffer_append(&memory->journal, rest.data, len);
        rest = (th_view){ rest.data + len, rest.len - len };
    }
    memory->kept += records;
    return memory->journal.has_failed
               ? th_fail(err, TH_NOMEM, "out of memory for the journal of sites")
               : TH_OK;
}

static th_status open_segment(th_site_memory *memory, uint64_t segment, uint64_t len,
                              th_error *err)
{
    char path[PATH_ROOM];
    if (memory->journal_fd >= 0)
        close(memory->journal_fd);
    path_of(memory, "journal", segment, path);
    memory->journal_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (memory->journal_fd < 0 || ftruncate(memory->journal_fd, (off_t)len) != 0)
        return th_fail(err, TH_IO, "cannot open '%.300s': %s", path, strerror(errno));
    memory->segment = segment;
    memory->segment_len = len;
    return TH_OK;
}

/* If a write fails, the next call overwrites the part that was written. */
static th_status write_journal(th_site_memory *memory, th_error *err)
{
    th_view rest = th_buffer_view(&memory->journal);
    uint64_t at = memory->segment_len;
    while (rest.len) {
        const ssize_t done = pwrite(memory->journal_fd, rest.data, rest.len, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            const bool is_full = done < 0 && (errno == ENOSPC || errno == EDQUOT);
            (void)th_fail(err, TH_IO, "cannot write the journal of sites in '%.300s': %s",
                          memory->dir, strerror(errno));
            return is_full ? TH_NO_ROOM : TH_IO;
        }
        rest = (th_view){ rest.data + done, rest.len - (size_t)done };
        at += (uint64_t)done;
    }
    if (fdatasync(memory->journal_fd) != 0)
        return th_fail(err, TH_IO, "cannot sync the journal of sites in '%.300s': %s",
                       memory->dir, strerror(errno));
    memory->segment_len = at;
    th_buffer_reset(&memory->journal);
    return TH_OK;
}

/* Removes all files older than a committed snapshot. */
static th_status remove_old(th_site_memory *memory, th_error *err)
{
    th_buffer snapshots = { 0 }, segments = { 0 };
    size_t snapshot_count = 0, segment_count = 0;
    uint64_t base = 0;
    char path[PATH_ROOM];
    th_status status = list_files(memory, "sites", &snapshots, &snapshot_count, err);
    if (status == TH_OK)
        status = list_files(memory, "journal", &segments, &segment_count, err);
    const uint64_t *numbers = (const uint64_t *)(const void *)snapshots.data;
    for (size_t i = 0; status == TH_OK && i < snapshot_count; i++)
        if (numbers[i] <= memory->older.records)
            base = numbers[i];
    for (size_t i = 0; status == TH_OK && i < snapshot_count; i++) {
        path_of(memory, "sites", numbers[i], path);
        if (numbers[i] < base)
            (void)unlink(path);
    }
    numbers = (const uint64_t *)(const void *)segments.data;
    for (size_t i = 0; status == TH_OK && i + 1 < segment_count; i++) {
        path_of(memory, "journal", numbers[i], path);
        if (numbers[i + 1] <= base && numbers[i + 1] <= memory->older.segment)
            (void)unlink(path);
    }
    th_buffer_done(&snapshots);
    th_buffer_done(&segments);
    return status;
}

static uint64_t first_mark(void)
{
    uint64_t lot = 0;
    if (getrandom(&lot, sizeof lot, 0) != (ssize_t)sizeof lot)
        lot = (uint64_t)getpid();
    return (lot >> 2) + 1;
}

th_status th_site_memory_prepare(th_site_memory *memory, uint64_t other, uint64_t *mark,
                                 th_error *err)
{
    const struct mark before[2] = { memory->older, memory->newest };
    if (memory->has_failed)
        return th_fail(err, TH_IO, "an earlier operation on the site memory failed");
    if (memory->newest.mark && memory->kept == memory->newest.records &&
        other == memory->newest.other) {
        *mark = memory->newest.mark;
        return TH_OK;
    }
    th_status status = write_journal(memory, err);
    if (status == TH_NO_ROOM)
        return status;
    if (status == TH_OK) {
        if (memory->is_committed)
            memory->older = memory->newest;
        memory->newest = (struct mark){
            .mark = before[1].mark ? before[1].mark + 1 : first_mark(),
            .other = other,
            .records = memory->kept,
            .segment = memory->segment,
            .segment_len = memory->segment_len,
        };
        status = save_state(memory, err);
        if (status != TH_OK) { /* the caller may retry */
            memory->older = before[0];
            memory->newest = before[1];
            return status == TH_IO && (errno == ENOSPC || errno == EDQUOT) ? TH_NO_ROOM
                                                                           : status;
        }
        memory->is_committed = false;
    }
    memory->has_failed = status != TH_OK;
    *mark = memory->newest.mark;
    return status;
}

/* Starts a new segment if the current one is large, so that old ones can be removed. */
void th_site_memory_commit(th_site_memory *memory)
{
    th_error err = { .text = "" };
    memory->is_committed = true;
    if (memory->segment_len < memory->options.journal_bytes)
        return;
    if (remove_old(memory, &err) != TH_OK ||
        (!memory->journal.len && open_segment(memory, memory->kept, 0, &err) != TH_OK)) {
        memory->has_failed = memory->journal_fd < 0;
        if (memory->options.warn)
            memory->options.warn(memory->options.warn_context, err.text);
    }
}

/* ---- going back ---- */

/* Loads the newest snapshot of records that count; younger snapshots are removed. */
static th_status load_snapshot(th_site_memory *memory, uint64_t records, uint64_t *base,
                               th_error *err)
{
    th_buffer numbers = { 0 };
    size_t count = 0;
    char path[PATH_ROOM];
    th_site_file *file = NULL;
    th_status status = list_files(memory, "sites", &numbers, &count, err);
    const uint64_t *row = (const uint64_t *)(const void *)numbers.data;
    bool has_any = false;
    *base = 0;
    for (size_t i = 0; status == TH_OK && i < count; i++) {
        path_of(memory, "sites", row[i], path);
        if (row[i] > records) {
            (void)unlink(path);
            continue;
        }
        has_any = true;
        *base = row[i];
    }
    th_buffer_done(&numbers);
    if (status != TH_OK || !has_any)
        return status;
    path_of(memory, "sites", *base, path);
    status = th_site_file_open(path, memory->options.warn, memory->options.warn_context,
                               &file, err);
    for (uint64_t i = 0; status == TH_OK && i < th_site_file_count(file); i++) {
        th_site site;
        th_buffer scratch = { 0 };
        const th_site_limits limits = { TH_SITE_PAGES_MAX, UINT32_MAX, 1 };
        if (th_site_file_at(file, i, &site) != TH_OK)
            continue; /* told */
        status = th_site_add(&site, NULL, 0, &limits, &scratch);
        if (status == TH_OK)
            status = th_site_table_put(&memory->table, &site, th_buffer_view(&scratch));
        th_buffer_done(&scratch);
    }
    th_site_file_close(file);
    return status == TH_NOMEM ? th_fail(err, status, "out of memory for sites") : status;
}

/* Reads a segment's bytes up to a length. Frees nothing on failure: the caller does. */
static th_status read_segment(const th_site_memory *memory, uint64_t segment,
                              uint64_t len, bool is_last, th_buffer *bytes, th_error *err)
{
    char path[PATH_ROOM];
    struct stat facts;
    path_of(memory, "journal", segment, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    th_status status = TH_OK;
    th_buffer_reset(bytes);
    if (fd < 0 || fstat(fd, &facts) != 0)
        status =
            th_fail(err, TH_DAMAGED, "cannot open '%.300s': %s", path, strerror(errno));
    else if (!is_last)
        len = (uint64_t)facts.st_size;
    else if ((uint64_t)facts.st_size < len)
        status = th_fail(err, TH_DAMAGED,
                         "'%.300s' is truncated: %" PRIu64 " bytes of %" PRIu64, path,
                         (uint64_t)facts.st_size, len);
    if (status == TH_OK && !th_buffer_reserve(bytes, len + 1))
        status = th_fail(err, TH_NOMEM, "out of memory");
    while (status == TH_OK && bytes->len < len) {
        const ssize_t got =
            pread(fd, bytes->data + bytes->len, len - bytes->len, (off_t)bytes->len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            status = th_fail(err, TH_IO, "cannot read '%.300s'", path);
        else
            bytes->len += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    return status;
}

/* Replays the entries of a segment, epoch by epoch, like when they were sealed. Their
 * numbers ascend, and are less than `records`. */
static th_status replay(th_site_memory *memory, uint64_t segment, th_view bytes,
                        uint64_t base, uint64_t records, th_error *err)
{
    size_t at = 0;
    uint64_t min = segment;
    while (at < bytes.len) {
        struct frame frame;
        const th_site_entry *entry =
            (const th_site_entry *)(const void *)(bytes.data + at + sizeof frame);
        const size_t left = bytes.len - at;
        if (left >= sizeof frame)
            memcpy(&frame, bytes.data + at, sizeof frame);
        if (left < sizeof frame + sizeof *entry || frame.len > left - sizeof frame ||
            frame.len < sizeof *entry ||
            (uint32_t)XXH3_64bits(entry, frame.len) != frame.checksum ||
            th_site_entry_len(entry) != frame.len || entry->when <= min ||
            entry->when > records)
            return th_fail(err, TH_DAMAGED,
                           "'%.200s/journal-%020" PRIu64
                           "' is damaged at byte %zu. To restart, remove the folder",
                           memory->dir, segment, at);
        const uint64_t number = entry->when - 1;
        min = entry->when;
        while (number >= base && number >= memory->sealed + memory->options.epoch)
            if (seal(memory) != TH_OK)
                return th_fail(err, TH_NOMEM, "out of memory for sites");
        if (number >= base)
            th_buffer_append(&memory->pending, (const char *)entry, frame.len);
        at += sizeof frame + frame.len;
    }
    return memory->pending.has_failed ? th_fail(err, TH_NOMEM, "out of memory") : TH_OK;
}

static th_status replay_all(th_site_memory *memory, const struct mark *mark,
                            uint64_t base, th_error *err)
{
    th_buffer numbers = { 0 }, bytes = { 0 };
    size_t count = 0;
    char path[PATH_ROOM];
    th_status status = list_files(memory, "journal", &numbers, &count, err);
    const uint64_t *row = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; status == TH_OK && i < count; i++) {
        path_of(memory, "journal", row[i], path);
        if (row[i] > mark->segment || !mark->mark) {
            (void)unlink(path);
            continue;
        }
        status = read_segment(memory, row[i], mark->segment_len, row[i] == mark->segment,
                              &bytes, err);
        if (status == TH_OK)
            status =
                replay(memory, row[i], th_buffer_view(&bytes), base, mark->records, err);
    }
    while (status == TH_OK && memory->sealed + memory->options.epoch <= mark->records)
        if (seal(memory) != TH_OK)
            status = th_fail(err, TH_NOMEM, "out of memory for sites");
    th_buffer_done(&bytes);
    th_buffer_done(&numbers);
    return status;
}

/* Returns the state to go back to, or NULL. Mark 0 is the last committed state. */
static const struct mark *find_mark(const th_site_memory *memory, uint64_t mark)
{
    if (!mark)
        return memory->is_committed ? &memory->newest : &memory->older;
    return th_state_with_mark(&memory->older, &memory->newest, mark);
}

static th_status go_back(th_site_memory *memory, const struct mark *mark, th_error *err)
{
    uint64_t base = 0;
    const uint64_t forgotten = memory->forgotten; /* already reported */
    pthread_rwlock_wrlock(&memory->table_lock);
    th_site_table_done(&memory->table);
    pthread_rwlock_unlock(&memory->table_lock);
    memory->life++;
    memory->is_cancelled = false;
    memory->fresh_bytes = 0;
    th_buffer_reset(&memory->pending);
    th_buffer_reset(&memory->journal);
    th_status status = load_snapshot(memory, mark->records, &base, err);
    memory->sealed = base;
    if (status == TH_OK)
        status = replay_all(memory, mark, base, err);
    memory->forgotten = forgotten;
    memory->noted = mark->records - memory->sealed;
    memory->taken = memory->kept = mark->records;
    if (status == TH_OK)
        status = open_segment(memory, mark->segment, mark->segment_len, err);
    pthread_cond_broadcast(&memory->sealed_one);
    return status;
}

th_status th_site_memory_rewind(th_site_memory *memory, uint64_t mark, uint64_t *other,
                                th_error *err)
{
    const struct mark *found = find_mark(memory, mark);
    if (!found)
        return th_fail(err, TH_USAGE,
                       "the site memory in '%.300s' has no mark %" PRIu64
                       ", because it does not belong to this output",
                       memory->dir, mark);
    const struct mark to = *found, older = memory->older, newest = memory->newest;
    th_status status = TH_OK;
    memory->older = memory->newest = to;
    /* Saved first, so no saved state names data that is cut below, and a run that adds
     * nothing leaves the memory at its mark. */
    if (older.mark != to.mark || newest.mark != to.mark)
        status = save_state(memory, err);
    if (status != TH_OK) { /* the caller may retry */
        memory->older = older;
        memory->newest = newest;
    } else {
        pthread_mutex_lock(&memory->lock);
        status = go_back(memory, &to, err);
        pthread_mutex_unlock(&memory->lock);
    }
    memory->has_failed = status != TH_OK;
    if (status != TH_OK)
        return status;
    memory->is_committed = true;
    if (other)
        *other = to.other;
    return TH_OK;
}

bool th_site_memory_knows(const th_site_memory *memory, uint64_t mark)
{
    return th_state_with_mark(&memory->older, &memory->newest, mark) != NULL;
}

uint64_t th_site_memory_mark(const th_site_memory *memory)
{
    return memory->newest.mark;
}

/* ---- opening ---- */

/* Checks that a folder without a state contains no files of a memory. */
static th_status check_fresh(const th_site_memory *memory, th_error *err)
{
    th_buffer numbers = { 0 };
    size_t count = 0;
    th_status status = list_files(memory, "sites", &numbers, &count, err);
    if (status == TH_OK && count)
        status = th_fail(err, TH_DAMAGED,
                         "'%.300s' contains site files, but its file 'state' is missing. "
                         "To restart, remove the folder",
                         memory->dir);
    th_buffer_done(&numbers);
    return status;
}

th_status th_site_memory_open(const th_site_memory_options *options, th_site_memory **out,
                              th_error *err)
{
    th_site_memory *memory = calloc(1, sizeof *memory);
    if (!memory || !(memory->dir = strdup(options->dir))) {
        free(memory);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    memory->options = *options;
    memory->lock_fd = memory->journal_fd = -1;
    memory->lookup = (th_site_lookup){ .find = find,
                                       .hold = hold,
                                       .context = memory,
                                       .grouping = options->grouping,
                                       .has_segments = options->has_segments };
    pthread_rwlock_init(&memory->table_lock, NULL);
    pthread_mutex_init(&memory->lock, NULL);
    pthread_cond_init(&memory->sealed_one, NULL);
    th_status status =
        th_state_folder_lock(memory->dir, "the site memory in", &memory->lock_fd, err);
    if (status == TH_OK)
        status = load_state(memory, err);
    if (status == TH_ABSENT)
        status = check_fresh(memory, err);
    /* The output decides which mark counts, so sites are read only at the rewind. */
    if (status == TH_OK)
        *out = memory;
    else
        th_site_memory_close(memory);
    return status;
}

void th_site_memory_close(th_site_memory *memory)
{
    if (!memory)
        return;
    if (memory->journal_fd >= 0)
        close(memory->journal_fd);
    if (memory->is_committed && memory->older.mark != memory->newest.mark) {
        memory->older = memory->newest;
        (void)save_state(memory, NULL); /* on failure the older mark counts */
    }
    if (memory->lock_fd >= 0)
        close(memory->lock_fd);
    th_site_table_done(&memory->table);
    th_buffer_done(&memory->pending);
    th_buffer_done(&memory->journal);
    pthread_cond_destroy(&memory->sealed_one);
    pthread_mutex_destroy(&memory->lock);
    pthread_rwlock_destroy(&memory->table_lock);
    free(memory->dir);
    free(memory);
}

void th_site_memory_facts_get(th_site_memory *memory, th_site_memory_stats *out)
{
    pthread_mutex_lock(&memory->lock);
    *out = (th_site_memory_stats){ .sites = memory->table.count,
                                   .bytes = memory->table.bytes,
                                   .records = memory->sealed,
                                   .journal_bytes = memory->segment_len,
                                   .forgotten = memory->forgotten };
    pthread_mutex_unlock(&memory->lock);
}
