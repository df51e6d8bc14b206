/* Computes a row's position in the page, and the features of its neighbours. */
#include <string.h>

#include "content/feature_work.h"

enum { NEIGHBOURS = 3 };

/* ---- neighbours --------------------------------------------------------------------- */

static void shift(const th_feature_work *work, unsigned from, unsigned before,
                  unsigned after)
{
    const uint8_t *column = th_column(work, from);
    for (uint32_t k = 1; k <= NEIGHBOURS && k < work->rows; k++) {
        memcpy(th_column(work, before + k - 1) + k, column, work->rows - k);
        memcpy(th_column(work, after + k - 1), column + k, work->rows - k);
    }
}

static void write_window(const th_feature_work *work, unsigned feature, uint32_t width)
{
    uint8_t *const links = th_column(work, feature);
    uint8_t *const words = th_column(work, feature + 1);
    uint8_t *const longs = th_column(work, feature + 2);
    const th_row_sums *const sums = work->sums;
    const uint32_t rows = work->rows;
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t first = i > width ? i - width : 0;
        const uint32_t end = rows - i > width ? i + width + 1 : rows;
        const th_row_sums *from = &sums[first], *to = &sums[end];
        const uint32_t tokens = to->tokens - from->tokens;
        links[i] = th_share(to->linked - from->linked, tokens);
        words[i] = th_log(tokens / (end - first));
        longs[i] = th_share(to->long_rows - from->long_rows, end - first);
    }
}

/* ---- places ------------------------------------------------------------------------- */

/* 128 plus or minus half of a logarithm: above 128 for a later place. */
static uint8_t signed_log(uint32_t distance, bool is_behind)
{
    const unsigned half = th_log(distance) / 2u;
    return (uint8_t)(is_behind ? 128 + (half > 126 ? 126 : half) : 128 - half);
}

static void write_from_h1(const th_feature_work *work)
{
    uint8_t *const rows = th_column(work, TH_FEATURE_ROWS_FROM_H1);
    uint8_t *const tokens = th_column(work, TH_FEATURE_TOKENS_FROM_H1);
    const th_row_sums *const sums = work->sums;
    const uint32_t h1 = work->h1;
    if (h1 == TH_NONE) {
        memset(rows, TH_UNKNOWN, work->rows);
        memset(tokens, TH_UNKNOWN, work->rows);
        return;
    }
    const uint32_t count = work->rows, b = sums[h1].tokens;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_behind = i >= h1;
        const uint32_t a = sums[i].tokens;
        rows[i] = signed_log(is_behind ? i - h1 : h1 - i, is_behind);
        tokens[i] = signed_log(is_behind ? a - b : b - a, is_behind);
    }
}

static void write_from_heading(const th_feature_work *work)
{
    uint8_t *const rows = th_column(work, TH_FEATURE_ROWS_FROM_HEADING);
    uint8_t *const tokens = th_column(work, TH_FEATURE_TOKENS_FROM_HEADING);
    uint8_t *const level = th_column(work, TH_FEATURE_LAST_HEADING);
    const th_paragraph *const paragraphs = work->page->paragraphs;
    const th_row_sums *const sums = work->sums;
    const uint32_t count = work->rows;
    uint32_t last = TH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (paragraphs[i].kind == TH_PARAGRAPH_HEADING)
            last = i;
        const bool has = last != TH_NONE;
        rows[i] = has ? th_log(i - last) : TH_UNKNOWN;
        tokens[i] = has ? th_log(sums[i].tokens - sums[last].tokens) : TH_UNKNOWN;
        level[i] = has ? (uint8_t)(7 - paragraphs[last].level) : 0;
    }
}

static bool is_prose(const th_row_sums *sums, uint32_t row)
{
    return sums[row + 1].prose != sums[row].prose;
}

static void write_prose(const th_feature_work *work)
{
    uint8_t *const before = th_column(work, TH_FEATURE_PROSE_BEFORE);
    uint8_t *const from = th_column(work, TH_FEATURE_ROWS_FROM_PROSE);
    uint8_t *const to = th_column(work, TH_FEATURE_ROWS_TO_PROSE);
    const th_row_sums *const sums = work->sums;
    const uint32_t rows = work->rows, all = sums[rows].prose;
    uint32_t near = TH_NONE;
    for (uint32_t i = 0; i < rows; i++) {
        near = is_prose(sums, i) ? i : near;
        before[i] = th_share(sums[i].prose, all);
        from[i] = near == TH_NONE ? TH_UNKNOWN : th_log(i - near);
    }
    near = TH_NONE;
    for (uint32_t i = rows; i-- > 0;) {
        near = is_prose(sums, i) ? i : near;
        to[i] = near == TH_NONE ? TH_UNKNOWN : th_log(near - i);
    }
}

void th_feature_places(th_feature_work *work)
{
    const th_row_sums *const sums = work->sums;
    const uint32_t rows = work->rows, tokens = sums[rows].tokens;
    for (uint32_t i = 0; i < rows; i++) {
        th_column(work, TH_FEATURE_ROWS_BEFORE)[i] = th_share(i, rows);
        th_column(work, TH_FEATURE_TOKENS_BEFORE)[i] = th_share(sums[i].tokens, tokens);
        th_column(work, TH_FEATURE_ROWS_AFTER)[i] = th_log(rows - 1 - i);
    }
    write_from_h1(work);
    write_from_heading(work);
    write_prose(work);
    shift(work, TH_FEATURE_LINK_SHARE, TH_FEATURE_LINK_SHARE_1_BEFORE,
          TH_FEATURE_LINK_SHARE_1_AFTER);
    shift(work, TH_FEATURE_TOKENS, TH_FEATURE_TOKENS_1_BEFORE, TH_FEATURE_TOKENS_1_AFTER);
    write_window(work, TH_FEATURE_WINDOW_4_LINKS, 4);
    write_window(work, TH_FEATURE_WINDOW_10_LINKS, 10);
    write_window(work, TH_FEATURE_WINDOW_25_LINKS, 25);
}
