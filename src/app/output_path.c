/* Names outputs after their inputs. See the header. */
#include "app/output_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file_name.h"
#include "ingest/wacz.h"
#include "remote/remote_name.h"

/*
 * Limit of a name, below the 255 bytes of a file's name, because ".part" and ".state"
 * follow it.
 */
enum { NAME_MAX_BYTES = 240 };

bool th_output_is_folder(const char *output)
{
    const size_t len = strlen(output);
    return len && output[len - 1] == '/';
}

/* How much of its input a name says. */
enum { LEVEL_STEM, LEVEL_WHOLE_NAME, LEVEL_HASH };

/* A name without folder, and without what marks it as an archive. */
static th_view stem(const char *path, bool keeps_end)
{
    static const char *const ends[] = { ".gz", ".zst", ".warc", ".arc" };
    th_view name = { th_last_name(path), 0 };
    name.len = strlen(name.data);
    if (th_remote_name_shown(path) < strlen(path)) { /* a query is not part of a name */
        const size_t shown = th_remote_name_shown(path);
        const char *last = memrchr(path, '/', shown);
        name = (th_view){ last + 1, (size_t)(path + shown - last - 1) };
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !keeps_end; i++) {
        const size_t len = strlen(ends[i]);
        if (name.len > len && memcmp(name.data + name.len - len, ends[i], len) == 0)
            name.len -= len;
    }
    return name;
}

/*
 * Returns the prefix of a WACZ file's members, whose names may be the same in many files.
 * The prefix is the file's name without folder and ".wacz", with "-" after it. Empty for
 * other inputs.
 */
static th_view wacz_stem(const char *path)
{
    static const char end[] = ".wacz";
    const size_t len = th_wacz_file_len(path);
    const char *slash = len ? memrchr(path, '/', len) : NULL;
    const char *name = slash ? slash + 1 : path;
    return len ? (th_view){ name, (size_t)(path + len - name) - (sizeof end - 1) }
               : (th_view){ "", 0 };
}

/* At most `max` bytes, and no part of a character. */
static int cut(th_view name, size_t max)
{
    size_t len = name.len < max ? name.len : max;
    while (len < name.len && len > 0 && ((unsigned char)name.data[len] & 0xC0) == 0x80)
        len--;
    return (int)len;
}

static char *output_path(const th_output_names *names, const char *input, int level)
{
    char *path = NULL, hash[16] = "";
    const char *shown = strcmp(input, "-") == 0 ? "stdin" : input;
    const th_view name = stem(shown, level >= LEVEL_WHOLE_NAME);
    const th_view wacz = wacz_stem(input);
    const th_format *format = names->format;
    const char *suffix = format->twin_suffix ? format->twin_suffix : format->suffix;
    const char *packed = th_compression_suffix(names->compression);
    const size_t capacity =
        NAME_MAX_BYTES - sizeof hash - strlen(suffix) - strlen(packed) - 2;
    const int wacz_len = cut(wacz, capacity / 2);
    const int len = cut(name, capacity - (size_t)wacz_len);
    if (level == LEVEL_HASH || (size_t)len < name.len || (size_t)wacz_len < wacz.len)
        snprintf(hash, sizeof hash, "-%08x",
                 (unsigned)(XXH3_64bits(input, strlen(input)) >> 32));
    if (asprintf(&path, "%s%.*s%s%.*s%s.%s%s", names->folder, wacz_len, wacz.data,
                 wacz.len ? "-" : "", len, name.data, hash, suffix, packed) < 0)
        return NULL;
    for (char *at = path + strlen(names->folder); *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '_';
    return path;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(**(char **const *)a, **(char **const *)b);
}

/* Renames, at this level, outputs that share a name. *is_shared: some did. */
static th_status name_apart(const th_output_names *names, const th_input_list *inputs,
                            int level, char **paths, char ***sorted, bool *is_shared)
{
    const uint32_t count = inputs->count;
    th_status status = TH_OK;
    *is_shared = false;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &paths[i];
    qsort(sorted, count, sizeof *sorted, by_text);
    for (uint32_t from = 0, to; from < count && status == TH_OK; from = to) {
        for (to = from + 1; to < count && strcmp(*sorted[from], *sorted[to]) == 0;)
            to++;
        for (uint32_t i = from; i < to && to - from > 1 && status == TH_OK; i++) {
            char *path = output_path(names, inputs->paths[sorted[i] - paths], level);
            *is_shared = true;
            status = path ? TH_OK : TH_NOMEM;
            if (path) {
                free(*sorted[i]);
                *sorted[i] = path;
            }
        }
    }
    return status;
}

static th_status refuse_twice(const th_input_list *inputs, char *const *paths,
                              char **const *sorted, th_error *err)
{
    for (uint32_t i = 1; i < inputs->count; i++)
        if (strcmp(*sorted[i - 1], *sorted[i]) == 0)
            return th_fail(err, TH_USAGE,
                           "input '%.200s' occurs twice; both outputs would be '%s'",
                           inputs->paths[sorted[i] - paths], *sorted[i]);
    return TH_OK;
}

th_status th_output_paths_make(const th_output_names *names, const th_input_list *inputs,
                               char ***out, th_error *err)
{
    const uint32_t count = inputs->count;
    char **paths = calloc(count + 1, sizeof *paths);
    char ***sorted = calloc(count + 1, sizeof *sorted);
    th_status status = paths && sorted ? TH_OK : TH_NOMEM;
    for (uint32_t i = 0; status == TH_OK && i < count; i++)
        if (!(paths[i] = output_path(names, inputs->paths[i], LEVEL_STEM)))
            status = TH_NOMEM;
    bool is_shared = true;
    for (int level = LEVEL_WHOLE_NAME;
         level <= LEVEL_HASH && status == TH_OK && is_shared; level++)
        status = name_apart(names, inputs, level, paths, sorted, &is_shared);
    if (status == TH_OK && is_shared) {
        qsort(sorted, count, sizeof *sorted, by_text);
        status = refuse_twice(inputs, paths, sorted, err);
    }
    if (status == TH_NOMEM)
        (void)th_fail(err, TH_NOMEM, "out of memory for the names of the outputs");
    free(sorted);
    if (status != TH_OK) {
        th_output_paths_free(paths, count);
        paths = NULL;
    }
    *out = paths;
    return status;
}

void th_output_paths_free(char **paths, uint32_t count)
{
    for (uint32_t i = 0; paths && i < count; i++)
        free(paths[i]);
    free(paths);
}
