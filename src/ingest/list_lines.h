/* The lines of a list of inputs, @FILE: a local file or a remote object, plain or
 * gzip'd. */
#ifndef TH_LIST_LINES_H
#define TH_LIST_LINES_H

#include <stdatomic.h>

#include "remote/remote.h"
#include "thresher/status.h"

/* Longest line, with its end. */
enum { TH_LIST_LINE_MAX = 8192 };

typedef struct th_list_lines th_list_lines;

/**
 * Opens a list.
 * @param path    borrowed while it is open
 * @param remote  for remote names; NULL where the program has none
 * @param stop    may be NULL
 * @return TH_OK; TH_IO; TH_USAGE; TH_NOMEM
 */
th_status th_list_lines_open(const char *path, th_remote *remote, const atomic_int *stop,
                             th_list_lines **out, th_error *err);

/**
 * Returns the next line, without its end.
 * @param line  out: NUL-terminated, borrowed until the next call
 * @return TH_OK. TH_END. TH_USAGE if it is longer than TH_LIST_LINE_MAX. TH_DAMAGED if
 * the gzip file is incomplete. TH_IO. TH_NOT_YET. TH_INTERRUPTED.
 */
th_status th_list_lines_next(th_list_lines *lines, const char **line, th_error *err);

/** NULL is legal. */
void th_list_lines_close(th_list_lines *lines);

#endif
