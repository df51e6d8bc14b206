/* A callback for problems of an input that do not stop the reading. */
#ifndef TH_NOTICE_H
#define TH_NOTICE_H

/** @param line  the problem and its place, without a newline; borrowed */
typedef void (*th_notice)(void *context, const char *line);

#endif
