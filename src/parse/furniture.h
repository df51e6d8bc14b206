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
#include "parse/html/class_memo.h"
#include "parse/paragraph.h"
#include "thresher/tag.h"

/** Whether th_is_furniture can be true of a start tag. False for most tags.
 * @param first  byte of its class, or 0 */
static inline bool th_may_be_furniture(th_tag tag, char first, bool is_pre)
{
    switch (tag) {
    case TH_TAG_BUTTON:
        return true;
    case TH_TAG_SPAN:
    case TH_TAG_DIV:
    case TH_TAG_A:
    case TH_TAG_PRE:
        return is_pre || first == 'M' || first == 'm' || first == 'b' || first == 'l';
    case TH_TAG_TD:
    case TH_TAG_H1:
    case TH_TAG_H2:
    case TH_TAG_H3:
    case TH_TAG_H4:
    case TH_TAG_H5:
    case TH_TAG_H6:
        return first;
    default:
        return false;
    }
}

/** Whether the element of a start tag and its content is furniture. @param is_pre  it is
 * part of code. O(bytes of its class). */
bool th_is_furniture(th_tag tag, th_class *class, const th_attribute *attrs,
                     size_t attr_count, bool is_pre);

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
int th_code_line_role(th_view classes);

/** Whether th_code_line_role may find a role. @param first  byte of the class, or 0 */
static inline bool th_may_be_code_line(char first)
{
    return first == 'f' || first == 'c' || first == 'l';
}

#endif
