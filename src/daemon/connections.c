/* A table of connections, and a thread that looks at the clock. See the header. */
#include "daemon/connections.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

struct connection {
    int fd;
    bool is_local;
    bool is_shut;  /* down, and not closed yet */
    bool is_held;  /* its request is being processed */
    int64_t since; /* ms: start of its time */
};

struct th_connections {
    th_connections_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    unsigned count;
    bool is_asleep; /* the thread, until it is woken */
    bool is_ending;
    /* More than places: a connection that was shut down stays until its owner closes
     * it. */
    unsigned capacity;
    struct connection all[];
};

/* All static functions except the thread's are called with the lock held. */

static void shut_down(struct connection *connection)
{
    connection->is_shut = true;
    (void)shutdown(connection->fd, SHUT_RDWR);
}

/* The oldest connection that is neither shut down nor held; NULL: none. */
static struct connection *oldest_of(th_connections *connections, bool wants_remote_only)
{
    struct connection *first = NULL;
    for (unsigned i = 0; i < connections->count; i++) {
        struct connection *connection = &connections->all[i];
        if (!connection->is_shut && !connection->is_held &&
            !(wants_remote_only && connection->is_local) &&
            (!first || connection->since < first->since))
            first = connection;
    }
    return first;
}

static unsigned count_of(const th_connections *connections, bool wants_remote_only)
{
    unsigned count = 0;
    for (unsigned i = 0; i < connections->count; i++)
        count += !connections->all[i].is_shut &&
                 !(wants_remote_only && connections->all[i].is_local);
    return count;
}

static struct connection *find(th_connections *connections, int fd)
{
    for (unsigned i = 0; i < connections->count; i++)
        if (connections->all[i].fd == fd)
            return &connections->all[i];
    return NULL;
}

/* Waits for a change, or until the time of the oldest one is over. */
static void wait_for_clock(th_connections *connections)
{
    const struct connection *first = oldest_of(connections, false);
    if (!first) {
        connections->is_asleep = true;
        pthread_cond_wait(&connections->changed, &connections->lock);
        connections->is_asleep = false;
        return;
    }
    const int64_t until = first->since + connections->options.timeout_ms;
    const struct timespec time = { .tv_sec = (time_t)(until / 1000),
                                   .tv_nsec = (long)(until % 1000) * 1000000 };
    (void)pthread_cond_timedwait(&connections->changed, &connections->lock, &time);
}

/* Every change makes the earliest end later, so only a thread without one must look. */
static void wake(th_connections *connections)
{
    if (connections->is_asleep)
        pthread_cond_signal(&connections->changed);
}

static void *watch(void *context)
{
    th_connections *connections = context;
    pthread_mutex_lock(&connections->lock);
    while (!connections->is_ending) {
        const int64_t now = th_now_ms();
        for (unsigned i = 0; i < connections->count; i++) {
            struct connection *connection = &connections->all[i];
            if (!connection->is_shut && !connection->is_held &&
                now - connection->since >= (int64_t)connections->options.timeout_ms)
                shut_down(connection);
        }
        wait_for_clock(connections);
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

th_status th_connections_new(const th_connections_options *options, th_connections **out)
{
    const unsigned capacity = 2 * options->places + 64;
    th_connections *connections =
        calloc(1, sizeof *connections + capacity * sizeof *connections->all);
    pthread_condattr_t clock;
    sigset_t all, before;
    if (!connections)
        return TH_NOMEM;
    connections->options = *options;
    connections->capacity = capacity;
    pthread_mutex_init(&connections->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&connections->changed, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&connections->thread, NULL, watch, connections);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        pthread_cond_destroy(&connections->changed);
        pthread_mutex_destroy(&connections->lock);
        free(connections);
        return TH_NOMEM;
    }
    *out = connections;
    return TH_OK;
}

void th_connections_free(th_connections *connections)
{
    if (!connections)
        return;
    pthread_mutex_lock(&connections->lock);
    connections->is_ending = true;
    pthread_cond_signal(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->thread, NULL);
    pthread_cond_destroy(&connections->changed);
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

void th_connections_reserve(th_connections *connections, bool is_local)
{
    const th_connections_options *options = &connections->options;
    pthread_mutex_lock(&connections->lock);
    struct connection *remote = oldest_of(connections, true);
    if (!is_local && remote &&
        count_of(connections, true) >= options->places - options->kept_places)
        shut_down(remote);
    if (count_of(connections, false) >= options->places) {
        remote = oldest_of(connections, true);
        struct connection *oldest = remote ? remote : oldest_of(connections, false);
        if (oldest)
            shut_down(oldest);
    }
    pthread_mutex_unlock(&connections->lock);
}

void th_connections_add(th_connections *connections, int fd, bool is_local)
{
    pthread_mutex_lock(&connections->lock);
    if (connections->count < connections->capacity)
        connections->all[connections->count++] =
            (struct connection){ .fd = fd, .is_local = is_local, .since = th_now_ms() };
    wake(connections);
    pthread_mutex_unlock(&connections->lock);
}

void th_connections_hold(th_connections *connections, int fd, bool is_held)
{
    pthread_mutex_lock(&connections->lock);
    struct connection *connection = find(connections, fd);
    if (connection) {
        connection->is_held = is_held;
        connection->since = th_now_ms();
    }
    wake(connections);
    pthread_mutex_unlock(&connections->lock);
}

void th_connections_remove(th_connections *connections, int fd)
{
    pthread_mutex_lock(&connections->lock);
    struct connection *connection = find(connections, fd);
    if (connection)
        *connection = connections->all[--connections->count];
    pthread_mutex_unlock(&connections->lock);
}
