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

/** What the keys of a signature are: two that share one are a pair worth a look. */
typedef enum th_minhash_keys {
    TH_KEYS_BANDS, /* rows that follow one another: slots [i * rows, (i + 1) * rows) */
    TH_KEYS_PAIRS, /* seven pairs of eight slots: any four equal slots hold one of them */
    TH_KEYS_VALUES, /* each value by itself: for signatures that compare as sets */
} th_minhash_keys;

enum {
    TH_SLOTS_MAX = 1024,       /* slots of a signature */
    TH_SHINGLE_MAX = 32,       /* tokens of a shingle */
    TH_BANDS_MAX = 256,        /* a band's number is one byte of its key */
    TH_TOKENIZER_VERSION = 1,  /* of th_normalise: grows when a text gets other tokens */
    TH_MINHASH_NAME_MAX = 128, /* bytes of a preset in words, with its NUL */
};

/**
 * A way to sign, complete: two signatures compare when scheme, seed, shingle, slots and
 * tokenizer of their presets are the same. See th_minhash_check_same.
 */
typedef struct th_minhash_preset {
    const char *name;     /* "modern" */
    const char *help;     /* one line for --help */
    const char *scheme;   /* formula and base hash: "affine32-xxh3_64" */
    uint32_t shingle;     /* tokens in a window (w), 1..TH_SHINGLE_MAX */
    uint32_t slots;       /* k, 1..TH_SLOTS_MAX; bottom-k signatures may be shorter */
    uint32_t slot_bits;   /* 32 or 64: width as emitted */
    uint32_t bands, rows; /* keys of a signature, at most, and slots in each */
    uint32_t seed;        /* of the permutations; text-dedup: of the base hash, too */
    uint32_t tokenizer;   /* TH_TOKENIZER_VERSION when made here */
    uint8_t is_bottom_k;  /* the k smallest shingle hashes, sorted, not k minima */
    uint8_t keys;         /* th_minhash_keys */
    uint8_t is_wide_key;  /* keys hold 32-bit slots in 64 bits, as text-dedup's do */
    /* Zeros. Later members take their room, so that a preset that an older program holds
     * and hands on is whole. */
    uint32_t reserved[8];
} th_minhash_preset;

/** All presets, each with its own numbers; ends with a NULL pointer. */
extern TH_API const th_minhash_preset *const th_minhash_presets[];

/** A preset by its bare name, NULL when there is none. */
TH_API const th_minhash_preset *th_minhash_find(const char *name);

/**
 * A preset from words: "modern", or with what its scheme leaves to the user behind it,
 * "datasketch2:k=256,w=7,seed=42,bits=64,hash=sha1,bands=32x8".
 *     k      slots (of datatrove: its bands times rows)
 *     w      tokens in a shingle
 *     seed   0..4294967295
 *     bits   32 or 64, of a slot
 *     hash   xxhash or sha1: what hashes a shingle
 *     bands  NUMBERxROWS, at most k slots in all; no part of the signature
 * @param out  untouched unless TH_OK
 * @return TH_OK; TH_NOT_WANTED for "none"; TH_USAGE with what is wrong in err
 */
TH_API th_status th_minhash_parse(const char *words, th_minhash_preset *out,
                                  th_error *err);

/** The words for a preset: its name, and behind it what is not the name's own number. */
TH_API void th_minhash_print(const th_minhash_preset *preset,
                             char out[TH_MINHASH_NAME_MAX]);

/**
 * May signatures made in these two ways be compared?
 * @param a_from, b_from  where each is from, for the message: "index", "a.jsonl"
 * @return TH_OK, or TH_USAGE and every difference in err: "signatures of 'index' and
 *         'a.jsonl' cannot be compared: seed 1 and 42, k 128 and 256"
 */
TH_API th_status th_minhash_check_same(const th_minhash_preset *a, const char *a_from,
                                       const th_minhash_preset *b, const char *b_from,
                                       th_error *err);

/** A preset made ready: its permutations drawn. Const; any number of threads share it. */
typedef struct th_minhash_signer th_minhash_signer;

/**
 * Draws the permutations, some 10 us for 100 slots.
 * @param preset  copied
 * @return TH_OK; TH_USAGE for a preset that no scheme fits; TH_NOMEM
 */
