/* See the header. */
#include "settings/remote_settings.h"

#include "base/stop.h"

th_remote_options th_settings_remote_options(const th_settings *settings)
{
    const th_remote_settings *remote = &settings->remote;
    return (th_remote_options){ .endpoint = remote->endpoint,
                                .region = remote->region,
                                .path_style = remote->path_style,
                                .credentials = remote->credentials,
                                .ca_file = remote->ca_file,
                                .retries = remote->retries,
                                .unreachable_retries = UINT32_MAX,
                                .backoff_ms = remote->backoff_ms,
                                .connect_ms = remote->connect_ms,
                                .stall_ms = remote->stall_ms,
                                .min_rate = (uint32_t)remote->min_rate,
                                .min_rate_ms = remote->min_rate_ms,
                                .stop = &th_stop_requested };
}

th_remote_options th_settings_remote_of_command(const th_settings *settings,
                                                th_warning_fn on_retry, void *context)
{
    th_remote_options options = th_settings_remote_options(settings);
    options.unreachable_retries = TH_UNREACHABLE_TRIES - 1;
    options.on_retry = on_retry;
    options.retry_context = context;
    return options;
}

th_status th_settings_open_remote(const th_settings *settings, th_warning_fn on_retry,
                                  void *context, th_remote **out, th_error *err)
{
    const th_remote_options options =
        th_settings_remote_of_command(settings, on_retry, context);
    return th_remote_new(&options, out, err);
}
