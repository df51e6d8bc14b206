/*
 * The identity of a file of a spool: docs/reliability.md#spool (5).
 *
 * Device and inode identify the present file. The file system gives both to another file
 * once this one is removed. Size, write time and the hashes of both ends show whether the
 * content is unchanged, has grown, or was replaced. The digest of all bytes finds a copy,
 * which has another inode.
 */
#ifndef TH_SPOOL_ID_H
#define TH_SPOOL_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Bytes at each end of a file that are hashed. */
enum { TH_SPOOL_HASHED = 64 << 10 };

typedef struct th_spool_id {
    uint64_t device, inode, size;
    uint64_t head;      /* XXH3 of the first TH_SPOOL_HASHED bytes, or of all */
    int64_t written_ns; /* last write, since the epoch; 0: an earlier version's identity,
                         * which has neither this nor the numbers below */
    uint64_t tail;      /* XXH3 of the last TH_SPOOL_HASHED bytes, or of all */
    uint64_t digest[2]; /* XXH3 (128 bits) of all bytes; both 0 if not computed */
} th_spool_id;

/** How the present content of a file relates to the bytes that were read. */
typedef enum th_spool_relation {
    TH_SPOOL_SAME,      /* nothing was written since */
    TH_SPOOL_CONTINUED, /* written since, but the bytes that were read have not changed */
    TH_SPOOL_OTHER,     /* the bytes that were read are gone, or it is another inode */
    TH_SPOOL_UNREADABLE /* errno says why */
} th_spool_relation;

/** Whether both are the same inode of the same device. */
bool th_spool_id_is_inode(const th_spool_id *a, const th_spool_id *b);

/** Whether a digest has been computed. */
bool th_spool_id_has_digest(const th_spool_id *id);

/** Whether both have the same size and digest, which is known. */
bool th_spool_id_is_content(const th_spool_id *a, const th_spool_id *b);

/**
 * Computes the identity of an open file, without its digest.
 * @return whether it could be read; false with errno
 * Reads at most 2 * TH_SPOOL_HASHED bytes.
 */
bool th_spool_id_compute(int fd, th_spool_id *id);

/**
 * Computes the check of a position: the hash of the TH_SPOOL_HASHED bytes before it, or
 * of all bytes if there are fewer.
 * @return false with errno if the bytes could not be read
 */
bool th_spool_id_check(int fd, uint64_t offset, uint64_t *check);

/**
 * Compares an open file with its last known identity. The bytes that were read are
 * unchanged if the bytes before the position and the bytes at the start are unchanged.
 * @param offset  position up to which it was read
 * @param check   of that position
 * @param now     receives the present identity, with the digest of `known` for
 * TH_SPOOL_SAME. Unchanged for TH_SPOOL_UNREADABLE. May be NULL.
 * Cost: one fstat if size and time are the same; else also reads up to 3 *
 * TH_SPOOL_HASHED bytes.
 */
th_spool_relation th_spool_id_relate(int fd, const th_spool_id *known, uint64_t offset,
                                     uint64_t check, th_spool_id *now);

/** Appends an identity: eight hexadecimal numbers with dashes between them. */
void th_spool_id_write(const th_spool_id *id, th_buffer *out);

/** Returns the value of a hexadecimal digit, or -1. Refuses capitals, so that the ledger
 * notices any flipped bit. */
static inline int th_spool_hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/**
 * Reads text of th_spool_id_write, or the four numbers of an earlier version: device,
 * inode, size and head.
 * @return false if it is neither
 */
bool th_spool_id_read(th_view text, th_spool_id *id);

#endif
