/* An attribute of a tag, as parsers hand it to the page builder. */
#ifndef TH_ATTRIBUTE_H
#define TH_ATTRIBUTE_H

#include "thresher/view.h"

/** An attribute: lower-case name, value with its references resolved; both borrowed. */
typedef struct th_attribute {
    th_view name;
    th_view value; /* {"" , 0} when there is no value */
} th_attribute;

#endif
