/*
 * AWS Signature Version 4, as Amazon's documentation of S3 describes it ("Authenticating
 * requests: using the Authorization header"). libcurl's own signer is not used: that of
 * 7.88 neither sorts the query nor sends x-amz-content-sha256.
 */
#include "remote/sigv4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum { DIGEST_LEN = 32, DATE_LEN = 8 };

static void to_hex(const unsigned char digest[DIGEST_LEN], char out[TH_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < DIGEST_LEN; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[TH_SHA256_HEX - 1] = '\0';
}

th_status th_sha256_hex(th_view bytes, char out[TH_SHA256_HEX])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (EVP_Digest(bytes.data, bytes.len, digest, &len, EVP_sha256(), NULL) != 1)
        return TH_NOMEM;
    to_hex(digest, out);
    return TH_OK;
}

/* key := HMAC(key, text) */
static bool step(unsigned char key[DIGEST_LEN], size_t key_len, th_view text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text.data, text.len,
              digest, &len) ||
        len != DIGEST_LEN)
        return false;
    memcpy(key, digest, DIGEST_LEN);
    return true;
}

static th_view view_of(const char *text)
{
    return (th_view){ text, strlen(text) };
}

/* HMAC chain over date, region, service and "aws4_request", then the text. */
static bool sign_text(const th_sigv4_request *request, th_view text,
                      char out[TH_SHA256_HEX])
{
    unsigned char key[DIGEST_LEN];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    th_buffer first = { 0 };
    th_buffer_append_text(&first, "AWS4");
    th_buffer_append_text(&first, request->secret);
    bool is_good = !first.has_failed &&
                   HMAC(EVP_sha256(), first.data, (int)first.len,
                        (const unsigned char *)request->time, DATE_LEN, digest, &len) &&
                   len == DIGEST_LEN;
    if (is_good)
        memcpy(key, digest, DIGEST_LEN);
    is_good = is_good && step(key, DIGEST_LEN, view_of(request->region)) &&
              step(key, DIGEST_LEN, view_of(request->service)) &&
              step(key, DIGEST_LEN, TH_VIEW("aws4_request")) &&
              step(key, DIGEST_LEN, text);
    th_buffer_done(&first);
    if (is_good)
        to_hex(key, out);
    return is_good;
}

static void append_names(const th_sigv4_request *request, th_buffer *out)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (i)
            th_buffer_append_char(out, ';');
        th_buffer_append_text(out, request->headers[i].name);
    }
}

static void append_canonical(const th_sigv4_request *request, th_buffer *out)
{
    th_buffer_append_text(out, request->method);
    th_buffer_append_char(out, '\n');
    th_buffer_append_view(out, request->path);
    th_buffer_append_char(out, '\n');
    th_buffer_append_view(out, request->query);
    th_buffer_append_char(out, '\n');
    for (size_t i = 0; i < request->header_count; i++) {
        th_buffer_append_text(out, request->headers[i].name);
        th_buffer_append_char(out, ':');
        th_buffer_append_text(out, request->headers[i].value);
        th_buffer_append_char(out, '\n');
    }
    th_buffer_append_char(out, '\n');
    append_names(request, out);
    th_buffer_append_char(out, '\n');
    th_buffer_append_text(out, request->payload_hash);
}

static void append_scope(const th_sigv4_request *request, th_buffer *out)
{
    th_buffer_append(out, request->time, DATE_LEN);
    th_buffer_append_char(out, '/');
    th_buffer_append_text(out, request->region);
    th_buffer_append_char(out, '/');
    th_buffer_append_text(out, request->service);
    th_buffer_append_text(out, "/aws4_request");
}

th_status th_sigv4_sign(const th_sigv4_request *request, th_buffer *out)
{
    char hash[TH_SHA256_HEX], signature[TH_SHA256_HEX];
    th_buffer canonical = { 0 }, text = { 0 };
    append_canonical(request, &canonical);
    th_status status =
        canonical.has_failed ? TH_NOMEM : th_sha256_hex(th_buffer_view(&canonical), hash);
    if (status == TH_OK) {
        th_buffer_append_text(&text, "AWS4-HMAC-SHA256\n");
        th_buffer_append_text(&text, request->time);
        th_buffer_append_char(&text, '\n');
        append_scope(request, &text);
        th_buffer_append_char(&text, '\n');
        th_buffer_append_text(&text, hash);
        if (text.has_failed || !sign_text(request, th_buffer_view(&text), signature))
            status = TH_NOMEM;
    }
    if (status == TH_OK) {
        th_buffer_append_text(out, "AWS4-HMAC-SHA256 Credential=");
        th_buffer_append_text(out, request->access_key);
        th_buffer_append_char(out, '/');
        append_scope(request, out);
        th_buffer_append_text(out, ",SignedHeaders=");
        append_names(request, out);
        th_buffer_append_text(out, ",Signature=");
        th_buffer_append_text(out, signature);
    }
    th_buffer_done(&canonical);
    th_buffer_done(&text);
    return status == TH_OK && out->has_failed ? TH_NOMEM : status;
}
