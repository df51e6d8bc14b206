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
          "wins\n"
          "  -o, --option KEY=VALUE     set any option\n"
          "  -h, --help                 the frequent options\n"
          "      --help-all             every option\n",
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
                       th_formats[i]->not_for_serve ? "; by run only" : "");
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
"Archives to annotated records: pages cut into segments, content told from\n"
"boilerplate, signatures for near-duplicate detection. Records leave in input order,\n"
"the same bytes for any number of workers.\n"
"INPUT: WARC, ARC or WACZ, packed or not: a file, a folder, a pattern, s3://BUCKET/KEY,\n"
"s3://BUCKET/PREFIX/, https://..., ARCHIVE#OFFSET,LENGTH (one record), @list (a file of\n"
"inputs, or of lines of an index) or - for stdin.\n"
"Exit codes: 0 all well; 1 an input is damaged; 2 wrong usage; 70 internal error;\n"
"74 an input cannot be opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_SERVE, .text =
"usage: thresher serve -c FILE [options]\n"
"\n"
"The daemon: reads the archives that a crawler puts into a spool folder, or messages\n"
"of Kafka topics, and writes rolling files or Kafka topics until it is stopped.\n"
"SIGTERM finishes what is under way and ends; SIGHUP reads the configuration again.\n"
"An option `section.key` is `key` in the file's [section].\n"
"Exit codes: 0 ended in good order; 70 internal error; 75 failed, a restart may help;\n"
"78 wrong configuration.\n" },

    { TH_FOR_TEXT, .text =
"usage: thresher text [options] PAGE...\n"
"\n"
"Prints the content of pages as plain text, Markdown, HTML or JSON, without menus,\n"
"advertisements and comments.\n"
"PAGE: an HTML file; - for stdin; a URL (https://...), which is fetched once;\n"
"s3://BUCKET/KEY; or ARCHIVE#OFFSET, a record by the offset that `thresher records`\n"
"prints. A page that cannot be read is reported, and the next pages follow.\n"
"A fetch follows 5 redirects, and refuses addresses that are not public.\n"
"Exit codes:\n"
"  0    all pages were printed\n"
"  1    a page could not be read or fetched, or is not HTML\n"
"  2    wrong usage\n"
"  70   internal error\n"
"  74   the output cannot be written\n"
"  130  interrupted\n" },

    { TH_FOR_INSPECT, .text =
"usage: thresher inspect [options] PAGE\n"
"\n"
"One page, explained: its lines with segment, label, text density and link density.\n"
"PAGE: an HTML file; - for stdin; ARCHIVE#OFFSET, a record by the offset that\n"
"`thresher records` prints (ARCHIVE#OFFSET+SKIP where records share a gzip member);\n"
"ARCHIVE URL, the first response with exactly that URL. Files and archives may be\n"
"s3://BUCKET/KEY and https://..., too.\n"
"Exit codes: 0 all well; 1 no such record, or no HTML; 2 wrong usage; 70 internal\n"
"error; 74 the input cannot be opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_RECORDS, .text =
"usage: thresher records [options] INPUT...\n"
"\n"
"One JSON line on stdout for each WARC record: its position, its headers, the digests\n"
"of its block and payload, and what is wrong with it. No page is parsed. With --cdxj an\n"
"index of the captures, one line each, as replay tools read it.\n"
"INPUT: WARC, ARC or WACZ, packed or not: a file, a folder, a pattern, s3://BUCKET/KEY,\n"
"s3://BUCKET/PREFIX/, https://..., @list (a file of inputs) or - for stdin.\n"
"Exit codes: 0 all well; 1 an input is damaged; 2 wrong usage; 70 internal error;\n"
"74 an input cannot be opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_EVAL, .has_kinds = true, .text =
"usage: thresher eval KIND [options] INPUT...\n"
"\n"
"Measures methods on pages whose main text or duplicates are known (docs/eval.md\n"
"describes the files). thresher-lab has more kinds.\n"
"Exit codes: 0 all well; 1 an input is damaged; 2 wrong usage; 70 internal error;\n"
"74 an input cannot be opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_TRAIN, .text =
"usage: thresher-lab train METHOD CORPUS... --output MODEL [options]\n"
"\n"
"Learns a segmenter's parameters from pages whose segments are known (docs/eval.md\n"
"describes the files), for segmenter-model. The same corpora give the same bytes.\n"
"METHOD: gcuts, cclus or boundary-graph.\n"
"Exit codes: 0 all well; 2 wrong usage; 70 internal error; 74 an input cannot be opened\n"
"or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_SITES, .text =
"usage: thresher sites build INPUT... --output FILE [options]\n"
"       thresher sites merge FILE... --output FILE [options]\n"
"       thresher sites show FILE [SITE] [--json]\n"
"\n"
"What recurs on sites: on how many pages of its site each paragraph stands, for\n"
"`thresher run --sites FILE`. The same inputs give the same bytes, in any order.\n"
"INPUT: WARC, ARC or WACZ, packed or not: a file, a folder, a pattern, s3://BUCKET/KEY,\n"
"s3://BUCKET/PREFIX/, https://..., ARCHIVE#OFFSET,LENGTH (one record), @list (a file of\n"
"inputs, or of lines of an index) or - for stdin.\n"
"SITE: a domain, a host or a URL.\n"
"Exit codes: 0 all well; 1 an input is damaged; 2 wrong usage; 70 internal error;\n"
"74 an input cannot be opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_DEDUP, .text =
"usage: thresher dedup [options] RECORDS...\n"
"       thresher dedup partition RECORDS... -O DIR [--parts P] [options]\n"
"       thresher dedup pairs DIR... --part I/P [-O DIR] [options]\n"
"       thresher dedup components DIR... [options]\n"
"\n"
"Finds near-duplicates among emitted records: pages whose signatures agree, and pages\n"
"whose content has the same digest. The oldest record of a cluster represents it.\n"
"The outcome depends neither on the order of the inputs nor on the memory.\n"
"On many machines: `partition` makes a shard of its records, one folder each; `pairs`\n"
"compares one range of the keys of all shards, and leaves its edges in the first DIR, or\n"
"in that of -O; `components` joins the edges of all ranges. A stage that was killed is\n"
"run again, and one that is done does nothing (docs/dedup.md).\n"
"RECORDS: JSON lines or WARC as `thresher run` writes them, plain, .gz or .zst: a\n"
"file, a folder, a pattern, @list (a file of inputs) or - for stdin. DIR: a shard, or a\n"
"folder of shards.\n"
"Exit codes: 0 all well; 1 a record was refused or a file is damaged; 2 wrong usage, or\n"
"records that were signed in different ways; 70 internal error; 74 an input cannot be\n"
"opened or the output cannot be written; 130 interrupted.\n" },

    { TH_FOR_GRAPH, .text =
"usage: thresher graph [options] RECORDS... --output DIR\n"
"\n"
"The graph of hosts or pages from the links of emitted records, with content links and\n"
"boilerplate ones apart, and PageRank on it: vertices, edges, weights and ranks as text,\n"
"in the form of Common Crawl's web graphs (docs/graph.md). The outcome depends neither\n"
"on the order of the inputs nor on the memory.\n"
"RECORDS: JSON lines or WARC as `thresher run --emit links` writes them, plain, .gz or\n"
".zst: a file, a folder, a pattern, @list (a file of inputs) or - for stdin.\n"
"Exit codes: 0 all well; 1 a record was refused or a file is damaged; 2 wrong usage, or\n"
"records without links; 70 internal error; 74 an input cannot be opened or the output\n"
"cannot be written; 130 interrupted.\n" },
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
