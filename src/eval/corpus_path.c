/* Finds the files of a corpus. */
#include "eval/corpus_path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena_failure.h"

/* The first `len` bytes of a text. */
static const char *copy(th_arena *arena, const char *text, size_t len)
{
    char *out = th_arena_calloc(arena, len + 1, 1);
    for (size_t i = 0; out && i < len; i++)
        out[i] = text[i];
    return out;
}

const char *th_corpus_path_join(const char *folder, const char *name, th_arena *arena)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *out = th_arena_alloc(arena, size);
    if (out)
        (void)snprintf(out, size, "%s/%s", folder, name);
    return out;
}

uint64_t th_file_len(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
}

/* Length without slashes at the end. */
static size_t bare_len(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len;
}

/* Start of the last part of a path of that length. */
static size_t last_part(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len;
}

enum { GZIP_SUFFIX_LEN = sizeof ".gz" - 1 };

/* Returns the path of the file, or of its uncompressed twin if only that exists. */
static const char *file_in(const char *folder, const char *file, th_arena *arena)
{
    const char *path = th_corpus_path_join(folder, file, arena);
    const char *plain = path ? copy(arena, path, strlen(path) - GZIP_SUFFIX_LEN) : NULL;
    const bool has_plain_only =
        plain && access(path, R_OK) != 0 && access(plain, R_OK) == 0;
    return has_plain_only ? plain : path;
}

th_status th_corpus_path_find(const char *input, const char *file, th_arena *arena,
                              th_corpus_path *out, th_error *err)
{
    struct stat facts;
    if (stat(input, &facts) != 0)
        return th_fail(err, TH_IO, "cannot open corpus '%s': %s", input, strerror(errno));
    const bool is_folder = S_ISDIR(facts.st_mode);
    size_t len = bare_len(input);
    if (!is_folder) /* then the folder is the part before its name */
        len = last_part(input, len);
    while (len > 1 && input[len - 1] == '/')
        len--;
    th_corpus_path found = { .folder = len ? copy(arena, input, len) : "." };
    if (!found.folder)
        return TH_NOMEM;
    found.file = is_folder ? file_in(found.folder, file, arena)
                           : copy(arena, input, strlen(input));
    const char *base = input + last_part(input, bare_len(input));
    const bool has_usual_name =
        is_folder || strncmp(base, file, strlen(file) - GZIP_SUFFIX_LEN) == 0;
    const char *named = has_usual_name && len ? found.folder : base;
    named += last_part(named, bare_len(named));
    found.name = copy(arena, named, strlen(named));
    if (!found.file || !found.name || th_arena_has_failed(arena))
        return TH_NOMEM;
    if (access(found.file, R_OK) != 0)
        return th_fail(err, TH_USAGE, "'%s' is not a corpus: '%s' is missing", input,
                       found.file);
    *out = found;
    return TH_OK;
}
