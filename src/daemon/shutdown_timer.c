/* A thread that looks at the clock. See the header. */
#include "daemon/shutdown_timer.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

struct th_shutdown_timer {
    th_shutdown_timer_options options;
    pthread_t thread;
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t changed; /* one of the two that follow */
    bool is_watching, is_over;
    int64_t end_at; /* ms, INT64_MAX: not known yet */
    int exit_code;
};

static void end_process(const th_shutdown_timer *limit)
{
    /* last_words needs the log's lock, which the hanging thread may hold. */
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(1);
    limit->options.last_words(limit->options.context);
    _exit(limit->exit_code);
}

/* Waits until the next look at the clock, or until the limit is freed. */
static void wait_a_little(th_shutdown_timer *limit)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TH_END_LIMIT_LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&limit->changed, &limit->lock, &until);
}

static void *look(void *context)
{
    th_shutdown_timer *limit = context;
    bool is_late = false;
    pthread_mutex_lock(&limit->lock);
    limit->is_watching = true;
    pthread_cond_signal(&limit->changed);
    while (!limit->is_over && !is_late) {
        wait_a_little(limit);
        if (limit->end_at == INT64_MAX && atomic_load(limit->options.stop))
            limit->end_at = th_now_ms() + limit->options.limit_ms;
        is_late = !limit->is_over && th_now_ms() >= limit->end_at;
    }
    pthread_mutex_unlock(&limit->lock);
    if (is_late)
        end_process(limit);
    return NULL;
}

/* Until the thread waits for the first time: the lock is free only then. */
static void wait_until_it_watches(th_shutdown_timer *limit)
{
    pthread_mutex_lock(&limit->lock);
    while (!limit->is_watching)
        pthread_cond_wait(&limit->changed, &limit->lock);
    pthread_mutex_unlock(&limit->lock);
}

static bool start_thread(th_shutdown_timer *limit)
{
    sigset_t all, before;
    pthread_condattr_t clock;
    pthread_mutex_init(&limit->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&limit->changed, &clock);
    pthread_condattr_destroy(&clock);
    /*
     * The main thread handles all signals except the alarm, because they must interrupt
     * its waits.
     */
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&limit->thread, NULL, look, limit) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static void free_limit(th_shutdown_timer *limit)
{
    pthread_cond_destroy(&limit->changed);
    pthread_mutex_destroy(&limit->lock);
    free(limit);
}

th_status th_shutdown_timer_new(const th_shutdown_timer_options *options,
                                th_shutdown_timer **out, th_error *err)
{
    th_shutdown_timer *limit = calloc(1, sizeof *limit);
    if (!limit)
        return th_fail(err, TH_NOMEM, "out of memory");
    limit->options = *options;
    limit->exit_code = options->exit_code;
    limit->end_at = INT64_MAX;
    if (!start_thread(limit)) {
        free_limit(limit);
        return th_fail(err, TH_NOMEM, "cannot start a thread");
    }
    wait_until_it_watches(limit);
    *out = limit;
    return TH_OK;
}

void th_shutdown_timer_hurry(th_shutdown_timer *limit, uint32_t limit_ms, int exit_code)
{
    if (!limit)
        return;
    const int64_t end_at = th_now_ms() + limit_ms;
    pthread_mutex_lock(&limit->lock);
    limit->exit_code = exit_code;
    if (end_at < limit->end_at)
        limit->end_at = end_at;
    pthread_mutex_unlock(&limit->lock);
}

int64_t th_shutdown_timer_remaining(th_shutdown_timer *limit)
{
    if (!limit)
        return INT64_MAX;
    pthread_mutex_lock(&limit->lock);
    const int64_t end_at = limit->end_at;
    pthread_mutex_unlock(&limit->lock);
    const int64_t left = end_at == INT64_MAX ? end_at : end_at - th_now_ms();
    return left > 0 ? left : 0;
}

void th_shutdown_timer_free(th_shutdown_timer *limit)
{
    if (!limit)
        return;
    pthread_mutex_lock(&limit->lock);
    limit->is_over = true;
    pthread_cond_signal(&limit->changed);
    pthread_mutex_unlock(&limit->lock);
    pthread_join(limit->thread, NULL);
    free_limit(limit);
}
