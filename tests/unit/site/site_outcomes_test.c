/* src/site: counts of random pages in a site, in joined sites, in a table with a limit, and in
 * a memory with marks and rewinds, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "outcomes.h"
#include "site/site_memory.h"
#include "site/site_table.h"

enum { HASHES = 24, SITES = 9, MOST = 10, MEMORIES = 8 };

static void note_site(struct outcomes *all, const th_site *site)
{
    const uint64_t numbers[] = { site->number,     site->pages,     site->seen,
                                 site->hash_count, site->url_count, site->text_count };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(all, numbers[i]);
    note_view(all, site->name);
    for (uint32_t i = 0; i < site->hash_count; i++) {
        note_number(all, site->hashes[i]);
        note_number(all, site->counts[i]);
        note_number(all, th_site_count(site, site->hashes[i] + below(all, 2) * 0x100));
        note_number(all, th_site_count_segment(site, site->hashes[i]));
    }
    for (uint32_t i = 0; i < site->url_count; i++)
        note_number(all, site->urls[i]);
    for (uint32_t i = 0; i < site->text_count; i++)
        note_number(all, site->texts[i]);
    const uint32_t url = below(all, 60), text = below(all, 60);
    note_number(all, th_site_has_page(site, url, text));
}

/* Appends a page of a site. Its hashes rise, without duplicates. */
static void append_page(struct outcomes *all, uint64_t site, uint64_t when,
                        th_buffer *out)
{
    th_site_entry entry = { .site = site,
                            .when = when,
                            .name_len = 3 + (uint32_t)(site % 9) };
    entry.url = below(all, 60);
    entry.text = below(all, 60);
    uint64_t hashes[HASHES];
    for (uint64_t i = 1; i < 30 && entry.hash_count < HASHES; i++)
        if (below(all, 3) == 0)
            hashes[entry.hash_count++] =
                i * 0x100 + (below(all, 5) ? 0 : TH_SITE_SEGMENT + 8 * below(all, 3));
    th_buffer_append(out, (const char *)&entry, sizeof entry);
    th_buffer_append(out, (const char *)hashes, entry.hash_count * sizeof *hashes);
    th_buffer_append(out, "a.b.c.d.e.f\0\0\0\0",
                     ((size_t)entry.name_len + 7) & ~(size_t)7);
}

static th_site_limits random_limits(struct outcomes *all)
{
    th_site_limits limits = { .pages = 2 + below(all, 40) };
    limits.hashes = 1 + below(all, 40);
    limits.min = 1 + below(all, 3);
    return limits;
}

/* Counts pages of one site, on top of another site. */
static void count(struct outcomes *all, const th_site *before,
                  const th_site_limits *limits, th_buffer *out, th_site *site)
{
    th_buffer bytes = { 0 };
    const th_site_entry *entries[MOST];
    size_t places[MOST];
    const uint32_t pages = 1 + below(all, MOST);
    for (uint32_t i = 0; i < pages; i++) {
        places[i] = bytes.len;
        append_page(all, 5, 1 + below(all, 99), &bytes);
    }
    for (uint32_t i = 0; i < pages; i++)
        entries[i] = (const th_site_entry *)(const void *)(bytes.data + places[i]);
    assert_int_equal(th_site_add(before, entries, pages, limits, out), TH_OK);
    th_buffer_done(&bytes);
    size_t len = 0;
    assert_int_equal(th_site_read(th_buffer_view(out), site, &len), TH_OK);
    assert_int_equal(len, out->len);
    note_number(all, len);
    note_site(all, site);
}

