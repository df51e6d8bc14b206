/*
 * The state that a run or the daemon keeps from earlier pages: the index of
 * near-duplicates, the memory of sites, either or both. They move forward and back
 * together, by one mark that travels with the output. If there is a memory of sites, the
 * mark is its mark, and it stores the index's mark.
 */
#ifndef TH_SEEN_STATE_H
#define TH_SEEN_STATE_H

#include "index/near_index.h"
#include "site/site_memory.h"
#include "traffic/work_result.h"

/** NULL members are not used. */
typedef struct th_seen_state {
    th_index *index;
    th_site_memory *sites;
} th_seen_state;

bool th_seen_state_is_used(const th_seen_state *seen);

/** Gives a batch its place among the records. Call it in input order. */
void th_seen_state_number(const th_work_options *options, th_batch *batch);

/** As th_index_prepare. `mark` is 0 if there is no memory. */
th_status th_seen_state_prepare(const th_seen_state *seen, uint64_t *mark, th_error *err);
void th_seen_state_commit(const th_seen_state *seen);

/** As th_index_rewind. */
th_status th_seen_state_rewind(const th_seen_state *seen, uint64_t mark, th_error *err);

/**
 * Returns the state at the start to the output's mark, or 0 if it has no mark. A new
 * memory is filled again. Call it before any look-up.
 */
th_status th_seen_state_take_up(const th_seen_state *seen, uint64_t mark, th_error *err);

/**
 * Drops entries that were numbered and not kept. Their records will be read again. TH_OK;
 * as rewind says.
 */
th_status th_seen_state_drop(const th_seen_state *seen, bool has_staged, th_error *err);

bool th_seen_state_know(const th_seen_state *seen, uint64_t mark);

/**
 * Settles a result in its place in the order: looks up near-duplicates and writes them
 * into its records, and keeps the facts of its pages. TH_OK, TH_IO, TH_NOMEM.
 */
th_status th_seen_state_settle(th_work_result *result, th_error *err);

#endif
