/*
 * The entry of a page in an index: its id, the keys that find it, and the signature for
 * comparison. One run of bytes, made by a worker and looked up in order. The entry of a
 * new page is appended to the journal unchanged.
 */
#ifndef TH_INDEX_ENTRY_H
#define TH_INDEX_ENTRY_H

#include "index/index_scheme.h"

/* Longer ids are cut; longer URLs are omitted. */
enum { TH_INDEX_ID_MAX = 1024, TH_INDEX_URL_MAX = 8192 };

/* Flags of an entry. */
enum {
    TH_ENTRY_SHORT = 1u << 0, /* found and compared by digest alone */
    TH_ENTRY_NONE = 1u << 1,  /* no data to compare: never found, never inserted */
    TH_ENTRY_GUESS = 1u << 2, /* the second text is also compared */
};

/* A hash of a band key, or of the digest of a short page. Among 2 million pages of 16
 * keys one page in 8 finds an entry by chance. The comparison then rejects it. */
typedef uint32_t th_index_key;

#define TH_DATE_UNKNOWN INT64_MAX

/**
 * Head of an entry. It is followed by the kept signature of each of the scheme's texts,
 * their keys (th_index_key), the id, the URL, and zeros up to a multiple of 8. Numbers
 * are in the machine's byte order, which the magic number of a file shows.
 */
typedef struct th_index_entry {
    uint64_t checksum; /* of the bytes after it; the journal sets and checks it */
    uint32_t len;      /* bytes of the whole entry, a multiple of 8 */
    uint16_t flags;
    uint16_t key_count;
    uint64_t id[2]; /* hash of the page's id */
    uint64_t digest[2];
    int64_t date;                   /* seconds since 1970, or TH_DATE_UNKNOWN */
    uint16_t slots[TH_INDEX_TEXTS]; /* slots in use of each signature; 0 if absent */
    uint16_t id_len;
    uint16_t url_len;
} th_index_entry;

/** The data for an entry. */
typedef struct th_index_page {
    th_view id;   /* the same whenever the page is read again */
    th_view url;  /* may be absent */
    int64_t date; /* of the capture */
    /* Signatures of the scheme's texts. slots is NULL if absent. NULL if there is no
     * second text, and for a page that is compared with no other. */
    const th_signature *signatures[TH_INDEX_TEXTS];
    bool is_guess;          /* the first text is a guess: the second also counts */
    const uint64_t *digest; /* two words, or NULL if the page has no text */
} th_index_page;

/**
 * Appends a page's entry. A text of one shingle is short: its signature contains no more
 * information than its digest. Entries are concatenated, aligned to 8 bytes if the
 * buffer's first one is.
 * @return TH_OK or TH_NOMEM
 */
th_status th_index_entry_append(const th_index_scheme *scheme, const th_index_page *page,
                                th_buffer *out);

/** Returns the seconds since 1970 of a WARC-Date, "2024-05-06T07:08:09Z" or a prefix of
 * it that includes the day. TH_DATE_UNKNOWN if there is no day, or the day is before
 * 1970. Separators and text after the seconds are not checked. Invalid hours, minutes
 * and seconds count as 0. */
int64_t th_index_date(th_view date);

/** Returns whether the first `capacity` bytes contain a complete entry of this scheme that
 * can be found, thus not of TH_ENTRY_NONE. The checksum is not checked. */
bool th_index_entry_fits(const th_index_scheme *scheme, const th_index_entry *entry,
                         size_t capacity);

/** Returns whether the bytes are exactly `count` complete entries of this scheme,
 * including TH_ENTRY_NONE. For entries that another process made. Checksums are not
 * checked. @param entries  aligned to 8 bytes */
bool th_index_entries_fit(const th_index_scheme *scheme, th_view entries, size_t count);

/** Returns the signature of a text, zeros if it is absent. A short page has no
 * signature. */
static inline const uint8_t *th_entry_signature(const th_index_scheme *scheme,
                                                const th_index_entry *entry,
                                                uint32_t text)
{
    return (const uint8_t *)(entry + 1) + text * scheme->signature_len;
}

/** Returns all keys: the first text's, then the second's. */
static inline const th_index_key *th_entry_keys(const th_index_scheme *scheme,
                                                const th_index_entry *entry)
{
    const bool is_signed = !(entry->flags & (TH_ENTRY_SHORT | TH_ENTRY_NONE));
    return (const void *)th_entry_signature(scheme, entry,
                                            is_signed ? scheme->text_count : 0);
}

/** Returns the number of common keys of a text in two entries of a scheme. A short page's
 * key is of its first text. */
uint32_t th_index_keys_in_common(const th_index_scheme *scheme, const th_index_entry *a,
                                 const th_index_entry *b, uint32_t text);

th_view th_entry_id(const th_index_scheme *scheme, const th_index_entry *entry);
th_view th_entry_url(const th_index_scheme *scheme, const th_index_entry *entry);

#endif
