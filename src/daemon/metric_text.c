/* See the header. */
#include "daemon/metric_text.h"

#include <inttypes.h>

void th_metric_head(th_buffer *out, const char *name, const char *type, const char *help)
{
    th_buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void th_metric_count(th_buffer *out, const char *name, const char *label,
                     const char *value, uint64_t count)
{
    if (label)
        th_buffer_printf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, count);
    else
        th_buffer_printf(out, "%s %" PRIu64 "\n", name, count);
}

/* In microseconds and without printf's %f, whose point is the locale's. */
static void append_seconds(th_buffer *out, double seconds)
{
    const double value = seconds > 0 ? seconds : 0;
    const uint64_t us = (uint64_t)((value < 1e12 ? value : 1e12) * 1e6 + 0.5);
    th_buffer_printf(out, "%" PRIu64 ".%06u", us / 1000000, (unsigned)(us % 1000000));
}

void th_metric_seconds(th_buffer *out, const char *name, double seconds)
{
    th_buffer_append_text(out, name);
    th_buffer_append_char(out, ' ');
    append_seconds(out, seconds);
    th_buffer_append_char(out, '\n');
}

void th_metric_process(const th_process_stats *process, double started, th_buffer *out)
{
    th_metric_head(out, "process_cpu_seconds_total", "counter",
                   "User and system CPU time.");
    th_metric_seconds(out, "process_cpu_seconds_total", process->cpu_seconds);
    th_metric_head(out, "process_resident_memory_bytes", "gauge", "Resident memory.");
    th_metric_count(out, "process_resident_memory_bytes", NULL, NULL,
                    process->resident_bytes);
    th_metric_head(out, "process_open_fds", "gauge", "Open file descriptors.");
    th_metric_count(out, "process_open_fds", NULL, NULL, process->open_fds);
    th_metric_head(out, "process_max_fds", "gauge", "Limit of open file descriptors.");
    th_metric_count(out, "process_max_fds", NULL, NULL, process->max_fds);
    th_metric_head(out, "process_start_time_seconds", "gauge",
                   "Start, seconds since 1970.");
    th_metric_seconds(out, "process_start_time_seconds", started);
}
