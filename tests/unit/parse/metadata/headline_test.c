/* Selects the headline from the texts of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse/metadata/headline.h"

static void is_chosen(const th_headline_sources *sources, const char *want,
                      const char *want_from)
{
    const char *from = NULL;
    const th_view title = th_headline_choose(sources, &from);
    assert_int_equal(title.len, strlen(want));
    if (title.len)
        assert_memory_equal(title.data, want, title.len);
    if (want_from)
        assert_string_equal(from, want_from);
    else
        assert_null(from);
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    is_chosen(&(th_headline_sources){ .h1_count = 0 }, "", NULL);
}

static void heading_that_title_confirms(void **state)
{
    (void)state;
    const th_headline_sources sources = {
        .title = TH_VIEW("A study of bees - The Journal"),
        .open_graph = TH_VIEW("Bees: why they matter to all of us"),
        .sites = { TH_VIEW("The Journal") },
        .h1 = { TH_VIEW("The Journal"), TH_VIEW("A Study of Bees") },
        .h1_count = 2,
    };
    is_chosen(&sources, "A Study of Bees", "h1");
}

static void heading_after_a_label(void **state)
{
    (void)state;
    th_headline_sources sources = {
        .title = TH_VIEW("A study of bees - The Journal"),
        .sites = { TH_VIEW("The Journal") },
        .h1 = { TH_VIEW("Thread: A study of bees") },
        .h1_count = 1,
    };
    is_chosen(&sources, "A study of bees", "h1");
    sources.h1[0] = TH_VIEW("الموضوع: A study of bees");
    is_chosen(&sources, "A study of bees", "h1");
    sources.title = TH_VIEW("Thread: A study of bees");
    sources.h1[0] = sources.title;
    is_chosen(&sources, "Thread: A study of bees", "h1");
}

static void heading_by_the_words_of_the_url(void **state)
{
    (void)state;
    const th_headline_sources sources = {
        .title = TH_VIEW("Reddit - The heart of the internet"),
        .url = TH_VIEW("https://www.reddit.com/r/x/comments/1/best_laptop_for_college/"),
        .h1 = { TH_VIEW("Best laptop for college?") },
        .h1_count = 1,
    };
    is_chosen(&sources, "Best laptop for college?", "h1");
}

static void slogan_is_no_headline(void **state)
{
    (void)state;
    const th_headline_sources sources = {
        .title = TH_VIEW("Form an LLC in New York | LegalPeople"),
        .url = TH_VIEW("https://www.legalpeople.example/llc"),
        .h1 = { TH_VIEW("Ready when you are!") },
        .h1_count = 1,
    };
    is_chosen(&sources, "Form an LLC in New York", "title");
}

static void host_is_a_name_of_the_site(void **state)
{
    (void)state;
    const th_headline_sources sources = {
        .title = TH_VIEW("Le Monde : Les abeilles de retour"),
        .url = TH_VIEW("https://www.lemonde.fr/a"),
    };
    is_chosen(&sources, "Les abeilles de retour", "title");
}

static void dash_in_a_word_divides_nothing(void **state)
{
    (void)state;
    const th_headline_sources sources = { .title = TH_VIEW("E-commerce: a follow-up"),
                                          .url = TH_VIEW("https://e.example/") };
    is_chosen(&sources, "E-commerce: a follow-up", "title");
}

static void page_of_the_site_itself(void **state)
{
    (void)state;
    const th_headline_sources sources = { .title = TH_VIEW("The Journal"),
                                          .sites = { TH_VIEW("The Journal") },
                                          .h1 = { TH_VIEW("The Journal") },
                                          .h1_count = 1 };
    is_chosen(&sources, "The Journal", "h1");
}

static void same_words_make_the_same_headline(void **state)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } rows[] = {
        { "A study of bees", "a STUDY, of: bees!", true },
        { "A study of bees", "A study of bees in winter", false },
        { "A study of bees", "A study of", false },
        { "A stu\xC2\xAD"
          "dy",
          "a study", true },
        { "...", "...", false },
        { "", "", false },
        { "", "a", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const th_view a = { rows[i].a, strlen(rows[i].a) };
        const th_view b = { rows[i].b, strlen(rows[i].b) };
        assert_int_equal(th_headline_same(a, b), rows[i].is_same);
        assert_int_equal(th_headline_same(b, a), rows[i].is_same);
    }
}

/* Where every source states one text, it is judged once, and means the same. */
static void what_all_state_is_chosen(void **state)
{
    (void)state;
    th_headline_sources sources = {
        .open_graph = TH_VIEW("The Journal"),
        .twitter = TH_VIEW("The Journal"),
        .title = TH_VIEW("A study of bees | The Journal"),
        .article = TH_VIEW("A study of bees | The Journal"),
        .sites = { TH_VIEW("The Journal") },
    };
    is_chosen(&sources, "A study of bees", "title");
    sources.h1[0] = TH_VIEW("A Study of Bees");
    sources.h1_count = 1;
    is_chosen(&sources, "A Study of Bees", "h1");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(heading_that_title_confirms),
        cmocka_unit_test(heading_after_a_label),
        cmocka_unit_test(heading_by_the_words_of_the_url),
        cmocka_unit_test(slogan_is_no_headline),
        cmocka_unit_test(host_is_a_name_of_the_site),
        cmocka_unit_test(dash_in_a_word_divides_nothing),
        cmocka_unit_test(page_of_the_site_itself),
        cmocka_unit_test(same_words_make_the_same_headline),
        cmocka_unit_test(what_all_state_is_chosen),
    };
    return cmocka_run_group_tests_name("headline", tests, NULL, NULL);
}
