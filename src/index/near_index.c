/*
 * The index: a row of segments, the newest one growing.
 *
 *     page ─► newest segment ─ nothing like it ─► next older ... ─► insert into newest
 *                    └ like a representative: near-duplicate; if the segment is sealed,
 *                      copy the representative to the newest, so recently seen entries
 *                      are kept ("last seen" renewal)
 *
 * The first segment with a representative at the threshold answers. In that segment, the
 * most slots in common win, then the older date, then the smaller id.
 *
 * The clock is the records' own, so a replay gives the same answers. An epoch ends when
 * pages dated after it outnumber the others by VOTES. The next epoch is the earliest of
 * these pages' epochs. So neither a single page dated 9999 nor one of several crawlers
 * with a wrong clock ends an epoch. A segment is also full, within its epoch, with
 * segment_pages representatives, which bounds the memory. If epochs have no length, the
 * epoch ends with the segment.
 *
 * A full disk only makes th_index_prepare fail, which the caller may retry. A segment
 * that could not be sealed is used from memory.
 */
#include "index/near_index.h"
#include "base/state_folder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "index/index_folder.h"
#include "index/index_segment.h"

enum {
    VOTES = 64, /* majority of pages dated after an epoch that ends it */
    AHEAD = 4,  /* pages whose slots are being loaded while one is looked up */
};

/* The mark of a state that was rebuilt from the journals because the state file was lost.
 * A rewind to any unknown mark leads to it. draw_mark never returns it. */
#define GUESSED ((uint64_t)1)

struct th_index {
    th_index_options options;
    char *dir, *state_path;
    int lock_fd;
    th_index_segment *segments[TH_INDEX_SEGMENTS_MAX]; /* oldest first */
    uint32_t segment_count;
    th_index_state state;    /* now */
    th_index_states durable; /* older: committed; newest: prepared */
    bool has_changed;        /* since the last prepare */
    th_status failure;       /* of a look-up or a rewind: only a rewind may follow */
    bool is_blocked;         /* the last prepare failed */
    bool has_lost_entry;     /* a table refers to an entry that the journal has lost */
    bool owes_commit;        /* the last commit is not in the state file yet */
    th_entry_ref *refs;      /* entries that one page may find in a segment */
};

static th_index_segment *growing_segment(const th_index *index)
{
    return index->segments[index->segment_count - 1];
}

/* Reports a problem to the options' notice. */
__attribute__((format(printf, 2, 3))) static void report(const th_index *index,
                                                         const char *format, ...)
{
    char what[512], line[1024];
    va_list args;
    if (!index->options.warn)
        return;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)snprintf(line, sizeof line, "index '%.400s': %s", index->dir, what);
    index->options.warn(index->options.warn_context, line);
}

/* ---- looking up ---- */

