/* Prefixes of remote names: only names below them are read from untrusted sources. */
#ifndef TH_REMOTE_PREFIX_H
#define TH_REMOTE_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

enum { TH_REMOTE_PREFIXES_MAX = 64 };

/** The prefixes of a list. { 0 } is an empty list. */
typedef struct th_remote_prefixes {
    char *text; /* owned; `all` points into it */
    const char *all[TH_REMOTE_PREFIXES_MAX];
    uint32_t count;
} th_remote_prefixes;

/**
 * Reads a list, separated by spaces. Each prefix allows all names below it: s3://BUCKET/,
 * s3://BUCKET/PATH/, https://HOST/, http://HOST:PORT/PATH/. It ends with a slash, so no
 * other host and no other bucket begins with it, and has no query.
 * @param out  th_remote_prefixes_done; untouched unless TH_OK
 * @return TH_OK, also if the list is empty; TH_USAGE with words; TH_NOMEM
 */
th_status th_remote_prefixes_read(const char *list, th_remote_prefixes *out,
                                  th_error *err);

void th_remote_prefixes_done(th_remote_prefixes *prefixes);

/**
 * Returns whether a name is below a prefix, and remains there however a server interprets
 * its path. No part of the path may be "." or "..", or contain a slash, a backslash or a
 * control character, even if it is encoded in %XX several times. Bytes are compared
 * unchanged, so a host in other letter case is a different host. A URL may have a query,
 * which is not checked, and no fragment.
 * Pure; O(bytes of the name).
 */
bool th_remote_is_below(const char *name, const char *prefix);

/** Returns the index of the first prefix that a name is below; -1 if it is below no
 * prefix. */
int th_remote_prefixes_find(const th_remote_prefixes *prefixes, const char *name);

#endif
