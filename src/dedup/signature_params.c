/*
 * Two records are duplicates by the share of equal slots, at least 0.8. For `paper` (as
 * sets) and `paper-slots` it is half of them, "4 of 8", by the papers' rule. Two such
 * signatures with fewer values than slots are measured by the larger one, so that one
 * shingle in common does not make a duplicate of a long text. A text shorter than a
 * shingle joins by its digest alone.
 */
#include "dedup/signature_params.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const th_compared_names[] = { "main",   "content",  "page", "both",
                                          "either", "distinct", "auto", NULL };

void th_signature_init(th_signature_params *params, th_compared compared,
                       double threshold)
{
    *params = (th_signature_params){ .compared = compared, .threshold = threshold };
    switch (compared) {
    case TH_COMPARE_MAIN:
    case TH_COMPARE_CONTENT:
    case TH_COMPARE_PAGE:
        params->texts[0] = (unsigned)compared;
        params->text_count = 1;
        break;
    case TH_COMPARE_BOTH:
    case TH_COMPARE_EITHER:
        params->texts[0] = TH_SIGN_MAIN;
        params->texts[1] = TH_SIGN_PAGE;
        params->text_count = 2;
        break;
    case TH_COMPARE_DISTINCT:
        params->texts[0] = TH_SIGN_DISTINCT;
        params->text_count = 1;
        break;
    case TH_COMPARE_OWN:
        params->texts[0] = TH_SIGN_COUNT;
        params->texts[1] = TH_SIGN_MAIN;
        params->text_count = 1; /* 2 from the first record with `distinct` on */
    }
}

/* Reads how a record was signed: its preset's words, and its own parameters. */
static th_status read_claim(const th_record_line *record, const char *place,
                            th_minhash_preset *claim, th_error *err)
{
    const th_signature_words *words = &record->words;
    uint32_t *const fields[TH_SIGNING_NUMBERS] = {
        [TH_SIGNING_SEED] = &claim->seed,
        [TH_SIGNING_W] = &claim->shingle,
        [TH_SIGNING_K] = &claim->slots,
        [TH_SIGNING_BITS] = &claim->slot_bits,
        [TH_SIGNING_TOKENIZER] = &claim->tokenizer,
    };
    th_error why = { .text = "" };
    if (th_minhash_parse(words->preset, claim, &why) != TH_OK)
        return th_fail(err, TH_USAGE, "%s: %s", place,
                       why.text[0] ? why.text : "minhash preset is missing");
    for (int i = 0; i < TH_SIGNING_NUMBERS; i++)
        if (words->has_numbers & 1u << i)
            *fields[i] =
                words->numbers[i] < UINT32_MAX ? (uint32_t)words->numbers[i] : UINT32_MAX;
    if (words->scheme[0])
        claim->scheme = words->scheme;
    return TH_OK;
}

static bool has_distinct(const th_record_line *record)
{
    return record->signatures[TH_SIGN_DISTINCT].len > 0;
}

/* Takes the first signed record. Its words must match its preset here. */
static th_status take_first(th_signature_params *params, const th_record_line *record,
                            const char *place, th_error *err)
{
    th_minhash_preset claim;
    th_status status = read_claim(record, place, &claim, err);
    if (status != TH_OK)
        return status;
    th_minhash_preset *preset = &params->preset;
    (void)th_minhash_parse(record->words.preset, preset, NULL);
    preset->tokenizer = claim.tokenizer; /* ours or not, if it is the same for all */
    status = th_minhash_check_same(preset, record->words.preset, &claim, place, err);
    if (status != TH_OK)
        return status;
    if (!preset->bands)
        return th_fail(err, TH_USAGE,
                       "%s: preset '%s' has no band keys, which finding pairs needs",
                       place, record->words.preset);
    params->is_known = true;
    params->slots = preset->slots;
    params->width = preset->slot_bits / 8;
    params->claim = record->words;
    memcpy(params->words, record->params, sizeof params->words);
    (void)snprintf(params->source, sizeof params->source, "%s", place);
    return TH_OK;
}

