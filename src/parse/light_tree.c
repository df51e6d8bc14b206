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

enum {
    SPECIAL = TH_ELEMENT_SPECIAL,
    SCOPE = TH_ELEMENT_SPECIAL | TH_ELEMENT_SCOPE,
    MARKED = TH_ELEMENT_SPECIAL | TH_ELEMENT_SCOPE | TH_ELEMENT_MARKER,
    ITEM_PASSES = TH_ELEMENT_SPECIAL | TH_ELEMENT_PASSES_ITEM,
    STRICT = TH_ELEMENT_STRICT,
    EMPTY = TH_OPENS_EMPTY,
    BREAKS_OUT = 1u << 9, /* ends foreign content [13.2.6.5] */

    /* Elements of unlisted names that an end tag is compared with. */
    NAMES_MAX = 64,
};

/* clang-format off */
const th_tree_rule th_tree_rules[TH_TAG_COUNT] = {
    [TH_TAG_HTML] = { HTML, TH_END_NOTHING, SCOPE | EMPTY },
    [TH_TAG_HEAD] = { HEAD, TH_END_HEAD, SPECIAL | BREAKS_OUT },
    [TH_TAG_BODY] = { BODY, TH_END_NOTHING, SPECIAL | BREAKS_OUT },
    [TH_TAG_FRAMESET] = { FRAMESET, TH_END_SCOPED, SPECIAL },

    [TH_TAG_BASE] = { IN_HEAD, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BASEFONT] = { IN_HEAD, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BGSOUND] = { IN_HEAD, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_LINK] = { IN_HEAD, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_META] = { IN_HEAD, TH_END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_NOFRAMES] = { IN_HEAD, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_NOSCRIPT] = { IN_HEAD, TH_END_ANYWAY, SPECIAL },
    [TH_TAG_SCRIPT] = { IN_HEAD, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_STYLE] = { IN_HEAD, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_TEMPLATE] = { IN_HEAD, TH_END_ANYWAY, MARKED },
    [TH_TAG_TITLE] = { IN_HEAD, TH_END_ORDINARY, SPECIAL },

    [TH_TAG_ADDRESS] = { BLOCK, TH_END_SCOPED, ITEM_PASSES },
    [TH_TAG_ARTICLE] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_ASIDE] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_BLOCKQUOTE] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_CENTER] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_DETAILS] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_DIALOG] = { BLOCK, TH_END_SCOPED, 0 },
    [TH_TAG_DIR] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_DIV] = { BLOCK, TH_END_SCOPED, ITEM_PASSES | BREAKS_OUT },
    [TH_TAG_DL] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_FIELDSET] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_FIGCAPTION] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_FIGURE] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_FOOTER] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_HEADER] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_HGROUP] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_HR] = { THEMATIC_BREAK, TH_END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_LISTING] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_MAIN] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_MENU] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_NAV] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_OL] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_P] = { BLOCK, TH_END_PARAGRAPH, ITEM_PASSES | BREAKS_OUT },
    [TH_TAG_PLAINTEXT] = { BLOCK, TH_END_NOTHING, SPECIAL },
    [TH_TAG_PRE] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_SEARCH] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_SECTION] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_SUMMARY] = { BLOCK, TH_END_SCOPED, SPECIAL },
    [TH_TAG_UL] = { BLOCK, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_XMP] = { BLOCK, TH_END_ORDINARY, SPECIAL },

    [TH_TAG_H1] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H2] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H3] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H4] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H5] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_H6] = { HEADING, TH_END_HEADING, SPECIAL | BREAKS_OUT },
    [TH_TAG_LI] = { LIST_ITEM, TH_END_ITEM, SPECIAL | BREAKS_OUT },
    [TH_TAG_DD] = { DEFINITION, TH_END_SCOPED, SPECIAL | BREAKS_OUT },
    [TH_TAG_DT] = { DEFINITION, TH_END_SCOPED, SPECIAL | BREAKS_OUT },

    [TH_TAG_A] = { ANCHOR, TH_END_FORMATTING, 0 },
    [TH_TAG_B] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_BIG] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_CODE] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_EM] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_FONT] = { FORMATTING, TH_END_FORMATTING, 0 },
    [TH_TAG_I] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_NOBR] = { NOBR, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_S] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_SMALL] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_STRIKE] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_STRONG] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_TT] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_U] = { FORMATTING, TH_END_FORMATTING, BREAKS_OUT },
    [TH_TAG_RUBY] = { ORDINARY, TH_END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SPAN] = { ORDINARY, TH_END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SUB] = { ORDINARY, TH_END_ORDINARY, BREAKS_OUT },
    [TH_TAG_SUP] = { ORDINARY, TH_END_ORDINARY, BREAKS_OUT },
    [TH_TAG_VAR] = { ORDINARY, TH_END_ORDINARY, BREAKS_OUT },

    [TH_TAG_APPLET] = { ORDINARY, TH_END_SCOPED, MARKED },
    [TH_TAG_MARQUEE] = { ORDINARY, TH_END_SCOPED, MARKED },
    [TH_TAG_OBJECT] = { ORDINARY, TH_END_SCOPED, MARKED },
    [TH_TAG_BUTTON] = { BUTTON, TH_END_SCOPED, SPECIAL },
    [TH_TAG_FORM] = { FORM, TH_END_FORM, SPECIAL },
    [TH_TAG_IFRAME] = { IN_PLACE, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_NOEMBED] = { IN_PLACE, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_TEXTAREA] = { IN_PLACE, TH_END_ORDINARY, SPECIAL },
    [TH_TAG_SELECT] = { SELECT, TH_END_SCOPED, SPECIAL },
    [TH_TAG_OPTION] = { OPTION, TH_END_ORDINARY, 0 },
    [TH_TAG_OPTGROUP] = { OPTION_GROUP, TH_END_ORDINARY, 0 },
    [TH_TAG_RB] = { RUBY_BASE, TH_END_ORDINARY, 0 },
    [TH_TAG_RTC] = { RUBY_BASE, TH_END_ORDINARY, 0 },
    [TH_TAG_RP] = { RUBY_TEXT, TH_END_ORDINARY, 0 },
    [TH_TAG_RT] = { RUBY_TEXT, TH_END_ORDINARY, 0 },

    [TH_TAG_AREA] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_BR] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_EMBED] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_IMAGE] = { ORDINARY, TH_END_NOTHING, EMPTY },
    [TH_TAG_IMG] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY | BREAKS_OUT },
    [TH_TAG_INPUT] = { INPUT, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_KEYGEN] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_PARAM] = { IN_PLACE, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_SOURCE] = { IN_PLACE, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_TRACK] = { IN_PLACE, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_WBR] = { ORDINARY, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_FRAME] = { HTML, TH_END_NOTHING, SPECIAL | EMPTY },

    [TH_TAG_TABLE] = { TABLE, TH_END_TABLE, SCOPE | BREAKS_OUT | STRICT },
    [TH_TAG_CAPTION] = { CAPTION, TH_END_TABLE, MARKED },
    [TH_TAG_COLGROUP] = { CAPTION, TH_END_TABLE, SPECIAL | STRICT },
    [TH_TAG_COL] = { COLUMN, TH_END_NOTHING, SPECIAL | EMPTY },
    [TH_TAG_TBODY] = { CAPTION, TH_END_TABLE, SPECIAL | STRICT },
    [TH_TAG_TFOOT] = { CAPTION, TH_END_TABLE, SPECIAL | STRICT },
    [TH_TAG_THEAD] = { CAPTION, TH_END_TABLE, SPECIAL | STRICT },
    [TH_TAG_TR] = { ROW, TH_END_TABLE, SPECIAL | STRICT },
    [TH_TAG_TD] = { CELL, TH_END_TABLE, MARKED },
    [TH_TAG_TH] = { CELL, TH_END_TABLE, MARKED },

    [TH_TAG_SVG] = { FOREIGN, TH_END_ORDINARY, TH_ELEMENT_FOREIGN | STRICT },
    [TH_TAG_MATH] = { FOREIGN, TH_END_ORDINARY, TH_ELEMENT_FOREIGN | STRICT },
};
/* clang-format on */

