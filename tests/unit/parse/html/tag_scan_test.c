/* Parts that are removed before libxml2 sees them. The rest does not change. */
#include "parse/html/tag_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/page.h"

enum { MAX_ATTRIBUTES = 3, MAX_TAG = 40 };

static const struct row {
    const char *name, *in, *out; /* out NULL: unchanged */
    int is_cut;
} rows[] = {
    /* clang-format off */
    { "empty",                  "",                                        NULL, 0 },
    { "text",                   "a < b > c & d <",                         NULL, 0 },
    { "within limits",          "<!DOCTYPE html><a b='1' c=\"2\" d>x</a >y<br/>", NULL, 0 },
    { "one too many",           "<a b=1 c=2 d=3 e=4>x",                    "<a b=1 c=2 d=3 >x", 1 },
    { "many too many",          "<a b c d e='>' f=g h>x<b>y",              "<a b c d >x<b>y", 1 },
    { "self-closing stays",     "<a b c d e/>x",                           "<a b c d />x", 1 },
    { "cut at the end",         "<a b c d e",                              "<a b c d ", 1 },
    { "quoted '>' is not an end", "<a b='>' c=\">\" d = '>' e='>' f>x",      "<a b='>' c=\">\" d = '>' >x", 1 },
    { "long value",             "<a b='0123456789012345678901234567890123456789' c=1>x", "<a b='' c=1>x", 1 },
    { "long bare value",        "<a b=0123456789012345678901234567890123456789 c=1>x", "<a b=0 c=1>x", 1 },
    { "long bare value, UTF-8", "<a b=\u00E9123456789012345678901234567890123456789 c=1>x", "<a b=\u00E9 c=1>x", 1 },
    { "unclosed long value",    "<a b='0123456789012345678901234567890123456789>x", "<a b='", 1 },
    { "tag too long by spaces", "<a b=1                                      c=2>x", "<a b=1                                      >x", 1 },
    { "end tags are short",     "</a b c d e f g>x",                       NULL, 0 },

    { "comment hides",          "<!-- <a b c d e f> -->",                  NULL, 0 },
    { "comment ends by --!>",   "<!-- a --!><a b c d e>",                  "<!-- a --!><a b c d >", 1 },
    { "comment unclosed",       "<!-- <a b c d e f>",                      NULL, 0 },
    { "empty comment",          "<!----><a b c d e>",                      "<!----><a b c d >", 1 },
    { "abrupt comment",         "<!--><b>x</b>--><!---><b>",               "<!----><b>x</b>--><!----><b>", 0 },
    { "bogus comments",         "<![if IE]>a<![endif]>b</ c>d</>e<?>f",    "<!---->a<!---->b<!---->d<!---->e<!---->f", 0 },
    { "nothing joins",          "<<!x>b c d e f>",                         "<<!---->b c d e f>", 0 },
    { "processing instruction", "<?xml version='1.0'?><?php a b c d e f>", NULL, 0 },
    { "late doctype",           "x<!doctype html>y",                       "x<!---->y", 0 },
    { "odd quote in doctype",   "<!doctype html \"a>y\">z",                "<!---->y\">z", 0 },
    { "doctype with literals",  " <!DOCTYPE html PUBLIC \"-//W3C\" 'x'>y", NULL, 0 },

    { "script hides",           "<script>if (a<b c d e f) '</b>'</script><p>", NULL, 0 },
    { "script, other case",     "<SCRIPT a='>'><a b c d e f></scRipt ><a b c d e>", "<SCRIPT a='>'> a b c d e f></scRipt ><a b c d >", 1 },
    { "script unclosed",        "<script><!-- <a b c d e f>",              NULL, 0 },
    { "script, empty tag",      "<script/><a b c d e>",                    "<script/><a b c d >", 1 },
    { "script starts with tag", "<script></b>x</script>",                  "<script> /b>x</script>", 0 },
    { "script holds scripty",   "<script>x</scripty></script>",            "<script>x /scripty></script>", 0 },
    { "style starts with body", "<style><body>x</style>",                  "<style> body>x</style>", 0 },

    { "unknown name, quoted",   "<a @b='x > hidden' c>y",                  "<a @b='' c>y", 0 },
    { "unknown name, bare",     "<a @b=x c>y",                             NULL, 0 },
    { "unknown name, no space", "<a @b='x'c='>'>y",                        "<a @b=''>y", 1 },
    { "slash before a name",    "<a b='x'/c='>'>y",                        "<a b='x'/c=''>y", 0 },
    { "stray quote",            "<a \"b='>'>y",                            "<a \"b=''>y", 0 },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_tag_limits limits = { .max_attributes = MAX_ATTRIBUTES, .max_tag = MAX_TAG };
    const size_t len = strlen(row->in);
    char *exact = malloc(len ? len : 1);
    memcpy(exact, row->in, len);
    th_buffer copy = { 0 };
    th_view safe = { 0 };
    uint32_t flags = 0;
    assert_int_equal(th_tag_scan((th_view){ exact, len }, &limits, &copy, &safe, &flags),
                     TH_OK);
    assert_int_equal(flags, row->is_cut ? TH_FLAG_ATTRIBUTES_CUT : 0);
    if (row->out) {
        assert_int_equal(safe.len, strlen(row->out));
        assert_memory_equal(safe.data, row->out, safe.len);
    } else {
        assert_ptr_equal(safe.data, exact);
        assert_int_equal(safe.len, len);
    }
    th_buffer_done(&copy);
    free(exact);
}

static void xml_is_counted_between_brackets(void **state)
{
    (void)state;
    assert_false(th_tag_scan_xml(TH_VIEW("<a b='1' c='2'/><d e='3' f='4'>"), 2));
    assert_true(th_tag_scan_xml(TH_VIEW("<a b='1' c='2' d='3'/>"), 2));
    assert_true(th_tag_scan_xml(TH_VIEW("<a b='>' c='2' d='3'/>"), 2));
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[ROWS + 1] = { cmocka_unit_test(
        xml_is_counted_between_brackets) };
    for (size_t i = 0; i < ROWS; i++)
        tests[1 + i] = (struct CMUnitTest){ .name = rows[i].name,
                                            .test_func = row_holds,
                                            .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("tag_scan", tests, NULL, NULL);
}
