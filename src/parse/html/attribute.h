/* Attributes of a tag, as parsers pass them to the page builder. */
#ifndef TH_ATTRIBUTE_H
#define TH_ATTRIBUTE_H

#include <stdint.h>
#include <string.h>

#include "thresher/view.h"

/** An attribute: lower-case name, value with its references resolved; both borrowed. */
typedef struct th_attribute {
    th_view name;
    th_view value; /* {"" , 0} when there is no value */
} th_attribute;

/** Returns the first attribute of that lower-case name, or NULL. */
static inline const th_attribute *th_attribute_find(const th_attribute *attrs,
                                                    size_t attr_count, th_view name)
{
    for (size_t i = 0; i < attr_count; i++)
        if (attrs[i].name.len == name.len &&
            memcmp(attrs[i].name.data, name.data, name.len) == 0)
            return &attrs[i];
    return NULL;
}

/** Returns the value of that attribute, absent if the tag has none. Always inline, so that
 * compilers compare the bytes of a literal without a call. */
static inline __attribute__((always_inline)) th_view
th_attribute_value(const th_attribute *attrs, size_t attr_count, const char *name)
{
    const th_attribute *found =
        th_attribute_find(attrs, attr_count, (th_view){ name, strlen(name) });
    if (!found)
        return (th_view){ NULL, 0 };
    return found->value.len ? found->value : (th_view){ "", 0 };
}

/** Like th_attribute_value(), but empty if the tag has none. */
static inline __attribute__((always_inline)) th_view
th_attribute_text(const th_attribute *attrs, size_t attr_count, const char *name)
{
    const th_attribute *found =
        th_attribute_find(attrs, attr_count, (th_view){ name, strlen(name) });
    return found && found->value.len ? found->value : (th_view){ "", 0 };
}

/** Returns a name's bit, by its length and its first and last bytes. Few names share one.
 * len > 0. */
static inline uint64_t th_attribute_bit(th_view name)
{
    const unsigned first = (unsigned char)name.data[0];
    const unsigned last = (unsigned char)name.data[name.len - 1];
    return 1ull << ((first * 9 + last * 3 + name.len * 2) & 63);
}

/** Returns the bits of all their names. A name whose bit is missing is not among them. */
static inline uint64_t th_attribute_bits(const th_attribute *attrs, size_t attr_count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < attr_count; i++)
        bits |= attrs[i].name.len ? th_attribute_bit(attrs[i].name) : 0;
    return bits;
}

#endif
