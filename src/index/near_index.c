/*
 * The index: a row of segments, the newest one growing.
 *
 *     page ─► newest segment ─ nothing like it ─► next older ... ─► insert into newest
 *                    └ like a representative: near-duplicate; if the segment is sealed,
 *                      the representative is copied to the newest, so that what is seen
 *                      stays ("last seen" renewal)
 *
 * The first segment with a representative at the threshold answers; in it the most slots
 * in common win, then the older date, then the smaller id.
 *
 * The clock is the records' own, so that a replay gives the same answers: an epoch ends
 * when VOTES pages are dated after it, and the next one is the earliest among theirs. One
 * page with a date of the year 9999 moves nothing. It ends also with segment_pages
 * representatives, which bounds the memory.
 */
#include "index/near_index.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_sink.h"
#include "index/catalogue.h"
#include "index/index_segment.h"

enum {
    VOTES = 64, /* pages dated after an epoch that end it */
    AHEAD = 4,  /* pages whose slots are being loaded while one is looked up */
};

struct th_index {
    th_index_options options;
    char *dir, *state_path, *scheme_path;
    int lock_fd;
    th_index_segment *segments[TH_INDEX_SEGMENTS_MAX]; /* oldest first */
    uint32_t segment_count;
    th_catalogue *catalogue; /* NULL: not wanted */
    th_index_state state;    /* now */
    th_index_states durable; /* older: committed; newest: prepared */
    bool is_settled;         /* where it stands is where it goes on */
    bool has_changed;        /* since the last prepare */
    bool has_failed;
    bool owes_commit;   /* what is committed since is not on disk as such */
    th_entry_ref *refs; /* room for what one page may find in a segment */
};

static th_index_segment *growing_segment(const th_index *index)
{
    return index->segments[index->segment_count - 1];
}

/* ---- looking up ---- */

/* The best representative so far. */
struct match {
    const th_index_entry *entry; /* NULL: none */
    th_index_likeness like;
    uint32_t keys_hit;
    bool is_self; /* the page itself is in the index */
};

