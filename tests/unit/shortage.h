/*
 * Commands of the program that lack something: memory ends, the system refuses a call, or
 * SIGTERM comes, at the n-th call for each n. A digest of all outcomes shows a change of an
 * exit code, of a message, or of a file that is left. For tests called NAME_shortage_test.c or
 * command_outcomes_test.c, which are linked with --wrap of each call. Paths in commands are relative to a new
 * folder, which is empty before each command.
 */
#ifndef TH_TEST_SHORTAGE_H
#define TH_TEST_SHORTAGE_H

#include <stddef.h>

#include "outcomes.h"

/** Makes a folder for commands, and changes to it. ../data is tests/data. */
void shortage_begin(void);

/** Removes the folder. */
void shortage_end(void);

/** Copies a file of tests/data to ../NAME. @param path  below tests/data */
void shortage_input(const char *path, const char *name);

/** Makes the folder ../NAME. */
void shortage_folder(const char *name);

/** Writes ../NAME. */
void shortage_write(const char *name, const char *bytes, size_t len);

/** Runs a command that must work, and moves its file or folder ./NAME to ../NAME. */
void shortage_prepare(const char *command, const char *name);

/** Runs a command without a failure, and notes its exit code, its messages, and its
 * files. @param kept  moves ./KEPT to ../KEPT, in the place of an earlier one; NULL if
 * nothing is kept */
void note_command(struct outcomes *all, const char *command, const char *kept);

/** Runs a command once without a failure, then with failures of each kind. Notes all
 * outcomes. @param runs  the most runs with failures of each kind */
void note_shortages(struct outcomes *all, const char *command, unsigned runs);

#endif
