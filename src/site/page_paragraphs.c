/* Computes hashes of paragraphs, and a page's entry. See the header. */
#include "site/page_paragraphs.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/order.h"
#include "thresher/minhash.h"

/* Returns a hash that is never 0. */
static uint64_t hash_of(th_view words)
{
    const uint64_t hash = XXH3_64bits(words.data, words.len) & ~(uint64_t)TH_SITE_KIND;
    return hash ? hash : TH_SITE_KIND + 1;
}

static uint64_t hash_of_segment(const th_segment *segment,
                                const uint8_t fingerprint[TH_FINGERPRINT_LEN])
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < sizeof hash - 1; i++)
        hash = hash << 8 | fingerprint[i];
    const uint64_t position = (uint64_t)(segment->position & TH_SITE_POSITION);
    const uint64_t inner = (uint64_t)(segment->inner & TH_SITE_POSITION);
    return hash << 8 | TH_SITE_SEGMENT | position << 3 | inner;
}

th_status th_page_segments_hash(th_page *page)
{
    uint64_t *hashes = th_arena_calloc(page->arena, page->segment_count, sizeof *hashes);
    if (!hashes)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->segment_count; i++) {
        uint8_t fingerprint[TH_FINGERPRINT_LEN];
        if (!page->segments[i].tokens)
            continue;
        if (th_template_fingerprint(page, i, page->arena, fingerprint) != TH_OK)
            return TH_NOMEM;
        hashes[i] = hash_of_segment(&page->segments[i], fingerprint);
    }
    page->segment_hashes = hashes;
    return TH_OK;
}

th_status th_page_paragraphs_hash(th_page *page)
{
    const uint32_t count = page->paragraph_count;
    th_view *words = th_arena_calloc(page->arena, count, sizeof *words);
    uint64_t *hashes = th_arena_calloc(page->arena, count, sizeof *hashes);
    if (!words || !hashes)
        return TH_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = th_normalise(th_paragraph_text(page, i), page->arena);
        if (!words[i].data)
            return TH_NOMEM;
        if (words[i].len)
            hashes[i] = hash_of(words[i]);
    }
    page->paragraph_words = words;
    page->paragraph_hashes = hashes;
    return TH_OK;
}

th_page_identity th_page_identify(const th_page *page, th_view url)
{
    const char *fragment = url.len ? memchr(url.data, '#', url.len) : NULL;
    const size_t len = fragment ? (size_t)(fragment - url.data) : url.len;
    return (th_page_identity){
        .url = (uint32_t)XXH3_64bits(len ? url.data : "", len),
        .text =
            (uint32_t)XXH3_64bits(page->paragraph_hashes,
                                  page->paragraph_count * sizeof *page->paragraph_hashes),
    };
}

/* Sorts and deduplicates hashes, without the 0. @return their number */
static uint32_t distinct_hashes(uint64_t *hashes, uint32_t count)
{
    uint32_t kept = 0;
    qsort(hashes, count, sizeof *hashes, th_order_uint64);
    for (uint32_t i = 0; i < count; i++)
        if (hashes[i] && (!kept || hashes[kept - 1] != hashes[i]))
            hashes[kept++] = hashes[i];
    return kept < TH_SITE_ENTRY_HASHES ? kept : TH_SITE_ENTRY_HASHES;
}

th_status th_site_entry_append(const th_page *page, th_view url, uint64_t when,
                               th_site_grouping grouping, th_buffer *out)
{
    th_site_name name;
    if (!th_site_name_of(url, grouping, &name))
        return TH_ABSENT;
    const th_page_identity identity = th_page_identify(page, url);
    const uint32_t segments = page->segment_hashes ? page->segment_count : 0;
    const uint32_t count = page->paragraph_count + segments;
    const size_t hashes_len = count * sizeof(uint64_t);
    if (!th_buffer_reserve(out, sizeof(th_site_entry) + hashes_len + name.len + 8))
        return TH_NOMEM;
    char *at = out->data + out->len;
    uint64_t *hashes = (uint64_t *)(void *)(at + sizeof(th_site_entry));
    if (page->paragraph_count)
        memcpy(hashes, page->paragraph_hashes, page->paragraph_count * sizeof *hashes);
    if (segments)
        memcpy(hashes + page->paragraph_count, page->segment_hashes,
               segments * sizeof *hashes);
    const th_site_entry entry = { .site = name.number,
                                  .when = when,
                                  .url = identity.url,
                                  .text = identity.text,
                                  .hash_count =
                                      count ? distinct_hashes(hashes, count) : 0,
                                  .name_len = name.len };
    memcpy(at, &entry, sizeof entry);
    at += sizeof entry + entry.hash_count * sizeof(uint64_t);
    memset(at, 0, (name.len + 7u) & ~7u);
    memcpy(at, name.text, name.len);
    out->len += th_site_entry_len(&entry);
    return TH_OK;
}
