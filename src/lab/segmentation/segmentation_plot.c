/*
 * Means by theta_max [KN08 Fig. 3, 4], means by w_max [KN08 Fig. 5], the lengths of
 * segments by their rank [KN08 Fig. 6], and means by lambda and by grain of the learned
 * segmenters, side by side.
 */
#include "lab/segmentation/segmentation_plot.h"

#include <stdio.h>
#include <string.h>

#include "lab/report/svg_chart.h"
#include "lab/segmentation/segmentation_summary.h"

/* Where the charts go. */
struct drawing {
    th_arena *arena;
    th_buffer *svg;
    uint32_t row;
};

/* Returns the name of a variant without its parameters. */
static const char *variant_name(const th_segmentation_variant *variant, th_arena *arena)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s%s%s", variant->segmenter,
                   th_segmentation_has_profile(variant->segmenter) ? " " : "",
                   th_segmentation_has_profile(variant->segmenter) ? variant->profile
                                                                   : "");
    return th_arena_copy(arena, (th_view){ name, strlen(name) + 1 }).data;
}

/* The x axis of a chart of curves. */
struct axis {
    const char *name, *unit;
    double low, high;
    uint32_t first, end; /* the variants of its curves */
    bool is_parameter;   /* of those segmenters that have one of this name */
};

static double place_of(const struct axis *axis, const th_segmentation_variant *variant)
{
    return axis->is_parameter                 ? variant->parameter / 1024.0
           : strcmp(axis->name, "w_max") == 0 ? variant->w_max
                                              : variant->theta_max;
}

static bool is_on(const struct axis *axis, const th_segmentation_variant *variant)
{
    const char *name = th_segmentation_parameter(variant->segmenter);
    return !axis->is_parameter || (name && strcmp(name, axis->name) == 0);
}

/* A method's curve over the axis: AdjRand solid, NMI dashed. */
static th_status add_curve(const struct drawing *to, const th_segmentation_scores *scores,
                           uint32_t method, const struct axis *axis, double *values,
                           th_chart *chart)
{
    const size_t capacity = axis->end - axis->first + 1;
    double *x = th_arena_calloc(to->arena, capacity, sizeof *x);
    double *rand = th_arena_calloc(to->arena, capacity, sizeof *rand);
    double *nmi = th_arena_calloc(to->arena, capacity, sizeof *nmi);
    const char *name = variant_name(&scores->variants.items[method], to->arena);
    const uint8_t color = (uint8_t)(method % TH_CHART_COLORS);
    uint32_t count = 0;
    if (!x || !rand || !nmi || !name)
        return TH_NOMEM;
    for (uint32_t i = axis->first; i < axis->end; i++) {
        const th_segmentation_variant *variant = &scores->variants.items[i];
        if (!is_on(axis, variant) ||
            !th_segmentation_is_same_method(variant, &scores->variants.items[method]))
            continue;
        x[count] = place_of(axis, variant);
        rand[count] = th_segmentation_mean(
            scores, 0, i, offsetof(th_segmentation_score, adjusted_rand), values);
        nmi[count] = th_segmentation_mean(scores, 0, i,
                                          offsetof(th_segmentation_score, nmi), values);
        count++;
    }
    if (!count || chart->series_count + 2 > TH_CHART_SERIES_MAX)
        return TH_OK;
    chart->series[chart->series_count++] =
        (th_chart_series){ name, x, rand, count, color, TH_CHART_LINE };
    chart->series[chart->series_count++] =
        (th_chart_series){ NULL, x, nmi, count, color, TH_CHART_DASHES };
    return TH_OK;
}

static th_status draw_curves(const struct drawing *to,
                             const th_segmentation_scores *scores,
                             const struct axis *axis, double *values, uint32_t column)
{
    char title[256];
    (void)snprintf(title, sizeof title, "%.150s: AdjRand (lines), NMI (dashes) by %s",
                   scores->name, axis->name);
    th_chart chart = { .title = title,
                       .x_name = axis->unit,
                       .y_name = "mean over pages",
                       .x_min = axis->low,
                       .x_max = axis->high,
                       .y_max = 1 };
    th_status status = TH_OK;
    for (uint32_t i = 0; i < scores->variants.table_count && status == TH_OK; i++)
        status = add_curve(to, scores, i, axis, values, &chart);
    if (status == TH_OK)
        th_svg_chart(to->svg, &chart, column, to->row);
    return status;
}

