/* Charts as SVG. Two decimals of a pixel, so that files are the same on every machine. */
#include "lab/report/svg_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unicode.h"

/* The field of the curves within a chart. */
enum { LEFT = 56, TOP = 34, FIELD_WIDTH = 420, FIELD_HEIGHT = 236 };

void th_svg_begin(th_buffer *out, uint32_t columns, uint32_t rows)
{
    const uint32_t width = columns * TH_CHART_WIDTH, height = rows * TH_CHART_HEIGHT;
    th_buffer_printf(out,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
                     "width=\"%u\" height=\"%u\" role=\"img\">\n",
                     width, height, width, height);
    th_buffer_append_text(
        out,
        "<style>\n"
        "svg{background:#fff;color:#1f2328;font:12px system-ui,sans-serif}\n"
        "text{fill:currentColor}.t{font-weight:600;font-size:13px}\n"
        ".g{stroke:currentColor;stroke-opacity:.15}.a{stroke:currentColor;fill:none}\n"
        "polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
        ".d{stroke-dasharray:5 3}.b{stroke:none;fill-opacity:.45}\n"
        ".c0{stroke:#0550ae;fill:#0550ae}.c1{stroke:#bc4c00;fill:#bc4c00}\n"
        ".c2{stroke:#1a7f37;fill:#1a7f37}.c3{stroke:#8250df;fill:#8250df}\n"
        ".c4{stroke:#bf3989;fill:#bf3989}.c5{stroke:#6e7781;fill:#6e7781}\n"
        ".c6{stroke:#9a6700;fill:#9a6700}.c7{stroke:#1b7c83;fill:#1b7c83}\n"
        ".c8{stroke:#cf222e;fill:#cf222e}.c9{stroke:#0a3069;fill:#0a3069}\n"
        ".c10{stroke:currentColor;fill:currentColor}\n"
        "@media(prefers-color-scheme:dark){svg{background:#0d1117;color:#e6edf3}\n"
        ".c0{stroke:#6cb6ff;fill:#6cb6ff}.c1{stroke:#f69d50;fill:#f69d50}\n"
        ".c2{stroke:#57ab5a;fill:#57ab5a}.c3{stroke:#b083f0;fill:#b083f0}\n"
        ".c4{stroke:#e275ad;fill:#e275ad}.c5{stroke:#909dab;fill:#909dab}\n"
        ".c6{stroke:#daaa3f;fill:#daaa3f}.c7{stroke:#39c5cf;fill:#39c5cf}\n"
        ".c8{stroke:#f47067;fill:#f47067}.c9{stroke:#a5d6ff;fill:#a5d6ff}}\n"
        "</style>\n");
}

void th_svg_end(th_buffer *out)
{
    th_buffer_append_text(out, "</svg>\n");
}

static void put_code_point(th_buffer *out, uint32_t c)
{
    char bytes[4];
    if (c == '<')
        th_buffer_append_text(out, "&lt;");
    else if (c == '&')
        th_buffer_append_text(out, "&amp;");
    else
        th_buffer_append(out, bytes, th_utf8_put(c < 0x20 ? ' ' : c, bytes));
}

/*
 * Appends escaped text. Names of folders are any bytes. Bytes that are not UTF-8, and the
 * two code points that XML forbids, become U+FFFD.
 */
static void put_escaped(th_buffer *out, const char *text)
{
    const size_t len = strlen(text);
    size_t valid = th_utf8_valid(text, len);
    for (size_t at = 0; at < len;) {
        uint32_t c = 0xFFFD;
        if (at < valid) {
            c = th_utf8_next(text, &at);
        } else {
            at++;
            valid = at + th_utf8_valid(text + at, len - at);
        }
        put_code_point(out, c == 0xFFFE || c == 0xFFFF ? 0xFFFD : c);
    }
}

static void put_text(th_buffer *out, double x, double y, const char *attributes,
                     const char *text)
{
    th_buffer_printf(out, "<text x=\"%.2f\" y=\"%.2f\" %s>", x, y, attributes);
    put_escaped(out, text);
    th_buffer_append_text(out, "</text>\n");
}

/* Returns the position of a value between the ends of its axis, 0..1. */
static double place(const th_chart *chart, double value, double low, double high)
{
    return chart->is_log ? log10(value / low) / log10(high / low)
                         : (value - low) / (high - low);
}

static double x_of(const th_chart *chart, double x)
{
    return LEFT + FIELD_WIDTH * place(chart, x, chart->x_min, chart->x_max);
}

static double y_of(const th_chart *chart, double y)
{
    return TOP + FIELD_HEIGHT * (1 - place(chart, y, chart->y_min, chart->y_max));
}

/* A step of 1, 2 or 5 times a power of ten that cuts the range into four to ten parts. */
static double tick_step(double range)
{
    const double power = pow(10, floor(log10(range)));
    const double parts = range / power;
    return parts < 2 ? power / 5 : parts < 5 ? power / 2 : power;
}

