/*
 * The online near-duplicate index: which page, of those seen before, is this one like?
 * [docs/near-duplicates.md#index]
 *
 * Pages are looked up in order. One that is like none becomes a representative and is
 * found from then on; one that is like a representative is its near-duplicate, joins its
 * cluster, and is not kept itself. So clusters are stars: every member was compared with
 * the representative, none is linked through another member.
 *
 * Durable in two steps, so that the index and the output that holds its answers always
 * agree: th_index_prepare before the output is made durable, th_index_commit after. After
 * a crash th_index_rewind takes the mark that was stored with the output; that one counts
 * as committed. Each index counts its marks on from a random number of 62 bits, so that
 * another index's mark is recognised as unknown.
 *
 * Not for two threads at once, nor for two processes: the folder is locked.
 */
#ifndef TH_NEAR_INDEX_H
#define TH_NEAR_INDEX_H

#include "base/notice.h"
#include "index/index_entry.h"
#include "index/index_state.h"

typedef struct th_index_options {
    const char *dir; /* made where it is missing; borrowed for th_index_open */
    th_index_scheme scheme;
    double threshold;       /* 0..1: least share of slots that agree */
    uint64_t epoch_seconds; /* of the dates of records; 0: an epoch is a full segment */
    uint64_t segment_pages; /* representatives in a segment, at most; 1 or more */
    uint64_t keep_epochs;   /* epochs before the present one that are kept */
    bool accepts_damage;    /* opens an index that has lost pages, without these */
    th_notice notice;       /* of damage found; may be NULL */
    void *notice_context;
} th_index_options;

/* Limit on segments; beyond it the oldest goes, whatever its epoch. */
enum { TH_INDEX_SEGMENTS_MAX = 1024 };

typedef struct th_index th_index;

/** What became of a page. */
typedef struct th_index_answer {
    bool is_duplicate;
    uint32_t equal;      /* slots that agree; 0 for an exact duplicate of a short page */
    uint32_t keys_hit;   /* keys in common */
    double jaccard;      /* estimate */
    size_t of, of_len;   /* id of the representative: place in the names */
    size_t url, url_len; /* its URL; url_len 0: it has none */
} th_index_answer;

/** What an index is and did, for summaries and metrics. */
typedef struct th_index_facts {
    th_index_counts counts;
    uint32_t segments;
    uint64_t entries;       /* in the growing segment */
    uint64_t memory_bytes;  /* of the tables that are not sealed */
    uint64_t journal_bytes; /* of all segments */
    uint64_t table_bytes;   /* of the sealed ones */
} th_index_facts;

/**
 * Opens an index, or makes one.
 * @return TH_OK; TH_DAMAGED: pages are lost, and the options do not accept that; the files
 *         are unchanged; TH_USAGE: it was made with another scheme, another process has
 *         it, or the folder is not an index; TH_NO_ROOM; TH_IO; TH_NOMEM
 * Cost: reads the growing segment's journal and every table once.
 */
th_status th_index_open(const th_index_options *options, th_index **out, th_error *err);

/**
 * Frees; what was not prepared is forgotten, what is committed is noted. NULL is legal.
 */
void th_index_close(th_index *index);

/**
 * Looks pages up, one after the other, each one seeing those before it.
 * @param entries  `count` entries made by th_index_entry_append with the same scheme,
 *                 aligned to 8 bytes
 * @param answers  out: one for each
 * @param names    gets ids and URLs that the answers point to
 * @return TH_OK; TH_NOMEM: the index cannot be used any more, but for rewind. After a
 *         look-up or a rewind that failed: the status of that one
 */
th_status th_index_look_up(th_index *index, th_view entries, size_t count,
                           th_index_answer *answers, th_buffer *names, th_error *err);

/**
 * Makes everything so far durable, under a mark. Does nothing where nothing has changed.
 * @param mark  out: the mark, 2 or more; one more than the one before; the first one
 *              is random
 * @return TH_OK; TH_NO_ROOM: the disk is full, or no descriptor is free; TH_IO: a file of
 *         the index, named in err, cannot be written for another reason; TH_NOMEM.
 *         Nothing is lost then, and it may be tried again. After a look-up or a rewind
 *         that failed: the status of that one, and only a rewind helps
 */
th_status th_index_prepare(th_index *index, uint64_t *mark, th_error *err);

/** The mark prepared last will never be rewound: what expired before it is removed. */
void th_index_commit(th_index *index);

/**
 * Goes back to where a mark was prepared: the last one, or the last one committed. Where
 * the marks themselves were lost and none has been committed since, any other mark leads
 * to what was found.
 * @param mark  0: the last one committed
 * @return TH_OK; TH_USAGE: there is no such mark any more, or not yet; TH_NO_ROOM; TH_IO;
 *         TH_NOMEM
 */
th_status th_index_rewind(th_index *index, uint64_t mark, th_error *err);

/** The scheme that entries have to be made with; lives as long as the index. */
const th_index_scheme *th_index_scheme_of(const th_index *index);

/** The mark prepared last, also by an earlier process; 0: none. */
uint64_t th_index_mark(const th_index *index);

/** Can the index be rewound to a mark? Never to 0. */
bool th_index_knows(const th_index *index, uint64_t mark);

void th_index_facts_get(const th_index *index, th_index_facts *out);

#endif
