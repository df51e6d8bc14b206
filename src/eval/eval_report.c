/* Head, sections and end of a report. See the header. */
#include "eval/eval_report.h"

bool th_eval_report_is_json(const th_eval_report *report)
{
    return report->request->form == TH_EVAL_JSON;
}

th_status th_eval_report_begin(th_eval_report *report, const th_eval_request *request,
                               const char *kind, const char *segmenter, const char *list,
                               th_buffer *out)
{
    *report = (th_eval_report){ .request = request, .out = out };
    report->arena = th_arena_new(0);
    if (th_eval_report_is_json(report)) {
        th_json *json = &report->json;
        th_json_begin(json, out);
        th_json_open_object(json);
        th_json_member_text(json, "schema", "thresher-eval/1");
        th_json_member_text(json, "kind", kind);
        if (segmenter)
            th_json_member_text(json, "segmenter", segmenter);
        th_json_key(json, list);
        th_json_open_array(json);
    }
    return report->arena ? TH_OK : TH_NOMEM;
}

th_status th_eval_report_end(th_eval_report *report, th_status status, th_error *err)
{
    if (th_eval_report_is_json(report)) {
        th_eval_report_close(report);
        const th_status ended = th_json_end(&report->json);
        status = status == TH_OK ? ended : status;
    }
    th_arena_free(report->arena);
    if (status == TH_NOMEM && err && !err->text[0])
        (void)th_fail(err, TH_NOMEM, "out of memory");
    return status;
}

void th_eval_report_open(th_eval_report *report, const char *key, const char *name,
                         const char *list)
{
    if (!th_eval_report_is_json(report))
        return;
    th_json_open_object(&report->json);
    th_json_member_text(&report->json, key, name);
    th_json_key(&report->json, list);
    th_json_open_array(&report->json);
}

void th_eval_report_close(th_eval_report *report)
{
    if (!th_eval_report_is_json(report))
        return;
    th_json_close_array(&report->json);
    th_json_close_object(&report->json);
}

th_status th_eval_report_table(th_eval_report *report, const char *title,
                               const th_report_table *table)
{
    const bool is_markdown = report->request->form == TH_EVAL_MARKDOWN;
    th_buffer_append_text(report->out, is_markdown ? "### " : "");
    th_buffer_append_text(report->out, title);
    th_buffer_append_text(report->out, is_markdown ? "\n\n" : "\n");
    const bool is_printed = th_table_print(table, is_markdown, report->out);
    th_buffer_append_char(report->out, '\n');
    return is_printed && !report->out->has_failed ? TH_OK : TH_NOMEM;
}
