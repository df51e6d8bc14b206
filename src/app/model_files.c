/* The files of `segmenter-model`, `content-model`, `language-fasttext` and `robots`: read
 * and checked once, before any page. */
#include "content/content_scores.h"
#include "language/fasttext.h"
#include "robots/robots_file.h"
#include "segment/segment_model.h"
#include "settings/settings.h"
#include "thresher/segmenter.h"

static th_status load_segmenter_model(th_settings *settings, bool fits_any, th_error *err)
{
    const char *path = settings->segmenter_model;
    const th_segmenter *method = th_segmenter_of(&settings->page);
    th_error why = { .text = "" };
    if (!*path)
        return TH_OK;
    if (!fits_any && !method->features)
        return th_settings_fail(settings, "segmenter-model", err,
                                "segmenter-model: %s has no learned parameters",
                                method->name);
    th_segment_model *model = th_arena_calloc(settings->strings, 1, sizeof *model);
    if (!model)
        return th_fail(err, TH_NOMEM, "out of memory for model '%s'", path);
    const th_status status = th_segment_model_load(
        path, settings->page.segmenters, fits_any ? NULL : method->features, model, &why);
    if (status == TH_USAGE)
        return th_settings_fail(settings, "segmenter-model", err, "segmenter-model: %s",
                                why.text);
    if (status != TH_OK)
        return th_fail(err, status, "segmenter-model: %s", why.text);
    settings->page.segment_model = model;
    return TH_OK;
}

static th_status load_content_model(th_settings *settings, th_error *err)
{
    const char *path = settings->content_model;
    const th_content_model *model = NULL;
    th_error why = { .text = "" };
    if (!*path)
        return TH_OK;
    const th_status status =
        th_content_model_load(path, &th_feature_schema, settings->strings, &model, &why);
    if (status == TH_USAGE)
        return th_settings_fail(settings, "content-model", err, "content-model: %s",
                                why.text);
    if (status != TH_OK)
        return th_fail(err, status, "content-model: %s", why.text);
    settings->page.content_model = model;
    return TH_OK;
}

static th_status load_fasttext(th_settings *settings, th_error *err)
{
    const char *path = settings->language_fasttext;
    th_error why = { .text = "" };
    if (!*path)
        return TH_OK;
    th_fasttext_free(settings->fasttext);
    settings->fasttext = NULL;
    settings->page.fasttext = NULL;
    const th_status status = th_fasttext_load(path, &settings->fasttext, &why);
    if (status == TH_USAGE)
        return th_settings_fail(settings, "language-fasttext", err,
                                "language-fasttext: %s", why.text);
    if (status != TH_OK)
        return th_fail(err, status, "language-fasttext: %s", why.text);
    settings->page.fasttext = settings->fasttext;
    return TH_OK;
}

static th_status load_robots(th_settings *settings, th_error *err)
{
    const char *path = settings->robots_file;
    th_error why = { .text = "" };
    if (!*path)
        return TH_OK;
    th_robots_file_free(settings->robots);
    settings->robots = NULL;
    settings->page.robots = NULL;
    const th_status status = th_robots_file_open(path, &settings->robots, &why);
    if (status == TH_USAGE)
        return th_settings_fail(settings, "robots", err, "robots: %s", why.text);
    if (status != TH_OK)
        return th_fail(err, status, "robots: %s", why.text);
    settings->page.robots = settings->robots;
    return TH_OK;
}

th_status th_settings_load_models(th_settings *settings, bool fits_any, th_error *err)
{
    th_status status = load_segmenter_model(settings, fits_any, err);
    if (status == TH_OK)
        status = load_content_model(settings, err);
    if (status == TH_OK)
        status = load_fasttext(settings, err);
    return status == TH_OK ? load_robots(settings, err) : status;
}
