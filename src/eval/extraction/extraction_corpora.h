/* The corpora of a request, scored one after the other, each reported when it is done. */
#ifndef TH_EXTRACTION_CORPORA_H
#define TH_EXTRACTION_CORPORA_H

#include "eval/extraction/extraction_scores.h"

/** The scores to compute for each corpus, and the callback that reports them. */
typedef struct th_extraction_plan {
    const th_eval_request *request; /* borrowed */
    th_arena *arena;                /* borrowed: names, scores */
    th_method_list classifiers, profiles;
    bool wants_lines; /* as in th_extraction_scores */
    /** Called for each corpus in the order of the request. TH_OK or TH_NOMEM */
    th_status (*report)(void *context, const th_extraction_scores *scores);
    void *context;
} th_extraction_plan;

/**
 * Fills in classifiers and profiles as the request names them.
 * @return TH_OK; TH_USAGE: an unknown name, or more pairs than are scored at once
 */
th_status th_extraction_plan_methods(th_extraction_plan *plan, const char *profiles,
                                     th_error *err);

/**
 * Scores every corpus with all pairs of classifier and profile, profile by profile, and
 * then with its peers.
 * @return TH_OK; TH_USAGE if an input is not a corpus; or the status of
 *         th_extraction_score_all, the peers or `report`
 */
th_status th_extraction_measure(const th_extraction_plan *plan, th_error *err);

#endif
