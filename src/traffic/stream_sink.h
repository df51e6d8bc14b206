/*
 * The daemon's endless output: one interface for rolling files and for Kafka topics.
 * src/traffic/serve.c drives it from one thread.
 */
#ifndef TH_STREAM_SINK_H
#define TH_STREAM_SINK_H

#include "traffic/stream_source.h"
#include "traffic/work_result.h"

/** Statistics of a sink, for metrics and health. */
typedef struct th_sink_stats {
    uint64_t bytes; /* written */
    uint64_t files; /* published */
    uint64_t commits, aborts;
    double commit_seconds;  /* spent in flush */
    uint64_t queue_bytes;   /* produced, not delivered */
    bool is_blocked;        /* disk full, broker gone: source pauses until it is not */
    double blocked_seconds; /* in all */
    char unready[TH_REASON_MAX]; /* reason why writing is not possible now; "" if it is */
    /* Kafka: records too large for their topic, which were cut or omitted. */
    uint64_t cut_records, cut_letters, left_out_letters, left_out_edges;
    uint64_t tombstones; /* Kafka: keys of withdrawn pages, without a value */
} th_sink_stats;

typedef struct th_stream_sink th_stream_sink;

typedef struct th_stream_sink_verbs {
    const char *name; /* "files", "kafka" */
    /**
     * Stages a result. May write, but must not call it durable. Copies the data that it
     * keeps.
     * @return TH_OK; TH_IO (cannot continue); TH_NOMEM
     */
    th_status (*put)(th_stream_sink *sink, const th_work_result *result, th_error *err);
    /**
     * Makes all staged results durable, together with the data of the commit token that must
     * travel with the output. Then the daemon acknowledges the commit token, and reports that
     * with `conclude`. So a crash at any moment loses nothing (and doubles nothing, if
     * the delivery is exactly-once).
     * @param note  out: the note that the acknowledgement must store, for
     *              TH_KEPT_WITH_NOTE. Absent if there is no note. Borrowed until the next
     *              call
     * @return TH_OK. TH_BLOCKED if not possible now, also when the deadline passes: try again,
     *         no data is lost. TH_ABORTED if staged results are void: the source must
     *         rewind. TH_IO and TH_NOMEM end the daemon
     */
    th_status (*flush)(th_stream_sink *sink, const th_commit_token *token, th_view *note,
                       th_error *err);
    /**
     * Receives the result of the acknowledgement. Called once after each flush that was
     * TH_OK.
     * @param acknowledged  TH_NO_ROOM: not now; the next flush must make it possible
     *                      again
     * @param err           the reason; in and out
     * @return TH_OK; TH_BLOCKED for TH_NO_ROOM; TH_IO; any other `acknowledged` as it is
     */
    th_status (*conclude)(th_stream_sink *sink, th_status acknowledged, th_error *err);
    /** Drops all results since the last flush. They are void, and will be put again. */
    void (*drop)(th_stream_sink *sink);
    /**
     * Call at the start, before the first poll. Recovers data of an earlier process, and
     * data that the source keeps for the output. TH_OK; TH_USAGE: the output cannot work
     * as it is configured; TH_IO; TH_NOMEM; TH_INTERRUPTED: the deadline passed.
     */
    th_status (*recover)(th_stream_sink *sink, th_stream_source *source, th_error *err);
    /** Once per loop: serves callbacks, rolls by time. */
    void (*tick)(th_stream_sink *sink);
    void (*facts)(const th_stream_sink *sink, th_sink_stats *out);
    /**
     * Publishes durable data, and frees. If the deadline passed within a call, threads may
     * remain that still use the sink. Then nothing is freed, and the process must end
     * without waiting for them (_exit).
     */
    void (*close)(th_stream_sink *sink);
} th_stream_sink_verbs;

struct th_stream_sink {
    const th_stream_sink_verbs *verbs;
    /** Set by the daemon. Every wait for another program checks it. */
    th_deadline deadline;
    /**
     * Set by recover: the mark that was found, 0 if there is none. If several processes
     * left marks, it is the largest mark that knows_mark accepts.
     */
    uint64_t mark;
    /** Set by the daemon before recover if it uses marks, else NULL. */
    bool (*knows_mark)(const void *context, uint64_t mark);
    const void *mark_context;
};

#endif
