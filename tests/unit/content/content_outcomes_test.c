/* src/content: features, posts, comments, and decisions about random pages, as digests. All
 * of them are integers, the same on every machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "content/comment_area.h"
#include "content/content_decision.h"
#include "content/content_scores.h"
#include "content/cut_of_kind.h"
#include "content/expected_f1.h"
#include "content/features.h"
#include "content/ingredient_rows.h"
#include "content/ingredient_section.h"
#include "content/log_odds.h"
#include "content/post_facts.h"
#include "content/similar_siblings.h"
#include "content/thread.h"
#include "outcomes.h"
#include "thresher/parse.h"

enum { ROUNDS = 300, DECISIONS = 8, LIMITS = 6 };

/* ---- random pages ---- */

/* clang-format off */
static const char *const words[] = {
    "the", "lamp", "of", "keeper", "counted", "ships", "and", "a", "winter", "Harbour", "Ada", "storm", "12", "3.50", "2021", "1999", "3021", "May", "5 June 2021", "12:30", "$5", "\u20ac6", "a@b.example", "http://c.example/d", "www.e.example", "share", "subscribe", "Login", "cookies", "comments", "Reply", "read more", "copyright", "\u00a9", "privacy",
    "menu", "search", "|", "\u00b7", "\u00bb", "\u2022", "cup", "cups", "tbsp", "200 g", "\u00bd", "sugar", "flour", "salt", "Ingredients", "Zutaten", "Next", "Home", "tags:", "by", "posted", "ago", "\u706f\u53f0", "\u7684\u3002", "\u043c\u0430\u044f\u043a", "\u0647\u0630\u0647", "NEWS", "MIXEDcase", "x\u00e9", "#1", "...", "!", "?", ",", ".", ":", ";", "(", ")", "\"", "edit", "Edit this page on GitHub", "vote", "said", "wrote:", "Joined", "\u2153", "\u215b cup", "1\u20442", "2 x 100 ml", "1,234", "-5", "\u22127", "12,3", "\u00bc tsp", "Ingr\u00e9dients pour 4", "Ingredients:", "Ada | 83", "Ada 2\u6708\u524d", "(\u697c\u4e3b)", "1/2 cup", "a pinch of", "flour (", "3-4",
};
static const char *const classes[] = {
    "content", "entry", "post", "comment", "comments", "comment-1", "reply", "sidebar", "nav", "menu", "footer", "header", "related_posts", "related", "share", "social", "ad", "promo", "author", "byline", "date", "title", "headline", "article", "main", "thread", "forum", "topic", "message", "item", "product", "price", "reviews", "recipe", "ingredients", "tags", "breadcrumb", "pagination", "copyright", "widget", "css-1a2b", "x", "row",
    "answer", "question", "username", "time", "body", "text", "signature", "meta", "description", "gallery", "caption", "listing", "card", "hidden", "cookie", "newsletter", "toc", "single-post", "odd", "even", "first", "last",
};
static const char *const tags[] = { "div", "div", "div", "p", "p", "p", "li", "span", "td", "section", "article", "aside", "nav", "footer", "header", "main", "h1", "h2", "h3", "blockquote", "pre", "form", "figure", "button", "label", "dd", "b", "i", "address", "center", "table", "ul" };
static const char *const links[] = { "/a", "/b?page=2", "#top", "http://www.other.example/x", "/user/ada", "https://github.com/a/b/edit/main/x.md", "/tag/x", "/category/y", "mailto:a@b.example", "/2021/05/06/slug.html" };
static const char *const heads[] = {
    "<title>The lamp of the harbour</title>", "<meta property=og:type content=article>", "<meta property=og:type content=product>", "<meta name=generator content=\"WordPress 6\">", "<meta name=generator content=phpBB>", "<meta property=og:title content=\"The lamp\">",
    "<script type=\"application/ld+json\">{\"@type\":\"NewsArticle\",\"articleBody\":\"the lamp of keeper counted ships and a winter\"}</script>", "<script type=\"application/ld+json\">{\"@type\":\"Product\",\"description\":\"a lamp of the harbour\"}</script>",
    "<script type=\"application/ld+json\">{\"@type\":\"Recipe\",\"recipeIngredient\":[\"2 cups sugar\",\"200 g flour\",\"salt\"]}</script>", "<script type=\"application/ld+json\">{\"@type\":\"DiscussionForumPosting\"}</script>", "<script type=\"application/ld+json\">{\"@type\":\"ItemList\"}</script>", "<html lang=de>",
};
static const char *const urls[] = { "http://a.example/", "http://a.example/2021/05/06/the-lamp.html", "http://forum.a.example/viewtopic.php?t=5", "http://a.example/category/x?page=2", "http://a.example/product/5", "http://docs.a.example/reference/api/x", "http://a.example/tag/y/", "http://a.example/search?q=z" };
/* clang-format on */

