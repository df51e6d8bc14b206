/*
 * Entries are made in the workers, so that the costly part runs in parallel, before the
 * pages are looked up one after the other.
 *
 * Keys are band keys with the band's number mixed in, so that one table serves all bands;
 * a short text has one key, its digest. [docs/near-duplicates.md#texts]
 */
#include "index/index_entry.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { DIGEST_BAND = 0x1FF }; /* above every band's number, which is a byte */

/* The upper half of MurmurHash3's finaliser. */
static th_index_key make_key(uint64_t hash, uint64_t band)
{
    uint64_t key = hash ^ (band + 1) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDu;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53u;
    return (th_index_key)(key >> 32);
}

static uint64_t read_big_endian(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < sizeof value; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* @return keys of the signature: a set with fewer values has fewer */
static uint32_t make_keys(const th_index_scheme *scheme, const th_signature *signature,
                          th_index_key keys[TH_BANDS_MAX])
{
    uint8_t bands[TH_BANDS_MAX * TH_BAND_KEY_LEN];
    const uint32_t count = th_minhash_bands(&scheme->preset, signature, bands);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *band = bands + (size_t)i * TH_BAND_KEY_LEN;
        keys[i] = make_key(read_big_endian(band + 1), band[0]);
    }
    return count;
}

/* The lowest bits of each slot; zeros for slots that a short set lacks. */
static void put_signature(const th_index_scheme *scheme, const th_signature *signature,
                          th_buffer *out)
{
    const size_t width = scheme->kept_bits / 8;
    if (!th_buffer_reserve(out, scheme->signature_len))
        return;
    char *at = out->data + out->len;
    memset(at, 0, scheme->signature_len);
    for (uint32_t i = 0; i < signature->slot_count; i++, at += width) {
        const uint64_t slot = signature->slots[i];
        switch (width) {
        case 1:
            *(uint8_t *)at = (uint8_t)slot;
            break;
        case 2:
            memcpy(at, &(uint16_t){ (uint16_t)slot }, width);
            break;
        case 4:
            memcpy(at, &(uint32_t){ (uint32_t)slot }, width);
            break;
        default:
            memcpy(at, &slot, width);
        }
    }
    out->len += scheme->signature_len;
}

static size_t names_len(const th_index_entry *entry)
{
    return (size_t)entry->id_len + entry->url_len;
}

static size_t entry_len(const th_index_scheme *scheme, const th_index_entry *entry)
{
    const size_t signature_len =
        entry->flags & (TH_ENTRY_SHORT | TH_ENTRY_NONE) ? 0 : scheme->signature_len;
    const size_t len = sizeof *entry + entry->key_count * sizeof(th_index_key) +
                       signature_len + names_len(entry);
    return (len + 7) & ~(size_t)7;
}

th_status th_index_entry_append(const th_index_scheme *scheme, const th_index_page *page,
                                th_buffer *out)
{
    static const char zeros[8] = "";
    const th_signature *signature = page->signature;
    const bool is_signed = signature->slots && !signature->is_short;
    const size_t id_len = page->id.len < TH_INDEX_ID_MAX ? page->id.len : TH_INDEX_ID_MAX;
    const size_t url_len = page->url.len <= TH_INDEX_URL_MAX ? page->url.len : 0;
    const XXH128_hash_t id = XXH3_128bits(page->id.data, page->id.len);
    th_index_key keys[TH_BANDS_MAX];
    uint32_t key_count = 0;
    if (is_signed)
        key_count = make_keys(scheme, signature, keys);
    else if (page->digest)
        keys[key_count++] = make_key(page->digest[0] ^ page->digest[1], DIGEST_BAND);
    th_index_entry entry = {
        .flags = is_signed      ? 0
                 : page->digest ? TH_ENTRY_SHORT
                                : TH_ENTRY_NONE,
        .key_count = (uint16_t)key_count,
        .id = { id.high64, id.low64 },
        .date = page->date,
        .slots = (uint16_t)(is_signed ? signature->slot_count : 0),
        .id_len = (uint16_t)id_len,
        .url_len = (uint16_t)url_len,
    };
    if (page->digest)
        memcpy(entry.digest, page->digest, sizeof entry.digest);
    entry.len = (uint32_t)entry_len(scheme, &entry);
    const size_t start = out->len;
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    if (is_signed)
        put_signature(scheme, signature, out);
    th_buffer_append(out, (const char *)keys, key_count * sizeof *keys);
    th_buffer_append(out, page->id.data, id_len);
    th_buffer_append(out, page->url.data, url_len);
    th_buffer_append(out, zeros, start + entry.len - out->len);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

bool th_index_entry_fits(const th_index_scheme *scheme, const th_index_entry *entry,
                         size_t room)
{
    if (room < sizeof *entry || entry->len > room || entry->flags > TH_ENTRY_SHORT)
        return false;
    const uint32_t most = entry->flags & TH_ENTRY_SHORT ? 1 : scheme->key_count;
    const uint32_t least = scheme->preset.is_bottom_k ? 1 : most;
    return entry->key_count >= least && entry->key_count <= most &&
           entry->slots <= scheme->preset.slots && entry->len == entry_len(scheme, entry);
}

uint32_t th_index_keys_in_common(const th_index_scheme *scheme, const th_index_entry *a,
                                 const th_index_entry *b)
{
    const th_index_key *x = th_entry_keys(scheme, a), *y = th_entry_keys(scheme, b);
    uint32_t common = 0;
    if (!scheme->preset.is_bottom_k) { /* key by key: each is of its own band */
        for (uint32_t i = 0; i < a->key_count && i < b->key_count; i++)
            common += x[i] == y[i];
        return common;
    }
    for (uint32_t i = 0; i < a->key_count; i++)
        for (uint32_t j = 0; j < b->key_count; j++)
            common += x[i] == y[j];
    return common;
}

th_view th_entry_id(const th_index_scheme *scheme, const th_index_entry *entry)
{
    const th_index_key *keys = th_entry_keys(scheme, entry);
    return (th_view){ (const char *)(keys + entry->key_count), entry->id_len };
}

th_view th_entry_url(const th_index_scheme *scheme, const th_index_entry *entry)
{
    const th_view id = th_entry_id(scheme, entry);
    return entry->url_len ? (th_view){ id.data + id.len, entry->url_len }
                          : (th_view){ NULL, 0 };
}

/* ---- dates ---- */

/* A number of `digits` digits; -1 where there is anything else. */
static int number_at(th_view text, size_t at, size_t digits)
{
    int value = 0;
    if (at + digits > text.len)
        return -1;
    for (size_t i = at; i < at + digits; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        value = value * 10 + (text.data[i] - '0');
    }
    return value;
}

int64_t th_index_date(th_view date)
{
    const int year = number_at(date, 0, 4), month = number_at(date, 5, 2),
              day = number_at(date, 8, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        return TH_DATE_UNKNOWN;
    const int hour = number_at(date, 11, 2), minute = number_at(date, 14, 2),
              second = number_at(date, 17, 2);
    struct tm parts = { .tm_year = year - 1900,
                        .tm_mon = month - 1,
                        .tm_mday = day,
                        .tm_hour = hour < 0 ? 0 : hour,
                        .tm_min = minute < 0 ? 0 : minute,
                        .tm_sec = second < 0 ? 0 : second };
    return (int64_t)timegm(&parts);
}
