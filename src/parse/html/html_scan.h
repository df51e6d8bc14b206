/*
 * The scanner: text, and tags that are complete in the piece, at the speed of memory.
 * HTML Living Standard 13.2.5.1-5, 15-31, 69 (the states of text) and 8, 32-40 (tags).
 *
 * This file is compiled once for each width of byte_block.h. The including file defines
 * TH_BLOCK_WIDTH and the name of the function, TH_HTML_SCAN. A search is a loop over
 * blocks within its caller, because most end in the first block and a call would cost
 * more.
 *
 * Input that the available bytes do not decide is left, from the '<' or '&', to the
 * machine. Names and values are views into the piece. If they must be changed (capitals,
 * references, CR, NUL) they are written to scratch, if they fit. Only the machine
 * enlarges scratch, so nothing moves while a tag is read.
 */
#include <string.h>

#include "base/tag_words.h"
#include "parse/charset/byte_block.h"
#include "parse/html/html_token.h"

/* Keeps a function with many registers out of a loop. */
#define BLOCK_APART static __attribute__((noinline)) BLOCK_TARGET

/* ---- searches ---------------------------------------------------------------------- */

/* Finds '<', '&', NUL or CR. */
BLOCK_FN const char *find_markup(const char *at, const char *end)
{
    for (; end - at >= BLOCK; at += BLOCK) {
        const block b = block_load(at);
        const block_mask mask = block_mask_of(block_is_markup(b));
        if (mask)
            return at + block_first(mask);
    }
    while (at < end && *at != '<' && *at != '&' && *at != '\0' && *at != '\r')
        at++;
    return at;
}

/* Finds one of two bytes, NUL or CR. Both are equal if only one is searched. */
BLOCK_FN const char *find_either(const char *at, const char *end, char x, char y)
{
    for (; end - at >= BLOCK; at += BLOCK) {
        const block b = block_load(at);
        const block_mask mask =
            block_mask_of(block_or(block_or(block_is(b, x), block_is(b, y)),
                                   block_or(block_is(b, '\0'), block_is(b, '\r'))));
        if (mask)
            return at + block_first(mask);
    }
    while (at < end && *at != x && *at != y && *at != '\0' && *at != '\r')
        at++;
    return at;
}

/* Finds the end of a quoted value, or a byte in it that must be changed. */
BLOCK_FN const char *find_value_end(const char *at, const char *end, char quote)
{
    for (; end - at >= BLOCK; at += BLOCK) {
        const block_mask mask = block_mask_of(block_is_value_end(block_load(at), quote));
        if (mask)
            return at + block_first(mask);
    }
    while (at < end && *at != quote && *at != '&' && *at != '\0' && *at != '\r')
        at++;
    return at;
}

BLOCK_FN bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

BLOCK_FN bool is_name_stop(char c)
{
    return (unsigned char)c <= ' ' || c == '/' || c == '>' || c == '=' || is_capital(c);
}

/* Finds whitespace or a control character, '/', '>', '=' or a capital. */
BLOCK_FN const char *find_name_stop(const char *at, const char *end)
{
    for (; end - at >= BLOCK; at += BLOCK) {
        const block_mask mask = block_mask_of(block_is_name_stop(block_load(at)));
        if (mask)
            return at + block_first(mask);
    }
    while (at < end && !is_name_stop(*at))
        at++;
    return at;
}

/* Finds the end of a value without quotes, or a byte in it that must be changed. */
BLOCK_FN const char *find_bare_end(const char *at, const char *end)
{
    for (; end - at >= BLOCK; at += BLOCK) {
        const block b = block_load(at);
        const block_mask mask = block_mask_of(block_or(
            block_is_up_to(b, ' '), block_or(block_is(b, '&'), block_is(b, '>'))));
        if (mask)
            return at + block_first(mask);
    }
    while (at < end && (unsigned char)*at > ' ' && *at != '&' && *at != '>')
        at++;
    return at;
}

BLOCK_FN const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && th_is_html_blank(*at))
        at++;
    return at;
}

/* ---- scratch ----------------------------------------------------------------------- */