static int compare_ids(const th_index_scheme *scheme, const th_index_entry *a,
                       const th_index_entry *b)
{
    const th_view x = th_entry_id(scheme, a), y = th_entry_id(scheme, b);
    const int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static bool is_better(const th_index *index, const struct match *best,
                      const th_index_entry *entry, const th_index_likeness *like)
{
    if (!best->entry || like->equal != best->like.equal)
        return !best->entry || like->equal > best->like.equal;
    if (entry->date != best->entry->date)
        return entry->date < best->entry->date;
    return compare_ids(&index->options.scheme, entry, best->entry) < 0;
}

static bool is_like(const th_index *index, const th_index_entry *page,
                    const th_index_entry *entry, th_index_likeness *like)
{
    if ((page->flags | entry->flags) & TH_ENTRY_SHORT) {
        *like = (th_index_likeness){ .share = 1, .jaccard = 1 };
        return page->flags == entry->flags &&
               memcmp(page->digest, entry->digest, sizeof page->digest) == 0;
    }
    *like = th_index_compare(&index->options.scheme, th_entry_signature(page),
                             page->slots, th_entry_signature(entry), entry->slots);
    return like->share >= index->options.threshold - 1e-9;
}

static void consider(th_index *index, const th_index_segment *segment,
                     const th_index_entry *page, th_entry_ref ref, struct match *best)
{
    const th_index_entry *entry = th_journal_entry(segment->journal, ref);
    th_index_likeness like;
    if (!entry) {
        index->state.counts.damaged++;
        return;
    }
    const uint32_t keys_hit =
        th_index_keys_in_common(&index->options.scheme, page, entry);
    if (!keys_hit)
        return;
    if (memcmp(page->id, entry->id, sizeof page->id) == 0) {
        best->is_self = true;
        return;
    }
    if (!is_like(index, page, entry, &like) || !is_better(index, best, entry, &like))
        return;
    best->entry = entry;
    best->like = like;
    best->keys_hit = keys_hit;
}

static int by_number(const void *a, const void *b)
{
    const th_entry_ref x = *(const th_entry_ref *)a, y = *(const th_entry_ref *)b;
    return (x > y) - (x < y);
}

/* Of the entries that may share keys with the page, the one that is most like it. */
static void look_in(th_index *index, const th_index_segment *segment,
                    const th_index_entry *page, struct match *best)
{
    const size_t count = th_index_segment_find(segment, page, index->refs);
    if (count > 1)
        qsort(index->refs, count, sizeof *index->refs, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || index->refs[i] != index->refs[i - 1])
            consider(index, segment, page, index->refs[i], best);
}

static size_t add_name(th_buffer *names, th_view name)
{
    const size_t at = names->len;
    th_buffer_append(names, name.data, name.len);
    return at;
}

static void fill_answer(const th_index *index, const struct match *match,
                        th_index_answer *answer, th_buffer *names)
{
    const th_view id = th_entry_id(&index->options.scheme, match->entry);
    const th_view url = th_entry_url(&index->options.scheme, match->entry);
    *answer = (th_index_answer){
        .is_duplicate = true,
        .equal = match->like.equal,
        .keys_hit = match->keys_hit,
        .jaccard = match->like.jaccard,
        .of = add_name(names, id),
        .of_len = id.len,
        .url = add_name(names, url),
        .url_len = url.len,
    };
}

static th_status insert(th_index *index, const th_index_entry *entry, th_error *err)
{
    const th_status status = th_index_segment_insert(growing_segment(index), entry,
                                                     &index->state.counts.capped, err);
    index->state.entries = growing_segment(index)->entries;
    return status;
}

/* A representative of a sealed segment was seen again: the growing one knows it too. */
static th_status renew(th_index *index, const th_index_entry *entry, th_error *err)
{
    index->state.counts.renewed++;
    return insert(index, entry, err);
}

/* The page and whom it belongs to, for other programs to read. */
static th_status note_page(th_index *index, const th_index_entry *page,
                           const th_index_entry *representative, double jaccard,
                           th_error *err)
{
    const th_index_scheme *scheme = &index->options.scheme;
    const th_catalogue_row row = {
        .id = th_entry_id(scheme, page),
        .url = th_entry_url(scheme, page),
        .digest = page->digest[0] || page->digest[1] ? page->digest : NULL,
        .cluster = th_entry_id(scheme, representative),
        .jaccard = jaccard,
    };
    if (!index->catalogue)
        return TH_OK;
    return th_catalogue_add(index->catalogue, index->state.current, &row) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot keep a row of the catalogue");
}

static th_status answer_page(th_index *index, const th_index_entry *page,
                             th_index_answer *answer, th_buffer *names, th_error *err)
{
    th_index_counts *counts = &index->state.counts;
    struct match match = { 0 };
    *answer = (th_index_answer){ 0 };
    counts->pages++;
    if (page->flags & TH_ENTRY_NONE) {
        counts->unsigned_++;
        return TH_OK;
    }
    uint32_t i = index->segment_count;
    while (i > 0 && !match.entry && !match.is_self)
        look_in(index, index->segments[--i], page, &match);
    if (match.is_self) {
        counts->again++;
        return TH_OK;
    }
    if (!match.entry) {
        counts->inserted++;
        const th_status status = note_page(index, page, page, -1, err);
        return status == TH_OK ? insert(index, page, err) : status;
    }
    counts->duplicates++;
    counts->exact += (match.entry->flags & TH_ENTRY_SHORT) != 0;
    fill_answer(index, &match, answer, names);
    const th_status status = note_page(index, page, match.entry, match.like.jaccard, err);
    if (status != TH_OK)
        return status;
    return index->segments[i]->is_sealed ? renew(index, match.entry, err) : TH_OK;
}

/* ---- epochs ---- */

static th_status begin_segment(th_index *index, uint32_t number, th_error *err)
{
    th_index_segment *segment = NULL;
    const th_status status = th_index_segment_create(
        index->dir, number, &index->options.scheme, &segment, err);
    if (status != TH_OK)
        return status;
    index->segments[index->segment_count++] = segment;
    index->state.current = number;
    index->state.entries = 0;
    return TH_OK;
}

static void drop_oldest(th_index *index)
{
    th_index_segment_free(index->segments[0]);
    index->segment_count--;
    memmove(index->segments, index->segments + 1,
            index->segment_count * sizeof(th_index_segment *));
    index->state.first = index->segments[0]->number;
    index->state.counts.expired++;
}

/* Segments sealed before any date was known are as old as the oldest that has one. */
static void date_undated(th_index *index)
{
    uint64_t epoch = index->state.epoch;
    for (uint32_t i = index->segment_count - 1; i-- > 0;) {
        th_index_segment *segment = index->segments[i];
        if (!segment->epoch)
            segment->epoch = epoch;
        epoch = segment->epoch;
    }
}

/* Segments that are too old go; their files when this is committed. */
static void expire(th_index *index)
{
    while (index->segment_count > 1) {
        const uint64_t epoch = index->segments[0]->epoch;
        const bool is_old =
            epoch && epoch + index->options.keep_epochs < index->state.epoch;
        if (!is_old && index->segment_count < TH_INDEX_SEGMENTS_MAX)
            return;
        drop_oldest(index);
    }
}

/* The growing segment is full, or its epoch over: seal it and begin the next. */
static th_status turn_over(th_index *index, uint64_t epoch, th_error *err)
{
    th_status status = TH_OK;
    if (growing_segment(index)->entries) {
        status = th_index_segment_seal(growing_segment(index), index->state.epoch, err);
        index->state.epoch = epoch;
        expire(index);
        if (status == TH_OK)
            status = begin_segment(index, index->state.current + 1, err);
    }
    index->state.epoch = epoch;
    expire(index);
    return status;
}

/* Has the epoch come to its end with this page? */
static bool is_epoch_over(th_index *index, const th_index_entry *page)
{
    th_index_state *state = &index->state;
    if (!index->options.epoch_seconds || page->date == TH_DATE_UNKNOWN)
        return false;
    const uint64_t epoch = (uint64_t)page->date / index->options.epoch_seconds;
    if (epoch <= state->epoch)
        return false;
    if (!state->votes || epoch < state->voted_epoch)
        state->voted_epoch = epoch;
    return ++state->votes >= VOTES;
}

static th_status keep_time(th_index *index, const th_index_entry *page, th_error *err)
{
    th_index_state *state = &index->state;
    if (is_epoch_over(index, page)) {
        const uint64_t epoch = state->voted_epoch;
        state->votes = 0;
        if (state->epoch)
            return turn_over(index, epoch, err);
        state->epoch = epoch; /* the first pages tell which one it is */
        date_undated(index);
    }
    if (!index->options.epoch_seconds && !state->epoch)
        state->epoch = 1; /* 0 is no epoch */
    if (state->entries < index->options.segment_pages &&
        th_journal_len(growing_segment(index)->journal) < TH_JOURNAL_MAX)
        return TH_OK;
    return turn_over(index, state->epoch + (index->options.epoch_seconds == 0), err);
}

static void prefetch(const th_index *index, const th_index_entry *page)
{
    for (uint32_t i = 0; i < index->segment_count; i++)
        th_index_segment_prefetch(index->segments[i], page);
}

th_status th_index_look_up(th_index *index, th_view entries, size_t count,
                           th_index_answer *answers, th_buffer *names, th_error *err)
{
    const char *ahead = entries.data, *at = entries.data;
    th_status status =
        index->has_failed
            ? th_fail(err, TH_IO, "index '%s' has failed before", index->dir)
            : TH_OK;
    index->has_changed |= count > 0;
    for (size_t i = 0, next = 0; i < count && status == TH_OK; i++) {
        for (; next < count && next <= i + AHEAD; next++) {
            const th_index_entry *page = (const void *)ahead;
            prefetch(index, page);
            ahead += page->len;
        }
        const th_index_entry *page = (const void *)at;
        at += page->len;
        status = keep_time(index, page, err);
        if (status == TH_OK)
            status = answer_page(index, page, &answers[i], names, err);
    }
    if (status == TH_OK && names->has_failed)
        status = th_fail(err, TH_NOMEM, "cannot keep the names of near-duplicates");
    index->has_failed |= status != TH_OK;
    return status;
}

/* ---- what is on disk ---- */

static void forget_segments(th_index *index)
{
    while (index->segment_count)
        th_index_segment_free(index->segments[--index->segment_count]);
}

/* A sealed segment that cannot be read is left out, and counted. */
static th_status load_sealed(th_index *index, uint32_t number, th_segment_losses *losses,
                             th_error *err)
{
    th_index_segment *segment = NULL;
    const th_status status = th_index_segment_open_sealed(
        index->dir, number, &index->options.scheme, &segment, losses, err);
    if (status == TH_OK)
        index->segments[index->segment_count++] = segment;
    losses->damaged += status == TH_EMPTY;
    return status == TH_EMPTY ? TH_OK : status;
}

static th_status load_growing(th_index *index, const th_index_state *state,
                              th_segment_losses *losses, th_error *err)
{
    th_index_segment *segment = NULL;
    th_status status =
        th_index_segment_open_growing(index->dir, state->current, state->journal_len,
                                      &index->options.scheme, &segment, losses, err);
    if (status == TH_OK)
        index->segments[index->segment_count++] = segment;
    if (status != TH_EMPTY)
        return status;
    losses->damaged += state->entries > 0;
    return begin_segment(index, state->current, err);
}

/* Takes up where a state says that the index stood. */
static th_status load(th_index *index, const th_index_state *state, th_error *err)
{
    th_segment_losses losses = { 0, 0 };
    th_status status = TH_OK;
    forget_segments(index);
    index->state = *state;
    for (uint32_t n = state->first; n < state->current && status == TH_OK; n++)
        status = load_sealed(index, n, &losses, err);
    if (status == TH_OK)
        status = load_growing(index, state, &losses, err);
    if (status != TH_OK)
        return status;
    date_undated(index);
    index->state.entries = growing_segment(index)->entries;
    index->state.counts.damaged += losses.damaged;
    index->state.counts.rebuilt += losses.rebuilt;
    index->has_changed = losses.damaged || losses.rebuilt;
    index->has_failed = false;
    return TH_OK;
}

/* Which segments have files: first and last; false when there are none. */
static bool find_segments(const th_index *index, uint32_t *first, uint32_t *last)
{
    bool is_found = false;
    DIR *dir = opendir(index->dir);
    const struct dirent *item;
    while (dir && (item = readdir(dir))) {
        char *end = NULL;
        const unsigned long number = strtoul(item->d_name, &end, 10);
        if (end != item->d_name + 8 || strcmp(end, ".journal") != 0)
            continue;
        if (!is_found || number < *first)
            *first = (uint32_t)number;
        if (!is_found || number > *last)
            *last = (uint32_t)number;
        is_found = true;
    }
    if (dir)
        (void)closedir(dir);
    return is_found;
}

/* The state file is damaged: every entry that is whole counts. */
static void guess_states(th_index *index)
{
    th_index_state state = { .mark = 1, .first = 1, .current = 1 };
    state.journal_len = UINT64_MAX;
    state.counts.damaged = 1;
    (void)find_segments(index, &state.first, &state.current);
    if (state.current - state.first >= TH_INDEX_SEGMENTS_MAX)
        state.first = state.current - TH_INDEX_SEGMENTS_MAX + 1;
    index->durable = (th_index_states){ state, state };
}

/* Files of segments that neither state knows. */
static void remove_strangers(const th_index *index)
{
    const th_index_states *durable = &index->durable;
    uint32_t first = 0, last = 0;
    if (!find_segments(index, &first, &last))
        return;
    const uint32_t keep = durable->older.first < durable->newest.first
                              ? durable->older.first
                              : durable->newest.first;
    const uint32_t end = durable->older.current > durable->newest.current
                             ? durable->older.current
                             : durable->newest.current;
    for (uint32_t n = first; n < keep; n++)
        th_index_segment_unlink(index->dir, n);
    for (uint32_t n = last; n > end; n--)
        th_index_segment_unlink(index->dir, n);
}

static th_status load_states(th_index *index, th_error *err)
{
    th_status status = th_index_states_load(&index->durable, index->state_path, err);
    if (status == TH_EMPTY) {
        const th_index_state state = { .first = 1, .current = 1 };
        index->durable = (th_index_states){ state, state };
        status = TH_OK;
    } else if (status == TH_END) {
        guess_states(index);
        status = TH_OK;
    }
    return status;
}

/*
 * The first mark of an index: by lot, below 2^62, so that it meets no other index's and
 * does not come to an end. Without the system's lot the clock must do.
 */
static uint64_t draw_mark(void)
{
    uint64_t lot = 0;
    if (getrandom(&lot, sizeof lot, 0) != (ssize_t)sizeof lot) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        lot = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    }
    return lot >> 2 | 1;
}

