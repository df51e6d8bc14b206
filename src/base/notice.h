/* A callback for problems of an input that do not stop the reading. */
#ifndef TH_NOTICE_H
#define TH_NOTICE_H

/** @param line  what is wrong and where, without an end of line; borrowed */
typedef void (*th_notice)(void *context, const char *line);

#endif
