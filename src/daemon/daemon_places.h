/*
 * Where the daemon reads and writes. A folder that it writes must not be one that it
 * reads, nor lie below the spool where subfolders are read; the index shares its folder
 * with nothing else; a ledger in the spool must not be named like an archive. What breaks
 * a rule is refused by name, before any file is touched.
 */
#ifndef TH_DAEMON_PLACES_H
#define TH_DAEMON_PLACES_H

#include "settings/settings.h"

/**
 * Checks the places that the settings name, through links.
 * @return TH_OK; TH_USAGE with both uses in err
 */
th_status th_daemon_check_places(const th_settings *settings, th_error *err);

#endif
