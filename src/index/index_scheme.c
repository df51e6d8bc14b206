/*
 * The scheme of an index. It is fixed when the index is created, stored as text, and
 * compared line by line. [docs/near-duplicates.md#low-bits]
 *
 * A slot's low bits are as good as other bits, because the minima of a permutation are
 * uniform in them. With b bits kept, two slots agree by chance with probability 2^-b. The
 * estimate subtracts that: J = (share - 2^-b) / (1 - 2^-b).
 */
#include "index/index_scheme.h"

#include <string.h>
#include <xxhash.h>

static const char *const sign_names[TH_SIGN_COUNT] = {
    [TH_SIGN_MAIN] = "main",
    [TH_SIGN_CONTENT] = "content",
    [TH_SIGN_PAGE] = "page",
    [TH_SIGN_DISTINCT] = "distinct",
};

th_status th_index_scheme_init(th_index_scheme *scheme, const th_minhash_preset *preset,
                               uint32_t text, uint32_t other, uint32_t kept_bits,
                               th_error *err)
{
    if (!preset || !preset->bands)
        return th_fail(err, TH_USAGE,
                       "minhash preset '%s' has no band keys, which an index needs",
                       preset ? preset->name : "none");
    const uint32_t whole = preset->is_bottom_k ? 64 : preset->slot_bits;
    const uint32_t bits =
        preset->is_bottom_k || !kept_bits || kept_bits > whole ? whole : kept_bits;
    const uint32_t texts = other < TH_SIGN_COUNT ? 2 : 1;
    *scheme =
        (th_index_scheme){ .preset = *preset,
                           .texts = { text, other },
                           .text_count = texts,
                           .kept_bits = bits,
                           .key_count = texts * preset->bands,
                           .signature_len =
                               ((size_t)preset->slots * (bits / 8) + 7) & ~(size_t)7 };
    return TH_OK;
}

void th_index_scheme_print(const th_index_scheme *scheme, th_buffer *out)
{
    const th_minhash_preset *preset = &scheme->preset;
    char words[TH_MINHASH_NAME_MAX];
    th_minhash_print(preset, words);
    th_buffer_printf(out, "version = 1\npreset = %s\nscheme = %s\nseed = %u\n", words,
                     preset->scheme, preset->seed);
    th_buffer_printf(out, "k = %u\nw = %u\nslot_bits = %u\nbands = %u\nrows = %u\n",
                     preset->slots, preset->shingle, preset->slot_bits, preset->bands,
                     preset->rows);
    th_buffer_printf(
        out, "tokenizer = %u\ntext = %s%s%s\nkept_bits = %u\n", preset->tokenizer,
        sign_names[scheme->texts[0]], scheme->text_count > 1 ? "," : "",
        scheme->text_count > 1 ? sign_names[scheme->texts[1]] : "", scheme->kept_bits);
}

uint64_t th_index_scheme_digest(const th_index_scheme *scheme)
{
    th_buffer text = { 0 };
    th_index_scheme_print(scheme, &text);
    const th_view view = th_buffer_view(&text);
    const uint64_t digest = XXH3_64bits(view.data, view.len);
    th_buffer_done(&text);
    return digest;
}

/* Removes and returns the first line of `rest`. */
static th_view next_line(th_view *rest)
{
    const char *end = memchr(rest->data, '\n', rest->len);
    const size_t len = end ? (size_t)(end - rest->data) : rest->len;
    const th_view line = { rest->data, len };
    rest->data += len + (end != NULL);
    rest->len -= len + (end != NULL);
    return line;
}

th_status th_index_scheme_check(const th_index_scheme *scheme, th_view stored,
                                th_error *err)
{
    th_status status = TH_OK;
    th_buffer text = { 0 };
    th_index_scheme_print(scheme, &text);
    th_view ours = th_buffer_view(&text), theirs = stored;
    if (text.has_failed)
        status = th_fail(err, TH_NOMEM, "out of memory for the scheme of an index");
    while (status == TH_OK && (ours.len || theirs.len)) {
        const th_view mine = next_line(&ours), its = next_line(&theirs);
        if (mine.len != its.len || memcmp(mine.data, its.data, mine.len) != 0)
            status = th_fail(err, TH_USAGE,
                             "index was made with another scheme: the index has '%.*s', "
                             "these options give '%.*s'",
                             (int)(its.len < 80 ? its.len : 80), its.data, (int)mine.len,
                             mine.data);
    }
    th_buffer_done(&text);
    return status;
}

/* ---- comparing ---- */

static uint32_t equal_bytes(const uint8_t *a, const uint8_t *b, size_t count)
{
    uint32_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += a[i] == b[i];
    return equal;
}

static uint32_t equal_slots(const uint8_t *a, const uint8_t *b, uint32_t count,
                            uint32_t width)
{
    uint32_t equal = 0;
    if (width == 1)
        return equal_bytes(a, b, count);
    for (uint32_t i = 0; i < count; i++, a += width, b += width)
        equal += memcmp(a, b, width) == 0;
    return equal;
}

static th_index_likeness compare_sets(const th_index_scheme *scheme, const uint8_t *a,
                                      uint32_t a_slots, const uint8_t *b,
                                      uint32_t b_slots)
{
    const uint64_t *left = (const uint64_t *)(const void *)a;
    const uint64_t *right = (const uint64_t *)(const void *)b;
    const th_signature x = { .slots = left, .slot_count = a_slots };
    const th_signature y = { .slots = right, .slot_count = b_slots };
    const uint32_t max = a_slots > b_slots ? a_slots : b_slots;
    th_index_likeness like = { 0 };
    for (uint32_t i = 0, j = 0; i < a_slots && j < b_slots;) {
        like.equal += left[i] == right[j];
        const bool is_left = left[i] <= right[j], is_right = right[j] <= left[i];
        i += is_left;
        j += is_right;
    }
    like.share = max ? (double)like.equal / max : 0;
    like.jaccard = max ? th_minhash_similarity(&scheme->preset, &x, &y) : 0;
    return like;
}

th_index_likeness th_index_compare(const th_index_scheme *scheme, const uint8_t *a,
                                   uint32_t a_slots, const uint8_t *b, uint32_t b_slots)
{
    if (scheme->preset.is_bottom_k)
        return compare_sets(scheme, a, a_slots, b, b_slots);
    const uint32_t slots = scheme->preset.slots;
    const double chance =
        scheme->kept_bits < scheme->preset.slot_bits && scheme->kept_bits < 32
            ? 1.0 / (double)(1u << scheme->kept_bits)
            : 0;
    th_index_likeness like = { .equal = equal_slots(a, b, slots, scheme->kept_bits / 8) };
    like.share = (double)like.equal / slots;
    like.jaccard = (like.share - chance) / (1 - chance);
    if (like.jaccard < 0)
        like.jaccard = 0;
    return like;
}
