/* Finds a kind of measure. */
#include "eval/eval.h"

#include <string.h>

const th_eval_kind *th_eval_kind_find(const th_eval_kind *const *kinds, const char *name)
{
    for (const th_eval_kind *const *at = kinds; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

void th_eval_output_done(th_eval_output *output)
{
    th_buffer_done(&output->report);
    th_buffer_done(&output->plot);
}
