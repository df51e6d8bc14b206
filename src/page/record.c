/* The id of a record: its own, or one derived from its position. */
#include "page/record.h"

void th_record_id_write(const th_record *record, th_buffer *out)
{
    const th_position *position = &record->position;
    if (record->id.data) {
        th_buffer_append_view(out, record->id);
    } else if (position->topic.data) {
        th_buffer_append_view(out, position->topic);
        th_buffer_printf(out, "/%ld/%llu", (long)position->partition,
                         (unsigned long long)position->offset);
    } else {
        th_buffer_append_view(out, position->file);
        th_buffer_printf(out, "@%llu", (unsigned long long)position->offset);
    }
    if (!record->id.data && position->skip)
        th_buffer_printf(out, "+%llu", (unsigned long long)position->skip);
}
