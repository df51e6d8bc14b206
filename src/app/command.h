/* The commands; one file each. */
#ifndef TH_COMMAND_H
#define TH_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/stop.h"
#include "thresher/status.h"

struct th_program;

/* Exit codes of every command. */
enum {
    TH_EXIT_OK = 0,
    TH_EXIT_INPUT = 1,        /* some input is damaged or could not be read completely */
    TH_EXIT_USAGE = 2,        /* wrong usage or configuration */
    TH_EXIT_SOFTWARE = 70,    /* internal error: counters that do not add up */
    TH_EXIT_IO = 74,          /* an input cannot be opened, output not written */
    TH_EXIT_INTERRUPTED = 130 /* stopped by a signal; --resume continues */
};

/** A command, for main, --help, the manual and the completions. */
typedef struct th_command {
    const char *name, *help;
    unsigned options;  /* TH_FOR_...; 0 if the option table has no options for it */
    const char *usage; /* of a command without options; else th_print_usage has it */
    /* argv[0] is the name; returns the exit code */
    int (*run)(const struct th_program *program, int argc, char **argv);
    const char *words; /* values of its first argument, separated by spaces; NULL if it
                        * has none */
} th_command;

/** argv[0] is the command's name. @return the exit code */
int th_command_run(const struct th_program *program, int argc, char **argv);
int th_command_records(const struct th_program *program, int argc, char **argv);
int th_command_dedup(const struct th_program *program, int argc, char **argv);
int th_command_config(const struct th_program *program, int argc, char **argv);
int th_command_serve(const struct th_program *program, int argc, char **argv);
int th_command_eval(const struct th_program *program, int argc, char **argv);
int th_command_text(const struct th_program *program, int argc, char **argv);
int th_command_inspect(const struct th_program *program, int argc, char **argv);
int th_command_graph(const struct th_program *program, int argc, char **argv);
int th_command_get(const struct th_program *program, int argc, char **argv);
int th_command_summary(const struct th_program *program, int argc, char **argv);
int th_command_compare(const struct th_program *program, int argc, char **argv);
int th_command_sites(const struct th_program *program, int argc, char **argv);
int th_command_robots(const struct th_program *program, int argc, char **argv);
int th_command_manual(const struct th_program *program, int argc, char **argv);
int th_command_completion(const struct th_program *program, int argc, char **argv);
int th_command_version(const struct th_program *program, int argc, char **argv);

extern const char th_config_usage[], th_manual_usage[], th_completion_usage[],
    th_get_usage[], th_summary_usage[], th_version_usage[], th_compare_usage[];

/** Prints "thresher: TEXT" to stderr. @return the exit code that fits the status */
int th_complain(const th_error *err);

/** Reports the first argument after `count` ones, argv[0] included. @return whether there
 * is one */
bool th_has_more_arguments(int argc, char **argv, int count);

/** For output that is meant to be read at once (help, lists): when the reader closes the
 * pipe early, as `head` does, the program ends with 0. */
void th_exit_on_sigpipe(void);

/**
 * Prints a command's usage from the option table.
 * @param command  TH_FOR_...
 * @param is_full  lists every option (--help-all), not only the common ones (--help)
 */
void th_print_usage(FILE *out, const struct th_program *program, unsigned command,
                    bool is_full);

/**
 * Returns the start of a command's usage: "usage: ...", an empty line, its purpose, its
 * exit codes.
 */
const char *th_usage_text(unsigned command);

/** How a list of names is printed, by --help or by `manual`. */
typedef struct th_list_writer {
    void (*begin)(FILE *out, const char *title);                 /* "formats" */
    void (*row)(FILE *out, const char *name, const char *words); /* in a line */
} th_list_writer;

/**
 * Prints the lists that follow a command's options: formats, methods, presets. A list is
 * printed if the option that takes its names is listed.
 * @param command  TH_FOR_...
 * @param is_full  every option is listed, not only the common ones
 */
void th_print_lists(FILE *out, const struct th_program *program, unsigned command,
                    bool is_full, const th_list_writer *writer);

#endif
