/*
 * A valid message of a process, for tests that change it like a process that a page has
 * taken over, and a sink that uses all values of a message.
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

/** Processes a new batch. Aborts if anything fails. */
lying_process *lying_process_new(void);
void lying_process_free(lying_process *process);

/**
 * Receives a message like a worker's seat, and uses its values like the real callers: queries
 * the index, and reads each piece.
 * @param bytes  of the message, any
 * @return what th_result_receive said; TH_IO where the message ends too early
 */
th_status lying_process_hear(lying_process *process, th_view bytes);

#endif
