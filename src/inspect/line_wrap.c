/*
 * Wraps a block's text to lines. [KN08 §3, K11 §4.2.1; docs/methods.md#text-model]
 *
 * The text model counts lines while the page is parsed and keeps none of them, because
 * only an inspection shows them. Here the same rule runs over a block's whole text and
 * the slices are kept. Wrapping is greedy, with breaks at a space, between ICU's words,
 * and where a script with spaces meets one without. A word longer than the line is alone
 * on a line. A test compares every line count with the model's.
 */
#include "inspect/line_wrap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/unicode.h"
#include "parse/unspaced_run.h"

/* A piece of text that no line may break. */
struct word {
    size_t start, end; /* bytes */
    size_t columns;
    bool is_token;
    bool is_spaced; /* a space precedes it */
};

struct th_line_wrap {
    uint32_t w_max;
    th_unspaced_run run;

    /* the current text */
    th_view text;
    th_line_sink *sink;
    void *context;

    /* the current line; columns 0: none */
    size_t start, end, columns;
    uint32_t tokens;

    /* the current run */
    size_t run_at; /* where its next word begins */
    bool run_is_spaced;
};

th_line_wrap *th_line_wrap_new(uint32_t w_max)
{
    th_line_wrap *wrap = calloc(1, sizeof *wrap);
    if (wrap)
        wrap->w_max = w_max;
    return wrap;
}

void th_line_wrap_free(th_line_wrap *wrap)
{
    if (!wrap)
        return;
    th_unspaced_run_done(&wrap->run);
    free(wrap);
}

static void end_line(th_line_wrap *wrap)
{
    if (wrap->columns)
        wrap->sink(wrap->context,
                   (th_view){ wrap->text.data + wrap->start, wrap->end - wrap->start },
                   wrap->tokens);
    wrap->columns = 0;
    wrap->tokens = 0;
}

/* Puts a word on the line, or on the next. */
static void place(th_line_wrap *wrap, const struct word *word)
{
    if (wrap->columns && wrap->columns + word->is_spaced + word->columns <= wrap->w_max) {
        wrap->columns += word->is_spaced + word->columns;
    } else {
        end_line(wrap);
        wrap->start = word->start;
        wrap->columns = word->columns;
    }
    wrap->end = word->end;
    wrap->tokens += word->is_token;
}

/* ICU's words come by their width; each code point has some, so the width finds its end.
 */
static void place_unspaced(void *context, const th_unspaced_word *found)
{
    th_line_wrap *wrap = context;
    struct word word = { .start = wrap->run_at,
                         .is_token = found->is_token,
                         .is_spaced = wrap->run_is_spaced };
    while (word.columns < found->columns && wrap->run_at < wrap->text.len)
        word.columns += th_columns(th_utf8_next(wrap->text.data, &wrap->run_at));
    word.end = wrap->run_at;
    wrap->run_is_spaced = false;
    place(wrap, &word);
}

/* Takes the run of letters without spaces that begins at `at`. @return its end */
static size_t take_run(th_line_wrap *wrap, size_t at, bool is_spaced, th_status *status)
{
    wrap->run_at = at;
    wrap->run_is_spaced = is_spaced;
    while (at < wrap->text.len && th_unspaced_run_has_capacity(&wrap->run)) {
        size_t behind = at;
        const uint32_t c = th_utf8_next(wrap->text.data, &behind);
        if (!th_is_unspaced(c))
            break;
        th_unspaced_run_add(&wrap->run, c, false);
        at = behind;
    }
    const th_status divided = th_unspaced_run_divide(&wrap->run, place_unspaced, wrap);
    if (divided != TH_OK)
        *status = divided;
    return at;
}

/* Takes a word of a script with spaces. @return its end */
static size_t take_word(th_line_wrap *wrap, size_t at, bool is_spaced)
{
    struct word word = { .start = at, .is_spaced = is_spaced };
    while (at < wrap->text.len) {
        size_t behind = at;
        const uint32_t c = th_utf8_next(wrap->text.data, &behind);
        if (th_is_space(c) || th_is_unspaced(c))
            break;
        word.columns += th_columns(c);
        word.is_token |= th_is_alnum(c);
        at = behind;
    }
    word.end = at;
    place(wrap, &word);
    return at;
}

th_status th_line_wrap_text(th_line_wrap *wrap, th_view text, th_line_sink *sink,
                            void *context)
{
    th_status status = TH_OK;
    bool is_spaced = false;
    wrap->text = text;
    wrap->sink = sink;
    wrap->context = context;
    for (size_t at = 0; at < text.len;) {
        size_t behind = at;
        const uint32_t c = th_utf8_next(text.data, &behind);
        if (th_is_space(c)) {
            is_spaced = true;
            at = behind;
            continue;
        }
        at = th_is_unspaced(c) ? take_run(wrap, at, is_spaced, &status)
                               : take_word(wrap, at, is_spaced);
        is_spaced = false;
    }
    end_line(wrap);
    return status;
}