const uint32_t th_plain_starts[] = {
    [ORDINARY] = TH_OPENS_ELEMENT | TH_OPENS_AGAIN,
    [FORMATTING] = TH_OPENS_ELEMENT | TH_OPENS_AGAIN | TH_OPENS_LISTED,
    [ANCHOR] = TH_OPENS_ELEMENT | TH_OPENS_AGAIN | TH_OPENS_LISTED | TH_NEEDS_NO_LISTED,
    [BLOCK] = TH_OPENS_ELEMENT | TH_NEEDS_NO_P,
    [HEADING] = TH_OPENS_ELEMENT | TH_NEEDS_NO_P | TH_NEEDS_NO_HEADING,
    [LIST_ITEM] = TH_OPENS_ELEMENT | TH_NEEDS_NO_P | TH_NEEDS_NO_ITEM,
    [IN_PLACE] = TH_OPENS_ELEMENT,
    [IN_HEAD] = TH_OPENS_ELEMENT,
    [FOREIGN] = 0, /* like the other rules; it is the last */
};

/* Returns the part of a row's kind that applies to the element, not the tag. */
uint8_t th_light_tree_kind(th_tag tag)
{
    return (uint8_t)th_tree_rules[tag].kind;
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
    const uint32_t table = th_light_tree_table(open);
    if (table && !has_cell(open, table))
        step->keep = table; /* "in table": the table that is open ends */
    else if (!open->has_quirks)
        close_paragraph(open, step);
}

