/* `thresher serve`: the daemon. Opens source, sink, log, metrics and endpoint, then
 * runs the loop of traffic/serve.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/index_settings.h"
#include "app/manifest.h"
#include "app/program.h"
#include "app/serve_life.h"
#include "app/serve_pairs.h"
#include "app/site_use.h"
#include "base/clock.h"
#include "daemon/daemon_parts.h"
#include "daemon/daemon_places.h"
#include "daemon/descriptors.h"
#include "daemon/endpoint.h"
#include "daemon/extract.h"
#include "daemon/metrics.h"
#include "daemon/notify.h"
#include "daemon/restart_options.h"
#include "daemon/shutdown_timer.h"
#include "isolate/isolation.h"
#include "log/log.h"
#include "settings/settings.h"
#include "thresher/version.h"
#include "traffic/serve.h"

/*
 * drain-ms is divided into twentieths. The traffic may use TRAFFIC_PARTS of them. Source
 * and sink must be closed after LIMIT_PARTS. The rest is for the end of the process.
 */
enum { DRAIN_PARTS = 20, TRAFFIC_PARTS = 15, LIMIT_PARTS = 18, LAST_WORDS_MS = 150 };

/* For closing, however long the traffic may drain. */
enum { CLOSE_MS = 5000 };

/*
 * Settings that workers use; two of them, so that a reload never touches the one in use.
 */
struct generation {
    th_settings settings;
    th_work_options work;
    th_work_options extract; /* of requests */
    th_options extract_page; /* of them */
    th_site_use sites;
    bool is_filled;
};

struct daemon {
    const th_program *program;
    int argc;
    char **argv;
    /* the initial settings, which source and sink borrow */
    th_settings settings;
    struct generation generations[2];
    unsigned current; /* of generations */
    th_log *log;
    th_notify *notify;
    th_metrics_board *board;
    th_endpoint *endpoint;
    th_extract *extract; /* NULL: none */
    th_shutdown_timer *shutdown_timer;
    th_stream_source *source;
    th_stream_sink *sink;
    th_index *index;                 /* NULL: none */
    th_site_use sites;               /* the memory that grows, of all generations */
    th_isolation *isolation;         /* NULL: none */
    th_isolation *extract_isolation; /* of requests; NULL: none */
    th_metrics metrics;              /* of the last turn */
    bool has_started;                /* all parts are open */
    bool is_ready;                   /* said so to the supervisor */
    bool is_stopping;
    bool was_blocked;
    atomic_bool is_settled; /* the traffic has ended, with nothing left */
};

/* Raised by SIGHUP: read the file again. */
static atomic_int reload_requested;

static void request_reload(int signal_number)
{
    (void)signal_number;
    atomic_store(&reload_requested, 1);
}

static void catch_reload(void)
{
    struct sigaction action = { .sa_handler = request_reload, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, NULL);
}

/*
 * Kafka's client has its own event. It writes many lines, and the log's limit on repeated
 * events must not suppress events of the source itself.
 */
static void warn(void *context, const char *line)
{
    const struct daemon *daemon = context;
    const bool is_client = strncmp(line, "kafka ", 6) == 0;
    th_log_event(daemon->log, TH_LOG_WARNING, is_client ? "kafka" : "input",
                 TH_LOG_FIELDS(th_log_string("what", line)));
}

/* Writes the manifest of a complete output file. Its bytes count already, so a failure is
 * only reported. */
static void describe(void *context, const char *name)
{
    const struct daemon *daemon = context;
    const th_settings *settings = &daemon->generations[daemon->current].settings;
    const char *prefix = daemon->settings.daemon.files_prefix;
    char *path = NULL, *manifest_path = NULL;
    th_error err = { .text = "out of memory for a manifest" };
    if (!settings->manifest)
        return;
    th_status status = TH_NOMEM;
    if (asprintf(&path, "%s/%s", daemon->settings.daemon.files_path, name) < 0)
        path = NULL;
    else if (asprintf(&manifest_path, "%s" TH_MANIFEST_SUFFIX, path) < 0)
        manifest_path = NULL;
    else
        status = TH_OK;
    const char *const outputs[] = { path };
    const th_manifest manifest = { .settings = settings,
                                   .outputs = outputs,
                                   .output_count = 1,
                                   .record_files =
                                       strncmp(name, prefix, strlen(prefix)) == 0 };
    if (status == TH_OK)
        status = th_manifest_write(&manifest, manifest_path, &err);
    if (status != TH_OK)
        warn(context, err.text);
    free(manifest_path);
    free(path);
}

