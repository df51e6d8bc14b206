/*
 * The rules of tree construction, as far as they decide what encloses a text.
 * [HTML Living Standard 13.2.6]
 *
 * Each tag has a row with its rule. The stack replaces insertion modes: a table without
 * an open cell is "in table", no BODY is "in head". Deviations from the standard:
 * - The adoption agency moves nodes. Here the end tag of a mis-nested formatting element
 *   closes it, and its content stays where it was.
 * - Content in a table but not in a cell gets the table's parent. It is not moved before
 *   the table, so text keeps the order of the source.
 * - NOSCRIPT is hidden, so it ends as where scripts run: in HEAD it stays open regardless
 *   of its content, and its end tag closes every element left open in it.
 * - SELECT may hold anything, as in the standard since 2025, but is not a boundary of
 *   scope. A SELECT that is never closed ends with the enclosing element, and text after
 *   that is shown.
 * - Text after FRAMESET is kept, because a page of frames has no other text.
 * - Content in a hidden table, but not in a cell, stays hidden, because no tree is built
 *   in which it could be moved out.
 * - An ANNOTATION-XML holds MathML, regardless of its encoding attribute.
 */
#include "parse/light_tree.h"

#include <string.h>

/* The rule of a start tag. */
enum start_rule {
    ORDINARY,   /* any other start tag */
    BLOCK,      /* closes P */
    HEADING,    /* closes P and a heading */
    LIST_ITEM,  /* closes the item before, and P */
    DEFINITION, /* DD or DT */
    FORMATTING,
    ANCHOR, /* formatting; closes the A before */
    NOBR,   /* formatting; closes the NOBR before */
    BUTTON,
    FORM,
    OPTION,
    OPTION_GROUP,
    SELECT,
    INPUT,
    THEMATIC_BREAK, /* HR */
    RUBY_BASE,      /* RB RTC */
    RUBY_TEXT,      /* RP RT */
    IN_PLACE,       /* only adds an element */
    IN_HEAD,        /* the same, but stays in HEAD */
    HEAD,
    BODY,
    HTML,
    FRAMESET,
    TABLE,
    CAPTION, /* child of TABLE: CAPTION, COLGROUP, and TBODY TFOOT THEAD */
    COLUMN,
    ROW,
    CELL,
    FOREIGN, /* SVG MATH */
};

/* The rule of an end tag. */
enum end_rule {
    END_ORDINARY, /* any other end tag: closes its element unless a special one is open */
    END_SCOPED,   /* closes its element and all in it, if it is in scope */
    END_FORMATTING,
    END_PARAGRAPH,
    END_ITEM, /* in list item scope */
    END_HEADING,
    END_FORM,
    END_TABLE,  /* parts of a table: in table scope */
    END_ANYWAY, /* closes its element and all in it */
    END_HEAD,
    END_NOTHING,
};

enum {
    SPECIAL = TH_ELEMENT_SPECIAL,
    SCOPE = TH_ELEMENT_SPECIAL | TH_ELEMENT_SCOPE,
    MARKED = TH_ELEMENT_SPECIAL | TH_ELEMENT_SCOPE | TH_ELEMENT_MARKER,
    ITEM_PASSES = TH_ELEMENT_SPECIAL | TH_ELEMENT_PASSES_ITEM,
    BREAKS_OUT = 1u << 6, /* ends foreign content [13.2.6.5] */
    EMPTY = 1u << 7,      /* a void element */

    /* Elements of unlisted names that an end tag is compared with. */
    NAMES_MAX = 64,
};