/* The best representative so far. */
struct match {
    const th_index_entry *entry; /* may be NULL */
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

/* Compares one text of two entries with the threshold. */
static bool is_like_in(const th_index *index, uint32_t text, const th_index_entry *page,
                       const th_index_entry *entry, th_index_likeness *like)
{
    const th_index_scheme *scheme = &index->options.scheme;
    if ((page->flags | entry->flags) & TH_ENTRY_SHORT) {
        *like = (th_index_likeness){ .share = 1, .jaccard = 1 };
        return page->flags == entry->flags &&
               memcmp(page->digest, entry->digest, sizeof page->digest) == 0;
    }
    *like = th_index_compare(scheme, th_entry_signature(scheme, page, text),
                             page->slots[text], th_entry_signature(scheme, entry, text),
                             entry->slots[text]);
    return like->share >= index->options.threshold - 1e-9;
}

/* The second text counts if the first of either page is a guess. If both texts are
 * similar, the text with more slots in common decides. */
static bool is_like(const th_index *index, const th_index_entry *page,
                    const th_index_entry *entry, const uint32_t hits[TH_INDEX_TEXTS],
                    struct match *found)
{
    const bool has_guess = (page->flags | entry->flags) & TH_ENTRY_GUESS;
    bool is_found = false;
    for (uint32_t i = 0; i < (has_guess ? TH_INDEX_TEXTS : 1u); i++) {
        th_index_likeness like;
        if (!hits[i] || !is_like_in(index, i, page, entry, &like) ||
            (is_found && like.equal <= found->like.equal))
            continue;
        *found = (struct match){ .entry = entry, .like = like, .keys_hit = hits[i] };
        is_found = true;
    }
    return is_found;
}

/* Fails for an index that has lost pages, unless its options accept that. */
static th_status refuse_damage(const th_index *index, const char *lost, th_error *err)
{
    if (index->options.accepts_damage)
        return TH_OK;
    return th_fail(err, TH_DAMAGED,
                   "index '%s' is damaged: %s. To continue with the intact pages, set "
                   "index.repair = yes",
                   index->dir, lost);
}

static void consider(th_index *index, const th_index_segment *segment,
                     const th_index_entry *page, th_entry_ref ref, struct match *best)
{
    const th_index_entry *entry = th_journal_entry(segment->journal, ref);
    uint32_t hits[TH_INDEX_TEXTS] = { 0 }, all = 0;
    struct match found;
    if (!entry) {
        index->state.counts.damaged++;
        index->has_lost_entry = true;
        return;
    }
    for (uint32_t i = 0; i < index->options.scheme.text_count; i++)
        all += hits[i] = th_index_keys_in_common(&index->options.scheme, page, entry, i);
    if (!all)
        return;
    if (memcmp(page->id, entry->id, sizeof page->id) == 0) {
        best->is_self = true;
        return;
    }
    if (!is_like(index, page, entry, hits, &found) ||
        !is_better(index, best, entry, &found.like))
        return;
    best->entry = entry;
    best->like = found.like;
    best->keys_hit = found.keys_hit;
}

static int by_number(const void *a, const void *b)
{
    const th_entry_ref x = *(const th_entry_ref *)a, y = *(const th_entry_ref *)b;
    return (x > y) - (x < y);
}

/* Finds the entry most similar to the page, if it may share keys with the page. */
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

/* Copies a representative that was seen again from a sealed segment to the growing
 * one. */
static th_status renew(th_index *index, const th_index_entry *entry, th_error *err)
{
    index->state.counts.renewed++;
    return insert(index, entry, err);
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
        return insert(index, page, err);
    }
    counts->duplicates++;
    counts->exact += (match.entry->flags & TH_ENTRY_SHORT) != 0;
    fill_answer(index, &match, answer, names);
    const bool is_growing = index->segments[i] == growing_segment(index);
    return is_growing ? TH_OK : renew(index, match.entry, err);
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

/* Dates segments that were sealed before any date was known, like the oldest dated
 * one. */
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

/* Drops segments that are too old; the commit removes their files. */
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

/* Ends the growing segment if it is full or its epoch is over: seals it, or lets prepare
 * do so, and starts the next. */
static th_status turn_over(th_index *index, uint64_t epoch, th_error *err)
{
    th_status status = TH_OK;
    if (growing_segment(index)->entries) {
        growing_segment(index)->epoch = index->state.epoch;
        (void)th_index_segment_seal(growing_segment(index), NULL);
        index->state.epoch = epoch;
        expire(index);
        status = begin_segment(index, index->state.current + 1, err);
    }
    index->state.epoch = epoch;
    expire(index);
    return status;
}

/* Counts the page's vote. @return whether the epoch ends before it */
static bool is_epoch_over(th_index *index, const th_index_entry *page)
{
    th_index_state *state = &index->state;
    if (!index->options.epoch_seconds || page->date == TH_DATE_UNKNOWN)
        return false;
    const uint64_t epoch = (uint64_t)page->date / index->options.epoch_seconds;
    if (epoch <= state->epoch) {
        state->votes -= state->votes > 0;
        return false;
    }
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
        state->epoch = epoch; /* given by the votes of the first pages */
        date_undated(index);
    }
    if (!index->options.epoch_seconds && !state->epoch)
        state->epoch = 1; /* 0 is not an epoch */
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

static th_status fail_again(const th_index *index, th_error *err)
{
    return th_fail(err, index->failure, "an earlier operation on index '%s' failed: %s",
                   index->dir, th_status_text(index->failure));
}

th_status th_index_look_up(th_index *index, th_view entries, size_t count,
                           th_index_answer *answers, th_buffer *names, th_error *err)
{
    const char *ahead = entries.data, *at = entries.data;
    th_status status = index->failure == TH_OK ? TH_OK : fail_again(index, err);
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
        if (status == TH_OK && index->has_lost_entry)
            status = refuse_damage(index, "a page is missing in a sealed segment", err);
    }
    if (status == TH_OK && names->has_failed)
        status = th_fail(err, TH_NOMEM, "out of memory for names of near-duplicates");
    if (index->failure == TH_OK)
        index->failure = status;
    return status;
}

