/*
 * Checks the folders of the daemon. It must not write into a folder that it reads, nor
 * into a folder below the spool if subfolders are read. The index must have its own
 * folder. A ledger in the spool must not be named like an archive. A violation fails with
 * an error that names the folder, before any file is touched.
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
