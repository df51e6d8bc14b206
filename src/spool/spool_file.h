/*
 * What happens to one file of a spool: taken, claimed, and put where it belongs at the
 * end. docs/reliability.md#spool (3), (5), (6)
 */
#ifndef TH_SPOOL_FILE_H
#define TH_SPOOL_FILE_H

#include "spool/spool_ledger.h"

/* Longest path of a file as it is called now, with its NUL. */
enum { TH_SPOOL_PRESENT = TH_SPOOL_NAME + sizeof ".9999" + sizeof TH_SPOOL_CLAIMED };

/** A file of the spool. */
typedef struct th_spool_file {
    int fd; /* -1: closed. An open one is locked */
    th_spool_id id;
    bool is_claimed;                /* has the suffix */
    char name[TH_SPOOL_NAME];       /* path below the spool, as the crawler called it */
    char present[TH_SPOOL_PRESENT]; /* path below the spool, as it is called now */
} th_spool_file;

/** Whether somebody writes a file. */
typedef enum th_spool_writer {
    TH_SPOOL_NO_WRITER,
    TH_SPOOL_WRITER,        /* a process of this host has it open for writing */
    TH_SPOOL_UNKNOWN_WRITER /* cannot be known: another user's file, or no leases here */
} th_spool_writer;

/**
 * Opens a file, locks it, computes its identity, and holds its claim.
 * @param dir         descriptor of the spool
 * @param claims      spool_claims.h; the caller drops the claim
 * @param present     path below the spool
 * @param is_claimed  it has the suffix
 * @return TH_OK; TH_NOT_YET (somebody has it, it is gone, no descriptors left: later
 *         perhaps); TH_IO (unreadable; err says why)
 * Reads at most 2 * TH_SPOOL_HASHED bytes.
 */
th_status th_spool_file_acquire(int dir, int claims, const char *present, bool is_claimed,
                                th_spool_file *out, th_error *err);

/**
 * Compares an open file with its last known identity, as th_spool_id_relate. A position
 * within a member at the file's start says little of the bytes before it. In this case
 * the start of the file must be the same.
 * @param next  the position up to which it was read; its version is the check of that
 * position
 */
th_spool_relation th_spool_file_relate(int fd, const th_spool_id *known,
                                       const th_checkpoint *next, th_spool_id *now);

/**
 * Opens a file again that was taken and closed. Its identity becomes the present one if
 * it was written to.
 * @param next  the position up to which it was read; its version is the check of that
 * position
 * @return TH_OK, or an error with the reason in err. TH_NO_ROOM if no descriptors are
 * left: try again later. TH_ABSENT if the file is gone, perhaps to another name, or if
 * the bytes that were read have changed. TH_IO if it is unreadable.
 */
th_status th_spool_file_reopen(int dir, th_spool_file *file, const th_checkpoint *next,
                               th_error *err);

/** Whether another process writes an open file. Needs the file's owner, or CAP_LEASE. */
th_spool_writer th_spool_file_writer(const th_spool_file *file);

/**
 * Claims a taken file by giving it the suffix, and a number where that name is taken. A
 * claimed one is left as it is.
 * @return TH_OK; TH_NOT_YET (it is gone: nothing has changed); TH_ABSENT (its name had
 *         gone to another file, which is now claimed as file->present); TH_IO (the folder
 *         cannot be written)
 */
th_status th_spool_file_claim(int dir, th_spool_file *file, th_error *err);

/**
 * Moves a file from the spool to another folder of the same file system. Makes the
 * subfolders that it came from. Never replaces a file: if the name is taken, the moved
 * file gets a number (x.1.warc). If another file has got its name, that file is not
 * moved.
 * @param as  out: its new path below that folder
 * @return TH_OK; TH_ABSENT (the file is gone); TH_NOT_YET (not moved, because it has
 * grown); TH_IO
 */
th_status th_spool_file_move(int dir, const th_spool_file *file, int to,
                             char as[TH_SPOOL_PRESENT], th_error *err);

/** Finds a file that was moved to a folder: under its own name, or with one of the first
 * numbers. @param as  out: its path below that folder. @return false if it is not there */
bool th_spool_file_find(int dir, const th_spool_file *file, char as[TH_SPOOL_PRESENT]);

/** Removes a file, but not another file that has got its name. Returns TH_OK; TH_ABSENT
 * (the file is gone); TH_NOT_YET (not removed, because it has grown); TH_IO. */
th_status th_spool_file_remove(int dir, const th_spool_file *file, th_error *err);

/** Closes the file and gives up its lock. */
void th_spool_file_close(th_spool_file *file);

/**
 * Writes NAME.reason next to a failed file: one JSON object with name, size, reason,
 * records and offset.
 * @param dir     folder of the failed file
 * @param reason  what is wrong with it
 * @return TH_OK; TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_spool_file_explain(const char *dir, const char *name,
                                const th_spool_entry *entry, const char *reason,
                                th_error *err);

#endif
