/* The stage: the signed texts of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "thresher/minhash.h"

/* The page of most rows: block texts, their segments and labels; segment 1 is main. */
static const struct block {
    const char *text;
    uint32_t segment;
    uint8_t label;
} blocks[] = {
    { "Home | News | About us", 0, TH_BOILERPLATE },
    { "The HEADLINE of the story", 1, TH_CONTENT },
    { "***", 1, TH_CONTENT },
    { "A story that is told in more than five words, in parts.", 1, TH_CONTENT },
    { "Advertisement", 1, TH_BOILERPLATE },
    { "Its end stands in another segment.", 2, TH_CONTENT },
    { "\xC2\xA9 2008, all rights reserved", 0, TH_BOILERPLATE },
};

static const char main_text[] =
    "the headline of the story a story that is told in more than five words in parts "
    "advertisement";
static const char content_text[] =
    "the headline of the story a story that is told in more than five words in parts its "
    "end stands in another segment";
static const char page_text[] =
    "home news about us the headline of the story a story that is told in more than five "
    "words in parts advertisement its end stands in another segment 2008 all rights "
    "reserved";

enum { BLOCKS = sizeof blocks / sizeof *blocks };
enum {
    MAIN = 1 << TH_SIGN_MAIN,
    CONTENT = 1 << TH_SIGN_CONTENT,
    PAGE = 1 << TH_SIGN_PAGE,
};

static const struct row {
    const char *name, *preset;
    uint32_t sign, main_segment;
    const char *texts[TH_SIGN_COUNT]; /* that are to be signed; NULL: absent */
} rows[] = {
    { "default", "modern", MAIN | CONTENT, 1, { main_text, content_text, NULL } },
    { "all three",
      "paper",
      MAIN | CONTENT | PAGE,
      1,
      { main_text, content_text, page_text } },
    { "page alone", "crawl", PAGE, 1, { NULL, NULL, page_text } },
    { "main alone", "crawl", MAIN, 1, { main_text, NULL, NULL } },
    { "nothing to sign", "modern", 0, 1, { NULL, NULL, NULL } },
    { "no preset", "none", MAIN | CONTENT | PAGE, 1, { NULL, NULL, NULL } },
    { "main within content",
      "modern",
      MAIN | CONTENT,
      2,
      { "its end stands in another segment", content_text, NULL } },
    { "main between boilerplate",
      "modern",
      MAIN | CONTENT,
      0,
      { "home news about us 2008 all rights reserved", content_text, NULL } },
    { "no main segment",
      "modern",
      MAIN | CONTENT,
      TH_NONE,
      { NULL, content_text, NULL } },
};

/* The page in one exact-size allocation for its text; TH_NOMEM where the arena ends. */
static th_status make_page(th_arena *arena, const struct block *from, uint32_t count,
                           th_page *page)
{
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++)
        len += strlen(from[i].text) + 1;
    *page = (th_page){
        .arena = arena, .block_count = count, .paragraph_count = 1, .main_segment = 1
    };
    char *text = th_arena_alloc(arena, len);
    page->blocks = th_arena_calloc(arena, count, sizeof *page->blocks);
    page->paragraphs = th_arena_calloc(arena, 1, sizeof *page->paragraphs);
    page->segment_of = th_arena_calloc(arena, count, sizeof *page->segment_of);
    page->label_of = th_arena_calloc(arena, count, sizeof *page->label_of);
    if (!text || !page->blocks || !page->paragraphs || !page->segment_of ||
        !page->label_of)
        return TH_NOMEM;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        page->blocks[i].text_start = at;
        page->blocks[i].text_len = (uint32_t)strlen(from[i].text);
        memcpy(text + at, from[i].text, page->blocks[i].text_len);
        at += page->blocks[i].text_len;
        text[at++] = '\n';
        page->segment_of[i] = from[i].segment;
        page->label_of[i] = from[i].label;
    }
    page->text = (th_view){ text, len ? len - 1 : 0 };
    return TH_OK;
}

