/* See the header. */
#include "app/serve_life.h"
#include "app/say.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

th_log_level th_serve_log_level(const th_settings *settings)
{
    const th_names names = { th_name_in_array, th_log_level_names };
    const char *name = settings->daemon.log_level;
    return (th_log_level)(TH_LOG_ERROR + th_name_number(&names, name, strlen(name)));
}

th_status th_serve_open_log(const th_settings *settings, th_log **out, th_error *err)
{
    const th_log_options options = {
        .fd = STDERR_FILENO,
        .format = strcmp(settings->daemon.log_format, "json") == 0 ? TH_LOG_JSON
                                                                   : TH_LOG_LOGFMT,
        .level = th_serve_log_level(settings),
    };
    return th_log_open(&options, out, err);
}

int th_serve_exit_code(th_status status, const th_error *err, th_log *log,
                       th_notify *notify)
{
    if (status == TH_OK)
        return TH_EXIT_OK;
    const bool is_of_the_disk = status == TH_IO || status == TH_NO_ROOM;
    th_notify_errno(notify, is_of_the_disk ? EIO : EINVAL);
    if (log)
        th_log_event(log, TH_LOG_ERROR, "failed",
                     TH_LOG_FIELDS(th_log_string("why", err->text)));
    else
        th_say("%s", err->text);
    return status == TH_USAGE || status == TH_DAMAGED ? TH_EXIT_CONFIG
           : is_of_the_disk || status == TH_TIMED_OUT ? TH_EXIT_RETRY
                                                      : TH_EXIT_SOFTWARE;
}
