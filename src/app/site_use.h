/* From settings to a site memory that pages are looked up in. */
#ifndef TH_SITE_USE_H
#define TH_SITE_USE_H

#include "settings/settings.h"
#include "site/site_file.h"
#include "site/site_memory.h"
#include "site/site_recall.h"

/** A site memory in use. { 0 } if none is used. */
typedef struct th_site_use {
    th_site_file *file;     /* owned; NULL if not used */
    th_site_memory *memory; /* the same; grows with the pages */
    th_site_lookup lookup;  /* into the file */
} th_site_use;

/**
 * Opens a file of sites. Enables the signing of `distinct` if there is a file and the
 * rule requires it, and disables it otherwise.
 * @param settings  its page and sites members are changed
 * @param path      "" if there is no file
 * @return TH_OK; TH_USAGE: only `distinct` must be signed, and cannot be; otherwise as
 *         th_site_file_open
 */
th_status th_site_use_file(th_settings *settings, const char *path, th_warning_fn warn,
                           void *warn_context, th_site_use *out, th_error *err);

/**
 * Opens the memory that sites.path names, in the same way. Does nothing if there is no
 * path.
 * @return TH_OK; TH_USAGE; otherwise as th_site_memory_open
 */
th_status th_site_use_memory(th_settings *settings, th_warning_fn warn,
                             void *warn_context, th_site_use *out, th_error *err);

/** Whether the settings require the memory. If so, do not use th_site_use_file. */
bool th_site_use_grows(const th_settings *settings);

/** Lets `distinct` be signed, or not, as with a memory that is open elsewhere. TH_OK or
 * TH_USAGE. */
th_status th_site_use_signs(th_settings *settings, th_error *err);

/** Returns the lookup that workers use. NULL if not open. */
const th_site_lookup *th_site_use_lookup(const th_site_use *use);

void th_site_use_done(th_site_use *use);

#endif
