/*
 * Puts the index's answers for a batch into its records. Only this part of a record
 * depends on the records before it. So it is done in input order, by one thread at a
 * time, after the workers and before the bytes are written.
 */
#ifndef TH_NEAR_DUPLICATE_H
#define TH_NEAR_DUPLICATE_H

#include "traffic/work_result.h"

/**
 * Appends the index's entry for a page, and notes the position of the member
 * near_duplicate in the formatted record. Called by a worker.
 * @param start  of the record in buffers->pages
 * @param at     place in buffers->pages after which the member belongs; 0 if it has no place
 * @return TH_OK or TH_NOMEM
 */
th_status th_near_duplicate_query(const th_work_options *options,
                                  const th_annotated *annotated, uint32_t record,
                                  size_t at, th_work_buffers *buffers);

/**
 * Whether a room's data for the index is complete: places in the pages, in order, and an
 * entry for each. For rooms that another process filled.
 * @param record_count  of the batch
 */
bool th_near_duplicate_fits(const th_work_options *options,
                            const th_work_buffers *buffers, uint32_t record_count);

/**
 * Looks the batch's pages up, writes what was found into their records, and compresses
 * them if the worker did not. Called in input order. Does nothing without an index.
 * @param result  changed in place: pages, pieces, counts, edges
 * @return TH_OK or TH_NOMEM
 */
th_status th_near_duplicate_settle(th_work_result *result, th_error *err);

#endif
