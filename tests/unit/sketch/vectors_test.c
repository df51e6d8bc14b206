/*
 * Conformance: the MinHash interoperability vectors of the schemes that are built in.
 *
 * tests/data/minhash/vectors.jsonl is an extract; the whole file is in the shared corpora
 * and may be absent. Lines of other schemes are passed over, and counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/sha.h>
#include <xxhash.h>
#include <yajl/yajl_tree.h>

#include "sketch/kernel_affine.h"
#include "thresher/minhash.h"

enum { MOST_SETS = 32, MOST_SHINGLES = 8192 };

/* Shingles as bytes, one after the other; shingle i ends at ends[i]. */
struct set {
    char *name;
    unsigned char *bytes;
    size_t *ends;
    size_t count;
};

/* TH_DATA and TH_SHARED are folders; the build names them. */
static const struct row {
    const char *name, *path;
    bool may_be_absent;
} rows[] = {
    { "extract", TH_DATA "/minhash/vectors.jsonl", false },
    { "whole file", TH_SHARED "/corpora/minhash/vectors.jsonl", true },
};

struct vectors {
    FILE *file;
    struct set sets[MOST_SETS];
    size_t set_count;
    size_t checked, passed_over, texts;
};

static yajl_val get(yajl_val object, const char *name)
{
    const char *path[] = { name, NULL };
    return yajl_tree_get(object, path, yajl_t_any);
}

static const char *get_string(yajl_val object, const char *name)
{
    const char *string = YAJL_GET_STRING(get(object, name));
    return string ? string : "";
}

static size_t length_of(yajl_val array)
{
    return YAJL_IS_ARRAY(array) ? array->u.array.len : 0;
}

static yajl_val element(yajl_val array, size_t i)
{
    if (i >= length_of(array))
        fail_msg("no element %zu", i);
    return array->u.array.values[i];
}

/* All 64 bits, which yajl's own integers have not. */
static uint64_t number(yajl_val value)
{
    assert_true(YAJL_IS_NUMBER(value));
    return strtoull(YAJL_GET_NUMBER(value), NULL, 10);
}