TH_API th_status th_minhash_signer_new(const th_minhash_preset *preset,
                                       th_minhash_signer **out, th_error *err);

/** NULL is legal. */
TH_API void th_minhash_signer_free(th_minhash_signer *signer);

/** The preset that it signs by; valid as long as the signer. */
TH_API const th_minhash_preset *th_minhash_signer_preset(const th_minhash_signer *signer);

/**
 * Signature of the shingles of a normalised text.
 * The share of equal slots of two signatures estimates the Jaccard similarity J of their
 * shingle sets with standard error sqrt(J(1-J)/k); a bottom-k preset compares as sets.
 * A text of fewer than w tokens is one shingle as it stands, and the signature says so
 * (is_short): such texts are alike when they are equal, and their digests know that
 * better.
 * @param text    as th_normalise makes it: tokens with one blank between, borrowed
 * @param arena   gets the slots
 * @param out     untouched unless TH_OK
 * @return TH_OK; TH_NO_TOKEN for a text without token (absent, never zeros); TH_NOMEM
 * Pure; O(shingles * k).
 */
TH_API th_status th_minhash(const th_minhash_signer *signer, th_view text,
                            th_arena *arena, th_signature *out);

/**
 * Estimated Jaccard similarity of two signatures of the same preset: the share of equal
 * slots; for bottom-k the share of common values among the k smallest of the union.
 */
TH_API double th_minhash_similarity(const th_minhash_preset *preset,
                                    const th_signature *a, const th_signature *b);

/** Bytes of a key: the band's number, then XXH3-64 of its rows, big-endian. */
enum { TH_BAND_KEY_LEN = 9 };

/**
 * Keys of a signature [docs/near-duplicates.md#band-keys]. The hashed bytes are the
 * band's slots at the preset's width, big-endian; keys of text-dedup hold 32-bit slots in
 * 64 bits. Values of a set have no place: their keys all carry the number 0.
 * @param keys  out: room for preset->bands keys of TH_BAND_KEY_LEN bytes each
 * @return keys written: preset->bands, fewer for a set with fewer values, 0 for a
 *         signature that is absent or short
 */
TH_API uint32_t th_minhash_bands(const th_minhash_preset *preset,
                                 const th_signature *signature, uint8_t *keys);

/** Bytes of `bits` bits of each of so many slots. */
#define TH_LOW_BITS_LEN(slots, bits) (((size_t)(slots) * (bits) + 7) / 8)

/**
 * The low bits of each slot, for a second look at a pair that shares a key: with b bits
 * and a share P of equal ones J is about (P - 2^-b) / (1 - 2^-b), and hardly less sure
 * than of whole slots [docs/near-duplicates.md#low-bits].
 * @param bits  4 or 8; of two slots in one byte the first has the high half
 * @param out   TH_LOW_BITS_LEN(slot_count, bits) bytes
 */
TH_API void th_minhash_low_bits(const th_signature *signature, uint32_t bits,
                                uint8_t *out);

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
 * page->signatures, page->minhash and page->text_digest.
 * @param opt     checked by th_options_check before
 * @param signer  of opt->minhash, must outlive the page; NULL signs nothing
 * @return TH_OK; TH_NOMEM; TH_USAGE when th_options_init has not seen the options
 */
TH_API th_status th_sketch_page(th_page *page, const th_options *opt,
                                const th_minhash_signer *signer);

/**
 * The signature that stands for the page where there is room for one: of the first text
 * that opt->sign names, in the order distinct, main, content, page. May be absent
 * although another is not: an index whose keys come now from one text and now from
 * another would compare what is not alike.
 * @return NULL when opt->sign names none
 */
TH_API const th_signature *th_sketch_first(const th_page *page, const th_options *opt);

/** That text: TH_SIGN_..., or TH_SIGN_COUNT when `sign` names none. */
TH_API unsigned th_sign_first(uint32_t sign);

/** Bytes of a template fingerprint: SHA-1. */
enum { TH_FINGERPRINT_LEN = 20 };

/**
 * Template fingerprint of a segment [K11 §4.3.3]: equal for segments that differ only in
 * dates, numbers, URLs, case and punctuation.
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
