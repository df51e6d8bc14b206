/*
 * Prometheus text. Numbers without labels are in one table. Each metric with labels has a
 * function. Names follow docs/reliability.md#metrics. Metrics without a true value are
 * omitted, not shown as zero.
 */
#include "daemon/metrics.h"

#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/metric_text.h"
#include "thresher/version.h"

#define PREFIX "thresher_"

/* Upper bounds, seconds: fsync and a transaction on a quiet broker take milliseconds, a
 * coordinator's retry 0.5 s, a broker that is away its time-out of up to 60 s. */
static const struct {
    double seconds;
    const char *text;
} bounds[TH_HISTOGRAM_BOUNDS] = {
    { 0.001, "0.001" }, { 0.0025, "0.0025" }, { 0.005, "0.005" }, { 0.01, "0.01" },
    { 0.025, "0.025" }, { 0.05, "0.05" },     { 0.1, "0.1" },     { 0.25, "0.25" },
    { 0.5, "0.5" },     { 1, "1" },           { 2.5, "2.5" },     { 5, "5" },
    { 10, "10" },       { 60, "60" },
};

const unsigned th_extract_codes[] = {
    200, 400, 405, 406, 411, 413, 415, 422, 500, 503, 0
};

void th_histogram_observe(th_histogram *histogram, double seconds)
{
    size_t i = 0;
    const double took = seconds > 0 ? seconds : 0;
    while (i < TH_HISTOGRAM_BOUNDS && took > bounds[i].seconds)
        i++;
    histogram->counts[i]++;
    histogram->sum += took;
}

static bool is_held_back(const th_metrics *metrics)
{
    const th_pool_stats *const pool = &metrics->pool;
    return metrics->is_blocked || (pool->limit && pool->in_flight >= pool->limit);
}

/* A turn usually flushes once; of several flushes only the mean time is known. */
static void observe_commits(th_metrics *metrics, const th_sink_stats *now)
{
    const th_sink_stats *const before = &metrics->sink;
    if (now->commits <= before->commits)
        return;
    const uint64_t commits = now->commits - before->commits;
    const double took = (now->commit_seconds - before->commit_seconds) / (double)commits;
    for (uint64_t i = 0; i < commits; i++)
        th_histogram_observe(&metrics->commit_seconds, took);
}

void th_metrics_observe(th_metrics *metrics, const th_serve_stats *facts, double now)
{
    observe_commits(metrics, &facts->sink);
    if (metrics->observed_at > 0 && now > metrics->observed_at && is_held_back(metrics))
        metrics->backpressure_seconds += now - metrics->observed_at;
    metrics->observed_at = now;
    metrics->counts = facts->counts;
    metrics->in_flight = facts->in_flight;
    metrics->source = facts->source;
    metrics->source.received = facts->received;
    metrics->sink = facts->sink;
    metrics->pool = facts->pool;
    metrics->has_index = facts->has_index;
    metrics->index = facts->index;
    metrics->has_sites = facts->has_sites;
    metrics->sites = facts->sites;
    metrics->is_blocked = facts->is_blocked;
}

/* ---- numbers without labels ---- */

/* Condition for a row to mean something. */
enum need { ALWAYS, WITH_FILES, WITH_RELOAD };

/* clang-format off */
#define AT(field) offsetof(th_metrics, field)
static const struct scalar {
    const char *name, *type;
    enum { COUNT, SMALL, SECONDS } kind;
    size_t offset;
    enum need need;
    const char *help;
} scalars[] = {
    { PREFIX "records_in_flight", "gauge", COUNT, AT(in_flight), ALWAYS,
      "Records received that are neither emitted nor refused yet." },
    { PREFIX "archive_damaged_members_total", "counter", COUNT, AT(source.damaged), ALWAYS,
      "Damaged places in archives and messages." },
    { PREFIX "worker_busy_seconds_total", "counter", SECONDS, AT(pool.busy_seconds), ALWAYS,
      "Time that workers spent on batches, summed over all workers." },
    { PREFIX "workers", "gauge", SMALL, AT(pool.workers), ALWAYS,
      "Worker threads." },
    { PREFIX "backpressure_seconds_total", "counter", SECONDS, AT(backpressure_seconds), ALWAYS,
      "Time during which reading was paused because the output or the workers were slower." },
    { PREFIX "output_files_total", "counter", COUNT, AT(sink.files), WITH_FILES,
      "Output files published." },
    { PREFIX "disk_full_seconds_total", "counter", SECONDS, AT(sink.blocked_seconds), WITH_FILES,
      "Time during which output waited for free disk space." },
    { PREFIX "last_reload_success_timestamp_seconds", "gauge", SECONDS, AT(last_reload),
      WITH_RELOAD, "Time of the last successful reload of the configuration, in seconds since 1970." },
};
/* clang-format on */

