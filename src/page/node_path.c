/* An element's path, written from its end, because a node has only its parent. */
#include "page/node_path.h"

#include <string.h>

enum { LEVELS = 32 };

/* Puts the text before path[at..]. @return the new start */
static size_t prepend(char *path, size_t at, th_view text)
{
    memcpy(path + at - text.len, text.data, text.len);
    return at - text.len;
}

th_view th_node_path(const th_page *page, uint32_t node, char path[TH_NODE_PATH_ROOM])
{
    size_t at = TH_NODE_PATH_ROOM;
    for (unsigned level = 0; node < page->node_count && level < LEVELS; level++) {
        const char *name = th_tag_name(page->nodes[node].tag);
        if (level)
            path[--at] = '/';
        at = prepend(path, at, (th_view){ name, strlen(name) });
        node = page->nodes[node].parent;
    }
    if (node < page->node_count)
        at = prepend(path, at, TH_VIEW("**/"));
    return (th_view){ path + at, TH_NODE_PATH_ROOM - at };
}
