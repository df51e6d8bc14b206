/*
 * Finds the TeX of a formula in pictures, in MATH and in scripts. Some pages leave TeX in
 * their text for a script to render. [docs/text.md#formulas]
 */
#ifndef TH_FORMULA_H
#define TH_FORMULA_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/html/class_memo.h"
#include "thresher/arena.h"
#include "thresher/tag.h"

/**
 * Converts TeX to one line, without comments and delimiters, whitespace collapsed.
 * @return a copy in the arena; {"", 0} if it is empty or over TH_TEX_MAX bytes, and
 *         data == NULL without memory
 */
th_view th_formula_tex(th_arena *arena, th_view tex);

/** Whether an IMG shows a formula and has its TeX. @param tex, is_display  set only then;
 * tex is borrowed from the attributes */
bool th_formula_in_image(const th_attribute *attrs, size_t attr_count, th_view *tex,
                         bool *is_display);

/** Returns a copy of the TeX in the attributes of a MATH, or of a SPAN for which
 * th_formula_in_span is true; {"", 0} if none. @param is_display  set always */
th_view th_formula_in_math(th_arena *arena, const th_attribute *attrs, size_t attr_count,
                           bool *is_display);

/** Whether a SPAN has a formula's TeX in an attribute. */
bool th_formula_in_span(const th_attribute *attrs, size_t attr_count);

/** Marks of formulas in the class of a SPAN or DIV. */
enum {
    TH_TEX_WITHIN = 1u << 0, /* "arithmatex", "math": TeX may be in its text */
    /* Its text is TeX, with or without delimiters, as pandoc, Sphinx, arithmatex and
     * CKEditor mark it: */
    TH_TEX_IS_TEXT = 1u << 1,
    TH_TEX_DISPLAYED = 1u << 2, /* and a displayed formula */
};

/** Returns the bits TH_TEX_... of a class attribute. O(its bytes). */
unsigned th_formula_class(th_view classes);

/** Returns the same for the class of a start tag. 0 at once for most. */
static inline unsigned th_formula_in_class(th_class *class)
{
    const char first = th_class_first(class);
    if (first != 'a' && first != 'm' && first != 't')
        return 0;
    th_class_facts *const facts = th_class_facts_of(class);
    if (!(facts->known & TH_KNOWS_TEX)) {
        facts->known |= TH_KNOWS_TEX;
        facts->tex = (uint8_t)th_formula_class(class->words);
    }
    return facts->tex;
}

/** Whether a text has the delimiters of a displayed formula. */
bool th_formula_is_display(th_view text);

/** Whether a SPAN's attributes may have it. [th_attribute_bits] */
static inline bool th_formula_may_be_in_span(uint64_t attr_bits)
{
    return attr_bits & (th_attribute_bit(TH_VIEW("data-tex")) |
                        th_attribute_bit(TH_VIEW("data-latex")));
}

/** Whether a SCRIPT holds a formula in TeX. @param is_display  set only then */
bool th_formula_in_script(const th_attribute *attrs, size_t attr_count, bool *is_display);

/** Whether a SCRIPT loads or configures a renderer of TeX. */
bool th_formula_script_renders(const th_attribute *attrs, size_t attr_count);

/**
 * Whether a raised text is an exponent. A note's mark follows a word or a year. An
 * ordinal or a trademark symbol has letters.
 * @param before  the text of the paragraph before it; not empty
 * @param raised  as far as it was read
 */
bool th_is_exponent(th_view before, th_view raised);

#endif
