/*
 * Results out to rolling files: the daemon's file output. If the source keeps notes
 * (TH_KEPT_WITH_NOTE), each input record is in exactly one published file, once, even
 * after a crash at any moment. Otherwise it is in the files at least once.
 */
#ifndef TH_ROLLING_SINK_H
#define TH_ROLLING_SINK_H

#include "base/warning.h"
#include "spool/rolling_file.h"
#include "traffic/stream_sink.h"

/* Defaults. */
#define TH_ROLLING_PREFIX "thresher"
enum { TH_ROLLING_BYTES = 1 << 30, TH_ROLLING_MS = 3600 * 1000 };

/** How to write. All borrowed for the sink's life. */
typedef struct th_rolling_sink_options {
    const char *dir;
    const char *prefix;         /* of the names; one process has it to itself */
    const char *suffix;         /* with its dot: ".jsonl.zst", ".warc.gz" */
    const char *rejects_prefix; /* separate files for reject lines; NULL for none */
    const char *rejects_suffix;
    const char *edges_prefix; /* the same for edges of near-duplicates */
    const char *edges_suffix;
    uint64_t roll_bytes; /* a file with this many bytes is published; at least 1 */
    uint64_t roll_ms;    /* a file of this age is published, never if 0 */
    const th_format *format;
    th_format_options format_options; /* as in th_work_options */
    th_warning_fn warn;               /* may be NULL */
    void *warn_context;
    th_published_fn published; /* may be NULL */
    void *published_context;
} th_rolling_sink_options;

/** Fills in the defaults: 1 GiB, 1 hour, "thresher"; dir, format and suffixes remain. */
void th_rolling_sink_options_init(th_rolling_sink_options *options);

/**
 * Opens a sink. Makes the folder if it is missing. Results are kept in memory until
 * the flush.
 * @param out  closed by its close()
 * @return TH_OK; TH_USAGE (another process writes files of that prefix there); TH_IO;
 *         TH_NOMEM
 */
th_status th_rolling_sink_open(const th_rolling_sink_options *options,
                               th_stream_sink **out, th_error *err);

#endif
