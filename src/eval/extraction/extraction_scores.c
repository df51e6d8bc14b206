/*
 * Scores a corpus of pages with gold text, with any number of workers. A page is parsed
 * once. Each profile segments it again, and each classifier labels it again. A page that
 * the pipeline refuses counts as an empty text, as in score_extraction.py, which has the
 * same figures.
 */
#include "eval/extraction/extraction_scores.h"

#include <stdlib.h>
#include <string.h>

#include "eval/corpus_feed.h"
#include "eval/corpus_page.h"
#include "eval/folds/fold_models.h"
#include "pipeline/pipeline.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

/* The data that workers share while a corpus is scored. */
struct scoring {
    th_extraction_scores *scores;
    th_corpus_feed feed; /* its lock also protects the next members and the missing
                          * pages */
    th_arena *arena;     /* owns the figures */
};

/* ---- a page ---- */

/* A worker: its pipeline, its page, its scorer. */
struct worker {
    struct scoring *scoring;
    th_extraction_scores *scores; /* of `scoring` */
    /*
     * Options for the rules, and for methods that read more of a page. Nothing is signed.
     */
    th_options opt[2];
    th_pipeline *pipeline[2];
    th_content_scorer scorer;
    th_line_scorer lines;
    th_corpus_page page;
    th_corpus_line line;
};

/* Content of the page as one variant sees it; the page has been segmented for it. */
static th_status content_of(struct worker *worker, const th_extraction_variant *variant,
                            th_page *page, th_view *text)
{
    th_options opt = worker->opt[variant->is_learned];
    opt.classifier = variant->classifier;
    const th_status status = th_select_page(page, &opt);
    if (status != TH_OK)
        return status;
    *text = th_page_content_text(page);
    return text->data ? TH_OK : TH_NOMEM;
}

static th_status segment_as(struct worker *worker, const th_extraction_variant *variant,
                            th_page *page)
{
    th_options opt = worker->opt[variant->is_learned];
    opt.profile = variant->profile;
    return th_segment_page(page, &opt);
}

/*
 * Returns the text of a variant. `profile` is the profile of the segments, and changes if
 * necessary.
 */
static th_status text_of(struct worker *worker, const th_extraction_variant *variant,
                         th_page *page, const char **profile, th_view *text)
{
    *text = TH_VIEW("");
    if (variant->peer) {
        const th_view found = th_peer_text(variant->peer, worker->page.id);
        *text = found.data ? found : *text;
        return TH_OK;
    }
    if (!page)
        return TH_OK;
    th_status status = TH_OK;
    if (*profile != variant->profile)
        status = segment_as(worker, variant, page);
    *profile = variant->profile;
    return status == TH_OK ? content_of(worker, variant, page, text) : status;
}

/* A page's scores, of either kind. */
struct figures {
    th_content_score words[TH_EXTRACTION_VARIANTS_MAX];
    th_line_score lines[TH_EXTRACTION_VARIANTS_MAX];
};

static th_status begin_page(struct worker *worker, const th_page *page)
{
    if (!worker->scores->wants_lines)
        return th_content_scorer_begin(&worker->scorer, &worker->page);
    const th_view html = page ? page->html : TH_VIEW("");
    return th_line_scorer_begin(&worker->lines, &worker->page, html);
}

static th_status score_text(struct worker *worker, th_view text, uint32_t variant,
                            struct figures *figures)
{
    if (worker->scores->wants_lines)
        return th_line_scorer_score(&worker->lines, text, &figures->lines[variant]);
    return th_content_scorer_score(&worker->scorer, &worker->page, text,
                                   &figures->words[variant]);
}

/* As if no element of the page had a class, id, role or itemprop. */
static void forget_classes(th_page *page)
{
    page->class_set_of = NULL;
    page->class_sets = NULL;
    page->class_set_count = 0;
    page->class_words = NULL;
}

static bool is_wanted(const th_extraction_scores *scores, bool is_learned)
{
    for (uint32_t i = 0; i < scores->variant_count; i++)
        if (scores->variants[i].is_learned == is_learned)
            return true;
    return false;
}