/*
 * Bands are not part of a signature, but the keys by which pairs are found. If the first
 * record's bands were used for all, other pairs would be found in another order of the
 * inputs.
 */
static th_status check_bands(const th_signature_params *params,
                             const th_minhash_preset *claim, const char *place,
                             th_error *err)
{
    const th_minhash_preset *preset = &params->preset;
    if (preset->bands == claim->bands && preset->rows == claim->rows)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "signatures of '%.100s' and '%.100s' have different band keys: bands "
                   "%ux%u and %ux%u",
                   params->source, place, preset->bands, preset->rows, claim->bands,
                   claim->rows);
}

th_status th_signature_agree(th_signature_params *params, const th_record_line *record,
                             const char *place, th_error *err)
{
    th_minhash_preset claim;
    if (!record->params[0])
        return TH_OK;
    if (params->compared == TH_COMPARE_OWN && has_distinct(record))
        params->text_count = 2;
    if (!params->is_known)
        return take_first(params, record, place, err);
    if (strcmp(params->words, record->params) == 0)
        return TH_OK;
    th_status status = read_claim(record, place, &claim, err);
    if (status == TH_OK)
        status =
            th_minhash_check_same(&params->preset, params->source, &claim, place, err);
    return status == TH_OK ? check_bands(params, &claim, place, err) : status;
}

/* ---- rows ---- */

size_t th_signature_row_len(const th_signature_params *params)
{
    return sizeof(th_signed_head) +
           (size_t)params->text_count * params->slots * params->width;
}

static void pack_slots(const uint64_t *slots, uint32_t count, uint32_t width,
                       unsigned char *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t half = (uint32_t)slots[i];
        memcpy(bytes + (size_t)i * width, width == 4 ? (const void *)&half : &slots[i],
               width);
    }
}

static void unpack_slots(const unsigned char *bytes, uint32_t count, uint32_t width,
                         uint64_t *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t half = 0;
        memcpy(width == 4 ? (void *)&half : &slots[i], bytes + (size_t)i * width, width);
        if (width == 4)
            slots[i] = half;
    }
}

/* Returns the TH_SIGN_... of a compared text of this record. */
static unsigned text_of(const th_signature_params *params, unsigned i,
                        const th_record_line *record)
{
    if (params->texts[i] != TH_SIGN_COUNT)
        return params->texts[i];
    return has_distinct(record) ? TH_SIGN_DISTINCT : TH_SIGN_MAIN;
}

/* Whether a text has all slots, or for a bottom-k signature at most all. */
static bool has_good_length(const th_signature_params *params, th_view digits)
{
    const size_t whole = (size_t)2 * params->width * params->slots;
    return params->preset.is_bottom_k ? digits.len > 0 && digits.len <= whole
                                      : digits.len == whole;
}

th_record_fault th_signature_pack(const th_signature_params *params,
                                  const th_record_line *record, uint64_t *scratch,
                                  unsigned char *row)
{
    th_signed_head head = { .digest = { record->digest[0], record->digest[1] },
                            .has_digest = record->has_digest,
                            .knows_template = record->knows_template };
    unsigned char *at = row + sizeof head;
    memset(row, 0, th_signature_row_len(params));
    for (unsigned i = 0; i < params->text_count && params->is_known; i++) {
        const unsigned text = text_of(params, i, record);
        const th_view digits = record->signatures[text];
        /* Without `distinct`, the main text is already the first one. */
        const bool is_there = digits.data && (params->compared != TH_COMPARE_OWN || !i ||
                                              has_distinct(record));
        if (is_there) {
            if (!has_good_length(params, digits) ||
                !th_slots_read(digits, params->width, scratch))
                return TH_RECORD_BAD_MINHASH;
            head.short_texts |= (uint16_t)((record->short_texts >> text & 1u) << i);
            head.slot_counts[i] = (uint32_t)(digits.len / 2 / params->width);
            pack_slots(scratch, head.slot_counts[i], params->width, at);
        }
        at += (size_t)params->slots * params->width;
    }
    memcpy(row, &head, sizeof head);
    return TH_RECORD_NONE;
}

