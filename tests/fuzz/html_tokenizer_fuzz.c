/*
 * Property: the tokens do not depend on the pieces of the input and the width of search,
 * also with small limits. The first four bytes select content and sink, limits, size of
 * the first piece, size of the others.
 */
#include <assert.h>
#include <string.h>

#include "fuzz_target.h"
#include "token_record.h"

enum { LIMITS = 4 };

static const th_html_limits limits_of[LIMITS] = {
    { .max_attributes = 1024, .max_tag = 65536 },
    { .max_attributes = 20, .max_tag = 65536 },
    { .max_attributes = 2, .max_tag = 16 },
    { .max_attributes = 1, .max_tag = 40 },
};

static th_html_tokenizer *tokenizers[LIMITS][TH_HTML_SEARCH_32 + 1];

static th_html_tokenizer *get_tokenizer(unsigned limits, th_html_search search)
{
    th_html_tokenizer **tokenizer = &tokenizers[limits][search];
    if (!*tokenizer) {
        th_html_limits chosen = limits_of[limits];
        chosen.search = search;
        *tokenizer = th_html_tokenizer_new(&chosen);
        assert(*tokenizer);
    }
    return *tokenizer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        th_html_content content;
        const char *last;
    } contents[8] = {
        { TH_HTML_DATA, "" },          { TH_HTML_DATA, "" },
        { TH_HTML_DATA, "" },          { TH_HTML_RCDATA, "title" },
        { TH_HTML_RAWTEXT, "style" },  { TH_HTML_SCRIPT_DATA, "script" },
        { TH_HTML_PLAINTEXT, "none" }, { TH_HTML_CDATA, "" },
    };
    if (size < 4)
        return 0;
    const unsigned how = data[0];
    const unsigned limits = data[1] % LIMITS;
    const size_t first = data[2];
    const size_t piece = data[3];
    const th_view page = { (const char *)data + 4, size - 4 };
    const th_html_content content = contents[how & 7].content;
    const char *last = contents[how & 7].last;
    const th_view last_start_tag = { last, strlen(last) };
    const th_html_sink *sink =
        how & 8 ? &th_token_record_text_sink : &th_token_record_sink;
    const th_token_record empty = { .content_of = th_token_record_html_content,
                                    .is_foreign = how & 16,
                                    .stop_after = how & 32 ? 3 : 0 };
    th_token_record want = empty;
    th_token_record_run(&want, get_tokenizer(limits, TH_HTML_SEARCH_BEST), sink, content,
                        last_start_tag, page, 0, 0);
    for (int search = TH_HTML_SEARCH_PORTABLE; search <= TH_HTML_SEARCH_32; search++) {
        th_token_record got = empty;
        th_token_record_run(&got, get_tokenizer(limits, (th_html_search)search), sink,
                            content, last_start_tag, page, first, piece);
        assert(got.out.len == want.out.len);
        assert(want.out.len == 0 || !memcmp(got.out.data, want.out.data, want.out.len));
        th_buffer_done(&got.out);
    }
    th_buffer_done(&want.out);
    return 0;
}
