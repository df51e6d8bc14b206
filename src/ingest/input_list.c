/*
 * Arguments to paths. The order is the arguments' own; within a folder or a pattern it is
 * the names' byte order, so that a run on another machine reads in the same order.
 */
#include "ingest/input_list.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_name.h"

enum { MAX_INPUTS = 10000000, MAX_FOLDER_DEPTH = 64, MAX_LINE = 8192 };

th_status th_input_list_init(th_input_list *list)
{
    *list = (th_input_list){ .arena = th_arena_new(0) };
    return list->arena ? TH_OK : TH_NOMEM;
}

void th_input_list_done(th_input_list *list)
{
    th_arena_free(list->arena);
    *list = (th_input_list){ 0 };
}

static th_status append(th_input_list *list, const char *path, uint64_t size,
                        th_error *err)
{
    if (list->count == MAX_INPUTS)
        return th_fail(err, TH_USAGE, "more than %d inputs", MAX_INPUTS);
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
        const char **paths =
            th_arena_grow(list->arena, list->paths, list->capacity * sizeof *paths,
                          capacity * sizeof *paths);
        if (!paths)
            return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
        list->paths = paths;
        list->capacity = capacity;
    }
    const th_view copied =
        th_arena_copy(list->arena, (th_view){ path, strlen(path) + 1 });
    if (!copied.data)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    list->paths[list->count++] = copied.data;
    list->total_bytes += size;
    return TH_OK;
}

static bool is_wanted_name(const th_input_list *list, const char *name)
{
    static const char *const archives[] = { ".warc",   ".warc.gz", ".warc.zst", ".arc",
                                            ".arc.gz", ".arc.zst", NULL };
    const char *const *ends = list->name_ends ? list->name_ends : archives;
    for (size_t i = 0; ends[i]; i++)
        if (th_file_name_ends(name, ends[i]))
            return name[0] != '.';
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder that matter, sorted; freed by free_names. */
struct names {
    char **names;
    size_t count;
};

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

static th_status read_folder(const char *path, struct names *out, th_error *err)
{
    DIR *folder = opendir(path);
    if (!folder)
        return th_fail(err, TH_IO, "cannot read folder '%s': %s", path, strerror(errno));
    th_status status = TH_OK;
    const struct dirent *entry;
    while (status == TH_OK && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        char **grown = realloc(out->names, (out->count + 1) * sizeof *grown);
        if (grown)
            out->names = grown;
        char *name = grown ? strdup(entry->d_name) : NULL;
        if (name)
            out->names[out->count++] = name;
        else
            status = th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    }
    closedir(folder);
    if (out->count)
        qsort(out->names, out->count, sizeof *out->names, by_name);
    return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_FOLDER_DEPTH
static th_status add_folder(th_input_list *list, const char *path, int depth,
                            th_error *err)
{
    if (depth == MAX_FOLDER_DEPTH)
        return th_fail(err, TH_USAGE, "folder '%s' is nested deeper than %d", path,
                       MAX_FOLDER_DEPTH);
    struct names names = { 0 };
    th_status status = read_folder(path, &names, err);
    for (size_t i = 0; i < names.count && status == TH_OK; i++) {
        char *child = NULL;
        struct stat facts;
        const char *slash = th_file_name_ends(path, "/") ? "" : "/";
        if (asprintf(&child, "%s%s%s", path, slash, names.names[i]) < 0) {
            status = th_fail(err, TH_NOMEM, "cannot list '%s'", path);
            break;
        }
        if (stat(child, &facts) != 0)
            facts = (struct stat){ 0 }; /* gone meanwhile: opening it will say so */
        if (S_ISDIR(facts.st_mode))
            status = add_folder(list, child, depth + 1, err);
        else if (is_wanted_name(list, names.names[i]))
            status = append(list, child, (uint64_t)facts.st_size, err);
        free(child);
    }
    free_names(&names);
    return status;
}

static th_status add_path(th_input_list *list, const char *path, th_error *err)
{
    struct stat facts;
    if (strcmp(path, "-") == 0)
        return append(list, path, 0, err);
    if (stat(path, &facts) != 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return add_folder(list, path, 0, err);
    return append(list, path, S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0, err);
}

static th_status add_glob(th_input_list *list, const char *pattern, th_error *err)
{
    struct stat facts;
    /* A file may have a star in its name; only what does not exist is a pattern. */
    if (!strpbrk(pattern, "*?[") || stat(pattern, &facts) == 0)
        return add_path(list, pattern, err);
    glob_t found;
    th_status status = TH_OK;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return th_fail(err, TH_IO, "nothing matches '%s'", pattern);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_name);
    for (size_t i = 0; i < found.gl_pathc && status == TH_OK; i++)
        status = add_path(list, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

static th_status add_list(th_input_list *list, const char *path, th_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return th_fail(err, TH_IO, "cannot open list '%s': %s", path, strerror(errno));
    char line[MAX_LINE];
    th_status status = TH_OK;
    while (status == TH_OK && fgets(line, sizeof line, file)) {
        const size_t len = strcspn(line, "\r\n");
        if (len == sizeof line - 1)
            status =
                th_fail(err, TH_USAGE, "'%s' has a line over %d bytes", path, MAX_LINE);
        line[len] = '\0';
        if (status == TH_OK && len && line[0] != '#')
            status = add_glob(list, line, err);
    }
    (void)fclose(file);
    return status;
}

th_status th_input_list_add(th_input_list *list, const char *argument, th_error *err)
{
    return argument[0] == '@' ? add_list(list, argument + 1, err)
                              : add_glob(list, argument, err);
}
