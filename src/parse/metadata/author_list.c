/*
 * Names of authors without duplicates. The semicolon divides them because names hold
 * commas ("Lovelace, Ada").
 */
#include "parse/metadata/author_list.h"

#include <string.h>

#include "parse/metadata/author_name.h"

static bool holds(const th_author_list *list, th_view name)
{
    size_t start = 0;
    for (size_t i = 0; i <= list->len; i++) {
        if (i < list->len && list->bytes[i] != ';')
            continue;
        if (i - start == name.len &&
            memcmp(list->bytes + start, name.data, name.len) == 0)
            return true;
        start = i + 2;
    }
    return false;
}

bool th_author_list_add(th_author_list *list, th_view name)
{
    name = th_author_name(name);
    const size_t gap = list->len > 0 ? 2 : 0;
    if (!name.data)
        return false;
    if (holds(list, name))
        return true;
    if (list->count == TH_AUTHOR_COUNT_MAX ||
        name.len + gap > TH_AUTHOR_LIST_MAX - list->len)
        return false;
    memcpy(list->bytes + list->len, "; ", gap);
    memcpy(list->bytes + list->len + gap, name.data, name.len);
    list->len += gap + name.len;
    list->count++;
    return true;
}
