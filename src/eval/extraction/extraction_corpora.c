/* From a corpus's path to its scores. See the header. */
#include "eval/extraction/extraction_corpora.h"

#include "eval/corpus_path.h"

th_status th_extraction_plan_methods(th_extraction_plan *plan, const char *profiles,
                                     th_error *err)
{
    th_status status =
        th_classifier_list(plan->request->classifiers, &plan->classifiers, err);
    if (status == TH_OK)
        status = th_profile_list(profiles, &plan->profiles, err);
    if (status != TH_OK)
        return status;
    if (plan->classifiers.count * plan->profiles.count >
        TH_EXTRACTION_VARIANTS_MAX - TH_PEERS_MAX)
        return th_fail(err, TH_USAGE, "%u classifiers with %u profiles exceed the limit",
                       plan->classifiers.count, plan->profiles.count);
    return TH_OK;
}

static void name_variants(const th_extraction_plan *plan, const th_peer_list *peers,
                          th_extraction_scores *scores)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->profiles.count; i++)
        for (uint32_t j = 0; j < plan->classifiers.count; j++)
            scores->variants[count++] = (th_extraction_variant){
                .classifier = plan->classifiers.names[j],
                .profile = plan->profiles.names[i],
                .is_learned = th_classifier_is_learned(plan->classifiers.names[j])
            };
    scores->own_count = count;
    for (uint32_t i = 0; i < peers->count; i++)
        scores->variants[count++] = (th_extraction_variant){
            .classifier = peers->names[i], .profile = "", .peer = peers->peers[i]
        };
    scores->variant_count = count;
}

static th_status measure_corpus(const th_extraction_plan *plan,
                                const th_corpus_path *path, uint64_t done, uint64_t total,
                                th_error *err)
{
    th_extraction_scores scores = { .request = plan->request,
                                    .path = path->file,
                                    .name = path->name,
                                    .wants_lines = plan->wants_lines };
    th_peer_list peers;
    th_status status =
        th_peer_list_read(path->folder, plan->request->stop, plan->arena, &peers, err);
    if (status != TH_OK)
        return status;
    name_variants(plan, &peers, &scores);
    status = th_extraction_score_all(&scores, done, total, plan->arena, err);
    if (status == TH_OK)
        status = plan->report(plan->context, &scores);
    th_extraction_scores_done(&scores);
    return status;
}

th_status th_extraction_measure(const th_extraction_plan *plan, th_error *err)
{
    const th_eval_request *request = plan->request;
    uint64_t total = 0, done = 0;
    th_status status = TH_OK;
    th_corpus_path *paths =
        th_arena_calloc(plan->arena, request->input_count, sizeof *paths);
    if (!paths)
        return TH_NOMEM;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_PAGES, plan->arena,
                                     &paths[i], err);
        total += status == TH_OK ? th_file_len(paths[i].file) : 0;
    }
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = measure_corpus(plan, &paths[i], done, total, err);
        done += th_file_len(paths[i].file);
    }
    return status;
}
