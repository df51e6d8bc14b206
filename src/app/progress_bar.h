/*
 * The line of progress on a terminal, of every command that works for long:
 *
 *     reading   [#########>            ]  45.2%  12.3 MB/s  1:05 left  1234 records
 *
 * It is shown only on a terminal that can erase a line, and never if the user wants quiet.
 * It has colors unless NO_COLOR is set (no-color.org).
 */
#ifndef TH_PROGRESS_BAR_H
#define TH_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct th_progress_bar {
    FILE *out;
    bool is_shown; /* a terminal, and not quiet */
    bool has_line; /* a line is shown that must be cleared */
    bool has_colors;
    double last_shown; /* seconds, monotonic */
    /* of the current step */
    char step[16];
    double started;
    uint64_t first; /* amount that was done before */
} th_progress_bar;

/** The state of the work. */
typedef struct th_progress_view {
    const char *step;     /* "reading"; NULL if the work has only one step */
    uint64_t done, total; /* bytes or other units of the step; total 0: unknown */
    bool is_bytes;
    const char *words; /* shown at the end of the line: "1234 records" */
} th_progress_view;

/** Returns whether the stream is such a terminal, and NO_COLOR is not set. */
bool th_wants_colors(FILE *out);

/** Starts the first step. @param first  amount that an earlier run did, 0 if none */
void th_progress_bar_start(th_progress_bar *bar, FILE *out, bool is_quiet,
                           uint64_t first);

/** Returns whether the line must be updated: at most five times a second. */
bool th_progress_bar_is_due(const th_progress_bar *bar);

/** Shows the line. The first view with another step starts that step. */
void th_progress_bar_show(th_progress_bar *bar, const th_progress_view *view);

/** Removes the line, so that other text can be printed. */
void th_progress_bar_clear(th_progress_bar *bar);

#endif
