/* src/daemon/metrics.c and process_facts.c: Prometheus reads the text, its numbers add
 * up, and every snapshot is consistent. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/metrics.h"
#include "daemon/pairing_metrics.h"
#include "thresher/version.h"

/* ---- a reader of the text format that did not write it ---- */

enum { SAMPLES_MAX = 256, NAME_MAX_LEN = 128 };

struct sample {
    char series[NAME_MAX_LEN]; /* name{labels} */
    char family[NAME_MAX_LEN];
    double value;
};

struct scrape {
    struct sample samples[SAMPLES_MAX];
    size_t count;
    char types[SAMPLES_MAX][NAME_MAX_LEN]; /* "NAME TYPE", in order */
    size_t type_count;
};

static bool is_name_start(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_name_char(char c)
{
    return is_name_start(c) || c == '_' || (c >= '0' && c <= '9');
}

static size_t name_len(const char *text)
{
    size_t len = 0;
    if (!is_name_start(text[0]))
        return 0;
    while (is_name_char(text[len]))
        len++;
    return len;
}

/* Length of {name="value",...}; values without anything that would need an escape. */
static size_t labels_len(const char *text)
{
    size_t at = 0;
    do {
        at++; /* { or , */
        const size_t len = name_len(text + at);
        assert_true(len > 0);
        at += len;
        assert_memory_equal(text + at, "=\"", 2);
        at += 2;
        while (text[at] != '"') {
            assert_true(text[at] >= ' ' && text[at] <= '~' && text[at] != '\\');
            at++;
        }
        at++;
    } while (text[at] == ',');
    assert_int_equal(text[at], '}');
    return at + 1;
}

static const char *type_of(const char *declared)
{
    return strchr(declared, ' ') + 1;
}

/* Whether a sample is allowed below a TYPE row, by the suffixes of its type. */
static bool is_of_family(const char *name, const char *declared)
{
    static const char *const suffixes[] = { "_bucket", "_sum", "_count" };
    const size_t family = (size_t)(strchr(declared, ' ') - declared);
    const char *const type = type_of(declared);
    if (strncmp(name, declared, family) != 0)
        return false;
    if (strcmp(type, "counter") == 0)
        return !name[family] && strcmp(name + family - 6, "_total") == 0;
    if (strcmp(type, "gauge") == 0)
        return !name[family];
    const bool is_histogram = strcmp(type, "histogram") == 0;
    assert_true(is_histogram || strcmp(type, "summary") == 0);
    for (size_t i = is_histogram ? 0 : 1; i < 3; i++)
        if (strcmp(name + family, suffixes[i]) == 0)
            return true;
    return false;
}

static void read_sample(struct scrape *scrape, const char *line)
{
    struct sample *const sample = &scrape->samples[scrape->count];
    char *end = NULL;
    size_t len = name_len(line);
    assert_true(len > 0 && len < NAME_MAX_LEN && scrape->count < SAMPLES_MAX);
    memcpy(sample->family, line, len);
    sample->family[len] = '\0';
    assert_true(scrape->type_count > 0);
    assert_true(is_of_family(sample->family, scrape->types[scrape->type_count - 1]));
    if (line[len] == '{')
        len += labels_len(line + len);
    assert_true(len < NAME_MAX_LEN);
    memcpy(sample->series, line, len);
    sample->series[len] = '\0';
    assert_int_equal(line[len], ' ');
    sample->value = strtod(line + len + 1, &end);
    assert_true(end != line + len + 1 && !*end && isfinite(sample->value));
    for (size_t i = 0; i < scrape->count; i++)
        assert_string_not_equal(scrape->samples[i].series, sample->series);
    scrape->count++;
}

/* HELP, then TYPE of the same name, each once in the text. */
static void read_comment(struct scrape *scrape, const char *line, char help[NAME_MAX_LEN])
{
    const char *const name = line + 7;
    const size_t len = name_len(name);
    assert_true(len > 0 && name[len] == ' ' && name[len + 1]);
    if (strncmp(line, "# HELP ", 7) == 0) {
        assert_int_equal(*help, '\0');
        snprintf(help, NAME_MAX_LEN, "%.*s", (int)len, name);
        return;
    }
    assert_memory_equal(line, "# TYPE ", 7);
    assert_int_equal(strlen(help), len);
    assert_memory_equal(help, name, len);
    for (size_t i = 0; i < scrape->type_count; i++)
        assert_true(strncmp(scrape->types[i], name, len + 1) != 0);
    assert_true(strlen(name) < NAME_MAX_LEN);
    memcpy(scrape->types[scrape->type_count++], name, strlen(name) + 1);
    *help = '\0';
}

static struct scrape *read_text(const th_buffer *text)
{
    struct scrape *const scrape = calloc(1, sizeof *scrape);
    char line[512], help[NAME_MAX_LEN] = "";
    assert_non_null(scrape);
    assert_false(text->has_failed);
    for (size_t at = 0; at < text->len;) {
        const char *const end = memchr(text->data + at, '\n', text->len - at);
        assert_non_null(end); /* the last line ends as well */
        const size_t len = (size_t)(end - text->data) - at;
        assert_true(len > 0 && len < sizeof line);
        memcpy(line, text->data + at, len);
        line[len] = '\0';
        if (*line == '#')
            read_comment(scrape, line, help);
        else
            read_sample(scrape, line);
        at += len + 1;
    }
    return scrape;
}

static struct scrape *scrape_of(const th_metrics *metrics,
                                const th_process_stats *process)
{
    th_buffer text = { 0 };
    th_metrics_render(metrics, process, &text);
    struct scrape *const scrape = read_text(&text);
    th_buffer_done(&text);
    return scrape;
}

static const struct sample *find(const struct scrape *scrape, const char *series)
{
    for (size_t i = 0; i < scrape->count; i++)
        if (strcmp(scrape->samples[i].series, series) == 0)
            return &scrape->samples[i];
    return NULL;
}

static double sum_of(const struct scrape *scrape, const char *family)
{
    double sum = 0;
    for (size_t i = 0; i < scrape->count; i++)
        if (strcmp(scrape->samples[i].family, family) == 0)
            sum += scrape->samples[i].value;
    return sum;
}

/* ---- values ---- */

/* A source's own metrics. */
static const struct own_stats {
    uint64_t pending, open, lag;
    double age;
} own_stats = { 7, 1, TH_METRIC_UNKNOWN, 12.5 };

/* clang-format off */
static const th_own_metric own_rows[] = {
    { "own_files", "gauge", "Files.", "state", "pending", offsetof(struct own_stats, pending), false },
    { "own_files", "gauge", "Files.", "state", "open", offsetof(struct own_stats, open), false },
    { "own_lag", "gauge", "Lag.", NULL, NULL, offsetof(struct own_stats, lag), false },
    { "own_seconds", "gauge", "Age.", NULL, NULL, offsetof(struct own_stats, age), true },
};
/* clang-format on */
enum { OWN = sizeof own_rows / sizeof *own_rows };

static th_metrics make_metrics(const char *source, const char *sink)
{
    th_metrics metrics = { .source_name = source,
                           .sink_name = sink,
                           .libxml2 = "2.9.14",
                           .librdkafka = "2.0.2\"\n\\",
                           .is_transactional = true,
                           .started = 1795304692.25,
                           .backpressure_seconds = 1.5,
                           .reloads = 2,
                           .reloads_failed = 1,
                           .has_extract = true,
                           .extract = { .requests = { [0] = 12, [9] = 3 },
                                        .seconds = { .counts = { [2] = 5 }, .sum = 0.02 },
                                        .in_progress = 2,
                                        .limit = 128,
                                        .busy_seconds = 0.5 },
                           .has_processes = true,
                           .processes_started = 9,
                           .processes_died = 7,
                           .last_reload = 1795304700 };
    metrics.counts.emitted = 700;
    metrics.counts.html_bytes = 123456;
    metrics.counts.duplicates = 17;
    metrics.counts.refused[TH_NOT_HTML] = 200;
    metrics.counts.refused[TH_BAD_HTTP] = 30;
    metrics.counts.refused[TH_TIME_LIMIT] = 6;
    metrics.counts.flagged[TH_FLAG_BIT_DEPTH_CUT] = 9;
    metrics.dead_lettered[TH_BAD_HTTP] = 30;
    metrics.dead_lettered[TH_TIME_LIMIT] = 2;
    metrics.in_flight = 64;
    metrics.voided = 25;
    metrics.source =
        (th_source_stats){ .received = 1000, .bytes = 5000000, .damaged = 3 };
    th_own_metrics_set(&metrics.source.own, own_rows, OWN, &own_stats);
    metrics.sink = (th_sink_stats){ .bytes = 99,
                                    .files = 8,
                                    .commits = 40,
                                    .aborts = 2,
                                    .queue_bytes = 4096,
                                    .cut_records = 11,
                                    .cut_letters = 12,
                                    .left_out_letters = 13,
                                    .left_out_edges = 14,
                                    .tombstones = 15,
                                    .blocked_seconds = 0.125 };
    metrics.commit_seconds =
        (th_histogram){ .counts = { [1] = 2, [TH_HISTOGRAM_BOUNDS] = 1 }, .sum = 70.25 };
    metrics.has_index = true;
    metrics.index = (th_index_stats){ .counts = { .pages = 801,
                                                  .inserted = 802,
                                                  .renewed = 803,
                                                  .capped = 804,
                                                  .expired = 805,
                                                  .damaged = 806,
                                                  .rebuilt = 807 },
                                      .segments = 808,
                                      .memory_bytes = 809,
                                      .journal_bytes = 810,
                                      .table_bytes = 811 };
    metrics.has_sites = true;
    metrics.sites = (th_site_memory_stats){ .sites = 31,
                                            .bytes = 31000,
                                            .records = 900,
                                            .journal_bytes = 70000,
                                            .forgotten = 4 };
    metrics.pool = (th_pool_stats){
        .workers = 4, .in_flight = 3, .limit = 8, .busy_seconds = 61.0000005
    };
    return metrics;
}

/* clang-format off */
static const struct row {
    const char *name, *source, *sink, *series;
    double value; /* negative if it must be absent */
} rows[] = {
    { "received", "spool", "files", "thresher_records_received_total{source=\"spool\"}", 1025 },
    { "known sites", "spool", "files", "thresher_sites", 31 },
    { "forgotten sites", "spool", "files", "thresher_sites_forgotten_total", 4 },
    { "sealed records", "spool", "files", "thresher_sites_sealed_records", 900 },
    { "sites in memory", "spool", "files", "thresher_sites_bytes{part=\"memory\"}", 31000 },
    { "their journal", "spool", "files", "thresher_sites_bytes{part=\"journal\"}", 70000 },
    { "emitted", "spool", "kafka", "thresher_records_emitted_total{sink=\"kafka\"}", 700 },
    { "dropped", "spool", "files", "thresher_records_dropped_total{reason=\"not_html\"}", 200 },
    { "dropped except the dead letters", "spool", "files",
      "thresher_records_dropped_total{reason=\"time_limit\"}", 4 },
    { "dead-lettered, so not dropped", "spool", "files",
      "thresher_records_dropped_total{reason=\"bad_http\"}", 0 },
    { "made void by a rewind", "spool", "files",
      "thresher_records_dropped_total{reason=\"rewound\"}", 25 },
    { "no record is refused because the program stops", "spool", "files",
      "thresher_records_dropped_total{reason=\"interrupted\"}", -1 },
    { "backpressure", "spool", "files", "thresher_backpressure_seconds_total", 1.5 },
    { "dead-lettered", "spool", "files",
      "thresher_records_dead_lettered_total{reason=\"bad_http\"}", 30 },
    { "a reason that never came", "spool", "files",
      "thresher_records_dropped_total{reason=\"revisit\"}", 0 },
    { "no status but refusals", "spool", "files",
      "thresher_records_dropped_total{reason=\"ok\"}", -1 },
    { "in flight", "spool", "files", "thresher_records_in_flight", 64 },
    { "bytes in", "spool", "files", "thresher_record_bytes_total{direction=\"in\"}", 5000000 },
    { "bytes out", "spool", "files", "thresher_record_bytes_total{direction=\"out\"}", 99 },
    { "html", "spool", "files", "thresher_page_bytes_sum", 123456 },
    { "limit", "spool", "files", "thresher_limits_hit_total{limit=\"depth\"}", 9 },
    { "time limit", "spool", "files", "thresher_limits_hit_total{limit=\"time\"}", 6 },
    { "queue", "spool", "files", "thresher_queue_items{queue=\"work\"}", 3 },
    { "queue limit", "spool", "files", "thresher_queue_limit_items{queue=\"work\"}", 8 },
    { "busy", "spool", "files", "thresher_worker_busy_seconds_total", 61.000001 },
    { "workers", "spool", "files", "thresher_workers", 4 },
    { "damaged", "spool", "files", "thresher_archive_damaged_members_total", 3 },
    { "a source's own gauge", "spool", "files", "thresher_own_files{state=\"pending\"}", 7 },
    { "another state", "spool", "files", "thresher_own_files{state=\"open\"}", 1 },
    { "a source's own seconds", "spool", "files", "thresher_own_seconds", 12.5 },
    { "an unknown count", "spool", "files", "thresher_own_lag", -1 },
    { "files out", "spool", "files", "thresher_output_files_total", 8 },
    { "disk full", "spool", "files", "thresher_disk_full_seconds_total", 0.125 },
    { "no files out", "spool", "kafka", "thresher_output_files_total", -1 },
    { "committed", "kafka", "kafka", "thresher_kafka_transactions_total{result=\"committed\"}", 40 },
    { "aborted", "kafka", "kafka", "thresher_kafka_transactions_total{result=\"aborted\"}", 2 },
    { "answers", "none", "none", "thresher_extract_requests_total{code=\"200\"}", 12 },
    { "answers while overloaded", "none", "none", "thresher_extract_requests_total{code=\"503\"}", 3 },
    { "fast answers", "none", "none", "thresher_extract_seconds_bucket{le=\"0.0025\"}", 0 },
    { "answers within 5 ms", "none", "none", "thresher_extract_seconds_bucket{le=\"0.005\"}", 5 },
    { "time of answers", "none", "none", "thresher_extract_seconds_sum", 0.02 },
    { "count of their times", "none", "none", "thresher_extract_seconds_count", 5 },
    { "requests in progress", "none", "none", "thresher_extract_requests_in_progress", 2 },
    { "limit of requests", "none", "none", "thresher_extract_requests_limit", 128 },
    { "time of workers for requests", "none", "none", "thresher_extract_busy_seconds_total", 0.5 },
    { "near-duplicates", "spool", "files", "thresher_near_duplicates_total", 17 },
    { "index: looked up", "spool", "files", "thresher_index_events_total{event=\"looked_up\"}", 801 },
    { "index: inserted", "spool", "files", "thresher_index_events_total{event=\"inserted\"}", 802 },
    { "index: renewed", "spool", "files", "thresher_index_events_total{event=\"renewed\"}", 803 },
    { "index: key capped", "spool", "files", "thresher_index_events_total{event=\"key_capped\"}", 804 },
    { "index: expired", "spool", "files", "thresher_index_events_total{event=\"expired\"}", 805 },
    { "index: damaged", "spool", "files", "thresher_index_events_total{event=\"damaged\"}", 806 },
    { "index: rebuilt", "spool", "files", "thresher_index_events_total{event=\"rebuilt\"}", 807 },
    { "segments of the index", "spool", "files", "thresher_index_segments", 808 },
    { "index: bytes of growing", "spool", "files", "thresher_index_bytes{part=\"growing\"}", 809 },
    { "index: bytes of journals", "spool", "files", "thresher_index_bytes{part=\"journals\"}", 810 },
    { "index: bytes of tables", "spool", "files", "thresher_index_bytes{part=\"tables\"}", 811 },
    { "records that were cut", "kafka", "kafka", "thresher_kafka_messages_cut_total{topic=\"records\"}", 11 },
    { "dead letters that were cut", "kafka", "kafka", "thresher_kafka_messages_cut_total{topic=\"dead_letters\"}", 12 },
    { "dead letters left out", "kafka", "kafka", "thresher_kafka_messages_left_out_total{topic=\"dead_letters\"}", 13 },
    { "edges left out", "kafka", "kafka", "thresher_kafka_messages_left_out_total{topic=\"edges\"}", 14 },
    { "tombstones", "kafka", "kafka", "thresher_kafka_tombstones_total", 15 },
    { "bytes that wait", "kafka", "kafka", "thresher_queue_bytes{queue=\"output\"}", 4096 },
    { "commits within 1 ms", "kafka", "kafka", "thresher_commit_seconds_bucket{le=\"0.001\"}", 0 },
    { "commits within 2.5 ms", "kafka", "kafka", "thresher_commit_seconds_bucket{le=\"0.0025\"}", 2 },
    { "commits within a minute", "kafka", "kafka", "thresher_commit_seconds_bucket{le=\"60\"}", 2 },
    { "commits", "kafka", "kafka", "thresher_commit_seconds_bucket{le=\"+Inf\"}", 3 },
    { "time of commits", "kafka", "kafka", "thresher_commit_seconds_sum", 70.25 },
    { "processes", "spool", "files", "thresher_page_processes_started_total", 9 },
    { "deaths", "spool", "files", "thresher_page_processes_died_total", 7 },
    { "reloads", "spool", "files", "thresher_config_reloads_total{result=\"success\"}", 2 },
    { "reloads refused", "spool", "files", "thresher_config_reloads_total{result=\"failure\"}", 1 },
    { "last reload", "spool", "files", "thresher_last_reload_success_timestamp_seconds", 1795304700 },
    { "start", "spool", "files", "process_start_time_seconds", 1795304692.25 },
    { "cpu", "spool", "files", "process_cpu_seconds_total", 2.5 },
    { "resident", "spool", "files", "process_resident_memory_bytes", 1 << 20 },
    { "quotes in a version", "spool", "files",
      "thresher_build_info{version=\"1.0.0\",libxml2=\"2.9.14\",librdkafka=\"2.0.2\"}", 1 },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *const row = *state;
    const th_metrics metrics = make_metrics(row->source, row->sink);
    const th_process_stats process = { .cpu_seconds = 2.5, .resident_bytes = 1 << 20 };
    struct scrape *const scrape = scrape_of(&metrics, &process);
    const struct sample *const sample = find(scrape, row->series);
    if (row->value < 0) {
        assert_null(sample);
    } else {
        assert_non_null(sample);
        assert_true(fabs(sample->value - row->value) < 1e-6);
    }
    free(scrape);
}

/* The metrics of the pairs role: each count in its own series. */
static void pairing_counts_have_their_series(void **state)
{
    (void)state;
    th_kafka_pairing_stats facts = { .messages = 1,
                                     .again = 2,
                                     .compared = 3,
                                     .edges = 4,
                                     .left_out = 5,
                                     .late = 6,
                                     .full = 7,
                                     .shed = 8,
                                     .records = 9,
                                     .bytes = 10,
                                     .remade = 11,
                                     .commits = 12,
                                     .aborts = 13,
                                     .rebalances = 14,
                                     .partitions = 15,
                                     .rebuilding = 16 };
    static const char *const series[] = { "messages_total",
                                          "messages_again_total",
                                          "compared_total",
                                          "edges_total",
                                          "edges_left_out_total",
                                          "late_total",
                                          "full_total",
                                          "epochs_shed_total",
                                          "records",
                                          "bytes",
                                          "partitions_remade_total",
                                          "commits_total",
                                          "aborts_total",
                                          "rebalances_total",
                                          "partitions",
                                          "partitions_rebuilding" };
    enum { SERIES = sizeof series / sizeof *series };
    for (int i = TH_PAIRING_NONE + 1; i < TH_PAIRING_FAULT_COUNT; i++)
        facts.faults[i] = 100 + (uint64_t)i;
    const th_process_stats process = { .open_fds = 21, .max_fds = 22 };
    for (int has_process = 0; has_process < 2; has_process++) {
        th_buffer text = { 0 };
        char name[128];
        th_pairing_metrics_render(&facts, has_process ? &process : NULL, 7.5, &text);
        struct scrape *const scrape = read_text(&text);
        assert_non_null(find(scrape, "thresher_build_info{version=\"" TH_VERSION "\"}"));
        for (size_t i = 0; i < SERIES; i++) {
            (void)snprintf(name, sizeof name, "thresher_pairs_%s", series[i]);
            assert_non_null(find(scrape, name));
            assert_true(find(scrape, name)->value == (double)(i + 1));
        }
        for (int i = TH_PAIRING_NONE + 1; i < TH_PAIRING_FAULT_COUNT; i++) {
            (void)snprintf(name, sizeof name,
                           "thresher_pairs_faulty_messages_total{reason=\"%s\"}",
                           th_pairing_fault_name((th_pairing_fault)i));
            assert_non_null(find(scrape, name));
            assert_true(find(scrape, name)->value == 100 + i);
        }
        assert_int_equal(find(scrape, "process_open_fds") != NULL, has_process);
        if (has_process) {
            assert_true(find(scrape, "process_open_fds")->value == 21);
            assert_true(find(scrape, "process_max_fds")->value == 22);
            assert_true(find(scrape, "process_start_time_seconds")->value == 7.5);
        }
        /* and nothing else */
        assert_int_equal(scrape->count, 1 + SERIES + TH_PAIRING_FAULT_COUNT - 1 -
                                            TH_PAIRING_NONE + (has_process ? 5 : 0));
        free(scrape);
        th_buffer_done(&text);
    }
}

/* An empty state is a text. Unknown states are absent. */
static void empty_state_is_readable(void **state)
{
    const th_metrics metrics = { .source_name = "kafka" };
    struct scrape *const scrape = scrape_of(&metrics, NULL);
    (void)state;
    assert_non_null(find(scrape, "thresher_build_info{version=\"1.0.0\"}"));
    assert_null(find(scrape, "thresher_last_reload_success_timestamp_seconds"));
    assert_null(find(scrape, "process_open_fds"));
    assert_null(find(scrape, "thresher_kafka_transactions_total{result=\"committed\"}"));
    free(scrape);
}

static void assert_adds_up(const struct scrape *scrape)
{
    assert_true(sum_of(scrape, "thresher_records_received_total") ==
                sum_of(scrape, "thresher_records_emitted_total") +
                    sum_of(scrape, "thresher_records_dropped_total") +
                    sum_of(scrape, "thresher_records_dead_lettered_total") +
                    sum_of(scrape, "thresher_records_in_flight"));
}

/*
 * The promise of docs/reliability.md#promises, read from the text only, for any
 * reason.
 */
/* Returns the received records that are neither emitted, refused, nor in flight. */
static int64_t unaccounted(const th_metrics *metrics)
{
    return (int64_t)(metrics->source.received - metrics->counts.emitted -
                     th_counts_refused(&metrics->counts) - metrics->in_flight);
}

static void records_add_up(void **state)
{
    th_metrics metrics = make_metrics("kafka", "kafka");
    (void)state;
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++) {
        metrics.counts.refused[i] += i; /* also per family, so no refusal is lost */
        metrics.source.received += i;
        metrics.dead_lettered[i] = metrics.counts.refused[i] / 2;
    }
    metrics.voided = 5;
    assert_int_equal(unaccounted(&metrics), 0);
    struct scrape *const scrape = scrape_of(&metrics, NULL);
    assert_adds_up(scrape);
    free(scrape);
}