static void append_text(struct outcomes *all, uint32_t count, th_buffer *out)
{
    for (; count; count--) {
        const uint32_t kind = below(all, 30);
        if (kind == 0)
            th_buffer_printf(out, "<a href=\"%s\">", ONE(all, links));
        else if (kind == 1)
            th_buffer_append_text(out, "<b>");
        th_buffer_append_text(out, ONE(all, words));
        th_buffer_append_text(out, kind == 0   ? "</a> "
                                   : kind == 1 ? "</b> "
                                   : kind < 4  ? ", "
                                   : kind < 6  ? ". "
                                               : " ");
    }
}

static void append_open(struct outcomes *all, const char *tag, th_buffer *out)
{
    th_buffer_printf(out, "<%s", tag);
    if (below(all, 2)) {
        th_buffer_printf(out, " class=\"%s", ONE(all, classes));
        if (below(all, 3) == 0) {
            th_buffer_append_text(out, below(all, 2) ? " " : "-");
            th_buffer_append_text(out, ONE(all, classes));
        }
        th_buffer_append_text(out, "\"");
    }
    if (below(all, 8) == 0)
        th_buffer_printf(out, " id=%s", ONE(all, classes));
    if (below(all, 30) == 0)
        th_buffer_append_text(out, " itemprop=text");
    if (below(all, 40) == 0)
        th_buffer_append_text(out, below(all, 2) ? " hidden" : " role=navigation");
    th_buffer_append_text(out, ">");
}

static void append_part(struct outcomes *all, uint32_t depth, th_buffer *out);

/* Posts with the marks of a known program. */
static void append_posts(struct outcomes *all, th_buffer *out)
{
    /* clang-format off */
    static const struct {
        const char *open, *text, *close;
    } programs[] = {
        { "<article class=message>", "<div class=message-body>", "</div><div class=signature>sig</div></article>" },
        { "<div class=\"post bg1\">", "<div class=content>", "</div><div class=signature>s</div></div>" },
        { "<li class=\"comment\" id=comment-7>", "<div class=comment-content>", "</div><div class=reply>Reply</div></li>" },
        { "<div itemprop=comment itemscope itemtype=\"http://schema.org/Comment\">", "<div itemprop=text>", "</div></div>" },
        { "<div class=answer id=answer-5><div class=js-vote-count>4</div>", "<div class=js-post-body>", "</div><div class=accepted-answer>ok</div></div>" },
        { "<table class=tborder id=post12>", "<tr><td><div id=post_message_12>", "</div></table>" },
        { "<div class=\"qa-part-view\">", "<div class=qa-view-content>", "</div></div>" },
        { "<tr class=\"athing comtr\"><td>", "<div class=commtext>", "</div></td></tr>" },
    };
    /* clang-format on */
    const uint32_t program = below(all, sizeof programs / sizeof *programs);
    th_buffer said = { 0 };
    for (uint32_t i = 1 + below(all, 6); i; i--) {
        th_buffer_append_text(out, programs[program].open);
        th_buffer_printf(
            out,
            "<a class=\"username author hnuser\" itemprop=author href=/user/%u>%s%u</a>",
            i, ONE(all, words), i);
        if (below(all, 6))
            th_buffer_printf(
                out, "<time class=\"date age\" datetime=2021-05-0%u>%u May 2021</time>",
                i, i);
        th_buffer_append_text(out, programs[program].text);
        if (below(all, 4) == 0 && said.len) {
            append_text(all, below(all, 4), out); /* before a quote of the last post */
            th_buffer_printf(out, "<blockquote>%s wrote:<p>", ONE(all, words));
            th_buffer_append_text(out,
                                  below(all, 2) ? "a line that is before it<p>" : "");
            th_buffer_append(out, said.data, said.len);
            th_buffer_append_text(out, "</blockquote>");
        } else if (below(all, 6) == 0) {
            th_buffer_printf(out, "<blockquote>%s wrote: old words</blockquote>",
                             ONE(all, words));
        }
        th_buffer_reset(&said);
        append_text(all, below(all, below(all, 2) ? 8 : 50), &said);
        th_buffer_append(out, said.data, said.len);
        th_buffer_append_text(out, programs[program].close);
    }
    th_buffer_done(&said);
}

