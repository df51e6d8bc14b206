/*
 * MinHash: shingles of normalised text, hashed where they lie, folded into a signature.
 * [CKP08 §5.2], spec/neardup.md §1.2.
 *
 * A preset is a row: how shingles are hashed, which permutations are drawn, which kernel
 * folds. Text goes through in blocks, so the memory needed does not depend on its length.
 */
#include "thresher/minhash.h"

#include <assert.h>
#include <endian.h>
#include <pthread.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sketch/kernel_affine.h"
#include "sketch/kernel_bottom.h"
#include "sketch/permutations.h"

/* Base hash of a shingle: the same number on every platform. */
typedef uint64_t th_hash(const char *bytes, size_t len);

static uint64_t xxh3_64(const char *bytes, size_t len)
{
    return XXH3_64bits(bytes, len);
}

struct scheme {
    th_minhash_preset preset;
    th_hash *hash;
    th_permutation_draw *draw; /* NULL: the kernel needs no permutations */
    th_kernel *fold;
};

static const struct scheme schemes[] = {
    {
        .preset = { .name = "paper",
                    .help = "the 8 smallest hashes of 6-token shingles [CKP08 §5.2]",
                    .shingle = 6,
                    .slots = 8,
                    .slot_bits = 64,
                    .is_bottom_k = 1 },
        .hash = xxh3_64,
        .fold = th_bottom_k,
    },
    {
        .preset = { .name = "modern",
                    .help =
                        "128 slots of 32 bits, 5-token shingles; datasketch reads them",
                    .shingle = 5,
                    .slots = 128,
                    .slot_bits = 32,
                    .bands = 16,
                    .rows = 8,
                    .seed = 1 },
        .hash = xxh3_64,
        .draw = th_permutations_affine32,
        .fold = th_affine32,
    },
    {
        .preset = { .name = "crawl",
                    .help =
                        "112 slots of 64 bits, 5-token shingles, for billions of pages",
                    .shingle = 5,
                    .slots = 112,
                    .slot_bits = 64,
                    .bands = 14,
                    .rows = 8,
                    .seed = 1 },
        .hash = xxh3_64,
        .draw = th_permutations_affine64,
        .fold = th_affine64,
    },
};

enum { SCHEME_COUNT = sizeof schemes / sizeof *schemes };

const th_minhash_preset *const th_minhash_presets[] = {
    &schemes[0].preset,
    &schemes[1].preset,
    &schemes[2].preset,
    NULL,
};

/*
 * Permutations of every scheme, drawn once at first use and never written again: the one
 * exception to "no globals but static const", for 5 kB of numbers say nothing in a
 * source.
 */
static th_permutations tables[SCHEME_COUNT];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void draw_tables(void)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].draw)
            schemes[i].draw(&tables[i], (uint32_t)schemes[i].preset.seed,
                            schemes[i].preset.slots);
}

const th_minhash_preset *th_minhash_find(const char *name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (strcmp(schemes[i].preset.name, name) == 0)
            return &schemes[i].preset;
    return NULL;
}

enum {
    STARTS = 1024, /* starts of tokens in a block; more than any window has tokens */
    STEP = 8,      /* bytes that are searched for blanks at once */
};

/* Windows of tokens over a text, a block at a time. */
typedef struct shingler {
    th_view text;
    size_t at;          /* up to here blanks have been found */
    size_t start_count; /* of starts */
    size_t starts[STARTS + STEP + 1];
} shingler;

/* The high bit of each byte that is a blank. */
static uint64_t blanks_in(uint64_t bytes)
{
    const uint64_t low7 = 0x7F7F7F7F7F7F7F7Fu;
    const uint64_t x = bytes ^ 0x2020202020202020u; /* zero where there was a blank */
    return ~(((x & low7) + low7) | x | low7);
}

