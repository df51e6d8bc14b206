/*
 * `thresher eval density`: reports statistics of an archive. They are the histogram of
 * tokens by the text density of their segment [K11 Fig. 4.14], the mixture that describes
 * it [K11 Eq. 4.18], the share of tokens at density 5 or less, and the most frequently
 * repeated segments. Nearly all tokens at density 5 or less are template text [K11
 * §4.3.3].
 *
 * Pages go through the usual pipeline, with the runner. Memory does not grow with the
 * archive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/unicode.h"
#include "eval/report_table.h"
#include "ingest/input_list.h"
#include "ingest/source.h"
#include "lab/density/density_mixture.h"
#include "lab/density/eval_density.h"
#include "lab/density/segment_rows.h"
#include "lab/density/template_counts.h"
#include "lab/report/svg_chart.h"
#include "traffic/runner.h"

enum { TEMPLATES_SHOWN = 20, SPARSE = 5, BAR = 40 };

/* Sums over an archive; whole numbers, so no order of adding changes them. */
struct census {
    const th_eval_request *request;
    uint64_t total_bytes;
    uint64_t tokens[TH_DENSITY_BINS]; /* by density; the last bin takes all above */
    uint64_t all_tokens, segments;
    th_counts counts;
    th_source_counts source;
    th_template_counts *templates;
    th_density_mixture mixture;
    bool has_mixture;
};

static th_status commit(void *context, const th_work_result *result, th_error *err)
{
    struct census *census = context;
    th_view bytes = result->pages;
    th_segment_row row;
    (void)err;
    while (th_segment_row_next(&bytes, &row)) {
        const uint32_t bin =
            row.density < TH_DENSITY_BINS ? row.density : TH_DENSITY_BINS - 1;
        census->tokens[bin] += row.tokens;
        census->all_tokens += row.tokens;
        census->segments++;
        th_template_counts_add(census->templates, row.fingerprint, row.tokens,
                               row.sample);
    }
    th_counts_add(&census->counts, &result->counts);
    census->source = result->batch->counts;
    if (census->request->report)
        census->request->report(census->request->context, census->source.bytes_read,
                                census->total_bytes, census->counts.emitted);
    return TH_OK;
}

static th_status read_archives(struct census *census, const th_input_list *inputs,
                               th_error *err)
{
    const th_eval_request *request = census->request;
    th_options page = *request->page;
    page.minhash = "none"; /* nothing is signed */
    const th_file_source_options from = {
        .inputs = inputs->paths,
        .input_count = inputs->count,
        .max_record = page.max_record,
        .warn = request->warn,
        .warn_context = request->context,
        .stop = request->stop,
    };
    const th_run_options options = {
        .work = { .page = &page,
                  .format = &th_segment_rows_format,
                  .format_options = { .page = &page } },
        .workers = request->workers,
    };
    th_source *source = NULL;
    census->total_bytes = inputs->total_bytes;
    th_status status = th_file_source_open(&from, &source, err);
    if (status != TH_OK)
        return status;
    status = th_run(source, &options, commit, census, request->stop, err);
    source->close(source);
    return status;
}

/* ---- the report ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static uint64_t sparse_tokens(const struct census *census)
{
    uint64_t sum = 0;
    for (int i = 0; i <= SPARSE; i++)
        sum += census->tokens[i];
    return sum;
}

/* The last density with tokens. */
static uint32_t last_bin(const struct census *census)
{
    uint32_t last = TH_DENSITY_BINS - 1;
    while (last > 0 && !census->tokens[last])
        last--;
    return last;
}

static double fitted(const struct census *census, uint32_t density)
{
    const th_density_parts parts = th_density_mixture_at(&census->mixture, density);
    return parts.dense + parts.sparse + parts.normal;
}