/* Like th_html_append, but never moves earlier bytes. @return false if it would */
BLOCK_FN bool put(th_html_tokenizer *tok, const char *bytes, size_t len)
{
    const size_t capacity = tok->max_tag - (tok->scratch_len - tok->part);
    if (len > capacity) {
        len = capacity;
        tok->is_over = true;
    }
    if (len > tok->scratch_size - tok->scratch_len)
        return false;
    memcpy(tok->scratch + tok->scratch_len, bytes, len);
    tok->scratch_len += len;
    return true;
}

BLOCK_FN void begin_part(th_html_tokenizer *tok)
{
    tok->part = tok->scratch_len;
    tok->is_over = false;
}

BLOCK_FN th_view part_view(const th_html_tokenizer *tok)
{
    return (th_view){ tok->scratch + tok->part, tok->scratch_len - tok->part };
}

/* Copies a name in lower case. @return false if there is no room */
BLOCK_FN bool lower_name(th_html_tokenizer *tok, th_view *name)
{
    begin_part(tok);
    if (!put(tok, name->data, name->len))
        return false;
    for (size_t i = tok->part; i < tok->scratch_len; i++)
        tok->scratch[i] = th_lower(tok->scratch[i]);
    *name = part_view(tok);
    return true;
}

/* ---- tags ----------------------------------------------------------------------------
 * Each function returns where it ended, or NULL if the tag is incomplete or is left to
 * the machine. */

/* Reads a byte of a value that must be changed: '&', CR or NUL. @return the next byte */
BLOCK_FN const char *read_changed(th_html_tokenizer *tok, const char *run, const char *at,
                                  const char *end, const char **next_run)
{
    th_reference reference;
    switch (*at) {
    case '&':
        switch (th_reference_read(at, end, true, &reference)) {
        case TH_REFERENCE_NONE:
            return at + 1; /* the run continues */
        case TH_REFERENCE_FOUND:
            break;
        default:
            return NULL;
        }
        break;
    case '\r':
        reference = (th_reference){ "\n", 1, at + 1 < end && at[1] == '\n' ? 2 : 1 };
        break;
    default:
        reference = (th_reference){ "\xEF\xBF\xBD", 3, 1 };
    }
    if (!put(tok, run, (size_t)(at - run)) || !put(tok, reference.bytes, reference.len))
        return NULL;
    *next_run = at + reference.used;
    return *next_run;
}

/* Reads the rest of a value that must be changed at `at`. `start` is its beginning. */
BLOCK_FN const char *read_changed_value(th_html_tokenizer *tok, const char *start,
                                        const char *at, const char *end, char quote,
                                        th_view *value)
{
    const char *run = start;
    begin_part(tok);
    while (at < end && *at != quote) {
        at = read_changed(tok, run, at, end, &run);
        if (!at)
            return NULL;
        at = find_value_end(at, end, quote);
    }
    if (at == end)
        return NULL;
    if (tok->scratch_len == tok->part) { /* no reference but bare '&': run is the start */
        *value = (th_view){ run, (size_t)(at - run) };
        return at + 1;
    }
    if (!put(tok, run, (size_t)(at - run)))
        return NULL;
    *value = part_view(tok);
    return at + 1;
}

BLOCK_FN const char *read_quoted(th_html_tokenizer *tok, const char *at, const char *end,
                                 th_view *value)
{
    const char quote = *at++;
    const char *stop = find_value_end(at, end, quote);
    if (stop == end)
        return NULL;
    if (__builtin_expect(*stop == quote, 1)) {
        *value = (th_view){ at, (size_t)(stop - at) };
        return stop + 1;
    }
    return read_changed_value(tok, at, stop, end, quote, value);
}

