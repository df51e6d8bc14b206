/*
 * Log lines. A line is assembled in one buffer, under the log's lock, and written by one
 * call, so lines of several threads never mix. The buffer is large enough for the longest
 * line, so a full disk or an empty heap never prevents a line from being written.
 */
#include "log/log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/json.h"
#include "log/log_text.h"

/* Keys are short literals. Sizes of the keys and of a line's head, in addition to the
 * values. */
enum { KEY_MAX = 64, NUMBER_MAX = 32, HEAD_MAX = 512 };
/* JSON expands an ASCII control to six bytes, the worst case of a text. */
enum { TEXT_WORST = TH_LOG_TEXT_SHOWN * 6 + 8 };
enum { LINE_MAX_LEN = HEAD_MAX + TH_LOG_FIELDS_MAX * (TEXT_WORST + KEY_MAX) };

/* The recent frequency of an event. */
struct event_window {
    const char *event; /* NULL if unused */
    uint64_t start_ms;
    uint32_t written;
    uint64_t suppressed;
    th_log_level level; /* of the last one suppressed */
};

struct th_log {
    th_log_options options;
    bool is_journal;
    pthread_mutex_t lock; /* guards all members below, and the level */
    th_buffer line;
    /* One window per name. The last one is for all names without their own. */
    struct event_window windows[TH_LOG_EVENTS_MAX + 1];
};

static th_log_time system_time(void *context)
{
    (void)context;
    return (th_log_time){ (uint64_t)th_clock_ms(CLOCK_REALTIME), (uint64_t)th_now_ms() };
}

/* sd_journal's rule: JOURNAL_STREAM is "device:inode" of the stream that it reads.
 * Redirecting stderr does not change the variable, so this also checks the file
 * itself. */
static bool is_journal_stream(int fd)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat stat;
    char own[2 * NUMBER_MAX];
    if (!stream || fstat(fd, &stat) != 0)
        return false;
    snprintf(own, sizeof own, "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)stat.st_dev,
             (uintmax_t)stat.st_ino);
    return strcmp(own, stream) == 0;
}

th_log_field th_log_string(const char *key, const char *text)
{
    return th_log_view(key, text ? (th_view){ text, strlen(text) } : TH_VIEW(""));
}

th_status th_log_open(const th_log_options *options, th_log **out, th_error *err)
{
    th_log *log = calloc(1, sizeof *log);
    if (!log || !th_buffer_reserve(&log->line, LINE_MAX_LEN)) {
        free(log);
        return th_fail(err, TH_NOMEM, "cannot allocate a log");
    }
    log->options = *options;
    if (!log->options.now)
        log->options.now = system_time;
    log->is_journal = is_journal_stream(options->fd);
    pthread_mutex_init(&log->lock, NULL);
    *out = log;
    return TH_OK;
}

void th_log_set_level(th_log *log, th_log_level level)
{
    pthread_mutex_lock(&log->lock);
    log->options.level = level;
    pthread_mutex_unlock(&log->lock);
}

const char *const th_log_level_names[] = { "error", "warning", "notice",
                                           "info",  "debug",   NULL };
const char *const th_log_format_names[] = { "logfmt", "json", NULL };

static const char *level_name(th_log_level level)
{
    return th_log_level_names[level - TH_LOG_ERROR];
}

/* RFC 3339 with milliseconds, UTC. */
static size_t print_time(uint64_t wall_ms, char out[NUMBER_MAX])
{
    const time_t seconds = (time_t)(wall_ms / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    size_t len = strftime(out, NUMBER_MAX, "%Y-%m-%dT%H:%M:%S", &utc);
    len += (size_t)snprintf(out + len, NUMBER_MAX - len, ".%03uZ",
                            (unsigned)(wall_ms % 1000));
    return len;
}

static size_t print_number(const th_log_field *field, char out[NUMBER_MAX])
{
    int len = 0;
    if (field->type == TH_LOG_IS_UINT) {
        len = snprintf(out, NUMBER_MAX, "%" PRIu64, field->value.number);
    } else {
        const double seconds = field->value.seconds > 0 ? field->value.seconds : 0;
        const uint64_t ms = (uint64_t)((seconds < 1e15 ? seconds : 1e15) * 1000 + 0.5);
        len = snprintf(out, NUMBER_MAX, "%" PRIu64 ".%03u", ms / 1000,
                       (unsigned)(ms % 1000));
    }
    return (size_t)len;
}

/* ---- logfmt ---- */

static bool is_bare(th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c <= ' ' || c >= 0x7F || c == '"' || c == '=' || c == '\\')
            return false;
    }
    return text.len > 0;
}

static void logfmt_pair(th_buffer *line, const char *key, th_view text)
{
    char shown[TH_LOG_TEXT_MAX];
    if (line->len && line->data[line->len - 1] != '>')
        th_buffer_append_char(line, ' ');
    th_buffer_append(line, key, strnlen(key, KEY_MAX));
    th_buffer_append_char(line, '=');
    if (text.len <= TH_LOG_TEXT_SHOWN && is_bare(text)) {
        th_buffer_append_view(line, text);
        return;
    }
    th_buffer_append_char(line, '"');
    th_buffer_append(line, shown, th_log_text(text, true, shown));
    th_buffer_append_char(line, '"');
}

