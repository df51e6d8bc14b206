/* `thresher inspect`: one page, explained. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/program.h"
#include "app/progress_bar.h"
#include "app/same_file.h"
#include "app/say.h"
#include "app/site_use.h"
#include "base/file_sink.h"
#include "base/printable.h"
#include "inspect/inspection.h"
#include "inspect/page_source.h"
#include "pipeline/pipeline.h"
#include "settings/remote_settings.h"
#include "settings/settings.h"
#include "thresher/version.h"

/* The state of an inspection. */
struct inspect {
    th_settings settings;
    th_page_name name;
    th_batch *batch; /* of one record */
    th_pipeline *pipeline;
    th_site_use sites;
    th_annotated annotated;
    th_readings readings;
    th_buffer out;
    th_progress_bar bar; /* of a search in a long archive */
};

/* An archive of ARCHIVE#OFFSET is an input too. */
static th_status note_page(th_file_uses *files, const char *place, th_error *err)
{
    const char *mark = strrchr(place, '#');
    th_status status = th_file_uses_input(files, place, err);
    char *archive = strndup(place, mark ? (size_t)(mark - place) : 0);
    if (!archive)
        return th_fail(err, TH_NOMEM, "out of memory for the page");
    if (status == TH_OK)
        status = th_file_uses_input(files, archive, err);
    free(archive);
    return status;
}

