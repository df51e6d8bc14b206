/* The tables of thresher's commands. The lab's program adds to these tables. */
#include "app/program.h"
#include "eval/eval.h"
#include "settings/settings.h"

const th_command th_commands[] = {
    { "run", "archives to annotated records", TH_FOR_RUN, NULL, th_command_run, NULL },
    { "text", "the content of a page: a file, stdin or a URL, as text, Markdown or HTML",
      TH_FOR_TEXT, NULL, th_command_text, NULL },
    { "serve", "the daemon: a spool folder or Kafka in, files or Kafka out", TH_FOR_SERVE,
      NULL, th_command_serve, NULL },
    { "inspect", "one page, explained: in the terminal, as JSON, as a report in HTML",
      TH_FOR_INSPECT, NULL, th_command_inspect, NULL },
    { "records", "one JSON line for each WARC record", TH_FOR_RECORDS, NULL,
      th_command_records, NULL },
    { "eval", "scores of each method on pages with known text or known duplicates",
      TH_FOR_EVAL, NULL, th_command_eval, "extraction lines duplicates" },
    { "dedup", "clusters of near-duplicates from emitted records", TH_FOR_DEDUP, NULL,
      th_command_dedup, "partition pairs components" },
    { "graph", "hosts or pages and their links from emitted records, ranked",
      TH_FOR_GRAPH, NULL, th_command_graph, NULL },
    { "sites", "what recurs on sites, counted for `run --sites`", TH_FOR_SITES, NULL,
      th_command_sites, "build merge show" },
    { "summary", "sums over what the shards of a run have done", 0, th_summary_usage,
      th_command_summary, NULL },
    { "config", "checks a configuration file, shows or lists options", 0, th_config_usage,
      th_command_config, "check show options" },
    { "manual", "a manual page of a command or of the configuration file", 0,
      th_manual_usage, th_command_manual,
      "run text serve inspect records eval dedup graph sites summary config manual "
      "completion version thresher.conf thresher-record" },
    { "completion", "completions for bash, zsh or fish", 0, th_completion_usage,
      th_command_completion, "bash zsh fish" },
    { "version", "the program's version, and with --json its parts and libraries", 0,
      th_version_usage, th_command_version, "--json" },
    { .name = NULL },
};

static const th_eval_kind *const kinds[] = { &th_eval_extraction, &th_eval_lines,
                                             &th_eval_duplicates, NULL };

const th_program th_thresher_program = {
    .name = "thresher",
    .commands = th_commands,
    .eval_kinds = kinds,
    .segmenters = th_segmenters,
};
