/* Rules of robots.txt: reduced files, groups of agents, and rules that decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"
#include "robots/robots_txt.h"

/* clang-format off */
static const struct reduced_row { const char *name, *in, *want; } reduced_rows[] = {
    { "empty", "", "" },
    { "comments and junk", "# a\nhello\n\nSitemap: http://a/\nCrawl-delay: 5\n", "" },
    { "line ends", "User-Agent: A\rAllow: /a\r\nDisallow: /b\n\nDisallow:/c",
      "user-agent: a\nallow: /a\ndisallow: /b\ndisallow: /c\n" },
    { "byte order mark, spaces, comments", "\xEF\xBB\xBF user-agent :  Bot/2.1 # x\n\tdisallow : /a b # y",
      "user-agent: bot\ndisallow: /a%20b\n" },
    { "agents", "User-agent: * \nUser-agent: *bot\nUser-agent: AI2Bot (x)\nUser-agent:", "user-agent: *\nuser-agent: \nuser-agent: ai2bot\nuser-agent: \n" },
    { "empty rules remain, because they end a list of agents", "Disallow:\n", "disallow: \n" },
    { "canonical paths", "Allow: /%7ea%3cb/%C3%a9?x=%3D%2f&?\xC3\xA9*$\n", "allow: /~a%3Cb/%C3%A9?x==%2F%26%3F%C3%A9*$\n" },
    { "escaped special characters", "Allow: /%2A%24$\nAllow: /$a", "allow: /%2A%24$\nallow: /%24a\n" },
    { "stray percent signs", "Allow: /%\nAllow: /%4\nAllow: /%zz", "allow: /%\nallow: /%4\nallow: /%zz\n" },
    { "statements about use", "Content-Usage: /a train-ai=n\nContent-Signal: ai-train=no\nLicense: http://a/l\x01\n",
      "content-usage: /a train-ai=n\ncontent-signal: ai-train=no\nlicense: http://a/l%01\n" },
};

#define GROUPS \
    "disallow: /before\n" \
    "user-agent: a\nsitemap: x\nuser-agent: b\ndisallow: /ab\n" \
    "user-agent: *\ndisallow: /all\nlicense: http://l/\nallow: /all/x\n" \
    "user-agent: A\nallow: /more\n" \
    "user-agent: c\n" \
    "user-agent: d\ndisallow:\n"
static const struct selected_row { const char *agent; bool is_named; const char *want; } selected_rows[] = {
    { "a", true, "disallow: /ab\nallow: /more\nlicense: http://l/\n" },
    { "B", true, "disallow: /ab\nlicense: http://l/\n" },
    { "c", true, "disallow: \nlicense: http://l/\n" },
    { "d", true, "disallow: \nlicense: http://l/\n" },
    { "other", false, "disallow: /all\nallow: /all/x\nlicense: http://l/\n" },
    { "", false, "disallow: /all\nallow: /all/x\nlicense: http://l/\n" },
    { "ab", false, "disallow: /all\nallow: /all/x\nlicense: http://l/\n" },
};

/* Rules of one group, a path, and the line that decides; NULL: none. */
static const struct matched_row { const char *rules, *path, *want; } matched_rows[] = {
    { "", "/a", NULL },
    { "disallow: \n", "/a", NULL },
    { "disallow: /\n", "/a", "disallow: /" },
    { "disallow: /\n", "/robots.txt", NULL },
    { "disallow: /\nallow: /a\n", "/ab", "allow: /a" },
    { "allow: /a\ndisallow: /\n", "/b", "disallow: /" },
    { "disallow: /a\nallow: /a\n", "/a", "allow: /a" },
    { "allow: /a\ndisallow: /a\n", "/a", "allow: /a" },
    { "disallow: /x/page.html\nallow: /x/\n", "/x/page.html", "disallow: /x/page.html" },
    { "disallow: /A\n", "/a", NULL },
    { "allow: /example/page/\ndisallow: /example/page/disallowed.gif\n", "/example/page/disallowed.gif", "disallow: /example/page/disallowed.gif" },
    { "disallow: /*.gif$\n", "/a/b.gif", "disallow: /*.gif$" },
    { "disallow: /*.gif$\n", "/a/b.gif.gif", "disallow: /*.gif$" },
    { "disallow: /*.gif$\n", "/a/b.gif?x", NULL },
    { "disallow: /*.gif\n", "/a/b.gif?x", "disallow: /*.gif" },
    { "disallow: /a*b*c\n", "/axbxbxc", "disallow: /a*b*c" },
    { "disallow: /a*b*c\n", "/axcxb", NULL },
    { "disallow: /a$\n", "/a", "disallow: /a$" },
    { "disallow: /a$\n", "/ab", NULL },
    { "disallow: /a*$\n", "/ab", "disallow: /a*$" },
    { "disallow: /**a\n", "/xa", "disallow: /**a" },
    { "disallow: /ab*b$\n", "/ab", NULL },
    { "disallow: a\n", "/a", NULL },
    { "disallow: *a\n", "/xa", "disallow: *a" },
};

