/* Training: gold labels equal the reference, fits recover the parameters of the data,
 * and a model's text can be read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "lab/segment/split_mix.h"
#include "lab/train/boundary_training.h"
#include "lab/train/logistic.h"
#include "lab/train/model_text.h"
#include "segment/vectors.h"

enum { MOST = 4096 };

static void gold_labels_are_the_references(void **unused)
{
    (void)unused;
    json *file = load_vectors("boundary_graph_toy.json");
    json_val rows = member(file, "gold");
    th_arena *arena = th_arena_new(0);
    assert_true(length_of(rows) > 0);
    for (uint32_t i = 0; i < length_of(rows); i++) {
        json_val row = element(rows, i);
        json_val want = member(row, "gold"), y = member(row, "y");
        const th_page *page = vector_page(string(member(row, "name")), arena);
        th_boundary_graph graph;
        int32_t gold[MOST];
        uint8_t is_y[MOST], weighs[MOST];
        uint32_t segment_of[MOST];
        assert_int_equal(length_of(want), page->block_count);
        for (uint32_t k = 0; k < page->block_count; k++)
            gold[k] = (int32_t)integer_at(want, k);
        assert_int_equal(th_boundary_graph_build(page, arena, &graph), TH_OK);
        assert_int_equal(length_of(y), graph.boundary_count);
        assert_int_equal(th_boundary_gold(page, &graph, gold, arena, is_y, weighs),
                         TH_OK);
        for (uint32_t k = 0; k < graph.boundary_count; k++) {
            assert_int_equal(is_y[k], integer_at(y, k));
            assert_int_equal(weighs[k], integer_at(member(row, "weight"), k));
        }
        assert_int_equal(th_boundary_segments(page, &graph, is_y, arena, segment_of),
                         TH_OK);
        check_numbers(member(row, "segment_of"), segment_of, page->block_count);
    }
    th_arena_free(arena);
    json_free(file);
}

/*
 * [B14 Def. 3] The boundaries around the largest gold segment inform, and a boundary far
 * from it does not. Segment 1 has two parts of five; the boundary between them informs
 * too, because it would divide the segment.
 */
static void borders_of_the_largest_segment_inform(void **unused)
{
    (void)unused;
    enum { PARTS = 5 };
    th_text_node nodes[PARTS + 1] = { { 0 } };
    uint32_t leaves[PARTS], leaf_of[PARTS];
    th_block blocks[PARTS] = { { 0 } };
    th_boundary_part parts[PARTS];
    const int32_t gold[PARTS] = { 0, 1, 1, 2, 3 };
    uint8_t informs[PARTS - 1];
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < PARTS; i++) {
        nodes[i + 1].parent = 0;
        nodes[i + 1].end = i + 2;
        leaves[i] = i + 1;
        leaf_of[i] = i;
        blocks[i].tokens = 10;
        parts[i] = (th_boundary_part){ i + 1, i + 2, TH_NONE, 0 };
    }
    nodes[0].end = PARTS + 1;
    th_boundary_level level = { .part_count = PARTS };
    const th_boundary_graph graph = { .tree = { .nodes = nodes,
                                                .node_count = PARTS + 1,
                                                .leaves = leaves,
                                                .leaf_count = PARTS,
                                                .leaf_of = leaf_of },
                                      .levels = &level,
                                      .level_count = 1,
                                      .parts = parts,
                                      .boundary_count = PARTS - 1 };
    const th_page page = { .blocks = blocks, .block_count = PARTS };
    assert_int_equal(th_boundary_informative(&page, &graph, gold, arena, informs), TH_OK);
    const uint8_t want[PARTS - 1] = { 1, 1, 1, 0 };
    assert_memory_equal(informs, want, sizeof want);
    th_arena_free(arena);
}

