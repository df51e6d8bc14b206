/* The list. unit.lab.lab_names compares it with the tables of both programs. */
#include "methods/lab_names.h"

#include <stddef.h>

#include "base/ascii.h"

static const struct {
    th_lab_part part;
    const char *name;
} names[TH_LAB_NAMES] = {
    { TH_LAB_COMMAND, "reproduce" },      { TH_LAB_COMMAND, "train" },
    { TH_LAB_EVAL_KIND, "segmentation" }, { TH_LAB_EVAL_KIND, "density" },
    { TH_LAB_EVAL_KIND, "features" },     { TH_LAB_SEGMENTER, "word-wrap" },
    { TH_LAB_SEGMENTER, "tag-gap" },      { TH_LAB_SEGMENTER, "dom-cohesion" },
    { TH_LAB_SEGMENTER, "gcuts" },        { TH_LAB_SEGMENTER, "cclus" },
};

bool th_is_of_lab(th_lab_part part, th_view name)
{
    for (size_t i = 0; i < TH_LAB_NAMES; i++)
        if (names[i].part == part && th_view_is(name, names[i].name))
            return true;
    return false;
}
