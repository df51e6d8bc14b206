/*
 * Events to page, in one pass. [KN08 §3, K11 §4.2.1; spec/algorithms.md §1]
 *
 * Start tags, end tags and text come in document order; blocks, gaps, nodes and links
 * go out, words and lines counted on the way by the text model. What is decided here:
 *
 *  - A gap is a sequence of tags that stand in the source. A alone makes none, but its
 *    tags are part of a gap that others make. Tags that the parser implied make none.
 *  - An element gives no text when it is one of TEXTLESS below, or when its attributes
 *    hide it: hidden (but for until-found), aria-hidden="true", inline display:none or
 *    visibility:hidden. Its own tags belong to gaps, those inside it do not. It ends
 *    when it leaves the stack of open elements, by whatever tag, so no mis-nesting can
 *    hide the rest of a page. HTML and BODY cannot be hidden: where they are, a script
 *    shows them again.
 *  - To the elements named in algorithms.md §1 are added those whose text no browser
 *    shows: TITLE (it is metadata), NOFRAMES, NOEMBED, DATALIST, and what APPLET, AUDIO,
 *    VIDEO and CANVAS hold for readers that lack them. MATH is text: formulas are read.
 *  - The enclosing element of a block is the nearest that is not A, because the text of
 *    a block may stand partly inside A and partly outside.
 *  - Links in hidden elements are links (menus are hidden until they open); those in
 *    TEXTLESS elements are not. javascript: and data: are no links, other schemes are.
 *
 * The tree is light: a stack of open elements, closed by the nearest start tag of the
 * same name. Beyond max_depth, max_nodes, max_blocks and max_links the page goes on flat
 * and is flagged; no limit loses text.
 */
#include "parse/page_builder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/unicode.h"
#include "parse/metadata.h"
#include "parse/text_model.h"
#include "parse/url.h"

enum {
    /* Open elements that are remembered, nodes or not; bounds the work of one end tag. */
    STACK_MAX = 16384,
    /* Bytes of title or JSON-LD that are gathered. */
    CAPTURE_MAX = 1 << 20,
    /* Looks at the clock: after so many units, an event being one and 64 bytes another.
     */
    WORK_UNITS = 1024,
    /* A growing table keeps at most so many bytes from page to page. */
    KEPT_BYTES = 4 << 20,
};

/* What the builder does with a tag besides making a node of it. */
enum {
    VOID = 1u << 0,     /* has no content and no end */
    TEXTLESS = 1u << 1, /* its text is not the page's */
    SPECIAL = 1u << 2,  /* start_special has something to do */
    LASTING = 1u << 3,  /* once, and open to the end: HTML, BODY */
};

static const uint8_t kind_of[TH_TAG_COUNT] = {
    [TH_TAG_AREA] = VOID | SPECIAL,
    [TH_TAG_BASE] = VOID | SPECIAL,
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
    [TH_TAG_LINK] = VOID | SPECIAL,
    [TH_TAG_META] = VOID | SPECIAL,
    [TH_TAG_PARAM] = VOID,
    [TH_TAG_SOURCE] = VOID,
    [TH_TAG_TRACK] = VOID,
    [TH_TAG_WBR] = VOID,

    [TH_TAG_APPLET] = TEXTLESS,
    [TH_TAG_AUDIO] = TEXTLESS,
    [TH_TAG_CANVAS] = TEXTLESS,
    [TH_TAG_DATALIST] = TEXTLESS,
    [TH_TAG_IFRAME] = TEXTLESS,
    [TH_TAG_NOEMBED] = TEXTLESS,
    [TH_TAG_NOFRAMES] = TEXTLESS,
    [TH_TAG_NOSCRIPT] = TEXTLESS,
    [TH_TAG_OBJECT] = TEXTLESS,
    [TH_TAG_OPTION] = TEXTLESS,
    [TH_TAG_SCRIPT] = TEXTLESS | SPECIAL,
    [TH_TAG_STYLE] = TEXTLESS,
    [TH_TAG_SVG] = TEXTLESS,
    [TH_TAG_TEMPLATE] = TEXTLESS,
    [TH_TAG_TEXTAREA] = TEXTLESS,
    [TH_TAG_TITLE] = TEXTLESS | SPECIAL,
    [TH_TAG_VIDEO] = TEXTLESS,

    [TH_TAG_HTML] = LASTING | SPECIAL,
    [TH_TAG_BODY] = LASTING,
    [TH_TAG_A] = SPECIAL,
    [TH_TAG_ADDRESS] = SPECIAL,
    [TH_TAG_SPAN] = SPECIAL,
    [TH_TAG_TIME] = SPECIAL,
};

