/* Index and sites by one mark. See the header. */
#include "traffic/seen_state.h"

#include "traffic/near_duplicate.h"

bool th_seen_state_is_used(const th_seen_state *seen)
{
    return seen->index || seen->sites;
}

void th_seen_state_number(const th_work_options *options, th_batch *batch)
{
    if (!options->memory)
        return;
    const th_site_turn turn = th_site_memory_take(options->memory, batch->record_count);
    batch->turn[0] = turn.first;
    batch->turn[1] = turn.life;
}

th_status th_seen_state_prepare(const th_seen_state *seen, uint64_t *mark, th_error *err)
{
    th_status status = TH_OK;
    *mark = 0;
    if (seen->index)
        status = th_index_prepare(seen->index, mark, err);
    return status == TH_OK && seen->sites
               ? th_site_memory_prepare(seen->sites, *mark, mark, err)
               : status;
}

void th_seen_state_commit(const th_seen_state *seen)
{
    if (seen->index)
        th_index_commit(seen->index);
    if (seen->sites)
        th_site_memory_commit(seen->sites);
}

th_status th_seen_state_rewind(const th_seen_state *seen, uint64_t mark, th_error *err)
{
    th_status status = TH_OK;
    uint64_t other = mark;
    if (seen->sites)
        status = th_site_memory_rewind(seen->sites, mark, &other, err);
    return status == TH_OK && seen->index ? th_index_rewind(seen->index, other, err)
                                          : status;
}

th_status th_seen_state_take_up(const th_seen_state *seen, uint64_t mark, th_error *err)
{
    const bool has_sites = seen->sites && th_site_memory_mark(seen->sites);
    if (has_sites)
        return th_seen_state_rewind(seen, mark, err);
    th_status status = TH_OK;
    if (seen->sites)
        status = th_site_memory_rewind(seen->sites, 0, NULL, err);
    return status == TH_OK && seen->index && th_index_mark(seen->index)
               ? th_index_rewind(seen->index, mark, err)
               : status;
}

th_status th_seen_state_drop(const th_seen_state *seen, bool has_staged, th_error *err)
{
    if (has_staged)
        return th_seen_state_rewind(seen, 0, err);
    return seen->sites && th_site_memory_has_open_turns(seen->sites)
               ? th_site_memory_rewind(seen->sites, 0, NULL, err)
               : TH_OK;
}

bool th_seen_state_know(const th_seen_state *seen, uint64_t mark)
{
    return seen->sites ? th_site_memory_knows(seen->sites, mark)
                       : seen->index && th_index_knows(seen->index, mark);
}

th_status th_seen_state_settle(th_work_result *result, th_error *err)
{
    const th_status status = th_near_duplicate_settle(result, err);
    th_site_memory *sites = result->options->memory;
    return status == TH_OK && sites
               ? th_site_memory_keep(sites, (uint32_t)result->counts.read, result->sites,
                                     err)
               : status;
}