static void counts_of_random_pages_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    for (unsigned round = 0; round < 300; round++) {
        th_buffer bytes[2][2] = { { { 0 } } };
        th_site sites[2];
        const th_site_limits limits = random_limits(&all);
        for (unsigned i = 0; i < 2; i++)
            for (uint32_t k = 0; k < 6; k++) {
                th_buffer *out = &bytes[i][k % 2];
                th_site before = sites[i];
                out->len = 0;
                count(&all, k ? &before : NULL, &limits, out, &sites[i]);
                if (k && below(&all, 4) == 0)
                    break;
            }
        th_buffer joined = { 0 };
        th_site site;
        assert_int_equal(th_site_join(&sites[0], &sites[1], &limits, &joined), TH_OK);
        assert_int_equal(th_site_read(th_buffer_view(&joined), &site, NULL), TH_OK);
        note_site(&all, &site);
        /* A damaged or cut site is refused. */
        const uint32_t at = below(&all, (uint32_t)joined.len);
        joined.data[at] ^= (char)(1 << below(&all, 8));
        note_number(&all, (uint64_t)th_site_read(th_buffer_view(&joined), &site, NULL));
        th_buffer_done(&joined);
        for (unsigned i = 0; i < 4; i++)
            th_buffer_done(&bytes[i / 2][i % 2]);
    }
    for (uint32_t pages = 1; pages < 70; pages++)
        for (uint32_t found = 0; found <= pages; found++)
            note_number(&all, (unsigned)th_recurs(found, pages, TH_RECURS_LONG - 1) |
                                  (unsigned)th_recurs(found, pages, TH_RECURS_LONG) << 1);
    expect_digest(&all, 0x420F9EF3C0705EA7);
}

static void tables_of_random_pages_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 2 };
    for (unsigned round = 0; round < 60; round++) {
        th_site_table table = { 0 };
        const th_site_limits limits = random_limits(&all);
        for (uint32_t step = 0; step < 30; step++) {
            th_buffer bytes = { 0 };
            for (uint32_t i = 1 + below(&all, 5); i; i--) {
                const uint64_t site = 7 + below(&all, SITES);
                append_page(&all, site, step + below(&all, 9), &bytes);
            }
            assert_int_equal(th_site_table_add(&table, th_buffer_view(&bytes), &limits),
                             TH_OK);
            th_buffer_done(&bytes);
            if (below(&all, 5) == 0)
                assert_int_equal(th_site_table_bound(&table, below(&all, 3000)), TH_OK);
            note_number(&all, table.count);
            note_number(&all, table.bytes);
            th_site site;
            const th_status status =
                th_site_table_find(&table, 7 + below(&all, SITES), &site);
            note_number(&all, (uint64_t)status);
            if (status == TH_OK)
                note_site(&all, &site);
        }
        th_site_table_done(&table);
    }
    expect_digest(&all, 0x8B7A24BA89289F0B);
}

/* ---- the memory ---- */

struct walk {
    struct outcomes all;
    th_site_memory_options options;
    th_site_memory *memory;
    uint64_t first_mark; /* random */
    uint64_t prepared, committed;
};

static void hear(void *context, const char *text)
{
    note_text(context, text);
}

static void open_memory(struct walk *walk, uint64_t mark)
{
    uint64_t other = 0;
    assert_int_equal(th_site_memory_open(&walk->options, &walk->memory, NULL), TH_OK);
    const th_status status = th_site_memory_rewind(walk->memory, mark, &other, NULL);
    note_number(&walk->all, (uint64_t)status);
    if (status != TH_OK)
        assert_int_equal(th_site_memory_rewind(walk->memory, 0, &other, NULL), TH_OK);
    note_number(&walk->all, other);
}

/* Notes and keeps the records of a batch, or only some of them. */
static void add_batch(struct walk *walk)
{
    struct outcomes *all = &walk->all;
    const uint32_t records = 1 + below(all, 5);
    const th_site_turn turn = th_site_memory_take(walk->memory, records);
    note_number(all, turn.first);
    for (uint32_t i = 0; i < records; i++) {
        th_buffer bytes = { 0 };
        if (below(all, 5))
            append_page(all, 7 + below(all, SITES), turn.first + i + 1, &bytes);
        note_number(all, th_site_memory_epoch_end(walk->memory, turn.first + i));
        assert_int_equal(th_site_memory_wait(walk->memory, &turn, turn.first + i), TH_OK);
        const th_view entries = { bytes.len ? bytes.data : "", bytes.len };
        assert_int_equal(th_site_memory_note(walk->memory, &turn, 1, entries), TH_OK);
        assert_int_equal(th_site_memory_keep(walk->memory, 1, entries, NULL), TH_OK);
        th_buffer_done(&bytes);
    }
    note_number(all, th_site_memory_has_open_turns(walk->memory));
}

