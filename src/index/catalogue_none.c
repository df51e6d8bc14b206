/* The catalogue of a program built without liblmdb: to open one is refused, so the other
 * functions have nothing to do. */
#include "index/catalogue.h"

const char *th_catalogue_library_version(void)
{
    return NULL;
}

th_status th_catalogue_open(const char *path, th_catalogue **out, th_error *err)
{
    (void)out;
    return th_fail(err, TH_USAGE,
                   "cannot make the catalogue '%s': this program was built without "
                   "liblmdb",
                   path);
}

void th_catalogue_close(th_catalogue *catalogue)
{
    (void)catalogue;
}

th_status th_catalogue_add(th_catalogue *catalogue, uint32_t segment,
                           const th_catalogue_row *row)
{
    (void)catalogue;
    (void)segment;
    (void)row;
    return TH_OK;
}

void th_catalogue_rewind(th_catalogue *catalogue)
{
    (void)catalogue;
}

th_status th_catalogue_commit(th_catalogue *catalogue, uint32_t first, th_error *err)
{
    (void)catalogue;
    (void)first;
    (void)err;
    return TH_OK;
}

th_status th_catalogue_drop(th_catalogue *catalogue, uint32_t segment, th_error *err)
{
    (void)catalogue;
    (void)segment;
    (void)err;
    return TH_OK;
}

th_status th_catalogue_find(th_catalogue *catalogue, uint32_t first, uint32_t last,
                            th_view id, th_buffer *value, th_error *err)
{
    (void)catalogue;
    (void)first;
    (void)last;
    (void)id;
    (void)value;
    (void)err;
    return TH_ABSENT;
}