/* Elements alike, as of posts, of a list of links, or of a table. */
static void append_group(struct outcomes *all, uint32_t depth, th_buffer *out)
{
    const char *tag = ONE(all, tags), *class = ONE(all, classes);
    const uint32_t kind = below(all, 5), count = 1 + below(all, 7);
    for (uint32_t i = 0; i < count; i++) {
        th_buffer_printf(out, "<%s class=\"%s%s\">", tag, class, i % 2 ? " odd" : "");
        if (kind == 0) { /* posts */
            th_buffer_printf(out,
                             "<span class=username><a href=/user/%u>%s%u</a></span><time "
                             "datetime=2021-05-0%u>%u May 2021</time><div class=body>",
                             i, ONE(all, words), i % 3, 1 + i, 1 + i);
            append_text(all, below(all, 40), out);
            th_buffer_append_text(out, "</div>");
        } else if (kind == 1) { /* links */
            th_buffer_printf(out, "<a href=/%u>", i);
            append_text(all, 1 + below(all, 9), out);
            th_buffer_append_text(out, "</a>");
        } else if (kind == 2) {
            append_text(all, below(all, 12), out);
        } else if (kind == 3) { /* teasers */
            th_buffer_printf(out, "<h3><a href=/%u>", i);
            append_text(all, 1 + below(all, 8), out);
            th_buffer_append_text(out, "</a></h3><p>");
            append_text(all, below(all, 25), out);
        } else if (depth < 3) {
            append_part(all, depth + 1, out);
        }
        th_buffer_printf(out, "</%s>", tag);
    }
}

static void append_part(struct outcomes *all, uint32_t depth, th_buffer *out)
{
    const char *tag = ONE(all, tags);
    const uint32_t kind = below(all, 8);
    append_open(all, tag, out);
    if (kind < 3)
        append_text(all, below(all, below(all, 3) ? 20 : 120), out);
    else if (kind < 5)
        append_group(all, depth, out);
    for (uint32_t i = depth < 4 ? below(all, 5) : 0; i; i--)
        append_part(all, depth + 1, out);
    if (below(all, 15))
        th_buffer_printf(out, "</%s>", tag);
}

