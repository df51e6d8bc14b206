/*
 * The n-th allocation of the tokenizer fails, for n = 1, 2, ...: it is not created, or
 * returns TH_NOMEM without further tokens. Nothing leaks, and the next page is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "parse/html/html_tokenizer.h"

struct counts {
    size_t tags;
    size_t value_len;
    bool is_told; /* the failure was reported; no more calls are allowed */
};

static th_html_content start_tag(void *context, const th_html_tag *tag)
{
    struct counts *counts = context;
    assert_false(counts->is_told);
    counts->tags++;
    for (size_t i = 0; i < tag->attr_count; i++)
        counts->value_len += tag->attrs[i].value.len;
    return tag->tag == TH_TAG_TITLE ? TH_HTML_RCDATA : TH_HTML_DATA;
}

static void end_tag(void *context, const th_html_tag *tag)
{
    struct counts *counts = context;
    (void)tag;
    assert_false(counts->is_told);
    counts->tags++;
}

static void text(void *context, const char *bytes, size_t len)
{
    const struct counts *counts = context;
    (void)bytes, (void)len;
    assert_false(counts->is_told);
}

static bool answer_no(void *context)
{
    (void)context;
    return false;
}

static const th_html_sink sink = {
    .start_tag = start_tag, .end_tag = end_tag, .text = text, .is_foreign = answer_no
};

enum { VALUE_LEN = 40000 }; /* with references, so that it is in scratch memory */

static char page[VALUE_LEN + 100];
static size_t page_len;

static void write_page(void)
{
    static const char head[] = "<title>x</title><p b='";
    static const char tail[] = "&lt;'><i c=1>text</i>................";
    memcpy(page, head, sizeof head - 1);
    memset(page + sizeof head - 1, 'x', VALUE_LEN);
    memcpy(page + sizeof head - 1 + VALUE_LEN, tail, sizeof tail - 1);
    page_len = sizeof head - 1 + VALUE_LEN + sizeof tail - 1;
}

static th_status run(th_html_tokenizer *tokenizer, size_t piece, struct counts *counts)
{
    *counts = (struct counts){ 0 };
    th_html_tokenizer_begin(tokenizer, &sink, counts, NULL, TH_HTML_DATA, (th_view){ 0 });
    th_status status = TH_OK;
    for (size_t at = 0; at < page_len; at += piece) {
        const size_t left = page_len - at;
        status =
            th_html_tokenizer_feed(tokenizer, page + at, left < piece ? left : piece);
        counts->is_told = status == TH_NOMEM;
    }
    assert_int_equal(th_html_tokenizer_finish(tokenizer), status);
    return status;
}

/* Whether a failure at the n-th allocation was met. */
static bool is_met(size_t n, size_t piece)
{
    struct counts counts;
    const th_html_limits limits = { .max_attributes = 8, .max_tag = 2 * VALUE_LEN };
    fail_allocation(n);
    th_html_tokenizer *tokenizer = th_html_tokenizer_new(&limits);
    const th_status status = tokenizer ? run(tokenizer, piece, &counts) : TH_NOMEM;
    const bool was_met = is_failure_met();
    fail_allocation(0);
    assert_int_equal(status, was_met ? TH_NOMEM : TH_OK);
    if (tokenizer) {
        assert_int_equal(run(tokenizer, piece, &counts), TH_OK);
        assert_int_equal(counts.tags, 5);
        assert_int_equal(counts.value_len, VALUE_LEN + 2);
    }
    th_html_tokenizer_free(tokenizer);
    return was_met;
}

static void every_failure_is_survived(void **state)
{
    (void)state;
    write_page();
    static const size_t pieces[] = { sizeof page, 999, 1 };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t n = 1;
        while (is_met(n, pieces[i]) && n < 1000)
            n++;
        assert_true(n > 5 && n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_failure_is_survived) };
    return cmocka_run_group_tests_name("html_tokenizer_nomem", tests, NULL, NULL);
}
