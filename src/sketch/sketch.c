/*
 * The sketch stage: signs the texts of a page, and computes the digest of its content.
 * docs/near-duplicates.md#texts
 *
 * The texts overlap (content is part of the page, main mostly part of content). So each
 * block that any of them needs is normalised once, and a text is assembled from its
 * normalised blocks. Tokens end with their block, so the result equals that of
 * normalising the text. The main text mostly is a part of the content, whose shingles are
 * then hashed once.
 */
#include <string.h>
#include <xxhash.h>

#include "page/options_size.h"
#include "sketch/known_part.h"
#include "sketch/normalise.h"

enum {
    MAIN = 1u << TH_SIGN_MAIN,
    DISTINCT = 1u << TH_SIGN_DISTINCT, /* here: of a page with unknown template */
    CONTENT = 1u << TH_SIGN_CONTENT,
    PAGE = 1u << TH_SIGN_PAGE, /* visible text, and hidden text that is content */
};

/* The blocks of the texts. */
struct texts {
    th_view *blocks;                /* normalised; empty for blocks of no text */
    uint8_t *kinds_of;              /* of each block: the texts that it is part of */
    size_t capacity[TH_SIGN_COUNT]; /* of each text: bytes, and one for each block */
};

/* Returns the texts, of those wanted, that a block is part of. */
static uint32_t kinds_of(const th_page *page, uint32_t wanted, uint32_t block)
{
    uint32_t kinds = 0;
    if (page->segment_of[block] == page->main_segment)
        kinds |= MAIN | DISTINCT;
    if (page->label_of[block] == TH_CONTENT)
        kinds |= CONTENT | DISTINCT | PAGE;
    else if (wanted & PAGE && !page->paragraphs[page->blocks[block].paragraph].is_hidden)
        kinds |= PAGE;
    return kinds & wanted;
}

/* Returns a block's normalised text. If the site stage has normalised the paragraph, and
 * the block is all of it, uses that text. data is NULL if out of memory. */
static th_view normalise_block(const th_page *page, uint32_t block,
                               th_normal_space *space)
{
    const uint32_t paragraph = page->blocks[block].paragraph;
    const th_view text = th_block_text(page, block);
    if (page->paragraph_words) {
        const th_view whole = th_paragraph_text(page, paragraph);
        if (whole.data == text.data && whole.len == text.len)
            return page->paragraph_words[paragraph];
    }
    return th_normalise_into(text, space, page->arena);
}

/* @return whether there was memory */
static bool normalise_blocks(const th_page *page, uint32_t wanted, struct texts *texts)
{
    *texts = (struct texts){
        .blocks = th_arena_calloc(page->arena, page->block_count, sizeof *texts->blocks),
        .kinds_of = th_arena_alloc(page->arena, page->block_count),
    };
    th_normal_space space = { NULL, 0 };
    if (!texts->blocks || !texts->kinds_of)
        return false;
    for (uint32_t block = 0; block < page->block_count; block++) {
        const uint32_t kinds = kinds_of(page, wanted, block);
        texts->kinds_of[block] = (uint8_t)kinds;
        if (!kinds)
            continue;
        const th_view text = normalise_block(page, block, &space);
        if (!text.data)
            return false;
        texts->blocks[block] = text;
        for (unsigned kind = 0; kind < TH_SIGN_COUNT; kind++)
            texts->capacity[kind] += kinds >> kind & 1 ? text.len + 1 : 0;
    }
    return true;
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
static th_view gather(const th_page *page, int kind, const struct texts *texts)
{
    char *out = th_arena_alloc(page->arena, texts->capacity[kind]);
    if (!out)
        return (th_view){ NULL, 0 };
    size_t len = 0;
    for (uint32_t block = 0; block < page->block_count; block++) {
        const th_view text = texts->blocks[block];
        if (!(texts->kinds_of[block] >> kind & 1) || !text.len)
            continue;
        if (len)
            out[len++] = ' ';
        memcpy(out + len, text.data, text.len);
        len += text.len;
    }
    return (th_view){ out, len };
}

/* Returns the main text as a slice of the content; empty if it is not one. */
static th_view find_main(const th_page *page, const struct texts *texts, th_view content)
{
    const th_view none = { content.data, 0 };
    size_t end = 0, main_start = 0, main_end = 0;
    for (uint32_t block = 0; block < page->block_count; block++) {
        const uint32_t kinds = texts->kinds_of[block];
        if (!texts->blocks[block].len)
            continue;
        const size_t start = end ? end + 1 : 0;
        if (kinds & CONTENT)
            end = start + texts->blocks[block].len;
        if (!(kinds & MAIN))
            continue;
        if (!(kinds & CONTENT) || (main_end && start != main_end + 1))
            return none;
        if (!main_end)
            main_start = start;
        main_end = end;
    }
    return (th_view){ content.data + main_start, main_end - main_start };
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

/* Signs the text of a kind. */
static th_status sign(th_page *page, int kind, const th_minhash_signer *signer,
                      const struct texts *texts, th_view content, th_view main_part)
{
    const th_signature *main_signature = &page->signatures[TH_SIGN_MAIN];
    th_signature *out = &page->signatures[kind];
    if (kind == TH_SIGN_CONTENT && main_part.len && main_signature->slots)
        return th_minhash_around(signer, content, main_part, main_signature, page->arena,
                                 out);
    const th_view text = kind == TH_SIGN_CONTENT                 ? content
                         : kind == TH_SIGN_MAIN && main_part.len ? main_part
                         : kind == TH_SIGN_DISTINCT && page->knows_template
                             ? gather_distinct(page)
                             : gather(page, kind, texts);
    return text.data ? th_minhash(signer, text, page->arena, out) : TH_NOMEM;
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

    struct texts texts;
    if (!normalise_blocks(page, kinds, &texts))
        return TH_NOMEM;
    const th_view content = gather(page, TH_SIGN_CONTENT, &texts);
    if (!content.data)
        return TH_NOMEM;
    digest(page, content);
    const th_view main_part = find_main(page, &texts, content);
    for (int kind = 0; kind < TH_SIGN_COUNT; kind++)
        if (signed_kinds & 1u << kind &&
            sign(page, kind, signer, &texts, content, main_part) == TH_NOMEM)
            return TH_NOMEM;
    return TH_OK;
}
