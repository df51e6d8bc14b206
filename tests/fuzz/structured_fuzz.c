/*
 * Property: the structured data of any page is valid UTF-8 within its limits, JSON-LD is
 * one line of JSON, and the same page has the same data again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_events.h"
#include "base/unicode.h"
#include "fuzz_target.h"
#include "thresher/options.h"
#include "thresher/parse.h"

static void check_text(th_view text)
{
    assert(th_utf8_valid(text.data, text.len) == text.len);
    assert(!text.len || !memchr(text.data, '\n', text.len));
}

static size_t check(const th_structured *structured)
{
    static const th_json_callbacks none = { 0 };
    size_t bytes = 0, count = 0;
    for (unsigned list = 0; list < TH_STRUCTURED_LISTS; list++) {
        count += structured->counts[list];
        for (uint32_t i = 0; i < structured->counts[list]; i++) {
            const th_statement *const row = &structured->rows[list][i];
            check_text(row->item);
            check_text(row->property);
            check_text(row->value);
            check_text(row->ref);
            bytes += row->value.len;
            if (list == TH_STRUCTURED_JSON_LD)
                assert(th_json_events(row->value, &none, NULL) == TH_OK);
            else
                assert(row->value.len <= TH_STATEMENT_VALUE_MAX);
        }
    }
    check_text(structured->section);
    check_text(structured->image);
    assert(count <= TH_STATEMENTS_MAX);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static th_options opt;
    static th_parser *parser;
    static th_arena *arenas[2];
    if (!parser) {
        th_options_init(&opt);
        opt.page_ms = 0; /* time differs from run to run */
        opt.reads = TH_READS_STRUCTURED;
        parser = th_parser_new(&opt);
        arenas[0] = th_arena_new(0);
        arenas[1] = th_arena_new(0);
        assert(parser && arenas[0] && arenas[1]);
    }
    if (size == 0)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 1, size - 1 },
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8"),
                                   .is_xml = data[0] & 1 };
    size_t bytes[2] = { 0, 0 };
    for (unsigned i = 0; i < 2; i++) {
        th_page *page = NULL;
        th_arena_reset(arenas[i]);
        if (th_parse_html(parser, &document, arenas[i], &page, NULL, NULL) == TH_OK)
            bytes[i] = check(page->structured);
    }
    assert(bytes[0] == bytes[1]);
    return 0;
}
