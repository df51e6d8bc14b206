/*
 * The end of a file in the spool: its position goes to the ledger, and the file to its
 * place: done/, failed/, away, or back to its own name.
 */
#ifndef TH_SPOOL_FINISH_H
#define TH_SPOOL_FINISH_H

#include "spool/spool_work.h"

/** Opens a folder, and makes it where it is missing. TH_OK; TH_USAGE: it is on another
 * file system; TH_IO. */
th_status th_spool_folder_open(const th_spool *spool, th_spool_folder *folder,
                               th_error *err);
void th_spool_folder_close(th_spool_folder *folder);

/** Whether an entry's file is in the spool, under either name. @param context  the
 * th_spool */
bool th_spool_is_present(void *context, const th_spool_entry *entry);

/** The ledger's entry of a file at one of its three positions. */
th_spool_entry th_spool_entry_of(const th_spool_queued *queued,
                                 const th_spool_progress *progress);

/** Whether the file has a position that the ledger does not have. */
bool th_spool_has_progress(const th_spool_queued *queued);

/** Makes room for entries in spool->entries. TH_OK, TH_NOMEM. */
th_status th_spool_reserve_entries(th_spool *spool, size_t count, th_error *err);

/** Handles a file that left the spool: its row of progress is no longer needed.
 * @param is_old  the row has the form of an earlier version */
void th_spool_withdraw(th_spool *spool, const th_spool_id *id, bool is_old);

/** Whether a file that is finished so remains in the spool. */
bool th_spool_keeps(const th_spool *spool, th_spool_state state);

/**
 * Puts a finished file where it belongs. A missing file needs nothing. The ledger already
 * knows that the file is finished. On failure the file is held and offered again.
 * @param reason    of a failed file, in words
 * @param was_held  it failed before: no second warning
 */
void th_spool_dispose(th_spool *spool, const th_spool_file *file,
                      const th_spool_entry *entry, const char *reason, bool was_held);

/** Saves the position of every file in the ledger with a note, then disposes of the
 * finished files. TH_OK, TH_NO_ROOM, TH_IO, TH_NOMEM. */
th_status th_spool_acknowledge(th_spool *spool, th_view note, th_error *err);

#endif
