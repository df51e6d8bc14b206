/*
 * A site memory that grows while pages arrive.
 *
 * Every record has a number, in input order. `epoch` records make an epoch. When all
 * records of an epoch have been processed, it is sealed, which counts it into the sites.
 * A page is judged by the sites as they were when its epoch began. So the results depend
 * only on the order of the records, not on the workers, the ends of batches, or crashes.
 *
 *     reader: take numbers ─► worker: wait for the epoch, look up, note ─► in order: keep
 *
 * A commit has two steps, like in the index of near-duplicates (docs/near-index.md). Kept
 * entries go to a journal. th_site_memory_prepare makes it durable under a mark that is
 * stored with the output. th_site_memory_commit is called when the output is durable too.
 * The folder contains `state` (marks, and the journal's length at each), `journal-N`
 * (entries, starting at record N), and `sites-N` (a file of sites: all records before N).
 * A snapshot is made when the journal has grown. Files older than a committed snapshot
 * are removed.
 */
#ifndef TH_SITE_MEMORY_H
#define TH_SITE_MEMORY_H

#include "base/warning.h"
#include "site/site_recall.h"

typedef struct th_site_memory th_site_memory;

typedef struct th_site_memory_options {
    const char *dir; /* created if missing; borrowed for th_site_memory_open */
    th_site_grouping grouping;
    bool has_segments; /* also count segments */
    th_site_limits limits;
    uint32_t epoch;         /* records, 1 or more */
    uint64_t memory;        /* bytes of sites; forgets the least recently seen */
    uint64_t journal_bytes; /* growth of the journal before a snapshot */
    th_warning_fn warn;     /* of damage; may be NULL */
    void *warn_context;
} th_site_memory_options;

/**
 * Opens a memory, or creates one. It is empty until th_site_memory_rewind, which must be
 * the next call and says which mark counts.
 * @return TH_OK. TH_USAGE if another process has it, or it was made with other options.
 *         TH_DAMAGED, with file and place in err. TH_IO. TH_NOMEM
 */
th_status th_site_memory_open(const th_site_memory_options *options, th_site_memory **out,
                              th_error *err);
/** Closes a memory and forgets entries that were not prepared. NULL is legal. */
void th_site_memory_close(th_site_memory *memory);

/** Returns the look-up of sites. Each look-up holds a read lock. */
const th_site_lookup *th_site_memory_lookup(const th_site_memory *memory);

/* ---- numbers, in the order of the input: one thread at a time ---- */

/** The position of a batch. */
typedef struct th_site_turn {
    uint64_t first; /* number of its first record */
    uint64_t life;  /* positions of an earlier life are void */
} th_site_turn;

th_site_turn th_site_memory_take(th_site_memory *memory, uint32_t records);

/** Returns whether numbers were taken without keeping their records yet. */
bool th_site_memory_has_open_turns(th_site_memory *memory);

/* ---- by workers ---- */

/**
 * Waits until the data that a record is judged by is sealed. The same worker's earlier
 * records must have been noted.
 * @return TH_OK, also if the turn is void, because its result is also void.
 *         TH_INTERRUPTED after th_site_memory_cancel
 */
th_status th_site_memory_wait(th_site_memory *memory, const th_site_turn *turn,
                              uint64_t number);

/** Reports processed records of one epoch. `entries` are the entries of their pages, with
 * `when` one more than the record's number. TH_OK or TH_NOMEM. */
th_status th_site_memory_note(th_site_memory *memory, const th_site_turn *turn,
                              uint32_t records, th_view entries);

/** Returns the first record of the next epoch after this record's. */
uint64_t th_site_memory_epoch_end(const th_site_memory *memory, uint64_t number);

/** Wakes all waiting threads after a failure of the run. th_site_memory_rewind resets
 * this. */
void th_site_memory_cancel(th_site_memory *memory);

/* ---- in input order, by the one thread that commits ---- */

/** Keeps the entries of the next `records` records. TH_OK or TH_NOMEM. */
th_status th_site_memory_keep(th_site_memory *memory, uint32_t records, th_view entries,
                              th_error *err);

/**
 * Makes all kept entries durable, under a mark.
 * @param other  the caller's mark that is stored with it: the index's
 * @param mark   out: at least 1; increases by one, starting at a random number
 * @return TH_OK; TH_NO_ROOM if the disk is full, then the caller may retry; TH_IO
 */
th_status th_site_memory_prepare(th_site_memory *memory, uint64_t other, uint64_t *mark,
                                 th_error *err);

/** Declares that the mark prepared last will not be rewound. */
void th_site_memory_commit(th_site_memory *memory);

/**
 * Returns to a mark, and forgets every number that was taken since.
 * @param mark   0 for the last one committed
 * @param other  out: the value stored with the mark; may be NULL
 * @return TH_OK; TH_USAGE if there is no such mark; TH_DAMAGED; TH_IO; TH_NOMEM
 */
th_status th_site_memory_rewind(th_site_memory *memory, uint64_t mark, uint64_t *other,
                                th_error *err);

bool th_site_memory_knows(const th_site_memory *memory, uint64_t mark);

/** Returns the mark prepared last; 0 if there is none. */
uint64_t th_site_memory_mark(const th_site_memory *memory);

typedef struct th_site_memory_stats {
    uint64_t sites, bytes;  /* in memory */
    uint64_t records;       /* sealed */
    uint64_t journal_bytes; /* of the growing segment */
    uint64_t forgotten;     /* sites, because of the memory limit, since opening */
} th_site_memory_stats;

/** Returns the statistics. Waits while an epoch is being sealed. */
void th_site_memory_facts_get(th_site_memory *memory, th_site_memory_stats *out);

#endif
