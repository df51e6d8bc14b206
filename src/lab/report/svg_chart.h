/* Charts as SVG: one file, no script, no network, readable in light and dark. */
#ifndef TH_SVG_CHART_H
#define TH_SVG_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum { TH_CHART_SERIES_MAX = 32, TH_CHART_COLORS = 10, TH_CHART_BLACK = 10 };

/** How a row of points is drawn. */
typedef enum th_chart_form {
    TH_CHART_LINE,
    TH_CHART_DASHES,
    TH_CHART_BARS
} th_chart_form;

/** A row of points; borrowed while it is drawn. */
typedef struct th_chart_series {
    const char *name;    /* NULL if not in the legend */
    const double *x, *y; /* x rises */
    uint32_t count;
    uint8_t color; /* one of ten, or TH_CHART_BLACK: the page's own */
    th_chart_form form;
} th_chart_series;

/**
 * A chart: series over two axes. Points of lines outside the axes are omitted. Bars are
 * cut at the top.
 */
typedef struct th_chart {
    const char *title, *x_name, *y_name;
    double x_min, x_max, y_min, y_max;
    bool is_log; /* both axes logarithmic; then their ends are powers of ten */
    th_chart_series series[TH_CHART_SERIES_MAX];
    uint32_t series_count;
} th_chart;

/* Size of a chart with its legend. Charts form a grid. */
enum { TH_CHART_WIDTH = 640, TH_CHART_HEIGHT = 320 };

/** Starts a file of columns x rows charts. */
void th_svg_begin(th_buffer *out, uint32_t columns, uint32_t rows);

/**
 * Draws a chart at its place in the grid. Text is escaped, and bytes that are not UTF-8
 * become U+FFFD.
 */
void th_svg_chart(th_buffer *out, const th_chart *chart, uint32_t column, uint32_t row);

/** Ends the file. */
void th_svg_end(th_buffer *out);

#endif
