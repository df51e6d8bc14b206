/* Stores and servers as the settings say. */
#ifndef TH_REMOTE_SETTINGS_H
#define TH_REMOTE_SETTINGS_H

#include "remote/remote.h"
#include "settings/settings.h"

/** How stores are reached; waits end when the program is told to stop. The settings are
 * borrowed while it is used. */
th_remote_options th_settings_remote_options(const th_settings *settings);

/**
 * Readies what reads remote names, for commands that take archives; connects to nothing.
 * @param out  th_remote_free; NULL in a program without libcurl. The settings are borrowed
 *             while it lives
 * @return TH_OK; TH_USAGE; TH_NOMEM
 */
th_status th_settings_open_remote(const th_settings *settings, th_remote **out,
                                  th_error *err);

#endif
