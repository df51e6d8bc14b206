/*
 * Progress of a spool as rows for the output: docs/reliability.md#spool-to-kafka. The key
 * of a row is the inode of a file, `DEVICE-INODE`; its value `ID ENTRY` (spool_id.h,
 * spool_ledger.h). A key without a value withdraws the row of a file that is finished and
 * not in the spool any more, so that a start does not read rows of all files there ever
 * were.
 *
 * Earlier versions wrote the whole identity as the key and the entry as the value, and
 * withdrew none. Such rows are read, and replaced or withdrawn.
 */
#ifndef TH_SPOOL_ROWS_H
#define TH_SPOOL_ROWS_H

#include "spool/spool_ledger.h"

/** Keys to withdraw. Zeroed at first. */
typedef struct th_spool_rows {
    struct th_spool_row_key *keys;
    size_t count, capacity;
    size_t sent;       /* number of these, from the first, that the last rows withdraw */
    uint32_t *slots;   /* index into keys + 1, by key, while rows are read; else NULL */
    size_t slot_count; /* a power of 2 */
} th_spool_rows;

void th_spool_rows_done(th_spool_rows *rows);

/** Appends a row: key, tab, value, newline. */
void th_spool_row_write(const th_spool_entry *entry, th_buffer *out);

/**
 * Reads a row.
 * @param is_old  receives whether an earlier version wrote it
 * @return false if it is not such a row
 */
bool th_spool_row_read(th_view key, th_view value, th_spool_entry *entry, bool *is_old);

/** Notes that the row of a file is to be withdrawn. @return false if out of memory */
bool th_spool_rows_withdraw(th_spool_rows *rows, const th_spool_id *id, bool is_old);

/**
 * Notes that a row has been withdrawn: the topic has its key without a value, and is not
 * compacted yet. It is not withdrawn again. For use before the first th_spool_rows_write.
 */
void th_spool_rows_cancel(th_spool_rows *rows, th_view key);

/**
 * Appends withdrawals of the oldest rows noted, at most 10,000. Rows of progress come
 * after them: an inode may have gone to another file, whose row has the same key.
 * @param ledger  knows whether an inode has gone to another file, whose row is then kept
 */
void th_spool_rows_write(th_spool_rows *rows, const th_spool_ledger *ledger,
                         th_buffer *out);

/** Forgets the last written withdrawals, because they are durable. */
void th_spool_rows_sent(th_spool_rows *rows);

#endif
