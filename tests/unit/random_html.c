/* See the header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_html.h"

enum { DEPTH = 4 };

/* clang-format off */
static const char *const sentences[] = {
    "The river of stone is near the quiet market, and the bridge was opened in winter.",
    "A letter was found by the keeper of the mill before the road to it was closed.",
    "Der Fluss ist nahe am Markt, und die Br\u00FCcke wurde im Winter er\u00F6ffnet.",
    "La rivi\u00E8re est pr\u00E8s du march\u00E9, et le pont est ouvert depuis hier.",
    "\u6CB3\u6D41\u5728\u5E02\u573A\u9644\u8FD1\u3002\u6865\u5DF2\u7ECF\u5F00\u653E\u3002",
    "Write to keeper@mill.example.com or call +49 30 1234567 from 8.8.8.8 today.",
    "It has *two* words_with_lines, [one](link), `code`, 3 &lt; 4 and a | bar.",
    "The sum is \\(a_1 + b^2\\) or $x$ for $5 and $$\\int y$$ at the end of the line.",
    "&copy; 2024 by the mill. All rights reserved.",
    "Mix 2 cups of flour, 1 egg and 30 g of butter for 15 minutes.",
    "Read more",
    "12.5",
    "# 1. - &gt; + not a list",
    "\u0420\u0435\u043A\u0430 \u0442\u0435\u0447\u0451\u0442 \u0443 \u0440\u044B\u043D\u043A\u0430 \u0438 \u043C\u043E\u0441\u0442\u0430.",
    "Posted on 4 March 2024 by Ann Miller",
    "Three replies, 5 likes",
    "\U0001F600 so good \u202E turned",
};
/* clang-format on */
static const char *const inlines[] = { "b",    "i",    "em",    "strong", "code",  "s",
                                       "a",    "sub",  "sup",   "span",   "kbd",   "q",
                                       "u",    "mark", "del",   "ins",    "small", "abbr",
                                       "cite", "time", "label", "button" };
static const char *const blocks[] = {
    "p",      "p",       "div",     "ul",     "ol",       "blockquote", "pre",
    "h1",     "h2",      "h3",      "h6",     "dl",       "table",      "section",
    "figure", "article", "aside",   "header", "footer",   "nav",        "details",
    "form",   "main",    "address", "center", "fieldset",
};
static const char *const attributes[] = {
    "",
    "",
    "",
    " class=comment",
    " class='post message'",
    " class=author",
    " class=byline itemprop=author",
    " id=comments",
    " hidden",
    " style='display:none'",
    " role=main",
    " lang=de",
    " itemprop=articleBody",
    " class='entry-content lead'",
    " class=cookie-banner",
    " datetime=2024-03-04T05:06:07Z",
    " dir=rtl",
    " class=recipe-ingredients",
};
static const char *const targets[] = {
    "/l(1)",        "#m",    "http://b.example/c?d=e&amp;f", "", "mailto:a@b.example",
    "javascript:x", "../up", "https://a.example/x y"
};
static const char *const pictures[] = {
    "<img src=/i.png alt='a picture'>",
    "<img src='data:x' alt=''>",
    "<figure><img src=/j.jpg><figcaption>The mill</figcaption></figure>",
    "<video src=/v.mp4>no video</video>",
    "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>",
    "<svg><title>drawn</title><text>s</text></svg>",
    "<br>",
    "<hr>",
    "<wbr>",
    "<input type=checkbox checked>",
    "<script>var x = '<p>';</script>",
    "<noscript><p>No script here</p></noscript>",
    "<select><option>one<option>two</select>",
};
/* clang-format off */
static const char *const heads[] = {
    "<meta name=description content='A page about the mill &amp; its river'>",
    "<meta name=author content='Ann Miller, Bob Stone'>",
    "<meta property=article:published_time content=2024-03-04T05:06:07+01:00>",
    "<meta property=article:modified_time content='2024-05-06'>",
    "<meta property=og:title content='The mill'>",
    "<meta property=og:site_name content='Mill News'>",
    "<meta property=og:image content=/top.png>",
    "<meta property=og:type content=article>",
    "<meta name=keywords content='mill, river,stone'>",
    "<link rel=canonical href=/canonical>",
    "<link rel=license href=https://creativecommons.org/licenses/by/4.0/>",
    "<meta name=robots content='noindex, noai'>",
    "<meta name=tdm-reservation content=1>",
    "<meta name=generator content='WordPress 6.1'>",
    "<base href=/base/>",
    "<link rel=alternate hreflang=de href=/de>",
    "<meta http-equiv=content-language content=en>",
    "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\"headline\":\"The mill\",\"datePublished\":\"2024-03-04\",\"author\":{\"@type\":\"Person\",\"name\":\"Ann Miller\"},\"articleSection\":\"Local\",\"isAccessibleForFree\":false}</script>",
    "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\"name\":\"Bread\",\"recipeIngredient\":[\"2 cups of flour\",\"1 egg\"],\"recipeInstructions\":[{\"@type\":\"HowToStep\",\"text\":\"Mix.\"}],\"prepTime\":\"PT15M\",\"recipeYield\":4}</script>",
    "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Stone\",\"offers\":{\"price\":\"12.50\",\"priceCurrency\":\"EUR\"},\"aggregateRating\":{\"ratingValue\":4.5,\"reviewCount\":7}}</script>",
    "<script type=application/ld+json>{\"@type\":\"FAQPage\",\"mainEntity\":[{\"@type\":\"Question\",\"name\":\"Why?\",\"acceptedAnswer\":{\"text\":\"So.\"}}]}</script>",
    "<script type=application/ld+json>{ not JSON</script>",
};
/* clang-format on */

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void put_inline(struct outcomes *all, th_buffer *out, int depth)
{
    for (uint32_t i = 1 + below(all, 3); i; i--) {
        const uint32_t kind = below(all, 9);
        if (kind < 2 && depth < DEPTH) {
            const char *name = ONE(all, inlines);
            th_buffer_printf(out, "<%s", name);
            if (*name == 'a')
                th_buffer_printf(out, " href='%s'", ONE(all, targets));
            th_buffer_printf(out, "%s>", ONE(all, attributes));
            put_inline(all, out, depth + 1);
            th_buffer_printf(out, "</%s>", name);
        } else if (kind == 2) {
            th_buffer_append_text(out, ONE(all, pictures));
        } else {
            th_buffer_append_text(out, ONE(all, sentences));
        }
        th_buffer_append_text(out, below(all, 4) ? " " : "");
    }
}

