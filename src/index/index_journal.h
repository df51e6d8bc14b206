/*
 * The journal of a segment: its entries in the order they were inserted, each with a
 * checksum. Tables are made from it and can be made again.
 * [docs/near-duplicates.md#index]
 */
#ifndef TH_INDEX_JOURNAL_H
#define TH_INDEX_JOURNAL_H

#include "index/index_entry.h"

/** What stands at the start of a journal. */
typedef struct th_journal_head {
    uint32_t number; /* of the segment */
    uint64_t epoch;  /* 0: not known yet */
    uint64_t scheme; /* th_index_scheme_digest */
} th_journal_head;

typedef struct th_journal th_journal;

/** Where an entry stands: its offset in units of 8 bytes; never 0. */
typedef uint32_t th_entry_ref;

/* Bytes of a journal that references reach, less the longest entry. */
#define TH_JOURNAL_MAX (((uint64_t)1 << 35) - (1 << 20))

/**
 * Makes a new journal; a file that is there is emptied. A file that cannot be made now is
 * made later, at the next sync at the latest, whose status says when that fails too.
 * @param scheme  borrowed while the journal lives
 * @return TH_OK, TH_NOMEM
 */
th_status th_journal_create(const char *path, const th_journal_head *head,
                            const th_index_scheme *scheme, th_journal **out,
                            th_error *err);

/**
 * Opens a journal.
 * @param head      number and scheme as they must be; out: the epoch that is stored
 * @param limit     bytes that count; the file is cut there when it is to grow
 * @param is_growing  false: to read only
 * @return TH_OK; TH_ABSENT; TH_DAMAGED: it is no journal of this segment;
 *         TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_journal_open(const char *path, th_journal_head *head,
                          const th_index_scheme *scheme, uint64_t limit, bool is_growing,
                          th_journal **out, th_error *err);

/** Frees; what was not synced may be lost. NULL is legal. */
void th_journal_free(th_journal *journal);

/** Bytes, those not written yet too: what th_journal_open takes as a limit. */
uint64_t th_journal_len(const th_journal *journal);

/**
 * Appends a copy of an entry.
 * @return TH_OK, TH_NOMEM
 */
th_status th_journal_append(th_journal *journal, const th_index_entry *entry,
                            th_entry_ref *ref, th_error *err);

/** Makes all that was appended durable. TH_OK, TH_NO_ROOM, TH_IO, TH_NOMEM; after a
 * failure it may be tried again. */
th_status th_journal_sync(th_journal *journal, th_error *err);

/** Ends the growth of a journal of which all is synced: closes the file and frees the
 * buffer. Entries are read as before. */
void th_journal_end(th_journal *journal);

/** Notes the epoch in the head: it counts from the next sync on. TH_OK, TH_NO_ROOM,
 * TH_IO. */
th_status th_journal_set_epoch(th_journal *journal, uint64_t epoch, th_error *err);

/** Starts to load an entry into the cache. */
void th_journal_prefetch(const th_journal *journal, th_entry_ref ref);

/**
 * The entry at a place; NULL when no intact entry is there, which is damage.
 * Valid until the next append or sync.
 */
const th_index_entry *th_journal_entry(const th_journal *journal, th_entry_ref ref);

/** Called for each entry, in order. Not TH_OK ends the walk. */
typedef th_status (*th_journal_visit)(void *context, th_entry_ref ref,
                                      const th_index_entry *entry);

/**
 * Walks over all intact entries.
 * @param damaged  out: places where bytes had to be passed over; may be NULL
 * @return TH_OK, or what `visit` returned
 */
th_status th_journal_walk(const th_journal *journal, th_journal_visit visit,
                          void *context, uint64_t *damaged);

#endif
