/* Invariants of every page, and a page in words, shared by tests and fuzzers. */
#ifndef PAGE_CHECK_H
#define PAGE_CHECK_H

#include "thresher/options.h"
#include "thresher/page.h"

/**
 * Aborts where the page breaks a promise of page.h: blocks cover the text, sums are sums,
 * every index is inside its table, extents nest, the text is valid UTF-8 and collapsed.
 */
void check_page(const th_page *page);

/** Aborts where two pages differ in anything that parsing fills, metadata aside. */
void check_same_page(const th_page *a, const th_page *b);

/**
 * The page's blocks, a line each: "text|tokens linked lines last|gap tags|element".
 * Freed by the caller.
 */
char *dump_blocks(const th_page *page);

#endif
