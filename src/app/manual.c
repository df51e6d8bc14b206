/*
 * `thresher manual`: writes manual pages from --help, the option table and
 * docs/record.md.
 */
#include <stdio.h>
#include <string.h>

#include "app/program.h"
#include "app/record_prose.h"
#include "app/troff.h"
#include "settings/settings.h"
#include "thresher/version.h"

const char th_manual_usage[] =
    "usage: thresher manual [PAGE]\n\n"
    "Prints a manual page for man: `thresher manual run | man -l -`. PAGE is a command,\n"
    "thresher.conf (the configuration file) or thresher-record (the record). Without "
    "PAGE,\n"
    "prints the page of the program.\n"
    "Exit codes: 0 success, 2 unknown page.\n";

static void put(FILE *out, const char *text)
{
    th_troff_put(out, (th_view){ text, strlen(text) });
}

static void put_heading(FILE *out, const char *request, const char *title)
{
    th_troff_put_heading(out, request, (th_view){ title, strlen(title) });
}

/* The date is omitted, because the page depends only on the program. */
static void put_title(FILE *out, const char *name, int section, const char *help)
{
    fprintf(out, ".TH \"");
    for (const char *c = name; *c; c++)
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    fprintf(out, "\" %d \"\" \"thresher %s\" \"thresher\"\n", section, TH_VERSION);
    /* Names of options and members are long: no word is parted, no line stretched. groff
     * 1.23 reads AD at each heading. */
    fputs(".nh\n.ad l\n.ds AD l\n.SH NAME\n", out);
    put(out, name);
    fputs(" \\- ", out);
    put(out, help);
    fputc('\n', out);
}

/* Writes each line without leading spaces. */
static void put_synopsis(FILE *out, th_view lines)
{
    while (lines.len) {
        const char *end = memchr(lines.data, '\n', lines.len);
        const size_t len = end ? (size_t)(end - lines.data) + 1 : lines.len;
        const size_t blanks = strspn(lines.data, " ");
        th_troff_put(out, (th_view){ lines.data + blanks, len - blanks });
        lines.data += len;
        lines.len -= len;
    }
}

/* Whether a line explains a name: "NAME: possible values". */
static bool is_of_name(const char *line)
{
    const size_t len = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return len > 1 && line[len] == ':';
}

/* Lines of a paragraph, and a paragraph for each NAME of the synopsis. */
static void put_body(FILE *out, th_view body)
{
    while (body.len) {
        const char *end = memchr(body.data, '\n', body.len);
        const size_t len = end ? (size_t)(end - body.data) + 1 : body.len;
        if (is_of_name(body.data))
            fputs(".PP\n", out);
        th_troff_put(out, (th_view){ body.data, len });
        body.data += len;
        body.len -= len;
    }
}

/*
 * Writes a usage: "usage: LINE", more such lines, an empty line, the purpose, "Exit
 * codes: ...".
 */
static void put_usage(FILE *out, const char *usage)
{
    static const char prefix[] = "usage: ", codes[] = "Exit codes: ";
    const char *body = strstr(usage, "\n\n");
    const char *synopsis_end = body ? body : usage + strlen(usage);
    const char *exits = strstr(usage, codes);
    fputs(".SH SYNOPSIS\n.nf\n", out);
    put_synopsis(out, (th_view){ usage + strlen(prefix),
                                 (size_t)(synopsis_end - usage) - strlen(prefix) });
    fputs("\n.fi\n", out);
    if (!body)
        return;
    const char *end = exits ? exits : body + strlen(body);
    fputs(".SH DESCRIPTION\n", out);
    put_body(out, (th_view){ body + 2, (size_t)(end - body - 2) });
    if (exits) {
        fputs(".SH EXIT STATUS\n", out);
        put(out, exits + strlen(codes));
    }
}

