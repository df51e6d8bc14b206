/*
 * Lists the methods of the table, each with the request's parameters. After them it lists
 * the same methods at every step of a curve: theta_max first [KN08 Fig. 3, 4], then
 * lambda or grain of learned methods, then w_max [KN08 Fig. 5].
 */
#include "lab/segmentation/segmentation_variants.h"

#include <string.h>

#include "lab/segment/lab_segmenters.h"
#include "segment/segment_model.h"
#include "thresher/segmenter.h"

enum {
    THETA_STEPS = 21, /* 0, 0.05 .. 1 */
    PARAMETER_STEPS = 21,
    LAMBDA_STEP = 205, /* from 0 to 4 */
    GRAIN_STEP = 51,
    GRAIN_FIRST = -510, /* from -1/2 to 1/2 */
    VARIANTS_MAX = 1024,
};

/* Columns at which lines are wrapped in the plot. */
static const uint32_t widths[] = { 20, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160 };
enum { WIDTH_STEPS = sizeof widths / sizeof *widths };

bool th_segmentation_has_theta(const char *segmenter)
{
    return th_segmenter_find(th_lab_segmenters, segmenter)->theta_max >= 0;
}

bool th_segmentation_has_profile(const char *segmenter)
{
    return strcmp(segmenter, "bf-rulebased") == 0 || strcmp(segmenter, "just-rules") == 0;
}

const char *th_segmentation_parameter(const char *segmenter)
{
    const th_feature_set *features =
        th_segmenter_find(th_lab_segmenters, segmenter)->features;
    return features && features->parameter_count ? features->parameters[0].name : NULL;
}

bool th_segmentation_is_same_method(const th_segmentation_variant *a,
                                    const th_segmentation_variant *b)
{
    return a->segmenter == b->segmenter && a->profile == b->profile;
}

static void add_variant(th_segmentation_variants *out, th_segmentation_variant variant)
{
    if (out->count < VARIANTS_MAX)
        out->items[out->count++] = variant;
}

static void add_parameters(th_segmentation_variants *out)
{
    for (uint32_t i = 0; i < out->table_count; i++) {
        th_segmentation_variant variant = out->items[i];
        const char *name = th_segmentation_parameter(variant.segmenter);
        if (!name)
            continue;
        const bool is_grain = strcmp(name, "grain") == 0;
        variant.has_parameter = true;
        variant.parameter = is_grain ? GRAIN_FIRST : 0;
        for (int step = 0; step < PARAMETER_STEPS; step++) {
            add_variant(out, variant);
            variant.parameter += is_grain ? GRAIN_STEP : LAMBDA_STEP;
        }
    }
}

th_status th_segmentation_list_variants(const th_eval_request *request,
                                        const th_method_list *segmenters,
                                        const th_method_list *profiles, th_arena *arena,
                                        th_segmentation_variants *out)
{
    const th_options *page = request->page;
    *out = (th_segmentation_variants){ 0 };
    out->items = th_arena_calloc(arena, VARIANTS_MAX, sizeof *out->items);
    if (!out->items)
        return TH_NOMEM;
    for (uint32_t i = 0; i < segmenters->count; i++)
        for (uint32_t j = 0; j < profiles->count; j++)
            if (j == 0 || th_segmentation_has_profile(segmenters->names[i]))
                add_variant(out,
                            (th_segmentation_variant){ .segmenter = segmenters->names[i],
                                                       .profile = profiles->names[j],
                                                       .theta_max = page->theta_max,
                                                       .w_max = page->w_max });
    out->table_count = out->parameter_first = out->width_first = out->count;
    if (!request->wants_plot)
        return TH_OK;
    for (uint32_t i = 0; i < out->table_count; i++)
        for (int step = 0; step < THETA_STEPS; step++)
            if (th_segmentation_has_theta(out->items[i].segmenter)) {
                th_segmentation_variant variant = out->items[i];
                variant.theta_max = (double)step / (THETA_STEPS - 1);
                add_variant(out, variant);
            }
    out->parameter_first = out->count;
    add_parameters(out);
    out->width_first = out->count;
    for (size_t step = 0; step < WIDTH_STEPS; step++)
        for (uint32_t i = 0; i < out->table_count; i++) {
            th_segmentation_variant variant = out->items[i];
            variant.w_max = widths[step];
            add_variant(out, variant);
        }
    return TH_OK;
}
