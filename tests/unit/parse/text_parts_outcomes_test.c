/* src/parse: functions of a short text or of a tag's attributes, called with texts that are
 * joined of random pieces, as digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "outcomes.h"
#include "parse/charset/charset_label.h"
#include "parse/charset/meta_prescan.h"
#include "parse/emoji.h"
#include "parse/formula.h"
#include "parse/furniture.h"
#include "parse/hiding.h"
#include "parse/http/http_head.h"
#include "parse/http/media_type.h"
#include "parse/metadata/author_list.h"
#include "parse/metadata/author_name.h"
#include "parse/metadata/class_roles.h"
#include "parse/metadata/headline.h"
#include "parse/metadata/page_address.h"
#include "parse/metadata/tidy_text.h"
#include "parse/streamed.h"

enum { ROUNDS = 30000 };

/* A text of up to `most` members of a list, half of them with a gap after them. */
#define JOINED(all, out, most, gap, list)                                                \
    joined((all), (out), (most), (gap), (list), COUNT(list))

static th_view joined(struct outcomes *all, th_buffer *out, uint32_t most,
                      const char *gap, const char *const *list, uint32_t count)
{
    th_buffer_reset(out);
    for (uint32_t i = below(all, most + 1); i; i--) {
        th_buffer_append_text(out, list[one_of(all, count)]);
        th_buffer_append_text(out, below(all, 2) ? gap : "");
    }
    return (th_view){ out->len ? out->data : "", out->len };
}

/* ---- headlines ---- */

/* clang-format off */
static const char *const title_parts[] = { "A study of bees", "A Study of Bees", "a study", "The Journal", "Journal", "a.example", "Home", "Page 2", " ", " ", " | ", " - ", " \u2013 ", "\u2013", " \u00b7 ", " :: ", ": ", ":", "-", " / ", " ~ ", " \u00bb ", "\uff5c", "Thread: ", "bees", "12", "!", "\u706f\u53f0", "|", " -- ", "News" };
static const char *const sites[] = { "The Journal", "a.example", "Journal", "bees", "", "Site of bees and more" };
static const char *const urls[] = { "http://a.example/", "http://a.example/a-study-of-bees", "http://www.journal.example/2021/study_bees.html", "http://a.example/index.php?p=2", "http://a.example/home", "" };
/* clang-format on */

static void headlines_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    th_buffer texts[14] = { { 0 } };
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_headline_sources sources = { .h1_count = 0 };
        th_view *const views[] = { &sources.news,       &sources.article,
                                   &sources.open_graph, &sources.twitter,
                                   &sources.title,      &sources.other };
        uint32_t used = 0;
        const char *from = NULL;
        pick_some(&all, 8);
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            if (below(&all, 2))
                *views[i] = JOINED(&all, &texts[used++], 5, " ", title_parts);
        sources.h1_count = below(&all, 4);
        for (uint32_t i = 0; i < sources.h1_count; i++)
            sources.h1[i] = JOINED(&all, &texts[used++], 4, " ", title_parts);
        for (uint32_t i = 0, count = below(&all, 3); i < count; i++)
            sources.sites[i] = JOINED(&all, &texts[used++], 1, "", sites);
        const char *url = ONE(&all, urls);
        sources.url = (th_view){ url, strlen(url) };
        const th_view title = th_headline_choose(&sources, &from);
        note_line(&all, "%s: %.*s", from ? from : "-", (int)title.len,
                  title.len ? title.data : "");
        note_number(&all, (uint64_t)th_headline_same(sources.title, sources.open_graph));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        th_buffer_done(&texts[i]);
    expect_digest(&all, UINT64_C(0xDF782FFE7859F5B4));
}

/* ---- names ---- */

/* clang-format off */
static const char *const name_parts[] = {
    "Ada", "Byron", "Lovelace", "Ada Lovelace", "de", "van", "O'Neil", "J.", "Dr. ", "By ", "by ", "Written by", "Written by: ", "Von ", "Par ", "Author: ", "Thread starter ", "Posted by ", " and ", " & ", ", ", " ; ", " | ", " - ", " \u2013 ", " \u00bb ", " on ", "Mon", "Staff writer", "Staff", "Editorial team", "admin", "Inc", "University", "The Journal",
    "ada@a.example", "http://a.example/ada", "@ada", "12", "5 May 2021", " ", " ", " ", "\u5f20\u4e09", "\u4f5c\u8005\uff1a", "\u00c9mile", "\u0410\u0434\u0430", "(", ")", "\"", ".", ":", "_", "ada.jpg", "0xA5", "PhD", "is a keeper of lamps and ships in winter", "updated", "of",
};
/* clang-format on */

