/*
 * An inspection without memory: the n-th allocation fails, for n = 1, 2, ..., until all
 * of it works; each failure is reported and leaks nothing (checked by the sanitizer).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "inspect/inspection.h"
#include "write/sample_page.h"

static th_status text(const th_inspection *inspection, th_buffer *out)
{
    return th_inspection_text(inspection, true, out);
}

static th_status json(const th_inspection *inspection, th_buffer *out)
{
    return th_inspection_json(inspection, &th_inspection_complete, out);
}

static th_status html(const th_inspection *inspection, th_buffer *out)
{
    return th_inspection_html(inspection, out);
}

static const struct row {
    const char *name;
    th_status (*call)(const th_inspection *inspection, th_buffer *out);
} rows[] = { { "text", text }, { "json", json }, { "html", html } };

static void nth_allocation_fails(void **state)
{
    const struct row *row = *state;
    th_status status = TH_NOMEM;
    long grants = 0;
    for (; status != TH_OK; grants++) {
        assert_in_range(grants, 0, 5000);
        sample_page s;
        th_readings readings;
        th_buffer out = { 0 };
        sample_page_init(&s);
        s.record.url = TH_VIEW("http://a.example/\xe9"); /* wants the scratch */
        fail_allocation((size_t)(grants + 1));
        status = th_readings_make(&s.page, &s.opt, "all", &readings, NULL);
        const th_inspection inspection = { &s.opt, &s.annotated, &readings, "test" };
        if (status == TH_OK)
            status = row->call(&inspection, &out);
        fail_allocation(0);
        assert_true(status == TH_OK || status == TH_NOMEM);
        assert_true(status != TH_OK || out.len > 500);
        th_buffer_done(&out);
        th_readings_done(&readings);
        sample_page_done(&s);
    }
    assert_in_range(grants, 4, 5000);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, nth_allocation_fails, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
