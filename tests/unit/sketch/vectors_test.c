/*
 * Conformance: the MinHash interoperability vectors, every line of every scheme.
 *
 * tests/data/minhash/vectors.jsonl is an extract. The whole file is in the shared corpora,
 * which may be absent. The test conform.sketch.vectors passes it as its argument.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/sha.h>
#include <xxhash.h>

#include "json_tree.h"
#include "sketch/kernel_affine.h"
#include "sketch/kernel_modular.h"
#include "sketch/scheme.h"
#include "thresher/minhash.h"

enum { MOST_SETS = 32, MOST_SHINGLES = 8192 };

/* Shingles as bytes, one after the other; shingle i ends at ends[i]. */
struct set {
    char *name;
    unsigned char *bytes;
    size_t *ends;
    size_t count;
};

/* A scheme and base hash of the vectors, ours, and the words for a preset of it. */
static const struct peer {
    const char *scheme, *hash, *ours, *words;
    th_kernel *portable;
} peers[] = {
    { "datasketch-legacy", "sha1_32", "legacy-sha1",
      "datasketch1:", th_modular32_portable },
    { "datasketch-affine32", "sha1_32", "affine32-sha1",
      "datasketch2:", th_affine32_portable },
    { "datasketch-affine32", "xxh3_64_low32", "affine32-xxh3_64",
      "datasketch2:hash=xxhash,", th_affine32_portable },
    { "datasketch-affine64", "sha1_64", "affine64-sha1", "datasketch2:bits=64,",
      th_affine64_portable },
    { "datasketch-affine64", "xxh3_64", "affine64-xxh3_64",
      "datasketch2:bits=64,hash=xxhash,", th_affine64_portable },
    { "datatrove", "xxh64", "datatrove64-xxh64", "datatrove:", th_modular64_portable },
    { "datatrove", "sha1_64", "datatrove64-sha1", "datatrove:hash=sha1,",
      th_modular64_portable },
    { "datatrove", "xxh32", "datatrove32-xxh32", "datatrove:bits=32,",
      th_modular32_portable },
    { "datatrove", "sha1_32", "datatrove32-sha1", "datatrove:bits=32,hash=sha1,",
      th_modular32_portable },
    { "text-dedup64", "xxh3_64_seed42_low32", "textdedup-xxh3_64",
      "textdedup:", th_modular32_portable },
    { "text-dedup64", "sha1_32", "textdedup-sha1", "textdedup:hash=sha1,",
      th_modular32_portable },
};

/* The tables of the vectors, and our scheme that draws them. */
static const struct {
    const char *scheme;
    th_permutation_draw *draw;
} draws[] = {
    { "legacy", th_permutations_interleaved },
    { "affine32", th_permutations_affine32 },
    { "affine64", th_permutations_affine64 },
    { "datatrove", th_permutations_sequential },
    { "textdedup64", th_permutations_sequential },
};

struct vectors {
    FILE *file;
    struct set sets[MOST_SETS];
    size_t set_count;
    size_t signatures, tables, bands, texts;
};

/* The text of a string, or NULL. */
static const char *text_of(json_val value)
{
    return value && value->type == JSON_STRING ? value->text : NULL;
}

static const char *get_string(json_val object, const char *name)
{
    const char *text = text_of(json_get(object, name));
    return text ? text : "";
}

static size_t length_of(json_val array)
{
    return array && array->type == JSON_ARRAY ? array->count : 0;
}

static json_val element(json_val array, size_t i)
{
    if (i >= length_of(array))
        fail_msg("no element %zu", i);
    return &array->items[i];
}

static uint64_t number(json_val value)
{
    assert_true(value && json_is_integer(value));
    return strtoull(value->text, NULL, 10);
}

static uint64_t get_number(json_val object, const char *name)
{
    return number(json_get(object, name));
}

static void *must_alloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    assert_non_null(memory);
    return memory;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void add_hex(struct set *set, json_val string)
{
    const char *hex = text_of(string);
    if (!hex)
        fail_msg("a shingle of '%s' is not a string", set->name);
    size_t at = set->count ? set->ends[set->count - 1] : 0;
    for (; hex && hex[0]; hex += 2)
        set->bytes[at++] = (unsigned char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
    set->ends[set->count++] = at;
}

/* "s%d" for all of a range. */
static void add_generated(struct set *set, json_val generator)
{
    const json_val range = json_get(generator, "range");
    const char *format = get_string(generator, "format");
    const size_t prefix = strcspn(format, "%");
    assert_string_equal(format + prefix, "%d");
    const uint64_t end = number(element(range, 1));
    for (uint64_t i = number(element(range, 0)); i < end; i++) {
        const size_t at = set->count ? set->ends[set->count - 1] : 0;
        memcpy(set->bytes + at, format, prefix);
        char digits[24];
        const int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)i);
        memcpy(set->bytes + at + prefix, digits, (size_t)len);
        set->ends[set->count++] = at + prefix + (size_t)len;
    }
}

