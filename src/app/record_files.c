/* Files of emitted records. See the header. */
#include "app/record_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/say.h"
#include "base/clock.h"
#include "base/stop.h"
#include "dedup/sig_input.h"
#include "settings/remote_settings.h"

/* Keeps one name of each shard of signatures that a folder has: of its first bucket. */
static void keep_first_buckets(th_input_list *inputs, uint32_t start)
{
    uint32_t kept = start;
    for (uint32_t i = start; i < inputs->count; i++) {
        bool is_first = true;
        (void)th_sig_input_is_name(inputs->paths[i], &is_first);
        if (is_first)
            inputs->paths[kept++] = inputs->paths[i];
    }
    inputs->count = kept;
}

static th_status add(th_record_files *files, const char *argument, th_error *err)
{
    const uint32_t start = files->inputs.count;
    const th_status status = th_input_list_add(&files->inputs, argument, err);
    /* A name of the argument itself stays: opening it reports that it is one bucket. */
    if (status == TH_OK && !th_sig_input_is_name(argument, NULL))
        keep_first_buckets(&files->inputs, start);
    return status;
}

th_status th_record_files_list(th_record_files *files, const th_settings *settings,
                               const char *command, int count, char **arguments,
                               th_error *err)
{
    static const char *const ends[] = { ".jsonl",       ".jsonl.gz", ".jsonl.zst",
                                        ".warc",        ".warc.gz",  ".warc.zst",
                                        ".wet",         ".wet.gz",   ".wet.zst",
                                        ".minhash.sig", ".parquet",  NULL };
    th_status status = th_settings_open_remote(
        settings, settings->quiet ? NULL : th_say_line, NULL, &files->remote, err);
    if (status != TH_OK)
        return status;
    files->inputs.takes_remote = true;
    files->inputs.remote = files->remote;
    files->inputs.name_ends = ends;
    files->inputs.warn = th_say_line;
    files->inputs.stop = &th_stop_requested;
    if (!count)
        return th_fail(err, TH_USAGE,
                       "%s needs RECORDS: a file, a folder, a pattern, @list or - "
                       "for stdin",
                       command);
    for (int i = 0; i < count && status == TH_OK; i++)
        status = add(files, arguments[i], err);
    if (status == TH_OK && !files->inputs.count)
        status = th_fail(err, TH_USAGE, "no file of records found in '%s'", arguments[0]);
    return status;
}

void th_record_files_done(th_record_files *files)
{
    th_input_list_done(&files->inputs);
    th_remote_free(files->remote);
    files->remote = NULL;
}

static th_status read_input(th_record_files *files,
                            const th_record_input_options *options,
                            const th_record_work *work, th_error *err)
{
    th_record_input *input = NULL;
    th_error wrong = { .text = "" };
    th_record_fault fault = TH_RECORD_NONE;
    th_status status = TH_OK;
    th_status read = th_record_input_open(files->path, options, &input, &wrong);
    while (read == TH_OK && status == TH_OK && !th_stop_requested &&
           (read = work->next(work->context, input, &fault, &wrong)) == TH_OK)
        status = work->take(work->context, input, fault, err);
    if (input)
        files->bytes_before += th_record_input_report(input);
    th_record_input_free(input);
    if (read == TH_NOMEM)
        return th_fail(err, TH_NOMEM, "%s", wrong.text);
    const bool has_ended = read == TH_OK || read == TH_END || read == TH_INTERRUPTED;
    if (status == TH_OK && !has_ended) {
        th_progress_clear(&files->progress);
        th_say("%s: %s", files->path, wrong.text);
        files->damaged++;
    }
    return status;
}

th_status th_record_files_read(th_record_files *files, th_record_use use, size_t max_line,
                               const th_record_work *work, th_error *err)
{
    const th_record_input_options options = { .use = use,
                                              .max_line = max_line,
                                              .remote = files->remote,
                                              .stop = &th_stop_requested };
    th_status status = TH_OK;
    for (uint32_t i = 0; i < files->inputs.count && status == TH_OK; i++) {
        files->path = files->inputs.paths[i];
        files->begun++;
        status = read_input(files, &options, work, err);
        if (status == TH_OK && th_stop_requested)
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
    }
    return status;
}

void th_record_files_show(th_record_files *files, const char *step, uint64_t done,
                          uint64_t total, uint64_t records)
{
    th_progress_bar *bar = &files->progress.bar;
    char words[64];
    if (!th_progress_bar_is_due(bar))
        return;
    if (total || !done)
        (void)snprintf(words, sizeof words, "%" PRIu64 " records", records);
    else
        (void)snprintf(words, sizeof words, "round %" PRIu64 "  %" PRIu64 " records",
                       done, records);
    const th_progress_view view = { .step = step,
                                    .done = done,
                                    .total = total,
                                    .is_bytes = strcmp(step, TH_STEP_READING) == 0,
                                    .words = words };
    th_progress_bar_show(bar, &view);
}