bool th_signature_row_is_good(const th_signature_params *params, th_view row)
{
    th_signed_head head;
    if (row.len < sizeof head || row.len > th_signature_row_len(params))
        return false;
    memcpy(&head, row.data, sizeof head);
    for (unsigned i = 0; i < 2; i++) {
        const size_t end =
            sizeof head +
            ((size_t)i * params->slots + head.slot_counts[i]) * params->width;
        const bool has_good_count = params->preset.is_bottom_k
                                        ? head.slot_counts[i] <= params->slots
                                        : head.slot_counts[i] == params->slots;
        if (head.slot_counts[i] &&
            (i >= params->text_count || end > row.len || !has_good_count))
            return false;
    }
    return true;
}

bool th_signature_is_signed(const th_signature_params *params, const th_signed_head *head)
{
    const bool has_first = head->slot_counts[0] > 0;
    const bool has_second = head->slot_counts[1] > 0;
    return params->compared == TH_COMPARE_BOTH ? has_first && has_second
                                               : has_first || has_second;
}

void th_signature_unpack(const th_signature_params *params, const unsigned char *bytes,
                         th_signed_row *row)
{
    memcpy(&row->head, bytes, sizeof row->head);
    bytes += sizeof row->head;
    for (unsigned i = 0; i < params->text_count; i++) {
        uint64_t *slots = row->slots + (size_t)i * params->slots;
        const uint32_t count = row->head.slot_counts[i];
        unpack_slots(bytes, count, params->width, slots);
        row->signatures[i] =
            (th_signature){ .slots = count ? slots : NULL,
                            .slot_count = count,
                            .is_short = (uint32_t)row->head.short_texts >> i & 1u };
        bytes += (size_t)params->slots * params->width;
    }
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_slots(const th_signature *a, const th_signature *b)
{
    int order = 0;
    for (uint32_t i = 0; i < a->slot_count && !order; i++)
        order = compare_numbers(a->slots[i], b->slots[i]);
    return order;
}

int th_signature_order(const th_signature_params *params, const th_signed_row *a,
                       const th_signed_row *b)
{
    const th_signed_head *x = &a->head, *y = &b->head;
    /* clang-format off */
    const uint64_t numbers[][2] = {
        { y->slot_counts[0], x->slot_counts[0] }, /* more before fewer */
        { y->slot_counts[1], x->slot_counts[1] },
        { y->has_digest, x->has_digest },
        { x->digest[0], y->digest[0] },
        { x->digest[1], y->digest[1] },
        { x->short_texts, y->short_texts },
        { x->knows_template, y->knows_template },
    };
    /* clang-format on */
    int order = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !order; i++)
        order = compare_numbers(numbers[i][0], numbers[i][1]);
    for (unsigned i = 0; i < params->text_count && !order; i++)
        order = compare_slots(&a->signatures[i], &b->signatures[i]);
    return order;
}

/* ---- keys ---- */

/* Returns the texts whose keys are used. If both texts must be alike, the keys of the
 * first find every pair. */
static unsigned keyed_texts(const th_signature_params *params)
{
    return params->compared == TH_COMPARE_BOTH ? 1 : params->text_count;
}

/* Returns a compared text. A record without `distinct` has its main text as the first
 * one. */
static const th_signature *signature_of(const th_signature_params *params,
                                        const th_signed_row *row, unsigned text)
{
    const bool is_first =
        params->compared == TH_COMPARE_OWN && !row->signatures[text].slots;
    return &row->signatures[is_first ? 0 : text];
}

size_t th_signature_key_count(const th_signature_params *params)
{
    return (size_t)keyed_texts(params) * (params->is_known ? params->preset.bands : 0) +
           1;
}

