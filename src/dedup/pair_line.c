/* See the header. */
#include "dedup/pair_line.h"

enum { JACCARD_PLACES = 4 };

void th_likeness_write(th_json *json, const th_likeness *likeness)
{
    th_json_member_decimal(json, "jaccard", likeness->jaccard, JACCARD_PLACES);
    if (likeness->is_exact) {
        th_json_key(json, "exact");
        th_json_bool(json, true);
    }
}

th_status th_pair_line_write(th_paired a, th_paired b, const th_likeness *likeness,
                             bool is_packed, th_buffer *out)
{
    th_json json;
    th_json_begin_as(&json, out, is_packed);
    th_json_open_object(&json);
    th_json_member(&json, "id_a", a.id);
    th_json_member(&json, "url_a", a.url);
    th_json_member(&json, "id_b", b.id);
    th_json_member(&json, "url_b", b.url);
    th_likeness_write(&json, likeness);
    th_json_close_object(&json);
    return th_json_end(&json);
}