/* clang-format off */
static const struct rule {
    uint8_t start, end, kind;
} rules[TH_TAG_COUNT] = {
    [TH_TAG_HTML] = { HTML, END_NOTHING, SCOPE | EMPTY },
    [TH_TAG_HEAD] = { HEAD, END_HEAD, SPECIAL | BREAKS_OUT },
    [TH_TAG_BODY] = { BODY, END_NOTHING, SPECIAL | BREAKS_OUT },
    [TH_TAG_FRAMESET] = { FRAMESET, END_SCOPED, SPECIAL },

    [TH_TAG_BASE] = { IN_HEAD, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BASEFONT] = { IN_HEAD, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BGSOUND] = { IN_HEAD, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_LINK] = { IN_HEAD, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_META] = { IN_HEAD, END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_NOFRAMES] = { IN_HEAD, END_ORDINARY, SPECIAL },
    [TH_TAG_NOSCRIPT] = { IN_HEAD, END_ANYWAY, SPECIAL },
    [TH_TAG_SCRIPT] = { IN_HEAD, END_ORDINARY, SPECIAL },
    [TH_TAG_STYLE] = { IN_HEAD, END_ORDINARY, SPECIAL },
    [TH_TAG_TEMPLATE] = { IN_HEAD, END_ANYWAY, MARKED },
    [TH_TAG_TITLE] = { IN_HEAD, END_ORDINARY, SPECIAL },

    [TH_TAG_ADDRESS] = { BLOCK, END_SCOPED, ITEM_PASSES },
    [TH_TAG_ARTICLE] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_ASIDE] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_BLOCKQUOTE] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_CENTER] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_DETAILS] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_DIALOG] = { BLOCK, END_SCOPED, 0 },
    [TH_TAG_DIR] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_DIV] = { BLOCK, END_SCOPED, ITEM_PASSES | BREAKS_OUT },
    [TH_TAG_DL] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_FIELDSET] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_FIGCAPTION] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_FIGURE] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_FOOTER] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_HEADER] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_HGROUP] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_HR] = { THEMATIC_BREAK, END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_LISTING] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_MAIN] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_MENU] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_NAV] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_OL] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_P] = { BLOCK, END_PARAGRAPH, ITEM_PASSES | BREAKS_OUT },
    [TH_TAG_PLAINTEXT] = { BLOCK, END_NOTHING, SPECIAL },
    [TH_TAG_PRE] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_SEARCH] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_SECTION] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_SUMMARY] = { BLOCK, END_SCOPED, SPECIAL },
    [TH_TAG_UL] = { BLOCK, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_XMP] = { BLOCK, END_ORDINARY, SPECIAL },

    [TH_TAG_H1] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H2] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H3] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H4] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H5] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H6] = { HEADING, END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_LI] = { LIST_ITEM, END_ITEM, SPECIAL | BREAKS_OUT },
    [TH_TAG_DD] = { DEFINITION, END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_DT] = { DEFINITION, END_SCOPED, SPECIAL | BREAKS_OUT },

    [TH_TAG_A] = { ANCHOR, END_FORMATTING, 0 },
    [TH_TAG_B] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_BIG] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_CODE] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_EM] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_FONT] = { FORMATTING, END_FORMATTING, 0 },
    [TH_TAG_I] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_NOBR] = { NOBR, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_S] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_SMALL] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_STRIKE] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_STRONG] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_TT] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_U] = { FORMATTING, END_FORMATTING, BREAKS_OUT },
    [TH_TAG_RUBY] = { ORDINARY, END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SPAN] = { ORDINARY, END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SUB] = { ORDINARY, END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SUP] = { ORDINARY, END_ORDINARY, BREAKS_OUT },
    [TH_TAG_VAR] = { ORDINARY, END_ORDINARY, BREAKS_OUT },

    [TH_TAG_APPLET] = { ORDINARY, END_SCOPED, MARKED },
    [TH_TAG_MARQUEE] = { ORDINARY, END_SCOPED, MARKED },
    [TH_TAG_OBJECT] = { ORDINARY, END_SCOPED, MARKED },
    [TH_TAG_BUTTON] = { BUTTON, END_SCOPED, SPECIAL },
    [TH_TAG_FORM] = { FORM, END_FORM, SPECIAL },
    [TH_TAG_IFRAME] = { IN_PLACE, END_ORDINARY, SPECIAL },
    [TH_TAG_NOEMBED] = { IN_PLACE, END_ORDINARY, SPECIAL },
    [TH_TAG_TEXTAREA] = { IN_PLACE, END_ORDINARY, SPECIAL },
    [TH_TAG_SELECT] = { SELECT, END_SCOPED, SPECIAL },
    [TH_TAG_OPTION] = { OPTION, END_ORDINARY, 0 },
    [TH_TAG_OPTGROUP] = { OPTION_GROUP, END_ORDINARY, 0 },
    [TH_TAG_RB] = { RUBY_BASE, END_ORDINARY, 0 },
    [TH_TAG_RTC] = { RUBY_BASE, END_ORDINARY, 0 },
    [TH_TAG_RP] = { RUBY_TEXT, END_ORDINARY, 0 },
    [TH_TAG_RT] = { RUBY_TEXT, END_ORDINARY, 0 },

    [TH_TAG_AREA] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BR] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_EMBED] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_IMAGE] = { ORDINARY, END_NOTHING, EMPTY },
    [TH_TAG_IMG] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_INPUT] = { INPUT, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_KEYGEN] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_PARAM] = { IN_PLACE, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_SOURCE] = { IN_PLACE, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_TRACK] = { IN_PLACE, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_WBR] = { ORDINARY, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_FRAME] = { HTML, END_NOTHING, SPECIAL | EMPTY },

    [TH_TAG_TABLE] = { TABLE, END_TABLE, SCOPE | BREAKS_OUT },
    [TH_TAG_CAPTION] = { CAPTION, END_TABLE, MARKED },
    [TH_TAG_COLGROUP] = { CAPTION, END_TABLE, SPECIAL },
    [TH_TAG_COL] = { COLUMN, END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_TBODY] = { CAPTION, END_TABLE, SPECIAL },
    [TH_TAG_TFOOT] = { CAPTION, END_TABLE, SPECIAL },
    [TH_TAG_THEAD] = { CAPTION, END_TABLE, SPECIAL },
    [TH_TAG_TR] = { ROW, END_TABLE, SPECIAL },
    [TH_TAG_TD] = { CELL, END_TABLE, MARKED },
    [TH_TAG_TH] = { CELL, END_TABLE, MARKED },

    [TH_TAG_SVG] = { FOREIGN, END_ORDINARY, TH_ELEMENT_FOREIGN },
    [TH_TAG_MATH] = { FOREIGN, END_ORDINARY, TH_ELEMENT_FOREIGN },
};
/* clang-format on */

