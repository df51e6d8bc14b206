/* A hash table of stat(2) results. See the header. */
#include "ingest/file_set.h"

#include <string.h>

#include "xxhash.h"

enum { FIRST_CAPACITY = 64 };

struct th_file_key {
    uint64_t device, inode, len, time; /* all 0: free */
};

static struct th_file_key key_of(const struct stat *facts)
{
    struct th_file_key key = { .device = (uint64_t)facts->st_dev + 1,
                               .inode = (uint64_t)facts->st_ino };
    if (S_ISDIR(facts->st_mode))
        return key;
    key.len = (uint64_t)facts->st_size;
    key.time =
        (uint64_t)facts->st_mtim.tv_sec * 1000000000 + (uint64_t)facts->st_mtim.tv_nsec;
    return key;
}

/* Returns the slot of a key, or the free slot where it would be. */
static struct th_file_key *place_of(struct th_file_key *keys, uint32_t capacity,
                                    const struct th_file_key *key)
{
    uint64_t at = XXH3_64bits(key, sizeof *key);
    while (keys[at % capacity].device &&
           memcmp(&keys[at % capacity], key, sizeof *key) != 0)
        at++;
    return &keys[at % capacity];
}

static th_status grow(th_file_set *set, th_arena *arena)
{
    const uint32_t capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY;
    struct th_file_key *keys = th_arena_calloc(arena, capacity, sizeof *keys);
    if (!keys)
        return TH_NOMEM;
    for (uint32_t i = 0; i < set->capacity; i++)
        if (set->keys[i].device)
            *place_of(keys, capacity, &set->keys[i]) = set->keys[i];
    set->keys = keys;
    set->capacity = capacity;
    return TH_OK;
}

th_status th_file_set_add(th_file_set *set, th_arena *arena, const struct stat *facts,
                          bool *is_new)
{
    if (set->count >= set->capacity / 3 * 2 && grow(set, arena) != TH_OK)
        return TH_NOMEM;
    const struct th_file_key key = key_of(facts);
    struct th_file_key *place = place_of(set->keys, set->capacity, &key);
    *is_new = !place->device;
    set->count += *is_new;
    *place = key;
    return TH_OK;
}
