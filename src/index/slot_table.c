/*
 * Linear probing from a place that grows with the key: home = key * slots / 2^32. So
 * tables of any size hold their keys in the same order, and to grow, or to write a sealed
 * table, is to read one front to back and to write the other front to back.
 *
 * spec/neardup.md §1.4 has slots of 16 bytes: 8 of key, 6 of reference, 2 of epoch. Half
 * of each is enough: the segment knows its epoch, a journal of 32 GB needs 4 bytes of
 * reference in units of 8, and 4 bytes of key leave, among 2 million pages of 16 keys,
 * one foreign entry to look at for every 8 pages asked for. Memory and cache lines halve.
 */
#include "index/slot_table.h"

#include <sys/mman.h>

enum { SLOTS_LEAST = 1 << 12 };

/* Keys of a table at load .7, in integers, for it must be the same number everywhere. */
uint64_t th_slot_table_size(uint64_t keys)
{
    const uint64_t slots = keys * 10 / 7 + 1;
    return slots < SLOTS_LEAST ? SLOTS_LEAST : slots;
}

static uint64_t home_of(const th_slot_table *table, uint32_t key)
{
    return key * table->slot_count >> 32;
}

static uint32_t half_of(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

static uint64_t next_of(const th_slot_table *table, uint64_t at)
{
    return at + 1 < table->slot_count ? at + 1 : 0;
}

/* Fresh pages from the system: zero, and not touched before they are used. */
static th_status allocate(th_slot_table *table, uint64_t slot_count)
{
    const size_t len = slot_count * sizeof *table->slots;
    void *slots =
        mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED)
        return TH_NOMEM;
    (void)madvise(slots, len, MADV_HUGEPAGE);
    *table = (th_slot_table){ .slots = slots, .slot_count = slot_count };
    return TH_OK;
}

th_status th_slot_table_init(th_slot_table *table, uint64_t keys)
{
    return allocate(table, th_slot_table_size(keys));
}

void th_slot_table_done(th_slot_table *table)
{
    if (table->slots)
        (void)munmap(table->slots, table->slot_count * sizeof *table->slots);
    *table = (th_slot_table){ 0 };
}

th_status th_slot_table_reserve(th_slot_table *table, uint64_t more)
{
    if (th_slot_table_size(table->used + more) <= table->slot_count)
        return TH_OK;
    th_slot_table bigger;
    uint64_t slot_count = table->slot_count ? table->slot_count * 2 : SLOTS_LEAST;
    while (slot_count < th_slot_table_size(table->used + more))
        slot_count *= 2;
    const th_status status = allocate(&bigger, slot_count);
    if (status != TH_OK)
        return status;
    th_slot_table_move(table, &bigger);
    th_slot_table_done(table);
    *table = bigger;
    return TH_OK;
}

bool th_slot_table_insert(th_slot_table *table, uint64_t key, th_entry_ref ref)
{
    const uint32_t half = half_of(key);
    unsigned equal = 0;
    uint64_t at = home_of(table, half);
    for (; table->slots[at].ref; at = next_of(table, at))
        if (table->slots[at].key == half && ++equal == TH_BUCKET_MAX)
            return false;
    table->slots[at] = (th_slot){ half, (uint32_t)ref };
    table->used++;
    return true;
}

/* No key is counted: there are no more of it than there were. */
void th_slot_table_move(const th_slot_table *from, th_slot_table *to)
{
    for (uint64_t i = 0; i < from->slot_count; i++) {
        const th_slot slot = from->slots[i];
        if (!slot.ref)
            continue;
        uint64_t at = home_of(to, slot.key);
        while (to->slots[at].ref)
            at = next_of(to, at);
        to->slots[at] = slot;
    }
    to->used += from->used;
}

void th_slot_table_prefetch(const th_slot_table *table, uint64_t key)
{
    if (table->slot_count)
        __builtin_prefetch(&table->slots[home_of(table, half_of(key))]);
}

unsigned th_slot_table_find(const th_slot_table *table, uint64_t key, th_entry_ref *refs)
{
    const uint32_t half = half_of(key);
    unsigned count = 0;
    if (!table->slot_count)
        return 0;
    uint64_t left = table->slot_count; /* a damaged table may have no free slot */
    for (uint64_t at = home_of(table, half); table->slots[at].ref && left;
         at = next_of(table, at), left--) {
        if (table->slots[at].key != half)
            continue;
        refs[count++] = table->slots[at].ref;
        if (count == TH_BUCKET_MAX)
            break;
    }
    return count;
}