/* The element that an element of a list or a table needs. */
static const char *part_of(struct outcomes *all, const char *name)
{
    if (name[0] == 't')
        return below(all, 3) ? "<tr><td>1<th>" : "<tr><td colspan=2>";
    if (name[1] != 'l')
        return "";
    if (name[0] == 'd')
        return below(all, 2) ? "<dt>" : "<dd>";
    return "<li>";
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH
static void put_block(struct outcomes *all, th_buffer *out, int depth)
{
    const char *name = ONE(all, blocks);
    th_buffer_printf(out, "<%s%s>", name, ONE(all, attributes));
    for (uint32_t i = 1 + below(all, 3); i; i--) {
        th_buffer_append_text(out, part_of(all, name));
        put_inline(all, out, 1);
        if (depth < DEPTH && below(all, 3) == 0)
            put_block(all, out, depth + 1);
    }
    th_buffer_printf(out, "</%s>\n", name);
}

/* Posts of a thread, or comments below an article. */
static void put_posts(struct outcomes *all, th_buffer *out)
{
    static const char *const kinds[] = { "post", "comment", "reply message" };
    const char *kind = ONE(all, kinds);
    for (uint32_t i = 1 + below(all, 5); i; i--) {
        th_buffer_printf(out,
                         "<div class='%s' id=p%" PRIu32 "><span class=author>User%" PRIu32
                         "</span> <time datetime=2024-03-0%" PRIu32
                         ">March</time><div class='%s-body'><p>",
                         kind, i, i % 3, 1 + i, kind);
        put_inline(all, out, 1);
        th_buffer_append_text(out, "</div><a href=/reply>Reply</a></div>\n");
    }
}

void random_html_put(struct outcomes *all, th_buffer *out)
{
    static const char *const starts[] = { "<!DOCTYPE html><html lang=en>",
                                          "<!DOCTYPE html>", "",
                                          "<html lang=de class=no-js>" };
    static const char *const titles[] = { "The mill", "The mill - Mill News", "a|b_c: d",
                                          "12.5", "" };
    pick_some(all, 6);
    th_buffer_append_text(out, ONE(all, starts));
    const char *title = ONE(all, titles);
    if (below(all, 8))
        th_buffer_printf(out, "<title>%s</title>", title);
    for (uint32_t i = below(all, 6); i; i--)
        th_buffer_append_text(out, ONE(all, heads));
    th_buffer_append_text(out, "<body>\n");
    if (below(all, 3))
        th_buffer_append_text(
            out, "<nav><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></nav>");
    if (below(all, 2))
        th_buffer_printf(out, "<h1>%s</h1>", title);
    for (uint32_t i = below(all, 9); i; i--)
        put_block(all, out, 1);
    if (below(all, 4) == 0)
        put_posts(all, out);
    if (below(all, 2))
        th_buffer_append_text(
            out, "<footer><p>&copy; 2024 Mill News <a href=/p>Privacy</a></footer>");
    all->variety = 0; /* later choices are among all members again */
}
