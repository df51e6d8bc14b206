/*
 * The spool's memory on disk: how far each file has been read, and which are finished.
 *
 * An append-only log of checksummed lines, rewritten whole from time to time. A line is
 * one commit: all its positions and the output's note come into force together. Lines
 * that are damaged are set aside in PATH.bad, counted, and the others are used, so a cut
 * or a flipped bit costs what its line said and never keeps the daemon from starting.
 */
#ifndef TH_SPOOL_LEDGER_H
#define TH_SPOOL_LEDGER_H

#include "base/buffer.h"
#include "ingest/source.h"
#include "spool/spool_id.h"

/* Longest path of a file below the spool, with its NUL. */
enum { TH_SPOOL_NAME = 512 };

/* Suffix of a claimed file's name. */
#define TH_SPOOL_CLAIMED ".processing"

typedef enum th_spool_state {
    TH_SPOOL_ACTIVE, /* claimed, perhaps read in part */
    TH_SPOOL_DONE,   /* every record is durable in the output */
    /* could not be read completely; the records that were read are durable */
    TH_SPOOL_FAILED,
    TH_SPOOL_WITHDRAWN, /* was to be claimed, and was not: as if it were unknown */
    TH_SPOOL_STATES
} th_spool_state;

/** A file's progress. */
typedef struct th_spool_entry {
    th_spool_id id;
    th_spool_state state;
    /* Position. Its version is its check (spool_id.h), or 0 in an entry of an earlier
     * version. `input` has no meaning. */
    th_checkpoint next;
    uint64_t records;         /* acknowledged */
    char name[TH_SPOOL_NAME]; /* below the spool, as the crawler called it */
} th_spool_entry;

/** Appends an entry without its identity: printable ASCII, one line, no tab. */
void th_spool_entry_write(const th_spool_entry *entry, th_buffer *out);

/** Reads the text of th_spool_entry_write; leaves `id` alone. @return false if it is not
 * such a text */
bool th_spool_entry_read(th_view text, th_spool_entry *entry);

typedef struct th_spool_ledger th_spool_ledger;

typedef struct th_spool_ledger_options {
    /* borrowed for the ledger's life; PATH.lock and PATH.bad are next to it */
    const char *path;
    uint32_t keep; /* finished files that are remembered; the oldest are forgotten */
    /* Returns whether the entry's file is still in the spool. Such an entry is not
     * forgotten, regardless of `keep`. May be NULL if there are no such files. */
    bool (*is_present)(void *context, const th_spool_entry *entry);
    void *context;
} th_spool_ledger_options;

/**
 * Opens a ledger, and repairs it if it is damaged.
 * @return TH_OK, TH_IO, TH_NOMEM, or TH_USAGE if another process has it open, or if the
 * file is not a ledger
 * Cost: O(size of the log).
 */
th_status th_spool_ledger_open(const th_spool_ledger_options *options,
                               th_spool_ledger **out, th_error *err);

/** NULL is legal. */
void th_spool_ledger_close(th_spool_ledger *ledger);

/**
 * Finds the entry of the file that has an inode, regardless of its present content.
 * @param entry  receives it; may be NULL
 * @return false if it is not known. O(1)
 */
bool th_spool_ledger_find(const th_spool_ledger *ledger, const th_spool_id *id,
                          th_spool_entry *entry);

/**
 * Finds an entry with the same size, ends and digest: the entry of this file, or of the
 * file it is a copy of. That file may be gone (its inode is 0 then).
 * @return false if none is known, or the identity has no digest. O(1)
 */
bool th_spool_ledger_find_copy(const th_spool_ledger *ledger, const th_spool_id *id,
                               th_spool_entry *entry);

/** Calls `visit` for the completely read files of known inodes: the newest `max` of them,
 * the oldest first. O(entries) */
void th_spool_ledger_visit_done(const th_spool_ledger *ledger, size_t max,
                                void (*visit)(void *context, const th_spool_entry *entry),
                                void *context);

/** Puts an entry in memory only, over the entry of its inode. A finished file whose entry
 * is withdrawn, or whose inode has another content now, stays known by its digest.
 * TH_OK or TH_NOMEM. */
th_status th_spool_ledger_put(th_spool_ledger *ledger, const th_spool_entry *entry);

/**
 * Puts entries and the note, on disk first, all or nothing.
 * @param note  absent (data NULL) to keep the present one
 * @return TH_OK. TH_NO_ROOM if the disk is full or no descriptor is free; then no entry
 * has changed: try again. TH_IO. TH_NOMEM.
 * Cost: one write and one fdatasync. From time to time the log is rewritten.
 */
th_status th_spool_ledger_commit(th_spool_ledger *ledger, const th_spool_entry *entries,
                                 size_t count, th_view note, th_error *err);

/** The last note, "" when there was none; borrowed until the next commit. */
th_view th_spool_ledger_note(const th_spool_ledger *ledger);

/** Entries in memory. */
size_t th_spool_ledger_count(const th_spool_ledger *ledger);

/** Damaged lines that were set aside at open. */
uint64_t th_spool_ledger_damaged(const th_spool_ledger *ledger);

#endif
