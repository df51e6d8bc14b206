/*
 * The daemon's endless input: one interface for a spool directory and for Kafka topics.
 * src/traffic/serve.c drives it from one thread.
 *
 * A batch that was polled is `done` when its results are staged for output, and
 * acknowledged when they are durable. Until then the source must be able to return it
 * again.
 */
#ifndef TH_STREAM_SOURCE_H
#define TH_STREAM_SOURCE_H

#include <string.h>

#include "base/buffer.h"
#include "base/deadline.h"
#include "ingest/source.h"

/** Size of the text that says why something is not ready, including its NUL. */
enum { TH_REASON_MAX = 200 };

/**
 * A metric that only one kind of source has. All texts are static. Rows with the same name
 * follow each other and differ in the value of their label.
 */
typedef struct th_own_metric {
    const char *name;          /* "spool_files"; its prefix is added */
    const char *type;          /* "counter" or "gauge" */
    const char *help;          /* one sentence */
    const char *label, *value; /* NULL if it has no label */
    size_t offset;             /* in the source's statistics: of a uint64_t or a double */
    bool is_seconds;           /* a double */
} th_own_metric;

enum { TH_OWN_METRICS_MAX = 24 };
#define TH_METRIC_UNKNOWN UINT64_MAX /* a count that is not shown */

/** The metrics of a source, with their present values. */
typedef struct th_own_metrics {
    const th_own_metric *rows; /* static */
    uint32_t count;
    union {
        uint64_t count;
        double seconds;
    } values[TH_OWN_METRICS_MAX];
} th_own_metrics;

/** Sets the metrics to the values in a source's statistics. @param count  at most
 * TH_OWN_METRICS_MAX */
static inline void th_own_metrics_set(th_own_metrics *metrics, const th_own_metric *rows,
                                      uint32_t count, const void *stats)
{
    metrics->rows = rows;
    metrics->count = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(&metrics->values[i], (const char *)stats + rows[i].offset,
               sizeof metrics->values[i]);
}

/** Statistics of a source, for metrics and health. */
typedef struct th_source_stats {
    uint64_t received; /* records returned; repeated ones are counted once */
    uint64_t bytes;    /* of input consumed */
    uint64_t damaged;  /* places where an archive or message is damaged */
    /* Parts of the stored positions that were damaged at the start, so that a later
     * position may be lost. */
    uint64_t positions_damaged;
    bool is_assigned;            /* scanned once, or partitions assigned once: ready */
    char unready[TH_REASON_MAX]; /* reason why reading is not possible now; "" if it is */
    th_own_metrics own;
} th_source_stats;

typedef struct th_stream_source th_stream_source;

/** A source's position, for a sink of the same family to commit. */
typedef struct th_source_position th_source_position;

/**
 * The place that stores a source's position, together with its note or rows, to survive
 * a crash.
 */
typedef enum th_keeping {
    TH_KEPT_WITH_NOTE, /* the source, and a note of the output's with it */
    TH_KEPT_IN_ROWS,   /* the output: rows of progress among its messages */
    TH_KEPT_AS_OFFSETS /* the brokers: offsets of a group, each with a mark */
} th_keeping;

/**
 * The batches that a source returned and that are done. The output must make them
 * durable.
 */
typedef struct th_commit_token {
    th_keeping keeping;
    uint32_t epoch;
    uint64_t mark; /* the daemon's, kept with the position; 0 if there is no mark */
    th_view rows;  /* TH_KEPT_IN_ROWS: of each file key '\t' value '\n' */
    /*
     * TH_KEPT_AS_OFFSETS: the position that an output with transactions commits in them.
     */
    th_source_position *position;
} th_commit_token;

typedef struct th_stream_source_verbs {
    const char *name; /* "spool", "kafka" */
    th_keeping keeping;
    /**
     * Returns the next batch. batch->arena has been reset; batch->epoch is set by the
     * source.
     * @param timeout_ms  longest wait; 0 = look only. Called at least every 100 ms, also
     *                    when `may_read` is false. Then it serves heartbeats and
     *                    rebalances, and returns no batch (back-pressure pauses, never
     *                    stops polling)
     * @return TH_OK; TH_NOT_YET (nothing now); TH_NOMEM; TH_IO (cannot continue: the
     *         daemon ends)
     */
    th_status (*poll)(th_stream_source *source, bool may_read, int timeout_ms,
                      th_batch *batch, th_error *err);
    /** The batch's results are staged, in the order polled. Its epoch is the present one.
     */
    void (*done)(th_stream_source *source, const th_batch *batch);
    /**
     * Makes a commit token for all batches that are done.
     * @param mark  a number of the daemon's that goes with the position; 0 if there is no
     *              mark
     * @param out   its pointers are borrowed until the next call of any verb
     * @return TH_OK; TH_NOMEM
     */
    th_status (*token)(th_stream_source *source, uint64_t mark, th_commit_token *out,
                       th_error *err);
    /**
     * Stores the commit token, which is durable now, so that it survives a crash.
     * @param note  TH_KEPT_WITH_NOTE: the output's data for recovery (lengths of its
     *              files). It is stored in one atomic step with the position: after a
     *              crash either both are found or neither. Absent (data NULL): the note
     *              is unchanged
     * @return TH_OK; TH_NO_ROOM (not stored, try again); TH_IO; TH_NOMEM
     */
    th_status (*acknowledge)(th_stream_source *source, const th_commit_token *token,
                             th_view note, th_error *err);
    /**
     * Returns to the last acknowledged position, in a new epoch. Later batches are void
     * and are returned again. TH_OK; TH_IO, also when the deadline passes; TH_NOMEM.
     */
    th_status (*rewind)(th_stream_source *source, th_error *err);
    /** The present epoch; results of another one are dropped. */
    uint32_t (*epoch)(const th_stream_source *source);
    void (*facts)(th_stream_source *source, th_source_stats *out);
    /**
     * Ends in good order, as far as the deadline allows: leaves the group, frees. Forgets
     * unacknowledged batches.
     */
    void (*close)(th_stream_source *source);

    /* For the output's recovery, one for each way of keeping; the others are NULL. */

    /**
     * Returns, for TH_KEPT_WITH_NOTE, the note of the last acknowledgement, also of an
     * earlier process. "" if there was no note. Borrowed until the next acknowledgement.
     */
    th_view (*note)(const th_stream_source *source);
    /** TH_KEPT_IN_ROWS: restores a row that was found in the output. */
    void (*restore)(th_stream_source *source, th_view key, th_view value);
    /**
     * TH_KEPT_AS_OFFSETS: appends (uint64_t each) the marks stored with the group's
     * offsets, from all members that committed some.
     * @return TH_OK; TH_NO_BROKER: no answer; TH_IO; TH_NOMEM
     */
    th_status (*marks)(th_stream_source *source, th_buffer *out, th_error *err);
} th_stream_source_verbs;

struct th_stream_source {
    const th_stream_source_verbs *verbs;
    /**
     * Set by the daemon. Every wait for another program checks it. When the time is up,
     * the call ends as its description says.
     */
    th_deadline deadline;
    /**
     * Set by the daemon: finishes and flushes work in flight, within limit_ms. A source
     * that must give up partitions calls it from within poll.
     */
    th_status (*settle)(void *context, int limit_ms);
    void *settle_context;
};

#endif
