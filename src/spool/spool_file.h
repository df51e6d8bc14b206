/*
 * What happens to one file of a spool: taken, claimed, and put where it belongs at the
 * end. docs/reliability.md#spool (3), (5), (6)
 */
#ifndef TH_SPOOL_FILE_H
#define TH_SPOOL_FILE_H

#include "spool/spool_ledger.h"

/** A file of the spool. */
typedef struct th_spool_file {
    int fd; /* -1: closed. An open one is locked */
    th_spool_id id;
    int64_t written_ns;       /* when it was taken: its last write, since the epoch */
    bool is_claimed;          /* bears the suffix */
    char name[TH_SPOOL_NAME]; /* path below the spool, as the crawler called it */
} th_spool_file;

/**
 * Opens a file, locks it, finds its identity.
 * @param dir         descriptor of the spool
 * @param claims      spool_claims.h
 * @param is_claimed  it is NAME.processing by now
 * @return TH_OK; TH_NOT_YET (somebody has it, it is gone, no descriptors left: later
 *         perhaps); TH_IO (unreadable; err says why)
 * Reads at most TH_SPOOL_HASHED bytes.
 */
th_status th_spool_file_take(int dir, int claims, const char *name, bool is_claimed,
                             th_spool_file *out, th_error *err);

/**
 * Opens a file again that was taken and closed.
 * @return TH_OK; TH_NO_ROOM (no descriptors left: later perhaps); TH_IO (it is gone,
 *         another file has its name, it is unreadable; err says which)
 */
th_status th_spool_file_reopen(int dir, th_spool_file *file, th_error *err);

/** Whether a file that is to be claimed would have to wait: another one bears its name
 * and the suffix. */
bool th_spool_file_must_wait(int dir, const char *name);

/**
 * Claims a taken file by giving it the suffix. A claimed one is left as it is.
 * @return TH_OK; TH_NOT_YET (it is gone, or another file is called so: nothing has
 *         changed); TH_IO (the folder cannot be written)
 */
th_status th_spool_file_claim(int dir, th_spool_file *file, th_error *err);

/**
 * Moves a file from the spool to another folder of the same file system, into the
 * subfolders that it came from, which are made. Never over one that is there: then it
 * gets a number at its end. Another file that has got its name stays where it is.
 * @param as  out: the path it has got below that folder
 * @return TH_OK; TH_ABSENT (it is gone); TH_IO
 */
th_status th_spool_file_move(int dir, const th_spool_file *file, int to,
                             char as[TH_SPOOL_NAME], th_error *err);

/** Removes a file; not another one that has got its name. TH_OK; TH_ABSENT (it is gone);
 * TH_IO. */
th_status th_spool_file_remove(int dir, const th_spool_file *file, th_error *err);

/** Closes the file and gives up its lock. */
void th_spool_file_close(th_spool_file *file);

/**
 * Writes NAME.reason beside a failed file: one JSON object with name, size, reason,
 * records and offset.
 * @param dir     folder where the failed file lies
 * @param reason  what is wrong with it
 * @return TH_OK; TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_spool_file_explain(const char *dir, const char *name,
                                const th_spool_entry *entry, const char *reason,
                                th_error *err);

#endif