th_status th_index_prepare(th_index *index, uint64_t *mark, th_error *err)
{
    if (index->has_failed)
        return th_fail(err, TH_IO, "index '%s' has failed before", index->dir);
    if (index->has_changed || !index->durable.newest.mark) {
        th_journal *journal = growing_segment(index)->journal;
        th_index_states next = { index->durable.older, index->state };
        th_status status = th_journal_sync(journal, err);
        next.newest.mark =
            index->durable.newest.mark ? index->durable.newest.mark + 1 : draw_mark();
        next.newest.journal_len = th_journal_len(journal);
        if (status == TH_OK && index->catalogue)
            status = th_catalogue_commit(index->catalogue, err);
        if (status == TH_OK)
            status = th_index_states_save(&next, index->state_path, err);
        if (status != TH_OK)
            return status;
        index->state = next.newest;
        index->durable = next;
        index->has_changed = false;
        index->owes_commit = false;
    }
    *mark = index->durable.newest.mark;
    return TH_OK;
}

void th_index_commit(th_index *index)
{
    const th_index_state *newest = &index->durable.newest;
    for (uint32_t n = index->durable.older.first; n < newest->first; n++) {
        th_index_segment_unlink(index->dir, n);
        if (index->catalogue) /* what cannot be dropped stays: it is never asked for */
            (void)th_catalogue_drop(index->catalogue, n, NULL);
    }
    index->owes_commit |= index->durable.older.mark != newest->mark;
    index->durable.older = *newest;
    index->is_settled = true;
}

