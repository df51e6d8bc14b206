/*
 * The daemon's log on stderr: one line per event, for machines first and people next.
 *
 *     th_log_event(log, TH_LOG_INFO, "file_done",
 *                  TH_LOG_FIELDS(th_log_view("path", path), th_log_uint("records", n)));
 *
 *     time=2026-11-21T23:44:52.120Z level=info event=file_done path=/in/a.warc records=7
 */
#ifndef TH_LOG_H
#define TH_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

/* syslog's numbers, which the journal reads as <N>. */
typedef enum th_log_level {
    TH_LOG_ERROR = 3,   /* the daemon ends, or loses something until fixed */
    TH_LOG_WARNING = 4, /* the daemon continues, but an operator should know */
    TH_LOG_NOTICE = 5,  /* lifecycle: started, reloaded, draining, ended */
    TH_LOG_INFO = 6,    /* work: a file done, partitions assigned */
    TH_LOG_DEBUG = 7
} th_log_level;

typedef enum th_log_format { TH_LOG_LOGFMT, TH_LOG_JSON } th_log_format;

/** Names of levels, starting with TH_LOG_ERROR, and of formats; each ends with NULL. */
extern const char *const th_log_level_names[];
extern const char *const th_log_format_names[];

enum {
    TH_LOG_FIELDS_MAX = 16, /* of an event; further fields are dropped */
    TH_LOG_EVENTS_MAX = 64, /* names with their own limit; others share one */
    TH_LOG_WINDOW_MS = 10000,
    TH_LOG_BURST = 5 /* lines of one event in a window; others are counted */
};

typedef struct th_log_field {
    const char *key; /* a literal of [a-z0-9_]; NULL ends a list */
    enum { TH_LOG_IS_TEXT, TH_LOG_IS_UINT, TH_LOG_IS_SECONDS } type;
    union {
        th_view text; /* may be foreign bytes: escaped and cut by th_log_text */
        uint64_t number;
        double seconds;
    } value;
} th_log_field;

static inline th_log_field th_log_view(const char *key, th_view text)
{
    return (th_log_field){ .key = key, .type = TH_LOG_IS_TEXT, .value.text = text };
}

/** Returns a text field. @param text  NUL-terminated; NULL is shown as empty */
th_log_field th_log_string(const char *key, const char *text);

static inline th_log_field th_log_uint(const char *key, uint64_t number)
{
    return (th_log_field){ .key = key, .type = TH_LOG_IS_UINT, .value.number = number };
}

/** Returns a field shown with milliseconds: 0.250. Negative numbers and NaN count as
 * 0. */
static inline th_log_field th_log_seconds(const char *key, double seconds)
{
    return (
        th_log_field){ .key = key, .type = TH_LOG_IS_SECONDS, .value.seconds = seconds };
}

/* The fields of an event, on the caller's stack. */
#define TH_LOG_FIELDS(...) ((const th_log_field[]){ __VA_ARGS__, { .key = NULL } })

/** The clock values of a line. */
typedef struct th_log_time {
    uint64_t wall_ms;   /* since 1970, UTC */
    uint64_t steady_ms; /* never decreases; any origin */
} th_log_time;

typedef struct th_log_options {
    int fd; /* 2 in the program; borrowed */
    th_log_format format;
    th_log_level level;                /* less urgent events are not written */
    th_log_time (*now)(void *context); /* NULL for the system's clocks */
    void *now_context;
} th_log_options;

/** A log; thread-safe. */
typedef struct th_log th_log;

/**
 * Opens a log. If JOURNAL_STREAM names the file that `fd` refers to, lines start with the
 * <N> that gives the journal their priority. They have no time, because the journal adds
 * one.
 * @param out  freed by th_log_close
 * @return TH_OK or TH_NOMEM
 */
th_status th_log_open(const th_log_options *options, th_log **out, th_error *err);

/** Sets the level, for example after a reload. */
void th_log_set_level(th_log *log, th_log_level level);

/**
 * Writes one line in one write(2). In each TH_LOG_WINDOW_MS only the first TH_LOG_BURST
 * events of a name are written. The number of others is in `suppressed` of the next line
 * of that name, or is reported by th_log_tick. A line that cannot be written is lost.
 * @param event   a literal of [a-z0-9_], one of a closed list; kept by pointer
 * @param fields  ends with a NULL key; NULL = none; borrowed
 * Allocates nothing. NULL as log is legal and writes nothing.
 */
void th_log_event(th_log *log, th_log_level level, const char *event,
                  const th_log_field *fields);

/** Reports events suppressed in past windows. Call it about once a second. */
void th_log_tick(th_log *log);

/** Reports all suppressed events and frees the log. NULL is legal. */
void th_log_close(th_log *log);

#endif