/* Returns the part of a row's kind that applies to the element, not the tag. */
uint8_t th_light_tree_kind(th_tag tag)
{
    return rules[tag].kind & (uint8_t) ~(BREAKS_OUT | EMPTY);
}

/* ---- what is open ------------------------------------------------------------------ */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns the innermost of the first `keep` elements that has not ended. */
static uint32_t top_at(const th_open_elements *open, uint32_t keep)
{
    while (keep > 1 && open->items[keep - 1].is_ended)
        keep--;
    return keep - 1;
}

static th_tag top_tag(const th_open_elements *open, uint32_t keep)
{
    return open->items[top_at(open, keep)].tag;
}

/* Returns the innermost open element of a tag if it is in scope, else 0. */
static uint32_t in_scope(const th_open_elements *open, th_tag tag)
{
    const uint32_t at = open->last_of[tag];
    return at && at >= th_open_top(open)->scope_at ? at : 0;
}

/* Returns the table whose parts are allowed here; 0 if none, or a TEMPLATE is between. */
static uint32_t table_at(const th_open_elements *open)
{
    const uint32_t at = open->last_of[TH_TAG_TABLE];
    return at > open->last_of[TH_TAG_TEMPLATE] ? at : 0;
}

/* Whether a cell or caption of that table is open, so that any element is allowed. */
static bool has_cell(const th_open_elements *open, uint32_t table)
{
    return open->last_of[TH_TAG_TD] > table || open->last_of[TH_TAG_TH] > table ||
           open->last_of[TH_TAG_CAPTION] > table;
}

