/* Reads a site's bytes, and counts pages into them. See the header. */
#include "site/site.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/order.h"

#if __BYTE_ORDER != __LITTLE_ENDIAN
#error "the bytes of a site are little-endian and are read in place"
#endif

struct head {
    uint32_t len; /* total bytes, a multiple of 8 */
    uint32_t checksum;
    uint64_t number, seen;
    uint32_t name_len, pages;
    uint32_t url_count, text_count, hash_count, spare;
};

/* A paragraph and its count. */
struct tally {
    uint64_t hash;
    uint32_t count;
};

/* A site that is being built. */
struct site_builder {
    uint64_t number, seen;
    th_view name;
    uint32_t pages;
    uint32_t *urls, *texts;
    size_t url_count, text_count;
    struct tally *tallies; /* sorted by hash */
    size_t tally_count;
};

/* ---- reading ---- */

static size_t body_len(const struct head *head)
{
    return (size_t)head->hash_count * (sizeof(uint64_t) + sizeof(uint16_t)) +
           ((size_t)head->url_count + head->text_count) * sizeof(uint32_t) +
           head->name_len;
}

static uint32_t checksum_of(const char *bytes, size_t len)
{
    const size_t from = offsetof(struct head, number);
    return (uint32_t)XXH3_64bits(bytes + from, len - from);
}

th_status th_site_read(th_view bytes, th_site *out, size_t *len)
{
    struct head head;
    if (bytes.len < sizeof head)
        return TH_DAMAGED;
    memcpy(&head, bytes.data, sizeof head);
    if (head.len > bytes.len || head.len < sizeof head || head.len % 8 ||
        checksum_of(bytes.data, head.len) != head.checksum)
        return TH_DAMAGED;
    const size_t whole = sizeof head + body_len(&head);
    if (((whole + 7) & ~(size_t)7) != head.len)
        return TH_DAMAGED;
    const char *at = bytes.data + sizeof head;
    *out = (th_site){ .number = head.number,
                      .pages = head.pages,
                      .seen = head.seen,
                      .hash_count = head.hash_count,
                      .url_count = head.url_count,
                      .text_count = head.text_count };
    out->hashes = (const uint64_t *)(const void *)at;
    at += head.hash_count * sizeof *out->hashes;
    out->urls = (const uint32_t *)(const void *)at;
    at += head.url_count * sizeof *out->urls;
    out->texts = (const uint32_t *)(const void *)at;
    at += head.text_count * sizeof *out->texts;
    out->counts = (const uint16_t *)(const void *)at;
    at += head.hash_count * sizeof *out->counts;
    out->name = (th_view){ at, head.name_len };
    if (len)
        *len = head.len;
    return TH_OK;
}

