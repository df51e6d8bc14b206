/* The output formats by name. */
#include "write/format.h"

#include <string.h>

/* clang-format off */
const th_format *const th_formats[] = {
    &th_jsonl_format,
    &th_parquet_format,
    &th_warc_format,
    &th_wet_format,
    &th_sig_format,
    &th_fineweb_format,
    &th_dolma_format,
    &th_dolma_attributes_format,
    &th_dclm_format,
    &th_hplt_format,
    &th_opensearch_format,
    NULL,
};
/* clang-format on */

const th_format *th_format_find(const char *name)
{
    for (const th_format *const *format = th_formats; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}
