/*
 * The data of one site: its number of distinct pages, and on how many of them each
 * paragraph occurs, and each segment if segments are counted.
 *
 * A site is stored as one run of bytes, the same in a file and in memory. So a file can
 * be mapped and read in place:
 *
 *     head | hashes u64 | pages by URL u32 | pages by text u32 | counts u16 | name
 *
 * Two pages are the same if they have the same URL without fragment, or the same text. A
 * page that was fetched twice counts once, like a mirror copy on the site.
 */
#ifndef TH_SITE_H
#define TH_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"
#include "thresher/view.h"

/* The lowest byte of a hash is its kind: 0 for a paragraph; for a segment TH_SITE_SEGMENT
 * plus 8 times its position plus its inner position (TH_POSITION_...). The other bytes
 * are from the text's hash, or the first bytes of the segment's template fingerprint. */
enum { TH_SITE_KIND = 0xFF, TH_SITE_SEGMENT = 0x80, TH_SITE_POSITION = 7 };

/** Returns whether a hash is a segment's. */
static inline bool th_site_hash_is_segment(uint64_t hash)
{
    return hash & TH_SITE_SEGMENT;
}

/* Counts are 16 bits wide. This also limits the pages of a site. */
enum { TH_SITE_PAGES_MAX = 65535 };

/** The entry of a page, made by a worker and counted later. In a buffer, 8-byte aligned.
 * The hashes follow, then the site's name, padded to 8 bytes. */
typedef struct th_site_entry {
    uint64_t site; /* its number */
    uint64_t when; /* time of capture; 0 if not used */
    uint32_t url;  /* of the URL without fragment, and of all text: hashes' low halves */
    uint32_t text;
    uint32_t hash_count;
    uint32_t name_len;
} th_site_entry;

/* Maximum hashes counted per page: the smallest ones. */
enum { TH_SITE_ENTRY_HASHES = 1 << 16 };

/** Returns the bytes of an entry, including its hashes and name. */
static inline size_t th_site_entry_len(const th_site_entry *entry)
{
    return sizeof *entry + (size_t)entry->hash_count * sizeof(uint64_t) +
           (((size_t)entry->name_len + 7) & ~(size_t)7);
}

/** Returns an entry's hashes: ascending, without duplicates. */
static inline const uint64_t *th_site_entry_hashes(const th_site_entry *entry)
{
    return (const uint64_t *)(const void *)(entry + 1);
}

/** A site, read in place; borrowed. */
typedef struct th_site {
    uint64_t number;
    th_view name;
    uint32_t pages; /* distinct pages that were counted */
    uint64_t seen;  /* the latest `when` of an entry */
    uint32_t hash_count, url_count, text_count;
    const uint64_t *hashes; /* of paragraphs: ascending */
    const uint16_t *counts; /* number of pages of each paragraph */
    const uint32_t *urls;   /* ascending, without duplicates */
    const uint32_t *texts;
} th_site;

/** Limits of a site. */
typedef struct th_site_limits {
    uint32_t pages;  /* 2..TH_SITE_PAGES_MAX: beyond it counts are halved */
    uint32_t hashes; /* paragraphs that are kept, the most frequent first */
    uint32_t min;    /* paragraphs on fewer pages are forgotten; 1 keeps all */
} th_site_limits;

/**
 * Reads a site from its bytes.
 * @param bytes  may be longer than the site; 8-byte aligned
 * @param len    out: bytes of the site; may be NULL
 * @return TH_OK; TH_DAMAGED if it is truncated, or its checksum is wrong
 * O(bytes of the site).
 */
th_status th_site_read(th_view bytes, th_site *out, size_t *len);

/** Returns on how many known pages a paragraph occurs. O(log hashes). */
uint32_t th_site_count(const th_site *site, uint64_t hash);

/** Returns the same for a segment in any position. At most the site's pages, because a
 * segment may occur at two positions of one page. O(log hashes). */
uint32_t th_site_count_segment(const th_site *site, uint64_t hash);

/** Returns whether a page with this URL or this text has been counted. O(log pages). */
bool th_site_has_page(const th_site *site, uint32_t url, uint32_t text);

/**
 * Counts pages and appends the updated site.
 *
 * The result does not depend on the order of the entries. Known pages are skipped.
 * Entries of the same new page count once, with the hashes of all of them. Beyond
 * `limits->pages` all counts are halved, and half of the pages forgotten, until they fit.
 * So old paragraphs fade, and a redesign takes over.
 * @param before   NULL for a new site
 * @param entries  of this site; reordered
 * @param out      8-byte aligned where it is appended to
 * @return TH_OK or TH_NOMEM. O(n log n) in the hashes of the entries
 */
th_status th_site_add(const th_site *before, const th_site_entry **entries, size_t count,
                      const th_site_limits *limits, th_buffer *out);

/**
 * Appends the joined data of a site from two files. If both know the same pages, a
 * paragraph's count is the minimum that both counts allow, so no page counts twice.
 */
th_status th_site_join(const th_site *a, const th_site *b, const th_site_limits *limits,
                       th_buffer *out);

#endif
