/* `thresher graph`: builds and ranks the graph of hosts or pages from emitted records. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/program.h"
#include "app/record_files.h"
#include "app/same_file.h"
#include "app/say.h"
#include "base/clock.h"
#include "dedup/line_reader.h"
#include "graph/link_graph.h"
#include "settings/settings.h"

enum {
    TOLD_FAULTS = 20, /* lines about faulty records; all are counted */
    LOOK_EVERY = 1024 /* records between two looks at the clock */
};

/* The state of the command. */
struct graph_command {
    th_settings settings;
    th_record_files files;
    th_link_graph *graph;
    th_link_record record;
    th_view json;         /* of the current record */
    th_line_reader lines; /* of the biasing set */
    uint64_t read, refused;
};

/* ---- what a terminal shows ---- */

static void show(void *context, const char *step, uint64_t done, uint64_t total)
{
    struct graph_command *command = context;
    th_record_files_show(&command->files, step, done, total, command->read);
}

static void report_error(struct graph_command *command, const char *place,
                         const char *words)
{
    const uint64_t told = command->refused++;
    if (told > TOLD_FAULTS)
        return;
    th_progress_clear(&command->files.progress);
    if (told < TOLD_FAULTS)
        th_say("%.400s: %s: %s", command->files.path, place, words);
    else
        th_say("further invalid records are counted, but not listed");
}

/* ---- reading ---- */

static th_status next_record(void *context, th_record_input *input,
                             th_record_fault *fault, th_error *wrong)
{
    struct graph_command *command = context;
    return th_record_input_json(input, &command->json, fault, wrong);
}

static th_status take_record(void *context, const th_record_input *input,
                             th_record_fault fault, th_error *err)
{
    struct graph_command *command = context;
    char place[TH_PLACE_MAX];
    th_record_input_place(input, place);
    if (command->read++ % LOOK_EVERY == 0)
        show(command, TH_STEP_READING,
             command->files.bytes_before + th_record_input_report(input),
             command->files.inputs.total_bytes);
    if (fault != TH_RECORD_NONE) {
        report_error(command, place, th_record_fault_text(fault));
        return TH_OK;
    }
    th_status status = th_link_record_read(&command->record, command->json);
    if (status == TH_DAMAGED) {
        report_error(command, place, th_record_fault_text(TH_RECORD_BAD_JSON));
        return TH_OK;
    }
    if (status == TH_OK)
        status = th_link_graph_add(command->graph, &command->record, err);
    if (status == TH_ABSENT) {
        report_error(command, place, "no http or https URL");
        return TH_OK;
    }
    return status;
}

static th_status read_bias_lines(struct graph_command *command,
                                 th_decompressed_input *input, th_error *err)
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
    th_decompressed_input *input = NULL;
    if (!*path)
        return TH_OK;
    th_status status = th_decompressed_open(path, command->files.remote,
                                            &th_stop_requested, &input, err);
    if (status == TH_OK)
        status = read_bias_lines(command, input, err);
    th_decompressed_free(input);
    if (status == TH_TOO_LARGE)
        return th_fail(err, TH_USAGE, "'%s' has a line that is longer than max-line",
                       path);
    return status == TH_BAD_CODING ? th_fail(err, TH_IO, "'%s' is damaged", path)
                                   : status;
}

/* ---- the command ---- */

static th_status check_files(const struct graph_command *command, int count,
                             char **arguments, th_error *err)
{
    const th_graph_settings *settings = &command->settings.graph;
    char path[4096];
    th_file_uses files = { 0 };
    th_status status =
        th_file_uses_inputs(&files, &command->files.inputs, count, arguments, err);
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
    th_status status = th_settings_init(&command->settings, NULL);
    if (status == TH_OK)
        status = th_input_list_init(&command->files.inputs);
    if (status != TH_OK)
        return th_fail(err, status, "cannot allocate the settings");
    status = th_settings_parse(&command->settings, TH_FOR_GRAPH, argc, argv, &first, err);
    if (status == TH_OK)
        status = th_record_files_list(&command->files, &command->settings, "graph",
                                      argc - first, argv + first, err);
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
    const th_graph_stats *facts = th_link_graph_stats(command->graph);
    if (!facts->records || facts->bare_records < facts->records)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "no record has links: `thresher run --emit links` writes them");
}

