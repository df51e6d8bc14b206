/* The three stages of a deduplication on many machines. */
#include "app/dedup_stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "app/command.h"
#include "app/dedup_output.h"
#include "app/dedup_reading.h"
#include "app/shard.h"
#include "base/clock.h"
#include "dedup/components.h"
#include "dedup/range_pairs.h"
#include "dedup/shard_writer.h"

th_dedup_options th_dedup_options_of(const th_settings *settings)
{
    return (th_dedup_options){
        .compared = th_dedup_compared_of(settings),
        .threshold = settings->dedup.threshold,
        .fan_out = settings->dedup.fan_out,
        .memory = settings->dedup.memory,
        .temp = settings->dedup.temp,
        .kept = th_dedup_kept_for(settings),
        .stop = &th_stop_requested,
    };
}

/* ---- partition ---- */

/* The state of a partition. */
struct partition {
    const th_settings *settings;
    th_dedup_reading reading;
    th_dedup_report report;
    th_shard_writer *writer;
};

static th_status take_record(void *context, const th_record_line *record,
                             const char *full, const char *place, th_record_fault *fault,
                             th_error *err)
{
    struct partition *partition = context;
    (void)place;
    return th_shard_writer_add(partition->writer, record, full, fault, err);
}

/* Options and inputs by name, as of `run --shard`: machines see them at other times. */
static uint64_t identify(const th_settings *settings, const th_input_list *inputs)
{
    const th_dedup_settings *dedup = &settings->dedup;
    const uint64_t numbers[] = { dedup->parts, dedup->max_line };
    uint64_t job = XXH3_64bits(numbers, sizeof numbers);
    job = XXH3_64bits_withSeed(dedup->sign, strlen(dedup->sign) + 1, job);
    if (th_dedup_is_exact(settings)) { /* shards of older versions keep their number */
        job = XXH3_64bits_withSeed(dedup->by, strlen(dedup->by) + 1, job);
        job = XXH3_64bits_withSeed(dedup->unit, strlen(dedup->unit) + 1, job);
    }
    for (uint32_t i = 0; i < inputs->count; i++)
        job = XXH3_64bits_withSeed(inputs->paths[i], strlen(inputs->paths[i]) + 1, job);
    return job;
}

/* @return TH_OK: it is done; TH_ABSENT: it is not */
static th_status find_shard(const struct partition *partition, uint64_t job,
                            th_shard_counts *counts, uint64_t *records, th_error *err)
{
    const char *folder = partition->settings->dedup.file;
    th_record_shard shard;
    th_status status = th_record_shard_load(folder, &shard, err);
    if (status != TH_OK)
        return status;
    if (shard.head.job != job)
        status = th_fail(err, TH_USAGE,
                         "'%.300s' is a shard of other inputs or options; use another "
                         "folder, or remove that shard",
                         folder);
    *counts = shard.head.counts;
    *records = shard.head.records;
    th_record_shard_done(&shard);
    return status;
}

static void fill_counts(const th_dedup_report *report, th_shard_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    counts->read = report->read;
    memcpy(counts->refused, report->refused, sizeof counts->refused);
    counts->inputs = report->inputs;
    counts->damaged_inputs = report->damaged_inputs;
    counts->bytes = report->bytes;
}

static th_status make_shard(struct partition *partition, uint64_t job,
                            th_shard_counts *counts, uint64_t *records, th_error *err)
{
    const th_settings *settings = partition->settings;
    const th_shard_options options = {
        .folder = settings->dedup.file,
        .compared = th_dedup_compared_of(settings),
        .parts = settings->dedup.parts,
        .memory = settings->dedup.memory,
        .temp = settings->dedup.temp,
        .job = job,
        .stop = &th_stop_requested,
    };
    th_record_shard shard;
    th_status status = th_shard_writer_new(&options, &partition->writer, err);
    if (status == TH_OK)
        status = th_dedup_reading_run(&partition->reading, settings, err);
    if (status != TH_OK)
        return status;
    fill_counts(&partition->report, counts);
    status = th_shard_writer_finish(partition->writer, counts, &shard, err);
    if (status != TH_OK)
        return status;
    *records = shard.head.records;
    th_record_shard_done(&shard);
    return TH_OK;
}

static th_status prepare(struct partition *partition, int count, char **arguments,
                         th_error *err)
{
    th_dedup_reading *reading = &partition->reading;
    reading->report = &partition->report;
    reading->context = partition;
    reading->take = take_record;
    const char *folder = partition->settings->dedup.file;
    if (!*folder || strcmp(folder, "-") == 0)
        return th_fail(err, TH_USAGE, "dedup partition needs -O DIR");
    const th_status status = th_input_list_init(&reading->files.inputs);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the list of inputs");
    return th_record_files_list(&reading->files, partition->settings, "dedup partition",
                                count, arguments, err);
}