/* Reads a value without quotes. With control characters it is left to the machine. */
BLOCK_FN const char *read_bare(th_html_tokenizer *tok, const char *at, const char *end,
                               th_view *value)
{
    const char *run = at;
    const char *stop = find_bare_end(at, end);
    begin_part(tok);
    while (stop < end && *stop == '&') {
        stop = read_changed(tok, run, stop, end, &run);
        if (!stop)
            return NULL;
        stop = find_bare_end(stop, end);
    }
    if (stop == end || (*stop != '>' && !th_is_html_blank(*stop)))
        return NULL;
    *value = (th_view){ run, (size_t)(stop - run) };
    if (tok->scratch_len > tok->part) {
        if (!put(tok, run, (size_t)(stop - run)))
            return NULL;
        *value = part_view(tok);
    }
    return stop;
}

/* @param at  after '=' */
BLOCK_FN const char *read_value(th_html_tokenizer *tok, const char *at, const char *end,
                                th_view *value)
{
    at = skip_blanks(at, end);
    if (at == end)
        return NULL;
    if (*at == '"' || *at == '\'')
        return read_quoted(tok, at, end, value);
    return *at == '>' ? at : read_bare(tok, at, end, value);
}

/*
 * Reads a name that has capitals, an odd character or, being a tag's, '='.
 * @param stop  in: the first of these; out: the name's end
 * @return false if it is for the machine because it has a control or there is no room
 */
BLOCK_FN bool read_odd_name(th_html_tokenizer *tok, th_view *name, const char **stop,
                            const char *end, bool is_attribute)
{
    const char *at = *stop;
    while (at < end && (is_capital(*at) || (*at == '=' && !is_attribute)))
        at = find_name_stop(at + 1, end);
    if (at == end || ((unsigned char)*at < ' ' && !th_is_html_blank(*at)))
        return false;
    *stop = at;
    name->len = (size_t)(at - name->data);
    return lower_name(tok, name);
}

/* @param at  at the first byte of a name */
BLOCK_FN const char *read_attribute(th_html_tokenizer *tok, const char *at,
                                    const char *end)
{
    const size_t scratch_len = tok->scratch_len;
    const char *stop = find_name_stop(at + (*at == '='), end);
    if (end - stop < 2)
        return NULL;
    th_attribute *attribute = &tok->attributes.items[tok->attributes.count];
    th_view name = { at, (size_t)(stop - at) };
    bool is_over = false;
    tok->is_over = false;
    if (__builtin_expect(*stop != '=' && *stop != ' ' && *stop != '>', 0)) {
        if (is_capital(*stop) ||
            ((unsigned char)*stop < ' ' && !th_is_html_blank(*stop))) {
            if (!read_odd_name(tok, &name, &stop, end, true))
                return NULL;
            is_over = tok->is_over;
            tok->is_over = false;
        }
    }
    attribute->name = name;
    attribute->value = (th_view){ "", 0 };
    at = stop;
    if (*at != '=') {
        at = skip_blanks(at, end);
        if (at == end)
            return NULL;
    }
    if (*at == '=') {
        at = read_value(tok, at + 1, end, &attribute->value);
        if (!at)
            return NULL;
    }
    if (tok->is_end_tag || !th_html_add_attribute(tok, is_over || tok->is_over))
        tok->scratch_len = scratch_len;
    return at;
}

/* Finds the quote that ends a value, if no byte in it must be changed. A block can be
 * loaded at `at`. @return NULL if not, or near the end of the piece */
BLOCK_FN const char *plain_value_end(const char *at, const char *end)
{
    do {
        const block_mask mask = block_mask_of(block_is_value_end(block_load(at), '"'));
        if (mask)
            return at[block_first(mask)] == '"' ? at + block_first(mask) : NULL;
        at += BLOCK;
    } while (end - at >= BLOCK);
    return NULL;
}

/*
 * Reads attributes that are written in the usual way, with double quotes around the value
 * and a space in between, in few instructions. It stops before any other.
 * @param at  at the first byte of a name
 */
