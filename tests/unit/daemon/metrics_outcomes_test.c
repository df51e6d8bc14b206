/* src/daemon: the text of random metrics, as Prometheus reads it, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/metrics.h"
#include "daemon/pairing_metrics.h"
#include "outcomes.h"

static uint64_t number(struct outcomes *all)
{
    const uint32_t kind = below(all, 4), shift = below(all, 30);
    return kind == 0   ? 0
           : kind == 1 ? below(all, 10)
                       : (uint64_t)below(all, 1 << 20) << shift;
}

static double seconds(struct outcomes *all)
{
    return (double)below(all, 1 << 16) / 64;
}

/* Fills an array of numbers. */
static void fill(struct outcomes *all, uint64_t *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *numbers; i++)
        numbers[i] += number(all);
}
#define FILL(all, what) fill((all), (uint64_t *)(void *)&(what), sizeof(what))

static void change_traffic(struct outcomes *all, th_serve_stats *stats)
{
    FILL(all, stats->counts);
    stats->received += number(all);
    stats->in_flight = number(all);
    stats->voided += number(all);
    stats->flushes += below(all, 3);
    stats->aborts += below(all, 2);
    stats->is_blocked = below(all, 3) == 0;
    stats->is_draining = below(all, 9) == 0;
    stats->pool.workers = below(all, 9);
    stats->pool.in_flight = below(all, 9);
    stats->pool.limit = below(all, 9);
    stats->pool.in_flight_records = number(all);
    stats->pool.busy_seconds += seconds(all);
    stats->source.received = stats->received;
    stats->source.bytes += number(all);
    stats->source.damaged += number(all);
    stats->source.positions_damaged += number(all);
    stats->source.is_assigned = below(all, 2);
    static const th_own_metric rows[] = {
        { "x_files", "gauge", "Files.", "state", "open", 0, false },
        { "x_files", "gauge", "Files.", "state", "done", 0, false },
        { "x_seconds", "gauge", "Age.", NULL, NULL, 0, true },
        { "x_total", "counter", "All.", NULL, NULL, 0, false },
    };
    stats->source.own.rows = rows;
    stats->source.own.count = below(all, 5);
    for (uint32_t i = 0; i < stats->source.own.count; i++) {
        if (rows[i].is_seconds)
            stats->source.own.values[i].seconds = seconds(all);
        else
            stats->source.own.values[i].count =
                below(all, 4) ? number(all) : TH_METRIC_UNKNOWN;
    }
    stats->sink.bytes += number(all);
    stats->sink.files += number(all);
    stats->sink.commits += below(all, 3);
    stats->sink.aborts += below(all, 2);
    stats->sink.commit_seconds += seconds(all);
    stats->sink.queue_bytes = number(all);
    stats->sink.is_blocked = below(all, 3) == 0;
    stats->sink.blocked_seconds += seconds(all);
    stats->sink.cut_records += number(all);
    stats->sink.cut_letters += number(all);
    stats->sink.left_out_letters += number(all);
    stats->sink.left_out_edges += number(all);
    stats->sink.tombstones += number(all);
}

static void change_memories(struct outcomes *all, th_serve_stats *stats)
{
    FILL(all, stats->index.counts);
    FILL(all, stats->sites);
    stats->index.segments = below(all, 99);
    stats->index.entries = number(all);
    stats->index.memory_bytes = number(all);
    stats->index.journal_bytes = number(all);
    stats->index.table_bytes = number(all);
}

static void change_own(struct outcomes *all, th_metrics *metrics)
{
    FILL(all, metrics->dead_lettered);
    FILL(all, metrics->extract.requests);
    for (uint32_t i = below(all, 5); i; i--) {
        const double time = seconds(all);
        th_histogram_observe(&metrics->extract.seconds, time / (1 << below(all, 12)));
    }
    metrics->extract.in_progress = below(all, 9);
    metrics->extract.limit = below(all, 9);
    metrics->extract.busy_seconds += seconds(all);
    metrics->processes_started += number(all);
    metrics->processes_died += number(all);
    metrics->reloads += number(all);
    metrics->reloads_failed += number(all);
    metrics->last_reload = below(all, 3) ? seconds(all) : 0;
}

/* Notes the text without the line of the program's version. */
static void note_metrics(struct outcomes *all, const th_buffer *out)
{
    th_view rest = th_buffer_view(out);
    assert_false(out->has_failed);
    while (rest.len) {
        const char *end = memchr(rest.data, '\n', rest.len);
        const size_t len = end ? (size_t)(end - rest.data) + 1 : rest.len;
        if (!memmem(rest.data, len, "version=\"", 9))
            note_view(all, (th_view){ rest.data, len });
        rest = (th_view){ rest.data + len, rest.len - len };
    }
}

static void texts_of_random_metrics_are_known(void **state)
{
    static const char *const names[] = { NULL, "spool", "kafka", "files" };
    (void)state;
    struct outcomes all = { .chance = 1 };
    for (unsigned round = 0; round < 40; round++) {
        th_metrics metrics = { .libxml2 = "2.9", .started = 1700000000 };
        th_serve_stats stats = { .received = 0 };
        double now = 5;
        metrics.source_name = names[below(&all, 4)];
        metrics.sink_name = names[below(&all, 4)];
        metrics.librdkafka = below(&all, 2) ? "2.0" : NULL;
        metrics.is_transactional = below(&all, 2);
        metrics.has_extract = below(&all, 2);
        metrics.has_processes = below(&all, 2);
        stats.has_index = below(&all, 2);
        stats.has_sites = below(&all, 2);
        for (unsigned step = 0; step < 8; step++) {
            th_buffer out = { 0 };
            th_process_stats process = { .cpu_seconds = seconds(&all) };
            process.resident_bytes = number(&all);
            process.open_fds = below(&all, 99);
            process.max_fds = below(&all, 3) ? number(&all) : 0;
            change_traffic(&all, &stats);
            change_memories(&all, &stats);
            change_own(&all, &metrics);
            now += seconds(&all);
            th_metrics_observe(&metrics, &stats, now);
            th_metrics_render(&metrics, below(&all, 4) ? &process : NULL, &out);
            note_metrics(&all, &out);
            th_buffer_done(&out);
        }
    }
    expect_digest(&all, 0x05C612B9F0366DFE);
}

static void texts_of_random_pairing_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 2 };
    for (unsigned round = 0; round < 40; round++) {
        th_buffer out = { 0 };
        th_kafka_pairing_stats stats = { .is_assigned = below(&all, 2) };
        uint64_t *const numbers[] = { &stats.messages, &stats.again,     &stats.late,
                                      &stats.full,     &stats.compared,  &stats.edges,
                                      &stats.left_out, &stats.shed,      &stats.records,
                                      &stats.bytes,    &stats.remade,    &stats.commits,
                                      &stats.aborts,   &stats.rebalances };
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            *numbers[i] = number(&all);
        FILL(&all, stats.faults);
        stats.partitions = below(&all, 9);
        stats.rebuilding = below(&all, 9);
        (void)snprintf(stats.unready, sizeof stats.unready, "%s",
                       below(&all, 2) ? "no broker" : "");
        const th_process_stats process = { 1.5, 1 << 20, 7, 1024 };
        th_pairing_metrics_render(&stats, below(&all, 4) ? &process : NULL,
                                  1700000000 + round, &out);
        note_metrics(&all, &out);
        th_buffer_done(&out);
    }
    expect_digest(&all, 0x29C100AD7CE11ADB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_random_metrics_are_known),
        cmocka_unit_test(texts_of_random_pairing_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
