/*
 * `thresher robots build INPUT... -O FILE`, `robots show FILE [HOST]`, `robots check FILE
 * AGENT URL...`: rules of robots.txt, for `run --robots`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/robots_build.h"
#include "app/verb_job.h"
#include "robots/robots_lookup.h"

enum { URL_LINE_MAX = 64 << 10 /* bytes of a line of stdin */ };

/* ---- build ---- */

static th_status build(th_verb_job *robots, int count, char **inputs, int *code,
                       th_error *err)
{
    th_status status = th_verb_list_inputs(robots, "robots build", count, inputs,
                                           robots->settings.robots_build.output, err);
    if (status != TH_OK)
        return status;
    th_robots_build job = { .settings = &robots->settings,
                            .inputs = &robots->inputs,
                            .remote = robots->remote,
                            .warn = th_verb_warn,
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

static th_status show(th_verb_job *robots, int count, char **arguments, int *code,
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

static th_status check(th_verb_job *robots, int count, char **arguments, int *code,
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

static const th_verb verbs[] = {
    { "build", build }, { "show", show }, { "check", check }, { NULL, NULL }
};

int th_command_robots(const th_program *program, int argc, char **argv)
{
    return th_verb_command(program, "robots", TH_FOR_ROBOTS, verbs, argc, argv);
}