BLOCK_FN const char *read_usual_attributes(th_html_tokenizer *tok, const char *at,
                                           const char *end)
{
    enum { AHEAD = 2 * BLOCK + 3 }; /* bytes that a name and its value are loaded from */
    th_attribute_list *const list = &tok->attributes;
    const uint32_t max_count =
        list->max_count < TH_ATTRIBUTES_FEW ? list->max_count : TH_ATTRIBUTES_FEW;
    th_attribute *item = list->items + list->count;
    const th_attribute *const last = list->items + max_count;
    uint64_t seen = list->seen;
    size_t tag_len = tok->tag_len;
    while (end - at >= AHEAD && item < last) {
        const block_mask mask = block_mask_of(block_is_name_stop(block_load(at)));
        if (!mask)
            break;
        const th_view name = { at, block_first(mask) };
        const char *const stop = name.data + name.len;
        if (stop[0] != '=' || stop[1] != '"' || !name.len)
            break;
        const char *const start = stop + 2;
        const char *const quote = plain_value_end(start, end);
        if (!quote)
            break;
        const th_view value = { start, (size_t)(quote - start) };
        const uint64_t bit = th_attribute_bit(name);
        const size_t len = tag_len + name.len + value.len;
        if ((seen & bit) || len > tok->max_tag)
            break;
        *item++ = (th_attribute){ name, value };
        seen |= bit;
        tag_len = len;
        at = quote + 1;
        if (at == end || *at != ' ')
            break;
        at++;
    }
    list->count = (uint32_t)(item - list->items);
    list->seen = seen;
    tok->tag_len = tag_len;
    return at;
}

/* @param at  after the tag's name. @return the position after its '>' */
BLOCK_FN const char *read_attributes(th_html_tokenizer *tok, const char *at,
                                     const char *end)
{
    if (*at == ' ' && !tok->is_end_tag)
        at = read_usual_attributes(tok, at + 1, end);
    while (at < end) {
        if (*at == '>')
            return at + 1;
        if (th_is_html_blank(*at)) {
            at++;
        } else if (*at == '/') {
            at++;
            tok->is_self_closing = at < end && *at == '>';
        } else {
            at = read_attribute(tok, at, end);
            if (!at)
                return NULL;
            if (at < end && *at == ' ' && !tok->is_end_tag)
                at = read_usual_attributes(tok, at + 1, end);
        }
    }
    return NULL;
}

/* Returns the number of a name at a position where 16 bytes can be loaded. */
BLOCK_FN th_tag tag_of(const char *at, size_t len)
{
    if (__builtin_expect(len > TH_TAG_NAME_MAX, 0))
        return TH_TAG_OTHER;
    const uint64_t low = th_tag_keep(th_tag_load(at), len);
    const uint64_t high = len > 8 ? th_tag_keep(th_tag_load(at + 8), len - 8) : 0;
    return th_tag_of_words(low, high);
}

/* @return where the name ends; NULL if it is for the machine */
BLOCK_FN const char *read_tag_name(th_html_tokenizer *tok, const char *at,
                                   const char *end, th_html_tag *tag)
{
    const char *stop = find_name_stop(at, end);
    tag->name = (th_view){ at, (size_t)(stop - at) };
    if (__builtin_expect(stop < end && (*stop == '>' || *stop == ' '), 1)) {
        tag->tag = tag_of(at, tag->name.len);
    } else if (stop < end && (th_is_html_blank(*stop) || *stop == '/')) {
        tag->tag = tag_of(at, tag->name.len);
    } else {
        if (!read_odd_name(tok, &tag->name, &stop, end, false))
            return NULL;
        tag->tag = th_tag_of(tag->name);
    }
    tok->tag_len = tag->name.len;
    return tag->name.len <= tok->max_tag && !tok->is_over ? stop : NULL;
}

enum { WHOLE_NAME = 16 }; /* bytes that a tag's name is loaded from */

/* Reads the attributes of a tag and emits it. @param at  after the tag's name */
BLOCK_APART const char *read_rest(th_html_tokenizer *tok, th_html_tag *tag,
                                  const char *at, const char *end, bool is_end)
{
    th_attribute_list_clear(&tok->attributes);
    tok->is_end_tag = is_end;
    tok->is_self_closing = false;
    tok->is_cut = false;
    at = read_attributes(tok, at, end);
    if (!at)
        return NULL;
    tag->attr_count = tok->attributes.count;
    tag->attr_bits = tok->attributes.seen;
    tag->is_self_closing = tok->is_self_closing;
    tag->is_cut = tok->is_cut;
    th_html_emit_tag(tok, tag, is_end);
    return at;
}

