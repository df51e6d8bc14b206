/*
 * `thresher eval segmentation`: measures the agreement of segments with a gold corpus,
 * for every segmenter and profile. The measures are adjusted Rand index, NMI and B-cubed
 * over tokens. [KN08 §5, docs/methods.md#measures]
 *
 * From a corpus's path to its report: its variants are listed, its pages scored, and
 * their means reported and, if requested, drawn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_sink.h"
#include "eval/corpus_path.h"
#include "eval/eval_report.h"
#include "eval/method_list.h"
#include "lab/report/svg_chart.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segmentation/eval_segmentation.h"
#include "lab/segmentation/page_scores.h"
#include "lab/segmentation/segmentation_plot.h"
#include "lab/segmentation/segmentation_summary.h"

/* ---- the report ---- */

struct report {
    th_eval_report base;
    th_eval_output *output;
    th_method_list segmenters, profiles;
    uint32_t corpora; /* drawn so far */
    th_buffer pages;  /* scores of each page, if --output asks for them */
};

static void interval_text(char *out, size_t size, const th_interval *interval,
                          bool is_known)
{
    if (is_known)
        (void)snprintf(out, size, "%.3f-%.3f", interval->low, interval->high);
    else
        (void)snprintf(out, size, "-");
}

/* Whether a method's model knows the pages of a corpus. */
static const char *model_text(const th_segmentation_scores *scores,
                              const th_segmentation_variant *variant)
{
    const th_segment_model *model = th_segmentation_model(
        scores->request, th_segmenter_find(th_lab_segmenters, variant->segmenter));
    return !model                                            ? "-"
           : !th_segment_model_has_seen(model, scores->name) ? "unseen"
           : model->has_folds                                ? "held out"
                                                             : "seen";
}

static void add_row(th_report_table *table, const th_segmentation_scores *scores,
                    const th_segmentation_variant *variant,
                    const th_segmentation_summary *figures, bool has_interval)
{
    char text[64];
    th_table_row(table);
    th_table_text(table, variant->segmenter);
    th_table_text(
        table, th_segmentation_has_profile(variant->segmenter) ? variant->profile : "-");
    th_table_text(table, model_text(scores, variant));
    th_table_count(table, figures->pages);
    th_table_count(table, figures->missing);
    th_table_number(table, figures->mean.coverage, 3);
    th_table_number(table, figures->mean.gold_segments, 1);
    th_table_number(table, figures->mean.found_segments, 1);
    th_table_number(table, figures->mean.adjusted_rand, 3);
    interval_text(text, sizeof text, &figures->adjusted_rand_interval, has_interval);
    th_table_text(table, text);
    th_table_number(table, figures->adjusted_rand_median, 3);
    th_table_number(table, figures->mean.nmi, 3);
    interval_text(text, sizeof text, &figures->nmi_interval, has_interval);
    th_table_text(table, text);
    th_table_number(table, figures->nmi_median, 3);
    th_table_number(table, figures->mean.b3_p, 3);
    th_table_number(table, figures->mean.b3_r, 3);
    th_table_number(table, figures->mean.b3_f, 3);
    th_table_number(table, figures->mean.b3_chars_f, 3);
}

static void put(th_json *json, const char *key, double value)
{
    th_json_key(json, key);
    th_json_signed_decimal(json, value, 6);
}

static void put_row(th_json *json, const th_segmentation_scores *scores,
                    const th_segmentation_variant *variant,
                    const th_segmentation_summary *figures, bool has_interval)
{
    th_json_open_object(json);
    th_json_member_text(json, "segmenter", variant->segmenter);
    if (th_segmentation_has_profile(variant->segmenter))
        th_json_member_text(json, "profile", variant->profile);
    if (*model_text(scores, variant) != '-')
        th_json_member_text(json, "model", model_text(scores, variant));
    th_json_member_uint(json, "w_max", variant->w_max);
    if (variant->theta_max >= 0 && th_segmentation_has_theta(variant->segmenter))
        put(json, "theta_max", variant->theta_max);
    if (variant->has_parameter)
        put(json, th_segmentation_parameter(variant->segmenter),
            variant->parameter / 1024.0);
    th_json_member_uint(json, "pages", figures->pages);
    th_json_member_uint(json, "missing", figures->missing);
    put(json, "coverage", figures->mean.coverage);
    put(json, "gold_segments", figures->mean.gold_segments);
    put(json, "found_segments", figures->mean.found_segments);
    put(json, "adjusted_rand", figures->mean.adjusted_rand);
    put(json, "adjusted_rand_median", figures->adjusted_rand_median);
    put(json, "nmi", figures->mean.nmi);
    put(json, "nmi_median", figures->nmi_median);
    if (has_interval) {
        put(json, "adjusted_rand_low", figures->adjusted_rand_interval.low);
        put(json, "adjusted_rand_high", figures->adjusted_rand_interval.high);
        put(json, "nmi_low", figures->nmi_interval.low);
        put(json, "nmi_high", figures->nmi_interval.high);
    }
    put(json, "b3_p", figures->mean.b3_p);
    put(json, "b3_r", figures->mean.b3_r);
    put(json, "b3_f", figures->mean.b3_f);
    put(json, "b3_chars_p", figures->mean.b3_chars_p);
    put(json, "b3_chars_r", figures->mean.b3_chars_r);
    put(json, "b3_chars_f", figures->mean.b3_chars_f);
    put(json, "b3_nodes_p", figures->mean.b3_nodes_p);
    put(json, "b3_nodes_r", figures->mean.b3_nodes_r);
    put(json, "b3_nodes_f", figures->mean.b3_nodes_f);
    put(json, "largest_found", figures->mean.largest_found);
    th_json_close_object(json);
}