/* Posts in elements of the same places, some without a name or a date. */
static void append_thread(struct outcomes *all, th_buffer *out)
{
    static const char *const places[] = { "pa",   "pb",   "pc",   "pd",  "pe",
                                          "post", "item", "user", "text" };
    const char *post = ONE(all, places), *name = ONE(all, places),
               *date = ONE(all, places);
    const char *text = ONE(all, places),
               *wrapper = below(all, 2) ? ONE(all, places) : NULL;
    const uint32_t order = below(all, 3), missing = 1 + below(all, 9);
    for (uint32_t i = 1, count = 2 + below(all, 8); i <= count; i++) {
        th_buffer_printf(out, "<div class=%s>", post);
        if (wrapper)
            th_buffer_printf(out, "<div class=%s>", wrapper);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t part = (order + k) % 3;
            if (part == 0 && below(all, missing + 1))
                th_buffer_printf(out, "<div class=%s><a href=/user/%u>%s%u</a></div>",
                                 name, i, ONE(all, words), i);
            else if (part == 1 && below(all, missing + 1))
                th_buffer_printf(out, "<div class=%s>0%u/05/2024</div>", date, i);
            else if (part == 2) {
                th_buffer_printf(out, "<div class=%s><div><p>", text);
                append_text(all, 5 + below(all, 30), out);
                th_buffer_append_text(out, "</div></div>");
            }
        }
        th_buffer_append_text(out, wrapper ? "</div></div>" : "</div>");
    }
}

static th_page *random_page(struct outcomes *all, th_parser *parser, th_arena *arena)
{
    th_buffer html = { 0 };
    th_page *page = NULL;
    pick_some(all, 12);
    const char *url = ONE(all, urls);
    for (uint32_t i = below(all, 4); i; i--)
        th_buffer_append_text(&html, ONE(all, heads));
    th_buffer_append_text(&html, "<body>");
    const bool is_thread = below(all, 3) == 0;
    if (is_thread)
        append_thread(all, &html);
    size_t last = html.len;
    for (uint32_t i = is_thread ? below(all, 2) : 1 + below(all, 8); i; i--) {
        const size_t start = html.len;
        append_part(all, 0, &html);
        if (below(all, 5) == 0) { /* and an earlier part again */
            th_buffer copy = { 0 };
            th_buffer_append(&copy, html.data + last, start - last);
            th_buffer_append(&html, copy.data, copy.len);
            th_buffer_done(&copy);
        }
        last = start;
    }
    if (below(all, 3) == 0)
        append_posts(all, &html);
    const th_document document = { .bytes = th_buffer_view(&html),
                                   .url = { url, strlen(url) },
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    th_buffer_done(&html);
    return page;
}

static th_parser *new_parser(void)
{
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_FEATURES_READ;
    th_parser *parser = th_parser_new(&opt);
    assert_non_null(parser);
    return parser;
}

/* ---- features, posts, and parts ---- */

static void note_thread(struct outcomes *all, const th_page *page,
                        const th_thread *thread)
{
    note_text(all, thread ? thread->found_by : NULL);
    for (uint32_t i = 0; thread && i < thread->count; i++) {
        const th_post *post = &thread->posts[i];
        note_view(all, post->author);
        note_view(all, post->published);
        note_view(all, post->quote_of);
        const uint32_t numbers[] = {
            post->node,  post->text_node, post->first_paragraph, post->end_paragraph,
            post->depth, post->has_votes, post->is_accepted,     post->is_comment
        };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            note_number(all, numbers[k]);
        note_number(all, post->has_votes ? (uint64_t)post->votes : 0);
    }
    for (uint32_t i = 0; thread && i < page->paragraph_count; i++) {
        note_number(all, thread->post_of[i]);
        note_number(all, thread->part_of[i]);
    }
    note_number(all, thread ? (unsigned)thread->is_forum | (unsigned)thread->is_known << 1
                            : 4);
}

/* Name, date and votes of each element. */
static void note_post_facts(struct outcomes *all, const th_page *page, th_arena *arena)
{
    th_post_reader reader;
    assert_int_equal(th_post_reader_begin(&reader, page, arena), TH_OK);
    for (uint32_t i = 0; i < page->node_count; i++) {
        int64_t votes = 0;
        note_view(all, th_post_name(&reader, i));
        note_view(all, th_post_date(&reader, i));
        note_number(all, th_post_votes(&reader, i, &votes));
        note_number(all, (uint64_t)votes);
    }
}

static void note_page(struct outcomes *all, th_page *page, th_arena *arena)
{
    const uint32_t rows = page->paragraph_count;
    th_feature_columns columns;
    th_token_buckets buckets;
    uint8_t vector[TH_PAGE_FEATURE_COUNT];
    assert_int_equal(th_features_compute(page, NULL, arena, &columns, vector), TH_OK);
    for (unsigned i = 0; i < TH_FEATURE_COUNT; i++)
        note_view(all, (th_view){ (const char *)columns.column[i], rows });
    note_view(all, (th_view){ (const char *)vector, sizeof vector });
    assert_int_equal(th_features_buckets(page, arena, &buckets), TH_OK);
    for (uint32_t i = 0; i < buckets.start[rows]; i++)
        note_number(all, buckets.bucket[i]);
    uint8_t *marks = th_arena_calloc(arena, rows + (size_t)1, 1);
    assert_non_null(marks);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(th_comment_areas_find(page, i, arena, marks), TH_OK);
        note_view(all, (th_view){ (const char *)marks, rows });
    }
    memset(marks, 0, rows);
    note_number(all, th_ingredient_section_find(page, marks));
    note_view(all, (th_view){ (const char *)marks, rows });
    memset(marks, 0, rows);
    assert_int_equal(th_ingredient_rows_find(page, arena, marks), TH_OK);
    note_view(all, (th_view){ (const char *)marks, rows });
    note_post_facts(all, page, arena);
    note_number(all, th_speaks_of_thread(page));
    note_number(all, th_thread_may_be(page));
    for (unsigned search = TH_THREAD_KNOWN; search <= TH_THREAD_FORUM; search++) {
        th_thread *thread = NULL;
        assert_int_equal(th_thread_find(page, (th_thread_search)search, arena, &thread),
                         TH_OK);
        note_thread(all, page, thread);
    }
}

