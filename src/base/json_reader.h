/*
 * Reads JSON from memory, one token per call. For lines with a few wanted members; the
 * rest, mostly long strings, is skipped.
 *
 * Skipping a string is one search for its end, and no memory is allocated. The structure
 * is checked in full. Only th_json_text checks the inside of a string.
 */
#ifndef TH_JSON_READER_H
#define TH_JSON_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

/** Maximum nested containers; a deeper document is TH_JSON_BAD. */
enum { TH_JSON_DEPTH = 64 };

typedef enum th_json_token {
    TH_JSON_DONE, /* the document is complete, and only whitespace follows */
    TH_JSON_BAD,  /* not JSON, starting at this token */
    TH_JSON_KEY,
    TH_JSON_STRING,
    TH_JSON_NUMBER,
    TH_JSON_LITERAL, /* true, false, null */
    TH_JSON_OPEN_OBJECT,
    TH_JSON_CLOSE_OBJECT,
    TH_JSON_OPEN_ARRAY,
    TH_JSON_CLOSE_ARRAY
} th_json_token;

typedef struct th_json_reader {
    const char *at, *end; /* unread input, borrowed */
    uint8_t state;        /* tokens that may follow */
    uint32_t depth;       /* open containers */
    uint64_t objects;     /* bit d: container d is an object */
    th_view text;         /* of the last token: raw, without the quotes */
} th_json_reader;

/** Starts reading a document. Allocates nothing. */
void th_json_reader_init(th_json_reader *reader, th_view document);

/** Returns the next token. After TH_JSON_DONE or TH_JSON_BAD it always returns the
 * same. */
th_json_token th_json_read(th_json_reader *reader);

/** Skips the next value. @return false if it is not JSON */
bool th_json_skip(th_json_reader *reader);

/** Returns whether the key or string just read is this literal. Always false if it has
 * escapes. */
bool th_json_text_is(const th_json_reader *reader, const char *literal);

/**
 * Decodes the escapes of the string just read.
 * @param out  reader->text.len bytes, which may be those of the string; a lone surrogate
 *             becomes U+FFFD
 * @param len  out: bytes written
 * @return false for a bad escape or a control character, which is not valid JSON
 */
bool th_json_text(const th_json_reader *reader, char *out, size_t *len);

#endif
