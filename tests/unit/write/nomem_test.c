/*
 * Output without memory: the n-th allocation of a call fails, for n = 1, 2, ..., until the
 * call works; each failure is reported, does not change the buffer, and leaks nothing
 * (checked by the sanitizer).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "sample_page.h"
#include "write/format.h"

static th_status start_file(const sample_page *s, const th_format_options *opt,
                            const th_format *format, th_buffer *out)
{
    return format->start ? format->start(opt, s->record.position.file, out) : TH_OK;
}

static th_status write_page(const sample_page *s, const th_format_options *opt,
                            const th_format *format, th_buffer *out)
{
    return format->page(opt, &s->annotated, out);
}

static th_status write_reject(const sample_page *s, const th_format_options *opt,
                              const th_format *format, th_buffer *out)
{
    (void)opt;
    (void)format;
    return th_reject_line(&s->annotated, out);
}

static th_status compress(const sample_page *s, const th_format_options *opt,
                          const th_format *format, th_buffer *out)
{
    static const char bytes[4096];
    (void)s;
    (void)format;
    return th_compress(opt->compression, (th_view){ bytes, sizeof bytes }, out);
}

static const struct row {
    const char *name;
    th_status (*call)(const sample_page *s, const th_format_options *opt,
                      const th_format *format, th_buffer *out);
    const char *format;
    th_compression compression;
} rows[] = {
    { "jsonl page", write_page, "jsonl", TH_PLAIN },
    { "reject line", write_reject, "jsonl", TH_PLAIN },
    { "warc start", start_file, "warc", TH_PLAIN },
    { "warc start gzip", start_file, "warc", TH_GZIP },
    { "warc page", write_page, "warc", TH_PLAIN },
    { "warc page gzip", write_page, "warc", TH_GZIP },
    { "warc page zstd", write_page, "warc", TH_ZSTD },
    { "compress plain", compress, "jsonl", TH_PLAIN },
    { "compress gzip", compress, "jsonl", TH_GZIP },
    { "compress zstd", compress, "jsonl", TH_ZSTD },
};

/* The call with `grants` allocations. @return its status */
static th_status call_with(const struct row *row, long grants, th_buffer *out)
{
    sample_page s;
    sample_page_init(&s);
    s.opt.emit = TH_EMIT_FULL_TEXT | TH_EMIT_SEGMENTS | TH_EMIT_BLOCKS | TH_EMIT_LINKS;
    s.record.url = TH_VIEW("http://a.example/\xe9"); /* wants the scratch */
    const th_format_options opt = { &s.opt, row->compression, "thresher/test" };
    const th_format *format = th_format_find(row->format);
    fail_allocation((size_t)(grants + 1));
    const th_status status = row->call(&s, &opt, format, out);
    fail_allocation(0);
    sample_page_done(&s);
    return status;
}

static void nth_allocation_fails(void **state)
{
    const struct row *row = *state;
    th_buffer want = { 0 };
    assert_int_equal(call_with(row, -1, &want), TH_OK);
    th_status status = TH_NOMEM;
    long grants = 0;
    for (; status != TH_OK; grants++) {
        assert_in_range(grants, 0, 1000);
        th_buffer out = { 0 };
        th_buffer_append_text(&out, "before");
        status = call_with(row, grants, &out);
        assert_false(out.has_failed);
        if (status == TH_OK) {
            assert_int_equal(out.len, 6 + want.len);
            assert_memory_equal(out.data + 6, want.data, want.len);
        } else {
            assert_int_equal(status, TH_NOMEM);
            assert_int_equal(out.len, 6);
        }
        assert_memory_equal(out.data, "before", 6);
        th_buffer_done(&out);
    }
    assert_in_range(grants, 2, 1000); /* something did allocate */
    th_buffer_done(&want);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, nth_allocation_fails, NULL, NULL,
                                        (void *)&rows[i] };
    return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