static void notice_index(void *context, const char *line)
{
    const struct daemon *daemon = context;
    th_log_event(daemon->log, TH_LOG_WARNING, "index",
                 TH_LOG_FIELDS(th_log_string("what", line)));
}

/* ---- settings ---- */

static th_status read_settings(const struct daemon *daemon, th_settings *settings,
                               th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(settings, daemon->program->segmenters);
    /* getopt reorders argv: each reading gets a copy. */
    char **argv = calloc((size_t)daemon->argc + 1, sizeof *argv);
    if (!argv || status != TH_OK) {
        free(argv);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    memcpy(argv, daemon->argv, (size_t)daemon->argc * sizeof *argv);
    status = th_settings_parse(settings, TH_FOR_SERVE, daemon->argc, argv, &first, err);
    if (status == TH_OK && first < daemon->argc)
        status = th_fail(err, TH_USAGE, "serve takes no INPUT: '%.100s'", argv[first]);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status == TH_OK)
        status = th_settings_check_daemon(settings, true, err);
    if (status == TH_OK)
        status = th_settings_load_models(settings, false, err);
    if (status == TH_OK)
        status = th_settings_load_filter(settings, err);
    free(argv);
    return status;
}

static void fill_work(const struct daemon *daemon, struct generation *generation)
{
    const th_settings *settings = &generation->settings;
    const bool is_kafka = *settings->daemon.kafka_records != '\0';
    generation->work = (th_work_options){
        .page = &settings->page,
        .format = is_kafka ? &th_jsonl_format : th_format_find(settings->format),
        .format_options = { .page = &settings->page,
                            .compression =
                                is_kafka ? TH_PLAIN : th_daemon_compression(settings),
                            .software = TH_SOFTWARE },
        .worker_process = th_isolation_workers(daemon->isolation),
        .memory = daemon->sites.memory,
        .sites = th_site_use_lookup(daemon->sites.memory ? &daemon->sites
                                                         : &generation->sites),
        .index = daemon->index,
        .max_in_flight = settings->max_in_flight,
        .wants_edges = settings->daemon.files_edges || *settings->daemon.kafka_edges,
        .wants_rejects = !is_kafka, /* dead letters are made of pieces */
        .wants_bands = is_kafka && *settings->daemon.kafka_bands,
        .low_bits = settings->daemon.kafka_bands_bits,
        .wants_signed = settings->daemon.kafka_bands_signed,
        .wants_pieces = is_kafka,
    };
    generation->extract = th_extract_work(&generation->work, &generation->extract_page);
    generation->extract.worker_process = th_isolation_workers(daemon->extract_isolation);
}

static th_status use_sites(struct daemon *daemon, th_settings *settings, th_site_use *use,
                           th_error *err)
{
    if (th_site_use_grows(settings)) /* open already, or about to be */
        return th_site_use_signs(settings, err);
    return th_site_use_file(settings, settings->sites.file, warn, daemon, use, err);
}

/* @param restart  gets the options which the file would change and only a restart can */
static th_status read_generation(struct daemon *daemon, struct generation *generation,
                                 th_buffer *restart, th_error *err)
{
    if (generation->is_filled) {
        th_site_use_done(&generation->sites);
        th_settings_done(&generation->settings);
    }
    generation->is_filled = true;
    th_status status = read_settings(daemon, &generation->settings, err);
    if (status == TH_OK)
        th_settings_keep_running(&generation->settings, &daemon->settings, restart);
    if (status == TH_OK)
        status = use_sites(daemon, &generation->settings, &generation->sites, err);
    if (status == TH_OK)
        status = th_settings_fit_index(&generation->settings, daemon->index, err);
    if (status == TH_OK)
        fill_work(daemon, generation);
    return status;
}

/* ---- hooks of the traffic ---- */

static bool should_stop(void *context)
{
    struct daemon *daemon = context;
    if (!atomic_load(&th_stop_requested))
        return false;
    if (!daemon->is_stopping) {
        daemon->is_stopping = true;
        th_notify_stopping(daemon->notify);
        if (daemon->extract)
            th_extract_stop(daemon->extract);
        th_notify_extend(daemon->notify,
                         (daemon->settings.daemon.drain_ms + 1000) * 1000ul);
        th_log_event(daemon->log, TH_LOG_NOTICE, "draining", NULL);
    }
    return true;
}

