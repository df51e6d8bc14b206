/* No batch is ever polled, so verbs for results are never called, and are NULL. */
#include "daemon/idle_ends.h"

#include <stdlib.h>

#include "base/clock.h"

static th_status poll(th_stream_source *source, bool may_read, int timeout_ms,
                      th_batch *batch, th_error *err)
{
    (void)source;
    (void)may_read;
    (void)batch;
    (void)err;
    th_sleep_ms(timeout_ms);
    return TH_NOT_YET;
}

static uint32_t epoch(const th_stream_source *source)
{
    (void)source;
    return 0;
}

static void source_facts(th_stream_source *source, th_source_stats *out)
{
    (void)source;
    *out = (th_source_stats){ .is_assigned = true };
}

static void source_close(th_stream_source *source)
{
    free(source);
}

static const th_stream_source_verbs source_verbs = { .name = "none",
                                                     .poll = poll,
                                                     .epoch = epoch,
                                                     .facts = source_facts,
                                                     .close = source_close };

static th_status recover(th_stream_sink *sink, th_stream_source *source, th_error *err)
{
    (void)sink;
    (void)source;
    (void)err;
    return TH_OK;
}

static void tick(th_stream_sink *sink)
{
    (void)sink;
}

static void sink_facts(const th_stream_sink *sink, th_sink_stats *out)
{
    (void)sink;
    *out = (th_sink_stats){ 0 };
}

static void sink_close(th_stream_sink *sink)
{
    free(sink);
}

static const th_stream_sink_verbs sink_verbs = { .name = "none",
                                                 .recover = recover,
                                                 .tick = tick,
                                                 .facts = sink_facts,
                                                 .close = sink_close };

th_status th_idle_ends_open(th_stream_source **source, th_stream_sink **sink,
                            th_error *err)
{
    *source = calloc(1, sizeof **source);
    *sink = calloc(1, sizeof **sink);
    if (!*source || !*sink) {
        free(*source);
        free(*sink);
        *source = NULL;
        *sink = NULL;
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    (*source)->verbs = &source_verbs;
    (*sink)->verbs = &sink_verbs;
    return TH_OK;
}
