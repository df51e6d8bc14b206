/* Calls of a transaction. See the header. */
#include "kafka/kafka_calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum {
    SLICE_MS = 1000,    /* one wait */
    LOOK_MS = 100,      /* for a thread */
    OFFSETS_MS = 30000, /* one wait until the offsets are accepted */
    AGAIN_MS = 100      /* between two tries */
};

static rd_kafka_error_t *call_init(rd_kafka_t *rk, int ms)
{
    return rd_kafka_init_transactions(rk, ms);
}

static rd_kafka_error_t *call_begin(rd_kafka_t *rk, int ms)
{
    (void)ms;
    return rd_kafka_begin_transaction(rk);
}

static rd_kafka_error_t *call_commit(rd_kafka_t *rk, int ms)
{
    return rd_kafka_commit_transaction(rk, ms);
}

static rd_kafka_error_t *call_abort(rd_kafka_t *rk, int ms)
{
    return rd_kafka_abort_transaction(rk, ms);
}

static const struct {
    const char *name;
    rd_kafka_error_t *(*run)(rd_kafka_t *rk, int ms);
} calls[] = {
    [TH_KAFKA_INIT] = { "init_transactions", call_init },
    [TH_KAFKA_BEGIN] = { "begin_transaction", call_begin },
    [TH_KAFKA_OFFSETS] = { "send_offsets_to_transaction", NULL },
    [TH_KAFKA_COMMIT] = { "commit_transaction", call_commit },
    [TH_KAFKA_ABORT_CALL] = { "abort_transaction", call_abort },
};

static th_kafka_verdict judge(const char *call, rd_kafka_error_t *error, th_error *err)
{
    if (!error)
        return TH_KAFKA_GO;
    (void)th_fail(err, TH_IO, "kafka %s: %s", call, rd_kafka_error_string(error));
    const th_kafka_verdict verdict = rd_kafka_error_is_fatal(error) ? TH_KAFKA_STOP
                                     : rd_kafka_error_txn_requires_abort(error)
                                         ? TH_KAFKA_ABORT
                                     : rd_kafka_error_is_retriable(error) ? TH_KAFKA_AGAIN
                                                                          : TH_KAFKA_STOP;
    rd_kafka_error_destroy(error);
    return verdict;
}

/* ---- offsets, on a thread ---- */

struct sending {
    rd_kafka_t *rk;
    th_kafka_offsets offsets;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t over;
    bool is_over;
    rd_kafka_error_t *error;
};

static void *send_offsets(void *context)
{
    struct sending *sending = context;
    rd_kafka_error_t *error = rd_kafka_send_offsets_to_transaction(
        sending->rk, sending->offsets.list, sending->offsets.group, OFFSETS_MS);
    pthread_mutex_lock(&sending->lock);
    sending->error = error;
    sending->is_over = true;
    pthread_cond_signal(&sending->over);
    pthread_mutex_unlock(&sending->lock);
    return NULL;
}

static bool start(struct sending *sending, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(thread, NULL, send_offsets, sending) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static bool wait_some(struct sending *sending)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L; /* less than a second */
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&sending->lock);
    if (!sending->is_over)
        (void)pthread_cond_timedwait(&sending->over, &sending->lock, &until);
    const bool is_over = sending->is_over;
    pthread_mutex_unlock(&sending->lock);
    return is_over;
}

static void report(const th_kafka_waiting_for *waiting, th_kafka_call call, int64_t start)
{
    (void)snprintf(waiting->reason, waiting->reason_max,
                   "kafka %s has not finished after %.1f s", calls[call].name,
                   (double)(th_now_ms() - start) / 1000);
}

static th_kafka_verdict send_offsets_once(rd_kafka_t *rk, const th_kafka_offsets *offsets,
                                          const th_kafka_waiting_for *waiting,
                                          int64_t begun, th_error *err)
{
    struct sending *sending = calloc(1, sizeof *sending);
    pthread_t thread;
    th_kafka_verdict verdict = TH_KAFKA_STOP;
    if (!sending) {
        (void)th_fail(err, TH_NOMEM, "cannot send offsets: out of memory");
        return TH_KAFKA_STOP;
    }
    sending->rk = rk;
    sending->offsets = *offsets;
    pthread_mutex_init(&sending->lock, NULL);
    pthread_cond_init(&sending->over, NULL);
    if (start(sending, &thread)) {
        while (!wait_some(sending)) {
            report(waiting, TH_KAFKA_OFFSETS, begun);
            if (th_deadline_wait_ms(waiting->deadline, LOOK_MS) > 0)
                continue;
            (void)pthread_detach(thread);
            return TH_KAFKA_LATE; /* the objects that the thread uses are kept */
        }
        (void)pthread_join(thread, NULL);
        verdict = judge(calls[TH_KAFKA_OFFSETS].name, sending->error, err);
    } else {
        (void)th_fail(err, TH_NOMEM, "cannot send offsets: cannot start a thread");
    }
    pthread_cond_destroy(&sending->over);
    pthread_mutex_destroy(&sending->lock);
    free(sending);
    return verdict;
}

/* ---- any call ---- */

static th_kafka_verdict run_call(rd_kafka_t *rk, th_kafka_call call,
                                 const th_kafka_waiting_for *waiting, int64_t begun,
                                 th_error *err)
{
    const int64_t left = begun + waiting->limit_ms - th_now_ms();
    const int64_t max = left < 1 ? 1 : left < SLICE_MS ? left : SLICE_MS;
    const int ms = th_deadline_wait_ms(waiting->deadline, (int)max);
    return ms > 0 ? judge(calls[call].name, calls[call].run(rk, ms), err) : TH_KAFKA_LATE;
}

th_kafka_verdict th_kafka_persist(rd_kafka_t *rk, th_kafka_call call,
                                  const th_kafka_offsets *offsets,
                                  const th_kafka_waiting_for *waiting, th_error *err)
{
    const int64_t begun = th_now_ms();
    for (;;) {
        th_error words = { .text = "" };
        const th_kafka_verdict verdict =
            call == TH_KAFKA_OFFSETS
                ? send_offsets_once(rk, offsets, waiting, begun, &words)
                : run_call(rk, call, waiting, begun, &words);
        if (verdict == TH_KAFKA_GO)
            waiting->reason[0] = '\0';
        else if (verdict != TH_KAFKA_LATE && err)
            *err = words;
        if (verdict != TH_KAFKA_AGAIN || th_now_ms() - begun >= waiting->limit_ms)
            return verdict;
        report(waiting, call, begun);
        (void)rd_kafka_poll(rk, AGAIN_MS);
    }
}