static const struct canonical_row { const char *url, *path, *origin; } canonical_rows[] = {
    { "http://A.example", "/", "http://a.example" },
    { "HTTPS://user:pw@A.example:443/a?b#c", "/a?b", "https://a.example" },
    { "http://a.example:8080/%61%2F", "/a%2F", "http://a.example:8080" },
    { "http://a.example:80?q", "/?q", "http://a.example" },
    { "http://[::1]:1/", "/", "http://[::1]:1" },
    { "http://a.example/a:b@c!(d)", "/a%3Ab%40c%21%28d%29", "http://a.example" },
    { "http:///x", "/x", "" },
    { "http://a b/", "/", "" },
    { "ftp://a.example/x", "/ftp%3A//a.example/x", "" },
};
/* clang-format on */

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void assert_text(th_view got, const char *want)
{
    if (!th_view_is(got, want))
        fail_msg("'%.*s' is not '%s'", (int)got.len, got.data, want);
}

static void reduces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reduced_rows / sizeof *reduced_rows; i++) {
        const struct reduced_row *row = &reduced_rows[i];
        th_buffer once = { 0 }, twice = { 0 };
        assert_true(th_robots_txt_reduce(view_of(row->in), &once));
        assert_text(th_buffer_view(&once), row->want);
        assert_true(th_robots_txt_reduce(th_buffer_view(&once), &twice));
        assert_text(th_buffer_view(&twice), row->want); /* it is canonical */
        th_buffer_done(&once);
        th_buffer_done(&twice);
    }
}

static void selects(void **state)
{
    (void)state;
    th_buffer reduced = { 0 }, rules = { 0 };
    assert_true(th_robots_txt_reduce(view_of(GROUPS), &reduced));
    for (size_t i = 0; i < sizeof selected_rows / sizeof *selected_rows; i++) {
        const struct selected_row *row = &selected_rows[i];
        th_buffer_reset(&rules);
        assert_int_equal(
            th_robots_txt_select(th_buffer_view(&reduced), view_of(row->agent), &rules),
            row->is_named);
        assert_text(th_buffer_view(&rules), row->want);
    }
    th_buffer_done(&reduced);
    th_buffer_done(&rules);
}

static void matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof matched_rows / sizeof *matched_rows; i++) {
        const struct matched_row *row = &matched_rows[i];
        th_robots_match match;
        th_robots_txt_match(view_of(row->rules), view_of(row->path), &match);
        if (row->want)
            assert_text(match.rule, row->want);
        else
            assert_null(match.rule.data);
        assert_int_equal(match.is_disallowed, row->want && row->want[0] == 'd');
    }
}

static void use_is_of_the_longest_path(void **state)
{
    (void)state;
    th_robots_match match;
    const th_view rules =
        TH_VIEW("content-usage: train-ai=n\ncontent-usage: /a train-ai=y\n"
                "content-usage: search=y\ncontent-signal: ai-train=no\n");
    th_robots_txt_match(rules, TH_VIEW("/b"), &match);
    assert_text(match.usage, "train-ai=n");
    assert_text(match.signal, "ai-train=no");
    th_robots_txt_match(rules, TH_VIEW("/a/b"), &match);
    assert_text(match.usage, "train-ai=y");
    assert_null(match.rule.data);
}

static void makes_canonical(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof canonical_rows / sizeof *canonical_rows; i++) {
        const struct canonical_row *row = &canonical_rows[i];
        char origin[TH_ROBOTS_ORIGIN_MAX];
        th_buffer path = { 0 };
        th_robots_path(view_of(row->url), &path);
        assert_text(th_buffer_view(&path), row->path);
        const size_t len = th_robots_origin(view_of(row->url), origin);
        assert_int_equal(len, strlen(row->origin));
        if (len)
            assert_string_equal(origin, row->origin);
        th_buffer_done(&path);
    }
}

/* Lines, rules and bytes over a limit are dropped, and the result says so. */
static void limits_hold(void **state)
{
    (void)state;
    th_buffer in = { 0 }, out = { 0 };
    th_buffer_append_text(&in, "user-agent: *\ndisallow: /");
    for (size_t i = 0; i < TH_ROBOTS_RULE_MAX; i++)
        th_buffer_append_char(&in, 'a');
    th_buffer_append_text(&in, "\ndisallow: /b\n");
    assert_false(th_robots_txt_reduce(th_buffer_view(&in), &out));
    assert_text(th_buffer_view(&out), "user-agent: *\ndisallow: /b\n");
    th_buffer_reset(&in);
    th_buffer_reset(&out);
    for (size_t i = 0; i <= TH_ROBOTS_RULES_MAX; i++)
        th_buffer_append_text(&in, "allow: /\n");
    assert_false(th_robots_txt_reduce(th_buffer_view(&in), &out));
    assert_int_equal(out.len, TH_ROBOTS_RULES_MAX * strlen("allow: /\n"));
    th_buffer_reset(&in);
    th_buffer_reset(&out);
    while (in.len < TH_ROBOTS_TXT_MAX)
        th_buffer_append_char(&in, '\n');
    th_buffer_append_text(&in, "allow: /\n");
    assert_false(th_robots_txt_reduce(th_buffer_view(&in), &out));
    assert_int_equal(out.len, 0);
    th_buffer_done(&in);
    th_buffer_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduces),         cmocka_unit_test(selects),
        cmocka_unit_test(matches),         cmocka_unit_test(use_is_of_the_longest_path),
        cmocka_unit_test(makes_canonical), cmocka_unit_test(limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
