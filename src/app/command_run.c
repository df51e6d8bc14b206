/* `thresher run`: writes annotated records of archives. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/job.h"
#include "app/output_path.h"
#include "app/program.h"
#include "app/progress.h"
#include "app/remote_output.h"
#include "app/say.h"
#include "app/shard.h"
#include "app/site_build.h"
#include "app/site_use.h"
#include "base/file_sink.h"
#include "ingest/input_list.h"
#include "ingest/record_order.h"
#include "ingest/source.h"
#include "isolate/isolation.h"
#include "settings/output_name.h"
#include "settings/remote_settings.h"
#include "settings/settings.h"
#include "thresher/version.h"
#include "traffic/runner.h"

/* The state of a run. */
struct run {
    th_settings settings;
    th_remote *remote;
    th_input_list inputs;
    th_file_uses files;
    th_progress progress;
    th_job *job;
    th_source *source;
    th_site_use sites;
    th_remote_output store; /* the destination of the output, if not files */
    bool is_first_cut;      /* two-pass: the first pass could not read all inputs */
};

/* Called by the source, under its lock, and by the index: something is wrong. */
static void report(void *context, const char *line)
{
    struct run *run = context;
    flockfile(stderr);
    th_progress_clear(&run->progress);
    th_say("%s", line);
    funlockfile(stderr);
}

static th_status open_job(struct run *run, th_error *err)
{
    const th_job_options options = {
        .settings = &run->settings,
        .inputs = &run->inputs,
        .files = &run->files,
        .progress = &run->progress,
        .sites = run->sites.memory,
        .warn = report,
        .warn_context = run,
    };
    return th_job_open(&options, &run->job, err);
}

static th_status open_source(struct run *run, th_error *err)
{
    const th_state *state = th_job_state(run->job);
    const th_remote_options ahead = th_settings_remote_of_command(
        &run->settings, run->settings.quiet ? NULL : report, run);
    const bool is_ahead = run->remote && run->settings.remote.coalesce;
    const th_file_source_options options = {
        .inputs = run->inputs.paths,
        .input_count = run->inputs.count,
        .max_record = run->settings.page.max_record,
        .keeps_heads = *run->settings.set_aside != '\0',
        .verify_digests = run->settings.verify_digests,
        .rendered = run->settings.rendered,
        .warn = report,
        .warn_context = run,
        .start = &state->next,
        .counts = state->source,
        .stop = &th_stop_requested,
        .remote = run->remote,
        .ahead = is_ahead ? &ahead : NULL,
        .coalesce = run->settings.remote.coalesce,
        .requests = run->settings.remote.requests,
        .is_only_run = !th_job_is_resumable(run->job),
    };
    return th_file_source_open(&options, &run->source, err);
}

/*
 * Moves the work on pages to worker processes if the settings require it. Call before
 * threads exist.
 */
static th_status isolate(const th_settings *settings, th_work_options *work,
                         th_isolation **isolation, th_error *err)
{
    const th_isolation_options options = { .memory = settings->isolation_memory,
                                           .page_ms = settings->isolation_ms };
    if (!th_settings_isolate(settings))
        return TH_OK;
    const th_status status = th_isolation_open(work, &options, isolation, err);
    work->worker_process = th_isolation_workers(*isolation);
    return status;
}

static th_status work(struct run *run, th_error *err)
{
    th_compression compression = TH_PLAIN;
    const th_format *format = th_job_format(run->job, &compression);
    th_isolation *isolation = NULL;
    th_run_options options = {
        .work = { .page = &run->settings.page,
                  .format = format,
                  .format_options = { .page = &run->settings.page,
                                      .compression = compression,
                                      .software = TH_SOFTWARE },
                  .sites = th_site_use_lookup(&run->sites),
                  .memory = run->sites.memory,
                  .index = th_job_index(run->job),
                  .max_in_flight = run->settings.max_in_flight,
                  .wants_edges = *run->settings.index.edges != '\0',
                  .wants_rejects = *run->settings.rejects != '\0',
                  .aside = { .file = *run->settings.set_aside ? run->settings.set_aside
                                                              : NULL,
                             .types = run->settings.set_aside_types } },
        .workers = th_settings_workers(&run->settings),
    };
    const th_state *state = th_job_state(run->job);
    th_status status = th_output_warc("set-aside", run->settings.set_aside,
                                      &options.work.aside.compression, err);
    if (status == TH_OK)
        status = isolate(&run->settings, &options.work, &isolation, err);
    if (status == TH_OK)
        status = open_source(run, err);
    if (status != TH_OK) {
        th_isolation_close(isolation);
        return status;
    }
    th_progress_start(&run->progress, stderr, run->settings.quiet,
                      run->inputs.total_bytes, state->source.bytes_read);
    status =
        th_run(run->source, &options, th_job_commit, run->job, &th_stop_requested, err);
    th_isolation_close(isolation);
    th_progress_clear(&run->progress);
    if (status == TH_OK)
        status = th_job_finish(run->job, err);
    else if (status == TH_INTERRUPTED || status == TH_NOT_YET)
        (void)th_job_suspend(run->job, NULL); /* the words are the reader's */
    return status;
}

