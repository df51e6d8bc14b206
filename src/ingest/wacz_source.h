/* A remote object as libzip reads a file: by ranges, with a block held. */
#ifndef TH_WACZ_SOURCE_H
#define TH_WACZ_SOURCE_H

#include <zip.h>

#include "remote/remote.h"

typedef struct th_wacz_source th_wacz_source;

/**
 * Requests the object's size. Later reads return bytes of the same version of the object.
 * @param path  a remote name; copied
 * @return TH_OK. TH_IO, also if the server does not support Range. TH_NOT_YET after all
 * tries. TH_INTERRUPTED. TH_USAGE. TH_NOMEM.
 */
th_status th_wacz_source_open(th_remote *remote, const char *path, th_wacz_source **out,
                              th_error *err);

/** After what libzip has made of it. NULL is legal. */
void th_wacz_source_free(th_wacz_source *source);

/** For zip_open_from_source, once. @return NULL, and why in `error` */
zip_source_t *th_wacz_source_zip(th_wacz_source *source, zip_error_t *error);

/** Returns the object, borrowed. */
th_remote_object *th_wacz_source_object(const th_wacz_source *source);

/** Returns why reading failed, in words: TH_OK if it did not, TH_NOT_YET, TH_IO, or
 * TH_INTERRUPTED. */
th_status th_wacz_source_failure(const th_wacz_source *source, th_error *err);

#endif
