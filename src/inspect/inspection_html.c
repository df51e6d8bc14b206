/*
 * The report: one HTML page that holds its style, its script and the inspection as JSON.
 *
 * report.html, report.css and report.js are files of the tree. embed_report.cmake makes
 * two arrays of them, and the JSON goes between the arrays. The page is foreign text. Its
 * text is only in the JSON, in a script element of a type that no browser runs. Every
 * character that could end that element or a line of script is written as \uXXXX, and the
 * script puts it into the document as text. A content security policy allows only the
 * script with this hash to run, and forbids every fetch.
 */
#include <stdlib.h>
#include <string.h>

#include "inspect/inspection.h"
#include "inspect/report_parts.h"

/* Appends JSON with < > & and U+2028, U+2029 escaped. They occur only in its strings. */
static void append_escaped(th_buffer *out, th_view json)
{
    static const char special[] = "<>&\xE2";
    const char *at = json.data;
    const char *const end = json.data + json.len;
    while (at < end) {
        const char *plain = at;
        while (plain < end && !memchr(special, *plain, sizeof special - 1))
            plain++;
        th_buffer_append(out, at, (size_t)(plain - at));
        at = plain;
        if (at == end)
            return;
        const bool is_line_end =
            end - at >= 3 && at[1] == '\x80' && (at[2] == '\xA8' || at[2] == '\xA9');
        if (is_line_end) {
            th_buffer_append_text(out, at[2] == '\xA8' ? "\\u2028" : "\\u2029");
            at += 3;
        } else if (*at == '\xE2') {
            th_buffer_append_char(out, *at++);
        } else {
            th_buffer_printf(out, "\\u%04x", (unsigned)*at++);
        }
    }
}

th_status th_inspection_html(const th_inspection *inspection, th_buffer *out)
{
    th_buffer json = { 0 };
    const size_t start = out->len;
    th_status status = th_inspection_json(inspection, &th_inspection_shown, &json);
    if (status == TH_OK) {
        th_buffer_append(out, (const char *)th_report_head, th_report_head_len);
        append_escaped(out, th_buffer_view(&json));
        th_buffer_append(out, (const char *)th_report_tail, th_report_tail_len);
        if (out->has_failed)
            status = TH_NOMEM;
    }
    if (status != TH_OK)
        out->len = start;
    th_buffer_done(&json);
    return status;
}
