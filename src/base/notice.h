/* A callback for what is wrong with an input and does not stop the reading. */
#ifndef TH_NOTICE_H
#define TH_NOTICE_H

/** @param line  what is wrong and where, without an end of line; borrowed */
typedef void (*th_notice)(void *context, const char *line);

#endif
