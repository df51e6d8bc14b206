/*
 * Workers for single pages that somebody waits for: requests in, an answer to each as soon
 * as it is ready. A slow page delays only itself and the requests that wait for a worker.
 * Batches in the order of an input are the pool's (traffic/pool.h).
 */
#ifndef TH_PAGE_SERVICE_H
#define TH_PAGE_SERVICE_H

#include "traffic/work.h"

/** A page to process. The caller keeps it until `done` is called. */
typedef struct th_page_request {
    th_record record; /* its views are borrowed until then */
    th_buffer out;    /* gets the formatted page, or the reason of a refusal; owned */
    /* Out: TH_OK, or the status of a refusal. TH_NOMEM, or TH_IO if a worker process
     * cannot continue. TH_INTERRUPTED if the service ended first. */
    th_status status;
    /** Called once, without a lock: on a worker's thread, or on that of _submit or _cancel
     * for TH_INTERRUPTED. */
    void (*done)(struct th_page_request *request);
    struct th_page_request *next; /* of the service */
} th_page_request;

typedef struct th_page_service th_page_service;

/**
 * Starts the workers.
 * @param options  with wants_pieces, without index and memory of sites; borrowed until
 *                 th_page_service_use replaces them
 * @param workers  1..256
 * @return TH_OK or TH_NOMEM
 */
th_status th_page_service_new(const th_work_options *options, unsigned workers,
                              th_page_service **out, th_error *err);

/**
 * Hands a request to the workers, in the order of submission. Takes one lock and never
 * waits. The caller limits the number of requests. Call it from any thread.
 */
void th_page_service_submit(th_page_service *service, th_page_request *request);

/**
 * Replaces the options. Waits until no worker uses the earlier ones: at most for the time
 * of one page.
 * @param options  at another address than the earlier ones; borrowed
 */
void th_page_service_use(th_page_service *service, const th_work_options *options);

/** Seconds that all workers were busy since the start. */
double th_page_service_busy(th_page_service *service);

/** Ends requests that no worker has begun, and all later ones, as TH_INTERRUPTED. Waits for
 * the others: on return no request is in progress. */
void th_page_service_cancel(th_page_service *service);

/** Processes all requests, then ends the workers. NULL is legal. */
void th_page_service_free(th_page_service *service);

#endif
