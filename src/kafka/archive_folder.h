/*
 * A folder of archives: files are opened below it by names that come from outside, and
 * never a file outside of it.
 */
#ifndef TH_ARCHIVE_FOLDER_H
#define TH_ARCHIVE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "thresher/status.h"

/** Which file, and in which state: what is written to changes it. { 0 }: none. */
typedef struct th_file_identity {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last change, since 1970 */
} th_file_identity;

bool th_file_identity_equal(const th_file_identity *a, const th_file_identity *b);

/**
 * Opens a regular file for reading. Links are followed within the folder only; where the
 * system cannot see to that (no openat2), none are. The folder's own path may be one.
 * @param name  relative
 * @param fd    out: the caller's to close
 * @return TH_OK; TH_ABSENT; TH_NOT_YET: its disk fails at present; TH_NEED_MORE: the
 * system lacks descriptors or memory for it at present, whatever it is; TH_BAD_WARC: it
 * leads out of the folder, is no regular file, or may not be read. Words in `why`
 */
th_status th_archive_open(const char *folder, const char *name, int *fd,
                          th_file_identity *identity, th_error *why);

#endif