/* ---- files ---- */

static void forget_segments(th_index *index)
{
    while (index->segment_count)
        th_index_segment_free(index->segments[--index->segment_count]);
}

static th_status count_losses(th_index *index, uint32_t number,
                              const th_segment_losses *losses, th_error *err)
{
    th_status status = TH_OK;
    if (losses->damaged) {
        char lost[80];
        (void)snprintf(lost, sizeof lost,
                       "segment %08u: pages are missing in %llu places", number,
                       (unsigned long long)losses->damaged);
        status = refuse_damage(index, lost, err);
    }
    if (status != TH_OK)
        return status;
    if (losses->damaged)
        report(index, "segment %08u: pages are missing in %llu places", number,
               (unsigned long long)losses->damaged);
    if (losses->rebuilt)
        report(index, "the table of segment %08u was missing or damaged; it is rebuilt",
               number);
    index->state.counts.damaged += losses->damaged;
    index->state.counts.rebuilt += losses->rebuilt;
    index->has_changed |= losses->damaged || losses->rebuilt;
    return TH_OK;
}

/* Returns whether the file is missing or damaged; other failures may be temporary. */
static bool is_lost(th_status status)
{
    return status == TH_ABSENT || status == TH_DAMAGED;
}

/* Loads a sealed segment. An unreadable segment is skipped and counted. */
static th_status load_sealed(th_index *index, uint32_t number, th_error *err)
{
    th_index_segment *segment = NULL;
    th_segment_losses losses = { 0, 0 };
    th_error why = { .text = "" };
    const th_status status = th_index_segment_open_sealed(
        index->dir, number, &index->options.scheme, &segment, &losses, &why);
    if (status == TH_OK)
        index->segments[index->segment_count++] = segment;
    else if (!is_lost(status))
        return th_fail(err, status, "%s", why.text);
    losses.damaged += is_lost(status);
    return count_losses(index, number, &losses, err);
}

static th_status load_growing(th_index *index, const th_index_state *state, th_error *err)
{
    th_index_segment *segment = NULL;
    th_segment_losses losses = { 0, 0 };
    th_status status =
        th_index_segment_open_growing(index->dir, state->current, state->journal_len,
                                      &index->options.scheme, &segment, &losses, err);
    if (status == TH_OK)
        index->segments[index->segment_count++] = segment;
    else if (!is_lost(status))
        return status;
    losses.damaged += is_lost(status) && state->entries > 0;
    const th_status counted = count_losses(index, state->current, &losses, err);
    return counted == TH_OK && is_lost(status) ? begin_segment(index, state->current, err)
                                               : counted;
}

