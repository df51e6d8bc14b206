/* From settings to the daemon's parts: which source, which sink, how many workers. */
#ifndef TH_DAEMON_PARTS_H
#define TH_DAEMON_PARTS_H

#include "kafka/kafka_pairing.h"
#include "settings/settings.h"
#include "spool/rolling_file.h"
#include "traffic/stream_sink.h"
#include "traffic/stream_source.h"
#include "traffic/work.h"

/**
 * Returns the compression of output files. "auto" means no compression, because a
 * daemon's files name no suffix.
 */
th_compression th_daemon_compression(const th_settings *settings);

/** Functions that the daemon's parts call. Either may be NULL. */
typedef struct th_daemon_watch {
    th_warning_fn warn;        /* for errors of inputs */
    th_published_fn published; /* for complete output files */
    void *context;             /* of both */
} th_daemon_watch;

/**
 * Opens the input and output of the settings: spool or Kafka in, files or Kafka out, or
 * neither for a daemon that only answers requests.
 * @param settings  borrowed while the parts live
 * @return TH_OK; TH_USAGE when the settings name no input or output, or two, or a
 *         delivery that they do not support; TH_IO; TH_NOMEM
 */
th_status th_daemon_open(const th_settings *settings, const th_work_options *work,
                         const th_daemon_watch *watch, th_stream_source **source,
                         th_stream_sink **sink, th_error *err);

/**
 * The loop of the role of pairs, by the settings, which it borrows.
 * @return as th_kafka_pairing_open
 */
th_status th_daemon_open_pairing(const th_settings *settings, th_warning_fn warn,
                                 void *warn_context, const th_deadline *deadline,
                                 th_kafka_pairing **out, th_error *err);

#endif
