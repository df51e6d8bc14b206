/* Presets, shingles and similarity. [CKP08 §5.2], docs/near-duplicates.md */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "sketch/known_part.h"
#include "sketch/scheme.h"

/* Shingles and slots of short texts, with six tokens in a shingle and with five. */
static const struct row {
    const char *name, *text;
    th_status want;
    uint32_t paper_shingles, paper_slots, modern_shingles;
    int is_short_paper, is_short_modern;
} rows[] = {
    { "empty text", "", TH_NO_TOKEN, 0, 0, 0, 0, 0 },
    { "one token", "a", TH_OK, 1, 1, 1, 1, 1 },
    { "four tokens", "a b c d", TH_OK, 1, 1, 1, 1, 1 },
    { "five tokens", "a b c d e", TH_OK, 1, 1, 1, 1, 0 },
    { "six tokens", "a b c d e f", TH_OK, 1, 1, 2, 0, 0 },
    { "seven tokens", "a b c d e f g", TH_OK, 2, 2, 3, 0, 0 },
    { "repeats", "a a a a a a a a a a", TH_OK, 5, 1, 6, 0, 0 },
    { "full signature", "a b c d e f g h i j k l m", TH_OK, 8, 8, 9, 0, 0 },
    { "more than full", "a b c d e f g h i j k l m n o", TH_OK, 10, 8, 11, 0, 0 },
};

/* A signer by the words of its preset; caller frees. */
static th_minhash_signer *make_signer(const char *words)
{
    th_minhash_preset preset;
    th_minhash_signer *signer = NULL;
    assert_int_equal(th_minhash_parse(words, &preset, NULL), TH_OK);
    assert_int_equal(th_minhash_signer_new(&preset, &signer, NULL), TH_OK);
    return signer;
}

static th_signature sign(const char *preset, const char *text, size_t len,
                         th_arena *arena)
{
    char *copy = malloc(len ? len : 1); /* exact size, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, text, len);
    th_signature signature = { .slots = NULL };
    th_minhash_signer *signer = make_signer(preset);
    assert_int_equal(th_minhash(signer, (th_view){ copy, len }, arena, &signature),
                     len ? TH_OK : TH_NO_TOKEN);
    th_minhash_signer_free(signer);
    free(copy);
    return signature;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const size_t len = strlen(row->text);
    const th_signature paper = sign("paper", row->text, len, arena);
    const th_signature modern = sign("modern", row->text, len, arena);
    const th_signature crawl = sign("crawl", row->text, len, arena);
    assert_int_equal(paper.shingle_count, row->paper_shingles);
    assert_int_equal(paper.slot_count, row->paper_slots);
    for (uint32_t i = 1; i < paper.slot_count; i++)
        assert_true(paper.slots[i - 1] < paper.slots[i]);
    assert_int_equal(modern.shingle_count, row->modern_shingles);
    assert_int_equal(crawl.shingle_count, row->modern_shingles);
    assert_int_equal(paper.is_short, row->is_short_paper);
    assert_int_equal(modern.is_short, row->is_short_modern);
    if (row->want == TH_NO_TOKEN) { /* untouched, never zeros */
        assert_null(paper.slots);
        assert_null(modern.slots);
    } else {
        assert_int_equal(modern.slot_count, 128);
        assert_int_equal(crawl.slot_count, 112);
    }
    th_arena_free(arena);
}

static void presets_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; th_minhash_presets[i]; i++) {
        const th_minhash_preset *preset = th_minhash_presets[i];
        assert_ptr_equal(th_minhash_find(preset->name), preset);
        assert_true(preset->slot_bits == 32 || preset->slot_bits == 64);
        assert_true(preset->bands * preset->rows <= preset->slots ||
                    preset->keys == TH_KEYS_PAIRS);
        assert_true(preset->slots <= TH_SLOTS_MAX && preset->shingle && preset->help[0]);
        assert_int_equal(preset->slot_bits, th_scheme_find(preset->scheme)->slot_bits);
        assert_int_equal(preset->is_bottom_k, preset->keys == TH_KEYS_VALUES);
    }
    assert_null(th_minhash_find("none"));
    assert_null(th_minhash_find(""));
}

