/* Counts code points by label, then rounds the shares so that nothing is lost. */
#include "language/language_shares.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 10000 }; /* a share is a multiple of 1/PARTS */

struct sum {
    const char *label;
    uint32_t order; /* of its first paragraph */
    uint64_t chars;
    uint64_t parts, remainder; /* of chars * PARTS / all chars */
};

/* Returns the sum of a label. A new one is added; the last one is for all the rest. */
static struct sum *sum_of(struct sum *sums, uint32_t *count, const char *label)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(sums[i].label, label) == 0)
            return &sums[i];
    if (*count == TH_LANGUAGE_SHARES_MAX)
        return &sums[*count - 1];
    struct sum *const added = &sums[*count];
    added->label = *count + 1 < TH_LANGUAGE_SHARES_MAX ? label : "mul";
    added->order = (*count)++;
    return added;
}

static int by_remainder(const void *a, const void *b)
{
    const struct sum *const x = a, *const y = b;
    if (x->remainder != y->remainder)
        return x->remainder < y->remainder ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

static int by_size(const void *a, const void *b)
{
    const struct sum *const x = a, *const y = b;
    if (x->chars != y->chars)
        return x->chars < y->chars ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

/* Rounds down, then gives the missing parts to the largest remainders. */
static void divide(struct sum *sums, uint32_t count, uint64_t chars)
{
    uint64_t missing = PARTS;
    for (uint32_t i = 0; i < count; i++) {
        sums[i].parts = sums[i].chars * PARTS / chars;
        sums[i].remainder = sums[i].chars * PARTS % chars;
        missing -= sums[i].parts;
    }
    qsort(sums, count, sizeof *sums, by_remainder);
    for (uint32_t i = 0; i < missing; i++) /* fewer than count are missing */
        sums[i].parts++;
    qsort(sums, count, sizeof *sums, by_size);
}

th_status th_language_shares_fill(th_page *page)
{
    struct sum sums[TH_LANGUAGE_SHARES_MAX] = { { .label = NULL } };
    uint32_t count = 0;
    uint64_t chars = 0;
    for (uint32_t i = 0; i < page->paragraph_language_count; i++) {
        const th_paragraph_language *const language = &page->paragraph_languages[i];
        const uint32_t len = page->paragraphs[language->paragraph].char_len;
        if (!len)
            continue;
        sum_of(sums, &count, language->is_sure ? language->label : "und")->chars += len;
        chars += len;
    }
    if (!chars)
        return TH_OK;
    divide(sums, count, chars);
    page->language_shares =
        th_arena_calloc(page->arena, count, sizeof *page->language_shares);
    if (!page->language_shares)
        return TH_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        page->language_shares[i] =
            (th_language_share){ sums[i].label, (double)sums[i].parts / (double)PARTS };
    page->language_share_count = count;
    return TH_OK;
}
