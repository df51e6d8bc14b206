/* The search after damage: its budget and its test. */
#include "resync.h"

#include <strings.h>

void resync_rewind(struct resync_budget *budget, struct input_window *in, uint64_t offset)
{
    const uint64_t here = input_window_offset(in);
    if (here > budget->furthest)
        budget->furthest = here;
    if (offset >= here)
        return;
    uint64_t back = here - offset;
    if (back > INPUT_WINDOW_BEHIND)
        back = INPUT_WINDOW_BEHIND;
    if (budget->rewound + back > budget->furthest + RESYNC_REWIND_FREE)
        return;
    budget->rewound += back;
    input_window_rewind(in, here - back);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool resync_is_record_start(warc_view bytes, bool is_arc)
{
    const char *data = bytes.data;
    size_t len = bytes.len;
    while (len > 0 && (*data == '\r' || *data == '\n')) {
        data++;
        len--;
    }
    if (len >= 5 && strncasecmp(data, "WARC/", 5) == 0)
        return true;
    size_t scheme = 0;
    while (scheme < len && is_letter(data[scheme]))
        scheme++;
    return is_arc && scheme > 0 && scheme < len && data[scheme] == ':';
}
