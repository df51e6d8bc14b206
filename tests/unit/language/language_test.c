/* The language of a page's content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "language/cld2.h"
#include "language/language.h"
#include "thresher/classifier.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

static const char german[] =
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit "
    "Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit "
    "begegnen. Jeder hat Anspruch auf die Rechte und Freiheiten dieser Erklärung.";
static const char english[] =
    "All human beings are born free and equal in dignity and rights. They are endowed "
    "with reason and conscience and should act towards one another in a spirit of "
    "brotherhood. Everyone is entitled to all the rights and freedoms set forth here.";
/* Only the full tables know it. */
static const char hawaiian[] =
    "Hānau kūʻokoʻa ʻia nā kānaka apau loa, a ua kau like ka hanohano a me nā pono "
    "kīvila ma luna o kākou pākahi. Ua kuʻu mai ka noʻonoʻo pono a me ka ʻike pono ma "
    "luna o kākou, no laila, e aloha kākou kekahi i kekahi.";
static const char hebrew[] =
    "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, "
    "לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה. כל אדם זכאי לזכויות ולחירויות "
    "שנקבעו בהכרזה זו ללא הפליה כלשהיא מטעמי גזע, צבע, מין, לשון, דת, דעה פוליטית.";

struct fixture {
    th_arena *arena;
    th_parser *parser;
    th_options opt;
    th_page *page;
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .arena = th_arena_new(0) };
    th_options_init(&f.opt);
    f.opt.classifier = "num-words";
    f.parser = th_parser_new(&f.opt);
    assert_non_null(f.arena);
    assert_non_null(f.parser);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    th_parser_free(f->parser);
    th_arena_free(f->arena);
    return 0;
}

/* A page with these paragraphs; NULL ends them. */
static void read_page(struct fixture *f, const char *head, const char *const *texts)
{
    char html[8192];
    int len = snprintf(html, sizeof html, "<html%s><body>", head);
    for (; *texts; texts++)
        len += snprintf(html + len, sizeof html - (size_t)len, "<p>%s</p>", *texts);
    const th_document document = { .bytes = { html, (size_t)len },
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(f->parser, &document, f->arena, &f->page, NULL, NULL),
                     TH_OK);
    assert_int_equal(th_segment_page(f->page, &f->opt), TH_OK);
    assert_int_equal(th_select_page(f->page, &f->opt), TH_OK);
}

static const th_languages *languages_of(struct fixture *f, const char *text)
{
    read_page(f, "", (const char *const[]){ text, NULL });
    assert_int_equal(
        th_language_page(f->page, &f->opt, (th_view){ NULL, 0 }, (th_view){ NULL, 0 }),
        TH_OK);
    return f->page->languages;
}

static void a_text_has_its_language(void **state)
{
    static const struct {
        const char *text, *tag, *iso;
    } rows[] = { { german, "de", "deu" },
                 { english, "en", "eng" },
                 { hebrew, "he", "heb" },
                 { hawaiian, "haw", "haw" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_languages *found = languages_of(*state, rows[i].text);
        if (!found->count && rows[i].text == hawaiian)
            continue; /* a library with few tables */
        assert_int_equal(found->count, 1);
        assert_true(found->is_sure);
        assert_string_equal(found->of[0].tag, rows[i].tag);
        assert_string_equal(found->of[0].iso, rows[i].iso);
        assert_in_range(found->of[0].percent, 97, 100);
        assert_true(found->of[0].score > 0);
        assert_true(found->bytes > 60);
    }
}

static void two_languages_share_a_page(void **state)
{
    struct fixture *f = *state;
    f->opt.emit = TH_EMIT_LANGUAGES;
    read_page(f, "", (const char *const[]){ german, "3", german, english, NULL });
    assert_int_equal(
        th_language_page(f->page, &f->opt, TH_VIEW("en"), TH_VIEW("http://a.de/")),
        TH_OK);
    const th_languages *found = f->page->languages;
    assert_int_equal(found->count, 2);
    assert_string_equal(found->of[0].tag, "de");
    assert_string_equal(found->of[1].tag, "en");
    assert_true(found->of[0].percent + found->of[1].percent <= 100);
    assert_int_equal(f->page->paragraph_count, 4);
    assert_string_equal(f->page->language_of[0], "de");
    assert_null(f->page->language_of[1]);
    assert_string_equal(f->page->language_of[2], "de");
    assert_string_equal(f->page->language_of[3], "en");
}

/* CLD2 stops at noncharacters, so spaces replace them. */
static void control_characters_do_no_harm(void **state)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "\x01 \x7f \xc2\x85 \xef\xb7\x90 \xef\xbf\xbf %s",
                   german);
    const th_languages *found = languages_of(*state, text);
    assert_int_equal(found->count, 1);
    assert_string_equal(found->of[0].tag, "de");
}

