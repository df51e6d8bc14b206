/* Which inputs are this process's, and which are done. See the header. */
#include "app/shard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARES_MAX = 1000000 };

/* Digits alone; false: no number up to the most. */
static bool read_number(const char *text, size_t len, uint32_t *out)
{
    uint64_t value = 0;
    if (len == 0 || len > 9)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_env(const char *name, uint32_t *out)
{
    const char *text = getenv(name);
    return text && read_number(text, strlen(text), out);
}

/* An array may begin anywhere, and have steps. */
static bool read_slurm(th_shard *out)
{
    uint32_t min = 0, step = 1;
    if (!read_env("SLURM_ARRAY_TASK_ID", &out->index))
        return false;
    (void)read_env("SLURM_ARRAY_TASK_MIN", &min);
    (void)read_env("SLURM_ARRAY_TASK_STEP", &step);
    if (out->index < min || step == 0)
        return false;
    out->index = (out->index - min) / step;
    (void)read_env("SLURM_ARRAY_TASK_COUNT", &out->count);
    return true;
}

static bool read_scheduler(th_shard *out)
{
    if (read_slurm(out))
        return true;
    if (read_env("AWS_BATCH_JOB_ARRAY_INDEX", &out->index)) {
        (void)read_env("AWS_BATCH_JOB_ARRAY_SIZE", &out->count);
        return true;
    }
    return read_env("JOB_COMPLETION_INDEX", &out->index);
}

th_status th_shard_read(const char *what, const char *text, th_shard *out, th_error *err)
{
    th_shard shard = { 0, 0 };
    const size_t len = strcspn(text, "/");
    const bool is_auto = len == 4 && memcmp(text, "auto", 4) == 0;
    if (is_auto && !read_scheduler(&shard))
        return th_fail(err, TH_USAGE,
                       "%s: the environment has no SLURM_ARRAY_TASK_ID, "
                       "AWS_BATCH_JOB_ARRAY_INDEX or JOB_COMPLETION_INDEX",
                       what);
    if ((!is_auto && !read_number(text, len, &shard.index)) ||
        (text[len] && !read_number(text + len + 1, strlen(text + len + 1), &shard.count)))
        return th_fail(err, TH_USAGE, "%s is '%.80s' (expected I/N, auto or auto/N)",
                       what, text);
    if (!text[len] && shard.count == 0)
        return th_fail(err, TH_USAGE,
                       "%s: the number of shards is unknown; write '%.80s/N'", what,
                       text);
    if (shard.count > SHARES_MAX || shard.index >= shard.count)
        return th_fail(
            err, TH_USAGE,
            "%s %u/%u is out of range (expected I from 0 to N - 1, and N at most %d)",
            what, shard.index, shard.count, (int)SHARES_MAX);
    *out = shard;
    return TH_OK;
}

th_status th_done_find(const char *output, const th_job_identity *now, th_state *then,
                       th_error *err)
{
    char *path = NULL;
    bool found = false;
    if (asprintf(&path, "%s" TH_DONE_SUFFIX, output) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = th_state_load(then, path, &found, err);
    if (status == TH_OK && !found)
        status = TH_ABSENT;
    else if (status == TH_OK &&
             (then->job.options != now->options || then->job.names != now->names))
        status =
            th_fail(err, TH_USAGE,
                    "'%.250s' is the marker of a run with %s. Use another folder, or "
                    "remove that output and its marker",
                    path,
                    then->job.options != now->options ? "other options"
                                                      : "an input with another name");
    free(path);
    return status;
}

/* The folder's entry is durable too. */
static void sync_folder(const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

th_status th_done_mark(const char *output, th_error *err)
{
    char *from = NULL, *to = NULL;
    th_status status = TH_OK;
    if (asprintf(&from, "%s.state", output) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    if (asprintf(&to, "%s" TH_DONE_SUFFIX, output) < 0)
        status = th_fail(err, TH_NOMEM, "out of memory");
    else if (rename(from, to) != 0)
        status =
            th_fail(err, TH_IO, "cannot create the marker '%s': %s", to, strerror(errno));
    else
        sync_folder(output);
    free(from);
    free(to);
    return status;
}
