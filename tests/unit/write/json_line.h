/* Checks JSON lines with a parser that is independent of the writer. */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Whether the bytes are one JSON object on one line: valid, valid UTF-8, ended by the
 * only newline in it, no key twice in an object, no null.
 */
bool json_line_is_valid(th_view line);

#endif
