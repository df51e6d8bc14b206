/* Reads a whole JSON document and calls back for each token, with decoded strings. */
#ifndef TH_JSON_EVENTS_H
#define TH_JSON_EVENTS_H

#include <stdbool.h>

#include "thresher/status.h"
#include "thresher/view.h"

/**
 * Called for each token; NULL ignores the token. A callback that returns false ends the
 * document. Texts are valid UTF-8, and only valid during the call.
 */
typedef struct th_json_callbacks {
    bool (*key)(void *context, th_view key);
    bool (*string)(void *context, th_view text);
    bool (*number)(void *context, th_view digits); /* as written */
    bool (*literal)(void *context);                /* true, false, null */
    bool (*open_object)(void *context);
    bool (*open_array)(void *context);
    bool (*close)(void *context); /* of an object or an array */
} th_json_callbacks;

/**
 * Reads a document of at most TH_JSON_DEPTH nested containers.
 * @param context  passed to the callbacks
 * @return TH_OK; TH_DAMAGED: it is not JSON in UTF-8, or a callback ended it; TH_NOMEM.
 * Linear. Allocates one buffer of the length of the longest string.
 */
th_status th_json_events(th_view text, const th_json_callbacks *callbacks, void *context);

#endif