/* Parts of a table. Without a table they make no element. */
static void start_table_part(const th_open_elements *open, enum start_rule rule,
                             th_tree_step *step)
{
    const uint32_t table = th_light_tree_table(open);
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
    const uint32_t table = th_light_tree_table(open);
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
    const enum start_rule rule = (enum start_rule)th_tree_rules[tag].start;
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
        if (th_is_heading(top_tag(open, step->keep)))
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
    return (th_tree_rules[tag].kind & BREAKS_OUT) ||
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
        return SCOPE | STRICT | TH_ELEMENT_FOREIGN | TH_ELEMENT_HTML_IN;
    default:
        return STRICT | TH_ELEMENT_FOREIGN;
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

th_tree_step th_light_tree_start(const th_open_elements *open, th_tag tag,
                                 const th_attribute *attrs, size_t attr_count,
                                 bool is_self_closing)
{
    const th_tree_rule *rule = &th_tree_rules[tag];
    th_tree_step result = { .keep = open->count,
                            .has_form = open->has_form,
                            .is_element = true };
    th_tree_step *const step = &result;
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
    return result;
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
    switch (th_tree_rules[tag].end) {
    case TH_END_ORDINARY:
        end_ordinary(open, tag, name, step);
        break;
    case TH_END_SCOPED:
        at = in_scope(open, tag);
        break;
    case TH_END_FORMATTING:
        end_listed(open, tag, step);
        break;
    case TH_END_PARAGRAPH:
        close_paragraph(open, step);
        break;
    case TH_END_ITEM:
        at = in_scope(open, tag);
        if (open->last_of[TH_TAG_UL] > at || open->last_of[TH_TAG_OL] > at)
            at = 0;
        break;
    case TH_END_HEADING:
        for (int heading = TH_TAG_H1; heading <= TH_TAG_H6; heading++)
            at = larger(at, in_scope(open, (th_tag)heading));
        break;
    case TH_END_FORM:
        end_form(open, step);
        break;
    case TH_END_TABLE:
        at = open->last_of[tag] >= th_light_tree_table(open) && th_light_tree_table(open)
                 ? open->last_of[tag]
                 : 0;
        break;
    case TH_END_ANYWAY:
        at = open->last_of[tag];
        break;
    case TH_END_HEAD:
        at = open->last_of[TH_TAG_BODY] || open->last_of[TH_TAG_TEMPLATE]
                 ? 0
                 : open->last_of[TH_TAG_HEAD];
        break;
    case TH_END_NOTHING:
    default:
        break;
    }
    if (at)
        step->keep = at;
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