static bool is_named(const char *name, const char *wanted)
{
    return name && strcmp(name, wanted) == 0;
}

static bool is_needed(const th_metrics *metrics, enum need need)
{
    switch (need) {
    case WITH_FILES:
        return is_named(metrics->sink_name, "files");
    case WITH_RELOAD:
        return metrics->last_reload > 0;
    default:
        return true;
    }
}

static void render_scalar(const th_metrics *metrics, const struct scalar *scalar,
                          th_buffer *out)
{
    const char *at = (const char *)metrics + scalar->offset;
    uint64_t count = 0;
    double seconds = 0;
    unsigned number = 0;
    th_metric_head(out, scalar->name, scalar->type, scalar->help);
    switch (scalar->kind) {
    case SMALL:
        memcpy(&number, at, sizeof number);
        th_metric_count(out, scalar->name, NULL, NULL, number);
        break;
    case SECONDS:
        memcpy(&seconds, at, sizeof seconds);
        th_metric_seconds(out, scalar->name, seconds);
        break;
    default:
        memcpy(&count, at, sizeof count);
        th_metric_count(out, scalar->name, NULL, NULL, count);
    }
}

/* ---- records ---- */

/* How many of the records refused with a status are dropped, or kept as dead letters. */
static uint64_t refusals(const th_metrics *metrics, unsigned status, bool dead)
{
    if (dead)
        return metrics->dead_lettered[status];
    return metrics->counts.refused[status] - metrics->dead_lettered[status];
}

/*
 * Writes one row for each status that refuses, even if it never occurred, because a rate
 * over a row that appears late misses its first step.
 */
static void render_refusals(const th_metrics *metrics, bool dead, th_buffer *out)
{
    const char *name =
        dead ? PREFIX "records_dead_lettered_total" : PREFIX "records_dropped_total";
    th_metric_head(
        out, name, "counter",
        dead
            ? "Records refused and kept as dead letters, by reason."
            : "Records refused and not kept, by reason. Rewound records are read again.");
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++) {
        const uint64_t count = refusals(metrics, i, dead);
        if (count || th_status_is_refusal((th_status)i))
            th_metric_count(out, name, "reason", th_status_name((th_status)i), count);
    }
    if (!dead)
        th_metric_count(out, name, "reason", "rewound", metrics->voided);
}

static void render_records(const th_metrics *metrics, th_buffer *out)
{
    const char *const source = metrics->source_name ? metrics->source_name : "none";
    const char *const sink = metrics->sink_name ? metrics->sink_name : "none";
    th_metric_head(out, PREFIX "records_received_total", "counter",
                   "Records received from the source. Records repeated after an "
                   "interruption count again.");
    th_metric_count(out, PREFIX "records_received_total", "source", source,
                    metrics->source.received + metrics->voided);
    th_metric_head(out, PREFIX "records_emitted_total", "counter",
                   "Records emitted as pages.");
    th_metric_count(out, PREFIX "records_emitted_total", "sink", sink,
                    metrics->counts.emitted);
    render_refusals(metrics, false, out);
    render_refusals(metrics, true, out);
    th_metric_head(out, PREFIX "record_bytes_total", "counter",
                   "Bytes consumed from the source and written to the sink.");
    th_metric_count(out, PREFIX "record_bytes_total", "direction", "in",
                    metrics->source.bytes);
    th_metric_count(out, PREFIX "record_bytes_total", "direction", "out",
                    metrics->sink.bytes);
    th_metric_head(out, PREFIX "page_bytes", "summary",
                   "Bytes of HTML of emitted pages, decoded to UTF-8.");
    th_metric_count(out, PREFIX "page_bytes_sum", NULL, NULL, metrics->counts.html_bytes);
    th_metric_count(out, PREFIX "page_bytes_count", NULL, NULL, metrics->counts.emitted);
}