/* "w0 w1 ...": tokens first .. first + count - 1, each a separate word. */
static size_t put_words(char *out, uint32_t first, uint32_t count)
{
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++)
        len += (size_t)sprintf(out + len, "%sw%u", i ? " " : "", first + i);
    return len;
}

/* Every shingle cut out and copied, hashed by the library, folded at once. */
static void assert_as_defined(const char *name, const char *text, size_t len,
                              uint32_t tokens)
{
    const th_minhash_preset *preset = th_minhash_find(name);
    const th_scheme *scheme = th_scheme_find(preset->scheme);
    const uint32_t w = tokens < preset->shingle ? tokens : preset->shingle;
    const uint32_t count = tokens - w + 1;
    uint64_t *hashes = malloc(count * sizeof *hashes);
    assert_non_null(hashes);
    const char *start = text, *end = text + len;
    for (uint32_t i = 0; i < count; i++) {
        const char *stop = start;
        for (uint32_t k = 0; k < w; k++) {
            const char *blank = memchr(stop, ' ', (size_t)(end - stop));
            stop = blank ? blank + 1 : end + 1;
        }
        hashes[i] = scheme->hash(start, (size_t)(stop - 1 - start), preset->seed);
        const char *blank = memchr(start, ' ', (size_t)(end - start));
        start = blank ? blank + 1 : end;
    }
    uint64_t slots[TH_SLOTS_MAX];
    th_permutations table;
    th_sketch want = { .table = &table, .slots = slots, .capacity = preset->slots };
    if (scheme->draw)
        scheme->draw(&table, preset->seed, preset->slots);
    scheme->fold(&want, hashes, count);
    th_arena *arena = th_arena_new(0);
    const th_signature have = sign(name, text, len, arena);
    assert_int_equal(have.shingle_count, count);
    assert_int_equal(have.slot_count, want.filled);
    assert_memory_equal(have.slots, slots, want.filled * sizeof *slots);
    th_arena_free(arena);
    free(hashes);
}

static void lengths_around_a_block(void **state)
{
    (void)state;
    enum { MOST = 2100 };
    char *text = malloc((size_t)MOST * 8);
    assert_non_null(text);
    for (uint32_t tokens = 1; tokens <= MOST; tokens++) {
        if (tokens == 20)
            tokens = 1010;
        if (tokens == 1045)
            tokens = 2030;
        const size_t len = put_words(text, tokens, tokens);
        for (size_t i = 0; th_minhash_presets[i]; i++)
            assert_as_defined(th_minhash_presets[i]->name, text, len, tokens);
    }
    for (uint32_t tokens = 1000; tokens <= MOST; tokens += 13) { /* tokens of one byte */
        for (uint32_t i = 0; i < tokens; i++) {
            text[(size_t)i * 2] = (char)('a' + i * i % 26);
            text[(size_t)i * 2 + 1] = ' ';
        }
        assert_as_defined("modern", text, 2 * (size_t)tokens - 1, tokens);
    }
    free(text);
}

static void order_and_repeats_do_not_matter(void **state)
{
    (void)state;
    char round[4000];
    size_t len = put_words(round, 0, 97);
    round[len++] = ' ';
    th_arena *arena = th_arena_new(0);
    char text[20000];
    for (size_t i = 0; i < 5; i++)
        memcpy(text + i * len, round, len);
    /* Going round: once and a bit shows all shingles; so does any more, from anywhere. */
    const size_t from = (size_t)(strstr(text, "w50 ") - text);
    const size_t bit = (size_t)(strstr(text, "w5 ") - text) + len - 1;
    for (size_t p = 0; th_minhash_presets[p]; p++) {
        const th_minhash_preset *preset = th_minhash_presets[p];
        const th_signature a = sign(preset->name, text, bit, arena);
        const th_signature b = sign(preset->name, text + from, 3 * len - 1, arena);
        assert_int_equal(a.slot_count, b.slot_count);
        assert_memory_equal(a.slots, b.slots, a.slot_count * sizeof *a.slots);
        assert_true(th_minhash_similarity(preset, &a, &b) == 1);
        assert_true(a.shingle_count < b.shingle_count);
    }
    th_arena_free(arena);
}

