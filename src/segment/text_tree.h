/*
 * The text tree, the input of the tree-based segmenters. The page has a row for each
 * element. The tree keeps only the elements that separate text.
 *
 * A leaf is an atomic block (or, under a leaf limit, several that were folded). An inner
 * node is an element with two or more children among its blocks and the elements that
 * contain blocks. An element with one child is contracted into that child, which keeps
 * its name. Children are in the order of their first block. A table's text outside its
 * cells may interleave, so the blocks of a node are a set.
 */
#ifndef TH_TEXT_TREE_H
#define TH_TEXT_TREE_H

#include <stdbool.h>

#include "thresher/page.h"

/** Classes of elements by their function. A block has the class of its nearest element
 * that is not inline. */
enum {
    TH_CLASS_HEAD,   /* H1-H6 */
    TH_CLASS_LIST,   /* UL OL DL MENU DIR */
    TH_CLASS_ITEM,   /* LI DT DD */
    TH_CLASS_ROWS,   /* TABLE THEAD TBODY TFOOT TR */
    TH_CLASS_CELL,   /* TD TH CAPTION */
    TH_CLASS_PARA,   /* P PRE */
    TH_CLASS_SECT,   /* HTML BODY DIV, the landmarks, FORM, BLOCKQUOTE, FIGURE ... */
    TH_CLASS_INLINE, /* every other */
    TH_CLASS_TEXT,   /* a block without element */
    TH_CLASS_COUNT
};

typedef struct th_text_node {
    uint32_t parent;     /* TH_NONE for the root, which is node 0 */
    uint32_t end;        /* nodes are in preorder: the subtree is [this, end) */
    uint32_t names;      /* tags of the elements contracted here, outermost first: */
    uint32_t name_count; /* th_text_tree.names[names ..]; a leaf may have none */
    uint32_t first_block, last_block; /* lowest and highest of its blocks */
    uint32_t blocks;                  /* number of blocks */
    uint32_t child_count;             /* 0 for a leaf */
    uint32_t tokens, linked_tokens, lines;
    uint32_t last_line_tokens; /* of last_block */
    uint32_t stops;            /* ends of sentences */
    uint32_t heads;            /* blocks inside H1-H6 */
    uint32_t height;           /* 0 for a leaf */
    uint32_t depth;            /* 0 for the root */
    uint32_t skeleton;         /* equal for equal skeletons of subtrees; dense from 0 */
    uint32_t kinds;            /* distinct skeletons among the children */
    uint32_t by_class[TH_CLASS_COUNT]; /* blocks, by class */
} th_text_node;

typedef struct th_text_tree {
    th_text_node *nodes;
    uint32_t node_count;
    th_tag *names;
    uint32_t *leaves;  /* nodes that are leaves, in preorder */
    uint32_t *leaf_of; /* page->block_count entries: index into leaves */
    uint32_t leaf_count;
} th_text_tree;

/**
 * Builds the tree of a page that has blocks.
 * @param leaf_limit  with more leaves, inner nodes are folded to leaves: nodes with the
 *                    fewest blocks first, then in the order of their text. The root is
 *                    never folded. If that is not enough, the root's children are joined
 *                    in runs. 0: no limit
 * @param arena  owns the tree: about 220 bytes per leaf, 4 per block and 2 per element of
 *               the page. During the build 50 per leaf and 8 per element more
 * @return TH_OK or TH_NOMEM. O(nodes + blocks + bytes of text). Without recursion: the
 *         page's depth costs nothing.
 */
th_status th_text_tree_build(const th_page *page, uint32_t leaf_limit, th_arena *arena,
                             th_text_tree *tree);

/** Returns the class of an element by its tag, or TH_CLASS_INLINE for a tag in no
 * list. */
uint8_t th_text_class(th_tag tag);

/** Returns the class of the outermost name of a node, or TH_CLASS_TEXT if it has none. */
uint8_t th_text_tree_class(const th_text_tree *tree, uint32_t node);

/** Returns the density of a node's lines [K11 Eq. 4.6] as a fraction of 20 tokens, at
 * most 1024. */
int32_t th_text_density(const th_text_node *node);

/** Converts a density in 1/1024 tokens to a fraction of 20 tokens. */
int32_t th_text_density_share(int32_t value);

/** Returns the difference of two nodes' densities as a fraction of 20 tokens. */
int32_t th_text_density_distance(const th_text_node *a, const th_text_node *b);

/** Returns the density of a node's lines in 1/1024 tokens, at most 20 tokens. */
int32_t th_text_density_value(const th_text_node *node);

/** Adds the sums of a node to the sums of a node around it. */
void th_text_node_add(const th_text_node *child, th_text_node *into);

/** Returns the lowest common ancestor of two nodes. O(depth). */
uint32_t th_text_tree_lca(const th_text_tree *tree, uint32_t a, uint32_t b);

/**
 * The effect of the gap before a block, always by profile html5 because models are
 * trained with one set of tags.
 */
typedef struct th_text_gap {
    bool is_hard; /* one of its tags enforces a gap */
    bool is_soft; /* all its tags avoid a gap, and fewer than two are BR */
    uint32_t tags;
} th_text_gap;
th_text_gap th_text_gap_before(const th_page *page, uint32_t block);

/** Returns the gap before a node, which is the gap before its first block. */
static inline th_text_gap th_text_gap_of(const th_page *page, const th_text_node *node)
{
    return th_text_gap_before(page, node->first_block);
}

/**
 * Converts segments of leaves to segments of blocks.
 * @param label_of    one number per leaf; equal numbers are one segment
 * @param label_end   labels are below it
 * @param arena       scratch: label_end numbers
 * @param segment_of  page->block_count entries, dense by first block
 * @return TH_OK or TH_NOMEM
 */
th_status th_text_tree_segments(const th_page *page, const th_text_tree *tree,
                                const uint32_t *label_of, uint32_t label_end,
                                th_arena *arena, uint32_t *segment_of);

#endif
