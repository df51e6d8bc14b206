/* Lines of the gold in a text. Definitions: score_lines.py, whose figures these are. */
#include "eval/extraction/line_score.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/html_reference.h"
#include "base/unicode.h"

enum {
    WORDS_LEAST = 8,   /* minimum words of a gold line that is searched */
    GRAM = 5,          /* words of a shingle */
    BREAKS_LEAST = 3,  /* line ends in a PRE */
    TELLING = 10,      /* a PRE's line of more characters tells that the text has it */
    HEADING_LEAST = 6, /* characters */
};

/* Where a gold line was found in the text. */
struct th_found_line {
    size_t at, len;
    size_t line; /* where its line begins */
};

th_status th_line_scorer_init(th_line_scorer *scorer)
{
    *scorer = (th_line_scorer){ 0 };
    return th_case_mapper_init(&scorer->mapper);
}

void th_line_scorer_done(th_line_scorer *scorer)
{
    th_case_mapper_done(&scorer->mapper);
    th_buffer *const buffers[] = { &scorer->gold,   &scorer->pre,     &scorer->heading,
                                   &scorer->joined, &scorer->exact,   &scorer->squeezed,
                                   &scorer->words,  &scorer->scratch, &scorer->line };
    for (size_t i = 0; i < sizeof buffers / sizeof(void *); i++)
        th_buffer_done(buffers[i]);
    free(scorer->lines);
    free(scorer->found);
    *scorer = (th_line_scorer){ 0 };
}

/* ---- texts ---- */

/* The part of the view before the first line end, which is dropped; moves the view on. */
static th_view next_line(th_view *text)
{
    const char *end = text->len ? memchr(text->data, '\n', text->len) : NULL;
    const size_t len = end ? (size_t)(end - text->data) : text->len;
    const th_view line = { text->data, len };
    text->data += end ? len + 1 : len;
    text->len -= end ? len + 1 : len;
    return line;
}

/*
 * Appends the text with each run of whitespace as one space, and no spaces at the edges.
 */
static void put_collapsed(th_buffer *out, th_view text)
{
    const size_t start = out->len;
    bool is_spaced = false;
    for (size_t at = 0; at < text.len;) {
        const size_t from = at;
        const bool is_blank = th_is_blank(th_utf8_next(text.data, &at));
        if (!is_blank && is_spaced && out->len > start)
            th_buffer_append_char(out, ' ');
        if (!is_blank)
            th_buffer_append(out, text.data + from, at - from);
        is_spaced = is_blank;
    }
}

static void put_squeezed(th_buffer *out, th_view text)
{
    assert(text.data || !text.len);
    for (size_t at = 0; at < text.len;) {
        const size_t from = at;
        if (!th_is_blank(th_utf8_next(text.data, &at)))
            th_buffer_append(out, text.data + from, at - from);
    }
}

/* Appends the text without whitespace at the end. */
static void put_stripped(th_buffer *out, th_view text)
{
    size_t end = 0;
    for (size_t at = 0; at < text.len;)
        if (!th_is_blank(th_utf8_next(text.data, &at)))
            end = at;
    th_buffer_append(out, text.data, end);
}

/* Appends the words of a text in lower case, separated by spaces. @return how many */
static size_t put_words(th_buffer *out, th_view lower)
{
    size_t count = 0;
    bool is_open = false;
    assert(lower.data || !lower.len);
    for (size_t at = 0; at < lower.len;) {
        const size_t from = at;
        const bool is_part = th_is_word_part(th_utf8_next(lower.data, &at));
        if (is_part && !is_open && count++)
            th_buffer_append_char(out, ' ');
        if (is_part)
            th_buffer_append(out, lower.data + from, at - from);
        is_open = is_part;
    }
    return count;
}

static const char *find(th_view in, th_view what)
{
    return what.len <= in.len ? memmem(in.data ? in.data : "", in.len,
                                       what.data ? what.data : "", what.len)
                              : NULL;
}

/* Whether one of the lines, which are between line ends, is that. */
static bool has_line(th_line_scorer *scorer, const th_buffer *lines, th_view line)
{
    th_buffer *scratch = &scorer->scratch;
    th_buffer_reset(scratch);
    th_buffer_append_char(scratch, '\n');
    th_buffer_append_view(scratch, line);
    th_buffer_append_char(scratch, '\n');
    return find(th_buffer_view(lines), th_buffer_view(scratch));
}

/* ---- the page ---- */