/* Returns the row group of a table that is open, or 0. */
static uint32_t row_group_at(const th_open_elements *open, uint32_t table)
{
    const uint32_t at =
        larger(open->last_of[TH_TAG_TBODY],
               larger(open->last_of[TH_TAG_TFOOT], open->last_of[TH_TAG_THEAD]));
    return at > table ? at : 0;
}

/* Elements that end when something around them ends. */
static bool has_implied_end(th_tag tag)
{
    switch (tag) {
    case TH_TAG_DD:
    case TH_TAG_DT:
    case TH_TAG_LI:
    case TH_TAG_OPTGROUP:
    case TH_TAG_OPTION:
    case TH_TAG_P:
    case TH_TAG_RB:
    case TH_TAG_RP:
    case TH_TAG_RT:
    case TH_TAG_RTC:
        return true;
    default:
        return false;
    }
}

static void close_implied(const th_open_elements *open, th_tree_step *step)
{
    while (has_implied_end(top_tag(open, step->keep)))
        step->keep = top_at(open, step->keep);
}

static bool is_heading(th_tag tag)
{
    return tag >= TH_TAG_H1 && tag <= TH_TAG_H6;
}

/* Whether only columns are allowed here. Other elements end the COLGROUP. */
static bool is_in_column_group(const th_open_elements *open)
{
    return th_open_top(open)->tag == TH_TAG_COLGROUP;
}

/* ---- start tags -------------------------------------------------------------------- */

/* Closes the P that is in button scope, seen from the top that stays. */
static void close_paragraph(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t at = open->last_of[TH_TAG_P];
    if (at && at < step->keep && at >= open->items[step->keep - 1].scope_at &&
        (open->last_of[TH_TAG_BUTTON] < at || open->last_of[TH_TAG_BUTTON] >= step->keep))
        step->keep = at;
}

/* Closes a formatting element, or ends it where it is mis-nested. */
static void end_formatting(const th_open_elements *open, const th_formatting *item,
                           th_tree_step *step)
{
    step->unlists = true;
    if (item->at == 0)
        return;
    if (th_open_top(open)->special_at <= item->at)
        step->keep = item->at;
    else
        step->ended = item->at;
}

static void close_item(const th_open_elements *open, th_tag first, th_tag second,
                       th_tree_step *step)
{
    const uint32_t at = th_open_top(open)->item_stop_at;
    const th_tag tag = open->items[at].tag;
    if (at && (tag == first || tag == second))
        step->keep = at;
    close_paragraph(open, step);
}

static void imply(th_tree_step *step, th_tag tag)
{
    step->implied[step->implied_count++] = tag;
}

static void start_table(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t table = table_at(open);
    if (table && !has_cell(open, table))
        step->keep = table; /* "in table": the table that is open ends */
    else if (!open->has_quirks)
        close_paragraph(open, step);
}

/* Parts of a table. Without a table they make no element. */
static void start_table_part(const th_open_elements *open, enum start_rule rule,
                             th_tree_step *step)
{
    const uint32_t table = table_at(open);
    if (!table) {
        step->is_element = open->last_of[TH_TAG_TEMPLATE] != 0;
        return;
    }
    const uint32_t group = row_group_at(open, table);
    const uint32_t row = open->last_of[TH_TAG_TR];
    if (rule == CELL && row > table) {
        step->keep = row + 1;
    } else if (rule == CELL || rule == ROW) {
        step->keep = (group ? group : table) + 1;
        if (!group)
            imply(step, TH_TAG_TBODY);
        if (rule == CELL)
            imply(step, TH_TAG_TR);
    } else if (rule == COLUMN && open->last_of[TH_TAG_COLGROUP] > table) {
        step->keep = open->last_of[TH_TAG_COLGROUP] + 1;
    } else {
        step->keep = table + 1;
    }
}

