/*
 * The one way to leave with an error inside libwarc.
 */
#ifndef WARC_FAIL_H
#define WARC_FAIL_H

#include "warc/warc_status.h"

#if defined(__GNUC__)
#define WARC_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define WARC_PRINTF
#endif

/** Writes status and text into *error when it is not NULL, and returns status. The text
 * is cut to fit. */
warc_status warc_fail(warc_error *error, warc_status status, const char *format,
                      ...) WARC_PRINTF;

#endif
