/*
 * Linear probing from a home that grows with the key: home = key * slots / 2^32. So
 * tables of any size have their keys in the same order. Growing, or writing a sealed
 * table, reads one table front to back and writes the other front to back.
 *
 * A table can also double in place, from its end to its start: a key's new home is twice
 * as far as its old one, after all slots that have not moved yet.
 *
 * A slot is 8 bytes, 4 of key and 4 of reference [docs/near-index.md]. The
 * segment has its epoch. A journal of 32 GB needs 4 bytes of reference in units of 8. An
 * entry that 4 bytes of key find by chance is rejected by the comparison. Compared with 8
 * and 8 bytes, this halves memory and cache lines.
 */
#include "index/slot_table.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { SLOTS_LEAST = 1 << 12 };

/* Returns the slots for keys at load .7, in integers so the result is the same on every
 * machine. */
uint64_t th_slot_table_size(uint64_t keys)
{
    const uint64_t slots = keys * 10 / 7 + 1;
    return slots < SLOTS_LEAST ? SLOTS_LEAST : slots;
}

static uint64_t home_of(const th_slot_table *table, th_index_key key)
{
    return key * table->slot_count >> 32;
}

static uint64_t next_of(const th_slot_table *table, uint64_t at)
{
    return at + 1 < table->slot_count ? at + 1 : 0;
}

/* Inserts a slot at the first free position, without counting the slots of its key. */
static void put(th_slot_table *table, th_slot slot)
{
    uint64_t at = home_of(table, slot.key);
    while (table->slots[at].ref)
        at = next_of(table, at);
    table->slots[at] = slot;
}

/* Allocates fresh pages from the system: zero, and not touched before they are used. */
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

void th_slot_table_done(th_slot_table *table)
{
    if (table->slots)
        (void)munmap(table->slots, table->slot_count * sizeof *table->slots);
    *table = (th_slot_table){ 0 };
}

/* Maximum keys whose new home is among slots that have not moved: the first run of slots,
 * and slots that wrapped around the end. A run is about a hundred slots long. */
enum { STRAYS_MAX = 1 << 16 };

struct strays {
    th_slot slots[STRAYS_MAX];
    size_t count;
};

/* Moves one slot to its position in the doubled table. Returns false if it is a stray. */
static bool move_up(th_slot_table *table, uint64_t from)
{
    const th_slot slot = table->slots[from];
    uint64_t at = home_of(table, slot.key);
    table->slots[from].ref = 0;
    if (at <= from)
        return false;
    while (at < table->slot_count && table->slots[at].ref)
        at++;
    if (at == table->slot_count)
        return false;
    table->slots[at] = slot;
    return true;
}

static th_status spread(th_slot_table *table, uint64_t old_count, struct strays *strays)
{
    for (uint64_t i = old_count; i-- > 0;) {
        const th_slot slot = table->slots[i];
        if (!slot.ref || move_up(table, i))
            continue;
        if (strays->count == STRAYS_MAX)
            return TH_NOMEM;
        strays->slots[strays->count++] = slot;
    }
    for (size_t i = 0; i < strays->count; i++)
        put(table, strays->slots[i]);
    return TH_OK;
}

/* Enlarges the table. Existing memory pages are kept: only the new half is touched for
 * the first time. */
static th_status enlarge(th_slot_table *table, uint64_t slot_count)
{
    const uint64_t old_count = table->slot_count;
    const size_t size = sizeof *table->slots;
    struct strays *strays = malloc(sizeof *strays);
    if (!strays)
        return TH_NOMEM;
    void *slots =
        mremap(table->slots, old_count * size, slot_count * size, MREMAP_MAYMOVE);
    if (slots == MAP_FAILED) {
        free(strays);
        return TH_NOMEM;
    }
    (void)madvise(slots, slot_count * size, MADV_HUGEPAGE);
    strays->count = 0;
    table->slots = slots;
    table->slot_count = slot_count;
    const th_status status = spread(table, old_count, strays);
    free(strays);
    return status;
}

th_status th_slot_table_reserve(th_slot_table *table, uint64_t more)
{
    const uint64_t wanted = th_slot_table_size(table->used + more);
    if (wanted <= table->slot_count)
        return TH_OK;
    uint64_t slot_count = table->slot_count ? table->slot_count : SLOTS_LEAST;
    while (slot_count < wanted)
        slot_count *= 2;
    return table->slot_count ? enlarge(table, slot_count) : allocate(table, slot_count);
}

bool th_slot_table_insert(th_slot_table *table, th_index_key key, th_entry_ref ref)
{
    unsigned equal = 0;
    uint64_t at = home_of(table, key);
    for (; table->slots[at].ref; at = next_of(table, at))
        if (table->slots[at].key == key && ++equal == TH_BUCKET_MAX)
            return false;
    table->slots[at] = (th_slot){ key, ref };
    table->used++;
    return true;
}

/* Does not count keys, because their number does not change. */
void th_slot_table_move(const th_slot_table *from, th_slot_table *to)
{
    for (uint64_t i = 0; i < from->slot_count; i++) {
        const th_slot slot = from->slots[i];
        if (slot.ref)
            put(to, slot);
    }
    to->used += from->used;
}

void th_slot_table_prefetch(const th_slot_table *table, th_index_key key)
{
    if (table->slot_count)
        __builtin_prefetch(&table->slots[home_of(table, key)]);
}

unsigned th_slot_table_find(const th_slot_table *table, th_index_key key,
                            th_entry_ref *refs)
{
    unsigned count = 0;
    if (!table->slot_count)
        return 0;
    uint64_t left = table->slot_count; /* a damaged table may have no free slot */
    for (uint64_t at = home_of(table, key); table->slots[at].ref && left;
         at = next_of(table, at), left--) {
        if (table->slots[at].key != key)
            continue;
        refs[count++] = table->slots[at].ref;
        if (count == TH_BUCKET_MAX)
            break;
    }
    return count;
}