static void logfmt_field(th_buffer *line, const th_log_field *field)
{
    char number[NUMBER_MAX];
    if (field->type == TH_LOG_IS_TEXT)
        logfmt_pair(line, field->key, field->value.text);
    else
        logfmt_pair(line, field->key, (th_view){ number, print_number(field, number) });
}

/* ---- JSON ---- */

static void json_field(th_json *json, const th_log_field *field)
{
    char shown[TH_LOG_TEXT_MAX];
    th_json_key(json, field->key);
    switch (field->type) {
    case TH_LOG_IS_TEXT:
        th_json_string(json,
                       (th_view){ shown, th_log_text(field->value.text, false, shown) });
        break;
    case TH_LOG_IS_UINT:
        th_json_uint(json, field->value.number);
        break;
    default:
        th_json_decimal(json, field->value.seconds, 3);
    }
}

/* ---- a line ---- */

static void put_line(th_log *log, const th_log_field *fields, size_t count)
{
    th_buffer *const line = &log->line;
    if (log->options.format == TH_LOG_JSON) {
        th_json json;
        th_json_begin(&json, line);
        th_json_open_object(&json);
        for (size_t i = 0; i < count; i++)
            json_field(&json, &fields[i]);
        th_json_close_object(&json);
        th_json_end(&json);
        return;
    }
    for (size_t i = 0; i < count; i++)
        logfmt_field(line, &fields[i]);
    th_buffer_append_char(line, '\n');
}

static void write_out(int fd, th_view bytes)
{
    while (bytes.len) {
        const ssize_t written = write(fd, bytes.data, bytes.len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        bytes.data += written;
        bytes.len -= (size_t)written;
    }
}

/* Writes head fields, the caller's fields, and the number suppressed. The lock is
 * held. */
static void write_line(th_log *log, uint64_t wall_ms, th_log_level level,
                       const char *event, const th_log_field *fields, uint64_t suppressed)
{
    th_log_field all[3 + TH_LOG_FIELDS_MAX + 1];
    char time[NUMBER_MAX];
    size_t count = 0;
    th_buffer_reset(&log->line);
    if (log->is_journal)
        th_buffer_printf(&log->line, "<%d>", (int)level);
    else
        all[count++] = th_log_view("time", (th_view){ time, print_time(wall_ms, time) });
    all[count++] = th_log_string("level", level_name(level));
    all[count++] = th_log_string("event", event);
    for (size_t i = 0; fields && fields[i].key && i < TH_LOG_FIELDS_MAX; i++)
        all[count++] = fields[i];
    if (suppressed)
        all[count++] = th_log_uint("suppressed", suppressed);
    put_line(log, all, count);
    write_out(log->options.fd, th_buffer_view(&log->line));
}

/* Returns the window of an event's name, or the last one, shared, if all are used. */
static struct event_window *find_window(th_log *log, const char *event)
{
    struct event_window *window = log->windows;
    for (size_t i = 0; i < TH_LOG_EVENTS_MAX; i++, window++) {
        if (!window->event)
            window->event = event;
        if (strcmp(window->event, event) == 0)
            return window;
    }
    window->event = "other";
    return window;
}

static bool is_over(const struct event_window *window, uint64_t steady_ms)
{
    return steady_ms - window->start_ms >= TH_LOG_WINDOW_MS;
}

static void restart(struct event_window *window, uint64_t steady_ms)
{
    window->start_ms = steady_ms;
    window->written = 0;
    window->suppressed = 0;
}

/* @return whether this event is written; *suppressed: number suppressed before it */
static bool is_let_through(struct event_window *window, th_log_level level,
                           uint64_t steady_ms, uint64_t *suppressed)
{
    *suppressed = 0;
    if (window->written && is_over(window, steady_ms)) {
        *suppressed = window->suppressed;
        restart(window, steady_ms);
    }
    if (!window->written)
        window->start_ms = steady_ms;
    if (window->written < TH_LOG_BURST) {
        window->written++;
        return true;
    }
    window->suppressed++;
    window->level = level;
    return false;
}

void th_log_event(th_log *log, th_log_level level, const char *event,
                  const th_log_field *fields)
{
    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    if (level <= log->options.level) {
        const th_log_time now = log->options.now(log->options.now_context);
        uint64_t suppressed;
        if (is_let_through(find_window(log, event), level, now.steady_ms, &suppressed))
            write_line(log, now.wall_ms, level, event, fields, suppressed);
    }
    pthread_mutex_unlock(&log->lock);
}

/* Writes a line for each past window with suppressed events, or for all such windows. */
static void report_suppressed(th_log *log, bool all)
{
    const th_log_time now = log->options.now(log->options.now_context);
    for (size_t i = 0; i <= TH_LOG_EVENTS_MAX; i++) {
        struct event_window *const window = &log->windows[i];
        if (!window->suppressed || (!all && !is_over(window, now.steady_ms)))
            continue;
        write_line(log, now.wall_ms, window->level, window->event, NULL,
                   window->suppressed);
        restart(window, now.steady_ms);
    }
}

void th_log_tick(th_log *log)
{
    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    report_suppressed(log, false);
    pthread_mutex_unlock(&log->lock);
}

void th_log_close(th_log *log)
{
    if (!log)
        return;
    report_suppressed(log, true);
    pthread_mutex_destroy(&log->lock);
    th_buffer_done(&log->line);
    free(log);
}
