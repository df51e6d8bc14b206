/*
 * A run of letters without spaces, divided by ICU's dictionary.
 *
 * The locale is the root, never the machine's: the same words everywhere. (Another
 * version of ICU may bring another dictionary; that is the only way in which they can
 * differ.)
 */
#include "parse/unspaced_run.h"

#include <unicode/utf16.h>

#include "base/unicode.h"
#include "parse/cjk_words.h"

void th_unspaced_run_done(th_unspaced_run *run)
{
    if (run->breaker)
        ubrk_close(run->breaker);
    run->breaker = NULL;
    run->len = 0;
}

static void commit(const th_unspaced_run *run, uint32_t from, uint32_t end,
                   th_unspaced_sink *sink, void *context)
{
    th_unspaced_word word = { 0 };
    uint32_t at = from;
    while (at < end) {
        const bool is_linked = run->is_linked[at];
        uint32_t c = run->units[at++];
        if (U16_IS_LEAD(c) && at < end)
            c = (uint32_t)U16_GET_SUPPLEMENTARY(c, run->units[at++]);
        word.columns += th_columns(c);
        if (!word.is_token && th_is_alnum(c)) {
            word.is_token = true;
            word.is_linked = is_linked;
        }
    }
    sink(context, &word);
}

/* Sets the breaker's text to the run. */
static bool aim(th_unspaced_run *run)
{
    UErrorCode error = U_ZERO_ERROR;
    if (!run->breaker)
        run->breaker = ubrk_open(UBRK_WORD, "", NULL, 0, &error);
    if (U_SUCCESS(error))
        ubrk_setText(run->breaker, run->units, (int32_t)run->len, &error);
    return U_SUCCESS(error);
}

/* Divides a run of Han and Kana, all of which are letters of two columns. @return whether
 * it is one, with a known dictionary */
static bool divide_cjk(const th_unspaced_run *run, th_unspaced_sink *sink, void *context)
{
    _Static_assert((int)TH_UNSPACED_RUN_MAX <= (int)TH_CJK_UNITS_MAX, "a run fits");
    uint16_t ends[TH_UNSPACED_RUN_MAX];
    const uint32_t count = th_cjk_words(run->units, run->len, ends);
    for (uint32_t i = 0, from = 0; i < count; from = ends[i++]) {
        const th_unspaced_word word = { .columns = 2u * (ends[i] - from),
                                        .is_token = true,
                                        .is_linked = run->is_linked[from] };
        sink(context, &word);
    }
    return count;
}

th_status th_unspaced_run_divide(th_unspaced_run *run, th_unspaced_sink *sink,
                                 void *context)
{
    th_status status = TH_OK;
    uint32_t from = 0;
    if (run->len > 1) {
        if (divide_cjk(run, sink, context)) {
            from = run->len;
        } else if (aim(run)) {
            (void)ubrk_first(run->breaker);
            for (int32_t end; (end = ubrk_next(run->breaker)) != UBRK_DONE;) {
                commit(run, from, (uint32_t)end, sink, context);
                from = (uint32_t)end;
            }
        } else {
            status = TH_NOMEM;
        }
    }
    if (from < run->len)
        commit(run, from, run->len, sink, context);
    run->len = 0;
    return status;
}
