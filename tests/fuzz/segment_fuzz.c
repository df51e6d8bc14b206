/*
 * Segment, select and sketch on a page made of bytes, with every segmenter and profile and
 * every classifier: segment numbers have no gaps, sums add up, main content consists of
 * content, and a second fingerprint and signature are equal.
 *
 * Input: a byte for theta_max, a byte for w_max, then blocks. A byte below 32 ends a
 * block. That byte and the next one select the tags before the next block. Invalid UTF-8
 * is removed. With an odd byte for w_max the page has elements, nested by the hash of the
 * bytes.
 *
 * SEGMENTER=NAME in the environment: that segmenter alone, for a search of one of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../unit/make_page.h"
#include "base/unicode.h"
#include "fuzz_target.h"
#include "lab/segment/lab_segmenters.h"
#include "segment/gap_profile.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"

enum { MOST_BLOCKS = 4096 };

static void must(int holds)
{
    if (!holds)
        abort();
}

/* One block with its valid bytes, or a bar if there are none. */
static struct block_part read_block(const uint8_t *data, size_t len, char *text,
                                    const uint16_t gap[2])
{
    size_t kept = 0;
    for (size_t at = 0; at < len;) {
        const size_t valid = th_utf8_valid((const char *)data + at, len - at);
        memcpy(text + kept, data + at, valid);
        kept += valid;
        at += valid + 1;
    }
    if (kept == 0)
        text[kept++] = '|';
    return (struct block_part){ { text, kept }, (uint32_t)(len % 7), gap, 2 };
}

static th_page *read_page(th_arena *arena, const uint8_t *data, size_t size)
{
    char *text = th_arena_alloc(arena, size + MOST_BLOCKS);
    struct block_part *parts = th_arena_calloc(arena, MOST_BLOCKS, sizeof *parts);
    uint16_t(*gaps)[2] = th_arena_calloc(arena, MOST_BLOCKS + 1, sizeof *gaps);
    size_t count = 0;
    for (size_t at = 0; at < size && count < MOST_BLOCKS;) {
        size_t end = at;
        while (end < size && data[end] >= 32)
            end++;
        parts[count] = read_block(data + at, end - at, text, gaps[count]);
        text += parts[count++].text.len;
        for (size_t i = 0; i < 2 && end < size; i++, end++)
            gaps[count][i] = (uint16_t)(data[end] % TH_TAG_COUNT) |
                             (uint16_t)(data[end] & 1 ? TH_GAP_END : 0);
        at = end;
    }
    return make_page_of_parts(arena, parts, count);
}

static void segments_hold(const th_page *page)
{
    uint32_t count = 0;
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        must(page->segment_of[i] <= count);
        count += page->segment_of[i] == count;
    }
    must(count == page->segment_count);
    for (uint32_t i = 0; i < count; i++) {
        const th_segment *segment = &page->segments[i];
        must(isfinite(segment->density) && segment->link_density <= 1);
        must(page->segment_of[segment->first_block] == i);
        tokens += segment->tokens;
    }
    must(tokens == page->tokens_before[page->block_count]);
}

static void content_holds(th_page *page)
{
    const th_view text = th_page_content_text(page);
    size_t len = 0;
    uint32_t tokens = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        if (page->label_of[i] == TH_CONTENT) {
            len += page->blocks[i].text_len;
            tokens += page->blocks[i].tokens;
        }
    }
    must(text.data && text.len >= len && text.len <= len + 2 * (size_t)page->block_count);
    must(th_utf8_valid(text.data, text.len) == text.len);
    must(tokens == page->content_tokens);
    must(page->main_segment == TH_NONE || page->main_segment < page->segment_count);
}

static void fingerprints_hold(const th_page *page)
{
    for (uint32_t i = 0; i < page->segment_count && i < 16; i++) {
        uint8_t once[TH_FINGERPRINT_LEN], twice[TH_FINGERPRINT_LEN];
        must(th_template_fingerprint(page, i, page->arena, once) == TH_OK);
        must(th_template_fingerprint(page, i, page->arena, twice) == TH_OK);
        must(memcmp(once, twice, sizeof once) == 0);
    }
}

static void signatures_hold(th_page *page, const th_options *opt)
{
    th_minhash_preset preset;
    th_minhash_signer *signer = NULL;
    must(th_minhash_parse(opt->minhash, &preset, NULL) == TH_OK);
    must(th_minhash_signer_new(&preset, &signer, NULL) == TH_OK);
    must(th_sketch_page(page, opt, signer) == TH_OK);
    for (size_t i = 0; i < TH_SIGN_COUNT; i++) {
        const th_signature *signature = &page->signatures[i];
        must(!signature->slots || (signature->slot_count && signature->shingle_count));
        must(signature->slot_count <= preset.slots);
    }
    page->minhash = NULL; /* goes with the signer */
    th_minhash_signer_free(signer);
}

/* Segments once for each profile, then every classifier on the segments. */
static void run(th_page *page, th_options opt)
{
    for (const th_gap_profile *const *profile = th_gap_profiles; *profile; profile++) {
        opt.profile = (*profile)->name;
        must(th_segment_page(page, &opt) == TH_OK);
        segments_hold(page);
        for (const th_classifier *const *c = th_classifiers; *c; c++) {
            opt.classifier = (*c)->name;
            must(th_select_page(page, &opt) == TH_OK);
            content_holds(page);
        }
    }
    fingerprints_hold(page);
    signatures_hold(page, &opt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *only = getenv("SEGMENTER");
    if (size < 2)
        return 0;
    th_arena *arena = th_arena_new(0);
    th_page *page = read_page(arena, data + 2, size - 2);
    uint64_t seed = XXH3_64bits(data, size) | 1;
    if (data[1] & 1)
        nest_at_random(page, arena, &seed);
    page->metadata.title = page->block_count ? th_block_text(page, 0) : (th_view){ 0 };
    const th_options opt = {
        .size = sizeof(th_options),
        .theta_max = data[0] == 255 ? INFINITY : data[0] / 128.0 - 0.5,
        .w_max = data[1] + 1u,
        .minhash = data[0] & 1 ? "modern" : "paper",
        .sign = 1u << TH_SIGN_MAIN | 1u << TH_SIGN_CONTENT | 1u << TH_SIGN_PAGE,
    };
    for (const th_segmenter *const *method = th_lab_segmenters; *method; method++) {
        th_options chosen = opt;
        if (only && strcmp(only, (*method)->name) != 0)
            continue;
        chosen.segmenters = th_lab_segmenters;
        chosen.segmenter = (*method)->name;
        run(page, chosen);
    }
    th_arena_free(arena);
    return 0;
}
