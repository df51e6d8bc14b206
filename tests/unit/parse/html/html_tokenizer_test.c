/*
 * src/parse/html/html_tokenizer.c, html_machine.c, html_doctype.c, html_script.c,
 * html_scan*.c: cases in addition to html5lib's (tests/conform/html_tokenizer.c). Every row
 * is valid in one piece, cut once at every byte, in pieces of 1 to 3 bytes, and with every
 * width of search.
 */
#include "parse/html/html_tokenizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "token_record.h"

/* After a tag, so that the scanner reads it, and not at the end. */
#define FILLER "................................................................"

static const struct row {
    const char *name, *in, *want; /* see token_record.h */
} rows[] = {
    /* clang-format off */
    { "nothing",                 "",                              "" },
    { "text",                    "a",                             "{a}" },
    { "less-than is text",       "a < b <3 <= c <",               "{a < b <3 <= c <}" },
    { "less-than slash at end",  "a</",                           "{a</}" },
    { "newlines",                "a\r\nb\rc\r\r\nd\n\re\r",       "{a\nb\nc\n\nd\n\ne\n}" },

    { "tags",                    "<p>x</p>" FILLER,               "<p>{x}</p>{" FILLER "}" },
    { "capitals",                "<DIV Class=A>x</Div><X-Y Zz>" FILLER, "<div class=\"A\">{x}</div><x-y zz=\"\">{" FILLER "}" },
    { "long name",               "<abcdefghijklmnopqrstuvwxyz-abcdefghijklmnop a>" FILLER, "<abcdefghijklmnopqrstuvwxyz-abcdefghijklmnop a=\"\">{" FILLER "}" },
    { "name of 15, 16, 17",      "<abcdefghijklmno><abcdefghijklmnop><abcdefghijklmnopq>" FILLER, "<abcdefghijklmno><abcdefghijklmnop><abcdefghijklmnopq>{" FILLER "}" },
    { "unfinished tag",          "x<p a=1 b",                     "{x}" },
    { "unfinished value",        "x<p a='1>y",                    "{x}" },
    { "unfinished end tag",      "x</p",                          "{x}" },
    { "self-closing",            "<br/><br /><br / ><br a=/><br a=b/>" FILLER, "<br/><br/><br><br a=\"/\"><br a=\"b/\">{" FILLER "}" },
    { "slash between",           "<a/b/c=d/>" FILLER,             "<a b=\"\" c=\"d/\">{" FILLER "}" },
    { "quotes of all kinds",     "<a b=1 c='2 3' d=\"4>5\" e = f g>" FILLER, "<a b=\"1\" c=\"2 3\" d=\"4>5\" e=\"f\" g=\"\">{" FILLER "}" },
    { "no space after a value", "<a b='1'c=\"2\"d>" FILLER,      "<a b=\"1\" c=\"2\" d=\"\">{" FILLER "}" },
    { "blanks everywhere",       "<a\t\n\f\r\nb\r=\n'c'\f\t>" FILLER, "<a b=\"c\">{" FILLER "}" },
    { "odd names",               "<a =b==c '\"<=d @e:f.g=h>" FILLER, "<a =b=\"=c\" '\"<=\"d\" @e:f.g=\"h\">{" FILLER "}" },
    { "missing value",           "<a b=>x<a b= >" FILLER,         "<a b=\"\">{x}<a b=\"\">{" FILLER "}" },
    { "duplicates",              "<a B=1 b=2 c b='3' C=4>" FILLER, "<a b=\"1\" c=\"\">{" FILLER "}" },
    { "control in a name",       "<a\1b \2c\3=d\4>" FILLER,       "<a\1b \2c\3=\"d\4\">{" FILLER "}" },
    { "attributes of an end tag", "</p a=1 a='>' b/>" FILLER,     "</p>{" FILLER "}" },
    { "newlines in values",      "<a b='1\r\n2\r3\n4\r'>" FILLER, "<a b=\"1\n2\n3\n4\n\">{" FILLER "}" },
    { "no UTF-8",                "<a\xFF \xC3=\xE4>\x80" FILLER,  "<a\xFF \xC3=\"\xE4\">{\x80" FILLER "}" },

    { "references",              "a&lt;b&ampc&notit;&notin;&hearts&#65;&#x42;&#X43&#128;&", "{a<b&c\u00AC" "it;\u2209&heartsABC\u20AC&}" },
    { "no references",           "&;& &#;&#x;&#xg;&a;&unknown;&1", "{&;& &#;&#x;&#xg;&a;&unknown;&1}" },
    { "codes out of range",      "&#0;&#xD800;&#x110000;&#99999999999999999999;&#13;&#x81;", "{\uFFFD\uFFFD\uFFFD\uFFFD\r\xC2\x81}" },
    { "two code points",         "&nGt;&NotEqualTilde;",          "{\u226B\u20D2\u2242\u0338}" },
    { "longest name",            "&CounterClockwiseContourIntegral;&CounterClockwiseContourIntegra;", "{\u2233&CounterClockwiseContourIntegra;}" },
    { "references in values",    "<a b='?x=1&copy=2&copyz&copy;&amp&amp;' c=&lt;d&lt e=\"&#x26;&\">" FILLER, "<a b=\"?x=1&copy=2&copyz\u00A9&&\" c=\"<d<\" e=\"&&\">{" FILLER "}" },
    { "reference at a value's end", "<a b='&copy' c=\"&lt\" d=&gt>" FILLER, "<a b=\"\u00A9\" c=\"<\" d=\">\">{" FILLER "}" },

    { "comments",                "a<!--b-->c<!---->d<!-->e<!--->f<!--g--!>h<!----!>i", "{a}(--b--){c}(----){d}(----){e}(----){f}(--g--){h}(----){i}" },
    { "dashes in comments",      "<!-- - -- --- > -> --! ---><!--<!--a--><!--b<!-->c", "(-- - -- --- > -> --! ---)(--<!--a--)(--b<!--){c}" },
    { "unfinished comments",     "<!--a--",                       "(--a--)" },
    { "unfinished declaration",  "<!doc",                         "(--doc--)" },
    { "bogus comments",          "<!a><?b?></ c><!><!-x></>d<![if IE]>", "(--a--)(--?b?--)(-- c--)(----)(---x--){d}(--[if IE]--)" },
    { "doctypes",                "<!DOCTYPE Html><!doctype a PUBLIC \"b\" 'c'><!DOCTYPE a SYSTEM 'd'><!doctype><!doctype a b>", "(!html,~,~)(!a,b,c)(!a,~,d)(!~,~,~?)(!a,~,~?)" },
    { "unfinished doctype",      "<!doctype a publi",             "(!a,~,~?)" },
    { "CDATA in HTML",           "<![CDATA[a]]>",                 "(--[CDATA[a]]--)" },

    { "title",                   "<title>a<b>&amp;</titl></title>c</title>", "<title>{a<b>&</titl>}</title>{c}</title>" },
    { "title's end tag",         "<TITLE>a</tItLe\n x>" FILLER,   "<title>{a}</title>{" FILLER "}" },
    { "title unfinished",        "<title>a</title",               "<title>{a</title}" },
    { "style",                   "<style>a<b>&amp;</styles></style/>c", "<style>{a<b>&amp;</styles>}</style>{c}" },
    { "plaintext",               "<plaintext>a</plaintext>&lt;",  "<plaintext>{a</plaintext>&lt;}" },
    { "script",                  "<script>if(a<b)'</scrip>'</script>c", "<script>{if(a<b)'</scrip>'}</script>{c}" },
    { "script escaped",          "<script><!-- a </script>b",     "<script>{<!-- a }</script>{b}" },
    { "script escaped twice",    "<script><!--<script></script>a--></script>b", "<script>{<!--<script></script>a-->}</script>{b}" },
    { "script escaped, other word", "<script><!--<scripty></script>b", "<script>{<!--<scripty>}</script>{b}" },
    { "script escape ends",      "<script><!--<script--></script>b", "<script>{<!--<script-->}</script>{b}" },
    { "script escape at once",   "<script><!--><script></script>b", "<script>{<!--><script>}</script>{b}" },
    { "script twice, then once", "<script><!--<script >x</script >y</script>z", "<script>{<!--<script >x</script >y}</script>{z}" },
    { "script, letter of another case", "<script><!--<sCRIPt>x</SCRIpt>y</scRIPT>z", "<script>{<!--<sCRIPt>x</SCRIpt>y}</script>{z}" },
    /* clang-format on */
};

