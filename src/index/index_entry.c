/*
 * Makes entries. Workers do this, so the costly part runs in parallel, before the pages
 * are looked up one after the other.
 *
 * Keys are band keys with the band's number mixed in, so one table serves all bands. A
 * short text has one key, its digest. [docs/near-duplicates.md#texts]
 */
#include "index/index_entry.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

enum {
    DIGEST_BAND = 0x1FF, /* above every band's number, which is one byte */
    TEXT_BANDS = 0x200   /* offset between the bands of one text and the next */
};

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

/* @return the number of keys of a text's signature; a set with fewer values has fewer */
static uint32_t make_keys(const th_index_scheme *scheme, const th_signature *signature,
                          uint32_t text, th_index_key keys[TH_BANDS_MAX])
{
    uint8_t bands[TH_BANDS_MAX * TH_BAND_KEY_LEN];
    const uint32_t count = th_minhash_bands(&scheme->preset, signature, bands);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *band = bands + (size_t)i * TH_BAND_KEY_LEN;
        keys[i] = make_key(read_big_endian(band + 1), band[0] + text * TEXT_BANDS);
    }
    return count;
}

/* Writes the lowest bits of each slot; zeros for slots that a short set lacks. */
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
    const size_t signatures_len = entry->flags & (TH_ENTRY_SHORT | TH_ENTRY_NONE)
                                      ? 0
                                      : scheme->text_count * scheme->signature_len;
    const size_t len = sizeof *entry + entry->key_count * sizeof(th_index_key) +
                       signatures_len + names_len(entry);
    return (len + 7) & ~(size_t)7;
}

static bool is_signed(const th_signature *signature)
{
    return signature && signature->slots && !signature->is_short;
}

th_status th_index_entry_append(const th_index_scheme *scheme, const th_index_page *page,
                                th_buffer *out)
{
    static const char zeros[8] = "";
    static const th_signature absent = { .slots = NULL };
    const bool has_signature = is_signed(page->signatures[0]);
    const size_t id_len = page->id.len < TH_INDEX_ID_MAX ? page->id.len : TH_INDEX_ID_MAX;
    const size_t url_len = page->url.len <= TH_INDEX_URL_MAX ? page->url.len : 0;
    const XXH128_hash_t id = XXH3_128bits(page->id.data, page->id.len);
    th_index_key keys[TH_INDEX_TEXTS * TH_BANDS_MAX];
    uint32_t key_count = 0;
    th_index_entry entry = {
        .flags = has_signature  ? 0
                 : page->digest ? TH_ENTRY_SHORT
                                : TH_ENTRY_NONE,
        .id = { id.high64, id.low64 },
        .date = page->date,
        .id_len = (uint16_t)id_len,
        .url_len = (uint16_t)url_len,
    };
    for (uint32_t i = 0; has_signature && i < scheme->text_count; i++) {
        if (!is_signed(page->signatures[i]))
            continue;
        key_count += make_keys(scheme, page->signatures[i], i, keys + key_count);
        entry.slots[i] = (uint16_t)page->signatures[i]->slot_count;
    }
    if (entry.slots[1] && page->is_guess)
        entry.flags |= TH_ENTRY_GUESS;
    if (entry.flags & TH_ENTRY_SHORT)
        keys[key_count++] = make_key(page->digest[0] ^ page->digest[1], DIGEST_BAND);
    entry.key_count = (uint16_t)key_count;
    if (page->digest)
        memcpy(entry.digest, page->digest, sizeof entry.digest);
    entry.len = (uint32_t)entry_len(scheme, &entry);
    const size_t start = out->len;
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    for (uint32_t i = 0; has_signature && i < scheme->text_count; i++)
        put_signature(scheme, entry.slots[i] ? page->signatures[i] : &absent, out);
    th_buffer_append(out, (const char *)keys, key_count * sizeof *keys);
    th_buffer_append(out, page->id.data, id_len);
    th_buffer_append(out, page->url.data, url_len);
    th_buffer_append(out, zeros, start + entry.len - out->len);
    return out->has_failed ? TH_NOMEM : TH_OK;
}

/* Returns the number of keys of a text. A set has one for each value, so a smaller set
 * has fewer. */
static uint32_t keys_of(const th_index_scheme *scheme, const th_index_entry *entry,
                        uint32_t text)
{
    const uint32_t slots = entry->slots[text];
    return scheme->preset.keys == TH_KEYS_VALUES || !slots ? slots : scheme->preset.bands;
}

static bool has_good_flags(const th_index_entry *entry)
{
    return !entry->flags || entry->flags == TH_ENTRY_SHORT ||
           (entry->flags == TH_ENTRY_GUESS && entry->slots[1]);
}

bool th_index_entry_fits(const th_index_scheme *scheme, const th_index_entry *entry,
                         size_t capacity)
{
    uint32_t keys = entry->flags == TH_ENTRY_SHORT;
    if (capacity < sizeof *entry || entry->len > capacity || !has_good_flags(entry))
        return false;
    for (uint32_t i = 0; i < TH_INDEX_TEXTS; i++) {
        const bool is_legal = i < scheme->text_count && entry->flags != TH_ENTRY_SHORT;
        if (entry->slots[i] > (is_legal ? scheme->preset.slots : 0))
            return false;
        keys += keys_of(scheme, entry, i);
    }
    return keys && entry->key_count == keys &&
           (entry->slots[0] || entry->flags == TH_ENTRY_SHORT) &&
           entry->len == entry_len(scheme, entry);
}

/* Returns whether an entry that is never found is complete. It has no signature and no
 * key. */
static bool is_whole_none(const th_index_scheme *scheme, const th_index_entry *entry,
                          size_t capacity)
{
    return capacity >= sizeof *entry && entry->len <= capacity &&
           entry->flags == TH_ENTRY_NONE && !entry->key_count && !entry->slots[0] &&
           !entry->slots[1] && entry->len == entry_len(scheme, entry);
}

bool th_index_entries_fit(const th_index_scheme *scheme, th_view entries, size_t count)
{
    size_t at = 0;
    for (; count; count--) {
        const th_index_entry *entry = (const void *)(entries.data + at);
        const size_t capacity = entries.len - at;
        if (!is_whole_none(scheme, entry, capacity) &&
            !th_index_entry_fits(scheme, entry, capacity))
            return false;
        at += entry->len;
    }
    return at == entries.len;
}

/* Counts equal keys one by one, because each belongs to its own band. */
static uint32_t equal_keys(const th_index_key *x, const th_index_key *y, uint32_t count)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < count; i++)
        equal += x[i] == y[i];
    return equal;
}

uint32_t th_index_keys_in_common(const th_index_scheme *scheme, const th_index_entry *a,
                                 const th_index_entry *b, uint32_t text)
{
    const th_index_key *x = th_entry_keys(scheme, a), *y = th_entry_keys(scheme, b);
    uint32_t common = 0;
    if ((a->flags | b->flags) & TH_ENTRY_SHORT)
        return text == 0 && a->flags == b->flags && x[0] == y[0];
    const uint32_t x_count = keys_of(scheme, a, text), y_count = keys_of(scheme, b, text);
    if (text) {
        x += keys_of(scheme, a, 0);
        y += keys_of(scheme, b, 0);
    }
    if (!scheme->preset.is_bottom_k)
        return equal_keys(x, y, x_count < y_count ? x_count : y_count);
    for (uint32_t i = 0; i < x_count; i++)
        for (uint32_t j = 0; j < y_count; j++)
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

/* Reads a number of `digits` digits. Returns -1 for any other text. */
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
