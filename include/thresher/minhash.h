/*
 * MinHash signatures over shingles of normalised text. [CKP08 §5.2],
 * docs/near-duplicates.md
 */
#ifndef THRESHER_MINHASH_H
#define THRESHER_MINHASH_H

#include "thresher/options.h"
#include "thresher/page.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of signature keys. Two signatures that share a key are a candidate pair. */
typedef enum th_minhash_keys {
    TH_KEYS_BANDS, /* consecutive rows: slots [i * rows, (i + 1) * rows) */
    TH_KEYS_PAIRS, /* seven pairs of eight slots: any four equal slots hold one of them */
    TH_KEYS_VALUES, /* each value is a key: for signatures that compare as sets */
} th_minhash_keys;

enum {
    TH_SLOTS_MAX = 1024,       /* slots of a signature */
    TH_SHINGLE_MAX = 32,       /* tokens of a shingle */
    TH_BANDS_MAX = 256,        /* the number of a band is one byte of its key */
    TH_TOKENIZER_VERSION = 1,  /* of th_normalise: grows when its tokens change */
    TH_MINHASH_NAME_MAX = 128, /* bytes of a printed preset, with its NUL */
};

/**
 * All parameters of a signature. Two signatures can be compared if scheme, seed, shingle,
 * slots and tokenizer of their presets are the same. See th_minhash_check_same.
 */
typedef struct th_minhash_preset {
    const char *name;     /* "modern" */
    const char *help;     /* one line for --help */
    const char *scheme;   /* formula and base hash: "affine32-xxh3_64" */
    uint32_t shingle;     /* tokens in a window (w), 1..TH_SHINGLE_MAX */
    uint32_t slots;       /* k, 1..TH_SLOTS_MAX; bottom-k signatures may be shorter */
    uint32_t slot_bits;   /* 32 or 64: width as emitted */
    uint32_t bands, rows; /* maximum keys of a signature, and slots in each */
    uint32_t seed;        /* of the permutations; text-dedup also seeds the base hash */
    uint32_t tokenizer;   /* TH_TOKENIZER_VERSION of the signature's program */
    uint8_t is_bottom_k;  /* the k smallest hashes, sorted, instead of k minima */
    uint8_t keys;         /* th_minhash_keys */
    uint8_t is_wide_key;  /* keys have 32-bit slots in 64 bits, like text-dedup's */
    /* Zeros. Later members use this space, so a preset from an older program remains
     * complete. */
    uint32_t reserved[8];
} th_minhash_preset;

/** All presets; ends with a NULL pointer. */
extern TH_API const th_minhash_preset *const th_minhash_presets[];

/** Finds a preset by its name without parameters. NULL if there is none. */
TH_API const th_minhash_preset *th_minhash_find(const char *name);

/**
 * Parses a preset: its name, "modern", optionally followed by parameters,
 * "datasketch2:k=256,w=7,seed=42,bits=64,hash=sha1,bands=32x8". Each scheme accepts some
 * of these parameters:
 *
 *     k      slots (of datatrove: its bands times rows)
 *     w      tokens in a shingle
 *     seed   0..4294967295
 *     bits   32 or 64, of a slot
 *     hash   xxhash or sha1: the hash function of a shingle
 *     bands  NUMBERxROWS, at most k slots in total; it is not part of the signature
 * @param out  untouched unless TH_OK
 * @return TH_OK; TH_NOT_WANTED for "none"; TH_USAGE with the error in err
 */
TH_API th_status th_minhash_parse(const char *words, th_minhash_preset *out,
                                  th_error *err);

/** Prints a preset: its name, followed by the parameters that differ from the named
 * preset. */
TH_API void th_minhash_print(const th_minhash_preset *preset,
                             char out[TH_MINHASH_NAME_MAX]);

/**
 * Checks whether signatures made by two presets can be compared.
 * @param a_from, b_from  the origins of the presets, for the message: "index", "a.jsonl"
 * @return TH_OK, or TH_USAGE and every difference in err: "signatures of 'index' and
 *         'a.jsonl' cannot be compared: seed 1 and 42, k 128 and 256"
 */
TH_API th_status th_minhash_check_same(const th_minhash_preset *a, const char *a_from,
                                       const th_minhash_preset *b, const char *b_from,
                                       th_error *err);

/** A preset with its permutations drawn. Const; any number of threads can share it. */
typedef struct th_minhash_signer th_minhash_signer;

/**
 * Draws the permutations, about 10 us for 100 slots.
 * @param preset  copied
 * @return TH_OK; TH_USAGE if no scheme supports the preset; TH_NOMEM
 */
TH_API th_status th_minhash_signer_new(const th_minhash_preset *preset,
                                       th_minhash_signer **out, th_error *err);

/** NULL is legal. */
TH_API void th_minhash_signer_free(th_minhash_signer *signer);

/** Returns the signer's preset; valid as long as the signer. */
TH_API const th_minhash_preset *th_minhash_signer_preset(const th_minhash_signer *signer);

