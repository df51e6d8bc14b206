/*
 * The numbers of datatrove's filters: GopherQualityFilter, FineWebQualityFilter,
 * C4QualityFilter. Repetition is in repetition.c.
 */
#include "signals/signals.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "page/page_text.h"
#include "signals/repetition.h"
#include "signals/stop_words.h"

enum {
    TEXT_MAX = 512 << 10, /* bytes of content */
    SHORT_LINE = 30,      /* code points, FineWeb */
    LONG_WORD = 1000,     /* code points, C4 */
    LEAST_LINE_WORDS = 3, /* C4 */
};

/* ---- texts ---- */

/* Returns the last code point, or 0 if the text is empty. */
static uint32_t last_of(th_view text, size_t *start)
{
    size_t at = text.len;
    if (!at)
        return 0;
    for (at--; ((unsigned char)text.data[at] & 0xC0) == 0x80;)
        at--;
    *start = at;
    return th_utf8_next(text.data, &at);
}

static th_view without_blanks_before(th_view text)
{
    size_t start = 0;
    for (size_t at = 0;
         at < text.len && th_signal_is_blank(th_utf8_next(text.data, &at));)
        start = at;
    return (th_view){ text.data + start, text.len - start };
}

static th_view without_blanks_behind(th_view text)
{
    for (size_t start; text.len && th_signal_is_blank(last_of(text, &start));)
        text.len = start;
    return text;
}

static uint32_t occurrences(th_view text, const char *word)
{
    const size_t len = strlen(word);
    uint32_t count = 0;
    const char *at = text.data;
    const char *const end = text.data + text.len;
    while (at < end && (at = memmem(at, (size_t)(end - at), word, len))) {
        count++;
        at += len;
    }
    return count;
}

/* Searches in any case of ASCII letters. @param word  in lower case */
static bool holds(th_view text, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++) {
        size_t k = 0;
        while (k < len && th_lower(text.data[i + k]) == word[k])
            k++;
        if (k == len)
            return true;
    }
    return false;
}

/* Finds the next line by `ends`. Returns false after the last one. A text that ends with
 * a line end has no empty line after it. */
static bool next_line(th_view text, size_t *at, th_view *line)
{
    const size_t start = *at;
    if (start >= text.len)
        return false;
    while (*at < text.len) {
        const size_t here = *at;
        const uint32_t c = th_utf8_next(text.data, at);
        if (!th_signal_ends_line(c))
            continue;
        if (c == '\r' && *at < text.len && text.data[*at] == '\n')
            (*at)++;
        *line = (th_view){ text.data + start, here - start };
        return true;
    }
    *line = (th_view){ text.data + start, text.len - start };
    return true;
}

/* ---- Gopher ---- */

static bool is_word(th_view text, const th_signal_word *word, const char *other)
{
    return word->len == strlen(other) &&
           memcmp(text.data + word->start, other, word->len) == 0;
}

static void count_stop_words(th_view text, const th_signal_word *words, size_t count,
                             const char *language, th_quality_signals *signals)
{
    const char *const *list = th_stop_words(language ? language : "en");
    uint8_t found[TH_STOP_WORDS] = { 0 };
    signals->has_stop_words = list != NULL;
    for (size_t i = 0; list && i < count; i++)
        for (size_t k = 0; k < TH_STOP_WORDS; k++)
            found[k] |= is_word(text, &words[i], list[k]);
    for (size_t k = 0; k < TH_STOP_WORDS; k++)
        signals->stop_words += found[k];
}

static void gopher(th_view text, const th_signal_word *words, size_t count,
                   th_quality_signals *signals)
{
    uint64_t plain = 0, plain_chars = 0, alphabetic = 0;
    for (size_t i = 0; i < count; i++) {
        plain += !words[i].is_mark;
        plain_chars += words[i].is_mark ? 0 : words[i].chars;
        alphabetic += words[i].is_alphabetic;
    }
    signals->words = (uint32_t)count;
    signals->plain_words = (uint32_t)plain;
    signals->mean_word_length = plain ? (double)plain_chars / (double)plain : 0;
    signals->hashes = (double)occurrences(text, "#") / (double)count;
    signals->ellipses =
        (double)(occurrences(text, "...") + occurrences(text, "…")) / (double)count;
    signals->alphabetic_words = (double)alphabetic / (double)count;

    uint32_t bullets = 0, ellipses = 0;
    th_view line;
    for (size_t at = 0; next_line(text, &at, &line); signals->lines++) {
        const th_view start = without_blanks_before(line),
                      end = without_blanks_behind(line);
        bullets += th_starts_with(start, "•") || th_starts_with(start, "-");
        ellipses += th_ends_with(end, "...") || th_ends_with(end, "…");
    }
    signals->bullet_lines = signals->lines ? (double)bullets / signals->lines : 0;
    signals->ellipsis_lines = signals->lines ? (double)ellipses / signals->lines : 0;
}

/* ---- FineWeb: lines end with '\n' only, and lines of whitespace do not count ---- */

