/*
 * Records of a shard of `thresher run --format minhash-sig` (write/sig_shard.h), as
 * bucket_000/RRRRR.minhash.sig names it. The other buckets are read from the folders next
 * to it. A record has the id RRRRR/N, for page N of the shard, and its signature, but
 * neither URL nor date nor digest.
 */
#ifndef TH_SIG_INPUT_H
#define TH_SIG_INPUT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "remote/remote.h"
#include "thresher/status.h"

enum { TH_SIG_INPUT_MAX = 1 << 30 }; /* bytes of a shard, which is read completely */

typedef struct th_sig_input th_sig_input;

/** Returns whether a name is of a file of a shard: bucket_BBB/RRRRR.minhash.sig.
 * @param is_first  out: whether BBB is 000; may be NULL */
bool th_sig_input_is_name(const char *path, bool *is_first);

/**
 * Reads a shard. Only the preset `datatrove` with its standard slots and bands can be
 * read, because the files do not state it.
 * @param path    of bucket 000; borrowed for the call
 * @param remote  opens names of objects; NULL: a file
 * @return TH_OK; TH_ABSENT: another bucket, or one is missing; TH_BAD_CODING: the buckets
 *         do not fit together; TH_TOO_LARGE; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_sig_input_open(const char *path, th_remote *remote, th_sig_input **out,
                            th_error *err);

/** NULL is legal. */
void th_sig_input_free(th_sig_input *input);

/** Returns the next record as JSON, borrowed until the next call. TH_OK; TH_END;
 * TH_NOMEM */
th_status th_sig_input_next(th_sig_input *input, th_view *json, th_error *err);

/** Returns the page number of the last record, from 0. */
uint32_t th_sig_input_page(const th_sig_input *input);

/** Returns the bytes of the shard. */
uint64_t th_sig_input_report(const th_sig_input *input);

#endif
