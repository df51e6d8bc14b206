/*
 * Fetches single records of remote archives ahead of the reader: ranges of one archive
 * that are close together with one request, several requests at a time. The reader gets
 * them in the order of the inputs, whatever the order of the answers.
 */
#ifndef TH_RANGE_FETCHER_H
#define TH_RANGE_FETCHER_H

#include "remote/remote.h"
#include "thresher/view.h"

enum {
    TH_RANGE_MAX = 16 << 20, /* bytes of a request; a longer record is not fetched here */
    TH_RANGE_REQUESTS_MAX = 64
};

typedef struct th_range_fetcher th_range_fetcher;

typedef struct th_range_fetcher_options {
    th_remote_options remote;  /* each request has its own connection */
    const char *const *inputs; /* names as of th_input_list; borrowed */
    uint32_t input_count;
    uint32_t first;    /* the first input that is read */
    uint64_t coalesce; /* bytes between two ranges that one request may fetch in vain */
    uint32_t requests; /* at a time, 1 to TH_RANGE_REQUESTS_MAX */
} th_range_fetcher_options;

/** A request: inputs of one archive, next to each other. */
typedef struct th_range {
    uint32_t first, count; /* inputs; count 0: none */
    size_t name_len;       /* of the archive, in the name of the first */
    uint64_t start, end;   /* bytes of the archive */
} th_range;

/**
 * Finds the range that begins with an input: it and the following inputs of the same
 * archive, in ascending order, with at most `coalesce` bytes between two.
 * @return count 0 if the input is not a single record with a length of a remote .warc or
 * .warc.gz
 */
th_range th_range_at(const th_range_fetcher_options *options, uint32_t input);

/** Starts no request yet. TH_OK; TH_NOMEM */
th_status th_range_fetcher_new(const th_range_fetcher_options *options,
                               th_range_fetcher **out, th_error *err);

/** Ends the requests. NULL is legal. */
void th_range_fetcher_free(th_range_fetcher *fetcher);

/**
 * Waits for the bytes of a record. Inputs are asked for in ascending order. The first call
 * starts the threads, so call it after any fork.
 * @param bytes  out: borrowed until the next call; shorter if the archive ends earlier
 * @return TH_OK. TH_ABSENT if the input is not fetched here (see th_range_at). TH_IO or
 * TH_NOT_YET as of th_remote_object_failure, with words only for the first record of the
 * request. TH_INTERRUPTED. TH_NOMEM.
 */
th_status th_range_fetcher_get(th_range_fetcher *fetcher, uint32_t input, th_view *bytes,
                               th_error *err);

#endif