static th_status work(struct graph_command *command, th_error *err)
{
    const th_record_work records = { command, next_record, take_record };
    th_progress_start(&command->files.progress, stderr, command->settings.quiet,
                      command->files.inputs.total_bytes, 0);
    th_status status = read_bias(command, err);
    if (status == TH_OK)
        status =
            th_record_files_read(&command->files, TH_RECORD_LINKS,
                                 (size_t)command->settings.graph.max_line, &records, err);
    if (status == TH_OK)
        status = check_links(command, err);
    if (status == TH_OK)
        status = th_link_graph_write(command->graph, err);
    th_progress_clear(&command->files.progress);
    return status;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_summary(const struct graph_command *command, FILE *out)
{
    const th_graph_stats *facts = th_link_graph_stats(command->graph);
    fprintf(out,
            "%" PRIu64 " records  %" PRIu64 " refused  %" PRIu32 " pages  %" PRIu32
            " hosts  %.1f s\n",
            command->read, command->refused, facts->pages, facts->hosts,
            th_clock_seconds(CLOCK_MONOTONIC) - command->files.progress.started);
    fprintf(out,
            "%" PRIu64 " links read: %" PRIu64 " to other schemes, %" PRIu64
            " with another label, %" PRIu64 " to pages without a record\n",
            facts->read_links, facts->bad_links, facts->unwanted_links,
            facts->outside_links);
    if (facts->bare_records)
        fprintf(out, "%" PRIu64 " records without links\n", facts->bare_records);
    if (facts->bias_rows)
        fprintf(out,
                "biasing set: %" PRIu32 " vertices of %" PRIu64 " lines, %" PRIu64
                " of them not addresses\n",
                facts->biased, facts->bias_rows, facts->no_bias);
    fprintf(out, "%" PRIu64 " distinct links, %.2f%% to another host\n", facts->links,
            share(facts->inter_host, facts->links));
    fprintf(out,
            "%" PRIu32 " vertices  %" PRIu64 " edges, %.2f%% to another part, with "
            "%.2f%% votes\n",
            facts->vertices, facts->edges, share(facts->inter_part, facts->edges),
            share(facts->votes, facts->edges));
    fprintf(out, "%" PRIu32 " rounds of ranking in %.1f s\n", facts->rounds,
            facts->rank_seconds);
}

/* The exit code of a finished graph, after its summary. */
static int conclude(const struct graph_command *command)
{
    const uint64_t taken = th_link_graph_stats(command->graph)->records;
    if (!command->settings.quiet)
        print_summary(command, stderr);
    if (command->read != taken + command->refused) {
        th_say("counters do not add up (this is a bug)");
        return TH_EXIT_SOFTWARE;
    }
    return command->refused || command->files.damaged ? TH_EXIT_INPUT : TH_EXIT_OK;
}

int th_command_graph(const th_program *program, int argc, char **argv)
{
    th_error err = { .text = "" };
    int code = TH_EXIT_OK;
    struct graph_command *command = calloc(1, sizeof *command); /* has a long line */
    if (!command) {
        err.status = th_fail(&err, TH_NOMEM, "cannot allocate the command");
        return th_complain(&err);
    }
    th_status status = prepare(command, argc, argv, &err);
    if (status == TH_OK)
        status = work(command, &err);
    if (status == TH_OK) {
        code = conclude(command);
    } else if (status == TH_END) {
        th_print_usage(stdout, program, TH_FOR_GRAPH, command->settings.help_all);
    } else {
        err.status = status == TH_TOO_LARGE ? TH_USAGE : status;
        code = th_complain(&err);
    }
    th_link_graph_free(command->graph);
    th_link_record_done(&command->record);
    th_line_reader_done(&command->lines);
    th_record_files_done(&command->files);
    th_settings_done(&command->settings);
    free(command);
    return code;
}
