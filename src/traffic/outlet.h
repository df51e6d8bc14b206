/*
 * Results out, without end: where the daemon writes. Rolling files or Kafka topics behind
 * one interface; src/traffic/serve.c drives it from one thread.
 */
#ifndef TH_OUTLET_H
#define TH_OUTLET_H

#include "traffic/intake.h"
#include "traffic/work_result.h"

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
    uint64_t tombstones; /* Kafka: keys of withdrawn pages, without a value */
} th_outlet_facts;

typedef struct th_outlet th_outlet;

typedef struct th_outlet_verbs {
    const char *name; /* "files", "kafka" */
    /**
     * Stages a result; may write, must not call it durable. Copies what it keeps.
     * @return TH_OK; TH_IO (cannot go on); TH_NOMEM
     */
    th_status (*put)(th_outlet *outlet, const th_work_result *result, th_error *err);
    /**
     * Makes all that was put durable, and with it what the receipt says must travel with
     * the output. Then the daemon acknowledges the receipt, and tells by `conclude`: so a
     * crash at any moment loses nothing (and doubles nothing, where the delivery says
     * exactly-once).
     * @param note  out: what the acknowledgement is to remember, for TH_KEPT_WITH_NOTE;
     * absent: nothing; borrowed until the next call
     * @return TH_OK; TH_BLOCKED (not now: try again, nothing is lost; also when patience
     * ends); TH_ABORTED (what was staged is void: the intake is to rewind); TH_IO,
     * TH_NOMEM (the daemon ends)
     */
    th_status (*flush)(th_outlet *outlet, const th_receipt *receipt, th_view *note,
                       th_error *err);
    /**
     * How the acknowledgement of what was flushed ended: once after each flush that was
     * TH_OK.
     * @param acknowledged  TH_NO_ROOM: not now; the next flush is to make it possible
     *                      again
     * @param err           why so; in and out
     * @return TH_OK; TH_BLOCKED for TH_NO_ROOM; TH_IO; any other `acknowledged` as it is
     */
    th_status (*conclude)(th_outlet *outlet, th_status acknowledged, th_error *err);
    /** What was put since the last flush is void: it comes again. */
    void (*drop)(th_outlet *outlet);
    /** At start, before the first poll: takes up what an earlier process left, and from
     * the intake what it keeps for the output. TH_OK; TH_USAGE: the output cannot work as
     * it is configured; TH_IO; TH_NOMEM; TH_INTERRUPTED: patience ended. */
    th_status (*recover)(th_outlet *outlet, th_intake *intake, th_error *err);
    /** Once per loop: serves callbacks, rolls by time. */
    void (*tick)(th_outlet *outlet);
    void (*facts)(const th_outlet *outlet, th_outlet_facts *out);
    /** Publishes what is durable, and frees. Where patience ended within a call, threads
     * may be left behind that still use the outlet: then nothing is freed, and the
     * process is to end without waiting for them (_exit). */
    void (*close)(th_outlet *outlet);
} th_outlet_verbs;

struct th_outlet {
    const th_outlet_verbs *verbs;
    /** Set by the daemon: every wait for another program asks it. */
    th_patience patience;
    /** Set by recover: the mark that was found, 0 where there is none. Where several
     * processes leave theirs it is the largest that knows_mark says is ours. */
    uint64_t mark;
    /** Set by the daemon before recover, where it has marks; NULL: it has none. */
    bool (*knows_mark)(const void *context, uint64_t mark);
    const void *mark_context;
};

#endif
