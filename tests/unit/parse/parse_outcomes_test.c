/* src/parse: columns of pages of random markup, random bytes in every charset, and random
 * chunks of a body, as digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "outcomes.h"
#include "parse/charset/charset.h"
#include "parse/charset/charset_label.h"
#include "parse/http/http_body.h"
#include "parse/http/http_head.h"
#include "parse/noted_metadata.h"
#include "thresher/parse.h"

/* ---- markup ---- */

/* clang-format off */
static const char *const names[] = {
    "p", "p", "div", "div", "span", "a", "b", "i", "em", "strong", "code", "pre", "ul", "ol", "li", "li", "table", "tr", "td", "td", "th", "tbody", "thead", "caption", "dl", "dt", "dd", "h1", "h2", "h6", "blockquote", "br", "hr", "img", "input", "select", "option", "optgroup", "textarea", "button", "form", "label",
    "fieldset", "legend", "sup", "sub", "del", "s", "nobr", "font", "center", "address", "article", "section", "nav", "aside", "header", "footer", "main", "figure", "figcaption", "details", "summary", "dialog", "template", "noscript", "script", "style", "title", "meta", "link", "base", "head", "body", "html", "iframe", "object", "embed",
    "svg", "math", "mi", "mo", "mn", "mrow", "mfrac", "msup", "annotation-xml", "foreignObject", "desc", "ruby", "rt", "rp", "rb", "frameset", "frame", "plaintext", "xmp", "listing", "noembed", "noframes", "marquee", "applet", "menu", "dir", "col", "colgroup", "area", "map", "wbr", "video", "audio", "source", "track", "canvas", "x-y", "image", "isindex", "q", "kbd", "tt", "big", "small", "time", "cite", "u", "abbr", "var", "samp", "bdo", "hgroup", "search", "slot", "picture", "output", "progress", "meter", "data", "ins", "mark", "keygen", "param", "basefont", "bgsound", "rtc",
};
static const char *const attributes[] = {
    "class=\"content entry\"", "class='comment reply'", "class=nav", "id=main", "id=\"fn1\"", "href=\"/x\"", "href=#fn1", "href=\"http://b.example/?a=1&amp;b=2\"", "src=/i.png", "alt=\"a picture\"", "hidden", "style=\"display:none\"", "aria-hidden=true", "role=navigation", "role=tab", "colspan=3", "rowspan=2", "start=5", "value=7", "type=checkbox", "checked", "lang=de",
    "align=right", "class=\"language-c highlight\"", "class=math", "title=\"2024-01-02\"", "datetime=\"2024-01-02T03:04:05Z\"", "itemprop=author", "itemscope itemtype=\"http://schema.org/Comment\"", "rel=author", "name=author content=\"Ada Byron\"", "property=\"og:title\" content=\"T\"", "data-score=4", "CLASS=Upper", "x", "=", "\"", "a=b c", "class=\"\"", "dir=rtl", "encoding=\"text/html\"", "xml:lang=fr", "a='x", "/", "aria-controls=main", "for=main", "reversed",
    "class=fragment", "class=line", "class=container", "class=\"line number1\"", "class=\"highlight js\"", "class=\"hljs python\"", "class=\"brush: c\"", "class=\"language-c\"", "class=\"lang-rust x\"", "class=\"sourceCode c numberLines\"", "class=codehilite", "class=\"highlight-source-c\"", "class=lineno", "class=gutter", "class=\"highlight-python notranslate\"", "data-lang=c", "class=\"headerlink\"", "class=\"math notranslate\"", "class=arithmatex", "class=\"admonition note\"", "class=boring", "class=\"copy-button\"",
};
static const char *const texts[] = {
    "words", " ", "\n", "the lamp", " of ", "ship, ", "A. ", "&amp;", "&lt;b&gt;", "&nbsp;", "&#x41;", "&notit;", "\xC3\xA9", "\xE7\x81\xAF\xE5\x8F\xB0\xE5\xAE\x88\xE3\x81\xAF", "12 34", "\t", "<", "<!-- c -->", "<!-->", "<![CDATA[x]]>", "<?php ?>", "</", "</>", "<!doctype html>", "-->", "]]>", "\xE0\xB8\x9C\xE0\xB8\xB9\xE0\xB9\x89\xE0\xB8\x94", "$x^2$", "\\(a\\)", "$$", "$", "\\[b\\]", "$5 and $6", "\\begin{align}c\\end{align}", "10", "m", "\xE7\x81\xAF", "\xE3\x82\x89\xE3\x81\x84\xE3\x81\xA8\xE3\x83\x8F\xE3\x82\xA6\xE3\x82\xB9", "\xE3\x80\x82", "\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4", "\xE0\xB9\x86", "x\xC2\xADy", "a long line of words that goes on until it wraps at the end of it ",
    "&copy", "&", "\xF0\x9F\x98\x80", "Read more \xC2\xBB", "[1]", "-", "1.", "\xE2\x80\xA8", "\r\n", "\f", "<<p>", "<p/>", "<br/>", "</br>", "</p>", "<a href=/y>link</a>", "<li>item", "<tr><td>cell<td>other",
};
/* clang-format on */

