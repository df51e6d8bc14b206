/*
 * Another extractor's results for a corpus: one {"id", "text"} per line, in a file next
 * to the pages.
 */
#ifndef TH_PEER_OUTPUT_H
#define TH_PEER_OUTPUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/** Peers of a corpus that are read, and bytes of one peer's text in all. */
enum { TH_PEERS_MAX = 16, TH_PEER_BYTES_MAX = 256 << 20 };

typedef struct th_peer_output th_peer_output;

/** The peers of a corpus, by name. */
typedef struct th_peer_list {
    const th_peer_output *peers[TH_PEERS_MAX];
    const char *names[TH_PEERS_MAX]; /* "trafilatura" */
    uint32_t count;
} th_peer_list;

/**
 * Reads FOLDER/peer-outputs/NAME.jsonl.gz, of the first TH_PEERS_MAX names.
 * @param arena  owns all of it
 * @return TH_OK, also if there are no files; TH_TOO_LARGE: a file of a peer, or a line of
 *         it, is over its limit; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_peer_list_read(const char *folder, const atomic_int *stop, th_arena *arena,
                            th_peer_list *out, th_error *err);

/** Returns a page's text; absent if the peer has no text for it. O(log pages). */
th_view th_peer_text(const th_peer_output *peer, th_view id);

#endif
