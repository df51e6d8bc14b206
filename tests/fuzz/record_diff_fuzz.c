/*
 * Any two lines as records to compare: the comparison ends, is the same in both
 * directions, and a record equals itself.
 */
#include <stdlib.h>
#include <string.h>

#include "app/record_diff.h"
#include "fuzz_target.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

struct totals {
    uint64_t changed, added, removed;
};

/* Compares two lines, and returns the sums over all fields. */
static th_status compare(th_view old_line, th_view new_line, struct totals *totals,
                         bool *same)
{
    static th_record_diff diff;
    require(th_record_diff_init(&diff) == TH_OK);
    const th_status status =
        th_record_diff_add(&diff, (th_view){ "id", 2 }, old_line, new_line, same);
    *totals = (struct totals){ 0 };
    require(diff.field_count <= TH_DIFF_FIELDS);
    for (uint32_t i = 0; i < diff.field_count; i++) {
        totals->changed += diff.fields[i].changed;
        totals->added += diff.fields[i].added;
        totals->removed += diff.fields[i].removed;
    }
    th_record_diff_done(&diff);
    return status;
}

/* Equal lines are not parsed. */
static void check_itself(th_view line)
{
    struct totals totals;
    bool same = false;
    if (compare(line, line, &totals, &same) == TH_OK)
        require(same && !totals.changed && !totals.added && !totals.removed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *lf = size ? memchr(data, '\n', size) : NULL;
    if (!lf)
        return 0;
    const size_t first = (size_t)(lf - data);
    const th_view one = { (const char *)data, first };
    const th_view other = { (const char *)lf + 1, size - first - 1 };
    struct totals there, back;
    bool same = false, same_back = false;
    const th_status status = compare(one, other, &there, &same);
    require(compare(other, one, &back, &same_back) == status);
    if (status == TH_OK) {
        require(same == same_back && there.changed == back.changed);
        require(there.added == back.removed && there.removed == back.added);
        require(same == !(there.changed + there.added + there.removed));
    }
    check_itself(one);
    check_itself(other);
    const th_view key = th_record_key(one);
    require(!key.data ||
            (key.data >= one.data && key.data + key.len <= one.data + first));
    return 0;
}
