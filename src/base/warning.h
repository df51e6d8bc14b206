/* A callback for problems of an input that do not stop the reading. */
#ifndef TH_WARNING_H
#define TH_WARNING_H

/** @param line  the problem and its place, without a newline; borrowed */
typedef void (*th_warning_fn)(void *context, const char *line);

#endif