static void features_and_posts_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    th_arena *arena = th_arena_new(0);
    th_parser *parser = new_parser();
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_arena_reset(arena);
        note_page(&all, random_page(&all, parser, arena), arena);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x664379F593D19472));
}

/* ---- without memory ---- */

enum { COMMENTS = TH_THREAD_FORUM + 1, INGREDIENTS, FEATURES, PARTS };

/* Finds one part of a page: posts by one search, comments, ingredients, or features. */
static th_status find_part(th_page *page, th_arena *arena, unsigned part,
                           struct outcomes *found)
{
    th_arena *const own = page->arena;
    const uint32_t rows = page->paragraph_count;
    th_feature_columns columns;
    th_thread *thread = NULL;
    uint8_t vector[TH_PAGE_FEATURE_COUNT] = { 0 };
    uint8_t *marks = calloc(rows + (size_t)1, 1);
    assert_non_null(marks);
    page->arena = arena;
    const th_status status =
        part == COMMENTS      ? th_comment_areas_find(page, true, arena, marks)
        : part == INGREDIENTS ? th_ingredient_rows_find(page, arena, marks)
        : part == FEATURES    ? th_features_compute(page, NULL, arena, &columns, vector)
                           : th_thread_find(page, (th_thread_search)part, arena, &thread);
    if (status == TH_OK) {
        note_thread(found, page, thread);
        note_view(found, (th_view){ (const char *)marks, rows });
        note_view(found, (th_view){ (const char *)vector, sizeof vector });
    }
    page->arena = own;
    free(marks);
    return status;
}