static th_status report_histogram(const struct census *census, bool is_markdown,
                                  th_arena *arena, th_buffer *out)
{
    static const char *const heads[] = { "density", "tokens", "share", "fit", "", NULL };
    th_report_table *table = th_table_new(arena, heads);
    const uint32_t last = last_bin(census);
    double largest = 0;
    if (!table)
        return TH_NOMEM;
    th_table_left(table, 4);
    for (uint32_t i = 0; i <= last; i++) {
        const double part = share(census->tokens[i], census->all_tokens);
        largest = part > largest ? part : largest;
    }
    for (uint32_t i = 0; i <= last; i++) {
        const double part = share(census->tokens[i], census->all_tokens);
        const int filled = largest > 0 ? (int)(part / largest * BAR + .5) : 0;
        char bar[BAR + 1];
        if (!census->tokens[i] && i > census->mixture.x_norm)
            continue; /* a long tail of empty rows says nothing */
        memset(bar, '#', (size_t)filled);
        bar[filled] = '\0';
        th_table_row(table);
        th_table_count(table, i);
        th_table_count(table, census->tokens[i]);
        th_table_number(table, part, 4);
        if (census->has_mixture && i <= census->mixture.x_norm)
            th_table_number(table, fitted(census, i), 4);
        else
            th_table_text(table, "-");
        th_table_text(table, bar);
    }
    return th_table_print(table, is_markdown, out) ? TH_OK : TH_NOMEM;
}

/* Text of a page for a terminal or a Markdown table: control characters, marks of
 * direction and the bar, which separates cells, become dots. */
static void put_sample(const th_template *found, char *out)
{
    size_t len = 0;
    for (size_t at = 0; at < found->sample_len;) {
        const size_t start = at;
        const uint32_t c = th_utf8_next(found->sample, &at);
        if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == '|' ||
            (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)) {
            out[len++] = '.';
            continue;
        }
        memcpy(out + len, found->sample + start, at - start);
        len += at - start;
    }
    out[len] = '\0';
}

static th_status report_templates(const struct census *census, bool is_markdown,
                                  th_arena *arena, th_buffer *out)
{
    static const char *const heads[] = { "fingerprint", "segments", "tokens each", "text",
                                         NULL };
    const th_template *templates = NULL;
    const uint32_t count = th_template_counts_sort(census->templates, &templates);
    th_report_table *table = th_table_new(arena, heads);
    if (!table)
        return TH_NOMEM;
    th_table_left(table, 3);
    for (uint32_t i = 0; i < count && i < TEMPLATES_SHOWN; i++) {
        char text[TH_TEMPLATE_SAMPLE + 1], name[17];
        put_sample(&templates[i], text);
        (void)snprintf(name, sizeof name, "%016llx",
                       (unsigned long long)templates[i].fingerprint);
        th_table_row(table);
        th_table_text(table, name);
        th_table_count(table, templates[i].count);
        th_table_number(table, share(templates[i].tokens, templates[i].count), 1);
        th_table_text(table, text);
    }
    return th_table_print(table, is_markdown, out) ? TH_OK : TH_NOMEM;
}

static void report_mixture(const struct census *census, th_buffer *out)
{
    const th_density_mixture *m = &census->mixture;
    if (!census->has_mixture) {
        th_buffer_append_text(out, "fit: too few densities with tokens\n");
        return;
    }
    th_buffer_printf(out,
                     "fit: R2 %.4f, RMSE %.4f; modes at density %.1f and %.1f\n"
                     "     a1 %.4g, b1 %.4g; a2 %.4g, b2 %.4g; c %.4g, d %.4g; "
                     "e %.4g, f 0, mu %.4g, sigma2 %.4g; x_norm %.0f\n",
                     m->r2, m->rmse, (m->a2 - 1) / (m->a2 + m->b2 - 2) * m->x_norm,
                     (m->a1 - 1) / (m->a1 + m->b1 - 2) * m->x_norm, m->a1, m->b1, m->a2,
                     m->b2, m->c, m->d, m->e, m->mu, m->sigma * m->sigma, m->x_norm);
}

