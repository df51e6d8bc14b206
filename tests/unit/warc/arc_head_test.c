/* src/warc/arc_head.c: which lines begin a record of an ARC file. */
#include "warc/arc_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DATE "20140216050221"
#define REST " 1.2.3.4 " DATE " text/html 12"

static const struct row {
    const char *text;
    enum head_answer want; /* if more bytes can follow */
} rows[] = {
    { "http://a.example/" REST "\n", HEAD_YES },
    { "http://a.example/" REST "\r\n", HEAD_YES },
    { "http://a.example/ b" REST "\n", HEAD_YES },
    { "view-source:http://a.example/" REST "\n", HEAD_YES },
    { "dns:a.example" REST "\n", HEAD_YES },
    { "http://a.example/ 1.2.3.4 " DATE " text/html 200 sum - 3 a.arc 12\n", HEAD_YES },
    { "http://a.example/ 1.2.3.4 201402160502 text/html 12\n", HEAD_YES },
    { "http://a.example/ 1.2.3.4 201402160502210000 text/html 12\n", HEAD_YES },
    { "http://a.example/ 1.2.3.4 20140216050 text/html 12\n", HEAD_NO },
    { "http://a.example/ 1.2.3.4 2014021605022100000 text/html 12\n", HEAD_NO },
    { "http://a.example/ 1.2.3.4 2014021605022x text/html 12\n", HEAD_NO },
    { "http://a.example/  " DATE " text/html 12\n", HEAD_NO },
    { "http://a.example/ 1.2.3.4 " DATE " text/html \n", HEAD_NO },
    { "://a.example/" REST "\n", HEAD_NO },
    { "-a:b" REST "\n", HEAD_NO },
    { "a.example/" REST "\n", HEAD_NO },
    { "http" REST "\n", HEAD_NO },
    { "\n", HEAD_NO },
    { "http://a.example/ 1.2.3.4 ", HEAD_MORE },
    { "", HEAD_MORE },
};

static void lines_begin_a_record(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const warc_view bytes = { rows[i].text, strlen(rows[i].text) };
        if (arc_head_begins(bytes, false) != rows[i].want)
            fail_msg("'%s'", rows[i].text);
        assert_int_equal(arc_head_begins(bytes, true),
                         rows[i].want == HEAD_MORE ? HEAD_NO : rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lines_begin_a_record) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
