/* Reasons in words without duplicates. Readings refer to them by number. */
#ifndef TH_REASON_LIST_H
#define TH_REASON_LIST_H

#include "base/buffer.h"
#include "base/json.h"
#include "thresher/page.h"

/** A list of different texts; begins as { 0 }. */
typedef struct th_reason_list {
    th_buffer texts;     /* concatenated */
    size_t *ends;        /* of each text in `texts` */
    uint32_t *slots;     /* hash table: 1 + number of a text, 0 = free */
    uint32_t count;      /* texts */
    uint32_t slot_count; /* a power of two, more than count */
} th_reason_list;

/**
 * Returns the number of a block's reason in words. A new reason joins the list.
 * @param words  as th_reason_text takes them
 * @param number out
 * @return TH_OK or TH_NOMEM. O(length of the text)
 */
th_status th_reason_list_add(th_reason_list *list, const th_page *page, uint32_t block,
                             const char *words, uint32_t *number);

/** Writes the texts as an array of strings. */
void th_reason_list_write(const th_reason_list *list, th_json *json);

void th_reason_list_done(th_reason_list *list);

#endif