enum { ROWS = sizeof rows / sizeof *rows };

static th_html_tokenizer *make(uint32_t max_attributes, uint32_t max_tag, int search)
{
    const th_html_limits limits = { .max_attributes = max_attributes,
                                    .max_tag = max_tag,
                                    .search = (th_html_search)search };
    th_html_tokenizer *tokenizer = th_html_tokenizer_new(&limits);
    assert_non_null(tokenizer);
    return tokenizer;
}

static void check(th_html_tokenizer *tokenizer, const th_token_record *how,
                  th_html_content content, th_view last, th_view page, th_view want,
                  size_t first, size_t piece)
{
    th_token_record record = *how;
    th_token_record_run(&record, tokenizer, &th_token_record_sink, content, last, page,
                        first, piece);
    if (record.out.len != want.len ||
        (want.len && memcmp(record.out.data, want.data, want.len) != 0))
        fail_msg("cut at %zu, then %zu: '%.*s', not '%.*s'", first, piece,
                 (int)record.out.len, record.out.data ? record.out.data : "",
                 (int)want.len, want.data);
    th_buffer_done(&record.out);
}

static void check_every_cut(const th_token_record *how, th_html_content content,
                            th_view last, th_view page, th_view want)
{
    for (int search = TH_HTML_SEARCH_BEST; search <= TH_HTML_SEARCH_32; search++) {
        th_html_tokenizer *tokenizer = make(64, 4096, search);
        for (size_t piece = 0; piece <= 3; piece++)
            check(tokenizer, how, content, last, page, want, piece, piece);
        for (size_t cut = 1; cut < page.len; cut++)
            check(tokenizer, how, content, last, page, want, cut, 0);
        th_html_tokenizer_free(tokenizer);
    }
}

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_token_record how = { .content_of = th_token_record_html_content };
    check_every_cut(&how, TH_HTML_DATA, (th_view){ 0 }, view_of(row->in),
                    view_of(row->want));
}

