/*
 * Finds the complete files of a spool directory: docs/reliability.md#spool (1), (2), (4).
 *
 * Crawlers mark complete files in different ways, or not at all. A name is offered when
 * it fits the patterns, does not mean "unfinished", and one of these holds:
 *   - it came by a rename, `settle_ms` ago
 *   - it was closed by its writer, `quiet_ms` ago
 *   - two looks at it, `settle_ms` or more apart, found the same size and time, and it is
 *     older than `min_age_ms`
 *
 * A last look at that name, just before, must find it unchanged (Heritrix gives a broken
 * file its final name for a moment). inotify only shows earlier where to look: the next
 * rescan finds a file that inotify does not report.
 *
 * A name is a file's path below the spool. Patterns are for its last part.
 */
#ifndef TH_SPOOL_SCAN_H
#define TH_SPOOL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "spool/spool_file.h"
#include "spool/spool_tree.h"

typedef struct th_spool_scan_options {
    const char *dir;
    const char *patterns; /* of names, as fnmatch's, separated by spaces; borrowed */
    uint32_t settle_ms, quiet_ms, min_age_ms;
    uint32_t rescan_ms;  /* between two looks at the whole folder */
    uint64_t stale_ms;   /* an .open file older than this is counted as stale */
    bool has_subfolders; /* folders below are read too; excluded ones are not */
    const char *excluded[TH_SPOOL_EXCLUDED]; /* as in spool_tree.h; borrowed */
    /* Told of folders that are not read, and why; `name` is below the spool, "" is it */
    void (*warn)(void *context, const char *name, const char *text);
    void *context;
} th_spool_scan_options;

typedef struct th_spool_scan th_spool_scan;

/** Opens the folder; looks at nothing yet. Returns TH_OK, TH_IO, or TH_NOMEM. Without
 * inotify it relies on looking at the folders. */
th_status th_spool_scan_open(const th_spool_scan_options *options, th_spool_scan **out,
                             th_error *err);

/** NULL is legal. */
void th_spool_scan_close(th_spool_scan *scan);

/** Descriptor of the folder, for the *at calls; borrowed. */
int th_spool_scan_dir(const th_spool_scan *scan);

/** Handles the inotify events, and looks at all folders when it is time. Returns TH_OK,
 * also if no descriptor is free (the next look is later); TH_IO if the spool cannot be
 * read; or TH_NOMEM. Cost: O(files) for a look. */
th_status th_spool_scan_step(th_spool_scan *scan, th_error *err);

/** A file that looks complete. */
typedef struct th_spool_offer {
    char present[TH_SPOOL_PRESENT]; /* path below the spool, as it is called now */
    bool is_claimed;                /* it ends with TH_SPOOL_CLAIMED */
    bool was_held;                  /* th_spool_scan_hold held it, and it is unchanged */
    uint64_t device, inode;
} th_spool_offer;

/**
 * The next complete file, by name. It is not offered again before it changes, except
 * claimed ones (NAME.processing), which are offered at each look at the whole folder, and
 * held ones.
 * @return false when there is none now
 * All files together: O(files).
 */
bool th_spool_scan_next(th_spool_scan *scan, th_spool_offer *offer);

/** The file that was offered last could not be taken now: offer it again later, when it
 * still looks complete. */
void th_spool_scan_later(th_spool_scan *scan);

/**
 * Holds a file, which may be new to the scan. The file counts as waiting, and is offered
 * again after `delay_ms`, or when it changes or its writer closes it.
 */
void th_spool_scan_hold(th_spool_scan *scan, const char *present, uint32_t delay_ms);

/** Looks at all folders with the next step. */
void th_spool_scan_hurry(th_spool_scan *scan);

/** How many looks at all folders have been finished. */
uint64_t th_spool_scan_looks(const th_spool_scan *scan);

/** Calls `visit` with device and inode of each file of the last look. */
void th_spool_scan_visit(const th_spool_scan *scan,
                         void (*visit)(void *context, uint64_t device, uint64_t inode),
                         void *context);

/** Waits for news, or until the next file may be complete, at most `timeout_ms`. */
void th_spool_scan_wait(const th_spool_scan *scan, int timeout_ms);

typedef struct th_spool_scan_stats {
    uint64_t pending;     /* fit the patterns, not offered yet, not held */
    uint64_t waiting;     /* held */
    uint64_t claimed;     /* NAME.processing, whoever's */
    uint64_t open, stale; /* .open files, and .open files without a writer */
    uint64_t folders, folders_passed_over; /* at the last look; the spool is one */
    double oldest_pending_seconds;         /* since the last write */
    bool is_scanned;                       /* everything has been looked at once */
} th_spool_scan_stats;

/** Fills `out`. O(files), at most each 100 ms if there are many. */
void th_spool_scan_facts_get(th_spool_scan *scan, th_spool_scan_stats *out);

#endif
