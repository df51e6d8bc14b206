/*
 * The stage: which texts of a page are signed, and the digest of its content.
 * docs/near-duplicates.md#texts
 *
 * The texts overlap (content is part of the page, main mostly part of content), so each
 * block that any of them needs is normalised once, and a text is put together from its
 * normalised blocks. Tokens end with their block, so this equals normalising the text.
 */
#include <string.h>
#include <xxhash.h>

#include "options_size.h"
#include "thresher/minhash.h"

enum {
    LEAST_SITE_PAGES = 3,
    KNOWN_SHARE = 16, /* one of so many linked tokens */
};

/*
 * Whether the site's memory knows this page's template: three pages at least, and some of
 * the page's links recur. After a redesign, or in a section that is new, none does: then
 * all of the template would be taken for the page's own text.
 */
static bool knows_template(const th_page *page)
{
    uint64_t known = 0, all = 0;
    if (page->site_pages < LEAST_SITE_PAGES)
        return false;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        all += block->linked_tokens;
        if (page->paragraph_recurs[block->paragraph])
            known += block->linked_tokens;
    }
    return KNOWN_SHARE * known >= all;
}

/* Whether the block is part of the text that is signed as `kind`, TH_SIGN_... */
static bool is_part(const th_page *page, int kind, uint32_t block)
{
    switch (kind) {
    case TH_SIGN_MAIN:
    case TH_SIGN_DISTINCT: /* of a site that is not known */
        return page->segment_of[block] == page->main_segment;
    case TH_SIGN_CONTENT:
        return page->label_of[block] == TH_CONTENT;
    default: /* what readers see, and what is content though it is hidden */
        return page->label_of[block] == TH_CONTENT ||
               !page->paragraphs[page->blocks[block].paragraph].is_hidden;
    }
}

static bool is_part_of_any(const th_page *page, uint32_t kinds, uint32_t block)
{
    for (int kind = 0; kind < TH_SIGN_COUNT; kind++)
        if (kinds & 1u << kind && is_part(page, kind, block))
            return true;
    return false;
}

/* @return a view for each block, empty for those in none of the kinds; NULL: no memory */
static const th_view *normalise_blocks(const th_page *page, uint32_t kinds)
{
    th_view *texts = th_arena_calloc(page->arena, page->block_count, sizeof *texts);
    if (!texts)
        return NULL;
    for (uint32_t block = 0; block < page->block_count; block++) {
        if (!is_part_of_any(page, kinds, block))
            continue;
        texts[block] = th_normalise(th_block_text(page, block), page->arena);
        if (!texts[block].data)
            return NULL;
    }
    return texts;
}

/* All paragraphs but those that recur, which the site's memory has normalised. */
static th_view gather_distinct(const th_page *page)
{
    size_t room = 1, len = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (!page->paragraph_recurs[i])
            room += page->paragraph_words[i].len + 1;
    char *out = th_arena_alloc(page->arena, room);
    if (!out)
        return (th_view){ NULL, 0 };
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_view words = page->paragraph_words[i];
        if (page->paragraph_recurs[i] || !words.len)
            continue;
        if (len)
            out[len++] = ' ';
        memcpy(out + len, words.data, words.len);
        len += words.len;
    }
    return (th_view){ out, len };
}

/* The normalised blocks of a kind, a blank between two; data == NULL without memory. */
static th_view gather(const th_page *page, int kind, const th_view *texts)
{
    size_t room = 0;
    for (uint32_t block = 0; block < page->block_count; block++)
        if (is_part(page, kind, block))
            room += texts[block].len + 1;
    char *out = th_arena_alloc(page->arena, room);
    if (!out)
        return (th_view){ NULL, 0 };
    size_t len = 0;
    for (uint32_t block = 0; block < page->block_count; block++) {
        if (!is_part(page, kind, block) || !texts[block].len)
            continue;
        if (len)
            out[len++] = ' ';
        memcpy(out + len, texts[block].data, texts[block].len);
        len += texts[block].len;
    }
    return (th_view){ out, len };
}

static void digest(th_page *page, th_view content)
{
    if (!content.len)
        return;
    const XXH128_hash_t hash = XXH3_128bits(content.data, content.len);
    page->text_digest[0] = hash.high64;
    page->text_digest[1] = hash.low64;
    page->has_text_digest = 1;
}

/* Without a look at the site there is no text that is distinct. */
static uint32_t texts_to_sign(const th_page *page, const th_options *opt)
{
    const bool has_distinct =
        page->paragraph_recurs && strcmp(opt->sites_rule, "off") != 0;
    return has_distinct ? opt->sign : opt->sign & ~(1u << TH_SIGN_DISTINCT);
}

unsigned th_sign_first(uint32_t sign)
{
    unsigned kind = 0;
    if (sign & 1u << TH_SIGN_DISTINCT)
        return TH_SIGN_DISTINCT;
    while (kind < TH_SIGN_COUNT && !(sign & 1u << kind))
        kind++;
    return kind;
}

const th_signature *th_sketch_first(const th_page *page, const th_options *opt)
{
    const unsigned kind = th_sign_first(texts_to_sign(page, opt));
    return kind < TH_SIGN_COUNT ? &page->signatures[kind] : NULL;
}

th_status th_sketch_page(th_page *page, const th_options *opt,
                         const th_minhash_signer *signer)
{
    th_options room;
    opt = th_options_whole(opt, &room);
    if (!opt)
        return TH_USAGE;
    const uint32_t signed_kinds = signer ? texts_to_sign(page, opt) : 0;
    const uint32_t kinds = signed_kinds | 1u << TH_SIGN_CONTENT; /* for the digest */

    page->minhash = signer ? th_minhash_signer_preset(signer) : NULL;
    memset(page->signatures, 0, sizeof page->signatures);
    memset(page->text_digest, 0, sizeof page->text_digest);
    page->has_text_digest = 0;
    if (!page->block_count)
        return TH_OK;

    const th_view *texts = normalise_blocks(page, kinds);
    if (!texts)
        return TH_NOMEM;
    for (int kind = 0; kind < TH_SIGN_COUNT; kind++) {
        if (!(kinds & 1u << kind))
            continue;
        const th_view text = kind == TH_SIGN_DISTINCT && knows_template(page)
                                 ? gather_distinct(page)
                                 : gather(page, kind, texts);
        if (!text.data)
            return TH_NOMEM;
        if (kind == TH_SIGN_CONTENT)
            digest(page, text);
        if (signed_kinds & 1u << kind &&
            th_minhash(signer, text, page->arena, &page->signatures[kind]) == TH_NOMEM)
            return TH_NOMEM;
    }
    return TH_OK;
}
