/* Prints help from the option table, the only list of options. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/program.h"
#include "eval/eval.h"
#include "segment/gap_profile.h"
#include "settings/settings.h"
#include "thresher/classifier.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"
#include "write/format.h"

enum { NAME_COLUMNS = 22 }; /* a longer name has a separate line */

static void print_option(FILE *out, unsigned command, const th_settings *defaults,
                         const th_option *option)
{
    char name[64];
    th_buffer value = { 0 };
    const char *between = option->type == TH_OPTION_LIST ? "=" : " ";
    (void)snprintf(name, sizeof name, "--%s%s%s", th_option_name(option, command),
                   option->value ? between : "", option->value ? option->value : "");
    th_settings_print(defaults, option, &value);
    if (option->letter)
        fprintf(out, "  -%c, %-*s", option->letter, NAME_COLUMNS, name);
    else
        fprintf(out, "      %-*s", NAME_COLUMNS, name);
    if (strlen(name) > NAME_COLUMNS)
        fprintf(out, "\n%*s", NAME_COLUMNS + 6, "");
    fprintf(out, " %s", option->help);
    if (option->type != TH_OPTION_SWITCH && value.len)
        fprintf(out, " [%.*s]", (int)value.len, value.data);
    fputc('\n', out);
    th_buffer_done(&value);
}

/* Whether --help (is_full: --help-all) of a command lists an option. */
static bool is_listed(const th_option *option, unsigned command, bool is_full)
{
    return ((is_full ? option->commands : option->common) & command) != 0;
}

static void print_options(FILE *out, unsigned command, bool is_full)
{
    const char *section = "";
    th_settings defaults;
    if (th_settings_init(&defaults, NULL) != TH_OK)
        return;
    for (const th_option *option = th_option_table; option->key; option++) {
        if (!is_listed(option, command, is_full))
            continue;
        if (strcmp(section, option->section) != 0)
            fprintf(out, "\n%s:\n", option->section);
        section = option->section;
        print_option(out, command, &defaults, option);
    }
    th_settings_done(&defaults);
    fputs("\nalways:\n"
          "  -c, --config FILE          read options from an INI file; the command line "
          "overrides the file\n"
          "  -o, --option KEY=VALUE     set any option\n"
          "  -h, --help                 list the frequent options\n"
          "      --help-all             list all options\n",
          out);
}

static void list_formats(FILE *out, const th_program *program,
                         const th_list_writer *writer)
{
    char words[256];
    (void)program;
    writer->begin(out, "formats");
    for (size_t i = 0; th_formats[i]; i++) {
        (void)snprintf(words, sizeof words, "%s%s", th_formats[i]->help,
                       th_formats[i]->not_for_serve ? "; only in run" : "");
        writer->row(out, th_formats[i]->name, words);
    }
}

static void method_row(FILE *out, const th_list_writer *writer, const char *name,
                       const char *help, const char *cites)
{
    char words[256];
    (void)snprintf(words, sizeof words, "%s %s", help, cites);
    writer->row(out, name, words);
}

static void list_segmenters(FILE *out, const th_program *program,
                            const th_list_writer *writer)
{
    writer->begin(out, "segmenters");
    for (size_t i = 0; program->segmenters[i]; i++)
        method_row(out, writer, program->segmenters[i]->name,
                   program->segmenters[i]->help, program->segmenters[i]->cites);
}

static void list_profiles(FILE *out, const th_program *program,
                          const th_list_writer *writer)
{
    (void)program;
    writer->begin(out, "profiles");
    for (size_t i = 0; th_gap_profiles[i]; i++)
        writer->row(out, th_gap_profiles[i]->name, th_gap_profiles[i]->help);
}

static void list_classifiers(FILE *out, const th_program *program,
                             const th_list_writer *writer)
{
    (void)program;
    writer->begin(out, "classifiers");
    for (size_t i = 0; th_classifiers[i]; i++)
        method_row(out, writer, th_classifiers[i]->name, th_classifiers[i]->help,
                   th_classifiers[i]->cites);
}

static void list_presets(FILE *out, const th_program *program,
                         const th_list_writer *writer)
{
    (void)program;
    writer->begin(out, "minhash presets");
    for (size_t i = 0; th_minhash_presets[i]; i++)
        writer->row(out, th_minhash_presets[i]->name, th_minhash_presets[i]->help);
}

/* The lists of names, each with the option that takes them. */
static const struct {
    const char *key;
    void (*list)(FILE *out, const th_program *program, const th_list_writer *writer);
} lists[] = {
    { "format", list_formats },   { "segmenter", list_segmenters },
    { "profile", list_profiles }, { "classifier", list_classifiers },
    { "minhash", list_presets },
};

/* The start of a command's help. */
struct usage {
    unsigned command; /* TH_FOR_... */
    bool has_kinds;
    const char *text;
};

