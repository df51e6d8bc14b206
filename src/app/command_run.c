/* `thresher run`: archives to annotated records. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "app/job.h"
#include "app/output_path.h"
#include "app/progress.h"
#include "app/remote_settings.h"
#include "app/share.h"
#include "app/site_build.h"
#include "app/site_use.h"
#include "base/file_sink.h"
#include "ingest/input_list.h"
#include "ingest/source.h"
#include "settings/output_name.h"
#include "settings/settings.h"
#include "thresher/version.h"
#include "traffic/runner.h"

/* What a run holds, from the command line to its end. */
struct run {
    th_settings settings;
    th_remote *remote;
    th_input_list inputs;
    th_file_uses files;
    th_progress progress;
    th_job *job;
    th_source *source;
    th_site_use sites;
};

/* Called by the source, under its lock, and by the index: something is wrong. */
static void tell(void *context, const char *line)
{
    struct run *run = context;
    flockfile(stderr);
    fprintf(stderr, "%sthresher: %s\n", run->progress.has_line ? "\r\033[K" : "", line);
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
        .notice = tell,
        .notice_context = run,
    };
    return th_job_open(&options, &run->job, err);
}

static th_status open_source(struct run *run, th_error *err)
{
    const th_state *state = th_job_state(run->job);
    const th_file_source_options options = {
        .inputs = run->inputs.paths,
        .input_count = run->inputs.count,
        .max_record = run->settings.page.max_record,
        .verify_digests = run->settings.verify_digests,
        .notice = tell,
        .notice_context = run,
        .start = &state->next,
        .counts = state->source,
        .stop = &th_stop_requested,
        .remote = run->remote,
    };
    return th_file_source_open(&options, &run->source, err);
}

static th_status work(struct run *run, th_error *err)
{
    th_compression compression = TH_PLAIN;
    const th_format *format = th_job_format(run->job, &compression);
    const th_run_options options = {
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
                  .wants_rejects = *run->settings.rejects != '\0' },
        .workers = th_settings_workers(&run->settings),
    };
    const th_state *state = th_job_state(run->job);
    th_status status = open_source(run, err);
    if (status != TH_OK)
        return status;
    th_progress_start(&run->progress, stderr, run->settings.quiet,
                      run->inputs.total_bytes, state->source.bytes_read);
    status =
        th_run(run->source, &options, th_job_commit, run->job, &th_stop_requested, err);
    th_progress_clear(&run->progress);
    if (status == TH_OK)
        status = th_job_finish(run->job, err);
    else if (status == TH_INTERRUPTED || status == TH_NOT_YET)
        (void)th_job_suspend(run->job, NULL); /* the words are the reader's */
    return status;
}

static int code_of(const th_state *state)
{
    return state->source.damaged || state->source.unreadable ? TH_EXIT_INPUT : TH_EXIT_OK;
}

/* The run has ended: prints the summary. @return the exit code */
static int report(const struct run *run, th_status status, const th_error *err)
{
    const th_state *state = th_job_state(run->job);
    if (!run->settings.quiet)
        th_progress_summary(&run->progress, &state->source, &state->counts,
                            th_job_index(run->job));
    if (status == TH_INTERRUPTED) {
        fputs(th_job_is_resumable(run->job)
                  ? "thresher: interrupted; the same command with --resume goes on\n"
                  : "thresher: interrupted\n",
              stderr);
        return TH_EXIT_INTERRUPTED;
    }
    if (status == TH_NOT_YET) { /* a remote input does not answer any more */
        fprintf(stderr, "thresher: %s\n", err->text);
        if (th_job_is_resumable(run->job))
            fputs("thresher: the same command with --resume goes on there\n", stderr);
        return TH_EXIT_INPUT;
    }
    if (status != TH_OK)
        return th_complain(err);
    if (state->counts.read != state->counts.emitted + th_counts_refused(&state->counts)) {
        fputs("thresher: counters do not add up: this is a bug\n", stderr);
        return TH_EXIT_SOFTWARE;
    }
    return code_of(state);
}

/* ---- sites ---- */

/* Where a run's own counts are kept: beside its output, or in a temporary file. */
static char *counts_path(const struct run *run)
{
    const th_settings *settings = &run->settings;
    const char *output = settings->output;
    const char *temp = settings->sites.temp;
    char *path = NULL;
    if (th_file_sink_is_stream(output)) {
        if (!*temp)
            temp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
        return asprintf(&path, "%s/thresher-%ld.sites", temp, (long)getpid()) < 0 ? NULL
                                                                                  : path;
    }
    const size_t len = strlen(output);
    const bool is_folder = len && output[len - 1] == '/';
    if (is_folder)
        (void)mkdir(output, 0777); /* what is wrong with it the job will say */
    return asprintf(&path, "%s%s", output, is_folder ? "thresher.sites" : ".sites") < 0
               ? NULL
               : path;
}