/* Finds starts until the block is full or the text ends, which counts as one more. */
static void find_starts(shingler *s)
{
    const char *text = s->text.data;
    const size_t len = s->text.len;
    size_t at = s->at, count = s->start_count;
    for (; count < STARTS && len - at >= STEP; at += STEP) {
        uint64_t bytes;
        memcpy(&bytes, text + at, sizeof bytes);
        for (uint64_t found = blanks_in(le64toh(bytes)); found; found &= found - 1)
            s->starts[count++] = at + (size_t)__builtin_ctzll(found) / 8 + 1;
    }
    for (; count < STARTS && at < len; at++)
        if (text[at] == ' ')
            s->starts[count++] = at + 1;
    if (at == len)
        s->starts[count++] = len + 1;
    s->at = at;
    s->start_count = count;
}

/* Hashes the windows of w tokens that the block holds; keeps the starts of the next. */
static size_t hash_block(shingler *s, uint32_t w, th_hash *hash, uint64_t *hashes)
{
    if (s->start_count <= w)
        return 0;
    const size_t count = s->start_count - w;
    for (size_t i = 0; i < count; i++) {
        const size_t start = s->starts[i];
        hashes[i] = hash(s->text.data + start, s->starts[i + w] - 1 - start);
    }
    memmove(s->starts, s->starts + count, w * sizeof *s->starts);
    s->start_count = w;
    return count;
}

/* @return windows hashed, at least 1: a text of fewer than w tokens is one */
static size_t fold_text(const struct scheme *scheme, th_view text, th_sketch *sketch)
{
    uint64_t hashes[STARTS + STEP + 1];
    shingler s = { .text = text, .start_count = 1 }; /* the first token starts at 0 */
    size_t total = 0;
    while (s.at < text.len) {
        find_starts(&s);
        const size_t count = hash_block(&s, scheme->preset.shingle, scheme->hash, hashes);
        scheme->fold(sketch, hashes, count);
        total += count;
    }
    if (total)
        return total;
    hashes[0] = scheme->hash(text.data, text.len);
    scheme->fold(sketch, hashes, 1);
    return 1;
}

static size_t scheme_number(const th_minhash_preset *preset)
{
    size_t number = 0;
    while (preset != &schemes[number].preset) {
        number++;
        assert(number < SCHEME_COUNT); /* the contract: one of th_minhash_presets */
    }
    return number;
}

th_status th_minhash(const th_minhash_preset *preset, th_view text, th_arena *arena,
                     th_signature *out)
{
    if (!text.len)
        return TH_EMPTY;
    pthread_once(&tables_once, draw_tables); /* fails only on a broken pthread_once_t */
    const size_t number = scheme_number(preset);
    th_sketch sketch = { .table = &tables[number], .room = preset->slots };
    sketch.slots = th_arena_alloc(arena, preset->slots * sizeof *sketch.slots);
    if (!sketch.slots)
        return TH_NOMEM;
    const size_t shingles = fold_text(&schemes[number], text, &sketch);
    out->slots = sketch.slots;
    out->slot_count = sketch.filled;
    out->shingle_count = shingles < UINT32_MAX ? (uint32_t)shingles : UINT32_MAX;
    return TH_OK;
}

/* Two sorted sets: what both have among the k smallest that either has. */
static double set_similarity(uint32_t k, const th_signature *a, const th_signature *b)
{
    uint32_t i = 0, j = 0, common = 0, united = 0;
    while (united < k && (i < a->slot_count || j < b->slot_count)) {
        const bool has_a = i < a->slot_count, has_b = j < b->slot_count;
        const bool from_a = has_a && (!has_b || a->slots[i] <= b->slots[j]);
        const bool from_b = has_b && (!has_a || b->slots[j] <= a->slots[i]);
        i += from_a;
        j += from_b;
        common += from_a && from_b;
        united++;
    }
    return (double)common / united;
}

double th_minhash_similarity(const th_minhash_preset *preset, const th_signature *a,
                             const th_signature *b)
{
    if (!a->slots || !b->slots)
        return 0;
    if (preset->is_bottom_k)
        return set_similarity(preset->slots, a, b);
    uint32_t equal = 0;
    for (uint32_t i = 0; i < preset->slots; i++)
        equal += a->slots[i] == b->slots[i];
    return (double)equal / preset->slots;
}