/* With less memory, the same parts are found, or the status says that memory ended. */
static void no_part_is_lost_without_memory(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 4 };
    th_arena *arena = th_arena_new(0), *enough = th_arena_new(0);
    th_parser *parser = new_parser();
    unsigned failures = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_page *page = random_page(&all, parser, arena);
        for (unsigned i = 0; i < LIMITS * PARTS; i++) {
            const unsigned part = i % PARTS;
            struct outcomes want = { .chance = 0 }, found = { .chance = 0 };
            assert_int_equal(find_part(page, enough, part, &want), TH_OK);
            th_arena *little = th_arena_new(1 + below(&all, 1u << (7 + 2 * (i / PARTS))));
            assert_non_null(little);
            const th_status status = find_part(page, little, part, &found);
            if (status == TH_OK)
                assert_true(found.digest == want.digest);
            else
                assert_true(status == TH_NOMEM || status == TH_TOO_LARGE);
            assert_int_equal(status != TH_OK, th_arena_is_full(little));
            failures += status != TH_OK;
            th_arena_free(little);
        }
        th_arena_reset(arena);
        th_arena_reset(enough);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    th_arena_free(enough);
    assert_in_range(failures, ROUNDS, (LIMITS * PARTS - 1) * ROUNDS);
}

/* ---- decisions ---- */

static uint16_t random_score(struct outcomes *all)
{
    const uint32_t kind = below(all, 4);
    return (uint16_t)(kind == 0   ? below(all, 9000)
                      : kind == 1 ? 56535 + below(all, 9000)
                                  : below(all, 65536));
}

static th_content_rules random_rules(struct outcomes *all,
                                     const th_feature_columns *columns)
{
    th_content_rules rules = th_content_rules_standard();
    for (unsigned step = 0; step < TH_CONTENT_STEP_COUNT; step++)
        if (below(all, 5) == 0)
            rules.left_out |= 1u << step;
    rules.forum = random_score(all);
    rules.article = random_score(all);
    rules.listing = random_score(all);
    rules.product = random_score(all);
    rules.keeps_comments = (uint8_t)below(all, 2);
    if (below(all, 4)) {
        rules.group_links = columns->column[TH_FEATURE_GROUP_LINKS];
        rules.group_size = columns->column[TH_FEATURE_GROUP_SIZE];
        rules.group_titles = columns->column[TH_FEATURE_GROUP_TITLES];
    }
    if (below(all, 4)) {
        rules.level_footer = columns->column[TH_FEATURE_LEVEL_FOOTER];
        rules.level_main = columns->column[TH_FEATURE_LEVEL_MAIN];
        rules.level_article = columns->column[TH_FEATURE_LEVEL_ARTICLE];
    }
    if (below(all, 4) == 0) {
        uint16_t types[TH_PAGE_TYPE_COUNT];
        for (unsigned i = 0; i < TH_PAGE_TYPE_COUNT; i++)
            types[i] = (uint16_t)below(all, 65535 / TH_PAGE_TYPE_COUNT);
        th_cut_for_kind(types, below(all, 2), &rules);
        note_number(all, rules.lowest_cut);
        note_number(all, rules.taste.missed);
    }
    return rules;
}

static void decisions_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 2 };
    th_arena *arena = th_arena_new(0);
    th_parser *parser = new_parser();
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_arena_reset(arena);
        th_page *page = random_page(&all, parser, arena);
        const uint32_t rows = page->paragraph_count;
        th_feature_columns columns;
        uint8_t vector[TH_PAGE_FEATURE_COUNT];
        assert_int_equal(th_features_compute(page, NULL, arena, &columns, vector), TH_OK);
        uint16_t *score = th_arena_calloc(arena, rows + (size_t)1, sizeof *score);
        uint8_t *verdicts = th_arena_calloc(arena, rows + (size_t)1, 1);
        uint8_t *comments = th_arena_calloc(arena, rows + (size_t)1, 1);
        assert_true(score && verdicts && comments);
        if (below(&all, 2))
            assert_int_equal(th_thread_known(page), TH_OK);
        for (unsigned i = 0; i < DECISIONS; i++) {
            uint16_t last = random_score(&all);
            for (uint32_t k = 0; k < rows; k++)
                score[k] = last = below(&all, 3) ? last : random_score(&all);
            if (below(&all, 3) == 0)
                assert_int_equal(th_similar_siblings_smooth(page, arena, score), TH_OK);
            for (uint32_t k = 0; k < rows; k++)
                note_number(&all, score[k]);
            const th_content_rules rules = random_rules(&all, &columns);
            th_content_choice choice = { .cut = 0 };
            assert_int_equal(th_content_decide(page, score, &rules, arena, verdicts,
                                               comments, &choice),
                             TH_OK);
            note_view(&all, (th_view){ (const char *)verdicts, rows });
            note_view(&all, (th_view){ (const char *)comments, rows });
            note_number(&all, choice.quality);
            note_number(&all, choice.cut);
            note_number(&all, choice.is_rescued);
        }
    }
    th_parser_free(parser);
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x0C46AA6600F095C0));
}

