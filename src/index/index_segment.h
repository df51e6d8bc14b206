/* A segment of an index: a journal, and a table built from it, growing or sealed. */
#ifndef TH_INDEX_SEGMENT_H
#define TH_INDEX_SEGMENT_H

#include "index/sealed_table.h"

typedef struct th_index_segment {
    const th_index_scheme *scheme;
    char *journal_path, *table_path;
    uint32_t number;
    uint64_t epoch;   /* 0 if not known yet */
    bool is_sealed;   /* its table is a file */
    uint64_t entries; /* counted while the table is in memory; 0 if it was mapped */
    th_journal *journal;
    th_slot_table growing;  /* unless sealed */
    th_sealed_table sealed; /* if sealed */
} th_index_segment;

/** Problems found at opening; they are added to the existing counts. */
typedef struct th_segment_losses {
    uint64_t damaged; /* places with lost entries */
    uint64_t rebuilt; /* tables */
} th_segment_losses;

/** Creates an empty, growing segment; files with its number are replaced. TH_OK or
 * TH_NOMEM. If the journal cannot be created now, the next sync creates it. */
th_status th_index_segment_create(const char *dir, uint32_t number,
                                  const th_index_scheme *scheme, th_index_segment **out,
                                  th_error *err);

/**
 * Opens the growing segment and rebuilds its table from the journal.
 * @param journal_len  bytes of the journal that count; the rest is cut off. UINT64_MAX:
 *                     all
 * @return TH_OK; TH_ABSENT or TH_DAMAGED if it has no valid journal; TH_NO_ROOM; TH_IO;
 *         TH_NOMEM
 */
th_status th_index_segment_open_growing(const char *dir, uint32_t number,
                                        uint64_t journal_len,
                                        const th_index_scheme *scheme,
                                        th_index_segment **out, th_segment_losses *losses,
                                        th_error *err);

/**
 * Opens a sealed segment. A truncated, damaged or missing table is rebuilt. The table
 * remains in memory if it cannot be written, or if the journal is shorter than the table
 * says, which counts as damage.
 * @return as th_index_segment_open_growing
 */
th_status th_index_segment_open_sealed(const char *dir, uint32_t number,
                                       const th_index_scheme *scheme,
                                       th_index_segment **out, th_segment_losses *losses,
                                       th_error *err);

/**
 * Seals a segment that gets no more entries: stores its epoch, then writes and maps its
 * table. A sealed segment is unchanged.
 * @return TH_OK. After TH_NO_ROOM, TH_IO or TH_NOMEM the segment works as before, and the
 *         caller may retry
 */
th_status th_index_segment_seal(th_index_segment *segment, th_error *err);

/** Removes a segment's files. */
void th_index_segment_unlink(const char *dir, uint32_t number);

/** NULL is legal. */
void th_index_segment_free(th_index_segment *segment);

/** Inserts an entry. @param capped  counts keys whose bucket is full. TH_OK or
 * TH_NOMEM */
th_status th_index_segment_insert(th_index_segment *segment, const th_index_entry *entry,
                                  uint64_t *capped, th_error *err);

/** Prefetches the data for finding the entry. */
void th_index_segment_prefetch(const th_index_segment *segment,
                               const th_index_entry *entry);

/**
 * Finds entries that may share keys with this one, once for each key, in no order.
 * @param refs  out: space for key_count * TH_BUCKET_MAX @return their number
 */
size_t th_index_segment_find(const th_index_segment *segment, const th_index_entry *entry,
                             th_entry_ref *refs);

#endif
