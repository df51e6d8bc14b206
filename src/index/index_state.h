/* The state file of an index: the last two states that were made durable. */
#ifndef TH_INDEX_STATE_H
#define TH_INDEX_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/** What an index did since it was made. */
typedef struct th_index_counts {
    uint64_t pages;      /* looked up */
    uint64_t duplicates; /* of them, near-duplicates of one that was there */
    uint64_t exact;      /* of the duplicates, short pages with the same digest */
    uint64_t again;      /* pages that were in the index already: the same record again */
    uint64_t inserted;   /* representatives */
    uint64_t renewed;    /* representatives seen again, copied to the growing segment */
    uint64_t unsigned_;  /* pages with nothing to compare */
    uint64_t capped;     /* keys not inserted, their bucket being full */
    uint64_t expired;    /* segments */
    uint64_t damaged;    /* places where entries are lost, and segments that are */
    uint64_t rebuilt;    /* tables made again from their journal */
} th_index_counts;

/** Everything that decides what an index answers next, but the entries themselves. */
typedef struct th_index_state {
    uint64_t mark;        /* its number; 0: nothing was prepared yet */
    uint32_t first;       /* oldest segment */
    uint32_t current;     /* the growing one */
    uint64_t journal_len; /* of the growing one */
    uint64_t entries;     /* in the growing one */
    uint64_t epoch;       /* of the growing one; 0: not known */
    /* Pages dated after this epoch less the others, never below 0. */
    uint64_t votes;
    uint64_t voted_epoch; /* earliest epoch among them */
    th_index_counts counts;
} th_index_state;

typedef struct th_index_states {
    th_index_state older, newest; /* equal where there is but one */
} th_index_states;

/** Replaces the file whole; syncs it and its folder. TH_OK, TH_NO_ROOM, TH_IO,
 * TH_NOMEM. */
th_status th_index_states_save(const th_index_states *states, const char *path,
                               th_error *err);

/**
 * Reads both.
 * @return TH_OK; TH_ABSENT; TH_DAMAGED; TH_NO_ROOM: no descriptor is free; TH_IO
 */
th_status th_index_states_load(th_index_states *states, const char *path, th_error *err);

#endif