/* Returns the index of the first hash that is at least this one. */
static uint32_t first_from(const th_site *site, uint64_t hash)
{
    uint32_t low = 0, high = site->hash_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (site->hashes[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t th_site_count(const th_site *site, uint64_t hash)
{
    const uint32_t at = first_from(site, hash);
    return at < site->hash_count && site->hashes[at] == hash ? site->counts[at] : 0;
}

uint32_t th_site_count_segment(const th_site *site, uint64_t hash)
{
    const uint64_t kind = TH_SITE_KIND;
    const uint64_t first = (hash & ~kind) | TH_SITE_SEGMENT;
    uint32_t count = 0;
    for (uint32_t i = first_from(site, first);
         i < site->hash_count && site->hashes[i] <= (hash | kind); i++)
        count += site->counts[i];
    return count < site->pages ? count : site->pages;
}

static bool has_key(const uint32_t *keys, uint32_t count, uint32_t key)
{
    const uint32_t at = th_first_from(keys, count, sizeof *keys, 0, key);
    return at < count && keys[at] == key;
}

bool th_site_has_page(const th_site *site, uint32_t url, uint32_t text)
{
    return has_key(site->urls, site->url_count, url) ||
           has_key(site->texts, site->text_count, text);
}

/* ---- bounds ---- */

static int by_count(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static int by_hash(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Forgets half of the pages, and halves every count. */
static void halve(struct site_builder *site)
{
    size_t kept = 0;
    for (size_t i = 0; i < site->tally_count; i++) {
        site->tallies[i].count /= 2;
        if (site->tallies[i].count)
            site->tallies[kept++] = site->tallies[i];
    }
    site->tally_count = kept;
    site->pages /= 2;
    site->url_count /= 2; /* keeps the smallest hashes, an arbitrary half */
    site->text_count /= 2;
}

/* Reduces a site to its limits. */
static void bound(struct site_builder *site, const th_site_limits *limits)
{
    size_t kept = 0;
    while (site->pages > limits->pages)
        halve(site);
    for (size_t i = 0; i < site->tally_count; i++)
        if (site->tallies[i].count >= limits->min)
            site->tallies[kept++] = site->tallies[i];
    site->tally_count = kept;
    if (kept <= limits->hashes)
        return;
    qsort(site->tallies, kept, sizeof *site->tallies, by_count);
    site->tally_count = limits->hashes;
    qsort(site->tallies, site->tally_count, sizeof *site->tallies, by_hash);
}

/* ---- writing ---- */

static th_status write_site(const struct site_builder *site, th_buffer *out)
{
    struct head head = { .number = site->number,
                         .seen = site->seen,
                         .name_len = (uint32_t)site->name.len,
                         .pages = site->pages,
                         .url_count = (uint32_t)site->url_count,
                         .text_count = (uint32_t)site->text_count,
                         .hash_count = (uint32_t)site->tally_count };
    const size_t start = out->len;
    const size_t whole = sizeof head + body_len(&head);
    head.len = (uint32_t)((whole + 7) & ~(size_t)7);
    if (!th_buffer_reserve(out, head.len))
        return TH_NOMEM;
    char *at = out->data + start + sizeof head;
    for (size_t i = 0; i < site->tally_count; i++, at += sizeof(uint64_t))
        memcpy(at, &site->tallies[i].hash, sizeof(uint64_t));
    if (site->url_count)
        memcpy(at, site->urls, site->url_count * sizeof *site->urls);
    at += site->url_count * sizeof *site->urls;
    if (site->text_count)
        memcpy(at, site->texts, site->text_count * sizeof *site->texts);
    at += site->text_count * sizeof *site->texts;
    for (size_t i = 0; i < site->tally_count; i++, at += sizeof(uint16_t)) {
        const uint16_t count = (uint16_t)site->tallies[i].count;
        memcpy(at, &count, sizeof count);
    }
    if (site->name.len)
        memcpy(at, site->name.data, site->name.len);
    memset(out->data + start + whole, 0, head.len - whole);
    memcpy(out->data + start, &head, sizeof head);
    head.checksum = checksum_of(out->data + start, head.len);
    memcpy(out->data + start, &head, sizeof head);
    out->len += head.len;
    return TH_OK;
}

/* ---- counting ---- */

static size_t unique_keys(uint32_t *keys, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(keys, count, sizeof *keys, th_order_uint32);
    for (size_t i = 0; i < count; i++)
        if (!kept || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

static int by_url(const void *left, const void *right)
{
    const th_site_entry *a = *(const th_site_entry *const *)left;
    const th_site_entry *b = *(const th_site_entry *const *)right;
    if (a->url != b->url)
        return a->url < b->url ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

/* An entry's text, and the entry's number. */
struct shown {
    uint32_t text, entry;
};

static int by_text(const void *left, const void *right)
{
    const struct shown *a = left, *b = right;
    if (a->text != b->text)
        return a->text < b->text ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

static uint32_t root_of(uint32_t *parent, uint32_t entry)
{
    while (parent[entry] != entry)
        entry = parent[entry] = parent[parent[entry]];
    return entry;
}

/* Unites two sets. The smaller number becomes the root, so a page is identified by its
 * first entry. */
static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* Finds entries of the same page: parent[] leads to the first of them. */
static th_status find_pages(const th_site_entry **entries, size_t count, uint32_t *parent)
{
    struct shown *shown = calloc(count, sizeof *shown);
    if (!shown)
        return TH_NOMEM;
    qsort(entries, count, sizeof *entries, by_url);
    for (size_t i = 0; i < count; i++) {
        parent[i] = (uint32_t)i;
        shown[i] = (struct shown){ entries[i]->text, (uint32_t)i };
    }
    qsort(shown, count, sizeof *shown, by_text);
    for (size_t i = 1; i < count; i++) {
        if (entries[i]->url == entries[i - 1]->url)
            unite(parent, (uint32_t)i, (uint32_t)i - 1);
        if (shown[i].text == shown[i - 1].text)
            unite(parent, shown[i].entry, shown[i - 1].entry);
    }
    free(shown);
    return TH_OK;
}

/* A paragraph on a page. */
struct sight {
    uint64_t hash;
    uint32_t page;
};

static int by_sight(const void *left, const void *right)
{
    const struct sight *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->page > b->page) - (a->page < b->page);
}

/* Counts distinct (hash, page) pairs into one tally for each hash. */
static size_t tally(struct sight *sights, size_t count, struct tally *out)
{
    size_t kept = 0;
    if (count)
        qsort(sights, count, sizeof *sights, by_sight);
    for (size_t i = 0; i < count; i++) {
        if (i && by_sight(&sights[i], &sights[i - 1]) == 0)
            continue;
        if (!kept || out[kept - 1].hash != sights[i].hash)
            out[kept++] = (struct tally){ sights[i].hash, 0 };
        out[kept - 1].count++;
    }
    return kept;
}

/* Merges the old and the new tallies into one row, sorted by hash. */
static void merge_tallies(struct site_builder *site, const th_site *before,
                          const struct tally *more, size_t more_count)
{
    size_t a = 0, b = 0, n = 0;
    const size_t old = before ? before->hash_count : 0;
    while (a < old || b < more_count) {
        struct tally *row = &site->tallies[n++];
        if (b == more_count || (a < old && before->hashes[a] <= more[b].hash)) {
            *row = (struct tally){ before->hashes[a], before->counts[a] };
            if (b < more_count && more[b].hash == row->hash)
                row->count += more[b++].count;
            a++;
        } else {
            *row = more[b++];
        }
    }
    site->tally_count = n;
}

/* Moves entries of unknown pages to the front. @return their number */
static size_t drop_known(const th_site *before, const th_site_entry **entries,
                         size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!before || !th_site_has_page(before, entries[i]->url, entries[i]->text))
            entries[kept++] = entries[i];
    return kept;
}

/* The memory for counting; freed together. */
struct scratch {
    uint32_t *parent, *urls, *texts;
    struct sight *sights;
    struct tally *more, *all;
};

static bool reserve(struct scratch *scratch, size_t entries, size_t hashes,
                    const th_site *before)
{
    const size_t urls = entries + (before ? before->url_count : 0);
    const size_t texts = entries + (before ? before->text_count : 0);
    const size_t tallies = hashes + (before ? before->hash_count : 0);
    scratch->parent = calloc(entries + 1, sizeof *scratch->parent);
    scratch->urls = calloc(urls + 1, sizeof *scratch->urls);
    scratch->texts = calloc(texts + 1, sizeof *scratch->texts);
    scratch->sights = calloc(hashes + 1, sizeof *scratch->sights);
    scratch->more = calloc(hashes + 1, sizeof *scratch->more);
    scratch->all = calloc(tallies + 1, sizeof *scratch->all);
    return scratch->parent && scratch->urls && scratch->texts && scratch->sights &&
           scratch->more && scratch->all;
}

static void free_scratch(struct scratch *scratch)
{
    free(scratch->parent);
    free(scratch->urls);
    free(scratch->texts);
    free(scratch->sights);
    free(scratch->more);
    free(scratch->all);
}

/* Merges the keys of old and new pages, sorted and without duplicates. */
static void gather_keys(struct site_builder *site, const th_site *before,
                        const th_site_entry **entries, size_t count)
{
    size_t urls = 0, texts = 0;
    for (uint32_t i = 0; before && i < before->url_count; i++)
        site->urls[urls++] = before->urls[i];
    for (uint32_t i = 0; before && i < before->text_count; i++)
        site->texts[texts++] = before->texts[i];
    for (size_t i = 0; i < count; i++) {
        site->urls[urls++] = entries[i]->url;
        site->texts[texts++] = entries[i]->text;
    }
    site->url_count = unique_keys(site->urls, urls);
    site->text_count = unique_keys(site->texts, texts);
}

th_status th_site_add(const th_site *before, const th_site_entry **entries, size_t count,
                      const th_site_limits *limits, th_buffer *out)
{
    struct scratch scratch = { .parent = NULL };
    th_status status = TH_NOMEM;
    const th_site_entry *any = count ? entries[0] : NULL;
    struct site_builder site = { .pages = before ? before->pages : 0,
                                 .seen = before ? before->seen : 0 };
    for (size_t i = 0; i < count; i++)
        if (entries[i]->when > site.seen)
            site.seen = entries[i]->when;
    count = drop_known(before, entries, count);
    size_t hashes = 0;
    for (size_t i = 0; i < count; i++)
        hashes += entries[i]->hash_count;
    if (!reserve(&scratch, count, hashes, before) ||
        (count && find_pages(entries, count, scratch.parent) != TH_OK))
        goto done;
    size_t sights = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t page = root_of(scratch.parent, (uint32_t)i);
        const uint64_t *hash = th_site_entry_hashes(entries[i]);
        site.pages += page == i;
        for (uint32_t j = 0; j < entries[i]->hash_count; j++)
            scratch.sights[sights++] = (struct sight){ hash[j], page };
    }
    site.urls = scratch.urls;
    site.texts = scratch.texts;
    site.tallies = scratch.all;
    gather_keys(&site, before, entries, count);
    merge_tallies(&site, before, scratch.more,
                  tally(scratch.sights, sights, scratch.more));
    if (before) {
        site.number = before->number;
        site.name = before->name;
    } else if (any) {
        const uint64_t *behind = th_site_entry_hashes(any) + any->hash_count;
        site.number = any->site;
        site.name = (th_view){ (const char *)behind, any->name_len };
    }
    bound(&site, limits);
    status = write_site(&site, out);
done:
    free_scratch(&scratch);
    return status;
}

/* ---- joining ---- */

static uint32_t shared_keys(const uint32_t *a, size_t a_count, const uint32_t *b,
                            size_t b_count)
{
    uint32_t shared = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        shared += a[i] == b[j];
        if (a[i] == b[j]) {
            i++;
            j++;
        } else if (a[i] < b[j]) {
            i++;
        } else {
            j++;
        }
    }
    return shared;
}

static void join_keys(uint32_t *out, size_t *count, const uint32_t *a, size_t a_count,
                      const uint32_t *b, size_t b_count)
{
    if (a_count)
        memcpy(out, a, a_count * sizeof *a);
    if (b_count)
        memcpy(out + a_count, b, b_count * sizeof *b);
    *count = unique_keys(out, a_count + b_count);
}

/* Returns the joined count of a paragraph. All pages that both sides know may contain it,
 * so they are subtracted from the sum. The result is never less than the larger count. */
static uint32_t join_counts(uint32_t a, uint32_t b, uint32_t shared)
{
    const uint32_t max = a > b ? a : b;
    const uint32_t sum = a + b > shared ? a + b - shared : 0;
    return sum > max ? sum : max;
}

th_status th_site_join(const th_site *a, const th_site *b, const th_site_limits *limits,
                       th_buffer *out)
{
    struct scratch scratch = { .parent = NULL };
    th_status status = TH_NOMEM;
    const uint32_t by_urls = shared_keys(a->urls, a->url_count, b->urls, b->url_count);
    const uint32_t by_texts =
        shared_keys(a->texts, a->text_count, b->texts, b->text_count);
    const uint32_t shared = by_urls > by_texts ? by_urls : by_texts;
    struct site_builder site = { .number = a->number,
                                 .seen = a->seen > b->seen ? a->seen : b->seen,
                                 .name = a->name,
                                 .pages = join_counts(a->pages, b->pages, shared) };
    const size_t keys = (size_t)b->url_count + b->text_count;
    if (!reserve(&scratch, keys, b->hash_count, a))
        goto done;
    site.urls = scratch.urls;
    site.texts = scratch.texts;
    site.tallies = scratch.all;
    join_keys(site.urls, &site.url_count, a->urls, a->url_count, b->urls, b->url_count);
    join_keys(site.texts, &site.text_count, a->texts, a->text_count, b->texts,
              b->text_count);
    size_t i = 0, j = 0, n = 0;
    while (i < a->hash_count || j < b->hash_count) {
        struct tally *row = &site.tallies[n++];
        if (j == b->hash_count || (i < a->hash_count && a->hashes[i] < b->hashes[j])) {
            *row = (struct tally){ a->hashes[i], a->counts[i] };
            i++;
        } else if (i == a->hash_count || b->hashes[j] < a->hashes[i]) {
            *row = (struct tally){ b->hashes[j], b->counts[j] };
            j++;
        } else {
            *row = (struct tally){ a->hashes[i],
                                   join_counts(a->counts[i], b->counts[j], shared) };
            i++;
            j++;
        }
    }
    site.tally_count = n;
    bound(&site, limits);
    status = write_site(&site, out);
done:
    free_scratch(&scratch);
    return status;
}
