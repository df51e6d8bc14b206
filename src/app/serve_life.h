/* Common parts of both roles of `serve`: logging and shutdown. */
#ifndef TH_SERVE_LIFE_H
#define TH_SERVE_LIFE_H

#include "app/command.h"
#include "daemon/notify.h"
#include "log/log.h"
#include "settings/settings.h"

/* Exit codes of a daemon, by cause, for whoever restarts it.
 * [docs/reliability.md#exit-codes] */
enum { TH_EXIT_CONFIG = 78, TH_EXIT_RETRY = 75 };

th_log_level th_serve_log_level(const th_settings *settings);

/** Opens a log on standard error, with the settings. TH_OK; TH_NOMEM */
th_status th_serve_open_log(const th_settings *settings, th_log **out, th_error *err);

/**
 * Returns the exit code of the daemon, after reporting the reason.
 * @param log, notify  NULL if not open yet
 */
int th_serve_exit_code(th_status status, const th_error *err, th_log *log,
                       th_notify *notify);

#endif
