/*
 * Whether the attributes of an element hide it from readers. [docs/methods.md#text-model]
 */
#ifndef TH_HIDING_H
#define TH_HIDING_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "thresher/tag.h"

/**
 * Whether an element has `hidden` (except until-found, which a search opens),
 * aria-hidden="true", or an inline style that results in display:none or
 * visibility:hidden. Allocates nothing, O(bytes).
 */
bool th_attributes_hide(const th_attribute *attrs, size_t attr_count);

/** Whether attributes with names of these bits may hide. [th_attribute_bits] */
static inline bool th_names_may_hide(uint64_t bits)
{
    return bits &
           (th_attribute_bit(TH_VIEW("style")) | th_attribute_bit(TH_VIEW("hidden")) |
            th_attribute_bit(TH_VIEW("aria-hidden")));
}

/**
 * Whether the content of a hidden element may be shown later, as the text of an accordion
 * or a tab. Dialogs, alerts, status lines, tooltips, menus and list boxes do not count,
 * because they respond to a reader's actions. The caller does not check inline elements,
 * because they hide words meant for other readers.
 */
bool th_hidden_may_be_content(th_tag tag, const th_attribute *attrs, size_t attr_count);

#endif
