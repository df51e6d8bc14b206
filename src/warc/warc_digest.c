/*
 * Digests of blocks and payloads: libcrypto computes, the forms that WARC headers
 * use are read here. The one home of libcrypto.
 */
#include "warc/warc_digest.h"

#include "warc_head.h"

#include <openssl/evp.h>
#include <openssl/opensslv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L /* Debian 11: methods are static there */
typedef const EVP_MD digest_method;
#define METHOD_NAMED(name) EVP_get_digestbyname(name)
#define METHOD_FREE(method) ((void)(method))
#define METHOD_INIT(context, method) EVP_DigestInit_ex(context, method, NULL)
#else
typedef EVP_MD digest_method;
#define METHOD_NAMED(name) EVP_MD_fetch(NULL, name, NULL)
#define METHOD_FREE(method) EVP_MD_free(method)
#define METHOD_INIT(context, method) EVP_DigestInit_ex2(context, method, NULL)
#endif

static const struct {
    const char *label;
    size_t len;
} algorithms[] = {
#define X(code, label, bytes) { label, bytes },
    WARC_DIGEST_LIST(X)
#undef X
};

struct warc_digest {
    EVP_MD_CTX *context;
    /* Fetched at the first use, because fetching is slow. */
    digest_method *methods[WARC_DIGEST_ALGORITHMS];
    warc_digest_algorithm algorithm;
};

const char *warc_digest_result_name(warc_digest_result result)
{
    static const char *const names[] = { "unchecked", "absent",    "ok",
                                         "bad",       "malformed", "unknown_alg" };
    return (unsigned)result < WARC_DIGEST_RESULTS ? names[result] : "?";
}

/* ---- the text forms ---- */

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int base32_value(char c) /* [RFC 4648 §6], in either case */
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a'
           : c >= '2' && c <= '7' ? c - '2' + 26
                                  : -1;
}

static int base64_value(char c) /* [RFC 4648 §4, §5] */
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

/* A form: the number of bits in a character. */
struct form {
    int (*value)(char c);
    unsigned bits;
};

/* The forms of one value have different lengths, so the length tells which it is. */
static const struct form forms[] = {
    { hex_value, 4 },
    { base32_value, 5 },
    { base64_value, 6 },
};

/* Decodes `text` as `len` bytes; false when a character does not belong. */
static bool decode(const struct form *form, warc_view text, unsigned char *out,
                   size_t len)
{
    unsigned pool = 0, bits = 0;
    size_t made = 0;
    for (size_t i = 0; i < text.len; i++) {
        const int value = form->value(text.data[i]);
        if (value < 0)
            return false;
        pool = pool << form->bits | (unsigned)value;
        bits += form->bits;
        if (bits >= 8 && made < len) {
            bits -= 8;
            out[made++] = (unsigned char)(pool >> bits);
            pool &= (1u << bits) - 1;
        }
    }
    return made == len;
}

static bool decode_as(warc_digest_algorithm algorithm, warc_view text,
                      warc_digest_value *out)
{
    const size_t len = algorithms[algorithm].len;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t chars = (len * 8 + forms[i].bits - 1) / forms[i].bits;
        if (text.len == chars && decode(&forms[i], text, out->bytes, len)) {
            out->algorithm = algorithm;
            out->len = len;
            return true;
        }
    }
    return false;
}

/* "SHA-256" and "sha256" are the same label. */
static bool label_is(warc_view label, const char *name)
{
    char plain[16];
    size_t len = 0;
    for (size_t i = 0; i < label.len; i++)
        if (label.data[i] != '-') {
            if (len == sizeof plain)
                return false;
            plain[len++] = label.data[i];
        }
    return warc_equal_nocase((warc_view){ plain, len }, name);
}

static warc_digest_algorithm algorithm_of(warc_view label)
{
    unsigned i = 0;
    while (i < WARC_DIGEST_ALGORITHMS && !label_is(label, algorithms[i].label))
        i++;
    return (warc_digest_algorithm)i;
}