static void append_markup(struct outcomes *all, th_buffer *out)
{
    const char *open[12];
    uint32_t depth = 0;
    for (uint32_t i = 5 + below(all, 90); i; i--) {
        const uint32_t kind = below(all, 10);
        if (kind < 4) {
            const char *name = ONE(all, names);
            th_buffer_printf(out, "<%s", name);
            for (uint32_t k = below(all, 3); k; k--)
                th_buffer_printf(out, " %s", ONE(all, attributes));
            th_buffer_append_text(out, below(all, 20) ? ">" : "/>");
            open[depth % 12] = name;
            depth++;
        } else if (kind < 6 && depth) {
            depth--;
            th_buffer_printf(out, "</%s>",
                             below(all, 8) ? open[depth % 12] : ONE(all, names));
        } else {
            th_buffer_append_text(out, ONE(all, texts));
        }
    }
    if (below(all, 20) == 0 && out->len)
        out->len = below(all, (uint32_t)out->len);
}

static void note_blocks(struct outcomes *all, const th_page *page)
{
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *b = &page->blocks[i];
        const uint32_t numbers[] = { b->text_start,
                                     b->text_len,
                                     b->char_start,
                                     b->char_len,
                                     b->tokens,
                                     b->linked_tokens,
                                     b->lines,
                                     b->gap_start,
                                     b->last_line_tokens,
                                     b->gap_len,
                                     b->node,
                                     b->paragraph,
                                     page->tokens_before[i],
                                     page->linked_before[i],
                                     page->lines_before[i] };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *p = &page->paragraphs[i];
        const uint32_t numbers[] = { p->first_block, p->end_block,  p->text_start,
                                     p->text_len,    p->char_start, p->char_len,
                                     p->node,        p->box,        p->kind,
                                     p->level,       p->is_apart,   p->is_space_kept,
                                     p->is_hidden };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    for (uint32_t i = 0; i < page->box_count; i++) {
        const th_box *b = &page->boxes[i];
        const uint32_t numbers[] = { b->parent,
                                     b->node,
                                     b->item,
                                     b->row,
                                     b->count,
                                     b->texts,
                                     (uint32_t)b->number,
                                     b->ordinal,
                                     b->column,
                                     b->column_span,
                                     b->row_span,
                                     b->kind,
                                     b->depth,
                                     b->is_layout };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    note_number(all,
                XXH64(page->gap_tags, page->gap_tag_count * sizeof *page->gap_tags, 0));
}

static void note_elements(struct outcomes *all, const th_page *page)
{
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *n = &page->nodes[i];
        const uint32_t numbers[] = {
            n->parent, n->first_block, n->end_block,
            n->tag,    n->depth,       page->class_set_of ? page->class_set_of[i] : 0
        };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    for (uint32_t i = 0; i < page->class_set_count; i++) {
        const th_class_set *set = &page->class_sets[i];
        note_number(all, set->likeness);
        for (uint32_t k = 0; k < set->count; k++)
            note_number(all, page->class_words[set->first + k]);
    }
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        note_view(all, page->node_values[i].value);
        note_number(all, page->node_values[i].node);
        note_number(all, page->node_values[i].kind);
    }
    for (uint32_t i = 0; i < page->link_count; i++) {
        const th_link *link = &page->links[i];
        note_view(all, link->url);
        note_view(all, link->rel);
        note_number(all, link->anchor_start);
        note_number(all, link->anchor_len);
        note_number(all, link->block);
        note_number(all, link->is_internal);
    }
    for (uint32_t i = 0; i < page->tab_count; i++) {
        const th_tab *tab = &page->tabs[i];
        const uint32_t numbers[] = { tab->label, tab->link, tab->panel, tab->set,
                                     tab->number };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
}

static void note_styles(struct outcomes *all, const th_page *page)
{
    for (uint32_t i = 0; i < page->run_count; i++) {
        const th_style_run *run = &page->runs[i];
        const uint32_t numbers[] = { run->paragraph, run->start, run->link, run->style };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    for (uint32_t i = 0; i < page->inset_count; i++) {
        const th_inset *inset = &page->insets[i];
        note_view(all, inset->words);
        note_view(all, inset->url);
        const uint32_t numbers[] = { inset->paragraph, inset->start,    inset->len,
                                     inset->kind,      inset->is_alone, inset->is_spaced,
                                     inset->is_inside };
        all->digest = XXH64(numbers, sizeof numbers, all->digest);
    }
    for (uint32_t i = 0; i < page->code_language_count; i++) {
        note_number(all, page->code_languages[i].paragraph);
        note_view(all, page->code_languages[i].name);
    }
    for (uint32_t i = 0; i < page->note_link_count; i++) {
        note_number(all, page->note_links[i].link);
        note_number(all, page->note_links[i].item);
        note_number(all, page->note_links[i].is_back);
    }
    for (uint32_t i = 0; i < page->alignment_count; i++) {
        note_number(all, page->alignments[i].box);
        note_number(all, page->alignments[i].side);
    }
}

static th_options random_options(struct outcomes *all)
{
    th_options opt;
    th_options_init(&opt);
    opt.reads = below(all, 64);
    opt.w_max = 10 + below(all, 90);
    if (below(all, 3) == 0) {
        opt.max_depth = 1 + below(all, 12);
        opt.max_nodes = 1 + below(all, 40);
        opt.max_blocks = 1 + below(all, 20);
        opt.max_links = 1 + below(all, 4);
        opt.max_attributes = 1 + below(all, 3);
        opt.max_tag = 8 + below(all, 60);
    }
    return opt;
}

static void pages_of_random_markup_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 200; round++) {
        const th_options opt = random_options(&all);
        th_parser *parser = th_parser_new(&opt);
        assert_non_null(parser);
        for (unsigned i = 0; i < 50; i++) {
            th_buffer html = { 0 };
            th_page *page = NULL;
            if (below(&all, 2))
                th_buffer_append_text(&html, "<!DOCTYPE html><title>T</title>");
            pick_some(&all, 10);
            append_markup(&all, &html);
            const th_document document = { .bytes = { html.len ? html.data : "",
                                                      html.len },
                                           .url = TH_VIEW("http://a.example/b/c"),
                                           .charset = TH_VIEW("utf-8"),
                                           .is_text = below(&all, 30) == 0 };
            note_number(&all, (uint64_t)th_parse_html(parser, &document, arena, &page,
                                                      NULL, NULL));
            note_view(&all, page->text);
            note_number(&all, page->flags);
            note_number(&all, page->text_chars);
            note_blocks(&all, page);
            note_elements(&all, page);
            note_styles(&all, page);
            note_metadata(&all, page);
            th_buffer_done(&html);
            th_arena_reset(arena);
        }
        th_parser_free(parser);
    }
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x0230A2023215F914));
}

