/* Dates of records as numbers. See the header. */
#include "dedup/record_date.h"

#include <stdbool.h>

#include "base/ascii.h"

/* Reads two or four digits, then the field's separator. @return false if they are
 * missing */
static bool take_field(const char **at, const char *end, int digits, uint32_t *out)
{
    uint32_t value = 0;
    if (end - *at < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        const char c = (*at)[i];
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (uint32_t)(c - '0');
    }
    *at += digits;
    *out = value;
    return true;
}

/* Reads a fraction of a second in 100 ns. Further digits are ignored. */
static uint32_t take_fraction(const char **at, const char *end)
{
    uint32_t fraction = 0, unit = 1000000;
    for (; *at < end && th_is_digit(**at); ++*at) {
        fraction += (uint32_t)(**at - '0') * unit;
        unit /= 10;
    }
    return fraction;
}

/* Reads one field of a date and the separator before it. */
static bool take_date_part(const char **at, const char *end, int field, uint32_t *out)
{
    static const char separators[] = "\0--T::";
    if (field > 0 && (*at == end || *(*at)++ != separators[field]))
        return false;
    return take_field(at, end, field == 0 ? 4 : 2, out);
}

uint64_t th_record_date(th_view date)
{
    static const uint32_t sizes[] = { 10000, 13, 32, 25, 61, 62 };
    const char *at = date.data, *const end = date.len ? at + date.len : at;
    uint64_t number = 0;
    if (!date.data)
        return UINT64_MAX;
    for (int field = 0; field < 6; field++) {
        uint32_t value = 0;
        const bool is_over = field > 0 && (at == end || *at == 'Z');
        if (!is_over && !take_date_part(&at, end, field, &value))
            return UINT64_MAX;
        number = number * sizes[field] + value % sizes[field];
    }
    uint32_t fraction = 0;
    if (at < end && *at == '.') {
        at++;
        fraction = take_fraction(&at, end);
    }
    return at == end || *at == 'Z' ? number * 10000000 + fraction : UINT64_MAX;
}