/* An open element. */
struct open_element {
    uint32_t node;       /* its own, or its parent's where it is none (flat, hidden) */
    uint32_t block_node; /* what encloses a block that opens here: not an A */
    uint32_t text_at;    /* length of the page's text when it began */
    uint32_t link;       /* A: its link, or TH_NONE */
    th_tag tag;
    bool is_node;
};

struct th_builder {
    const th_options *opt;
    th_text_model *text;
    th_arena *arena; /* of the page */
    th_metadata_collector *metadata;
    th_page *page;
    th_view url;       /* of the document */
    size_t origin_len; /* bytes of it through its host, 0 = unknown */
    th_view base;      /* of its links */
    bool has_base;
    uint32_t flags;
    th_status status;

    /* growing tables: item count and capacity beside each */
    th_block *blocks;
    uint32_t block_count, block_capacity;
    th_node *nodes;
    uint32_t node_count, node_capacity;
    th_link *links;
    uint32_t link_count, link_capacity;
    uint16_t *gap_tags;
    uint32_t gap_tag_count, gap_tag_capacity;
    struct open_element *stack; /* stack[0] is the root */
    uint32_t stack_count, stack_capacity;

    uint32_t open_count[TH_TAG_COUNT]; /* elements on the stack, by tag */
    uint32_t gap_start;      /* gap_tags from here on belong to the next block */
    bool is_gap;             /* there is a tag among them that makes a gap */
    uint32_t hidden_at;      /* stack index of what hides, 0 = visible */
    uint32_t textless_count; /* TEXTLESS elements on the stack */

    th_tag capture_tag;  /* TITLE or SCRIPT while its text is gathered */
    uint32_t capture_at; /* its stack index, 0 = none */
    th_buffer capture;
    bool has_title;

    int64_t work_left;    /* units until the next look at the clock */
    uint64_t deadline_ns; /* thread CPU time, 0 = none */
};

/* ---- memory and time ----------------------------------------------------------------
 */

static void fail(th_builder *b, th_status status)
{
    if (!b->status)
        b->status = status;
}

/* The table with twice the room; without memory as it was, and the status says why. */
static void *grown(th_builder *b, void *items, uint32_t *capacity, size_t item_size)
{
    if (b->status)
        return items;
    if (*capacity > UINT32_MAX / 4) {
        fail(b, TH_TOO_LARGE);
        return items;
    }
    const uint32_t more = *capacity ? *capacity * 2 : 256;
    void *table = realloc(items, more * item_size);
    if (!table) {
        fail(b, TH_NOMEM);
        return items;
    }
    *capacity = more;
    return table;
}

