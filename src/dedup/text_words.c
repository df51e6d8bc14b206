/* See the header. */
#include "dedup/text_words.h"

#include <string.h>

#include <xxhash.h>

#include "base/unicode.h"
#include "thresher/minhash.h"

/* Returns the text with a space for each byte that is not UTF-8. */
static th_view repair(th_view text, th_arena *arena)
{
    size_t good = th_utf8_valid(text.data, text.len);
    if (good == text.len)
        return text;
    char *copy = th_arena_alloc(arena, text.len);
    if (!copy)
        return (th_view){ NULL, 0 };
    memcpy(copy, text.data, text.len);
    for (; good < text.len; good += th_utf8_valid(copy + good, text.len - good))
        copy[good] = ' ';
    return (th_view){ copy, text.len };
}

th_view th_text_words(th_view text, th_arena *arena)
{
    const th_view good = repair(text, arena);
    return good.data ? th_normalise(good, arena) : good;
}

void th_text_digest(th_view bytes, uint64_t digest[2])
{
    const XXH128_hash_t hash = XXH3_128bits(bytes.data, bytes.len);
    digest[0] = hash.high64;
    digest[1] = hash.low64;
}
