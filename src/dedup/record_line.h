/*
 * The parts of an emitted record, `thresher/1` in docs/record.md, that deduplication
 * needs. A foreign record with the same members serves as well.
 */
#ifndef TH_RECORD_LINE_H
#define TH_RECORD_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/page.h"
#include "thresher/status.h"

/* Why a record cannot be used: code, name in reports, text for people. */
/* clang-format off */
#define TH_RECORD_FAULT_LIST(X)                                                          \
    X(NONE,        "none",        "no error")                                    \
    X(BAD_JSON,    "bad_json",    "not one JSON object")                                 \
    X(NO_ID,       "no_id",       "no id, or one with control characters")               \
    X(BAD_MINHASH, "bad_minhash", "invalid signature")                     \
    X(BAD_DIGEST,  "bad_digest",  "digest.text is not 32 hexadecimal digits")            \
    X(TOO_LONG,    "too_long",    "line longer than max-line")                                \
    X(DAMAGED,     "damaged",     "in a damaged part of the archive")                   \
    X(REPEATED_ID, "repeated_id", "duplicate id")
/* clang-format on */

typedef enum th_record_fault {
#define TH_RECORD_FAULT_ENUM(symbol, name, text) TH_RECORD_##symbol,
    TH_RECORD_FAULT_LIST(TH_RECORD_FAULT_ENUM)
#undef TH_RECORD_FAULT_ENUM
        TH_RECORD_FAULT_COUNT
} th_record_fault;

const char *th_record_fault_name(th_record_fault fault);
const char *th_record_fault_text(th_record_fault fault);

/** Room for the words of the signature parameters, and for one of them. */
enum { TH_SIGNING_MAX = 384, TH_SIGNING_WORD_MAX = 128 };

/** The members of `minhash` with the parameters. */
typedef struct th_signature_words {
    char preset[TH_SIGNING_WORD_MAX]; /* "" if missing */
    char scheme[TH_SIGNING_WORD_MAX];
    uint64_t numbers[5]; /* by TH_SIGNING_... */
    uint8_t has_numbers; /* 1 << TH_SIGNING_... of the given ones */
} th_signature_words;

enum {
    TH_SIGNING_SEED,
    TH_SIGNING_W,
    TH_SIGNING_K,
    TH_SIGNING_BITS,
    TH_SIGNING_TOKENIZER,
    TH_SIGNING_NUMBERS
};

typedef struct th_record_line {
    th_view id, url, date; /* in `text`; url and date may be absent */
    th_view schema;        /* in `text`; not used */
    th_view text_of_page;  /* `text`, in `text`; read if wants_text */
    bool wants_text;       /* set by the caller */
    bool knows_template;   /* template_known: `distinct` is all of the page's own text */
    bool has_digest;       /* digest.text */
    bool is_error_page;    /* by http.status: no digest or signature is taken from it */
    uint64_t digest[2];    /* high, low */
    /* How it was signed, from the record: "preset=modern w=5 k=128". Empty if there is no
     * signature. */
    char params[TH_SIGNING_MAX];
    th_signature_words words;
    uint32_t short_texts; /* 1 << TH_SIGN_... of texts shorter than a shingle */
    th_view signatures[TH_SIGN_COUNT]; /* hexadecimal digits, borrowed from the line */

    th_buffer text; /* owns id, url, date, schema and text_of_page */
} th_record_line;

/** Frees the buffers of reading. The struct starts as { 0 } and can be reused. */
void th_record_line_done(th_record_line *record);

/**
 * Reads one line.
 * @param line   borrowed while the record is used
 * @param fault  out: TH_RECORD_NONE when the record can be used
 * @return TH_OK, also for a faulty line; TH_NOMEM
 */
th_status th_record_line_read(th_record_line *record, th_view line,
                              th_record_fault *fault);

/**
 * Converts hexadecimal digits to slots, big-endian.
 * @param width  bytes of a slot, 1..8
 * @param slots  out: digits.len / 2 / width of them
 * @return false when a digit is invalid, or their number is not a multiple of a slot's
 */
bool th_slots_read(th_view digits, uint32_t width, uint64_t *slots);

#endif
