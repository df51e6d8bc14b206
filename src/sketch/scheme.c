/*
 * The table of schemes. Formulas and base hashes come from the code of datasketch (before
 * 2.0, and 2.0 or later), datatrove and text-dedup, and are compared with golden vectors
 * made with it. docs/near-duplicates.md#presets
 *
 * text-dedup seeds XXH3 with the seed of its configuration, 42 by default, on its main
 * branch. Its release 0.4.0 does not seed the hash, so there only SHA-1 agrees.
 */
#include "sketch/scheme.h"

#include <openssl/sha.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sketch/kernel_affine.h"
#include "sketch/kernel_bottom.h"
#include "sketch/kernel_modular.h"

/* A 32-bit kernel uses the low half of a 64-bit hash, like the other programs. */
static uint64_t xxh3_64(const char *bytes, size_t len, uint32_t seed)
{
    (void)seed;
    return XXH3_64bits(bytes, len);
}

static uint64_t xxh3_64_seeded(const char *bytes, size_t len, uint32_t seed)
{
    return XXH3_64bits_withSeed(bytes, len, seed);
}

/* nonnull: xxhash itself accepts a null, which static analysis reports. */
__attribute__((nonnull)) static uint64_t xxh64(const char *bytes, size_t len,
                                               uint32_t seed)
{
    (void)seed;
    return XXH64(bytes, len, 0);
}

__attribute__((nonnull)) static uint64_t xxh32(const char *bytes, size_t len,
                                               uint32_t seed)
{
    (void)seed;
    return XXH32(bytes, len, 0);
}

/* Returns the first eight bytes of SHA-1, the lowest first; the low half is its first
 * four. */
static uint64_t sha1(const char *bytes, size_t len, uint32_t seed)
{
    (void)seed;
    unsigned char digest[SHA_DIGEST_LENGTH];
    SHA1((const unsigned char *)bytes, len, digest);
    uint64_t hash = 0;
    for (unsigned i = sizeof hash; i-- > 0;)
        hash = hash << 8 | digest[i];
    return hash;
}

/* A window of a text is a shingle. Each of the functions contains its hash, because most
 * shingles are so short that a call costs a quarter of the hash. */
static inline __attribute__((always_inline)) void
hash_each(th_base_hash *hash, const char *text, const size_t *starts, uint32_t w,
          size_t count, uint32_t seed, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++)
        hashes[i] = hash(text + starts[i], starts[i + w] - 1 - starts[i], seed);
}

#define HASH_WINDOWS(hash)                                                               \
    static void hash##_windows(const char *text, const size_t *starts, uint32_t w,       \
                               size_t count, uint32_t seed, uint64_t *hashes)            \
    {                                                                                    \
        hash_each(hash, text, starts, w, count, seed, hashes);                           \
    }

HASH_WINDOWS(xxh3_64)
HASH_WINDOWS(xxh3_64_seeded)
HASH_WINDOWS(xxh64)
HASH_WINDOWS(xxh32)
HASH_WINDOWS(sha1)

/* A base hash, one shingle or many. */
#define HASH(hash) hash, hash##_windows

/* clang-format off */
static const th_scheme schemes[] = {
    { "bottom-xxh3_64", TH_FAMILY_BOTTOM, TH_HASH_XXHASH, 64, HASH(xxh3_64), NULL, th_bottom_k },
    { "affine32-xxh3_64", TH_FAMILY_AFFINE, TH_HASH_XXHASH, 32, HASH(xxh3_64),
      th_permutations_affine32, th_affine32 },
    { "affine64-xxh3_64", TH_FAMILY_AFFINE, TH_HASH_XXHASH, 64, HASH(xxh3_64),
      th_permutations_affine64, th_affine64 },
    { "affine32-sha1", TH_FAMILY_AFFINE, TH_HASH_SHA1, 32, HASH(sha1),
      th_permutations_affine32, th_affine32 },
    { "affine64-sha1", TH_FAMILY_AFFINE, TH_HASH_SHA1, 64, HASH(sha1),
      th_permutations_affine64, th_affine64 },
    { "legacy-sha1", TH_FAMILY_LEGACY, TH_HASH_SHA1, 32, HASH(sha1),
      th_permutations_interleaved, th_modular32 },
    { "datatrove64-xxh64", TH_FAMILY_DATATROVE, TH_HASH_XXHASH, 64, HASH(xxh64),
      th_permutations_sequential, th_modular64 },
    { "datatrove32-xxh32", TH_FAMILY_DATATROVE, TH_HASH_XXHASH, 32, HASH(xxh32),
      th_permutations_sequential, th_modular32 },
    { "datatrove64-sha1", TH_FAMILY_DATATROVE, TH_HASH_SHA1, 64, HASH(sha1),
      th_permutations_sequential, th_modular64 },
    { "datatrove32-sha1", TH_FAMILY_DATATROVE, TH_HASH_SHA1, 32, HASH(sha1),
      th_permutations_sequential, th_modular32 },
    { "textdedup-xxh3_64", TH_FAMILY_TEXTDEDUP, TH_HASH_XXHASH, 32, HASH(xxh3_64_seeded),
      th_permutations_sequential, th_modular32 },
    { "textdedup-sha1", TH_FAMILY_TEXTDEDUP, TH_HASH_SHA1, 32, HASH(sha1),
      th_permutations_sequential, th_modular32 },
};
/* clang-format on */

enum { SCHEME_COUNT = sizeof schemes / sizeof *schemes };

const th_scheme *th_scheme_find(const char *name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (strcmp(schemes[i].name, name) == 0)
            return &schemes[i];
    return NULL;
}

const th_scheme *th_scheme_choose(th_scheme_family family, th_scheme_hash kind,
                                  uint32_t slot_bits)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (schemes[i].family == family && schemes[i].kind == kind &&
            schemes[i].slot_bits == slot_bits)
            return &schemes[i];
    return NULL;
}
