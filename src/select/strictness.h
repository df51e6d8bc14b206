/* Named thresholds of the learned classifier. */
#ifndef TH_STRICTNESS_H
#define TH_STRICTNESS_H

#include "content/content_decision.h"

/** The names in the option: the first is of `text`, the others are of further texts. */
typedef struct th_strictness_list {
    unsigned count;
    const char *of[1 + TH_STRICTNESS_OTHERS];
} th_strictness_list;

/**
 * Reads the option.
 * @param text  NULL (balanced), a name, several names with commas, or the minimum score of
 *              a paragraph, ".5". "balanced": best F1, "strict": fewer false words,
 *              "wide": fewer missed words
 * @param list  out: "balanced" first if it is named, else the first name; the names are
 *              static, or `text`. NULL only checks
 * @return TH_OK, or TH_USAGE for another text
 */
th_status th_strictness_read(const char *text, th_strictness_list *list);

/** Applies one of a list. @param rules  in and out: taste and ends of the cut */
void th_strictness_apply(const char *name, th_content_rules *rules);

#endif