static void names_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 2 };
    th_buffer text = { 0 };
    char tidy[256];
    th_author_list list = { .len = 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool is_label = false;
        pick_some(&all, 10);
        const th_view joined_text = JOINED(&all, &text, 7, " ", name_parts);
        const th_view line = { tidy, th_tidy_text(joined_text, TH_TIDY_PLAIN, tidy,
                                                  sizeof tidy) };
        const th_view name = th_author_name(line);
        const th_view in_line = th_author_in_line(line, &is_label);
        note_line(&all, "%.*s -> %.*s; %.*s %d", (int)line.len, line.data, (int)name.len,
                  name.len ? name.data : "", (int)in_line.len,
                  in_line.len ? in_line.data : "", is_label);
        note_number(&all, th_author_is_no_person(line));
        note_number(&all, th_author_is_sentence(line));
        if (below(&all, 12) == 0)
            list = (th_author_list){ .len = 0 };
        note_number(&all, th_author_list_add(&list, line));
        note_view(&all, (th_view){ list.bytes, list.len });
    }
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0x4F82CDDF60C8E3AF));
}

/* clang-format off */
static const char *const class_parts[] = { "author", "byline", "by-line", "by", "line", "name", "bio", "avatar", "entry", "post", "posted", "publish", "published", "pub", "date", "time", "dateline", "update", "updated", "modified", "edited", "revised", "user", "username", "writer", "reviewer", "comment", "title", "headline", "fn", "dt", "article", "count", "related", "footer", "x", "-", "-", "_", "__", " ", " ", "--", "A", "Date" };
static const char *const address_parts[] = { "http://", "https://", "a.example", "docs.a.example", "forum.", "blog.", "www.", "/", "/", "docs", "services", "service", "products", "product", "topic", "topics", "category", "tag", "blog", "news", "2021", "a", "b-c", "index.html", ".php", "?p=1", "#x", "shop", "reference", "api", "forum", "thread", "help", "support", "wiki", "-", "_", "author" };
static const char *const texts[] = { "a", " ", "  ", "\n", "\t", "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&#65;", "&#x41;", "&#0;", "&#x110000;", "&#xD800;", "&", ";", "\x01", "\x7F", "\xC2\xA0", "\xE2\x80\x8B", "\xFF", "\xE7\x81", "\xE7\x81\xAF", "\xF0\x9F\x98\x80", "&amp;lt;", "word" };
/* clang-format on */

static void classes_and_addresses_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    th_buffer text = { 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        char tidy[40];
        pick_some(&all, 8);
        const th_view classes = JOINED(&all, &text, 6, "", class_parts);
        note_line(&all, "%.*s: %d %x", (int)classes.len, classes.data,
                  th_class_may_have_roles(classes), th_class_roles(classes));
        const th_view url = JOINED(&all, &text, 8, "/", address_parts);
        note_line(&all, "%.*s: %d", (int)url.len, url.data,
                  th_address_is_no_article(url));
        const th_view dirty = JOINED(&all, &text, 12, "", texts);
        const unsigned how = below(&all, 2) ? TH_TIDY_REFERENCES : TH_TIDY_PLAIN;
        const size_t max = below(&all, sizeof tidy + 1);
        note_view(&all, (th_view){ tidy, th_tidy_text(dirty, how, tidy, max) });
    }
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0x8FCCCDFA903B6E13));
}

/* ---- formulas ---- */

