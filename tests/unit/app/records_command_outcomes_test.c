/* `records` about random records with digests, codings and transfer codings, some of them
 * wrong: all that it prints and writes, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "shortage.h"
#include "warc/warc.h"

enum { ROUNDS = 60 };

static void put_number(th_buffer *out, uint32_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

/* A gzip member that is not compressed, so that its bytes are always the same. */
static void put_gzip(const th_buffer *text, th_buffer *out)
{
    static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01";
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < text->len; i++) {
        crc ^= (unsigned char)text->data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    th_buffer_append(out, head, sizeof head - 1);
    put_number(out, (uint32_t)text->len, 2);
    put_number(out, ~(uint32_t)text->len, 2);
    th_buffer_append_view(out, th_buffer_view(text));
    put_number(out, ~crc, 4);
    put_number(out, (uint32_t)text->len, 4);
}

static void put_chunks(struct outcomes *all, const th_buffer *text, th_buffer *out)
{
    for (size_t at = 0; at < text->len;) {
        const size_t most = text->len - at;
        const size_t wanted = 1 + below(all, 40);
        const size_t len = wanted < most ? wanted : most;
        th_buffer_printf(out, "%zx\r\n", len);
        th_buffer_append(out, text->data + at, len);
        th_buffer_append_text(out, "\r\n");
        at += len;
    }
    th_buffer_append_text(out, below(all, 20) ? "0\r\n\r\n" : "0");
}

/* The forms of a body: decoded, coded, and as it is stored. */
struct body {
    th_buffer plain, coded, stored;
    bool is_coded, is_chunked;
};

static void make_body(struct outcomes *all, struct body *body)
{
    th_buffer_reset(&body->plain);
    th_buffer_reset(&body->coded);
    th_buffer_reset(&body->stored);
    for (uint32_t i = below(all, 9); i; i--)
        th_buffer_printf(&body->plain, "<p>Word %" PRIu32 "\n", below(all, 1000));
    body->is_coded = below(all, 3) == 0;
    body->is_chunked = below(all, 3) == 0;
    if (body->is_coded)
        put_gzip(&body->plain, &body->coded);
    else
        th_buffer_append_view(&body->coded, th_buffer_view(&body->plain));
    if (body->coded.len && below(all, 12) == 0)
        body->coded.len--;
    if (body->is_chunked)
        put_chunks(all, &body->coded, &body->stored);
    else
        th_buffer_append_view(&body->stored, th_buffer_view(&body->coded));
}

/* A digest of the bytes in a form that writers use; NAME: VALUE. */
static void put_digest(struct outcomes *all, const char *name, const th_buffer *bytes,
                       th_buffer *out)
{
    static const warc_digest_algorithm algorithms[] = {
        WARC_DIGEST_SHA1, WARC_DIGEST_SHA1, WARC_DIGEST_SHA256, WARC_DIGEST_SHA512
    };
    static const char *const odd[] = { "sha1:", "sha3:ABC", "sha1:not a digest", "",
                                       "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" };
    warc_digest *digest = NULL;
    warc_digest_value value;
    char text[WARC_DIGEST_TEXT_MAX];
    const warc_digest_algorithm algorithm = ONE(all, algorithms);
    if (below(all, 6) == 0) {
        th_buffer_printf(out, "%s: %s\r\n", name, ONE(all, odd));
        return;
    }
    assert_int_equal(warc_digest_new(&digest), WARC_OK);
    assert_int_equal(warc_digest_begin(digest, algorithm), WARC_OK);
    if (bytes->len)
        warc_digest_update(digest, (warc_view){ bytes->data, bytes->len });
    warc_digest_end(digest, &value);
    warc_digest_free(digest);
    (void)warc_digest_text(&value, text);
    th_buffer_printf(out, "%s: %s\r\n", name, text);
}