static void report_reloaded(struct daemon *daemon, const th_buffer *restart)
{
    th_log_event(daemon->log, TH_LOG_NOTICE, "reloaded", NULL);
    if (restart->len)
        th_log_event(daemon->log, TH_LOG_WARNING, "needs_restart",
                     TH_LOG_FIELDS(th_log_string("options", restart->data)));
}

/*
 * An invalid file changes nothing. Settings that cannot change while running keep their
 * values, and are reported with their names.
 */
static const th_work_options *reload(void *context)
{
    struct daemon *daemon = context;
    if (!atomic_exchange(&reload_requested, 0))
        return NULL;
    struct generation *next = &daemon->generations[!daemon->current];
    th_error err = { .text = "" };
    th_buffer restart = { 0 };
    th_notify_reloading(daemon->notify);
    const th_status status = read_generation(daemon, next, &restart, &err);
    th_buffer_append_char(&restart, '\0');
    restart.len -= restart.len > 0;
    if (status == TH_OK) {
        daemon->current = !daemon->current;
        if (daemon->extract)
            th_extract_use(daemon->extract, &next->extract);
        daemon->metrics.reloads++;
        daemon->metrics.last_reload = th_clock_seconds(CLOCK_REALTIME);
        th_log_set_level(daemon->log, th_serve_log_level(&next->settings));
        report_reloaded(daemon, &restart);
    } else {
        daemon->metrics.reloads_failed++;
        th_log_event(daemon->log, TH_LOG_ERROR, "reload_refused",
                     TH_LOG_FIELDS(th_log_string("why", err.text)));
    }
    th_buffer_done(&restart);
    th_notify_ready(daemon->notify);
    return status == TH_OK ? &next->work : NULL;
}

static void report_blocked(struct daemon *daemon, bool is_blocked)
{
    if (is_blocked && !daemon->was_blocked)
        th_log_event(daemon->log, TH_LOG_ERROR, "output_blocked",
                     TH_LOG_FIELDS(th_log_string(
                         "what", "output cannot be made durable; reading pauses")));
    else if (!is_blocked && daemon->was_blocked)
        th_log_event(daemon->log, TH_LOG_NOTICE, "output_resumed", NULL);
    daemon->was_blocked = is_blocked;
}

static void observe_processes(struct daemon *daemon)
{
    const th_isolation *const all[] = { daemon->isolation, daemon->extract_isolation };
    th_metrics *metrics = &daemon->metrics;
    metrics->processes_started = metrics->processes_died = 0;
    for (int i = 0; i < 2; i++)
        if (all[i]) {
            const th_isolation_stats processes = th_isolation_facts_of(all[i]);
            metrics->has_processes = true;
            metrics->processes_started += processes.started;
            metrics->processes_died += processes.died;
        }
}

static void observe(void *context, const th_serve_stats *facts)
{
    struct daemon *daemon = context;
    th_metrics *metrics = &daemon->metrics;
    th_metrics_observe(metrics, facts, th_clock_seconds(CLOCK_MONOTONIC));
    metrics->voided = facts->voided;
    observe_processes(daemon);
    if (*daemon->settings.daemon.kafka_dead_letters) {
        memcpy(metrics->dead_lettered, facts->counts.refused,
               sizeof metrics->dead_lettered);
        metrics->dead_lettered[TH_TOMBSTONE] = 0;
    }
    th_metrics_board_post(daemon->board, metrics);
    report_blocked(daemon, facts->is_blocked);
    if (!daemon->is_ready && facts->source.is_assigned) {
        daemon->is_ready = true;
        th_notify_ready(daemon->notify);
        th_log_event(daemon->log, TH_LOG_NOTICE, "ready",
                     TH_LOG_FIELDS(th_log_string("source", daemon->source->verbs->name),
                                   th_log_string("sink", daemon->sink->verbs->name)));
    }
    char status[128];
    (void)snprintf(status, sizeof status, "%llu records, %llu pages, %llu in flight",
                   (unsigned long long)facts->received,
                   (unsigned long long)facts->counts.emitted,
                   (unsigned long long)facts->in_flight);
    th_notify_status(daemon->notify, status);
    th_notify_watchdog(daemon->notify, facts->counts.read + facts->flushes,
                       facts->in_flight == 0 || facts->is_blocked);
    th_log_tick(daemon->log);
}

