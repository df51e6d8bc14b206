/* Hints from META and from JSON-LD, valid and invalid. */
#include "parse/metadata/page_hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPE(name) (1u << TH_LD_TYPE_BIT_##name)

/* clang-format off */
static const struct row {
    const char *name, *json;
    uint32_t types;
    const char *body, *about; /* NULL: none */
    const char *ingredients;
} rows[] = {
    { "nothing", "", 0, NULL, NULL, NULL },
    { "a type", "{\"@type\": \"NewsArticle\"}", TYPE(ARTICLE), NULL, NULL, NULL },
    { "types", "{\"@type\" : [ \"Product\" , \"Thing\", \"ItemList\" ]}", TYPE(PRODUCT) | TYPE(LIST), NULL, NULL, NULL },
    { "by URL", "{\"@type\":\"https://schema.org/TechArticle\"}", TYPE(TECH), NULL, NULL, NULL },
    { "deep", "[{\"@graph\":[{\"x\":{\"@type\":\"DiscussionForumPosting\"}}]}]", TYPE(FORUM), NULL, NULL, NULL },
    { "a value is not a key", "{\"x\":\"@type\",\"y\":\"Product\"}", 0, NULL, NULL, NULL },
    { "a text", "{\"articleBody\":\"One.\\nTwo \\u00e9\\ud83d\\ude00\\/\\\"\"}", 0, "One.\nTwo \u00e9\U0001F600/\"", NULL, NULL },
    { "the longest", "{\"articleBody\":\"a\",\"reviewBody\":\"abc\",\"articleBody\":\"ab\"}", 0, "abc", NULL, NULL },
    { "a description", "{\"description\":\"d\"}", 0, NULL, "d", NULL },
    { "half a pair", "{\"articleBody\":\"\\ud83dx\"}", 0, "\uFFFDx", NULL, NULL },
    { "no digits", "{\"articleBody\":\"a\\uzz\"}", 0, "a\uFFFDzz", NULL, NULL },
    { "many without digits", "{\"articleBody\":\"\\u\\u\\u\\u\\u\"}", 0, "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD", NULL, NULL },
    { "cut in a string", "{\"@type\":\"Product\",\"articleBody\":\"abc", TYPE(PRODUCT), NULL, NULL, NULL },
    { "cut in an escape", "{\"articleBody\":\"abc\\", 0, NULL, NULL, NULL },
    { "cut after a key", "{\"articleBody\":", 0, NULL, NULL, NULL },
    { "cut in an array", "{\"@type\":[\"Product\",", TYPE(PRODUCT), NULL, NULL, NULL },
    { "no UTF-8", "{\"articleBody\":\"a\xff\"}", 0, NULL, NULL, NULL },
    { "ingredients", "{\"recipeIngredient\": [ \"2 \\u00bd eggs\" , \"salt\" ] }", 0, NULL, NULL, "\"2 \u00bd eggs\" , \"salt\"" },
    { "the longest list of them", "{\"recipeIngredient\":[\"a\"],\"ingredients\":[\"a\",\"b\"],\"ingredients\":[]}", 0, NULL, NULL, "\"a\",\"b\"" },
    { "one ingredient", "{\"recipeIngredient\":\"a\"}", 0, NULL, NULL, "\"a\"" },
    { "a list that is cut", "{\"recipeIngredient\":[\"a\",\"b", 0, NULL, NULL, "\"a\"" },
    { "a list of other values", "{\"recipeIngredient\":[{\"name\":\"a\"},1]}", 0, NULL, NULL, NULL },
    { "no text", "{\"articleBody\":{\"x\":1},\"description\":null}", 0, NULL, NULL, NULL },
};
/* clang-format on */

static void view_is(th_view view, const char *text)
{
    if (!text) {
        assert_null(view.data);
        return;
    }
    assert_non_null(view.data);
    assert_int_equal(view.len, strlen(text));
    assert_memory_equal(view.data, text, view.len);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const size_t len = strlen(row->json);
    char *exact = malloc(len ? len : 1);
    th_arena *arena = th_arena_new(0);
    assert_non_null(exact);
    memcpy(exact, row->json, len);
    th_page_hints *hints = th_page_hints_begin(arena, TH_VIEW("http://a/"));
    th_page_hints_json(hints, arena, (th_view){ exact, len });
    free(exact);
    assert_int_equal(hints->ld_types, row->types);
    view_is(hints->body, row->body);
    view_is(hints->about, row->about);
    view_is(hints->ingredients, row->ingredients);
    view_is(hints->url, "http://a/");
    th_arena_free(arena);
}

static void recipe_in_microdata(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_page_hints *hints = th_page_hints_begin(arena, (th_view){ NULL, 0 });
    th_page_hints_itemtype(hints, TH_VIEW("http://schema.org/Person"));
    assert_int_equal(hints->has_recipe_item, 0);
    th_page_hints_itemtype(hints, TH_VIEW(" http://schema.org/Recipe "));
    th_page_hints_itemtype(hints, TH_VIEW("http://schema.org/Person"));
    assert_int_equal(hints->has_recipe_item, 1);
    assert_int_equal(hints->ld_types, 0);
    th_arena_free(arena);
}

static void meta(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_page_hints *hints = th_page_hints_begin(arena, (th_view){ NULL, 0 });
    const th_attribute type[] = { { TH_VIEW("property"), TH_VIEW(" OG:type ") },
                                  { TH_VIEW("content"), TH_VIEW("article") } };
    const th_attribute again[] = { { TH_VIEW("name"), TH_VIEW("og:type") },
                                   { TH_VIEW("content"), TH_VIEW("product") } };
    const th_attribute maker[] = { { TH_VIEW("content"), TH_VIEW("Hugo 0.1") },
                                   { TH_VIEW("name"), TH_VIEW("generator") } };
    const th_attribute empty[] = { { TH_VIEW("name"), TH_VIEW("og:title") } };
    th_page_hints_meta(hints, arena, type, 2);
    th_page_hints_meta(hints, arena, again, 2);
    th_page_hints_meta(hints, arena, maker, 2);
    th_page_hints_meta(hints, arena, empty, 1);
    view_is(hints->og_type, "article");
    view_is(hints->generator, "Hugo 0.1");
    view_is(hints->og_title, NULL);
    view_is(hints->url, NULL);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(meta);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(recipe_in_microdata);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