/* A rewind lowers the records received by serve, but a scraped counter never decreases. */
static void counters_survive_a_rewind(void **state)
{
    th_metrics metrics = make_metrics("kafka", "kafka");
    (void)state;
    struct scrape *const before = scrape_of(&metrics, NULL);
    metrics.source.received -= metrics.in_flight;
    metrics.voided += metrics.in_flight;
    metrics.in_flight = 0;
    struct scrape *const after = scrape_of(&metrics, NULL);
    assert_adds_up(before);
    assert_adds_up(after);
    assert_int_equal(before->count, after->count);
    for (size_t i = 0; i < before->count; i++)
        if (strstr(before->samples[i].family, "_total"))
            assert_true(after->samples[i].value >= before->samples[i].value);
    free(before);
    free(after);
}

static void steps_are_observed(void **state)
{
    th_metrics metrics = { 0 };
    th_serve_stats facts = { .pool.limit = 8, .pool.in_flight = 8 };
    (void)state;
    facts.received = 9;
    th_metrics_observe(&metrics, &facts, 100); /* the first: no step yet */
    facts.pool.in_flight = 7;
    th_metrics_observe(&metrics, &facts, 101.5);
    assert_true(metrics.backpressure_seconds == 1.5);
    assert_int_equal(metrics.source.received, 9);
    facts.is_blocked = true;
    th_metrics_observe(&metrics, &facts, 102); /* was free until now */
    assert_true(metrics.backpressure_seconds == 1.5);
    facts.is_blocked = false;
    facts.sink.commits = 1;
    facts.sink.commit_seconds = 0.25;
    th_metrics_observe(&metrics, &facts, 103);
    assert_true(metrics.backpressure_seconds == 2.5);
    facts.sink.commits = 3;
    facts.sink.commit_seconds = 4.25;
    th_metrics_observe(&metrics, &facts, 104);
    facts.sink.commits = 0; /* another sink has no commits */
    th_metrics_observe(&metrics, &facts, 103);
    assert_true(metrics.backpressure_seconds == 2.5);
    struct scrape *const scrape = scrape_of(&metrics, NULL);
    assert_true(find(scrape, "thresher_commit_seconds_count")->value == 3);
    assert_true(find(scrape, "thresher_commit_seconds_sum")->value == 4.25);
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"0.25\"}")->value == 1);
    free(scrape);
}

