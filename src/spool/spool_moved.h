/*
 * The files that were moved out of the spool last. A writer may still have one of them
 * open and write on: then it goes back to the spool, where reading continues.
 */
#ifndef TH_SPOOL_MOVED_H
#define TH_SPOOL_MOVED_H

#include "spool/spool_file.h"

/* Files that are remembered. */
enum { TH_SPOOL_MOVED = 4096 };

typedef struct th_spool_moved th_spool_moved;

/** Allocates; NULL if out of memory. Memory is touched as files are remembered. */
th_spool_moved *th_spool_moved_new(void);

/** NULL is legal. */
void th_spool_moved_free(th_spool_moved *moved);

/** Remembers a file, and forgets the oldest if there are TH_SPOOL_MOVED. @param as  its path in the
 * folder that it was moved to */
void th_spool_moved_add(th_spool_moved *moved, const th_spool_file *file, const char *as);

/**
 * Moves files that have grown back to the spool, under the crawler's name or with a
 * number added. Each moved file is forgotten.
 * @param from    descriptor of the folder that they were moved to
 * @param to      descriptor of the spool
 * @param warn  called with each file that has grown; `error` is 0, or why it could not
 *                be moved back
 * One fstatat a file.
 */
void th_spool_moved_look(th_spool_moved *moved, int from, int to,
                         void (*warn)(void *context, const char *name, int error),
                         void *context);

#endif