/* Reads the page as the rules or as a learned classifier does. */
static th_status read_page(struct worker *worker, bool is_learned,
                           th_annotated *annotated)
{
    const th_eval_request *request = worker->scores->request;
    char type[TH_CORPUS_TYPE_MAX];
    const th_record record = th_corpus_page_record(&worker->page, type);
    if (request->fold_models)
        worker->opt[is_learned].content_model =
            request->fold_models
                ->models[th_content_fold(worker->page.url, worker->page.id)];
    const th_status status =
        th_pipeline_run(worker->pipeline[is_learned], &record, annotated);
    if (status == TH_OK && annotated->page && request->without_classes)
        forget_classes(annotated->page);
    return status;
}

/* Those variants that see the page in the same way; peers go with the rules. */
static th_status score_variants(struct worker *worker, bool is_learned, th_page *page,
                                struct figures *figures)
{
    const th_extraction_scores *scores = worker->scores;
    const char *profile = NULL;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < scores->variant_count && status == TH_OK; i++) {
        th_view text;
        if (scores->variants[i].is_learned != is_learned)
            continue;
        status = text_of(worker, &scores->variants[i], page, &profile, &text);
        if (status == TH_OK)
            status = score_text(worker, text, i, figures);
    }
    return status;
}

/* @param is_refused  out: the pipeline gave no page
 * @param site_pages  out: known pages of its site, with it */
static th_status score_all_ways(struct worker *worker, struct figures *figures,
                                bool *is_refused, uint32_t *site_pages)
{
    bool has_begun = false;
    th_status status = TH_OK;
    for (unsigned way = 0; way < 2 && status == TH_OK; way++) {
        th_annotated annotated;
        if (!is_wanted(worker->scores, way))
            continue;
        status = read_page(worker, way, &annotated);
        if (status == TH_OK && !has_begun)
            status = begin_page(worker, annotated.page);
        has_begun = true;
        *is_refused = annotated.status != TH_OK;
        *site_pages = annotated.page ? annotated.page->site_pages : 0;
        if (status == TH_OK)
            status = score_variants(worker, way, annotated.page, figures);
    }
    return status;
}

/* A short text as a string, or NULL without memory. */
static const char *name_of(th_arena *arena, th_view text)
{
    enum { MOST = 200 };
    const size_t len = text.len < MOST ? text.len : MOST;
    char *name = th_arena_calloc(arena, len + 1, 1);
    if (name && len)
        memcpy(name, text.data, len);
    return name;
}

/* Copies the names by which a report groups pages and required lines. @return false
 * without memory */
static bool name_groups(th_arena *arena, const th_corpus_page *page,
                        th_extraction_row *row)
{
    bool has_all = true;
    for (uint32_t i = 0; i < TH_GROUPINGS; i++) {
        row->groups[i] = page->groups[i].data ? name_of(arena, page->groups[i]) : NULL;
        has_all &= !page->groups[i].data || row->groups[i];
    }
    for (uint32_t i = 0; i < page->required_kind_count; i++) {
        row->required_kinds[i] = name_of(arena, page->required_kinds[i]);
        has_all &= row->required_kinds[i] != NULL;
    }
    row->required_kind_count = page->required_kind_count;
    return has_all;
}

/* Hands the page's scores in. */
static th_status store(struct worker *worker, bool is_refused, bool is_known,
                       const struct figures *figures)
{
    struct scoring *scoring = worker->scoring;
    th_extraction_scores *scores = worker->scores;
    const th_corpus_page *page = &worker->page;
    pthread_mutex_lock(&scoring->feed.lock);
    th_extraction_row *rows = scoring->feed.pages;
    th_extraction_row *row = &rows[worker->line.page];
    const void *from =
        scores->wants_lines ? (const void *)figures->lines : (const void *)figures->words;
    const size_t size =
        scores->variant_count *
        (scores->wants_lines ? sizeof *figures->lines : sizeof *figures->words);
    void *copy = th_arena_alloc(scoring->arena, size);
    row->id = name_of(scoring->arena, page->id);
    const bool has_all = name_groups(scoring->arena, page, row) && copy && row->id;
    if (has_all) {
        memcpy(copy, from, size);
        if (scores->wants_lines)
            row->lines = copy;
        else
            row->scores = copy;
        row->is_refused = is_refused;
        row->has_gold = is_known && page->gold.data != NULL;
        row->has_snippets = page->with_count || page->without_count;
        for (uint32_t i = scores->own_count; i < scores->variant_count; i++)
            scores->variants[i].missing +=
                !th_peer_text(scores->variants[i].peer, page->id).data;
    }
    pthread_mutex_unlock(&scoring->feed.lock);
    return has_all ? TH_OK : TH_NOMEM;
}