static void histogram_is_cumulative(void **state)
{
    static const double took[] = { 0,  0.001, 0.0011, 0.3, 0.5,
                                   60, 61.5,  -1,     1e9, -INFINITY };
    th_metrics metrics = { 0 };
    double last = 0;
    (void)state;
    for (size_t i = 0; i < sizeof took / sizeof *took; i++)
        th_histogram_observe(&metrics.commit_seconds, took[i]);
    th_histogram_observe(&metrics.commit_seconds, (double)NAN);
    struct scrape *const scrape = scrape_of(&metrics, NULL);
    const char *const prefix = "thresher_commit_seconds_bucket{le=\"";
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"0.001\"}")->value == 5);
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"0.0025\"}")->value ==
                6);
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"0.5\"}")->value == 8);
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"60\"}")->value == 9);
    assert_true(find(scrape, "thresher_commit_seconds_bucket{le=\"+Inf\"}")->value == 11);
    assert_true(find(scrape, "thresher_commit_seconds_count")->value == 11);
    double bound = -1;
    for (size_t i = 0; i < scrape->count; i++) {
        const struct sample *const sample = &scrape->samples[i];
        if (strncmp(sample->series, prefix, strlen(prefix)) != 0)
            continue;
        const double le = strtod(sample->series + strlen(prefix), NULL);
        assert_true(le > bound && sample->value >= last);
        bound = le;
        last = sample->value;
    }
    assert_true(isinf(bound));
    free(scrape);
}