th_status th_index_rewind(th_index *index, uint64_t mark, th_error *err)
{
    const th_index_states *durable = &index->durable;
    if (!mark)
        mark = durable->older.mark;
    if (mark == durable->newest.mark && !index->has_changed && !index->has_failed) {
        th_index_commit(index);
        return TH_OK;
    }
    if (mark != durable->newest.mark && mark != durable->older.mark)
        return th_fail(err, TH_USAGE,
                       "index '%s' stands at mark %llu, and cannot go to %llu",
                       index->dir, (unsigned long long)durable->newest.mark,
                       (unsigned long long)mark);
    const th_index_state state =
        mark == durable->newest.mark ? durable->newest : durable->older;
    /* First the word, then the deed: what is cut below no state may speak of. */
    const th_index_states next = { state, state };
    th_status status = th_index_states_save(&next, index->state_path, err);
    if (status != TH_OK)
        return status;
    const uint32_t last = index->state.current;
    th_catalogue_rewind(index->catalogue);
    index->durable = next;
    index->is_settled = true;
    index->owes_commit = false;
    forget_segments(index);
    for (uint32_t n = state.current + 1; n <= last; n++)
        th_index_segment_unlink(index->dir, n);
    status = load(index, &state, err);
    index->has_failed = status != TH_OK;
    return status;
}