static th_status check_files(const th_inspect_settings *wanted, const char *place,
                             th_error *err)
{
    const bool is_text = !*wanted->html && !wanted->json;
    th_file_uses files = { 0 };
    th_status status = note_page(&files, place, err);
    if (status == TH_OK)
        status = th_file_uses_output(&files, "html", wanted->html, err);
    if (status == TH_OK && wanted->json)
        status = th_file_uses_output(&files, "json", "-", err);
    if (status == TH_OK && is_text)
        status = th_file_uses_output(&files, "text", "-", err);
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

static th_status prepare(struct inspect *inspect, const th_program *program, int argc,
                         char **argv, th_error *err)
{
    int first = 0;
    th_settings *settings = &inspect->settings;
    th_status status = th_settings_init(settings, program->segmenters);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(settings, TH_FOR_INSPECT, argc, argv, &first, err);
    if (status == TH_OK)
        status = th_settings_check(settings, err);
    if (status == TH_OK)
        status = th_settings_load_models(settings, false, err);
    if (status == TH_OK)
        status =
            th_readings_check(settings->inspect.compare, settings->page.segmenters, err);
    if (status != TH_OK)
        return status;
    if (argc - first < 1 || argc - first > 2)
        return th_fail(err, TH_USAGE,
                       "inspect needs one PAGE: a file, -, ARCHIVE#OFFSET or ARCHIVE "
                       "URL");
    inspect->name = (th_page_name){ .place = argv[first],
                                    .url = argc - first == 2 ? argv[first + 1] : NULL,
                                    .base = settings->inspect.url,
                                    .verify_digests = settings->verify_digests };
    status =
        th_settings_open_remote(settings, th_say_line, NULL, &inspect->name.remote, err);
    if (status != TH_OK)
        return status;
    return check_files(&settings->inspect, argv[first], err);
}

/* Shows the progress of a search in a long archive. */
static void report(void *context, uint64_t bytes)
{
    struct inspect *inspect = context;
    if (!th_progress_bar_is_due(&inspect->bar))
        return;
    char place[256];
    snprintf(place, sizeof place, "%s", inspect->name.place);
    th_make_printable(place);
    const th_progress_view view = { .done = bytes, .is_bytes = true, .words = place };
    th_progress_bar_show(&inspect->bar, &view);
}

static th_status read_page(struct inspect *inspect, th_error *err)
{
    th_progress_bar_start(&inspect->bar, stderr, inspect->settings.quiet, 0);
    inspect->batch = calloc(1, sizeof *inspect->batch);
    th_status status = th_site_use_file(&inspect->settings, inspect->settings.sites.file,
                                        th_say_line, NULL, &inspect->sites, err);
    if (status != TH_OK)
        return status;
    inspect->pipeline = th_pipeline_new(&inspect->settings.page);
    if (!inspect->batch || !inspect->pipeline)
        return th_fail(err, TH_NOMEM, "cannot allocate a pipeline");
    inspect->batch->arena = th_arena_new(0);
    if (!inspect->batch->arena)
        return th_fail(err, TH_NOMEM, "cannot allocate a batch");
    th_pipeline_set_sites(inspect->pipeline, th_site_use_lookup(&inspect->sites));
    status =
        th_page_source_read(&inspect->name, &inspect->settings.page, &th_stop_requested,
                            report, inspect, inspect->batch, err);
    th_progress_bar_clear(&inspect->bar);
    if (status != TH_OK)
        return status;
    status = th_pipeline_run(inspect->pipeline, &inspect->batch->records[0],
                             &inspect->annotated);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory");
    if (inspect->annotated.status != TH_OK)
        return th_fail(err, inspect->annotated.status, "%s: %s: %s", inspect->name.place,
                       th_status_name(inspect->annotated.status),
                       inspect->annotated.detail);
    return th_readings_make(inspect->annotated.page, &inspect->settings.page,
                            inspect->settings.inspect.compare, &inspect->readings, err);
}

static th_status show(struct inspect *inspect, th_error *err)
{
    const th_inspect_settings *wanted = &inspect->settings.inspect;
    const th_inspection inspection = {
        .opt = &inspect->settings.page,
        .annotated = &inspect->annotated,
        .readings = &inspect->readings,
        .software = TH_SOFTWARE,
    };
    th_status status = TH_OK;
    if (*wanted->html) {
        status = th_inspection_html(&inspection, &inspect->out);
        if (status == TH_OK)
            status = th_file_replace(wanted->html, th_buffer_view(&inspect->out), err);
        if (status == TH_OK && !inspect->settings.quiet && strcmp(wanted->html, "-") != 0)
            th_say("the report is in '%s'", wanted->html);
    }
    th_buffer_reset(&inspect->out);
    if (status == TH_OK && wanted->json)
        status = th_inspection_json(&inspection, &th_inspection_complete, &inspect->out);
    else if (status == TH_OK && !*wanted->html)
        status = th_inspection_text(&inspection, th_wants_colors(stdout), &inspect->out);
    if (status == TH_OK && inspect->out.len)
        status = th_file_replace("-", th_buffer_view(&inspect->out), err);
    if (status != TH_OK && !err->text[0])
        return th_fail(err, status, "%s: %s", inspect->name.place,
                       th_status_text(status));
    return status;
}

/* A page that cannot be read is an input error (exit code 1). */
static int exit_code(th_status status, const th_error *err)
{
    if (status == TH_OK)
        return TH_EXIT_OK;
    if (!th_status_is_refusal(status) && status != TH_ABSENT)
        return th_complain(err);
    th_say("%s", err->text);
    return TH_EXIT_INPUT;
}

int th_command_inspect(const th_program *program, int argc, char **argv)
{
    struct inspect inspect = { .batch = NULL };
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_status status = prepare(&inspect, program, argc, argv, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_INSPECT, inspect.settings.help_all);
        goto done;
    }
    if (status == TH_OK)
        status = read_page(&inspect, &err);
    if (status == TH_OK)
        status = show(&inspect, &err);
    code = exit_code(status, &err);
done:
    th_buffer_done(&inspect.out);
    th_readings_done(&inspect.readings);
    th_pipeline_free(inspect.pipeline);
    th_site_use_done(&inspect.sites);
    if (inspect.batch)
        th_arena_free(inspect.batch->arena);
    free(inspect.batch);
    th_remote_free(inspect.name.remote);
    th_settings_done(&inspect.settings);
    return code;
}
