/*
 * `thresher robots build INPUT... -O FILE`, `robots show FILE [HOST]`, `robots check FILE
 * AGENT URL...`: rules of robots.txt, for `run --robots`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/program.h"
#include "app/robots_build.h"
#include "app/same_file.h"
#include "app/say.h"
#include "robots/robots_lookup.h"
#include "settings/remote_settings.h"

enum { URL_LINE_MAX = 64 << 10 /* bytes of a line of stdin */ };

struct robots {
    th_settings settings;
    th_input_list inputs;
    th_remote *remote;
    th_file_uses files;
    th_progress progress;
};

static void report(void *context, const char *line)
{
    struct robots *robots = context;
    th_progress_clear(&robots->progress);
    th_say("%s", line);
}

/* ---- build ---- */

static th_status list_inputs(struct robots *robots, int count, char **inputs,
                             th_error *err)
{
    const char *const path = robots->settings.robots_build.output;
    th_status status = th_input_list_init(&robots->inputs);
    robots->inputs.warn = report;
    robots->inputs.warn_context = robots;
    robots->inputs.stop = &th_stop_requested;
    if (status == TH_OK && !count)
        status = th_fail(err, TH_USAGE,
                         "robots build needs an INPUT: a file, a folder, a pattern, "
                         "s3://..., https://..., @list or - for stdin");
    if (status == TH_OK && (!*path || strcmp(path, "-") == 0))
        status = th_fail(err, TH_USAGE, "robots build needs --output FILE");
    if (status == TH_OK)
        status = th_settings_open_remote(&robots->settings,
                                         robots->settings.quiet ? NULL : report, robots,
                                         &robots->remote, err);
    robots->inputs.takes_remote = true;
    robots->inputs.takes_records = true;
    robots->inputs.remote = robots->remote;
    robots->inputs.base = robots->settings.base;
    for (int i = 0; i < count && status == TH_OK; i++)
        status = th_input_list_add(&robots->inputs, inputs[i], err);
    if (status == TH_OK && !robots->inputs.count)
        status = th_fail(err, TH_IO, "no archive found in '%s'", inputs[0]);
    if (status == TH_OK)
        status = th_file_uses_inputs(&robots->files, &robots->inputs, count, inputs, err);
    if (status == TH_OK)
        status = th_file_uses_output(&robots->files, "output", path, err);
    return status == TH_OK ? th_file_uses_check(&robots->files, err) : status;
}

static th_status build(struct robots *robots, int count, char **inputs, int *code,
                       th_error *err)
{
    th_status status = list_inputs(robots, count, inputs, err);
    if (status != TH_OK)
        return status;
    th_robots_build job = { .settings = &robots->settings,
                            .inputs = &robots->inputs,
                            .remote = robots->remote,
                            .warn = report,
                            .warn_context = robots,
                            .progress = &robots->progress };
    th_progress_start(&robots->progress, stderr, robots->settings.quiet,
                      robots->inputs.total_bytes, 0);
    status = th_robots_build_run(&job, err);
    th_progress_clear(&robots->progress);
    if (status == TH_OK && !robots->settings.quiet)
        fprintf(stderr,
                "%" PRIu64 " records  %" PRIu64 " files of rules, %" PRIu64
                " over a limit  %" PRIu64 " hosts\n",
                job.records, job.files, job.cut, job.hosts);
    if (status == TH_OK && (job.source.damaged || job.source.unreadable))
        *code = TH_EXIT_INPUT;
    return status;
}

/* ---- show ---- */

static th_status show_host(const th_robots_file *file, const char *path, const char *host,
                           th_error *err)
{
    char origin[TH_ROBOTS_ORIGIN_MAX], url[TH_ROBOTS_ORIGIN_MAX];
    (void)snprintf(url, sizeof url, "%s%.280s", strstr(host, "://") ? "" : "https://",
                   host);
    const size_t len = th_robots_origin((th_view){ url, strlen(url) }, origin);
    if (!len)
        return th_fail(err, TH_USAGE, "'%.200s' is not a host or a URL", host);
    const th_view line = th_robots_file_find(file, (th_view){ origin, len });
    if (!line.data)
        return th_fail(err, TH_USAGE, "'%.200s' has no rules of %s", path, origin);
    (void)fwrite(line.data, 1, line.len, stdout);
    putchar('\n');
    return TH_OK;
}

