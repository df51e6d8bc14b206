/*
 * Digests as in WARC headers: `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`, with the value in
 * base32 (the norm), hexadecimal of either case, or base64. A wrong label is accepted if
 * the length of the value determines the algorithm.
 */
#ifndef WARC_DIGEST_H
#define WARC_DIGEST_H

#include "warc/warc_status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WARC_DIGEST_MAX = 64 }; /* bytes of the longest digest, SHA-512 */

/* X(CODE, "label", bytes) */
#define WARC_DIGEST_LIST(X)                                                              \
    X(MD5, "md5", 16)                                                                    \
    X(SHA1, "sha1", 20)                                                                  \
    X(SHA256, "sha256", 32)                                                              \
    X(SHA512, "sha512", 64)

typedef enum warc_digest_algorithm {
#define X(code, label, bytes) WARC_DIGEST_##code,
    WARC_DIGEST_LIST(X)
#undef X
        WARC_DIGEST_ALGORITHMS
} warc_digest_algorithm;

/** Results of a digest check. */
typedef enum warc_digest_result {
    WARC_DIGEST_UNCHECKED,   /* not requested, or the block is not read yet */
    WARC_DIGEST_ABSENT,      /* the record declares no digest */
    WARC_DIGEST_OK,          /* equal */
    WARC_DIGEST_BAD,         /* different */
    WARC_DIGEST_MALFORMED,   /* declared value is not a digest */
    WARC_DIGEST_UNKNOWN_ALG, /* declared algorithm is not in the list */
    WARC_DIGEST_RESULTS
} warc_digest_result;

/** A digest: its algorithm and its bytes. */
typedef struct warc_digest_value {
    warc_digest_algorithm algorithm;
    size_t len; /* 16, 20, 32 or 64 */
    unsigned char bytes[WARC_DIGEST_MAX];
} warc_digest_value;

/** Returns "ok", "bad", "malformed", "unknown_alg", "absent" or "unchecked". Returns "?"
 * for other values. */
WARC_API const char *warc_digest_result_name(warc_digest_result result);

/**
 * Parses `algorithm:value`. The label is case-insensitive and may contain a dash
 * ("SHA-256"). If the length of the value belongs to another algorithm of the list, that
 * algorithm is used, because some writers use a wrong label.
 * @return WARC_OK; WARC_UNKNOWN_ALGORITHM; WARC_BAD_DIGEST
 */
WARC_API warc_status warc_digest_parse(warc_view field, warc_digest_value *out);

/** Returns true if both have the same algorithm and value. */
WARC_API bool warc_digest_equal(const warc_digest_value *a, const warc_digest_value *b);

/** Size of the longest text, "sha512:" and 104 characters of base32, with its NUL. */
enum { WARC_DIGEST_TEXT_MAX = 112 };

/** Writes "sha1:" and the value in base32, the standard's form, in upper case without
 * padding. Returns its length without the NUL. */
WARC_API size_t warc_digest_text(const warc_digest_value *value,
                                 char out[WARC_DIGEST_TEXT_MAX]);

/** Size of the longest value in hexadecimal, with its NUL. */
enum { WARC_DIGEST_HEX_MAX = 2 * WARC_DIGEST_MAX + 1 };

/** Writes the value without label in lower-case hexadecimal. Returns its length without
 * the NUL. */
WARC_API size_t warc_digest_hex(const warc_digest_value *value,
                                char out[WARC_DIGEST_HEX_MAX]);

/** A running hash. It is created once and reset for each message. Not thread-safe. */
typedef struct warc_digest warc_digest;

/** Creates a running hash. @return WARC_OK; WARC_NOMEM. The caller owns *out. */
WARC_API warc_status warc_digest_new(warc_digest **out);

/** NULL is allowed. */
WARC_API void warc_digest_free(warc_digest *digest);

/** Starts a new message. @return WARC_OK; WARC_UNKNOWN_ALGORITHM (libcrypto does not
 * support it, like MD5 in FIPS mode); WARC_NOMEM */
WARC_API warc_status warc_digest_begin(warc_digest *digest,
                                       warc_digest_algorithm algorithm);

/** Adds bytes to the current message. */
WARC_API void warc_digest_update(warc_digest *digest, warc_view bytes);

/** Ends the message and writes its digest. Call only after warc_digest_begin. */
WARC_API void warc_digest_end(warc_digest *digest, warc_digest_value *out);

#ifdef __cplusplus
}
#endif

#endif