/* clang-format off */
static const char *const before_parts[] = { "10", "2", "x", "n", "m", "km", "cm", "in", "kg", "ft", "m/s", "word", " ", " ", "-", "2020", "12345", "3.5", "(", ")", "]", "\u00b2", "\u03b1", "R", "$", ",", ".", "a" };
static const char *const raised_parts[] = { "2", "3", "6", "-", "\u2212", "+", "n", "th", "st", "e", "o", "TM", "*", " ", "12", "1234", "x", "[1]", "a", "T" };
static const char *const tex_parts[] = { "$", "$", "$$", "\\(", "\\)", "\\[", "\\]", "x", "^2", " ", "\n", "% note\n", "\\%", "{\\displaystyle ", "{\\textstyle ", "}", "{", "\\begin{align}", "\\end{align}", "\\begin{equation*}", "\\end{equation*}", "\\begin{x}", "a+b", "\\", "\\\\", "&", "5" };
static const char *const formula_classes[] = { "math", "arithmatex", "tex", "inline", "display", "math-tex", "mwe-math-fallback-image-inline", "latex", "MathJax", "notranslate", "nohighlight", "x", " ", " ", " ", "-", "tex2jax_process", "katex" };
/* clang-format on */

static void formulas_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 4 };
    th_buffer text = { 0 }, other = { 0 };
    th_arena *arena = th_arena_new(0);
    assert_non_null(arena);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pick_some(&all, 8);
        const th_view before = JOINED(&all, &text, 4, "", before_parts);
        const th_view raised = JOINED(&all, &other, 3, "", raised_parts);
        note_line(&all, "%.*s^%.*s: %d", (int)before.len, before.data, (int)raised.len,
                  raised.data, th_is_exponent(before, raised));
        const th_view tex = JOINED(&all, &text, 8, "", tex_parts);
        const th_view line = th_formula_tex(arena, tex);
        note_line(&all, "%.*s: %.*s %d", (int)tex.len, tex.data, (int)line.len, line.data,
                  th_formula_is_display(tex));
        const th_view classes = JOINED(&all, &text, 4, " ", formula_classes);
        note_number(&all, th_formula_class(classes));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    th_buffer_done(&text);
    th_buffer_done(&other);
    expect_digest(&all, UINT64_C(0x9918C75F3759E18E));
}

/* ---- tags ---- */

/* clang-format off */
static const char *const attribute_names[] = { "class", "style", "hidden", "aria-hidden", "role", "alt", "src", "data-tex", "data-latex", "alttext", "type", "id", "title", "display", "x" };
static const char *const attribute_values[] = { "", "true", "false", "until-found", "display:none", "display : none !important", "display:none;display:block", "visibility:hidden", "DISPLAY:NONE", "a:b;visibility: hidden ", "opacity:0", "/* x */display:none", "dialog", "tooltip", "menu", "tabpanel", "alert", "listbox", "emoji", "smiley", "wp-smiley x", "emoji-image", ":)", ":smile:", "\xF0\x9F\x98\x80", "smile", "tex", "latex", "math inline", "$x^2$", "{\\displaystyle x}", "a \\over b", "/math/render/svg/1", "http://s0.wp.com/latex.php?latex=x", "x.png", "math/tex", "math/tex; mode=display", "text/x-mathjax-config", "/MathJax.js", "/katex.min.js", "block", "inline", "copy-button", "btn copy", "MuiButton", "line", "lineno", "lnt", "highlight-lines", "S:1a", "B:0", "P:3", "headerlink", "boring", "modal", "collapse" };
static const th_tag tags[] = { TH_TAG_BUTTON, TH_TAG_SPAN, TH_TAG_DIV, TH_TAG_A, TH_TAG_PRE, TH_TAG_TD, TH_TAG_H2, TH_TAG_H6, TH_TAG_P, TH_TAG_SECTION, TH_TAG_DIALOG };
static const char *const signs[] = { "\xC2\xB6", "#", "\xEF\x83\x81", "\xF0\x9F\x94\x97", " ", "(", ")", "opens new window", "opens in a new tab", "external link", "link", "a", "\xC2\xA7", "Permalink", "open in new window" };
/* clang-format on */

