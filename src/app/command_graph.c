/* `thresher graph`: hosts or pages and their links from emitted records, ranked. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "app/progress.h"
#include "app/same_file.h"
#include "base/clock.h"
#include "dedup/line_reader.h"
#include "dedup/record_input.h"
#include "graph/link_graph.h"
#include "ingest/input_list.h"
#include "settings/settings.h"

enum {
    TOLD_FAULTS = 20, /* lines about faulty records; all are counted */
    LOOK_EVERY = 1024 /* records between two looks at the clock */
};

/* What the command holds, from the command line to its end. */
struct graph_command {
    th_settings settings;
    th_input_list inputs;
    th_progress progress;
    th_link_graph *graph;
    th_link_record record;
    th_line_reader lines;  /* of the biasing set */
    const char *path;      /* of the input under way */
    uint64_t bytes_before; /* of the inputs before it */
    uint64_t read, refused, damaged_inputs;
};

/* ---- what a terminal shows ---- */

static void show(void *context, const char *step, uint64_t done, uint64_t total)
{
    struct graph_command *command = context;
    th_progress *progress = &command->progress;
    const double time = th_clock_seconds(CLOCK_MONOTONIC);
    if (!progress->is_shown || time - progress->last_shown < 0.2)
        return;
    fprintf(progress->out, "\r\033[K%-9s ", step);
    if (total)
        fprintf(progress->out, "%5.1f%%  ", 100.0 * (double)done / (double)total);
    else
        fprintf(progress->out, "round %" PRIu64 "  ", done);
    fprintf(progress->out, "%" PRIu64 " records  %.0f s", command->read,
            time - progress->started);
    fflush(progress->out);
    progress->has_line = true;
    progress->last_shown = time;
}

static void tell_fault(struct graph_command *command, const char *place,
                       const char *words)
{
    const uint64_t told = command->refused++;
    if (told > TOLD_FAULTS)
        return;
    th_progress_clear(&command->progress);
    if (told < TOLD_FAULTS)
        fprintf(stderr, "thresher: %.400s: %s: %s\n", command->path, place, words);
    else
        fputs("thresher: further records at fault are counted, not told\n", stderr);
}

/* ---- reading ---- */

static th_status take_record(struct graph_command *command, const th_record_input *input,
                             th_view json, th_record_fault fault, th_error *err)
{
    char place[TH_PLACE_MAX];
    th_record_input_place(input, place);
    if (command->read++ % LOOK_EVERY == 0)
        show(command, "reading", command->bytes_before + th_record_input_tell(input),
             command->inputs.total_bytes);
    if (fault != TH_RECORD_NONE) {
        tell_fault(command, place, th_record_fault_text(fault));
        return TH_OK;
    }
    th_status status = th_link_record_read(&command->record, json);
    if (status == TH_DAMAGED) {
        tell_fault(command, place, th_record_fault_text(TH_RECORD_BAD_JSON));
        return TH_OK;
    }
    if (status == TH_OK)
        status = th_link_graph_add(command->graph, &command->record, err);
    if (status == TH_ABSENT) {
        tell_fault(command, place, "no url of http or https");
        return TH_OK;
    }
    return status;
}

/* TH_OK also for a file that could not be read to its end: that is reported and
 * counted. */
static th_status read_input(struct graph_command *command, th_error *err)
{
    th_record_input *input = NULL;
    th_error wrong = { .text = "" };
    th_record_fault fault = TH_RECORD_NONE;
    th_view json = { NULL, 0 };
    th_status status = TH_OK;
    th_status read =
        th_record_input_open(command->path, (size_t)command->settings.graph.max_line,
                             &th_stop_requested, &input, &wrong);
    while (read == TH_OK && status == TH_OK && !th_stop_requested &&
           (read = th_record_input_json(input, &json, &fault, &wrong)) == TH_OK)
        status = take_record(command, input, json, fault, err);
    if (input)
        command->bytes_before += th_record_input_tell(input);
    th_record_input_free(input);
    if (read == TH_NOMEM)
        return th_fail(err, TH_NOMEM, "%s", wrong.text);
    const bool has_ended = read == TH_OK || read == TH_END || read == TH_INTERRUPTED;
    if (status == TH_OK && !has_ended) {
        th_progress_clear(&command->progress);
        fprintf(stderr, "thresher: %s: %s\n", command->path, wrong.text);
        command->damaged_inputs++;
    }
    return status;
}

