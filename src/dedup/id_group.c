/* A list that doubles: most have one record, a hostile one has all of them. */
#include "dedup/id_group.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

th_status th_id_group_add(th_id_group *group, uint32_t number, th_error *err)
{
    if (group->count == group->capacity) {
        const size_t capacity = group->capacity ? group->capacity * 2 : FIRST_ROOM;
        uint32_t *numbers = realloc(group->numbers, capacity * sizeof *numbers);
        if (!numbers)
            return th_fail(err, TH_NOMEM, "out of memory for %zu records", capacity);
        group->numbers = numbers;
        group->capacity = capacity;
    }
    group->numbers[group->count++] = number;
    return TH_OK;
}

void th_id_group_done(th_id_group *group)
{
    free(group->numbers);
    *group = (th_id_group){ .numbers = NULL };
}
