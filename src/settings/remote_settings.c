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
                                .backoff_ms = remote->backoff_ms,
                                .connect_ms = remote->connect_ms,
                                .stall_ms = remote->stall_ms,
                                .stop = &th_stop_requested };
}

th_status th_settings_open_remote(const th_settings *settings, th_remote **out,
                                  th_error *err)
{
    const th_remote_options options = th_settings_remote_options(settings);
    return th_remote_new(&options, out, err);
}
