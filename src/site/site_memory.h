/*
 * A site memory that grows while pages come in.
 *
 * Every record has a number, in input order. A page is judged by what was known when its
 * epoch began: `epoch` records make an epoch, and it is sealed, that is counted into the
 * sites, when all its records have been worked on. So the answers depend on the order of
 * the records alone: not on the workers, not on where batches end, not on crashes.
 *
 *     reader: take numbers ─► worker: wait for the epoch, look up, note ─► in order: keep
 *
 * Durable in two steps, as the index of near-duplicates is (docs/index.md): what was kept
 * goes to a journal, th_site_memory_prepare makes it durable under a mark that travels
 * with the output, th_site_memory_commit says that the output is durable too. In the
 * folder: `state` (marks, and the journal's length at each), `journal-N` (entries from
 * record N on), `sites-N` (a file of sites: all records before N). A snapshot is made when
 * the journal has grown; what lies behind a committed one is removed.
 */
#ifndef TH_SITE_MEMORY_H
#define TH_SITE_MEMORY_H

#include "base/notice.h"
#include "site/site_recall.h"

typedef struct th_site_memory th_site_memory;

typedef struct th_site_memory_options {
    const char *dir; /* made where it is missing; borrowed for th_site_memory_open */
    th_site_grouping grouping;
    bool has_segments; /* segments are counted, too */
    th_site_limits limits;
    uint32_t epoch;         /* records, 1 or more */
    uint64_t memory;        /* bytes of sites; those not seen longest are forgotten */
    uint64_t journal_bytes; /* a snapshot when the journal has grown by so much */
    th_notice notice;       /* of damage; may be NULL */
    void *notice_context;
} th_site_memory_options;

/**
 * Opens a memory, or makes one. It knows nothing before th_site_memory_rewind, which is
 * the call that follows, has said how far it counts.
 * @return TH_OK; TH_USAGE: another process has it, or it was made with other options;
 *         TH_DAMAGED with file and place in err; TH_IO; TH_NOMEM
 */
th_status th_site_memory_open(const th_site_memory_options *options, th_site_memory **out,
                              th_error *err);
/** What was not prepared is forgotten. NULL is legal. */
void th_site_memory_close(th_site_memory *memory);

/** How pages are looked up; each look-up takes a lock for reading and gives it back. */
const th_site_lookup *th_site_memory_lookup(const th_site_memory *memory);

/* ---- numbers, in the order of the input: one thread at a time ---- */

/** Where a batch stands. */
typedef struct th_site_turn {
    uint64_t first; /* number of its first record */
    uint64_t life;  /* numbers of an earlier life are void */
} th_site_turn;

th_site_turn th_site_memory_take(th_site_memory *memory, uint32_t records);

/** Whether numbers were taken whose records have not been kept. */
bool th_site_memory_has_open_turns(th_site_memory *memory);

/* ---- by workers ---- */

/**
 * Waits until what a record is judged by is sealed. All records before it of its own
 * worker must have been noted.
 * @return TH_OK, also where the turn is void: its result will be, too; TH_INTERRUPTED
 *         after th_site_memory_cancel
 */
th_status th_site_memory_wait(th_site_memory *memory, const th_site_turn *turn,
                              uint64_t number);

/** So many records have been worked on; `entries` are those of their pages, `when` one
 * more than the record's number. All are of one epoch. TH_OK or TH_NOMEM. */
th_status th_site_memory_note(th_site_memory *memory, const th_site_turn *turn,
                              uint32_t records, th_view entries);

/** The first record of the epoch behind the one of this record. */
uint64_t th_site_memory_epoch_end(const th_site_memory *memory, uint64_t number);

/** Wakes all that wait: the run has failed. Undone by th_site_memory_rewind. */
void th_site_memory_cancel(th_site_memory *memory);

/* ---- in input order, by the one thread that commits ---- */

/** Keeps the entries of the next `records` records. TH_OK or TH_NOMEM. */
th_status th_site_memory_keep(th_site_memory *memory, uint32_t records, th_view entries,
                              th_error *err);

/**
 * Makes all that was kept durable, under a mark.
 * @param other  a mark of the caller's that is kept with it: the index's
 * @param mark   out: 1 or more; grows by one, from a random number on
 * @return TH_OK; TH_NO_ROOM: the disk is full, it may be tried again; TH_IO
 */
th_status th_site_memory_prepare(th_site_memory *memory, uint64_t other, uint64_t *mark,
                                 th_error *err);

/** The mark prepared last will not be rewound. */
void th_site_memory_commit(th_site_memory *memory);

/**
 * Goes back to a mark, and forgets every number that was taken since.
 * @param mark   0: the last one committed
 * @param other  out: what was given with it; may be NULL
 * @return TH_OK; TH_USAGE: no such mark; TH_DAMAGED; TH_IO; TH_NOMEM
 */
th_status th_site_memory_rewind(th_site_memory *memory, uint64_t mark, uint64_t *other,
                                th_error *err);

bool th_site_memory_knows(const th_site_memory *memory, uint64_t mark);

/** The mark prepared last; 0: none. */
uint64_t th_site_memory_mark(const th_site_memory *memory);

typedef struct th_site_memory_facts {
    uint64_t sites, bytes;  /* in memory */
    uint64_t records;       /* sealed */
    uint64_t journal_bytes; /* of the growing segment */
    uint64_t forgotten;     /* sites, for want of memory, since the memory was opened */
} th_site_memory_facts;

/** Waits where an epoch is just being sealed. */
void th_site_memory_facts_get(th_site_memory *memory, th_site_memory_facts *out);

#endif
