/* Names that thresher-lab adds to thresher's tables, for the errors of thresher. */
#ifndef TH_LAB_NAMES_H
#define TH_LAB_NAMES_H

#include <stdbool.h>

#include "thresher/view.h"

typedef enum th_lab_part {
    TH_LAB_COMMAND,
    TH_LAB_EVAL_KIND, /* of `eval` */
    TH_LAB_SEGMENTER
} th_lab_part;

enum { TH_LAB_NAMES = 10 }; /* in all */

/** Returns whether only thresher-lab has this name. */
bool th_is_of_lab(th_lab_part part, th_view name);

#endif