static th_status score_page(struct worker *worker, th_error *err)
{
    struct figures figures;
    bool is_refused = false;
    uint32_t site_pages = 0;
    th_error why = { .text = "" };
    th_status status =
        th_corpus_page_read(&worker->page, th_buffer_view(&worker->line.text), &why);
    if (status != TH_OK)
        return th_fail(err, status == TH_NOMEM ? TH_NOMEM : TH_IO, "%s:%llu: %s",
                       worker->scores->path, (unsigned long long)worker->line.number,
                       why.text);
    status = score_all_ways(worker, &figures, &is_refused, &site_pages);
    if (status == TH_OK)
        status = store(worker, is_refused,
                       site_pages >= worker->scores->request->site_pages, &figures);
    return status == TH_OK
               ? TH_OK
               : th_fail(err, status, "%s:%llu: %s", worker->scores->path,
                         (unsigned long long)worker->line.number, th_status_text(status));
}

/* ---- the workers ---- */

/* The classifier of each way tells the pipeline what to keep of a page. */
static th_status begin_ways(struct worker *worker)
{
    const th_extraction_scores *scores = worker->scores;
    for (unsigned way = 0; way < 2; way++) {
        th_options *opt = &worker->opt[way];
        *opt = *scores->request->page;
        opt->minhash = "none";
        opt->classifier = way ? "learned" : "keep-all";
        worker->pipeline[way] = th_pipeline_new(opt);
        if (!worker->pipeline[way])
            return TH_NOMEM;
        th_pipeline_set_sites(worker->pipeline[way], scores->request->sites);
    }
    return TH_OK;
}

static th_status work(void *context, uint64_t *place, th_error *err)
{
    struct scoring *scoring = context;
    struct worker worker = { .scoring = scoring, .scores = scoring->scores };
    th_status status = begin_ways(&worker);
    if (status == TH_OK)
        status = th_content_scorer_init(&worker.scorer);
    if (status == TH_OK)
        status = th_line_scorer_init(&worker.lines);
    if (status != TH_OK)
        status = th_fail(err, TH_NOMEM, "out of memory for a worker");
    while (status == TH_OK) {
        status = th_corpus_feed_next(&scoring->feed, &worker.line, err);
        *place = worker.line.number + (status != TH_OK); /* after the last line that was
                                                     * taken */
        if (status == TH_OK)
            status = score_page(&worker, err);
    }
    if (status != TH_END)
        th_corpus_feed_stop(&scoring->feed);
    th_pipeline_free(worker.pipeline[0]);
    th_pipeline_free(worker.pipeline[1]);
    th_content_scorer_done(&worker.scorer);
    th_line_scorer_done(&worker.lines);
    th_corpus_page_done(&worker.page);
    th_buffer_done(&worker.line.text);
    return status == TH_END ? TH_OK : status;
}

th_status th_extraction_score_all(th_extraction_scores *scores, uint64_t done_before,
                                  uint64_t total_bytes, th_arena *arena, th_error *err)
{
    struct scoring scoring = { .scores = scores,
                               .feed = { .request = scores->request,
                                         .done_before = done_before,
                                         .total_bytes = total_bytes,
                                         .page_size = sizeof *scores->rows },
                               .arena = arena };
    const th_status status =
        th_corpus_feed_run(&scoring.feed, scores->path, work, &scoring, err);
    scores->rows = scoring.feed.pages;
    scores->row_count = scoring.feed.page_count;
    return status;
}

void th_extraction_scores_done(th_extraction_scores *scores)
{
    free(scores->rows);
}
