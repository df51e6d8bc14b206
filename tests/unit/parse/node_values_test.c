/* src/parse/node_values.c: the attributes that give the author, date or votes of a text. */
#include "parse/node_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/arena.h"
#include "thresher/parse.h"

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define LONGEST FIFTY FIFTY FIFTY FIFTY /* of a value */

/* clang-format off */
static const struct row {
    const char *name, *html, *values; /* "kind value;" each */
} rows[] = {
    { "none", "<p>a", "" },
    { "a title with a year", "<b title='Apr 2, 2014 at 7:15 PM'>a</b>", "time Apr 2, 2014 at 7:15 PM;" },
    { "of the last century", "<b title=1999>a</b>", "time 1999;" },
    { "of another one", "<b title='3014 and 0999'>a</b>", "" },
    { "a title with more digits", "<b title='12014, 20145'>a</b>", "" },
    { "a title without a year", "<b title='Apr 214'>a</b>", "" },
    { "of a picture", "<img title=2014><p>a", "" },
    { "a longer attribute", "<b titles=2014>a</b>", "" },
    { "an indent", "<td indent=2>a", "" },
    { "an indent in a table", "<table><tr><td indent=2>a</table>", "indent 2;" },
    { "a content with an itemprop", "<b itemprop=x content=c>a</b>", "content c;" },
    { "a content alone", "<b content=c>a</b>", "" },
    { "datetime", "<time datetime=2014-04-02>a</time>", "time 2014-04-02;" },
    { "type of a post", "<div itemtype=https://schema.org/UserComments>a</div>", "type UserComments;" },
    { "type of a thread", "<div itemtype=http://schema.org/DiscussionForumPosting>a</div>", "type DiscussionForumPosting;" },
    { "type of an answer", "<div itemtype=http://schema.org/Answer>a<div itemtype=http://schema.org/Question>b</div></div>", "type Answer;type Question;" },
    { "another type", "<div itemtype=http://schema.org/Person>a</div>", "" },
    { "seconds", "<b data-time=1400000000>a</b>", "time 1400000000;" },
    { "a timestamp", "<b data-timestamp=1400000000>a</b>", "time 1400000000;" },
    { "a quote", "<blockquote data-quote=Ada>a</blockquote>", "quoted Ada;" },
    { "a quote of Discourse", "<aside data-username=Ada>a</aside>", "quoted Ada;" },
    { "a quote of Invision", "<blockquote data-ipsquote-username=Ada>a</blockquote>", "quoted Ada;" },
    { "no quote", "<div data-quote=Ada>a</div>", "" },
    { "a score", "<div data-score=-3>a</div>", "votes -3;" },
    { "a value with an itemprop", "<div itemprop=upvoteCount data-value=5>a</div>", "votes 5;" },
    { "a value alone", "<div data-value=5>a</div>", "" },
    { "an itemprop with another attribute", "<div itemprop=x data-other=5>a</div>", "" },
    { "an author", "<div data-author=Ada>a</div>", "name Ada;" },
    { "a number is not an author", "<div data-author=123>a</div>", "" },
    { "a user", "<div data-username=123>a</div>", "name 123;" },
    { "spaces at both ends", "<div data-author=' Ada\n'>a</div>", "name Ada;" },
    { "only spaces", "<div data-author=' '>a</div>", "" },
    { "the longest value", "<div data-author='A" LONGEST "'>a</div><div data-username='" LONGEST "'>a</div>", "name " LONGEST ";" },
    { "in order", "<div data-score=1 data-author=A>a<b title=2014>b</b></div><p data-author=B>c", "votes 1;name A;time 2014;name B;" },
};
/* clang-format on */

static const char *const kinds[] = {
    [TH_VALUE_TIME] = "time",     [TH_VALUE_NAME] = "name",
    [TH_VALUE_QUOTED] = "quoted", [TH_VALUE_VOTES] = "votes",
    [TH_VALUE_TYPE] = "type",     [TH_VALUE_CONTENT] = "content",
    [TH_VALUE_INDENT] = "indent",
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    char seen[1024] = "";
    size_t len = 0;
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_CLASSES;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    th_page *page = NULL;
    const th_document document = { .bytes = { row->html, strlen(row->html) },
                                   .url = TH_VIEW("http://example.org/"),
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    uint32_t node = 0;
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        const th_node_value *value = &page->node_values[i];
        assert_true(value->node >= node && value->node < page->node_count);
        node = value->node;
        len += (size_t)snprintf(seen + len, sizeof seen - len, "%s %.*s;",
                                kinds[value->kind], (int)value->value.len,
                                value->value.data);
    }
    assert_string_equal(seen, row->values);
    th_arena_free(arena);
    th_parser_free(parser);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("node_values", tests, NULL, NULL);
}
