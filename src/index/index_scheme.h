/*
 * The scheme of an index: how pages are signed, and how much of a signature it keeps.
 * Fixed for an index's life, because signatures of two schemes are not comparable.
 */
#ifndef TH_INDEX_SCHEME_H
#define TH_INDEX_SCHEME_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/minhash.h"

enum { TH_INDEX_TEXTS = 2 };

typedef struct th_index_scheme {
    th_minhash_preset preset;
    /* Signed texts of a page, TH_SIGN_... The second one is compared if the first is a
     * guess. */
    uint32_t texts[TH_INDEX_TEXTS];
    uint32_t text_count;
    uint32_t kept_bits;   /* of each slot, the lowest: 8, 16, 32 or 64 */
    uint32_t key_count;   /* maximum keys of a page, over all its texts */
    size_t signature_len; /* bytes of one kept signature, a multiple of 8 */
} th_index_scheme;

/**
 * Initialises a scheme.
 * @param preset     of the signatures, copied; must have bands. NULL is rejected
 * @param text       TH_SIGN_...
 * @param other      the second text, or TH_SIGN_COUNT for none
 * @param kept_bits  0 for complete slots; a set's values (bottom-k) are always complete
 * @return TH_OK; TH_USAGE if the preset has no band keys
 */
th_status th_index_scheme_init(th_index_scheme *scheme, const th_minhash_preset *preset,
                               uint32_t text, uint32_t other, uint32_t kept_bits,
                               th_error *err);

/** Appends the scheme as lines `key = value`: the contents of an index's file
 * `scheme`. */
void th_index_scheme_print(const th_index_scheme *scheme, th_buffer *out);

/**
 * Checks whether an index with the stored file `scheme` can be used with this scheme.
 * @return TH_OK; TH_USAGE, with the first differing line in err, as stored and as
 *         expected; TH_NOMEM
 */
th_status th_index_scheme_check(const th_index_scheme *scheme, th_view stored,
                                th_error *err);

/** Returns a hash of the scheme, stored in the head of every journal and table. */
uint64_t th_index_scheme_digest(const th_index_scheme *scheme);

/** The similarity of two kept signatures. */
typedef struct th_index_likeness {
    uint32_t equal; /* slots that agree, or common values of two sets */
    double share;   /* fraction of slots that agree; compared with a threshold */
    double jaccard; /* estimate: the fraction without chance agreement in kept_bits */
} th_index_likeness;

/**
 * Compares two kept signatures.
 * @param a, b       signature_len bytes each
 * @param a_slots    slots in use: fewer than the preset's for a short text's set
 * Cost: linear in signature_len; about 10 ns for 128 bytes.
 */
th_index_likeness th_index_compare(const th_index_scheme *scheme, const uint8_t *a,
                                   uint32_t a_slots, const uint8_t *b, uint32_t b_slots);

#endif