/* ---- tabs ---- */

/* An attribute, most of the time. Its number is sometimes the one of another tab. */
static void append_id(struct outcomes *all, const char *name, uint32_t number,
                      th_buffer *out)
{
    const uint32_t chance = below(all, 12);
    if (chance)
        th_buffer_printf(out, " %s%" PRIu32 "%s", name,
                         chance == 1 ? 1 + below(all, 4) : number,
                         strchr(name, '"') ? "\"" : "");
}

static void append_wrapper(struct outcomes *all, const char *markup, th_buffer *out)
{
    for (uint32_t i = below(all, 2) ? 0 : below(all, 6); i; i--)
        th_buffer_append_text(out, markup);
}

/* An element with a label's words, or with a panel's. */
static void append_label(struct outcomes *all, uint32_t kind, uint32_t i, th_buffer *out)
{
    static const char *const targets[] = { "aria-controls=p", "href=#p", "data-target=#p",
                                           "data-bs-target=\" #p", "href=p" };
    th_buffer_append_text(out, kind == 3       ? "<input type=radio name=n"
                               : kind == 2     ? "<li"
                               : below(all, 2) ? "<li><a role=tab"
                                               : "<button role=\"Tab \"");
    append_id(all, "id=t", i, out);
    if (kind == 0)
        append_id(all, ONE(all, targets), i, out);
    if (kind == 3) {
        th_buffer_append_text(out, "><label");
        append_id(all, "for=t", i, out);
    }
    th_buffer_printf(out, ">label %" PRIu32 "%s", i,
                     kind == 3 ? "</label>" : "</a></button></li>");
}

