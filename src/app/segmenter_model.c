/* The file of `segmenter-model`: read and checked once, before any page. */
#include "segment/segment_model.h"
#include "settings/settings.h"
#include "thresher/segmenter.h"

th_status th_settings_load_model(th_settings *settings, bool fits_any, th_error *err)
{
    const char *path = settings->segmenter_model;
    const th_segmenter *method = th_segmenter_find(settings->page.segmenter);
    th_error why = { .text = "" };
    if (!*path)
        return TH_OK;
    if (!fits_any && !method->features)
        return th_settings_fail(settings, "segmenter-model", err,
                                "segmenter-model: nothing of %s is learned",
                                method->name);
    th_segment_model *model = th_arena_calloc(settings->strings, 1, sizeof *model);
    if (!model)
        return th_fail(err, TH_NOMEM, "cannot keep model '%s'", path);
    const th_status status =
        th_segment_model_load(path, fits_any ? NULL : method->features, model, &why);
    if (status == TH_USAGE)
        return th_settings_fail(settings, "segmenter-model", err, "segmenter-model: %s",
                                why.text);
    if (status != TH_OK)
        return th_fail(err, status, "segmenter-model: %s", why.text);
    settings->page.segment_model = model;
    return TH_OK;
}
