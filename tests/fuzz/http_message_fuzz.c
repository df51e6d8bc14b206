/*
 * Property: for any cuts of a response, the output has the same bytes and flags, and at
 * most the size that the caller accepts. The first byte is the length of a piece.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "fuzz_target.h"
#include "parse/http/http_message.h"

enum { CAP = 1 << 20 };

/* Past the cap, bytes that differ only in how they were cut are not compared. */
static bool gather(void *context, const char *bytes, size_t len)
{
    th_buffer *const out = context;
    assert(len > 0 && out->len < CAP);
    th_buffer_append(out, bytes, len < CAP - out->len ? len : CAP - out->len);
    assert(!out->has_failed);
    return out->len < CAP;
}

static void run(th_body *body, const th_http_head *head, th_view stored, size_t piece,
                th_buffer *out)
{
    assert(th_body_begin(body, head, TH_HTTP_MAX_CODINGS, gather, out) == TH_OK);
    for (size_t at = 0; at < stored.len; at += piece) {
        const size_t len = stored.len - at < piece ? stored.len - at : piece;
        assert(th_body_write(body, (th_view){ stored.data + at, len }) == TH_OK);
    }
    assert(th_body_end(body) == TH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const th_view block = { (const char *)data + 1, size - 1 };
    th_http_head head;
    if (th_http_head_parse(block, 65536, true, &head) != TH_OK ||
        head.coding_count > TH_HTTP_MAX_CODINGS)
        return 0;
    assert(head.head_len <= block.len);

    const th_view stored = { block.data + head.head_len, block.len - head.head_len };
    th_body *const body = th_body_new();
    th_buffer once = { 0 };
    th_buffer cut = { 0 };
    assert(body);
    run(body, &head, stored, SIZE_MAX / 2, &once);
    const uint32_t flags = th_body_flags(body);
    const bool is_whole = th_body_is_complete(body);
    run(body, &head, stored, data[0] + 1u, &cut);
    assert(cut.len == once.len &&
           (!cut.len || memcmp(cut.data, once.data, cut.len) == 0));
    assert(th_body_flags(body) == flags && th_body_is_complete(body) == is_whole);
    bool sniffed;
    (void)th_media_type(head.media_type, th_buffer_view(&once), &sniffed);
    th_buffer_done(&once);
    th_buffer_done(&cut);
    th_body_free(body);
    return 0;
}
