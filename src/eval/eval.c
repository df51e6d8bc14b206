/* The kinds of measure. A new one is one file and one line here. */
#include "eval/eval.h"

#include <string.h>

const th_eval_kind *const th_eval_kinds[] = {
    &th_eval_extraction,
    &th_eval_lines,
    &th_eval_segmentation,
    &th_eval_density,
    &th_eval_duplicates,
    &th_eval_features,
    NULL,
};

const th_eval_kind *th_eval_kind_find(const char *name)
{
    for (const th_eval_kind *const *at = th_eval_kinds; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

void th_eval_output_done(th_eval_output *output)
{
    th_buffer_done(&output->report);
    th_buffer_done(&output->plot);
}