static th_status run_partition(struct partition *partition, int *code, th_error *err)
{
    const th_settings *settings = partition->settings;
    th_progress *progress = &partition->reading.files.progress;
    const th_input_list *inputs = &partition->reading.files.inputs;
    th_shard_counts counts = { 0 };
    uint64_t records = 0, refused = 0;
    const uint64_t job = identify(settings, inputs);
    th_progress_start(progress, stderr, settings->quiet, inputs->total_bytes, 0);
    th_status status = find_shard(partition, job, &counts, &records, err);
    const bool was_done = status == TH_OK;
    if (status == TH_ABSENT)
        status = make_shard(partition, job, &counts, &records, err);
    th_progress_clear(progress);
    if (status != TH_OK)
        return status;
    for (int i = 0; i < TH_RECORD_FAULT_COUNT; i++)
        refused += counts.refused[i];
    if (!settings->quiet)
        fprintf(stderr,
                "records   %" PRIu64 " read, %" PRIu64 " kept, %" PRIu64 " refused%s\n",
                counts.read, records, refused, was_done ? "; already done" : "");
    *code = refused || counts.damaged_inputs ? TH_EXIT_INPUT : TH_EXIT_OK;
    return TH_OK;
}

th_status th_dedup_partition(const th_settings *settings, int count, char **arguments,
                             int *code, th_error *err)
{
    struct partition partition = { .settings = settings };
    th_status status = prepare(&partition, count, arguments, err);
    if (status == TH_OK)
        status = run_partition(&partition, code, err);
    th_shard_writer_free(partition.writer);
    th_dedup_reading_done(&partition.reading);
    return status;
}

/* ---- pairs ---- */

static th_status open_set(th_shard_set *set, const char *stage, int count,
                          char **arguments, double threshold, th_error *err)
{
    th_status status = count
                           ? TH_OK
                           : th_fail(err, TH_USAGE,
                                     "dedup %s needs DIR: a folder of `thresher dedup "
                                     "partition`, or a folder that contains such folders",
                                     stage);
    for (int i = 0; i < count && status == TH_OK; i++)
        status = th_shard_set_add(set, arguments[i], err);
    return status == TH_OK ? th_shard_set_close(set, threshold, err) : status;
}

static th_status read_part(const th_settings *settings, uint32_t parts, uint32_t *part,
                           th_error *err)
{
    th_shard shard = { 0, 0 };
    char words[64];
    const char *text = settings->dedup.part;
    if (!*text)
        return th_fail(err, TH_USAGE, "dedup pairs needs --part I/%u", parts);
    /* The shards say how many there are. */
    (void)snprintf(words, sizeof words, "%.40s/%u", text, parts);
    const th_status status =
        th_shard_read("part", strchr(text, '/') ? text : words, &shard, err);
    if (status != TH_OK)
        return status;
    *part = shard.index;
    return shard.count == parts
               ? TH_OK
               : th_fail(err, TH_USAGE, "part is '%.80s' (expected I/%u)", text, parts);
}

/* Whether the range is done. TH_OK; TH_ABSENT; TH_USAGE: the file is another's */
static th_status find_done(const th_shard_set *set, const th_dedup_options *options,
                           uint32_t part, const char *path, th_range_counts *counts,
                           th_error *err)
{
    th_edge_reader *edges = NULL;
    uint32_t a = 0, b = 0;
    th_status status = th_edge_reader_new(path, &edges, err);
    if (status != TH_OK)
        return status;
    const th_edge_head *head = th_edge_reader_head(edges);
    const th_edge_head wanted = th_range_head(set, options, part);
    status = th_range_check(head, &wanted, path, err);
    while (status == TH_OK)
        status = th_edge_reader_next(edges, &a, &b, err);
    counts->found.keys = head->keys;
    counts->found.buckets = head->buckets;
    counts->found.largest_bucket = head->largest_bucket;
    counts->found.capped_buckets = head->capped_buckets;
    counts->found.compared = head->compared;
    counts->edges = th_edge_reader_count(edges);
    th_edge_reader_free(edges);
    return status == TH_END ? TH_OK : status;
}

