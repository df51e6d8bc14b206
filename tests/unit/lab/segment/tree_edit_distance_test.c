/* Edit distances: the reference's pairs, and properties of any two trees. */
#include "lab/segment/tree_edit_distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "segment/vectors.h"

enum { MOST = 256 };

/* A forest of two trees, in postorder. */
struct forest {
    th_tag tags[MOST];
    uint32_t leftmost[MOST];
    uint8_t is_key[MOST];
    uint64_t key_cells[MOST + 1];
    uint32_t count;
};

static th_postorder view(struct forest *forest)
{
    for (uint32_t i = 0; i < forest->count; i++)
        forest->key_cells[i + 1] =
            forest->key_cells[i] + (forest->is_key[i] ? i + 1 - forest->leftmost[i] : 0);
    return (th_postorder){ forest->tags, forest->leftmost, forest->is_key,
                           forest->key_cells };
}

/* Reads "{name{child}{child}}"; the vectors' names are letters and tags. */
static const char *read_tree(struct forest *forest, const char *text, bool is_key)
{
    assert_true(*text == '{' && forest->count < MOST);
    const char *end = ++text;
    while (*end != '{' && *end != '}')
        end++;
    const uint32_t leftmost = forest->count;
    th_tag tag = th_tag_of((th_view){ text, (size_t)(end - text) });
    if (tag == TH_TAG_OTHER) /* single letters: any number that no tag among them has */
        tag = (th_tag)(TH_TAG_H1 + (*text - 'a'));
    bool has_left = false;
    while (*end == '{') {
        end = read_tree(forest, end, has_left);
        has_left = true;
    }
    forest->tags[forest->count] = tag;
    forest->leftmost[forest->count] = leftmost;
    forest->is_key[forest->count++] = is_key;
    return end + 1;
}

static void pairs_are_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("tree_edit_distance.json");
    json_val pairs = member(file, "pairs");
    for (uint32_t i = 0; i < length_of(pairs); i++) {
        json_val pair = element(pairs, i);
        struct forest forest = { 0 };
        uint32_t counts[TH_TAG_COUNT] = { 0 };
        (void)read_tree(&forest, string(element(pair, 0)), false);
        const uint32_t a = forest.count - 1;
        (void)read_tree(&forest, string(element(pair, 1)), false);
        const uint32_t b = forest.count - 1;
        const th_postorder trees = view(&forest);
        uint32_t *scratch =
            malloc(th_tree_distance_capacity(th_postorder_size(&trees, a),
                                             th_postorder_size(&trees, b)) *
                   sizeof *scratch);
        assert_non_null(scratch);
        assert_int_equal(th_tree_distance(&trees, a, b, scratch), integer_at(pair, 2));
        assert_int_equal(th_tree_distance(&trees, b, a, scratch), integer_at(pair, 2));
        assert_int_equal(th_tree_distance_bound(&trees, a, b, counts),
                         integer_at(pair, 3));
        assert_int_equal(th_tree_cells(&trees, a), integer_at(pair, 4));
        assert_int_equal(th_tree_cells(&trees, b), integer_at(pair, 5));
        free(scratch);
    }
    json_free(file);
}

/* A tree of `size` nodes in postorder, appended. @return its root */
static uint32_t grow(struct forest *forest, uint32_t size, bool is_key, uint64_t *seed)
{
    const uint32_t leftmost = forest->count;
    bool has_left = false;
    for (uint32_t left = size - 1; left;) {
        const uint32_t child = 1 + (uint32_t)(next_random(seed) % left);
        (void)grow(forest, child, has_left, seed);
        has_left = true;
        left -= child;
    }
    forest->tags[forest->count] = (th_tag)(next_random(seed) % 3);
    forest->leftmost[forest->count] = leftmost;
    forest->is_key[forest->count] = is_key;
    return forest->count++;
}

static void distances_are_a_metric(void **state)
{
    (void)state;
    uint64_t seed = 17;
    uint32_t *scratch = malloc(th_tree_distance_capacity(20, 20) * sizeof *scratch);
    assert_non_null(scratch);
    for (uint32_t round = 0; round < 2000; round++) {
        struct forest forest = { 0 };
        uint32_t roots[3], between[3][3], counts[TH_TAG_COUNT] = { 0 };
        for (uint32_t i = 0; i < 3; i++)
            roots[i] =
                grow(&forest, 1 + (uint32_t)(next_random(&seed) % 20), false, &seed);
        const th_postorder trees = view(&forest);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                between[i][k] = th_tree_distance(&trees, roots[i], roots[k], scratch);
                assert_true(th_tree_distance_bound(&trees, roots[i], roots[k], counts) <=
                            between[i][k]);
            }
        }
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(between[i][i], 0);
            assert_int_equal(th_tree_distance_bound(&trees, roots[i], roots[i], counts),
                             0);
            for (uint32_t tag = 0; tag < TH_TAG_COUNT; tag++)
                assert_int_equal(counts[tag], 0); /* it leaves the memory empty */
            for (uint32_t k = 0; k < 3; k++)
                assert_int_equal(between[i][k], between[k][i]);
        }
        assert_true(between[0][2] <= between[0][1] + between[1][2]);
    }
    free(scratch);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_the_references),
        cmocka_unit_test(distances_are_a_metric),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
