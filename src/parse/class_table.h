/*
 * The words in class, id, role and itemprop of a page's elements, as they stream in. Kept
 * only if a classifier reads them.
 *
 * A page has few different values of these attributes, even if many elements have them.
 * So each combination of values is cut into words once, and has one th_class_set.
 */
#ifndef TH_CLASS_TABLE_H
#define TH_CLASS_TABLE_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "parse/html/class_memo.h"
#include "thresher/page.h"

typedef struct th_class_slot {
    uint32_t set;
    uint32_t page; /* th_class_table.page, or the slot is free */
} th_class_slot;

/* Words that distinguish siblings. */
enum { TH_CHANGING_WORDS = 11 };

typedef struct th_class_table {
    bool is_wanted;
    uint32_t changing[TH_CHANGING_WORDS]; /* their numbers, or 0 before the first page */
    uint64_t changing_bits; /* a bit for each of them: few words share one */
    uint32_t *set_of;       /* by node; owned, like the next pointers */
    uint32_t node_count, node_capacity;
    th_class_set *sets;
    uint32_t set_count, set_capacity;
    uint32_t *words;
    uint32_t word_count, word_capacity;
    uint64_t *keys; /* of each set: a hash of its attributes' bytes */
    uint32_t key_capacity;
    th_class_slot *slots; /* open addressing */
    /* Those in use, a power of two. Few at first, so that they stay in the fastest memory. */
    uint32_t slot_count, slot_capacity;
    uint32_t page;    /* a number from 1. The next number frees all slots */
    th_status status; /* TH_OK, TH_NOMEM, TH_TOO_LARGE */
} th_class_table;

void th_class_table_done(th_class_table *table);

/** Empties the table for a page. Frees its memory if a part has more than 4 MiB. */
void th_class_table_begin(th_class_table *table, bool is_wanted);

/**
 * Notes a node's attributes. Nodes come in rising order. O(bytes of the four).
 * @param class      of the node
 * @param attr_bits  th_attribute_bits of the attributes
 */
void th_class_table_add(th_class_table *table, uint32_t node, th_class *class,
                        const th_attribute *attrs, size_t attr_count, uint64_t attr_bits);

/** Whether attributes with names of these bits, except class, may have words.
 * [th_attribute_bits] */
static inline bool th_names_may_have_words(uint64_t bits)
{
    return bits & (th_attribute_bit(TH_VIEW("id")) | th_attribute_bit(TH_VIEW("role")) |
                   th_attribute_bit(TH_VIEW("itemprop")));
}

/** Notes a node whose class alone has words and was seen before. @return false if it is
 * not one, for th_class_table_add */
static inline bool th_class_table_repeat(th_class_table *table, uint32_t node,
                                         th_class *class, uint64_t attr_bits)
{
    const th_class_facts *const facts = th_class_facts_of(class);
    if (!facts || !facts->set || th_names_may_have_words(attr_bits) ||
        node >= table->node_capacity)
        return false;
    while (table->node_count < node)
        table->set_of[table->node_count++] = 0;
    table->set_of[table->node_count++] = facts->set;
    return true;
}

/**
 * Copies the table into the page's arena; does nothing unless it is wanted.
 * @return TH_OK; TH_NOMEM, also when the arena is full; or `status`
 */
th_status th_class_table_finish(th_class_table *table, th_page *page);

#endif
