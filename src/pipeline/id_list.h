/*
 * A set of record ids from a file, such as the list of `dedup --output drop`. It holds
 * 16 bytes of each id: a hash of 128 bits, for which two ids are never equal in practice.
 */
#ifndef TH_ID_LIST_H
#define TH_ID_LIST_H

#include "page/record.h"

enum { TH_ID_LIST_LINE = 8192 }; /* bytes of the longest line, with its end */

typedef struct th_id_list th_id_list;

/**
 * Reads ids, one per line. Spaces at both ends and empty lines are ignored.
 * @param out  freed by th_id_list_free; NULL unless TH_OK
 * @return TH_OK; TH_USAGE if a line is too long, with its number in err; TH_IO; TH_NOMEM.
 * O(n log n), 16 to 32 bytes of memory per id.
 */
th_status th_id_list_read(const char *path, th_id_list **out, th_error *err);

void th_id_list_free(th_id_list *list);

/**
 * Returns whether the id of the record (th_record_id_write) is in the list. O(log n).
 * Thread-safe.
 */
bool th_id_list_has(const th_id_list *list, const th_record *record);

/** Returns a digest of the ids that does not depend on their order. */
uint64_t th_id_list_checksum(const th_id_list *list);

#endif
