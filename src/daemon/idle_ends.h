/*
 * A source without records, and a sink without output: for a daemon that only answers
 * requests. So its loop, metrics, reload and shutdown are the same.
 */
#ifndef TH_IDLE_ENDS_H
#define TH_IDLE_ENDS_H

#include "traffic/stream_sink.h"
#include "traffic/stream_source.h"

/** Closed by their verbs. TH_OK; TH_NOMEM */
th_status th_idle_ends_open(th_stream_source **source, th_stream_sink **sink,
                            th_error *err);

#endif