static void print_range(const th_range_counts *counts, bool was_done)
{
    const th_dedup_counts *found = &counts->found;
    if (!was_done)
        fprintf(stderr, "records   %" PRIu64 " loaded\n", counts->loaded);
    fprintf(stderr,
            "keys      %" PRIu64 ", %" PRIu64 " shared, by %" PRIu64 " records at most\n",
            found->keys, found->buckets, found->largest_bucket);
    if (found->capped_buckets)
        fprintf(stderr,
                "capped    %" PRIu64 " keys shared by more than fan-out records\n",
                found->capped_buckets);
    fprintf(stderr, "pairs     %" PRIu64 " compared, %" PRIu64 " edges%s\n",
            found->compared, counts->edges, was_done ? "; already done" : "");
}

static th_status run_range(th_shard_set *set, const th_settings *settings,
                           const char *folder, th_error *err)
{
    th_dedup_options options = th_dedup_options_of(settings);
    th_dedup_report report = { 0 };
    th_dedup_reading shown = { .report = &report };
    th_range_counts counts = { .edges = 0 };
    char name[TH_EDGE_NAME_MAX];
    uint32_t part = 0;
    options.compared = set->params.compared;
    if (options.kept == TH_KEEP_SETS)
        options.kept = TH_KEEP_JOINS;
    options.progress = th_dedup_reading_show;
    options.progress_context = &shown;
    report.read = set->counts.read;
    th_status status = read_part(settings, set->parts, &part, err);
    if (status != TH_OK)
        return status;
    th_edge_file_name(part, set->parts, name);
    char *path = th_shard_path(folder, name);
    if (!path)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_progress_start(&shown.files.progress, stderr, settings->quiet, 0, 0);
    status = find_done(set, &options, part, path, &counts, err);
    const bool was_done = status == TH_OK;
    if (status == TH_ABSENT)
        status = th_range_pairs(set, &options, part, path, &counts, err);
    th_progress_clear(&shown.files.progress);
    if (status == TH_OK && !settings->quiet)
        print_range(&counts, was_done);
    free(path);
    return status;
}

th_status th_dedup_pairs(const th_settings *settings, int count, char **arguments,
                         int *code, th_error *err)
{
    const char *output = settings->dedup.file;
    const bool has_output = *output && strcmp(output, "-") != 0;
    th_shard_set set = { .shards = NULL };
    th_status status =
        open_set(&set, "pairs", count, arguments, settings->dedup.threshold, err);
    if (status == TH_OK)
        status = run_range(&set, settings, has_output ? output : arguments[0], err);
    th_shard_set_done(&set);
    *code = TH_EXIT_OK;
    return status;
}

/* ---- components ---- */

static th_status join_and_write(th_shard_set *set, const th_settings *settings, int count,
                                char **arguments, int *code, th_error *err)
{
    th_dedup_options options = th_dedup_options_of(settings);
    th_dedup_report report = { 0 };
    th_dedup_reading shown = { .report = &report };
    th_duplicate_finder finder = { 0 };
    th_dedup_target target = { .sink = NULL };
    options.compared = set->params.compared;
    options.progress = th_dedup_reading_show;
    options.progress_context = &shown;
    report.read = set->counts.read;
    memcpy(report.refused, set->counts.refused, sizeof report.refused);
    report.inputs = set->counts.inputs;
    report.damaged_inputs = set->counts.damaged_inputs;
    report.bytes = set->counts.bytes;
    th_progress_start(&shown.files.progress, stderr, settings->quiet, 0, 0);
    th_status status = th_dedup_target_open(&target, settings, err);
    if (status == TH_OK)
        status = th_components(set, arguments, count, &options, &finder, err);
    if (status == TH_OK)
        status = th_dedup_check_signed(&finder.counts, options.compared, err);
    report.refused[TH_RECORD_REPEATED_ID] = finder.counts.repeated;
    if (status == TH_OK)
        status = th_dedup_target_write(&target, &finder, &report, err);
    th_progress_clear(&shown.files.progress);
    report.seconds = th_clock_seconds(CLOCK_MONOTONIC) - shown.files.progress.started;
    if (status == TH_OK)
        *code = th_dedup_conclude(&report, &finder, settings->quiet);
    th_dedup_target_close(&target);
    th_duplicate_finder_done(&finder);
    return status;
}

th_status th_dedup_components(const th_settings *settings, int count, char **arguments,
                              int *code, th_error *err)
{
    th_shard_set set = { .shards = NULL };
    th_status status =
        open_set(&set, "components", count, arguments, settings->dedup.threshold, err);
    if (status == TH_OK)
        status = join_and_write(&set, settings, count, arguments, code, err);
    th_shard_set_done(&set);
    return status;
}
