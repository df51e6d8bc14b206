/*
 * Which files of a spool a living process has: one lock a file, all of them in one hidden
 * file of the spool, so that any number costs one descriptor. They end with the process,
 * however it ends. A file server's other hosts see them where it has locks at all.
 */
#ifndef TH_SPOOL_CLAIMS_H
#define TH_SPOOL_CLAIMS_H

#include <stdbool.h>

#include "spool/spool_ledger.h"

/** Opens the claims of a spool. @return the descriptor; -1 with errno */
int th_spool_claims_open(int dir_fd);

/** Says that a file is ours, or no more. Nothing for claims of -1. */
void th_spool_claims_hold(int claims, const th_spool_id *id);
void th_spool_claims_drop(int claims, const th_spool_id *id);

/** Whether another process has the file. */
bool th_spool_claims_are_held(int claims, const th_spool_id *id);

#endif
