/* A queue with one lock, and workers. A request is a batch of one record. */
#include "traffic/page_service.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"

#define IDLE UINT64_MAX

struct seat {
    th_page_service *service;
    pthread_t thread;
    /* guarded by the lock of the service */
    const th_work_options *options; /* that its worker uses */
    uint64_t number;                /* of its request; IDLE if it has none */
    /* the thread's own */
    th_worker *worker; /* NULL without memory: tried again for each request */
    th_batch *batch;
    th_work_buffers buffers;
};

struct th_page_service {
    struct seat *seats;
    unsigned count;
    th_budget *budget;

    pthread_mutex_t lock;   /* all below */
    pthread_cond_t queued;  /* a request, options, or the end: for workers */
    pthread_cond_t renewed; /* a seat has taken the options, or is idle at the end */
    const th_work_options *options;
    th_page_request *first, **end; /* the queue */
    uint64_t begun;                /* requests; numbers them for the budget */
    double busy_seconds;
    bool is_cancelled, is_ending;
};

/* The oldest request in progress never waits for memory. Called with the lock held. */
static void advance_budget(th_page_service *service)
{
    uint64_t oldest = service->begun;
    for (unsigned i = 0; i < service->count; i++)
        if (service->seats[i].number < oldest)
            oldest = service->seats[i].number;
    th_budget_advance(service->budget, oldest);
}

/* Gives the seat a worker with the present options. Called with the lock held, which it
 * releases meanwhile. */
static void renew_worker(struct seat *seat)
{
    th_page_service *service = seat->service;
    const th_work_options *options = service->options;
    pthread_mutex_unlock(&service->lock);
    th_worker_free(seat->worker);
    seat->worker = th_worker_new(options);
    pthread_mutex_lock(&service->lock);
    seat->options = options;
    pthread_cond_broadcast(&service->renewed);
}

/* Returns the next request, or NULL when the service has ended. Called with the lock
 * held. */
static th_page_request *next_request(struct seat *seat)
{
    th_page_service *service = seat->service;
    for (;;) {
        if (seat->options != service->options || (service->first && !seat->worker))
            renew_worker(seat);
        else if (!service->first && service->is_ending)
            return NULL;
        else if (!service->first)
            pthread_cond_wait(&service->queued, &service->lock);
        if (seat->options == service->options && service->first)
            break;
    }
    th_page_request *request = service->first;
    service->first = request->next;
    if (!service->first)
        service->end = &service->first;
    seat->number = service->begun++;
    return request;
}

/* Copies the answer from the worker's buffers. */
static th_status take_answer(const th_work_result *result, th_page_request *request)
{
    const th_piece *piece = result->pieces;
    const bool is_page = piece->status == TH_OK;
    const th_view bytes = is_page ? result->pages : result->details;
    const size_t start = is_page ? piece->start : piece->detail_start;
    const size_t len = is_page ? piece->len : piece->detail_len;
    th_buffer_append(&request->out, bytes.data + start, len);
    return request->out.has_failed ? TH_NOMEM : piece->status;
}

static th_status process(struct seat *seat, th_page_request *request)
{
    const th_work_flow flow = { .budget = seat->service->budget, .number = seat->number };
    th_work_result result;
    if (!seat->worker)
        return TH_NOMEM;
    seat->batch->records[0] = request->record;
    seat->batch->record_count = 1;
    th_status status =
        th_work(seat->worker, seat->batch, &flow, &seat->buffers, &result, NULL);
    if (status == TH_OK)
        status = take_answer(&result, request);
    th_work_buffers_release_memory(&seat->buffers, flow.budget);
    return status;
}

static void *seat_main(void *context)
{
    struct seat *seat = context;
    th_page_service *service = seat->service;
    th_page_request *request;
    pthread_mutex_lock(&service->lock);
    while ((request = next_request(seat))) {
        pthread_mutex_unlock(&service->lock);
        const int64_t start = th_clock_ns(CLOCK_MONOTONIC);
        request->status = process(seat, request);
        const double took = (double)(th_clock_ns(CLOCK_MONOTONIC) - start) * 1e-9;
        request->done(request); /* not ours any more */
        pthread_mutex_lock(&service->lock);
        service->busy_seconds += took;
        seat->number = IDLE;
        advance_budget(service);
        if (service->is_cancelled)
            pthread_cond_broadcast(&service->renewed);
    }
    pthread_mutex_unlock(&service->lock);
    th_worker_free(seat->worker);
    return NULL;
}

