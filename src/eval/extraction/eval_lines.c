/*
 * `thresher eval lines`: whether the text keeps its lines, for every classifier and for
 * the peers of a corpus, with the measures of score_lines.py. [docs/eval.md]
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "eval/corpus_path.h"
#include "eval/eval.h"
#include "eval/extraction/extraction_scores.h"
#include "eval/method_list.h"
#include "eval/report_table.h"

enum { PLACES = 4 };

struct report {
    const th_eval_request *request;
    th_arena *arena;
    th_method_list classifiers;
    th_json json;
    th_buffer *out;
};

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

static void report_variant(struct report *report, th_report_table *table,
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
    if (report->request->form == TH_EVAL_JSON) {
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

static th_status report_corpus(struct report *report, const th_extraction_scores *scores)
{
    const bool is_json = report->request->form == TH_EVAL_JSON;
    const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
    th_report_table *table = th_table_new(report->arena, heads);
    if (!table)
        return TH_NOMEM;
    if (is_json) {
        th_json_open_object(&report->json);
        th_json_member_text(&report->json, "corpus", scores->name);
        th_json_key(&report->json, "methods");
        th_json_open_array(&report->json);
    }
    for (uint32_t i = 0; i < scores->variant_count; i++) {
        th_line_score sum = { 0 };
        for (size_t page = 0; page < scores->row_count; page++)
            add(&sum, &scores->rows[page].lines[i]);
        report_variant(report, table, &scores->variants[i], &sum);
    }
    if (is_json) {
        th_json_close_array(&report->json);
        th_json_close_object(&report->json);
        return TH_OK;
    }
    th_buffer_printf(report->out, is_markdown ? "### %.200s\n\n" : "%.200s\n",
                     scores->name);
    const bool is_printed = th_table_print(table, is_markdown, report->out);
    th_buffer_append_char(report->out, '\n');
    return is_printed ? TH_OK : TH_NOMEM;
}

static th_status measure_corpus(struct report *report, const char *input, uint64_t *done,
                                uint64_t total, th_error *err)
{
    th_extraction_scores scores = { .request = report->request, .wants_lines = true };
    th_corpus_path path;
    th_peer_list peers;
    th_status status =
        th_corpus_path_find(input, TH_CORPUS_PAGES, report->arena, &path, err);
    if (status == TH_OK)
        status = th_peer_list_read(path.folder, report->request->stop, report->arena,
                                   &peers, err);
    if (status != TH_OK)
        return status;
    scores.path = path.file;
    scores.name = path.name;
    for (uint32_t i = 0; i < report->classifiers.count; i++)
        scores.variants[scores.variant_count++] =
            (th_extraction_variant){ .classifier = report->classifiers.names[i],
                                     .profile = report->request->page->profile };
    scores.own_count = scores.variant_count;
    for (uint32_t i = 0; i < peers.count; i++)
        scores.variants[scores.variant_count++] = (th_extraction_variant){
            .classifier = peers.names[i], .profile = "", .peer = peers.peers[i]
        };
    status = th_extraction_score_all(&scores, *done, total, report->arena, err);
    if (status == TH_OK)
        status = report_corpus(report, &scores);
    *done += th_file_len(path.file);
    th_extraction_scores_done(&scores);
    return status;
}

static th_status measure_all(struct report *report, th_error *err)
{
    const th_eval_request *request = report->request;
    uint64_t total = 0, done = 0;
    th_corpus_path path;
    th_status status =
        th_classifier_list(request->classifiers, &report->classifiers, err);
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++) {
        status = th_corpus_path_find(request->inputs[i], TH_CORPUS_PAGES, report->arena,
                                     &path, err);
        total += status == TH_OK ? th_file_len(path.file) : 0;
    }
    for (uint32_t i = 0; i < request->input_count && status == TH_OK; i++)
        status = measure_corpus(report, request->inputs[i], &done, total, err);
    return status;
}

static th_status measure(const th_eval_request *request, th_eval_output *output,
                         th_error *err)
{
    struct report report = { .request = request, .out = &output->report };
    const bool is_json = request->form == TH_EVAL_JSON;
    report.arena = th_arena_new(0);
    if (is_json) {
        th_json_begin(&report.json, report.out);
        th_json_open_object(&report.json);
        th_json_member_text(&report.json, "schema", "thresher-eval/1");
        th_json_member_text(&report.json, "kind", "lines");
        th_json_member_text(&report.json, "segmenter", request->page->segmenter);
        th_json_key(&report.json, "corpora");
        th_json_open_array(&report.json);
    }
    th_status status = report.arena ? measure_all(&report, err) : TH_NOMEM;
    if (is_json) {
        th_json_close_array(&report.json);
        th_json_close_object(&report.json);
        const th_status ended = th_json_end(&report.json);
        status = status == TH_OK ? ended : status;
    }
    th_arena_free(report.arena);
    if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory");
    return status;
}

const th_eval_kind th_eval_lines = {
    .name = "lines",
    .inputs = "CORPUS...",
    .help = "whether the text keeps the lines of a known text, for every classifier",
    .measure = measure,
};