/* Every part of a text, by its first and last token. */
static void a_signed_part_changes_nothing(void **state)
{
    (void)state;
    static const char *const presets[] = { "paper",           "modern",
                                           "crawl",           "datasketch2:w=1",
                                           "datasketch2:w=2", "datatrove",
                                           "textdedup" };
    enum { TOKENS = 22 };
    char words[TOKENS * 8];
    const size_t len = put_words(words, 95, TOKENS);
    char *text = malloc(len); /* exact size, for the sanitizer */
    assert_non_null(text);
    memcpy(text, words, len);
    size_t starts[TOKENS + 1];
    for (size_t i = 0, at = 0; i <= TOKENS; i++, at++) {
        starts[i] = at;
        while (at < len && text[at] != ' ')
            at++;
    }
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        th_arena *arena = th_arena_new(0);
        th_minhash_signer *signer = make_signer(presets[p]);
        th_signature want, known, have;
        assert_int_equal(th_minhash(signer, (th_view){ text, len }, arena, &want), TH_OK);
        for (size_t i = 0; i < TOKENS; i++)
            for (size_t k = i; k < TOKENS; k++) {
                const th_view part = { text + starts[i], starts[k + 1] - 1 - starts[i] };
                assert_int_equal(th_minhash(signer, part, arena, &known), TH_OK);
                assert_int_equal(th_minhash_around(signer, (th_view){ text, len }, part,
                                                   &known, arena, &have),
                                 TH_OK);
                assert_int_equal(have.slot_count, want.slot_count);
                assert_int_equal(have.shingle_count, want.shingle_count);
                assert_int_equal(have.is_short, want.is_short);
                assert_memory_equal(have.slots, want.slots,
                                    want.slot_count * sizeof *want.slots);
            }
        th_minhash_signer_free(signer);
        th_arena_free(arena);
    }
    free(text);
}

/* Texts of distinct words: their shingles are counted, so J is known. */
static void estimate_is_within_four_deviations(void **state)
{
    (void)state;
    static const struct {
        uint32_t common, own;
    } sets[] = { { 0, 300 },    { 60, 300 },   { 100, 50 }, { 400, 200 },
                 { 1000, 200 }, { 3000, 100 }, { 500, 0 } };
    char *a = malloc(100000), *b = malloc(100000);
    th_arena *arena = th_arena_new(0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        for (size_t p = 0; th_minhash_presets[p]; p++) {
            const th_minhash_preset *preset = th_minhash_presets[p];
            const uint32_t w = preset->shingle, tokens = sets[i].common + sets[i].own;
            const uint32_t start = (uint32_t)i * 1000000;
            /* The same words first, then each text's own. */
            size_t a_len = put_words(a, start, tokens);
            size_t b_len = put_words(b, start, sets[i].common);
            if (b_len && sets[i].own)
                b[b_len++] = ' ';
            b_len += put_words(b + b_len, start + 500000, sets[i].own);
            const double common =
                sets[i].common >= w ? (double)(sets[i].common - w + 1) : 0;
            const double truth = common / (2.0 * (tokens - w + 1) - common);
            const th_signature x = sign(preset->name, a, a_len, arena);
            const th_signature y = sign(preset->name, b, b_len, arena);
            const double estimate = th_minhash_similarity(preset, &x, &y);
            const double deviation = sqrt(truth * (1 - truth) / preset->slots);
            assert_true(fabs(estimate - truth) <= 4 * deviation + 1e-9);
        }
    }
    th_arena_free(arena);
    free(a);
    free(b);
}

