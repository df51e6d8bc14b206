/*
 * Makes results durable, with source and sink. This is the only place that acknowledges
 * input.
 */
#ifndef TH_COMMIT_H
#define TH_COMMIT_H

#include "traffic/stream_sink.h"
#include "traffic/stream_source.h"

/**
 * Flushes the sink with the source's commit token, and acknowledges the commit token.
 * @param mark  goes with the position, so that both are found after a crash; 0: none
 * @return TH_OK if durable and acknowledged. TH_BLOCKED if not possible now: try again,
 *         no data is lost. TH_ABORTED if staged results are void, and the source was
 *         rewound. TH_IO and TH_NOMEM end the daemon
 */
th_status th_commit(th_stream_source *source, th_stream_sink *sink, uint64_t mark,
                    th_error *err);

#endif
