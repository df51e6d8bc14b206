/* Where an element stands, as people read it. */
#ifndef TH_NODE_PATH_H
#define TH_NODE_PATH_H

#include "thresher/page.h"

/* Room for a path: 32 names and slashes, and the mark in front. */
enum { TH_NODE_PATH_ROOM = 1024 };

/**
 * Tag names from the root to `node`, "html/body/div". The innermost 32 where there are
 * more, with the mark "**" in front that says so: they tell most of a block, and a page
 * of deep blocks must not cost blocks times depth.
 * @param node  TH_NONE: the path is empty
 * @return a slice of `path`
 */
th_view th_node_path(const th_page *page, uint32_t node, char path[TH_NODE_PATH_ROOM]);

#endif
