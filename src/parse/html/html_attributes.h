/*
 * The attributes of one tag without duplicates (the first wins), in time that no page can
 * make quadratic. A word of bits shows nearly always that a name is new. Otherwise few
 * names are compared one by one, many by a sorted index.
 */
#ifndef TH_HTML_ATTRIBUTES_H
#define TH_HTML_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/html/attribute.h"

typedef struct th_attribute_list {
    th_attribute *items; /* owned, max_count and one more, which is being read */
    uint16_t *sorted;    /* owned, max_count: items by length and bytes of their names */
    uint32_t count;
    uint32_t max_count; /* 1..65535 */
    uint64_t seen;      /* one bit for each kind of name; see th_attribute_bit */
} th_attribute_list;

/** @return false without memory; th_attribute_list_done is still required */
bool th_attribute_list_init(th_attribute_list *list, uint32_t max_count);
void th_attribute_list_done(th_attribute_list *list);

static inline void th_attribute_list_clear(th_attribute_list *list)
{
    list->count = 0;
    list->seen = 0;
}

/** Whether the list has that name; len > 0. O(length * log(count)). */
bool th_attribute_list_has(const th_attribute_list *list, th_view name);

/** Adds items[count], whose name is new, to a longer list. */
void th_attribute_list_add_to_many(th_attribute_list *list);

enum { TH_ATTRIBUTES_FEW = 16 }; /* up to here names are compared one by one */

/**
 * Adds the attribute at items[count], unless its name is already in the list. name.len >
 * 0. There is room for it even when the list is full.
 * @return false if the list is full and the name is new
 */
static inline bool th_attribute_list_add(th_attribute_list *list)
{
    const th_view name = list->items[list->count].name;
    const uint64_t bit = th_attribute_bit(name);
    if (__builtin_expect((list->seen & bit) != 0, 0) && th_attribute_list_has(list, name))
        return true;
    if (__builtin_expect(
            list->count >= TH_ATTRIBUTES_FEW || list->count == list->max_count, 0)) {
        if (list->count == list->max_count)
            return false;
        th_attribute_list_add_to_many(list);
    } else {
        list->count++;
    }
    list->seen |= bit;
    return true;
}

#endif
