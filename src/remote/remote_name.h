/* Names of remote objects: s3://BUCKET/KEY, https://..., http://... */
#ifndef TH_REMOTE_NAME_H
#define TH_REMOTE_NAME_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* Longest name; keys of S3 have at most 1024 bytes. */
enum { TH_REMOTE_NAME_MAX = 4096 };

/** Returns whether a name denotes a remote object, not a file. */
bool th_remote_is_name(const char *name);

/** Returns whether a name is a URL with a host: http:// or https://. */
bool th_remote_is_page(const char *name);

/** Returns whether a name denotes all objects below a prefix: s3://BUCKET or s3://.../ */
bool th_remote_is_prefix(const char *name);

/** The parts of s3://BUCKET/KEY; of another name both are empty. */
typedef struct th_remote_parts {
    th_view bucket, key;
} th_remote_parts;

/**
 * Parses a name.
 * @param parts  out: borrowed from `name`
 * @return TH_OK. TH_USAGE if it is too long, or has a control character, an invalid
 * bucket name, or a URL with a password.
 */
th_status th_remote_name_parts(const char *name, th_remote_parts *parts, th_error *err);

/** Appends text encoded for a signed path or query: all bytes except A-Z a-z 0-9 - . _ ~
 * become %XX. So does '/' unless it is kept. */
void th_remote_encode(th_view text, bool keeps_slash, th_buffer *out);

/** Returns the length of a name without the query of an https URL, which may contain a
 * signature. */
size_t th_remote_name_shown(const char *name);

#endif