/* Loads the segments that a state names. */
static th_status load(th_index *index, const th_index_state *state, th_error *err)
{
    th_status status = TH_OK;
    forget_segments(index);
    index->state = *state;
    index->has_changed = false;
    for (uint32_t n = state->first; n < state->current && status == TH_OK; n++)
        status = load_sealed(index, n, err);
    if (status == TH_OK)
        status = load_growing(index, state, err);
    if (status != TH_OK)
        return status;
    date_undated(index);
    index->state.entries = growing_segment(index)->entries;
    index->failure = TH_OK;
    return TH_OK;
}

/* Rebuilds the states after the loss of the state file: every intact entry counts. */
static void guess_states(th_index *index)
{
    th_index_state state = { .mark = GUESSED, .first = 1, .current = 1 };
    state.journal_len = UINT64_MAX;
    state.counts.damaged = 1;
    (void)th_index_folder_segments(index->dir, &state.first, &state.current);
    if (state.current - state.first >= TH_INDEX_SEGMENTS_MAX)
        state.first = state.current - TH_INDEX_SEGMENTS_MAX + 1;
    index->durable = (th_index_states){ state, state };
}

/* Removes the files of segments that neither state names. */
static void remove_strangers(const th_index *index)
{
    const th_index_states *durable = &index->durable;
    uint32_t first = 0, last = 0;
    if (!th_index_folder_segments(index->dir, &first, &last))
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
    uint32_t first, last;
    const th_status status =
        th_index_states_load(&index->durable, index->state_path, err);
    if (status == TH_ABSENT && !th_index_folder_segments(index->dir, &first, &last)) {
        /* An index has a state file from the start, so a missing file was lost. */
        const th_index_state state = { .first = 1, .current = 1 };
        index->durable = (th_index_states){ state, state };
        return th_index_states_save(&index->durable, index->state_path, err);
    }
    if (!is_lost(status))
        return status;
    const th_status refused =
        refuse_damage(index, "the file 'state' is missing or damaged", err);
    if (refused != TH_OK)
        return refused;
    report(index,
           "the file 'state' is missing or damaged: every intact page is taken over");
    guess_states(index);
    return TH_OK;
}

/*
 * Draws the first mark of an index. It is random, so it differs from other indexes'
 * marks, and below 2^62, so counting never overflows. Uses the clock if the system has no
 * random number.
 */
static uint64_t draw_mark(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        number = (uint64_t)th_clock_ns(CLOCK_REALTIME);
    }
    return number >> 2 | (GUESSED + 1);
}

/* Seals the segments that could not be sealed before. */
static th_status seal_rest(th_index *index, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i + 1 < index->segment_count && status == TH_OK; i++)
        status = th_index_segment_seal(index->segments[i], err);
    return status;
}

static th_status make_durable(th_index *index, th_error *err)
{
    th_journal *journal = growing_segment(index)->journal;
    th_index_states next = { index->durable.older, index->state };
    th_status status = seal_rest(index, err);
    if (status == TH_OK)
        status = th_journal_sync(journal, err);
    next.newest.mark = index->durable.newest.mark > GUESSED
                           ? index->durable.newest.mark + 1
                           : draw_mark();
    next.newest.journal_len = th_journal_len(journal);
    if (status == TH_OK)
        status = th_index_states_save(&next, index->state_path, err);
    if (status != TH_OK)
        return status;
    index->state = next.newest;
    index->durable = next;
    index->has_changed = false;
    index->owes_commit = false;
    return TH_OK;
}

th_status th_index_prepare(th_index *index, uint64_t *mark, th_error *err)
{
    th_error why = { .text = "" };
    if (index->failure != TH_OK)
        return fail_again(index, err);
    const th_status status = index->has_changed || index->durable.newest.mark <= GUESSED
                                 ? make_durable(index, &why)
                                 : TH_OK;
    if (status != TH_OK) {
        if (!index->is_blocked)
            report(index, "cannot be made durable at present: %s", why.text);
        index->is_blocked = true;
        return th_fail(err, status, "%s", why.text);
    }
    if (index->is_blocked)
        report(index, "is durable again");
    index->is_blocked = false;
    *mark = index->durable.newest.mark;
    return TH_OK;
}

