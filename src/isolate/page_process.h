/* The process in which pages are worked on: batches in, results out, nothing else. */
#ifndef TH_PAGE_PROCESS_H
#define TH_PAGE_PROCESS_H

#include "traffic/work.h"

/** What it is given at its birth; borrowed. */
typedef struct th_page_process {
    const th_work_options *work; /* its `elsewhere` is NULL */
    uint64_t memory;             /* bytes that it may take */
    th_worker *worker;           /* of the zygote, made by th_page_process_prepare */
    th_batch *batch;             /* the same */
} th_page_process;

/**
 * A th_zygote_prepare, whose context is a th_page_process: makes a worker and has it work
 * on pages of its own, so that what libraries load when they are first used (tables, their
 * configuration, the time zone) is there before files are out of reach, and once for all
 * processes.
 */
bool th_page_process_prepare(void *context);

/* What it writes when it is ready, and who asks writes for each batch. */
enum { TH_PAGE_PROCESS_READY = 'r', TH_PAGE_PROCESS_GO = 'g' };

/** A th_zygote_main, whose context is a th_page_process: shuts itself in, says that it is
 * ready, or sends words that say why not, and works until its socket is closed. */
int th_page_process_main(void *context, int socket, int memory);

#endif