static void start_option(const th_open_elements *open, bool is_group, th_tree_step *step)
{
    if (top_tag(open, step->keep) == TH_TAG_OPTION)
        step->keep = top_at(open, step->keep);
    if (is_group && top_tag(open, step->keep) == TH_TAG_OPTGROUP)
        step->keep = top_at(open, step->keep);
    step->reopens = true;
}

/* Ruby's parts end the parts before them. */
static void start_ruby(const th_open_elements *open, bool is_text, th_tree_step *step)
{
    if (!in_scope(open, TH_TAG_RUBY))
        return;
    for (;;) {
        const th_tag tag = top_tag(open, step->keep);
        if (!has_implied_end(tag) || (is_text && tag == TH_TAG_RTC))
            return;
        step->keep = top_at(open, step->keep);
    }
}

/* Begins content: HEAD ends, and BODY begins unless it already did. */
static void begin_body(const th_open_elements *open, th_tree_step *step)
{
    if (open->last_of[TH_TAG_BODY] || open->last_of[TH_TAG_FRAMESET] ||
        open->last_of[TH_TAG_TEMPLATE] || open->last_of[TH_TAG_NOSCRIPT])
        return;
    step->keep = 1;
    imply(step, TH_TAG_BODY);
}

static void start_form(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t table = table_at(open);
    const bool is_in_template = open->last_of[TH_TAG_TEMPLATE];
    if (open->has_form && !is_in_template) {
        step->is_element = false;
        return;
    }
    if (!is_in_template)
        step->has_form = true;
    if (table && !has_cell(open, table))
        step->stays_open = false; /* "in table": it is empty */
    else
        close_paragraph(open, step);
}

static void start_anchor(const th_open_elements *open, th_tag tag, th_tree_step *step)
{
    const th_formatting *before = th_formatting_find(open, tag);
    const bool is_out_of_scope =
        before && before->at && before->at < th_open_top(open)->scope_at;
    if (before && !is_out_of_scope) {
        end_formatting(open, before, step);
    } else if (before && tag == TH_TAG_A) {
        step->unlists = true;
        step->ended = before->at;
        step->ends_alone = true;
    }
    step->reopens = true;
    step->is_listed = true;
}

static void close_select(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t at = in_scope(open, TH_TAG_SELECT);
    if (at)
        step->keep = at;
}

/* Opens an HR. Between the options of a SELECT it is part of the SELECT, and an outer P
 * stays open. */
static void start_thematic_break(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t select = in_scope(open, TH_TAG_SELECT);
    if (select)
        close_implied(open, step);
    if (open->last_of[TH_TAG_P] > select)
        close_paragraph(open, step);
}

/* HTML, HEAD, BODY, FRAMESET: at most once. */
static void start_part_of_page(const th_open_elements *open, enum start_rule rule,
                               th_tree_step *step)
{
    const bool has_body = open->last_of[TH_TAG_BODY] || open->last_of[TH_TAG_FRAMESET];
    step->is_element = false;
    if (rule == HTML || has_body || open->last_of[TH_TAG_TEMPLATE])
        return;
    if (rule == HEAD && open->count > 1)
        return;
    step->keep = 1;
    step->is_element = true;
}

