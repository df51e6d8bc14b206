/*
 * The message of an honest process, for tests that change it into what a process says that
 * a page has taken over; and an outlet that uses all that a message says.
 */
#ifndef LYING_PROCESS_H
#define LYING_PROCESS_H

#include "traffic/work.h"

typedef struct lying_process {
    char *folder; /* of the index */
    th_index *index;
    th_options page;
    th_work_options options; /* with pieces, rejects and an index */
    th_batch batch;
    th_buffer honest; /* the message */
} lying_process;

/** Works on a batch of its own. Aborts where anything fails. */
lying_process *lying_process_new(void);
void lying_process_free(lying_process *process);

/**
 * Receives a message as a worker's seat does, and uses what it says where it is taken: the
 * index is asked, each piece is read.
 * @param bytes  of the message, any
 * @return what th_result_receive said; TH_IO where the message ends too early
 */
th_status lying_process_hear(lying_process *process, th_view bytes);

#endif
