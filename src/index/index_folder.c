/* A folder is an index if it has a file `scheme`. A process owns it while it holds the
 * lock. */
#include "index/index_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_sink.h"
#include "base/state_folder.h"

bool th_index_folder_segments(const char *path, uint32_t *first, uint32_t *last)
{
    bool is_found = false;
    DIR *dir = opendir(path);
    const struct dirent *item;
    while (dir && (item = readdir(dir))) {
        char *end = NULL;
        const unsigned long number = strtoul(item->d_name, &end, 10);
        if (end != item->d_name + 8 || strcmp(end, ".journal") != 0)
            continue;
        if (!is_found || number < *first)
            *first = (uint32_t)number;
        if (!is_found || number > *last)
            *last = (uint32_t)number;
        is_found = true;
    }
    if (dir)
        (void)closedir(dir);
    return is_found;
}

/* Checks that a folder without a scheme file contains no files of an index, so that none
 * is overwritten. */
static th_status check_is_new(const char *dir, th_error *err)
{
    uint32_t first, last;
    char *state = NULL;
    if (asprintf(&state, "%s/state", dir) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the path of the index state");
    const bool is_new =
        access(state, F_OK) != 0 && !th_index_folder_segments(dir, &first, &last);
    free(state);
    return is_new ? TH_OK
                  : th_fail(err, TH_USAGE,
                            "'%s' is not an index, or its file 'scheme' is missing; use "
                            "another folder, or empty this folder",
                            dir);
}

static th_status write_scheme(const char *path, const th_index_scheme *scheme,
                              th_error *err)
{
    th_buffer ours = { 0 };
    th_index_scheme_print(scheme, &ours);
    const th_status status =
        ours.has_failed ? th_fail(err, TH_NOMEM, "out of memory for the index's scheme")
                        : th_file_replace(path, th_buffer_view(&ours), err);
    th_buffer_done(&ours);
    return status;
}

enum { SCHEME_MAX = 4096 }; /* bytes of the file `scheme` */

/* Compares the file with the scheme, or writes the file of a new index. */
static th_status check_scheme(const char *dir, const char *path,
                              const th_index_scheme *scheme, th_error *err)
{
    char text[SCHEME_MAX];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        return th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    if (fd < 0) {
        const th_status status = check_is_new(dir, err);
        return status == TH_OK ? write_scheme(path, scheme, err) : status;
    }
    const ssize_t got = read(fd, text, sizeof text);
    (void)close(fd);
    if (got < 0)
        return th_fail(err, TH_IO, "cannot read '%s'", path);
    th_error why = { .text = "" };
    const th_status status =
        th_index_scheme_check(scheme, (th_view){ text, (size_t)got }, &why);
    return status == TH_OK ? TH_OK : th_fail(err, status, "'%s': %.400s", dir, why.text);
}

th_status th_index_folder_take(const char *dir, const th_index_scheme *scheme,
                               int *lock_fd, th_error *err)
{
    char *path = NULL;
    *lock_fd = -1;
    if (asprintf(&path, "%s/scheme", dir) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the path of the index scheme");
    th_status status = th_state_folder_lock(dir, "the index", lock_fd, err);
    if (status == TH_OK)
        status = check_scheme(dir, path, scheme, err);
    free(path);
    return status;
}
