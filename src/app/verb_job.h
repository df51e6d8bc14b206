/*
 * Commands with verbs that read archives into a file: `thresher sites build`, `thresher
 * robots check`. The state of such a command, and the steps that all have.
 */
#ifndef TH_VERB_JOB_H
#define TH_VERB_JOB_H

#include "app/program.h"
#include "app/progress.h"
#include "app/same_file.h"
#include "ingest/input_list.h"
#include "settings/settings.h"

typedef struct th_verb_job {
    th_settings settings;
    th_input_list inputs;
    th_remote *remote;
    th_file_uses files;
    th_progress progress;
} th_verb_job;

/** A verb. `run` gets the arguments after it, and may set the exit code of a success. */
typedef struct th_verb {
    const char *name;
    th_status (*run)(th_verb_job *job, int count, char **arguments, int *code,
                     th_error *err);
} th_verb;

/** Prints a line, and removes the line of progress before. Safe from any thread.
 * @param job  a th_verb_job */
void th_verb_warn(void *job, const char *line);

/**
 * Lists the archives of a verb, opens remote stores, and checks that the output is a file
 * that is no input.
 * @param name    of command and verb, for messages: "sites build"
 * @param output  path of --output
 * @return TH_OK; TH_USAGE; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_verb_list_inputs(th_verb_job *job, const char *name, int count,
                              char **arguments, const char *output, th_error *err);

/** Checks that the output is a named file, and that no other use has the same file. */
th_status th_verb_check_output(th_verb_job *job, const char *name, const char *output,
                               th_error *err);

/**
 * Runs a command: reads its options, and runs the verb that the first argument names.
 * @param name     of the command: "sites"
 * @param options  its bit, TH_FOR_SITES
 * @param verbs    ends with a row without a name
 * @return the exit code
 */
int th_verb_command(const th_program *program, const char *name, unsigned options,
                    const th_verb *verbs, int argc, char **argv);

#endif
