/*
 * The journal of a segment: its entries in the order of insertion, each with a checksum.
 * Tables are built from the journal and can be rebuilt. [docs/near-index.md]
 */
#ifndef TH_INDEX_JOURNAL_H
#define TH_INDEX_JOURNAL_H

#include "index/index_entry.h"

/** The head of a journal. */
typedef struct th_journal_head {
    uint32_t number; /* of the segment */
    uint64_t epoch;  /* 0 if not known yet */
    uint64_t scheme; /* th_index_scheme_digest */
} th_journal_head;

typedef struct th_journal th_journal;

/** The position of an entry: its offset in units of 8 bytes; never 0. */
typedef uint32_t th_entry_ref;

/* Maximum bytes of a journal that references can address, minus the longest entry. */
#define TH_JOURNAL_MAX (((uint64_t)1 << 35) - (1 << 20))

/**
 * Creates a journal; an existing file is truncated. If the file cannot be created now, a
 * later call creates it. The next sync tries at the latest, and its status reports the
 * failure.
 * @param scheme  borrowed while the journal lives
 * @return TH_OK, TH_NOMEM
 */
th_status th_journal_create(const char *path, const th_journal_head *head,
                            const th_index_scheme *scheme, th_journal **out,
                            th_error *err);

/**
 * Opens a journal.
 * @param head      required number and scheme; out: the stored epoch
 * @param limit     bytes that count; a growing file is truncated there
 * @param is_growing  false for read only
 * @return TH_OK; TH_ABSENT; TH_DAMAGED if it is not a journal of this segment;
 *         TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_journal_open(const char *path, th_journal_head *head,
                          const th_index_scheme *scheme, uint64_t limit, bool is_growing,
                          th_journal **out, th_error *err);

/** Frees the journal. Entries that were not synced may be lost. NULL is legal. */
void th_journal_free(th_journal *journal);

/** Returns its bytes, including those not written yet. th_journal_open takes this as a
 * limit. */
uint64_t th_journal_len(const th_journal *journal);

/**
 * Appends a copy of an entry.
 * @return TH_OK, TH_NOMEM
 */
th_status th_journal_append(th_journal *journal, const th_index_entry *entry,
                            th_entry_ref *ref, th_error *err);

/** Makes all appended entries durable. TH_OK, TH_NO_ROOM, TH_IO, TH_NOMEM; after a
 * failure the caller may retry. */
th_status th_journal_sync(th_journal *journal, th_error *err);

/** Ends the growth of a journal with all entries synced: closes the file and frees the
 * buffer. Entries can still be read. */
void th_journal_end(th_journal *journal);

/** Sets the epoch in the head. It counts after the next sync. TH_OK, TH_NO_ROOM,
 * TH_IO. */
th_status th_journal_set_epoch(th_journal *journal, uint64_t epoch, th_error *err);

/**
 * Returns the entry at a position. NULL if there is no intact entry, which is damage.
 * Valid until the next append or sync.
 */
const th_index_entry *th_journal_entry(const th_journal *journal, th_entry_ref ref);

/** Called for each entry, in order. Any status but TH_OK ends the walk. */
typedef th_status (*th_journal_visit)(void *context, th_entry_ref ref,
                                      const th_index_entry *entry);

/**
 * Visits all intact entries.
 * @param damaged  out: places where bytes had to be skipped; may be NULL
 * @return TH_OK, or the first other status that `visit` returned
 */
th_status th_journal_walk(const th_journal *journal, th_journal_visit visit,
                          void *context, uint64_t *damaged);

#endif
