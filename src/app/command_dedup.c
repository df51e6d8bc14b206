/* `thresher dedup`: clusters of near-duplicates from emitted records. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/dedup_report.h"
#include "app/record_files.h"
#include "app/same_file.h"
#include "base/clock.h"
#include "base/file_name.h"
#include "base/file_sink.h"
#include "dedup/record_places.h"
#include "settings/output_name.h"
#include "settings/settings.h"
#include "write/format.h"

enum {
    TOLD_FAULTS = 20, /* lines about faulty records; further ones are only counted */
    LOOK_EVERY = 1024 /* records between two looks at the clock */
};

/* What the command holds, from the command line to its end. */
struct dedup {
    th_settings settings;
    th_record_files files;
    th_duplicate_finder finder;
    th_record_places *places; /* of those that the finder took */
    th_clusters clusters;
    th_dedup_report report;
    th_record_line record;
    th_compression compression;
    th_file_sink *sink;
    th_buffer packed;
};

/* ---- what a terminal shows ---- */

static void show(void *context, const char *step, uint64_t done, uint64_t total)
{
    struct dedup *dedup = context;
    char amount[16] = "";
    if (!th_record_files_is_show_due(&dedup->files))
        return;
    if (total)
        (void)snprintf(amount, sizeof amount, "%5.1f%%  ",
                       100.0 * (double)done / (double)total);
    th_record_files_show(&dedup->files, step, amount, dedup->report.read);
}

static void tell_fault(struct dedup *dedup, const char *place, th_record_fault fault)
{
    const uint64_t told = th_dedup_report_refused(&dedup->report);
    dedup->report.refused[fault]++;
    if (told > TOLD_FAULTS)
        return;
    th_progress_clear(&dedup->files.progress);
    if (told < TOLD_FAULTS)
        fprintf(stderr, "thresher: %s: %s\n", place, th_record_fault_text(fault));
    else
        fputs("thresher: further faulty records are counted, not listed\n", stderr);
}

/* ---- reading ---- */

static th_status next_record(void *context, th_record_input *input,
                             th_record_fault *fault, th_error *wrong)
{
    struct dedup *dedup = context;
    return th_record_input_next(input, &dedup->record, fault, wrong);
}

static th_status take_record(void *context, const th_record_input *input,
                             th_record_fault fault, th_error *err)
{
    struct dedup *dedup = context;
    const th_record_files *files = &dedup->files;
    char place[TH_PLACE_MAX];
    char full[TH_FULL_PLACE_MAX];
    th_status status = TH_OK;
    th_record_input_place(input, place);
    (void)snprintf(full, sizeof full, "%.400s: %s", files->path, place);
    if (dedup->report.read++ % LOOK_EVERY == 0)
        show(dedup, "reading", files->bytes_before + th_record_input_tell(input),
             files->inputs.total_bytes);
    if (fault == TH_RECORD_NONE)
        status =
            th_duplicate_finder_add(&dedup->finder, &dedup->record, full, &fault, err);
    if (status == TH_OK && fault == TH_RECORD_NONE)
        status = th_record_places_add(dedup->places, files->path, place, err);
    else if (status == TH_OK)
        tell_fault(dedup, full, fault);
    return status;
}

static th_status read_all(struct dedup *dedup, th_error *err)
{
    const th_record_work work = { dedup, next_record, take_record };
    const th_status status = th_record_files_read(
        &dedup->files, (size_t)dedup->settings.dedup.max_line, &work, err);
    dedup->report.inputs = dedup->files.begun;
    dedup->report.damaged_inputs = dedup->files.damaged;
    dedup->report.bytes = dedup->files.bytes_before;
    return status;
}