warc_status warc_digest_parse(warc_view field, warc_digest_value *out)
{
    const char *colon = field.len > 0 ? memchr(field.data, ':', field.len) : NULL;
    if (!colon)
        return WARC_BAD_DIGEST;
    const warc_view label = { field.data, (size_t)(colon - field.data) };
    warc_view text = { colon + 1, field.len - label.len - 1 };
    while (text.len > 0 && text.data[text.len - 1] == '=') /* padding */
        text.len--;
    const warc_digest_algorithm algorithm = algorithm_of(label);
    if (algorithm == WARC_DIGEST_ALGORITHMS)
        return WARC_UNKNOWN_ALGORITHM;
    warc_digest_value value = { .algorithm = algorithm };
    if (decode_as(algorithm, text, &value)) {
        *out = value;
        return WARC_OK;
    }
    for (unsigned i = 0; i < WARC_DIGEST_ALGORITHMS; i++)
        if (decode_as((warc_digest_algorithm)i, text, &value)) {
            *out = value;
            return WARC_OK;
        }
    return WARC_BAD_DIGEST;
}

bool warc_digest_equal(const warc_digest_value *a, const warc_digest_value *b)
{
    return a->algorithm == b->algorithm && a->len == b->len &&
           memcmp(a->bytes, b->bytes, a->len) == 0;
}

size_t warc_digest_text(const warc_digest_value *value, char out[WARC_DIGEST_TEXT_MAX])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    size_t at = (size_t)snprintf(out, WARC_DIGEST_TEXT_MAX,
                                 "%s:", algorithms[value->algorithm].label);
    unsigned pool = 0, bits = 0;
    for (size_t i = 0; i < value->len; i++) {
        pool = pool << 8 | value->bytes[i];
        for (bits += 8; bits >= 5; bits -= 5)
            out[at++] = alphabet[pool >> (bits - 5) & 31];
        pool &= (1u << bits) - 1;
    }
    if (bits > 0)
        out[at++] = alphabet[pool << (5 - bits) & 31];
    out[at] = '\0';
    return at;
}

size_t warc_digest_hex(const warc_digest_value *value, char out[WARC_DIGEST_HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < value->len; i++) {
        out[2 * i] = digits[value->bytes[i] >> 4];
        out[2 * i + 1] = digits[value->bytes[i] & 15];
    }
    out[2 * value->len] = '\0';
    return 2 * value->len;
}

/* ---- the running hash ---- */

warc_status warc_digest_new(warc_digest **out)
{
    warc_digest *digest = calloc(1, sizeof *digest);
    if (!digest)
        return WARC_NOMEM;
    digest->context = EVP_MD_CTX_new();
    if (!digest->context) {
        free(digest);
        return WARC_NOMEM;
    }
    *out = digest;
    return WARC_OK;
}

void warc_digest_free(warc_digest *digest)
{
    if (digest) {
        for (size_t i = 0; i < WARC_DIGEST_ALGORITHMS; i++)
            METHOD_FREE(digest->methods[i]);
        EVP_MD_CTX_free(digest->context);
    }
    free(digest);
}

warc_status warc_digest_begin(warc_digest *digest, warc_digest_algorithm algorithm)
{
    if ((unsigned)algorithm >= WARC_DIGEST_ALGORITHMS)
        return WARC_UNKNOWN_ALGORITHM;
    digest_method **method = &digest->methods[algorithm];
    if (!*method)
        *method = METHOD_NAMED(algorithms[algorithm].label);
    if (!*method)
        return WARC_UNKNOWN_ALGORITHM;
    digest->algorithm = algorithm;
    return METHOD_INIT(digest->context, *method) == 1 ? WARC_OK : WARC_NOMEM;
}

void warc_digest_update(warc_digest *digest, warc_view bytes)
{
    if (bytes.len > 0)
        EVP_DigestUpdate(digest->context, bytes.data, bytes.len);
}

void warc_digest_end(warc_digest *digest, warc_digest_value *out)
{
    unsigned len = 0;
    *out = (warc_digest_value){ .algorithm = digest->algorithm };
    EVP_DigestFinal_ex(digest->context, out->bytes, &len);
    out->len = len;
}