/* ---- the limit of the end, on its own thread ---- */

/* Milliseconds for the parts of drain-ms. */
static uint32_t drain_part(const struct daemon *daemon, unsigned parts)
{
    return (uint32_t)(daemon->settings.daemon.drain_ms * (uint64_t)parts / DRAIN_PARTS);
}

static void last_words(void *context)
{
    struct daemon *daemon = context;
    th_metrics metrics = { 0 };
    if (daemon->board)
        th_metrics_board_read(daemon->board, &metrics);
    const bool is_settled = atomic_load(&daemon->is_settled);
    th_log_event(
        daemon->log, TH_LOG_ERROR, "ended_by_limit",
        TH_LOG_FIELDS(
            th_log_string("what", is_settled
                                      ? "all records are completed, but input or output "
                                        "could not be closed before the deadline"
                                      : "records could not be completed before the "
                                        "deadline; they are read again"),
            th_log_uint("unsettled", is_settled ? 0 : metrics.in_flight),
            th_log_string("waited_for", metrics.sink.unready[0]
                                            ? metrics.sink.unready
                                            : metrics.source.unready)));
}

static th_status open_shutdown_timer(struct daemon *daemon, th_error *err)
{
    const th_shutdown_timer_options options = { .stop = &th_stop_requested,
                                                .limit_ms =
                                                    drain_part(daemon, LIMIT_PARTS),
                                                .exit_code = TH_EXIT_RETRY,
                                                .last_words = last_words,
                                                .context = daemon };
    return th_shutdown_timer_new(&options, &daemon->shutdown_timer, err);
}

/* Returns the time left for closing source and sink. */
static int64_t closing_left(void *context)
{
    const struct daemon *daemon = context;
    const int64_t left = th_shutdown_timer_remaining(daemon->shutdown_timer);
    return left > LAST_WORDS_MS ? left - LAST_WORDS_MS : 0;
}

/* ---- hooks of the endpoint, on its own thread ---- */

static void render(void *context, th_buffer *out)
{
    struct daemon *daemon = context;
    th_metrics metrics;
    th_process_stats process;
    th_metrics_board_read(daemon->board, &metrics);
    metrics.has_extract = daemon->extract != NULL;
    if (daemon->extract)
        metrics.extract = th_extract_stats_of(daemon->extract);
    th_process_facts_read(&process);
    th_metrics_render(&metrics, &process, out);
}

/* The loop turns many times a second; a flush may hold it up, but not so long. */
enum { HUNG_SECONDS = 90, SLOW_SECONDS = 10 };

static th_status is_live(void *context, th_error *why)
{
    struct daemon *daemon = context;
    th_metrics metrics;
    th_metrics_board_read(daemon->board, &metrics);
    const double age = th_clock_seconds(CLOCK_MONOTONIC) - metrics.observed_at;
    if (metrics.observed_at > 0 && age > (double)HUNG_SECONDS)
        return th_fail(why, TH_TIME_LIMIT, "the main loop has not run for %.0f s", age);
    return TH_OK;
}

static th_status is_ready(void *context, th_error *why)
{
    struct daemon *daemon = context;
    th_metrics metrics;
    th_metrics_board_read(daemon->board, &metrics);
    const double age = th_clock_seconds(CLOCK_MONOTONIC) - metrics.observed_at;
    if (metrics.sink.unready[0])
        return th_fail(why, TH_BLOCKED, "output: %s", metrics.sink.unready);
    if (metrics.is_blocked)
        return th_fail(why, TH_BLOCKED,
                       "output or index cannot be made durable at present");
    if (metrics.source.unready[0])
        return th_fail(why, TH_NOT_YET, "input: %s", metrics.source.unready);
    if (!metrics.source.is_assigned)
        return th_fail(why, TH_NOT_YET, "input is not assigned yet");
    if (metrics.observed_at > 0 && age > (double)SLOW_SECONDS)
        return th_fail(why, TH_NOT_YET, "the main loop has not run for %.0f s", age);
    return TH_OK;
}

static th_status open_endpoint(struct daemon *daemon, unsigned connections, th_error *err)
{
    const th_endpoint_options options = { .listen = daemon->settings.daemon.listen,
                                          .connections = connections,
                                          .timeout_ms =
                                              daemon->settings.endpoint.timeout_ms,
                                          .extract = daemon->extract };
    const th_endpoint_callbacks callbacks = {
        .context = daemon, .metrics = render, .live = is_live, .ready = is_ready
    };
    if (strcmp(options.listen, "none") == 0)
        return TH_OK;
    return th_endpoint_open(&options, &callbacks, &daemon->endpoint, err);
}

