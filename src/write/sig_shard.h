/*
 * Signatures in the layout of datatrove's MinHash deduplication, so that its later stages
 * (buckets, cluster, filter) run on ours.
 *
 *     FOLDER/bucket_BBB/RRRRR.minhash.sig    bucket BBB of the band, shard RRRRR
 *
 * Each record has the band's slots, u64 or u32 by the preset's width, then the document's
 * number in the shard, u32. Numbers are little-endian, without padding. Records are
 * sorted by slots, then number.
 *
 * Documents count from 0 in the order in which pages are emitted, which is the order of
 * the shard's records in every other format. A document without a signature, or with a
 * short one, has a number but no record: datatrove makes no shingle of fewer than w
 * tokens. [docs/record.md#as-datatroves-signatures] [datatrove,
 * pipeline/dedup/minhash.py]
 */
#ifndef TH_SIG_SHARD_H
#define TH_SIG_SHARD_H

#include "base/buffer.h"
#include "thresher/minhash.h"

typedef struct th_sig_shard th_sig_shard;

typedef struct th_sig_shard_options {
    const char *folder;              /* ends with '/'; borrowed while the shard lives */
    const th_minhash_preset *preset; /* with TH_KEYS_BANDS; borrowed likewise */
    uint32_t rank;                   /* RRRRR */
    /* Bytes of signatures that are held. Above this, sorted runs go to an unnamed file in
     * the folder. 0 is 64 MiB. */
    size_t memory;
} th_sig_shard_options;

/**
 * Appends a page's signature in the shard's layout.
 * @param signature  NULL, absent or short if the page has only a number
 */
void th_sig_row_put(const th_minhash_preset *preset, const th_signature *signature,
                    th_buffer *out);

/** Starts a shard: makes the folders. TH_OK, TH_IO, TH_NOMEM. */
th_status th_sig_shard_open(const th_sig_shard_options *options, th_sig_shard **out,
                            th_error *err);

/**
 * Takes the rows of some pages, in order, each as th_sig_row_put makes it.
 * @return TH_OK; TH_IO; TH_NOMEM; TH_TOO_LARGE beyond 2^32 - 2 pages, which datatrove
 *         cannot number
 */
th_status th_sig_shard_add(th_sig_shard *shard, th_view rows, th_error *err);

/**
 * Writes all files of the shard, each under a temporary name, synced and renamed. A
 * shard without any record gives empty files, as datatrove's does. TH_OK, TH_NO_ROOM,
 * TH_IO, TH_NOMEM.
 */
th_status th_sig_shard_finish(th_sig_shard *shard, th_error *err);

/**
 * Adds up the bytes of a shard's files.
 * @param len  out: 0 unless all files exist
 * @return whether all files exist
 */
bool th_sig_shard_find(const th_sig_shard_options *options, uint64_t *len);

/** Returns the path of a band's file, which the caller frees. NULL if out of memory. */
char *th_sig_shard_path(const th_sig_shard_options *options, uint32_t band);

/**
 * Frees the shard. An unfinished shard leaves only the files that finish began. NULL is
 * legal.
 */
void th_sig_shard_free(th_sig_shard *shard);

#endif