static int code_of(const struct run *run)
{
    const th_state *state = th_job_state(run->job);
    return state->source.damaged || state->source.unreadable || run->is_first_cut
               ? TH_EXIT_INPUT
               : TH_EXIT_OK;
}

/* The run has ended: prints the summary. @return the exit code */
static int finish(const struct run *run, th_status status, const th_error *err)
{
    const th_state *state = th_job_state(run->job);
    if (!run->settings.quiet)
        th_progress_summary(&run->progress, &state->source, &state->counts,
                            th_job_index(run->job));
    if (status == TH_INTERRUPTED) {
        th_say("interrupted%s", th_job_is_resumable(run->job)
                                    ? "; to continue, repeat the command with --resume"
                                    : "");
        return TH_EXIT_INTERRUPTED;
    }
    if (status == TH_NOT_YET) { /* a remote input does not answer any more */
        th_say("%s", err->text);
        if (th_job_is_resumable(run->job))
            th_say("to continue there, repeat the command with --resume");
        return TH_EXIT_INPUT;
    }
    if (status != TH_OK)
        return th_complain(err);
    if (state->counts.read != state->counts.emitted + th_counts_refused(&state->counts)) {
        th_say("counters do not add up (this is a bug)");
        return TH_EXIT_SOFTWARE;
    }
    return code_of(run);
}

/* ---- sites ---- */

/*
 * Whether a run's own counts are deleted when it ends, because no file can be created
 * next to its output.
 */
static bool counts_are_temporary(const struct run *run)
{
    return th_file_sink_is_stream(run->settings.output) || run->store.folder;
}

/* Returns the path of a run's own counts: next to its output, or in a temporary file. */
static char *counts_path(const struct run *run)
{
    const th_settings *settings = &run->settings;
    const char *output = settings->output;
    const char *temp = settings->sites.temp;
    char *path = NULL;
    if (counts_are_temporary(run)) {
        if (!*temp)
            temp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
        return asprintf(&path, "%s/thresher-%ld.sites", temp, (long)getpid()) < 0 ? NULL
                                                                                  : path;
    }
    if (th_output_is_folder(output))
        (void)mkdir(output, 0777); /* the job reports a failure */
    return asprintf(&path, "%s%s", output,
                    th_output_is_folder(output) ? "thresher.sites" : ".sites") < 0
               ? NULL
               : path;
}

/*
 * Runs the first pass. Its file is always the same, so a resumed run uses an existing
 * file. The job compares its checksum.
 */
static th_status count_first(struct run *run, const char *path, th_error *err)
{
    th_site_build build = { .settings = &run->settings,
                            .inputs = &run->inputs,
                            .path = path,
                            .warn = report,
                            .warn_context = run,
                            .progress = &run->progress };
    if (path && run->settings.resume && access(path, R_OK) == 0)
        return TH_OK;
    th_progress_start(&run->progress, stderr, run->settings.quiet,
                      run->inputs.total_bytes, 0);
    const th_status status = th_site_build_run(&build, err);
    run->is_first_cut = build.source.damaged || build.source.unreadable;
    th_progress_clear(&run->progress);
    return status;
}

