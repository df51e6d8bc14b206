#include "hostile_pages.h"

static void repeat(th_buffer *html, const char *text, int count)
{
    for (int i = 0; i < count; i++)
        th_buffer_append_text(html, text);
}

static void paragraphs(th_buffer *html)
{
    repeat(html, "<p>a few words.", 250000);
}

static void cells(th_buffer *html)
{
    for (int row = 0; row < 500; row++) {
        th_buffer_append_text(html, row ? "<tr>" : "<table><tr>");
        repeat(html, "<td>w", 500);
    }
}

/* Text on each of 500 levels, again and again. */
static void combs(th_buffer *html)
{
    for (int comb = 0; comb < 480; comb++) {
        repeat(html, "<div>word", 500);
        repeat(html, "</div>", 500);
    }
}

/* One comb as deep, with thousands of paragraphs in its depth. */
static void deep_paragraphs(th_buffer *html)
{
    repeat(html, "<div>word", 500);
    repeat(html, "<p>a few words.", 240000);
}

static void binary_tree(th_buffer *html)
{
    for (int leaf = 0; leaf < 65536; leaf++) {
        for (int bit = 1; bit < 65536 && leaf % (2 * bit) == 0; bit *= 2)
            th_buffer_append_text(html, "<div>");
        th_buffer_append_text(html, "<p>word</p>");
        for (int bit = 1; bit < 65536 && (leaf + 1) % (2 * bit) == 0; bit *= 2)
            th_buffer_append_text(html, "</div>");
    }
}

/* Children of one element that are all built in another way. */
static void kinds(th_buffer *html)
{
    static const char *const names[] = { "ul", "ol", "dl", "pre", "nav", "main", "form" };
    for (unsigned i = 0; i < 30000; i++) {
        th_buffer_append_text(html, "<div>");
        for (unsigned n = i; n; n /= 7)
            th_buffer_printf(html, "<%s>w</%s>", names[n % 7], names[n % 7]);
        th_buffer_append_text(html, "</div>");
    }
}

static void lists_in_lists(th_buffer *html)
{
    for (int i = 0; i < 120; i++) {
        repeat(html, "<ul><li>w<li>w", 240);
        repeat(html, "</ul>", 240);
    }
}

static void elements(th_buffer *html)
{
    repeat(html, "<b>w</b><i>v</i>", 125000);
}

const hostile_page hostile_pages[] = {
    { "480 combs, 500 deep", combs },
    { "30,000 kinds", kinds },
    { "250,000 paragraphs", paragraphs },
    { "500 x 500 cells", cells },
    { "paragraphs 500 deep", deep_paragraphs },
    { "binary tree", binary_tree },
    { "lists in lists", lists_in_lists },
    { "inline elements", elements },
    { NULL, NULL },
};