void th_index_commit(th_index *index)
{
    const th_index_state *newest = &index->durable.newest;
    for (uint32_t n = index->durable.older.first; n < newest->first; n++)
        th_index_segment_unlink(index->dir, n);
    index->owes_commit |= index->durable.older.mark != newest->mark;
    index->durable.older = *newest;
}

th_status th_index_rewind(th_index *index, uint64_t mark, th_error *err)
{
    const th_index_states *durable = &index->durable;
    const bool is_lost = durable->older.mark == GUESSED && mark != durable->newest.mark;
    if (!mark || is_lost)
        mark = durable->older.mark;
    if (mark == durable->newest.mark && !index->has_changed && index->failure == TH_OK) {
        th_index_commit(index);
        return TH_OK;
    }
    if (mark != durable->newest.mark && mark != durable->older.mark)
        return th_fail(err, TH_USAGE,
                       "index '%s' is at mark %llu and cannot return to mark %llu",
                       index->dir, (unsigned long long)durable->newest.mark,
                       (unsigned long long)mark);
    const th_index_state state =
        mark == durable->newest.mark ? durable->newest : durable->older;
    /* The state is saved first, so that no saved state names what is cut below. */
    const th_index_states next = { state, state };
    th_status status = th_index_states_save(&next, index->state_path, err);
    if (status != TH_OK)
        return status;
    const uint32_t last = index->state.current;
    index->durable = next;
    index->owes_commit = false;
    forget_segments(index);
    for (uint32_t n = state.current + 1; n <= last; n++)
        th_index_segment_unlink(index->dir, n);
    status = load(index, &state, err);
    index->failure = status;
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
    return th_state_with_mark(&durable->older, &durable->newest, mark) != NULL;
}

void th_index_facts_get(const th_index *index, th_index_stats *out)
{
    *out = (th_index_stats){ .counts = index->state.counts,
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

static th_status reserve(th_index *index, const th_index_options *options, th_error *err)
{
    const size_t refs = (size_t)options->scheme.key_count * TH_BUCKET_MAX;
    index->refs = calloc(refs, sizeof *index->refs);
    index->dir = strdup(options->dir);
    if (asprintf(&index->state_path, "%s/state", options->dir) < 0)
        index->state_path = NULL;
    return index->refs && index->dir && index->state_path
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot allocate an index");
}

th_status th_index_open(const th_index_options *options, th_index **out, th_error *err)
{
    th_index *index = calloc(1, sizeof *index);
    if (!index)
        return th_fail(err, TH_NOMEM, "cannot allocate an index");
    index->options = *options;
    index->lock_fd = -1;
    th_status status = reserve(index, options, err);
    if (status == TH_OK)
        status = th_index_folder_take(index->dir, &index->options.scheme, &index->lock_fd,
                                      err);
    if (status == TH_OK)
        status = load_states(index, err);
    if (status == TH_OK) {
        remove_strangers(index);
        const th_index_state newest = index->durable.newest;
        status = load(index, &newest, err);
    }
    if (status == TH_OK && index->durable.newest.mark == GUESSED) {
        index->state.journal_len = th_journal_len(growing_segment(index)->journal);
        index->durable = (th_index_states){ index->state, index->state };
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
    /* Writes the commit that was not written yet. If that fails, the newest state
     * remains, and its mark restores it. */
    if (index->owes_commit)
        (void)th_index_states_save(&index->durable, index->state_path, NULL);
    forget_segments(index);
    if (index->lock_fd >= 0)
        (void)close(index->lock_fd);
    free(index->refs);
    free(index->state_path);
    free(index->dir);
    free(index);
}
