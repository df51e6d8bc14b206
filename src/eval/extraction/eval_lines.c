/*
 * `thresher eval lines`: whether the text keeps its lines, for every classifier and for
 * the peers of a corpus, with the measures of score_lines.py. [docs/eval.md]
 */
#include "eval/eval_report.h"
#include "eval/extraction/extraction_corpora.h"

enum { PLACES = 4 };

static void add(th_line_score *sum, const th_line_score *score)
{
    sum->intact += score->intact;
    sum->broken += score->broken;
    sum->nearly += score->nearly;
    sum->torn += score->torn;
    sum->missing += score->missing;
    sum->glued += score->glued;
    sum->pre += score->pre;
    sum->pre_lines += score->pre_lines;
    sum->pre_indent += score->pre_indent;
    sum->h1 += score->h1;
    sum->h1_kept += score->h1_kept;
}

static double share(uint32_t part, uint32_t whole)
{
    return (double)part / (whole ? whole : 1);
}

/* Shares of the gold's lines, of the PRE elements, of the headings. */
static const char *const heads[] = {
    "classifier", "lines", "intact",    "broken",     "nearly", "torn",    "missing",
    "glued",      "pre",   "pre lines", "pre indent", "h1",     "h1 kept", NULL,
};

static void report_variant(th_eval_report *report, th_report_table *table,
                           const th_extraction_variant *variant, const th_line_score *sum)
{
    const uint32_t lines =
        sum->intact + sum->broken + sum->nearly + sum->torn + sum->missing;
    const struct {
        const char *key;
        double value;
    } shares[] = {
        { "intact", share(sum->intact, lines) },
        { "broken", share(sum->broken, lines) },
        { "nearly", share(sum->nearly, lines) },
        { "torn", share(sum->torn, lines) },
        { "missing", share(sum->missing, lines) },
        { "glued", share(sum->glued, lines) },
        { "pre_lines_kept", share(sum->pre_lines, sum->pre) },
        { "pre_indent_kept", share(sum->pre_indent, sum->pre) },
        { "h1_kept", share(sum->h1_kept, sum->h1) },
    };
    enum { SHARES = sizeof shares / sizeof *shares, OF_PRE = 6, OF_H1 = 8 };
    if (th_eval_report_is_json(report)) {
        th_json *json = &report->json;
        th_json_open_object(json);
        th_json_member_text(json, variant->peer ? "peer" : "classifier",
                            variant->classifier);
        th_json_member_uint(json, "lines", lines);
        th_json_member_uint(json, "pre", sum->pre);
        th_json_member_uint(json, "h1", sum->h1);
        for (size_t i = 0; i < SHARES; i++)
            th_json_member_decimal(json, shares[i].key, shares[i].value, 6);
        th_json_close_object(json);
        return;
    }
    th_table_row(table);
    th_table_text(table, variant->classifier);
    th_table_count(table, lines);
    for (size_t i = 0; i < SHARES; i++) {
        if (i == OF_PRE)
            th_table_count(table, sum->pre);
        if (i == OF_H1)
            th_table_count(table, sum->h1);
        th_table_number(table, shares[i].value, PLACES);
    }
}

static th_status report_corpus(void *context, const th_extraction_scores *scores)
{
    th_eval_report *report = context;
    th_report_table *table = th_table_new(report->arena, heads);
    if (!table)
        return TH_NOMEM;
    th_eval_report_open(report, "corpus", scores->name, "methods");
    for (uint32_t i = 0; i < scores->variant_count; i++) {
        th_line_score sum = { 0 };
        for (size_t page = 0; page < scores->row_count; page++)
            add(&sum, &scores->rows[page].lines[i]);
        report_variant(report, table, &scores->variants[i], &sum);
    }
    th_eval_report_close(report);
    return th_eval_report_is_json(report)
               ? TH_OK
               : th_eval_report_table(report, scores->name, table);
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    th_eval_report report;
    th_status status = th_eval_report_begin(
        &report, request, "lines", request->page->segmenter, "corpora", &output->report);
    th_extraction_plan plan = { .request = request,
                                .arena = report.arena,
                                .wants_lines = true,
                                .report = report_corpus,
                                .context = &report };
    if (status == TH_OK)
        status = th_extraction_plan_methods(&plan, request->page->profile, err);
    if (status == TH_OK)
        status = th_extraction_measure(&plan, err);
    return th_eval_report_end(&report, status, err);
}

const th_eval_kind th_eval_lines = {
    .name = "lines",
    .inputs = "CORPUS...",
    .help = "compare the lines of the text of each classifier with known lines",
    .measure = measure,
};
