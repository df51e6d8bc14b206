/*
 * The sketch stage: signs the texts of a page, and computes the digest of its content.
 * docs/near-duplicates.md#texts
 *
 * The texts overlap (content is part of the page, main mostly part of content). So each
 * block that any of them needs is normalised once, and a text is assembled from its
 * normalised blocks. Tokens end with their block, so the result equals that of
 * normalising the text.
 */
#include <string.h>
#include <xxhash.h>

#include "page/options_size.h"
#include "thresher/minhash.h"

/* Returns whether the block is part of the text that is signed as `kind`, TH_SIGN_... */
static bool is_part(const th_page *page, int kind, uint32_t block)
{
    switch (kind) {
    case TH_SIGN_MAIN:
        return page->segment_of[block] == page->main_segment;
    case TH_SIGN_DISTINCT: /* of a page with unknown template */
        return page->label_of[block] == TH_CONTENT ||
               page->segment_of[block] == page->main_segment;
    case TH_SIGN_CONTENT:
        return page->label_of[block] == TH_CONTENT;
    default: /* visible text, and hidden text that is content */
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

/* Returns a block's normalised text. If the site stage has normalised the paragraph, and
 * the block is all of it, uses that text. data is NULL if out of memory. */
static th_view normalise_block(const th_page *page, uint32_t block)
{
    const uint32_t paragraph = page->blocks[block].paragraph;
    const th_view text = th_block_text(page, block);
    if (page->paragraph_words) {
        const th_view whole = th_paragraph_text(page, paragraph);
        if (whole.data == text.data && whole.len == text.len)
            return page->paragraph_words[paragraph];
    }
    return th_normalise(text, page->arena);
}

/* @return a view for each block, empty for blocks of no kind, or NULL if out of memory */
static const th_view *normalise_blocks(const th_page *page, uint32_t kinds)
{
    th_view *texts = th_arena_calloc(page->arena, page->block_count, sizeof *texts);
    if (!texts)
        return NULL;
    for (uint32_t block = 0; block < page->block_count; block++) {
        if (!is_part_of_any(page, kinds, block))
            continue;
        texts[block] = normalise_block(page, block);
        if (!texts[block].data)
            return NULL;
    }
    return texts;
}

/* Returns all paragraphs except recurring ones. The site's memory has normalised them. */
static th_view gather_distinct(const th_page *page)
{
    size_t capacity = 1, len = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (!page->paragraph_recurs[i])
            capacity += page->paragraph_words[i].len + 1;
    char *out = th_arena_alloc(page->arena, capacity);
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

/* Returns the normalised blocks of a kind, separated by spaces. data is NULL if out of
 * memory. */
static th_view gather(const th_page *page, int kind, const th_view *texts)
{
    size_t capacity = 0;
    for (uint32_t block = 0; block < page->block_count; block++)
        if (is_part(page, kind, block))
            capacity += texts[block].len + 1;
    char *out = th_arena_alloc(page->arena, capacity);
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

/* Returns the texts to sign. Without the site stage there is no distinct text. */
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
    th_options scratch;
    opt = th_options_complete(opt, &scratch);
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
        const th_view text = kind == TH_SIGN_DISTINCT && page->knows_template
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