/* Whether the table called `items` has, or now gets, room for one `item` more. */
#define HAS_ROOM(b, items, item)                                                         \
    ((b)->item##_count < (b)->item##_capacity ||                                         \
     ((b)->items = grown((b), (b)->items, &(b)->item##_capacity, sizeof *(b)->items),    \
      (b)->item##_count < (b)->item##_capacity))

/* The table, or nothing where one huge page has blown it up. */
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

/* ---- blocks and gaps ----------------------------------------------------------------
 */

/* The text model has opened a block: gives it its row, its gap and its node. */
static void open_block(th_builder *b)
{
    if (!HAS_ROOM(b, blocks, block))
        return;
    const uint32_t gap_len = b->is_gap ? b->gap_tag_count - b->gap_start : 0;
    b->blocks[b->block_count++] =
        (th_block){ .text_start = b->text->block.text_start,
                    .gap_start = b->gap_start,
                    .gap_len = gap_len,
                    .node = b->stack[b->stack_count - 1].block_node };
    b->gap_start += gap_len;
}

/* There is new text: the tags before it have become a gap, or nothing. */
static void text_came(th_builder *b)
{
    if (b->block_count == 0 || (b->is_gap && b->block_count < b->opt->max_blocks))
        open_block(b);
    else if (b->is_gap)
        b->flags |= TH_FLAG_BLOCKS_CUT;
    b->gap_tag_count = b->gap_start;
    b->is_gap = false;
}

/* A code point that was cut by a tag is not going to be completed. */
static inline void settle_text(th_builder *b)
{
    if (b->status || !th_text_is_cut(b->text))
        return;
    th_text_settle(b->text, b->open_count[TH_TAG_A] > 0);
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
        th_text_blank(b->text); /* what follows joins the last block */
    else if (b->block_count)
        th_text_close(b->text, &b->blocks[b->block_count - 1]);
}

static void add_gap_tag(th_builder *b, th_tag tag, uint16_t end)
{
    if (!b->is_gap && tag != TH_TAG_A) {
        end_text(b);
        b->is_gap = true;
    }
    if (HAS_ROOM(b, gap_tags, gap_tag))
        b->gap_tags[b->gap_tag_count++] = (uint16_t)(tag | end);
}

/* ---- nodes and the stack of open elements -------------------------------------------
 */

/* @return the new node, or TH_NONE where the page goes on flat */
static uint32_t add_node(th_builder *b, th_tag tag, const struct open_element *parent)
{
    const uint32_t depth = b->nodes[parent->node].depth + 1u;
    if (!parent->is_node || depth > b->opt->max_depth) {
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
    b->nodes[b->node_count] = (th_node){ .parent = parent->node,
                                         .first_block = first,
                                         .end_block = first,
                                         .tag = tag,
                                         .depth = (uint16_t)depth };
    return b->node_count++;
}

/* The element's extent, now that it ends. */
static void close_node(th_builder *b, const struct open_element *element)
{
    th_node *node = &b->nodes[element->node];
    if (b->text->len == element->text_at)
        return; /* no text since it began */
    /* It began inside a block to which it added nothing: the next one is its first. */
    if (node->first_block + 1 < b->block_count &&
        b->blocks[node->first_block + 1].text_start <= element->text_at + 1)
        node->first_block++;
    node->end_block = b->block_count;
}

/* The block that holds a byte of the page's text. */
static uint32_t block_at(const th_builder *b, uint32_t text_at)
{
    uint32_t low = 0;
    uint32_t high = b->block_count - 1;
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (b->blocks[middle].text_start <= text_at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* An anchor's text goes from the first character behind its start tag to here. */
static void close_link(th_builder *b, const struct open_element *element)
{
    th_link *link = &b->links[element->link];
    uint32_t start = element->text_at;
    if (b->text->len == start)
        return;
    const char first = b->text->text[start];
    if (first == ' ' || first == '\n')
        start++;
    link->anchor_start = start;
    link->anchor_len = (uint32_t)b->text->len - start;
    link->block = block_at(b, start);
}

static void end_capture(th_builder *b)
{
    th_view text = th_buffer_view(&b->capture);
    text.len = th_utf8_valid(text.data, text.len); /* CAPTURE_MAX may cut a code point */
    th_metadata_text(b->metadata, b->capture_tag, text);
    if (b->capture.has_failed)
        fail(b, TH_NOMEM);
    b->capture_at = 0;
    th_buffer_reset(&b->capture);
}

static void push(th_builder *b, th_tag tag, uint32_t node, uint32_t link)
{
    if (!HAS_ROOM(b, stack, stack))
        return;
    const struct open_element *parent = &b->stack[b->stack_count - 1];
    const bool is_node = node != TH_NONE;
    const bool is_block_node = is_node && tag != TH_TAG_A;
    b->stack[b->stack_count++] =
        (struct open_element){ .tag = tag,
                               .is_node = is_node,
                               .node = is_node ? node : parent->node,
                               .block_node = is_block_node ? node : parent->block_node,
                               .text_at = (uint32_t)b->text->len,
                               .link = link };
    b->open_count[tag]++;
    if (kind_of[tag] & TEXTLESS)
        b->textless_count++;
}

static void pop(th_builder *b)
{
    const uint32_t at = --b->stack_count;
    const struct open_element *element = &b->stack[at];
    b->open_count[element->tag]--;
    if (kind_of[element->tag] & TEXTLESS)
        b->textless_count--;
    if (element->link != TH_NONE)
        close_link(b, element);
    if (element->is_node)
        close_node(b, element);
    if (b->capture_at && b->capture_at == at)
        end_capture(b);
    if (b->hidden_at == at)
        b->hidden_at = 0;
}

/* ---- attributes ---------------------------------------------------------------------
 */

static bool is_text(th_view view, const char *lower)
{
    size_t i = 0;
    for (; i < view.len && lower[i]; i++) {
        const char c = view.data[i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != lower[i])
            return false;
    }
    return i == view.len && !lower[i];
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static th_view trimmed(th_view view)
{
    while (view.len && is_blank(view.data[0])) {
        view.data++;
        view.len--;
    }
    while (view.len && is_blank(view.data[view.len - 1]))
        view.len--;
    return view;
}

/* The part of the view before the first `mark`, which is dropped; moves the view on. */
static th_view cut_at(th_view *view, char mark)
{
    const char *found = view->len ? memchr(view->data, mark, view->len) : NULL;
    const size_t len = found ? (size_t)(found - view->data) : view->len;
    const th_view part = { view->data, len };
    const size_t step = found ? len + 1 : len;
    view->data += step;
    view->len -= step;
    return part;
}

/* Whether an inline style ends up with display:none or visibility:hidden. */
static bool style_hides(th_view style)
{
    bool has_no_display = false;
    bool is_invisible = false;
    while (style.len) {
        th_view value = cut_at(&style, ';');
        const th_view property = trimmed(cut_at(&value, ':'));
        if (property.len != 7 && property.len != 10)
            continue;
        value = trimmed(cut_at(&value, '!')); /* !important */
        if (is_text(property, "display"))
            has_no_display = is_text(value, "none");
        else if (is_text(property, "visibility"))
            is_invisible = is_text(value, "hidden");
    }
    return has_no_display || is_invisible;
}

static bool attribute_hides(const th_attribute *attribute)
{
    const th_view value = attribute->value;
    switch (attribute->name.len) {
    case 5:
        return value.len >= 12 && memcmp(attribute->name.data, "style", 5) == 0 &&
               style_hides(value);
    case 6:
        return memcmp(attribute->name.data, "hidden", 6) == 0 &&
               !is_text(value, "until-found");
    case 11:
        return value.len == 4 && memcmp(attribute->name.data, "aria-hidden", 11) == 0 &&
               is_text(value, "true");
    default:
        return false;
    }
}

static bool hides(const th_attribute *attrs, size_t attr_count)
{
    for (size_t i = 0; i < attr_count; i++)
        if (attribute_hides(&attrs[i]))
            return true;
    return false;
}

static th_view value_of(const th_attribute *attrs, size_t attr_count, th_view name)
{
    for (size_t i = 0; i < attr_count; i++)
        if (attrs[i].name.len == name.len &&
            memcmp(attrs[i].name.data, name.data, name.len) == 0)
            return attrs[i].value;
    return (th_view){ 0 };
}

/* ---- links and metadata -------------------------------------------------------------
 */

/* A borrowed view, copied so that it lasts as long as the page. */
static th_view lasting(th_builder *b, th_view view)
{
    if (!view.data)
        return view;
    view = th_arena_copy(b->arena, view);
    if (!view.data)
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
    return view;
}

/* The URL that a reference in an attribute means; lasting. No data: unusable. */
static th_view resolved(th_builder *b, th_view base, th_view reference)
{
    const th_view url = th_url_resolve(base, reference, b->arena);
    const bool is_borrowed =
        url.data >= reference.data && url.data <= reference.data + reference.len;
    return is_borrowed ? lasting(b, url) : url;
}

static bool has_scheme(th_view url, const char *scheme)
{
    const size_t len = strlen(scheme);
    return url.len >= len && is_text((th_view){ url.data, len }, scheme);
}

/* Whether a URL leads to the document's host: nearly always its first bytes tell. */
static bool is_internal(const th_builder *b, th_view url)
{
    const size_t len = b->origin_len;
    if (len && url.len > len && url.data[len] == '/' &&
        memcmp(url.data, b->url.data, len) == 0)
        return true;
    return th_url_same_host(url, b->url);
}

/* @return number of the new link, or TH_NONE where there is none */
static uint32_t add_link(th_builder *b, const th_attribute *attrs, size_t attr_count)
{
    const th_view href = value_of(attrs, attr_count, TH_VIEW("href"));
    if (!href.data)
        return TH_NONE;
    const th_view reference = trimmed(href);
    if (has_scheme(reference, "javascript:") || has_scheme(reference, "data:"))
        return TH_NONE;
    if (b->link_count >= b->opt->max_links) {
        b->flags |= TH_FLAG_LINKS_CUT;
        return TH_NONE;
    }
    const th_view url = resolved(b, b->base, reference);
    if (!url.data || !HAS_ROOM(b, links, link))
        return TH_NONE;
    b->links[b->link_count] =
        (th_link){ .url = url,
                   .rel = lasting(b, value_of(attrs, attr_count, TH_VIEW("rel"))),
                   .block = TH_NONE,
                   .is_internal = is_internal(b, url) };
    return b->link_count++;
}

/* BASE: the first one with an href counts. */
static void set_base(th_builder *b, const th_attribute *attrs, size_t attr_count)
{
    const th_view href = value_of(attrs, attr_count, TH_VIEW("href"));
    if (b->has_base || !href.data)
        return;
    const th_view base = resolved(b, b->url, trimmed(href));
    if (base.data && th_url_host(base).len) {
        b->base = base;
        b->has_base = true;
    }
}

static void begin_capture(th_builder *b, th_tag tag)
{
    b->capture_tag = tag;
    b->capture_at = b->stack_count;
}

/* What a SPECIAL start tag means beyond its node. @return the link it opens, or TH_NONE
 */
static uint32_t start_special(th_builder *b, th_tag tag, const th_attribute *attrs,
                              size_t attr_count)
{
    switch (tag) {
    case TH_TAG_A:
        if (attr_count)
            th_metadata_tag(b->metadata, tag, attrs, attr_count);
        return add_link(b, attrs, attr_count);
    case TH_TAG_AREA:
        (void)add_link(b, attrs, attr_count);
        break;
    case TH_TAG_BASE:
        set_base(b, attrs, attr_count);
        break;
    case TH_TAG_TITLE:
        if (!b->has_title)
            begin_capture(b, tag);
        b->has_title = true;
        break;
    case TH_TAG_SCRIPT:
        if (th_metadata_wants_script(attrs, attr_count))
            begin_capture(b, tag);
        break;
    default:
        if (attr_count)
            th_metadata_tag(b->metadata, tag, attrs, attr_count);
        break;
    }
    return TH_NONE;
}

/* ---- events -------------------------------------------------------------------------
 */

/* A start tag inside what is hidden: no gap, no node, but it must be closed again. */
static void start_hidden(th_builder *b, th_tag tag, const th_attribute *attrs,
                         size_t attr_count)
{
    const unsigned kind = kind_of[tag];
    if (b->stack_count >= STACK_MAX)
        return;
    const uint32_t link = kind & SPECIAL && !b->textless_count
                              ? start_special(b, tag, attrs, attr_count)
                              : TH_NONE;
    if (!(kind & (VOID | LASTING)))
        push(b, tag, TH_NONE, link);
}

void th_builder_start_tag(th_builder *b, th_tag tag, const th_attribute *attrs,
                          size_t attr_count, unsigned how)
{
    work(b, 1);
    settle_text(b);
    if (b->status)
        return;
    if (b->hidden_at) {
        start_hidden(b, tag, attrs, attr_count);
        return;
    }
    const unsigned kind = kind_of[tag];
    if (!(how & TH_TAG_IMPLIED))
        add_gap_tag(b, tag, 0);
    const uint32_t link =
        kind & SPECIAL ? start_special(b, tag, attrs, attr_count) : TH_NONE;
    if ((kind & LASTING) && b->open_count[tag])
        return;
    const uint32_t node = add_node(b, tag, &b->stack[b->stack_count - 1]);
    if (kind & VOID)
        return;
    const bool is_hiding =
        (kind & TEXTLESS) || (!(kind & LASTING) && hides(attrs, attr_count));
    /* The last place on the stack is for an element that must not be forgotten. */
    if (b->stack_count < STACK_MAX || (is_hiding && b->stack_count == STACK_MAX)) {
        push(b, tag, node, link);
        if (is_hiding)
            b->hidden_at = b->stack_count - 1;
    } else {
        b->flags |= TH_FLAG_DEPTH_CUT;
    }
}

/* The innermost open element of that name: its index on the stack, 0 = none. */
static uint32_t find_open(const th_builder *b, th_tag tag)
{
    if (!b->open_count[tag])
        return 0;
    uint32_t at = b->stack_count - 1;
    while (at > 0 && b->stack[at].tag != tag)
        at--;
    return at;
}

void th_builder_end_tag(th_builder *b, th_tag tag, unsigned how)
{
    work(b, 1);
    settle_text(b);
    if (b->status)
        return;
    const uint32_t at = kind_of[tag] & (VOID | LASTING) ? 0 : find_open(b, tag);
    const bool stays_hidden = b->hidden_at && (at == 0 || at > b->hidden_at);
    while (at && b->stack_count > at)
        pop(b);
    if (!stays_hidden && !(how & TH_TAG_IMPLIED))
        add_gap_tag(b, tag, TH_GAP_END);
}

void th_builder_text(th_builder *b, const char *bytes, size_t len)
{
    work(b, 1 + len / 64);
    if (b->status)
        return;
    if (b->hidden_at) {
        if (b->capture_at && b->capture.len < CAPTURE_MAX)
            th_buffer_append(
                &b->capture, bytes,
                len < CAPTURE_MAX - b->capture.len ? len : CAPTURE_MAX - b->capture.len);
        return;
    }
    const size_t before = b->text->len;
    th_text_add(b->text, bytes, len, b->open_count[TH_TAG_A] > 0);
    if (b->text->len != before)
        text_came(b);
    if (b->text->status)
        fail(b, b->text->status);
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

/* ---- beginning and end of a page ----------------------------------------------------
 */

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
    free(b->links);
    free(b->gap_tags);
    free(b->stack);
    th_buffer_done(&b->capture);
    free(b);
}

/* Memory for the page; the status says why there is none. */
static void *page_memory(th_builder *b, size_t size)
{
    void *memory = th_arena_alloc(b->arena, size);
    if (!memory)
        fail(b, th_arena_is_full(b->arena) ? TH_TOO_LARGE : TH_NOMEM);
    return memory;
}

/* The root stands from the beginning, whether the document has an HTML tag or not. */
static void open_root(th_builder *b)
{
    if (!HAS_ROOM(b, nodes, node) || !HAS_ROOM(b, stack, stack))
        return;
    b->nodes[b->node_count++] = (th_node){ .parent = TH_NONE, .tag = TH_TAG_HTML };
    b->stack[b->stack_count++] =
        (struct open_element){ .link = TH_NONE, .tag = TH_TAG_HTML, .is_node = true };
    b->open_count[TH_TAG_HTML] = 1;
}

th_status th_builder_begin(th_builder *b, th_arena *arena, const th_document *document)
{
    b->blocks = kept(b->blocks, &b->block_capacity, sizeof *b->blocks);
    b->nodes = kept(b->nodes, &b->node_capacity, sizeof *b->nodes);
    b->links = kept(b->links, &b->link_capacity, sizeof *b->links);
    b->gap_tags = kept(b->gap_tags, &b->gap_tag_capacity, sizeof *b->gap_tags);
    th_text_reset(b->text);
    th_buffer_reset(&b->capture);
    b->arena = arena;
    b->has_base = false;
    b->flags = 0;
    b->status = TH_OK;
    b->block_count = b->node_count = b->link_count = b->gap_tag_count = 0;
    b->stack_count = 0;
    memset(b->open_count, 0, sizeof b->open_count);
    b->gap_start = 0;
    b->is_gap = false;
    b->hidden_at = 0;
    b->textless_count = 0;
    b->capture_at = 0;
    b->has_title = false;
    b->work_left = WORK_UNITS;
    b->deadline_ns = b->opt->page_ms ? cpu_ns() + b->opt->page_ms * UINT64_C(1000000) : 0;
    b->page = page_memory(b, sizeof *b->page);
    if (b->page) {
        *b->page = (th_page){ .arena = arena, .main_segment = TH_NONE };
        b->url = b->base = lasting(b, document->url);
        const th_view host = th_url_host(b->url);
        b->origin_len = host.data ? (size_t)(host.data - b->url.data) + host.len : 0;
        b->metadata = th_metadata_begin(arena);
        if (!b->metadata)
            fail(b, th_arena_is_full(arena) ? TH_TOO_LARGE : TH_NOMEM);
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

th_status th_builder_finish(th_builder *b, th_page **page)
{
    settle_text(b);
    if (!b->status && b->text->is_open)
        th_text_close(b->text, &b->blocks[b->block_count - 1]);
    if (b->text->status)
        fail(b, b->text->status);
    while (!b->status && b->stack_count)
        pop(b);
    if (b->status)
        return b->status;
    th_page *built = b->page;
    built->text.data = copied(b, b->text->text, b->text->len);
    built->text.len = b->text->len;
    built->text_chars = (uint32_t)b->text->chars;
    built->blocks = copied(b, b->blocks, b->block_count * sizeof *b->blocks);
    built->block_count = b->block_count;
    built->gap_tags = copied(b, b->gap_tags, b->gap_start * sizeof *b->gap_tags);
    built->gap_tag_count = b->gap_start;
    built->nodes = copied(b, b->nodes, b->node_count * sizeof *b->nodes);
    built->node_count = b->node_count;
    built->links = copied(b, b->links, b->link_count * sizeof *b->links);
    built->link_count = b->link_count;
    built->flags = b->flags;
    sum_up(b, built);
    if (!b->status)
        th_metadata_finish(b->metadata, b->base, &built->metadata);
    if (b->status)
        return b->status;
    *page = built;
    return TH_OK;
}
