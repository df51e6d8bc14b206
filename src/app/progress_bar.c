/* The line is composed first, and written at once, so that it does not flicker. */
#include "app/progress_bar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    LINE = 512,
    COLUMNS = 80, /* of a terminal that does not report its width */
    BAR_MIN = 10,
    BAR_MAX = 40
};

/* Returns whether the stream is a terminal that can erase a line. */
static bool is_terminal(FILE *out)
{
    const char *terminal = getenv("TERM");
    return isatty(fileno(out)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool th_wants_colors(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    return is_terminal(out) && !(no_color && *no_color);
}

void th_progress_bar_start(th_progress_bar *bar, FILE *out, bool is_quiet, uint64_t first)
{
    *bar = (th_progress_bar){ .out = out,
                              .is_shown = !is_quiet && is_terminal(out),
                              .has_colors = th_wants_colors(out),
                              .started = th_clock_seconds(CLOCK_MONOTONIC),
                              .first = first };
}

bool th_progress_bar_is_due(const th_progress_bar *bar)
{
    return bar->is_shown && th_clock_seconds(CLOCK_MONOTONIC) - bar->last_shown >= 0.2;
}

/* Appends like printf, cut to the line. */
__attribute__((format(printf, 2, 3))) static void put(char line[LINE], const char *format,
                                                      ...)
{
    const size_t len = strlen(line);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(line + len, LINE - len, format, values);
    va_end(values);
}

static size_t columns_of(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || !size.ws_col)
        return COLUMNS;
    return size.ws_col < LINE ? size.ws_col : LINE - 1;
}

static void put_time_left(char line[LINE], double seconds)
{
    const unsigned long whole = seconds < 1e6 ? (unsigned long)(seconds + 0.5) : 1000000;
    if (whole >= 3600)
        put(line, "  %lu:%02lu:%02lu left", whole / 3600, whole / 60 % 60, whole % 60);
    else
        put(line, "  %lu:%02lu left", whole / 60, whole % 60);
}

/* Writes percent, rate, remaining time and words. */
static void put_rest(const th_progress_bar *bar, const th_progress_view *view, double now,
                     char line[LINE])
{
    const double seconds = now - bar->started;
    const double rate = view->done > bar->first && seconds > 0
                            ? (double)(view->done - bar->first) / seconds
                            : 0;
    if (view->total)
        put(line, "%5.1f%%", 100 * (double)view->done / (double)view->total);
    if (rate > 0 && view->is_bytes)
        put(line, "  %.1f MB/s", rate / 1e6);
    else if (rate > 0 && view->total)
        put(line, rate < 1e4 ? "  %.0f/s" : "  %.0fk/s", rate < 1e4 ? rate : rate / 1e3);
    if (rate > 0 && view->total >= view->done)
        put_time_left(line, (double)(view->total - view->done) / rate);
    put(line, "  %s", view->words);
}

/* Writes "[###>    ]" if there is space for it. */
static void put_bar(const th_progress_bar *bar, const th_progress_view *view,
                    size_t space, char line[LINE])
{
    const size_t width = space > BAR_MAX + 3 ? BAR_MAX : space > 3 ? space - 3 : 0;
    if (!view->total || width < BAR_MIN)
        return;
    const double part = (double)view->done / (double)view->total;
    const size_t full = part < 1 ? (size_t)(part * (double)width) : width;
    put(line, "[%s", bar->has_colors ? "\033[32m" : "");
    for (size_t i = 0; i < full; i++)
        put(line, "#");
    put(line, "%s%s", full < width ? ">" : "", bar->has_colors ? "\033[m" : "");
    for (size_t i = full + 1; i < width; i++)
        put(line, " ");
    put(line, "] ");
}

static void begin_step(th_progress_bar *bar, const th_progress_view *view, double now)
{
    const char *step = view->step ? view->step : "";
    if (strncmp(bar->step, step, sizeof bar->step - 1) == 0)
        return;
    if (*bar->step) { /* the first step has begun already */
        bar->started = now;
        bar->first = view->done;
    }
    (void)snprintf(bar->step, sizeof bar->step, "%s", step);
}

void th_progress_bar_show(th_progress_bar *bar, const th_progress_view *view)
{
    char line[LINE] = "\r\033[K", rest[LINE] = "";
    const double now = th_clock_seconds(CLOCK_MONOTONIC);
    const size_t columns = columns_of(bar->out) - 1;
    begin_step(bar, view, now);
    if (view->step)
        put(line, "%-9s ", view->step);
    put_rest(bar, view, now, rest);
    const size_t used = strlen(line) - strlen("\r\033[K");
    const size_t needed = used + strlen(rest);
    put_bar(bar, view, columns > needed ? columns - needed : 0, line);
    /* A line that is wider than the terminal could not be erased. */
    put(line, "%.*s", (int)(columns > used ? columns - used : 0), rest);
    flockfile(bar->out); /* other threads clear the line for their messages */
    fputs(line, bar->out);
    fflush(bar->out);
    bar->has_line = true;
    funlockfile(bar->out);
    bar->last_shown = now;
}

void th_progress_bar_clear(th_progress_bar *bar)
{
    if (!bar->is_shown)
        return;
    flockfile(bar->out);
    if (bar->has_line)
        fputs("\r\033[K", bar->out);
    bar->has_line = false;
    funlockfile(bar->out);
}