/* NUL is text in data and CDATA, where tree construction decides, else U+FFFD. */
static void nul_is_replaced_where_it_must(void **state)
{
    (void)state;
    static const struct {
        th_html_content content;
        th_view last, in, want;
    } cases[] = {
        { TH_HTML_DATA, TH_VIEW_INIT(""),
          TH_VIEW_INIT("a\0\0b<p\0 c\0=\0 d='\0'>" FILLER),
          TH_VIEW_INIT("{a\0\0b}<p\uFFFD c\uFFFD=\"\uFFFD\" d=\"\uFFFD\">{" FILLER "}") },
        { TH_HTML_DATA, TH_VIEW_INIT(""),
          TH_VIEW_INIT("<!--\0--><!\0><!doctype \0 public '\0'>"),
          TH_VIEW_INIT("(--\uFFFD--)(--\uFFFD--)(!\uFFFD,\uFFFD,~)") },
        { TH_HTML_RCDATA, TH_VIEW_INIT("title"), TH_VIEW_INIT("a\0b</title\0></title>\0"),
          TH_VIEW_INIT("{a\uFFFDb</title\uFFFD>}</title>{\0}") },
        { TH_HTML_RAWTEXT, TH_VIEW_INIT("xmp"), TH_VIEW_INIT("\0a</xmp>\0"),
          TH_VIEW_INIT("{\uFFFDa}</xmp>{\0}") },
        { TH_HTML_SCRIPT_DATA, TH_VIEW_INIT("script"),
          TH_VIEW_INIT("\0<!--\0<script\0></script>\0"),
          TH_VIEW_INIT("{\uFFFD<!--\uFFFD<script\uFFFD>}</script>{\0}") },
        { TH_HTML_PLAINTEXT, TH_VIEW_INIT(""), TH_VIEW_INIT("\0\r\0"),
          TH_VIEW_INIT("{\uFFFD\n\uFFFD}") },
        { TH_HTML_CDATA, TH_VIEW_INIT(""), TH_VIEW_INIT("\0]\0]]\0]]]>\0"),
          TH_VIEW_INIT("{\0]\0]]\0]\0}") },
    };
    const th_token_record how = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_every_cut(&how, cases[i].content, cases[i].last, cases[i].in,
                        cases[i].want);
}

