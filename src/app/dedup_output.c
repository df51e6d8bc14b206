/* Writes clusters, pairs or ids to a file, and the report next to it. */
#include "app/dedup_output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/duplicate_table.h"
#include "app/say.h"
#include "settings/output_name.h"

/* dedup.output as a number. */
static th_dedup_output output_of(const th_settings *settings)
{
    const th_names names = { th_name_in_array, th_dedup_output_names };
    const char *name = settings->dedup.output;
    return (th_dedup_output)th_name_number(&names, name, strlen(name));
}

th_dedup_kept th_dedup_kept_for(const th_settings *settings)
{
    return output_of(settings) == TH_DEDUP_PAIRS ? TH_KEEP_PAIRS : TH_KEEP_SETS;
}

bool th_dedup_is_exact(const th_settings *settings)
{
    return strcmp(settings->dedup.by, "similarity") != 0 ||
           strcmp(settings->dedup.unit, "record") != 0;
}

th_compared th_dedup_compared_of(const th_settings *settings)
{
    int compared = 0;
    if (th_dedup_is_exact(settings))
        return TH_COMPARE_MAIN; /* of which no record has a signature */
    while (strcmp(th_compared_names[compared], settings->dedup.sign) != 0)
        compared++; /* the option table allows no other */
    return (th_compared)compared;
}

th_status th_dedup_target_open(th_dedup_target *target, const th_settings *settings,
                               th_error *err)
{
    target->settings = settings;
    if (strcmp(settings->compress, TH_COMPRESS_SEEKABLE) == 0)
        return th_fail(err, TH_USAGE,
                       "compress: " TH_COMPRESS_SEEKABLE " is for records of `run`");
    const char *path = settings->dedup.file, *format = settings->dedup.format;
    th_status status = th_output_format(path, &format, err);
    const bool is_table = strcmp(format, "parquet") == 0;
    if (status == TH_OK && !is_table && strcmp(format, "jsonl") != 0)
        status = th_fail(err, TH_USAGE,
                         "output '%.200s': dedup writes jsonl or parquet, not %s", path,
                         format);
    if (status == TH_OK)
        status = th_output_compression(path, settings->compress, th_format_find(format),
                                       &target->compression, err);
    if (status == TH_OK)
        status = th_file_sink_open(path, 0, &target->sink, err);
    return status == TH_OK && is_table
               ? th_duplicate_table_open(settings, output_of(settings), target->sink,
                                         &target->table, err)
               : status;
}

void th_dedup_target_close(th_dedup_target *target)
{
    char part[4096];
    int len = 0;
    if (target->sink)
        len = snprintf(part, sizeof part, "%s" TH_PART_SUFFIX,
                       target->settings->dedup.file);
    if (target->sink && len > 0 && (size_t)len < sizeof part)
        (void)unlink(part);
    th_parquet_free(target->table);
    th_file_sink_free(target->sink);
    th_clusters_done(&target->clusters);
    th_buffer_done(&target->packed);
    *target = (th_dedup_target){ .sink = NULL };
}

static th_status write_piece(void *context, th_view bytes, th_error *err)
{
    th_dedup_target *target = context;
    if (target->table) {
        const th_status status = th_parquet_add(target->table, bytes, err);
        return status == TH_OK ? th_parquet_settle(target->table, err) : status;
    }
    if (target->compression == TH_PLAIN)
        return th_file_sink_write(target->sink, bytes, err);
    th_buffer_reset(&target->packed);
    if (th_compress(target->compression, bytes, &target->packed) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory to compress the output");
    return th_file_sink_write(target->sink, th_buffer_view(&target->packed), err);
}

static th_status write_lines(th_dedup_target *target, th_duplicate_finder *finder,
                             th_dedup_report *report, th_error *err)
{
    th_status status = th_clusters_write(
        finder, &target->clusters, output_of(target->settings), target->table != NULL,
        write_piece, target, &report->lines, err);
    if (status == TH_OK && target->table)
        status = th_parquet_finish(target->table, err);
    else if (status == TH_OK && !report->lines)
        status = write_piece(target, TH_VIEW(""), err); /* a gzip file has a member */
    if (status == TH_OK)
        status = th_file_sink_finish(target->sink, err);
    if (status == TH_OK) {
        th_file_sink_free(target->sink);
        target->sink = NULL;
    }
    return status;
}

static th_status write_report(const th_dedup_target *target, th_duplicate_finder *finder,
                              const th_dedup_report *report, th_error *err)
{
    const char *path = target->settings->dedup.report;
    th_buffer json = { 0 };
    if (!*path)
        return TH_OK;
    th_status status = th_dedup_report_json(report, finder, &json, err);
    if (status == TH_OK)
        status = th_file_replace(path, th_buffer_view(&json), err);
    th_buffer_done(&json);
    return status;
}

th_status th_dedup_target_write(th_dedup_target *target, th_duplicate_finder *finder,
                                th_dedup_report *report, th_error *err)
{
    th_status status = th_clusters_init(&target->clusters, &finder->sets, err);
    if (status != TH_OK)
        return status;
    report->counts = finder->counts;
    report->sizes = target->clusters.summary;
    memcpy(report->params, finder->params.words, sizeof report->params);
    status = write_lines(target, finder, report, err);
    return status == TH_OK ? write_report(target, finder, report, err) : status;
}

th_status th_dedup_check_signed(const th_dedup_counts *counts, th_compared compared,
                                th_error *err)
{
    if (compared == TH_COMPARE_MAIN || !counts->records ||
        counts->unsigned_records < counts->records)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "no record has a signature for --sign %s; `thresher run --sign` "
                   "selects the signed text",
                   th_compared_names[compared]);
}

int th_dedup_conclude(const th_dedup_report *report, th_duplicate_finder *finder,
                      bool is_quiet)
{
    const uint64_t refused = th_dedup_report_refused(report);
    if (!is_quiet)
        th_dedup_report_print(report, finder, stderr);
    if (report->read != report->counts.records + refused) {
        th_say("counters do not add up (this is a bug)");
        return TH_EXIT_SOFTWARE;
    }
    return refused || report->damaged_inputs ? TH_EXIT_INPUT : TH_EXIT_OK;
}
