/* See the header. The numbers are the maximum that the parts open, with some to spare. */
#include "daemon/descriptors.h"

#include <string.h>
#include <sys/resource.h>

#include "daemon/endpoint.h"

enum {
    FOR_PROGRAM = 16, /* its own three, the supervisor's socket, /proc, some to spare */
    FOR_ENDPOINT = 5, /* in addition to its connections */
    FOR_SPOOL = 14,   /* folders, news, ledger, claims, the file being read, a look */
    FOR_FILES = 12,   /* three streams of a folder, a lock and a file; a state */
    FOR_INDEX = 10,   /* lock, journal, a segment that is sealed */
    FOR_KAFKA = 64,   /* one a broker, and librdkafka's own */
    LEAST_CONNECTIONS = 2
};

static uint64_t needed_besides(const th_settings *settings)
{
    const th_daemon_settings *daemon = &settings->daemon;
    uint64_t needed = FOR_PROGRAM;
    if (strcmp(daemon->listen, "none") != 0)
        needed += FOR_ENDPOINT;
    if (*daemon->spool_path)
        needed += FOR_SPOOL;
    if (*daemon->files_path)
        needed += FOR_FILES;
    if (*settings->index.path)
        needed += FOR_INDEX;
    if (*daemon->kafka_topics)
        needed += FOR_KAFKA;
    if (*daemon->kafka_records)
        needed += FOR_KAFKA;
    return needed;
}

static uint64_t raise_limit(uint64_t needed)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return UINT64_MAX;
    if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = {
            .rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed,
            .rlim_max = limit.rlim_max,
        };
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            return raised.rlim_cur;
    }
    return limit.rlim_cur;
}

void th_descriptors_fit(const th_settings *settings, th_descriptors *out)
{
    const bool listens = strcmp(settings->daemon.listen, "none") != 0;
    const unsigned requests = settings->endpoint.extract ? settings->endpoint.queue : 0;
    const unsigned max = listens ? TH_ENDPOINT_CONNECTIONS + requests : 0;
    const uint64_t besides = needed_besides(settings);
    *out = (th_descriptors){ .needed = besides + (uint64_t)TH_ENDPOINT_DESCRIPTORS * max,
                             .connections = max };
    out->limit = raise_limit(out->needed);
    if (listens && out->limit < out->needed) {
        const uint64_t left = out->limit > besides ? out->limit - besides : 0;
        const uint64_t places = left / TH_ENDPOINT_DESCRIPTORS;
        out->connections =
            places > LEAST_CONNECTIONS ? (unsigned)places : LEAST_CONNECTIONS;
    }
}
