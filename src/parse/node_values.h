/*
 * Attributes that give the author and date of a part of a page: the page's node_values.
 * Kept together with the words of classes (th_options.reads), for threads and comments.
 */
#ifndef TH_NODE_VALUES_H
#define TH_NODE_VALUES_H

#include "parse/html/attribute.h"
#include "thresher/page.h"

typedef struct th_node_values {
    th_node_value *rows; /* owned */
    uint32_t count, capacity;
    th_arena *arena; /* of the page: owns the values */
    th_page_hints
        *hints; /* of the page, receives the types; NULL if they are not needed */
    th_status status;
} th_node_values;

void th_node_values_done(th_node_values *values);

/** Empties the table for a page. Frees its memory if it is large. */
void th_node_values_begin(th_node_values *values, th_arena *arena);

/* The bits of names that may state a value. [th_attribute_bits] */
#define TH_VALUE_NAMES                                                                   \
    (th_attribute_bit(TH_VIEW("datetime")) | th_attribute_bit(TH_VIEW("title")) |        \
     th_attribute_bit(TH_VIEW("data-time")) |                                            \
     th_attribute_bit(TH_VIEW("data-timestamp")) |                                       \
     th_attribute_bit(TH_VIEW("data-author")) |                                          \
     th_attribute_bit(TH_VIEW("data-username")) |                                        \
     th_attribute_bit(TH_VIEW("data-quote")) |                                           \
     th_attribute_bit(TH_VIEW("data-ipsquote-username")) |                               \
     th_attribute_bit(TH_VIEW("data-score")) | th_attribute_bit(TH_VIEW("data-value")) | \
     th_attribute_bit(TH_VIEW("itemtype")) | th_attribute_bit(TH_VIEW("content")) |      \
     th_attribute_bit(TH_VIEW("indent")))

/**
 * Keeps the values in the attributes of a node, at most 65,536 values of a page. Call it
 * only if TH_VALUE_NAMES has a bit of the tag's. Nodes come in rising order.
 */
void th_node_values_add(th_node_values *values, uint32_t node, th_tag tag,
                        const th_attribute *attrs, size_t attr_count);

#endif