/* Which records have the id of another one is known when all are read. */
static th_status tell_repeated(struct dedup *dedup, th_error *err)
{
    const th_record_store *store = dedup->finder.store;
    const uint32_t added = th_record_store_added(store);
    char place[TH_FULL_PLACE_MAX];
    th_status status = TH_OK;
    for (uint32_t number = 0; number < added && status == TH_OK &&
                              th_dedup_report_refused(&dedup->report) <= TOLD_FAULTS;
         number++) {
        if (th_record_store_rank_of(store, number) != UINT32_MAX)
            continue;
        status = th_record_places_text(dedup->places, number, place, err);
        if (status == TH_OK)
            tell_fault(dedup, place, TH_RECORD_REPEATED_ID);
    }
    dedup->report.refused[TH_RECORD_REPEATED_ID] = dedup->finder.counts.repeated;
    return status;
}

/* ---- writing ---- */

static th_status write_piece(void *context, th_view bytes, th_error *err)
{
    struct dedup *dedup = context;
    if (dedup->compression == TH_PLAIN)
        return th_file_sink_write(dedup->sink, bytes, err);
    th_buffer_reset(&dedup->packed);
    if (th_compress(dedup->compression, bytes, &dedup->packed) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory to compress the output");
    return th_file_sink_write(dedup->sink, th_buffer_view(&dedup->packed), err);
}

static th_dedup_output output_of(const th_settings *settings)
{
    const th_names names = { th_name_in_array, th_dedup_output_names };
    const char *name = settings->dedup.output;
    return (th_dedup_output)th_name_number(&names, name, strlen(name));
}

static th_status write_all(struct dedup *dedup, th_error *err)
{
    th_status status =
        th_clusters_write(&dedup->finder, &dedup->clusters, output_of(&dedup->settings),
                          write_piece, dedup, &dedup->report.lines, err);
    if (status == TH_OK && !dedup->report.lines)
        status = write_piece(dedup, TH_VIEW(""), err); /* a gzip file has a member */
    if (status == TH_OK)
        status = th_file_sink_finish(dedup->sink, err);
    return status;
}

static th_status write_report(struct dedup *dedup, th_error *err)
{
    th_buffer json = { 0 };
    if (!*dedup->settings.dedup.report)
        return TH_OK;
    th_status status = th_dedup_report_json(&dedup->report, &dedup->finder, &json, err);
    if (status == TH_OK)
        status =
            th_file_replace(dedup->settings.dedup.report, th_buffer_view(&json), err);
    th_buffer_done(&json);
    return status;
}

/* An unfinished output is removed: it cannot be continued. */
static void discard_output(struct dedup *dedup)
{
    char part[4096];
    const int len =
        snprintf(part, sizeof part, "%s" TH_PART_SUFFIX, dedup->settings.dedup.file);
    if (dedup->sink && len > 0 && (size_t)len < sizeof part)
        (void)unlink(part);
}

/* ---- the command ---- */

static th_status check_files(const struct dedup *dedup, int count, char **arguments,
                             th_error *err)
{
    const th_dedup_settings *settings = &dedup->settings.dedup;
    th_file_uses files = { 0 };
    th_status status =
        th_file_uses_inputs(&files, &dedup->files.inputs, count, arguments, err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "output", settings->file, err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "report", settings->report, err);
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

static th_status open_finder(struct dedup *dedup, th_error *err)
{
    const th_dedup_settings *settings = &dedup->settings.dedup;
    int compared = 0;
    while (strcmp(th_compared_names[compared], settings->sign) != 0)
        compared++; /* the option table allows no other */
    const th_dedup_options options = {
        .compared = (th_compared)compared,
        .threshold = settings->threshold,
        .fan_out = settings->fan_out,
        .memory = settings->memory,
        .temp = settings->temp,
        .wants_pairs = output_of(&dedup->settings) == TH_DEDUP_PAIRS,
        .progress = show,
        .progress_context = dedup,
        .stop = &th_stop_requested,
    };
    return th_duplicate_finder_init(&dedup->finder, &options, err);
}

static th_status prepare(struct dedup *dedup, int argc, char **argv, th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(&dedup->settings);
    if (status == TH_OK)
        status = th_input_list_init(&dedup->files.inputs);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(&dedup->settings, TH_FOR_DEDUP, argc, argv, &first, err);
    if (status == TH_OK)
        status =
            th_record_files_list(&dedup->files, "dedup", argc - first, argv + first, err);
    if (status == TH_OK)
        status = check_files(dedup, argc - first, argv + first, err);
    if (status == TH_OK)
        status =
            th_output_compression(dedup->settings.dedup.file, dedup->settings.compress,
                                  false, &dedup->compression, err);
    if (status == TH_OK)
        status = open_finder(dedup, err);
    if (status == TH_OK)
        status = th_record_places_new(dedup->settings.dedup.temp, &dedup->places, err);
    if (status == TH_OK)
        status = th_file_sink_open(dedup->settings.dedup.file, 0, &dedup->sink, err);
    return status;
}

/* With a text that no record has signed, no duplicates would be found, without an
 * error. */
static th_status check_signatures(const struct dedup *dedup, th_error *err)
{
    const th_dedup_counts *counts = &dedup->finder.counts;
    const char *sign = dedup->settings.dedup.sign;
    if (strcmp(sign, "main") == 0 || !counts->records ||
        counts->unsigned_records < counts->records)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "no record has a signature for --sign %s: `thresher run --sign` says "
                   "which texts are signed",
                   sign);
}

static th_status work(struct dedup *dedup, th_error *err)
{
    th_dedup_report *report = &dedup->report;
    th_progress_start(&dedup->files.progress, stderr, dedup->settings.quiet,
                      dedup->files.inputs.total_bytes, 0);
    th_status status = read_all(dedup, err);
    if (status == TH_OK)
        status = th_duplicate_finder_find(&dedup->finder, err);
    if (status == TH_OK)
        status = check_signatures(dedup, err);
    if (status == TH_OK)
        status = tell_repeated(dedup, err);
    if (status == TH_OK)
        status = th_clusters_init(&dedup->clusters, &dedup->finder.sets, err);
    if (status != TH_OK)
        goto done;
    report->counts = dedup->finder.counts;
    report->sizes = dedup->clusters.summary;
    memcpy(report->signing, dedup->finder.signing.words, sizeof report->signing);
    status = write_all(dedup, err);
    if (status == TH_OK)
        status = write_report(dedup, err);
done:
    th_progress_clear(&dedup->files.progress);
    report->seconds = th_clock_seconds(CLOCK_MONOTONIC) - dedup->files.progress.started;
    return status;
}

/* The exit code of a finished deduplication, after its summary. */
static int conclude(struct dedup *dedup)
{
    const th_dedup_report *report = &dedup->report;
    const uint64_t refused = th_dedup_report_refused(report);
    if (!dedup->settings.quiet)
        th_dedup_report_print(report, &dedup->finder, stderr);
    if (report->read != report->counts.records + refused) {
        fputs("thresher: counters do not add up: this is a bug\n", stderr);
        return TH_EXIT_SOFTWARE;
    }
    return refused || report->damaged_inputs ? TH_EXIT_INPUT : TH_EXIT_OK;
}

int th_command_dedup(int argc, char **argv)
{
    struct dedup dedup = { 0 };
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_status status = prepare(&dedup, argc, argv, &err);
    if (status == TH_OK)
        status = work(&dedup, &err);
    if (status == TH_OK) {
        code = conclude(&dedup);
    } else if (status == TH_END) {
        th_print_usage(stdout, TH_FOR_DEDUP);
    } else if (status == TH_INTERRUPTED) {
        fputs("thresher: interrupted\n", stderr);
        code = TH_EXIT_INTERRUPTED;
    } else {
        err.status = status == TH_TOO_LARGE ? TH_USAGE : status;
        code = th_complain(&err);
    }
    if (status != TH_OK)
        discard_output(&dedup);
    th_file_sink_free(dedup.sink);
    th_clusters_done(&dedup.clusters);
    th_duplicate_finder_done(&dedup.finder);
    th_record_places_free(dedup.places);
    th_record_line_done(&dedup.record);
    th_buffer_done(&dedup.packed);
    th_input_list_done(&dedup.files.inputs);
    th_settings_done(&dedup.settings);
    return code;
}