static const char *const heads[] = { "segmenter", "profile",    "model",  "pages",
                                     "refused",   "coverage",   "gold",   "found",
                                     "AdjRand",   "95%",        "median", "NMI",
                                     "95%",       "median",     "B3 P",   "B3 R",
                                     "B3 F",      "B3 F chars", NULL };

static th_status report_field(struct report *report, const th_segmentation_scores *scores,
                              uint32_t field, double *values)
{
    const th_eval_request *request = report->base.request;
    const bool is_json = th_eval_report_is_json(&report->base);
    /* JSON has the curves too: the same members, with the parameters as they were. */
    const uint32_t count =
        is_json ? scores->variants.count : scores->variants.table_count;
    th_report_table *table = th_table_new(report->base.arena, heads);
    th_status status = table ? TH_OK : TH_NOMEM;
    th_eval_report_open(&report->base, "field", scores->gold.fields[field], "methods");
    for (uint32_t i = 0; i < count && status == TH_OK; i++) {
        th_segmentation_summary figures;
        status = th_segmentation_sum_up(scores, field, i, values, &figures);
        if (status == TH_OK && is_json)
            put_row(&report->base.json, scores, &scores->variants.items[i], &figures,
                    request->resamples > 0);
        else if (status == TH_OK)
            add_row(table, scores, &scores->variants.items[i], &figures,
                    request->resamples > 0);
    }
    th_eval_report_close(&report->base);
    if (is_json || status != TH_OK)
        return status;
    char title[300];
    (void)snprintf(title, sizeof title, "%.200s, %.90s", scores->name,
                   scores->gold.fields[field]);
    return th_eval_report_table(&report->base, title, table);
}

/*
 * Reports the best of each curve, except the curves of w_max, in words, because a picture
 * is not enough to choose by.
 */
static th_status report_best(struct report *report, const th_segmentation_scores *scores,
                             double *values)
{
    static const char *const best_heads[] = { "segmenter", "profile", "parameter",
                                              "best",      "AdjRand", "at its default",
                                              NULL };
    th_report_table *table = th_table_new(report->base.arena, best_heads);
    if (!table)
        return TH_NOMEM;
    for (uint32_t i = 0; i < scores->variants.table_count; i++) {
        double best = -1, at = 0;
        for (uint32_t j = scores->variants.table_count; j < scores->variants.width_first;
             j++) {
            if (!th_segmentation_is_same_method(&scores->variants.items[j],
                                                &scores->variants.items[i]))
                continue;
            const double figure = th_segmentation_mean(
                scores, 0, j, offsetof(th_segmentation_score, adjusted_rand), values);
            if (figure > best) {
                best = figure;
                at = scores->variants.items[j].has_parameter
                         ? scores->variants.items[j].parameter / 1024.0
                         : scores->variants.items[j].theta_max;
            }
        }
        if (best < 0)
            continue;
        th_table_row(table);
        th_table_text(table, scores->variants.items[i].segmenter);
        th_table_text(table,
                      th_segmentation_has_profile(scores->variants.items[i].segmenter)
                          ? scores->variants.items[i].profile
                          : "-");
        const char *parameter =
            th_segmentation_parameter(scores->variants.items[i].segmenter);
        th_table_text(table, parameter ? parameter : "theta_max");
        th_table_number(table, at, 2);
        th_table_number(table, best, 3);
        th_table_number(
            table,
            th_segmentation_mean(scores, 0, i,
                                 offsetof(th_segmentation_score, adjusted_rand), values),
            3);
    }
    const bool is_printed = th_table_print(
        table, report->base.request->form == TH_EVAL_MARKDOWN, &report->output->report);
    th_buffer_append_char(&report->output->report, '\n');
    return is_printed ? TH_OK : TH_NOMEM;
}

