/* A user's model as the first detector of a page's language, without CLD2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "language/fasttext.h"
#include "language/language.h"
#include "thresher/classifier.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

struct fixture {
    th_arena *arena;
    th_parser *parser;
    th_fasttext *model;
    th_options opt;
    th_page *page;
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .arena = th_arena_new(0) };
    th_options_init(&f.opt);
    f.opt.classifier = "keep-all";
    f.opt.language_detector = "fasttext";
    f.parser = th_parser_new(&f.opt);
    assert_int_equal(th_fasttext_load(TH_DATA "/fasttext/tree.bin", &f.model, NULL),
                     TH_OK);
    f.opt.fasttext = f.model;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    th_parser_free(f->parser);
    th_fasttext_free(f->model);
    th_arena_free(f->arena);
    return 0;
}

static void detect(struct fixture *f, const char *html)
{
    const th_document document = { .bytes = { html, strlen(html) },
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(f->parser, &document, f->arena, &f->page, NULL, NULL),
                     TH_OK);
    assert_int_equal(th_segment_page(f->page, &f->opt), TH_OK);
    assert_int_equal(th_select_page(f->page, &f->opt), TH_OK);
    assert_int_equal(th_language_page(f->page, &f->opt, TH_VIEW("fr"), TH_VIEW("")),
                     TH_OK);
}

static const char pages[] = "<p>die Leute dieser Stadt leben in alten Häusern an der See"
                            "<p>люди этого города родились свободными и живут"
                            "<p>die Leute";

static void the_label_is_the_language(void **state)
{
    struct fixture *f = *state;
    detect(f, "<p>die Leute dieser Stadt leben in alten Häusern an der See");
    const th_languages *found = f->page->languages;
    assert_int_equal(found->count, 1);
    assert_string_equal(found->of[0].tag, "de");
    assert_string_equal(found->of[0].iso, "deu");
    assert_true(found->is_sure);
    assert_false(found->has_shares);
    assert_string_equal(f->page->second_language->name, "de");
    assert_string_equal(f->page->second_language->script, "Latn");
    assert_null(f->page->paragraph_languages);
    assert_null(f->page->language_of);
}

static void paragraphs_have_labels_and_scores(void **state)
{
    static const char *const labels[] = { "deu_Latn", "rus_Cyrl", "deu_Latn" };
    struct fixture *f = *state;
    f->opt.emit = TH_EMIT_LANGUAGES | TH_EMIT_PARAGRAPH_LANGUAGES;
    detect(f, pages);
    assert_int_equal(f->page->paragraph_language_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const th_paragraph_language *found = &f->page->paragraph_languages[i];
        assert_string_equal(found->label, labels[i]);
        assert_true(found->has_score);
        assert_true(found->score > 0 && found->score <= 1);
        assert_int_equal(found->is_sure, found->score >= .5);
    }
    assert_string_equal(f->page->language_of[0], "de");
    assert_string_equal(f->page->language_of[1], "ru");
    assert_int_equal(f->page->language_share_count, 2);
    assert_string_equal(f->page->language_shares[0].label, "deu_Latn");
}

/* As a second detector it changes nothing about the first. */
static void without_a_first_detector_paragraphs_have_none(void **state)
{
    struct fixture *f = *state;
    f->opt.language_detector = "none";
    f->opt.emit = TH_EMIT_LANGUAGES | TH_EMIT_PARAGRAPH_LANGUAGES;
    detect(f, pages);
    assert_null(f->page->languages);
    assert_null(f->page->paragraph_languages);
    assert_string_equal(f->page->second_language->iso, "deu");
}

static void a_page_without_content_has_none(void **state)
{
    struct fixture *f = *state;
    f->opt.emit = TH_EMIT_LANGUAGES | TH_EMIT_PARAGRAPH_LANGUAGES;
    detect(f, "");
    assert_int_equal(f->page->paragraph_language_count, 0);
    assert_null(f->page->language_shares);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_label_is_the_language),
        TEST(paragraphs_have_labels_and_scores),
        TEST(without_a_first_detector_paragraphs_have_none),
        TEST(a_page_without_content_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
