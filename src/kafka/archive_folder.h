/*
 * A folder of archives. Opens files in it by names from outside, and never a file
 * outside of the folder.
 */
#ifndef TH_ARCHIVE_FOLDER_H
#define TH_ARCHIVE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "thresher/status.h"

/** Identity and state of a file: a write to the file changes it. { 0 } if there is no
 * file. */
typedef struct th_file_identity {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last change, since 1970 */
} th_file_identity;

bool th_file_identity_equal(const th_file_identity *a, const th_file_identity *b);

/**
 * Opens a regular file for reading. Follows links within the folder only, or no links on
 * systems without openat2. The folder's own path may be a link.
 * @param name  relative
 * @param fd    out: the caller closes it
 * @return TH_OK, or an error with words in `why`. TH_ABSENT. TH_NOT_YET if the disk fails
 * at present. TH_NEED_MORE if the system lacks descriptors or memory at present, for any
 * file. TH_BAD_WARC if the name leads out of the folder, is not a regular file, or may
 * not be read.
 */
th_status th_archive_open(const char *folder, const char *name, int *fd,
                          th_file_identity *identity, th_error *why);

#endif
