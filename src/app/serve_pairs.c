/* Log, endpoint and supervisor around the loop of kafka/kafka_pairing.h. */
#include "app/serve_pairs.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "app/serve_life.h"
#include "base/clock.h"
#include "daemon/daemon_parts.h"
#include "daemon/endpoint.h"
#include "daemon/pairing_metrics.h"
#include "daemon/shutdown_timer.h"
#include "thresher/version.h"

/*
 * Parts of drain-ms, in twentieths: the time to close, and the time until the process
 * ends.
 */
enum { DRAIN_PARTS = 20, LIMIT_PARTS = 18, HUNG_SECONDS = 90, SLOW_SECONDS = 10 };

struct pairs_daemon {
    const th_settings *settings;
    th_log *log;
    th_notify *notify;
    th_endpoint *endpoint;
    th_shutdown_timer *shutdown_timer;
    th_kafka_pairing *pairing;
    th_deadline deadline;
    double started;
    bool is_ready;
    pthread_mutex_t lock; /* guards what follows: the endpoint's thread reads it */
    th_kafka_pairing_stats facts;
    double observed; /* seconds; 0: never yet */
};

static void warn(void *context, const char *line)
{
    const struct pairs_daemon *daemon = context;
    const bool is_client = strncmp(line, "kafka ", 6) == 0;
    th_log_event(daemon->log, TH_LOG_WARNING, is_client ? "kafka" : "input",
                 TH_LOG_FIELDS(th_log_string("what", line)));
}

static int64_t time_left(void *context)
{
    const struct pairs_daemon *daemon = context;
    return th_shutdown_timer_remaining(daemon->shutdown_timer);
}

static void last_words(void *context)
{
    const struct pairs_daemon *daemon = context;
    th_log_event(
        daemon->log, TH_LOG_ERROR, "ended_by_limit",
        TH_LOG_FIELDS(th_log_string(
            "what",
            "records could not be completed before the deadline; they are read again")));
}

/* ---- the endpoint, on its own thread ---- */

static th_kafka_pairing_stats facts_of(struct pairs_daemon *daemon, double *age)
{
    pthread_mutex_lock(&daemon->lock);
    const th_kafka_pairing_stats facts = daemon->facts;
    const double observed = daemon->observed;
    pthread_mutex_unlock(&daemon->lock);
    *age = observed > 0 ? th_clock_seconds(CLOCK_MONOTONIC) - observed : 0;
    return facts;
}

static void render(void *context, th_buffer *out)
{
    struct pairs_daemon *daemon = context;
    th_process_stats process;
    double age;
    const th_kafka_pairing_stats facts = facts_of(daemon, &age);
    th_process_facts_read(&process);
    th_pairing_metrics_render(&facts, &process, daemon->started, out);
}

static th_status is_live(void *context, th_error *why)
{
    double age;
    (void)facts_of(context, &age);
    return age > (double)HUNG_SECONDS
               ? th_fail(why, TH_TIME_LIMIT, "the main loop has not run for %.0f s", age)
               : TH_OK;
}

static th_status is_ready(void *context, th_error *why)
{
    double age;
    const th_kafka_pairing_stats facts = facts_of(context, &age);
    if (facts.unready[0])
        return th_fail(why, TH_NOT_YET, "%s", facts.unready);
    if (!facts.is_assigned)
        return th_fail(why, TH_NOT_YET, "partitions are not assigned yet");
    if (facts.rebuilding)
        return th_fail(why, TH_NOT_YET, "%u of %u partitions are still being rebuilt",
                       facts.rebuilding, facts.partitions);
    if (age > (double)SLOW_SECONDS)
        return th_fail(why, TH_NOT_YET, "the main loop has not run for %.0f s", age);
    return TH_OK;
}

/* ---- the loop ---- */

static void report_ready(struct pairs_daemon *daemon, const th_kafka_pairing_stats *facts)
{
    if (daemon->is_ready || !facts->is_assigned || facts->rebuilding)
        return;
    daemon->is_ready = true;
    th_notify_ready(daemon->notify);
    th_log_event(daemon->log, TH_LOG_NOTICE, "ready",
                 TH_LOG_FIELDS(th_log_string("role", "pairs"),
                               th_log_uint("partitions", facts->partitions),
                               th_log_uint("records", facts->records),
                               th_log_uint("bytes", facts->bytes)));
}