static void put_value(FILE *out, const th_settings *defaults, const th_option *option)
{
    th_buffer value = { 0 };
    th_settings_print(defaults, option, &value);
    if (option->type != TH_OPTION_SWITCH && value.len) {
        fputs("\nDefault: ", out);
        th_troff_put(out, th_buffer_view(&value));
        fputc('.', out);
    }
    th_buffer_done(&value);
}

static void put_option(FILE *out, unsigned command, const th_settings *defaults,
                       const th_option *option)
{
    fputs(".TP\n\\fB", out);
    if (option->letter)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    fputs("\\-\\-", out);
    put(out, th_option_name(option, command));
    fputs("\\fR", out);
    if (option->value)
        fprintf(out, "%c\\fI%s\\fR", option->type == TH_OPTION_LIST ? '=' : ' ',
                option->value);
    fputc('\n', out);
    put(out, option->help);
    fputs(".", out);
    put_value(out, defaults, option);
    fputc('\n', out);
}

static void begin_list(FILE *out, const char *title)
{
    put_heading(out, ".SS", title);
}

static void put_row(FILE *out, const char *name, const char *words)
{
    fputs(".TP\n\\fB", out);
    put(out, name);
    fputs("\\fR\n", out);
    put(out, words);
    fputs(".\n", out);
}

static void put_options(FILE *out, unsigned command, const th_settings *defaults)
{
    const char *section = "";
    fputs(".SH OPTIONS\n", out);
    for (const th_option *option = th_option_table; option->key; option++) {
        if (!(option->commands & command))
            continue;
        if (strcmp(section, option->section) != 0)
            put_heading(out, ".SS", option->section);
        section = option->section;
        put_option(out, command, defaults, option);
    }
    fputs(".SS always\n"
          ".TP\n"
          "\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR\n"
          "read options from an INI file, thresher.conf(5). The command line overrides "
          "the file.\n"
          ".TP\n"
          "\\fB\\-o\\fR, \\fB\\-\\-option\\fR \\fIKEY=VALUE\\fR\n"
          "set any option.\n"
          ".TP\n"
          "\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
          "list the frequent options.\n"
          ".TP\n"
          "\\fB\\-\\-help\\-all\\fR\n"
          "list all options.\n",
          out);
}

/* The program that has the page of a command: thresher, except for the commands that only
 * thresher-lab has. */
static const char *owner_of(const th_program *program, const th_command *command)
{
    for (const th_command *more = program->more_commands; more && more->name; more++)
        if (more == command)
            return program->name;
    return th_thresher_program.name;
}

static void command_page(FILE *out, const th_program *program, const th_command *command,
                         const th_settings *defaults)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s-%s", owner_of(program, command), command->name);
    put_title(out, name, 1, command->help);
    put_usage(out, command->usage ? command->usage : th_usage_text(command->options));
    if (command->options) {
        put_options(out, command->options, defaults);
        th_print_lists(out, program, command->options, true,
                       &(const th_list_writer){ begin_list, put_row });
    }
    fputs(".SH SEE ALSO\nthresher(1), thresher.conf(5), thresher\\-record(5)\n", out);
}

static void program_page(FILE *out, const th_program *program)
{
    const th_command *command = NULL;
    char usage[600];
    put_title(out, program->name, 1, "extract pages from web archives");
    (void)snprintf(
        usage, sizeof usage,
        "usage: %s COMMAND [options] ...\n\n"
        "Reads WARC archives and splits each page into blocks of text. Separates content "
        "from\n"
        "boilerplate, computes a signature of the content for the detection of "
        "near-duplicates,\n"
        "and writes one annotated record for each page. Counts and reports damage in an\n"
        "archive, and reads the rest of the archive.\n",
        program->name);
    put_usage(out, usage);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (command = th_program_command(program, i)); i++)
        put_row(out, command->name, command->help);
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; (command = th_program_command(program, i)); i++) {
        put(out, owner_of(program, command));
        fprintf(out, "\\-%s(1),\n", command->name);
    }
    fputs("thresher.conf(5), thresher\\-record(5)\n", out);
}

