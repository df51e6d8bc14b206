/*
 * Objects in stores and on servers: s3://BUCKET/KEY, https://..., http://... as inputs.
 * One thread at a time. A program built without libcurl refuses all of them with words.
 */
#ifndef TH_REMOTE_H
#define TH_REMOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/warning.h"
#include "remote/remote_name.h"
#include "thresher/status.h"
#include "warc/warc_input.h"

typedef struct th_remote th_remote;

/** How stores are reached; all is borrowed while the remote lives. */
typedef struct th_remote_options {
    const char *endpoint;   /* "https://host:port"; "" = $AWS_ENDPOINT_URL, or Amazon's */
    const char *region;     /* "" = $AWS_REGION, or us-east-1 */
    const char *path_style; /* a name in th_path_style_names */
    const char *credentials; /* a name in th_credentials_names */
    const char *ca_file;     /* "" = $AWS_CA_BUNDLE, or the system's certificates */
    uint32_t retries;        /* tries in a row without progress, after the first one */
    /* Like `retries`, if the host's name is unknown or the host refuses connections. The
     * smaller number counts. */
    uint32_t unreachable_retries;
    uint32_t backoff_ms; /* before the second try; doubles up to 64 times that */
    uint32_t connect_ms, stall_ms;
    uint32_t min_rate, min_rate_ms; /* bytes per second; the window */
    const atomic_int *stop;         /* if not 0, waits end; may be NULL */
    th_warning_fn
        on_retry; /* called before each further try, with the name; may be NULL */
    void *retry_context;
    /* For names from untrusted sources. */
    uint32_t longest_ms;  /* from opening an object to its last byte, 0 for no limit */
    uint32_t deadline_ms; /* a longer wait returns TH_NOT_YET, 0 for no limit */
    bool parts_only;      /* fail if a server sends the whole object for a Range */
    /* Returns whether to follow a redirect to this URL, NULL to follow each. */
    bool (*may_follow)(void *context, const char *url);
    void *follow_context;
} th_remote_options;

/** auto (in the path for an endpoint that is named, or a bucket with a dot), on, off. */
extern const char *const th_path_style_names[];

/** Connects to nothing yet. Without libcurl the remote is NULL, and opening and listing
 * refuse.
 * @return TH_OK; TH_USAGE (an endpoint that is not a URL); TH_NOMEM */
th_status th_remote_new(const th_remote_options *options, th_remote **out, th_error *err);

/** Objects must be closed before. NULL is legal. */
void th_remote_free(th_remote *remote);

/* ---- an object, as a stream of bytes ---- */

typedef struct th_remote_object th_remote_object;

/**
 * Opens an object; sends no request before the first read.
 *
 * One GET streams the whole object. After a break reading continues at the next byte, by
 * Range, and only in the same object: by its ETag, or Last-Modified. Tries are bounded
 * and deterministic: `retries` in a row without progress, which is a second's bytes at
 * `min_rate` or more. The wait between two tries is Retry-After, at most 2 minutes, or
 * `backoff_ms`, doubled each time. Nothing is read after `longest_ms`.
 * @param name   s3://BUCKET/KEY, https://..., http://...; borrowed while it is open
 * @param input  out: reads WARC_PAUSED only when `stop` was raised; its close closes the
 *               object
 * @param out    the same object, borrowed until then
 * @return TH_OK; TH_USAGE; TH_NOMEM
 */
th_status th_remote_open(th_remote *remote, const char *name, warc_input *input,
                         th_remote_object **out, th_error *err);

/** Returns the version of the object that is read: a hash of its validator and length, or
 * 0 if it is unknown so far. */
uint64_t th_remote_object_version(const th_remote_object *object);

/** Makes reading fail if the object does not have this version. 0 for any version. */
void th_remote_object_expect(th_remote_object *object, uint64_t version);

/** From now on reading fails if a server sends the whole object for a Range. */
void th_remote_object_parts_only(th_remote_object *object);

/**
 * Requests the length of the object. Call it before the first read, and for a whole
 * object.
 * @return TH_OK; TH_IO and TH_NOT_YET as from th_remote_object_failure; TH_INTERRUPTED
 */
th_status th_remote_object_size(th_remote_object *object, uint64_t *size, th_error *err);

/** Restricts reading to the bytes from `start` to before `end`, as if they were the whole
 * object. `end` 0 for the object's end. Call it before the first read. */
void th_remote_object_slice(th_remote_object *object, uint64_t start, uint64_t end);

/**
 * Returns why the last read failed, in words with object and offset.
 * @return TH_OK if it did not fail. TH_NOT_YET after all tries: a later run may succeed.
 * TH_IO if the object is missing, may not be read, or has changed.
 */
th_status th_remote_object_failure(const th_remote_object *object, th_error *err);

/** Returns the seconds of the store's Retry-After when the last read failed, 0 if it sent
 * none. */
uint32_t th_remote_object_retry_after(const th_remote_object *object);

/**
 * Reads a small object completely, with further tries after breaks.
 * @param max  bytes; a longer object is TH_IO
 * @param out  appended to
 * @return TH_OK. TH_ABSENT if the store says that it does not exist. TH_NOT_YET after
 * all tries. TH_IO. TH_INTERRUPTED. TH_USAGE. TH_NOMEM.
 */
th_status th_remote_fetch(th_remote *remote, const char *name, size_t max, th_buffer *out,
                          th_error *err);

/* ---- a listing ---- */

/** @return TH_OK to continue */
typedef th_status (*th_remote_found)(void *context, const char *name, uint64_t size,
                                     th_error *err);

/**
 * Lists the objects below a prefix, in the order of the store.
 * @param prefix  s3://BUCKET, s3://BUCKET/PREFIX/
 * @return TH_OK; TH_USAGE; TH_IO; TH_NOT_YET (after all tries); TH_INTERRUPTED; TH_NOMEM;
 * or the status that `found` returned
 */
th_status th_remote_list(th_remote *remote, const char *prefix, th_remote_found found,
                         void *context, th_error *err);

/** libcurl's version; NULL in a program without it. */
const char *th_remote_library_version(void);

#endif
