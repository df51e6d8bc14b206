/*
 * The online near-duplicate index. It finds an earlier page that is similar to a page.
 * [docs/near-index.md]
 *
 * Pages are looked up in order. A page that is similar to none becomes a representative,
 * and later pages can find it. A page that is similar to a representative is its
 * near-duplicate, joins its cluster, and is not stored. So clusters are stars: every
 * member was compared with the representative, and no member is linked through another.
 *
 * A commit has two steps, so the index and the output with its answers always agree:
 * th_index_prepare before the output is made durable, th_index_commit after. After a
 * crash th_index_rewind takes the mark that was stored with the output. That mark counts
 * as committed. Each index counts its marks from a random number of 62 bits, so another
 * index's mark is recognised as unknown.
 *
 * Not thread-safe. Only one process can use an index, because its folder is locked.
 */
#ifndef TH_NEAR_INDEX_H
#define TH_NEAR_INDEX_H

#include "base/warning.h"
#include "index/index_entry.h"
#include "index/index_state.h"

typedef struct th_index_options {
    const char *dir; /* created if missing; borrowed for th_index_open */
    th_index_scheme scheme;
    double threshold;       /* 0..1: minimum fraction of slots that agree */
    uint64_t epoch_seconds; /* of record dates; 0: an epoch is a full segment */
    uint64_t segment_pages; /* maximum representatives in a segment; at least 1 */
    uint64_t keep_epochs;   /* earlier epochs that are kept */
    bool accepts_damage;    /* opens an index that has lost pages */
    th_warning_fn warn;     /* for damage; may be NULL */
    void *warn_context;
} th_index_options;

/* Maximum segments; beyond it the oldest is removed, regardless of its epoch. */
enum { TH_INDEX_SEGMENTS_MAX = 1024 };

typedef struct th_index th_index;

/** The result of looking up a page. */
typedef struct th_index_answer {
    bool is_duplicate;
    uint32_t equal;      /* slots that agree, or 0 for equal short pages */
    uint32_t keys_hit;   /* keys in common */
    double jaccard;      /* estimate */
    size_t of, of_len;   /* id of the representative: place in the names */
    size_t url, url_len; /* its URL; url_len is 0 if it has none */
} th_index_answer;

/** Statistics of an index, for summaries and metrics. */
typedef struct th_index_stats {
    th_index_counts counts;
    uint32_t segments;
    uint64_t entries;       /* in the growing segment */
    uint64_t memory_bytes;  /* of the tables that are not sealed */
    uint64_t journal_bytes; /* of all segments */
    uint64_t table_bytes;   /* of the sealed ones */
} th_index_stats;

/**
 * Opens an index, or creates one.
 * @return TH_OK. TH_DAMAGED if pages are lost and the options do not accept that; the
 *         files are unchanged. TH_USAGE if it was made with another scheme, another
 *         process has it, or the folder is not an index. TH_NO_ROOM. TH_IO. TH_NOMEM
 * Cost: reads the growing segment's journal and every table once.
 */
th_status th_index_open(const th_index_options *options, th_index **out, th_error *err);

/**
 * Frees the index. Forgets pages that were not prepared, and stores the last commit. NULL
 * is legal.
 */
void th_index_close(th_index *index);

/**
 * Looks up pages in order. Each page sees the pages before it.
 * @param entries  `count` entries made by th_index_entry_append with the same scheme,
 *                 aligned to 8 bytes
 * @param answers  out: one for each
 * @param names    gets ids and URLs that the answers point to
 * @return TH_OK; TH_NOMEM, after which only rewind can be called. After a look-up or a
 *         rewind that failed: the same status
 */
th_status th_index_look_up(th_index *index, th_view entries, size_t count,
                           th_index_answer *answers, th_buffer *names, th_error *err);

/**
 * Makes everything so far durable, under a mark. Does nothing if nothing has changed.
 * @param mark  out: the mark, at least 2. The first one is random; later ones increase by
 *              one
 * @return TH_OK. TH_NO_ROOM if the disk is full, or no descriptor is free. TH_IO if a
 *         file of the index, named in err, cannot be written for another reason.
 *         TH_NOMEM. Then no data is lost, and the caller may retry. After a look-up or a
 *         rewind that failed: the same status, and only a rewind helps
 */
th_status th_index_prepare(th_index *index, uint64_t *mark, th_error *err);

/** Declares that the mark prepared last will never be rewound. Removes segments that
 * expired before it. */
void th_index_commit(th_index *index);

/**
 * Returns to the state of a mark: the last one prepared, or the last one committed. If
 * the marks themselves were lost and none has been committed since, any other mark leads
 * to the state that was found.
 * @param mark  0 for the last one committed
 * @return TH_OK; TH_USAGE if the mark does not exist any more, or not yet; TH_NO_ROOM;
 *         TH_IO; TH_NOMEM
 */
th_status th_index_rewind(th_index *index, uint64_t mark, th_error *err);

/** Returns the scheme that entries must be made with; lives as long as the index. */
const th_index_scheme *th_index_scheme_of(const th_index *index);

/** Returns the mark prepared last, also by an earlier process; 0 if there is none. */
uint64_t th_index_mark(const th_index *index);

/** Returns whether the index can be rewound to a mark. Never to 0. */
bool th_index_knows(const th_index *index, uint64_t mark);

void th_index_facts_get(const th_index *index, th_index_stats *out);

#endif
