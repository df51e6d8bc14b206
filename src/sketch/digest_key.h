/*
 * A text's digest as a key beside its band keys: texts without bands, shorter than a
 * shingle, meet by it. [docs/record.md#band-keys-as-messages]
 */
#ifndef TH_DIGEST_KEY_H
#define TH_DIGEST_KEY_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "thresher/minhash.h"

/* In place of a band's number. A preset of 256 bands has a band of that number, too: the
 * two meet where eight bytes happen to be the same, which costs a comparison. */
enum { TH_DIGEST_BAND = 255 };

/** The key of a digest whose first half is `half`. */
static inline void th_digest_key(uint64_t half, uint8_t key[TH_BAND_KEY_LEN])
{
    const uint64_t bytes = htobe64(half);
    key[0] = TH_DIGEST_BAND;
    memcpy(key + 1, &bytes, sizeof bytes);
}

#endif