static th_status fineweb(th_view text, uint32_t chars, th_arena *arena,
                         th_quality_signals *signals)
{
    uint32_t ends = 0, lines = 0, terminal = 0, brief = 0, again_chars = 0;
    th_text_set set;
    for (size_t i = 0; i < text.len; i++)
        ends += text.data[i] == '\n';
    if (!th_text_set_begin(&set, (size_t)ends + 1, arena))
        return TH_NOMEM;
    for (size_t start = 0, next; start <= text.len; start = next) {
        const char *end = memchr(text.data + start, '\n', text.len - start);
        const size_t stop = end ? (size_t)(end - text.data) : text.len;
        const th_view line = { text.data + start, stop - start };
        next = stop + 1;
        if (!without_blanks_before(line).len)
            continue;
        size_t at;
        const uint32_t line_chars = (uint32_t)th_utf8_count(line.data, line.len);
        lines++;
        terminal += th_signal_is_terminal(last_of(line, &at));
        brief += line_chars <= SHORT_LINE;
        again_chars += th_text_set_add(&set, line) ? line_chars : 0;
    }
    signals->terminal_lines = lines ? (double)terminal / lines : 0;
    signals->short_lines = lines ? (double)brief / lines : 0;
    signals->duplicate_chars = chars > ends ? (double)again_chars / (chars - ends) : 0;
    signals->newlines = signals->words ? (double)ends / signals->words : 0;
    return TH_OK;
}

/* ---- C4: lines that it keeps ---- */

/* Matches "[12]", "[edit]" or "[citation needed]" at the start. @return its length,
 * or 0 */
static size_t citation(th_view text)
{
    if (th_starts_with(text, "[edit]"))
        return 6;
    if (th_starts_with(text, "[citation needed]"))
        return 17;
    if (!text.len || text.data[0] != '[')
        return 0;
    for (size_t at = 1; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        if (c == ']')
            return at;
        if (!u_isdigit((UChar32)c))
            return 0;
    }
    return 0;
}

static th_view without_citations(th_view line, char *scratch)
{
    size_t len = 0;
    for (size_t i = 0; i < line.len;) {
        const size_t skip = citation((th_view){ line.data + i, line.len - i });
        if (!skip)
            scratch[len++] = line.data[i];
        i += skip ? skip : 1;
    }
    return (th_view){ scratch, len };
}

/* Counts the words between whitespace, and the code points of the longest. */
static uint32_t blank_words(th_view line, uint32_t *longest)
{
    uint32_t words = 0, chars = 0;
    *longest = 0;
    for (size_t at = 0; at < line.len;) {
        const bool is_blank = th_signal_is_blank(th_utf8_next(line.data, &at));
        words += !is_blank && !chars;
        chars = is_blank ? 0 : chars + 1;
        *longest = chars > *longest ? chars : *longest;
    }
    return words;
}

static bool is_kept(th_view line, char *scratch, th_quality_signals *signals)
{
    static const char *const policies[] = { "terms of use",   "privacy policy",
                                            "cookie policy",  "uses cookies",
                                            "use of cookies", "use cookies" };
    static const char ends[] = { '.', '?', '!', '"', '\'' };
    uint32_t longest;
    line = without_blanks_behind(without_blanks_before(line));
    const uint32_t words = blank_words(line, &longest);
    if (longest > LONG_WORD)
        return false;
    line = without_citations(line, scratch);
    if (words < LEAST_LINE_WORDS || !line.len || th_ends_with(line, "...") ||
        !memchr(ends, line.data[line.len - 1], sizeof ends))
        return false;
    if (holds(line, "lorem ipsum")) {
        signals->has_lorem_ipsum = true;
        return false;
    }
    if (holds(line, "javascript"))
        return false;
    if (memchr(line.data, '{', line.len)) {
        signals->has_curly_bracket = true;
        return false;
    }
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (holds(line, policies[i]))
            return false;
    return true;
}

static th_status c4(th_view text, th_arena *arena, th_quality_signals *signals)
{
    uint32_t lines = 0, kept = 0;
    th_view line;
    char *scratch = th_arena_alloc(arena, text.len);
    if (!scratch)
        return TH_NOMEM;
    for (size_t at = 0; next_line(text, &at, &line); lines++)
        kept += is_kept(line, scratch, signals);
    signals->c4_lines = lines ? (double)kept / lines : 0;
    return TH_OK;
}

/* ---- the stage ---- */

th_status th_signals_of(th_view text, const char *language, th_arena *arena,
                        th_quality_signals *signals)
{
    th_signal_word *words;
    size_t count;
    *signals = (th_quality_signals){ .words = 0 };
    if (text.len > TEXT_MAX)
        for (text.len = TEXT_MAX; ((unsigned char)text.data[text.len] & 0xC0) == 0x80;)
            text.len--;
    const uint32_t chars = (uint32_t)th_utf8_count(text.data, text.len);
    th_status status = th_signal_words(text, arena, &words, &count);
    if (status != TH_OK || !count)
        return status;
    gopher(text, words, count, signals);
    count_stop_words(text, words, count, language, signals);
    status = fineweb(text, chars, arena, signals);
    if (status == TH_OK)
        status = c4(text, arena, signals);
    if (status == TH_OK)
        status = th_repetition(text, chars, words, count, arena, signals);
    return status;
}

th_status th_signals_page(th_page *page, const th_options *opt)
{
    if (!(opt->emit & TH_EMIT_SIGNALS))
        return TH_OK;
    const th_languages *found = page->languages;
    const char *language =
        found && found->count && found->is_sure ? found->of[0].tag : NULL;
    th_quality_signals *signals = th_arena_calloc(page->arena, 1, sizeof *signals);
    if (!signals)
        return TH_NOMEM;
    const th_arena_mark mark = th_arena_get_mark(page->arena);
    const th_view text = th_page_print(page, page->paragraph_label_of, NULL, NULL);
    const th_status status = !text.data ? TH_NOMEM
                             : text.len
                                 ? th_signals_of(text, language, page->arena, signals)
                                 : TH_OK;
    th_arena_rewind(page->arena, mark);
    page->signals = status == TH_OK && signals->words ? signals : NULL;
    return status;
}
