/* Messages of a command on stderr. */
#ifndef TH_SAY_H
#define TH_SAY_H

/**
 * Prints "thresher: ", the message and a line end to stderr, in one piece. Control
 * characters in the message become '?'. Names of inputs come from listings and archives,
 * and their authors must not write to the operator's terminal or forge lines of a log.
 * @param format  printf's; a longer message is cut to 4 KiB
 */
void th_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A th_warning_fn that prints each line with th_say. The context is not used. */
void th_say_line(void *context, const char *line);

#endif
