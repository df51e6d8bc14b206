/* src/write/reject.c: golden reject lines. Hostile bytes: annotation_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_line.h"
#include "write/format.h"

#define BYTES(literal)                                                                   \
    {                                                                                    \
        "" literal, sizeof(literal) - 1                                                  \
    }

/* clang-format off */
static const struct row {
    const char *name;
    th_status status;
    const char *detail;
    th_record record;
    const char *line;
} rows[] = {
    { "pdf", TH_NOT_HTML, "media type 'application/pdf'",
      { .url = BYTES("http://a.example/x.pdf"), .type = BYTES("response"),
        .ip = BYTES("192.0.2.1"),
        .position = { .file = BYTES("a.warc"), .offset = 7, .length = 9 } },
      "{\"reason\":\"not_html\",\"detail\":\"media type 'application/pdf'\","
      "\"source\":{\"file\":\"a.warc\",\"offset\":7,\"length\":9,\"type\":\"response\","
      "\"ip\":\"192.0.2.1\"},\"url\":\"http://a.example/x.pdf\"}\n" },
    { "warcinfo", TH_NOT_A_PAGE, "record of type 'warcinfo'",
      { .type = BYTES("warcinfo"), .position = { .file = BYTES("a.warc") } },
      "{\"reason\":\"not_a_page\",\"detail\":\"record of type 'warcinfo'\","
      "\"source\":{\"file\":\"a.warc\",\"offset\":0,\"type\":\"warcinfo\"}}\n" },
    { "detail cut in a character", TH_NOT_HTML, "type '\xc3'",
      { .position = { .offset = UINT64_MAX } },
      "{\"reason\":\"not_html\",\"detail\":\"type '\\\\xc3'\","
      "\"source\":{\"offset\":18446744073709551615}}\n" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_annotated annotated = { .record = &row->record,
                                     .status = row->status,
                                     .detail = row->detail };
    th_buffer out = { 0 };
    assert_int_equal(th_reject_line(&annotated, &out), TH_OK);
    assert_true(json_line_is_valid(th_buffer_view(&out)));
    th_buffer_append_char(&out, '\0');
    assert_string_equal(out.data, row->line);
    th_buffer_done(&out);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests_name("reject", tests, NULL, NULL);
}