/*
 * Reads and emits a tag that is complete in the piece.
 * @param at  at the first letter of its name
 * @return the position after it; NULL, and nothing was emitted, if the machine must read
 *         it
 */
BLOCK_APART const char *read_tag(th_html_tokenizer *tok, const char *at, const char *end,
                                 bool is_end)
{
    if (end - at < WHOLE_NAME)
        return NULL;
    th_html_tag tag = { .attrs = tok->attributes.items };
    tok->scratch_len = 0;
    tok->is_over = false;
    at = read_tag_name(tok, at, end, &tag);
    if (!at)
        return NULL;
    if (*at != '>')
        return read_rest(tok, &tag, at, end, is_end);
    th_html_emit_tag(tok, &tag, is_end);
    return at + 1;
}

/* Like read_tag, in few instructions for a short name that a space or '>' follows. A block
 * and WHOLE_NAME bytes can be loaded at `at`. */
BLOCK_FN const char *read_usual_tag(th_html_tokenizer *tok, const char *at,
                                    const char *end, bool is_end)
{
    const block_mask mask = block_mask_of(block_is_name_stop(block_load(at)));
    const size_t len = mask ? block_first(mask) : BLOCK;
    const char *const stop = at + len;
    if (!mask || len > TH_TAG_NAME_MAX || (*stop != '>' && *stop != ' '))
        return read_tag(tok, at, end, is_end);
    if (*stop == '>') {
        tok->bare_tag.name = (th_view){ at, len };
        tok->bare_tag.tag = tag_of(at, len);
        th_html_emit_tag(tok, &tok->bare_tag, is_end);
        return stop + 1;
    }
    th_html_tag tag = { .name = { at, len },
                        .tag = tag_of(at, len),
                        .attrs = tok->attributes.items };
    tok->scratch_len = 0;
    tok->tag_len = len;
    return read_rest(tok, &tag, stop, end, is_end);
}

/* ---- text -------------------------------------------------------------------------- */

/* Emits the text before a CR or NUL, and their replacement. @return the next byte */
BLOCK_FN const char *emit_changed(th_html_tokenizer *tok, const char *run, const char *at,
                                  const char *end)
{
    static const char newline = '\n', nul = '\0', replacement[] = "\xEF\xBF\xBD";
    th_html_emit_text(tok, run, at);
    if (*at == '\0') {
        const bool is_kept =
            tok->content == TH_HTML_DATA || tok->content == TH_HTML_CDATA;
        if (is_kept)
            th_html_emit_text(tok, &nul, &nul + 1);
        else
            th_html_emit_text(tok, replacement, replacement + 3);
        return at + 1;
    }
    if (at + 1 < end && at[1] == '\n')
        return at + 1; /* the LF is the first of the next run */
    th_html_emit_text(tok, &newline, &newline + 1);
    return th_html_behind_cr(tok, at, end);
}

/* Scans a '&' in text. @param run  in: where text begins; out: where it continues */
BLOCK_FN const char *scan_reference(th_html_tokenizer *tok, const char **run,
                                    const char *at, const char *end)
{
    th_reference reference;
    switch (th_reference_read(at, end, false, &reference)) {
    case TH_REFERENCE_NONE:
        return at + 1;
    case TH_REFERENCE_FOUND:
        th_html_emit_text(tok, *run, at);
        th_html_emit_text(tok, reference.bytes, reference.bytes + reference.len);
        *run = at + reference.used;
        return *run;
    default:
        th_html_emit_text(tok, *run, at);
        tok->state = TH_REFERENCE;
        tok->value_state = TH_IN_CONTENT;
        *run = at + 1;
        return *run;
    }
}

/* Scans a '<' in data that is near the end of the piece, or begins no tag. @param run  as
 * above */