/* ---- life ---- */

static void fit_descriptors(struct daemon *daemon, th_descriptors *descriptors)
{
    char text[256];
    th_descriptors_fit(&daemon->settings, descriptors);
    if (descriptors->limit >= descriptors->needed)
        return;
    (void)snprintf(
        text, sizeof text,
        "the limit of open files is %llu, but up to %llu may be needed; the endpoint "
        "accepts %u connections, and other work waits for a descriptor",
        (unsigned long long)descriptors->limit, (unsigned long long)descriptors->needed,
        descriptors->connections);
    th_log_event(daemon->log, TH_LOG_WARNING, "few_descriptors",
                 TH_LOG_FIELDS(th_log_string("what", text)));
}

static bool has_input(const th_settings *settings)
{
    return *settings->daemon.spool_path || *settings->daemon.kafka_topics;
}

/*
 * The processes use the options of the first generation. A reload does not change them
 * (restart_options.h). After a fork, locks of another thread stay locked. The only other
 * thread, of the end limit, locks nothing that others use (shutdown_timer.h).
 */
static th_status open_isolation(struct daemon *daemon, th_error *err)
{
    const th_settings *settings = &daemon->settings;
    const th_isolation_options options = { .memory = settings->isolation_memory,
                                           .page_ms = settings->isolation_ms };
    struct generation *first = &daemon->generations[0];
    th_status status = TH_OK;
    if (!th_settings_isolate(settings))
        return TH_OK;
    if (has_input(settings))
        status = th_isolation_open(&first->work, &options, &daemon->isolation, err);
    if (status == TH_OK && settings->endpoint.extract)
        status =
            th_isolation_open(&first->extract, &options, &daemon->extract_isolation, err);
    first->work.worker_process = th_isolation_workers(daemon->isolation);
    first->extract.worker_process = th_isolation_workers(daemon->extract_isolation);
    return status;
}

static th_status open_extract(struct daemon *daemon, th_error *err)
{
    const th_settings *settings = &daemon->settings;
    const th_extract_options options = { .work = &daemon->generations[0].extract,
                                         .workers = th_settings_workers(settings),
                                         .queue = settings->endpoint.queue,
                                         .max_body = settings->endpoint.max_body };
    return settings->endpoint.extract ? th_extract_new(&options, &daemon->extract, err)
                                      : TH_OK;
}

static th_status open_all(struct daemon *daemon, th_error *err)
{
    const th_daemon_watch watch = { warn, describe, daemon };
    th_descriptors descriptors = { .limit = 0 };
    th_status status = th_serve_open_log(&daemon->settings, &daemon->log, err);
    if (status == TH_OK)
        status = open_shutdown_timer(daemon, err);
    if (status == TH_OK)
        status = th_daemon_check_places(&daemon->settings, err);
    if (status == TH_OK)
        fit_descriptors(daemon, &descriptors);
    if (status == TH_OK)
        status = th_notify_open(NULL, &daemon->notify, err);
    if (status == TH_OK && !(daemon->board = th_metrics_board_new()))
        status = th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = th_site_use_memory(&daemon->settings, warn, daemon, &daemon->sites, err);
    if (status == TH_OK) { /* which texts are signed depends on it */
        th_site_use use = { .file = NULL };
        status = use_sites(daemon, &daemon->settings, &use, err);
        th_site_use_done(&use);
    }
    if (status == TH_OK)
        status = th_settings_open_index(&daemon->settings, notice_index, daemon,
                                        &daemon->index, err);
    if (status == TH_OK) {
        th_buffer restart = { 0 }; /* the same file, read at the same moment */
        status = read_generation(daemon, &daemon->generations[0], &restart, err);
        th_buffer_done(&restart);
    }
    if (status == TH_OK)
        status = open_isolation(daemon, err);
    if (status == TH_OK)
        status = th_daemon_open(&daemon->settings, &daemon->generations[0].work, &watch,
                                &daemon->source, &daemon->sink, err);
    if (status == TH_OK)
        status = open_extract(daemon, err);
    if (status == TH_OK)
        status = open_endpoint(daemon, descriptors.connections, err);
    return status;
}