static void tags_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 5 };
    th_buffer text = { 0 };
    th_arena *arena = th_arena_new(0);
    th_class_memo *memo = calloc(1, sizeof *memo);
    assert_true(arena && memo);
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_attribute attrs[4];
        const uint32_t count = below(&all, COUNT(attrs) + 1);
        pick_some(&all, 8);
        for (uint32_t i = 0; i < count; i++) {
            const char *name = ONE(&all, attribute_names);
            const char *value = ONE(&all, attribute_values);
            attrs[i] = (th_attribute){ .name = { name, strlen(name) },
                                       .value = { value, strlen(value) } };
        }
        th_view words = { "", 0 };
        bool is_display = false;
        const th_tag tag = ONE(&all, tags);
        const bool is_pre = below(&all, 2);
        note_number(&all, th_attributes_hide(attrs, count));
        note_number(&all, th_hidden_may_be_content(tag, attrs, count));
        note_number(&all, th_is_emoji(attrs, count, &words));
        note_view(&all, words);
        words.len = 0;
        note_number(&all, th_formula_in_image(attrs, count, &words, &is_display));
        note_view(&all, words);
        note_number(&all, is_display);
        note_view(&all, th_formula_in_math(arena, attrs, count, &is_display));
        note_number(&all, is_display);
        note_number(&all, th_formula_in_span(attrs, count));
        is_display = false;
        note_number(&all, th_formula_in_script(attrs, count, &is_display));
        note_number(&all, is_display);
        note_number(&all, th_formula_script_renders(attrs, count));
        const th_view classes = JOINED(&all, &text, 2, " ", attribute_values);
        note_number(&all, (uint64_t)th_code_line_role(classes));
        note_number(&all, th_is_streamed_id(classes));
        note_number(&all, th_is_stream_place_id(classes));
        th_class class = { .words = classes, .memo = memo };
        if (th_may_be_furniture(tag, th_class_first(&class), is_pre))
            note_number(&all, th_is_furniture(tag, &class, attrs, count, is_pre));
        const th_view sign = JOINED(&all, &text, 4, "", signs);
        note_number(&all, th_is_permalink_sign(sign, is_pre));
        note_number(&all, th_is_link_note(sign));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    free(memo);
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0xC76ECCEC1C06AADA));
}

/* ---- declared types and encodings ---- */

/* clang-format off */
static const char *const declared[] = { "<meta", "<META ", " charset=", "charset", "=", "utf-8", "\"utf-8\"", "'windows-1251'", "koi8-r", "utf-16le", "x-user-defined", "nonsense", ">", "/>", " ", "\n", "/", " http-equiv=content-type", " http-equiv=\"Content-Type\"", " http-equiv=refresh", " content=\"text/html; charset=gbk\"", " content='text/html;charset = \"big5\"'", " content=\"charset=\"", " content=\"charset=';x\"", "<!--", "-->", "<!", "<?", "<?xml version=\"1.0\" encoding=\"euc-jp\"?>", "<?xml encoding='iso-8859-5'", "<a href=\">\">", "</title>", "</", "<x ", "<metadata charset=utf-8>", "x=y", "\"", "'", "<" };
static const char *const type_parts[] = { "text/html", "text/plain", "application/xhtml+xml", "application/xml", "text/xml", "application/octet-stream", "any/any", "unknown/unknown", "image/png", "application/pdf", "text/markdown", "*/*", "TEXT/HTML", "html", "; ", ";", " ", ",", "charset", "=", " = ", "utf-8", "\"utf-8\"", "'gbk'", "\"", "boundary=x", "/", "charset=", "" };
static const char *const payloads[] = { "<html>", "<!DOCTYPE html>", "<!-- x -->", "<script>", "<p>", "<section>", "<svg>", "<b>", "<a href=x>", "%PDF-1.4", "xPDF-1.4", "xK\3\4", "xIF89a", "x\xD8\xFF", "xPNG\r\n\x1a\n", "x\x8b", "xrtf1", "PK\3\4", "GIF89a", "\x89PNG\r\n\x1a\n", "\x1f\x8b", "\xFF\xD8\xFF", "{\\rtf1", " ", "\n", "\xEF\xBB\xBF", "words", "\x01", "<?xml version=\"1.0\"?>", "<rss>", "<feed>", "{\"a\":1}", "<html xmlns=\"http://www.w3.org/1999/xhtml\">", "mimetypeapplication/epub+zip", "word/document.xml", "<", "\xFE\xFF", "<table" };
/* clang-format on */