static void read_set(struct vectors *v, json_val line, size_t line_len)
{
    assert_true(v->set_count < MOST_SETS);
    assert_true(get_number(line, "n") <= MOST_SHINGLES);
    struct set *set = &v->sets[v->set_count++];
    set->name = strdup(get_string(line, "name"));
    set->ends = must_alloc(MOST_SHINGLES * sizeof *set->ends);
    set->bytes = must_alloc(line_len + (size_t)MOST_SHINGLES * 24);
    set->count = 0;
    const json_val hex = json_get(line, "shingles_hex");
    if (!hex)
        add_generated(set, json_get(line, "generator"));
    for (size_t i = 0; hex && i < length_of(hex); i++)
        add_hex(set, element(hex, i));
    assert_true(set->count == get_number(line, "n"));
}

static const struct set *find_set(const struct vectors *v, const char *name)
{
    for (size_t i = 0; i < v->set_count; i++)
        if (strcmp(v->sets[i].name, name) == 0)
            return &v->sets[i];
    fail_msg("no set '%s'", name);
    return NULL;
}

static const struct peer *find_peer(json_val line)
{
    const char *scheme = get_string(line, "scheme"), *hash = get_string(line, "hash");
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (strcmp(peers[i].scheme, scheme) == 0 && strcmp(peers[i].hash, hash) == 0)
            return &peers[i];
    fail_msg("no scheme '%s' with '%s'", scheme, hash);
    return NULL;
}

/* The numbers of a line, whether in one array or in one for each bucket. */
static size_t expected_slots(json_val line, uint64_t *slots)
{
    const json_val sig = json_get(line, "sig");
    size_t count = 0;
    for (size_t i = 0; i < length_of(sig); i++) {
        const json_val value = element(sig, i);
        for (size_t row = 0; row < length_of(value); row++)
            slots[count++] = number(element(value, row));
        if (value->type != JSON_ARRAY)
            slots[count++] = number(value);
    }
    return count;
}

static void assert_slots(json_val line, const char *how, const uint64_t *have,
                         const uint64_t *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (have[i] != want[i])
            fail_msg("%s, %s, %s, %s: slot %zu is %llu, not %llu",
                     get_string(line, "set"), get_string(line, "scheme"),
                     get_string(line, "hash"), how, i, (unsigned long long)have[i],
                     (unsigned long long)want[i]);
}

/* Our hashes of a set's shingles; caller frees. */
static uint64_t *hash_set(const struct set *set, const th_scheme *scheme, uint32_t seed)
{
    uint64_t *hashes = must_alloc(set->count * sizeof *hashes);
    for (size_t i = 0; i < set->count; i++) {
        const size_t start = i ? set->ends[i - 1] : 0;
        hashes[i] =
            scheme->hash((const char *)set->bytes + start, set->ends[i] - start, seed);
    }
    return hashes;
}

/* The signature of a set by one of a scheme's kernels. */
static void sign_set(const struct set *set, const th_scheme *scheme, th_kernel *kernel,
                     uint32_t seed, uint32_t capacity, uint64_t *slots)
{
    uint64_t *hashes = hash_set(set, scheme, seed);
    th_permutations *table = must_alloc(sizeof *table);
    scheme->draw(table, seed, capacity);
    th_sketch sketch = { .table = table, .slots = slots, .capacity = capacity };
    kernel(&sketch, hashes, set->count);
    assert_int_equal(sketch.filled, capacity);
    free(table);
    free(hashes);
}

static uint32_t slots_of(json_val line)
{
    return (uint32_t)(json_get(line, "num_perm")
                          ? get_number(line, "num_perm")
                          : get_number(line, "buckets") * get_number(line, "rows"));
}

/*
 * The sets "..._w5" are all windows of a text: the first, then the last token of each
 * other. The text itself, through the preset, has the signature of the set.
 */
