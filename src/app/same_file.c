/* Which files a command would both read and write. See the header. */
#include "app/same_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_sink.h"
#include "ingest/archive_place.h"

struct th_file_use {
    dev_t device;
    ino_t inode;      /* of the file, or of the folder in which it will be */
    const char *name; /* in that folder; "" for a file that exists */
    const char *path; /* as it was given */
    const char *role; /* NULL for an input */
    uint32_t order;   /* in which it was noted */
};

/* ---- which file a path is ---- */

/* A file that will be made is known by its folder. */
static th_status place_new_file(th_file_uses *uses, struct th_file_use *use,
                                bool *is_known)
{
    struct stat facts = { 0 };
    const char *slash = strrchr(use->path, '/');
    const size_t len = slash ? (size_t)(slash - use->path) + 1 : 0; /* "/" of "/x" */
    char *folder = th_arena_calloc(uses->arena, len + 2, 1);
    if (!folder)
        return TH_NOMEM;
    memcpy(folder, len ? use->path : ".", len ? len : 1);
    *is_known = stat(folder, &facts) == 0;
    use->device = facts.st_dev;
    use->inode = facts.st_ino;
    use->name = use->path + len;
    return TH_OK;
}

/* @param is_known  out: false if no file can be lost */
static th_status place(th_file_uses *uses, struct th_file_use *use, bool *is_known)
{
    struct stat facts;
    int found = -1;
    errno = 0;
    if (strcmp(use->path, "-") == 0)
        found = fstat(use->role ? STDOUT_FILENO : STDIN_FILENO, &facts);
    else
        found = stat(use->path, &facts);
    if (found == 0) {
        *is_known = S_ISREG(facts.st_mode);
        use->device = facts.st_dev;
        use->inode = facts.st_ino;
        use->name = "";
        return TH_OK;
    }
    *is_known = false;
    return use->role && errno == ENOENT ? place_new_file(uses, use, is_known) : TH_OK;
}

/* ---- gathering ---- */

static th_status reserve(th_file_uses *uses)
{
    if (!uses->arena)
        uses->arena = th_arena_new(0);
    if (!uses->arena)
        return TH_NOMEM;
    if (!TH_ARENA_HAS_CAPACITY(uses->arena, uses->items, uses->count, uses->capacity))
        return TH_NOMEM;
    return TH_OK;
}

static th_status add(th_file_uses *uses, const char *role, const char *path,
                     const char *suffix, th_error *err)
{
    const size_t size = strlen(path) + strlen(suffix) + 1;
    bool is_known = false;
    th_status status = reserve(uses);
    char *full = status == TH_OK ? th_arena_alloc(uses->arena, size) : NULL;
    if (!full)
        return th_fail(err, TH_NOMEM, "out of memory for the file '%.200s'", path);
    (void)snprintf(full, size, "%s%s", path, suffix);
    struct th_file_use *use = &uses->items[uses->count];
    *use = (struct th_file_use){ .role = role, .path = full, .order = uses->count };
    status = place(uses, use, &is_known);
    uses->count += is_known;
    return status == TH_OK
               ? status
               : th_fail(err, status, "out of memory for the file '%.200s'", path);
}

th_status th_file_uses_input(th_file_uses *uses, const char *path, th_error *err)
{
    char *file = strndup(path, th_archive_file_len(path));
    const th_status status = file ? add(uses, NULL, file, "", err)
                                  : th_fail(err, TH_NOMEM, "cannot note '%.200s'", path);
    free(file);
    return status;
}

th_status th_file_uses_inputs(th_file_uses *uses, const th_input_list *inputs, int count,
                              char *const *arguments, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < inputs->count && status == TH_OK; i++)
        status = th_file_uses_input(uses, inputs->paths[i], err);
    for (int i = 0; i < count && status == TH_OK; i++)
        if (arguments[i][0] == '@')
            status = th_file_uses_input(uses, arguments[i] + 1, err);
    return status;
}

th_status th_file_uses_output(th_file_uses *uses, const char *role, const char *path,
                              th_error *err)
{
    const bool is_stdout = strcmp(path, "-") == 0;
    if (!*path)
        return TH_OK;
    if (is_stdout && uses->stdout_role)
        return th_fail(err, TH_USAGE, "%s and %s cannot both go to stdout",
                       uses->stdout_role, role);
    if (is_stdout)
        uses->stdout_role = role;
    th_status status = add(uses, role, path, "", err);
    if (status == TH_OK && !th_file_sink_is_stream(path))
        status = add(uses, role, path, TH_PART_SUFFIX, err);
    return status;
}

/* ---- the rule ---- */

static int by_place(const struct th_file_use *a, const struct th_file_use *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sorts uses of the same file together, writes first. */
static int by_use(const void *left, const void *right)
{
    const struct th_file_use *a = left, *b = right;
    const int order = by_place(a, b);
    if (order)
        return order;
    if (!a->role != !b->role)
        return a->role ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static th_status refuse(const struct th_file_use *written,
                        const struct th_file_use *other, th_error *err)
{
    const bool has_same_name = strcmp(written->path, other->path) == 0;
    if (other->role)
        return th_fail(err, TH_USAGE, "%s '%.150s' and %s '%.150s' are the same file",
                       written->role, written->path, other->role, other->path);
    if (has_same_name)
        return th_fail(err, TH_USAGE, "%s '%.200s' is also an input", written->role,
                       written->path);
    return th_fail(err, TH_USAGE, "%s '%.150s' is also an input, as '%.150s'",
                   written->role, written->path, other->path);
}

/* Reports the pair that was noted first, because inode numbers differ by machine. */
th_status th_file_uses_check(th_file_uses *uses, th_error *err)
{
    if (uses->count)
        qsort(uses->items, uses->count, sizeof *uses->items, by_use);
    const struct th_file_use *written = NULL, *other = NULL;
    for (uint32_t i = 1; i < uses->count; i++) {
        const struct th_file_use *use = &uses->items[i];
        if (!use[-1].role || by_place(use - 1, use) != 0)
            continue;
        if (!written || use[-1].order < written->order) {
            written = use - 1;
            other = use;
        }
    }
    return written ? refuse(written, other, err) : TH_OK;
}

void th_file_uses_done(th_file_uses *uses)
{
    th_arena_free(uses->arena);
    *uses = (th_file_uses){ 0 };
}
