/*
 * The result of a batch, sent by a process that a page may have taken over. So the reader
 * trusts nothing. It checks every length, count, status and place against the batch and
 * the options before any use.
 */
#ifndef TH_RESULT_MESSAGE_H
#define TH_RESULT_MESSAGE_H

#include "traffic/work_result.h"

/**
 * Writes a result, or a part of one.
 * @param status  of the work: TH_OK, or why there is no result
 * @return TH_OK; TH_IO if the reader is gone
 */
th_status th_result_send(int socket, const th_work_result *result, th_status status);

/** How a reader reads: exactly `len` bytes, or not at all (TH_IO: the other end is closed;
 * TH_TIMED_OUT: it took too long). */
typedef th_status (*th_result_read)(void *context, void *bytes, size_t len);

/**
 * Reads a result, and checks it.
 * @param read, context  the source of the message
 * @param first   records of the batch that are in earlier messages
 * @param max    bytes that a message may have
 * @param sum     counts of earlier messages of the batch; the counts of this one are
 *                added
 * @param result  in: options, room (emptied by the caller), batch; out: all other members
 *                are set
 * @return TH_OK. TH_NOMEM if the process or the caller is out of memory. TH_DAMAGED if a
 *         worker cannot have sent this message. Otherwise the status of `read`
 */
th_status th_result_receive(th_result_read read, void *context, uint32_t first,
                            uint64_t max, th_counts *sum, th_work_result *result);

#endif