/* The wrapper never passes this, but it must be safe. */
static void bytes_that_are_no_utf8_have_no_language(void **state)
{
    (void)state;
    static const char bytes[] =
        "Alle Menschen sind frei \xff\xfe\xf8\x80 und gleich \xc3";
    char *copy = test_malloc(sizeof bytes - 1); /* exact size, for the sanitizers */
    memcpy(copy, bytes, sizeof bytes - 1);
    th_languages found;
    const th_cld2_hints none = { NULL, NULL };
    assert_int_equal(th_cld2_detect((th_view){ copy, sizeof bytes - 1 }, &none, &found),
                     TH_OK);
    assert_int_equal(found.count, 0);
    test_free(copy);
}

static void a_hint_decides_what_words_leave_open(void **state)
{
    static const char open_text[] =
        "Jeg har en mor og en far. Vi bor i et hus ved en park. Min bror er stor.";
    struct fixture *f = *state;
    for (int i = 0; i < 2; i++) {
        read_page(f, i ? " lang=da" : " lang=no",
                  (const char *const[]){ open_text, NULL });
        f->page->paragraph_label_of[0] = TH_CONTENT;
        assert_int_equal(th_language_page(f->page, &f->opt, (th_view){ NULL, 0 },
                                          i ? TH_VIEW("http://user@www.a.dk:80/x?b.de")
                                            : TH_VIEW("https://a.no")),
                         TH_OK);
        assert_int_equal(f->page->languages->count, 1);
        assert_string_equal(f->page->languages->of[0].tag, i ? "da" : "no");
    }
}

/* Invalid hints must also do no harm. */
static void odd_hints_are_left_out(void **state)
{
    static const char *const urls[] = { "",
                                        "x",
                                        "://",
                                        "http://",
                                        "http://.",
                                        "http://de",
                                        "http://a.",
                                        "http://a.1",
                                        "http://a.longer-than-a-label/",
                                        "http://[::1]:80/" };
    struct fixture *f = *state;
    char endless[300];
    memset(endless, 'a', sizeof endless);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        read_page(f, " lang='\xc3\xa4\x01,,;'", (const char *const[]){ german, NULL });
        assert_int_equal(
            th_language_page(f->page, &f->opt,
                             (th_view){ endless, i % 2 ? sizeof endless : 64 },
                             (th_view){ urls[i], strlen(urls[i]) }),
            TH_OK);
        assert_string_equal(f->page->languages->of[0].tag, "de");
    }
}

/* The sample has the longest paragraphs, in parts, and no more bytes than asked for. */
static void only_so_many_bytes_are_looked_at(void **state)
{
    struct fixture *f = *state;
    char long_german[3 * sizeof german];
    (void)snprintf(long_german, sizeof long_german, "%s %s %s", german, german, german);
    for (uint32_t bytes = 64; bytes <= 4096; bytes += 31) {
        th_arena_reset(f->arena);
        f->opt.language_bytes = bytes;
        read_page(f, "",
                  (const char *const[]){ "About us.", "News", english, "Shop",
                                         long_german, "About us.", "News", "Shop",
                                         "Terms of use", "Contact", "Jobs", NULL });
        for (uint32_t i = 0; i < f->page->paragraph_count; i++)
            f->page->paragraph_label_of[i] = TH_CONTENT;
        assert_int_equal(
            th_language_page(f->page, &f->opt, TH_VIEW(""), TH_VIEW("http://a.org")),
            TH_OK);
        assert_true(f->page->languages->bytes <= bytes + 8); /* CLD2 adds spaces */
        if (bytes >= 256)
            assert_int_equal(f->page->languages->count, 2);
        if (bytes >= 1024) {
            assert_string_equal(f->page->languages->of[0].tag, "de");
            assert_string_equal(f->page->languages->of[1].tag, "en");
        }
    }
}

