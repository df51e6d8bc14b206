/* Writes an error message for an unknown name, with the list of known names. */
#include "base/unknown_name.h"

#include <stdio.h>

const char *th_name_in_array(const void *table, size_t i)
{
    const char *const *names = table;
    return names[i];
}

th_status th_fail_unknown(th_error *err, const char *what, th_view name,
                          th_name_at *name_at, const void *table)
{
    char names[sizeof err->text] = "";
    size_t len = 0;
    for (size_t i = 0; name_at(table, i) && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i ? ", " : "",
                                name_at(table, i));
    return th_fail(err, TH_USAGE, "unknown %s '%.*s'; expected one of: %.300s", what,
                   (int)(name.len > 100 ? 100 : name.len), name.data, names);
}
