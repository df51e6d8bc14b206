#include "write/emphasis_escapes.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/unicode.h"

enum {
    PARTIAL_MAX = 64, /* runs of a line that are escaped in part */
    SYMBOLS_MAX = 8,  /* of a run that is escaped in part */
    PARTS_MAX = 4,    /* of such a run */
    DELIMITERS_MAX = 2 * TH_EMPHASIS_RUNS,
    PAIRS_MAX = 128,
};

/* Versions of CommonMark differ in the characters that are symbols: since 0.31 the
 * categories P and S, before only P and ASCII. Readers with and without GitHub's rule for
 * "~" differ, too. */
enum { READER_NEW = 1, READER_HALVES = 2, READERS = 4 };

enum { KIND_SPACE, KIND_MARK, KIND_OTHER };

/* A run, or a part of one between escapes, as a reader sees it. */
struct delimiter {
    size_t first; /* offset of its first symbol in the line without backslashes */
    size_t part;  /* the same for halves of one part */
    size_t len, left, used; /* symbols; left and used by pairs */
    uint32_t group;
    bool opens, closes, is_gone;
    char sign;
};

/* The emphasis that a reader finds. */
struct pairs {
    uint32_t count; /* can be greater than PAIRS_MAX, then reading ended there */
    struct {
        size_t from, to; /* offsets of the inner symbols */
        size_t len;
    } at[PAIRS_MAX];
};

struct reading {
    struct delimiter delimiters[DELIMITERS_MAX];
    uint32_t count;
    struct pairs pairs;
};

/* ---- runs -------------------------------------------------------------------------- */

static uint8_t kind_of(uint32_t c, bool is_new)
{
    if (th_is_space(c))
        return KIND_SPACE;
    if (c < 0x80)
        return th_is_alnum(c) || c < ' ' || c == 0x7F ? KIND_OTHER : KIND_MARK;
    const uint32_t marks = is_new ? U_GC_P_MASK | U_GC_S_MASK : U_GC_P_MASK;
    return U_GET_GC_MASK((UChar32)c) & marks ? KIND_MARK : KIND_OTHER;
}

static void find_neighbors(th_emphasis_run *run, th_view line)
{
    size_t start = run->at, end = run->at + run->len;
    uint32_t before = ' ', after = ' ';
    if (start) {
        do
            start--;
        while (start && ((unsigned char)line.data[start] & 0xC0) == 0x80);
        before = th_utf8_next(line.data, &start);
    }
    if (end < line.len)
        after = th_utf8_next(line.data, &end);
    for (int is_new = 0; is_new < 2; is_new++) {
        run->before[is_new] = kind_of(before, is_new);
        run->after[is_new] = kind_of(after, is_new);
    }
}

/* Whether a run may open and close emphasis between two kinds of characters. */
static void flanks_of(char sign, uint8_t before, uint8_t after, bool *opens, bool *closes)
{
    const bool is_left =
        after != KIND_SPACE && (after != KIND_MARK || before != KIND_OTHER);
    const bool is_right =
        before != KIND_SPACE && (before != KIND_MARK || after != KIND_OTHER);
    *opens = is_left && (sign != '_' || !is_right || before == KIND_MARK);
    *closes = is_right && (sign != '_' || !is_left || after == KIND_MARK);
}

/* Whether a run may have a meaning, alone or with one that it touches. */
static bool is_active(const th_emphasis_run *run, th_view line)
{
    const char sign = line.data[run->at];
    const size_t end = run->at + run->len;
    bool opens = false, closes = false;
    for (int is_new = 0; is_new < 2 && !opens && !closes; is_new++)
        flanks_of(sign, run->before[is_new], run->after[is_new], &opens, &closes);
    return opens || closes || (run->at && line.data[run->at - 1] == sign) ||
           (end < line.len && line.data[end] == sign);
}

/* Removes runs without a meaning. @param count  of the first runs: the line has the
 * characters after them */
static void remove_inactive(th_emphasis *marks, uint32_t count, th_view line)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < marks->count; i++) {
        th_emphasis_run *run = &marks->runs[i];
        if (i < count)
            find_neighbors(run, line);
        if (i >= count || is_active(run, line))
            marks->runs[kept++] = *run;
    }
    marks->count = kept;
}

bool th_emphasis_note(th_emphasis *marks, const th_buffer *line, size_t len,
                      uint32_t group, th_emphasis_kind kind)
{
    if (marks->count == TH_EMPHASIS_RUNS)
        remove_inactive(marks, marks->count - 1, th_buffer_view(line));
    if (marks->count == TH_EMPHASIS_RUNS)
        return false;
    marks->has_text |= kind != TH_EMPHASIS_FIXED;
    marks->runs[marks->count++] =
        (th_emphasis_run){ .at = line->len, .len = len, .group = group, .kind = kind };
    return true;
}

/* ---- as a reader pairs them -------------------------------------------------------- */

