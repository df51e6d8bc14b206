/* The table of a sealed segment: a read-only file of slots with a filter before them. */
#ifndef TH_SEALED_TABLE_H
#define TH_SEALED_TABLE_H

#include "index/key_filter.h"
#include "index/slot_table.h"

typedef struct th_sealed_table {
    th_slot_table table;
    th_key_filter filter;
    void *map; /* of the file */
    size_t map_len;
} th_sealed_table;

/** What a table's file says it was made from. */
typedef struct th_sealed_head {
    uint32_t number;      /* of the segment */
    uint64_t scheme;      /* th_index_scheme_digest */
    uint64_t journal_len; /* of the journal it was made from */
} th_sealed_head;

/**
 * Writes a table's file whole: temporary name, sync, rename.
 * @param table  its keys and entries
 * @return TH_OK, TH_NO_ROOM, TH_IO, TH_NOMEM
 * Cost: once through the table, once through the file; slots at load .7.
 */
th_status th_sealed_table_write(const char *path, const th_sealed_head *head,
                                const th_slot_table *table, th_error *err);

/**
 * Maps a file.
 * @param head  as it must be; its journal_len becomes that of the file if the file's head
 *              is intact
 * @return TH_OK; TH_ABSENT; TH_DAMAGED: it is cut off, damaged or of something else.
 *         Either way it is to be written again; TH_NO_ROOM; TH_IO; TH_NOMEM
 * Reads the file once, for its checksum.
 */
th_status th_sealed_table_open(const char *path, th_sealed_head *head,
                               th_sealed_table *out, th_error *err);

void th_sealed_table_close(th_sealed_table *sealed);

#endif