static th_status add_gold_line(th_line_scorer *scorer, size_t start)
{
    if (scorer->line_count == scorer->line_capacity) {
        const size_t capacity = scorer->line_capacity ? 2 * scorer->line_capacity : 64;
        void *lines = realloc(scorer->lines, capacity * sizeof *scorer->lines);
        if (!lines)
            return TH_NOMEM;
        scorer->lines = lines;
        void *found = realloc(scorer->found, capacity * sizeof *scorer->found);
        if (!found)
            return TH_NOMEM;
        scorer->found = found;
        scorer->line_capacity = capacity;
    }
    scorer->lines[scorer->line_count++] =
        (th_gold_line){ start, scorer->gold.len - start };
    return TH_OK;
}

static th_status read_gold(th_line_scorer *scorer, th_view gold)
{
    th_buffer_reset(&scorer->gold);
    scorer->line_count = 0;
    while (gold.len) {
        const size_t start = scorer->gold.len;
        put_collapsed(&scorer->gold, next_line(&gold));
        th_buffer_reset(&scorer->scratch);
        const th_view line = { scorer->gold.data + start, scorer->gold.len - start };
        const th_view lower = line.len ? th_lowered(&scorer->mapper, line) : line;
        if (scorer->gold.has_failed || (line.len && !lower.data))
            return TH_NOMEM;
        if (put_words(&scorer->scratch, lower) < WORDS_LEAST)
            scorer->gold.len = start;
        else if (add_gold_line(scorer, start) != TH_OK)
            return TH_NOMEM;
    }
    return TH_OK;
}

static bool is_name_at(th_view html, size_t at, const char *name, size_t len)
{
    return html.len - at >= len && strncasecmp(html.data + at, name, len) == 0;
}

/*
 * Returns the place after the '>' of the first start tag of that name, starting at `at`;
 * the length if there is no such tag.
 */
static size_t find_start(th_view html, size_t at, const char *name)
{
    const size_t len = strlen(name);
    for (const char *tag;
         at < html.len && (tag = memchr(html.data + at, '<', html.len - at));) {
        at = (size_t)(tag - html.data) + 1;
        if (!is_name_at(html, at, name, len) || at + len >= html.len ||
            th_is_word_part((unsigned char)html.data[at + len]))
            continue;
        const char *end = memchr(html.data + at, '>', html.len - at);
        return end ? (size_t)(end - html.data) + 1 : html.len;
    }
    return html.len;
}

/*
 * Finds the end tag of that name, starting at `at`, and the place after it. @return false
 * if there is no such tag
 */
static bool find_end(th_view html, size_t at, const char *name, size_t *start,
                     size_t *behind)
{
    const size_t len = strlen(name);
    for (const char *tag;
         at < html.len && (tag = memchr(html.data + at, '<', html.len - at));) {
        const size_t from = (size_t)(tag - html.data);
        at = from + 1;
        if (at >= html.len || html.data[at] != '/' ||
            !is_name_at(html, at + 1, name, len))
            continue;
        size_t end = at + 1 + len;
        while (end < html.len && th_is_blank((unsigned char)html.data[end]))
            end++;
        if (end >= html.len || html.data[end] != '>')
            continue;
        *start = from;
        *behind = end + 1;
        return true;
    }
    return false;
}

/*
 * Returns the content of the next element of that name, and moves `at` after it. @return
 * false if there is no such element
 */
static bool next_element(th_view html, size_t *at, const char *name, th_view *inner)
{
    size_t start, end, behind;
    start = find_start(html, *at, name);
    if (start >= html.len || !find_end(html, start, name, &end, &behind))
        return false;
    *inner = (th_view){ html.data + start, end - start };
    *at = behind;
    return true;
}

/* Appends the text of markup: BR is a line end, other tags go, references are read. */
static void put_plain(th_line_scorer *scorer, th_view markup, th_buffer *out)
{
    th_buffer *bare = &scorer->line;
    th_buffer_reset(bare);
    for (size_t at = 0; at < markup.len;) {
        const char *end = markup.data[at] == '<'
                              ? memchr(markup.data + at, '>', markup.len - at)
                              : NULL;
        if (!end) {
            th_buffer_append_char(bare, markup.data[at++]);
            continue;
        }
        if (is_name_at(markup, at + 1, "br", 2) &&
            !th_is_word_part((unsigned char)markup.data[at + 3]))
            th_buffer_append_char(bare, '\n');
        at = (size_t)(end - markup.data) + 1;
    }
    const size_t len = bare->len;
    th_buffer_append_char(bare, ' '); /* ends a reference */
    for (size_t at = 0; at < len && !bare->has_failed;) {
        th_reference reference;
        if (bare->data[at] == '&' &&
            th_reference_read(bare->data + at, bare->data + bare->len, false,
                              &reference) == TH_REFERENCE_FOUND) {
            th_buffer_append(out, reference.bytes, reference.len);
            at += reference.used;
        } else {
            th_buffer_append_char(out, bare->data[at++]);
        }
    }
}

