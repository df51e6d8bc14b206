/*
 * The worker's side. Sends batches, waits, checks the time limit, handles the death of a
 * process, and continues.
 *
 * Parts of a result are passed on as they arrive. A part that ends within a record waits
 * until the record is complete, because the process may still die.
 */
#include "isolate/isolation.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "isolate/batch_region.h"
#include "isolate/fork_server.h"
#include "isolate/page_process.h"
#include "isolate/result_message.h"
#include "isolate/sandbox.h"

enum {
    LOOK_MS = 100,    /* between two looks at a process that is silent */
    CLOCK_TIMES = 10, /* of page_ms, by the clock: for a process that does not even
                       * compute */
    START_MS = 30000, /* for a process to be ready */
    START_TRIES = 3,  /* for one to become ready */
    HELD_COST = 4096, /* charged for each waiting part, to limit their number */
    WORDS = 96,
};

struct th_isolation {
    th_isolation_options options;
    th_work_options work;
    th_page_process process;
    th_fork_server *fork_server;
    th_worker_process worker_process;
    _Atomic uint64_t started, died;
};

/* A part that waits for the end of its record. */
struct held {
    th_work_buffers buffers;
    th_work_result result;
    struct held *next;
};

/* Facts about a record that killed a process. */
struct verdict {
    bool was_killed;   /* once, from outside */
    char words[WORDS]; /* "" if it is not refused */
};

/* Where a worker's process sits. */
struct seat {
    th_isolation *isolation;
    const th_work_options *work;
    bool is_running;
    pid_t pid;
    int socket;
    th_batch_region region;
    /* the current batch */
    const th_batch *batch;
    const th_work_flow *flow; /* may be NULL */
    th_work_result *result;
    uint32_t done; /* records of it whose bytes are handed in */
    uint64_t max;  /* bytes that the process may still send */
    th_counts sum; /* of the parts that were passed on */
    bool was_idle; /* a process has died before its first record */
    struct verdict
        *verdicts;   /* [TH_BATCH_CAPACITY], when there was a death; NULL before */
    uint32_t judged; /* of them that are in use */
    struct held *held, **held_end;
    /* the watch */
    uint32_t seen;     /* the furthest progress that the process reported */
    int64_t cpu_ns;    /* of the process, at the first look since then; -1: none yet */
    int64_t since_ms;  /* time of that progress, moved later by the time spent in this
                        * thread */
    int64_t looked_ms; /* the last look */
    bool is_late;
};

/* ---- a process and its time ---- */

static int64_t cpu_ns_of(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? th_clock_ns(clock) : 0;
}

static void restart_watch(struct seat *seat, int64_t now_ms)
{
    seat->cpu_ns = -1;
    seat->since_ms = seat->looked_ms = now_ms;
}

/*
 * Whether the process is late. Reported progress counts only if it is greater than
 * before, so the time of a batch is also limited.
 */
static bool is_late(struct seat *seat)
{
    const int64_t limit_ms = seat->isolation->options.page_ms;
    const int64_t now_ms = th_now_ms();
    if (now_ms - seat->looked_ms < LOOK_MS)
        return false;
    const uint32_t at = atomic_load(th_batch_region_under_way(&seat->region));
    if (at > seat->seen && at <= seat->batch->record_count) {
        seat->seen = at;
        restart_watch(seat, now_ms);
    }
    seat->looked_ms = now_ms;
    const int64_t cpu_ns = cpu_ns_of(seat->pid);
    if (seat->cpu_ns < 0)
        seat->cpu_ns = cpu_ns;
    return cpu_ns - seat->cpu_ns > limit_ms * 1000000 ||
           now_ms - seat->since_ms > limit_ms * CLOCK_TIMES;
}

/* A th_result_read. */
static th_status read_bytes(void *context, void *bytes, size_t len)
{
    struct seat *seat = context;
    char *at = bytes;
    while (len) {
        const ssize_t got = recv(seat->socket, at, len, 0);
        if (got > 0) {
            at += got;
            len -= (size_t)got;
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return TH_IO;
        }
        if (len && is_late(seat)) {
            seat->is_late = true;
            return TH_TIMED_OUT;
        }
    }
    return TH_OK;
}

