/*
 * Linear probing from a place that grows with the key: home = key * slots / 2^64. So
 * tables of any size hold their keys in the same order, and to grow, or to write a sealed
 * table, is to read one front to back and to write the other front to back.
 */
#include "index/slot_table.h"

#include <sys/mman.h>

__extension__ typedef unsigned __int128 wide;

enum { SLOTS_LEAST = 1 << 12 };

/* Keys of a table at load .7, in integers, for it must be the same number everywhere. */
uint64_t th_slot_table_size(uint64_t keys)
{
    const uint64_t slots = keys * 10 / 7 + 1;
    return slots < SLOTS_LEAST ? SLOTS_LEAST : slots;
}

static uint64_t home_of(const th_slot_table *table, uint64_t key)
{
    return (uint64_t)((wide)key * table->slot_count >> 64);
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
    for (uint64_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].key)
            (void)th_slot_table_insert(&bigger, table->slots[i].key, table->slots[i].ref);
    th_slot_table_done(table);
    *table = bigger;
    return TH_OK;
}

bool th_slot_table_insert(th_slot_table *table, uint64_t key, th_entry_ref ref)
{
    unsigned equal = 0;
    uint64_t at = home_of(table, key);
    for (; table->slots[at].key; at = next_of(table, at))
        if (table->slots[at].key == key && ++equal == TH_BUCKET_MAX)
            return false;
    table->slots[at] = (th_slot){ key, ref };
    table->used++;
    return true;
}

void th_slot_table_prefetch(const th_slot_table *table, uint64_t key)
{
    if (table->slot_count)
        __builtin_prefetch(&table->slots[home_of(table, key)]);
}

unsigned th_slot_table_find(const th_slot_table *table, uint64_t key, th_entry_ref *refs)
{
    unsigned count = 0;
    if (!table->slot_count)
        return 0;
    uint64_t left = table->slot_count; /* a damaged table may have no free slot */
    for (uint64_t at = home_of(table, key); table->slots[at].key && left;
         at = next_of(table, at), left--) {
        if (table->slots[at].key != key)
            continue;
        refs[count++] = table->slots[at].ref;
        if (count == TH_BUCKET_MAX)
            break;
    }
    return count;
}
