/*
 * The list's slow half: many attributes in one tag, as only hostile or broken pages have.
 *
 * A sorted index rather than a hash: a page cannot choose names that collide. An
 * insertion moves at most 2 * max_count bytes, 2 KiB by default.
 */
#include "parse/html/html_attributes.h"

#include <stdlib.h>
#include <string.h>

bool th_attribute_list_init(th_attribute_list *list, uint32_t max_count)
{
    *list = (th_attribute_list){ .max_count = max_count };
    list->items = calloc((size_t)max_count + 1, sizeof *list->items);
    list->sorted = calloc(max_count, sizeof *list->sorted);
    return list->items && list->sorted;
}

void th_attribute_list_done(th_attribute_list *list)
{
    free(list->items);
    free(list->sorted);
    *list = (th_attribute_list){ 0 };
}

/* By length, then by bytes: most comparisons end at the length. */
static int compare(th_view a, th_view b)
{
    if (a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return memcmp(a.data, b.data, a.len);
}

/* Returns the name's position in the sorted index, or its insertion point. */
static uint32_t find(const th_attribute_list *list, uint32_t count, th_view name)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        const uint32_t middle = (low + high) / 2;
        if (compare(list->items[list->sorted[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(th_attribute_list *list, uint32_t item)
{
    const uint32_t at = find(list, item, list->items[item].name);
    memmove(list->sorted + at + 1, list->sorted + at, (item - at) * sizeof *list->sorted);
    list->sorted[at] = (uint16_t)item;
}

bool th_attribute_list_has(const th_attribute_list *list, th_view name)
{
    if (list->count > TH_ATTRIBUTES_FEW) {
        const uint32_t at = find(list, list->count, name);
        return at < list->count && compare(list->items[list->sorted[at]].name, name) == 0;
    }
    for (uint32_t i = 0; i < list->count; i++)
        if (compare(list->items[i].name, name) == 0)
            return true;
    return false;
}

void th_attribute_list_add_to_many(th_attribute_list *list)
{
    if (list->count == TH_ATTRIBUTES_FEW)
        for (uint32_t i = 0; i < TH_ATTRIBUTES_FEW; i++)
            insert(list, i);
    insert(list, list->count++);
}
