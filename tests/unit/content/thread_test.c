/* The search for posts by known marks is done once for a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "content/thread.h"
#include "make_page.h"
#include "thresher/parse.h"

/* A page without elements, so that a search finds nothing. */
struct sample {
    th_page page;
    uint32_t class_set_of[1];
};

static th_page *empty_page(struct sample *sample)
{
    *sample = (struct sample){ 0 };
    sample->page.class_set_of = sample->class_set_of;
    sample->page.arena = th_arena_new(1 << 20);
    assert_non_null(sample->page.arena);
    return &sample->page;
}

/* A search that was done before is not repeated: its result is the thread of the page. */
static void takes_the_known_thread(void **state)
{
    (void)state;
    struct sample sample;
    th_page *page = empty_page(&sample);
    th_post post = { .author = TH_VIEW("Ada"), .published = TH_VIEW("2020-01-01") };
    th_thread known = {
        .found_by = "xenforo", .posts = &post, .count = 1, .is_known = 1
    };
    page->known_thread = &known;
    page->known_state = TH_KNOWN_THREAD_SEARCHED;
    assert_int_equal(th_thread_known(page), TH_OK);
    assert_ptr_equal(page->known_thread, &known);
    assert_int_equal(th_thread_page(page), TH_OK);
    assert_ptr_equal(page->thread, &known);
    th_arena_free(page->arena);
}

/* A page without signs of a thread is marked, and not searched. */
static void remembers_that_there_is_no_sign(void **state)
{
    (void)state;
    struct sample sample;
    th_page *page = empty_page(&sample);
    assert_int_equal(page->known_state, TH_KNOWN_THREAD_UNASKED);
    assert_int_equal(th_thread_known(page), TH_OK);
    assert_int_equal(page->known_state, TH_KNOWN_THREAD_NO_SIGN);
    assert_int_equal(th_thread_page(page), TH_OK);
    assert_null(page->thread);
    th_arena_free(page->arena);
}

/* ---- groups of elements ---- */

enum { POSTS = 5 };

/* The places of posts: before a post, around a name, a date and a text, and after it. %s is
 * the name, the date, and the text. */
static const char *const places[] = {
    "<div class=qa><b class=qb>%s</b><i class=qc>%s</i><p class=qd>%s</p></div>",
    "<div class=qa><div class=qb>%s</div><div class=qx>Member</div>"
    "<div class=qc>%s</div><div class=qd><p>%s</div></div>",
    "<table class=qa><tr><td class=qb>%s<td class=qc>%s<tr><td colspan=2 class=qd>%s"
    "<tr><td class=qx>Reply<td>Report</table>",
    "<li class=qa><a class=qb href=/x>%s</a> <span class=qx>Level one</span> "
    "<span class=qc>%s</span><div class=qd>%s</div></li>",
};

/* Texts in the place of a date: %u is a number from 1 to 5. */
static const struct date {
    const char *text;
    bool is_date;
} dates[] = {
    { "0%u/05/2024", true },   { "%u.5.2024", true },
    { "2024-05-0%u", true },   { "24/%u/12 at noon", true },
    { "on 0%u-11-23", true },  { "%ud", true },
    { "%u mo", true },         { "1%umin", true },
    { "%u hours ago", true },  { "vor %u Tagen", true },
    { "hace %u horas", true }, { "il y a %u ans", true },
    { "%u May 2024", true },   { "%u/2024", false },
    { "12345/1%u/11", false }, { "1%u/11/12345", false },
    { "1%u/11.2024", false },  { "1%u-11/2024", false },
    { "1%u:11:2024", false },  { "%u", false },
    { "%u points", false },    { "1234%ud", false },
    { "number %u", false },    { "1%u,11,2024", false },
    { "%u/11/", false },       { "1%u.11.20245", false },
};

