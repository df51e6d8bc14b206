/*
 * The tokenizer's frame: memory, beginning, pieces, end.
 *
 * A piece goes to the scanner, which reads text and complete tags at the speed of memory.
 * It leaves rare syntax, and tokens cut by the piece's end, to the machine. The machine
 * is the standard's states word for word, and keeps the bytes that it has read in
 * scratch. Then the scanner continues. So a byte is read at most twice. The two are
 * separate implementations and must agree: the fuzzer and the tests cut every page
 * everywhere.
 */
#include "parse/html/html_tokenizer.h"

#include <stdlib.h>

#include "parse/html/html_token.h"

enum { SCRATCH_FIRST = 4096 };

static th_html_scan *choose_scan(th_html_search search)
{
    if (search == TH_HTML_SEARCH_PORTABLE)
        return th_html_scan_portable;
#if defined(__x86_64__)
    if (search != TH_HTML_SEARCH_16 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("bmi2"))
        return th_html_scan_32;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    return th_html_scan_16;
#else
    return th_html_scan_portable;
#endif
}

th_html_tokenizer *th_html_tokenizer_new(const th_html_limits *limits)
{
    th_html_tokenizer *tok = calloc(1, sizeof *tok);
    if (!tok)
        return NULL;
    tok->max_tag = limits->max_tag;
    tok->scan = choose_scan(limits->search);
    tok->scratch = malloc(SCRATCH_FIRST);
    tok->scratch_size = SCRATCH_FIRST;
    const bool has_list =
        th_attribute_list_init(&tok->attributes, limits->max_attributes);
    if (!tok->scratch || !has_list) {
        th_html_tokenizer_free(tok);
        return NULL;
    }
    tok->bare_tag.attrs = tok->attributes.items;
    return tok;
}

void th_html_tokenizer_free(th_html_tokenizer *tokenizer)
{
    if (!tokenizer)
        return;
    th_attribute_list_done(&tokenizer->attributes);
    free(tokenizer->scratch);
    free(tokenizer->end_name);
    free(tokenizer);
}

void th_html_tokenizer_begin(th_html_tokenizer *tokenizer, const th_html_sink *sink,
                             void *context, const th_status *status,
                             th_html_content content, th_view last_start_tag)
{
    static const th_status never = TH_OK;
    tokenizer->sink = sink;
    tokenizer->context = context;
    tokenizer->status = status ? status : &never;
    tokenizer->state = TH_IN_CONTENT;
    tokenizer->is_stopped = false;
    tokenizer->has_failed = false;
    tokenizer->has_cr = false;
    th_attribute_list_clear(&tokenizer->attributes);
    th_html_expect_end(tokenizer, last_start_tag);
    th_html_set_content(tokenizer, content);
}

th_status th_html_tokenizer_feed(th_html_tokenizer *tokenizer, const char *bytes,
                                 size_t len)
{
    if (len == 0)
        return tokenizer->has_failed ? TH_NOMEM : TH_OK;
    const char *at = bytes;
    const char *const end = bytes + len;
    if (tokenizer->has_cr && *at == '\n')
        at++;
    tokenizer->has_cr = false;
    while (at < end && !tokenizer->is_stopped) {
        at = tokenizer->state == TH_IN_CONTENT ? tokenizer->scan(tokenizer, at, end)
                                               : th_html_machine(tokenizer, at, end);
    }
    return tokenizer->has_failed ? TH_NOMEM : TH_OK;
}

th_status th_html_tokenizer_finish(th_html_tokenizer *tokenizer)
{
    if (!tokenizer->is_stopped && tokenizer->state != TH_IN_CONTENT)
        th_html_machine_finish(tokenizer);
    if (!tokenizer->is_stopped && tokenizer->brackets) {
        static const char brackets[2] = { ']', ']' };
        th_html_emit_text(tokenizer, brackets, brackets + tokenizer->brackets);
        tokenizer->brackets = 0;
    }
    return tokenizer->has_failed ? TH_NOMEM : TH_OK;
}
