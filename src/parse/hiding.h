/*
 * Whether the attributes of an element hide it from readers. [docs/methods.md#text-model]
 */
#ifndef TH_HIDING_H
#define TH_HIDING_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "thresher/tag.h"

/**
 * hidden (but for until-found, which a search opens), aria-hidden="true", and an inline
 * style that ends up with display:none or visibility:hidden. Allocates nothing, O(bytes).
 */
bool th_attributes_hide(const th_attribute *attrs, size_t attr_count);

/**
 * Whether what a hidden element holds is shown in time, as an accordion's text or a tab's:
 * that may be content. What only answers a reader never is: dialogs, tooltips, menus that
 * open. Elements of a line are not asked: they hide a word for other readers.
 */
bool th_hidden_may_be_content(th_tag tag, const th_attribute *attrs, size_t attr_count);

#endif