static uint64_t get_number(yajl_val object, const char *name)
{
    return number(get(object, name));
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

static void add_hex(struct set *set, yajl_val string)
{
    const char *hex = YAJL_GET_STRING(string);
    if (!hex)
        fail_msg("a shingle of '%s' is no string", set->name);
    size_t at = set->count ? set->ends[set->count - 1] : 0;
    for (; hex && hex[0]; hex += 2)
        set->bytes[at++] = (unsigned char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
    set->ends[set->count++] = at;
}

/* "s%d" for all of a range. */
static void add_generated(struct set *set, yajl_val generator)
{
    const yajl_val range = get(generator, "range");
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

static void read_set(struct vectors *v, yajl_val line, size_t line_len)
{
    assert_true(v->set_count < MOST_SETS);
    assert_true(get_number(line, "n") <= MOST_SHINGLES);
    struct set *set = &v->sets[v->set_count++];
    set->name = strdup(get_string(line, "name"));
    set->ends = must_alloc(MOST_SHINGLES * sizeof *set->ends);
    set->bytes = must_alloc(line_len + (size_t)MOST_SHINGLES * 24);
    set->count = 0;
    const yajl_val hex = get(line, "shingles_hex");
    if (!hex)
        add_generated(set, get(line, "generator"));
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

/* The first bytes of SHA-1, little-endian, or XXH3. */
static uint64_t base_hash(const char *name, const unsigned char *bytes, size_t len)
{
    if (strncmp(name, "xxh3_64", 7) == 0) /* the kernel takes the low 32 bits itself */
        return XXH3_64bits(bytes, len);
    assert_true(strcmp(name, "sha1_32") == 0 || strcmp(name, "sha1_64") == 0);
    unsigned char sha1[SHA_DIGEST_LENGTH];
    SHA1(bytes, len, sha1);
    uint64_t hash = 0;
    for (int i = name[5] == '3' ? 4 : 8; i-- > 0;)
        hash = hash << 8 | sha1[i];
    return hash;
}

static void assert_slots(yajl_val line, const uint64_t *slots)
{
    const yajl_val sig = get(line, "sig");
    for (size_t i = 0; i < length_of(sig); i++)
        if (number(element(sig, i)) != slots[i])
            fail_msg("%s, %s, %s: slot %zu differs", get_string(line, "set"),
                     get_string(line, "scheme"), get_string(line, "hash"), i);
}

/*
 * The sets "..._w5" are all windows of a text: the first, then the last token of each
 * other. The text itself, through th_minhash, has the signature of the set.
 */
static void check_text(struct vectors *v, yajl_val line, const struct set *set)
{
    const bool is_32 = strstr(get_string(line, "scheme"), "32") != NULL;
    const th_minhash_preset *preset = th_minhash_find(is_32 ? "modern" : "crawl");
    const char *windows = strstr(set->name, "_w");
    if (!windows || strtoul(windows + 2, NULL, 10) != preset->shingle ||
        get_number(line, "num_perm") != preset->slots ||
        strncmp(get_string(line, "hash"), "xxh3_64", 7) != 0)
        return;
    char text[4096];
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
    th_arena *arena = th_arena_new(0);
    th_signature signature;
    assert_int_equal(th_minhash(preset, (th_view){ text, len }, arena, &signature),
                     TH_OK);
    assert_int_equal(signature.shingle_count, set->count);
    assert_slots(line, signature.slots);
    th_arena_free(arena);
    v->texts++;
}

static void check_signature(struct vectors *v, yajl_val line)
{
    const bool is_32 = get_number(line, "width") == 32;
    const struct set *set = find_set(v, get_string(line, "set"));
    const uint32_t room = (uint32_t)get_number(line, "num_perm");
    assert_true(room <= TH_SLOTS_MAX);
    uint64_t *hashes = must_alloc(set->count * sizeof *hashes);
    for (size_t i = 0; i < set->count; i++) {
        const size_t start = i ? set->ends[i - 1] : 0;
        hashes[i] =
            base_hash(get_string(line, "hash"), set->bytes + start, set->ends[i] - start);
    }
    th_permutations table;
    (is_32 ? th_permutations_affine32
           : th_permutations_affine64)(&table, (uint32_t)get_number(line, "seed"), room);
    th_kernel *const kernels[] = { is_32 ? th_affine32 : th_affine64,
                                   is_32 ? th_affine32_portable : th_affine64_portable };
    for (size_t k = 0; k < 2; k++) {
        uint64_t slots[TH_SLOTS_MAX];
        th_sketch sketch = { .table = &table, .slots = slots, .room = room };
        kernels[k](&sketch, hashes, set->count);
        assert_int_equal(sketch.filled, length_of(get(line, "sig")));
        assert_slots(line, slots);
    }
    free(hashes);
    check_text(v, line, set);
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

static void check_table(yajl_val line)
{
    const bool is_32 = strstr(get_string(line, "scheme"), "32") != NULL;
    const uint32_t count = (uint32_t)get_number(line, "num_perm");
    assert_true(count <= TH_SLOTS_MAX);
    th_permutations table;
    (is_32 ? th_permutations_affine32
           : th_permutations_affine64)(&table, (uint32_t)get_number(line, "seed"), count);
    assert_sha256(table.a, count, get_string(line, "a_sha256_le64"));
    assert_sha256(table.b, count, get_string(line, "b_sha256_le64"));
}

static void check_line(struct vectors *v, const char *text, size_t len)
{
    char error[256];
    yajl_val line = yajl_tree_parse(text, error, sizeof error);
    if (!line)
        fail_msg("%s", error);
    const char *type = get_string(line, "type");
    const bool is_ours = strstr(get_string(line, "scheme"), "affine") != NULL;
    if (strcmp(type, "set") == 0) {
        read_set(v, line, len);
    } else if (is_ours && strcmp(type, "sig") == 0) {
        check_signature(v, line);
        v->checked++;
    } else if (is_ours && strcmp(type, "perm") == 0) {
        check_table(line);
        v->checked++;
    } else {
        v->passed_over++;
    }
    yajl_tree_free(line);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    struct vectors v = { .file = fopen(row->path, "re") };
    if (!v.file && row->may_be_absent) {
        print_message("skipped: cannot open '%s'\n", row->path);
        skip();
    }
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
    print_message("%zu vectors hold, %zu of them also as text; %zu of other schemes\n",
                  v.checked, v.texts, v.passed_over);
    assert_true(v.checked > 0 && v.texts > 0);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
