/*
 * Events to page, in one pass. [KN08 §3, K11 §4.2.1; docs/methods.md#text-model]
 *
 * Start tags, end tags and text come in document order. Blocks, gaps, nodes and links go
 * out. The text model counts words and lines in the same pass. This file decides:
 *
 * - A gap is a sequence of tags that are in the source. A alone makes none, but its tags
 *   are part of a gap that others make. Tags that the parser or the light tree implied
 *   make none.
 * - An element gives no text when it is one of TEXTLESS below, or when its attributes
 *   hide it (hiding.c). Its own tags belong to gaps, tags inside it do not. It ends when
 *   it leaves the stack of open elements, by any tag, so no mis-nesting can hide the rest
 *   of a page. HTML and BODY cannot be hidden: if they are, a script shows them again.
 * - In addition to the elements that the papers name, some elements are excluded because
 *   no browser shows their text: TITLE (it is metadata), NOFRAMES, NOEMBED, DATALIST,
 *   FRAMESET, and the fallback content of APPLET, AUDIO, VIDEO and CANVAS.
 * - A formula is text: its TeX between dollars, regardless of its source (mathml.h,
 *   inline_table.h). Other renderings of it give none.
 * - Furniture of generators (furniture.h) gives no text. A raised exponent gets a "^".
 * - The enclosing element of a block is the nearest that is not A, because the text of a
 *   block may be partly inside A and partly outside.
 * - If a classifier needs hidden text, it is included, in paragraphs that are marked.
 *   Hidden text of elements within a line, of dialogs and of tooltips is not.
 * - Links in hidden elements are links (menus are hidden until they open). Links in
 *   TEXTLESS elements are not. javascript: and data: are not links, other schemes are.
 *
 * The light tree decides which elements a tag closes or opens if the parser passes on the
 * tags of the source. If the parser has repaired the tree itself, an end tag closes the
 * nearest element of its name. Beyond max_depth, max_nodes, max_blocks and max_links the
 * page continues flat and is flagged. No limit loses text.
 */
#include "parse/page_builder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/ascii_mask.h"
#include "base/buffer.h"
#include "base/unicode.h"
#include "page/page_text.h"
#include "parse/class_table.h"
#include "parse/emoji.h"
#include "parse/formula.h"
#include "parse/furniture.h"
#include "parse/hiding.h"
#include "parse/html/class_memo.h"
#include "parse/inline_table.h"
#include "parse/light_tree.h"
#include "parse/link_table.h"
#include "parse/mathml.h"
#include "parse/metadata/class_roles.h"
#include "parse/metadata/metadata.h"
#include "parse/metadata/page_hints.h"
#include "parse/metadata/page_rights.h"
#include "parse/metadata/structured.h"
#include "parse/node_values.h"
#include "parse/note_table.h"
#include "parse/open_elements.h"
#include "parse/paragraph.h"
#include "parse/streamed.h"
#include "parse/tab_table.h"
#include "parse/table_room.h"
#include "parse/text_model.h"

enum {
    /* Bytes of title or JSON-LD that are gathered. */
    CAPTURE_MAX = 1 << 20,
    /* Units between two checks of the clock. An event is one, and 64 bytes are
     * another. */
    WORK_UNITS = 1024,
    /* The most bytes that a growing table keeps from page to page. */
    KEPT_BYTES = 4 << 20,
};

/* Actions of the builder for a tag, in addition to making a node of it. */
enum {
    VOID = 1u << 0,      /* has no content and no end */
    TEXTLESS = 1u << 1,  /* its text is not the page's */
    NOTED = 1u << 2,     /* note_tag handles it */
    LASTING = 1u << 3,   /* at most once, and open to the end: HTML, BODY */
    CAPTURED = 1u << 4,  /* its text may be metadata */
    FORMULA = 1u << 5,   /* is_formula may be true */
    FURNITURE = 1u << 6, /* furnishes may be true */
    PART = 1u << 7,      /* th_light_tree_is_table_part */
};

static const uint8_t kind_of[TH_TAG_COUNT] = {
    [TH_TAG_AREA] = VOID | NOTED,
    [TH_TAG_BASE] = VOID | NOTED,
    [TH_TAG_BASEFONT] = VOID,
    [TH_TAG_BGSOUND] = VOID,
    [TH_TAG_BR] = VOID,
    [TH_TAG_COL] = VOID,
    [TH_TAG_EMBED] = VOID,
    [TH_TAG_FRAME] = VOID,
    [TH_TAG_HR] = VOID,
    [TH_TAG_IMAGE] = VOID,
    [TH_TAG_IMG] = VOID,
    [TH_TAG_INPUT] = VOID,
    [TH_TAG_KEYGEN] = VOID,
    [TH_TAG_LINK] = VOID | NOTED,
    [TH_TAG_META] = VOID | NOTED,
    [TH_TAG_PARAM] = VOID,
    [TH_TAG_SOURCE] = VOID,
    [TH_TAG_TRACK] = VOID,
    [TH_TAG_WBR] = VOID,

    [TH_TAG_APPLET] = TEXTLESS,
    [TH_TAG_AUDIO] = TEXTLESS,
    [TH_TAG_CANVAS] = TEXTLESS,
    [TH_TAG_DATALIST] = TEXTLESS,
    [TH_TAG_FRAMESET] = TEXTLESS,
    [TH_TAG_IFRAME] = TEXTLESS,
    [TH_TAG_NOEMBED] = TEXTLESS,
    [TH_TAG_NOFRAMES] = TEXTLESS,
    [TH_TAG_NOSCRIPT] = TEXTLESS,
    [TH_TAG_OBJECT] = TEXTLESS,
    [TH_TAG_OPTION] = TEXTLESS,
    [TH_TAG_SCRIPT] = TEXTLESS | CAPTURED,
    [TH_TAG_STYLE] = TEXTLESS,
    [TH_TAG_SVG] = TEXTLESS,
    [TH_TAG_TEMPLATE] = TEXTLESS,
    [TH_TAG_TEXTAREA] = TEXTLESS,
    [TH_TAG_TITLE] = TEXTLESS | CAPTURED,
    [TH_TAG_VIDEO] = TEXTLESS,

    [TH_TAG_HTML] = LASTING | NOTED,
    [TH_TAG_BODY] = LASTING,
    [TH_TAG_A] = NOTED | FURNITURE,
    [TH_TAG_ADDRESS] = NOTED,
    [TH_TAG_SPAN] = NOTED | FORMULA | FURNITURE,
    [TH_TAG_TIME] = NOTED,

    [TH_TAG_BUTTON] = FURNITURE,
    [TH_TAG_DIV] = FORMULA | FURNITURE,
    [TH_TAG_H1] = FURNITURE,
    [TH_TAG_H2] = FURNITURE,
    [TH_TAG_H3] = FURNITURE,
    [TH_TAG_H4] = FURNITURE,
    [TH_TAG_H5] = FURNITURE,
    [TH_TAG_H6] = FURNITURE,
    [TH_TAG_MATH] = FORMULA,
    [TH_TAG_PRE] = FURNITURE,
    [TH_TAG_TD] = FURNITURE,

    [TH_TAG_TABLE] = PART,
    [TH_TAG_TBODY] = PART,
    [TH_TAG_TFOOT] = PART,
    [TH_TAG_THEAD] = PART,
    [TH_TAG_TR] = PART,
};

struct th_builder {
    const th_options *opt;
    th_text_model *text;
    th_arena *arena; /* of the page */
    th_metadata_collector *metadata;
    th_page_rights rights;
    bool wants_rights; /* th_options.reads */
    bool wants_structured;
    th_structured_collector *structured; /* owned; NULL before it is wanted */
    th_fact_marks *marks;                /* borrowed from the collector */
    th_page *page;
    bool has_light_tree; /* the light tree decides the elements that a tag closes */
    uint32_t flags;
    th_status status;

    /* growing tables, each with its item count and capacity */
    th_block *blocks;
    uint32_t block_count, block_capacity;
    th_node *nodes;
    uint32_t node_count, node_capacity;
    uint16_t *gap_tags;
    uint32_t gap_tag_count, gap_tag_capacity;

    th_open_elements open;
    th_link_table links;
    th_paragraph_table paragraphs;
    th_inline_table inlines;
    th_class_memo class_memo;
    th_class_table classes;
    th_node_values values; /* kept if classes are kept */
    uint32_t *link_nodes;  /* by link: its element; owned */
    uint32_t link_node_count, link_node_capacity;
    bool keeps_hidden; /* hidden text is the page's, marked */
    th_note_table notes;
    th_tab_table tabs;
    bool drops_newline; /* the first of the next text, if no tag comes before: PRE */

    uint32_t gap_start;      /* gap_tags from this index belong to the next block */
    bool is_gap;             /* there is a tag among them that makes a gap */
    th_view url;             /* of the document */
    uint32_t hidden_at;      /* open element that hides, 0 = visible */
    uint32_t textless_count; /* TEXTLESS elements that are open */
    bool has_streamed;       /* a hidden element contains streamed content */
    bool has_stream_place;   /* a TEMPLATE keeps the place of some */

    th_tag capture_tag;  /* TITLE or SCRIPT while its text is gathered */
    uint32_t capture_at; /* its open element, 0 = none */
    th_buffer capture;
    bool has_title;
    bool is_tex_captured; /* the text is a formula's */
    bool is_tex_display;

    th_mathml math;
    uint32_t math_at; /* MATH that is shown and open, 0 = none */
    th_view math_tex; /* its TeX, from an attribute */
    bool is_math_display;
    th_view last_tex;          /* of the last formula */
    uint32_t formula_end;      /* text up to and including it */
    bool is_formula_converted; /* no TeX of it was known */
    bool has_tex; /* a script that renders TeX, or an element that holds it */

