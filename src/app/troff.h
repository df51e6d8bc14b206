/* Text for manual pages, in the language of troff with the macros of man(7). */
#ifndef TH_TROFF_H
#define TH_TROFF_H

#include <stdio.h>

#include "thresher/view.h"

/**
 * Writes text (UTF-8) that man shows unchanged: no line of it begins a request, and no
 * quote, dash or backslash becomes another character. A line may end after a comma.
 */
void th_troff_put(FILE *out, th_view text);

/**
 * Writes the heading of a section.
 * @param request  ".SH" or ".SS"
 */
void th_troff_put_heading(FILE *out, const char *request, th_view title);

/**
 * Writes the Markdown of thresher's docs. Supports headings ("##" and "###"), paragraphs,
 * lists with "*", fences, tables with a head, code, strong text and links. The title
 * ("#") is omitted. A row of a table becomes a term, its first cell, and an explanation.
 * The column with a head that begins with "meaning" (or the last column) comes first,
 * other columns after their head. In first cells `.name` is written with the last name
 * that has no dot at its start before it, as full names of an object's members.
 */
void th_troff_put_markdown(FILE *out, th_view text);

#endif
