/* Index and sites by one mark. See the header. */
#include "traffic/memories.h"

#include "traffic/near_duplicate.h"

bool th_memories_are_any(const th_memories *memories)
{
    return memories->index || memories->sites;
}

void th_memories_number(const th_work_options *options, th_batch *batch)
{
    if (!options->memory)
        return;
    const th_site_turn turn = th_site_memory_take(options->memory, batch->record_count);
    batch->turn[0] = turn.first;
    batch->turn[1] = turn.life;
}

th_status th_memories_prepare(const th_memories *memories, uint64_t *mark, th_error *err)
{
    th_status status = TH_OK;
    *mark = 0;
    if (memories->index)
        status = th_index_prepare(memories->index, mark, err);
    return status == TH_OK && memories->sites
               ? th_site_memory_prepare(memories->sites, *mark, mark, err)
               : status;
}

void th_memories_commit(const th_memories *memories)
{
    if (memories->index)
        th_index_commit(memories->index);
    if (memories->sites)
        th_site_memory_commit(memories->sites);
}

th_status th_memories_rewind(const th_memories *memories, uint64_t mark, th_error *err)
{
    th_status status = TH_OK;
    uint64_t other = mark;
    if (memories->sites)
        status = th_site_memory_rewind(memories->sites, mark, &other, err);
    return status == TH_OK && memories->index
               ? th_index_rewind(memories->index, other, err)
               : status;
}

th_status th_memories_take_up(const th_memories *memories, uint64_t mark, th_error *err)
{
    const bool has_sites = memories->sites && th_site_memory_mark(memories->sites);
    if (has_sites)
        return th_memories_rewind(memories, mark, err);
    th_status status = TH_OK;
    if (memories->sites)
        status = th_site_memory_rewind(memories->sites, 0, NULL, err);
    return status == TH_OK && memories->index && th_index_mark(memories->index)
               ? th_index_rewind(memories->index, mark, err)
               : status;
}

th_status th_memories_drop(const th_memories *memories, bool has_staged, th_error *err)
{
    if (has_staged)
        return th_memories_rewind(memories, 0, err);
    return memories->sites && th_site_memory_has_open_turns(memories->sites)
               ? th_site_memory_rewind(memories->sites, 0, NULL, err)
               : TH_OK;
}

bool th_memories_know(const th_memories *memories, uint64_t mark)
{
    return memories->sites ? th_site_memory_knows(memories->sites, mark)
                           : memories->index && th_index_knows(memories->index, mark);
}

uint64_t th_memories_mark(const th_memories *memories)
{
    return memories->sites   ? th_site_memory_mark(memories->sites)
           : memories->index ? th_index_mark(memories->index)
                             : 0;
}

th_status th_memories_settle(th_work_result *result, th_error *err)
{
    const th_status status = th_near_duplicate_settle(result, err);
    th_site_memory *sites = result->options->memory;
    return status == TH_OK && sites
               ? th_site_memory_keep(sites, (uint32_t)result->counts.read, result->sites,
                                     err)
               : status;
}