/* ---- the process ---- */

static void process_facts_are_ours(void **state)
{
    th_process_stats before, after;
    struct rlimit limit;
    const size_t len = 64 << 20;
    (void)state;
    th_process_facts_read(&before);
    char *const ballast = malloc(len);
    assert_non_null(ballast);
    memset(ballast, 1, len);
    const int fd = dup(2);
    th_process_facts_read(&after);
    close(fd);
    assert_int_equal(after.open_fds, before.open_fds + 1);
    assert_true(after.resident_bytes >= before.resident_bytes + len / 2);
    assert_true(after.cpu_seconds > before.cpu_seconds && after.cpu_seconds < 3600);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(after.max_fds, limit.rlim_cur);
    free(ballast);
    const double age = (double)time(NULL) - th_process_start_time();
    assert_true(age > -2 && age < 120);
}

/* ---- the board ---- */

enum { POSTS = 20000 };

struct reading {
    th_metrics_board *board;
    atomic_bool is_done;
};

static void *post_all(void *context)
{
    struct reading *const reading = context;
    th_metrics metrics = { .source_name = "spool", .sink_name = "files" };
    for (unsigned i = 0; i < POSTS; i++) {
        metrics.source.received += 64;
        metrics.in_flight += 64;
        if (i % 3 == 2) {
            metrics.counts.emitted += 100;
            metrics.counts.refused[TH_NOT_HTML] += 92;
            metrics.in_flight -= 192;
        }
        th_metrics_board_post(reading->board, &metrics);
    }
    atomic_store(&reading->is_done, true);
    return NULL;
}