/*
 * Separates the keys of one text or band from the keys of another. If two different keys
 * still collide, this costs only a comparison. The hash is the same number on every
 * machine, because buckets come in the order of their keys.
 */
static uint64_t key_number(const uint8_t key[TH_BAND_KEY_LEN], unsigned text)
{
    uint64_t hash;
    memcpy(&hash, key + 1, sizeof hash);
    const uint64_t family = (uint64_t)text << 8 | key[0];
    return be64toh(hash) ^ (family + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

size_t th_signature_keys(const th_signature_params *params, const th_signed_row *row,
                         uint64_t *keys)
{
    uint8_t bytes[TH_SLOTS_MAX * TH_BAND_KEY_LEN];
    size_t count = 0;
    for (unsigned text = 0; text < keyed_texts(params) && params->is_known; text++) {
        const uint32_t found =
            th_minhash_bands(&params->preset, signature_of(params, row, text), bytes);
        for (uint32_t i = 0; i < found; i++)
            keys[count++] = key_number(bytes + (size_t)i * TH_BAND_KEY_LEN, text);
    }
    if (row->head.has_digest)
        keys[count++] = row->head.digest[0];
    return count;
}

/* ---- comparison ---- */

static uint32_t common_values(const th_signature *a, const th_signature *b)
{
    uint32_t i = 0, j = 0, common = 0;
    while (i < a->slot_count && j < b->slot_count) {
        const uint64_t x = a->slots[i], y = b->slots[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return common;
}

static bool is_alike(const th_signature_params *params, const th_signature *a,
                     const th_signature *b, double jaccard)
{
    const bool is_paper =
        params->preset.is_bottom_k || params->preset.keys == TH_KEYS_PAIRS;
    const double share = params->threshold > 0 ? params->threshold : is_paper ? 0.5 : 0.8;
    if (!a->slots || !b->slots || a->is_short || b->is_short)
        return false;
    if (!params->preset.is_bottom_k)
        return jaccard >= share;
    const uint32_t larger = a->slot_count > b->slot_count ? a->slot_count : b->slot_count;
    return common_values(a, b) >= ceil(share * larger - 1e-9);
}

static bool is_exact_pair(const th_signed_row *a, const th_signed_row *b)
{
    return a->head.has_digest && b->head.has_digest &&
           a->head.digest[0] == b->head.digest[0] &&
           a->head.digest[1] == b->head.digest[1];
}

/* Whether a text counts for this pair. For TH_COMPARE_OWN the main texts count if the
 * template of either page is not known, because then its own text is only a guess. */
static bool is_compared(const th_signature_params *params, unsigned text,
                        const th_signed_row *a, const th_signed_row *b)
{
    return !text || params->compared != TH_COMPARE_OWN || !a->head.knows_template ||
           !b->head.knows_template;
}

th_likeness th_signature_compare(const th_signature_params *params,
                                 const th_signed_row *a, const th_signed_row *b)
{
    double jaccards[2] = { 0, 0 };
    bool alike[2] = { false, false };
    const bool is_exact = is_exact_pair(a, b);
    for (unsigned i = 0; i < params->text_count && params->is_known; i++) {
        const th_signature *x = signature_of(params, a, i);
        const th_signature *y = signature_of(params, b, i);
        if (!is_compared(params, i, a, b))
            continue;
        jaccards[i] = th_minhash_similarity(&params->preset, x, y);
        alike[i] = is_alike(params, x, y, jaccards[i]);
    }
    if (params->compared == TH_COMPARE_BOTH) {
        const double first = is_exact ? 1 : jaccards[0];
        return (th_likeness){ .jaccard = first < jaccards[1] ? first : jaccards[1],
                              .is_exact = is_exact,
                              .is_duplicate = (is_exact || alike[0]) && alike[1] };
    }
    const double best = jaccards[0] > jaccards[1] ? jaccards[0] : jaccards[1];
    return (th_likeness){ .jaccard = is_exact ? 1 : best,
                          .is_exact = is_exact,
                          .is_duplicate = is_exact || alike[0] || alike[1] };
}
