/* One line for each archive. See the header. */
#include "app/archive_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"

void th_archive_check_add(th_archive_check *check, const uint64_t *offset,
                          const char *name, const char *detail)
{
    if (check->problem_count < TH_LISTED_PROBLEMS) {
        th_archive_problem *problem = &check->first[check->problem_count];
        problem->has_offset = offset != NULL;
        problem->offset = offset ? *offset : 0;
        (void)snprintf(problem->text, sizeof problem->text, "%s%s%s", name,
                       *detail ? ": " : "", detail);
    }
    check->problem_count++;
}

static uint64_t listed(const th_archive_check *check)
{
    return check->problem_count < TH_LISTED_PROBLEMS ? check->problem_count
                                                     : TH_LISTED_PROBLEMS;
}

static void write_json(const th_archive_check *check, const char *path, th_json *json)
{
    th_json_open_object(json);
    th_json_member_text(json, "file", path);
    th_json_key(json, "ok");
    th_json_bool(json, check->problem_count == 0);
    th_json_member_uint(json, "records", check->record_count);
    th_json_member_uint(json, "problems", check->problem_count);
    th_json_key(json, "first");
    th_json_open_array(json);
    for (uint64_t i = 0; i < listed(check); i++) {
        th_json_open_object(json);
        if (check->first[i].has_offset)
            th_json_member_uint(json, "offset", check->first[i].offset);
        th_json_member_text(json, "problem", check->first[i].text);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_json_close_object(json);
}

static void write_line(const th_archive_check *check, const char *path, th_buffer *out)
{
    th_buffer_append(out, path, strlen(path));
    if (check->problem_count == 0) {
        th_buffer_printf(out, ": ok, %" PRIu64 " records", check->record_count);
        return;
    }
    th_buffer_printf(out, ": %" PRIu64 " problem%s in %" PRIu64 " records",
                     check->problem_count, check->problem_count == 1 ? "" : "s",
                     check->record_count);
    for (uint64_t i = 0; i < listed(check); i++) {
        const th_archive_problem *problem = &check->first[i];
        th_buffer_printf(out, "%s", i ? "; " : ": ");
        if (problem->has_offset)
            th_buffer_printf(out, "offset %" PRIu64 ": ", problem->offset);
        th_buffer_printf(out, "%s", problem->text);
    }
    if (check->problem_count > TH_LISTED_PROBLEMS)
        th_buffer_printf(out, "; ...");
}

th_status th_archive_check_write(const th_archive_check *check, const char *path,
                                 bool is_json, th_buffer *out)
{
    if (is_json) {
        th_json json;
        th_json_begin(&json, out);
        write_json(check, path, &json);
        return th_json_end(&json);
    }
    const size_t start = out->len;
    write_line(check, path, out);
    th_buffer_append(out, "", 1);
    if (out->has_failed)
        return TH_NOMEM;
    th_make_printable(out->data + start);
    out->data[out->len - 1] = '\n';
    return out->has_failed ? TH_NOMEM : TH_OK;
}
