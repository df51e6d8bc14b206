/* The index as it was configured: checked, opened, described. */
#ifndef TH_INDEX_SETTINGS_H
#define TH_INDEX_SETTINGS_H

#include "base/warning.h"
#include "index/near_index.h"
#include "settings/settings.h"

/**
 * Opens the index that the settings name.
 * @param warn  called for damage, also while the index is open
 * @param out     NULL if the settings name no index
 * @return TH_OK; TH_USAGE; TH_IO; TH_NOMEM
 */
th_status th_settings_open_index(const th_settings *settings, th_warning_fn warn,
                                 void *warn_context, th_index **out, th_error *err);

/** Whether pages made with these settings can be looked up in an open index; NULL can
 * always. TH_OK or TH_USAGE. */
th_status th_settings_fit_index(const th_settings *settings, const th_index *index,
                                th_error *err);

#endif
