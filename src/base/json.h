/*
 * Writes JSON into a buffer: strings of any bytes, unsigned 64-bit numbers, decimals
 * without locale, hexadecimal numbers, and members that are omitted if a value is absent.
 *
 * A document is written as text, or packed for a reader in the same program
 * (parquet/packed_row.h). The packed form has the same values as tokens without commas,
 * digits and escapes. Each token begins with its type.
 * Numbers are little-endian. A length has one byte in a key and four bytes in a string.
 *
 *     '{' '}' '[' ']'    containers
 *     'k' length name    key
 *     's' length bytes   string of UTF-8
 *     'u' 'i' 'd'        number of 64 bits: unsigned, signed, double
 *     't' 'f'            true, false
 */
#ifndef TH_JSON_H
#define TH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* Maximum depth of nested containers. */
enum { TH_JSON_WRITER_DEPTH = 64 };

/** A document that is being written, between _begin and _end. */
typedef struct th_json {
    th_buffer *out;    /* borrowed */
    size_t start;      /* its length at _begin */
    bool had_failed;   /* its error at _begin */
    bool needs_comma;  /* before the next value or key */
    bool has_key;      /* the next value belongs to it */
    bool is_packed;    /* tokens instead of text */
    bool is_inside;    /* between _begin_members and _end */
    th_status status;  /* status passed to th_json_fail, else TH_OK */
    th_buffer scratch; /* a string that had to be repaired */
    uint32_t depth;    /* open containers */
    uint64_t objects;  /* bit d: container d is an object */
} th_json;

/**
 * Starts a document after the buffer's current contents. Allocates nothing.
 * @param out  borrowed until th_json_end; do not append to it before
 */
void th_json_begin(th_json *json, th_buffer *out);

/** Like th_json_begin, for a document of tokens if is_packed. */
void th_json_begin_as(th_json *json, th_buffer *out, bool is_packed);

/**
 * Like th_json_begin_as, for members that will be inserted into an object, after other
 * members. th_json_end completes them and appends nothing.
 */
void th_json_begin_members(th_json *json, th_buffer *out, bool is_packed);

/**
 * Ends the document: text with a newline, which is the only one in it.
 * @return TH_OK; TH_NOMEM if any append failed; the first status passed to th_json_fail.
 *         Unless TH_OK, the buffer is restored to its contents at _begin
 */
th_status th_json_end(th_json *json);

/** Reports that the caller cannot produce its value. th_json_end will return `status`,
 * unless TH_NOMEM. */
void th_json_fail(th_json *json, th_status status);

/** Returns the length of the buffer with all complete members. */
size_t th_json_len(const th_json *json);

void th_json_open_object(th_json *json);
void th_json_close_object(th_json *json);
void th_json_open_array(th_json *json);
void th_json_close_array(th_json *json);

/** Writes the key of the next value: a literal of plain ASCII, at most 255 bytes. */
void th_json_key(th_json *json, const char *key);

/**
 * Writes a string. Bytes that are not UTF-8 become the four characters \xNN (lower case),
 * so the document is valid for any input.
 * @param text  any bytes; not absent
 * Linear, about 1 GB/s.
 */
void th_json_string(th_json *json, th_view text);

void th_json_uint(th_json *json, uint64_t value);
void th_json_bool(th_json *json, bool value);

/** Writes a number like th_decimal. */
void th_json_decimal(th_json *json, double value, unsigned places);

/** Like th_json_decimal, for a number that may be below 0; -0 is 0. */
void th_json_signed_decimal(th_json *json, double value, unsigned places);

/** Writes a string of two lower-case digits for each byte. */
void th_json_hex(th_json *json, const uint8_t *bytes, size_t len);

/**
 * Like th_json_hex, for numbers, the most significant byte first.
 * @param width  bytes of each number that are written, 1..8, the lowest ones
 */
void th_json_hex_words(th_json *json, const uint64_t *words, size_t count,
                       unsigned width);

/** Writes a key and a string, or nothing if the text is absent (data NULL). */
void th_json_member(th_json *json, const char *key, th_view text);

/** Writes a key and the bytes of a buffer as a string. A buffer that has failed fails the
 * document: TH_NOMEM. */
void th_json_member_buffer(th_json *json, const char *key, const th_buffer *text);

/** Writes a key and a NUL-terminated string, or nothing if text is NULL. */
void th_json_member_text(th_json *json, const char *key, const char *text);

/** Writes a key and a number. */
void th_json_member_uint(th_json *json, const char *key, uint64_t value);

/** Writes a key and a number like th_decimal. */
void th_json_member_decimal(th_json *json, const char *key, double value,
                            unsigned places);

enum { TH_DECIMAL_MAX = 32 };

/**
 * Writes a number in fixed notation, rounded half up, without trailing zeros: 0.25, 12.
 * Independent of the locale, equal on every machine.
 * @param value   0 .. 1e9; other values are clamped to that range, NaN to 0
 * @param places  maximum decimals, 0..6
 * @param out     NUL-terminated
 * @return its length
 */
size_t th_decimal(double value, unsigned places, char out[TH_DECIMAL_MAX]);

#endif
