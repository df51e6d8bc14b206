/*
 * The digest of all bytes of a file, computed in slices: an archive may be large, and the
 * daemon's loop must turn.
 */
#ifndef TH_SPOOL_DIGEST_H
#define TH_SPOOL_DIGEST_H

#include "spool/spool_id.h"
#include "thresher/status.h"

typedef struct th_spool_digest th_spool_digest;

/** Allocates; NULL if out of memory. */
th_spool_digest *th_spool_digest_new(void);

/** NULL is legal. */
void th_spool_digest_free(th_spool_digest *digest);

/** Begins with the first byte of a file. */
void th_spool_digest_begin(th_spool_digest *digest);

/**
 * Goes on, at least for one piece of 256 KiB.
 * @param size          bytes of the file that count
 * @param should_pause  asked after each piece
 * @param out           receives the digest; never 0 0
 * @return TH_OK; TH_PAUSED: call again; TH_IO: it cannot be read, or is shorter
 */
th_status th_spool_digest_step(th_spool_digest *digest, int fd, uint64_t size,
                               bool (*should_pause)(void *context), void *context,
                               uint64_t out[2]);

#endif