static th_status show(struct robots *robots, int count, char **arguments, int *code,
                      th_error *err)
{
    th_robots_file *file = NULL;
    (void)robots;
    (void)code;
    if (count < 1 || count > 2)
        return th_fail(err, TH_USAGE, "robots show needs FILE, and optionally HOST");
    th_exit_on_sigpipe();
    th_status status = th_robots_file_open(arguments[0], &file, err);
    if (status == TH_OK && count == 2) {
        status = show_host(file, arguments[0], arguments[1], err);
    } else if (status == TH_OK) {
        const th_view lines = th_robots_file_lines(file);
        (void)fwrite(lines.data, 1, lines.len, stdout);
    }
    th_robots_file_free(file);
    return status;
}

/* ---- check ---- */

static th_status check_url(th_robots_lookup *lookup, const char *url, th_error *err)
{
    th_robots_answer answer;
    const th_status status =
        th_robots_lookup_find(lookup, (th_view){ url, strlen(url) }, &answer);
    if (status == TH_ABSENT)
        return th_fail(err, TH_USAGE, "'%.200s' is not an http(s) URL", url);
    if (status != TH_OK)
        return th_fail(err, status, "out of memory");
    const bool is_unreachable = answer.status >= 500;
    const th_view reason = is_unreachable    ? TH_VIEW("unreachable")
                           : answer.is_known ? answer.match.rule
                                             : TH_VIEW("no robots.txt");
    printf("%s\t%s\t%.*s\n",
           is_unreachable || answer.match.is_disallowed ? "disallow" : "allow", url,
           (int)reason.len, reason.data ? reason.data : "");
    return TH_OK;
}

static th_status check_stdin(th_robots_lookup *lookup, th_error *err)
{
    char *line = malloc(URL_LINE_MAX);
    th_status status = TH_OK;
    if (!line)
        return th_fail(err, TH_NOMEM, "out of memory");
    while (status == TH_OK && fgets(line, URL_LINE_MAX, stdin)) {
        const size_t len = strcspn(line, "\r\n");
        if (!line[len] && !feof(stdin))
            status = th_fail(err, TH_USAGE, "stdin has a line that is longer than %d",
                             URL_LINE_MAX);
        line[len] = '\0';
        if (status == TH_OK && len)
            status = check_url(lookup, line, err);
    }
    free(line);
    return status;
}

static th_status check(struct robots *robots, int count, char **arguments, int *code,
                       th_error *err)
{
    th_robots_file *file = NULL;
    th_robots_lookup lookup;
    (void)robots;
    (void)code;
    if (count < 3)
        return th_fail(err, TH_USAGE, "robots check needs FILE, AGENT and URL");
    th_exit_on_sigpipe();
    th_status status = th_robots_file_open(arguments[0], &file, err);
    if (status != TH_OK)
        return status;
    th_robots_lookup_begin(&lookup, file, arguments[1]);
    for (int i = 2; i < count && status == TH_OK; i++)
        status = strcmp(arguments[i], "-") == 0 ? check_stdin(&lookup, err)
                                                : check_url(&lookup, arguments[i], err);
    th_robots_lookup_done(&lookup);
    th_robots_file_free(file);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    th_status (*run)(struct robots *robots, int count, char **arguments, int *code,
                     th_error *err);
} verbs[] = { { "build", build }, { "show", show }, { "check", check } };

static th_status run_verb(struct robots *robots, int count, char **arguments, int *code,
                          th_error *err)
{
    if (!count)
        return th_fail(err, TH_USAGE, "robots needs one of: build, show, check");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(arguments[0], verbs[i].name) == 0)
            return verbs[i].run(robots, count - 1, arguments + 1, code, err);
    return th_fail(err, TH_USAGE,
                   "unknown robots command '%.100s'; expected one of: build, show, check",
                   arguments[0]);
}

int th_command_robots(const th_program *program, int argc, char **argv)
{
    struct robots robots = { .progress.started = 0 };
    th_error err = { .text = "" };
    int first = 0, code = TH_EXIT_OK;
    th_status status = th_settings_init(&robots.settings, program->segmenters);
    if (status == TH_OK)
        status =
            th_settings_parse(&robots.settings, TH_FOR_ROBOTS, argc, argv, &first, &err);
    if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_ROBOTS, robots.settings.help_all);
        goto done;
    }
    if (status == TH_OK)
        status = th_settings_check(&robots.settings, &err);
    if (status == TH_OK)
        status = run_verb(&robots, argc - first, argv + first, &code, &err);
    if (status != TH_OK) {
        err.status = status;
        code = th_complain(&err);
    }
done:
    th_file_uses_done(&robots.files);
    th_input_list_done(&robots.inputs);
    th_remote_free(robots.remote);
    th_settings_done(&robots.settings);
    return code;
}
