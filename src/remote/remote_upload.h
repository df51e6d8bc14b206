/* Uploads local files to a store. Each object appears complete, or not at all. */
#ifndef TH_REMOTE_UPLOAD_H
#define TH_REMOTE_UPLOAD_H

#include "remote/remote.h"

/**
 * Sends a file to a store, and replaces an object with that name.
 *
 * A file of up to 16 MiB goes in one request, a longer one in parts of 16 MiB or more
 * [AWS, multipart upload]. The object appears when the last request has succeeded, and
 * not before. Each part is signed with its SHA-256, and sent again after a break, as
 * often as an object is read again. After a failure the parts in the store are given up.
 * The next call for the file gives up the parts of a killed process, whose upload id is
 * in PATH.upload until then. Holds one part in memory.
 * @param path  the file, which must not change meanwhile
 * @param name  s3://BUCKET/KEY
 * @return TH_OK, or an error with the object's name in err. TH_NOT_YET after all tries: a
 * later call may succeed. TH_IO if it may not be written, or the file cannot be read.
 * TH_INTERRUPTED. TH_USAGE. TH_NOMEM.
 */
th_status th_remote_upload(th_remote *remote, const char *path, const char *name,
                           th_error *err);

#endif