const th_index_scheme *th_index_scheme_of(const th_index *index)
{
    return &index->options.scheme;
}

uint64_t th_index_mark(const th_index *index)
{
    return index->durable.newest.mark;
}

bool th_index_knows(const th_index *index, uint64_t mark)
{
    const th_index_states *durable = &index->durable;
    return mark && (mark == durable->newest.mark || mark == durable->older.mark);
}

void th_index_facts_get(const th_index *index, th_index_facts *out)
{
    *out = (th_index_facts){ .counts = index->state.counts,
                             .segments = index->segment_count,
                             .entries = index->state.entries };
    for (uint32_t i = 0; i < index->segment_count; i++) {
        const th_index_segment *segment = index->segments[i];
        out->journal_bytes += th_journal_len(segment->journal);
        out->table_bytes += segment->sealed.map_len;
        out->memory_bytes += segment->growing.slot_count * sizeof(th_slot);
    }
}

/* ---- opening ---- */

static th_status lock(th_index *index, th_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/lock", index->dir) < 0)
        return th_fail(err, TH_NOMEM, "cannot name the index's lock");
    th_status status = TH_OK;
    index->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (index->lock_fd < 0)
        status = th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    else if (flock(index->lock_fd, LOCK_EX | LOCK_NB) != 0)
        status =
            th_fail(err, TH_USAGE, "another process uses the index '%s'", index->dir);
    free(path);
    return status;
}

