#include "segment/sequence_table.h"

#include <string.h>

bool th_sequence_table_init(th_sequence_table *table, uint32_t max_sequences,
                            size_t max_items, th_arena *arena)
{
    uint64_t slot_count = 16;
    while (slot_count < 2 * (uint64_t)max_sequences)
        slot_count *= 2;
    *table = (th_sequence_table){ .mask = slot_count - 1 };
    table->items = th_arena_alloc(arena, max_items * sizeof *table->items);
    table->ends = th_arena_alloc(arena, max_sequences * sizeof *table->ends);
    table->slots = th_arena_calloc(arena, slot_count, sizeof *table->slots);
    return table->items && table->ends && table->slots;
}

static uint64_t hash_items(const uint32_t *items, uint32_t len)
{
    uint64_t hash = len;
    for (uint32_t i = 0; i < len; i++) {
        hash = (hash ^ items[i]) * 0x9FB21C651E98DF25u;
        hash ^= hash >> 32;
    }
    return hash;
}

uint32_t th_sequence_close(th_sequence_table *table, uint32_t len)
{
    const uint32_t *items = table->items + table->used;
    for (uint64_t slot = hash_items(items, len);; slot++) {
        uint32_t *at = &table->slots[slot & table->mask];
        if (*at == 0) {
            table->used += len;
            table->ends[table->count++] = table->used;
            *at = table->count;
            return table->count - 1;
        }
        const uint32_t number = *at - 1;
        const size_t start = number ? table->ends[number - 1] : 0;
        if (table->ends[number] - start == len &&
            memcmp(table->items + start, items, len * sizeof *items) == 0)
            return number;
    }
}
