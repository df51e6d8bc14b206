/*
 * Elements that page generators add and that are not part of a page's text: line numbers
 * next to code, "Copy" buttons, hidden lines of a code sample, labels of code blocks,
 * symbols that link a heading to itself. [docs/text.md#what-is-hidden]
 *
 * Each rule names classes of a generator or highlighter, and a context in which they have
 * that meaning.
 */
#ifndef TH_FURNITURE_H
#define TH_FURNITURE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/paragraph.h"
#include "thresher/tag.h"

/** Whether th_is_furniture can be true of a start tag. False for most tags. */
static inline bool th_may_be_furniture(th_tag tag, uint64_t attr_bits, bool is_pre)
{
    const uint64_t class_bit = th_attribute_bit(TH_VIEW("class"));
    switch (tag) {
    case TH_TAG_BUTTON:
        return true;
    case TH_TAG_SPAN:
    case TH_TAG_DIV:
    case TH_TAG_A:
        return attr_bits &
               (is_pre ? class_bit | th_attribute_bit(TH_VIEW("style")) : class_bit);
    case TH_TAG_TD:
    case TH_TAG_PRE:
    case TH_TAG_H1:
    case TH_TAG_H2:
    case TH_TAG_H3:
    case TH_TAG_H4:
    case TH_TAG_H5:
    case TH_TAG_H6:
        return attr_bits & class_bit;
    default:
        return false;
    }
}

/** Whether the element of a start tag and its content is furniture. @param is_pre  it is
 * part of code. O(bytes of its class). */
bool th_is_furniture(th_tag tag, const th_attribute *attrs, size_t attr_count,
                     bool is_pre);

/** Whether a link's text is only a symbol for the link: "¶", or "#" in a heading. */
bool th_is_permalink_sign(th_view text, bool is_heading);

/** Whether a text in a link only states where it opens: "(opens new window)". */
bool th_is_link_note(th_view text);

/** Roles of a DIV around lines of code, by its class. */
enum {
    TH_NO_CODE_LINES,
    TH_DOXYGEN_CODE,  /* "fragment": its children "line" are lines of code */
    TH_CONTAINER,     /* "container": its children "line number1" are */
    TH_CODE_LINE,     /* "line" */
    TH_NUMBERED_LINE, /* "line number1": of SyntaxHighlighter */
};
int th_code_line_role(const th_attribute *attrs, size_t attr_count);

#endif
