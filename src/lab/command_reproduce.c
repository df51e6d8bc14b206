/*
 * `thresher-lab reproduce`: repeats the experiments of the papers. The statistics are in
 * Python (training/reproduce), which measures pages with the other commands of this
 * program. This file finds the folder and starts it with the same arguments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/say.h"
#include "lab/lab.h"

enum { PATH_SIZE = 4096 };

/* Path of this program. @return false if it is unknown or too long */
static bool find_self(char out[PATH_SIZE])
{
    const ssize_t len = readlink("/proc/self/exe", out, PATH_SIZE - 1);
    out[len > 0 ? len : 0] = '\0';
    return len > 0 && len < PATH_SIZE - 1;
}

/* A build folder has the same structure as an installation. */
static bool find_folder(const char *self, char out[PATH_SIZE])
{
    const char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    const int len = snprintf(out, PATH_SIZE, "%.*s/../share/thresher-lab/reproduce",
                             (int)(slash - self), self);
    return len > 0 && len < PATH_SIZE && access(out, R_OK | X_OK) == 0;
}

int th_command_reproduce(const th_program *program, int argc, char **argv)
{
    char self[PATH_SIZE], folder[PATH_SIZE];
    (void)program;
    if (!find_self(self) || !find_folder(self, folder)) {
        th_say("cannot find share/thresher-lab/reproduce next to the program");
        return TH_EXIT_IO;
    }
    char **words = calloc((size_t)argc + 2, sizeof *words);
    if (!words || setenv("THRESHER_LAB", self, 1) != 0) {
        free(words);
        th_say("out of memory");
        return TH_EXIT_SOFTWARE;
    }
    words[0] = (char[]){ "python3" };
    words[1] = folder;
    memcpy(words + 2, argv + 1, ((size_t)argc - 1) * sizeof *words);
    (void)execvp(words[0], words);
    th_say("cannot start python3: %s; reproduce needs Python 3.9 or later",
           strerror(errno));
    free(words);
    return TH_EXIT_IO;
}