static void append_panel(struct outcomes *all, uint32_t kind, uint32_t i, th_buffer *out)
{
    th_buffer_append_text(out, below(all, 12) ? "<div" : "<span");
    if (kind < 2)
        th_buffer_append_text(out, " role=tabpanel");
    if (kind == 0)
        append_id(all, "id=p", i, out);
    if (kind == 2 || (kind == 0 && below(all, 2)))
        append_id(all, below(all, 8) ? "aria-labelledby=t" : "aria-labelledby=\"x t", i,
                  out);
    th_buffer_printf(out, ">panel %" PRIu32 "%s</div></span>", i,
                     below(all, 4) ? "" : "<p>more");
}

/* Labels and as many panels: roles and ids, roles, items of a list, or radio buttons. */
static void append_tabs(struct outcomes *all, th_buffer *out)
{
    static const char *const lists[] = { "<ul role=tablist>", "<ul>", "<div>" };
    const uint32_t kind = below(all, 4), count = 1 + below(all, 4);
    const bool is_mixed = kind == 3 && below(all, 2);
    append_wrapper(all, "<div>", out);
    th_buffer_append_text(out, below(all, 10) ? lists[kind / 2 + (kind == 3)] : "<form>");
    append_wrapper(all, "<div>", out);
    for (uint32_t i = 1; i <= count; i++) {
        append_label(all, kind, i, out);
        if (is_mixed)
            append_panel(all, kind, i, out);
    }
    append_wrapper(all, "</div>", out);
    th_buffer_append_text(out, "</ul></form>");
    if (below(all, 2))
        th_buffer_append_text(out, "</div><div>");
    append_wrapper(all, "<div>", out);
    for (uint32_t i = 1; i <= count + (below(all, 8) == 0) && !is_mixed; i++)
        append_panel(all, kind, i, out);
    append_wrapper(all, "</div>", out);
}

static void tabs_of_random_markup_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 4 };
    th_options opt;
    th_options_init(&opt);
    opt.text_format = "markdown";
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    assert_true(arena && parser);
    uint32_t tabs = 0;
    for (unsigned round = 0; round < 3000; round++) {
        th_buffer html = { 0 };
        th_page *page = NULL;
        for (uint32_t i = 1 + below(&all, 3); i; i--)
            append_tabs(&all, &html);
        const th_document document = { .bytes = th_buffer_view(&html),
                                       .url = TH_VIEW("http://a.example/b/c"),
                                       .charset = TH_VIEW("utf-8") };
        assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                         TH_OK);
        note_view(&all, page->text);
        note_elements(&all, page);
        tabs += page->tab_count;
        th_buffer_done(&html);
        th_arena_reset(arena);
    }
    th_parser_free(parser);
    th_arena_free(arena);
    assert_in_range(tabs, 4000, 20000); /* most labels have a panel */
    expect_digest(&all, UINT64_C(0x9503ED7A7225B192));
}