static void cdata_is_text_in_foreign_content(void **state)
{
    (void)state;
    const th_token_record how = { .is_foreign = true };
    check_every_cut(&how, TH_HTML_DATA, (th_view){ 0 },
                    TH_VIEW("<![CDATA[a<b>&lt;]]x]]]>c<![CDATA[\r\n]]>]]>"
                            "<![cdata[x]]><![CDATA[y]"),
                    TH_VIEW("{a<b>&lt;]]x]c\n]]>}(--[cdata[x]]--){y]}"));
}

/* An end tag ends raw text only if it is the expected one, or no tag was expected. */
static void the_end_tag_is_that_of_the_start_tag(void **state)
{
    (void)state;
    const th_token_record how = { 0 };
    check_every_cut(&how, TH_HTML_RCDATA, TH_VIEW("xmp"), TH_VIEW("a</title></xmp>b"),
                    TH_VIEW("{a</title>}</xmp>{b}"));
    check_every_cut(&how, TH_HTML_RAWTEXT, (th_view){ 0 }, TH_VIEW("a</></title></"),
                    TH_VIEW("{a</></title></}"));
    check_every_cut(&how, TH_HTML_RAWTEXT, TH_VIEW("h1"), TH_VIEW("a</h1>"),
                    TH_VIEW("{a</h1>}"));
}

/* Searches of every length end at the same byte, at any location in a block. */
static void every_distance_is_found(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "%s<p>%s&amp;%s\r%s",
        "<a %s=1 b='%s' c=\"%s&lt;%s\">",
        "<%sx %sA y=%s&gt;%s z>",
        "<style>%s</style>%s<title>%s&lt;%s</title>",
        "<script>%s<!--%s-%s--%s</script>",
    };
    char fill[80];
    char page[512];
    for (size_t len = 0; len < sizeof fill; len++) {
        memset(fill, 'x', len);
        fill[len] = '\0';
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            th_token_record want = { .content_of = th_token_record_html_content };
            const char *name = len ? fill : "a";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            const int page_len =
                snprintf(page, sizeof page, shapes[i], name, name, name, name);
#pragma GCC diagnostic pop
            assert_in_range(page_len, 1, sizeof page - 1);
            th_html_tokenizer *tokenizer = make(64, 4096, TH_HTML_SEARCH_PORTABLE);
            const th_view view = { page, (size_t)page_len };
            th_token_record_run(&want, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                                (th_view){ 0 }, view, 1, 1);
            th_html_tokenizer_free(tokenizer);
            const th_token_record how = { .content_of = th_token_record_html_content };
            for (int search = 0; search <= TH_HTML_SEARCH_32; search++) {
                tokenizer = make(64, 4096, search);
                check(tokenizer, &how, TH_HTML_DATA, (th_view){ 0 }, view,
                      th_buffer_view(&want.out), 0, 0);
                th_html_tokenizer_free(tokenizer);
            }
            th_buffer_done(&want.out);
        }
    }
}

/* ---- random tags ---- */

static unsigned below(unsigned count)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % count;
}

#define ANY_OF(words) (words)[below(sizeof(words) / sizeof *(words))]

