/* The path of an element from the root, by tag names. */
#ifndef TH_NODE_PATH_H
#define TH_NODE_PATH_H

#include "thresher/page.h"

/* Size of a path: 32 names and slashes, and the prefix. */
enum { TH_NODE_PATH_ROOM = 1024 };

/**
 * Writes the tag names from the root to `node`, "html/body/div". If there are more than
 * 32, writes "**", a slash and the innermost 32. So a page of deeply nested blocks does
 * not cost blocks times depth.
 * @param node  TH_NONE for an empty path
 * @return a slice of `path`
 */
th_view th_node_path(const th_page *page, uint32_t node, char path[TH_NODE_PATH_ROOM]);

#endif
