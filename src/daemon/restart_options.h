/* Options of a reloaded configuration that only a restart can change. */
#ifndef TH_RESTART_OPTIONS_H
#define TH_RESTART_OPTIONS_H

#include "settings/settings.h"

/**
 * Gives `next` the running values of all options that only a restart can change, so that
 * the running options stay consistent.
 * @param running  must outlive `next`, which borrows its strings
 * @param names    the keys of options that `next` would have changed are appended,
 *                 separated by commas
 */
void th_settings_keep_running(th_settings *next, const th_settings *running,
                              th_buffer *names);

#endif
