/* Lines on stderr. See the header. */
#include "app/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"

void th_say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    th_make_printable(line);
    fprintf(stderr, "thresher: %s\n", line);
}

void th_say_line(void *context, const char *line)
{
    (void)context;
    th_say("%s", line);
}