static void start_html(const th_open_elements *open, th_tag tag, th_tree_step *step)
{
    const enum start_rule rule = (enum start_rule)rules[tag].start;
    if (rule != IN_HEAD && (rule < HEAD || rule > FRAMESET) && rule != COLUMN &&
        rule != ROW && rule != CELL && rule != CAPTION)
        begin_body(open, step);
    if (is_in_column_group(open) && rule != COLUMN && tag != TH_TAG_TEMPLATE)
        step->keep = open->count - 1;
    switch (rule) {
    case ORDINARY:
        step->reopens = true;
        break;
    case BLOCK:
        close_paragraph(open, step);
        break;
    case HEADING:
        close_paragraph(open, step);
        if (is_heading(top_tag(open, step->keep)))
            step->keep = top_at(open, step->keep);
        break;
    case LIST_ITEM:
        close_item(open, TH_TAG_LI, TH_TAG_LI, step);
        break;
    case DEFINITION:
        close_item(open, TH_TAG_DD, TH_TAG_DT, step);
        break;
    case FORMATTING:
        step->reopens = true;
        step->is_listed = true;
        break;
    case ANCHOR:
    case NOBR:
        start_anchor(open, tag, step);
        break;
    case BUTTON:
        if (in_scope(open, TH_TAG_BUTTON))
            step->keep = in_scope(open, TH_TAG_BUTTON);
        step->reopens = true;
        break;
    case FORM:
        start_form(open, step);
        break;
    case OPTION:
    case OPTION_GROUP:
        start_option(open, rule == OPTION_GROUP, step);
        break;
    case SELECT:
        step->is_element = !in_scope(open, TH_TAG_SELECT);
        close_select(open, step);
        step->reopens = true;
        break;
    case INPUT:
        close_select(open, step);
        step->reopens = true;
        break;
    case THEMATIC_BREAK:
        start_thematic_break(open, step);
        break;
    case RUBY_BASE:
    case RUBY_TEXT:
        start_ruby(open, rule == RUBY_TEXT, step);
        break;
    case HEAD:
    case BODY:
    case HTML:
    case FRAMESET:
        start_part_of_page(open, rule, step);
        break;
    case TABLE:
        start_table(open, step);
        break;
    case CAPTION:
    case COLUMN:
    case ROW:
    case CELL:
        start_table_part(open, rule, step);
        break;
    case FOREIGN:
        step->reopens = true;
        break;
    case IN_PLACE:
    case IN_HEAD:
    default:
        break;
    }
}

bool th_light_tree_is_html(const th_open_elements *open)
{
    const unsigned kind = th_open_top(open)->kind;
    return !(kind & TH_ELEMENT_FOREIGN) || (kind & TH_ELEMENT_HTML_IN);
}

/* Whether a start tag in foreign content ends it. */
static bool breaks_out(th_tag tag, const th_attribute *attrs, size_t attr_count)
{
    return (rules[tag].kind & BREAKS_OUT) ||
           (tag == TH_TAG_FONT &&
            (th_attribute_find(attrs, attr_count, TH_VIEW("color")) ||
             th_attribute_find(attrs, attr_count, TH_VIEW("face")) ||
             th_attribute_find(attrs, attr_count, TH_VIEW("size"))));
}

/* Returns the innermost element that is HTML or that may contain HTML. */
static uint32_t behind_foreign(const th_open_elements *open)
{
    uint32_t keep = open->count;
    while (keep > 1 && (open->items[keep - 1].kind & TH_ELEMENT_FOREIGN) &&
           !(open->items[keep - 1].kind & TH_ELEMENT_HTML_IN))
        keep--;
    return keep;
}

static uint8_t foreign_kind(th_tag tag)
{
    switch (tag) {
    case TH_TAG_FOREIGNOBJECT:
    case TH_TAG_DESC:
    case TH_TAG_TITLE:
    case TH_TAG_MI:
    case TH_TAG_MN:
    case TH_TAG_MO:
    case TH_TAG_MS:
    case TH_TAG_MTEXT:
        return SCOPE | TH_ELEMENT_FOREIGN | TH_ELEMENT_HTML_IN;
    default:
        return TH_ELEMENT_FOREIGN;
    }
}

/* Whether an element in a table, but not in a cell, becomes a sibling of the table. */
static bool is_fostered(const th_open_elements *open, enum start_rule rule,
                        const th_tree_step *step)
{
    if (step->implied_count || !th_light_tree_is_table_part(top_tag(open, step->keep)))
        return false;
    return rule != CAPTION && rule != COLUMN && rule != ROW && rule != CELL &&
           rule != IN_HEAD && rule != FORM;
}