static void file_page(FILE *out, const th_program *program, const th_settings *defaults)
{
    const unsigned commands = th_program_options(program);
    const char *section = "";
    put_title(out, "thresher.conf", 5, "configuration of thresher");
    fputs(".SH SYNOPSIS\n"
          ".nf\n"
          "thresher run \\-c \\fIFILE\\fR ...\n"
          "thresher serve \\-c \\fIFILE\\fR\n"
          "thresher config check \\fIFILE\\fR\n"
          ".fi\n"
          ".SH DESCRIPTION\n"
          "An INI file: sections in brackets, lines \\fIkey = value\\fR, comments after "
          "a semicolon.\n"
          "An unknown key, a key in the wrong section and a value out of range are "
          "errors that name the line.\n"
          "Sizes accept the suffixes K, M and G. Switches are yes or no. Options of the "
          "command line override the file.\n",
          out);
    for (const th_option *option = th_option_table; option->key; option++) {
        const char *dot = strchr(option->key, '.');
        if (!(option->commands & commands))
            continue;
        if (strcmp(section, option->section) != 0) {
            char title[64];
            (void)snprintf(title, sizeof title, "[%s]", option->section);
            put_heading(out, ".SH", title);
        }
        section = option->section;
        fputs(".TP\n\\fB", out);
        put(out, dot ? dot + 1 : option->key);
        fprintf(out, "\\fR = \\fI%s\\fR\n", option->value ? option->value : "yes|no");
        put(out, option->help);
        fputs(".", out);
        put_value(out, defaults, option);
        fputc('\n', out);
    }
    fputs(".SH SEE ALSO\nthresher(1), thresher\\-serve(1), thresher\\-config(1)\n", out);
}

static void record_page(FILE *out)
{
    put_title(out, "thresher-record", 5, "the record thresher/1, field by field");
    fputs(".SH SYNOPSIS\n"
          ".nf\n"
          "thresher run \\-O \\fIFILE.jsonl\\fR \\fIARCHIVE\\fR...\n"
          ".fi\n"
          ".SH DESCRIPTION\n",
          out);
    th_troff_put_markdown(
        out, (th_view){ (const char *)th_record_prose, th_record_prose_len });
    fputs(".SH SEE ALSO\nthresher(1), thresher\\-run(1), thresher.conf(5)\n", out);
}

static int refuse(const th_program *program, const char *page)
{
    const th_command *command = NULL;
    fprintf(stderr,
            "%s: unknown manual page '%s'; expected one of: %s, thresher.conf, "
            "thresher-record",
            program->name, page, program->name);
    for (size_t i = 0; (command = th_program_command(program, i)); i++)
        fprintf(stderr, ", %s", command->name);
    fputc('\n', stderr);
    return TH_EXIT_USAGE;
}

int th_command_manual(const th_program *program, int argc, char **argv)
{
    const char *page = argc > 1 ? argv[1] : program->name;
    th_settings defaults;
    th_exit_on_sigpipe();
    if (strcmp(page, "--help") == 0 || strcmp(page, "-h") == 0) {
        fputs(th_manual_usage, stdout);
        return TH_EXIT_OK;
    }
    if (th_has_more_arguments(argc, argv, 2))
        return TH_EXIT_USAGE;
    if (th_settings_init(&defaults, NULL) != TH_OK) {
        th_settings_done(&defaults);
        return th_complain(&(const th_error){ .status = TH_NOMEM });
    }
    const th_command *command = th_program_find(program, page);
    int code = TH_EXIT_OK;
    if (command)
        command_page(stdout, program, command, &defaults);
    else if (strcmp(page, program->name) == 0)
        program_page(stdout, program);
    else if (strcmp(page, "thresher.conf") == 0)
        file_page(stdout, program, &defaults);
    else if (strcmp(page, "thresher-record") == 0)
        record_page(stdout);
    else
        code = refuse(program, page);
    th_settings_done(&defaults);
    return code;
}
