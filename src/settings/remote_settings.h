/* Stores and servers as the settings say. */
#ifndef TH_REMOTE_SETTINGS_H
#define TH_REMOTE_SETTINGS_H

#include "remote/remote.h"
#include "settings/settings.h"

/* Tries of a command to reach a host whose name is not known or that refuses connections,
 * which is often a typing error. */
enum { TH_UNREACHABLE_TRIES = 3 };

/** How stores are reached; waits end when the program is told to stop. The settings are
 * borrowed while it is used. */
th_remote_options th_settings_remote_options(const th_settings *settings);

/**
 * Readies what reads remote names, for commands that take archives; connects to nothing.
 * @param on_retry  told of each further try; may be NULL
 * @param out       th_remote_free; NULL in a program without libcurl. The settings are
 *                  borrowed while it lives
 * @return TH_OK; TH_USAGE; TH_NOMEM
 */
th_status th_settings_open_remote(const th_settings *settings, th_notice on_retry,
                                  void *context, th_remote **out, th_error *err);

#endif
