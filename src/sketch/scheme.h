/*
 * Schemes: the formulas that compute a signature's slots from a shingle's hash. Each is
 * the formula of a program whose signatures we read and write.
 * docs/near-duplicates.md#presets
 */
#ifndef TH_SCHEME_H
#define TH_SCHEME_H

#include "sketch/kernel.h"
#include "sketch/permutations.h"

/** The base hash of a shingle: the same number on every platform. Pure. */
typedef uint64_t th_base_hash(const char *bytes, size_t len, uint32_t seed);

/**
 * Hashes windows of a text's tokens, a shingle each.
 * @param starts  of count + w tokens; a window ends before the space at starts[i + w] - 1
 * @param hashes  out: `count`
 */
typedef void th_window_hash(const char *text, const size_t *starts, uint32_t w,
                            size_t count, uint32_t seed, uint64_t *hashes);

/** The program that defines the formula. */
typedef enum th_scheme_family {
    TH_FAMILY_BOTTOM,    /* no permutation: the k smallest base hashes */
    TH_FAMILY_AFFINE,    /* datasketch 2.0 or later */
    TH_FAMILY_LEGACY,    /* datasketch before 2.0 */
    TH_FAMILY_DATATROVE, /* modulo 2^61-1: all 64 bits, or the low 32 */
    TH_FAMILY_TEXTDEDUP, /* modulo 2^61-1, the low 32 bits */
} th_scheme_family;

typedef enum th_scheme_hash { TH_HASH_XXHASH, TH_HASH_SHA1 } th_scheme_hash;

typedef struct th_scheme {
    const char *name; /* formula and base hash, as in records */
    th_scheme_family family;
    th_scheme_hash kind;
    uint32_t slot_bits; /* 32 or 64 */
    th_base_hash *hash;
    th_window_hash *hash_windows; /* with `hash` */
    th_permutation_draw *draw;    /* NULL if the kernel needs no permutations */
    th_kernel *fold;
} th_scheme;

/** Finds a scheme by name. NULL if there is none. */
const th_scheme *th_scheme_find(const char *name);

/** Finds the scheme of a family with this hash and width. NULL if the family has none. */
const th_scheme *th_scheme_choose(th_scheme_family family, th_scheme_hash kind,
                                  uint32_t slot_bits);

#endif
