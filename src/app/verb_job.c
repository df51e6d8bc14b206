/* The steps that commands with verbs share. See the header. */
#include "app/verb_job.h"

#include <stdio.h>
#include <string.h>

#include "app/say.h"
#include "base/stop.h"
#include "settings/remote_settings.h"

void th_verb_warn(void *job, const char *line)
{
    flockfile(stderr);
    th_progress_clear(&((th_verb_job *)job)->progress);
    th_say("%s", line);
    funlockfile(stderr);
}

th_status th_verb_check_output(th_verb_job *job, const char *name, const char *output,
                               th_error *err)
{
    if (!*output || strcmp(output, "-") == 0)
        return th_fail(err, TH_USAGE, "%s needs --output FILE", name);
    const th_status status = th_file_uses_output(&job->files, "output", output, err);
    return status == TH_OK ? th_file_uses_check(&job->files, err) : status;
}

th_status th_verb_list_inputs(th_verb_job *job, const char *name, int count,
                              char **arguments, const char *output, th_error *err)
{
    th_input_list *inputs = &job->inputs;
    th_status status = th_input_list_init(inputs);
    inputs->warn = th_verb_warn;
    inputs->warn_context = job;
    inputs->stop = &th_stop_requested;
    if (status == TH_OK && !count)
        status = th_fail(err, TH_USAGE,
                         "%s needs an INPUT: a file, a folder, a pattern, s3://..., "
                         "https://..., @list or - for stdin",
                         name);
    if (status == TH_OK)
        status = th_settings_open_remote(&job->settings,
                                         job->settings.quiet ? NULL : th_verb_warn, job,
                                         &job->remote, err);
    inputs->takes_remote = true;
    inputs->takes_records = true;
    inputs->remote = job->remote;
    inputs->base = job->settings.base;
    for (int i = 0; i < count && status == TH_OK; i++)
        status = th_input_list_add(inputs, arguments[i], err);
    if (status == TH_OK && !inputs->count)
        status = th_fail(err, TH_IO, "no archive found in '%s'", arguments[0]);
    if (status == TH_OK)
        status = th_file_uses_inputs(&job->files, inputs, count, arguments, err);
    return status == TH_OK ? th_verb_check_output(job, name, output, err) : status;
}

/* Formats the names of the verbs: "build, show, check". */
static void list_names(const th_verb *verbs, char *out, size_t capacity)
{
    size_t len = 0;
    *out = '\0';
    for (; verbs->name && len < capacity; verbs++)
        len += (size_t)snprintf(out + len, capacity - len, "%s%s", len ? ", " : "",
                                verbs->name);
}

static th_status run_verb(th_verb_job *job, const char *name, const th_verb *verbs,
                          int count, char **arguments, int *code, th_error *err)
{
    char names[100];
    list_names(verbs, names, sizeof names);
    if (!count)
        return th_fail(err, TH_USAGE, "%s needs one of: %s", name, names);
    for (; verbs->name; verbs++)
        if (strcmp(arguments[0], verbs->name) == 0)
            return verbs->run(job, count - 1, arguments + 1, code, err);
    return th_fail(err, TH_USAGE, "unknown %s command '%.100s'; expected one of: %s",
                   name, arguments[0], names);
}

int th_verb_command(const th_program *program, const char *name, unsigned options,
                    const th_verb *verbs, int argc, char **argv)
{
    th_verb_job job = { .remote = NULL };
    th_error err = { .text = "" };
    int first = 0, code = TH_EXIT_OK;
    th_status status = th_settings_init(&job.settings, program->segmenters);
    if (status == TH_OK)
        status = th_settings_parse(&job.settings, options, argc, argv, &first, &err);
    const bool is_help = status == TH_END;
    if (status == TH_OK)
        status = th_settings_check(&job.settings, &err);
    if (status == TH_OK)
        status = run_verb(&job, name, verbs, argc - first, argv + first, &code, &err);
    if (is_help) {
        th_print_usage(stdout, program, options, job.settings.help_all);
    } else if (status != TH_OK) {
        err.status = status;
        code = th_complain(&err);
    }
    th_file_uses_done(&job.files);
    th_input_list_done(&job.inputs);
    th_remote_free(job.remote);
    th_settings_done(&job.settings);
    return code;
}