/* The first pass. Its file is the same whenever it is made, so that a resumed run takes
 * the one that it finds; the job compares its checksum. */
static th_status count_first(struct run *run, const char *path, th_error *err)
{
    th_site_build build = { .settings = &run->settings,
                            .inputs = &run->inputs,
                            .path = path,
                            .notice = tell,
                            .notice_context = run,
                            .progress = &run->progress };
    if (path && run->settings.resume && access(path, R_OK) == 0)
        return TH_OK;
    th_progress_start(&run->progress, stderr, run->settings.quiet,
                      run->inputs.total_bytes, 0);
    const th_status status = th_site_build_run(&build, err);
    th_progress_clear(&run->progress);
    return status;
}

static th_status check_two_pass(const struct run *run, th_error *err)
{
    if (*run->settings.sites.file)
        return th_fail(err, TH_USAGE, "two-pass counts by itself: without sites");
    for (uint32_t i = 0; i < run->inputs.count; i++) {
        struct stat facts;
        const char *path = run->inputs.paths[i];
        if (strcmp(path, "-") == 0 ||
            (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
            return th_fail(err, TH_USAGE,
                           "two-pass: input '%.200s' is a stream, which cannot be read "
                           "twice",
                           path);
    }
    return TH_OK;
}

static th_status open_sites(struct run *run, th_error *err)
{
    th_settings *settings = &run->settings;
    if (th_site_use_grows(settings))
        return th_site_use_memory(settings, tell, run, &run->sites, err);
    if (!settings->sites.two_pass) {
        th_status status = TH_OK;
        if (*settings->sites.file)
            status = th_file_uses_input(&run->files, settings->sites.file, err);
        return status == TH_OK ? th_site_use_file(settings, settings->sites.file, tell,
                                                  run, &run->sites, err)
                               : status;
    }
    th_status status = check_two_pass(run, err);
    char *path = status == TH_OK ? counts_path(run) : NULL;
    if (status == TH_OK && !path)
        status = th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = count_first(run, path, err);
    if (status == TH_OK)
        status = th_site_use_file(settings, path, tell, run, &run->sites, err);
    if (path && th_file_sink_is_stream(settings->output))
        (void)unlink(path);
    free(path);
    return status;
}

static th_status prepare(struct run *run, int argc, char **argv, th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(&run->settings);
    if (status == TH_OK)
        status = th_input_list_init(&run->inputs);
    run->inputs.notice = tell;
    run->inputs.notice_context = run;
    run->inputs.stop = &th_stop_requested;
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(&run->settings, TH_FOR_RUN, argc, argv, &first, err);
    if (status == TH_OK)
        status = th_settings_check(&run->settings, err);
    if (status == TH_OK)
        status = th_settings_load_models(&run->settings, false, err);
    if (status == TH_OK)
        status = th_settings_load_filter(&run->settings, err);
    if (status == TH_OK && first == argc)
        status = th_fail(err, TH_USAGE,
                         "run needs an INPUT: a file, a folder, a pattern, "
                         "@list or - for stdin");
    if (status == TH_OK)
        status = th_settings_open_remote(&run->settings, &run->remote, err);
    run->inputs.takes_remote = true;
    run->inputs.remote = run->remote;
    run->inputs.base = run->settings.base;
    for (int i = first; i < argc && status == TH_OK; i++)
        status = th_input_list_add(&run->inputs, argv[i], err);
    if (status == TH_OK && run->inputs.count == 0)
        status = th_fail(err, TH_USAGE, "no archive found in '%s'", argv[first]);
    if (status == TH_OK)
        status = th_file_uses_inputs(&run->files, &run->inputs, argc - first,
                                     argv + first, err);
    return status;
}

/* ---- shares ---- */

/* What several processes would write to, or depend on one another by. */
static th_status check_share(const struct run *run, th_error *err)
{
    const th_settings *settings = &run->settings;
    const size_t len = strlen(settings->output);
    if (!len || settings->output[len - 1] != '/')
        return th_fail(err, TH_USAGE, "shard needs a folder: --output DIR/");
    if (th_format_find(settings->format)->is_sharded)
        return th_fail(err, TH_USAGE,
                       "shard does not go with the format %s: its files go "
                       "by --rank",
                       settings->format);
    const char *shared = *settings->rejects         ? "rejects"
                         : *settings->index.path    ? "index.path"
                         : *settings->sites.path    ? "sites.path"
                         : settings->sites.two_pass ? "two-pass"
                                                    : NULL;
    return shared ? th_fail(err, TH_USAGE,
                            "shard does not go with %s, which is one for "
                            "all inputs",
                            shared)
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

/* The job of one input, taken up where it was left. TH_END: it was whole already. */
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

/* What this process has come to. */
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

/* One input, unless it is done. An input that cannot be read gets no marker: another run
 * tries it again, from its beginning where it may have changed. */
static th_status take_input(struct run *run, const char *path, const char *output,
                            struct tally *tally, th_error *err)
{
    th_input_list input = { .paths = &path, .count = 1, .remote = run->remote };
    th_job_identity now;
    th_state then;
    if (th_job_identify(&run->settings, &input, &now) != TH_OK)
        return th_fail(err, TH_NOMEM, "cannot digest the options");
    th_status status = th_done_find(output, &now, &then, err);
    if (status == TH_OK) {
        tally->done_before++;
        return TH_OK;
    }
    if (status != TH_ABSENT)
        return status;
    status = run_input(run, &input, output, err);
    if (status == TH_OK) {
        const th_state *state = th_job_state(run->job);
        add_state(tally, state);
        if (!state->source.unreadable) {
            status = th_done_mark(output, err);
        } else {
            char *left = NULL;
            tally->failed++;
            if (asprintf(&left, "%s.state", output) >= 0)
                (void)unlink(left);
            free(left);
        }
    } else if (status == TH_NOT_YET) {
        tell(run, err->text);
        tally->failed++;
        status = TH_OK;
    }
    close_job(run);
    return status;
}

static int report_share(const struct run *run, const struct tally *tally,
                        th_status status, const th_error *err)
{
    if (!run->settings.quiet) {
        fprintf(stderr, "inputs   %u of this share, %u done before, %u failed\n",
                tally->mine, tally->done_before, tally->failed);
        th_progress_counts(stderr, &tally->source, &tally->counts, NULL);
    }
    if (status == TH_INTERRUPTED)
        fputs("thresher: interrupted; the same command goes on\n", stderr);
    if (status != TH_OK)
        return status == TH_INTERRUPTED ? TH_EXIT_INTERRUPTED : th_complain(err);
    if (tally->failed)
        fputs("thresher: the same command tries again what failed\n", stderr);
    return tally->failed || tally->source.damaged ? TH_EXIT_INPUT : TH_EXIT_OK;
}

static int run_share(struct run *run, th_error *err)
{
    th_share share;
    struct tally tally = { 0 };
    th_output_names names = { .folder = run->settings.output };
    th_file_uses_done(&run->files); /* each job has its own */
    th_status status = th_share_read(run->settings.shard, &share, err);
    if (status == TH_OK)
        status = check_share(run, err);
    if (status == TH_OK)
        status = th_output_compression(names.folder, run->settings.compress,
                                       &names.compression, err);
    if (status != TH_OK)
        return th_complain(err);
    names.format = th_format_find(run->settings.format);
    status = th_output_paths_check(&names, &run->inputs, err);
    if (status == TH_OK && mkdir(names.folder, 0777) != 0 && errno != EEXIST)
        status = th_fail(err, TH_IO, "cannot make folder '%s': %s", names.folder,
                         strerror(errno));
    const bool is_quiet = run->settings.quiet;
    run->settings.quiet = true; /* of single inputs */
    for (uint32_t i = share.index; i < run->inputs.count && status == TH_OK;
         i += share.count) {
        char *output = th_output_path(&names, run->inputs.paths[i]);
        tally.mine++;
        status = output ? take_input(run, run->inputs.paths[i], output, &tally, err)
                        : th_fail(err, TH_NOMEM, "cannot name the output");
        run->settings.output = names.folder;
        free(output);
    }
    run->settings.quiet = is_quiet;
    return report_share(run, &tally, status, err);
}

int th_command_run(int argc, char **argv)
{
    struct run run = { 0 };
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_status status = prepare(&run, argc, argv, &err);
    if (status == TH_END) {
        th_print_usage(stdout, TH_FOR_RUN);
        goto done;
    }
    if (status == TH_OK)
        status = open_sites(&run, &err);
    if (status == TH_OK && *run.settings.shard) {
        code = run_share(&run, &err);
        goto done;
    }
    if (status == TH_OK)
        status = open_job(&run, &err);
    if (status == TH_END) {
        code = code_of(th_job_state(run.job));
        if (!run.settings.quiet)
            fprintf(stderr, "thresher: nothing to resume: the output is complete%s\n",
                    code ? ", of input with damage" : "");
        goto done;
    }
    if (status == TH_OK) {
        status = work(&run, &err);
        code = report(&run, status, &err);
    } else {
        code = th_complain(&err);
    }
done:
    if (run.source)
        run.source->close(run.source);
    th_job_free(run.job);
    th_site_use_done(&run.sites);
    th_file_uses_done(&run.files);
    th_input_list_done(&run.inputs);
    th_remote_free(run.remote);
    th_settings_done(&run.settings);
    return code;
}
