/*
 * The folders of a spool: its own, and those below it, which crawlers make for each
 * launch (Heritrix: JOB/LAUNCH/warcs). One walk visits each folder once, none through a
 * link, and none of those that the daemon puts files into.
 */
#ifndef TH_SPOOL_TREE_H
#define TH_SPOOL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/* Excluded folders, at most. */
enum { TH_SPOOL_EXCLUDED = 4 };

typedef struct th_spool_tree_options {
    const char *dir;     /* the spool */
    bool has_subfolders; /* those below are read, too */
    /* paths of folders that are not read, wherever they are; NULL: none. Borrowed */
    const char *excluded[TH_SPOOL_EXCLUDED];
    /* Says why a folder, a link to one, or a name whose path is too long is not read;
     * each reason the first time only. */
    void (*notice)(void *context, const char *path, const char *text);
    void *context;
} th_spool_tree_options;

/** What the walks have found so far. Zeroed, with its options set, before the first. */
typedef struct th_spool_tree {
    th_spool_tree_options options;
    uint64_t folders;     /* read by the last walk, the spool among them */
    uint64_t passed_over; /* by the last walk, for any such reason but a link */
    uint32_t said;        /* reasons: bits */
} th_spool_tree;

/** Whom a walk tells. Paths are below the spool: "" for the spool itself, "a/b". */
typedef struct th_spool_visitor {
    void (*folder)(void *context, const char *path); /* before its files are told */
    th_status (*file)(void *context, const char *path, const char *name);
    void *context;
} th_spool_visitor;

/**
 * Visits all folders; tells of all that is neither a folder nor a hidden name.
 * @param dir_fd  descriptor of the spool
 * @return TH_OK; TH_NO_ROOM (no descriptor is free: not everything was told); TH_IO (the
 *         spool itself cannot be read); TH_NOMEM, also of `file`
 * One descriptor at a time, whatever the depth. O(names).
 */
th_status th_spool_tree_walk(th_spool_tree *tree, int dir_fd,
                             const th_spool_visitor *visitor, th_error *err);

#endif
