/*
 * Trains a model from corpora. Each page with gold is parsed, aligned and sampled. Then
 * the method learns from all samples, and for each fold from the samples of the other
 * folds. It uses one thread, because the present corpora take seconds.
 */
#include "lab/train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/corpus_path.h"
#include "ingest/source.h"
#include "lab/segmentation/gold_alignment.h"
#include "lab/segmentation/site_fold.h"
#include "pipeline/pipeline.h"

_Static_assert((int)TH_SITE_FOLDS == (int)TH_MODEL_FOLDS, "one model per fold");

struct training {
    const th_train_request *request;
    th_segment_model *model;
    th_pipeline *pipeline;
    th_page_words words;
    th_batch batch;
    th_arena *scratch; /* of one page */
    th_arena *arena;   /* of all */
    th_sample *samples;
    uint32_t count, capacity;
    uint32_t pages_before; /* in the corpora before this one */
};

static bool is_left_out(const char *without, th_view source)
{
    for (const char *at = without; *at;) {
        const size_t len = strcspn(at, ",");
        if (len == source.len && memcmp(at, source.data, len) == 0)
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

static bool reserve(struct training *training)
{
    if (training->count < training->capacity)
        return true;
    const uint32_t capacity = training->capacity ? 2 * training->capacity : 256;
    th_sample *samples = realloc(training->samples, capacity * sizeof *samples);
    if (!samples)
        return false;
    training->samples = samples;
    training->capacity = capacity;
    return true;
}

static th_status take_page(struct training *training, const th_record *record,
                           const th_gold_page *gold)
{
    th_annotated annotated;
    uint32_t *partner = NULL;
    th_arena_reset(training->scratch);
    th_status status = th_pipeline_run(training->pipeline, record, &annotated);
    if (status != TH_OK || annotated.status != TH_OK || !annotated.page->block_count)
        return status;
    const th_page *page = annotated.page;
    status = th_gold_align(&training->words, gold, page, training->scratch, &partner);
    if (status != TH_OK)
        return status;
    const int32_t *labels =
        th_gold_of_blocks(&training->words, gold, 0, partner, page, training->scratch);
    if (!labels || !reserve(training))
        return TH_NOMEM;
    th_sample *sample = &training->samples[training->count];
    *sample = (th_sample){ .order = training->pages_before + gold->number,
                           .fold = th_site_fold(record->url) };
    status = training->request->trainer->gather(
        page, labels, training->request->seed + gold->id, training->scratch,
        training->arena, sample);
    training->count += status == TH_OK && !sample->is_empty;
    return status;
}

static th_status take_archive(struct training *training, const char *path,
                              const th_gold_set *gold, uint8_t *is_taken, th_error *err)
{
    const th_train_request *request = training->request;
    const th_file_source_options options = {
        .inputs = &path,
        .input_count = 1,
        .max_record = request->page->max_record,
        .warn = request->warn,
        .warn_context = request->context,
        .stop = request->stop,
    };
    th_source *source = NULL;
    th_status status = th_file_source_open(&options, &source, err);
    while (status == TH_OK) {
        th_arena_reset(training->batch.arena);
        status = source->read(source, &training->batch, err);
        for (uint32_t i = 0; i < training->batch.record_count && status == TH_OK; i++) {
            const th_record *record = &training->batch.records[i];
            const th_gold_page *page =
                record->id.len ? th_gold_page_find(gold, record->id) : NULL;
            if (!page || is_taken[page->number] || !page->labels[0] ||
                is_left_out(request->without, page->source))
                continue;
            is_taken[page->number] = 1;
            status = take_page(training, record, page);
        }
    }
    if (source)
        source->close(source);
    return status == TH_END ? TH_OK : status;
}

/* Appends a word to a line of the model's, blank between. */
static th_status append_word(char *line, const char *word, th_error *err)
{
    const size_t used = strlen(line), len = strlen(word);
    if (used + len + 2 > TH_MODEL_TEXT)
        return th_fail(err, TH_USAGE, "names of corpora or sources are too long: '%.60s'",
                       word);
    (void)snprintf(line + used, TH_MODEL_TEXT - used, "%s%s", used ? " " : "", word);
    return TH_OK;
}

static th_status take_corpus(struct training *training, const char *input, th_error *err)
{
    const th_train_request *request = training->request;
    const uint32_t before = training->count;
    th_corpus_path path;
    th_gold_set gold;
    char word[TH_MODEL_TEXT];
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_GOLD, training->arena, &path, err);
    if (status == TH_OK)
        status = th_gold_set_read(path.file, request->field, request->stop,
                                  training->arena, &gold, err);
    if (status != TH_OK)
        return status;
    const char *archive =
        th_corpus_path_join(path.folder, "pages.warc.gz", training->arena);
    uint8_t *is_taken = th_arena_calloc(training->arena, gold.count + 1, 1);
    if (!archive || !is_taken)
        return TH_NOMEM;
    status = take_archive(training, archive, &gold, is_taken, err);
    training->pages_before += gold.count;
    if (status != TH_OK)
        return status;
    (void)snprintf(word, sizeof word, "%.200s:%u", path.name, training->count - before);
    return append_word(training->model->corpora, word, err);
}

static th_status name_sources(struct training *training, th_error *err)
{
    th_status status = TH_OK;
    for (const char *at = training->request->without; *at && status == TH_OK;) {
        char name[TH_MODEL_TEXT];
        const size_t len = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)len, at);
        if (len)
            status = append_word(training->model->without, name, err);
        at += len + (at[len] == ',');
    }
    return status;
}

