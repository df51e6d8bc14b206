#include "graph/page_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of the rounds. */
struct rounds {
    const th_rank_graph *graph;
    const th_rank_options *opt;
    double *ranks;
    double *given;  /* current r(s) / W(s) of each vertex */
    double *before; /* the same when the last round ended */
    double tau;     /* of the vertices that have one */
};

static double tau_of(const struct rounds *rounds, uint32_t vertex)
{
    const bool *is_biased = rounds->graph->is_biased;
    return !is_biased || is_biased[vertex] ? rounds->tau : 0;
}

static void set_rank(struct rounds *rounds, uint32_t vertex, double rank)
{
    const double weight = rounds->graph->weight_out[vertex];
    rounds->ranks[vertex] = rank;
    rounds->given[vertex] = weight > 0 ? rank / weight : 0;
}

static double sum_of_votes(const struct rounds *rounds, uint32_t target)
{
    const th_rank_graph *graph = rounds->graph;
    const uint8_t part = graph->part[target];
    double sum = 0;
    for (uint64_t i = graph->first[target]; i < graph->first[target + 1]; i++) {
        const uint32_t source = graph->sources[i] & ~TH_RANK_BOILERPLATE;
        const double given =
            graph->part[source] == part ? rounds->given[source] : rounds->before[source];
        const bool is_boilerplate = graph->sources[i] & TH_RANK_BOILERPLATE;
        sum += is_boilerplate ? given * rounds->opt->boilerplate_weight : given;
    }
    return sum;
}

/* @return the mean change */
static double make_round(struct rounds *rounds)
{
    const uint32_t count = rounds->graph->vertex_count;
    const double alpha = rounds->opt->alpha;
    double change = 0;
    memcpy(rounds->before, rounds->given, count * sizeof *rounds->before);
    for (uint32_t t = 0; t < count; t++) {
        const double rank =
            (1 - alpha) * tau_of(rounds, t) + alpha * sum_of_votes(rounds, t);
        change += fabs(rank - rounds->ranks[t]);
        set_rank(rounds, t, rank);
    }
    return change / count;
}

static double tau_for(const th_rank_graph *graph)
{
    uint32_t biased = 0;
    for (uint32_t i = 0; graph->is_biased && i < graph->vertex_count; i++)
        biased += graph->is_biased[i];
    return biased ? (double)graph->vertex_count / biased : 1;
}

th_status th_page_rank(const th_rank_graph *graph, const th_rank_options *opt,
                       double *ranks, uint32_t *rounds)
{
    const size_t count = graph->vertex_count;
    struct rounds state = { .graph = graph,
                            .opt = opt,
                            .ranks = ranks,
                            .given = malloc((count + 1) * sizeof(double)),
                            .before = malloc((count + 1) * sizeof(double)),
                            .tau = tau_for(graph) };
    th_status status = state.given && state.before ? TH_OK : TH_NOMEM;
    *rounds = 0;
    for (uint32_t i = 0; i < count && status == TH_OK; i++)
        set_rank(&state, i, 1);
    for (double change = INFINITY; status == TH_OK && count && change >= opt->epsilon &&
                                   *rounds < opt->max_rounds;) {
        change = make_round(&state);
        ++*rounds;
        if (opt->progress)
            opt->progress(opt->context, *rounds, change);
        if (opt->stop && *opt->stop)
            status = TH_INTERRUPTED;
    }
    free(state.given);
    free(state.before);
    return status;
}

th_part_traffic th_rank_traffic(const th_rank_graph *graph)
{
    th_part_traffic traffic = { 0, 0 };
    for (uint32_t t = 0; t < graph->vertex_count; t++) {
        bool has_voted[UINT8_MAX + 1] = { false };
        for (uint64_t i = graph->first[t]; i < graph->first[t + 1]; i++) {
            const uint8_t part = graph->part[graph->sources[i] & ~TH_RANK_BOILERPLATE];
            if (part == graph->part[t])
                continue;
            traffic.links++;
            traffic.votes += !has_voted[part];
            has_voted[part] = true;
        }
    }
    return traffic;
}
