/*
 * Band keys: signatures that agree in all rows of one band fall into one bucket, so that
 * near-duplicates meet without comparing all pairs. spec/neardup.md §1.3. The bytes that
 * are hashed are those that datasketch and text-dedup use as the key of a bucket.
 */
#include <assert.h>
#include <xxhash.h>

#include "sketch/permutations.h"
#include "thresher/minhash.h"

/* Writes the low `bytes` bytes of a value, the highest first. */
static size_t put_big_endian(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
    return bytes;
}

void th_minhash_bands(const th_minhash_preset *preset, const th_signature *signature,
                      uint8_t *keys)
{
    if (!signature->slots)
        return;
    assert(preset->bands * preset->rows <= signature->slot_count);
    const uint64_t *slot = signature->slots;
    for (uint32_t band = 0; band < preset->bands; band++) {
        uint8_t rows[TH_SLOTS_MAX * sizeof *slot];
        size_t len = 0;
        for (uint32_t row = 0; row < preset->rows; row++)
            len += put_big_endian(rows + len, *slot++, preset->slot_bits / 8);
        *keys++ = (uint8_t)band;
        keys += put_big_endian(keys, XXH3_64bits(rows, len), sizeof(uint64_t));
    }
}