/* Attributes as most pages write them, some otherwise, some twice, some long. */
static void put_random_tag(th_buffer *page)
{
    static const char *const between[] = { " ", " ", " ", " ", "  ", "\n", "/", "" };
    static const char *const names[] = {
        "a", "b", "id", "class", "href", "title", "data-x", "aria-label", "Id", "c\r"
    };
    static const char *const marks[] = { "=", "=", "=", "=", " = ", "" };
    static const char *const values[] = {
        "\"x\"",   "\"\"",     "\"a b\"",
        "'y'",     "z",        "\"a&amp;b\"",
        "\"a&b\"", "\"c\rd\"", "\"0123456789012345678901234567890123456789\"",
    };
    th_buffer_append_text(page, below(8) ? "<p" : "</p");
    for (unsigned left = below(7) ? below(4) : below(30); left; left--) {
        th_buffer_append_text(page, ANY_OF(between));
        th_buffer_append_text(page, ANY_OF(names));
        if (!below(4)) /* many different names */
            th_buffer_append_char(page, (char)('a' + (int)below(26)));
        th_buffer_append_text(page, ANY_OF(marks));
        th_buffer_append_text(page, ANY_OF(values));
    }
    th_buffer_append_text(page, below(8) ? ">" : "/>");
}

/* The scanner reads tags at once, the machine byte by byte. */
static void scanner_and_machine_read_the_same(void **state)
{
    (void)state;
    enum { ROUNDS = 300, TAGS = 10 };
    const th_token_record how = { 0 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t max_attributes = round % 3 ? 64 : 5;
        const uint32_t max_tag = round % 4 ? 4096 : 90;
        th_buffer page = { 0 };
        for (unsigned i = 0; i < TAGS; i++)
            put_random_tag(&page);
        for (unsigned i = 0; i < 8; i++)
            th_buffer_append_text(&page, FILLER);
        th_token_record want = how;
        th_html_tokenizer *tokenizer =
            make(max_attributes, max_tag, TH_HTML_SEARCH_PORTABLE);
        th_token_record_run(&want, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                            (th_view){ 0 }, th_buffer_view(&page), 1, 1);
        th_html_tokenizer_free(tokenizer);
        for (int search = 0; search <= TH_HTML_SEARCH_32; search++) {
            tokenizer = make(max_attributes, max_tag, search);
            check(tokenizer, &how, TH_HTML_DATA, (th_view){ 0 }, th_buffer_view(&page),
                  th_buffer_view(&want.out), 0, 0);
            th_html_tokenizer_free(tokenizer);
        }
        th_buffer_done(&want.out);
        th_buffer_done(&page);
    }
}

/* ---- limits ---- */

static void check_limited(uint32_t max_attributes, uint32_t max_tag, const char *in,
                          const char *want)
{
    const th_token_record how = { 0 };
    for (int search = TH_HTML_SEARCH_BEST; search <= TH_HTML_SEARCH_32; search++) {
        th_html_tokenizer *tokenizer = make(max_attributes, max_tag, search);
        for (size_t piece = 0; piece <= strlen(in); piece++)
            check(tokenizer, &how, TH_HTML_DATA, (th_view){ 0 }, view_of(in),
                  view_of(want), piece, piece);
        th_html_tokenizer_free(tokenizer);
    }
}

static void attributes_over_the_limits_go_and_text_stays(void **state)
{
    (void)state;
    check_limited(
        2, 4096, "<a b c>x<a b c b=1 c>y<a b c d e>z</a b c d>" FILLER,
        "<a b=\"\" c=\"\">{x}<a b=\"\" c=\"\">{y}<a b=\"\" c=\"\"!>{z}</a>{" FILLER "}");
    /* Text that fits after text that does not fit is kept. */
    check_limited(9, 16, "<p a=0123456789012 b=1 c='0123456789012345' d=2>x" FILLER,
                  "<p a=\"0123456789012\"!>{x" FILLER "}");
    check_limited(9, 16, "<p c='0123456789012345678&lt;9' d=2 E=3 A='&lt;'>x" FILLER,
                  "<p d=\"2\" e=\"3\" a=\"<\"!>{x" FILLER "}");
    check_limited(9, 16, "<p abcdefghijklmnopq=1 ABCDEFGHIJKLMNOPQR d>x" FILLER,
                  "<p d=\"\"!>{x" FILLER "}");
    check_limited(9, 16, "<abcdefghijklmnopqr>x</abcdefghijklmnopqr a>y" FILLER,
                  "<abcdefghijklmnop!>{x}</abcdefghijklmnop!>{y" FILLER "}");
    check_limited(9, 16, "<!--0123456789abcdefghi-->x<!0123456789abcdefghi>y" FILLER,
                  "(--0123456789abcdef--){x}(--0123456789abcdef--){y" FILLER "}");
    check_limited(9, 16, "<!doctype html public '0123456789abcdef' 'x'>y" FILLER,
                  "(!html,0123456789ab,){y" FILLER "}");
}

