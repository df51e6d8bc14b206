/*
 * A text's digest as a key in addition to its band keys. Texts without bands, shorter
 * than a shingle, are matched by it. [docs/record.md#band-keys-as-messages]
 */
#ifndef TH_DIGEST_KEY_H
#define TH_DIGEST_KEY_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "thresher/minhash.h"

/* Used instead of a band's number. A preset of 256 bands also has a band with that
 * number. The two kinds match if eight bytes happen to be equal, which costs a
 * comparison. */
enum { TH_DIGEST_BAND = 255 };

/** Writes the key of a digest with the first half `half`. */
static inline void th_digest_key(uint64_t half, uint8_t key[TH_BAND_KEY_LEN])
{
    const uint64_t bytes = htobe64(half);
    key[0] = TH_DIGEST_BAND;
    memcpy(key + 1, &bytes, sizeof bytes);
}

#endif