enum { SCHEME_MAX = 4096 }; /* bytes of the file `scheme` */

/* The file says what the index was made for; a new index gets one. */
static th_status check_scheme(th_index *index, th_error *err)
{
    char text[SCHEME_MAX];
    const int fd = open(index->scheme_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        return th_fail(err, TH_IO, "cannot open '%s': %s", index->scheme_path,
                       strerror(errno));
    if (fd < 0) {
        th_buffer ours = { 0 };
        th_index_scheme_print(&index->options.scheme, &ours);
        const th_status status =
            ours.has_failed
                ? th_fail(err, TH_NOMEM, "cannot print the index's scheme")
                : th_file_replace(index->scheme_path, th_buffer_view(&ours), err);
        th_buffer_done(&ours);
        return status;
    }
    const ssize_t got = read(fd, text, sizeof text);
    (void)close(fd);
    if (got < 0)
        return th_fail(err, TH_IO, "cannot read '%s'", index->scheme_path);
    th_error why = { .text = "" };
    const th_status status = th_index_scheme_check(&index->options.scheme,
                                                   (th_view){ text, (size_t)got }, &why);
    return status == TH_OK ? TH_OK
                           : th_fail(err, status, "'%s': %.400s", index->dir, why.text);
}

static th_status make_room(th_index *index, const th_index_options *options,
                           th_error *err)
{
    const size_t refs = (size_t)options->scheme.key_count * TH_BUCKET_MAX;
    index->refs = calloc(refs, sizeof *index->refs);
    index->dir = strdup(options->dir);
    if (asprintf(&index->state_path, "%s/state", options->dir) < 0)
        index->state_path = NULL;
    if (asprintf(&index->scheme_path, "%s/scheme", options->dir) < 0)
        index->scheme_path = NULL;
    return index->refs && index->dir && index->state_path && index->scheme_path
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot allocate an index");
}

static th_status open_catalogue(th_index *index, th_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/catalogue.mdb", index->dir) < 0)
        return th_fail(err, TH_NOMEM, "cannot name the catalogue");
    const th_status status = th_catalogue_open(path, &index->catalogue, err);
    free(path);
    return status;
}

static th_status open_folder(th_index *index, th_error *err)
{
    assert(index->dir && index->scheme_path);
    if (mkdir(index->dir, 0777) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot make folder '%s': %s", index->dir,
                       strerror(errno));
    th_status status = lock(index, err);
    if (status == TH_OK)
        status = check_scheme(index, err);
    if (status == TH_OK && index->options.has_catalogue)
        status = open_catalogue(index, err);
    return status;
}

th_status th_index_open(const th_index_options *options, th_index **out, th_error *err)
{
    th_index *index = calloc(1, sizeof *index);
    if (!index)
        return th_fail(err, TH_NOMEM, "cannot allocate an index");
    index->options = *options;
    index->lock_fd = -1;
    th_status status = make_room(index, options, err);
    if (status == TH_OK)
        status = open_folder(index, err);
    if (status == TH_OK)
        status = load_states(index, err);
    if (status == TH_OK) {
        remove_strangers(index);
        const th_index_state newest = index->durable.newest;
        status = load(index, &newest, err);
    }
    if (status == TH_OK)
        *out = index;
    else
        th_index_close(index);
    return status;
}

void th_index_close(th_index *index)
{
    if (!index)
        return;
    /* Else the next prepare would say it. An index that cannot is none the worse: its
     * newest state stays, to be taken up by its mark. */
    if (index->owes_commit)
        (void)th_index_states_save(&index->durable, index->state_path, NULL);
    forget_segments(index);
    if (index->lock_fd >= 0)
        (void)close(index->lock_fd);
    th_catalogue_close(index->catalogue);
    free(index->refs);
    free(index->state_path);
    free(index->scheme_path);
    free(index->dir);
    free(index);
}