/* clang-format off */
static const struct usage usages[] = {
    { TH_FOR_RUN, .text =
"usage: thresher run [options] INPUT...\n"
"\n"
"Reads archives and writes annotated records: page text in segments, with labels of\n"
"content and boilerplate, and signatures for the detection of near-duplicates. Records\n"
"have the order of the input. The output is the same for any number of workers.\n"
"INPUT: WARC, ARC or WACZ, compressed or not: a file, a folder, a pattern,\n"
"s3://BUCKET/KEY, s3://BUCKET/PREFIX/, https://..., ARCHIVE#OFFSET,LENGTH (one record),\n"
"@list (a file of inputs, or of index lines) or - for stdin.\n"
"Exit codes: 0 success, 1 an input is damaged, 2 wrong usage, 70 internal error, 74 an\n"
"input cannot be opened or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_SERVE, .text =
"usage: thresher serve -c FILE [options]\n"
"\n"
"Runs as a daemon. Reads archives from a spool folder, or messages from Kafka topics,\n"
"and writes rolling files or Kafka topics until it is stopped. SIGTERM completes the\n"
"records in progress and exits. SIGHUP reloads the configuration.\n"
"An option `section.key` is `key` in the file's [section].\n"
"Exit codes: 0 clean shutdown, 70 internal error, 75 temporary failure (a restart may\n"
"help), 78 invalid configuration.\n" },

    { TH_FOR_TEXT, .text =
"usage: thresher text [options] PAGE...\n"
"\n"
"Prints the content of pages as plain text, Markdown, HTML or JSON, without menus,\n"
"advertisements and comments.\n"
"PAGE is one of:\n"
"  FILE                    an HTML file, also with gzip or zstd, or - for stdin\n"
"  https://...             a URL, which is fetched once\n"
"  s3://BUCKET/KEY         an object\n"
"  ARCHIVE#OFFSET          the record at an offset from `thresher records`\n"
"A page that cannot be read is reported, and the next pages follow. A fetch follows at\n"
"most 5 redirects, and refuses addresses that are not public.\n"
"Exit codes: 0 success, 1 a page could not be read completely or is not HTML, 2 wrong\n"
"usage, 70 internal error, 74 the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_INSPECT, .text =
"usage: thresher inspect [options] PAGE\n"
"\n"
"Explains one page: its lines with segment, label, text density and link density.\n"
"PAGE is one of:\n"
"  FILE                    an HTML file, also with gzip or zstd, or - for stdin\n"
"  ARCHIVE#OFFSET          the record at an offset from `thresher records`;\n"
"                          ARCHIVE#OFFSET+SKIP if several records share a gzip member\n"
"  ARCHIVE URL             the first response with exactly this URL\n"
"Files and archives can be s3://BUCKET/KEY and https://...\n"
"Exit codes: 0 success, 1 the record does not exist or is not HTML, 2 wrong usage,\n"
"70 internal error, 74 the input cannot be opened or the output cannot be written,\n"
"130 interrupted.\n" },

    { TH_FOR_RECORDS, .text =
"usage: thresher records [options] INPUT...\n"
"\n"
"Prints one JSON line for each WARC record: position, headers, digests of block and\n"
"payload, and anomalies. Does not parse pages. --cdxj prints an index of the captures\n"
"for replay tools, and --validate a line for each archive.\n"
"INPUT: WARC, ARC or WACZ, compressed or not: a file, a folder, a pattern,\n"
"s3://BUCKET/KEY, s3://BUCKET/PREFIX/, https://..., @list (a file of inputs) or - for\n"
"stdin.\n"
"Exit codes: 0 success, 1 an input is damaged or, with --validate, has problems,\n"
"2 wrong usage, 70 internal error, 74 an input cannot be opened or the output cannot be\n"
"written, 130 interrupted.\n" },

    { TH_FOR_EVAL, .has_kinds = true, .text =
"usage: thresher eval KIND [options] INPUT...\n"
"\n"
"Measures methods on pages with known main text or known duplicates (docs/eval.md\n"
"describes the files). thresher-lab has more kinds.\n"
"Exit codes: 0 success, 1 an input is damaged, 2 wrong usage, 70 internal error, 74 an\n"
"input cannot be opened or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_TRAIN, .text =
"usage: thresher-lab train METHOD CORPUS... --output MODEL [options]\n"
"\n"
"Learns the parameters of a segmenter from pages with known segments (docs/eval.md\n"
"describes the files), for segmenter-model. The same corpora give the same bytes.\n"
"METHOD: gcuts, cclus or boundary-graph.\n"
"Exit codes: 0 success, 2 wrong usage, 70 internal error, 74 an input cannot be opened\n"
"or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_SITES, .text =
"usage: thresher sites build INPUT... --output FILE [options]\n"
"       thresher sites merge FILE... --output FILE [options]\n"
"       thresher sites show FILE [SITE] [--json]\n"
"\n"
"Counts the pages of its site on which each paragraph occurs, for `thresher run --sites\n"
"FILE`. The same inputs give the same bytes, in any order.\n"
"INPUT: WARC, ARC or WACZ, compressed or not: a file, a folder, a pattern,\n"
"s3://BUCKET/KEY, s3://BUCKET/PREFIX/, https://..., ARCHIVE#OFFSET,LENGTH (one record),\n"
"@list (a file of inputs, or of index lines) or - for stdin.\n"
"SITE: a domain, a host or a URL.\n"
"Exit codes: 0 success, 1 an input is damaged, 2 wrong usage, 70 internal error, 74 an\n"
"input cannot be opened or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_ROBOTS, .text =
"usage: thresher robots build INPUT... --output FILE [options]\n"
"       thresher robots show FILE [HOST]\n"
"       thresher robots check FILE AGENT URL...\n"
"\n"
"build collects robots.txt and /.well-known/tdmrep.json of each host, the newest of\n"
"several, for `thresher run --robots FILE`. show prints JSON lines. check prints allow or\n"
"disallow for each URL, and the rule (RFC 9309). A host without rules allows all.\n"
"INPUT: WARC, ARC or WACZ, compressed or not: a file, a folder, a pattern,\n"
"s3://BUCKET/KEY, s3://BUCKET/PREFIX/, https://..., @list (a file of inputs) or - for\n"
"stdin.\n"
"HOST: a URL, or a host, which is then https://HOST.\n"
"URL: - for lines of stdin.\n"
"Exit codes: 0 success, 1 an input is damaged, 2 wrong usage, 70 internal error, 74 an\n"
"input cannot be opened or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_DEDUP, .text =
"usage: thresher dedup [options] RECORDS...\n"
"       thresher dedup partition RECORDS... -O DIR [--parts P] [options]\n"
"       thresher dedup pairs DIR... --part I/P [-O DIR] [options]\n"
"       thresher dedup components DIR... [options]\n"
"\n"
"Finds near-duplicates in emitted records: pages with similar signatures, and pages\n"
"whose content has the same digest. The oldest record of a cluster represents it.\n"
"The output does not depend on the order of the inputs or on the memory limit.\n"
"For several machines (docs/dedup.md):\n"
"  partition    writes a shard of its records to one folder\n"
"  pairs        compares one range of the keys of all shards, and writes edges to DIR\n"
"               (the first one) or to the folder of -O\n"
"  components   joins the edges of all ranges\n"
"Run a killed stage again. A finished stage does nothing.\n"
"RECORDS: JSON lines or WARC from `thresher run`, plain, .gz or .zst: a\n"
"file, a folder, a pattern, @list (a file of inputs) or - for stdin.\n"
"DIR: a shard, or a folder of shards.\n"
"Exit codes: 0 success, 1 a record was refused or a file is damaged, 2 wrong usage or\n"
"records with different signature schemes, 70 internal error, 74 an input cannot be\n"
"opened or the output cannot be written, 130 interrupted.\n" },

    { TH_FOR_GRAPH, .text =
"usage: thresher graph [options] RECORDS... --output DIR\n"
"\n"
"Builds the graph of hosts or pages from the links of emitted records, and computes\n"
"PageRank. Distinguishes links in content from links in boilerplate. Writes vertices,\n"
"edges, weights and ranks as text, in the format of Common Crawl's web graphs\n"
"(docs/graph.md). The output does not depend on the order of the inputs or on the\n"
"memory limit.\n"
"RECORDS: JSON lines or WARC from `thresher run --emit links`, plain, .gz or .zst: a\n"
"file, a folder, a pattern, @list (a file of inputs) or - for stdin.\n"
"Exit codes: 0 success, 1 a record was refused or a file is damaged, 2 wrong usage or\n"
"records without links, 70 internal error, 74 an input cannot be opened or the output\n"
"cannot be written, 130 interrupted.\n" },
};
/* clang-format on */