static void put_tick(th_buffer *out, const th_chart *chart, double value, bool is_x)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%g", value);
    if (is_x) {
        const double x = x_of(chart, value);
        th_buffer_printf(out, "<path class=\"g\" d=\"M%.2f %d v%d\"/>\n", x, TOP,
                         FIELD_HEIGHT);
        put_text(out, x, TOP + FIELD_HEIGHT + 15, "text-anchor=\"middle\"", text);
        return;
    }
    const double y = y_of(chart, value);
    th_buffer_printf(out, "<path class=\"g\" d=\"M%d %.2f h%d\"/>\n", LEFT, y,
                     FIELD_WIDTH);
    put_text(out, LEFT - 6, y + 4, "text-anchor=\"end\"", text);
}

static void put_axis(th_buffer *out, const th_chart *chart, double low, double high,
                     bool is_x)
{
    if (chart->is_log) {
        const int decades = (int)lround(log10(high / low));
        for (int i = 0; i <= decades; i++)
            put_tick(out, chart, low * pow(10, i), is_x);
        return;
    }
    const double step = tick_step(high - low);
    const double first = ceil(low / step - 1e-9);
    for (int i = 0; i < 32 && (first + i) * step <= high + step * 1e-6; i++)
        put_tick(out, chart, (first + i) * step, is_x);
}

static bool is_inside(const th_chart *chart, double x, double y)
{
    return x >= chart->x_min && x <= chart->x_max && y >= chart->y_min &&
           y <= chart->y_max;
}

/* Points closer to the last one than this are not seen; a long curve has many. */
static const double min_step = .7; /* pixels */

static void put_line(th_buffer *out, const th_chart *chart, const th_chart_series *series)
{
    double last_x = -1, last_y = -1;
    th_buffer_printf(out, "<polyline class=\"c%u%s\" style=\"fill:none\" points=\"",
                     series->color, series->form == TH_CHART_DASHES ? " d" : "");
    for (uint32_t i = 0; i < series->count; i++) {
        if (!is_inside(chart, series->x[i], series->y[i]))
            continue;
        const double x = x_of(chart, series->x[i]), y = y_of(chart, series->y[i]);
        const bool is_near = fabs(x - last_x) < min_step && fabs(y - last_y) < min_step;
        if (is_near && i + 1 < series->count)
            continue;
        th_buffer_printf(out, "%.2f,%.2f ", x, y);
        last_x = x;
        last_y = y;
    }
    th_buffer_append_text(out, "\"/>\n");
}

/*
 * Draws bars centered at their value, with widths relative to the distance to the next.
 */
static void put_bars(th_buffer *out, const th_chart *chart, const th_chart_series *series)
{
    const double step = series->count > 1 ? series->x[1] - series->x[0] : 1;
    const double width = FIELD_WIDTH * step / (chart->x_max - chart->x_min);
    for (uint32_t i = 0; i < series->count; i++) {
        const double x = x_of(chart, series->x[i]);
        const double y = y_of(chart, fmin(series->y[i], chart->y_max));
        if (series->y[i] > chart->y_min && series->x[i] <= chart->x_max)
            th_buffer_printf(out,
                             "<rect class=\"c%u b\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                             "height=\"%.2f\"/>\n",
                             series->color, x - width * .4, y, width * .8,
                             TOP + FIELD_HEIGHT - y);
    }
}

static void put_legend(th_buffer *out, const th_chart_series *series, uint32_t row)
{
    const double x = LEFT + FIELD_WIDTH + 12, y = TOP + 8 + 17.0 * row;
    if (series->form == TH_CHART_BARS)
        th_buffer_printf(out,
                         "<rect class=\"c%u b\" x=\"%.2f\" y=\"%.2f\" width=\"18\" "
                         "height=\"9\"/>\n",
                         series->color, x, y - 5);
    else
        th_buffer_printf(
            out, "<polyline class=\"c%u%s\" points=\"%.2f,%.2f %.2f,%.2f\"/>\n",
            series->color, series->form == TH_CHART_DASHES ? " d" : "", x, y, x + 18, y);
    put_text(out, x + 24, y + 4, "", series->name);
}

void th_svg_chart(th_buffer *out, const th_chart *chart, uint32_t column, uint32_t row)
{
    th_buffer_printf(out, "<g transform=\"translate(%u %u)\">\n", column * TH_CHART_WIDTH,
                     row * TH_CHART_HEIGHT);
    put_text(out, LEFT, 20, "class=\"t\"", chart->title);
    put_axis(out, chart, chart->x_min, chart->x_max, true);
    put_axis(out, chart, chart->y_min, chart->y_max, false);
    th_buffer_printf(out, "<path class=\"a\" d=\"M%d %d v%d h%d\"/>\n", LEFT, TOP,
                     FIELD_HEIGHT, FIELD_WIDTH);
    put_text(out, LEFT + FIELD_WIDTH / 2.0, TOP + FIELD_HEIGHT + 33,
             "text-anchor=\"middle\"", chart->x_name);
    put_text(out, 0, 0,
             "text-anchor=\"middle\" transform=\"translate(14 152) rotate(-90)\"",
             chart->y_name);
    uint32_t named = 0;
    for (uint32_t i = 0; i < chart->series_count; i++) {
        const th_chart_series *series = &chart->series[i];
        if (series->form == TH_CHART_BARS)
            put_bars(out, chart, series);
        else
            put_line(out, chart, series);
        if (series->name)
            put_legend(out, series, named++);
    }
    th_buffer_append_text(out, "</g>\n");
}
