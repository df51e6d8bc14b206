/*
 * The parameters of all records' signatures, and their effect on comparison: the keys
 * under which similar records meet, and the rule for duplicates. [CKP08 §5.2],
 * docs/near-duplicates.md
 */
#ifndef TH_SIGNATURE_PARAMS_H
#define TH_SIGNATURE_PARAMS_H

#include "dedup/record_line.h"
#include "thresher/minhash.h"

/** The signed texts to compare. */
typedef enum th_compared {
    TH_COMPARE_MAIN,
    TH_COMPARE_CONTENT,
    TH_COMPARE_PAGE,
    TH_COMPARE_BOTH,   /* main and page must both be alike: precision */
    TH_COMPARE_EITHER, /* main or page: recall */
    TH_COMPARE_DISTINCT,
    /* distinct if a record has it, else main; also main if the template of either page
     * was not known */
    TH_COMPARE_OWN
} th_compared;

/** Values of the option: main, content, page, both, either, distinct, auto; the last row
 * is NULL. */
extern const char *const th_compared_names[];

typedef struct th_signature_params {
    th_compared compared;
    double threshold;  /* from the options; 0 = the preset's own */
    unsigned texts[2]; /* TH_SIGN_... that are compared; TH_SIGN_COUNT: a record's own */
    unsigned text_count; /* 1 or 2 */
    bool is_known;       /* a signature was seen; the following members are valid */
    th_minhash_preset preset;
    uint32_t slots;             /* k */
    uint32_t width;             /* bytes of a slot */
    char words[TH_SIGNING_MAX]; /* of the first record with a signature */
    th_signature_words claim;   /* the members of these words */
    char source[512]; /* the position of that record, for the error about another */
} th_signature_params;

/** The data of a record in a temporary file; the slots of each text follow. */
typedef struct th_signed_head {
    uint64_t digest[2];
    uint32_t has_digest;
    uint16_t short_texts;    /* 1 << i for compared text i */
    uint16_t knows_template; /* 0 or 1, from the record */
    uint32_t slot_counts[2]; /* of each compared text; 0 = not signed */
} th_signed_head;

/** A record as it is compared. */
typedef struct th_signed_row {
    th_signed_head head;
    th_signature signatures[2]; /* slots point into `slots` */
    uint64_t *slots;            /* room for 2 * params->slots, never NULL; the caller's */
} th_signed_row;

void th_signature_init(th_signature_params *params, th_compared compared,
                       double threshold);

/**
 * Records how a record was signed. The first one decides, others must agree.
 * @param place  "FILE: line N", for words
 * @return TH_OK, or TH_USAGE with both ways and places: signatures made in different ways
 *         cannot be compared, and signatures of different bands do not share keys
 */
th_status th_signature_agree(th_signature_params *params, const th_record_line *record,
                             const char *place, th_error *err);

/** Returns the bytes of a record's row. Rows are short until the first signature was
 * seen, then longer. For TH_COMPARE_OWN they grow again at the first record with
 * `distinct`. */
size_t th_signature_row_len(const th_signature_params *params);

/**
 * Packs a record into a row of th_signature_row_len bytes.
 * @param scratch  room for params->slots slots
 * @return TH_RECORD_NONE or TH_RECORD_BAD_MINHASH
 */
th_record_fault th_signature_pack(const th_signature_params *params,
                                  const th_record_line *record, uint64_t *scratch,
                                  unsigned char *row);

/**
 * Whether foreign bytes are a row: not longer than th_signature_row_len, with all their
 * slots. A row that was packed before all parameters were known is shorter.
 */
bool th_signature_row_is_good(const th_signature_params *params, th_view row);

/** Whether a signature can make a record a duplicate. If both texts must be alike, it
 * needs both. */
bool th_signature_is_signed(const th_signature_params *params,
                            const th_signed_head *head);

/** Unpacks a row, into row->slots. */
void th_signature_unpack(const th_signature_params *params, const unsigned char *bytes,
                         th_signed_row *row);

/**
 * Orders rows by all their data, the same on every machine: more slots first, a digest
 * before none, then by their numbers.
 * @return negative, 0 or positive as `a` comes before, is equal to or comes after `b`
 * Pure; O(k).
 */
int th_signature_order(const th_signature_params *params, const th_signed_row *a,
                       const th_signed_row *b);

/** Returns the most keys that a record can have. */
size_t th_signature_key_count(const th_signature_params *params);

/**
 * Computes the keys of a record: records that may be duplicates share one. The keys are
 * the bands of each compared text, or the values of a bottom-k signature, and the digest.
 * @param keys  out: up to th_signature_key_count
 * @return the count
 */
size_t th_signature_keys(const th_signature_params *params, const th_signed_row *row,
                         uint64_t *keys);

/** The result of a comparison. */
typedef struct th_likeness {
    double jaccard; /* estimated, 1 for equal texts */
    bool is_exact;  /* equal digests of the content */
    bool is_duplicate;
} th_likeness;

/** Compares two records. Pure; O(k). */
th_likeness th_signature_compare(const th_signature_params *params,
                                 const th_signed_row *a, const th_signed_row *b);

#endif
