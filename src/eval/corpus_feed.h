/* The pages of a corpus, taken in turn by the workers of workers. */
#ifndef TH_CORPUS_FEED_H
#define TH_CORPUS_FEED_H

#include <pthread.h>
#include <stddef.h>

#include "eval/corpus_lines.h"
#include "eval/eval.h"
#include "eval/parallel.h"

/** Reads one corpus after another, and keeps the results of pages in their order. */
typedef struct th_corpus_feed {
    const th_eval_request *request;    /* whom to tell, and when to stop; borrowed */
    uint64_t done_before, total_bytes; /* of the corpora before this one, and of all */
    size_t page_size;                  /* bytes that are kept of a page, at least 1 */

    pthread_mutex_t lock; /* of all below, while th_corpus_feed_run runs */
    void *pages;          /* the kept results: the caller's type, freed by the caller */
    size_t page_count, page_capacity;
    th_corpus_lines *reader;
    bool is_over;
} th_corpus_feed;

/** A worker's line; its buffer is used again. */
typedef struct th_corpus_line {
    th_buffer text;
    size_t page;     /* index of its results in th_corpus_feed.pages */
    uint64_t number; /* of the line, from 1 */
} th_corpus_line;

/**
 * Reads a corpus with workers of request->workers. The work calls th_corpus_feed_next, and
 * th_corpus_feed_stop when it ends early.
 * @return TH_OK; TH_USAGE if it contains no page; else the status of opening it or of the
 *         work
 */
th_status th_corpus_feed_run(th_corpus_feed *feed, const char *path,
                             th_parallel_work work, void *context, th_error *err);

/**
 * Takes the next line, and adds a page of zeros to `pages`, which may move.
 * @return TH_OK; TH_END if no line is left, or another worker has ended early;
 *         TH_INTERRUPTED, or as th_corpus_lines_next. line->number is set in any case
 */
th_status th_corpus_feed_next(th_corpus_feed *feed, th_corpus_line *line, th_error *err);

/** From now on there is no further line. */
void th_corpus_feed_stop(th_corpus_feed *feed);

#endif
