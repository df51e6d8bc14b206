/*
 * Maps keys to entries: open addressing over slots of 8 bytes, in memory or in a mapped
 * file. A key may occur several times, once for each entry.
 */
#ifndef TH_SLOT_TABLE_H
#define TH_SLOT_TABLE_H

#include "index/index_journal.h"

typedef struct th_slot {
    th_index_key key;
    th_entry_ref ref; /* 0 if free */
} th_slot;

typedef struct th_slot_table {
    th_slot *slots;
    uint64_t slot_count; /* 0 for an empty table, which contains no keys */
    uint64_t used;
} th_slot_table;

/* Maximum entries that one key finds; further ones are counted but not inserted. */
enum { TH_BUCKET_MAX = 64 };

/** Returns the slots needed for `keys` keys at the load of a full table, .7. */
uint64_t th_slot_table_size(uint64_t keys);

/** Frees what th_slot_table_reserve allocated. */
void th_slot_table_done(th_slot_table *table);

/** Reserves capacity for `more` further inserts. The table may be empty, all zero. Moves
 * everything in place when the load passes .7. TH_OK; TH_NOMEM: the table may have lost
 * keys and must only be freed. */
th_status th_slot_table_reserve(th_slot_table *table, uint64_t more);

/** Inserts a key; there must be a free slot. @return false if the key's bucket is full */
bool th_slot_table_insert(th_slot_table *table, th_index_key key, th_entry_ref ref);

/** Inserts all of a table into another, which must have the capacity. */
void th_slot_table_move(const th_slot_table *from, th_slot_table *to);

/** Prefetches the slots of a key into the cache. */
void th_slot_table_prefetch(const th_slot_table *table, th_index_key key);

/** Finds the entries of a key. @param refs  out: TH_BUCKET_MAX at most @return their
 * number */
unsigned th_slot_table_find(const th_slot_table *table, th_index_key key,
                            th_entry_ref *refs);

#endif
