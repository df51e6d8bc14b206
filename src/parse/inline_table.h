/*
 * The inline content of paragraphs, as it streams in: emphasis, code, links, pictures,
 * formulas, the language of code. Recorded only if text_format is not "plain".
 *
 * Style is inherited with the flow (paragraph.h), so a run of text with one style is a
 * row, however its elements are nested. A formula is already text. Its inset records its
 * position.
 */
#ifndef TH_INLINE_TABLE_H
#define TH_INLINE_TABLE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/link_table.h"
#include "parse/paragraph.h"

/** The context of an inset, as in th_flow. */
typedef struct th_inset_place {
    uint32_t node, box;
} th_inset_place;

typedef struct th_inline_table {
    bool is_wanted;     /* otherwise nothing is recorded */
    th_style_run *runs; /* owned, like the next pointers */
    uint32_t run_count, run_capacity;
    th_inset *insets;
    th_inset_place *inset_places; /* of the insets that wait for text */
    uint32_t inset_count, inset_capacity, place_capacity;
    th_code_language *languages;
    uint32_t language_count, language_capacity;
    th_view *names; /* of languages: th_flow.language - 1 */
    uint32_t name_count, name_capacity;
    uint16_t unnamed; /* number of the name for code without one, 0: none */
    th_cell_alignment *alignments;
    uint32_t alignment_count, alignment_capacity;

    th_arena *arena;     /* of the page: owns views */
    bool has_code_ended; /* since the last text */
    th_status status;
} th_inline_table;

void th_inline_table_done(th_inline_table *table);
void th_inline_table_begin(th_inline_table *table, th_arena *arena, bool is_wanted);

/** Returns the TH_STYLE_... that an element of a tag gives to its text, 0 = none. */
extern const uint8_t th_styles[TH_TAG_COUNT];

/** Returns the style in an element. @param around  the style around it */
static inline uint8_t th_inline_style(uint8_t around, th_tag tag)
{
    const uint8_t style = around | th_styles[tag];
    return style & TH_STYLE_CODE ? TH_STYLE_CODE : style; /* code is shown unchanged */
}

/** An element ends: two pieces of code with a space between them are separate. */
static inline void th_inline_end(th_inline_table *table, th_tag tag)
{
    table->has_code_ended |= th_styles[tag] == TH_STYLE_CODE;
}

/** Notes text of the last paragraph. @param start  its latest possible start */
void th_inline_text(th_inline_table *table, const th_paragraph_table *paragraphs,
                    const th_flow *flow, uint32_t start, uint32_t link);

/** Whether th_inline_tag has an effect for a start tag. For most it has none.
 * @param attr_bits  th_attribute_bits of its attributes */
static inline bool th_inline_minds(th_tag tag, uint64_t attr_bits)
{
    switch (tag) {
    case TH_TAG_IMG:
        return true;
    case TH_TAG_TD:
    case TH_TAG_TH:
        return attr_bits &
               (th_attribute_bit(TH_VIEW("style")) | th_attribute_bit(TH_VIEW("align")) |
                th_attribute_bit(TH_VIEW("class")));
    case TH_TAG_P:
    case TH_TAG_SPAN: /* titles of admonitions */
        return attr_bits & th_attribute_bit(TH_VIEW("class"));
    case TH_TAG_DIV:
    case TH_TAG_CODE:
    case TH_TAG_PRE:
    case TH_TAG_FIGURE: /* the language of code */
        return attr_bits & (th_attribute_bit(TH_VIEW("class")) |
                            th_attribute_bit(TH_VIEW("data-lang")) |
                            th_attribute_bit(TH_VIEW("data-language")));
    default:
        return false;
    }
}

/**
 * Processes a start tag that is not TEXTLESS and not inside a TEXTLESS element.
 * @param flow       of the element, whose language it may set. NULL if hidden or void
 * @param text_at    bytes of text before it
 * @param is_spaced  it follows whitespace
 */
void th_inline_tag(th_inline_table *table, const th_paragraph_table *paragraphs,
                   th_link_table *links, th_flow *flow, const th_flow *around, th_tag tag,
                   const th_attribute *attrs, size_t attr_count, uint32_t text_at,
                   bool is_spaced);

/**
 * Marks the last text of the last paragraph as a formula.
 * @param tex  lives as long as the page
 * @param text_at, text_end  its text: the TeX between dollars
 */
void th_inline_math(th_inline_table *table, const th_paragraph_table *paragraphs,
                    th_view tex, bool is_display, uint32_t text_at, uint32_t text_end);

/**
 * Finishes when all paragraphs are known: places insets that waited for text, and decides
 * the language of code that a highlighter marked without a name.
 * @param text  of the page, in which the paragraphs are
 */
void th_inline_table_finish(th_inline_table *table, const th_paragraph_table *paragraphs,
                            const char *text);

/** Notes that the code in an element is highlighted, but its language has no name. */
void th_inline_unnamed_code(th_inline_table *table, th_flow *flow);

#endif
