/*
 * Presets: a scheme with its numbers (slots, shingle, seed, bands) under one name.
 * docs/near-duplicates.md#presets
 *
 * The signatures of `paper`, `paper-slots`, `modern` and `crawl` are fixed, so two
 * signatures of one name can always be compared. Only the bands of the last two can be
 * set. Presets that follow another program take its settings after a colon.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/unknown_name.h"
#include "sketch/scheme.h"
#include "thresher/minhash.h"

/* Parameters after a preset's colon. */
typedef enum parameter { SLOTS, SHINGLE, SEED, BITS, HASH, BANDS, PARAMETERS } parameter;

static const char *const parameter_names[PARAMETERS] = {
    [SLOTS] = "k",   [SHINGLE] = "w", [SEED] = "seed",
    [BITS] = "bits", [HASH] = "hash", [BANDS] = "bands",
};
static const char *const hash_names[] = {
    [TH_HASH_XXHASH] = "xxhash", [TH_HASH_SHA1] = "sha1"
};

enum {
    ROWS = 8, /* default rows of a band */
    TAKES_BANDS = 1 << BANDS,
    TAKES_MOST = TAKES_BANDS | 1 << SHINGLE | 1 << SEED,
    SLOTS_OF_BANDS = 1 << PARAMETERS, /* k is the number of bands times their rows */
    VALUE_MAX = 32,                   /* bytes of a parameter's value, with its NUL */
};

/* A preset, the program that defines its formula, and the parameters that it accepts. */
struct entry {
    th_minhash_preset preset;
    th_scheme_family family;
    unsigned takes; /* 1 << parameter | ... */
};

