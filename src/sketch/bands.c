/*
 * Keys of signatures. Signatures that share a key fall into one bucket, so
 * near-duplicates are found without comparing all pairs.
 * docs/near-duplicates.md#band-keys. The hashed bytes are the same that datasketch and
 * text-dedup use as the key of a bucket.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "thresher/minhash.h"

/*
 * Eight slots in groups of three, three and two, and the pairs inside each group. Two of
 * any four equal slots are in one group, so one of the seven pairs is equal. Six pairs
 * cannot guarantee that (Turan). docs/near-duplicates.md#band-keys
 */
static const uint8_t pairs[][2] = {
    { 0, 1 }, { 0, 2 }, { 1, 2 }, { 3, 4 }, { 3, 5 }, { 4, 5 }, { 6, 7 },
};

/* Writes the low `bytes` bytes of a value, the highest first. */
static size_t put_big_endian(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
    return bytes;
}

/* Returns the number of a slot of the preset's band. */
static uint32_t slot_of(const th_minhash_preset *preset, uint32_t band, uint32_t row)
{
    if (preset->keys != TH_KEYS_PAIRS)
        return band * preset->rows + row;
    assert(band < sizeof pairs / sizeof *pairs && row < sizeof *pairs);
    return pairs[band][row];
}

/* Writes the bytes of a band's rows. */
static size_t put_rows(uint8_t *out, const th_minhash_preset *preset,
                       const th_signature *signature, uint32_t band)
{
    /* text-dedup stores its 32 bits in 64. */
    const uint32_t width =
        preset->is_wide_key ? sizeof *signature->slots : preset->slot_bits / 8;
    size_t len = 0;
    for (uint32_t row = 0; row < preset->rows; row++) {
        const uint32_t slot = slot_of(preset, band, row);
        assert(slot < signature->slot_count);
        len += put_big_endian(out + len, signature->slots[slot], width);
    }
    return len;
}

uint32_t th_minhash_bands(const th_minhash_preset *preset, const th_signature *signature,
                          uint8_t *keys)
{
    if (!signature->slots || signature->is_short)
        return 0;
    const bool is_set = preset->keys == TH_KEYS_VALUES;
    const uint32_t count = is_set ? signature->slot_count : preset->bands;
    assert(count <= preset->bands);
    for (uint32_t band = 0; band < count; band++) {
        uint8_t rows[TH_SLOTS_MAX * sizeof *signature->slots];
        const size_t len = put_rows(rows, preset, signature, band);
        *keys++ = is_set ? 0 : (uint8_t)band;
        keys += put_big_endian(keys, XXH3_64bits(rows, len), sizeof(uint64_t));
    }
    return count;
}

void th_minhash_low_bits(const th_signature *signature, uint32_t bits, uint8_t *out)
{
    assert(bits == 4 || bits == 8);
    memset(out, 0, TH_LOW_BITS_LEN(signature->slot_count, bits));
    for (uint32_t i = 0; i < signature->slot_count; i++) {
        const uint8_t low = (uint8_t)(signature->slots[i] & ((1u << bits) - 1));
        if (bits == 8)
            out[i] = low;
        else
            out[i / 2] |= (uint8_t)(i % 2 ? low : low << 4);
    }
}