static th_status read_all(struct graph_command *command, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < command->inputs.count && status == TH_OK; i++) {
        command->path = command->inputs.paths[i];
        status = read_input(command, err);
        if (status == TH_OK && th_stop_requested)
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
    }
    return status;
}

static th_status read_bias_lines(struct graph_command *command, th_unpacked_input *input,
                                 th_error *err)
{
    th_view line;
    th_status status = TH_OK;
    th_line_reader_start(&command->lines, input,
                         (size_t)command->settings.graph.max_line);
    while (status == TH_OK &&
           (status = th_line_read(&command->lines, &line, err)) == TH_OK)
        if (line.len)
            status = th_link_graph_bias(command->graph, line, err);
    return status == TH_END ? TH_OK : status;
}

static th_status read_bias(struct graph_command *command, th_error *err)
{
    const char *path = command->settings.graph.bias;
    th_unpacked_input *input = NULL;
    if (!*path)
        return TH_OK;
    th_status status = th_unpacked_open(path, &th_stop_requested, &input, err);
    if (status == TH_OK)
        status = read_bias_lines(command, input, err);
    th_unpacked_free(input);
    if (status == TH_TOO_LARGE)
        return th_fail(err, TH_USAGE, "'%s' has a line that is longer than max-line",
                       path);
    return status == TH_BAD_CODING ? th_fail(err, TH_IO, "'%s' is damaged", path)
                                   : status;
}

/* ---- the command ---- */

static void tell(void *context, const char *line)
{
    (void)context;
    fprintf(stderr, "thresher: %s\n", line);
}

static th_status list_inputs(struct graph_command *command, int count, char **arguments,
                             th_error *err)
{
    static const char *const ends[] = { ".jsonl",   ".jsonl.gz", ".jsonl.zst", ".warc",
                                        ".warc.gz", ".warc.zst", NULL };
    th_status status = TH_OK;
    command->inputs.name_ends = ends;
    command->inputs.notice = tell;
    command->inputs.stop = &th_stop_requested;
    if (!count)
        return th_fail(err, TH_USAGE,
                       "graph needs RECORDS: a file, a folder, a pattern, @list or - "
                       "for stdin");
    for (int i = 0; i < count && status == TH_OK; i++)
        status = th_input_list_add(&command->inputs, arguments[i], err);
    if (status == TH_OK && !command->inputs.count)
        status = th_fail(err, TH_USAGE, "no file of records found in '%s'", arguments[0]);
    return status;
}

static th_status check_files(const struct graph_command *command, int count,
                             char **arguments, th_error *err)
{
    const th_graph_settings *settings = &command->settings.graph;
    char path[4096];
    th_file_uses files = { 0 };
    th_status status =
        th_file_uses_inputs(&files, &command->inputs, count, arguments, err);
    if (status == TH_OK && *settings->bias)
        status = th_file_uses_input(&files, settings->bias, err);
    for (size_t i = 0; th_graph_file_names[i] && status == TH_OK; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", settings->output,
                       th_graph_file_names[i]);
        status = th_file_uses_output(&files, th_graph_file_names[i], path, err);
    }
    if (status == TH_OK)
        status = th_file_uses_check(&files, err);
    th_file_uses_done(&files);
    return status;
}

static th_status make_folder(const char *path, th_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return TH_OK;
    return th_fail(err, TH_IO, "cannot make '%s': %s", path, strerror(errno));
}

static int number_in(const char *const *names, const char *name)
{
    int number = 0;
    while (strcmp(names[number], name) != 0)
        number++; /* the option table allows no other */
    return number;
}

static th_status open_graph(struct graph_command *command, th_error *err)
{
    const th_graph_settings *settings = &command->settings.graph;
    const th_graph_options options = {
        .level = (th_graph_level)number_in(th_graph_level_names, settings->level),
        .links = (th_graph_links)number_in(th_graph_links_names, settings->links),
        .folder = settings->output,
        .temp = settings->temp,
        .memory = settings->memory,
        .alpha = settings->alpha,
        .boilerplate_weight = settings->weigh,
        .epsilon = settings->epsilon,
        .parts = TH_GRAPH_PARTS,
        .stop = &th_stop_requested,
        .progress = show,
        .context = command,
    };
    return th_link_graph_new(&options, &command->graph, err);
}