static th_status report_text(const struct census *census, th_arena *arena, th_buffer *out)
{
    const bool is_markdown = census->request->form == TH_EVAL_MARKDOWN;
    const char *const fence = is_markdown ? "\n" : "";
    th_buffer_printf(
        out,
        "%llu pages, %llu records without a page, %llu segments, %llu tokens, "
        "segmenter %s\n\n",
        (unsigned long long)census->counts.emitted,
        (unsigned long long)th_counts_refused(&census->counts),
        (unsigned long long)census->segments, (unsigned long long)census->all_tokens,
        census->request->page->segmenter);
    th_status status = report_histogram(census, is_markdown, arena, out);
    th_buffer_append_text(out, "\n");
    report_mixture(census, out);
    th_buffer_printf(out, "%stokens at density %d or less: %.1f%%\n\n", fence, SPARSE,
                     100 * share(sparse_tokens(census), census->all_tokens));
    th_buffer_printf(
        out, "most frequent templates (a count may be up to %llu too small)\n%s",
        (unsigned long long)th_template_counts_error(census->templates), fence);
    if (status == TH_OK)
        status = report_templates(census, is_markdown, arena, out);
    return status;
}

static void put_mixture(th_json *json, const th_density_mixture *m)
{
    const struct {
        const char *key;
        double value;
    } members[] = { { "x_norm", m->x_norm },
                    { "a1", m->a1 },
                    { "b1", m->b1 },
                    { "a2", m->a2 },
                    { "b2", m->b2 },
                    { "c", m->c },
                    { "d", m->d },
                    { "e", m->e },
                    { "f", 0 },
                    { "mu", m->mu },
                    { "sigma2", m->sigma * m->sigma },
                    { "r2", m->r2 },
                    { "rmse", m->rmse } };
    th_json_open_object(json);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        th_json_key(json, members[i].key);
        th_json_signed_decimal(json, members[i].value, 6);
    }
    th_json_close_object(json);
}

static th_status report_json(const struct census *census, th_buffer *out)
{
    const th_template *templates = NULL;
    const uint32_t count = th_template_counts_sort(census->templates, &templates);
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", "thresher-eval/1");
    th_json_member_text(&json, "kind", "density");
    th_json_member_text(&json, "segmenter", census->request->page->segmenter);
    th_json_member_uint(&json, "pages", census->counts.emitted);
    th_json_member_uint(&json, "refused", th_counts_refused(&census->counts));
    th_json_member_uint(&json, "segments", census->segments);
    th_json_member_uint(&json, "tokens", census->all_tokens);
    th_json_member_uint(&json, "sparse_tokens", sparse_tokens(census));
    th_json_key(&json, "tokens_by_density");
    th_json_open_array(&json);
    for (uint32_t i = 0; i <= last_bin(census); i++)
        th_json_uint(&json, census->tokens[i]);
    th_json_close_array(&json);
    if (census->has_mixture) {
        th_json_key(&json, "mixture");
        put_mixture(&json, &census->mixture);
    }
    th_json_member_uint(&json, "template_count_error",
                        th_template_counts_error(census->templates));
    th_json_key(&json, "templates");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < count && i < TEMPLATES_SHOWN; i++) {
        const th_template *found = &templates[i];
        th_json_open_object(&json);
        th_json_key(&json, "fingerprint");
        th_json_hex_words(&json, &found->fingerprint, 1, 8);
        th_json_member_uint(&json, "segments", found->count);
        th_json_member_uint(&json, "tokens", found->tokens);
        th_json_member(&json, "text", (th_view){ found->sample, found->sample_len });
        th_json_close_object(&json);
    }
    th_json_close_array(&json);
    th_json_close_object(&json);
    return th_json_end(&json);
}

/* ---- the picture ---- */

