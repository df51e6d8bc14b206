/* A build without CLD2. */
#include "language/cld2.h"

const bool th_cld2_is_built = false;

const char *th_cld2_version(void)
{
    return NULL;
}

th_status th_cld2_detect(th_view text, const th_cld2_hints *hints, th_languages *out)
{
    (void)text;
    (void)hints;
    *out = (th_languages){ .count = 0 };
    return TH_NOT_WANTED;
}