void th_light_tree_start_by_rule(const th_open_elements *open, th_tag tag,
                                 const th_attribute *attrs, size_t attr_count,
                                 bool is_self_closing, th_tree_step *step)
{
    const struct rule *rule = &rules[tag];
    *step = (th_tree_step){ .keep = open->count,
                            .has_form = open->has_form,
                            .is_element = true };
    if (th_light_tree_is_html(open)) {
        step->stays_open =
            !(rule->kind & EMPTY) && !(rule->start == FOREIGN && is_self_closing);
        step->kind = th_light_tree_kind(tag);
        start_html(open, tag, step);
        step->is_fostered = is_fostered(open, (enum start_rule)rule->start, step);
    } else if (breaks_out(tag, attrs, attr_count)) {
        step->keep = behind_foreign(open);
        step->is_asked_again = true;
    } else {
        step->kind = foreign_kind(tag);
        step->stays_open = !is_self_closing;
    }
}

/* Whether a start tag in BODY only opens its element, in the innermost one. */
static inline bool is_plain_start(const th_open_elements *open, enum start_rule rule)
{
    const th_open_element *top = th_open_top(open);
    if (!open->last_of[TH_TAG_BODY] || (top->kind & TH_ELEMENT_FOREIGN) ||
        th_light_tree_is_table_part(top->tag) || top->tag == TH_TAG_COLGROUP)
        return false;
    switch (rule) {
    case ORDINARY:
    case FORMATTING:
    case IN_PLACE:
    case IN_HEAD:
        return true;
    case ANCHOR:
        return open->formatting_count == open->section;
    case BLOCK:
        return !open->last_of[TH_TAG_P];
    case HEADING:
        return !open->last_of[TH_TAG_P] && !is_heading(top->tag);
    case LIST_ITEM:
        return !open->last_of[TH_TAG_P] &&
               open->items[top->item_stop_at].tag != TH_TAG_LI;
    default:
        return false;
    }
}

bool th_light_tree_start(const th_open_elements *open, th_tag tag,
                         const th_attribute *attrs, size_t attr_count,
                         bool is_self_closing, th_tree_step *step)
{
    const struct rule row = rules[tag];
    const enum start_rule rule = (enum start_rule)row.start;
    if (!is_plain_start(open, rule)) {
        th_light_tree_start_by_rule(open, tag, attrs, attr_count, is_self_closing, step);
        return false;
    }
    const bool is_listed = rule == FORMATTING || rule == ANCHOR;
    *step = (th_tree_step){ .keep = open->count,
                            .has_form = open->has_form,
                            .reopens = is_listed || rule == ORDINARY,
                            .is_element = true,
                            .stays_open = !(row.kind & EMPTY),
                            .is_listed = is_listed,
                            .kind = row.kind & (uint8_t) ~(BREAKS_OUT | EMPTY) };
    return true;
}

/* ---- text -------------------------------------------------------------------------- */

th_tree_step th_light_tree_text(const th_open_elements *open, bool is_blank)
{
    th_tree_step step = { .keep = open->count };
    if (!th_light_tree_is_html(open))
        return step;
    if (!is_blank)
        begin_body(open, &step);
    if (is_in_column_group(open)) {
        step.keep -= !is_blank;
        step.reopens = !is_blank;
        return step;
    }
    step.reopens = !is_blank || (open->last_of[TH_TAG_BODY] &&
                                 !th_light_tree_is_table_part(top_tag(open, step.keep)));
    return step;
}

/* ---- end tags ---------------------------------------------------------------------- */

/* Returns the innermost open element of that tag, and of that name if the tag is
 * unlisted. */
static uint32_t find(const th_open_elements *open, th_tag tag, uint32_t name)
{
    uint32_t at = open->last_of[tag];
    if (tag != TH_TAG_OTHER)
        return at;
    for (unsigned i = 0; at && open->items[at].name != name; i++)
        at = i < NAMES_MAX ? open->items[at].same_at : 0;
    return at;
}

