/* Messages of a command on stderr. */
#ifndef TH_SAY_H
#define TH_SAY_H

/**
 * Prints "thresher: ", the words and a line end to stderr, in one piece. Control
 * characters in them become '?': names of inputs come from listings and archives, whose
 * makers must not write to the operator's terminal or forge lines of a log.
 * @param format  printf's; a longer message is cut to 4 KiB
 */
void th_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
