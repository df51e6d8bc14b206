/* Outputs in a store. See the header. */
#include "app/remote_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "app/manifest.h"
#include "app/say.h"
#include "app/shard.h"
#include "base/file_name.h"
#include "base/file_sink.h"
#include "remote/remote_upload.h"

enum { MARKER_MAX = 1 << 20 };

/* Others could put files in our way in a folder that is theirs. */
static th_status make_folder(const char *folder, th_error *err)
{
    struct stat facts;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot create folder '%s': %s", folder,
                       strerror(errno));
    if (stat(folder, &facts) != 0)
        return th_fail(err, TH_IO, "cannot read folder '%s': %s", folder,
                       strerror(errno));
    if (!S_ISDIR(facts.st_mode) || facts.st_uid != geteuid())
        return th_fail(
            err, TH_USAGE,
            "'%s' is not a folder of this user; set another folder with --remote.staging",
            folder);
    return TH_OK;
}

th_status th_remote_output_open(const th_settings *settings, th_remote *remote,
                                th_remote_output *out, th_error *err)
{
    th_remote_parts parts;
    const char *staging = settings->remote.staging, *temp = getenv("TMPDIR");
    if (!th_remote_is_name(settings->output))
        return TH_OK;
    if (strncmp(settings->output, "s3://", 5) != 0)
        return th_fail(err, TH_USAGE,
                       "output '%.200s': writing to a web server is not supported "
                       "(expected s3:// or a file)",
                       settings->output);
    if (!th_remote_library_version())
        return th_fail(err, TH_USAGE,
                       "output '%.200s': this program was built without libcurl",
                       settings->output);
    th_status status = th_remote_name_parts(settings->output, &parts, err);
    if (status == TH_OK && !parts.key.len &&
        settings->output[strlen(settings->output) - 1] != '/')
        status = th_fail(
            err, TH_USAGE,
            "output '%.200s' has no key (expected s3://BUCKET/KEY or s3://BUCKET/)",
            settings->output);
    if (status != TH_OK)
        return status;
    out->remote = remote;
    if ((*staging ? asprintf(&out->folder, "%s", staging)
                  : asprintf(&out->folder, "%s/thresher-%ld",
                             temp && *temp ? temp : "/tmp", (long)geteuid())) < 0) {
        out->folder = NULL;
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    return make_folder(out->folder, err);
}

void th_remote_output_done(th_remote_output *output)
{
    free(output->folder);
    output->folder = NULL;
}

/* Names of keys may be longer than names of files. The end counts, for its suffix. */
char *th_remote_output_path(const th_remote_output *output, const char *name)
{
    enum { SHOWN = 120 };
    char *path = NULL;
    const char *shown = th_last_name(name);
    if (strlen(shown) > SHOWN)
        shown += strlen(shown) - SHOWN;
    return asprintf(&path, "%s/%016llx-%s", output->folder,
                    (unsigned long long)XXH3_64bits(name, strlen(name)), shown) < 0
               ? NULL
               : path;
}

th_status th_remote_output_check(const char *name, const th_input_list *inputs,
                                 th_error *err)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        if (strcmp(inputs->paths[i], name) == 0)
            return th_fail(err, TH_USAGE, "'%.200s' is both input and output", name);
    return TH_OK;
}

/* ---- markers ---- */

/* "x.done" of "x". NULL: no memory. */
static char *with_suffix(const char *name, const char *suffix)
{
    char *out = NULL;
    return asprintf(&out, "%s%s", name, suffix) < 0 ? NULL : out;
}

th_status th_remote_output_find(const th_remote_output *output, const char *name,
                                const char *path, th_error *err)
{
    char *from = with_suffix(name, TH_DONE_SUFFIX),
         *to = with_suffix(path, TH_DONE_SUFFIX);
    th_buffer marker = { 0 };
    th_status status =
        from && to ? th_remote_fetch(output->remote, from, MARKER_MAX, &marker, err)
                   : th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = th_file_replace(to, th_buffer_view(&marker), err);
    else if (status == TH_ABSENT && to && (unlink(to) == 0 || errno == ENOENT))
        status = TH_OK;
    th_buffer_done(&marker);
    free(from);
    free(to);
    return status;
}

/* ---- sending ---- */

/* Removes a local file that is in the store now. */
static bool drop(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    th_say("'%s' is uploaded, but cannot be removed here: %s", path, strerror(errno));
    return false;
}

th_status th_remote_output_send(const th_remote_output *output, const char *name,
                                const char *path, bool has_marker, th_error *err)
{
    char *state = with_suffix(path, ".state");
    char *marker = with_suffix(name, TH_DONE_SUFFIX);
    char *manifest = with_suffix(path, TH_MANIFEST_SUFFIX);
    char *manifest_name = with_suffix(name, TH_MANIFEST_SUFFIX);
    th_status status = state && marker && manifest && manifest_name
                           ? TH_OK
                           : th_fail(err, TH_NOMEM, "out of memory");
    if (status == TH_OK)
        status = th_remote_upload(output->remote, path, name, err);
    if (status == TH_OK && manifest && access(manifest, F_OK) == 0)
        status = th_remote_upload(output->remote, manifest, manifest_name, err);
    if (status == TH_OK && has_marker)
        status = th_remote_upload(output->remote, state, marker, err);
    /* The state first: a state without its output would be an error. */
    if (status == TH_OK && state && manifest && drop(state) && drop(path))
        (void)drop(manifest);
    free(manifest);
    free(manifest_name);
    free(state);
    free(marker);
    return status;
}
