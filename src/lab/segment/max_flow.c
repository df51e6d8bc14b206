/*
 * Dinic's algorithm: levels by a search from the source, then flow along ways that climb
 * one level at a time, until the sink has no level. Without recursion.
 */
#include "lab/segment/max_flow.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

struct th_flow_arc {
    uint32_t to, next; /* next arc of the same node */
    int64_t left;      /* residual capacity; the reverse arc is number ^ 1 */
};

bool th_flow_init(th_flow *flow, uint32_t node_count, uint32_t max_arcs,
                  th_arena *scratch)
{
    *flow = (th_flow){ .node_count = node_count, .arc_capacity = 2 * max_arcs };
    flow->arcs = th_arena_alloc(scratch, flow->arc_capacity * sizeof *flow->arcs);
    flow->first = th_arena_alloc(scratch, node_count * sizeof *flow->first);
    flow->distance = th_arena_alloc(scratch, node_count * sizeof *flow->distance);
    flow->queue = th_arena_alloc(scratch, node_count * sizeof *flow->queue);
    flow->path = th_arena_alloc(scratch, node_count * sizeof *flow->path);
    if (!flow->arcs || !flow->first || !flow->distance || !flow->queue || !flow->path)
        return false;
    memset(flow->first, 0xFF, node_count * sizeof *flow->first);
    return true;
}

static void put_arc(th_flow *flow, uint32_t from, uint32_t to, int64_t capacity)
{
    assert(flow->arc_count < flow->arc_capacity);
    flow->arcs[flow->arc_count] =
        (struct th_flow_arc){ .to = to, .next = flow->first[from], .left = capacity };
    flow->first[from] = flow->arc_count++;
}

void th_flow_arc_add(th_flow *flow, uint32_t from, uint32_t to, int64_t capacity,
                     int64_t back)
{
    put_arc(flow, from, to, capacity);
    put_arc(flow, to, from, back);
}

/*
 * Levels from a node, forward along arcs with room or backward along those.
 * @return how many nodes were reached
 */
static uint32_t search(th_flow *flow, uint32_t start, bool is_backward)
{
    uint32_t head = 0, tail = 0;
    memset(flow->distance, 0xFF, flow->node_count * sizeof *flow->distance);
    flow->distance[start] = 0;
    flow->queue[tail++] = start;
    while (head < tail) {
        const uint32_t node = flow->queue[head++];
        for (uint32_t i = flow->first[node]; i != NONE; i = flow->arcs[i].next) {
            const uint32_t to = flow->arcs[i].to;
            const int64_t left = flow->arcs[is_backward ? i ^ 1 : i].left;
            if (left > 0 && flow->distance[to] == NONE) {
                flow->distance[to] = flow->distance[node] + 1;
                flow->queue[tail++] = to;
            }
        }
    }
    return tail;
}

/*
 * Sends flow along the path whose arcs are on the stack. Then cuts the path after the
 * first full arc. @return the amount sent
 */
static int64_t send(th_flow *flow, const uint32_t *way, uint32_t *len)
{
    int64_t max = INT64_MAX;
    for (uint32_t i = 0; i < *len; i++) {
        if (flow->arcs[way[i]].left < max)
            max = flow->arcs[way[i]].left;
    }
    uint32_t kept = *len;
    for (uint32_t i = *len; i-- > 0;) {
        flow->arcs[way[i]].left -= max;
        flow->arcs[way[i] ^ 1].left += max;
        if (flow->arcs[way[i]].left == 0)
            kept = i;
    }
    *len = kept;
    return max;
}

/* A blocking flow in the levels; the queue, which is free now, holds the way. */
static int64_t block(th_flow *flow)
{
    int64_t sum = 0;
    uint32_t *way = flow->queue, len = 0, node = TH_FLOW_SOURCE;
    memcpy(flow->path, flow->first, flow->node_count * sizeof *flow->path);
    for (;;) {
        if (node == TH_FLOW_SINK) {
            sum += send(flow, way, &len);
            node = len ? flow->arcs[way[len - 1]].to : TH_FLOW_SOURCE;
            continue;
        }
        uint32_t *arc = &flow->path[node];
        while (*arc != NONE &&
               (flow->arcs[*arc].left == 0 ||
                flow->distance[flow->arcs[*arc].to] != flow->distance[node] + 1))
            *arc = flow->arcs[*arc].next;
        if (*arc != NONE) {
            way[len++] = *arc;
            node = flow->arcs[*arc].to;
        } else if (len == 0) {
            return sum;
        } else { /* a dead end: the arc into it is of no use */
            const uint32_t into = way[--len];
            node = flow->arcs[into ^ 1].to;
            flow->path[node] = flow->arcs[into].next;
        }
    }
}

int64_t th_flow_run(th_flow *flow)
{
    int64_t value = 0;
    for (;;) {
        (void)search(flow, TH_FLOW_SOURCE, false);
        if (flow->distance[TH_FLOW_SINK] == NONE)
            return value;
        value += block(flow);
    }
}

void th_flow_sink_side(th_flow *flow, bool *is_sink_side)
{
    (void)search(flow, TH_FLOW_SINK, true);
    for (uint32_t i = 0; i < flow->node_count; i++)
        is_sink_side[i] = flow->distance[i] != NONE;
}

void th_flow_source_side(th_flow *flow, bool *is_source_side)
{
    (void)search(flow, TH_FLOW_SOURCE, false);
    for (uint32_t i = 0; i < flow->node_count; i++)
        is_source_side[i] = flow->distance[i] != NONE;
}
