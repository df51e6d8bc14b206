/* Prefixes of remote names: below which ones is read what somebody else names. */
#ifndef TH_REMOTE_PREFIX_H
#define TH_REMOTE_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

enum { TH_REMOTE_PREFIXES_MAX = 64 };

/** The prefixes of a list. { 0 } is none. */
typedef struct th_remote_prefixes {
    char *text; /* owned: what `all` points into */
    const char *all[TH_REMOTE_PREFIXES_MAX];
    uint32_t count;
} th_remote_prefixes;

/**
 * Reads a list, blanks between. Each can stand for all that lies below it: s3://BUCKET/,
 * s3://BUCKET/PATH/, https://HOST/, http://HOST:PORT/PATH/. It ends with a slash, so that
 * no other host and no other bucket begins with it, and has no query.
 * @param out  th_remote_prefixes_done; untouched unless TH_OK
 * @return TH_OK, also where the list is empty; TH_USAGE with words; TH_NOMEM
 */
th_status th_remote_prefixes_read(const char *list, th_remote_prefixes *out,
                                  th_error *err);

void th_remote_prefixes_done(th_remote_prefixes *prefixes);

/**
 * Whether a name lies below a prefix, and stays there whatever a server makes of its path:
 * none of its parts is "." or "..", and none has a slash, a backslash or a control
 * character, however often it is encoded in %XX. Bytes are compared as they stand, so a
 * host in other letters is another one. A URL may have a query, which is not looked at,
 * and no fragment.
 * Pure; O(bytes of the name).
 */
bool th_remote_is_below(const char *name, const char *prefix);

/** The first prefix that a name lies below: its index; -1: it lies below none. */
int th_remote_prefixes_find(const th_remote_prefixes *prefixes, const char *name);

#endif
