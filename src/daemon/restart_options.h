/* What of a configuration that is read again only a restart can change. */
#ifndef TH_RESTART_OPTIONS_H
#define TH_RESTART_OPTIONS_H

#include "settings/settings.h"

/**
 * Gives `next` the running values of all options that only a restart can change, so that
 * what runs on stays of one piece.
 * @param running  outlives `next`: it borrows its strings
 * @param names    the keys of those that `next` would have changed are appended, with
 *                 commas between
 */
void th_settings_keep_running(th_settings *next, const th_settings *running,
                              th_buffer *names);

#endif
