/* A whole JSON document through yajl, told by callbacks. */
#ifndef TH_JSON_EVENTS_H
#define TH_JSON_EVENTS_H

#include <yajl/yajl_parse.h>

#include "thresher/status.h"

/**
 * Parses a document.
 * @param callbacks  yajl's; one that returns 0 ends the parse
 * @param context    of the callbacks
 * @return TH_OK; TH_DAMAGED: it is no JSON, or a callback ended it; TH_NOMEM. Linear.
 */
th_status th_json_events(th_view text, const yajl_callbacks *callbacks, void *context);

#endif
