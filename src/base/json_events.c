/* One document, one parser. See the header. */
#include "base/json_events.h"

th_status th_json_events(th_view text, const yajl_callbacks *callbacks, void *context)
{
    yajl_handle parser = yajl_alloc(callbacks, NULL, context);
    if (!parser)
        return TH_NOMEM;
    yajl_status status = yajl_parse(parser, (const unsigned char *)text.data, text.len);
    if (status == yajl_status_ok)
        status = yajl_complete_parse(parser);
    yajl_free(parser);
    return status == yajl_status_ok ? TH_OK : TH_DAMAGED;
}