/**
 * Computes the signature of the shingles of a normalised text. The fraction of equal
 * slots of two signatures estimates the Jaccard similarity J of their shingle sets with
 * standard error sqrt(J(1-J)/k). A bottom-k preset compares as sets. A text of fewer than
 * w tokens is one shingle, and its signature has is_short set. Such texts are similar
 * only if they are equal; compare their digests instead.
 * @param text    as th_normalise makes it: tokens separated by one space, borrowed
 * @param arena   gets the slots
 * @param out     untouched unless TH_OK
 * @return TH_OK; TH_NO_TOKEN for a text without tokens (absent, never zeros); TH_NOMEM
 * Pure; O(shingles * k).
 */
TH_API th_status th_minhash(const th_minhash_signer *signer, th_view text,
                            th_arena *arena, th_signature *out);

/**
 * Estimates the Jaccard similarity of two signatures of the same preset: the fraction of
 * equal slots. For bottom-k the fraction of common values among the k smallest of the
 * union.
 */
TH_API double th_minhash_similarity(const th_minhash_preset *preset,
                                    const th_signature *a, const th_signature *b);

/** Bytes of a key: the band's number, then XXH3-64 of its rows, big-endian. */
enum { TH_BAND_KEY_LEN = 9 };

/**
 * Writes the keys of a signature [docs/near-duplicates.md#band-keys]. The hashed bytes
 * are the band's slots at the preset's width, big-endian; keys of text-dedup have 32-bit
 * slots in 64 bits. Values of a set have no order, so all their keys have the number 0.
 * @param keys  out: space for preset->bands keys of TH_BAND_KEY_LEN bytes each
 * @return keys written: preset->bands, fewer for a set with fewer values, 0 for a
 *         signature that is absent or short
 */
TH_API uint32_t th_minhash_bands(const th_minhash_preset *preset,
                                 const th_signature *signature, uint8_t *keys);

/** Bytes needed for `bits` bits of each of `slots` slots. */
#define TH_LOW_BITS_LEN(slots, bits) (((size_t)(slots) * (bits) + 7) / 8)

/**
 * Writes the low bits of each slot, to check a pair that shares a key. With b bits and a
 * fraction P of equal ones, J is about (P - 2^-b) / (1 - 2^-b). This estimate is hardly
 * less certain than one from complete slots [docs/near-duplicates.md#low-bits].
 * @param bits  4 or 8; the first of two slots in one byte has the high half
 * @param out   TH_LOW_BITS_LEN(slot_count, bits) bytes
 */
TH_API void th_minhash_low_bits(const th_signature *signature, uint32_t bits,
                                uint8_t *out);

/**
 * Normalises text for shingling. Applies full Unicode case folding, drops everything
 * except letters and digits, and separates tokens by one space. In scripts written
 * without spaces each letter is a token. Marks belong to the letter before them. Format
 * characters (soft hyphen, joiners) are dropped and split no token. Normalised text is
 * unchanged.
 * @param text  valid UTF-8, borrowed
 * @return a text in the arena; {"" , 0} if no token is left. data is NULL if out of
 *         memory
 */
TH_API th_view th_normalise(th_view text, th_arena *arena);

/**
 * The stage: normalises and signs the texts that opt->sign names (main = the main
 * segment's blocks, content = all content blocks, page = all blocks) and fills
 * page->signatures, page->minhash and page->text_digest.
 * @param opt     checked by th_options_check before
 * @param signer  of opt->minhash, must outlive the page; NULL signs nothing
 * @return TH_OK; TH_NOMEM; TH_USAGE if th_options_init has not initialised the options
 */
TH_API th_status th_sketch_page(th_page *page, const th_options *opt,
                                const th_minhash_signer *signer);

/**
 * Returns the signature to use if only one is possible: of the first text that opt->sign
 * names, in the order distinct, main, content, page. It may be absent although another is
 * not. An index with keys from different texts would compare unrelated texts.
 * @return NULL if opt->sign names no text
 */
TH_API const th_signature *th_sketch_first(const th_page *page, const th_options *opt);

/** Returns that text: TH_SIGN_..., or TH_SIGN_COUNT if `sign` names none. */
TH_API unsigned th_sign_first(uint32_t sign);

/** Bytes of a template fingerprint: SHA-1. */
enum { TH_FINGERPRINT_LEN = 20 };

/**
 * Computes the template fingerprint of a segment [K11 §4.3.3]. It is equal for segments
 * that differ only in dates, numbers, URLs, case and punctuation.
 * docs/methods.md#template-fingerprint has the rule.
 * @param scratch  for the normalised text
 * @return TH_OK or TH_NOMEM
 */
TH_API th_status th_template_fingerprint(const th_page *page, uint32_t segment,
                                         th_arena *scratch,
                                         uint8_t out[TH_FINGERPRINT_LEN]);

#ifdef __cplusplus
}
#endif

#endif