/* Segments in falling order of their tokens: rank against tokens, both logarithmic. */
static th_status add_lengths(const struct drawing *to, const uint64_t *lengths,
                             const char *name, uint8_t color, th_chart *chart)
{
    double *x = th_arena_calloc(to->arena, TH_SEGMENTATION_LENGTHS, sizeof *x);
    double *y = th_arena_calloc(to->arena, TH_SEGMENTATION_LENGTHS, sizeof *y);
    uint64_t rank = 0;
    uint32_t count = 0;
    if (!x || !y || !name)
        return TH_NOMEM;
    for (uint32_t tokens = TH_SEGMENTATION_LENGTHS - 1; tokens > 0; tokens--) {
        if (!lengths[tokens])
            continue;
        x[count] = (double)(rank + 1);
        y[count++] = tokens;
        rank += lengths[tokens];
        chart->x_max = (double)rank > chart->x_max ? chart->x_max * 10 : chart->x_max;
        while ((double)rank > chart->x_max)
            chart->x_max *= 10;
        while (tokens > chart->y_max)
            chart->y_max *= 10;
    }
    if (chart->series_count < TH_CHART_SERIES_MAX)
        chart->series[chart->series_count++] = (th_chart_series){
            name,  x,     y,
            count, color, color == TH_CHART_BLACK ? TH_CHART_DASHES : TH_CHART_LINE
        };
    return TH_OK;
}

static th_status draw_lengths(const struct drawing *to,
                              const th_segmentation_scores *scores, uint32_t column)
{
    char title[256];
    (void)snprintf(title, sizeof title, "%.150s: tokens of a segment by its rank",
                   scores->name);
    th_chart chart = { .title = title,
                       .x_name = "rank",
                       .y_name = "tokens",
                       .x_min = 1,
                       .x_max = 10,
                       .y_min = 1,
                       .y_max = 10,
                       .is_log = true };
    th_status status = TH_OK;
    for (uint32_t i = 0; i < scores->variants.table_count && status == TH_OK; i++)
        status = add_lengths(to, scores->lengths + (size_t)i * TH_SEGMENTATION_LENGTHS,
                             variant_name(&scores->variants.items[i], to->arena),
                             (uint8_t)(i % TH_CHART_COLORS), &chart);
    if (status == TH_OK)
        status = add_lengths(to,
                             scores->lengths + (size_t)scores->variants.table_count *
                                                   TH_SEGMENTATION_LENGTHS,
                             "gold", TH_CHART_BLACK, &chart);
    if (status == TH_OK)
        th_svg_chart(to->svg, &chart, column, to->row);
    return status;
}

th_status th_segmentation_plot(const th_segmentation_scores *scores, uint32_t row,
                               double *values, th_arena *arena, th_buffer *svg)
{
    const struct drawing to = { arena, svg, row };
    const th_segmentation_variants *all = &scores->variants;
    const struct axis axes[] = {
        { "theta_max", "theta_max", 0, 1, all->table_count, all->parameter_first, false },
        { "w_max", "w_max, columns", 0, 160, all->width_first, all->count, false },
        { "lambda", "lambda", 0, 4, all->parameter_first, all->width_first, true },
        { "grain", "grain", -.5, .5, all->parameter_first, all->width_first, true },
    };
    static const uint32_t columns[] = { 0, 1, 3, 4 };
    th_status status = TH_OK;
    for (size_t i = 0; i < sizeof axes / sizeof *axes && status == TH_OK; i++)
        status = draw_curves(&to, scores, &axes[i], values, columns[i]);
    if (status == TH_OK)
        status = draw_lengths(&to, scores, 2);
    return status;
}