/* Refuses inputs that cannot be read twice, as `option` needs. */
static th_status check_two_passes(const struct run *run, const char *option,
                                  th_error *err)
{
    for (uint32_t i = 0; i < run->inputs.count; i++) {
        struct stat facts;
        const char *path = run->inputs.paths[i];
        if (strcmp(path, "-") == 0 ||
            (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
            return th_fail(err, TH_USAGE,
                           "%s: input '%.200s' is a stream and cannot be read twice",
                           option, path);
    }
    return TH_OK;
}

/* Rendered copies are found by a pass over the inputs, unless they are pages. */
static th_status check_rendered(const struct run *run, th_error *err)
{
    const char *use = run->settings.rendered;
    return strcmp(use, "off") == 0 || strcmp(use, "only") == 0
               ? TH_OK
               : check_two_passes(run, "rendered", err);
}

static th_status open_sites(struct run *run, th_error *err)
{
    th_settings *settings = &run->settings;
    if (th_site_use_grows(settings))
        return th_site_use_memory(settings, report, run, &run->sites, err);
    if (!settings->sites.two_pass) {
        th_status status = TH_OK;
        if (*settings->sites.file)
            status = th_file_uses_input(&run->files, settings->sites.file, err);
        return status == TH_OK ? th_site_use_file(settings, settings->sites.file, report,
                                                  run, &run->sites, err)
                               : status;
    }
    if (*settings->sites.file)
        return th_fail(err, TH_USAGE, "two-pass and sites cannot be combined");
    th_status status = check_two_passes(run, "two-pass", err);
    char *path = status == TH_OK ? counts_path(run) : NULL;
    if (status == TH_OK && !path)
        status = th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = count_first(run, path, err);
    if (status == TH_OK)
        status = th_site_use_file(settings, path, report, run, &run->sites, err);
    if (path && counts_are_temporary(run))
        (void)unlink(path);
    free(path);
    return status;
}

static th_status prepare(struct run *run, const th_program *program, int argc,
                         char **argv, th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(&run->settings, program->segmenters);
    if (status == TH_OK)
        status = th_input_list_init(&run->inputs);
    run->inputs.warn = report;
    run->inputs.warn_context = run;
    run->inputs.stop = &th_stop_requested;
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(&run->settings, TH_FOR_RUN, argc, argv, &first, err);
    if (status == TH_OK)
        status = th_output_format(run->settings.output, &run->settings.format, err);
    if (status == TH_OK)
        status = th_settings_check(&run->settings, err);
    if (status == TH_OK)
        status = th_settings_load_models(&run->settings, false, err);
    if (status == TH_OK)
        status = th_settings_load_filter(&run->settings, err);
    if (status == TH_OK && first == argc)
        status = th_fail(err, TH_USAGE,
                         "run needs an INPUT: a file, a folder, a pattern, "
                         "s3://..., https://..., @list or - for stdin");
    if (status == TH_OK)
        status = th_settings_open_remote(
            &run->settings, run->settings.quiet ? NULL : report, run, &run->remote, err);
    if (status == TH_OK)
        status = th_remote_output_open(&run->settings, run->remote, &run->store, err);
    run->inputs.takes_remote = true;
    run->inputs.takes_records = true;
    run->inputs.remote = run->remote;
    run->inputs.base = run->settings.base;
    for (int i = first; i < argc && status == TH_OK; i++)
        status = th_input_list_add(&run->inputs, argv[i], err);
    if (status == TH_OK && run->settings.remote.coalesce)
        status = th_record_order(&run->inputs, err);
    if (status == TH_OK && run->inputs.count == 0)
        status = th_fail(err, TH_IO, "no archive found in '%s'", argv[first]);
    if (status == TH_OK)
        status = check_rendered(run, err);
    if (status == TH_OK)
        status = th_file_uses_inputs(&run->files, &run->inputs, argc - first,
                                     argv + first, err);
    return status;
}

/* ---- shards ---- */

/*
 * Rejects files that several jobs would write to, or that would make a job depend on
 * another.
 */
static th_status check_shard(const struct run *run, th_error *err)
{
    const th_settings *settings = &run->settings;
    const char *what = *settings->shard ? "shard" : "an output folder in a store";
    if (!th_output_is_folder(settings->output))
        return th_fail(err, TH_USAGE,
                       "shard needs a folder: --output DIR/, or s3://BUCKET/DIR/");
    if (th_format_find(settings->format)->is_sharded)
        return th_fail(err, TH_USAGE, "%s cannot be combined with format %s; use --rank",
                       what, settings->format);
    const char *shared = *settings->rejects         ? "rejects"
                         : *settings->set_aside     ? "set-aside"
                         : *settings->index.path    ? "index.path"
                         : *settings->sites.path    ? "sites.path"
                         : settings->sites.two_pass ? "two-pass"
                                                    : NULL;
    return shared ? th_fail(err, TH_USAGE,
                            "%s cannot be combined with %s, which is a single file for "
                            "all inputs",
                            what, shared)
                  : TH_OK;
}

static void close_job(struct run *run)
{
    if (run->source)
        run->source->close(run->source);
    th_job_free(run->job);
    th_file_uses_done(&run->files);
    run->source = NULL;
    run->job = NULL;
}

/* Runs the job of one input, from where it stopped. TH_END if it was complete already. */
static th_status run_input(struct run *run, th_input_list *input, const char *output,
                           th_error *err)
{
    const th_input_list all = run->inputs;
    char *state = NULL;
    if (asprintf(&state, "%s.state", output) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    run->inputs = *input;
    run->settings.output = output;
    run->settings.resume = access(state, F_OK) == 0;
    free(state);
    th_status status = th_file_uses_inputs(&run->files, input, 0, NULL, err);
    if (status == TH_OK)
        status = open_job(run, err);
    if (status == TH_OK)
        status = work(run, err);
    else if (status == TH_END)
        status = TH_OK;
    run->inputs = all;
    return status;
}

/* The results of this process. */
struct tally {
    uint32_t mine, done_before, failed;
    th_source_counts source;
    th_counts counts;
};

static void add_state(struct tally *tally, const th_state *state)
{
    tally->source.bytes_read += state->source.bytes_read;
    tally->source.damaged += state->source.damaged;
    tally->source.unreadable += state->source.unreadable;
    th_counts_add(&tally->counts, &state->counts);
}

/* Whether an input has its marker: TH_OK, TH_ABSENT, or why not. */
static th_status find_marker(const struct run *run, const th_job_identity *now,
                             const char *output, const char *local, th_error *err)
{
    th_state then;
    if (!run->store.folder)
        return th_done_find(output, now, &then, err);
    char *copy = NULL;
    th_status status = th_remote_output_find(&run->store, output, local, err);
    if (status == TH_OK)
        status = th_done_find(local, now, &then, err);
    if (asprintf(&copy, "%s" TH_DONE_SUFFIX, local) >= 0)
        (void)unlink(copy);
    free(copy);
    return status;
}

/* The job of an input has ended well. An input that could not be read gets no marker:
 * another run tries it again, from its beginning where it may have changed. */
static th_status end_input(const struct run *run, const th_state *state,
                           const char *output, const char *local, struct tally *tally,
                           th_error *err)
{
    add_state(tally, state);
    if (!state->source.unreadable)
        return run->store.folder
                   ? th_remote_output_send(&run->store, output, local, true, err)
                   : th_done_mark(output, err);
    char *left = NULL;
    tally->failed++;
    if (asprintf(&left, "%s.state", local) >= 0)
        (void)unlink(left);
    free(left);
    return TH_OK;
}

/* One input, unless it is done. */
static th_status take_input(struct run *run, const char *path, const char *output,
                            const char *local, struct tally *tally, th_error *err)
{
    th_input_list input = { .paths = &path, .count = 1, .remote = run->remote };
    th_job_identity now;
    if (th_job_identify(&run->settings, &input, &now) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for the digest of the options");
    th_status status = find_marker(run, &now, output, local, err);
    if (status == TH_OK)
        tally->done_before++;
    else if (status == TH_ABSENT)
        status = run_input(run, &input, local, err);
    else
        return status;
    if (status == TH_OK && run->job) {
        const th_state state = *th_job_state(run->job);
        close_job(run);
        status = end_input(run, &state, output, local, tally, err);
    }
    close_job(run);
    if (status == TH_NOT_YET) {
        report(run, err->text);
        tally->failed++;
        status = TH_OK;
    }
    return status;
}

static int report_shard(const struct run *run, const struct tally *tally,
                        th_status status, const th_error *err)
{
    if (!run->settings.quiet) {
        fprintf(stderr, "inputs   %u of this shard, %u done before, %u failed\n",
                tally->mine, tally->done_before, tally->failed);
        th_progress_counts(stderr, &tally->source, &tally->counts, NULL);
    }
    if (status == TH_INTERRUPTED)
        th_say("interrupted; to continue, repeat the command");
    if (status != TH_OK)
        return status == TH_INTERRUPTED ? TH_EXIT_INTERRUPTED : th_complain(err);
    if (tally->failed)
        th_say("to retry the failed inputs, repeat the command");
    return tally->failed || tally->source.damaged ? TH_EXIT_INPUT : TH_EXIT_OK;
}

/* Processes the inputs of this shard, or all inputs if there are no shards. */
static th_status take_inputs(struct run *run, const th_output_names *names,
                             const th_shard *shard, struct tally *tally, th_error *err)
{
    char **outputs = NULL;
    th_status status = th_output_paths_make(names, &run->inputs, &outputs, err);
    for (uint32_t i = shard->index; i < run->inputs.count && status == TH_OK;
         i += shard->count) {
        const char *output = outputs[i];
        char *local = !run->store.folder ? strdup(output)
                                         : th_remote_output_path(&run->store, output);
        tally->mine++;
        run->settings.output_name = run->store.folder ? output : NULL;
        status = local ? take_input(run, run->inputs.paths[i], output, local, tally, err)
                       : th_fail(err, TH_NOMEM, "out of memory for the output's name");
        run->settings.output = names->folder;
        run->settings.output_name = NULL;
        free(local);
    }
    th_output_paths_free(outputs, run->inputs.count);
    return status;
}

static int run_shard(struct run *run, th_error *err)
{
    th_shard shard = { 0, 1 };
    struct tally tally = { 0 };
    th_output_names names = { .folder = run->settings.output };
    th_file_uses_done(&run->files); /* each job has its own */
    th_status status = TH_OK;
    if (*run->settings.shard)
        status = th_shard_read("shard", run->settings.shard, &shard, err);
    if (status == TH_OK)
        status = check_shard(run, err);
    names.format = th_format_find(run->settings.format);
    if (status == TH_OK)
        status = th_output_compression(names.folder, run->settings.compress, names.format,
                                       &names.compression, err);
    if (status != TH_OK)
        return th_complain(err);
    if (!run->store.folder && mkdir(names.folder, 0777) != 0 && errno != EEXIST)
        status = th_fail(err, TH_IO, "cannot create folder '%s': %s", names.folder,
                         strerror(errno));
    const bool is_quiet = run->settings.quiet;
    run->settings.quiet = true; /* of single inputs */
    if (status == TH_OK)
        status = take_inputs(run, &names, &shard, &tally, err);
    run->settings.quiet = is_quiet;
    return report_shard(run, &tally, status, err);
}

/* ---- one run ---- */

/* Sends a complete output. Returns the exit code. */
static int send_output(struct run *run, const char *name, int code, th_error *err)
{
    th_job_free(run->job); /* it holds the file */
    run->job = NULL;
    const th_status status =
        th_remote_output_send(&run->store, name, run->settings.output, false, err);
    if (status == TH_OK)
        return code;
    if (status == TH_INTERRUPTED)
        th_say("interrupted");
    else
        (void)th_complain(err);
    th_say(
        "the complete output is in '%s'. To upload it, repeat the command with --resume",
        run->settings.output);
    return status == TH_INTERRUPTED ? TH_EXIT_INTERRUPTED : TH_EXIT_INPUT;
}

/* @return the exit code */
static int run_job(struct run *run, th_error *err)
{
    int code = TH_EXIT_OK;
    bool is_whole = false;
    const char *name = run->settings.output;
    char *local = NULL;
    th_status status = TH_OK;
    if (run->store.folder) {
        local = th_remote_output_path(&run->store, name);
        status = local ? th_remote_output_check(name, &run->inputs, err)
                       : th_fail(err, TH_NOMEM, "out of memory");
        run->settings.output = local;
        run->settings.output_name = name;
    }
    if (status == TH_OK)
        status = open_sites(run, err);
    if (status == TH_OK)
        status = open_job(run, err);
    if (status == TH_END) {
        is_whole = true;
        code = code_of(run);
        if (!run->settings.quiet && !local)
            th_say("nothing to resume: the output is complete%s",
                   code ? ", but its input was damaged" : "");
    } else if (status == TH_OK) {
        status = work(run, err);
        is_whole = status == TH_OK;
        code = finish(run, status, err);
    } else {
        code = th_complain(err);
    }
    if (is_whole && local)
        code = send_output(run, name, code, err);
    run->settings.output = name;
    free(local);
    return code;
}

int th_command_run(const th_program *program, int argc, char **argv)
{
    struct run run = { 0 };
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    const th_status status = prepare(&run, program, argc, argv, &err);
    if (status == TH_END)
        th_print_usage(stdout, program, TH_FOR_RUN, run.settings.help_all);
    else if (status != TH_OK)
        code = th_complain(&err);
    else if (*run.settings.shard ||
             (run.store.folder && th_output_is_folder(run.settings.output)))
        code = run_shard(&run, &err);
    else
        code = run_job(&run, &err);
    if (run.source)
        run.source->close(run.source);
    th_job_free(run.job);
    th_site_use_done(&run.sites);
    th_file_uses_done(&run.files);
    th_input_list_done(&run.inputs);
    th_remote_output_done(&run.store);
    th_remote_free(run.remote);
    th_settings_done(&run.settings);
    return code;
}
