/* The daemon's traffic: an intake without end, workers, an outlet, and what is durable.
 */
#ifndef TH_SERVE_H
#define TH_SERVE_H

#include "traffic/intake.h"
#include "traffic/outlet.h"
#include "traffic/pool.h"

typedef struct th_serve_options {
    unsigned workers;
    uint32_t flush_ms;      /* longest time that results wait to be made durable */
    uint32_t flush_results; /* records staged at most */
    uint64_t flush_bytes;   /* bytes of results staged at most */
    uint32_t drain_ms;      /* from being told to stop to th_serve's end, at most */
} th_serve_options;

/** What a daemon knows of itself after each turn of its loop; adds up exactly:
 *  received = emitted + refused + in flight (staged ones are in flight). */
typedef struct th_serve_facts {
    th_counts counts;   /* of results that are durable */
    uint64_t received;  /* records handed to workers, less those made void by a rewind */
    uint64_t in_flight; /* records with workers or staged */
    uint64_t voided;    /* records that a rewind made void: they come again */
    uint64_t flushes, aborts;
    bool is_blocked;
    bool is_draining;
    th_pool_facts pool;
    th_intake_facts intake;
    th_outlet_facts outlet;
    bool has_index;
    th_index_facts index;
    bool has_sites;
    th_site_memory_facts sites;
} th_serve_facts;

/** What the program has a say in. All are called from the traffic thread. */
typedef struct th_serve_hooks {
    void *context;
    /** Whether to end: asked once a turn. */
    bool (*should_stop)(void *context);
    /** New work options after a reload, NULL when nothing has changed; borrowed. They are
     * in force for the next batch; what is under way is finished with the old ones. */
    const th_work_options *(*reload)(void *context);
    /** Facts after a turn. */
    void (*observe)(void *context, const th_serve_facts *facts);
} th_serve_hooks;

/**
 * Serves until told to stop, then drains: no further reading, all under way is finished,
 * flushed and acknowledged, within drain_ms. Told to stop before it began, it ends at
 * once. Sets the patience of intake and outlet, and takes it back ({ 0 }) when it ends.
 * @param work   options of the first workers; borrowed
 * @return TH_OK after an orderly end; TH_TIMED_OUT: time was over before all was durable,
 * what was not and why is in err, and it comes again; TH_USAGE: the outlet cannot work as
 * it is configured; TH_IO, TH_NOMEM: an end by itself.
 * Nothing that was not durable has been acknowledged
 */
th_status th_serve(th_intake *intake, th_outlet *outlet, const th_work_options *work,
                   const th_serve_options *options, const th_serve_hooks *hooks,
                   th_error *err);

#endif