static void declared_types_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 6 };
    th_buffer text = { 0 }, other = { 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        pick_some(&all, 8);
        const th_view bytes = JOINED(&all, &text, 12, " ", declared);
        const char *name = th_charset_name(th_meta_prescan(bytes));
        note_line(&all, "%.*s: %s", (int)bytes.len, bytes.data, name ? name : "-");
        th_view type = { NULL, 0 }, charset = { NULL, 0 };
        bool is_sniffed = false;
        th_content_type_parse(JOINED(&all, &text, 7, "", type_parts), &type, &charset);
        note_view(&all, type);
        note_view(&all, charset);
        const th_view payload = JOINED(&all, &other, 3, "", payloads);
        note_number(&all, (uint64_t)th_media_type(type, payload, &is_sniffed));
        note_number(&all, is_sniffed);
        note_number(&all, th_media_is_plain_text(type, payload));
        note_view(&all, th_media_type_of_document(type, payload));
        note_view(&all, th_media_type_of_page(payload));
    }
    th_buffer_done(&text);
    th_buffer_done(&other);
    expect_digest(&all, UINT64_C(0xAEF753B9A4CD1B7A));
}

/* ---- heads of responses ---- */

/* clang-format off */
static const char *const head_starts[] = { "HTTP/1.1 200 OK", "HTTP/1.0 404", "HTTP/2 200", "http/1.1 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1  301  Moved", "HTTP/1.1 1000 x", "HTTP 200", "\r\nHTTP/1.1 200 OK", "\nHTTP/1.1 204 No Content", "ICY 200 OK", "HTTP/1.1", "HTTP/", "HT", "", "<html>", "HTTP/1.1\t200 OK", "HTTP/1.1 2x0 OK" };
static const char *const head_lines[] = {
    "Content-Type: text/html; charset=utf-8", "content-type:text/plain", "Content-Type:", "Content-Type: \"text/html\"", "Content-Type : text/html", "Content-Encoding: gzip", "Content-Encoding: br, gzip", "Content-Encoding: identity", "Content-Encoding: x-gzip, foo", "Content-Encoding:", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "transfer-encoding: Chunked, chunked", "Transfer-Encoding: foo", "Content-Language: de",
    "Content-Language: ", "X: y", " folded; charset=gbk", "\tfolded", "junk", ": no name", "A\x01: b", "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip", "Content-Type: a\xFF z", "Content-Encoding: deflate", "Content-Encoding: zstd",
};
static const char *const line_ends[] = { "\r\n", "\r\n", "\r\n", "\n", "\r\r\n", "\r", "\n\r" };
/* clang-format on */

static void heads_of_responses_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 7 };
    th_buffer text = { 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        pick_some(&all, 6);
        th_buffer_reset(&text);
        th_buffer_append_text(&text, ONE(&all, head_starts));
        th_buffer_append_text(&text, ONE(&all, line_ends));
        for (uint32_t i = below(&all, 6); i; i--) {
            th_buffer_append_text(&text, ONE(&all, head_lines));
            th_buffer_append_text(&text, ONE(&all, line_ends));
        }
        th_buffer_append_text(&text, below(&all, 6) ? "\r\n<html>" : "");
        const size_t limit = below(&all, 4) ? 4096 : below(&all, 80);
        const bool is_whole = below(&all, 2);
        th_http_head head = { .status = -1 };
        const th_status status =
            th_http_head_parse(th_buffer_view(&text), limit, is_whole, &head);
        note_line(&all, "%.*s: %d %d %zu chunked %d odd %d unknown %d", (int)text.len,
                  text.data, (int)status, head.status, head.head_len, head.is_chunked,
                  head.is_malformed, head.is_coding_unknown);
        if (status != TH_OK)
            continue;
        note_view(&all, head.content_type);
        note_view(&all, head.media_type);
        note_view(&all, head.charset);
        note_view(&all, head.content_encoding);
        note_view(&all, head.content_language);
        for (uint32_t i = 0; i < head.coding_count && i < TH_HTTP_MAX_CODINGS; i++)
            note_number(&all, head.codings[i]);
        note_number(&all, head.coding_count);
    }
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0x74ADEB0772476208));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headlines_are_known),
        cmocka_unit_test(names_are_known),
        cmocka_unit_test(classes_and_addresses_are_known),
        cmocka_unit_test(formulas_are_known),
        cmocka_unit_test(tags_are_known),
        cmocka_unit_test(declared_types_are_known),
        cmocka_unit_test(heads_of_responses_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
