/* Records whose ids have one hash. */
#ifndef TH_ID_GROUP_H
#define TH_ID_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

/** { 0 } is empty; to empty it again, set the count to 0. */
typedef struct th_id_group {
    uint32_t *numbers; /* owned */
    size_t count, capacity;
} th_id_group;

/** TH_OK or TH_NOMEM */
th_status th_id_group_add(th_id_group *group, uint32_t number, th_error *err);

void th_id_group_done(th_id_group *group);

#endif