static void check_text(struct vectors *v, json_val line, const struct set *set,
                       const uint64_t *want)
{
    const char *windows = strstr(set->name, "_w");
    if (!windows)
        return;
    char text[4096], words[128], slots_word[32] = "";
    size_t len = set->ends[0];
    memcpy(text, set->bytes, len);
    for (size_t i = 1; i < set->count; i++) {
        size_t start = set->ends[i];
        while (set->bytes[start - 1] != ' ')
            start--;
        text[len++] = ' ';
        memcpy(text + len, set->bytes + start, set->ends[i] - start);
        len += set->ends[i] - start;
    }
    if (json_get(line, "num_perm"))
        snprintf(slots_word, sizeof slots_word, "k=%u,", slots_of(line));
    snprintf(words, sizeof words, "%s%sw=%s,seed=%u", find_peer(line)->words, slots_word,
             windows + 2, (unsigned)get_number(line, "seed"));
    th_minhash_preset preset;
    th_minhash_signer *signer = NULL;
    th_error err = { .text = "" };
    if (th_minhash_parse(words, &preset, &err) != TH_OK)
        fail_msg("%s", err.text);
    assert_string_equal(preset.scheme, find_peer(line)->ours);
    assert_int_equal(preset.slots, slots_of(line));
    assert_int_equal(th_minhash_signer_new(&preset, &signer, &err), TH_OK);
    th_arena *arena = th_arena_new(0);
    th_signature signature;
    assert_int_equal(th_minhash(signer, (th_view){ text, len }, arena, &signature),
                     TH_OK);
    assert_int_equal(signature.shingle_count, set->count);
    assert_false(signature.is_short);
    assert_int_equal(signature.slot_count, preset.slots);
    assert_slots(line, "as text", signature.slots, want, preset.slots);
    th_arena_free(arena);
    th_minhash_signer_free(signer);
    v->texts++;
}

/* th_minhash decides about an empty set: no signature, unlike the peers. */
static void check_signature(struct vectors *v, json_val line)
{
    const struct set *set = find_set(v, get_string(line, "set"));
    const struct peer *peer = find_peer(line);
    const th_scheme *scheme = th_scheme_find(peer->ours);
    const uint32_t capacity = slots_of(line), seed = (uint32_t)get_number(line, "seed");
    uint64_t want[TH_SLOTS_MAX], slots[TH_SLOTS_MAX];
    assert_non_null(scheme);
    assert_true(capacity <= TH_SLOTS_MAX);
    assert_int_equal(scheme->slot_bits, get_number(line, "width"));
    const size_t count = expected_slots(line, want);
    v->signatures++;
    if (json_get(line, "sig")->type == JSON_NULL) { /* datatrove writes nothing */
        assert_int_equal(set->count, 0);
        return;
    }
    assert_int_equal(count, capacity);
    sign_set(set, scheme, scheme->fold, seed, capacity, slots);
    assert_slots(line, "fast", slots, want, capacity);
    sign_set(set, scheme, peer->portable, seed, capacity, slots);
    assert_slots(line, "portable", slots, want, capacity);
    check_text(v, line, set, want);
}

static unsigned hex_byte(const char *hex)
{
    return hex_digit(hex[0]) << 4 | hex_digit(hex[1]);
}

/* Our key is a hash of text-dedup's key. */
static void check_bands(struct vectors *v, json_val line)
{
    const struct set *set = find_set(v, get_string(line, "set"));
    const struct peer *peer = find_peer(line);
    const th_scheme *scheme = th_scheme_find(peer->ours);
    const uint32_t capacity = slots_of(line);
    char words[128];
    snprintf(words, sizeof words, "%sk=%u,bands=%ux%u", peer->words, capacity,
             (unsigned)get_number(line, "bands"), (unsigned)get_number(line, "rows"));
    th_minhash_preset preset;
    th_error err = { .text = "" };
    if (th_minhash_parse(words, &preset, &err) != TH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(preset.seed, get_number(line, "seed"));
    uint64_t slots[TH_SLOTS_MAX];
    sign_set(set, scheme, scheme->fold, preset.seed, capacity, slots);
    uint8_t keys[TH_BANDS_MAX * TH_BAND_KEY_LEN];
    const th_signature signature = { slots, capacity, (uint32_t)set->count, 0 };
    const json_val bands = json_get(line, "band_hex_be64");
    assert_int_equal(th_minhash_bands(&preset, &signature, keys), length_of(bands));
    for (size_t band = 0; band < length_of(bands); band++) {
        const char *hex = text_of(element(bands, band));
        uint8_t bytes[TH_SLOTS_MAX];
        const size_t len = strlen(hex) / 2;
        assert_true(len == preset.rows * sizeof(uint64_t) && len <= sizeof bytes);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)hex_byte(hex + 2 * i);
        const uint64_t hash = XXH3_64bits(bytes, len);
        const uint8_t *key = keys + band * TH_BAND_KEY_LEN;
        assert_int_equal(key[0], band);
        for (unsigned i = 0; i < sizeof hash; i++)
            assert_int_equal(key[1 + i], hash >> (56 - 8 * i) & 0xFF);
    }
    v->bands++;
}

