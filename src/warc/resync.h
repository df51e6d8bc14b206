/*
 * Shared parts of the searches for the next good member: how far they may go back, and
 * how a record may begin.
 */
#ifndef WARC_RESYNC_H
#define WARC_RESYNC_H

#include "input_window.h"

enum {
    RESYNC_PROBE_OUT = 64,       /* unpacked bytes that a probe looks at */
    RESYNC_REWIND_FREE = 1 << 24 /* bytes that may be gone back before any progress */
};

/** Bytes gone back so far and the furthest place reached. Keeps all searches together
 * linear in the length of the file, for any content. */
struct resync_budget {
    uint64_t rewound;
    uint64_t furthest;
};

/**
 * Goes back to `offset`, or as near as the window reaches; stays where it is when the
 * budget is spent. An inflater may read on into the next members before it notices
 * damage: so the search begins where the damaged member began.
 */
void resync_rewind(struct resync_budget *budget, struct input_window *in,
                   uint64_t offset);

/** True when unpacked bytes may begin a record: "WARC/" after blank lines; with is_arc
 * also a URL scheme. */
bool resync_is_record_start(warc_view bytes, bool is_arc);

#endif
