/* Opens stores and servers from settings. */
#ifndef TH_REMOTE_SETTINGS_H
#define TH_REMOTE_SETTINGS_H

#include "remote/remote.h"
#include "settings/settings.h"

/*
 * Tries of a command to reach a host that is unknown or refuses connections, which is
 * often a typing error.
 */
enum { TH_UNREACHABLE_TRIES = 3 };

/** How stores are reached; waits end when the program is told to stop. The settings are
 * borrowed while it is used. */
th_remote_options th_settings_remote_options(const th_settings *settings);

/** The same for a command, which does not wait long for an unreachable host. */
th_remote_options th_settings_remote_of_command(const th_settings *settings,
                                                th_warning_fn on_retry, void *context);

/**
 * Prepares to read remote names, for commands that take archives. Does not connect.
 * @param on_retry  called for each retry; may be NULL
 * @param out       freed with th_remote_free; NULL if the program is built without
 *                  libcurl. The settings are borrowed while it lives
 * @return TH_OK; TH_USAGE; TH_NOMEM
 */
th_status th_settings_open_remote(const th_settings *settings, th_warning_fn on_retry,
                                  void *context, th_remote **out, th_error *err);

#endif
