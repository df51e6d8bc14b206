/* See the header. */
#include "ingest/record_order.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/archive_place.h"

/* A single record. */
struct item {
    const char *path;
    th_archive_place place;
    uint32_t number; /* in the list */
    uint32_t first;  /* number of the first record of its archive */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_archive(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    const size_t len =
        a->place.name_len < b->place.name_len ? a->place.name_len : b->place.name_len;
    int order = memcmp(a->path, b->path, len);
    if (!order)
        order = compare_numbers(a->place.name_len, b->place.name_len);
    return order ? order : compare_numbers(a->number, b->number);
}

static int by_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = compare_numbers(a->first, b->first);
    if (!order)
        order = compare_numbers(a->place.offset, b->place.offset);
    if (!order)
        order = compare_numbers(a->place.skip, b->place.skip);
    return order ? order : compare_numbers(a->number, b->number);
}

static bool is_same_archive(const struct item *a, const struct item *b)
{
    return a->place.name_len == b->place.name_len &&
           memcmp(a->path, b->path, a->place.name_len) == 0;
}

static void sort(struct item *items, uint32_t count)
{
    qsort(items, count, sizeof *items, by_archive);
    for (uint32_t i = 0; i < count; i++)
        items[i].first = i && is_same_archive(&items[i], &items[i - 1])
                             ? items[i - 1].first
                             : items[i].number;
    qsort(items, count, sizeof *items, by_place);
}

th_status th_record_order(th_input_list *list, th_error *err)
{
    struct item *items = malloc(((size_t)list->count + 1) * sizeof *items);
    if (!items)
        return th_fail(err, TH_NOMEM, "out of memory for %u inputs", list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t count = 0;
        for (; i + count < list->count; count++) {
            const char *path = list->paths[i + count];
            struct item *item = &items[count];
            *item = (struct item){ .path = path, .number = count };
            if (!th_remote_is_name(path) || !th_archive_place_read(path, &item->place))
                break;
        }
        if (count > 1)
            sort(items, count);
        for (uint32_t j = 0; j < count && count > 1; j++)
            list->paths[i + j] = items[j].path;
        i += count;
    }
    free(items);
    return TH_OK;
}
