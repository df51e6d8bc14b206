/* Nearness of the main content to the gold, for every page of a corpus and variant. */
#ifndef TH_EXTRACTION_SCORES_H
#define TH_EXTRACTION_SCORES_H

#include <stddef.h>

#include "eval/eval.h"
#include "eval/extraction/content_score.h"
#include "eval/extraction/line_score.h"
#include "eval/method_list.h"
#include "eval/peer_output.h"
#include "thresher/arena.h"

enum { TH_EXTRACTION_VARIANTS_MAX = TH_METHODS_MAX * 4 + TH_PEERS_MAX };

/** A scored variant: a classifier with a profile, or a peer. */
typedef struct th_extraction_variant {
    const char *classifier; /* name, or the peer's */
    const char *profile;    /* "" for a peer */
    const th_peer_output *peer;
    bool is_learned;  /* it reads more of a page than the rules do */
    uint32_t missing; /* out: pages that a peer has no text for */
} th_extraction_variant;

/** A page, and one kind of scores. */
typedef struct th_extraction_row {
    bool has_gold, has_snippets, is_refused;
    const char *id;                   /* of the page */
    const char *groups[TH_GROUPINGS]; /* "article", "en"; NULL if unknown */
    const char *required_kinds[TH_REQUIRED_KINDS_MAX]; /* "ingredients" */
    uint32_t required_kind_count;
    th_content_score *scores; /* one for each variant, or */
    th_line_score *lines;     /* if lines are scored */
} th_extraction_row;

/** A corpus, its variants, and their scores. */
typedef struct th_extraction_scores {
    /* before */
    const th_eval_request *request;
    const char *path, *name; /* of the corpus */
    th_extraction_variant variants[TH_EXTRACTION_VARIANTS_MAX];
    uint32_t own_count, variant_count; /* peers come last */
    bool wants_lines;                  /* lines are scored, not words */
    /* after */
    th_extraction_row *rows; /* in the order of the file */
    size_t row_count;
} th_extraction_scores;

/**
 * Scores every page. The scores do not depend on the number of workers.
 * @param scores       in: the members under "before". Sets the rest, which
 *                     th_extraction_scores_done frees, even after a failure
 * @param done_before  bytes of the corpora before, for progress
 * @param total_bytes  of all corpora
 * @param arena        owns each row's scores
 * @return TH_OK; TH_USAGE: no page; TH_IO, TH_TOO_LARGE, TH_NOMEM, TH_INTERRUPTED
 */
th_status th_extraction_score_all(th_extraction_scores *scores, uint64_t done_before,
                                  uint64_t total_bytes, th_arena *arena, th_error *err);
void th_extraction_scores_done(th_extraction_scores *scores);

#endif
