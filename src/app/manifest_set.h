/*
 * The manifests of folders, for `thresher summary`: their outputs as a list of SHA-256
 * sums, or as a description in Croissant 1.1 with fields of its extension for responsible
 * AI. [https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html]
 */
#ifndef TH_MANIFEST_SET_H
#define TH_MANIFEST_SET_H

#include "thresher/status.h"

/** Facts about a data set that no manifest has. NULL: not stated. All are borrowed. */
typedef struct th_data_set {
    const char *name;
    const char *license; /* URL, or an SPDX name */
    const char *url;     /* of its page */
    const char *date;    /* of its publication: YYYY-MM-DD */
    const char *creator;
} th_data_set;

typedef struct th_manifest_set th_manifest_set;

/** Creates an empty set. NULL if out of memory. Free it with th_manifest_set_free(). */
th_manifest_set *th_manifest_set_new(void);

/**
 * Adds all files NAME.manifest.json of a folder, in the order of their names.
 * @return TH_OK; TH_IO if the folder or a manifest cannot be read; TH_USAGE if a file is
 *         not a manifest of this version; TH_NOMEM
 */
th_status th_manifest_set_add(th_manifest_set *set, const char *folder, th_error *err);

/** Prints one line per output, as sha256sum does: the path is FOLDER/NAME. */
th_status th_manifest_set_sums(const th_manifest_set *set, th_error *err);

/**
 * Prints the description to stdout.
 * @return TH_OK; TH_USAGE if there is no output; TH_NOMEM
 */
th_status th_manifest_set_croissant(const th_manifest_set *set, const th_data_set *about,
                                    th_error *err);

/** NULL is allowed. */
void th_manifest_set_free(th_manifest_set *set);

#endif
