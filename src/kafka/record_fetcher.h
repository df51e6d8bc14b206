/*
 * Fetches single records from a store in a separate thread, so a slow store blocks
 * neither the thread that reads the topics nor the end of the daemon.
 *
 * One thread requests a record repeatedly until it gets the result. The first request
 * for a record starts the fetch, a later request gets the result. A fetcher has one
 * fetch at a time.
 */
#ifndef TH_RECORD_FETCHER_H
#define TH_RECORD_FETCHER_H

#include "ingest/source.h"
#include "ingest/warc_pointer.h"
#include "warc/warc_diag.h"

enum {
    TH_FETCHED_DIAGS = 16,         /* diagnostics that are kept of a record */
    TH_FETCHER_UNCLAIMED_MS = 5000 /* a result that no request wants is discarded */
};

typedef struct th_record_fetcher_options {
    const th_remote_options *store; /* how the store is reached; `stop` is replaced */
    uint64_t max_record;            /* bytes of a block that are kept */
    bool verify_digests;
} th_record_fetcher_options;

/** Result of a fetch. */
typedef struct th_fetched {
    /* TH_OK; TH_IO or TH_NOT_YET, with words that name object and offset; TH_NOMEM */
    th_status status;
    th_error why;
    uint32_t retry_after_s; /* wait that the store asks for, 0 if none */
    uint32_t took_ms;
    const th_record *record; /* if TH_OK; without position.file */
    warc_diag diags[TH_FETCHED_DIAGS];
    uint32_t diag_count;
} th_fetched;

typedef struct th_record_fetcher th_record_fetcher;

/** Connects to nothing, and starts no thread yet.
 * @param options  copied; the objects it points to are borrowed while the fetcher lives
 * @return TH_OK; TH_USAGE; TH_NOMEM */
th_status th_record_fetcher_new(const th_record_fetcher_options *options,
                                th_record_fetcher **out, th_error *err);

/** Stops the fetch in progress, within 100 ms if the system's resolver does not wait. NULL
 * is legal. */
void th_record_fetcher_free(th_record_fetcher *fetcher);

/**
 * Asks for a record.
 * @param name     of the archive, copied
 * @param wait_ms  longest wait for a fetch that this call starts
 * @return the result, borrowed until the next call; NULL if the caller must ask again
 * later
 * For one thread.
 */
const th_fetched *th_record_fetcher_query(th_record_fetcher *fetcher, const char *name,
                                          const th_warc_pointer *pointer, int wait_ms);

#endif
