/* Remote objects of a program built without libcurl: each is refused, so the other
 * functions have nothing to do. */
#include "remote/credentials.h"
#include "remote/remote.h"
#include "remote/remote_upload.h"

const char *const th_path_style_names[] = { "auto", "on", "off", NULL };
const char *const th_credentials_names[] = { "auto",    "env",       "web-identity",
                                             "profile", "container", "instance",
                                             "none",    NULL };

th_status th_remote_new(const th_remote_options *options, th_remote **out, th_error *err)
{
    (void)options;
    (void)err;
    *out = NULL;
    return TH_OK;
}

void th_remote_free(th_remote *remote)
{
    (void)remote;
}

th_status th_remote_open(th_remote *remote, const char *name, warc_input *input,
                         th_remote_object **out, th_error *err)
{
    (void)remote;
    (void)input;
    (void)out;
    return th_fail(err, TH_USAGE,
                   "cannot read '%.200s': this program was built without libcurl", name);
}

th_status th_remote_fetch(th_remote *remote, const char *name, size_t max, th_buffer *out,
                          th_error *err)
{
    (void)remote;
    (void)max;
    (void)out;
    return th_fail(err, TH_USAGE,
                   "cannot read '%.200s': this program was built without libcurl", name);
}

uint64_t th_remote_object_version(const th_remote_object *object)
{
    (void)object;
    return 0;
}

void th_remote_object_expect(th_remote_object *object, uint64_t version)
{
    (void)object;
    (void)version;
}

void th_remote_object_slice(th_remote_object *object, uint64_t start, uint64_t end)
{
    (void)object;
    (void)start;
    (void)end;
}

th_status th_remote_object_failure(const th_remote_object *object, th_error *err)
{
    (void)object;
    (void)err;
    return TH_OK;
}

void th_remote_object_parts_only(th_remote_object *object)
{
    (void)object;
}

th_status th_remote_object_size(th_remote_object *object, uint64_t *size, th_error *err)
{
    (void)object;
    (void)size;
    return th_fail(err, TH_USAGE, "this program was built without libcurl");
}

uint32_t th_remote_object_retry_after(const th_remote_object *object)
{
    (void)object;
    return 0;
}

th_status th_remote_list(th_remote *remote, const char *prefix, th_remote_found found,
                         void *context, th_error *err)
{
    (void)remote;
    (void)found;
    (void)context;
    return th_fail(err, TH_USAGE,
                   "cannot list '%.200s': this program was built without libcurl",
                   prefix);
}

th_status th_remote_upload(th_remote *remote, const char *path, const char *name,
                           th_error *err)
{
    (void)remote;
    (void)path;
    return th_fail(err, TH_USAGE,
                   "cannot write '%.200s': this program was built without libcurl", name);
}

const char *th_remote_library_version(void)
{
    return NULL;
}