static void end_ordinary(const th_open_elements *open, th_tag tag, uint32_t name,
                         th_tree_step *step)
{
    const uint32_t at = find(open, tag, name);
    if (at && th_open_top(open)->special_at <= at)
        step->keep = at;
}

static void end_listed(const th_open_elements *open, th_tag tag, th_tree_step *step)
{
    const th_formatting *item = th_formatting_find(open, tag);
    if (!item)
        end_ordinary(open, tag, 0, step);
    else if (!item->at || item->at >= th_open_top(open)->scope_at)
        end_formatting(open, item, step);
}

/* Ends only the form. Its content stays open, except in a TEMPLATE. */
static void end_form(const th_open_elements *open, th_tree_step *step)
{
    const uint32_t form = in_scope(open, TH_TAG_FORM);
    if (open->last_of[TH_TAG_TEMPLATE]) {
        if (form)
            step->keep = form;
        return;
    }
    step->has_form = false;
    if (!form || !open->has_form)
        return;
    close_implied(open, step);
    if (top_at(open, step->keep) == form) {
        step->keep = form;
    } else if (step->keep > form) {
        step->ended = form;
        step->ends_alone = true;
    }
}

static void end_html(const th_open_elements *open, th_tag tag, uint32_t name,
                     th_tree_step *step)
{
    uint32_t at = 0;
    switch ((enum end_rule)rules[tag].end) {
    case END_ORDINARY:
        end_ordinary(open, tag, name, step);
        break;
    case END_SCOPED:
        at = in_scope(open, tag);
        break;
    case END_FORMATTING:
        end_listed(open, tag, step);
        break;
    case END_PARAGRAPH:
        close_paragraph(open, step);
        break;
    case END_ITEM:
        at = in_scope(open, tag);
        if (open->last_of[TH_TAG_UL] > at || open->last_of[TH_TAG_OL] > at)
            at = 0;
        break;
    case END_HEADING:
        for (int heading = TH_TAG_H1; heading <= TH_TAG_H6; heading++)
            at = larger(at, in_scope(open, (th_tag)heading));
        break;
    case END_FORM:
        end_form(open, step);
        break;
    case END_TABLE:
        at = open->last_of[tag] >= table_at(open) && table_at(open) ? open->last_of[tag]
                                                                    : 0;
        break;
    case END_ANYWAY:
        at = open->last_of[tag];
        break;
    case END_HEAD:
        at = open->last_of[TH_TAG_BODY] || open->last_of[TH_TAG_TEMPLATE]
                 ? 0
                 : open->last_of[TH_TAG_HEAD];
        break;
    case END_NOTHING:
    default:
        break;
    }
    if (at)
        step->keep = at;
}

bool th_light_tree_ends_top(const th_open_elements *open, th_tag tag, uint32_t name)
{
    const th_open_element *top = th_open_top(open);
    if (top->tag != tag || top->name != name || (top->kind & TH_ELEMENT_FOREIGN))
        return false;
    switch ((enum end_rule)rules[tag].end) {
    case END_FORMATTING:
        return th_formatting_is_last(open);
    case END_TABLE:
        return table_at(open);
    case END_FORM:
    case END_HEAD:
    case END_NOTHING:
        return false;
    default:
        return true; /* nothing between it and itself keeps it open */
    }
}

th_tree_step th_light_tree_end(const th_open_elements *open, th_tag tag, uint32_t name)
{
    th_tree_step step = { .keep = open->count, .has_form = open->has_form };
    const th_open_element *top = th_open_top(open);
    if (!(top->kind & TH_ELEMENT_FOREIGN)) {
        end_html(open, tag, name, &step);
        return step;
    }
    const uint32_t at = find(open, tag, name);
    if (at > top->html_at) {
        step.keep = at;
    } else if (tag == TH_TAG_P || tag == TH_TAG_BR) {
        step.keep = behind_foreign(open);
        step.is_asked_again = step.keep < open->count;
    } else {
        end_html(open, tag, name, &step);
    }
    return step;
}