/* NULL for "none"; caller frees. */
static th_minhash_signer *make_signer(const char *words)
{
    th_minhash_preset preset;
    th_minhash_signer *signer = NULL;
    if (th_minhash_parse(words, &preset, NULL) == TH_OK)
        assert_int_equal(th_minhash_signer_new(&preset, &signer, NULL), TH_OK);
    return signer;
}

static void assert_signs(const th_signature *have, const th_minhash_signer *signer,
                         const char *text, th_arena *arena)
{
    if (!text) {
        assert_null(have->slots);
        assert_int_equal(have->slot_count, 0);
        return;
    }
    th_signature want;
    assert_int_equal(th_minhash(signer, (th_view){ text, strlen(text) }, arena, &want),
                     TH_OK);
    assert_int_equal(have->slot_count, want.slot_count);
    assert_int_equal(have->shingle_count, want.shingle_count);
    assert_memory_equal(have->slots, want.slots, want.slot_count * sizeof *want.slots);
}

static void assert_digests(const th_page *page, const char *text)
{
    const XXH128_hash_t want = XXH3_128bits(text, strlen(text));
    assert_int_equal(page->has_text_digest, 1);
    assert_true(page->text_digest[0] == want.high64);
    assert_true(page->text_digest[1] == want.low64);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page page;
    assert_int_equal(make_page(arena, blocks, BLOCKS, &page), TH_OK);
    page.main_segment = row->main_segment;
    const th_options opt = { .size = sizeof opt,
                             .minhash = row->preset,
                             .sign = row->sign };
    th_minhash_signer *signer = make_signer(row->preset);
    for (int round = 0; round < 2; round++) { /* a second run leaves the same */
        assert_int_equal(th_sketch_page(&page, &opt, signer), TH_OK);
        for (int kind = 0; kind < TH_SIGN_COUNT; kind++)
            assert_signs(&page.signatures[kind], signer, row->texts[kind], arena);
        assert_digests(&page, content_text);
        assert_ptr_equal(page.minhash, signer ? th_minhash_signer_preset(signer) : NULL);
    }
    th_minhash_signer_free(signer);
    th_arena_free(arena);
}

static void page_without_tokens(void **state)
{
    (void)state;
    static const struct block empty[] = { { "***", 1, TH_CONTENT },
                                          { "...", 0, TH_BOILERPLATE } };
    th_arena *arena = th_arena_new(0);
    const th_options opt = { .size = sizeof opt,
                             .minhash = "modern",
                             .sign = MAIN | CONTENT | PAGE };
    th_minhash_signer *signer = make_signer(opt.minhash);
    for (uint32_t count = 0; count <= 2; count++) {
        th_page page;
        assert_int_equal(make_page(arena, empty, count, &page), TH_OK);
        page.has_text_digest = 1; /* left over */
        page.signatures[0].slot_count = 8;
        assert_int_equal(th_sketch_page(&page, &opt, signer), TH_OK);
        assert_int_equal(page.has_text_digest, 0);
        for (int kind = 0; kind < TH_SIGN_COUNT; kind++)
            assert_signs(&page.signatures[kind], signer, NULL, arena);
    }
    th_minhash_signer_free(signer);
    th_arena_free(arena);
}

/* An arena that ends anywhere gives TH_NOMEM and no more, until it is large enough. */
static void memory_ends_anywhere(void **state)
{
    (void)state;
    const th_options opt = { .size = sizeof opt,
                             .minhash = "paper",
                             .sign = MAIN | CONTENT | PAGE };
    th_minhash_signer *signer = make_signer(opt.minhash);
    th_status status = TH_NOMEM;
    size_t limit = 1;
    for (; status != TH_OK && limit < 100000; limit += 8) {
        th_arena *arena = th_arena_new(limit);
        th_page page;
        status = make_page(arena, blocks, BLOCKS, &page);
        if (status == TH_OK)
            status = th_sketch_page(&page, &opt, signer);
        assert_true(status == TH_OK || status == TH_NOMEM);
        th_arena_free(arena);
    }
    assert_int_equal(status, TH_OK);
    th_minhash_signer_free(signer);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(page_without_tokens);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(memory_ends_anywhere);
    return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
