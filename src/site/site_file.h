/*
 * The file of a site memory: what was known of every site when it was written.
 *
 *     head, 64 bytes | sites, one behind the other, by number | index: number, offset
 *
 * It is mapped and looked into where it lies: a look-up reads a few entries of the index
 * and one site. Head and index have a checksum each, and are checked when it is opened;
 * each site has its own, which is checked at each look-up: a damaged one costs only
 * itself.
 */
#ifndef TH_SITE_FILE_H
#define TH_SITE_FILE_H

#include <stdbool.h>

#include "base/notice.h"
#include "site/site.h"
#include "site/site_name.h"

typedef struct th_site_file th_site_file;

/**
 * Maps a file.
 * @param notice  told of damaged sites, the first twenty; from any thread; may be NULL
 * @return TH_OK; TH_ABSENT; TH_IO; TH_DAMAGED: it is cut, or head or index are damaged,
 *         with the place in err; TH_USAGE: it is no such file, or of another version
 * O(sites): the index is read once.
 */
th_status th_site_file_open(const char *path, th_notice notice, void *notice_context,
                            th_site_file **out, th_error *err);
/** NULL is legal. */
void th_site_file_close(th_site_file *file);

/** How its sites were told apart. */
th_site_grouping th_site_file_grouping(const th_site_file *file);
/** Whether segments were counted, too. */
bool th_site_file_has_segments(const th_site_file *file);
uint64_t th_site_file_count(const th_site_file *file);
/** Distinct pages of all sites. */
uint64_t th_site_file_pages(const th_site_file *file);
/** Checksum of index and head: two files that are the same have the same. */
uint64_t th_site_file_checksum(const th_site_file *file);
/** Damaged sites that were met so far. */
uint64_t th_site_file_damaged(const th_site_file *file);

/**
 * Reads every site and verifies its checksum: at the start of a job, so that no page is
 * made with a damaged file. Damaged sites are told by the notice. Cost: one pass over the
 * file.
 * @return TH_OK; TH_DAMAGED with the file and the number of damaged sites in err
 */
th_status th_site_file_verify(th_site_file *file, th_error *err);

/**
 * Finds a site.
 * @return TH_OK; TH_ABSENT; TH_DAMAGED, which was noticed
 * Any number of threads. O(log sites + bytes of the site)
 */
th_status th_site_file_find(th_site_file *file, const th_site_name *name, th_site *out);

/** The site at a place in the order of the file, 0 .. count - 1. The same statuses. */
th_status th_site_file_at(th_site_file *file, uint64_t place, th_site *out);

/** The number of the site at a place, also where the site is damaged. */
uint64_t th_site_file_number(const th_site_file *file, uint64_t place);

/* ---- writing ---- */

typedef struct th_site_writer th_site_writer;

/** Begins a file, which appears whole at th_site_writer_finish. TH_OK; TH_IO; TH_NOMEM. */
th_status th_site_writer_open(const char *path, th_site_grouping grouping,
                              bool has_segments, th_site_writer **out, th_error *err);

/** Appends sites' bytes, as th_site_add makes them. By number, ascending. */
th_status th_site_writer_add(th_site_writer *writer, th_view sites, th_error *err);

th_status th_site_writer_finish(th_site_writer *writer, th_error *err);

/** Bytes so far. */
uint64_t th_site_writer_len(const th_site_writer *writer);

/** NULL is legal; what was not finished is removed. */
void th_site_writer_free(th_site_writer *writer);

#endif