/* ---- scripts and code ---- */

/* clang-format off */
static const char *const script_parts[] = { "<!--", "<!-", "<!", "-", "-", "--", "->", "-->", "--!>", "<script", "<script>", "<SCRIPT ", "</script", "</script>", "</script ", "</scripty>", "</style>", "</textarea>", "<", "</", "/", ">", " ", "x", "words", "\n", "&amp;", "]]>" };
static const char *const code_parts[] = {
    "<div class=fragment>", "<div class=line>", "<div class=container>", "<div class=\"line number1\">", "</div>", "</div>", "<pre>", "<pre class=\"language-c\">", "</pre>", "<code>", "</code>", "<figure class=\"highlight js\">", "</figure>", "<table><tr><td class=gutter>", "<td class=code>", "</table>", "<span class=lineno>1</span>", "<span class=boring>", "</span>", "<div class=\"highlight-python notranslate\">",
    "int a = 1;", "[[nodiscard]]", "std::vector", "std::", "#include &lt;a&gt;", "#include ", "$ ls -l", "&gt;&gt;&gt; a", "def f():", "template&lt;", "\n", "\n    ", "\t", " ", "x", "// c", "<p>words", "<br>", "constexpr", "namespace a", "a[[b]]", "::",
};
/* clang-format on */

static void scripts_and_code_are_known(void **state)
{
    static const char *const raw[] = { "script", "style", "textarea",
                                       "title",  "xmp",   "noscript" };
    (void)state;
    struct outcomes all = { .chance = 7 };
    th_options opt;
    th_options_init(&opt);
    opt.text_format = "markdown";
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    th_buffer html = { 0 };
    assert_true(arena && parser);
    for (unsigned round = 0; round < 8000; round++) {
        th_page *page = NULL;
        th_buffer_reset(&html);
        pick_some(&all, 8);
        const bool is_raw = below(&all, 2);
        if (is_raw)
            th_buffer_printf(&html, "a%s", ONE(&all, raw));
        for (uint32_t i = 1 + below(&all, 14); i; i--)
            th_buffer_append_text(&html, is_raw ? ONE(&all, script_parts)
                                                : ONE(&all, code_parts));
        th_buffer_append_text(&html, below(&all, 4) ? "<p>end" : "");
        const th_document document = { .bytes = th_buffer_view(&html),
                                       .url = TH_VIEW("http://a.example/b"),
                                       .charset = TH_VIEW("utf-8") };
        assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                         TH_OK);
        note_view(&all, page->text);
        note_blocks(&all, page);
        note_elements(&all, page);
        note_styles(&all, page);
        th_arena_reset(arena);
    }
    th_buffer_done(&html);
    th_parser_free(parser);
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x0D0700FD9A5A30C6));
}

/* ---- charsets ---- */

/* clang-format off */
static const char *const labels[] = {
    "utf-8", "utf-16le", "utf-16be", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
    "ibm866", "koi8-r", "koi8-u", "macintosh", "x-mac-cyrillic", "x-user-defined", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "replacement", "utf-7", " Latin1 ", "hz-gb-2312", "nonsense",
};
/* clang-format on */