static void put_record(struct outcomes *all, uint32_t number, th_buffer *out)
{
    static const char *const types[] = { "response", "response", "resource",  "request",
                                         "revisit",  "metadata", "conversion" };
    static const char *const statuses[] = { "200 OK", "404 Not Found", "301 Moved", "x" };
    static const char *const medias[] = { "text/html", "text/plain; charset=x",
                                          "image/png", "" };
    struct body body = { .is_coded = false };
    th_buffer block = { 0 };
    const char *type = ONE(all, types);
    const bool is_http = below(all, 8) != 0;
    make_body(all, &body);
    if (is_http) {
        th_buffer_printf(&block, "HTTP/1.1 %s\r\n", ONE(all, statuses));
        th_buffer_printf(&block, "Content-Type: %s\r\n%s%s", ONE(all, medias),
                         body.is_coded ? "Content-Encoding: gzip\r\n" : "",
                         body.is_chunked ? "Transfer-Encoding: chunked\r\n" : "");
        th_buffer_append_text(&block, below(all, 30) ? "\r\n" : "");
    }
    th_buffer_append_view(&block, th_buffer_view(&body.stored));
    th_buffer_printf(
        out, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:r:%" PRIu32 ">\r\n", type,
        number);
    th_buffer_printf(out, "WARC-Target-URI: http://a.example/%" PRIu32 "\r\n",
                     below(all, 9));
    th_buffer_printf(out, "WARC-Date: 2024-05-%02" PRIu32 "T00:00:00Z\r\n",
                     1 + below(all, 31));
    th_buffer_printf(out, "Content-Type: %s\r\n",
                     !is_http                  ? "text/html"
                     : strcmp(type, "request") ? "application/http; msgtype=response"
                                               : "application/http;msgtype=request");
    if (below(all, 2))
        put_digest(all, "WARC-Block-Digest", &block, out);
    const th_buffer *forms[] = { &body.plain, &body.coded, &body.stored, &block };
    if (below(all, 4))
        put_digest(all, "WARC-Payload-Digest", ONE(all, forms), out);
    if (below(all, 12) == 0)
        th_buffer_append_text(out, "WARC-Truncated: length\r\n");
    th_buffer_printf(out, "Content-Length: %zu\r\n\r\n", block.len);
    th_buffer_append_view(out, th_buffer_view(&block));
    th_buffer_append_text(out, below(all, 60) ? "\r\n\r\n" : "\r\n");
    assert_false(body.plain.has_failed || body.coded.has_failed ||
                 body.stored.has_failed || block.has_failed);
    th_buffer_done(&body.plain);
    th_buffer_done(&body.coded);
    th_buffer_done(&body.stored);
    th_buffer_done(&block);
}

static const char *const commands[] = {
    "records ../a.warc",
    "records --verify-digests ../a.warc",
    "records -q --verify-digests ../a.warc ../b.warc",
    "records --cdxj ../a.warc ../b.warc",
    "records --cdxj --verify-digests ../b.warc",
    "records --validate ../a.warc ../b.warc",
    "records --validate --verify-digests ../b.warc ../a.warc",
    "records --validate --json --verify-digests ../a.warc",
    "records -q --cdxj --validate ../a.warc",
    "run -q -j1 --language-detector none --page-ms 0 --verify-digests -O o ../a.warc",
};

static void outcomes_are_known(void **state)
{
    static const char *const names[] = { "a.warc", "b.warc" };
    (void)state;
    struct outcomes all = { .chance = 91 };
    shortage_begin();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 2; i++) {
            th_buffer out = { 0 };
            const uint32_t count = below(&all, 12);
            for (uint32_t k = 0; k < count; k++)
                put_record(&all, 100 * i + k, &out);
            if (out.len && below(&all, 12) == 0)
                out.len -= below(&all, (uint32_t)out.len);
            assert_false(out.has_failed);
            shortage_write(names[i], out.data ? out.data : "", out.len);
            th_buffer_done(&out);
        }
        for (unsigned i = 0; i < 6; i++)
            note_command(&all, ONE(&all, commands), NULL);
    }
    shortage_end();
    expect_digest(&all, UINT64_C(0x0297AB284E15267B));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outcomes_are_known) };
    return cmocka_run_group_tests_name("records_command_outcomes", tests, NULL, NULL);
}
