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

/** The origin of a table, stored in its file. */
typedef struct th_sealed_head {
    uint32_t number;      /* of the segment */
    uint64_t scheme;      /* th_index_scheme_digest */
    uint64_t journal_len; /* of the journal that it was built from */
} th_sealed_head;

/**
 * Writes a table's file atomically: temporary name, sync, rename.
 * @param table  its keys and entries
 * @return TH_OK, TH_NO_ROOM, TH_IO, TH_NOMEM
 * Cost: one pass over the table, one over the file; slots at load .7.
 */
th_status th_sealed_table_write(const char *path, const th_sealed_head *head,
                                const th_slot_table *table, th_error *err);

/**
 * Maps a file.
 * @param head  required head; if the file's head is intact, journal_len is set to the
 *              file's
 * @return TH_OK. TH_ABSENT. TH_DAMAGED if it is truncated, damaged or of another kind. In
 *         both cases it must be written again. TH_NO_ROOM. TH_IO. TH_NOMEM
 * Reads the file once, for its checksum.
 */
th_status th_sealed_table_open(const char *path, th_sealed_head *head,
                               th_sealed_table *out, th_error *err);

void th_sealed_table_close(th_sealed_table *sealed);

#endif
