/* When a paragraph recurs, and the columns that a page gets from its site. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "site/site_recall.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"

static const struct row {
    uint32_t count, pages, tokens;
    bool recurs;
} rows[] = {
    { 2, 2, 5, false },        { 2, 3, 5, false },
    { 3, 3, 5, true },         { 3, 9, 5, true },
    { 3, 10, 5, false },       { 4, 16, 5, true },
    { 14, 200, 5, false },     { 15, 200, 5, true },
    { 3, 3, 40, true }, /* all of three */
    { 3, 4, 40, false },       { 3, 9, 40, false },
    { 5, 9, 400, false },      { 6, 9, 400, true },
    { 28, 200, 40, false },    { 29, 200, 40, true },
    { 2, 2, 400, false }, /* a product on two URLs, a post that is quoted once */
    { 65535, 65535, 5, true },
};

static void rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(th_recurs(rows[i].count, rows[i].pages, rows[i].tokens),
                         rows[i].recurs);
}

/* A site of two pages that have seen the menu, not the story. */
struct scene {
    th_arena *arena;
    th_page *page;
    th_buffer bytes, site;
    th_site found;
};

static th_status find(void *context, const th_site_name *name, th_site *out)
{
    const struct scene *scene = context;
    if (strcmp(name->text, "example.com") != 0)
        return TH_ABSENT;
    *out = scene->found;
    return TH_OK;
}

static const struct block_row first[] = { { "Home News Sport", 3, NULL },
                                          { "A story of one page and no other", 0, NULL },
                                          { "***", 0, NULL } };
static const struct block_row second[] = { { "home, NEWS: Sport!", 3, NULL },
                                           { "Another story", 0, NULL } };
static const struct block_row third[] = { { "Home | News | Sport", 0, NULL },
                                          { "The story that is asked about", 0, NULL },
                                          { "***", 0, NULL } };

static const struct block_row fourth[] = { { "***", 0, NULL },
                                           { "Home | News | Sport", 0, NULL } };

static void count_page(struct scene *scene, const struct block_row *blocks, size_t count,
                       const char *url)
{
    th_page *page = make_page(scene->arena, blocks, count);
    assert_int_equal(th_page_paragraphs_hash(page), TH_OK);
    assert_int_equal(th_site_entry_append(page, (th_view){ url, strlen(url) }, 0,
                                          TH_SITE_DOMAIN, &scene->bytes),
                     TH_OK);
}

static void set_up(struct scene *scene)
{
    const th_site_limits limits = { 100, 100, 1 };
    const th_site_entry *entries[2];
    *scene = (struct scene){ .arena = th_arena_new(0) };
    assert_non_null(scene->arena);
    count_page(scene, first, 3, "http://example.com/1");
    const size_t next = scene->bytes.len;
    count_page(scene, second, 2, "http://www.example.com/2#top");
    entries[0] = (const th_site_entry *)(const void *)scene->bytes.data;
    entries[1] = (const th_site_entry *)(const void *)(scene->bytes.data + next);
    assert_int_equal(th_site_add(NULL, entries, 2, &limits, &scene->site), TH_OK);
    assert_int_equal(th_site_read(th_buffer_view(&scene->site), &scene->found, NULL),
                     TH_OK);
}

static void tear_down(struct scene *scene)
{
    th_buffer_done(&scene->bytes);
    th_buffer_done(&scene->site);
    th_arena_free(scene->arena);
}

static void tells_a_page(void **state)
{
    struct scene scene;
    (void)state;
    set_up(&scene);
    const th_site_lookup lookup = { .find = find,
                                    .context = &scene,
                                    .grouping = TH_SITE_DOMAIN };
    th_page *page = make_page(scene.arena, third, 3);
    assert_int_equal(th_site_recall(&lookup, TH_VIEW("http://example.com/3"), page),
                     TH_OK);
    assert_int_equal(page->site_pages, 3); /* itself among them */
    assert_int_equal(page->paragraph_pages[0], 3);
    assert_int_equal(page->paragraph_pages[1], 1);
    assert_int_equal(page->paragraph_hashes[2], 0); /* without words it does not count */
    assert_true(page->paragraph_recurs[0]);
    assert_false(page->paragraph_recurs[1] || page->paragraph_recurs[2]);

    /* Text without words does not end the counting. */
    page = make_page(scene.arena, fourth, 2);
    assert_int_equal(th_site_recall(&lookup, TH_VIEW("http://example.com/4"), page),
                     TH_OK);
    assert_int_equal(page->paragraph_pages[1], 3);
    assert_true(page->paragraph_recurs[1]);

    /* A known page is not counted a second time. */
    page = make_page(scene.arena, second, 2);
    assert_int_equal(th_site_recall(&lookup, TH_VIEW("http://www.example.com/2"), page),
                     TH_OK);
    assert_int_equal(page->site_pages, 2);
    assert_int_equal(page->paragraph_pages[0], 2);
    assert_false(page->paragraph_recurs[0]);

    /* On an unknown site the page is the only one. */
    page = make_page(scene.arena, third, 3);
    assert_int_equal(th_site_recall(&lookup, TH_VIEW("http://example.org/3"), page),
                     TH_OK);
    assert_int_equal(page->site_pages, 1);
    assert_int_equal(page->paragraph_pages[0], 1);
    assert_false(page->paragraph_recurs[0]);
    tear_down(&scene);
}

/* Effect on later stages, by rule. */
static void stages_read_it(void **state)
{
    static const struct {
        const char *rule;
        bool is_content, is_signed;
    } cases[] = { { "off", true, true },
                  { "signatures", true, false },
                  { "labels", false, false } };
    th_minhash_signer *signer = NULL;
    (void)state;
    assert_int_equal(th_minhash_signer_new(th_minhash_find("paper"), &signer, NULL),
                     TH_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        th_options opt;
        set_up(&scene);
        const th_site_lookup lookup = { .find = find,
                                        .context = &scene,
                                        .grouping = TH_SITE_DOMAIN };
        th_options_init(&opt);
        opt.classifier = "keep-all";
        opt.segmenter = "full-text";
        opt.sites_rule = cases[i].rule;
        opt.sign = 1u << TH_SIGN_DISTINCT;
        th_page *page = make_page(scene.arena, third, 3);
        assert_int_equal(th_site_recall(&lookup, TH_VIEW("http://example.com/3"), page),
                         TH_OK);
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        assert_int_equal(th_select_page(page, &opt), TH_OK);
        assert_int_equal(th_sketch_page(page, &opt, signer), TH_OK);
        assert_int_equal(page->label_of[0] == TH_CONTENT, cases[i].is_content);
        assert_int_equal(page->label_of[1], TH_CONTENT);
        assert_int_equal(page->reason_of[0] == TH_REASON_RECURS, !cases[i].is_content);
        assert_non_null(
            th_reason_of(th_classifier_find("keep-all"), TH_REASON_RECURS)->words);
        /* The first text is one shingle of six tokens. */
        if (!cases[i].is_signed)
            assert_int_equal(page->signatures[TH_SIGN_DISTINCT].shingle_count, 1);
        tear_down(&scene);
    }
    th_minhash_signer_free(signer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule),
        cmocka_unit_test(tells_a_page),
        cmocka_unit_test(stages_read_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
