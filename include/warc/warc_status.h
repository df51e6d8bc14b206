/*
 * Shared types of all parts of libwarc: the status of a call, a span of bytes, and the
 * text of an error. libwarc is independent of its caller.
 */
#ifndef WARC_STATUS_H
#define WARC_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WARC_API __attribute__((visibility("default")))
#else
#define WARC_API
#endif

/* The enum, names and messages come from this list. The families are: success, a rejected
 * request of the caller, and errors that must stop the run. */
#define WARC_STATUS_LIST(X)                                                              \
    X(OK, "no error")                                                                    \
    X(END, "no more input")                                                              \
    X(PAUSED, "paused; repeat the call to continue")                                     \
    X(BAD_ARGUMENT, "argument out of range")                                             \
    X(BAD_CONTAINER, "unsupported container format")                                     \
    X(BAD_DIGEST, "invalid digest (expected algorithm:value)")                           \
    X(UNKNOWN_ALGORITHM, "unknown digest algorithm")                                     \
    X(REFUSED_FIELD, "header field contains a line break or is invalid")                 \
    X(TOO_LARGE, "limit exceeded")                                                       \
    X(CANNOT_SEEK, "input is not seekable")                                              \
    X(IO, "read or write failed")                                                        \
    X(NOMEM, "out of memory")

typedef enum warc_status {
#define X(name, text) WARC_##name,
    WARC_STATUS_LIST(X)
#undef X
        WARC_STATUS_COUNT
} warc_status;

/** A span of bytes, borrowed. The data may contain NUL and is not terminated. An absent
 * value has data NULL; an empty one has data set and len 0. */
typedef struct warc_view {
    const char *data;
    size_t len;
} warc_view;

/** An error message that starts with the failed operation, then the place and the cause:
 * lower case, names quoted, no full stop, NUL-terminated. Functions that take a
 * `warc_error *` accept NULL, and write it only when they fail. */
typedef struct warc_error {
    warc_status status;
    char text[256];
} warc_error;

/** Returns the name of a status as in the list, "BAD_CONTAINER", or "?" for an unknown
 * number. */
WARC_API const char *warc_status_name(warc_status status);

/** Returns the message of a status, "input is not seekable", or "?" for an
 * unknown number. */
WARC_API const char *warc_status_text(warc_status status);

#ifdef __cplusplus
}
#endif

#endif
