/* A table of templates and an index by fingerprint; pruned when full. */
#include "lab/density/template_counts.h"

#include <stdlib.h>
#include <string.h>

enum {
    CAPACITY = 2 * TH_TEMPLATES_KEPT,
    SLOTS = 2 * CAPACITY, /* a power of two; half or more of the slots are empty */
};

struct th_template_counts {
    uint32_t count;
    uint64_t error;
    uint32_t slots[SLOTS]; /* number of a template + 1; 0 = empty */
    th_template templates[CAPACITY];
};

th_template_counts *th_template_counts_new(void)
{
    return calloc(1, sizeof(th_template_counts));
}

void th_template_counts_free(th_template_counts *counts)
{
    free(counts);
}

/* The slot of a fingerprint, or the empty one where it belongs. */
static uint32_t *slot_of(th_template_counts *counts, uint64_t fingerprint)
{
    uint32_t at = (uint32_t)fingerprint & (SLOTS - 1);
    while (counts->slots[at] &&
           counts->templates[counts->slots[at] - 1].fingerprint != fingerprint)
        at = (at + 1) & (SLOTS - 1);
    return &counts->slots[at];
}

static int by_count(const void *left, const void *right)
{
    const th_template *a = left, *b = right;
    if (a->count != b->count)
        return (a->count < b->count) - (a->count > b->count);
    return (a->fingerprint > b->fingerprint) - (a->fingerprint < b->fingerprint);
}

static void prune(th_template_counts *counts)
{
    qsort(counts->templates, counts->count, sizeof *counts->templates, by_count);
    counts->count = TH_TEMPLATES_KEPT;
    counts->error += counts->templates[TH_TEMPLATES_KEPT].count;
    memset(counts->slots, 0, sizeof counts->slots);
    for (uint32_t i = 0; i < counts->count; i++)
        *slot_of(counts, counts->templates[i].fingerprint) = i + 1;
}

void th_template_counts_add(th_template_counts *counts, uint64_t fingerprint,
                            uint32_t tokens, th_view sample)
{
    if (counts->count == CAPACITY)
        prune(counts);
    uint32_t *slot = slot_of(counts, fingerprint);
    if (!*slot) {
        th_template *fresh = &counts->templates[counts->count];
        *fresh = (th_template){ .fingerprint = fingerprint };
        fresh->sample_len =
            (uint8_t)(sample.len < TH_TEMPLATE_SAMPLE ? sample.len : TH_TEMPLATE_SAMPLE);
        if (fresh->sample_len)
            memcpy(fresh->sample, sample.data, fresh->sample_len);
        *slot = ++counts->count;
    }
    counts->templates[*slot - 1].count++;
    counts->templates[*slot - 1].tokens += tokens;
}

uint64_t th_template_counts_error(const th_template_counts *counts)
{
    return counts->error;
}

uint32_t th_template_counts_sort(th_template_counts *counts, const th_template **out)
{
    if (counts->count > 1)
        qsort(counts->templates, counts->count, sizeof *counts->templates, by_count);
    *out = counts->templates;
    return counts->count;
}
