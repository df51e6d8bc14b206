/*
 * Removes constructs that must not reach libxml2: tags with too many attributes, and
 * constructs whose tags depend on libxml2's hidden state.
 *
 * libxml2 compares each attribute of a tag with all before it and makes no call before
 * the tag ends: one tag of 1 MiB holds it for minutes. [docs/reliability.md#hostile-html]
 */
#ifndef TH_TAG_SCAN_H
#define TH_TAG_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"
#include "thresher/view.h"

typedef struct th_tag_limits {
    uint32_t max_attributes; /* of a tag */
    uint32_t max_tag; /* bytes of a tag; an attribute that would exceed it is cut */
} th_tag_limits;

/**
 * Checks HTML and, only if something must be removed, writes a copy without it.
 * Attributes over the limits are cut. The others, and all text, stay. "<!...>", "<?...>"
 * and "</...>" become empty comments, as in the standard, unless they are a comment, a
 * doctype at the beginning, a processing instruction or an end tag. In SCRIPT and STYLE a
 * '<' that libxml2 would read as a tag's becomes a space.
 * @param text   UTF-8 without NUL, borrowed
 * @param copy   emptied, then used for the copy when one is needed
 * @param safe   out: `text` itself or the copy
 * @param flags  ORed: TH_FLAG_ATTRIBUTES_CUT
 * @return TH_OK or TH_NOMEM. One pass of some GB/s. It copies only if something is cut.
 */
th_status th_tag_scan(th_view text, const th_tag_limits *limits, th_buffer *copy,
                      th_view *safe, uint32_t *flags);

/**
 * Whether XML may hold a tag of more attributes than that. No value can hold a '<', so it
 * is enough to count '=' between one '<' and the next. May be true unnecessarily. Never
 * false if there is such a tag. O(len).
 */
bool th_tag_scan_xml(th_view text, uint32_t max_attributes);

#endif
