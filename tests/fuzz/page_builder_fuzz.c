/*
 * Property: any order of events creates a valid page, and cutting every text event into
 * single bytes changes nothing, unless a SUP or RT is judged by its text. Events are
 * read from the bytes: a byte of kind and size,
 * then a tag, or this number of bytes of text. With and without the light tree.
 */
#include <assert.h>
#include <stdlib.h>

#include "fuzz_target.h"
#include "parse/page_builder.h"
#include "parse/page_check.h"

/* Static storage takes no compound literals: TH_VIEW is for functions. */
#define PAIR(name, value)                                                                \
    {                                                                                    \
        { name, sizeof(name) - 1 },                                                      \
        {                                                                                \
            value, sizeof(value) - 1                                                     \
        }                                                                                \
    }

static const th_attribute attributes[] = {
    PAIR("href", "../x?y"),
    PAIR("hidden", ""),
    PAIR("style", "display : NONE"),
    PAIR("href", "mailto:a"),
    PAIR("aria-hidden", "true"),
    PAIR("hidden", "until-found"),
    PAIR("class", "x"),
    PAIR("type", "application/ld+json"),
};

enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* Mostly the tags that mean something to the builder. */
static th_tag tag_of(uint8_t byte)
{
    static const th_tag tags[] = {
        TH_TAG_A,    TH_TAG_P,    TH_TAG_DIV, TH_TAG_BR,   TH_TAG_SCRIPT, TH_TAG_TITLE,
        TH_TAG_BODY, TH_TAG_HTML, TH_TAG_SVG, TH_TAG_BASE, TH_TAG_AREA,   TH_TAG_SPAN
    };
    return byte < sizeof tags / sizeof *tags ? tags[byte] : (th_tag)(byte % TH_TAG_COUNT);
}

static void text(th_builder *builder, const uint8_t *bytes, size_t len, bool is_cut)
{
    const size_t step = is_cut ? 1 : len;
    for (size_t at = 0; at < len; at += step)
        th_builder_text(builder, (const char *)bytes + at, step);
}

/* @return whether there is an element that is judged by its text */
static bool feed(th_builder *builder, const uint8_t *data, size_t size, bool is_cut)
{
    bool is_judged = false;
    for (size_t at = 0; at + 1 < size;) {
        const unsigned op = data[at++];
        if (op & 1) {
            const size_t len = op >> 2 < size - at ? op >> 2 : size - at;
            text(builder, data + at, len, is_cut);
            at += len;
        } else if (op & 2) {
            th_builder_end_tag(builder, tag_of(data[at++]), op >> 2 & 1);
        } else {
            const size_t first = op >> 3 & 7;
            const size_t count = op >> 6 < ATTRIBUTES - first ? op >> 6 : 1;
            const unsigned how = (op >> 2 & 1) | (data[at] & 1 ? TH_TAG_SELF_CLOSING : 0);
            const th_tag tag = tag_of(data[at++]);
            is_judged |= tag == TH_TAG_SUP || tag == TH_TAG_RT;
            th_builder_start_tag(builder, tag, attributes + first, count,
                                 th_attribute_bits(attributes + first, count), how);
        }
    }
    return is_judged;
}

static th_page *build(th_builder *builder, th_arena *arena, const uint8_t *data,
                      size_t size, bool is_cut, bool has_light_tree, bool *is_judged)
{
    const th_document document = { .url = TH_VIEW("http://example.org/a/b") };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert(th_builder_begin(builder, arena, &document) == TH_OK);
    if (has_light_tree)
        th_builder_use_light_tree(builder);
    *is_judged = feed(builder, data, size, is_cut);
    assert(th_builder_finish(builder, &page) == TH_OK);
    check_page(page);
    return page;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Made once: page after page through one builder is part of the test. */
    static th_options opt[2];
    static th_builder *builder[2];
    static th_arena *whole, *cut;
    if (!whole) {
        th_options_init(&opt[0]);
        opt[0].page_ms = 0;
        opt[1] = opt[0];
        opt[1].max_depth = 5;
        opt[1].max_nodes = 12;
        opt[1].max_blocks = 3;
        opt[1].max_links = 2;
        opt[1].w_max = 8;
        builder[0] = th_builder_new(&opt[0]);
        builder[1] = th_builder_new(&opt[1]);
        whole = th_arena_new(0);
        cut = th_arena_new(0);
        assert(builder[0] && builder[1] && whole && cut);
    }
    if (size == 0)
        return 0;
    th_builder *const chosen = builder[data[0] & 1];
    const bool has_light_tree = data[0] & 2;
    bool is_judged = false;
    const th_page *page =
        build(chosen, whole, data + 1, size - 1, false, has_light_tree, &is_judged);
    const th_page *other =
        build(chosen, cut, data + 1, size - 1, true, has_light_tree, &is_judged);
    if (!is_judged)
        check_same_page(page, other);
    return 0;
}
