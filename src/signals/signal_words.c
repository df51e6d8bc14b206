/*
 * Words for quality signals. datatrove uses a tokenizer for each language (spaCy for
 * English). This one rule for all languages gives similar words:
 * docs/facts.md#quality-signals
 */
#include "signals/signal_words.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/unicode.h"

bool th_signal_is_blank(uint32_t c)
{
    return th_is_space(c) || (c >= 0x1C && c <= 0x1F);
}

bool th_signal_ends_line(uint32_t c)
{
    return (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
           c == 0x2028 || c == 0x2029;
}

bool th_signal_is_terminal(uint32_t c)
{
    if (c < 0x80)
        return c == '.' || c == '!' || c == '?';
    return u_hasBinaryProperty((UChar32)c, UCHAR_S_TERM) ||
           (c >= 0x17D4 && c <= 0x17D6) || c == 0x17D9 || c == 0x17DA; /* Khmer */
}

bool th_signal_is_mark(uint32_t c)
{
    static const uint16_t marks[] = {
        0xAB,   0xB4,   0xBB,   0x2013, 0x2014, 0x2019, 0x201C, 0x201D, 0x201E,
        0x2026, 0x2236, 0x2501, 0x25BA, 0x3001, 0x3002, 0x3008, 0x3009, 0x300A,
        0x300B, 0x300C, 0x300D, 0x3010, 0x3011, 0xFF01, 0xFF05, 0xFF08, 0xFF09,
        0xFF0C, 0xFF0E, 0xFF11, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF5E,
    };
    if (c < 0x80)
        return !th_is_alnum(c) && c != '\t' && c != '\n' && c != ' ';
    if (c < 0xA0)
        return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && marks[i] <= c; i++)
        if (marks[i] == c)
            return true;
    return th_signal_is_terminal(c);
}

/* ---- splitting ---- */

struct splitter {
    const char *bytes;
    th_signal_word *words;
    size_t count;
};

static void put_word(struct splitter *splitter, uint32_t start, uint32_t end)
{
    th_signal_word word = { .start = start, .len = end - start, .is_mark = true };
    for (size_t at = start; at < end; word.chars++) {
        const uint32_t c = th_utf8_next(splitter->bytes, &at);
        word.is_mark &= th_signal_is_mark(c);
        word.is_alphabetic |= u_isalpha((UChar32)c);
    }
    splitter->words[splitter->count++] = word;
}

/* Returns the end of the equal characters that begin at `start`. */
static uint32_t run_end(const char *bytes, uint32_t start, uint32_t end)
{
    size_t at = start;
    const uint32_t c = th_utf8_next(bytes, &at);
    while (at < end) {
        size_t next = at;
        if (th_utf8_next(bytes, &next) != c)
            break;
        at = next;
    }
    return (uint32_t)at;
}

static uint32_t point_before(const char *bytes, uint32_t end)
{
    while (((unsigned char)bytes[--end] & 0xC0) == 0x80)
        continue;
    return end;
}

/* Returns the beginning of the equal characters that end at `end`. */
static uint32_t run_start(const char *bytes, uint32_t start, uint32_t end)
{
    uint32_t at = point_before(bytes, end);
    const uint32_t len = end - at;
    while (at >= start + len && memcmp(bytes + at - len, bytes + at, len) == 0)
        at -= len;
    return at;
}

static bool is_mark_at(const char *bytes, uint32_t start)
{
    size_t at = start;
    return th_signal_is_mark(th_utf8_next(bytes, &at));
}

/* Splits the text between the marks. Letters of unspaced scripts are each a word. */
static void split_core(struct splitter *splitter, uint32_t start, uint32_t end)
{
    uint32_t from = start;
    for (size_t at = start; at < end;) {
        const uint32_t here = (uint32_t)at;
        if (!th_is_unspaced(th_utf8_next(splitter->bytes, &at)))
            continue;
        if (here > from)
            put_word(splitter, from, here);
        put_word(splitter, here, (uint32_t)at);
        from = (uint32_t)at;
    }
    if (end > from)
        put_word(splitter, from, end);
}

static void split_run(struct splitter *splitter, uint32_t start, uint32_t end)
{
    const char *const bytes = splitter->bytes;
    while (start < end && is_mark_at(bytes, start)) {
        const uint32_t next = run_end(bytes, start, end);
        put_word(splitter, start, next);
        start = next;
    }
    uint32_t core_end = end;
    while (core_end > start && is_mark_at(bytes, point_before(bytes, core_end)))
        core_end = run_start(bytes, start, core_end);
    split_core(splitter, start, core_end);
    while (core_end < end) {
        const uint32_t next = run_end(bytes, core_end, end);
        put_word(splitter, core_end, next);
        core_end = next;
    }
}

th_status th_signal_words(th_view text, th_arena *arena, th_signal_word **words,
                          size_t *count)
{
    /* A first pass counts an upper bound of the words. */
    size_t max = 0;
    bool was_plain = false;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        const bool is_blank = th_signal_is_blank(c);
        const bool is_plain = !is_blank && !th_is_unspaced(c) && !th_signal_is_mark(c);
        max += !is_blank && !(is_plain && was_plain);
        was_plain = is_plain;
    }
    struct splitter splitter = { .bytes = text.data };
    splitter.words = th_arena_alloc(arena, (max + 1) * sizeof *splitter.words);
    if (!splitter.words)
        return TH_NOMEM;
    for (size_t at = 0, start = 0; at < text.len; start = at) {
        size_t end = at;
        while (at < text.len && !th_signal_is_blank(th_utf8_next(text.data, &at)))
            end = at;
        if (end > start)
            split_run(&splitter, (uint32_t)start, (uint32_t)end);
    }
    *words = splitter.words;
    *count = splitter.count;
    return TH_OK;
}