/* Takes what was appended since `start` back unless it has lines enough. */
static void keep_pre(th_buffer *pre, size_t start)
{
    while (pre->len > start && pre->data[pre->len - 1] == '\n')
        pre->len--;
    size_t first = start;
    while (first < pre->len && pre->data[first] == '\n')
        first++;
    unsigned breaks = 0;
    for (size_t i = first; i < pre->len; i++)
        breaks += pre->data[i] == '\n';
    if (breaks < BREAKS_LEAST) {
        pre->len = start;
        return;
    }
    memmove(pre->data + start, pre->data + first, pre->len - first);
    pre->len -= first - start;
    th_buffer_append_char(pre, '\0');
}

static void read_pres(th_line_scorer *scorer, th_view html)
{
    th_view inner;
    th_buffer_reset(&scorer->pre);
    for (size_t at = 0; next_element(html, &at, "pre", &inner);) {
        const size_t start = scorer->pre.len;
        put_plain(scorer, inner, &scorer->pre);
        if (!scorer->pre.has_failed)
            keep_pre(&scorer->pre, start);
    }
}

static void read_heading(th_line_scorer *scorer, th_view html)
{
    th_view inner;
    unsigned count = 0;
    th_buffer_reset(&scorer->heading);
    for (size_t at = 0; next_element(html, &at, "h1", &inner);) {
        th_buffer_reset(&scorer->scratch);
        put_plain(scorer, inner, &scorer->scratch);
        const size_t start = scorer->heading.len;
        put_collapsed(&scorer->heading, th_buffer_view(&scorer->scratch));
        if (th_utf8_count(scorer->heading.data + start, scorer->heading.len - start) <
            HEADING_LEAST)
            scorer->heading.len = start;
        else
            count++;
    }
    if (count != 1)
        th_buffer_reset(&scorer->heading);
}

th_status th_line_scorer_begin(th_line_scorer *scorer, const th_corpus_page *page,
                               th_view html)
{
    const th_status status = read_gold(scorer, page->gold);
    if (status != TH_OK)
        return status;
    read_pres(scorer, html);
    read_heading(scorer, html);
    return scorer->pre.has_failed || scorer->heading.has_failed ||
                   scorer->line.has_failed || scorer->scratch.has_failed
               ? TH_NOMEM
               : TH_OK;
}

/* ---- a text ---- */

static th_status read_text(th_line_scorer *scorer, th_view text)
{
    th_buffer *const buffers[] = { &scorer->joined, &scorer->exact, &scorer->squeezed,
                                   &scorer->words };
    for (size_t i = 0; i < sizeof buffers / sizeof(void *); i++)
        th_buffer_reset(buffers[i]);
    put_squeezed(&scorer->squeezed, text);
    const th_view lower = th_lowered(&scorer->mapper, text);
    if (!lower.data)
        return TH_NOMEM;
    (void)put_words(&scorer->words, lower);
    th_buffer_append_char(&scorer->joined, '\n');
    th_buffer_append_char(&scorer->exact, '\n');
    while (text.len) {
        const th_view line = next_line(&text);
        put_collapsed(&scorer->joined, line);
        put_stripped(&scorer->exact, line);
        th_buffer_append_char(&scorer->joined, '\n');
        th_buffer_append_char(&scorer->exact, '\n');
    }
    for (size_t i = 0; i < sizeof buffers / sizeof(void *); i++)
        if (buffers[i]->has_failed)
            return TH_NOMEM;
    return TH_OK;
}

/* Counts the shingles of a line's words that occur in the text's. @return of how many */
static size_t count_grams(th_line_scorer *scorer, th_view words, size_t *hits)
{
    size_t starts[GRAM] = { 0 }; /* of the last words, in turn */
    size_t count = 0;
    *hits = 0;
    for (size_t at = 0, start = 0; at <= words.len; at++) {
        if (at < words.len && words.data[at] != ' ')
            continue;
        starts[count++ % GRAM] = start;
        start = at + 1;
        if (count < GRAM)
            continue;
        const size_t from = starts[count % GRAM];
        *hits += find(th_buffer_view(&scorer->words),
                      (th_view){ words.data + from, at - from }) != NULL;
    }
    return count - GRAM + 1;
}