static void stop_process(struct seat *seat)
{
    if (!seat->is_running)
        return;
    seat->is_running = false;
    (void)close(seat->socket);
    th_batch_region_close(&seat->region);
}

static void set_timeout(int socket, int ms)
{
    const struct timeval time = { ms / 1000, (suseconds_t)(ms % 1000) * 1000 };
    (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/* Waits until it says that it is ready, or why it is not. */
static th_status wait_until_ready(int socket, th_error *err)
{
    char words[256] = "";
    set_timeout(socket, START_MS);
    const ssize_t got = recv(socket, words, sizeof words - 1, 0);
    set_timeout(socket, LOOK_MS);
    if (got == 1 && words[0] == TH_PAGE_PROCESS_READY)
        return TH_OK;
    return th_fail(err, TH_IO, "a page process does not start: %s",
                   got > 0 ? words : "its process died of it");
}

static th_status start_process(struct seat *seat, th_error *err)
{
    th_fork_server_child child;
    int how = 0;
    th_status status = th_fork_server_start(seat->isolation->fork_server, &child, err);
    if (status != TH_OK)
        return status;
    atomic_fetch_add(&seat->isolation->started, 1);
    status = th_batch_region_open(child.memory, false, &seat->region, err);
    if (status != TH_OK)
        (void)close(child.memory);
    else
        status = wait_until_ready(child.socket, err);
    seat->pid = child.pid;
    seat->socket = child.socket;
    seat->is_running = true;
    if (status != TH_OK) {
        stop_process(seat);
        (void)th_fork_server_end(seat->isolation->fork_server, child.pid, &how, NULL);
    }
    return status;
}

/* A process that runs, or why there is none. */
static th_status have_process(struct seat *seat, th_error *err)
{
    th_status status = seat->is_running ? TH_OK : TH_IO;
    for (int i = 0; i < START_TRIES && status != TH_OK; i++)
        status = start_process(seat, err);
    return status;
}

/* ---- parts ---- */

static void forget_held(struct seat *seat)
{
    while (seat->held) {
        struct held *held = seat->held;
        seat->held = held->next;
        if (held->buffers.charged)
            th_work_buffers_release_memory(&held->buffers, seat->flow->budget);
        th_work_buffers_done(&held->buffers);
        free(held);
    }
    seat->held_end = &seat->held;
}

static void charge(const struct seat *seat, th_work_buffers *buffers)
{
    if (seat->flow && seat->flow->budget)
        th_work_buffers_charge(buffers, seat->flow->budget, seat->flow->number);
}

/* Moves the received part to the list of waiting parts. The room is empty then. */
static th_status hold(struct seat *seat)
{
    struct held *held = calloc(1, sizeof *held);
    th_work_buffers *buffers = seat->result->buffers;
    if (!held)
        return TH_NOMEM;
    held->buffers = *buffers;
    *buffers = (th_work_buffers){ 0 };
    held->result = *seat->result;
    held->result.buffers = &held->buffers;
    *seat->held_end = held;
    seat->held_end = &held->next;
    return TH_OK;
}

/* All that was put aside. */
static th_status hand_in_held(struct seat *seat)
{
    th_status status = TH_OK;
    for (struct held *held = seat->held; held && status == TH_OK; held = held->next)
        status = seat->flow->hand_in(seat->flow->context, &held->result, NULL);
    forget_held(seat);
    return status;
}

/* Passes on a part that ends with a complete record, and the parts that wait for it. */
static th_status hand_in(struct seat *seat)
{
    th_status status = hand_in_held(seat);
    if (status == TH_OK)
        status = seat->flow->hand_in(seat->flow->context, seat->result, NULL);
    th_work_buffers_reset(seat->result->buffers);
    return status;
}

/* ---- a batch ---- */

static const char *refused_words(const void *context, uint32_t record)
{
    const struct seat *seat = context;
    return record < seat->judged && seat->verdicts[record].words[0]
               ? seat->verdicts[record].words
               : NULL;
}

/* How a talk with the process about a batch ended. */
enum outcome {
    FINISHED, /* the result or a failure is in `status` */
    DEAD,     /* the process has died or is to die, for a reason that is in `status` */
};

/* Receives the result of the batch, until it ends. */
static enum outcome take_result(struct seat *seat, th_status *status)
{
    th_counts sum = seat->sum; /* with what is held */
    const bool takes_parts = seat->flow && seat->flow->hand_in;
    for (;;) {
        th_work_result *result = seat->result;
        th_work_buffers_reset(result->buffers);
        *result = (th_work_result){ .options = seat->work,
                                    .buffers = result->buffers,
                                    .batch = seat->batch };
        *status =
            th_result_receive(read_bytes, seat, seat->done, seat->max, &sum, result);
        if (*status == TH_OK && result->is_part && !takes_parts)
            *status = TH_DAMAGED;
        if (*status != TH_OK)
            return DEAD;
        const int64_t came_ms = th_now_ms();
        charge(seat, result->buffers);
        if (result->is_within) {
            const uint64_t bytes =
                HELD_COST + result->pages.len + result->rejects.len + result->aside.len;
            if (bytes > seat->max) {
                *status = TH_DAMAGED;
                return DEAD;
            }
            seat->max -= bytes;
            *status = hold(seat);
        } else if (result->is_part) {
            *status = hand_in(seat);
            seat->done = result->done;
            seat->sum = sum;
            seat->max = seat->isolation->options.memory;
        } else {
            *status = hand_in_held(seat);
            return FINISHED;
        }
        if (*status != TH_OK)
            return FINISHED;
        seat->since_ms += th_now_ms() - came_ms; /* what we took is not its time */
    }
}

static enum outcome talk(struct seat *seat, th_status *status)
{
    const char go = TH_PAGE_PROCESS_GO;
    seat->seen = 0;
    seat->is_late = false;
    seat->max = seat->isolation->options.memory;
    restart_watch(seat, th_now_ms());
    if (send(seat->socket, &go, 1, MSG_NOSIGNAL) != 1) {
        *status = TH_IO;
        return DEAD;
    }
    return take_result(seat, status);
}

/* ---- a death ---- */

static const char *name_of(int signal_number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = { { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
                  { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGKILL, "SIGKILL" },
                  { SIGTRAP, "SIGTRAP" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == signal_number)
            return names[i].name;
    return "a signal";
}

/* The same words for the same death: they go into rejects. */
static void say_why(const struct seat *seat, th_status status, int how, char *words)
{
    if (seat->is_late)
        (void)snprintf(words, WORDS, "its process took longer than %u ms",
                       seat->isolation->options.page_ms);
    else if (status == TH_NOMEM)
        (void)snprintf(words, WORDS, "its process ran out of memory");
    else if (status == TH_DAMAGED)
        (void)snprintf(words, WORDS, "its process sent an invalid answer");
    else if (WIFSIGNALED(how) && WTERMSIG(how) == SIGSYS)
        (void)snprintf(words, WORDS, "its process made a forbidden system call");
    else if (WIFSIGNALED(how))
        (void)snprintf(words, WORDS, "its process was killed by %s",
                       name_of(WTERMSIG(how)));
    else
        (void)snprintf(words, WORDS, "its process exited early");
}

static th_status have_verdicts(struct seat *seat)
{
    if (!seat->verdicts)
        seat->verdicts = calloc(TH_BATCH_CAPACITY, sizeof *seat->verdicts);
    if (!seat->verdicts)
        return TH_NOMEM;
    if (!seat->judged) {
        seat->judged = seat->batch->record_count;
        memset(seat->verdicts, 0, seat->judged * sizeof *seat->verdicts);
    }
    return TH_OK;
}

/*
 * Returns the record that caused a death: the current record, as the process reported it.
 * The report may be false. So if the reported record is refused already, or does not
 * exist, the first record that is not refused counts instead. Each death, except the
 * excused ones, refuses a record, so the batch ends.
 * @return the batch's record_count if all are refused
 */
static uint32_t find_culprit(const struct seat *seat, uint32_t under_way)
{
    const uint32_t count = seat->batch->record_count;
    uint32_t culprit = under_way ? under_way - 1 : count;
    if (culprit < seat->done || culprit >= count || refused_words(seat, culprit))
        for (culprit = seat->done; culprit < count && refused_words(seat, culprit);)
            culprit++;
    return culprit;
}

/* Finds out how a process ended, or will end, and which record that refuses. */
static th_status judge(struct seat *seat, th_status reason, th_error *err)
{
    const uint32_t under_way = atomic_load(th_batch_region_under_way(&seat->region));
    int how = 0;
    stop_process(seat);
    forget_held(seat);
    atomic_fetch_add(&seat->isolation->died, 1);
    th_status status =
        th_fork_server_end(seat->isolation->fork_server, seat->pid, &how, err);
    if (status == TH_OK)
        status = have_verdicts(seat);
    if (status != TH_OK)
        return status;
    const bool is_killed =
        reason == TH_IO && WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL;
    if (!under_way && !seat->was_idle) { /* between two batches: no record of this
                                          * batch caused it */
        seat->was_idle = true;
        return TH_OK;
    }
    const uint32_t culprit = find_culprit(seat, under_way);
    if (culprit == seat->batch->record_count)
        return th_fail(
            err, TH_IO,
            "page processes die repeatedly; each record of the batch is refused");
    struct verdict *verdict = &seat->verdicts[culprit];
    if (is_killed && !verdict->was_killed)
        verdict->was_killed = true;
    else
        say_why(seat, reason, how, verdict->words);
    return TH_OK;
}

static th_status work(void *worker, const th_batch *batch, const th_work_flow *flow,
                      th_work_buffers *buffers, th_work_result *result, th_error *err)
{
    struct seat *seat = worker;
    const bool wants_parts = flow && flow->hand_in;
    seat->batch = batch;
    seat->flow = flow;
    seat->result = result;
    seat->done = flow ? flow->first : 0;
    seat->sum = (th_counts){ 0 };
    seat->was_idle = false;
    seat->judged = 0;
    result->buffers = buffers;
    for (;;) {
        th_status status = have_process(seat, err);
        if (status == TH_OK)
            status = th_batch_region_put(&seat->region, batch, seat->done, wants_parts,
                                         refused_words, seat, err);
        if (status != TH_OK || talk(seat, &status) == FINISHED) {
            if (status != TH_OK) { /* it is in the middle of a batch */
                forget_held(seat);
                stop_process(seat);
            }
            return status;
        }
        status = judge(seat, status, err);
        if (status != TH_OK)
            return status;
    }
}

/* ---- life ---- */

static void *open_seat(void *context, const th_work_options *work_options)
{
    struct seat *seat = calloc(1, sizeof *seat);
    if (!seat)
        return NULL;
    seat->isolation = context;
    seat->work = work_options;
    seat->held_end = &seat->held;
    return seat;
}

static void close_seat(void *worker)
{
    struct seat *seat = worker;
    const bool was_running = seat->is_running;
    int how = 0;
    stop_process(seat);
    if (was_running)
        (void)th_fork_server_end(seat->isolation->fork_server, seat->pid, &how, NULL);
    free(seat->verdicts);
    free(seat);
}

th_status th_isolation_open(const th_work_options *work_options,
                            const th_isolation_options *options, th_isolation **out,
                            th_error *err)
{
    if (!th_sandbox_is_built())
        return th_sandbox_enter(-1, 0, err);
    th_isolation *isolation = calloc(1, sizeof *isolation);
    if (!isolation)
        return th_fail(err, TH_NOMEM, "out of memory");
    isolation->options = *options;
    isolation->work = *work_options;
    isolation->work.worker_process = NULL;
    isolation->process =
        (th_page_process){ .work = &isolation->work, .memory = options->memory };
    isolation->worker_process = (th_worker_process){
        .context = isolation, .open = open_seat, .work = work, .close = close_seat
    };
    const th_status status =
        th_fork_server_open(th_page_process_prepare, th_page_process_main,
                            &isolation->process, &isolation->fork_server, err);
    if (status != TH_OK) {
        free(isolation);
        return status;
    }
    *out = isolation;
    return TH_OK;
}

const th_worker_process *th_isolation_workers(const th_isolation *isolation)
{
    return isolation ? &isolation->worker_process : NULL;
}

th_isolation_stats th_isolation_facts_of(const th_isolation *isolation)
{
    return (th_isolation_stats){ .started = atomic_load(&isolation->started),
                                 .died = atomic_load(&isolation->died) };
}

void th_isolation_close(th_isolation *isolation)
{
    if (!isolation)
        return;
    th_fork_server_close(isolation->fork_server);
    free(isolation);
}