static th_status prepare(struct graph_command *command, int argc, char **argv,
                         th_error *err)
{
    int first = 0;
    th_status status = th_settings_init(&command->settings);
    if (status == TH_OK)
        status = th_input_list_init(&command->inputs);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(&command->settings, TH_FOR_GRAPH, argc, argv, &first, err);
    if (status == TH_OK)
        status = list_inputs(command, argc - first, argv + first, err);
    if (status == TH_OK && !*command->settings.graph.output)
        status = th_fail(err, TH_USAGE, "graph needs --output DIR");
    if (status == TH_OK)
        status = check_files(command, argc - first, argv + first, err);
    if (status == TH_OK)
        status = make_folder(command->settings.graph.output, err);
    return status == TH_OK ? open_graph(command, err) : status;
}

/* Without links there would be a graph of hosts alone, without an error. */
static th_status check_links(const struct graph_command *command, th_error *err)
{
    const th_graph_facts *facts = th_link_graph_facts(command->graph);
    if (!facts->records || facts->bare_records < facts->records)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "no record has links: `thresher run --emit links` writes them");
}

static th_status work(struct graph_command *command, th_error *err)
{
    th_progress_start(&command->progress, stderr, command->settings.quiet,
                      command->inputs.total_bytes, 0);
    th_status status = read_bias(command, err);
    if (status == TH_OK)
        status = read_all(command, err);
    if (status == TH_OK)
        status = check_links(command, err);
    if (status == TH_OK)
        status = th_link_graph_write(command->graph, err);
    th_progress_clear(&command->progress);
    return status;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_summary(const struct graph_command *command, FILE *out)
{
    const th_graph_facts *facts = th_link_graph_facts(command->graph);
    fprintf(out,
            "%" PRIu64 " records  %" PRIu64 " refused  %" PRIu32 " pages  %" PRIu32
            " hosts  %.1f s\n",
            command->read, command->refused, facts->pages, facts->hosts,
            th_clock_seconds(CLOCK_MONOTONIC) - command->progress.started);
    fprintf(out,
            "%" PRIu64 " links read: %" PRIu64 " to no web address, %" PRIu64
            " of the other label, %" PRIu64 " to a page without record\n",
            facts->read_links, facts->bad_links, facts->unwanted_links,
            facts->outside_links);
    if (facts->bare_records)
        fprintf(out, "%" PRIu64 " records without links\n", facts->bare_records);
    if (facts->bias_rows)
        fprintf(out,
                "biasing set: %" PRIu32 " vertices of %" PRIu64 " lines, %" PRIu64
                " of them no address\n",
                facts->biased, facts->bias_rows, facts->no_bias);
    fprintf(out, "%" PRIu64 " links of a page to an address, %.2f%% to another host\n",
            facts->links, share(facts->inter_host, facts->links));
    fprintf(out,
            "%" PRIu32 " vertices  %" PRIu64 " edges, %.2f%% to another part, in "
            "%.2f%% votes\n",
            facts->vertices, facts->edges, share(facts->inter_part, facts->edges),
            share(facts->votes, facts->edges));
    fprintf(out, "%" PRIu32 " rounds of ranking in %.1f s\n", facts->rounds,
            facts->rank_seconds);
}

/* The exit code of a finished graph, after its summary. */
static int conclude(const struct graph_command *command)
{
    const uint64_t taken = th_link_graph_facts(command->graph)->records;
    if (!command->settings.quiet)
        print_summary(command, stderr);
    if (command->read != taken + command->refused) {
        fputs("thresher: counters do not add up: this is a bug\n", stderr);
        return TH_EXIT_SOFTWARE;
    }
    return command->refused || command->damaged_inputs ? TH_EXIT_INPUT : TH_EXIT_OK;
}

int th_command_graph(int argc, char **argv)
{
    static struct graph_command command;
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    th_status status = prepare(&command, argc, argv, &err);
    if (status == TH_OK)
        status = work(&command, &err);
    if (status == TH_OK) {
        code = conclude(&command);
    } else if (status == TH_END) {
        th_print_usage(stdout, TH_FOR_GRAPH);
    } else {
        err.status = status == TH_TOO_LARGE ? TH_USAGE : status;
        code = th_complain(&err);
    }
    th_link_graph_free(command.graph);
    th_link_record_done(&command.record);
    th_line_reader_done(&command.lines);
    th_input_list_done(&command.inputs);
    th_settings_done(&command.settings);
    return code;
}