static void snapshots_are_of_one_moment(void **state)
{
    struct reading reading = { .board = th_metrics_board_new() };
    pthread_t thread;
    th_metrics metrics;
    (void)state;
    assert_non_null(reading.board);
    assert_int_equal(pthread_create(&thread, NULL, post_all, &reading), 0);
    while (!atomic_load(&reading.is_done)) {
        th_metrics_board_read(reading.board, &metrics);
        assert_int_equal(unaccounted(&metrics), 0);
    }
    pthread_join(thread, NULL);
    th_metrics_board_read(reading.board, &metrics);
    struct scrape *const scrape = scrape_of(&metrics, NULL);
    assert_true(sum_of(scrape, "thresher_records_received_total") == 64.0 * POSTS);
    assert_adds_up(scrape);
    free(scrape);
    th_metrics_board_free(reading.board);
    th_metrics_board_free(NULL);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[ROWS + 8];
    size_t count = 0;
    for (; count < ROWS; count++)
        tests[count] = (struct CMUnitTest){ rows[count].name, row_holds, NULL, NULL,
                                            (void *)&rows[count] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(pairing_counts_have_their_series),
        cmocka_unit_test(empty_state_is_readable),
        cmocka_unit_test(records_add_up),
        cmocka_unit_test(counters_survive_a_rewind),
        cmocka_unit_test(steps_are_observed),
        cmocka_unit_test(histogram_is_cumulative),
        cmocka_unit_test(process_facts_are_ours),
        cmocka_unit_test(snapshots_are_of_one_moment),
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        tests[count++] = properties[i];
    return _cmocka_run_group_tests("metrics", tests, count, NULL, NULL);
}
