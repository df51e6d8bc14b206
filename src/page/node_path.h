/* The path of an element from the root, by tag names. */
#ifndef TH_NODE_PATH_H
#define TH_NODE_PATH_H

#include "thresher/page.h"

/* Room for a path: 32 names and slashes, and the mark in front. */
enum { TH_NODE_PATH_ROOM = 1024 };

/**
 * Tag names from the root to `node`, "html/body/div". Where there are more than 32, the
 * innermost 32 with "**" and a slash in front, so that a page of deep blocks does not
 * cost blocks times depth.
 * @param node  TH_NONE: the path is empty
 * @return a slice of `path`
 */
th_view th_node_path(const th_page *page, uint32_t node, char path[TH_NODE_PATH_ROOM]);

#endif
