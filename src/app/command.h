/* The commands of the program; one file each. */
#ifndef TH_COMMAND_H
#define TH_COMMAND_H

#include <stdio.h>

#include "base/stop.h"
#include "thresher/status.h"

/* Exit codes of every command. */
enum {
    TH_EXIT_OK = 0,
    TH_EXIT_INPUT = 1,        /* some input is damaged or could not be read to its end */
    TH_EXIT_USAGE = 2,        /* wrong usage or configuration */
    TH_EXIT_SOFTWARE = 70,    /* our own fault: counters that do not add up */
    TH_EXIT_IO = 74,          /* output cannot be written */
    TH_EXIT_INTERRUPTED = 130 /* stopped by a signal; --resume goes on */
};

/** argv[0] is the command's name. @return the exit code */
int th_command_run(int argc, char **argv);
int th_command_records(int argc, char **argv);
int th_command_dedup(int argc, char **argv);
int th_command_config(int argc, char **argv);
int th_command_serve(int argc, char **argv);
int th_command_eval(int argc, char **argv);
int th_command_inspect(int argc, char **argv);
int th_command_train(int argc, char **argv);

/** Prints "thresher: text" to stderr and returns the code that fits the status. */
int th_complain(const th_error *err);

/** For output that is meant to be read at once (help, lists): when the reader closes the
 * pipe early, as `head` does, the program ends with 0. */
void th_let_reader_go(void);

/**
 * Prints a command's usage from the option table.
 * @param command  TH_FOR_...
 */
void th_print_usage(FILE *out, unsigned command);

#endif