/* Many attributes: duplicates are found among many as among few. */
static void duplicates_are_found_among_many(void **state)
{
    (void)state;
    enum { NAMES = 300 };
    th_buffer page = { 0 };
    th_buffer want = { 0 };
    th_buffer_append_text(&page, "<p");
    th_buffer_append_text(&want, "<p");
    for (int i = 0; i < NAMES; i++) {
        const int name = i * 7919 % NAMES;
        th_buffer_printf(&page, " a%d=%d A%d=x", name, i, name);
        th_buffer_printf(&want, " a%d=\"%d\"", name, i);
    }
    for (int i = 0; i < NAMES; i++)
        th_buffer_printf(&page, " a%d=y", i);
    th_buffer_append_text(&page, ">" FILLER);
    th_buffer_append_text(&want, ">{" FILLER "}");
    const th_token_record how = { 0 };
    for (int search = TH_HTML_SEARCH_BEST; search <= TH_HTML_SEARCH_32; search++) {
        th_html_tokenizer *tokenizer = make(NAMES, 65536, search);
        for (size_t piece = 0; piece < 70; piece += 23)
            check(tokenizer, &how, TH_HTML_DATA, (th_view){ 0 }, th_buffer_view(&page),
                  th_buffer_view(&want), piece, piece);
        th_html_tokenizer_free(tokenizer);
    }
    th_buffer_done(&page);
    th_buffer_done(&want);
}

/* ---- what the sink sees ---- */

static th_view fed; /* the piece that is being fed */
static size_t copied;

static bool is_in_piece(th_view view)
{
    return view.data >= fed.data && view.data + view.len <= fed.data + fed.len;
}

static th_html_content note_start_tag(void *context, const th_html_tag *tag)
{
    (void)context;
    copied += !is_in_piece(tag->name);
    for (size_t i = 0; i < tag->attr_count; i++)
        copied += !is_in_piece(tag->attrs[i].name) || !is_in_piece(tag->attrs[i].value);
    return TH_HTML_DATA;
}

static void note_end_tag(void *context, const th_html_tag *tag)
{
    (void)context;
    copied += !is_in_piece(tag->name);
}

static void note_text(void *context, const char *bytes, size_t len)
{
    (void)context;
    copied += !is_in_piece((th_view){ bytes, len });
}

static bool answer_no(void *context)
{
    (void)context;
    return false;
}

static void what_stands_ready_is_not_copied(void **state)
{
    (void)state;
    static const th_html_sink sink = { .start_tag = note_start_tag,
                                       .end_tag = note_end_tag,
                                       .text = note_text,
                                       .is_foreign = answer_no };
    fed = TH_VIEW("<div class='a b' id=x href=\"?a=1&b=2&\">text < & text\r\nmore</div>"
                  "<custom-element data-x=1>x</custom-element></DIV>" FILLER);
    for (int search = TH_HTML_SEARCH_BEST; search <= TH_HTML_SEARCH_32; search++) {
        th_html_tokenizer *tokenizer = make(64, 4096, search);
        copied = 0;
        th_html_tokenizer_begin(tokenizer, &sink, NULL, NULL, TH_HTML_DATA,
                                (th_view){ 0 });
        assert_int_equal(th_html_tokenizer_feed(tokenizer, fed.data, fed.len), TH_OK);
        assert_int_equal(th_html_tokenizer_finish(tokenizer), TH_OK);
        assert_int_equal(copied, 1); /* "DIV" */
        th_html_tokenizer_free(tokenizer);
    }
}