/* Writes the size and the cost of the memory of sites. */
static void render_sites(const th_metrics *metrics, th_buffer *out)
{
    const th_site_memory_stats *sites = &metrics->sites;
    if (!metrics->has_sites)
        return;
    th_metric_head(out, PREFIX "sites", "gauge", "Sites in the site memory.");
    th_metric_count(out, PREFIX "sites", NULL, NULL, sites->sites);
    th_metric_head(out, PREFIX "sites_forgotten_total", "counter",
                   "Sites evicted because of the limit sites.memory.");
    th_metric_count(out, PREFIX "sites_forgotten_total", NULL, NULL, sites->forgotten);
    th_metric_head(out, PREFIX "sites_sealed_records", "gauge",
                   "Records of finished epochs, to which pages are compared.");
    th_metric_count(out, PREFIX "sites_sealed_records", NULL, NULL, sites->records);
    th_metric_head(
        out, PREFIX "sites_bytes", "gauge",
        "Bytes of sites in memory, and of the active segment of their journal.");
    th_metric_count(out, PREFIX "sites_bytes", "part", "memory", sites->bytes);
    th_metric_count(out, PREFIX "sites_bytes", "part", "journal", sites->journal_bytes);
}

/* Writes the rows of a histogram, after its head. */
static void render_histogram(const char *name, const th_histogram *took, th_buffer *out)
{
    char row[96];
    uint64_t sum = 0;
    (void)snprintf(row, sizeof row, "%s_bucket", name);
    for (size_t i = 0; i <= TH_HISTOGRAM_BOUNDS; i++) {
        sum += took->counts[i];
        th_metric_count(out, row, "le", i < TH_HISTOGRAM_BOUNDS ? bounds[i].text : "+Inf",
                        sum);
    }
    (void)snprintf(row, sizeof row, "%s_sum", name);
    th_metric_seconds(out, row, took->sum);
    (void)snprintf(row, sizeof row, "%s_count", name);
    th_metric_count(out, row, NULL, NULL, sum);
}

/* Writes the counts of POST /extract, with a row for each status code. */
static void render_extract(const th_metrics *metrics, th_buffer *out)
{
    const th_extract_stats *extract = &metrics->extract;
    const char *name = PREFIX "extract_requests_total";
    if (!metrics->has_extract)
        return;
    th_metric_head(out, name, "counter", "Answers to POST /extract by status code.");
    for (size_t i = 0; i < TH_EXTRACT_CODES; i++) {
        char code[16];
        (void)snprintf(code, sizeof code, "%u", th_extract_codes[i]);
        th_metric_count(out, name, "code", code, extract->requests[i]);
    }
    name = PREFIX "extract_seconds";
    th_metric_head(
        out, name, "histogram",
        "Time from a complete request to its answer, for requests that workers "
        "processed.");
    render_histogram(name, &extract->seconds, out);
    name = PREFIX "extract_requests_in_progress";
    th_metric_head(out, name, "gauge", "Requests to POST /extract in progress.");
    th_metric_count(out, name, NULL, NULL, extract->in_progress);
    name = PREFIX "extract_requests_limit";
    th_metric_head(out, name, "gauge",
                   "Limit of requests in progress, endpoint.queue. Further requests get "
                   "status 503.");
    th_metric_count(out, name, NULL, NULL, extract->limit);
    name = PREFIX "extract_busy_seconds_total";
    th_metric_head(
        out, name, "counter",
        "Time that workers spent on pages of requests, summed over all workers.");
    th_metric_seconds(out, name, extract->busy_seconds);
}

/* Writes the counts of page processes, if any. */
static void render_processes(const th_metrics *metrics, th_buffer *out)
{
    if (!metrics->has_processes)
        return;
    th_metric_head(out, PREFIX "page_processes_started_total", "counter",
                   "Page processes started.");
    th_metric_count(out, PREFIX "page_processes_started_total", NULL, NULL,
                    metrics->processes_started);
    th_metric_head(out, PREFIX "page_processes_died_total", "counter",
                   "Page processes that died or were killed.");
    th_metric_count(out, PREFIX "page_processes_died_total", NULL, NULL,
                    metrics->processes_died);
}

