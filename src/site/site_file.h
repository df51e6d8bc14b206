/*
 * The file of a site memory: a snapshot of every site.
 *
 *     head, 64 bytes | sites, concatenated, by number | index: number, offset
 *
 * The file is mapped and read in place. A look-up reads a few entries of the index and
 * one site. Head and index each have a checksum, which is verified on opening. Each site
 * has its own checksum, which is verified at each look-up. So a damaged site affects only
 * itself.
 */
#ifndef TH_SITE_FILE_H
#define TH_SITE_FILE_H

#include <stdbool.h>

#include "base/warning.h"
#include "site/site.h"
#include "site/site_name.h"

typedef struct th_site_file th_site_file;

/**
 * Maps a file.
 * @param warn  called from any thread for the first twenty damaged sites; may be NULL
 * @return TH_OK; TH_ABSENT; TH_IO; TH_DAMAGED if it is truncated, or head or index are
 *         damaged, with the place in err; TH_USAGE if it is not such a file, or has
 *         another version
 * O(sites): the index is read once.
 */
th_status th_site_file_open(const char *path, th_warning_fn warn, void *warn_context,
                            th_site_file **out, th_error *err);
/** NULL is legal. */
void th_site_file_close(th_site_file *file);

/** Returns how its sites are grouped. */
th_site_grouping th_site_file_grouping(const th_site_file *file);
/** Returns whether segments are counted. */
bool th_site_file_has_segments(const th_site_file *file);
uint64_t th_site_file_count(const th_site_file *file);
/** Returns the distinct pages of all sites. */
uint64_t th_site_file_pages(const th_site_file *file);
/** Returns the checksum of index and head; equal files have the same checksum. */
uint64_t th_site_file_checksum(const th_site_file *file);
/** Returns the number of damaged sites found so far. */
uint64_t th_site_file_damaged(const th_site_file *file);

/**
 * Reads every site and verifies its checksum. Call it at the start of a job, so that no
 * page uses a damaged file. The notice reports damaged sites. Cost: one pass over the
 * file.
 * @return TH_OK; TH_DAMAGED with the file and the number of damaged sites in err
 */
th_status th_site_file_verify(th_site_file *file, th_error *err);

/**
 * Finds a site.
 * @return TH_OK; TH_ABSENT; TH_DAMAGED, after a call of the notice
 * Thread-safe. O(log sites + bytes of the site)
 */
th_status th_site_file_find(th_site_file *file, const th_site_name *name, th_site *out);

/** Reads the site at an index in the order of the file, 0 .. count - 1. Returns like
 * th_site_file_find. */
th_status th_site_file_at(th_site_file *file, uint64_t place, th_site *out);

/** Returns the number of the site at an index, even if the site is damaged. */
uint64_t th_site_file_number(const th_site_file *file, uint64_t place);

/* ---- writing ---- */

typedef struct th_site_writer th_site_writer;

/** Starts a file, which appears atomically at th_site_writer_finish. TH_OK; TH_IO;
 * TH_NOMEM. */
th_status th_site_writer_open(const char *path, th_site_grouping grouping,
                              bool has_segments, th_site_writer **out, th_error *err);

/** Appends sites' bytes, as th_site_add makes them. By number, ascending. */
th_status th_site_writer_add(th_site_writer *writer, th_view sites, th_error *err);

th_status th_site_writer_finish(th_site_writer *writer, th_error *err);

/** Frees the writer and removes an unfinished file. NULL is legal. */
void th_site_writer_free(th_site_writer *writer);

#endif