/* Symbols between escapes and other characters: one delimiter, or its halves. */
struct part {
    size_t at, len;
    uint32_t group;
    uint8_t before, after;
    char sign;
};

static void add_part(struct reading *to, const struct part *part, int reader)
{
    const bool halves = part->sign == '~' && reader & READER_HALVES;
    if (!part->len || (part->sign == '~' && !halves && part->len > 2))
        return;
    struct delimiter one = { .first = part->at,
                             .part = part->at,
                             .len = part->len,
                             .left = part->len,
                             .group = part->group,
                             .sign = part->sign };
    flanks_of(part->sign, part->before, part->after, &one.opens, &one.closes);
    const size_t count = !halves                     ? 1
                         : part->len / 2 < PARTS_MAX ? part->len / 2
                                                     : PARTS_MAX;
    if (halves) {
        one.first += part->len % 2;
        one.len = one.left = 2;
    }
    for (size_t i = 0; i < count && to->count < DELIMITERS_MAX; i++, one.first += 2)
        to->delimiters[to->count++] = one;
}

static bool is_escaped(const th_emphasis_run *run, size_t at)
{
    return run->escaped >> (at < SYMBOLS_MAX ? at : SYMBOLS_MAX - 1) & 1;
}

/* Adds the parts of a run. @param last  the part before it, which the run may continue.
 * Changed to the run's last part, which is not added yet */
static void add_run(struct reading *to, const th_emphasis_run *run, char sign, int reader,
                    struct part *last)
{
    const bool is_new = reader & READER_NEW;
    for (size_t from = 0, end; from < run->len; from = end) {
        end = from + 1;
        if (is_escaped(run, from))
            continue;
        while (end < run->len && !is_escaped(run, end))
            end++;
        const uint8_t after = end < run->len ? KIND_MARK : run->after[is_new];
        if (last->len && last->at + last->len == run->at + from && last->sign == sign) {
            last->len += end - from;
            last->after = after;
            continue;
        }
        add_part(to, last, reader);
        *last = (struct part){ .at = run->at + from,
                               .len = end - from,
                               .group = run->group,
                               .before = from ? KIND_MARK : run->before[is_new],
                               .after = after,
                               .sign = sign };
    }
}

static bool do_pair(const struct delimiter *a, const struct delimiter *b, int reader)
{
    if (a->is_gone || !a->opens || a->sign != b->sign || a->part == b->part ||
        a->group != b->group)
        return false;
    if (a->sign == '~' && reader & READER_HALVES)
        return true;
    return !(a->closes || b->opens) || b->len % 3 == 0 || (a->len + b->len) % 3 != 0;
}

/* Pairs a closing delimiter with one before it. @return whether there was one */
static bool pair(struct reading *r, uint32_t at, int reader)
{
    struct delimiter *b = &r->delimiters[at];
    uint32_t from = at;
    while (from && !do_pair(&r->delimiters[from - 1], b, reader))
        from--;
    if (!from)
        return false;
    struct delimiter *a = &r->delimiters[from - 1];
    for (uint32_t i = from; i < at; i++)
        r->delimiters[i].is_gone |= r->delimiters[i].group == b->group;
    const bool is_wave = b->sign == '~';
    const size_t len = is_wave ? b->len : a->left > 1 && b->left > 1 ? 2 : 1;
    if (!is_wave || a->len == b->len) {
        if (r->pairs.count < PAIRS_MAX) {
            r->pairs.at[r->pairs.count].from = a->first + a->left - 1;
            r->pairs.at[r->pairs.count].to = b->first + b->used;
            r->pairs.at[r->pairs.count].len = len;
        }
        r->pairs.count++;
    }
    a->left -= is_wave ? a->left : len;
    a->is_gone = !a->left;
    b->left -= len;
    b->used += len;
    return true;
}

static void read_runs(struct reading *r, const th_emphasis *marks, th_view line,
                      int reader)
{
    r->count = r->pairs.count = 0;
    struct part last = { 0 };
    for (uint32_t i = 0; i < marks->count; i++)
        add_run(r, &marks->runs[i], line.data[marks->runs[i].at], reader, &last);
    add_part(r, &last, reader);
    for (uint32_t i = 0; i < r->count && r->pairs.count <= PAIRS_MAX; i++) {
        struct delimiter *one = &r->delimiters[i];
        if (!one->closes || one->is_gone)
            continue;
        while (one->left && r->pairs.count <= PAIRS_MAX && pair(r, i, reader))
            continue;
        one->is_gone |= !one->left || !one->opens;
    }
}

static bool are_same(const struct pairs *a, const struct pairs *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count && i < PAIRS_MAX; i++)
        if (a->at[i].from != b->at[i].from || a->at[i].to != b->at[i].to ||
            a->at[i].len != b->at[i].len)
            return false;
    return true;
}

/* ---- the smallest set -------------------------------------------------------------- */