/* Notes how far a mark is from the first one, which is random. */
static void note_mark(struct walk *walk, uint64_t mark)
{
    const bool is_new = mark && mark - walk->first_mark > 1000;
    walk->first_mark = is_new ? mark : walk->first_mark;
    note_number(&walk->all, is_new ? UINT64_MAX : mark ? mark - walk->first_mark + 1 : 0);
}

static void note_memory(struct walk *walk)
{
    struct outcomes *all = &walk->all;
    th_site_memory_stats stats = { .sites = 0 };
    th_site_memory_facts_get(walk->memory, &stats);
    const uint64_t numbers[] = { stats.sites, stats.bytes, stats.records,
                                 stats.journal_bytes, stats.forgotten };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(all, numbers[i]);
    note_mark(walk, th_site_memory_mark(walk->memory));
    note_number(all, th_site_memory_knows(walk->memory, walk->prepared));
    note_number(all, th_site_memory_knows(walk->memory, walk->committed));
    const th_site_lookup *lookup = th_site_memory_lookup(walk->memory);
    const th_site_name name = { .number = 7 + below(all, SITES) };
    th_site site;
    lookup->hold(lookup->context, true);
    const th_status status = lookup->find(lookup->context, &name, &site);
    note_number(all, (uint64_t)status);
    if (status == TH_OK)
        note_site(all, &site);
    lookup->hold(lookup->context, false);
}

static void step(struct walk *walk)
{
    struct outcomes *all = &walk->all;
    uint64_t mark = 0;
    switch (below(all, 10)) {
    case 0:
    case 1:
        assert_int_equal(
            th_site_memory_prepare(walk->memory, below(all, 99), &mark, NULL), TH_OK);
        walk->prepared = mark;
        note_mark(walk, mark);
        break;
    case 2:
        th_site_memory_commit(walk->memory);
        walk->committed = walk->prepared;
        break;
    case 3: {
        uint64_t other = 0;
        const uint64_t to = below(all, 2)   ? walk->prepared
                            : below(all, 2) ? walk->committed
                                            : 0;
        const th_status status = th_site_memory_rewind(walk->memory, to, &other, NULL);
        note_number(all, (uint64_t)status);
        note_number(all, status == TH_OK ? other : 0);
        if (status != TH_OK)
            assert_int_equal(th_site_memory_rewind(walk->memory, 0, &other, NULL), TH_OK);
        break;
    }
    case 4:
        if (below(all, 2))
            break;
        th_site_memory_close(walk->memory);
        open_memory(walk, below(all, 2) ? walk->prepared : 0);
        break;
    default:
        add_batch(walk);
    }
    note_memory(walk);
}

static void memories_of_random_pages_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    for (uint32_t i = 0; i < MEMORIES; i++) {
        char dir[] = "/tmp/thresher-memory-XXXXXX", command[64];
        assert_non_null(mkdtemp(dir));
        struct walk walk = { .all = all };
        walk.options = (th_site_memory_options){ .dir = dir,
                                                 .limits = random_limits(&walk.all),
                                                 .warn = hear,
                                                 .warn_context = &walk.all };
        walk.options.has_segments = below(&walk.all, 2);
        walk.options.epoch = 1 + below(&walk.all, 6);
        walk.options.memory = 600 + below(&walk.all, 6000);
        walk.options.journal_bytes = 200 + below(&walk.all, 4000);
        open_memory(&walk, 0);
        for (uint32_t k = 0; k < 80; k++)
            step(&walk);
        th_site_memory_close(walk.memory);
        (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
        assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
        all = walk.all;
    }
    expect_digest(&all, 0xD1F269C4E9EA4F9C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_random_pages_are_known),
        cmocka_unit_test(tables_of_random_pages_are_known),
        cmocka_unit_test(memories_of_random_pages_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
