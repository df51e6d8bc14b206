/*
 * Labels of tabs, which are printed before their panels and not where the page has them.
 *
 * The labels of a set are printed if two of its panels have content, also if the labels
 * are not content themselves. The page stays as it is for
 * - a heading directly before its panel, and a label in its panel's item: an accordion
 * - a panel in a cell of a shown table
 * - a label that only counts ("3", "Slide 3"), like the dots of a slider, that has over
 *   200 bytes, or that is not in one paragraph
 * A label is not printed if its panel begins with the same text.
 */
#ifndef TH_TAB_LABELS_H
#define TH_TAB_LABELS_H

#include "thresher/page.h"

/** A label, printed as a paragraph before one of content. */
typedef struct th_tab_label {
    th_view text;       /* a slice of the page's */
    uint32_t paragraph; /* the first of the panel that is content */
    uint32_t box;       /* the innermost box around the panel, or TH_NONE */
} th_tab_label;

typedef struct th_tab_labels {
    th_tab_label *rows; /* in the order of paragraphs */
    uint32_t count;
    uint32_t next; /* the first that is not printed */
    /* By paragraph: as given, but not TH_CONTENT for labels that rows replace. */
    const uint8_t *label_of;
} th_tab_labels;

/**
 * Finds the labels to print.
 * @param label_of  by paragraph; paragraphs with TH_CONTENT count
 * @return TH_OK, or TH_NOMEM. Linear.
 */
th_status th_tab_labels_find(const th_page *page, const uint8_t *label_of,
                             th_tab_labels *out);

/** Returns the next label before a paragraph, or NULL. Paragraphs come in order. */
static inline const th_tab_label *th_tab_label_before(th_tab_labels *labels,
                                                      uint32_t paragraph)
{
    while (labels->next < labels->count &&
           labels->rows[labels->next].paragraph < paragraph)
        labels->next++;
    return labels->next < labels->count &&
                   labels->rows[labels->next].paragraph == paragraph
               ? &labels->rows[labels->next++]
               : NULL;
}

#endif
