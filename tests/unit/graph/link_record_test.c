/* src/graph/link_record.c: address and links of records, also of odd ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/link_record.h"

/* clang-format off */
static const struct row {
    const char *json;
    th_status status;
    const char *url;   /* NULL: absent */
    int links;         /* -1: no member `links` */
    const char *first; /* URL of the first link, "+" before it: content */
} rows[] = {
    { "{}", TH_OK, NULL, -1, "" },
    { "{\"url\":\"http://a/\"}", TH_OK, "http://a/", -1, "" },
    { "{\"links\":[],\"url\":\"http://a/\"}", TH_OK, "http://a/", 0, "" },
    { "{\"url\":\"http:\\/\\/a\\u0021\",\"links\":[{\"url\":\"http://b/\",\"label\":\"content\"}]}",
      TH_OK, "http://a!", 1, "+http://b/" },
    { "{\"links\":[{\"label\":\"boilerplate\",\"url\":\"u\",\"x\":{\"url\":[\"v\"]}},{\"url\":\"w\"}]}",
      TH_OK, NULL, 2, "u" },
    { "{\"links\":[{\"url\":7},{\"anchor\":\"\"},3,[{\"url\":\"no\"}],{\"url\":\"u\",\"label\":true}]}",
      TH_OK, NULL, 1, "u" },
    { "{\"url\":7,\"links\":{\"url\":\"no\"}}", TH_OK, NULL, -1, "" },
    { "{\"x\":{\"url\":\"no\",\"links\":[{\"url\":\"no\"}]}}", TH_OK, NULL, -1, "" },
    { "", TH_DAMAGED, NULL, -1, "" },
    { "[]", TH_DAMAGED, NULL, -1, "" },
    { "{\"url\":\"http://a/\"", TH_DAMAGED, NULL, -1, "" },
    { "{\"url\":\"http://a/\"} x", TH_DAMAGED, NULL, -1, "" },
    { "{\"url\":\"\\x\"}", TH_DAMAGED, NULL, -1, "" },
    { "{\"links\":[{\"url\":\"u\"}", TH_DAMAGED, NULL, -1, "" },
    { "{\"links\":[{\"url\":\"u\"]}", TH_DAMAGED, NULL, -1, "" },
};
/* clang-format on */

static int is_text(th_view view, const char *text)
{
    return view.len == strlen(text) && memcmp(view.data, text, view.len) == 0;
}

static void records_are_read(void **state)
{
    (void)state;
    th_link_record record = { .link_count = 0 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const th_view json = { row->json, strlen(row->json) };
        assert_int_equal(th_link_record_read(&record, json), row->status);
        if (row->status != TH_OK)
            continue;
        assert_true(row->url ? is_text(record.url, row->url) : !record.url.data);
        assert_int_equal(record.has_links ? (int)record.link_count : -1, row->links);
        if (!*row->first)
            continue;
        const int is_content = row->first[0] == '+';
        assert_int_equal(record.links[0].is_content, is_content);
        assert_true(is_text(record.links[0].url, row->first + is_content));
    }
    th_link_record_done(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(records_are_read) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
