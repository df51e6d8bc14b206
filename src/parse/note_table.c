/* Marks and their notes, matched by ids. */
#include "parse/note_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "parse/table_room.h"

enum {
    KEPT_BYTES = 1 << 20, /* of a table, from page to page */
    DIGITS_MAX = 9,
};

/* A lookup key: an id and an item, or a number and an item. */
struct key {
    th_view id;
    int32_t number;
    uint32_t item;
};

void th_note_table_done(th_note_table *table)
{
    free(table->links);
    free(table->items);
    *table = (th_note_table){ 0 };
}

void th_note_table_begin(th_note_table *table, th_arena *arena)
{
    if (table->link_capacity * sizeof *table->links > KEPT_BYTES ||
        table->item_capacity * sizeof *table->items > KEPT_BYTES)
        th_note_table_done(table);
    table->link_count = table->item_count = 0;
    table->arena = arena;
    table->sup_id = (th_view){ "", 0 };
    table->status = TH_OK;
}

/* ---- contents of the page ---------------------------------------------------------- */

static void *scratch(th_note_table *table, size_t size)
{
    void *memory = th_arena_alloc(table->arena, size);
    if (!memory)
        table->status = th_arena_is_full(table->arena) ? TH_TOO_LARGE : TH_NOMEM;
    return memory;
}

static th_view lasting(th_note_table *table, th_view text)
{
    char *copy = text.len ? scratch(table, text.len) : NULL;
    if (!copy)
        return (th_view){ "", 0 };
    memcpy(copy, text.data, text.len);
    return (th_view){ copy, text.len };
}

static th_view id_of(th_note_table *table, const th_attribute *attrs, size_t count)
{
    return lasting(table, th_attribute_value(attrs, count, "id"));
}

static void add_link(th_note_table *table, const th_paragraph_table *paragraphs,
                     const th_attribute *attrs, size_t count, th_note_place place)
{
    th_view target = th_ascii_trimmed(th_attribute_value(attrs, count, "href"));
    if (place.link == TH_NONE || target.len < 2 || target.data[0] != '#' ||
        !TH_TABLE_HAS_ROOM(table->links, table->link_count, table->link_capacity,
                           table->status))
        return;
    target.data++;
    target.len--;
    table->links[table->link_count++] = (th_local_link){
        .target = lasting(table, target),
        .id = id_of(table, attrs, count),
        .sup_id = place.is_in_sup ? table->sup_id : (th_view){ "", 0 },
        .link = place.link,
        .item = place.box == TH_NONE ? TH_NONE : paragraphs->boxes[place.box].item,
        .note = TH_NONE,
        .is_raised = place.is_in_sup,
    };
}

static void add_item(th_note_table *table, const th_paragraph_table *paragraphs,
                     const th_attribute *attrs, size_t count, uint32_t box)
{
    if (box == TH_NONE || paragraphs->boxes[box].kind != TH_BOX_ITEM)
        return;
    const uint32_t list = paragraphs->boxes[box].parent;
    if (list == TH_NONE || paragraphs->boxes[list].kind != TH_BOX_ORDERED ||
        !TH_TABLE_HAS_ROOM(table->items, table->item_count, table->item_capacity,
                           table->status))
        return;
    const th_view id = id_of(table, attrs, count);
    if (id.len)
        table->items[table->item_count++] = (th_note_item){ id, box };
}

void th_note_tag(th_note_table *table, const th_paragraph_table *paragraphs, th_tag tag,
                 const th_attribute *attrs, size_t attr_count, th_note_place place)
{
    if (tag == TH_TAG_A && attr_count) {
        add_link(table, paragraphs, attrs, attr_count, place);
    } else if (tag == TH_TAG_LI && attr_count) {
        add_item(table, paragraphs, attrs, attr_count, place.box);
    } else if (tag == TH_TAG_SUP) {
        table->sup_id = id_of(table, attrs, attr_count);
        th_local_link *last =
            table->link_count ? &table->links[table->link_count - 1] : NULL;
        if (last && last->link == place.link) { /* whether it is in that link */
            last->is_raised = true;
            last->sup_id = table->sup_id;
        }
    }
}

