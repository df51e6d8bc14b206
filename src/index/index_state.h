/* The state file of an index: the last two durable states. */
#ifndef TH_INDEX_STATE_H
#define TH_INDEX_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/** Counters of an index since its creation. */
typedef struct th_index_counts {
    uint64_t pages;      /* looked up */
    uint64_t duplicates; /* near-duplicates of an earlier page */
    uint64_t exact;      /* duplicates that are short pages with equal digests */
    uint64_t again;      /* pages of records that were already in the index */
    uint64_t inserted;   /* representatives */
    uint64_t renewed;    /* representatives seen again, copied to the growing segment */
    uint64_t unsigned_;  /* pages without data to compare */
    uint64_t capped;     /* keys not inserted because their bucket is full */
    uint64_t expired;    /* segments */
    uint64_t damaged;    /* places with lost entries, and lost segments */
    uint64_t rebuilt;    /* tables rebuilt from their journal */
} th_index_counts;

/** The complete state of an index, except its entries. */
typedef struct th_index_state {
    uint64_t mark;        /* its number; 0 if no mark was prepared yet */
    uint32_t first;       /* oldest segment */
    uint32_t current;     /* the growing one */
    uint64_t journal_len; /* of the growing one */
    uint64_t entries;     /* in the growing one */
    uint64_t epoch;       /* of the growing one; 0 if unknown */
    /* Pages dated after this epoch minus other pages, never below 0. */
    uint64_t votes;
    uint64_t voted_epoch; /* earliest epoch among the pages dated after it */
    th_index_counts counts;
} th_index_state;

typedef struct th_index_states {
    th_index_state older, newest; /* equal if there is only one */
} th_index_states;

/** Replaces the file atomically; syncs it and its folder. TH_OK, TH_NO_ROOM, TH_IO,
 * TH_NOMEM. */
th_status th_index_states_save(const th_index_states *states, const char *path,
                               th_error *err);

/**
 * Reads both states.
 * @return TH_OK; TH_ABSENT; TH_DAMAGED; TH_NO_ROOM if no descriptor is free; TH_IO
 */
th_status th_index_states_load(th_index_states *states, const char *path, th_error *err);

#endif
