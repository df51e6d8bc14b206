/*
 * Whether the attributes of an element hide it from readers. [docs/methods.md#text-model]
 */
#ifndef TH_HIDING_H
#define TH_HIDING_H

#include <stdbool.h>

#include "parse/html/attribute.h"

/**
 * hidden (but for until-found, which a search opens), aria-hidden="true", and an inline
 * style that ends up with display:none or visibility:hidden. Allocates nothing, O(bytes).
 */
bool th_attributes_hide(const th_attribute *attrs, size_t attr_count);

#endif
