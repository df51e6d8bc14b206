/*
 * `thresher eval KIND`: measures against corpora with gold, statistics of archives.
 *
 * Has no code for a particular kind. Finds the kind in the table, passes the options, and
 * writes the results: the report to stdout, the picture to its file. That file must not
 * be an input.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/program.h"
#include "app/progress_bar.h"
#include "app/same_file.h"
#include "app/say.h"
#include "app/site_use.h"
#include "base/clock.h"
#include "base/file_sink.h"
#include "base/unknown_name.h"
#include "eval/corpus_path.h"
#include "eval/eval.h"
#include "eval/folds/fold_models.h"
#include "ingest/input_list.h"
#include "methods/lab_names.h"
#include "settings/settings.h"

/* Called by the kind, under its lock. */
static void report(void *context, uint64_t done_bytes, uint64_t total_bytes,
                   uint64_t pages)
{
    char words[48];
    if (!th_progress_bar_is_due(context))
        return;
    (void)snprintf(words, sizeof words, "%" PRIu64 " pages", pages);
    const th_progress_view view = {
        .done = done_bytes, .total = total_bytes, .is_bytes = true, .words = words
    };
    th_progress_bar_show(context, &view);
}

static void warn(void *context, const char *line)
{
    th_progress_bar_clear(context);
    th_say("%s", line);
}

/* ---- output of the picture ---- */

static th_status note_archives(th_file_uses *files, int count, char **arguments,
                               th_error *err)
{
    th_input_list archives;
    th_status status = th_input_list_init(&archives);
    archives.stop = &th_stop_requested;
    for (int i = 0; i < count && status == TH_OK; i++)
        if (th_input_list_add(&archives, arguments[i], NULL) == TH_INTERRUPTED)
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
    if (status == TH_OK)
        status = th_file_uses_inputs(files, &archives, count, arguments, err);
    th_input_list_done(&archives);
    return status;
}

static th_status note_corpora(th_file_uses *files, int count, char **arguments,
                              th_error *err)
{
    th_arena *arena = th_arena_new(0);
    th_corpus_path path;
    th_status status =
        arena ? TH_OK : th_fail(err, TH_NOMEM, "out of memory for the names of corpora");
    for (int i = 0; i < count && status == TH_OK; i++) {
        if (th_corpus_path_find(arguments[i], TH_CORPUS_GOLD, arena, &path, NULL) !=
            TH_OK)
            continue;
        status = th_file_uses_input(files, path.file, err);
        const char *pages = th_corpus_path_join(path.folder, "pages.warc.gz", arena);
        if (status == TH_OK && pages)
            status = th_file_uses_input(files, pages, err);
    }
    th_arena_free(arena);
    return status;
}

/* If an argument is not an input, the kind itself reports it. */
static th_status check_plot(const char *plot, const th_eval_kind *kind, int count,
                            char **arguments, th_error *err)
{
    th_file_uses files = { 0 };
    if (!*plot)
        return TH_OK;
    if (!kind->draws)
        return th_fail(err, TH_USAGE, "plot: eval %s has no plots", kind->name);
    th_status status = th_file_uses_output(&files, "report", "-", err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "plot", plot, err);
    if (status == TH_OK)
        status = kind->reads_archives ? note_archives(&files, count, arguments, err)
                                      : note_corpora(&files, count, arguments, err);
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

/* ---- the command ---- */

static const char *kind_at(const void *table, size_t i)
{
    const th_eval_kind *const *kinds = table;
    return kinds[i] ? kinds[i]->name : NULL;
}

/* Refuses a kind that the program does not have. */
static th_status refuse_kind(const th_program *program, const char *name, th_error *err)
{
    const th_view kind = { name, strlen(name) };
    if (th_is_of_lab(TH_LAB_EVAL_KIND, kind))
        return th_fail(err, TH_USAGE, "eval '%s' is in thresher-lab", name);
    return th_fail_unknown(err, "kind", kind, kind_at, program->eval_kinds);
}

/* The kind's name is the first argument that is not an option. */
static th_status prepare(th_settings *settings, const th_program *program, int argc,
                         char **argv, const th_eval_kind **kind, int *first,
                         th_error *err)
{
    th_status status = th_settings_parse(
        settings, TH_FOR_EVAL | program->more_eval_options, argc, argv, first, err);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status != TH_OK)
        return status;
    if (*first == argc)
        return th_fail(err, TH_USAGE, "eval needs a KIND; --help lists the kinds");
    *kind = th_eval_kind_find(program->eval_kinds, argv[*first]);
    if (!*kind)
        return refuse_kind(program, argv[*first], err);
    status = th_settings_load_models(settings, (*kind)->varies_segmenter, err);
    if (status != TH_OK)
        return status;
    if (++*first == argc && !settings->eval.list)
        return th_fail(err, TH_USAGE, "eval %s needs %s", (*kind)->name, (*kind)->inputs);
    if (settings->eval.markdown && settings->eval.json)
        return th_fail(err, TH_USAGE, "markdown and json cannot be combined");
    return check_plot(settings->eval.plot, *kind, argc - *first, argv + *first, err);
}