static void draw(const struct census *census, th_buffer *out)
{
    enum { STEPS = 8 * TH_DENSITY_BINS };
    static const char *const names[] = { "fit", "template text", "full text", "between" };
    double x[TH_DENSITY_BINS], shares[TH_DENSITY_BINS];
    static const th_chart empty;
    th_chart chart = empty;
    const uint32_t last = last_bin(census);
    const double end = census->has_mixture ? census->mixture.x_norm
                       : last > 10         ? last
                                           : 10;
    double *fine = calloc((size_t)STEPS * 5, sizeof *fine);
    if (!fine) {
        out->has_failed = true;
        return;
    }
    double *curves[4];
    for (int i = 0; i < 4; i++)
        curves[i] = fine + (size_t)STEPS * (size_t)(i + 1);
    chart.title = "Tokens by text density of their segment";
    chart.x_name = "text density, tokens per line";
    chart.y_name = "share of tokens";
    chart.x_min = -.5;
    chart.x_max = end + .5;
    for (uint32_t i = 0; i <= last; i++) {
        x[i] = i;
        shares[i] = share(census->tokens[i], census->all_tokens);
        chart.y_max = shares[i] > chart.y_max ? shares[i] : chart.y_max;
    }
    uint32_t steps = 0;
    for (; census->has_mixture && steps < STEPS && steps <= end * 8; steps++) {
        const th_density_parts parts =
            th_density_mixture_at(&census->mixture, steps / 8.0);
        fine[steps] = steps / 8.0;
        curves[0][steps] = parts.dense + parts.sparse + parts.normal;
        curves[1][steps] = parts.sparse;
        curves[2][steps] = parts.dense;
        curves[3][steps] = parts.normal;
        chart.y_max = curves[0][steps] > chart.y_max ? curves[0][steps] : chart.y_max;
    }
    chart.y_max = chart.y_max > 0 ? chart.y_max * 1.05 : 1;
    chart.series[chart.series_count++] =
        (th_chart_series){ "tokens", x, shares, last + 1, 0, TH_CHART_BARS };
    for (int i = 0; i < 4 && census->has_mixture; i++)
        chart.series[chart.series_count++] = (th_chart_series){
            names[i],         fine,
            curves[i],        steps,
            (uint8_t)(i + 1), i == 0 ? TH_CHART_LINE : TH_CHART_DASHES
        };
    th_svg_begin(out, 1, 1);
    th_svg_chart(out, &chart, 0, 0);
    th_svg_end(out);
    free(fine);
}

static th_status report(const struct census *census, th_eval_output *output)
{
    th_arena *arena = th_arena_new(0);
    if (!arena)
        return TH_NOMEM;
    const th_status status = census->request->form == TH_EVAL_JSON
                                 ? report_json(census, &output->report)
                                 : report_text(census, arena, &output->report);
    if (census->request->wants_plot)
        draw(census, &output->plot);
    th_arena_free(arena);
    return output->report.has_failed || output->plot.has_failed ? TH_NOMEM : status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct census *census = calloc(1, sizeof *census);
    th_input_list inputs = { 0 };
    th_status status = census ? th_input_list_init(&inputs) : TH_NOMEM;
    if (status == TH_OK) {
        census->request = request;
        census->templates = th_template_counts_new();
        status = census->templates ? TH_OK : TH_NOMEM;
    }
    inputs.warn = request->warn;
    inputs.warn_context = request->context;
    inputs.stop = request->stop;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++)
        status = th_input_list_add(&inputs, request->inputs[i], err);
    if (status == TH_OK && inputs.count == 0)
        status = th_fail(err, TH_IO, "no archive found in '%s'", request->inputs[0]);
    if (status == TH_OK)
        status = read_archives(census, &inputs, err);
    if (status == TH_OK) {
        output->damaged = census->source.damaged + census->source.unreadable;
        census->has_mixture = th_density_mixture_fit(census->tokens, &census->mixture);
        status = report(census, output);
    }
    if (census)
        th_template_counts_free(census->templates);
    free(census);
    th_input_list_done(&inputs);
    if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory");
    return status;
}

const th_eval_kind th_eval_density = {
    .name = "density",
    .inputs = "ARCHIVE...",
    .help = "statistics of an archive: tokens by text density, frequent templates",
    .draws = true,
    .reads_archives = true,
    .measure = measure,
};
