/* A table of connections, and a thread that looks at the clock. See the header. */
#include "daemon/visitors.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

enum { MAX_VISITORS = 128 }; /* twice the most places: who was sent away is still there */

struct visitor {
    int fd;
    bool is_from_here;
    bool is_leaving; /* sent away, not yet gone */
    int64_t since;   /* ms: when it came */
};

struct th_visitors {
    th_visitors_options options;
    pthread_t thread;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    struct visitor all[MAX_VISITORS];
    unsigned count;
    bool is_ending;
};

/* All that is static is called with the lock held, but for the thread. */

static void send_away(struct visitor *visitor)
{
    visitor->is_leaving = true;
    (void)shutdown(visitor->fd, SHUT_RDWR);
}

/* The one who came first of those that stay; NULL: none. */
static struct visitor *first_of(th_visitors *visitors, bool wants_strangers_only)
{
    struct visitor *first = NULL;
    for (unsigned i = 0; i < visitors->count; i++) {
        struct visitor *visitor = &visitors->all[i];
        if (!visitor->is_leaving && !(wants_strangers_only && visitor->is_from_here) &&
            (!first || visitor->since < first->since))
            first = visitor;
    }
    return first;
}

static unsigned count_of(const th_visitors *visitors, bool wants_strangers_only)
{
    unsigned count = 0;
    for (unsigned i = 0; i < visitors->count; i++)
        count += !visitors->all[i].is_leaving &&
                 !(wants_strangers_only && visitors->all[i].is_from_here);
    return count;
}

static struct visitor *find(th_visitors *visitors, int fd)
{
    for (unsigned i = 0; i < visitors->count; i++)
        if (visitors->all[i].fd == fd)
            return &visitors->all[i];
    return NULL;
}

/* Waits for a change, or until the time of the first one is over. */
static void wait_for_clock(th_visitors *visitors)
{
    const struct visitor *first = first_of(visitors, false);
    if (!first) {
        pthread_cond_wait(&visitors->changed, &visitors->lock);
        return;
    }
    const int64_t until = first->since + visitors->options.stay_ms;
    const struct timespec time = { .tv_sec = (time_t)(until / 1000),
                                   .tv_nsec = (long)(until % 1000) * 1000000 };
    (void)pthread_cond_timedwait(&visitors->changed, &visitors->lock, &time);
}

static void *watch(void *context)
{
    th_visitors *visitors = context;
    pthread_mutex_lock(&visitors->lock);
    while (!visitors->is_ending) {
        const int64_t now = th_now_ms();
        for (unsigned i = 0; i < visitors->count; i++) {
            struct visitor *visitor = &visitors->all[i];
            if (!visitor->is_leaving &&
                now - visitor->since >= (int64_t)visitors->options.stay_ms)
                send_away(visitor);
        }
        wait_for_clock(visitors);
    }
    pthread_mutex_unlock(&visitors->lock);
    return NULL;
}

th_status th_visitors_new(const th_visitors_options *options, th_visitors **out)
{
    th_visitors *visitors = calloc(1, sizeof *visitors);
    pthread_condattr_t clock;
    sigset_t all, before;
    if (!visitors)
        return TH_NOMEM;
    visitors->options = *options;
    pthread_mutex_init(&visitors->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&visitors->changed, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&visitors->thread, NULL, watch, visitors);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        pthread_cond_destroy(&visitors->changed);
        pthread_mutex_destroy(&visitors->lock);
        free(visitors);
        return TH_NOMEM;
    }
    *out = visitors;
    return TH_OK;
}

void th_visitors_free(th_visitors *visitors)
{
    if (!visitors)
        return;
    pthread_mutex_lock(&visitors->lock);
    visitors->is_ending = true;
    pthread_cond_signal(&visitors->changed);
    pthread_mutex_unlock(&visitors->lock);
    pthread_join(visitors->thread, NULL);
    pthread_cond_destroy(&visitors->changed);
    pthread_mutex_destroy(&visitors->lock);
    free(visitors);
}

void th_visitors_make_room(th_visitors *visitors, bool is_from_here)
{
    const th_visitors_options *options = &visitors->options;
    pthread_mutex_lock(&visitors->lock);
    if (!is_from_here &&
        count_of(visitors, true) >= options->places - options->kept_places)
        send_away(first_of(visitors, true));
    if (count_of(visitors, false) >= options->places) {
        struct visitor *stranger = first_of(visitors, true);
        send_away(stranger ? stranger : first_of(visitors, false));
    }
    pthread_mutex_unlock(&visitors->lock);
}

void th_visitors_enter(th_visitors *visitors, int fd, bool is_from_here)
{
    pthread_mutex_lock(&visitors->lock);
    if (visitors->count < MAX_VISITORS)
        visitors->all[visitors->count++] = (struct visitor){ .fd = fd,
                                                             .is_from_here = is_from_here,
                                                             .since = th_now_ms() };
    pthread_cond_signal(&visitors->changed);
    pthread_mutex_unlock(&visitors->lock);
}

void th_visitors_leave(th_visitors *visitors, int fd)
{
    pthread_mutex_lock(&visitors->lock);
    struct visitor *visitor = find(visitors, fd);
    if (visitor)
        *visitor = visitors->all[--visitors->count];
    pthread_mutex_unlock(&visitors->lock);
}