static th_status report_corpus(struct report *report,
                               const th_segmentation_scores *scores)
{
    const bool is_json = th_eval_report_is_json(&report->base);
    double *values = calloc(scores->gold.count + 1, sizeof *values);
    th_status status = values ? TH_OK : TH_NOMEM;
    th_eval_report_open(&report->base, "corpus", scores->name, "fields");
    for (uint32_t i = 0; i < scores->gold.field_count && status == TH_OK; i++)
        status = report_field(report, scores, i, values);
    th_eval_report_close(&report->base);
    if (status == TH_OK && report->base.request->wants_plot)
        status = th_segmentation_plot(scores, report->corpora, values, report->base.arena,
                                      &report->output->plot);
    if (status == TH_OK && report->base.request->wants_plot && !is_json)
        status = report_best(report, scores, values);
    if (status == TH_OK && *report->base.request->output)
        status = th_page_scores_append(scores, &report->pages);
    report->corpora++;
    free(values);
    return status;
}

/* ---- a corpus from its path to its report ---- */

static th_status score_corpus(struct report *report, const th_corpus_path *path,
                              th_segmentation_archive *archive, th_arena *arena,
                              th_error *err)
{
    th_segmentation_scores scores = { .request = report->base.request,
                                      .name = path->name };
    th_status status =
        th_gold_set_read(path->file, report->base.request->fields,
                         report->base.request->stop, arena, &scores.gold, err);
    if (status == TH_OK)
        status =
            th_segmentation_list_variants(report->base.request, &report->segmenters,
                                          &report->profiles, arena, &scores.variants);
    if (status == TH_OK)
        status = th_segmentation_score_all(&scores, archive, arena, err);
    report->output->damaged += archive->damaged;
    return status == TH_OK ? report_corpus(report, &scores) : status;
}

static th_status measure_corpus(struct report *report, const char *input, uint64_t *done,
                                uint64_t total, th_error *err)
{
    th_segmentation_archive archive = { .done_before = *done, .total_bytes = total };
    th_corpus_path path;
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_GOLD, report->base.arena, &path, err);
    if (status != TH_OK)
        return status;
    th_arena *arena = th_arena_new(0); /* of this corpus */
    if (!arena)
        return TH_NOMEM;
    archive.path = th_corpus_path_join(path.folder, "pages.warc.gz", arena);
    status = archive.path ? score_corpus(report, &path, &archive, arena, err) : TH_NOMEM;
    if (status == TH_OK)
        *done += th_file_len(archive.path);
    th_arena_free(arena);
    return status;
}

static th_status total_bytes(struct report *report, uint64_t *total, th_error *err)
{
    const th_eval_request *request = report->base.request;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        th_corpus_path path;
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_GOLD,
                                     report->base.arena, &path, err);
        if (status != TH_OK)
            break;
        const char *archive =
            th_corpus_path_join(path.folder, "pages.warc.gz", report->base.arena);
        if (!archive)
            status = th_fail(err, TH_NOMEM, "cannot name the pages");
        else if (access(archive, R_OK) != 0)
            status =
                th_fail(err, TH_IO, "cannot open '%.400s': %s", archive, strerror(errno));
        else
            *total += th_file_len(archive);
    }
    return status;
}

static th_status measure_all(struct report *report, th_error *err)
{
    const th_eval_request *request = report->base.request;
    uint64_t total = 0, done = 0;
    th_status status = th_segmenter_list(request->segmenters, th_lab_segmenters,
                                         &report->segmenters, err);
    if (status == TH_OK)
        status = th_profile_list(*request->profiles ? request->profiles
                                                    : request->page->profile,
                                 &report->profiles, err);
    if (status == TH_OK)
        status = total_bytes(report, &total, err);
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++)
        status = measure_corpus(report, request->inputs[i], &done, total, err);
    return status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct report report = { .output = output };
    th_status status = th_eval_report_begin(&report.base, request, "segmentation", NULL,
                                            "corpora", &output->report);
    if (request->wants_plot)
        th_svg_begin(&output->plot, TH_SEGMENTATION_CHARTS, request->input_count);
    if (status == TH_OK)
        status = measure_all(&report, err);
    if (request->wants_plot)
        th_svg_end(&output->plot);
    if (status == TH_OK && *request->output)
        status = th_file_replace(request->output, th_buffer_view(&report.pages), err);
    th_buffer_done(&report.pages);
    return th_eval_report_end(&report.base, status, err);
}

const th_eval_kind th_eval_segmentation = {
    .name = "segmentation",
    .inputs = "CORPUS...",
    .help = "compare the segments of each segmenter with known segments",
    .draws = true,
    .varies_segmenter = true,
    .measure = measure,
};
