/*
 * Results out, without end: where the daemon writes. Rolling files or Kafka topics behind
 * one interface; src/serve.c drives it from one thread.
 */
#ifndef TH_OUTLET_H
#define TH_OUTLET_H

#include "intake.h"
#include "work_result.h"

/** What an outlet knows of itself, for metrics and health. */
typedef struct th_outlet_facts {
    uint64_t bytes; /* written */
    uint64_t files; /* published */
    uint64_t commits, aborts;
    double commit_seconds;  /* spent in flush */
    uint64_t queue_bytes;   /* produced, not delivered */
    bool is_blocked;        /* disk full, broker gone: intake pauses until it is not */
    double blocked_seconds; /* in all */
    char unready[TH_REASON_MAX]; /* why nothing can be written now; "": it can */
    /* Kafka: larger than their topic takes, and so cut, or left out. */
    uint64_t cut_records, cut_letters, left_out_letters, left_out_edges;
} th_outlet_facts;

typedef struct th_outlet th_outlet;
struct th_outlet {
    const char *name; /* "files", "kafka" */
    /** Set by the daemon: every wait for another program asks it. */
    th_patience patience;
    /**
     * A number that becomes durable in one step with what was put: set before flush, 0:
     * none; after recover the one that was found, 0 where there is none. Where several
     * processes leave theirs it is the largest that knows_mark says is ours.
     */
    uint64_t mark;
    /** Set by the daemon before recover, where it has marks; NULL: it has none. */
    bool (*knows_mark)(const void *context, uint64_t mark);
    const void *mark_context;
    /**
     * Stages a result; may write, must not call it durable. Copies what it keeps.
     * @return TH_OK; TH_IO (cannot go on); TH_NOMEM
     */
    th_status (*put)(th_outlet *outlet, const th_work_result *result, th_error *err);
    /**
     * Makes all that was put durable, then has the intake acknowledge it, so that a crash
     * at any moment loses nothing (and doubles nothing, where the delivery says
     * exactly-once).
     * @return TH_OK; TH_BLOCKED (not now: try again, nothing is lost; also when
     * patience ends);
     * TH_ABORTED (what was staged is void, the intake has been rewound);
     * TH_IO (end)
     */
    th_status (*flush)(th_outlet *outlet, th_intake *intake, th_error *err);
    /** What was put since the last flush is void: it comes again. */
    void (*drop)(th_outlet *outlet);
    /** At start, before the first poll: takes up what an earlier life left. TH_OK; TH_IO;
     * TH_INTERRUPTED: patience ended. */
    th_status (*recover)(th_outlet *outlet, th_intake *intake, th_error *err);
    /** Once per loop: serves callbacks, rolls by time. */
    void (*tick)(th_outlet *outlet);
    void (*facts)(const th_outlet *outlet, th_outlet_facts *out);
    /** Publishes what is durable, and frees. Where patience ended within a call, threads may
     * be left behind that still use the outlet: then nothing is freed, and the process is to
     * end without waiting for them (_exit). */
    void (*close)(th_outlet *outlet);
};

#endif
