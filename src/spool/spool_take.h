/*
 * Takes complete files of the spool in groups, for one line of the ledger each:
 *
 *     scan ─ complete ─► take, lock ─► digest ─► ledger ─► claim ─► queue
 */
#ifndef TH_SPOOL_TAKE_H
#define TH_SPOOL_TAKE_H

#include "spool/spool_work.h"

/**
 * Puts the next complete files in the queue.
 * @return TH_OK; TH_NOT_YET: there is none; TH_PAUSED: the time of this poll is over;
 *         TH_IO, TH_NOMEM
 */
th_status th_spool_find_files(th_spool *spool, th_error *err);

#endif
