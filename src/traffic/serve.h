/* The daemon's traffic: an endless source, workers, a sink, and durable results. */
#ifndef TH_SERVE_H
#define TH_SERVE_H

#include "traffic/pool.h"
#include "traffic/stream_sink.h"
#include "traffic/stream_source.h"

typedef struct th_serve_options {
    unsigned workers;
    uint32_t flush_ms;      /* longest time that results wait to be made durable */
    uint32_t flush_results; /* limit of staged records */
    uint64_t flush_bytes;   /* limit of the bytes of staged results */
    uint32_t drain_ms;      /* limit from the request to stop until th_serve ends */
} th_serve_options;

/**
 * Statistics of a daemon after each turn of its loop. They add up exactly: received =
 * emitted + refused + in flight (staged ones are in flight).
 */
typedef struct th_serve_stats {
    th_counts counts;   /* of results that are durable */
    uint64_t received;  /* records handed to workers, less those made void by a rewind */
    uint64_t in_flight; /* records with workers or staged */
    uint64_t voided;    /* records that a rewind made void; they will be repeated */
    uint64_t flushes, aborts;
    bool is_blocked;
    bool is_draining;
    th_pool_stats pool;
    th_source_stats source;
    th_sink_stats sink;
    bool has_index;
    th_index_stats index;
    bool has_sites;
    th_site_memory_stats sites;
} th_serve_stats;

/** Callbacks of the program. All are called from the traffic thread. */
typedef struct th_serve_hooks {
    void *context;
    /** Whether to end: asked once a turn. */
    bool (*should_stop)(void *context);
    /**
     * Returns new work options after a reload, or NULL if nothing changed; borrowed. They
     * apply to the next batch. Work in flight is finished with the old ones.
     */
    const th_work_options *(*reload)(void *context);
    /** Facts after a turn. */
    void (*observe)(void *context, const th_serve_stats *facts);
} th_serve_hooks;

/**
 * Serves until requested to stop, then drains. Draining reads no more, and finishes,
 * flushes and acknowledges all work in flight, within drain_ms. If the stop was requested
 * before the start, it ends at once. Sets the deadline of source and sink, and resets
 * it ({ 0 }) when it ends.
 * @param work   options of the first workers; borrowed
 * @return TH_OK after an orderly end. TH_TIMED_OUT if the time was over before all was
 *         durable: err contains the rest and the reason, and the rest will be repeated.
 *         TH_USAGE if the sink cannot work as it is configured. TH_IO and TH_NOMEM if
 *         it ended without a stop. Only durable results have been acknowledged
 */
th_status th_serve(th_stream_source *source, th_stream_sink *sink,
                   const th_work_options *work, const th_serve_options *options,
                   const th_serve_hooks *hooks, th_error *err);

#endif