static th_status write_out(const th_settings *settings, const th_eval_output *output,
                           th_error *err)
{
    const th_view report = th_buffer_view(&output->report);
    const th_view plot = th_buffer_view(&output->plot);
    if (output->plot.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for the plot");
    if (fwrite(report.data, 1, report.len, stdout) != report.len || fflush(stdout) != 0)
        return th_fail(err, TH_IO, "cannot write to stdout");
    return *settings->eval.plot ? th_file_replace(settings->eval.plot, plot, err) : TH_OK;
}

/* Models by folds, where a folder of them is named. */
static th_status read_models(const th_settings *settings, th_arena **arena,
                             th_fold_models *models, th_error *err)
{
    if (!*settings->eval.fold_models)
        return TH_OK;
    *arena = th_arena_new(0);
    return *arena ? th_fold_models_read(settings->eval.fold_models, *arena, models, err)
                  : th_fail(err, TH_NOMEM, "out of memory for the models");
}

static th_status measure(th_settings *settings, const th_eval_kind *kind, char **inputs,
                         int input_count, th_eval_output *output, th_error *err)
{
    th_progress_bar bar;
    th_arena *arena = NULL;
    th_fold_models models;
    th_site_use sites = { .file = NULL };
    th_progress_bar_start(&bar, stderr, settings->quiet, 0);
    th_status status = read_models(settings, &arena, &models, err);
    if (status == TH_OK && *settings->sites.file)
        status =
            th_site_use_file(settings, settings->sites.file, warn, &bar, &sites, err);
    const th_eval_request request = {
        .page = &settings->page,
        .inputs = (const char *const *)inputs,
        .input_count = (uint32_t)input_count,
        .classifiers = settings->eval.classifiers,
        .segmenters = settings->eval.segmenters,
        .profiles = settings->eval.profiles,
        .fields = settings->eval.fields,
        .fold_models = *settings->eval.fold_models ? &models : NULL,
        .sites = th_site_use_lookup(&sites),
        .site_pages = settings->eval.site_pages,
        .worst = settings->eval.worst,
        .resamples = settings->eval.resamples,
        .wants_plot = *settings->eval.plot != '\0',
        .output = settings->eval.output,
        .token_tables = settings->eval.token_tables,
        .without_classes = settings->eval.without_classes,
        .wants_list = settings->eval.list,
        .form = settings->eval.json       ? TH_EVAL_JSON
                : settings->eval.markdown ? TH_EVAL_MARKDOWN
                                          : TH_EVAL_TEXT,
        .workers = th_settings_workers(settings),
        .stop = &th_stop_requested,
        .report = report,
        .warn = warn,
        .context = &bar,
    };
    assert(kind); /* prepare found it */
    if (status == TH_OK)
        status = kind->measure(&request, output, err);
    th_site_use_done(&sites);
    th_arena_free(arena);
    th_progress_bar_clear(&bar);
    return status;
}

int th_command_eval(const th_program *program, int argc, char **argv)
{
    th_settings settings;
    th_eval_output output = { 0 };
    th_error err = { .text = "" };
    const th_eval_kind *kind = NULL;
    int first = 0;
    int code = TH_EXIT_OK;
    th_status status = th_settings_init(&settings, program->segmenters);
    if (status == TH_OK)
        status = prepare(&settings, program, argc, argv, &kind, &first, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_EVAL | program->more_eval_options,
                       settings.help_all);
        goto done;
    }
    if (status == TH_OK)
        status = measure(&settings, kind, argv + first, argc - first, &output, &err);
    if (status == TH_OK)
        status = write_out(&settings, &output, &err);
    if (status == TH_INTERRUPTED) {
        th_say("interrupted");
        code = TH_EXIT_INTERRUPTED;
    } else if (status != TH_OK) {
        err.status = status;
        code = th_complain(&err);
    } else if (output.damaged) {
        code = TH_EXIT_INPUT;
    }
done:
    th_eval_output_done(&output);
    th_settings_done(&settings);
    return code;
}
