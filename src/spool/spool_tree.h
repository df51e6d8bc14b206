/*
 * The folders of a spool: its own, and the subfolders that crawlers make for each launch
 * (Heritrix: JOB/LAUNCH/warcs). One walk visits each folder once. It follows no links,
 * and skips the folders that the daemon puts files into.
 */
#ifndef TH_SPOOL_TREE_H
#define TH_SPOOL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/* Maximum number of excluded folders. */
enum { TH_SPOOL_EXCLUDED = 4 };

typedef struct th_spool_tree_options {
    const char *dir;     /* the spool */
    bool has_subfolders; /* subfolders are read as well */
    /* paths of folders that are not read, wherever they are; NULL for none. Borrowed */
    const char *excluded[TH_SPOOL_EXCLUDED];
    /* Reports why a folder, a link to one, or a name whose path is too long is not read.
     * Each reason is reported the first time only. */
    void (*warn)(void *context, const char *path, const char *text);
    void *context;
} th_spool_tree_options;

/** Results of the walks so far. Set to zero, with its options set, before the first
 * walk. */
typedef struct th_spool_tree {
    th_spool_tree_options options;
    uint64_t folders;     /* read by the last walk, the spool among them */
    uint64_t passed_over; /* by the last walk, for any such reason but a link */
    uint32_t said;        /* reasons: bits */
} th_spool_tree;

/** Whom a walk tells. Paths are below the spool: "" for the spool itself, "a/b". */
typedef struct th_spool_visitor {
    /* called before the files of the folder */
    void (*folder)(void *context, const char *path);
    th_status (*file)(void *context, const char *path, const char *name);
    void *context;
} th_spool_visitor;

/**
 * Visits all folders. Reports every name that is neither a folder nor hidden.
 * @param dir_fd  descriptor of the spool
 * @return TH_OK. TH_NO_ROOM if no descriptor is free: not everything was reported. TH_IO
 * if the spool itself cannot be read. TH_NOMEM, also from `file`.
 * Cost: O(names), with one descriptor at a time at any depth.
 */
th_status th_spool_tree_walk(th_spool_tree *tree, int dir_fd,
                             const th_spool_visitor *visitor, th_error *err);

#endif