static void print_kinds(FILE *out, const th_eval_kind *const *kinds)
{
    fputs("\nkinds:\n", out);
    for (size_t i = 0; kinds[i]; i++)
        fprintf(out, "  %-13s%-18s %s\n", kinds[i]->name, kinds[i]->inputs,
                kinds[i]->help);
}

static const struct usage *usage_of(unsigned command)
{
    const struct usage *usage = usages;
    while (!(usage->command & command))
        usage++;
    return usage;
}

const char *th_usage_text(unsigned command)
{
    return usage_of(command)->text;
}

static void begin_list(FILE *out, const char *title)
{
    fprintf(out, "\n%s:\n", title);
}

static void print_row(FILE *out, const char *name, const char *words)
{
    fprintf(out, "  %-20s %s\n", name, words);
}

void th_print_lists(FILE *out, const th_program *program, unsigned command, bool is_full,
                    const th_list_writer *writer)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_listed(th_option_find(lists[i].key), command, is_full))
            lists[i].list(out, program, writer);
}

void th_print_usage(FILE *out, const th_program *program, unsigned command, bool is_full)
{
    const struct usage *usage = usage_of(command);
    th_exit_on_sigpipe();
    fputs(usage->text, out);
    if (usage->has_kinds)
        print_kinds(out, program->eval_kinds);
    print_options(out, command, is_full);
    th_print_lists(out, program, command, is_full,
                   &(const th_list_writer){ begin_list, print_row });
}