static void long_text_comes_in_bites_and_can_be_stopped(void **state)
{
    (void)state;
    enum { LEN = 1000000, BITE = 64 << 10 };
    char *page = malloc(LEN);
    assert_non_null(page);
    memset(page, 'x', LEN);
    memcpy(page, "<p><b>", 6);
    th_html_tokenizer *tokenizer = make(64, 4096, TH_HTML_SEARCH_BEST);
    th_token_record record = { 0 };
    th_token_record_run(&record, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                        (th_view){ 0 }, (th_view){ page, LEN }, 0, 0);
    assert_int_equal(record.longest_text, BITE);
    assert_int_equal(record.out.len, LEN + 2);
    record.stop_after = 1;
    th_token_record_run(&record, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                        (th_view){ 0 }, (th_view){ page, LEN }, 0, 0);
    assert_int_equal(record.out.len, 3);
    record.stop_after = 2;
    th_token_record_run(&record, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                        (th_view){ 0 }, (th_view){ page, LEN }, 0, 7);
    assert_int_equal(record.out.len, 6);
    th_buffer_done(&record.out);
    th_html_tokenizer_free(tokenizer);
    free(page);
}

/* A page that ended anywhere leaves nothing to the next. */
static void a_page_begins_afresh(void **state)
{
    (void)state;
    static const char page[] = "<title>a&am</titl<script><!--<script>x\r<p a='&\r";
    const th_token_record how = { .content_of = th_token_record_html_content };
    th_html_tokenizer *tokenizer = make(64, 4096, TH_HTML_SEARCH_BEST);
    for (size_t len = 0; len <= sizeof page; len++)
        for (int is_title = 0; is_title < 2; is_title++) {
            th_token_record record = how;
            const size_t skip = is_title ? 0 : 17;
            if (len < skip)
                continue;
            th_token_record_run(&record, tokenizer, &th_token_record_sink, TH_HTML_DATA,
                                (th_view){ 0 }, (th_view){ page + skip, len - skip }, 0,
                                0);
            th_buffer_done(&record.out);
            check(tokenizer, &how, TH_HTML_DATA, (th_view){ 0 }, TH_VIEW("\n<p>x]]>"),
                  TH_VIEW("{\n}<p>{x]]>}"), 0, 0);
        }
    th_html_tokenizer_free(tokenizer);
}

/* Without the two callbacks the rest is the same. */
static void comments_may_be_unwanted(void **state)
{
    (void)state;
    const th_view page = TH_VIEW("a<!doctype b>c<!-- - -- -->d<!x>e<!--f-->g<p>h<!-- i");
    for (size_t piece = 0; piece < page.len; piece++) {
        th_html_tokenizer *tokenizer = make(64, 16, TH_HTML_SEARCH_BEST);
        th_token_record record = { 0 };
        th_token_record_run(&record, tokenizer, &th_token_record_text_sink, TH_HTML_DATA,
                            (th_view){ 0 }, page, piece, piece);
        const th_view want = TH_VIEW("{acdeg}<p>{h}");
        assert_int_equal(record.out.len, want.len);
        assert_memory_equal(record.out.data, want.data, want.len);
        th_buffer_done(&record.out);
        th_html_tokenizer_free(tokenizer);
    }
}

int main(void)
{
    static const struct CMUnitTest properties[] = {
        cmocka_unit_test(nul_is_replaced_where_it_must),
        cmocka_unit_test(cdata_is_text_in_foreign_content),
        cmocka_unit_test(the_end_tag_is_that_of_the_start_tag),
        cmocka_unit_test(every_distance_is_found),
        cmocka_unit_test(attributes_over_the_limits_go_and_text_stays),
        cmocka_unit_test(scanner_and_machine_read_the_same),
        cmocka_unit_test(duplicates_are_found_among_many),
        cmocka_unit_test(what_stands_ready_is_not_copied),
        cmocka_unit_test(long_text_comes_in_bites_and_can_be_stopped),
        cmocka_unit_test(a_page_begins_afresh),
        cmocka_unit_test(comments_may_be_unwanted),
    };
    enum { PROPERTIES = sizeof properties / sizeof *properties };
    struct CMUnitTest tests[ROWS + PROPERTIES];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)&rows[i] };
    memcpy(tests + ROWS, properties, sizeof properties);
    return cmocka_run_group_tests_name("html_tokenizer", tests, NULL, NULL);
}