static void similarity_of_sets(void **state)
{
    (void)state;
    static const uint64_t slots[] = { 1, 3, 5, 7, 9, 11, 13, 15 };
    static const uint64_t others[] = { 1, 2, 5, 7, 8, 11, 20, 21 };
    const th_minhash_preset *paper = th_minhash_find("paper");
    const th_signature whole = { slots, 8, 100, 0 }, other = { others, 8, 100, 0 };
    const th_signature start = { slots, 3, 3, 0 }, absent = { NULL, 0, 0, 0 };
    /* The union starts 1 2 3 5 7 8 9 11: four of these eight are in both. */
    assert_true(th_minhash_similarity(paper, &whole, &other) == 4.0 / 8);
    assert_true(th_minhash_similarity(paper, &other, &whole) == 4.0 / 8);
    assert_true(th_minhash_similarity(paper, &start, &start) == 1);
    assert_true(th_minhash_similarity(paper, &start, &whole) == 3.0 / 8);
    assert_true(th_minhash_similarity(paper, &absent, &whole) == 0);
    assert_true(th_minhash_similarity(th_minhash_find("modern"), &absent, &absent) == 0);
}

static void no_memory(void **state)
{
    (void)state;
    th_signature out = { .slot_count = 7 };
    for (size_t p = 0; th_minhash_presets[p]; p++) {
        th_minhash_signer *signer = make_signer(th_minhash_presets[p]->name);
        th_arena *arena =
            th_arena_new(th_minhash_presets[p]->slots * sizeof(uint64_t) - 1);
        assert_int_equal(th_minhash(signer, TH_VIEW("a b"), arena, &out), TH_NOMEM);
        assert_int_equal(out.slot_count, 7);
        th_arena_free(arena);
        th_minhash_signer_free(signer);
    }
}

struct signing {
    const th_minhash_signer *signer;
    uint64_t digest;
};

static void *sign_in_thread(void *context)
{
    struct signing *signing = context;
    th_arena *arena = th_arena_new(0);
    th_signature out;
    if (th_minhash(signing->signer, TH_VIEW("a b c d e f g h i j k l m n o p"), arena,
                   &out) == TH_OK)
        signing->digest = XXH3_64bits(out.slots, out.slot_count * sizeof *out.slots);
    th_arena_free(arena);
    return NULL;
}

static void threads_share_a_signer(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    th_minhash_signer *signer = make_signer("crawl");
    pthread_t threads[THREADS];
    struct signing signings[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        signings[i] = (struct signing){ signer, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, sign_in_thread, &signings[i]),
                         0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_true(signings[i].digest == signings[0].digest && signings[i].digest);
    th_minhash_signer_free(signer);
}

static void a_signer_needs_a_scheme(void **state)
{
    (void)state;
    th_minhash_preset preset = *th_minhash_find("modern");
    th_minhash_signer *signer = NULL;
    preset.scheme = "affine48-md5";
    assert_int_equal(th_minhash_signer_new(&preset, &signer, NULL), TH_USAGE);
    preset = *th_minhash_find("modern");
    preset.slots = TH_SLOTS_MAX + 1;
    assert_int_equal(th_minhash_signer_new(&preset, &signer, NULL), TH_USAGE);
    assert_null(signer);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(threads_share_a_signer),
        cmocka_unit_test(a_signer_needs_a_scheme),
        cmocka_unit_test(presets_are_as_documented),
        cmocka_unit_test(lengths_around_a_block),
        cmocka_unit_test(order_and_repeats_do_not_matter),
        cmocka_unit_test(a_signed_part_changes_nothing),
        cmocka_unit_test(estimate_is_within_four_deviations),
        cmocka_unit_test(similarity_of_sets),
        cmocka_unit_test(no_memory),
    };
    enum { PROPERTIES = sizeof properties / sizeof *properties };
    struct CMUnitTest tests[PROPERTIES + ROWS];
    memcpy(tests, properties, sizeof properties);
    for (size_t i = 0; i < ROWS; i++)
        tests[PROPERTIES + i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests_name("minhash", tests, NULL, NULL);
}