/* Writes the counts of pages in the index of near-duplicates, and its cost. */
static void render_index(const th_metrics *metrics, th_buffer *out)
{
    const th_index_stats *index = &metrics->index;
    const th_index_counts *counts = &index->counts;
    if (!metrics->has_index)
        return;
    th_metric_head(out, PREFIX "near_duplicates_total", "counter",
                   "Emitted pages that are near-duplicates of an earlier page.");
    th_metric_count(out, PREFIX "near_duplicates_total", NULL, NULL,
                    metrics->counts.duplicates);
    th_metric_head(out, PREFIX "index_events_total", "counter",
                   "Events of the index since its creation, including events that are "
                   "not durable yet.");
    th_metric_count(out, PREFIX "index_events_total", "event", "looked_up",
                    counts->pages);
    th_metric_count(out, PREFIX "index_events_total", "event", "inserted",
                    counts->inserted);
    th_metric_count(out, PREFIX "index_events_total", "event", "renewed",
                    counts->renewed);
    th_metric_count(out, PREFIX "index_events_total", "event", "key_capped",
                    counts->capped);
    th_metric_count(out, PREFIX "index_events_total", "event", "expired",
                    counts->expired);
    th_metric_count(out, PREFIX "index_events_total", "event", "damaged",
                    counts->damaged);
    th_metric_count(out, PREFIX "index_events_total", "event", "rebuilt",
                    counts->rebuilt);
    th_metric_head(out, PREFIX "index_segments", "gauge",
                   "Segments of the index, including the active segment.");
    th_metric_count(out, PREFIX "index_segments", NULL, NULL, index->segments);
    th_metric_head(out, PREFIX "index_bytes", "gauge",
                   "Bytes of the active table in memory, and of journals and sealed "
                   "tables on disk.");
    th_metric_count(out, PREFIX "index_bytes", "part", "growing", index->memory_bytes);
    th_metric_count(out, PREFIX "index_bytes", "part", "journals", index->journal_bytes);
    th_metric_count(out, PREFIX "index_bytes", "part", "tables", index->table_bytes);
}

static void render_limits(const th_metrics *metrics, th_buffer *out)
{
    static const struct {
        const char *limit;
        unsigned bit;
    } cuts[] = {
        { "record", TH_FLAG_BIT_RECORD_TRUNCATED },
        { "body", TH_FLAG_BIT_BODY_TRUNCATED },
        { "depth", TH_FLAG_BIT_DEPTH_CUT },
        { "nodes", TH_FLAG_BIT_NODES_CUT },
        { "attrs", TH_FLAG_BIT_ATTRIBUTES_CUT },
        { "blocks", TH_FLAG_BIT_BLOCKS_CUT },
        { "links", TH_FLAG_BIT_LINKS_CUT },
        { "text", TH_FLAG_BIT_TEXT_CUT },
    };
    const char *const name = PREFIX "limits_hit_total";
    th_metric_head(out, name, "counter",
                   "Pages that exceeded a limit. They are cut and flagged, or refused "
                   "for the limit time.");
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        th_metric_count(out, name, "limit", cuts[i].limit,
                        metrics->counts.flagged[cuts[i].bit]);
    th_metric_count(out, name, "limit", "time", metrics->counts.refused[TH_TIME_LIMIT]);
}

/* ---- records ---- */

static void render_queues(const th_metrics *metrics, th_buffer *out)
{
    th_metric_head(out, PREFIX "queue_items", "gauge",
                   "Batches in progress and waiting batches.");
    th_metric_count(out, PREFIX "queue_items", "queue", "work", metrics->pool.in_flight);
    th_metric_head(out, PREFIX "queue_limit_items", "gauge",
                   "Limit of batches in the queue.");
    th_metric_count(out, PREFIX "queue_limit_items", "queue", "work",
                    metrics->pool.limit);
    th_metric_head(out, PREFIX "queue_bytes", "gauge",
                   "Bytes of output that are not delivered yet.");
    th_metric_count(out, PREFIX "queue_bytes", "queue", "output",
                    metrics->sink.queue_bytes);
}

/* Writes the metrics that the source publishes. */
static void render_own(const th_own_metrics *own, th_buffer *out)
{
    const char *last = "";
    for (uint32_t i = 0; i < own->count; i++) {
        const th_own_metric *row = &own->rows[i];
        char name[128];
        if (!row->is_seconds && own->values[i].count == TH_METRIC_UNKNOWN)
            continue;
        (void)snprintf(name, sizeof name, PREFIX "%s", row->name);
        if (strcmp(last, row->name) != 0)
            th_metric_head(out, name, row->type, row->help);
        last = row->name;
        if (row->is_seconds)
            th_metric_seconds(out, name, own->values[i].seconds);
        else
            th_metric_count(out, name, row->label, row->value, own->values[i].count);
    }
}

