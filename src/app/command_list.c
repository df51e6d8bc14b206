/* The tables of thresher's commands. The lab's program adds to these tables. */
#include "app/program.h"
#include "eval/eval.h"
#include "settings/settings.h"

const th_command th_commands[] = {
    { "run", "write annotated records of archives", TH_FOR_RUN, NULL, th_command_run,
      NULL },
    { "text",
      "print the content of a page (file, stdin or URL) as text, Markdown or HTML",
      TH_FOR_TEXT, NULL, th_command_text, NULL },
    { "serve", "run as a daemon: read a spool folder or Kafka, write files or Kafka",
      TH_FOR_SERVE, NULL, th_command_serve, NULL },
    { "inspect", "explain one page in the terminal, as JSON or as an HTML report",
      TH_FOR_INSPECT, NULL, th_command_inspect, NULL },
    { "records", "write one JSON line for each WARC record", TH_FOR_RECORDS, NULL,
      th_command_records, NULL },
    { "eval", "evaluate methods on pages with known text or known duplicates",
      TH_FOR_EVAL, NULL, th_command_eval, "extraction lines duplicates" },
    { "dedup", "find clusters of near-duplicates in emitted records", TH_FOR_DEDUP, NULL,
      th_command_dedup, "partition pairs components" },
    { "graph", "build and rank the graph of hosts or pages from emitted records",
      TH_FOR_GRAPH, NULL, th_command_graph, NULL },
    { "sites", "count paragraphs that recur on sites, for `run --sites`", TH_FOR_SITES,
      NULL, th_command_sites, "build merge show" },
    { "robots", "collect the rules of robots.txt, for `run --robots`", TH_FOR_ROBOTS,
      NULL, th_command_robots, "build show check" },
    { "get", "print records of a seekable file by their ids", 0, th_get_usage,
      th_command_get, NULL },
    { "summary", "print the totals of the shards of a run", 0, th_summary_usage,
      th_command_summary, NULL },
    { "compare", "compare two files of records field by field, for upgrades", 0,
      th_compare_usage, th_command_compare, NULL },
    { "config", "check a configuration file; show or list options", 0, th_config_usage,
      th_command_config, "check show options" },
    { "manual", "print a manual page of a command or of the configuration file", 0,
      th_manual_usage, th_command_manual,
      "run text serve inspect records eval dedup graph sites robots get summary compare "
      "config "
      "manual "
      "completion version thresher.conf thresher-record" },
    { "completion", "print completions for bash, zsh or fish", 0, th_completion_usage,
      th_command_completion, "bash zsh fish" },
    { "version", "print the version; with --json also parts and libraries", 0,
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
