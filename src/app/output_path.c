/* Names of outputs, by those of their inputs. See the header. */
#include "app/output_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/wacz.h"
#include "remote/remote_name.h"

/* A name without folder and without what marks it as an archive. */
static th_view stem(const char *path)
{
    static const char *const ends[] = { ".gz", ".zst", ".warc", ".arc" };
    const char *slash = strrchr(path, '/');
    th_view name = { slash ? slash + 1 : path, 0 };
    name.len = strlen(name.data);
    if (th_remote_name_shown(path) < strlen(path)) { /* a query is no part of a name */
        const size_t shown = th_remote_name_shown(path);
        const char *last = memrchr(path, '/', shown);
        name = (th_view){ last + 1, (size_t)(path + shown - last - 1) };
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t len = strlen(ends[i]);
        if (name.len > len && memcmp(name.data + name.len - len, ends[i], len) == 0)
            name.len -= len;
    }
    return name;
}

/* The name of a WACZ file stands in front of those of its members, which may be the same in
 * many: without folder and ".wacz", with "-" behind it. Empty for other inputs. */
static th_view wacz_stem(const char *path)
{
    static const char end[] = ".wacz";
    const size_t len = th_wacz_file_len(path);
    const char *slash = len ? memrchr(path, '/', len) : NULL;
    const char *name = slash ? slash + 1 : path;
    return len ? (th_view){ name, (size_t)(path + len - name) - (sizeof end - 1) }
               : (th_view){ "", 0 };
}

char *th_output_path(const th_output_names *names, const char *input)
{
    char *path = NULL;
    const th_view name = stem(strcmp(input, "-") == 0 ? "stdin" : input);
    const th_view wacz = wacz_stem(input);
    const th_format *format = names->format;
    if (asprintf(&path, "%s%.*s%s%.*s.%s%s", names->folder, (int)wacz.len, wacz.data,
                 wacz.len ? "-" : "", (int)name.len, name.data,
                 format->twin_suffix ? format->twin_suffix : format->suffix,
                 th_compression_suffix(names->compression)) < 0)
        return NULL;
    return path;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Said before anything is read. */
th_status th_output_paths_check(const th_output_names *names, const th_input_list *inputs,
                                th_error *err)
{
    const uint32_t count = inputs->count;
    th_status status = TH_OK;
    char **paths = calloc(count, sizeof *paths);
    for (uint32_t i = 0; i < count && paths && status == TH_OK; i++)
        if (!(paths[i] = th_output_path(names, inputs->paths[i])))
            status = TH_NOMEM;
    if (!paths || status != TH_OK) {
        status = th_fail(err, TH_NOMEM, "cannot name the outputs");
        goto done;
    }
    qsort(paths, count, sizeof *paths, by_text);
    for (uint32_t i = 1; i < count && status == TH_OK; i++)
        if (strcmp(paths[i - 1], paths[i]) == 0)
            status = th_fail(err, TH_USAGE, "two inputs would both be written to '%s'",
                             paths[i]);
done:
    for (uint32_t i = 0; i < count && paths; i++)
        free(paths[i]);
    free(paths);
    return status;
}
