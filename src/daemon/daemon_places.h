/*
 * Where the daemon reads and writes. What it writes must not lie where it reads, nor two
 * of its folders be one: refused by name, while nothing has been touched.
 */
#ifndef TH_DAEMON_PLACES_H
#define TH_DAEMON_PLACES_H

#include "settings/settings.h"

/**
 * Checks the places that the settings name, through links.
 * @return TH_OK; TH_USAGE with both uses in err; TH_NOMEM
 */
th_status th_daemon_check_places(const th_settings *settings, th_error *err);

#endif
