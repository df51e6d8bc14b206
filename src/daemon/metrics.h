/*
 * The daemon's counts, for Prometheus: plain numbers that the daemon's thread posts and
 * the endpoint's thread reads. [docs/reliability.md#metrics]
 *
 * A scrape sees the state between two turns of the loop, at one moment. So received =
 * emitted + dropped + dead-lettered + in-flight holds in every scrape and not only at
 * rest.
 */
#ifndef TH_METRICS_H
#define TH_METRICS_H

#include "base/buffer.h"
#include "daemon/process_facts.h"
#include "traffic/serve.h"

enum { TH_HISTOGRAM_BOUNDS = 14 };

/** How long things took: counts by upper bound, 1 ms to 60 s. (th_histogram){ 0 } is
 * empty. */
typedef struct th_histogram {
    uint64_t counts[TH_HISTOGRAM_BOUNDS + 1]; /* not cumulative; the last: longer times */
    double sum;                               /* seconds */
} th_histogram;

/** Counts one; negative and not-a-number are 0. O(bounds). */
void th_histogram_observe(th_histogram *histogram, double seconds);

/* Status codes of answers to POST /extract, ascending; ends with 0. */
extern const unsigned th_extract_codes[];
enum { TH_EXTRACT_CODES = 10 };

/** Statistics of POST /extract. All counters are sums since the start. */
typedef struct th_extract_stats {
    uint64_t requests[TH_EXTRACT_CODES]; /* answers, by index into th_extract_codes */
    th_histogram seconds;                /* from a complete request to its answer */
    uint32_t in_progress, limit; /* requests, from their header to the last byte */
    double busy_seconds;         /* of all workers */
} th_extract_stats;

/** One moment of the daemon. All counters are sums since its start. */
typedef struct th_metrics {
    /* running versions; text is borrowed for the life of the metrics, NULL = unknown */
    const char *source_name; /* name of the source's verbs */
    const char *sink_name;   /* name of the sink's verbs */
    const char *libxml2;     /* versions */
    const char *librdkafka;
    bool is_transactional; /* the sink commits transactions */
    double started;        /* th_process_start_time */

    /* Records, as th_serve_stats has them: th_metrics_observe fills these in */
    th_counts counts;       /* of results that are durable */
    uint64_t in_flight;     /* counted separately, not computed from the others */
    th_source_stats source; /* `received` excludes records that a rewind made void */
    th_sink_stats sink;
    th_pool_stats pool;
    bool is_blocked;
    bool has_index;
    th_index_stats index;
    bool has_sites;
    th_site_memory_stats sites;

    /* Part of counts.refused that is kept as dead letters. The others are dropped. */
    uint64_t dead_lettered[TH_STATUS_COUNT];
    /*
     * Records that a rewind made void. source.received is less by this number. They count
     * as dropped, reason "rewound", because a counter must never go back. They will be
     * read again, here or, after a rebalance, elsewhere.
     */
    uint64_t voided;

    bool has_extract; /* POST /extract is on; the endpoint's thread fills in its counts */
    th_extract_stats extract;

    bool has_processes; /* pages are processed in worker processes */
    uint64_t processes_started, processes_died;

    uint64_t reloads, reloads_failed;
    double last_reload; /* seconds since 1970; 0 = never */

    /* Told from the steps between two turns, by th_metrics_observe */
    th_histogram commit_seconds; /* flushes that ended well */
    double backpressure_seconds; /* the source was held back: pool full, sink blocked */
    double observed_at;          /* 0 = never yet */
} th_metrics;

/**
 * Updates the metrics after a turn of the loop, and derives times from the changes: the
 * duration of commits, and the time that the source has been held back.
 * @param now  seconds, from a clock that never goes back
 */
void th_metrics_observe(th_metrics *metrics, const th_serve_stats *facts, double now);

/**
 * Appends the metrics as Prometheus text, format 0.0.4: HELP and TYPE once per name, rows
 * of a name together, labels from closed lists only. Metrics of a source or sink that
 * does not run are omitted.
 * @param process  NULL = without process_*
 * Independent of the locale. Check out->has_failed.
 */
void th_metrics_render(const th_metrics *metrics, const th_process_stats *process,
                       th_buffer *out);

/** Holds a copy of the newest metrics; for several threads at once. */
typedef struct th_metrics_board th_metrics_board;

/** @return NULL without memory */
th_metrics_board *th_metrics_board_new(void);
void th_metrics_board_free(th_metrics_board *board);

/** Copies the metrics to the board (about 2 KiB), once per turn of the loop. */
void th_metrics_board_post(th_metrics_board *board, const th_metrics *metrics);

/** Copies the metrics posted last. Zeros before the first post. */
void th_metrics_board_read(th_metrics_board *board, th_metrics *out);

#endif
