/*
 * Computes a page's columns: first sums over rows, then each group of columns in a
 * separate pass and a separate file.
 */
#include "content/features.h"

#include <string.h>

#include "content/feature_work.h"

enum { STRIDE = 32 };

#define LOGS_4(v) TH_LOG_OF(v), TH_LOG_OF((v) + 1), TH_LOG_OF((v) + 2), TH_LOG_OF((v) + 3)
#define LOGS_16(v) LOGS_4(v), LOGS_4((v) + 4), LOGS_4((v) + 8), LOGS_4((v) + 12)
#define LOGS_64(v) LOGS_16(v), LOGS_16((v) + 16), LOGS_16((v) + 32), LOGS_16((v) + 48)
const uint8_t th_logs[TH_LOGS] = { LOGS_64(1), LOGS_64(65), LOGS_64(129), LOGS_64(193) };

#define FEATURE_NAME(name, text, group, help) text,
static const char *const names[] = { TH_FEATURE_LIST(FEATURE_NAME) };
#define FEATURE_HELP(name, text, group, help) help,
static const char *const helps[] = { TH_FEATURE_LIST(FEATURE_HELP) };
#define FEATURE_GROUP(name, text, group, help) TH_FEATURE_GROUP_##group,
static const uint8_t groups[] = { TH_FEATURE_LIST(FEATURE_GROUP) };
#define GROUP_NAME(name, text, help) text,
static const char *const group_names[] = { TH_FEATURE_GROUP_LIST(GROUP_NAME) };
#define GROUP_HELP(name, text, help) help,
static const char *const group_helps[] = { TH_FEATURE_GROUP_LIST(GROUP_HELP) };
#define PAGE_NAME(name, text, help) text,
static const char *const page_names[] = { TH_PAGE_FEATURE_LIST(PAGE_NAME) };
#define PAGE_HELP(name, text, help) help,
static const char *const page_helps[] = { TH_PAGE_FEATURE_LIST(PAGE_HELP) };

const char *th_feature_name(unsigned feature)
{
    return names[feature];
}

const char *th_feature_help(unsigned feature)
{
    return helps[feature];
}

unsigned th_feature_group(unsigned feature)
{
    return groups[feature];
}

const char *th_feature_group_name(unsigned group)
{
    return group_names[group];
}

const char *th_feature_group_help(unsigned group)
{
    return group_helps[group];
}

const char *th_page_feature_name(unsigned feature)
{
    return page_names[feature];
}

const char *th_page_feature_help(unsigned feature)
{
    return page_helps[feature];
}

/* Planes of zeros. */
static th_status make_columns(const th_page *page, th_arena *arena,
                              th_feature_columns *out)
{
    out->rows = page->paragraph_count;
    out->stride = (out->rows + STRIDE - 1) / STRIDE * STRIDE;
    uint8_t *planes = th_arena_calloc(arena, TH_FEATURE_COUNT, (size_t)out->stride + 1);
    if (!planes)
        return TH_NOMEM;
    for (unsigned i = 0; i < TH_FEATURE_COUNT; i++)
        out->column[i] = planes + (size_t)i * out->stride;
    return TH_OK;
}

/* Whether the row is in a P element, so that its tokens count as tokens in P. */
static bool is_in_p(const th_page *page, const th_paragraph *row)
{
    return page->nodes[row->node].tag == TH_TAG_P;
}

static th_status sum_rows(th_feature_work *work)
{
    const th_page *page = work->page;
    th_row_sums sum = { 0 };
    work->sums = th_arena_alloc(work->scratch, (work->rows + (size_t)1) * sizeof sum);
    if (!work->sums)
        return TH_NOMEM;
    work->h1 = TH_NONE;
    work->sums[0] = sum;
    for (uint32_t i = 0; i < work->rows; i++) {
        const th_paragraph *row = &page->paragraphs[i];
        const uint32_t tokens =
            page->tokens_before[row->end_block] - page->tokens_before[row->first_block];
        const uint32_t linked =
            page->linked_before[row->end_block] - page->linked_before[row->first_block];
        const bool is_heading = row->kind == TH_PARAGRAPH_HEADING;
        sum.rows++;
        sum.tokens += tokens;
        sum.linked += linked;
        sum.in_p += is_in_p(page, row) ? tokens : 0;
        sum.long_rows += tokens >= TH_LONG_ROW;
        sum.headings += is_heading;
        sum.titles += is_heading && linked * 2 > tokens;
        sum.prose += tokens >= TH_PROSE_ROW && linked * 2 <= tokens ? tokens : 0;
        if (row->level == 1 && tokens && !row->is_hidden && work->h1 == TH_NONE)
            work->h1 = i;
        work->sums[i + 1] = sum;
    }
    return TH_OK;
}

th_status th_features_compute(const th_page *page, const th_token_table *table,
                              th_arena *scratch, th_feature_columns *out, uint8_t *vector)
{
    th_feature_work work = { .page = page,
                             .table = table,
                             .scratch = scratch,
                             .vector = vector,
                             .rows = page->paragraph_count };
    memset(vector, 0, TH_PAGE_FEATURE_COUNT);
    th_status status = make_columns(page, scratch, out);
    if (status == TH_OK)
        work.out = *out;
    const th_arena_mark mark = th_arena_get_mark(scratch);
    if (status == TH_OK)
        status = sum_rows(&work);
    if (status == TH_OK)
        status = th_feature_tree(&work);
    if (status == TH_OK)
        status = th_feature_text(&work);
    if (status == TH_OK)
        status = th_feature_repetition(&work);
    if (status == TH_OK)
        status = th_feature_tokens(&work);
    if (status == TH_OK)
        status = th_feature_rules(&work);
    if (status != TH_OK)
        return status;
    th_feature_places(&work);
    th_feature_page(&work);
    th_arena_rewind(scratch, mark);
    return TH_OK;
}