static th_status run(struct daemon *daemon, th_error *err)
{
    const th_daemon_settings *settings = &daemon->settings.daemon;
    const th_serve_options options = {
        .workers =
            has_input(&daemon->settings) ? th_settings_workers(&daemon->settings) : 1,
        .flush_ms = settings->flush_ms,
        .flush_results = settings->flush_results,
        .flush_bytes = settings->flush_bytes,
        .drain_ms = drain_part(daemon, TRAFFIC_PARTS),
    };
    const th_serve_hooks hooks = { .context = daemon,
                                   .should_stop = should_stop,
                                   .reload = reload,
                                   .observe = observe };
    daemon->metrics = (th_metrics){ .source_name = daemon->source->verbs->name,
                                    .sink_name = daemon->sink->verbs->name,
                                    .started = th_process_start_time() };
    return th_serve(daemon->source, daemon->sink, &daemon->generations[0].work, &options,
                    &hooks, err);
}

/* Closes parts that may take long. If closing takes too long, no data is left over. */
static void close_parts(struct daemon *daemon)
{
    const th_deadline deadline = { closing_left, daemon };
    const unsigned requests = th_extract_drain(daemon->extract, &deadline);
    if (requests)
        th_log_event(daemon->log, TH_LOG_ERROR, "requests_interrupted",
                     TH_LOG_FIELDS(th_log_uint("requests", requests)));
    th_endpoint_close(daemon->endpoint);
    th_extract_free(daemon->extract);
    if (daemon->sink)
        daemon->sink->deadline = deadline;
    if (daemon->source)
        daemon->source->deadline = deadline;
    if (daemon->sink)
        daemon->sink->verbs->close(daemon->sink);
    if (daemon->source)
        daemon->source->verbs->close(daemon->source);
    th_isolation_close(daemon->isolation);
    th_isolation_close(daemon->extract_isolation);
    th_index_close(daemon->index);
    th_site_use_done(&daemon->sites);
    th_shutdown_timer_free(daemon->shutdown_timer);
}

static void close_rest(struct daemon *daemon)
{
    th_metrics_board_free(daemon->board);
    th_notify_close(daemon->notify);
    th_log_close(daemon->log);
    for (int i = 0; i < 2; i++)
        if (daemon->generations[i].is_filled) {
            th_site_use_done(&daemon->generations[i].sites);
            th_settings_done(&daemon->generations[i].settings);
        }
    th_settings_done(&daemon->settings);
}

static int exit_code(const struct daemon *daemon, th_status status, const th_error *err)
{
    return status == TH_INTERRUPTED && !daemon->has_started
               ? th_complain(err)
               : th_serve_exit_code(status, err, daemon->log, daemon->notify);
}

int th_command_serve(const th_program *program, int argc, char **argv)
{
    struct daemon daemon = { .program = program, .argc = argc, .argv = argv };
    th_error err = { .text = "" };
    catch_reload();
    th_status status = read_settings(&daemon, &daemon.settings, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_SERVE, daemon.settings.help_all);
        th_settings_done(&daemon.settings);
        return TH_EXIT_OK;
    }
    if (status == TH_OK && th_settings_is_of_pairs(&daemon.settings)) {
        const int code = th_serve_pairs(&daemon.settings);
        th_settings_done(&daemon.settings);
        return code;
    }
    if (status == TH_OK)
        status = open_all(&daemon, &err);
    if (status == TH_OK) {
        daemon.has_started = true;
        th_log_event(daemon.log, TH_LOG_NOTICE, "started",
                     TH_LOG_FIELDS(th_log_string("version", TH_VERSION)));
        status = run(&daemon, &err);
    }
    const int code = exit_code(&daemon, status, &err);
    atomic_store(&daemon.is_settled, code == TH_EXIT_OK);
    const uint32_t limit_ms = drain_part(&daemon, LIMIT_PARTS);
    th_shutdown_timer_hurry(daemon.shutdown_timer,
                            limit_ms < CLOSE_MS ? limit_ms : CLOSE_MS,
                            code == TH_EXIT_OK ? TH_EXIT_RETRY : code);
    close_parts(&daemon);
    if (code == TH_EXIT_OK)
        th_log_event(daemon.log, TH_LOG_NOTICE, "ended", NULL);
    if (status == TH_TIMED_OUT)
        _exit(code); /* a part may have left a thread running, and exit would wait for
                      * it */
    close_rest(&daemon);
    return code;
}
