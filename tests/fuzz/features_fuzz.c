/*
 * Property: any page has columns, the same twice. The columns of a row do not depend on the
 * regression. Buckets of rows are in range and add up to their value. The first byte
 * selects limits and the kept data of the page. The rest is HTML.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "content/features.h"
#include "fuzz_target.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void columns_are_equal(const th_feature_columns *a, const th_feature_columns *b,
                              unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++)
        must(a->rows == 0 || memcmp(a->column[i], b->column[i], a->stride) == 0);
}

static void buckets_add_up(const th_page *page, const th_token_table *table,
                           const th_feature_columns *columns, th_arena *arena)
{
    th_token_buckets buckets;
    must(th_features_buckets(page, arena, &buckets) == TH_OK);
    for (uint32_t i = 0; i < columns->rows; i++) {
        int64_t value = table->bias;
        for (uint32_t k = buckets.start[i]; k < buckets.start[i + 1]; k++) {
            must(buckets.bucket[k] < TH_TOKEN_BUCKETS);
            value += table->weight[buckets.bucket[k]];
        }
        value = 128 + value * 12 / TH_TOKEN_UNIT;
        value = value < 0 ? 0 : value > 255 ? 255 : value;
        must(columns->column[TH_FEATURE_TOKEN_OWN][i] == value);
    }
}

static void levels_hold(const th_page *page, const th_feature_columns *columns)
{
    for (uint32_t i = 0; i < columns->rows; i++) {
        const unsigned depth = columns->column[TH_FEATURE_DEPTH][i];
        for (unsigned k = TH_FEATURE_LEVEL_MAIN; k <= TH_FEATURE_FAMILY_BUTTON; k++) {
            const unsigned level = columns->column[k][i];
            must(level == 255 || level <= depth);
        }
        must(columns->column[TH_FEATURE_HIDDEN][i] == page->paragraphs[i].is_hidden);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PARSERS = 4 };
    static th_parser *parsers[PARSERS];
    static th_arena *arena, *scratch;
    static th_token_table table;
    if (!arena) {
        for (unsigned i = 0; i < PARSERS; i++) {
            th_options opt;
            th_options_init(&opt);
            opt.page_ms = 0; /* time differs from run to run */
            opt.reads = i & 1 ? TH_FEATURES_READ : TH_READS_HIDDEN;
            if (i & 2) {
                opt.max_depth = 5;
                opt.max_nodes = 12;
                opt.max_blocks = 4;
            }
            parsers[i] = th_parser_new(&opt);
            assert(parsers[i]);
        }
        for (unsigned i = 0; i < TH_TOKEN_BUCKETS; i++)
            table.weight[i] = (int16_t)(i * 7919 % 3001) - 1500;
        arena = th_arena_new(0);
        scratch = th_arena_new(0);
        assert(arena && scratch);
    }
    if (size == 0)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 1, size - 1 },
                                   .url = TH_VIEW("http://example.org/blog/a-b?c"),
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_feature_columns first, again, plain;
    uint8_t vector[TH_PAGE_FEATURE_COUNT], vector_again[TH_PAGE_FEATURE_COUNT];
    th_arena_reset(arena);
    th_arena_reset(scratch);
    if (th_parse_html(parsers[data[0] % PARSERS], &document, arena, &page, NULL, NULL) !=
        TH_OK)
        return 0;
    check_page(page);
    must(th_features_compute(page, &table, scratch, &first, vector) == TH_OK);
    must(th_features_compute(page, &table, scratch, &again, vector_again) == TH_OK);
    must(memcmp(vector, vector_again, sizeof vector) == 0);
    columns_are_equal(&first, &again, 0, TH_FEATURE_COUNT);
    must(th_features_compute(page, NULL, scratch, &plain, vector) == TH_OK);
    columns_are_equal(&first, &plain, 0, TH_FEATURE_TOKEN_OWN);
    columns_are_equal(&first, &plain, TH_FEATURE_TOKEN_COUNT, TH_FEATURE_COUNT);
    levels_hold(page, &first);
    buckets_add_up(page, &table, &first, scratch);
    return 0;
}
