/* A gold segmentation: words of each page in order, and the number of each word's
 * segment. */
#ifndef TH_GOLD_SEGMENTS_H
#define TH_GOLD_SEGMENTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "eval/extraction/word_hashes.h"
#include "thresher/arena.h"
#include "thresher/status.h"

enum {
    TH_GOLD_FIELDS_MAX = 8,
    TH_GOLD_WORDS_MAX = 100 << 20, /* of all pages */
    TH_GOLD_LABEL_MAX = 1 << 22,   /* numbers of segments are dense, and no page has this
                                  * many */
};

/** A page of the gold. */
typedef struct th_gold_page {
    uint64_t id;     /* hash of the record's id, without <> */
    uint32_t number; /* its line, from 0 */
    uint32_t count;  /* words */
    /* source of the page; absent if the line has none */
    th_view source;
    uint64_t *words;   /* as th_alignment_word has them */
    uint32_t *lengths; /* of the unchanged words, in characters */
    /* -1: no gold; NULL: the page lacks the field. */
    int32_t *labels[TH_GOLD_FIELDS_MAX];
    uint32_t label_counts[TH_GOLD_FIELDS_MAX]; /* one more than the largest */
} th_gold_page;

typedef struct th_gold_set {
    th_gold_page *pages; /* by id */
    uint32_t count;
    const char *fields[TH_GOLD_FIELDS_MAX];
    uint32_t field_count;
} th_gold_set;

/**
 * Reads all of gold.jsonl.gz into memory: about 12 bytes a word, and 4 for each field.
 * @param fields  names with commas; copied
 * @param stop    not 0: give up with TH_INTERRUPTED; may be NULL
 * @param arena   owns the set
 * @return TH_OK; TH_USAGE: no page has one of the fields; TH_IO; TH_TOO_LARGE; TH_NOMEM;
 *         TH_INTERRUPTED
 */
th_status th_gold_set_read(const char *path, const char *fields, const atomic_int *stop,
                           th_arena *arena, th_gold_set *out, th_error *err);

/**
 * Returns the page of a record id ("<urn:uuid:...>"), or NULL if there is no such page.
 * O(log pages).
 */
const th_gold_page *th_gold_page_find(const th_gold_set *set, th_view id);

#endif
