/* Selectors and the elements that fit them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "content/node_selector.h"
#include "page/class_word.h"

enum { WORDS = 6 };

/* "li.post#post": the words of an element in the same writing, without a tag. */
static uint32_t words_of(const char *text, uint32_t words[WORDS])
{
    uint32_t count = 0;
    while (*text) {
        const unsigned place = *text == '.'   ? TH_WORD_IN_CLASS
                               : *text == '#' ? TH_WORD_IN_ID
                                              : TH_WORD_IN_ITEMPROP;
        const size_t len = strcspn(text + 1, ".#@");
        words[count++] = th_word_number((th_view){ text + 1, len }, place);
        text += len + 1;
    }
    return count;
}

static void fits_by_words(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *element;
        bool fits;
    } rows[] = {
        { ".post", ".post", true },
        { ".post", ".post.online", true },
        { ".post", "#post", false },
        { ".post", ".posts", false },
        { ".post.bg", ".bg.post", true },
        { ".post.bg", ".post", false },
        { ".post!.body", ".post", true },
        { ".post!.body", ".post.body", false },
        { ".post!#body", ".post.body", true },
        { "li.comment#comment", ".comment#comment", true },
        { "li.comment#comment", ".comment", false },
        { "@date@published", "@date@published", true },
        { "@date@published", "@date.published", false },
        { "time", "", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_node_selector selector;
        uint32_t words[WORDS];
        const uint32_t count = words_of(rows[i].element, words);
        assert_int_equal(th_node_selectors_read(rows[i].selector, &selector, 1), 1);
        th_class_set sets[] = { { 0 }, { .first = 0, .count = count } };
        for (uint32_t k = 0; k < count; k++)
            sets[1].bits |= th_word_bit(words[k]);
        const th_page page = { .class_words = words,
                               .class_sets = sets,
                               .class_set_count = 2 };
        assert_int_equal(th_node_selector_fits(&selector, &page, &sets[1]), rows[i].fits);
        /* The filter of a page with this set passes a selector that fits it. */
        th_word_filter filter;
        th_word_filter_fill(&filter, &page);
        assert_true(th_word_filter_may_fit(&filter, &selector) || !rows[i].fits);
        sets[1].count = 0; /* without words only a selector of no word passes */
        th_word_filter_fill(&filter, &page);
        assert_int_equal(th_word_filter_may_fit(&filter, &selector),
                         selector.needed_count == 0);
    }
}

static void reads_several(void **state)
{
    (void)state;
    th_node_selector selectors[3];
    assert_int_equal(th_node_selectors_read("article.a div.b!.c .d", selectors, 3), 3);
    assert_int_equal(selectors[0].tag, TH_TAG_ARTICLE);
    assert_int_equal(selectors[1].tag, TH_TAG_DIV);
    assert_int_equal(selectors[1].needed_count, 1);
    assert_int_equal(selectors[1].excluded_count, 1);
    assert_int_equal(selectors[2].tag, TH_TAG_COUNT);
    assert_int_equal(th_node_selectors_read(".a .b .c", selectors, 2), 2);
    assert_int_equal(th_node_selectors_read(NULL, selectors, 2), 0);
    assert_int_equal(th_node_selectors_read("", selectors, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_by_words),
        cmocka_unit_test(reads_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
