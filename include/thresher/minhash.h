/* MinHash signatures over shingles of normalised text. [CKP08 §5.2], spec/neardup.md */
#ifndef THRESHER_MINHASH_H
#define THRESHER_MINHASH_H

#include "thresher/options.h"
#include "thresher/page.h"

/** A way to sign: fixed by its name, so that signatures of one name compare. */
typedef struct th_minhash_preset {
    const char *name;     /* "modern" */
    const char *help;     /* one line for --help */
    uint32_t shingle;     /* tokens in a window (w) */
    uint32_t slots;       /* k; bottom-k signatures may be shorter */
    uint32_t slot_bits;   /* 32 or 64: width as emitted */
    uint32_t bands, rows; /* bands x rows <= slots; 0 bands: none defined */
    uint64_t seed;
    uint8_t is_bottom_k; /* the k smallest shingle hashes, sorted, instead of k minima */
} th_minhash_preset;

/** All presets; ends with a NULL pointer. */
extern TH_API const th_minhash_preset *const th_minhash_presets[];

/** A preset by name, NULL when there is none. */
TH_API const th_minhash_preset *th_minhash_find(const char *name);

/**
 * Signature of the shingles of a normalised text.
 * The share of equal slots of two signatures estimates the Jaccard similarity J of their
 * shingle sets with standard error sqrt(J(1-J)/k); a bottom-k preset compares as sets.
 * @param preset  one of th_minhash_presets
 * @param text    as th_normalise makes it: tokens with one blank between, borrowed
 * @param arena   gets the slots
 * @param out     untouched unless TH_OK
 * @return TH_OK; TH_EMPTY for a text without token (absent, never zeros); TH_NOMEM
 * Pure; O(shingles * k).
 */
TH_API th_status th_minhash(const th_minhash_preset *preset, th_view text,
                            th_arena *arena, th_signature *out);

/**
 * Estimated Jaccard similarity of two signatures of the same preset: the share of equal
 * slots; for bottom-k the share of common values among the k smallest of the union.
 */
TH_API double th_minhash_similarity(const th_minhash_preset *preset,
                                    const th_signature *a, const th_signature *b);

/** Bytes of a band key: the band's number, then XXH3-64 of its rows, big-endian. */
enum { TH_BAND_KEY_LEN = 9 };

/**
 * Band keys of a signature [spec/neardup.md §1.3].
 * @param keys  out: preset->bands keys of TH_BAND_KEY_LEN bytes each
 * Does nothing for a preset without bands or a signature that is absent.
 */
TH_API void th_minhash_bands(const th_minhash_preset *preset,
                             const th_signature *signature, uint8_t *keys);

/**
 * Normalises text for shingling: full Unicode case folding, everything that is no letter
 * or digit dropped, tokens separated by one blank; in scripts written without spaces
 * each letter is a token. Marks belong to the letter before them; format characters
 * (soft hyphen, joiners) are dropped and split no token. Normalised text stays as it is.
 * @param text  valid UTF-8, borrowed
 * @return in the arena; {"" , 0} when no token is left; data == NULL without memory
 */
TH_API th_view th_normalise(th_view text, th_arena *arena);

/**
 * The stage: normalises and signs the texts that opt->sign names (main = the main
 * segment's blocks, content = all content blocks, page = all blocks) and fills
 * page->signatures and page->text_digest.
 * @return TH_OK or TH_NOMEM
 */
TH_API th_status th_sketch_page(th_page *page, const th_options *opt);

/** Bytes of a template fingerprint: SHA-1. */
enum { TH_FINGERPRINT_LEN = 20 };

/**
 * Template fingerprint of a segment [K11 §4.3.3]: equal for segments that differ only in
 * dates, numbers, URLs, case and punctuation. spec/algorithms.md §3 has the rule.
 * @param scratch  for the normalised text
 * @return TH_OK or TH_NOMEM
 */
TH_API th_status th_template_fingerprint(const th_page *page, uint32_t segment,
                                         th_arena *scratch,
                                         uint8_t out[TH_FINGERPRINT_LEN]);

#endif
