/* The description of a program. thresher and thresher-lab differ in one table. */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H

#include "app/command.h"

struct th_eval_kind;
struct th_segmenter;

/** A program; all tables are static. */
typedef struct th_program {
    const char *name;                             /* "thresher" */
    const th_command *commands;                   /* ends with a row without a name */
    const th_command *more_commands;              /* follow these; NULL if there are no
                                                   * more */
    const struct th_eval_kind *const *eval_kinds; /* ends with NULL */
    const struct th_segmenter *const *segmenters; /* ends with NULL */
    unsigned more_eval_options;                   /* TH_FOR_LAB in thresher-lab, else 0 */
} th_program;

extern const th_program th_thresher_program;

/** Commands of thresher; ends with a row without a name. */
extern const th_command th_commands[];

/** Returns command number i, in the order of --help, or NULL after the last. */
const th_command *th_program_command(const th_program *program, size_t i);

/** Returns a command by name, or NULL. */
const th_command *th_program_find(const th_program *program, const char *name);

/** Returns the commands of the program, as bits TH_FOR_.... */
unsigned th_program_options(const th_program *program);

/** Runs the command that argv[1] names. @return the exit code */
int th_program_main(const th_program *program, int argc, char **argv);

#endif
