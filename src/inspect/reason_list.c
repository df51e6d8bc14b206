/*
 * The reasons of all blocks in all readings as one list without repetitions, because most
 * readings of a page give the same reasons.
 */
#include "inspect/reason_list.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "inspect/reason_text.h"

enum { FIRST_SLOTS = 256 };

static th_view text_of(const th_reason_list *list, uint32_t number)
{
    const size_t start = number ? list->ends[number - 1] : 0;
    return (th_view){ list->texts.data + start, list->ends[number] - start };
}

/* Returns the slot of a text: its own, or the free slot where it belongs. */
static uint32_t *slot_of(const th_reason_list *list, th_view text)
{
    const uint32_t mask = list->slot_count - 1;
    uint32_t at = (uint32_t)XXH3_64bits(text.data, text.len) & mask;
    for (; list->slots[at]; at = (at + 1) & mask) {
        const th_view other = text_of(list, list->slots[at] - 1);
        if (other.len == text.len && memcmp(other.data, text.data, text.len) == 0)
            break;
    }
    return &list->slots[at];
}

/* Makes room for one more text, at most three quarters full. */
static th_status reserve(th_reason_list *list)
{
    if (4 * (uint64_t)list->count < 3 * (uint64_t)list->slot_count)
        return TH_OK;
    const uint32_t slot_count = list->slot_count ? 2 * list->slot_count : FIRST_SLOTS;
    size_t *ends = realloc(list->ends, slot_count * sizeof *ends);
    if (!ends)
        return TH_NOMEM;
    list->ends = ends;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return TH_NOMEM;
    free(list->slots);
    list->slots = slots;
    list->slot_count = slot_count;
    for (uint32_t i = 0; i < list->count; i++)
        *slot_of(list, text_of(list, i)) = i + 1;
    return TH_OK;
}

th_status th_reason_list_add(th_reason_list *list, const th_page *page, uint32_t block,
                             const char *words, uint32_t *number)
{
    th_status status = reserve(list);
    if (status != TH_OK)
        return status;
    const size_t start = list->texts.len;
    th_reason_text(page, block, words, &list->texts);
    if (list->texts.has_failed)
        return TH_NOMEM;
    const th_view text = { list->texts.data + start, list->texts.len - start };
    uint32_t *slot = slot_of(list, text);
    if (*slot) {
        list->texts.len = start;
    } else {
        list->ends[list->count++] = list->texts.len;
        *slot = list->count;
    }
    *number = *slot - 1;
    return TH_OK;
}

void th_reason_list_write(const th_reason_list *list, th_json *json)
{
    th_json_open_array(json);
    for (uint32_t i = 0; i < list->count; i++)
        th_json_string(json, text_of(list, i));
    th_json_close_array(json);
}

void th_reason_list_done(th_reason_list *list)
{
    th_buffer_done(&list->texts);
    free(list->ends);
    free(list->slots);
    *list = (th_reason_list){ 0 };
}