/* Classifies a line that is not intact. */
static th_status judge(th_line_scorer *scorer, th_view line, th_line_score *score)
{
    th_buffer *scratch = &scorer->scratch;
    th_buffer_reset(scratch);
    put_squeezed(scratch, line);
    if (find(th_buffer_view(&scorer->squeezed), th_buffer_view(scratch))) {
        score->broken++;
        return TH_OK;
    }
    const th_view lower = th_lowered(&scorer->mapper, line);
    if (!lower.data)
        return TH_NOMEM;
    th_buffer_reset(scratch);
    (void)put_words(scratch, lower);
    size_t hits;
    const size_t grams = count_grams(scorer, th_buffer_view(scratch), &hits);
    if (!hits)
        score->missing++;
    else if ((double)hits >= .9 * (double)grams)
        score->nearly++;
    else
        score->torn++;
    return scratch->has_failed ? TH_NOMEM : TH_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct th_found_line *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

/* Counts the lines of the text that contain two gold lines, neither within the other. */
static uint32_t count_glued(struct th_found_line *found, size_t count)
{
    uint32_t glued = 0;
    if (count)
        qsort(found, count, sizeof *found, by_place);
    bool is_counted = false;
    size_t end = 0, line = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_same = i && found[i].line == line;
        if (is_same && found[i].at >= end && !is_counted) {
            glued++;
            is_counted = true;
        }
        if (!is_same) {
            is_counted = false;
            line = found[i].line;
            end = 0;
        }
        if (found[i].at + found[i].len > end)
            end = found[i].at + found[i].len;
    }
    return glued;
}

static th_status score_gold(th_line_scorer *scorer, th_line_score *score)
{
    const th_view joined = th_buffer_view(&scorer->joined);
    size_t count = 0;
    for (size_t i = 0; i < scorer->line_count; i++) {
        const th_view line = { scorer->gold.data + scorer->lines[i].start,
                               scorer->lines[i].len };
        const char *at = find(joined, line);
        if (at) {
            score->intact++;
            const char *start = at;
            while (start[-1] != '\n')
                start--;
            scorer->found[count++] =
                (struct th_found_line){ .at = (size_t)(at - joined.data),
                                        .len = line.len,
                                        .line = (size_t)(start - joined.data) };
        } else if (judge(scorer, line, score) != TH_OK) {
            return TH_NOMEM;
        }
    }
    score->glued = count_glued(scorer->found, count);
    return TH_OK;
}

static bool is_telling(th_line_scorer *scorer, th_view line)
{
    if (th_utf8_count(line.data, line.len) <= TELLING)
        return false;
    th_buffer_reset(&scorer->scratch);
    put_squeezed(&scorer->scratch, line);
    return find(th_buffer_view(&scorer->squeezed), th_buffer_view(&scorer->scratch));
}

static void score_pre(th_line_scorer *scorer, th_view pre, th_line_score *score)
{
    th_buffer *line = &scorer->line;
    bool is_there = false, has_lines = true, has_indent = true;
    while (pre.len) {
        const th_view raw = next_line(&pre);
        th_buffer_reset(line);
        put_stripped(line, raw);
        if (!line->len)
            continue;
        is_there = is_there || is_telling(scorer, th_buffer_view(line));
        has_indent = has_indent && has_line(scorer, &scorer->exact, th_buffer_view(line));
        th_buffer_reset(line);
        put_collapsed(line, raw);
        has_lines = has_lines && has_line(scorer, &scorer->joined, th_buffer_view(line));
    }
    if (!is_there)
        return;
    score->pre++;
    score->pre_lines += has_lines;
    score->pre_indent += has_indent;
}

th_status th_line_scorer_score(th_line_scorer *scorer, th_view text, th_line_score *score)
{
    *score = (th_line_score){ 0 };
    th_status status = read_text(scorer, text);
    if (status == TH_OK)
        status = score_gold(scorer, score);
    if (status != TH_OK)
        return status;
    for (size_t at = 0; at < scorer->pre.len;) {
        const size_t len = strlen(scorer->pre.data + at);
        score_pre(scorer, (th_view){ scorer->pre.data + at, len }, score);
        at += len + 1;
    }
    if (scorer->heading.len) {
        score->h1 = 1;
        score->h1_kept = find(th_buffer_view(&scorer->joined),
                              th_buffer_view(&scorer->heading)) != NULL;
    }
    return scorer->line.has_failed || scorer->scratch.has_failed ? TH_NOMEM : TH_OK;
}
