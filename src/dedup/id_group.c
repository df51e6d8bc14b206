/* A list that doubles: most have one record, a hostile one has all of them. */
#include "dedup/id_group.h"

#include <stdlib.h>

#include "base/array.h"

th_status th_id_group_add(th_id_group *group, uint32_t number, th_error *err)
{
    if (!TH_HAS_CAPACITY(group->numbers, group->count, group->capacity))
        return th_fail(err, TH_NOMEM, "out of memory for %zu records", group->count + 1);
    group->numbers[group->count++] = number;
    return TH_OK;
}

void th_id_group_done(th_id_group *group)
{
    free(group->numbers);
    *group = (th_id_group){ .numbers = NULL };
}
