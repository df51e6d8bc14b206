/* Local files as objects of a store, each whole or not at all. */
#ifndef TH_REMOTE_UPLOAD_H
#define TH_REMOTE_UPLOAD_H

#include "remote/remote.h"

/**
 * Sends a file to a store, over an object that has the name.
 *
 * A file of up to 16 MiB goes in one request, a longer one in parts of 16 MiB or more
 * [AWS, multipart upload]: the object is there when the last request has succeeded, and
 * not before. Each part is signed with its SHA-256, and sent again after a break, as often
 * as an object is read again. What a failure leaves in the store is given up there; so is,
 * by the next call for the file, what a killed process has left: its number stands in
 * PATH.upload until then. Holds one part in memory.
 * @param path  the file, which must not change meanwhile
 * @param name  s3://BUCKET/KEY
 * @return TH_OK; TH_NOT_YET: after all tries, a later call may succeed; TH_IO: it may not
 *         be written, or the file cannot be read; TH_INTERRUPTED; TH_USAGE; TH_NOMEM; err
 *         names the object
 */
th_status th_remote_upload(th_remote *remote, const char *path, const char *name,
                           th_error *err);

#endif
