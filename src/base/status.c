/* Names and messages of statuses. */
#include "thresher/status.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} statuses[] = {
#define ROW(symbol, name, text) { name, text },
    TH_STATUS_LIST(ROW)
#undef ROW
};

const char *th_status_name(th_status status)
{
    return (unsigned)status < TH_STATUS_COUNT ? statuses[status].name : "unknown";
}

const char *th_status_text(th_status status)
{
    return (unsigned)status < TH_STATUS_COUNT ? statuses[status].text : "unknown status";
}

int th_status_is_refusal(th_status status)
{
    return status >= TH_NOT_A_PAGE && status <= TH_BAD_WARC;
}

th_status th_fail(th_error *err, th_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        (void)vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}