static th_status start_seat(th_page_service *service)
{
    struct seat *seat = &service->seats[service->count];
    sigset_t all, before;
    *seat = (struct seat){ .service = service, .number = IDLE };
    seat->batch = calloc(1, sizeof *seat->batch);
    if (!seat->batch)
        return TH_NOMEM;
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&seat->thread, NULL, seat_main, seat);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        free(seat->batch);
        return TH_NOMEM;
    }
    service->count++;
    return TH_OK;
}

th_status th_page_service_new(const th_work_options *options, unsigned workers,
                              th_page_service **out, th_error *err)
{
    th_page_service *service = calloc(1, sizeof *service);
    if (!service)
        return th_fail(err, TH_NOMEM, "cannot allocate a service of pages");
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->queued, NULL);
    pthread_cond_init(&service->renewed, NULL);
    service->options = options;
    service->end = &service->first;
    service->seats = calloc(workers, sizeof *service->seats);
    service->budget = th_work_budget_new(options, workers);
    th_status status = service->seats && service->budget ? TH_OK : TH_NOMEM;
    pthread_mutex_lock(&service->lock); /* the count is complete when a worker reads it */
    while (status == TH_OK && service->count < workers)
        status = start_seat(service);
    pthread_mutex_unlock(&service->lock);
    if (status != TH_OK) {
        th_page_service_free(service);
        return th_fail(err, status, "cannot start %u workers", workers);
    }
    *out = service;
    return TH_OK;
}

static void interrupt(th_page_request *request)
{
    request->status = TH_INTERRUPTED;
    request->done(request);
}

void th_page_service_submit(th_page_service *service, th_page_request *request)
{
    request->next = NULL;
    pthread_mutex_lock(&service->lock);
    const bool is_cancelled = service->is_cancelled;
    if (!is_cancelled) {
        *service->end = request;
        service->end = &request->next;
        pthread_cond_signal(&service->queued);
    }
    pthread_mutex_unlock(&service->lock);
    if (is_cancelled)
        interrupt(request);
}

static bool is_in_use(const th_page_service *service, const th_work_options *options)
{
    for (unsigned i = 0; i < service->count; i++)
        if (service->seats[i].options != options)
            return false;
    return true;
}

void th_page_service_use(th_page_service *service, const th_work_options *options)
{
    pthread_mutex_lock(&service->lock);
    service->options = options;
    pthread_cond_broadcast(&service->queued);
    while (!is_in_use(service, options))
        pthread_cond_wait(&service->renewed, &service->lock);
    pthread_mutex_unlock(&service->lock);
}

double th_page_service_busy(th_page_service *service)
{
    pthread_mutex_lock(&service->lock);
    const double seconds = service->busy_seconds;
    pthread_mutex_unlock(&service->lock);
    return seconds;
}

static bool is_busy(const th_page_service *service)
{
    for (unsigned i = 0; i < service->count; i++)
        if (service->seats[i].number != IDLE)
            return true;
    return false;
}

void th_page_service_cancel(th_page_service *service)
{
    pthread_mutex_lock(&service->lock);
    service->is_cancelled = true;
    th_page_request *request = service->first;
    service->first = NULL;
    service->end = &service->first;
    pthread_mutex_unlock(&service->lock);
    while (request) {
        th_page_request *next = request->next;
        interrupt(request);
        request = next;
    }
    pthread_mutex_lock(&service->lock);
    while (is_busy(service))
        pthread_cond_wait(&service->renewed, &service->lock);
    pthread_mutex_unlock(&service->lock);
}

void th_page_service_free(th_page_service *service)
{
    if (!service)
        return;
    pthread_mutex_lock(&service->lock);
    service->is_ending = true;
    pthread_cond_broadcast(&service->queued);
    pthread_mutex_unlock(&service->lock);
    for (unsigned i = 0; i < service->count; i++) {
        pthread_join(service->seats[i].thread, NULL);
        th_work_buffers_done(&service->seats[i].buffers);
        free(service->seats[i].batch);
    }
    th_budget_free(service->budget);
    pthread_cond_destroy(&service->queued);
    pthread_cond_destroy(&service->renewed);
    pthread_mutex_destroy(&service->lock);
    free(service->seats);
    free(service);
}