BLOCK_APART const char *scan_odd_less_than(th_html_tokenizer *tok, const char **run,
                                           const char *at, const char *end)
{
    const char *next = at + 1;
    const bool is_end = next < end && *next == '/';
    next += is_end;
    if (next < end && th_is_letter(*next)) {
        th_html_emit_text(tok, *run, at);
        const char *behind = read_tag(tok, next, end, is_end);
        if (!behind) {
            tok->state = is_end ? TH_END_TAG_OPEN : TH_TAG_OPEN;
            behind = next;
        }
        *run = behind;
        return behind;
    }
    if (next < end && !is_end && *next != '!' && *next != '?')
        return next; /* it is text */
    th_html_emit_text(tok, *run, at);
    tok->state = TH_TAG_OPEN;
    *run = at + 1;
    return at + 1;
}

/* Scans a '<' in data. @param run  as above */
BLOCK_FN const char *scan_less_than(th_html_tokenizer *tok, const char **run,
                                    const char *at, const char *end)
{
    enum { AHEAD = 2 + ((int)BLOCK > (int)WHOLE_NAME ? (int)BLOCK : (int)WHOLE_NAME) };
    if (__builtin_expect(end - at < AHEAD, 0))
        return scan_odd_less_than(tok, run, at, end);
    const bool is_end = at[1] == '/';
    const char *const name = at + 1 + is_end;
    if (__builtin_expect(!th_is_letter(*name), 0))
        return scan_odd_less_than(tok, run, at, end);
    th_html_emit_text(tok, *run, at);
    const char *behind = read_usual_tag(tok, name, end, is_end);
    if (__builtin_expect(!behind, 0)) {
        tok->state = is_end ? TH_END_TAG_OPEN : TH_TAG_OPEN;
        behind = name;
    }
    *run = behind;
    return behind;
}

BLOCK_FN const char *scan_data(th_html_tokenizer *tok, const char *at, const char *end)
{
    const char *run = at;
    while (tok->state == TH_IN_CONTENT && tok->content == TH_HTML_DATA &&
           !tok->is_stopped) {
        at = find_markup(at, end);
        if (at == end) {
            th_html_emit_text(tok, run, end);
            return end;
        }
        if (*at == '<')
            at = scan_less_than(tok, &run, at, end);
        else if (*at == '&')
            at = scan_reference(tok, &run, at, end);
        else
            at = run = emit_changed(tok, run, at, end);
    }
    return run;
}

typedef enum end_tag_here { NO_END_TAG, END_TAG, END_TAG_CUT } end_tag_here;

/* Whether the end tag due begins at `at`, which is at a '<'. */
BLOCK_FN end_tag_here find_end_tag(const th_html_tokenizer *tok, const char *at,
                                   const char *end)
{
    const size_t len = tok->end_name_len;
    if (len == 0)
        return NO_END_TAG;
    if (++at == end)
        return END_TAG_CUT;
    if (*at++ != '/')
        return NO_END_TAG;
    for (size_t i = 0; i < len; i++, at++) {
        if (at == end)
            return END_TAG_CUT;
        if (th_lower(*at) != tok->end_name[i])
            return NO_END_TAG;
    }
    if (at == end)
        return END_TAG_CUT;
    return th_is_html_blank(*at) || *at == '/' || *at == '>' ? END_TAG : NO_END_TAG;
}

/*
 * Scans a '<' in RCDATA, raw text or script data.
 * @return the position after the end tag, or where the machine continues. NULL if it is
 *         text.
 */
BLOCK_FN const char *scan_end_tag(th_html_tokenizer *tok, const char *run, const char *at,
                                  const char *end)
{
    const end_tag_here here = find_end_tag(tok, at, end);
    if (here == NO_END_TAG)
        return NULL;
    th_html_emit_text(tok, run, at);
    if (here == END_TAG) {
        const char *behind = read_tag(tok, at + 2, end, true);
        if (!behind)
            tok->state = TH_END_TAG_OPEN;
        return behind ? behind : at + 2;
    }
    tok->scratch_len = 0;
    begin_part(tok);
    th_html_append(tok, at, (size_t)(end - at));
    tok->state = TH_RAW_END_TAG;
    th_script_step(&tok->script, '<');
    return end;
}

