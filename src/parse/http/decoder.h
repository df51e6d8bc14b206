/*
 * Decoders of transfer and content codings: a const table for each, run by http_body.
 * Each library for a coding is used only in the file of that coding.
 */
#ifndef TH_DECODER_H
#define TH_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The input and output of a step, which moves them forward. */
typedef struct th_decode_span {
    const char *in;
    size_t in_len;
    char *out;
    size_t out_len;
} th_decode_span;

typedef enum th_decode_result {
    TH_DECODE_MORE,    /* the input is used up or the output is full */
    TH_DECODE_END,     /* the coded bytes are complete; unread input follows them */
    TH_DECODE_DAMAGED, /* output written before the damage is good */
    TH_DECODE_NOMEM
} th_decode_result;

typedef struct th_decoder {
    const char *name;        /* as in Content-Encoding */
    uint32_t damaged_flag;   /* TH_FLAG_..._DAMAGED */
    uint32_t unfitting_flag; /* TH_FLAG_... for a claim that is wrong */
    size_t probe_len;        /* bytes that show whether the claim is right */
    unsigned variant_count;  /* interpretations of the coding, tried in order */
    /* Makes a state for step; NULL without memory. The caller frees it with destroy. */
    void *(*create)(void);
    void (*destroy)(void *state); /* NULL is legal */
    /* Prepares for the first byte of a body. Returns false without memory. */
    bool (*reset)(void *state, unsigned variant);
    th_decode_result (*step)(void *state, th_decode_span *span);
    /* Whether its mark or its structure proves that the bytes are in this coding. NULL for
     * a coding that has neither. For such a coding, decoding without an error is the
     * proof. */
    bool (*is_proven)(const void *state);
    /* Whether the coded bytes may end at this point. */
    bool (*is_complete)(const void *state);
    /* Frees memory that a large body made the state hold. NULL if there is none to
     * free. */
    void (*shrink)(void *state);
} th_decoder;

extern const th_decoder th_chunked_decoder; /* [RFC 9112 §7.1] */
extern const th_decoder th_gzip_decoder;    /* [RFC 1952], consecutive members */
extern const th_decoder th_deflate_decoder; /* [RFC 1950], and bare [RFC 1951] */
extern const th_decoder th_brotli_decoder;  /* [RFC 7932] */
extern const th_decoder th_zstd_decoder;    /* [RFC 8878], windows up to 8 MiB */

#endif
