/* Reads the records of the files in the queue, also of files that still grow. */
#ifndef TH_SPOOL_READ_H
#define TH_SPOOL_READ_H

#include "spool/spool_work.h"

/**
 * Reads from the current file.
 * @return TH_OK with a batch. TH_END if the file ended without a batch, and is `done` as
 *         far as it goes. TH_PAUSED if no time is left: the next call continues.
 *         TH_NEED_MORE if it cannot be read now. TH_NOMEM.
 */
th_status th_spool_read_batch(th_spool *spool, th_batch *batch);

/** Drops the records that were read and not dispatched, and closes the reader. */
void th_spool_drop_draft(th_spool *spool);

/** Whether the current file has given no record for long enough to report it. */
bool th_spool_is_stuck(const th_spool *spool);

#endif
