/* The stack of open elements, with its chains, and the list of formatting elements. */
#include "parse/open_elements.h"

#include <stdlib.h>
#include <string.h>

#include "parse/table_room.h"

enum {
    KEPT = 4096, /* elements and items whose memory is kept from page to page */
    MARKER = TH_TAG_COUNT,
    SAME_MAX = 3, /* equal formatting elements that are listed: the Noah's Ark clause */
};

void th_open_elements_done(th_open_elements *open)
{
    free(open->items);
    free(open->formatting);
    *open = (th_open_elements){ 0 };
}

void th_open_elements_reset(th_open_elements *open)
{
    if (open->capacity > KEPT) {
        free(open->items);
        open->items = NULL;
        open->capacity = 0;
    }
    if (open->formatting_capacity > KEPT) {
        free(open->formatting);
        open->formatting = NULL;
        open->formatting_capacity = 0;
    }
    open->top = NULL;
    open->count = 0;
    memset(open->last_of, 0, sizeof open->last_of);
    open->has_quirks = false;
    open->has_form = false;
    open->formatting_count = 0;
    open->section = 0;
    open->closed_count = 0;
}

static bool has_formatting_capacity(th_open_elements *open)
{
    th_status status = TH_OK;
    return TH_TABLE_HAS_ROOM(open->formatting, open->formatting_count,
                             open->formatting_capacity, status);
}

bool th_open_grow(th_open_elements *open)
{
    th_status status = TH_OK;
    return TH_TABLE_HAS_ROOM(open->items, open->count, open->capacity, status);
}

/* ---- the list of active formatting elements ---------------------------------------- */

bool th_open_begin_section(th_open_elements *open, uint32_t element)
{
    if (!has_formatting_capacity(open))
        return false;
    open->formatting[open->formatting_count++] =
        (th_formatting){ .tag = MARKER, .element = element };
    open->section = open->formatting_count;
    open->closed_count = 0;
    return true;
}

/* Ends the element of the last marker, and the elements listed after it. */
static void end_section(th_open_elements *open, uint32_t element)
{
    if (open->section == 0 || open->formatting[open->section - 1].element != element)
        return;
    uint32_t at = open->formatting_count = open->section - 1;
    open->closed_count = 0;
    while (at > 0 && open->formatting[at - 1].tag != MARKER)
        open->closed_count += open->formatting[--at].at == 0;
    open->section = at;
}

th_formatting *th_formatting_find(const th_open_elements *open, th_tag tag)
{
    for (uint32_t i = open->formatting_count; i > open->section; i--)
        if (open->formatting[i - 1].tag == tag)
            return &open->formatting[i - 1];
    return NULL;
}

void th_formatting_drop(th_open_elements *open, th_formatting *item)
{
    if (item->at)
        open->items[item->at].is_listed = false;
    else
        open->closed_count--;
    const th_formatting *const end = open->formatting + open->formatting_count;
    memmove(item, item + 1, (size_t)(end - item - 1) * sizeof *item);
    open->formatting_count--;
}

bool th_formatting_add(th_open_elements *open, bool hides)
{
    th_open_element *top = th_open_top(open);
    th_formatting *first = NULL;
    unsigned same = 0;
    for (uint32_t i = open->formatting_count; i > open->section; i--) {
        if (open->formatting[i - 1].tag != top->tag)
            continue;
        first = &open->formatting[i - 1];
        same++;
    }
    if (same == SAME_MAX)
        th_formatting_drop(open, first);
    if (open->formatting_count - open->section >= TH_FORMATTING_MAX)
        return true;
    if (!has_formatting_capacity(open))
        return false;
    top->is_listed = true;
    open->formatting[open->formatting_count++] =
        (th_formatting){ .tag = top->tag, .hides = hides, .at = open->count - 1 };
    return true;
}

/* Handles a listed element that leaves the stack without its own end tag. */
static void close_formatting(th_open_elements *open, uint32_t at)
{
    for (uint32_t i = open->formatting_count; i > open->section; i--) {
        if (open->formatting[i - 1].at == at) {
            open->formatting[i - 1].at = 0;
            open->closed_count++;
            return;
        }
    }
}

/* ---- the stack --------------------------------------------------------------------- */

void th_open_unlist(th_open_elements *open)
{
    if (open->top->is_listed)
        close_formatting(open, open->count - 1);
    if (open->top->kind & TH_ELEMENT_MARKER)
        end_section(open, open->count - 1);
}

/* Takes an element out of the chain of its tag. @return the start of the next search */
static uint32_t *unchain(th_open_elements *open, uint32_t *link, uint32_t at)
{
    while (*link > at)
        link = &open->items[*link].same_at;
    if (*link == at)
        *link = open->items[at].same_at;
    return link;
}

void th_open_end(th_open_elements *open, uint32_t at)
{
    th_open_element *const items = open->items;
    items[at].is_ended = true;
    unchain(open, &open->last_of[items[at].tag], at);
    for (uint32_t i = at; i < open->count && items[i].special_at == at; i++)
        items[i].special_at = items[at - 1].special_at;
    for (uint32_t i = at; i < open->count && items[i].item_stop_at == at; i++)
        items[i].item_stop_at = items[at - 1].item_stop_at;
}

void th_open_unchain(th_open_elements *open, uint32_t first, uint32_t end)
{
    uint32_t *links[TH_TAG_COUNT] = { NULL }; /* how far each chain has been walked */
    for (uint32_t at = end; at-- > first;) {
        const th_tag tag = open->items[at].tag;
        if (open->items[at].is_ended)
            links[tag] = unchain(open, links[tag] ? links[tag] : &open->last_of[tag], at);
    }
}
