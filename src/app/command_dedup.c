/* `thresher dedup`: finds clusters of near-duplicates in emitted records. */
#include <stdio.h>
#include <string.h>

#include "app/dedup_output.h"
#include "app/dedup_reading.h"
#include "app/dedup_stages.h"
#include "app/program.h"
#include "app/same_file.h"
#include "base/clock.h"
#include "dedup/record_locations.h"

/* The state of the command. */
struct dedup {
    const th_settings *settings;
    th_dedup_reading reading;
    th_duplicate_finder finder;
    th_record_locations *places; /* of the records that the finder accepted */
    th_dedup_report report;
    th_dedup_target target;
};

/* ---- reading ---- */

static th_status take_record(void *context, const th_record_line *record,
                             const char *full, const char *place, th_record_fault *fault,
                             th_error *err)
{
    struct dedup *dedup = context;
    const th_status status =
        th_duplicate_finder_add(&dedup->finder, record, full, fault, err);
    return status == TH_OK && *fault == TH_RECORD_NONE
               ? th_record_locations_add(dedup->places, dedup->reading.files.path, place,
                                         err)
               : status;
}

/* Which records have the id of another one is known when all are read. */
static th_status report_repeated(struct dedup *dedup, th_error *err)
{
    const th_record_store *store = dedup->finder.store;
    const uint32_t added = th_record_store_added(store);
    char place[TH_FULL_PLACE_MAX];
    th_status status = TH_OK;
    for (uint32_t number = 0; number < added && status == TH_OK &&
                              th_dedup_report_refused(&dedup->report) <= TH_TOLD_FAULTS;
         number++) {
        if (th_record_store_rank_of(store, number) != UINT32_MAX)
            continue;
        status = th_record_locations_text(dedup->places, number, place, err);
        if (status == TH_OK)
            th_dedup_reading_report(&dedup->reading, place, TH_RECORD_REPEATED_ID);
    }
    dedup->report.refused[TH_RECORD_REPEATED_ID] = dedup->finder.counts.repeated;
    return status;
}

/* ---- the command ---- */

static th_status check_files(const struct dedup *dedup, int count, char **arguments,
                             th_error *err)
{
    const th_dedup_settings *settings = &dedup->settings->dedup;
    th_file_uses files = { 0 };
    th_status status =
        th_file_uses_inputs(&files, &dedup->reading.files.inputs, count, arguments, err);
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
    th_dedup_options options = th_dedup_options_of(dedup->settings);
    options.progress = th_dedup_reading_show;
    options.progress_context = &dedup->reading;
    return th_duplicate_finder_init(&dedup->finder, &options, err);
}

static th_status prepare(struct dedup *dedup, int count, char **arguments, th_error *err)
{
    th_dedup_reading *reading = &dedup->reading;
    reading->report = &dedup->report;
    reading->context = dedup;
    reading->take = take_record;
    th_status status = th_input_list_init(&reading->files.inputs);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the list of inputs");
    status = th_record_files_list(&reading->files, dedup->settings, "dedup", count,
                                  arguments, err);
    if (status == TH_OK)
        status = check_files(dedup, count, arguments, err);
    if (status == TH_OK)
        status = open_finder(dedup, err);
    if (status == TH_OK)
        status =
            th_record_locations_new(dedup->settings->dedup.temp, &dedup->places, err);
    return status == TH_OK ? th_dedup_target_open(&dedup->target, dedup->settings, err)
                           : status;
}

static th_status work(struct dedup *dedup, th_error *err)
{
    th_progress *progress = &dedup->reading.files.progress;
    th_duplicate_finder *finder = &dedup->finder;
    th_progress_start(progress, stderr, dedup->settings->quiet,
                      dedup->reading.files.inputs.total_bytes, 0);
    th_status status = th_dedup_reading_run(&dedup->reading, dedup->settings, err);
    if (status == TH_OK)
        status = th_duplicate_finder_find(finder, err);
    if (status == TH_OK)
        status = th_dedup_check_signed(&finder->counts, finder->params.compared, err);
    if (status == TH_OK)
        status = report_repeated(dedup, err);
    if (status == TH_OK)
        status = th_dedup_target_write(&dedup->target, finder, &dedup->report, err);
    th_progress_clear(progress);
    dedup->report.seconds = th_clock_seconds(CLOCK_MONOTONIC) - progress->started;
    return status;
}

static th_status find_duplicates(const th_settings *settings, int count, char **arguments,
                                 int *code, th_error *err)
{
    struct dedup dedup = { .settings = settings };
    th_status status = prepare(&dedup, count, arguments, err);
    if (status == TH_OK)
        status = work(&dedup, err);
    if (status == TH_OK)
        *code = th_dedup_conclude(&dedup.report, &dedup.finder, settings->quiet);
    th_dedup_target_close(&dedup.target);
    th_duplicate_finder_done(&dedup.finder);
    th_record_locations_free(dedup.places);
    th_dedup_reading_done(&dedup.reading);
    return status;
}

/* The stages; an input that has the name of one is written ./partition. */
static const struct {
    const char *name;
    th_status (*run)(const th_settings *settings, int count, char **arguments, int *code,
                     th_error *err);
} verbs[] = { { "partition", th_dedup_partition },
              { "pairs", th_dedup_pairs },
              { "components", th_dedup_components } };

static th_status run_verb(const th_settings *settings, int count, char **arguments,
                          int *code, th_error *err)
{
    for (size_t i = 0; count && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(arguments[0], verbs[i].name) == 0)
            return verbs[i].run(settings, count - 1, arguments + 1, code, err);
    if (*settings->dedup.part)
        return th_fail(err, TH_USAGE, "part is an option of `thresher dedup pairs`");
    return find_duplicates(settings, count, arguments, code, err);
}

int th_command_dedup(const th_program *program, int argc, char **argv)
{
    th_settings settings = { 0 };
    th_error err = { .text = "" };
    int first = 0, code = TH_EXIT_OK;
    th_status status = th_settings_init(&settings, NULL);
    if (status != TH_OK)
        (void)th_fail(&err, status, "cannot allocate the settings");
    if (status == TH_OK)
        status = th_settings_parse(&settings, TH_FOR_DEDUP, argc, argv, &first, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_DEDUP, settings.help_all);
        th_settings_done(&settings);
        return TH_EXIT_OK;
    }
    if (status == TH_OK)
        status = run_verb(&settings, argc - first, argv + first, &code, &err);
    if (status != TH_OK) {
        err.status = status == TH_TOO_LARGE ? TH_USAGE : status;
        code = th_complain(&err);
    }
    th_settings_done(&settings);
    return code;
}