static void observe(struct pairs_daemon *daemon)
{
    th_kafka_pairing_stats facts;
    char status[128];
    th_kafka_pairing_stats_of(daemon->pairing, &facts);
    pthread_mutex_lock(&daemon->lock);
    daemon->facts = facts;
    daemon->observed = th_clock_seconds(CLOCK_MONOTONIC);
    pthread_mutex_unlock(&daemon->lock);
    report_ready(daemon, &facts);
    (void)snprintf(status, sizeof status, "%llu messages, %llu edges, %u partitions",
                   (unsigned long long)facts.messages, (unsigned long long)facts.edges,
                   facts.partitions);
    th_notify_status(daemon->notify, status);
    th_notify_watchdog(daemon->notify, facts.messages + facts.commits, true);
    th_log_tick(daemon->log);
}

static th_status run(struct pairs_daemon *daemon, th_error *err)
{
    th_status status = TH_OK;
    while (status == TH_OK && !atomic_load(&th_stop_requested)) {
        status = th_kafka_pairing_turn(daemon->pairing, err);
        observe(daemon);
    }
    if (status != TH_OK)
        return status;
    th_notify_stopping(daemon->notify);
    th_log_event(daemon->log, TH_LOG_NOTICE, "draining", NULL);
    status = th_kafka_pairing_settle(daemon->pairing, err);
    observe(daemon);
    return status;
}

/* ---- life ---- */

static uint32_t limit_ms(const th_settings *settings)
{
    return (uint32_t)(settings->daemon.drain_ms * (uint64_t)LIMIT_PARTS / DRAIN_PARTS);
}

static th_status open_all(struct pairs_daemon *daemon, th_error *err)
{
    const th_shutdown_timer_options limit = { .stop = &th_stop_requested,
                                              .limit_ms = limit_ms(daemon->settings),
                                              .exit_code = TH_EXIT_RETRY,
                                              .last_words = last_words,
                                              .context = daemon };
    const th_endpoint_options listen = { .listen = daemon->settings->daemon.listen };
    const th_endpoint_callbacks callbacks = {
        .context = daemon, .metrics = render, .live = is_live, .ready = is_ready
    };
    th_status status = th_serve_open_log(daemon->settings, &daemon->log, err);
    if (status == TH_OK)
        status = th_shutdown_timer_new(&limit, &daemon->shutdown_timer, err);
    if (status == TH_OK)
        status = th_notify_open(NULL, &daemon->notify, err);
    if (status == TH_OK && strcmp(listen.listen, "none") != 0)
        status = th_endpoint_open(&listen, &callbacks, &daemon->endpoint, err);
    if (status == TH_OK)
        status = th_daemon_open_pairing(daemon->settings, warn, daemon, &daemon->deadline,
                                        &daemon->pairing, err);
    return status;
}

int th_serve_pairs(const th_settings *settings)
{
    struct pairs_daemon daemon = { .settings = settings,
                                   .started = th_process_start_time() };
    th_error err = { .text = "" };
    daemon.deadline = (th_deadline){ time_left, &daemon };
    pthread_mutex_init(&daemon.lock, NULL);
    th_status status = open_all(&daemon, &err);
    if (status == TH_OK) {
        th_log_event(daemon.log, TH_LOG_NOTICE, "started",
                     TH_LOG_FIELDS(th_log_string("version", TH_VERSION)));
        status = run(&daemon, &err);
    }
    if (status == TH_INTERRUPTED)
        status = TH_OK; /* told to end before it could begin */
    const int code = th_serve_exit_code(status, &err, daemon.log, daemon.notify);
    th_shutdown_timer_hurry(daemon.shutdown_timer, limit_ms(settings),
                            code == TH_EXIT_OK ? TH_EXIT_RETRY : code);
    th_endpoint_close(daemon.endpoint);
    th_kafka_pairing_close(daemon.pairing);
    th_shutdown_timer_free(daemon.shutdown_timer);
    if (code == TH_EXIT_OK)
        th_log_event(daemon.log, TH_LOG_NOTICE, "ended", NULL);
    th_notify_close(daemon.notify);
    th_log_close(daemon.log);
    pthread_mutex_destroy(&daemon.lock);
    return code;
}
