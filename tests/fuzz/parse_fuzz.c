/*
 * Property: any bytes result in a valid page or a refusal, and the same bytes in the same
 * page. The first byte selects HTML or XML, and tight or wide limits.
 */
#include <assert.h>
#include <stdlib.h>

#include "fuzz_target.h"
#include "parse/page_check.h"
#include "thresher/parse.h"

static th_status parse(th_parser *parser, const th_document *document, th_arena *arena,
                       th_page **page)
{
    th_arena_reset(arena);
    const th_status status = th_parse_html(parser, document, arena, page, NULL, NULL);
    if (status == TH_OK)
        check_page(*page);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Made once: page after page through one parser is part of the test. */
    static th_options opt[2];
    static th_parser *parser[2];
    static th_arena *first, *second;
    if (!first) {
        th_options_init(&opt[0]);
        opt[0].page_ms = 0; /* time differs from run to run */
        opt[1] = opt[0];
        opt[1].max_depth = 5;
        opt[1].max_nodes = 12;
        opt[1].max_blocks = 4;
        opt[1].max_links = 2;
        opt[1].max_attributes = 3;
        opt[1].max_tag = 256;
        opt[1].w_max = 8;
        parser[0] = th_parser_new(&opt[0]);
        parser[1] = th_parser_new(&opt[1]);
        first = th_arena_new(0);
        second = th_arena_new(0);
        assert(parser[0] && parser[1] && first && second);
    }
    if (size == 0)
        return 0;
    const th_document document = { .bytes = { (const char *)data + 1, size - 1 },
                                   .url = TH_VIEW("http://example.org/a/b"),
                                   .charset = TH_VIEW("utf-8"),
                                   .is_xml = data[0] & 1 };
    th_parser *const chosen = parser[data[0] >> 1 & 1];
    th_page *page = NULL;
    th_page *again = NULL;
    const th_status status = parse(chosen, &document, first, &page);
    assert(status == parse(chosen, &document, second, &again));
    if (status == TH_OK)
        check_same_page(page, again);
    return 0;
}