static int by_order(const void *left, const void *right)
{
    const th_sample *a = left, *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

/* @param fold  excluded; TH_MODEL_FOLDS to exclude no fold */
static th_status fit(const struct training *training, unsigned fold, th_weights *out,
                     th_error *err)
{
    const th_sample **samples = calloc(training->count + 1, sizeof *samples);
    uint32_t count = 0;
    if (!samples)
        return TH_NOMEM;
    for (uint32_t i = 0; i < training->count; i++)
        if (training->samples[i].fold != fold)
            samples[count++] = &training->samples[i];
    const th_status status =
        count
            ? training->request->trainer->fit(samples, count, training->request->seed,
                                              out)
            : th_fail(err, TH_USAGE, "no training data: no page has these gold segments");
    free(samples);
    return status;
}

static th_status train(struct training *training, th_error *err)
{
    const th_train_request *request = training->request;
    th_segment_model *model = training->model;
    th_status status = name_sources(training, err);
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++)
        status = take_corpus(training, request->inputs[i], err);
    if (status != TH_OK)
        return status;
    if (training->count)
        qsort(training->samples, training->count, sizeof *training->samples, by_order);
    status = fit(training, TH_MODEL_FOLDS, &model->final, err);
    for (unsigned i = 0; request->has_folds && i < TH_MODEL_FOLDS && status == TH_OK; i++)
        status = fit(training, i, &model->folds[i], err);
    return status;
}

th_status th_train(const th_train_request *request, th_segment_model *out,
                   uint32_t *pages, th_error *err)
{
    th_segment_model model = { .features = request->trainer->features,
                               .has_folds = request->has_folds,
                               .seed = request->seed };
    th_options opt = *request->page;
    struct training *training = calloc(1, sizeof *training);
    if (!training)
        return th_fail(err, TH_NOMEM, "out of memory for training");
    *training = (struct training){ .request = request, .model = &model };
    opt.minhash = "none";
    memcpy(model.parameters, model.features->shipped->parameters,
           sizeof model.parameters);
    training->pipeline = th_pipeline_new(&opt);
    training->batch.arena = th_arena_new(0);
    training->scratch = th_arena_new(0);
    training->arena = th_arena_new(0);
    const bool has_capacity = training->pipeline && training->batch.arena &&
                              training->scratch && training->arena &&
                              th_page_words_init(&training->words) == TH_OK;
    th_status status = has_capacity ? train(training, err) : TH_NOMEM;
    *pages = training->count;
    if (status == TH_OK)
        *out = model;
    else if (!err->text[0])
        (void)th_fail(err, status, "training: %s", th_status_text(status));
    th_page_words_done(&training->words);
    th_pipeline_free(training->pipeline);
    th_arena_free(training->batch.arena);
    th_arena_free(training->scratch);
    th_arena_free(training->arena);
    free(training->samples);
    free(training);
    return status;
}