static void render_commits(const th_metrics *metrics, th_buffer *out)
{
    const char *const name = PREFIX "commit_seconds";
    const th_histogram *const took = &metrics->commit_seconds;
    if (metrics->is_transactional) {
        th_metric_head(out, PREFIX "kafka_transactions_total", "counter",
                       "Transactions by result.");
        th_metric_count(out, PREFIX "kafka_transactions_total", "result", "committed",
                        metrics->sink.commits);
        th_metric_count(out, PREFIX "kafka_transactions_total", "result", "aborted",
                        metrics->sink.aborts);
    }
    th_metric_head(out, name, "histogram",
                   "Time to make output durable and to acknowledge its input, by a "
                   "transaction or a sync.");
    render_histogram(name, took, out);
}

/* Kafka: writes counts of data that was too large for its topic. */
static void render_cuts(const th_metrics *metrics, th_buffer *out)
{
    const th_sink_stats *const facts = &metrics->sink;
    const char *name = PREFIX "kafka_messages_cut_total";
    th_metric_head(out, name, "counter",
                   "Messages truncated to the maximum size of their topic.");
    th_metric_count(out, name, "topic", "records", facts->cut_records);
    th_metric_count(out, name, "topic", "dead_letters", facts->cut_letters);
    name = PREFIX "kafka_messages_left_out_total";
    th_metric_head(
        out, name, "counter",
        "Messages omitted because their topic rejected them even after truncation.");
    th_metric_count(out, name, "topic", "dead_letters", facts->left_out_letters);
    th_metric_count(out, name, "topic", "edges", facts->left_out_edges);
    name = PREFIX "kafka_tombstones_total";
    th_metric_head(out, name, "counter",
                   "Keys of withdrawn pages sent to the records topic without a value.");
    th_metric_count(out, name, NULL, NULL, facts->tombstones);
}

static void render_reloads(const th_metrics *metrics, th_buffer *out)
{
    const char *const name = PREFIX "config_reloads_total";
    th_metric_head(out, name, "counter", "Reloads of the configuration by result.");
    th_metric_count(out, name, "result", "success", metrics->reloads);
    th_metric_count(out, name, "result", "failure", metrics->reloads_failed);
}

/* ---- the program ---- */

/*
 * A version is a literal or a library's own text. Omits characters that could break a
 * row.
 */
static void append_label(th_buffer *out, const char *label, const char *value)
{
    if (!value)
        return;
    th_buffer_printf(out, ",%s=\"", label);
    for (const char *c = value; *c; c++)
        if (*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\')
            th_buffer_append_char(out, *c);
    th_buffer_append_char(out, '"');
}

static void render_build(const th_metrics *metrics, th_buffer *out)
{
    th_metric_head(
        out, PREFIX "build_info", "gauge",
        "Always 1. Labels have the versions of the program and its libraries.");
    th_buffer_append_text(out, PREFIX "build_info{version=\"" TH_VERSION "\"");
    append_label(out, "libxml2", metrics->libxml2);
    append_label(out, "librdkafka", metrics->librdkafka);
    th_buffer_append_text(out, "} 1\n");
}

void th_metrics_render(const th_metrics *metrics, const th_process_stats *process,
                       th_buffer *out)
{
    render_build(metrics, out);
    render_records(metrics, out);
    render_index(metrics, out);
    render_sites(metrics, out);
    render_limits(metrics, out);
    render_queues(metrics, out);
    render_commits(metrics, out);
    render_extract(metrics, out);
    render_processes(metrics, out);
    render_reloads(metrics, out);
    if (is_named(metrics->sink_name, "kafka"))
        render_cuts(metrics, out);
    render_own(&metrics->source.own, out);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (is_needed(metrics, scalars[i].need))
            render_scalar(metrics, &scalars[i], out);
    if (process)
        th_metric_process(process, metrics->started, out);
}

/* ---- the board ---- */

struct th_metrics_board {
    pthread_mutex_t lock;
    th_metrics newest;
};

th_metrics_board *th_metrics_board_new(void)
{
    th_metrics_board *board = calloc(1, sizeof *board);
    if (board)
        pthread_mutex_init(&board->lock, NULL);
    return board;
}

void th_metrics_board_free(th_metrics_board *board)
{
    if (!board)
        return;
    pthread_mutex_destroy(&board->lock);
    free(board);
}

void th_metrics_board_post(th_metrics_board *board, const th_metrics *metrics)
{
    pthread_mutex_lock(&board->lock);
    board->newest = *metrics;
    pthread_mutex_unlock(&board->lock);
}

void th_metrics_board_read(th_metrics_board *board, th_metrics *out)
{
    pthread_mutex_lock(&board->lock);
    *out = board->newest;
    pthread_mutex_unlock(&board->lock);
}