/* The thread of a page, NULL if it has none. Frees its HTML. */
static th_thread *find_thread(th_parser *parser, th_buffer *html, th_arena *arena)
{
    th_page *page = NULL;
    th_thread *thread = NULL;
    const th_document document = { .bytes = th_buffer_view(html),
                                   .url = TH_VIEW("http://a.example/x"),
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_int_equal(th_thread_find(page, TH_THREAD_FORUM, arena, &thread), TH_OK);
    th_buffer_done(html);
    return thread;
}

static void find_posts(th_parser *parser, const char *place, const char *date,
                       uint64_t *seed, th_arena *arena, th_thread **thread,
                       char names[POSTS][16])
{
    static const char *const words[] = { "rope", "knot", "tea",  "harbour", "storm",
                                         "pier", "gull", "mast", "lantern", "wave" };
    th_buffer html = { 0 };
    th_buffer_printf(&html, "<h1>Ropes</h1><div class=qq>");
    for (uint32_t i = 0; i < POSTS; i++) {
        char when[64], text[256] = "The";
        (void)snprintf(when, sizeof when, date, i + 1);
        (void)snprintf(names[i], sizeof names[i], "%c%s%c",
                       (char)('A' + next_random(seed) % 26),
                       words[next_random(seed) % 10], (char)('a' + i));
        for (unsigned k = 12 + (unsigned)(next_random(seed) % 10); k--;) {
            const size_t len = strlen(text);
            (void)snprintf(text + len, sizeof text - len, " %s",
                           words[next_random(seed) % 10]);
        }
        th_buffer_printf(&html, place, names[i], when, text);
    }
    th_buffer_printf(&html, "</div>");
    *thread = find_thread(parser, &html, arena);
}

/* Posts are found by their dates, in any form, and their authors by the place. Texts that
 * are not dates make no posts. */
static void dates_make_posts_and_places_make_names(void **state)
{
    (void)state;
    uint64_t seed = 5;
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_CLASSES;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    assert_true(parser && arena);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t k = 0; k < sizeof dates / sizeof *dates; k++) {
            char names[POSTS][16];
            th_thread *thread = NULL;
            find_posts(parser, places[i], dates[k].text, &seed, arena, &thread, names);
            if ((thread != NULL) != dates[k].is_date)
                fail_msg("place %zu: '%s'", i, dates[k].text);
            if (thread)
                assert_int_equal(thread->count, POSTS);
            for (uint32_t n = 0; thread && n < POSTS; n++) {
                const th_view author = thread->posts[n].author;
                if (author.len != strlen(names[n]) ||
                    memcmp(author.data, names[n], author.len) != 0)
                    fail_msg("place %zu: '%s': author '%.*s' and not '%s'", i,
                             dates[k].text, (int)author.len, author.data, names[n]);
            }
            th_arena_reset(arena);
        }
    }
    th_arena_free(arena);
    th_parser_free(parser);
}

/* Comments around answers of another form are posts too, also if the answers have more text.
 * Elements with one post each are frames of the posts, though they have names and dates. */
static void finds_comments_around_answers(void **state)
{
    (void)state;
    static const char comment[] =
        "<div class=co><a class=username>Ann %u</a> <i class=time>2024-05-0%u</i>"
        "<p>The tide of day %u came late and left early.</p>";
    static const char answer[] =
        "<div class=an><b class=username>Ben %u</b> <i class=time>2024-06-1%u</i>"
        "<p>No boat of the harbour left its pier before the storm was over, and the "
        "gulls "
        "stayed on the masts of ship %u until noon.</p></div>";
    static const struct row {
        unsigned answers[4]; /* of each comment */
        uint32_t posts;
    } rows[] = {
        { { 1, 1, 3, 0 }, 9 },
        { { 3, 3, 3, 3 }, 16 },
        { { 1, 1, 1, 1 }, 4 }, /* frames */
        { { 2, 2, 1, 1 }, 10 },
    };
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_CLASSES;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    assert_true(parser && arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_buffer html = { 0 };
        uint32_t number = 0;
        th_buffer_printf(&html, "<h1>Tides</h1><div class=qq>");
        for (unsigned k = 0; k < 4; k++) {
            th_buffer_printf(&html, comment, k, k + 1, k);
            for (unsigned n = 0; n < rows[i].answers[k]; n++, number++)
                th_buffer_printf(&html, answer, number % 3, number % 10, number);
            th_buffer_printf(&html, "</div>");
        }
        th_buffer_printf(&html, "</div>");
        const th_thread *thread = find_thread(parser, &html, arena);
        assert_non_null(thread);
        if (thread->count != rows[i].posts)
            fail_msg("row %zu: %u posts, expected %u", i, thread->count, rows[i].posts);
        for (uint32_t n = 0; n < thread->count; n++)
            assert_true(thread->posts[n].author.len && thread->posts[n].published.len);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    th_parser_free(parser);
}

/* The number of votes is the first number of a short text, with its sign. */
static void reads_votes(void **state)
{
    (void)state;
    static const struct row {
        const char *text;
        bool is_known;
        int64_t votes;
    } rows[] = {
        { "12", true, 12 },
        { "-3", true, -3 },
        { "\xE2\x88\x92"
          "7",
          true, -7 },
        { "1,234 votes", true, 1234 },
        { "3,4", true, 3 },
        { "Score: 5 of 9", true, 5 },
        { "1234567890", true, 123456789 },
        { "votes", false, 0 },
        { "this text is far too long to be a number 1", false, 0 },
    };
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_CLASSES;
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    assert_true(parser && arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_buffer html = { 0 };
        th_buffer_printf(&html, "<div id=answers>");
        for (unsigned k = 0; k < POSTS; k++)
            th_buffer_printf(&html,
                             "<div itemscope itemtype='https://schema.org/Answer'>"
                             "<b itemprop=upvoteCount>%s</b><i itemprop=author>Ann %u</i>"
                             "<p itemprop=text>Some words of answer number %u.</div>",
                             rows[i].text, k, k);
        const th_thread *thread = find_thread(parser, &html, arena);
        assert_non_null(thread);
        assert_int_equal(thread->posts[0].has_votes, rows[i].is_known);
        if (rows[i].is_known)
            assert_int_equal(thread->posts[0].votes, rows[i].votes);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    th_parser_free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_known_thread),
        cmocka_unit_test(remembers_that_there_is_no_sign),
        cmocka_unit_test(dates_make_posts_and_places_make_names),
        cmocka_unit_test(finds_comments_around_answers),
        cmocka_unit_test(reads_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
