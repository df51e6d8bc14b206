/* The text tree: the reference's trees, and properties for any page and leaf limit. */
#include "segment/text_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "segment/vectors.h"

static const char *const class_names[TH_CLASS_COUNT] = {
    "head", "list", "item", "rows", "cell", "para", "sect", "inline", "text",
};

static void check_names(const th_text_tree *tree, const th_text_node *node,
                        const char *want)
{
    char have[512] = "";
    for (uint32_t i = 0; i < node->name_count; i++) {
        strcat(have, i ? " " : "");
        strcat(have, th_tag_name(tree->names[node->names + i]));
    }
    assert_string_equal(have, want);
}

static void check_classes(const th_text_node *node, json_val want)
{
    uint32_t known = 0;
    for (unsigned i = 0; i < TH_CLASS_COUNT; i++) {
        json_val value = json_get(want, class_names[i]);
        assert_int_equal(node->by_class[i], value ? integer(value) : 0);
        known += value != NULL;
    }
    assert_int_equal(known, want->count);
}

static void check_node(const th_text_tree *tree, uint32_t number, json_val want)
{
    const th_text_node *node = &tree->nodes[number];
    const uint32_t have[] = { node->first_block, node->last_block, node->tokens,
                              node->lines,       node->stops,      node->heads,
                              node->height,      node->depth };
    assert_int_equal((int32_t)node->parent, integer_at(want, 0));
    check_names(tree, node, string(element(want, 1)));
    for (uint32_t i = 0; i < sizeof have / sizeof *have; i++)
        assert_int_equal(have[i], integer_at(want, 2 + i));
    check_classes(node, element(want, 10));
}

/* The numbers differ, the partition does not. */
static void check_skeletons(const th_text_tree *tree, json_val want)
{
    assert_int_equal(length_of(want), tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        for (uint32_t k = 0; k < i; k++)
            assert_int_equal(tree->nodes[i].skeleton == tree->nodes[k].skeleton,
                             integer_at(want, i) == integer_at(want, k));
    }
}

static void trees_are_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("text_tree.json");
    json_val pages = member(file, "pages");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(pages); i++) {
        json_val want = element(pages, i), nodes = member(want, "nodes");
        th_page *page = vector_page(string(member(want, "name")), arena);
        th_text_tree tree;
        assert_int_equal(th_text_tree_build(page, 0, arena, &tree), TH_OK);
        assert_int_equal(tree.node_count, length_of(nodes));
        for (uint32_t k = 0; k < tree.node_count; k++)
            check_node(&tree, k, element(nodes, k));
        check_skeletons(&tree, member(want, "skeletons"));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

/* Properties of every tree. */
static void check_tree(const th_page *page, const th_text_tree *tree)
{
    uint32_t leaves = 0, blocks = 0, tokens = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const th_text_node *node = &tree->nodes[i];
        uint32_t children = 0, inside = 0;
        assert_true(i ? node->parent < i && node->end <= tree->nodes[node->parent].end
                      : node->parent == TH_NONE);
        for (uint32_t c = i + 1; c < node->end; c = tree->nodes[c].end) {
            assert_int_equal(tree->nodes[c].parent, i);
            assert_true(tree->nodes[c].height < node->height);
            inside += tree->nodes[c].blocks;
            children++;
        }
        assert_int_equal(children, node->child_count);
        assert_true(node->first_block <= node->last_block);
        if (children) {
            assert_int_equal(inside, node->blocks);
        } else {
            assert_int_equal(tree->leaves[leaves], i);
            leaves++;
            blocks += node->blocks;
            tokens += node->tokens;
        }
    }
    assert_int_equal(leaves, tree->leaf_count);
    assert_int_equal(blocks, page->block_count);
    assert_int_equal(tokens, page->tokens_before[page->block_count]);
    assert_int_equal(tree->nodes[0].blocks, page->block_count);
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_text_node *leaf = &tree->nodes[tree->leaves[tree->leaf_of[i]]];
        assert_true(leaf->first_block <= i && i <= leaf->last_block);
    }
}

static void random_trees_hold(void **state)
{
    (void)state;
    uint64_t seed = 5;
    th_arena *arena = th_arena_new(0);
    for (uint32_t round = 0; round < 3000; round++) {
        th_page *page = make_random_page(arena, &seed, 1 + round % 70);
        th_text_tree tree;
        nest_at_random(page, arena, &seed);
        assert_int_equal(th_text_tree_build(page, 0, arena, &tree), TH_OK);
        assert_int_equal(tree.leaf_count, page->block_count);
        check_tree(page, &tree);
        const uint32_t limit = 1 + round % 20;
        assert_int_equal(th_text_tree_build(page, limit, arena, &tree), TH_OK);
        assert_true(tree.leaf_count <= limit || page->block_count <= limit);
        check_tree(page, &tree);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

/* Siblings only: the limit can be held by runs alone. */
static void runs_are_even(void **state)
{
    (void)state;
    uint64_t seed = 9;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_random_page(arena, &seed, 25);
    th_text_tree tree;
    assert_int_equal(th_text_tree_build(page, 10, arena, &tree), TH_OK);
    assert_int_equal(tree.leaf_count, 9); /* runs of ceil(25 / 10) = 3 */
    for (uint32_t i = 0; i < 25; i++)
        assert_int_equal(tree.leaf_of[i], i / 3);
    th_arena_free(arena);
}

/* Folded parts are never built: a large page costs 24 bytes a block, not 400. */
static void large_pages_cost_little(void **state)
{
    (void)state;
    enum { BLOCKS = 30000 };
    uint64_t seed = 3;
    th_arena *arena = th_arena_new(0), *little = th_arena_new(24 * BLOCKS);
    th_page *page = make_random_page(arena, &seed, BLOCKS);
    th_text_tree tree;
    nest_at_random(page, arena, &seed);
    assert_int_equal(th_text_tree_build(page, 500, little, &tree), TH_OK);
    check_tree(page, &tree);
    th_arena_free(little);
    th_arena_free(arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_the_references),
        cmocka_unit_test(random_trees_hold),
        cmocka_unit_test(runs_are_even),
        cmocka_unit_test(large_pages_cost_little),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
