/*
 * Any text: its signals are within their ranges, and the same twice; words do not overlap.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "signals/signal_words.h"
#include "signals/signals.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

static void hold_share(double value)
{
    hold(value >= 0 && value <= 1);
}

static void hold_words(th_view text, th_arena *arena)
{
    th_signal_word *words;
    size_t count, end = 0;
    hold(th_signal_words(text, arena, &words, &count) == TH_OK);
    for (size_t i = 0; i < count; i++) {
        hold(words[i].start >= end && words[i].len && words[i].chars <= words[i].len);
        end = words[i].start + words[i].len;
        const char *at = text.data + words[i].start;
        hold(th_utf8_valid(at, words[i].len) == words[i].len);
    }
    hold(end <= text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const th_view text = { (const char *)data, th_utf8_valid((const char *)data, size) };
    th_arena *arena = th_arena_new(0);
    th_quality_signals s, again;
    hold(arena != NULL);
    if (!text.len) { /* an empty text has no pointer that need be valid */
        th_arena_free(arena);
        return 0;
    }
    hold_words(text, arena);
    hold(th_signals_of(text, "en", arena, &s) == TH_OK);
    hold(th_signals_of(text, "en", arena, &again) == TH_OK);
    hold(s.words == again.words && s.duplicate_ngrams[0] == again.duplicate_ngrams[0]);
    hold(s.plain_words <= s.words && s.stop_words <= 8);
    hold(s.mean_word_length >= 0 && s.hashes >= 0 && s.ellipses >= 0 && s.newlines >= 0);
    const double shares[] = { s.bullet_lines,
                              s.ellipsis_lines,
                              s.alphabetic_words,
                              s.duplicate_paragraphs,
                              s.duplicate_paragraph_chars,
                              s.duplicate_lines,
                              s.duplicate_line_chars,
                              s.terminal_lines,
                              s.short_lines,
                              s.duplicate_chars,
                              s.c4_lines };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        hold_share(shares[i]);
    for (size_t i = 0; i < TH_DUPLICATE_NGRAMS; i++)
        hold_share(s.duplicate_ngrams[i]);
    th_arena_free(arena);
    return 0;
}
