/*
 * MinHash: hashes the shingles of normalised text in place, and folds them into a
 * signature. [CKP08 §5.2], docs/near-duplicates.md#presets
 *
 * A signer contains a preset's scheme (the hash of a shingle and the kernel) and its
 * permutations. Text is processed in blocks, so the memory needed does not depend on its
 * length.
 */
#include "sketch/known_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii_mask.h"
#include "sketch/scheme.h"

struct th_minhash_signer {
    th_minhash_preset preset;
    const th_scheme *scheme;
    th_permutations table;
};

th_status th_minhash_signer_new(const th_minhash_preset *preset, th_minhash_signer **out,
                                th_error *err)
{
    const th_scheme *scheme = th_scheme_find(preset->scheme);
    if (!scheme || !preset->slots || preset->slots > TH_SLOTS_MAX || !preset->shingle ||
        preset->shingle > TH_SHINGLE_MAX)
        return th_fail(err, TH_USAGE,
                       "unsupported signature: %u slots of %u-token shingles with %s",
                       preset->slots, preset->shingle, preset->scheme);
    th_minhash_signer *signer = malloc(sizeof *signer);
    if (!signer)
        return th_fail(err, TH_NOMEM, "out of memory for a signature");
    signer->preset = *preset;
    signer->scheme = scheme;
    if (scheme->draw)
        scheme->draw(&signer->table, preset->seed, preset->slots);
    *out = signer;
    return TH_OK;
}

void th_minhash_signer_free(th_minhash_signer *signer)
{
    free(signer);
}

const th_minhash_preset *th_minhash_signer_preset(const th_minhash_signer *signer)
{
    return &signer->preset;
}

enum {
    STARTS = 1024, /* starts of tokens in a block; more than tokens of a window */
    STEP = 16,     /* bytes that are searched for spaces at once */
};

/* Windows of tokens over a text, in blocks. */
typedef struct shingler {
    th_view text;
    size_t at;          /* the spaces before this offset are found */
    size_t start_count; /* of starts */
    size_t starts[STARTS + STEP + 1];
} shingler;

/* Finds starts until the block is full or the text ends. The end counts as one more
 * start. */
static void find_starts(shingler *s)
{
    const char *text = s->text.data;
    const size_t len = s->text.len;
    size_t at = s->at, count = s->start_count;
    for (; count < STARTS && len - at >= STEP; at += STEP) {
        for (unsigned found = th_ascii_find16(text + at, ' '); found; found &= found - 1)
            s->starts[count++] = at + (size_t)__builtin_ctz(found) + 1;
    }
    for (; count < STARTS && at < len; at++)
        if (text[at] == ' ')
            s->starts[count++] = at + 1;
    if (at == len)
        s->starts[count++] = len + 1;
    s->at = at;
    s->start_count = count;
}

/* Hashes the block's windows of w tokens, and keeps the starts of the next windows. */
static size_t hash_block(shingler *s, const th_minhash_signer *signer, uint64_t *hashes)
{
    const uint32_t w = signer->preset.shingle;
    const uint32_t seed = signer->preset.seed;
    if (s->start_count <= w)
        return 0;
    const size_t count = s->start_count - w;
    signer->scheme->hash_windows(s->text.data, s->starts, w, count, seed, hashes);
    memmove(s->starts, s->starts + count, w * sizeof *s->starts);
    s->start_count = w;
    return count;
}

/* @return windows hashed; 0 if the text has fewer than w tokens */
static size_t fold_windows(const th_minhash_signer *signer, th_view text,
                           th_sketch *sketch)
{
    uint64_t hashes[STARTS + STEP + 1];
    shingler s;
    s.text = text;
    s.at = 0;
    s.start_count = 1; /* the first token starts at 0; others follow later */
    s.starts[0] = 0;
    size_t total = 0;
    while (s.at < text.len) {
        find_starts(&s);
        const size_t count = hash_block(&s, signer, hashes);
        signer->scheme->fold(sketch, hashes, count);
        total += count;
    }
    return total;
}

static th_sketch begin(const th_minhash_signer *signer, th_arena *arena)
{
    th_sketch sketch = { .table = &signer->table, .capacity = signer->preset.slots };
    sketch.slots = th_arena_alloc(arena, sketch.capacity * sizeof *sketch.slots);
    return sketch;
}

static void finish(const th_sketch *sketch, size_t shingles, th_signature *out)
{
    out->slots = sketch->slots;
    out->slot_count = sketch->filled;
    out->shingle_count = shingles < UINT32_MAX ? (uint32_t)shingles : UINT32_MAX;
}

th_status th_minhash(const th_minhash_signer *signer, th_view text, th_arena *arena,
                     th_signature *out)
{
    if (!text.len)
        return TH_NO_TOKEN;
    th_sketch sketch = begin(signer, arena);
    if (!sketch.slots)
        return TH_NOMEM;
    const size_t windows = fold_windows(signer, text, &sketch);
    if (!windows) { /* the text is one shingle */
        const uint64_t hash =
            signer->scheme->hash(text.data, text.len, signer->preset.seed);
        signer->scheme->fold(&sketch, &hash, 1);
    }
    finish(&sketch, windows ? windows : 1, out);
    out->is_short = windows == 0;
    return TH_OK;
}

th_status th_minhash_around(const th_minhash_signer *signer, th_view text, th_view part,
                            const th_signature *known, th_arena *arena, th_signature *out)
{
    if (known->is_short) /* no shingle of the text is known */
        return th_minhash(signer, text, arena, out);
    th_sketch sketch = begin(signer, arena);
    if (!sketch.slots)
        return TH_NOMEM;
    memcpy(sketch.slots, known->slots, known->slot_count * sizeof *sketch.slots);
    sketch.filled = known->slot_count;
    /* Other shingles may have all but one token in the part, from its ends. */
    size_t head = (size_t)(part.data - text.data); /* after the space that follows it */
    size_t tail = head + part.len + 1;
    for (uint32_t i = 1; i < signer->preset.shingle; i++) {
        do
            head++;
        while (text.data[head - 1] != ' ');
        do
            tail--;
        while (text.data[tail - 1] != ' ');
    }
    size_t shingles = known->shingle_count;
    if (head)
        shingles += fold_windows(signer, (th_view){ text.data, head - 1 }, &sketch);
    if (tail < text.len)
        shingles +=
            fold_windows(signer, (th_view){ text.data + tail, text.len - tail }, &sketch);
    finish(&sketch, shingles, out);
    out->is_short = 0;
    return TH_OK;
}

/* Compares two sorted sets: the common values among the k smallest of the union. */
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
