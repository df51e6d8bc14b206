/*
 * Reads single records by Range from archives in object stores and on web servers.
 * Pointers in messages name such records. A message must not make the daemon send
 * requests to any server, so only objects under the configured prefixes are read, and no
 * redirect leads out of them.
 *
 * A thread for each prefix fetches (record_fetcher.h), so a slow store stops neither the
 * topics' thread nor pointers below other prefixes.
 *
 * A store that does not answer, or asks for fewer requests, gets no requests for a while.
 * All pointers below the same prefix wait. th_archive_waits says for how long.
 */
#ifndef TH_REMOTE_ARCHIVES_H
#define TH_REMOTE_ARCHIVES_H

#include "ingest/warc_pointer.h"
#include "kafka/archive_reader.h"

/* Longest wait of a call for a fetch, longest fetch of a record, longest wait for a
 * connection or a byte, longest wait before its second try. */
enum {
    TH_REMOTE_LOOK_MS = 500,
    TH_REMOTE_RECORD_MS = 30000,
    TH_REMOTE_STALL_MS = 10000,
    TH_REMOTE_PATIENCE_MS = 1000
};

/** For one thread. */
typedef struct th_remote_archives th_remote_archives;

/**
 * Connects to nothing yet.
 * @param options  copied; the objects it points to are borrowed while the archives live.
 * Limits of the store's options: at most one further try, and times no longer than the
 * enum's
 * @return TH_OK; TH_USAGE if prefixes or store are invalid; TH_NOMEM
 */
th_status th_remote_archives_new(const th_archive_options *options,
                                 th_remote_archives **out, th_error *err);
/** NULL is legal. */
void th_remote_archives_free(th_remote_archives *archives);

/**
 * Reads the record of a pointer into the batch's next place, without counting it.
 * @return TH_OK. TH_NEED_MORE if the caller must ask again later. TH_BAD_WARC if the
 * record may not be requested or read, is missing, or is incomplete, with words that name
 * object and offset. TH_NOMEM if the batch is void.
 * Cost: one GET with Range, of the record's length if the pointer has it (for ARC and
 * zstd also one of the archive's beginning), in a thread for each prefix. Blocks for at
 * most TH_REMOTE_LOOK_MS, and not at all if the prefix's last fetch took longer.
 */
th_status th_remote_archives_take(th_remote_archives *archives,
                                  const th_warc_pointer *pointer, th_batch *batch,
                                  th_error *why);

/** Returns the number of archives that could not be read in time, since the start. */
uint64_t th_remote_archives_given_up(const th_remote_archives *archives);

#endif