/* ---- what belongs together --------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const int order = th_view_order(x->id, y->id);
    if (order)
        return order;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static int compare_items(const void *a, const void *b)
{
    const th_note_item *x = a, *y = b;
    const int order = th_view_order(x->id, y->id);
    return order ? order : (x->box > y->box) - (x->box < y->box);
}

static void sort_keys(struct key *keys, uint32_t count)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
}

static bool has_key(const struct key *keys, uint32_t count, th_view id, uint32_t item)
{
    const struct key wanted = { .id = id, .item = item };
    return id.len && count && bsearch(&wanted, keys, count, sizeof *keys, compare_keys);
}

/* Returns the first item with an id, or TH_NONE. */
static uint32_t item_of(const th_note_table *table, th_view id)
{
    uint32_t low = 0, high = table->item_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (th_view_order(table->items[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->item_count && th_view_order(table->items[low].id, id) == 0
               ? table->items[low].box
               : TH_NONE;
}

/* Returns the number that an anchor reads as, "3" or "[3]"; -1 if none. */
static int32_t number_in(const th_link *link, const char *text)
{
    th_view words =
        th_ascii_trimmed((th_view){ text + link->anchor_start, link->anchor_len });
    if (words.len > 2 && ((words.data[0] == '[' && words.data[words.len - 1] == ']') ||
                          (words.data[0] == '(' && words.data[words.len - 1] == ')')))
        words = th_ascii_trimmed((th_view){ words.data + 1, words.len - 2 });
    int32_t number = 0;
    if (!words.len || words.len > DIGITS_MAX || words.data[0] == '0')
        return -1;
    for (size_t i = 0; i < words.len; i++) {
        if (words.data[i] < '0' || words.data[i] > '9')
            return -1;
        number = number * 10 + (words.data[i] - '0');
    }
    return number;
}

/* Finds the links that lead to a note and read as its number. */
static void find_notes(th_note_table *table, const th_paragraph_table *paragraphs,
                       const th_link_table *links, const char *text)
{
    if (table->item_count)
        qsort(table->items, table->item_count, sizeof *table->items, compare_items);
    for (uint32_t i = 0; i < table->link_count; i++) {
        th_local_link *link = &table->links[i];
        const uint32_t item = link->is_raised ? item_of(table, link->target) : TH_NONE;
        if (item != TH_NONE && item != link->item &&
            number_in(&links->links[link->link], text) == paragraphs->boxes[item].number)
            link->note = item;
    }
}

/* Drops marks whose note does not link back. @param keys  scratch */
static void drop_one_way(th_note_table *table, struct key *keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->link_count; i++)
        if (table->links[i].item != TH_NONE)
            keys[count++] = (struct key){ .id = table->links[i].target,
                                          .item = table->links[i].item };
    sort_keys(keys, count);
    for (uint32_t i = 0; i < table->link_count; i++) {
        th_local_link *link = &table->links[i];
        if (link->note != TH_NONE && !has_key(keys, count, link->id, link->note) &&
            !has_key(keys, count, link->sup_id, link->note))
            link->note = TH_NONE;
    }
}

/* Drops the second of two notes with one number. @param keys  scratch */
static void drop_same_numbers(th_note_table *table, const th_paragraph_table *paragraphs,
                              struct key *keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->link_count; i++) {
        const uint32_t note = table->links[i].note;
        if (note != TH_NONE)
            keys[count++] =
                (struct key){ .number = paragraphs->boxes[note].number, .item = note };
    }
    sort_keys(keys, count);
    uint32_t kept = 0; /* the first of each number */
    for (uint32_t i = 0; i < count; i++)
        if (!kept || keys[kept - 1].number != keys[i].number)
            keys[kept++] = keys[i];
    for (uint32_t i = 0; i < table->link_count; i++) {
        th_local_link *link = &table->links[i];
        if (link->note == TH_NONE)
            continue;
        const struct key own = { .number = paragraphs->boxes[link->note].number,
                                 .item = link->note };
        if (!bsearch(&own, keys, kept, sizeof *keys, compare_keys))
            link->note = TH_NONE;
    }
}

/* Writes the marks, and the links back to them. @param keys  scratch */
static th_note_link *collect(th_note_table *table, struct key *keys, uint32_t *count)
{
    uint32_t ids = 0;
    *count = 0;
    for (uint32_t i = 0; i < table->link_count; i++) {
        const th_local_link *link = &table->links[i];
        if (link->note == TH_NONE)
            continue;
        keys[ids++] = (struct key){ .id = link->id, .item = link->note };
        keys[ids++] = (struct key){ .id = link->sup_id, .item = link->note };
    }
    if (!ids)
        return NULL;
    sort_keys(keys, ids);
    th_note_link *found = scratch(table, table->link_count * sizeof *found);
    for (uint32_t i = 0; found && i < table->link_count; i++) {
        const th_local_link *link = &table->links[i];
        const bool is_back = link->note == TH_NONE;
        if (is_back &&
            (link->item == TH_NONE || !has_key(keys, ids, link->target, link->item)))
            continue;
        found[(*count)++] = (th_note_link){ .link = link->link,
                                            .item = is_back ? link->item : link->note,
                                            .is_back = is_back };
    }
    return found;
}

th_note_link *th_note_table_finish(th_note_table *table,
                                   const th_paragraph_table *paragraphs,
                                   const th_link_table *links, const char *text,
                                   uint32_t *count)
{
    *count = 0;
    if (table->status || !table->link_count || !table->item_count)
        return NULL;
    const size_t capacity = (size_t)table->link_count * 2;
    struct key *keys = scratch(table, capacity * sizeof *keys);
    if (!keys)
        return NULL;
    find_notes(table, paragraphs, links, text);
    drop_one_way(table, keys);
    drop_same_numbers(table, paragraphs, keys);
    return collect(table, keys, count);
}
