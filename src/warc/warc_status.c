/* Names and messages of the statuses and diagnostics, made from the lists in the headers.
 */
#include "warc/warc_status.h"
#include "fail.h"
#include "warc/warc_diag.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} statuses[] = {
#define X(name, text) { #name, text },
    WARC_STATUS_LIST(X)
#undef X
};

static const struct {
    const char *name;
    bool is_damage;
} diags[] = {
#define X(code, name, damage) { name, damage },
    WARC_DIAG_LIST(X)
#undef X
};

const char *warc_status_name(warc_status status)
{
    return (unsigned)status < WARC_STATUS_COUNT ? statuses[status].name : "?";
}

const char *warc_status_text(warc_status status)
{
    return (unsigned)status < WARC_STATUS_COUNT ? statuses[status].text : "?";
}

const char *warc_diag_name(warc_diag_code code)
{
    return (unsigned)code < WARC_DIAG_COUNT ? diags[code].name : "?";
}

bool warc_diag_is_damage(warc_diag_code code)
{
    return (unsigned)code < WARC_DIAG_COUNT && diags[code].is_damage;
}

warc_status warc_fail(warc_error *error, warc_status status, const char *format, ...)
{
    if (error) {
        error->status = status;
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}
