/* Attributes of a tag, as parsers hand them to the page builder. */
#ifndef TH_ATTRIBUTE_H
#define TH_ATTRIBUTE_H

#include <string.h>

#include "thresher/view.h"

/** An attribute: lower-case name, value with its references resolved; both borrowed. */
typedef struct th_attribute {
    th_view name;
    th_view value; /* {"" , 0} when there is no value */
} th_attribute;

/** The first attribute of that lower-case name, NULL when there is none. */
static inline const th_attribute *th_attribute_find(const th_attribute *attrs,
                                                    size_t attr_count, th_view name)
{
    for (size_t i = 0; i < attr_count; i++)
        if (attrs[i].name.len == name.len &&
            memcmp(attrs[i].name.data, name.data, name.len) == 0)
            return &attrs[i];
    return NULL;
}

#endif
