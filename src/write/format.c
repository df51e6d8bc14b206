/* The output formats by name. */
#include "write/format.h"

#include <string.h>

#define ROW(name) &(name),
const th_format *const th_formats[] = { TH_FORMATS(ROW) NULL };
#undef ROW

const th_format *th_format_find(const char *name)
{
    if (strcmp(name, TH_FORMAT_AUTO) == 0)
        return th_formats[0];
    for (const th_format *const *format = th_formats; *format; format++)
        if (strcmp((*format)->name, name) == 0)
            return *format;
    return NULL;
}