/* The model that ships: scores, types, and contributions of the groups. */
static void scores_of_the_model_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    th_arena *arena = th_arena_new(0), *of_means = th_arena_new(0);
    th_parser *parser = new_parser();
    const th_content_model *model = th_content_model_shipped();
    th_ensemble_means means;
    assert_int_equal(th_ensemble_means_make(&model->paragraph, of_means, &means), TH_OK);
    for (unsigned round = 0; round < 40; round++) {
        th_arena_reset(arena);
        th_page *page = random_page(&all, parser, arena);
        th_content_scores scores;
        assert_int_equal(th_content_score(model, page, arena, &scores), TH_OK);
        for (unsigned i = 0; i < TH_PAGE_TYPE_COUNT; i++)
            note_number(&all, scores.type_probability[i]);
        for (uint32_t i = 0; i < scores.columns.rows; i++) {
            int32_t groups[TH_FEATURE_GROUP_COUNT] = { 0 };
            note_number(&all, (uint32_t)scores.score[i]);
            note_number(&all, scores.probability[i]);
            if (i % 4)
                continue;
            th_content_explain(&means, &scores, i, groups);
            for (unsigned k = 0; k < TH_FEATURE_GROUP_COUNT; k++)
                note_number(&all, (uint32_t)groups[k]);
        }
    }
    th_parser_free(parser);
    th_arena_free(arena);
    th_arena_free(of_means);
    expect_digest(&all, UINT64_C(0x1C7200D341856BFA));
}

static void numbers_are_known(void **state)
{
    enum { MOST = 30 };
    (void)state;
    struct outcomes all = { .chance = 4 };
    for (unsigned round = 0; round < 1500; round++) {
        uint16_t score[MOST], probability[MOST];
        uint32_t tokens[MOST];
        int64_t odds[MOST];
        const uint32_t count = 1 + below(&all, MOST);
        for (uint32_t i = 0; i < count; i++) {
            score[i] = random_score(&all);
            tokens[i] = below(&all, below(&all, 2) ? 20 : 2000);
            odds[i] = (int64_t)below(&all, 1 << 21) - (1 << 20);
            note_number(&all, th_logistic(odds[i]));
            note_number(&all, th_exp_minus(below(&all, 1 << 22)));
        }
        const th_cut_taste taste = { .missed = 1 + below(&all, 80) };
        const th_best_cut best = th_best_cut_find(score, tokens, count, taste);
        note_number(&all, best.cut);
        note_number(&all, best.quality);
        th_softmax(odds, count, probability);
        for (uint32_t i = 0; i < count; i++)
            note_number(&all, probability[i]);
    }
    expect_digest(&all, UINT64_C(0x0761FAED649667D6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_and_posts_are_known),
        cmocka_unit_test(no_part_is_lost_without_memory),
        cmocka_unit_test(decisions_are_known),
        cmocka_unit_test(scores_of_the_model_are_known),
        cmocka_unit_test(numbers_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
