/* WACZ files in a program built without libzip: each is refused. */
#include "ingest/wacz.h"

static th_status refuse(const char *name, th_error *err)
{
    return th_fail(err, TH_IO,
                   "cannot read '%.200s': this program was built without libzip", name);
}

th_status th_wacz_list(const char *path, th_remote *remote, th_wacz_found found,
                       void *context, th_error *err)
{
    (void)remote;
    (void)found;
    (void)context;
    return refuse(path, err);
}

th_status th_wacz_open(const char *name, th_remote *remote, warc_input *input,
                       th_wacz_member **out, th_error *err)
{
    (void)remote;
    (void)input;
    (void)out;
    return refuse(name, err);
}

th_remote_object *th_wacz_object(const th_wacz_member *member)
{
    (void)member;
    return NULL;
}

th_status th_wacz_failure(const th_wacz_member *member, th_error *err)
{
    (void)member;
    (void)err;
    return TH_OK;
}

const char *th_wacz_library_version(void)
{
    return NULL;
}