/* A quarter is enough if it is surely in one language. */
static void a_clear_page_is_looked_at_once(void **state)
{
    struct fixture *f = *state;
    char long_german[6 * sizeof german];
    (void)snprintf(long_german, sizeof long_german, "%s %s %s %s %s", german, german,
                   german, german, german);
    assert_string_equal(languages_of(f, long_german)->of[0].tag, "de");
    assert_in_range(f->page->languages->bytes, 180, 256 + 8);
    assert_in_range(f->page->languages->of[0].percent, 97, 100);
}

/* A sample has no boilerplate. */
static void boilerplate_is_not_looked_at(void **state)
{
    struct fixture *f = *state;
    read_page(f, "", (const char *const[]){ german, english, english, NULL });
    f->page->paragraph_label_of[0] = TH_BOILERPLATE;
    assert_int_equal(
        th_language_page(f->page, &f->opt, (th_view){ NULL, 0 }, (th_view){ NULL, 0 }),
        TH_OK);
    assert_int_equal(f->page->languages->count, 1);
    assert_string_equal(f->page->languages->of[0].tag, "en");
}

/* Paragraphs of the content have normalized labels, and the page has their shares. */
static void paragraphs_have_labels(void **state)
{
    static const char chinese[] =
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，"
        "并应以兄弟关系的精神相对待。";
    static const struct {
        const char *label;
        bool is_sure;
    } rows[] = { { "deu_Latn", true },
                 { "und", false }, /* too short */
                 { "eng_Latn", true },
                 { "heb_Hebr", true },
                 { "zho_Hans", true } };
    struct fixture *f = *state;
    read_page(
        f, "",
        (const char *const[]){ german, "kurz", english, hebrew, chinese, english, NULL });
    memset(f->page->paragraph_label_of, TH_CONTENT, 5);
    f->page->paragraph_label_of[5] = TH_BOILERPLATE;
    f->opt.emit = TH_EMIT_PARAGRAPH_LANGUAGES;
    assert_int_equal(th_language_page(f->page, &f->opt, TH_VIEW(""), TH_VIEW("")), TH_OK);
    assert_int_equal(f->page->paragraph_language_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const th_paragraph_language *found = &f->page->paragraph_languages[i];
        assert_string_equal(found->label, rows[i].label);
        assert_int_equal(found->is_sure, rows[i].is_sure);
        assert_int_equal(found->paragraph, i);
        assert_false(found->has_score);
    }
    assert_null(f->page->language_of);
    assert_null(f->page->language_shares);
    f->opt.emit = TH_EMIT_LANGUAGES;
    assert_int_equal(th_language_page(f->page, &f->opt, TH_VIEW(""), TH_VIEW("")), TH_OK);
    assert_string_equal(f->page->language_of[5], "en");
    assert_int_equal(f->page->language_share_count, 5);
    double sum = 0;
    for (uint32_t i = 0; i < 5; i++)
        sum += f->page->language_shares[i].share;
    assert_true(sum > .99999 && sum < 1.00001);
}

static void a_page_without_content_has_none(void **state)
{
    assert_int_equal(languages_of(*state, "")->count, 0);
}

static void nobody_asks_nobody_looks(void **state)
{
    struct fixture *f = *state;
    f->opt.language_detector = "none";
    assert_null(languages_of(f, german));
    assert_null(f->page->language_of);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_text_has_its_language),
        TEST(two_languages_share_a_page),
        TEST(control_characters_do_no_harm),
        TEST(bytes_that_are_no_utf8_have_no_language),
        TEST(a_hint_decides_what_words_leave_open),
        TEST(odd_hints_are_left_out),
        TEST(only_so_many_bytes_are_looked_at),
        TEST(a_clear_page_is_looked_at_once),
        TEST(boilerplate_is_not_looked_at),
        TEST(paragraphs_have_labels),
        TEST(a_page_without_content_has_none),
        TEST(nobody_asks_nobody_looks),
    };
    if (!th_cld2_is_built) {
        puts("built without CLD2: skipped");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