/* Escapes all symbols of text, or none. */
static void set_all(th_emphasis *marks, bool escapes)
{
    for (uint32_t i = 0; i < marks->count; i++)
        if (marks->runs[i].kind != TH_EMPHASIS_FIXED)
            marks->runs[i].escaped = escapes ? UINT8_MAX : 0;
}

struct trial {
    th_emphasis *marks;
    th_view line;
    bool reads[READERS]; /* readers that may differ from another one */
    struct pairs right[READERS];
    struct reading now;
};

/* Whether every reader finds the writer's own emphasis only. */
static bool is_right(struct trial *trial)
{
    for (int reader = 0; reader < READERS; reader++) {
        if (!trial->reads[reader])
            continue;
        read_runs(&trial->now, trial->marks, trial->line, reader);
        if (!are_same(&trial->now.pairs, &trial->right[reader]))
            return false;
    }
    return true;
}

/* Removes one escape, or all of a long run, if the line stays right. */
static bool remove_escape(struct trial *trial, th_emphasis_run *run, uint8_t bits)
{
    const uint8_t before = run->escaped;
    if (!(before & bits))
        return false;
    run->escaped &= (uint8_t)~bits;
    if (is_right(trial))
        return true;
    run->escaped = before;
    return false;
}

/* Removes escapes, the last first: those that stay are where emphasis would begin. */
static void find_smallest(struct trial *trial)
{
    th_emphasis *marks = trial->marks;
    bool has_changed;
    do {
        has_changed = false;
        for (uint32_t i = marks->count; i-- > 0;) {
            th_emphasis_run *run = &marks->runs[i];
            if (run->kind == TH_EMPHASIS_FIXED)
                continue;
            if (remove_escape(trial, run, UINT8_MAX)) {
                has_changed = true;
                continue;
            }
            for (size_t k = run->len <= SYMBOLS_MAX ? run->len : 0; k-- > 0;)
                has_changed |= remove_escape(trial, run, (uint8_t)(1U << k));
        }
    } while (has_changed);
}

/* Reads the line with all escapes, and finds the readers that can differ. */
static void begin_trial(struct trial *trial)
{
    th_emphasis *marks = trial->marks;
    bool has_new = false, has_waves = false;
    for (uint32_t i = 0; i < marks->count; i++) {
        const th_emphasis_run *run = &marks->runs[i];
        has_new |= run->before[0] != run->before[1] || run->after[0] != run->after[1];
        has_waves |= trial->line.data[run->at] == '~';
    }
    set_all(marks, true);
    for (int reader = 0; reader < READERS; reader++) {
        trial->reads[reader] = (has_new || !(reader & READER_NEW)) &&
                               (has_waves || !(reader & READER_HALVES));
        if (!trial->reads[reader])
            continue;
        read_runs(&trial->now, marks, trial->line, reader);
        trial->right[reader] = trial->now.pairs;
    }
}

/* The text of an escaped symbol. */
static th_view escape_of(const th_emphasis_run *run, char sign)
{
    if (run->kind == TH_EMPHASIS_REFERENCE)
        return sign == '*' ? TH_VIEW("&ast;") : TH_VIEW("&lowbar;");
    return sign == '*' ? TH_VIEW("\\*") : sign == '_' ? TH_VIEW("\\_") : TH_VIEW("\\~");
}

/* Writes the escapes, from the end. */
static void put_escapes(const th_emphasis *marks, th_buffer *line)
{
    size_t extra = 0;
    for (uint32_t i = 0; i < marks->count; i++)
        for (size_t k = 0; marks->runs[i].escaped && k < marks->runs[i].len; k++)
            if (is_escaped(&marks->runs[i], k))
                extra +=
                    escape_of(&marks->runs[i], line->data[marks->runs[i].at]).len - 1;
    if (!extra || !th_buffer_reserve(line, extra))
        return;
    size_t end = line->len;
    line->len += extra;
    for (uint32_t i = marks->count; i-- > 0 && extra;) {
        const th_emphasis_run *run = &marks->runs[i];
        for (size_t k = run->len; run->escaped && k-- > 0;) {
            if (!is_escaped(run, k))
                continue;
            const size_t at = run->at + k;
            const th_view escape = escape_of(run, line->data[at]);
            memmove(line->data + at + 1 + extra, line->data + at + 1, end - at - 1);
            extra -= escape.len - 1;
            memcpy(line->data + at + extra, escape.data, escape.len);
            end = at;
        }
    }
}

void th_emphasis_escape(th_emphasis *marks, th_buffer *line)
{
    if (!marks->has_text || line->has_failed)
        return;
    remove_inactive(marks, marks->count, th_buffer_view(line));
    struct trial trial;
    trial.marks = marks;
    trial.line = th_buffer_view(line);
    begin_trial(&trial);
    set_all(marks, false);
    if (!is_right(&trial)) {
        set_all(marks, true);
        if (marks->count <= PARTIAL_MAX)
            find_smallest(&trial);
    }
    put_escapes(marks, line);
}