/* clang-format off */
static const struct entry entries[] = {
    { .preset = { .name = "paper",
                  .help = "the 8 smallest hashes of 6-token shingles, as a set [CKP08 §5.2]",
                  .scheme = "bottom-xxh3_64", .shingle = 6, .slots = 8, .slot_bits = 64,
                  .bands = 8, .rows = 1, .is_bottom_k = 1, .keys = TH_KEYS_VALUES,
                  .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_BOTTOM },
    { .preset = { .name = "paper-slots",
                  .help = "8 aligned slots of 64 bits, 6-token shingles, 7 band keys",
                  .scheme = "affine64-xxh3_64", .shingle = 6, .slots = 8, .slot_bits = 64,
                  .bands = 7, .rows = 2, .seed = 1, .keys = TH_KEYS_PAIRS,
                  .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_AFFINE },
    { .preset = { .name = "modern",
                  .help = "128 slots of 32 bits, 5-token shingles; datasketch can read them",
                  .scheme = "affine32-xxh3_64", .shingle = 5, .slots = 128, .slot_bits = 32,
                  .bands = 16, .rows = 8, .seed = 1, .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_AFFINE, .takes = TAKES_BANDS },
    { .preset = { .name = "crawl",
                  .help = "112 slots of 64 bits, 5-token shingles, for billions of pages",
                  .scheme = "affine64-xxh3_64", .shingle = 5, .slots = 112, .slot_bits = 64,
                  .bands = 14, .rows = 8, .seed = 1, .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_AFFINE, .takes = TAKES_BANDS },
    { .preset = { .name = "datasketch1",
                  .help = "datasketch before 2.0; takes k, w, seed, bands",
                  .scheme = "legacy-sha1", .shingle = 5, .slots = 128, .slot_bits = 32,
                  .bands = 16, .rows = 8, .seed = 1, .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_LEGACY, .takes = TAKES_MOST | 1 << SLOTS },
    { .preset = { .name = "datasketch2",
                  .help = "datasketch from 2.0 on; takes k, w, seed, bits, hash, bands",
                  .scheme = "affine32-sha1", .shingle = 5, .slots = 128, .slot_bits = 32,
                  .bands = 16, .rows = 8, .seed = 1, .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_AFFINE, .takes = TAKES_MOST | 1 << SLOTS | 1 << BITS | 1 << HASH },
    { .preset = { .name = "datatrove",
                  .help = "datatrove's 14 bands of 8; takes w, seed, bits, hash, bands",
                  .scheme = "datatrove64-xxh64", .shingle = 5, .slots = 112, .slot_bits = 64,
                  .bands = 14, .rows = 8, .seed = 1, .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_DATATROVE, .takes = TAKES_MOST | SLOTS_OF_BANDS | 1 << BITS | 1 << HASH },
    { .preset = { .name = "textdedup",
                  .help = "text-dedup, XXH3 or SHA-1; takes k, w, seed, hash, bands",
                  .scheme = "textdedup-xxh3_64", .shingle = 5, .slots = 128, .slot_bits = 32,
                  .bands = 16, .rows = 8, .seed = 42, .is_wide_key = 1,
                  .tokenizer = TH_TOKENIZER_VERSION },
      .family = TH_FAMILY_TEXTDEDUP, .takes = TAKES_MOST | 1 << SLOTS | 1 << HASH },
};
/* clang-format on */

enum { ENTRIES = sizeof entries / sizeof *entries };

const th_minhash_preset *const th_minhash_presets[] = {
    &entries[0].preset, &entries[1].preset, &entries[2].preset,
    &entries[3].preset, &entries[4].preset, &entries[5].preset,
    &entries[6].preset, &entries[7].preset, NULL,
};

static const struct entry *find_entry(const char *name, size_t len)
{
    for (size_t i = 0; i < ENTRIES; i++)
        if (strlen(entries[i].preset.name) == len &&
            memcmp(entries[i].preset.name, name, len) == 0)
            return &entries[i];
    return NULL;
}

/* Returns the names that th_minhash_parse accepts, for th_fail_unknown: every preset, and
 * "none". */
static const char *preset_at(const void *table, size_t i)
{
    (void)table;
    return i < ENTRIES ? entries[i].preset.name : i == ENTRIES ? "none" : NULL;
}

const th_minhash_preset *th_minhash_find(const char *name)
{
    const struct entry *entry = find_entry(name, strlen(name));
    return entry ? &entry->preset : NULL;
}

/* ---- from words ---- */

/* State of parsing a preset. */
struct parsing {
    const struct entry *entry;
    th_minhash_preset preset;
    th_scheme_hash hash;
    unsigned given; /* 1 << parameter | ... */
    th_error *err;
};

static th_status complain(const struct parsing *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static th_status complain(const struct parsing *p, const char *format, ...)
{
    char why[160];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return th_fail(p->err, TH_USAGE, "minhash preset '%s': %s", p->entry->preset.name,
                   why);
}

/* Reads a number of low..high from the digits at *at, and moves *at after them. @return
 * false, with nothing set, if there is no number */
static bool read_number(const char **at, uint32_t low, uint32_t high, uint32_t *out)
{
    uint64_t number = 0;
    const char *digit = *at;
    for (; th_is_digit(*digit) && number <= high; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    const bool is_good = digit != *at && number >= low && number <= high;
    if (is_good) {
        *out = (uint32_t)number;
        *at = digit;
    }
    return is_good;
}

static th_status set_number(struct parsing *p, const char *name, const char *value,
                            uint32_t low, uint32_t high, uint32_t *out)
{
    const char *at = value;
    if (read_number(&at, low, high, out) && !*at)
        return TH_OK;
    return complain(p, "%s is '%s' (expected %u to %u)", name, value, low, high);
}

static th_status set_bits(struct parsing *p, const char *value)
{
    if (strcmp(value, "32") != 0 && strcmp(value, "64") != 0)
        return complain(p, "bits is '%s' (expected 32 or 64)", value);
    p->preset.slot_bits = value[0] == '3' ? 32 : 64;
    return TH_OK;
}

static th_status set_hash(struct parsing *p, const char *value)
{
    for (unsigned i = 0; i < sizeof hash_names / sizeof *hash_names; i++) {
        if (strcmp(value, hash_names[i]) == 0) {
            p->hash = (th_scheme_hash)i;
            return TH_OK;
        }
    }
    return complain(p, "hash is '%s' (expected xxhash or sha1)", value);
}

static th_status set_bands(struct parsing *p, const char *value)
{
    const char *at = value;
    bool is_good = read_number(&at, 1, TH_BANDS_MAX, &p->preset.bands) && *at++ == 'x';
    is_good = is_good && read_number(&at, 1, TH_SLOTS_MAX, &p->preset.rows) && !*at;
    if (is_good)
        return TH_OK;
    return complain(p, "bands is '%s' (expected NUMBERxROWS, at most %d bands)", value,
                    TH_BANDS_MAX);
}

static th_status set_parameter(struct parsing *p, parameter which, const char *value)
{
    const char *name = parameter_names[which];
    if (!(p->entry->takes & 1u << which))
        return complain(
            p, "its %s is fixed%s", name,
            which == SLOTS && p->entry->takes & SLOTS_OF_BANDS ? " by its bands" : "");
    if (p->given & 1u << which)
        return complain(p, "%s is given twice", name);
    p->given |= 1u << which;
    switch (which) {
    case SLOTS:
        return set_number(p, name, value, 1, TH_SLOTS_MAX, &p->preset.slots);
    case SHINGLE:
        return set_number(p, name, value, 1, TH_SHINGLE_MAX, &p->preset.shingle);
    case SEED:
        return set_number(p, name, value, 0, UINT32_MAX, &p->preset.seed);
    case BITS:
        return set_bits(p, value);
    case HASH:
        return set_hash(p, value);
    case BANDS:
        return set_bands(p, value);
    case PARAMETERS:
    default:
        return TH_USAGE;
    }
}

/* Parses one "key=value" of `len` bytes. */
static th_status read_parameter(struct parsing *p, const char *text, size_t len)
{
    const size_t name_len = strcspn(text, "=,");
    char value[VALUE_MAX];
    if (name_len >= len || len - name_len - 1 >= sizeof value || len == name_len + 1)
        return complain(p, "'%.*s' is not a parameter (expected key=value)",
                        (int)(len < 64 ? len : 64), text);
    memcpy(value, text + name_len + 1, len - name_len - 1);
    value[len - name_len - 1] = '\0';
    for (int i = 0; i < PARAMETERS; i++)
        if (strlen(parameter_names[i]) == name_len &&
            memcmp(parameter_names[i], text, name_len) == 0)
            return set_parameter(p, (parameter)i, value);
    return complain(
        p, "unknown parameter '%.*s'; expected one of: k, w, seed, bits, hash, bands",
        (int)(name_len < 32 ? name_len : 32), text);
}

/* Computes the dependent numbers, and checks all of them together. */
static th_status complete(struct parsing *p)
{
    th_minhash_preset *preset = &p->preset;
    const th_scheme *scheme =
        th_scheme_choose(p->entry->family, p->hash, preset->slot_bits);
    assert(scheme); /* a preset with bits or hash has a scheme for each value */
    preset->scheme = scheme->name;
    if (p->entry->takes & SLOTS_OF_BANDS)
        preset->slots = preset->bands * preset->rows;
    if (p->given & 1u << SLOTS && !(p->given & 1u << BANDS)) {
        preset->rows = preset->slots < ROWS ? preset->slots : ROWS;
        preset->bands = preset->slots / preset->rows;
    }
    if (preset->slots > TH_SLOTS_MAX)
        return complain(p, "%u bands of %u rows exceed %d slots", preset->bands,
                        preset->rows, TH_SLOTS_MAX);
    if (preset->keys == TH_KEYS_BANDS && preset->bands * preset->rows > preset->slots)
        return complain(p, "%u bands of %u rows exceed the %u slots of the preset",
                        preset->bands, preset->rows, preset->slots);
    return TH_OK;
}

th_status th_minhash_parse(const char *words, th_minhash_preset *out, th_error *err)
{
    if (strcmp(words, "none") == 0)
        return TH_NOT_WANTED;
    const size_t name_len = strcspn(words, ":");
    struct parsing p = { .entry = find_entry(words, name_len), .err = err };
    if (!p.entry)
        return th_fail_unknown(err, "minhash preset", (th_view){ words, name_len },
                               preset_at, NULL);
    p.preset = p.entry->preset;
    p.hash = th_scheme_find(p.preset.scheme)->kind;
    th_status status = TH_OK;
    const char *at = words + name_len;
    while (*at && status == TH_OK) {
        at++; /* the colon, a comma */
        const size_t len = strcspn(at, ",");
        status = read_parameter(&p, at, len);
        at += len;
    }
    if (status == TH_OK)
        status = complete(&p);
    if (status == TH_OK)
        *out = p.preset;
    return status;
}

/* ---- to words ---- */

static size_t put(char *out, size_t len, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends ":" or ",", then the words. */
static size_t put(char *out, size_t len, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    out[len] = strchr(out, ':') ? ',' : ':';
    const int more =
        vsnprintf(out + len + 1, TH_MINHASH_NAME_MAX - len - 1, format, list);
    va_end(list);
    assert(more > 0 && len + 1 + (size_t)more < TH_MINHASH_NAME_MAX);
    return len + 1 + (size_t)more;
}

void th_minhash_print(const th_minhash_preset *preset, char out[TH_MINHASH_NAME_MAX])
{
    const struct entry *entry = find_entry(preset->name, strlen(preset->name));
    assert(entry); /* required: from th_minhash_parse or th_minhash_presets */
    memset(out, 0, TH_MINHASH_NAME_MAX);
    size_t len = strlen(preset->name);
    memcpy(out, preset->name, len);
    const th_minhash_preset *usual = &entry->preset;
    if (preset->slots != usual->slots && entry->takes & 1u << SLOTS)
        len = put(out, len, "k=%u", preset->slots);
    if (preset->shingle != usual->shingle)
        len = put(out, len, "w=%u", preset->shingle);
    if (preset->seed != usual->seed)
        len = put(out, len, "seed=%u", preset->seed);
    if (preset->slot_bits != usual->slot_bits)
        len = put(out, len, "bits=%u", preset->slot_bits);
    const th_scheme_hash hash = th_scheme_find(preset->scheme)->kind;
    if (hash != th_scheme_find(usual->scheme)->kind)
        len = put(out, len, "hash=%s", hash_names[hash]);
    const uint32_t rows = preset->slots < ROWS ? preset->slots : ROWS;
    const bool has_k = entry->takes & 1u << SLOTS;
    const uint32_t usual_rows = has_k ? rows : usual->rows;
    const uint32_t usual_bands = has_k ? preset->slots / rows : usual->bands;
    if (preset->rows != usual_rows || preset->bands != usual_bands)
        (void)put(out, len, "bands=%ux%u", preset->bands, preset->rows);
}

/* ---- the same? ---- */

/* Differences of two presets, separated by commas. */
struct differences {
    char text[192];
    size_t len;
};

static void add_difference(struct differences *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_difference(struct differences *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (d->len && d->len < sizeof d->text - 2) {
        memcpy(d->text + d->len, ", ", 2);
        d->len += 2;
    }
    const int more = vsnprintf(d->text + d->len, sizeof d->text - d->len, format, list);
    va_end(list);
    d->len += more > 0 ? (size_t)more : 0;
    if (d->len >= sizeof d->text)
        d->len = sizeof d->text - 1;
}

th_status th_minhash_check_same(const th_minhash_preset *a, const char *a_from,
                                const th_minhash_preset *b, const char *b_from,
                                th_error *err)
{
    struct differences d = { .len = 0 };
    const struct {
        const char *name;
        uint32_t a, b;
    } numbers[] = {
        { "seed", a->seed, b->seed },
        { "w", a->shingle, b->shingle },
        { "k", a->slots, b->slots },
        { "bits", a->slot_bits, b->slot_bits },
        { "tokenizer", a->tokenizer, b->tokenizer },
    };
    if (strcmp(a->scheme, b->scheme) != 0)
        add_difference(&d, "scheme %.32s and %.32s", a->scheme, b->scheme);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].a != numbers[i].b)
            add_difference(&d, "%s %u and %u", numbers[i].name, numbers[i].a,
                           numbers[i].b);
    if (!d.len)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "signatures of '%.100s' and '%.100s' cannot be compared: %s", a_from,
                   b_from, d.text);
}