/* Answers drawn by a known line: the fit finds it again. */
static void a_line_is_found_again(void **unused)
{
    (void)unused;
    enum { ROWS = 20000 };
    static const double want[2] = { 2.5, -1.25 };
    static int32_t features[ROWS][2];
    static uint8_t is_yes[ROWS];
    uint64_t random = 7;
    for (uint32_t i = 0; i < ROWS; i++) {
        features[i][0] = (int32_t)th_split_mix_below(&random, 2049) - 1024;
        features[i][1] = 1024;
        const double z = want[0] * features[i][0] / 1024 + want[1];
        is_yes[i] =
            th_split_mix_below(&random, 1u << 24) / 16777216.0 < 1 / (1 + exp(-z));
    }
    /* The second page has no rows and must not count. */
    const th_logistic_rows pages[] = { { features[0], is_yes, ROWS }, { NULL, NULL, 0 } };
    double have[2];
    assert_true(th_logistic_fit(pages, 2, 2, have));
    for (int i = 0; i < 2; i++)
        assert_true(fabs(have[i] - want[i]) < 0.1);
    assert_false(th_logistic_fit(pages + 1, 1, 2, have));
}

/* A page with one level is learned without an error if a feature separates it. */
static void learn_boundaries(th_boundary_loss loss)
{
    enum { PARTS = 9 };
    int32_t features[PARTS - 1][TH_BOUNDARY_FEATURES] = { { 0 } };
    uint8_t is_y[PARTS - 1], weighs[PARTS - 1], informs[PARTS - 1], have[PARTS - 1];
    th_boundary_part parts[PARTS] = { { 0 } };
    th_boundary_level level = { .part_count = PARTS };
    int64_t scores[PARTS - 1], value = 0;
    double weights[TH_BOUNDARY_FEATURES], again[TH_BOUNDARY_FEATURES];
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < PARTS; i++)
        parts[i].level = TH_NONE;
    for (uint32_t i = 0; i < PARTS - 1; i++) {
        is_y[i] = i % 3 == 0;
        weighs[i] = 1;
        informs[i] = i < 4;
        features[i][4] = is_y[i] ? 900 : 100;
        features[i][TH_BOUNDARY_FEATURES - 1] = 1024;
    }
    const th_boundary_sample sample = { .graph = { .levels = &level,
                                                   .level_count = 1,
                                                   .parts = parts,
                                                   .boundary_count = PARTS - 1 },
                                        .features = features,
                                        .is_y = is_y,
                                        .weighs = weighs,
                                        .informs = informs };
    const th_boundary_sample *pages[] = { &sample };
    assert_int_equal(th_boundary_train(pages, 1, loss, 1, weights), TH_OK);
    assert_int_equal(th_boundary_train(pages, 1, loss, 1, again), TH_OK);
    assert_memory_equal(weights, again, sizeof weights);
    for (uint32_t i = 0; i < PARTS - 1; i++)
        scores[i] = llrint(1e6 * (weights[4] * features[i][4] +
                                  weights[TH_BOUNDARY_FEATURES - 1] * 1024));
    assert_int_equal(th_boundary_labels(&sample.graph, scores, arena, have, &value),
                     TH_OK);
    assert_memory_equal(have, is_y, sizeof have);
    th_arena_free(arena);
}

static void boundaries_are_learned(void **unused)
{
    (void)unused;
    learn_boundaries(TH_LOSS_MARGIN);
    learn_boundaries(TH_LOSS_SLACK);
}

static void text_is_read_again(void **unused)
{
    (void)unused;
    static const th_segment_model *const shipped[] = { &th_gcuts_model, &th_cclus_model,
                                                       &th_boundary_graph_model };
    for (size_t i = 0; i < 3; i++) {
        th_buffer text = { 0 };
        th_segment_model have;
        th_error err = { .text = "" };
        th_model_text_write(shipped[i], &text);
        assert_false(text.has_failed);
        assert_int_equal(th_segment_model_read(th_buffer_view(&text), th_lab_segmenters,
                                               NULL, "text", &have, &err),
                         TH_OK);
        assert_true(have.features == shipped[i]->features);
        assert_int_equal(have.checksum, shipped[i]->checksum); /* the same bytes */
        assert_memory_equal(&have.final, &shipped[i]->final, sizeof have.final);
        assert_memory_equal(have.folds, shipped[i]->folds, sizeof have.folds);
        th_buffer_done(&text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gold_labels_are_the_references),
        cmocka_unit_test(borders_of_the_largest_segment_inform),
        cmocka_unit_test(a_line_is_found_again),
        cmocka_unit_test(boundaries_are_learned),
        cmocka_unit_test(text_is_read_again),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
