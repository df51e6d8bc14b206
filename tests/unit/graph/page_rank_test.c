/* Compares src/graph/page_rank.c with ranks by elimination: the ranks of the test vectors, and
 * a graph of three pages that can be solved by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/page_rank.h"
#include "segment/vectors.h"

enum { MOST_VERTICES = 64, MOST_LINKS = 256 };

struct web {
    th_rank_graph graph;
    uint64_t first[MOST_VERTICES + 1];
    uint32_t sources[MOST_LINKS];
    double weight_out[MOST_VERTICES];
    uint8_t part[MOST_VERTICES];
    bool is_biased[MOST_VERTICES];
};

static void start(struct web *web, uint32_t vertices)
{
    memset(web, 0, sizeof *web);
    web->graph = (th_rank_graph){ vertices,        web->first, web->sources,
                                  web->weight_out, web->part,  NULL };
}

/* Links come in the order of their targets. */
static void add_link(struct web *web, uint32_t from, uint32_t to, uint32_t flag,
                     double weight)
{
    web->sources[web->first[web->graph.vertex_count]] = from | flag;
    for (uint32_t t = to; t < web->graph.vertex_count; t++)
        web->first[t + 1]++;
    web->weight_out[from] += weight;
}

static th_rank_options options(double epsilon)
{
    return (th_rank_options){
        .alpha = 0.85, .boilerplate_weight = 1, .epsilon = epsilon, .max_rounds = 1000
    };
}

/* A link of weight 3 equals three links: the sum and the number of rounds are the same. */
static void add_links(struct web *web, json_val links, bool is_weighed)
{
    for (uint32_t to = 0; to < web->graph.vertex_count; to++)
        for (uint32_t i = 0; i < length_of(links); i++) {
            json_val link = element(links, i);
            const int64_t weight = is_weighed ? integer_at(link, 2) : 1;
            for (int64_t n = 0; n < weight && integer_at(link, 1) == to; n++)
                add_link(web, (uint32_t)integer_at(link, 0), to, 0, 1);
        }
}

static void load(struct web *web, json_val file, json_val row, bool is_weighed)
{
    json_val hosts = member(file, "hosts"), bias = member(row, "bias");
    json_val parts = member(row, "partition_of_host");
    start(web, length_of(hosts));
    add_links(web, member(file, "links"), is_weighed);
    for (uint32_t i = 0; i < length_of(hosts); i++)
        web->part[i] = (uint8_t)integer_at(parts, (uint32_t)integer_at(hosts, i));
    if (bias->type != JSON_ARRAY)
        return;
    web->graph.is_biased = web->is_biased;
    for (uint32_t i = 0; i < length_of(bias); i++)
        web->is_biased[integer_at(bias, i)] = true;
}

static void check_row(json_val file, json_val row)
{
    struct web web;
    double ranks[MOST_VERTICES];
    uint32_t fine = 0, coarse = 0;
    json_val exact = member(row, "exact"), rounds = member(row, "partitioned");
    th_rank_options opt = options(1e-9);
    load(&web, file, row, true);
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &fine), TH_OK);
    for (uint32_t i = 0; i < length_of(exact); i++)
        assert_true(fabs(ranks[i] - json_real(element(exact, i))) < 1e-8);
    assert_int_equal(fine, integer_at(rounds, 0));
    opt.epsilon = 1e-14; /* the vectors have nine decimals */
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &coarse), TH_OK);
    for (uint32_t i = 0; i < length_of(exact); i++)
        assert_true(fabs(ranks[i] - json_real(element(exact, i))) <= 1e-9);
    opt.epsilon = 1e-3;
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &coarse), TH_OK);
    assert_int_equal(coarse, integer_at(rounds, 1));
    load(&web, file, row, false);
    const th_part_traffic traffic = th_rank_traffic(&web.graph);
    assert_int_equal(traffic.links, integer(member(row, "inter_partition_links")));
    assert_int_equal(traffic.votes, integer(member(row, "inter_partition_votes")));
}

static void ranks_as_the_vectors(void **state)
{
    (void)state;
    json *file = load_vectors("link_graph.json");
    json_val rows = member(file, "small");
    assert_true(length_of(rows) > 0);
    for (uint32_t i = 0; i < length_of(rows); i++)
        check_row(file, element(rows, i));
    json_free(file);
}

/* 0 -> 1 in content and 0 -> 2 in boilerplate that weighs a quarter:
 * r0 = .15, r1 = .15 + .85 * .15 * 1 / 1.25, r2 = .15 + .85 * .15 * .25 / 1.25 */
static void boilerplate_weighs_less(void **state)
{
    (void)state;
    struct web web;
    double ranks[3];
    uint32_t rounds = 0;
    start(&web, 3);
    add_link(&web, 0, 1, 0, 1);
    add_link(&web, 0, 2, TH_RANK_BOILERPLATE, 0.25);
    th_rank_options opt = options(1e-12);
    opt.boilerplate_weight = 0.25;
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &rounds), TH_OK);
    assert_true(fabs(ranks[0] - 0.15) < 1e-12);
    assert_true(fabs(ranks[1] - 0.252) < 1e-12);
    assert_true(fabs(ranks[2] - 0.1755) < 1e-12);
}

/* A vertex whose links all weigh nothing passes nothing on. */
static void boilerplate_may_weigh_nothing(void **state)
{
    (void)state;
    struct web web;
    double ranks[2];
    uint32_t rounds = 0;
    start(&web, 2);
    add_link(&web, 0, 1, TH_RANK_BOILERPLATE, 0);
    th_rank_options opt = options(1e-12);
    opt.boilerplate_weight = 0;
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &rounds), TH_OK);
    assert_true(fabs(ranks[1] - 0.15) < 1e-12);
}

static void ends_when_told(void **state)
{
    (void)state;
    const atomic_int stop = 1;
    struct web web;
    double ranks[2];
    uint32_t rounds = 0;
    start(&web, 2);
    add_link(&web, 0, 1, 0, 1);
    th_rank_options opt = options(1e-12);
    opt.stop = &stop;
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &rounds), TH_INTERRUPTED);
    assert_int_equal(rounds, 1);
    opt.stop = NULL;
    opt.epsilon = 0;
    opt.max_rounds = 7;
    assert_int_equal(th_page_rank(&web.graph, &opt, ranks, &rounds), TH_OK);
    assert_int_equal(rounds, 7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_as_the_vectors),
        cmocka_unit_test(boilerplate_weighs_less),
        cmocka_unit_test(boilerplate_may_weigh_nothing),
        cmocka_unit_test(ends_when_told),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
