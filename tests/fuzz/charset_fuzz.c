/*
 * Property: for any bytes and label, the text is UTF-8, with at most three bytes per input
 * byte, and the same from a new converter. The first line is the label.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "parse/charset/charset.h"

struct result {
    th_arena *arena;
    th_view text;
    th_encoding used;
    uint32_t flags;
};

static struct result decode(th_charset *charset, th_view label, th_view bytes)
{
    struct result result = { .arena = th_arena_new(0) };
    assert(result.arena);
    assert(th_charset_decode(charset, label, bytes, result.arena, &result.text,
                             &result.used, &result.flags) == TH_OK);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const end = size ? memchr(data, '\n', size) : NULL;
    const th_view label = { (const char *)data,
                            end ? (size_t)(end - (const char *)data) : 0 };
    const size_t start = end ? label.len + 1 : 0;
    const th_view bytes = { (const char *)data + start, size - start };

    static th_charset *charset; /* kept: its tables cost more than a run */
    if (!charset)
        charset = th_charset_new();
    assert(charset);
    const struct result first = decode(charset, label, bytes);
    const struct result second = decode(charset, label, bytes);
    assert(first.used.name && first.used.from);
    assert(th_utf8_valid(first.text.data, first.text.len) == first.text.len);
    assert(first.text.len <= 3 * bytes.len);
    assert(first.used.name == second.used.name && first.used.from == second.used.from);
    assert(first.flags == second.flags && first.text.len == second.text.len);
    assert(memcmp(first.text.data, second.text.data, first.text.len) == 0);
    th_arena_free(first.arena);
    th_arena_free(second.arena);
    return 0;
}
