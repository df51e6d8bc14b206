/*
 * Which files of a spool a living process has: one lock a file, all of them in one hidden
 * file of the spool, so that any number costs one descriptor. They end with the process,
 * however it ends. A file server's other hosts see them where it has locks at all.
 *
 * The file's text lists the ledgers that have claimed files here. So a ledger that was
 * lost can tell whether a claimed file that it does not know may belong to another one.
 */
#ifndef TH_SPOOL_CLAIMS_H
#define TH_SPOOL_CLAIMS_H

#include <stdbool.h>

#include "spool/spool_ledger.h"

/**
 * Opens the claims of a spool and adds a ledger to the list of ledgers in the file.
 * @param owner    host and path of the ledger; one line, which is not empty
 * @param is_sole  receives whether this ledger, and no other one, has claimed files here
 *                 before; false for the file of an earlier version, which has no list
 * @return the descriptor; -1 with errno
 */
int th_spool_claims_open(int dir_fd, const char *owner, bool *is_sole);

/** Says that a file is ours, or no more. Nothing for claims of -1. */
void th_spool_claims_hold(int claims, const th_spool_id *id);
void th_spool_claims_drop(int claims, const th_spool_id *id);

/** Whether another process has the file. */
bool th_spool_claims_are_held(int claims, const th_spool_id *id);

#endif