/* Scans RCDATA and raw text. */
BLOCK_FN const char *scan_raw(th_html_tokenizer *tok, const char *at, const char *end)
{
    const char other = tok->content == TH_HTML_RCDATA ? '&' : '<';
    const char *run = at;
    while (tok->state == TH_IN_CONTENT && !tok->is_stopped) {
        at = find_either(at, end, '<', other);
        if (at == end) {
            th_html_emit_text(tok, run, end);
            return end;
        }
        if (*at == '<') {
            const char *behind = scan_end_tag(tok, run, at, end);
            if (behind)
                return behind;
            at++;
        } else if (*at == '&') {
            at = scan_reference(tok, &run, at, end);
        } else {
            at = run = emit_changed(tok, run, at, end);
        }
    }
    return run;
}

BLOCK_FN const char *scan_script(th_html_tokenizer *tok, const char *at, const char *end)
{
    const char *run = at;
    while (!tok->is_stopped) {
        if (th_script_is_plain(&tok->script))
            at = find_either(at, end, '<', '<');
        else if (th_script_is_escaped(&tok->script))
            at = find_either(at, end, '<', '-');
        if (at == end) {
            th_html_emit_text(tok, run, end);
            return end;
        }
        if (*at == '<' && th_script_may_end(&tok->script)) {
            const char *behind = scan_end_tag(tok, run, at, end);
            if (behind)
                return behind;
        }
        th_script_step(&tok->script, (char)(*at == '\r' ? '\n' : *at));
        if (*at == '\r' || *at == '\0')
            at = run = emit_changed(tok, run, at, end);
        else
            at++;
    }
    return run;
}

BLOCK_FN const char *scan_plaintext(th_html_tokenizer *tok, const char *at,
                                    const char *end)
{
    const char *run = at;
    while (!tok->is_stopped) {
        at = find_either(at, end, '\0', '\0');
        if (at == end) {
            th_html_emit_text(tok, run, end);
            return end;
        }
        at = run = emit_changed(tok, run, at, end);
    }
    return run;
}

/* "]" and "]]" are held back until it is clear that they do not end the section. */
BLOCK_FN const char *scan_bracket(th_html_tokenizer *tok, const char *at)
{
    static const char brackets[2] = { ']', ']' };
    if (*at == ']' && tok->brackets == 2) {
        th_html_emit_text(tok, brackets, brackets + 1);
        return at + 1;
    }
    if (*at == ']') {
        tok->brackets++;
        return at + 1;
    }
    if (*at == '>' && tok->brackets == 2) {
        th_html_set_content(tok, TH_HTML_DATA);
        return at + 1;
    }
    th_html_emit_text(tok, brackets, brackets + tok->brackets);
    tok->brackets = 0;
    return at;
}

BLOCK_FN const char *scan_cdata(th_html_tokenizer *tok, const char *at, const char *end)
{
    const char *run = at;
    while (tok->content == TH_HTML_CDATA && !tok->is_stopped) {
        if (tok->brackets) {
            if (at == end)
                return end;
            at = run = scan_bracket(tok, at);
            continue;
        }
        at = find_either(at, end, ']', ']');
        if (at == end || *at == ']') {
            th_html_emit_text(tok, run, at);
            if (at == end)
                return end;
            tok->brackets = 1;
            at = run = at + 1;
        } else {
            at = run = emit_changed(tok, run, at, end);
        }
    }
    return run;
}

BLOCK_TARGET const char *TH_HTML_SCAN(th_html_tokenizer *tok, const char *at,
                                      const char *end)
{
    switch (tok->content) {
    case TH_HTML_DATA:
        return scan_data(tok, at, end);
    case TH_HTML_RCDATA:
    case TH_HTML_RAWTEXT:
        return scan_raw(tok, at, end);
    case TH_HTML_SCRIPT_DATA:
        return scan_script(tok, at, end);
    case TH_HTML_PLAINTEXT:
        return scan_plaintext(tok, at, end);
    default:
        return scan_cdata(tok, at, end);
    }
}
