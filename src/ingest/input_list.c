/*
 * Expands arguments to paths. The order is the arguments' own. Within a folder or a
 * pattern it is the byte order of names, so a run on another machine reads in the same
 * order.
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

#include "base/array.h"
#include "base/file_name.h"
#include "base/order.h"
#include "base/stoppable_read.h"
#include "ingest/archive_place.h"
#include "ingest/list_lines.h"
#include "ingest/pointer_line.h"
#include "ingest/wacz.h"

enum { MAX_INPUTS = 10000000, MAX_FOLDER_DEPTH = 64 };

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
    if (th_is_stopped(list->stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (list->count == MAX_INPUTS)
        return th_fail(err, TH_USAGE, "more than %d inputs", MAX_INPUTS);
    if (!TH_ARENA_HAS_CAPACITY(list->arena, list->paths, list->count, list->capacity))
        return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
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
    bool is_wanted =
        !list->name_ends && (th_is_archive_name(name) || th_wacz_is_file(name));
    for (size_t i = 0; list->name_ends && list->name_ends[i]; i++)
        is_wanted |= th_file_name_ends(name, list->name_ends[i]);
    return is_wanted && name[0] != '.';
}

static th_status append_member(void *context, const char *name, th_error *err)
{
    return append(context, name, 0, err);
}

/* Adds a file, or the archives in it. A file that cannot be listed becomes an input that
 * cannot be opened, so the other inputs are read. */
static th_status append_file(th_input_list *list, const char *path, uint64_t size,
                             th_error *err)
{
    if (list->name_ends || !th_wacz_is_file(path))
        return append(list, path, size, err);
    const uint32_t before = list->count;
    const th_status status = th_wacz_list(path, list->remote, append_member, list, err);
    if (status == TH_IO && list->count == before)
        return append(list, path, size, err);
    list->total_bytes += size;
    return status;
}

/* Sorted names of the relevant files of a folder. Freed by unique_names. */
struct names {
    char **names;
    size_t count, capacity;
};

static void unique_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

static bool add_name(struct names *out, const char *name)
{
    if (!TH_HAS_CAPACITY(out->names, out->count, out->capacity))
        return false;
    out->names[out->count] = strdup(name);
    return out->names[out->count] && ++out->count;
}

static th_status read_folder(const char *path, const atomic_int *stop, struct names *out,
                             th_error *err)
{
    DIR *folder = opendir(path);
    if (!folder)
        return th_fail(err, TH_IO, "cannot read folder '%s': %s", path, strerror(errno));
    th_status status = TH_OK;
    const struct dirent *entry;
    while (status == TH_OK && (entry = readdir(folder))) {
        if (th_is_stopped(stop))
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
        if (entry->d_name[0] == '.' || status != TH_OK)
            continue;
        if (!add_name(out, entry->d_name))
            status = th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    }
    closedir(folder);
    if (out->count && status == TH_OK)
        qsort(out->names, out->count, sizeof *out->names, th_order_names);
    return status;
}

/* A walk that adds a folder to the list. */
struct walk {
    th_input_list *list;
    struct names *links; /* found in the walk; followed when the folder itself is read */
};

static void report(const th_input_list *list, const char *path, const char *words)
{
    char line[1024];
    if (!list->warn)
        return;
    (void)snprintf(line, sizeof line, "'%.800s' %s", path, words);
    list->warn(list->warn_context, line);
}

/* Appends a file that was found, unless the list has it under another name. */
static th_status append_found(th_input_list *list, const char *path,
                              const struct stat *facts, th_error *err)
{
    bool is_new = true;
    if (S_ISREG(facts->st_mode) &&
        th_file_set_add(&list->seen, list->arena, facts, &is_new) != TH_OK)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    if (is_new)
        return append_file(list, path, (uint64_t)facts->st_size, err);
    report(list, path, "skipped: this file is already an input");
    return TH_OK;
}

static th_status keep_link(const struct walk *walk, const char *path, th_error *err)
{
    return add_name(walk->links, path) ? TH_OK
                                       : th_fail(err, TH_NOMEM, "cannot list '%s'", path);
}

static th_status add_folder(const struct walk *walk, const char *path, int depth,
                            th_error *err);

// NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_FOLDER_DEPTH
static th_status add_entry(const struct walk *walk, const char *path, const char *name,
                           int depth, th_error *err)
{
    struct stat facts;
    if (lstat(path, &facts) != 0)
        facts = (struct stat){ 0 }; /* removed meanwhile: opening it reports the error */
    if (S_ISLNK(facts.st_mode))
        return keep_link(walk, path, err);
    if (S_ISDIR(facts.st_mode))
        return add_folder(walk, path, depth + 1, err);
    return is_wanted_name(walk->list, name) ? append_found(walk->list, path, &facts, err)
                                            : TH_OK;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_FOLDER_DEPTH
static th_status add_folder(const struct walk *walk, const char *path, int depth,
                            th_error *err)
{
    th_input_list *list = walk->list;
    struct stat facts;
    bool is_new = true;
    if (depth == MAX_FOLDER_DEPTH)
        return th_fail(err, TH_USAGE, "folder '%s' is deeper than %d levels", path,
                       MAX_FOLDER_DEPTH);
    if (stat(path, &facts) == 0 &&
        th_file_set_add(&list->seen, list->arena, &facts, &is_new) != TH_OK)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    if (!is_new) {
        report(list, path, "skipped: this folder is already an input");
        return TH_OK;
    }
    struct names names = { 0 };
    th_status status = read_folder(path, list->stop, &names, err);
    for (size_t i = 0; i < names.count && status == TH_OK; i++) {
        char *child = NULL;
        const char *slash = th_file_name_ends(path, "/") ? "" : "/";
        if (th_is_stopped(list->stop)) {
            status = th_fail(err, TH_INTERRUPTED, "interrupted");
            break;
        }
        if (asprintf(&child, "%s%s%s", path, slash, names.names[i]) < 0) {
            status = th_fail(err, TH_NOMEM, "cannot list '%s'", path);
            break;
        }
        status = add_entry(walk, child, names.names[i], depth, err);
        free(child);
    }
    unique_names(&names);
    return status;
}

/* Follows a link to a folder outside the folders read already, or to a file. */
static th_status follow(const struct walk *walk, const char *path, th_error *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        facts = (struct stat){ 0 }; /* a broken link: opening it reports the error */
    if (!S_ISDIR(facts.st_mode))
        return is_wanted_name(walk->list, th_last_name(path))
                   ? append_found(walk->list, path, &facts, err)
                   : TH_OK;
    const uint32_t before = walk->list->seen.count;
    const th_status status = add_folder(walk, path, 0, err);
    if (walk->list->seen.count > before)
        report(walk->list, path,
               "is a link to a folder outside of the input folder; it is read too");
    return status;
}

/* Adds the folder's own content first, so a file is listed under its own name. */
static th_status add_tree(th_input_list *list, const char *path, th_error *err)
{
    struct names links = { 0 };
    const struct walk walk = { .list = list, .links = &links };
    th_status status = add_folder(&walk, path, 0, err);
    for (size_t i = 0; i < links.count && status == TH_OK; i++)
        status = follow(&walk, links.names[i], err);
    unique_names(&links);
    return status;
}

static th_status add_path(th_input_list *list, const char *path, th_error *err)
{
    struct stat facts;
    if (strcmp(path, "-") == 0)
        return append(list, path, 0, err);
    if (stat(path, &facts) != 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s%s", path, strerror(errno),
                       th_archive_place_hint(path));
    if (S_ISDIR(facts.st_mode))
        return add_tree(list, path, err);
    bool is_new;
    if (S_ISREG(facts.st_mode) &&
        th_file_set_add(&list->seen, list->arena, &facts, &is_new) != TH_OK)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", path);
    return append_file(list, path, S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0,
                       err);
}

/* FILE.wacz!MEMBER: whether it has the member, opening will say. */
static th_status add_member(th_input_list *list, const char *name, size_t file_len,
                            th_error *err)
{
    struct stat facts;
    char *file = strndup(name, file_len);
    if (!file)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", name);
    const bool is_there = stat(file, &facts) == 0;
    const th_status status =
        is_there ? append(list, name, 0, err)
                 : th_fail(err, TH_IO, "cannot open '%s': %s", file, strerror(errno));
    free(file);
    return status;
}

static th_status add_glob(th_input_list *list, const char *pattern, th_error *err)
{
    struct stat facts;
    const size_t file_len = list->name_ends ? 0 : th_wacz_file_len(pattern);
    if (file_len)
        return add_member(list, pattern, file_len, err);
    /* A file may have a star in its name. Only names that do not exist are patterns. */
    if (!strpbrk(pattern, "*?[") || stat(pattern, &facts) == 0)
        return add_path(list, pattern, err);
    glob_t found;
    th_status status = TH_OK;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return th_fail(err, TH_IO, "nothing matches '%s'", pattern);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, th_order_names);
    for (size_t i = 0; i < found.gl_pathc && status == TH_OK; i++)
        status = add_path(list, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

/* ---- remote names ---- */

/* Objects below a prefix, before they are sorted. */
struct found_objects {
    const th_input_list *list;
    struct names names;
    uint64_t bytes;
};

static th_status keep_object(void *context, const char *name, uint64_t size,
                             th_error *err)
{
    struct found_objects *found = context;
    if (!is_wanted_name(found->list, th_last_name(name)))
        return TH_OK;
    if (found->names.count == MAX_INPUTS)
        return th_fail(err, TH_USAGE, "more than %d inputs", MAX_INPUTS);
    found->bytes += size;
    return add_name(&found->names, name) ? TH_OK
                                         : th_fail(err, TH_NOMEM, "out of memory");
}

static th_status add_prefix(th_input_list *list, const char *prefix, th_error *err)
{
    struct found_objects found = { .list = list };
    th_status status = th_remote_list(list->remote, prefix, keep_object, &found, err);
    if (status == TH_OK && found.names.count == 0)
        status = th_fail(err, TH_IO, "no archive found under '%s'", prefix);
    else if (status == TH_OK)
        qsort(found.names.names, found.names.count, sizeof *found.names.names,
              th_order_names);
    for (size_t i = 0; i < found.names.count && status == TH_OK; i++)
        if (!i || strcmp(found.names.names[i], found.names.names[i - 1]) != 0) /* again */
            status = append_file(list, found.names.names[i], 0, err);
    list->total_bytes += found.bytes;
    unique_names(&found.names);
    return status;
}

static th_status add_remote(th_input_list *list, const char *name, th_error *err)
{
    th_remote_parts parts;
    if (!list->takes_remote)
        return th_fail(err, TH_USAGE, "'%.200s': this command reads local files only",
                       name);
    if (!th_remote_library_version())
        return th_fail(err, TH_USAGE,
                       "cannot read '%.200s': this program was built without libcurl",
                       name);
    const th_status status = th_remote_name_parts(name, &parts, err);
    if (status != TH_OK)
        return status;
    return th_remote_is_prefix(name) ? add_prefix(list, name, err)
                                     : append_file(list, name, 0, err);
}

/* ---- single records ---- */

/* For a missing local archive its own words are better than "no such pattern". */
static th_status add_record(th_input_list *list, const char *name,
                            const th_archive_place *place, th_error *err)
{
    struct stat facts;
    if (!list->takes_records)
        return th_fail(
            err, TH_USAGE,
            "'%.200s': this command cannot read single records, only whole archives",
            name);
    if (th_remote_is_name(name)) {
        const uint32_t before = list->count;
        const th_status status = add_remote(list, name, err);
        if (status == TH_OK && list->count > before)
            list->total_bytes += place->length;
        return status;
    }
    char *path = strndup(name, th_archive_file_len(name));
    if (!path)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", name);
    const bool is_there = stat(path, &facts) == 0;
    const th_status status =
        is_there ? append(list, name, place->length, err)
                 : th_fail(err, TH_IO, "cannot open '%s': %s", path, strerror(errno));
    free(path);
    return status;
}

static th_status add_name_or_pattern(th_input_list *list, const char *text, th_error *err)
{
    th_archive_place place;
    return th_archive_place_read(text, &place) ? add_record(list, text, &place, err)
           : th_remote_is_name(text)           ? add_remote(list, text, err)
                                               : add_glob(list, text, err);
}

/* ---- lists ---- */

/* Adds a line of a list. A relative name is appended to the base. */
static th_status add_line(th_input_list *list, const char *line, th_error *err)
{
    char *name = NULL;
    if (!list->base || !*list->base || line[0] == '/' || th_remote_is_name(line))
        return add_name_or_pattern(list, line, err);
    const char *slash = th_file_name_ends(list->base, "/") ? "" : "/";
    if (asprintf(&name, "%s%s%s", list->base, slash, line) < 0)
        return th_fail(err, TH_NOMEM, "cannot list '%s'", line);
    const th_status status = add_name_or_pattern(list, name, err);
    free(name);
    return status;
}

/* Adds a line of a list, which may be a line of an index. */
static th_status add_list_line(th_input_list *list, const char *path, uint64_t number,
                               const char *line, th_pointer_columns *columns,
                               th_arena *arena, th_error *err)
{
    const char *name = NULL;
    bool is_pointer = false;
    th_error why = { .text = "" };
    th_arena_reset(arena);
    const th_status status =
        th_pointer_line_read(line, columns, arena, &name, &is_pointer, &why);
    if (status != TH_OK)
        return th_fail(err, status, "'%.200s': line %llu: %s", path,
                       (unsigned long long)number, why.text);
    if (is_pointer && !name)
        return TH_OK; /* the head of a table */
    return add_line(list, is_pointer ? name : line, err);
}

static th_status add_list(th_input_list *list, const char *path, th_error *err)
{
    th_list_lines *lines = NULL;
    th_pointer_columns columns = { .rows = TH_ROWS_NONE };
    const char *line = NULL;
    uint64_t number = 0;
    if (th_remote_is_name(path) && !list->takes_remote)
        return add_remote(list, path, err);
    th_arena *arena = th_arena_new(0);
    th_status status =
        arena ? th_list_lines_open(path, list->remote, list->stop, &lines, err)
              : th_fail(err, TH_NOMEM, "cannot read list '%s'", path);
    while (status == TH_OK && (status = th_list_lines_next(lines, &line, err)) == TH_OK) {
        number++;
        if (*line && *line != '#')
            status = add_list_line(list, path, number, line, &columns, arena, err);
    }
    th_list_lines_close(lines);
    th_arena_free(arena);
    return status == TH_END ? TH_OK : status;
}

th_status th_input_list_add(th_input_list *list, const char *argument, th_error *err)
{
    return argument[0] == '@' ? add_list(list, argument + 1, err)
                              : add_name_or_pattern(list, argument, err);
}