static void bytes_in_every_charset_are_known(void **state)
{
    enum { BYTES = 400 };
    (void)state;
    struct outcomes all = { .chance = 2 };
    th_arena *arena = th_arena_new(0);
    th_charset *charset = th_charset_new();
    assert_true(arena && charset);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        for (unsigned round = 0; round < 25; round++) {
            char bytes[BYTES];
            const uint32_t len = below(&all, BYTES + 1), kind = below(&all, 4);
            for (uint32_t k = 0; k < len; k++)
                bytes[k] = (char)(kind == 0             ? below(&all, 256)
                                  : kind == 1           ? 0x80 + below(&all, 128)
                                  : below(&all, 3) == 0 ? below(&all, 256)
                                  : kind == 2           ? 0x20 + below(&all, 95)
                                                        : 0xA1 + below(&all, 94));
            if (len > 8 && below(&all, 3) == 0) {
                char *at = bytes + below(&all, len - 6);
                memcpy(at, below(&all, 2) ? "\x1B$B\x1B(J" : "\x81\x30\x81\x30~{", 6);
            }
            th_view text = { 0 };
            th_encoding used = { 0 };
            uint32_t flags = 0;
            /* Without a usable label, the detector's library decides. */
            const th_view label = { labels[i], strlen(labels[i]) };
            if (!th_charset_name(th_charset_id_of_label(label)))
                continue;
            assert_int_equal(th_charset_decode(charset, label, (th_view){ bytes, len },
                                               arena, &text, &used, &flags),
                             TH_OK);
            note_view(&all, text);
            note_text(&all, used.name);
            note_text(&all, used.from);
            note_number(&all, flags);
            th_arena_reset(arena);
        }
    th_charset_free(charset);
    th_arena_free(arena);
    expect_digest(&all, UINT64_C(0x495A3788C33564BE));
}

/* ---- bodies ---- */

static bool note_bytes(void *context, const char *bytes, size_t len)
{
    th_buffer_append(context, bytes, len);
    return true;
}

/* clang-format off */
static const char *const chunks[] = { "5\r\nwords\r\n", "A\r\n0123456789\r\n", "1;x=y\r\n-\r\n", "0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n", "00003\nabc\n", "5\r\nshort\r\n", " 2 \r\nok\r\n", "g\r\nbad\r\n", "ffffffffffffffffff\r\n", "4\r\nlonger\r\n", "\r\n", "3\r\nab", "plain text", "7\r\nwithout" };
static const char *const heads[] = { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nTransfer-Encoding: deflate, chunked\r\n\r\n" };
/* clang-format on */

static void bodies_of_random_chunks_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    th_body *body = th_body_new();
    assert_non_null(body);
    for (unsigned round = 0; round < 3000; round++) {
        const char *text = ONE(&all, heads);
        th_http_head head;
        th_buffer bytes = { 0 }, out = { 0 };
        assert_int_equal(
            th_http_head_parse((th_view){ text, strlen(text) }, 4096, true, &head),
            TH_OK);
        for (uint32_t i = below(&all, 6); i; i--)
            th_buffer_append_text(
                &bytes,
                chunks[below(&all, below(&all, 2) ? 5 : sizeof chunks / sizeof *chunks)]);
        const th_status status =
            th_body_begin(body, &head, 1 + below(&all, 3), note_bytes, &out);
        note_number(&all, (uint64_t)status);
        for (size_t at = 0; status == TH_OK && at < bytes.len;) {
            const size_t left = bytes.len - at;
            const size_t step = 1 + below(&all, (uint32_t)left);
            assert_int_equal(th_body_write(body, (th_view){ bytes.data + at, step }),
                             TH_OK);
            at += step;
        }
        if (status == TH_OK) {
            assert_int_equal(th_body_end(body), TH_OK);
            note_view(&all, th_buffer_view(&out));
            note_number(&all, th_body_flags(body));
            note_number(&all, th_body_is_complete(body));
        }
        th_buffer_done(&bytes);
        th_buffer_done(&out);
    }
    th_body_free(body);
    expect_digest(&all, UINT64_C(0x441260C89E32FF1B));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_random_markup_are_known),
        cmocka_unit_test(tabs_of_random_markup_are_known),
        cmocka_unit_test(scripts_and_code_are_known),
        cmocka_unit_test(bytes_in_every_charset_are_known),
        cmocka_unit_test(bodies_of_random_chunks_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