/* datasketch's LeanMinHash: seed, number of slots, slots, little-endian. */
static void check_lean(struct vectors *v, json_val line)
{
    const struct set *set = find_set(v, get_string(line, "set"));
    const th_scheme *scheme = th_scheme_find("legacy-sha1");
    const uint32_t capacity = slots_of(line), seed = (uint32_t)get_number(line, "seed");
    uint64_t slots[TH_SLOTS_MAX];
    sign_set(set, scheme, scheme->fold, seed, capacity, slots);
    const char *hex = get_string(line, "le_hex");
    enum { HEAD = 12 }; /* bytes of seed and number */
    assert_int_equal(strlen(hex), 2 * (HEAD + 4 * capacity));
    for (uint32_t i = 0; i < 4 * capacity; i++)
        assert_int_equal(hex_byte(hex + 2 * (HEAD + i)),
                         slots[i / 4] >> (i % 4 * 8) & 0xFF);
    v->signatures++;
}

static void assert_sha256(const uint64_t *numbers, uint32_t count, const char *want)
{
    unsigned char bytes[TH_SLOTS_MAX * 8], hash[SHA256_DIGEST_LENGTH];
    char hex[2 * SHA256_DIGEST_LENGTH + 1];
    for (uint32_t i = 0; i < count * 8; i++)
        bytes[i] = (unsigned char)(numbers[i / 8] >> (i % 8 * 8));
    SHA256(bytes, (size_t)count * 8, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, want);
}

static void check_table(struct vectors *v, json_val line)
{
    const char *scheme = get_string(line, "scheme");
    const uint32_t count = slots_of(line);
    assert_true(count <= TH_SLOTS_MAX);
    th_permutation_draw *draw = NULL;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
        if (strcmp(draws[i].scheme, scheme) == 0)
            draw = draws[i].draw;
    if (!draw)
        fail_msg("no table '%s'", scheme);
    th_permutations *table = must_alloc(sizeof *table);
    draw(table, (uint32_t)get_number(line, "seed"), count);
    assert_sha256(table->a, count, get_string(line, "a_sha256_le64"));
    assert_sha256(table->b, count, get_string(line, "b_sha256_le64"));
    free(table);
    v->tables++;
}

static void check_line(struct vectors *v, const char *text, size_t len)
{
    json *line = json_read(text, len);
    if (!line)
        fail_msg("not JSON: %.80s", text);
    const char *type = get_string(line, "type");
    if (strcmp(type, "set") == 0)
        read_set(v, line, len);
    else if (strcmp(type, "sig") == 0)
        check_signature(v, line);
    else if (strcmp(type, "perm") == 0)
        check_table(v, line);
    else if (strcmp(type, "bands") == 0)
        check_bands(v, line);
    else if (strcmp(type, "lean") == 0)
        check_lean(v, line);
    else
        assert_string_equal(type, "meta"); /* no line is passed over */
    json_free(line);
}

static void every_line_holds(void **state)
{
    struct vectors v = { .file = fopen(*state, "re") };
    assert_non_null(v.file);
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    while ((len = getline(&line, &size, v.file)) > 0)
        check_line(&v, line, (size_t)len);
    free(line);
    fclose(v.file);
    for (size_t i = 0; i < v.set_count; i++) {
        free(v.sets[i].name);
        free(v.sets[i].bytes);
        free(v.sets[i].ends);
    }
    print_message("%zu vectors hold: %zu signatures (%zu also as text), %zu tables, %zu "
                  "lists of bands\n",
                  v.signatures + v.tables + v.bands, v.signatures, v.texts, v.tables,
                  v.bands);
    assert_true(v.signatures > 0 && v.texts > 0 && v.tables > 0 && v.bands > 0);
}

/* TH_DATA is a folder; the build names it. */
int main(int argc, char **argv)
{
    static char extract[] = TH_DATA "/minhash/vectors.jsonl";
    char *path = argc > 1 ? argv[1] : extract;
    const struct CMUnitTest tests[] = {
        { "every_line_holds", every_line_holds, NULL, NULL, path },
    };
    if (access(path, R_OK) != 0) {
        print_message("skipped: cannot read '%s'\n", path);
        return 77;
    }
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
