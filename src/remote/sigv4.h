/* Signatures of requests to object stores, AWS Signature Version 4, in a header. */
#ifndef TH_SIGV4_H
#define TH_SIGV4_H

#include "base/buffer.h"
#include "thresher/status.h"

/* SHA-256 of an empty body, and the value used for a body that is not hashed. */
#define TH_SIGV4_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define TH_SIGV4_UNSIGNED "UNSIGNED-PAYLOAD"

typedef struct th_sigv4_header {
    const char *name; /* lower case */
    const char *value;
} th_sigv4_header;

/** The input of a signature. All is borrowed. */
typedef struct th_sigv4_request {
    const char *method;
    th_view path;  /* encoded, as it is sent; begins with '/' */
    th_view query; /* encoded, its parameters sorted, without '?'; may be empty */
    const th_sigv4_header *headers; /* by name; host is one of them */
    size_t header_count;
    const char *payload_hash; /* hexadecimal, or TH_SIGV4_UNSIGNED */
    const char *time;         /* "20130524T000000Z", as in x-amz-date */
    const char *region, *service;
    const char *access_key, *secret;
} th_sigv4_request;

enum { TH_SHA256_HEX = 65 }; /* with its NUL */

/** Computes SHA-256 in lower-case hexadecimal. @return TH_OK; TH_NOMEM if libcrypto
 * fails */
th_status th_sha256_hex(th_view bytes, char out[TH_SHA256_HEX]);

/** Appends the value of the Authorization header.
 * @return TH_OK; TH_NOMEM. Pure; O(bytes of the request) */
th_status th_sigv4_sign(const th_sigv4_request *request, th_buffer *out);

#endif
