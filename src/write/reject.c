/* Refused records, a line each: the record, the reason, and the position. */
#include "write/annotation.h"
#include "write/format.h"

th_status th_reject_line(const th_annotated *annotated, th_buffer *out)
{
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    th_json_member_text(&json, "reason", th_status_name(annotated->status));
    th_json_member_text(&json, "detail", annotated->detail);
    th_annotation_source(&json, annotated->record);
    th_json_member(&json, "url", annotated->record->url);
    th_json_close_object(&json);
    return th_json_end(&json);
}
