/* The file for tests of inputs, created for the group and rewritten by each test. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stddef.h>

/** Its path: of a file between the two below. */
extern char input_file_path[];

/** Makes it and removes it: the setup and teardown of a group of tests. */
int input_file_make(void **state);
int input_file_remove(void **state);

/** Replaces what is in it, or fails the test. */
void input_file_write(const char *bytes, size_t len);

#endif
