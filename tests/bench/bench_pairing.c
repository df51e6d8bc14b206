/*
 * Memory of the pair tables for pages that are all different, and the cost of a
 * message. usage: bench_pairing [PAGES [PARTITIONS]]
 *
 * Records are of 128 slots with 16 band keys and the digest's, ids of 45 bytes, URLs of 58.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sys/resource.h>

#include "dedup/pairing_table.h"
#include "sketch/digest_key.h"

enum { SLOTS = 128, PAGES = 100000, PARTITIONS_MAX = 4096, LINE_MAX_LEN = 2048 };

struct page {
    char line[LINE_MAX_LEN];
    size_t len;
    uint8_t keys[TH_BANDS_MAX + 1][TH_BAND_KEY_LEN];
    uint32_t key_count;
};

/* Maximum of bytes so far. */
static uint64_t resident(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static void make_page(const th_minhash_preset *preset, unsigned long number,
                      struct page *page)
{
    uint64_t slots[SLOTS];
    uint64_t state = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    const th_signature signature = { .slots = slots, .slot_count = SLOTS };
    char *at = page->line;
    at += sprintf(at,
                  "{\"schema\":\"thresher-band/1\","
                  "\"id\":\"<urn:uuid:%08lx-0000-4000-8000-%012lx>\","
                  "\"url\":\"http://www.example-%06lu.org/some/path/of/page-%08lu.html\","
                  "\"date\":\"2026-01-02T03:04:05Z\","
                  "\"digest\":{\"text\":\"%016lx%016lx\"},"
                  "\"minhash\":{\"preset\":\"modern\",\"main\":\"",
                  number, number, number % 1000, number, number, number);
    for (int i = 0; i < SLOTS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        slots[i] = state >> 32;
        at += sprintf(at, "%08lx", (unsigned long)slots[i]);
    }
    at += sprintf(at, "\"}}");
    page->len = (size_t)(at - page->line);
    page->key_count = th_minhash_bands(preset, &signature, page->keys[0]);
    th_digest_key(number, page->keys[page->key_count++]);
}

static th_status count_pair(void *context, th_view older, th_view line)
{
    (void)older, (void)line;
    ++*(uint64_t *)context;
    return TH_OK;
}

/* Each key to the partition that its last byte names. */
static bool send(th_pairing_table *const *tables, unsigned long partitions,
                 const struct page *page, uint64_t *pairs)
{
    for (uint32_t i = 0; i < page->key_count; i++) {
        const uint8_t *key = page->keys[i];
        const th_pairing_message message = { { (const char *)key, TH_BAND_KEY_LEN },
                                             { page->line, page->len },
                                             0 };
        th_pairing_fault fault;
        if (th_pairing_take(tables[((unsigned long)key[7] << 8 | key[8]) % partitions],
                            &message, count_pair, pairs, &fault, NULL) != TH_OK ||
            fault != TH_PAIRING_NONE)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static th_pairing_table *tables[PARTITIONS_MAX];
    static struct page page;
    const unsigned long pages = argc > 1 ? strtoul(argv[1], NULL, 10) : PAGES;
    const unsigned long partitions = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    const th_pairing_options options = {
        .compared = TH_COMPARE_MAIN, .fan_out = 64, .epoch_s = 86400, .epochs = 30
    };
    th_minhash_preset preset;
    uint64_t messages = 0, pairs = 0, records = 0, bytes = 0;
    bool is_good = pages > 0 && partitions > 0 && partitions <= PARTITIONS_MAX &&
                   th_minhash_parse("modern", &preset, NULL) == TH_OK;
    for (unsigned long i = 0; i < partitions && is_good; i++)
        is_good = (tables[i] = th_pairing_table_new(&options)) != NULL;
    const uint64_t before = resident();
    const clock_t start = clock();
    for (unsigned long i = 0; i < pages && is_good; i++) {
        make_page(&preset, i, &page);
        is_good = send(tables, partitions, &page, &pairs);
        messages += page.key_count;
    }
    if (!is_good) {
        (void)fprintf(stderr, "bench_pairing: no memory, or wrong arguments\n");
        return 1;
    }
    const double us = (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC;
    const uint64_t after = resident();
    for (unsigned long i = 0; i < partitions; i++) {
        records += th_pairing_table_counts(tables[i])->records;
        bytes += th_pairing_table_counts(tables[i])->bytes;
    }
    printf("%lu pages in %lu partitions: %.1f records held a page, %.0f bytes a page by "
           "its own count, %.0f resident, %.1f us a message, %lu pairs\n",
           pages, partitions, (double)records / (double)pages,
           (double)bytes / (double)pages, (double)(after - before) / (double)pages,
           us / (double)messages, (unsigned long)pairs);
    for (unsigned long i = 0; i < partitions; i++)
        th_pairing_table_free(tables[i]);
    return pairs != 0;
}