    int64_t work_left;    /* units until the next check of the clock */
    uint64_t deadline_ns; /* thread CPU time, 0 = none */
};

/* Keeps rarer work out of a frequent function, which then saves few registers. */
#define APART __attribute__((noinline))

/* ---- memory and time --------------------------------------------------------------- */

static void fail(th_builder *b, th_status status)
{
    if (!b->status)
        b->status = status;
}

/* Reports that the page's arena is out of memory. */
static void fail_arena(th_builder *b)
{
    fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
}

#define HAS_ROOM(b, items, item)                                                         \
    TH_TABLE_HAS_ROOM((b)->items, (b)->item##_count, (b)->item##_capacity, (b)->status)

/* Returns the table for the next page; freed and NULL if it has more than KEPT_BYTES. */
static void *kept(void *items, uint32_t *capacity, size_t item_size)
{
    if (*capacity * item_size <= KEPT_BYTES)
        return items;
    free(items);
    *capacity = 0;
    return NULL;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void look_at_clock(th_builder *b)
{
    b->work_left = WORK_UNITS;
    if (b->deadline_ns && cpu_ns() > b->deadline_ns)
        fail(b, TH_TIME_LIMIT);
}

static inline void work(th_builder *b, size_t units)
{
    b->work_left -= (int64_t)units;
    if (b->work_left < 0)
        look_at_clock(b);
}

/* ---- blocks and gaps --------------------------------------------------------------- */

/* Gives a block that the text model has opened its row, its gap and its node. */
static void open_block(th_builder *b)
{
    if (!HAS_ROOM(b, blocks, block))
        return;
    const uint32_t gap_len = b->is_gap ? b->gap_tag_count - b->gap_start : 0;
    b->blocks[b->block_count++] = (th_block){ .text_start = b->text->block.text_start,
                                              .gap_start = b->gap_start,
                                              .gap_len = gap_len,
                                              .node = th_open_top(&b->open)->block_node };
    b->gap_start += gap_len;
    const uint32_t number = b->block_count - 1;
    th_paragraph_take(&b->paragraphs, &th_open_top(&b->open)->flow, number,
                      &b->blocks[number], (uint32_t)b->text->part_at,
                      (uint32_t)b->text->part_chars);
    if (b->paragraphs.status)
        fail(b, b->paragraphs.status);
}

/* Handles new text: the tags before it have become a gap, or nothing. */
static void text_came(th_builder *b)
{
    if (b->block_count == 0 || (b->is_gap && b->block_count < b->opt->max_blocks))
        open_block(b);
    else if (b->is_gap)
        b->flags |= TH_FLAG_BLOCKS_CUT;
    b->gap_tag_count = b->gap_start;
    b->is_gap = false;
}

/* An element that is not inline begins or ends here, or a line does. @param around  the
 * enclosing flow */
static void part_text(th_builder *b, const th_flow *around, th_tag tag)
{
    const th_boundary boundary = th_boundary_of(&b->paragraphs, around, tag);
    if (boundary == TH_INLINE_REPLACED) {
        th_text_set_part(b->text, TH_TEXT_BLANK);
    } else if (around->is_pre && b->text->keeps_space) { /* lines of the same text */
        th_text_end_line(b->text, boundary != TH_LINE_BREAK);
    } else {
        th_paragraph_part(&b->paragraphs, boundary);
        if (b->text->part != TH_TEXT_BREAKS)
            th_text_set_part(b->text, TH_TEXT_BREAKS);
    }
}

/* Whether text at this point is inside an A. */
static inline bool is_linked(const th_builder *b)
{
    return b->open.last_of[TH_TAG_A] != 0;
}

/* Replaces a code point that was cut by a tag, because it will not be completed. */
static inline void settle_text(th_builder *b)
{
    if (b->status || !th_text_is_cut(b->text))
        return;
    th_text_settle(b->text, is_linked(b));
    if (b->text->status)
        fail(b, b->text->status);
    else
        text_came(b); /* U+FFFD is text */
}

/* Ends the text before a tag that makes a gap. */
static void end_text(th_builder *b)
{
    if (!b->text->is_open)
        return;
    if (b->block_count >= b->opt->max_blocks)
        th_text_blank(b->text); /* the following text joins the last block */
    else if (b->block_count)
        th_text_close(b->text, &b->blocks[b->block_count - 1]);
}

/* Needed for the first tag of a gap, and if the table is full. */
static void begin_gap(th_builder *b, th_tag tag, uint16_t end)
{
    if (!b->is_gap && tag != TH_TAG_A) {
        end_text(b);
        b->is_gap = true;
    }
    if (HAS_ROOM(b, gap_tags, gap_tag))
        b->gap_tags[b->gap_tag_count++] = (uint16_t)(tag | end);
}

static inline void add_gap_tag(th_builder *b, th_tag tag, uint16_t end)
{
    if ((!b->is_gap && tag != TH_TAG_A) || b->gap_tag_count == b->gap_tag_capacity)
        begin_gap(b, tag, end);
    else
        b->gap_tags[b->gap_tag_count++] = (uint16_t)(tag | end);
}

/* ---- nodes and open elements ------------------------------------------------------- */

/* @return the new node, or TH_NONE if the page continues flat */
static inline uint32_t add_node(th_builder *b, th_tag tag, uint32_t parent,
                                bool is_parent_node)
{
    const uint32_t depth = b->nodes[parent].depth + 1u;
    if (!is_parent_node || depth > b->opt->max_depth) {
        b->flags |= TH_FLAG_DEPTH_CUT;
        return TH_NONE;
    }
    if (b->node_count >= b->opt->max_nodes) {
        b->flags |= TH_FLAG_NODES_CUT;
        return TH_NONE;
    }
    if (!HAS_ROOM(b, nodes, node))
        return TH_NONE;
    const uint32_t first = b->text->is_open ? b->block_count - 1 : b->block_count;
    b->nodes[b->node_count] = (th_node){ .parent = parent,
                                         .first_block = first,
                                         .end_block = first,
                                         .tag = tag,
                                         .depth = (uint16_t)depth };
    return b->node_count++;
}

/* Adds a node in the innermost element, or next to the table that this is part of. */
static inline uint32_t add_child(th_builder *b, th_tag tag, bool is_fostered)
{
    const th_open_element *parent = th_open_top(&b->open);
    return add_node(b, tag, is_fostered ? parent->foster_node : parent->node,
                    parent->is_node);
}

/* Sets the element's extent when it ends. */
static void close_node(th_builder *b, const th_open_element *element)
{
    th_node *node = &b->nodes[element->node];
    if (th_text_solid(b->text) == element->text_at)
        return; /* no text since it began */
    /* It began inside a block to which it added nothing, so the next one is its first. */
    const th_block *first = &b->blocks[node->first_block];
    if (node->first_block + 1 < b->block_count &&
        first->text_start + first->text_len <= element->text_at)
        node->first_block++;
    node->end_block = b->block_count;
}

/* Returns the block with a byte of the page's text. */
static uint32_t block_at(const th_builder *b, uint32_t text_at)
{
    uint32_t low = 0;
    uint32_t high = b->block_count - 1;
    if (b->blocks[high].text_start <= text_at)
        return high; /* nearly always */
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (b->blocks[middle].text_start <= text_at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Ends an anchor's text, which begins at the first character after its start tag. */
static void close_link(th_builder *b, const th_open_element *element)
{
    th_link *link = &b->links.links[element->link];
    const uint32_t end = (uint32_t)th_text_solid(b->text);
    uint32_t start = element->text_at;
    if (end == start)
        return;
    while (th_ascii_is_blank(b->text->text[start]))
        start++;
    link->anchor_start = start;
    link->anchor_len = end - start;
    link->block = block_at(b, start);
}

static void end_capture(th_builder *b)
{
    th_view text = th_buffer_view(&b->capture);
    text.len = th_utf8_valid(text.data, text.len); /* CAPTURE_MAX may cut a code point */
    if (!b->is_tex_captured)
        th_metadata_text(b->metadata, b->capture_tag, text);
    if (b->page->hints && b->capture_tag == TH_TAG_SCRIPT && !b->is_tex_captured)
        th_page_hints_json(b->page->hints, b->arena, text);
    if (b->wants_rights && b->capture_tag == TH_TAG_SCRIPT && !b->is_tex_captured)
        th_page_rights_json(&b->rights, text);
    if (b->wants_structured && b->capture_tag == TH_TAG_SCRIPT && !b->is_tex_captured)
        th_structured_json(b->structured, text);
    b->is_tex_captured = false;
    if (b->capture.has_failed)
        fail(b, TH_NOMEM);
    b->capture_at = 0;
    th_buffer_reset(&b->capture);
}

/* Opens an element. @param node  its own; TH_NONE if it has none */
static inline void push(th_builder *b, th_tag tag, uint32_t name, unsigned kind,
                        uint32_t node, uint32_t link)
{
    th_open_element *element = th_open_push(&b->open, tag, name, kind);
    if (!element) {
        fail(b, TH_NOMEM);
        return;
    }
    const th_open_element *parent = element - 1;
    element->is_node = node != TH_NONE;
    element->node = element->is_node ? node : parent->node;
    element->foster_node = element->node;
    element->block_node = element->is_node && tag != TH_TAG_A ? node : parent->block_node;
    element->text_at = (uint32_t)th_text_solid(b->text);
    element->link = link;
    element->flow = parent->flow;
    if (b->inlines.is_wanted)
        element->flow.style = th_inline_style(element->flow.style, tag);
    element->is_textless = kind_of[tag] & TEXTLESS;
    b->textless_count += element->is_textless;
}

/* Opens a table part. Content in it but not in a cell is enclosed as if next to the
 * table. */
static void push_table_part(th_builder *b, th_tag tag, unsigned kind, uint32_t node)
{
    const th_open_element *parent = th_open_top(&b->open);
    const uint32_t foster_node = tag == TH_TAG_TABLE ? parent->node : parent->foster_node;
    const uint32_t block_node = parent->block_node;
    push(b, tag, 0, kind, node, TH_NONE);
    if (b->status)
        return;
    th_open_element *part = th_open_top(&b->open);
    part->foster_node = foster_node;
    part->block_node = block_node;
}

/* Returns the next element up the stack that hides too, after the one at `at` has
 * ended. */
static uint32_t hiding_above(const th_builder *b, uint32_t at)
{
    while (++at < b->open.count)
        if (b->open.items[at].hides && !b->open.items[at].is_ended)
            return at;
    return 0;
}

/* Starts a PRE, or an element that is treated as one: whitespace is kept. */
static void begin_pre(th_builder *b)
{
    if (b->text->is_open) { /* no tag of the source has ended it */
        end_text(b);
        b->is_gap = true;
    }
    th_text_keep_space(b->text, !b->text->is_open); /* over max_blocks it is */
}

/* The innermost element is a DIV with a class. It may be a line of code, or contain lines.
 * The first line of code makes a PRE of the element around it. */
static void begin_code_line(th_builder *b, const th_class *class)
{
    th_open_element *element = th_open_top(&b->open);
    th_open_element *parent = element - 1;
    const int role = th_code_line_role(class->words);
    if (role == TH_DOXYGEN_CODE || role == TH_CONTAINER)
        element->code_lines = (uint8_t)role;
    const bool is_line =
        (role == TH_CODE_LINE && parent->code_lines == TH_DOXYGEN_CODE) ||
        (role == TH_NUMBERED_LINE && parent->code_lines == TH_CONTAINER);
    if (!is_line || parent->is_code || parent->flow.is_pre)
        return;
    parent->is_code = true;
    part_text(b, &parent->flow, TH_TAG_PRE);
    th_flow_begin(&b->paragraphs, &parent->flow, TH_TAG_PRE, NULL, 0, TH_NONE);
    begin_pre(b);
    th_inline_unnamed_code(&b->inlines, &parent->flow);
    element->flow = parent->flow;
}

/* Begins the text of the innermost element, which is shown and not inline. */
static void begin_flow(th_builder *b, const th_class *class, const th_attribute *attrs,
                       size_t attr_count)
{
    th_open_element *element = th_open_top(&b->open);
    const th_tag tag = element->tag;
    if (tag == TH_TAG_DIV && th_may_be_code_line(th_class_first(class)))
        begin_code_line(b, class);
    const bool was_pre = element->flow.is_pre;
    part_text(b, &element->flow, tag);
    if (element->is_node && th_boundaries[tag] != TH_INLINE_REPLACED)
        element->flow.node = element->node;
    if (tag == TH_TAG_DIV || tag == TH_TAG_P)
        return; /* most of them need nothing else */
    th_flow_begin(&b->paragraphs, &element->flow, tag, attrs, attr_count,
                  element->is_node ? element->node : TH_NONE);
    if (element->flow.is_pre != was_pre) {
        begin_pre(b);
        b->drops_newline = tag == TH_TAG_PRE || tag == TH_TAG_LISTING;
    }
}

/* Ends an element that is shown and not inline. */
static void end_flow(th_builder *b, uint32_t at)
{
    const th_open_element *element = &b->open.items[at];
    const th_flow *around = at ? &element[-1].flow : &element->flow;
    part_text(b, around, element->tag);
    th_flow_end(&b->paragraphs, &element->flow, element->tag);
    if (element->flow.is_pre != around->is_pre)
        th_text_keep_space(b->text, false);
}

/* Notes how new text is shown. */
static void note_text(th_builder *b, uint32_t start)
{
    const uint32_t anchor = b->open.last_of[TH_TAG_A];
    const uint32_t end = (uint32_t)th_text_solid(b->text);
    while (start + 1 < end && th_ascii_is_blank(b->text->text[start]))
        start++; /* styles begin with a character */
    th_inline_text(&b->inlines, &b->paragraphs, &th_open_top(&b->open)->flow, start,
                   anchor ? b->open.items[anchor].link : TH_NONE);
    if (b->inlines.status)
        fail(b, b->inlines.status);
}

/* Appends to the page's text. */
static void add_text(th_builder *b, const char *bytes, size_t len)
{
    const size_t before = th_text_solid(b->text);
    th_text_add(b->text, bytes, len, is_linked(b));
    if (th_text_solid(b->text) == before)
        return;
    text_came(b);
    if (b->inlines.is_wanted)
        note_text(b, (uint32_t)before);
}

/* Appends a formula. @param tex  nothing is appended if it is empty */
static void add_formula(th_builder *b, th_view tex, bool is_display, bool is_converted)
{
    th_view copy = th_formula_tex(b->arena, tex);
    if (!copy.data) {
        fail_arena(b);
        return;
    }
    if (!copy.len || b->status)
        return;
    const uint32_t at = (uint32_t)th_text_solid(b->text);
    const bool is_adjacent = at && at == b->formula_end;
    if (is_adjacent && th_view_same(copy, b->last_tex))
        return; /* the same again, for readers without MathML */
    if (is_adjacent && b->is_formula_converted && !is_converted)
        return; /* MathJax shows it, and then has it in TeX */
    const th_view mark = is_display ? TH_VIEW("$$") : TH_VIEW("$");
    const uint32_t anchor = b->open.last_of[TH_TAG_A];
    th_text_add(b->text, mark.data, mark.len, is_linked(b));
    th_text_add(b->text, copy.data, copy.len, is_linked(b));
    th_text_add(b->text, mark.data, mark.len, is_linked(b));
    text_came(b);
    const uint32_t end = (uint32_t)th_text_solid(b->text);
    uint32_t start = at;
    while (start < end && th_ascii_is_blank(b->text->text[start]))
        start++;
    if (b->inlines.is_wanted) {
        th_inline_text(&b->inlines, &b->paragraphs, &th_open_top(&b->open)->flow, start,
                       anchor ? b->open.items[anchor].link : TH_NONE);
        th_inline_math(&b->inlines, &b->paragraphs, copy, is_display, start, end);
    }
    b->last_tex = copy;
    b->formula_end = end;
    b->is_formula_converted = is_converted;
}

/* Ends a MATH that was shown. Its text comes before its node is closed. */
static void end_math(th_builder *b, uint32_t at)
{
    const th_view converted = th_mathml_finish(&b->math);
    if (b->math.out.has_failed || b->math.text.has_failed || b->math.tex.has_failed)
        fail(b, TH_NOMEM);
    const bool has_annotation = b->math.tex.len || b->math.is_text;
    if (b->math.is_text && !b->math_tex.len)
        b->is_math_display |= th_formula_is_display(converted);
    b->math_at = 0;
    if (b->hidden_at == at)
        b->hidden_at = hiding_above(b, at);
    if (b->hidden_at || b->status)
        return;
    if (b->math.tex.len || !b->math_tex.len)
        add_formula(b, converted, b->is_math_display, !has_annotation);
    else
        add_formula(b, b->math_tex, b->is_math_display, false);
    if (!converted.len && !b->math_tex.len) /* too long, or without a TeX equivalent */
        add_text(b, b->math.text.data, b->math.text.len);
    if (b->inlines.status)
        fail(b, b->inlines.status);
    if (b->text->status)
        fail(b, b->text->status);
}

/* Ends a script with TeX. */
static void end_tex_script(th_builder *b, uint32_t at)
{
    th_view text = th_buffer_view(&b->capture);
    text.len = th_utf8_valid(text.data, text.len);
    b->hidden_at = hiding_above(b, at);
    if (!b->hidden_at)
        add_formula(b, text, b->is_tex_display, false);
    if (b->inlines.status)
        fail(b, b->inlines.status);
}

/* Ends the text of an RT that begins with the bracket of begins_ruby. */
static void end_ruby(th_builder *b, const th_open_element *element)
{
    const size_t end = th_text_solid(b->text);
    if (!b->hidden_at && end > element->text_at + 1 &&
        b->text->text[element->text_at] == '(' && b->text->text[end - 1] != ')')
        th_text_add(b->text, ")", 1, is_linked(b));
}

static void end_structured(th_builder *b, uint32_t at)
{
    th_structured_end(b->structured, at);
    if (!th_is_inline(b->open.items[at].tag))
        th_structured_text(b->structured, " ", 1);
}

/* Ends what is read apart from the page's text, where its element ends. */
static void end_apart(th_builder *b, uint32_t at)
{
    if (b->math_at && at > b->math_at)
        th_mathml_end(&b->math);
    else if (b->math_at && at == b->math_at)
        end_math(b, at);
    if (b->capture_at == at && b->is_tex_captured && b->hidden_at == at)
        end_tex_script(b, at);
}

/* Ends an open element, at the top or in between others. */
__attribute__((always_inline)) static inline void leave_here(th_builder *b, uint32_t at)
{
    const th_open_element *element = &b->open.items[at];
    if (element->tag == TH_TAG_RT)
        end_ruby(b, element);
    if (b->math_at | b->capture_at)
        end_apart(b, at);
    if (element->is_textless)
        b->textless_count--;
    if (element->link != TH_NONE)
        close_link(b, element);
    if (element->mark)
        th_fact_marks_close(b->marks, element->mark, (uint32_t)th_text_solid(b->text));
    if (element->is_node)
        close_node(b, element);
    if (!th_is_inline(element->tag) && (!b->hidden_at || at < b->hidden_at))
        end_flow(b, at);
    if (b->inlines.is_wanted)
        th_inline_end(&b->inlines, element->tag);
    if (b->capture_at && b->capture_at == at)
        end_capture(b);
    if (b->wants_structured)
        end_structured(b, at);
    if (b->hidden_at == at)
        b->hidden_at = hiding_above(b, at);
}

/* The same, where it is rarer. */
APART static void leave(th_builder *b, uint32_t at)
{
    leave_here(b, at);
}

/* Closes elements until `keep` remain, then any that already ended. */
static void pop_to(th_builder *b, uint32_t keep)
{
    while (b->open.count > keep ||
           (b->open.count > 1 && th_open_top(&b->open)->is_ended)) {
        const th_open_element *top = th_open_top(&b->open);
        if (!top->is_ended)
            leave(b, b->open.count - 1);
        else if (top->is_node)
            close_node(b, top); /* its node ends after its descendants */
        th_open_pop(&b->open);
    }
}

/* Closes the innermost element, which has not ended, and then any that already ended. */
static inline void pop(th_builder *b)
{
    leave_here(b, b->open.count - 1);
    th_open_pop(&b->open);
    if (th_open_top(&b->open)->is_ended)
        pop_to(b, b->open.count);
}

/* ---- links and metadata ------------------------------------------------------------ */

/* Handles a NOTED start tag, other than its node. @return the link it opens, or
 * TH_NONE */
static uint32_t note_tag(th_builder *b, th_tag tag, const th_attribute *attrs,
                         size_t attr_count, uint64_t attr_bits)
{
    if (th_metadata_minds(tag, attr_bits))
        th_metadata_tag(b->metadata, tag, attrs, attr_count);
    if (b->wants_rights && attr_count)
        th_page_rights_tag(&b->rights, b->links.base.url, tag, attrs, attr_count);
    switch (tag) {
    case TH_TAG_A:
        return th_link_table_add(&b->links, attrs, attr_count);
    case TH_TAG_AREA:
        (void)th_link_table_add(&b->links, attrs, attr_count);
        break;
    case TH_TAG_BASE:
        th_link_table_base(&b->links, attrs, attr_count);
        break;
    case TH_TAG_META:
        if (b->page->hints)
            th_page_hints_meta(b->page->hints, b->arena, attrs, attr_count);
        break;
    default:
        break;
    }
    return TH_NONE;
}

/* Whether elements here are of a page that browsers do not show. */
static bool is_inert(const th_builder *b)
{
    return b->open.last_of[TH_TAG_TEMPLATE] || b->open.last_of[TH_TAG_NOSCRIPT];
}

/* Reads structured data of a start tag, before its element is opened. */
static void note_structured(th_builder *b, th_tag tag, const th_attribute *attrs,
                            size_t attr_count, unsigned opens)
{
    uint32_t at = TH_NONE;
    if (is_inert(b))
        return;
    if (!th_is_inline(tag))
        th_structured_text(b->structured, " ", 1);
    const bool is_element = opens & TH_OPENS_ELEMENT;
    if (!is_element && tag == TH_TAG_HTML)
        at = 0;
    else if (is_element && !(opens & TH_OPENS_EMPTY) && b->open.count < TH_OPEN_MAX)
        at = b->open.count;
    th_structured_start(b->structured, b->links.base.url, at, tag, attrs, attr_count);
}

/* Begins the text of a metadata element: the first TITLE, a SCRIPT of JSON-LD. */
static void begin_capture(th_builder *b, th_tag tag, const th_attribute *attrs,
                          size_t attr_count)
{
    const bool is_tex = tag == TH_TAG_SCRIPT && !b->open.last_of[TH_TAG_MATH] &&
                        th_formula_in_script(attrs, attr_count, &b->is_tex_display);
    b->has_tex |= tag == TH_TAG_SCRIPT && th_formula_script_renders(attrs, attr_count);
    if (!is_tex && (tag == TH_TAG_TITLE ? b->has_title
                                        : !th_metadata_wants_script(attrs, attr_count)))
        return;
    b->is_tex_captured = is_tex;
    b->has_title |= tag == TH_TAG_TITLE;
    b->capture_tag = tag;
    b->capture_at = b->open.count - 1;
}

/* ---- events ------------------------------------------------------------------------ */

/* Closes and opens elements when the parser has repaired the tree itself. */
static th_tree_step plain_start(const th_builder *b, th_tag tag)
{
    const unsigned kind = kind_of[tag];
    const bool stands = (kind & LASTING) && (tag == TH_TAG_HTML || b->open.last_of[tag]);
    return (th_tree_step){ .keep = b->open.count,
                           .is_element = !stands,
                           .stays_open = !(kind & VOID) };
}

static th_tree_step plain_end(const th_builder *b, th_tag tag)
{
    const uint32_t at = kind_of[tag] & (VOID | LASTING) ? 0 : b->open.last_of[tag];
    return (th_tree_step){ .keep = at ? at : b->open.count };
}

/* Ends an element among its descendants, and inline elements between them and it. */
static void end_among(th_builder *b, uint32_t at)
{
    uint32_t end = at;
    do {
        th_open_element *element = &b->open.items[end];
        if (!element->is_ended && !element->is_listed) {
            leave(b, end);
            element->is_ended = true;
        }
        end++;
    } while (end < b->open.count && !(b->open.items[end].kind & TH_ELEMENT_SPECIAL));
    th_open_unchain(&b->open, at, end);
}

static void close_some(th_builder *b, th_tag tag, const th_tree_step *step)
{
    if (step->unlists)
        th_formatting_drop(&b->open, th_formatting_find(&b->open, tag));
    if (step->ended) {
        work(b, (b->open.count - step->ended) / 16);
        if (step->ends_alone) {
            leave(b, step->ended);
            th_open_end(&b->open, step->ended);
        } else {
            end_among(b, step->ended);
        }
    }
    pop_to(b, step->keep);
}

/* Closes elements that a tag closes. Most start tags close none. */
static inline void close_elements(th_builder *b, th_tag tag, const th_tree_step *step)
{
    if (step->keep < b->open.count || step->ended || step->unlists)
        close_some(b, tag, step);
}

/* Opens an element without a tag in the source. */
static void open_implied(th_builder *b, th_tag tag)
{
    const uint32_t node = b->hidden_at ? TH_NONE : add_child(b, tag, false);
    const unsigned kind = th_light_tree_kind(tag);
    if (b->open.count >= TH_OPEN_MAX)
        return;
    if (tag == TH_TAG_TR || tag == TH_TAG_TBODY)
        push_table_part(b, tag, kind, node);
    else
        push(b, tag, 0, kind, node, TH_NONE);
    if (!b->hidden_at && !b->status && !th_is_inline(tag))
        begin_flow(b, &(th_class){ 0 }, NULL, 0);
}

/* Opens closed formatting elements again: the ones after the last that is open. */
static void reopen_formatting(th_builder *b, bool is_fostered)
{
    uint32_t first = b->open.formatting_count;
    while (first > b->open.section && b->open.formatting[first - 1].at == 0)
        first--;
    for (; first < b->open.formatting_count && b->open.count < TH_OPEN_MAX; first++) {
        th_formatting *item = &b->open.formatting[first];
        work(b, 1);
        const uint32_t node =
            b->hidden_at ? TH_NONE : add_child(b, item->tag, is_fostered);
        push(b, item->tag, 0, th_light_tree_kind(item->tag), node, TH_NONE);
        if (b->status)
            return;
        item->at = b->open.count - 1;
        th_open_top(&b->open)->is_listed = true;
        b->open.closed_count--;
        th_open_top(&b->open)->hides = item->hides;
        if (item->hides && !b->hidden_at)
            b->hidden_at = item->at;
        is_fostered = false;
    }
}

/* Opens elements that are implied before a tag's own element, or before text. */
static void open_implied_elements(th_builder *b, const th_tree_step *step)
{
    for (unsigned i = 0; i < step->implied_count; i++)
        open_implied(b, step->implied[i]);
}

/* Checks whether a hidden element has streamed content, or keeps its place. */
static void note_streamed(th_builder *b, th_tag tag, const th_attribute *attrs,
                          size_t attr_count)
{
    const th_attribute *id = th_attribute_find(attrs, attr_count, TH_VIEW("id"));
    if (id && tag == TH_TAG_TEMPLATE)
        b->has_stream_place |= th_is_stream_place_id(id->value);
    else if (id)
        b->has_streamed |= th_is_streamed_id(id->value);
}

/* Notes the innermost element if it may belong to a footnote. */
static void note_footnote(th_builder *b, th_tag tag, const th_attribute *attrs,
                          size_t attr_count)
{
    const uint32_t anchor = b->open.last_of[TH_TAG_A];
    th_note_tag(&b->notes, &b->paragraphs, tag, attrs, attr_count,
                (th_note_place){
                    .box = th_open_top(&b->open)->flow.box,
                    .link = anchor ? b->open.items[anchor].link : TH_NONE,
                    .is_in_sup = b->open.last_of[TH_TAG_SUP] != 0,
                });
}

/* Whether note_inline has an effect for a start tag. For most it has none. */
static inline bool minds_inline(const th_builder *b, th_tag tag, uint64_t attr_bits)
{
    return b->inlines.is_wanted &&
           (th_inline_minds(tag, attr_bits) || th_note_minds(tag, attr_bits));
}

/* Handles a start tag inside a paragraph. @param is_open  its element is the innermost */
static void note_inline(th_builder *b, th_tag tag, const th_attribute *attrs,
                        size_t attr_count, uint64_t attr_bits, bool is_open,
                        bool is_shown)
{
    th_open_element *top = th_open_top(&b->open);
    if (is_open && is_shown && th_note_minds(tag, attr_bits))
        note_footnote(b, tag, attrs, attr_count);
    if (!th_inline_minds(tag, attr_bits))
        return;
    const th_flow *around = is_open ? &top[-1].flow : &top->flow;
    th_inline_tag(&b->inlines, &b->paragraphs, &b->links,
                  is_open && is_shown ? &top->flow : NULL, around, tag, attrs, attr_count,
                  (uint32_t)th_text_solid(b->text), th_text_is_after_space(b->text));
}

/*
 * Whether hidden text of such an element is kept, if the options keep it. The element
 * must not be inline, or its name is not HTML's (a tab that scripts define).
 */
static inline bool may_hold_hidden(th_tag tag)
{
    return tag == TH_TAG_OTHER ||
           (th_boundaries[tag] != TH_INLINE && th_boundaries[tag] != TH_INLINE_REPLACED);
}

/* Whether a new element is furniture of the page. */
static inline bool furnishes(const th_builder *b, th_tag tag, th_class *class,
                             const th_attribute *attrs, size_t attr_count)
{
    const bool is_pre = th_open_top(&b->open)->flow.is_pre;
    return th_may_be_furniture(tag, th_class_first(class), is_pre) &&
           th_is_furniture(tag, class, attrs, attr_count, is_pre);
}

/* Whether a new element is a formula: MATH, SPAN or DIV. */
static inline bool is_formula(th_builder *b, th_tag tag, th_class *class,
                              const th_attribute *attrs, size_t attr_count,
                              uint64_t attr_bits)
{
    if (tag == TH_TAG_MATH)
        return true;
    const unsigned kind = th_formula_in_class(class);
    if (kind & TH_TEX_IS_TEXT)
        return true;
    b->has_tex |= kind & TH_TEX_WITHIN;
    return tag == TH_TAG_SPAN && th_formula_may_be_in_span(attr_bits) &&
           th_formula_in_span(attrs, attr_count);
}

/* Begins a formula in the innermost element. Its text is read separately from the
 * page's. */
static void begin_math(th_builder *b, th_class *class, const th_attribute *attrs,
                       size_t attr_count)
{
    b->math_at = b->open.count - 1;
    const bool is_math = th_open_top(&b->open)->tag == TH_TAG_MATH;
    b->math_tex = th_formula_in_math(b->arena, attrs, attr_count, &b->is_math_display);
    if (!b->math_tex.data)
        fail_arena(b);
    const unsigned kind = is_math || b->math_tex.len ? 0 : th_formula_in_class(class);
    if (kind & TH_TEX_IS_TEXT)
        b->is_math_display = kind & TH_TEX_DISPLAYED;
    th_mathml_begin(&b->math, !is_math);
}

/* Returns the kind of fact that the element's text may state, or 0. A menu states
 * none. */
static inline uint32_t open_fact(th_builder *b, th_tag tag, th_class *class,
                                 const th_attribute *attrs, size_t attr_count,
                                 uint64_t attr_bits)
{
    const uint32_t text_at = (uint32_t)th_text_solid(b->text);
    if (!th_fact_may_be(b->marks, tag, attr_bits, text_at) || b->textless_count ||
        b->open.last_of[TH_TAG_NAV])
        return 0;
    const uint32_t class_roles =
        th_fact_asks_class(b->marks, tag, text_at) ? th_roles_in_class(class) : 0;
    if (!class_roles && !th_fact_has_more(tag, attr_bits))
        return 0;
    return th_fact_marks_open(b->marks, tag, attrs, attr_count, class_roles, text_at);
}

/* Whether an INPUT is the checkbox of a task, with which a list item begins. */
static bool is_task(const th_builder *b, const th_attribute *attrs, size_t attr_count)
{
    const th_attribute *type = th_attribute_find(attrs, attr_count, TH_VIEW("type"));
    const th_open_element *top = th_open_top(&b->open);
    return type && th_ascii_is(th_ascii_trimmed(type->value), "checkbox") &&
           top->flow.kind == TH_PARAGRAPH_ITEM && b->paragraphs.part >= TH_BLOCK &&
           th_attribute_find(attrs, attr_count, TH_VIEW("disabled"));
}

/* Notes an element with a node if it may be part of a set of tabs. */
static inline void note_tab(th_builder *b, th_tag tag, const th_attribute *attrs,
                            size_t attr_count, uint64_t attr_bits, uint32_t node,
                            uint32_t link)
{
    if (b->inlines.is_wanted && node != TH_NONE && th_tab_minds(tag, attr_bits))
        th_tab_tag(&b->tabs, &b->paragraphs, tag, attrs, attr_count,
                   (th_tab_place){ .node = node,
                                   .link = link,
                                   .box = th_open_top(&b->open)->flow.box,
                                   .is_in_form = b->open.last_of[TH_TAG_FORM] });
}

/* Handles an element that ends with its start tag. */
static inline void note_void(th_builder *b, th_tag tag, const th_attribute *attrs,
                             size_t attr_count, uint64_t attr_bits)
{
    if (b->hidden_at)
        return;
    th_view tex;
    bool is_display;
    if (tag == TH_TAG_IMG && attr_count &&
        th_formula_in_image(attrs, attr_count, &tex, &is_display)) {
        add_formula(b, tex, is_display, false);
        return;
    }
    th_view emoji;
    if (tag == TH_TAG_IMG && attr_count &&
        (attr_bits & th_attribute_bit(TH_VIEW("class"))) &&
        th_is_emoji(attrs, attr_count, &emoji)) {
        add_text(b, emoji.data, emoji.len);
        return;
    }
    if (tag == TH_TAG_INPUT && attr_count && is_task(b, attrs, attr_count)) {
        const bool is_done =
            th_attribute_find(attrs, attr_count, TH_VIEW("checked")) != NULL;
        add_text(b, is_done ? "[x]" : "[ ]", 3);
        th_text_blank(b->text);
        return;
    }
    if (!th_is_inline(tag))
        part_text(b, &th_open_top(&b->open)->flow, tag);
    if (b->inlines.is_wanted && tag == TH_TAG_IMG)
        note_inline(b, tag, attrs, attr_count, attr_bits, false, true);
}

/* Notes the node of a link. Links and their nodes come in the same order. */
static void note_link_node(th_builder *b, uint32_t link, uint32_t node)
{
    for (; b->link_node_count <= link; b->link_node_count++) {
        if (!TH_TABLE_HAS_ROOM(b->link_nodes, b->link_node_count, b->link_node_capacity,
                               b->status))
            return;
        b->link_nodes[b->link_node_count] = TH_NONE; /* AREA and others without a node */
    }
    b->link_nodes[link] = node;
}

/* Returns the class of a start tag. */
static inline th_class class_of(th_builder *b, const th_attribute *attrs,
                                size_t attr_count, uint64_t attr_bits)
{
    const th_attribute *found = NULL;
    if (attr_bits & th_attribute_bit(TH_VIEW("class")))
        found = th_attribute_find(attrs, attr_count, TH_VIEW("class"));
    return found && found->value.len
               ? (th_class){ .words = found->value, .memo = &b->class_memo }
               : (th_class){ 0 };
}

/* Whether an element hides by its attributes. */
static inline bool hides_itself(const th_attribute *attrs, size_t attr_count,
                                uint64_t attr_bits, unsigned kind)
{
    return th_names_may_hide(attr_bits) && !(kind & (TEXTLESS | LASTING)) &&
           th_attributes_hide(attrs, attr_count);
}

/* Puts an element on the stack. @return false without memory */
static inline bool place_element(th_builder *b, th_tag tag, uint32_t node, uint32_t link,
                                 uint32_t mark, unsigned how, unsigned opens, bool hides)
{
    if ((kind_of[tag] & PART) && b->has_light_tree)
        push_table_part(b, tag, (uint8_t)opens, node);
    else
        push(b, tag, how >> TH_TAG_NAME_SHIFT, (uint8_t)opens, node, link);
    if (b->status)
        return false;
    if ((opens & TH_OPENS_LISTED) && !th_formatting_add(&b->open, hides)) {
        fail(b, TH_NOMEM);
        return false;
    }
    th_open_top(&b->open)->mark = mark;
    return true;
}

/* Opens an element for which is_usual is false. */
// NOLINTNEXTLINE(readability-function-cognitive-complexity): a short case per kind of tag
APART static void open_special(th_builder *b, th_tag tag, th_class *class,
                               const th_attribute *attrs, size_t attr_count,
                               uint64_t attr_bits, unsigned how, unsigned opens,
                               uint32_t node, uint32_t link, uint32_t mark)
{
    const unsigned kind = kind_of[tag];
    const bool was_hidden = b->hidden_at;
    const bool is_in_textless = b->textless_count;
    const bool is_unseen = hides_itself(attrs, attr_count, attr_bits, kind);
    const bool is_kept = is_unseen && b->keeps_hidden && !was_hidden &&
                         may_hold_hidden(tag) &&
                         th_hidden_may_be_content(tag, attrs, attr_count);
    const bool is_math = (kind & FORMULA) && !was_hidden && !is_unseen &&
                         is_formula(b, tag, class, attrs, attr_count, attr_bits);
    const bool is_furniture =
        (kind & FURNITURE) && !was_hidden && furnishes(b, tag, class, attrs, attr_count);
    const bool hides =
        (kind & TEXTLESS) || (is_unseen && !is_kept) || is_math || is_furniture;
    /* The last place on the stack is reserved for an element that must be kept. */
    if (b->open.count >= TH_OPEN_MAX &&
        (b->open.count > TH_OPEN_MAX || was_hidden || !hides)) {
        if (!was_hidden)
            b->flags |= TH_FLAG_DEPTH_CUT;
        return;
    }
    if (!place_element(b, tag, node, link, mark, how, opens, hides))
        return;
    th_open_element *const element = th_open_top(&b->open);
    element->hides = hides;
    if (is_furniture) { /* never TEXTLESS */
        element->is_textless = true;
        b->textless_count++;
    }
    if (b->math_at)
        th_mathml_start(&b->math, tag, how >> TH_TAG_NAME_SHIFT, attrs, attr_count);
    else if (is_math)
        begin_math(b, class, attrs, attr_count);
    if ((hides || is_unseen) && (tag == TH_TAG_TEMPLATE || tag == TH_TAG_DIV))
        note_streamed(b, tag, attrs, attr_count);
    if (was_hidden) {
        /* nothing of it is shown */
    } else if (hides) {
        b->hidden_at = b->open.count - 1;
    } else if (!th_is_inline(tag)) {
        begin_flow(b, class, attrs, attr_count);
    }
    if (is_kept)
        element->flow.is_hidden = true;
    if (minds_inline(b, tag, attr_bits) && !is_in_textless && !(kind & TEXTLESS))
        note_inline(b, tag, attrs, attr_count, attr_bits, true, !was_hidden && !hides);
    if (!hides)
        note_tab(b, tag, attrs, attr_count, attr_bits, node, link);
    if ((kind & CAPTURED) && !is_in_textless)
        begin_capture(b, tag, attrs, attr_count);
}

/* Whether a new element is shown, and not a formula, furniture or metadata. Most are so. */
static inline bool is_usual(th_builder *b, th_tag tag, th_class *class,
                            const th_attribute *attrs, size_t attr_count,
                            uint64_t attr_bits)
{
    const unsigned kind = kind_of[tag];
    return !b->hidden_at && !b->math_at && !(kind & (TEXTLESS | CAPTURED)) &&
           b->open.count < TH_OPEN_MAX &&
           !hides_itself(attrs, attr_count, attr_bits, kind) &&
           !((kind & FORMULA) &&
             is_formula(b, tag, class, attrs, attr_count, attr_bits)) &&
           !((kind & FURNITURE) && furnishes(b, tag, class, attrs, attr_count));
}

/* Opens the element of a start tag: its node, and its place among the open ones. @param
 * opens  TH_OPENS_... */
// NOLINTNEXTLINE(readability-function-cognitive-complexity): a short case per kind of tag
static inline void open_element(th_builder *b, th_tag tag, const th_attribute *attrs,
                                size_t attr_count, uint64_t attr_bits, unsigned how,
                                unsigned opens)
{
    const unsigned kind = kind_of[tag];
    const bool is_in_textless = b->textless_count;
    uint32_t link = TH_NONE;
    if ((kind & NOTED) && !is_in_textless)
        link = note_tag(b, tag, attrs, attr_count, attr_bits);
    if (b->wants_structured)
        note_structured(b, tag, attrs, attr_count, opens);
    if (!(opens & TH_OPENS_ELEMENT))
        return;
    th_class class = class_of(b, attrs, attr_count, attr_bits);
    const uint32_t mark = open_fact(b, tag, &class, attrs, attr_count, attr_bits);
    const uint32_t node =
        b->hidden_at ? TH_NONE : add_child(b, tag, opens & TH_OPENS_FOSTERED);
    if (b->classes.is_wanted && node != TH_NONE) {
        if ((class.words.len || th_names_may_have_words(attr_bits)) &&
            !th_class_table_repeat(&b->classes, node, &class, attr_bits))
            th_class_table_add(&b->classes, node, &class, attrs, attr_count, attr_bits);
        if (attr_bits & TH_VALUE_NAMES)
            th_node_values_add(&b->values, node, tag, attrs, attr_count);
    }
    if (link != TH_NONE && b->classes.is_wanted)
        note_link_node(b, link, node);
    if (opens & TH_OPENS_EMPTY) {
        if (b->math_at) {
            th_mathml_start(&b->math, tag, how >> TH_TAG_NAME_SHIFT, attrs, attr_count);
            th_mathml_end(&b->math);
        }
        note_void(b, tag, attrs, attr_count, attr_bits);
        note_tab(b, tag, attrs, attr_count, attr_bits, node, TH_NONE);
        return;
    }
    if (!is_usual(b, tag, &class, attrs, attr_count, attr_bits)) {
        open_special(b, tag, &class, attrs, attr_count, attr_bits, how, opens, node, link,
                     mark);
        return;
    }
    if (!place_element(b, tag, node, link, mark, how, opens, false))
        return;
    if (!th_is_inline(tag))
        begin_flow(b, &class, attrs, attr_count);
    if (minds_inline(b, tag, attr_bits) && !is_in_textless)
        note_inline(b, tag, attrs, attr_count, attr_bits, true, true);
    note_tab(b, tag, attrs, attr_count, attr_bits, node, link);
}

/* Handles a start tag by its rule, up to its own element. @return what it opens */
APART static unsigned start_by_rule(th_builder *b, th_tag tag, const th_attribute *attrs,
                                    size_t attr_count, unsigned how)
{
    const bool is_self_closing = how & TH_TAG_SELF_CLOSING;
    th_tree_step step;
    if (b->has_light_tree) {
        step = th_light_tree_start(&b->open, tag, attrs, attr_count, is_self_closing);
        if (step.is_asked_again) {
            pop_to(b, step.keep);
            step = th_light_tree_start(&b->open, tag, attrs, attr_count, is_self_closing);
        }
    } else {
        step = plain_start(b, tag);
    }
    b->open.has_form = step.has_form;
    close_elements(b, tag, &step);
    if (!b->hidden_at && !(how & TH_TAG_IMPLIED))
        add_gap_tag(b, tag, 0);
    open_implied_elements(b, &step);
    return th_tree_opening(&step);
}

void th_builder_start_tag(th_builder *b, th_tag tag, const th_attribute *attrs,
                          size_t attr_count, uint64_t attr_bits, unsigned how)
{
    work(b, 1);
    settle_text(b);
    b->drops_newline = false;
    if (b->status)
        return;
    unsigned opens = b->has_light_tree ? th_light_tree_plain_start(&b->open, tag) : 0;
    if (!opens)
        opens = start_by_rule(b, tag, attrs, attr_count, how);
    else if (!b->hidden_at && !(how & TH_TAG_IMPLIED))
        add_gap_tag(b, tag, 0);
    if ((opens & TH_OPENS_AGAIN) && b->open.closed_count)
        reopen_formatting(b, th_light_tree_is_in_table(&b->open));
    open_element(b, tag, attrs, attr_count, attr_bits, how, opens);
}

/* Ends the innermost element. */
static inline void end_top(th_builder *b)
{
    if (th_open_top(&b->open)->is_listed) /* it is the last */
        th_formatting_drop(&b->open, &b->open.formatting[b->open.formatting_count - 1]);
    pop(b);
}

/* Closes the elements that an end tag closes. */
static void end_elements(th_builder *b, th_tag tag, uint32_t name)
{
    th_tree_step step;
    if (b->has_light_tree) {
        step = th_light_tree_end(&b->open, tag, name);
        if (step.is_asked_again) {
            pop_to(b, step.keep);
            step = th_light_tree_end(&b->open, tag, name);
        }
    } else {
        step = plain_end(b, tag);
    }
    b->open.has_form = step.has_form;
    close_elements(b, tag, &step);
}

void th_builder_end_tag(th_builder *b, th_tag tag, unsigned how)
{
    work(b, 1);
    settle_text(b);
    if (b->status)
        return;
    const uint32_t was_hidden_at = b->hidden_at;
    b->drops_newline = false;
    if (b->has_light_tree &&
        th_light_tree_ends_top(&b->open, tag, how >> TH_TAG_NAME_SHIFT))
        end_top(b);
    else
        end_elements(b, tag, how >> TH_TAG_NAME_SHIFT);
    const bool stays_hidden = was_hidden_at && b->hidden_at == was_hidden_at;
    if (!stays_hidden && !(how & TH_TAG_IMPLIED))
        add_gap_tag(b, tag, TH_GAP_END);
    /* Without their elements, these end tags make an empty element. */
    if (!b->hidden_at && (tag == TH_TAG_BR || tag == TH_TAG_P))
        part_text(b, &th_open_top(&b->open)->flow, tag);
}

/* Opens elements that tags have left to text: BODY, and formatting that a block's end
 * closed. */
APART static void prepare_for_text(th_builder *b, const char *bytes, size_t len)
{
    const th_tree_step step =
        th_light_tree_text(&b->open, th_ascii_all_blank(bytes, len));
    pop_to(b, step.keep);
    open_implied_elements(b, &step);
    if (step.reopens && b->open.closed_count)
        reopen_formatting(b, th_light_tree_is_in_table(&b->open));
}

/* Whether a text is not part of the page's text: whitespace between lines of code, or the
 * symbol with which a link leads to its own place. */
static bool is_dropped(const th_builder *b, const char *bytes, size_t len)
{
    enum { SIGN_MAX = 8, NOTE_MAX = 64 };
    const th_open_element *top = th_open_top(&b->open);
    if (top->is_code)
        return th_ascii_all_blank(bytes, len);
    const uint32_t anchor = b->open.last_of[TH_TAG_A];
    if (!anchor || len > NOTE_MAX)
        return false;
    if (th_is_link_note((th_view){ bytes, len }))
        return true;
    if (len > SIGN_MAX)
        return false;
    const uint8_t kind = top->flow.kind;
    return th_is_permalink_sign((th_view){ bytes, len }, kind == TH_PARAGRAPH_HEADING ||
                                                             kind == TH_PARAGRAPH_TERM) &&
           th_link_leads_within(&b->links, b->open.items[anchor].link);
}

/* Whether a text at the beginning of a SUP is the exponent of a number or variable right
 * before it, and not a note's mark, an ordinal or a trademark. */
static bool is_exponent(const th_builder *b, const char *bytes, size_t len)
{
    const th_open_element *sup = th_open_top(&b->open);
    const size_t end = th_text_solid(b->text);
    if (end != sup->text_at || !end || b->text->tail || th_text_is_after_space(b->text) ||
        b->paragraphs.part != TH_INLINE || b->paragraphs.count == 0)
        return false;
    const uint32_t start = b->paragraphs.rows[b->paragraphs.count - 1].text_start;
    return th_is_exponent((th_view){ b->text->text + start, end - start },
                          (th_view){ bytes, len });
}

/* Whether a text begins an RT directly after its base, which no RP separates. */
static bool begins_ruby(const th_builder *b)
{
    static const char *const open[] = { "(", "\xEF\xBC\x88", "\xE3\x80\x8A",
                                        "\xE3\x80\x90" }; /* also wide brackets */
    const size_t end = th_text_solid(b->text);
    if (end != th_open_top(&b->open)->text_at || !end || b->text->tail ||
        th_text_is_after_space(b->text))
        return false;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        const size_t len = strlen(open[i]);
        if (end >= len && memcmp(b->text->text + end - len, open[i], len) == 0)
            return false;
    }
    return true;
}

/* Handles a text that is not shown. It may be metadata or a formula. */
APART static void add_hidden_text(th_builder *b, const char *bytes, size_t len)
{
    if (b->math_at) {
        th_mathml_text(&b->math, bytes, len);
        return;
    }
    if (b->capture_at && b->capture.len < CAPTURE_MAX)
        th_buffer_append(
            &b->capture, bytes,
            len < CAPTURE_MAX - b->capture.len ? len : CAPTURE_MAX - b->capture.len);
    if (!b->textless_count && !(b->flags & TH_FLAG_HIDDEN_TEXT) &&
        !th_ascii_all_blank(bytes, len))
        b->flags |= TH_FLAG_HIDDEN_TEXT;
}

/* Handles a text that is shown and that is not only whitespace, or whitespace that is
 * kept. */
APART static void add_shown_text(th_builder *b, const char *bytes, size_t len)
{
    if (is_dropped(b, bytes, len))
        return;
    const size_t before = th_text_solid(b->text);
    const th_tag tag = th_open_top(&b->open)->tag;
    if (tag == TH_TAG_SUP && is_exponent(b, bytes, len))
        th_text_add(b->text, "^", 1, is_linked(b));
    if (tag == TH_TAG_RT && !th_ascii_all_blank(bytes, len) && begins_ruby(b))
        th_text_add(b->text, "(", 1, is_linked(b));
    th_text_add(b->text, bytes, len, is_linked(b));
    if (th_text_solid(b->text) != before) {
        text_came(b);
        if (b->keeps_hidden && th_open_top(&b->open)->flow.is_hidden)
            b->flags |= TH_FLAG_HIDDEN_TEXT;
        if (b->inlines.is_wanted)
            note_text(b, (uint32_t)before);
    }
    if (b->text->status)
        fail(b, b->text->status);
}

/* Handles a text that is shown. */
static inline void add_page_text(th_builder *b, const char *bytes, size_t len)
{
    /* Most texts are the whitespace between two tags. */
    const bool is_blank = len && th_ascii_is_blank(*bytes) &&
                          th_ascii_blank_len((const unsigned char *)bytes, len) == len;
    if (!is_blank || b->text->keeps_space || th_text_is_cut(b->text))
        add_shown_text(b, bytes, len);
    else if (!th_open_top(&b->open)->is_code)
        th_text_blank(b->text);
}

/* Handles a text after which the clock is due, or that may have other effects. */
APART static void add_special_text(th_builder *b, const char *bytes, size_t len)
{
    work(b, 0);
    if (b->status)
        return;
    if (!b->hidden_at && b->has_light_tree && th_light_tree_minds_text(&b->open)) {
        prepare_for_text(b, bytes, len); /* what hides may open again */
        if (b->status)
            return;
    }
    if (b->wants_structured && !b->open.last_of[TH_TAG_SCRIPT] &&
        !b->open.last_of[TH_TAG_STYLE] && !is_inert(b))
        th_structured_text(b->structured, bytes, len);
    if (b->hidden_at) {
        add_hidden_text(b, bytes, len);
        return;
    }
    if (b->drops_newline && len) {
        b->drops_newline = false;
        const bool is_newline = *bytes == '\n';
        bytes += is_newline;
        len -= is_newline;
    }
    add_page_text(b, bytes, len);
}

/* Its calls are its last steps, so it saves no registers. */
void th_builder_text(th_builder *b, const char *bytes, size_t len)
{
    b->work_left -= (int64_t)(1 + len / 64);
    if (b->work_left < 0 || b->status || b->hidden_at || b->drops_newline ||
        b->wants_structured || th_light_tree_minds_text(&b->open))
        add_special_text(b, bytes, len);
    else
        add_page_text(b, bytes, len);
}

bool th_builder_has_streamed(const th_builder *b)
{
    return b->has_streamed && b->has_stream_place;
}

void th_builder_flag(th_builder *b, uint32_t flag)
{
    b->flags |= flag;
}

void th_builder_work(th_builder *b, size_t units)
{
    work(b, units);
}

th_status th_builder_status(const th_builder *b)
{
    return b->status;
}

const th_status *th_builder_status_place(const th_builder *b)
{
    return &b->status;
}

/* ---- beginning and end of a page --------------------------------------------------- */

th_builder *th_builder_new(const th_options *opt)
{
    th_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->opt = opt;
    b->text = th_text_new(opt->w_max);
    if (!b->text) {
        free(b);
        return NULL;
    }
    return b;
}

void th_builder_free(th_builder *b)
{
    if (!b)
        return;
    th_text_free(b->text);
    free(b->blocks);
    free(b->nodes);
    free(b->gap_tags);
    th_open_elements_done(&b->open);
    th_link_table_done(&b->links);
    th_paragraph_table_done(&b->paragraphs);
    th_inline_table_done(&b->inlines);
    th_class_table_done(&b->classes);
    th_node_values_done(&b->values);
    free(b->link_nodes);
    th_note_table_done(&b->notes);
    th_tab_table_done(&b->tabs);
    th_buffer_done(&b->capture);
    th_mathml_done(&b->math);
    th_structured_free(b->structured);
    free(b);
}

/* Allocates the page. The status has the reason if it fails. */
static void *page_memory(th_builder *b, size_t size)
{
    void *memory = th_arena_alloc(b->arena, size);
    if (!memory)
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
    return memory;
}

/* Opens the root, which exists whether or not the document has an HTML tag. */
static void open_root(th_builder *b)
{
    if (!HAS_ROOM(b, nodes, node))
        return;
    b->nodes[b->node_count++] = (th_node){ .parent = TH_NONE, .tag = TH_TAG_HTML };
    th_open_element *root =
        th_open_push(&b->open, TH_TAG_HTML, 0, th_light_tree_kind(TH_TAG_HTML));
    if (!root) {
        fail(b, TH_NOMEM);
        return;
    }
    root->link = TH_NONE;
    root->is_node = true;
    root->flow = th_flow_root();
}

void th_builder_use_light_tree(th_builder *b)
{
    b->has_light_tree = true;
}

void th_builder_set_quirks(th_builder *b, bool has_quirks)
{
    b->open.has_quirks = has_quirks;
}

bool th_builder_is_foreign(const th_builder *b)
{
    return th_light_tree_is_foreign(&b->open);
}

bool th_builder_starts_html(const th_builder *b)
{
    return th_light_tree_is_html(&b->open);
}

bool th_builder_has_open(const th_builder *b, th_tag tag)
{
    return b->open.last_of[tag];
}

th_status th_builder_begin(th_builder *b, th_arena *arena, const th_document *document)
{
    b->blocks = kept(b->blocks, &b->block_capacity, sizeof *b->blocks);
    b->nodes = kept(b->nodes, &b->node_capacity, sizeof *b->nodes);
    b->gap_tags = kept(b->gap_tags, &b->gap_tag_capacity, sizeof *b->gap_tags);
    th_text_reset(b->text);
    th_buffer_reset(&b->capture);
    b->arena = arena;
    b->url = document->url;
    b->has_light_tree = false;
    b->flags = 0;
    b->status = TH_OK;
    b->block_count = b->node_count = b->gap_tag_count = 0;
    th_open_elements_reset(&b->open);
    th_link_table_begin(&b->links, arena, document->url, b->opt->max_links);
    th_paragraph_table_reset(&b->paragraphs);
    th_inline_table_begin(&b->inlines, arena,
                          strcmp(b->opt->text_format, th_text_formats[0]) != 0);
    th_class_memo_begin(&b->class_memo);
    th_class_table_begin(&b->classes, b->opt->reads & TH_READS_CLASSES);
    th_node_values_begin(&b->values, arena);
    b->link_node_count = 0;
    b->keeps_hidden = b->opt->reads & TH_READS_HIDDEN;
    b->wants_rights = b->opt->reads & TH_READS_RIGHTS;
    b->wants_structured = b->opt->reads & TH_READS_STRUCTURED;
    if (b->wants_structured && !b->structured)
        b->structured = th_structured_new();
    if (b->wants_structured && b->structured)
        th_structured_begin(b->structured, arena);
    else if (b->wants_structured)
        fail(b, TH_NOMEM);
    th_note_table_begin(&b->notes, arena);
    th_tab_table_begin(&b->tabs, arena);
    b->is_tex_captured = false;
    b->math_at = b->formula_end = 0;
    b->last_tex = b->math_tex = (th_view){ "", 0 };
    b->has_tex = b->is_formula_converted = false;
    b->drops_newline = false;
    b->gap_start = 0;
    b->is_gap = false;
    b->hidden_at = 0;
    b->textless_count = 0;
    b->has_streamed = b->has_stream_place = false;
    b->capture_at = 0;
    b->has_title = false;
    b->work_left = WORK_UNITS;
    b->deadline_ns = b->opt->page_ms ? cpu_ns() + b->opt->page_ms * UINT64_C(1000000) : 0;
    b->page = page_memory(b, sizeof *b->page);
    if (b->page) {
        *b->page = (th_page){ .arena = arena, .main_segment = TH_NONE };
        b->metadata = th_metadata_begin(arena);
        th_page_rights_begin(&b->rights, arena);
        if (b->opt->reads & TH_READS_HINTS)
            b->page->hints = th_page_hints_begin(arena, document->url);
        if (!b->metadata || ((b->opt->reads & TH_READS_HINTS) && !b->page->hints))
            fail(b, th_arena_is_full(arena) ? TH_TOO_LARGE : TH_NOMEM);
        else
            b->marks = th_metadata_marks(b->metadata);
        b->values.hints = b->page->hints;
    }
    open_root(b);
    return b->status;
}

static void *copied(th_builder *b, const void *items, size_t size)
{
    void *copy = page_memory(b, size);
    if (copy && size)
        memcpy(copy, items, size);
    return copy;
}

/* Prefix sums over the blocks, so that the density of any range is O(1). */
static void sum_up(th_builder *b, th_page *page)
{
    const size_t size = (b->block_count + (size_t)1) * sizeof(uint32_t);
    uint32_t *tokens = page_memory(b, size);
    uint32_t *linked = page_memory(b, size);
    uint32_t *lines = page_memory(b, size);
    if (!tokens || !linked || !lines)
        return;
    tokens[0] = linked[0] = lines[0] = 0;
    for (uint32_t i = 0; i < b->block_count; i++) {
        tokens[i + 1] = tokens[i] + b->blocks[i].tokens;
        linked[i + 1] = linked[i] + b->blocks[i].linked_tokens;
        lines[i + 1] = lines[i] + b->blocks[i].lines;
    }
    page->tokens_before = tokens;
    page->linked_before = linked;
    page->lines_before = lines;
}

/* Returns how far the content of a paragraph has moved now that the text is printed. */
static uint32_t moved(const th_builder *b, const th_text_place *places,
                      uint32_t paragraph)
{
    return places[paragraph].bytes - b->paragraphs.rows[paragraph].text_start;
}

/* Moves an anchor to the printed text. It may end in another paragraph. */
static void move_anchor(const th_builder *b, const th_text_place *places, th_link *link)
{
    const uint32_t last = link->anchor_start + link->anchor_len - 1;
    const uint32_t first_paragraph = b->blocks[link->block].paragraph;
    const th_paragraph *row = &b->paragraphs.rows[first_paragraph];
    link->anchor_start += moved(b, places, first_paragraph);
    const uint32_t last_paragraph = last < row->text_start + row->text_len
                                        ? first_paragraph
                                        : b->blocks[block_at(b, last)].paragraph;
    link->anchor_len = last + moved(b, places, last_paragraph) - link->anchor_start + 1;
}

static void move_paragraph(th_page *page, uint32_t number, const th_text_place *place)
{
    th_paragraph *paragraph = &page->paragraphs[number];
    const uint32_t bytes = place->bytes - paragraph->text_start;
    const uint32_t chars = place->chars - paragraph->char_start;
    for (uint32_t k = paragraph->first_block; k < paragraph->end_block; k++) {
        page->blocks[k].text_start += bytes;
        page->blocks[k].char_start += chars;
    }
    paragraph->text_start = place->bytes;
    paragraph->char_start = place->chars;
}

/* Prints the text as it is read, and updates all positions in it. */
static void print_text(th_builder *b, th_page *page)
{
    th_text_place *places = page_memory(b, b->paragraphs.count * sizeof *places);
    if (!places)
        return;
    page->text = (th_view){ b->text->text, th_text_solid(b->text) };
    page->text = th_page_print(page, NULL, places, &page->text_chars);
    if (!page->text.data) {
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
        return;
    }
    for (uint32_t i = 0; i < page->link_count; i++)
        if (page->links[i].anchor_len)
            move_anchor(b, places, &page->links[i]);
    for (uint32_t i = 0; i < page->run_count; i++)
        page->runs[i].start += moved(b, places, page->runs[i].paragraph);
    for (uint32_t i = 0; i < page->inset_count; i++)
        if (page->insets[i].paragraph < page->paragraph_count)
            page->insets[i].start += moved(b, places, page->insets[i].paragraph);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        move_paragraph(page, i, &places[i]);
}

/* Moves values to the page if the words of classes are read. */
static void take_values(th_builder *b, th_page *page)
{
    page->node_values =
        copied(b, b->values.rows, b->values.count * sizeof *b->values.rows);
    page->node_value_count = b->values.count;
    page->link_nodes = page_memory(b, b->links.count * sizeof *b->link_nodes);
    for (uint32_t i = 0; page->link_nodes && i < b->links.count; i++)
        page->link_nodes[i] = i < b->link_node_count ? b->link_nodes[i] : TH_NONE;
}

/* Weighs the metadata. Called before the text is printed, which moves the paragraphs. */
static void take_metadata(th_builder *b, th_page *page)
{
    const th_metadata_page facts = { .url = b->url,
                                     .base = b->links.base.url,
                                     .text = { b->text->text, th_text_solid(b->text) },
                                     .paragraphs = page->paragraphs,
                                     .paragraph_count = page->paragraph_count,
                                     .keeps_weak = b->opt->weak_facts };
    th_metadata_finish(b->metadata, &facts, &page->metadata);
}

th_status th_builder_finish(th_builder *b, th_page **page)
{
    settle_text(b);
    if (!b->status && b->math_at) /* the formula is text */
        pop_to(b, b->math_at);
    if (!b->status && b->capture_at && b->is_tex_captured)
        pop_to(b, b->capture_at);
    while (!b->status && b->open.last_of[TH_TAG_RT]) /* its bracket is text */
        pop_to(b, b->open.last_of[TH_TAG_RT]);
    if (!b->status && b->text->is_open)
        th_text_close(b->text, &b->blocks[b->block_count - 1]);
    if (b->text->status)
        fail(b, b->text->status);
    if (!b->status)
        pop_to(b, 0);
    fail(b, b->links.status);
    if (b->status)
        return b->status;
    th_paragraph_table_finish(&b->paragraphs, b->blocks);
    th_inline_table_finish(&b->inlines, &b->paragraphs, b->text->text);
    fail(b, b->inlines.status);
    fail(b, b->classes.status);
    fail(b, b->values.status);
    uint32_t note_link_count;
    th_note_link *note_links = th_note_table_finish(&b->notes, &b->paragraphs, &b->links,
                                                    b->text->text, &note_link_count);
    fail(b, b->notes.status);
    uint32_t tab_count;
    th_tab *tabs = th_tab_table_finish(&b->tabs, &b->paragraphs, b->nodes, b->node_count,
                                       &tab_count);
    fail(b, b->tabs.status);
    if (b->status)
        return b->status;
    th_page *built = b->page;
    built->blocks = copied(b, b->blocks, b->block_count * sizeof *b->blocks);
    built->block_count = b->block_count;
    built->gap_tags = copied(b, b->gap_tags, b->gap_start * sizeof *b->gap_tags);
    built->gap_tag_count = b->gap_start;
    built->nodes = copied(b, b->nodes, b->node_count * sizeof *b->nodes);
    built->node_count = b->node_count;
    built->links = copied(b, b->links.links, b->links.count * sizeof *b->links.links);
    built->link_count = b->links.count;
    built->paragraphs =
        copied(b, b->paragraphs.rows, b->paragraphs.count * sizeof *b->paragraphs.rows);
    built->paragraph_count = b->paragraphs.count;
    built->boxes = copied(b, b->paragraphs.boxes,
                          b->paragraphs.box_count * sizeof *b->paragraphs.boxes);
    built->box_count = b->paragraphs.box_count;
    const th_inline_table *inlines = &b->inlines;
    built->runs = copied(b, inlines->runs, inlines->run_count * sizeof *built->runs);
    built->run_count = inlines->run_count;
    built->insets =
        copied(b, inlines->insets, inlines->inset_count * sizeof *built->insets);
    built->inset_count = inlines->inset_count;
    built->code_languages = copied(
        b, inlines->languages, inlines->language_count * sizeof *built->code_languages);
    built->code_language_count = inlines->language_count;
    built->alignments = copied(b, inlines->alignments,
                               inlines->alignment_count * sizeof *built->alignments);
    built->alignment_count = inlines->alignment_count;
    if (th_class_table_finish(&b->classes, built) != TH_OK)
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
    if (b->classes.is_wanted)
        take_values(b, built);
    built->has_tex = b->has_tex;
    built->note_links = note_links;
    built->note_link_count = note_link_count;
    built->tabs = tabs;
    built->tab_count = tab_count;
    built->rights = b->rights.list.rows;
    built->right_count = b->rights.list.count;
    built->flags = b->flags | b->links.flags | b->rights.list.flags;
    if (b->wants_structured)
        built->structured =
            th_structured_finish(b->structured, b->links.base.url, &built->flags);
    if (b->rights.list.has_failed || (b->wants_structured && !built->structured))
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
    if (!b->status)
        take_metadata(b, built);
    if (!b->status)
        print_text(b, built);
    sum_up(b, built);
    if (b->status)
        return b->status;
    *page = built;
    return TH_OK;
}
