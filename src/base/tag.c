/* Converts tag names to numbers and back, by the perfect hash of tag_words.h. */
#include "base/tag_words.h"

_Static_assert(TH_TAG_COUNT <= 256, "a slot holds a byte");

th_tag th_tag_of(th_view name)
{
    char bytes[16] = { 0 };
    if (name.len == 0 || name.len > TH_TAG_NAME_MAX)
        return TH_TAG_OTHER;
    memcpy(bytes, name.data, name.len);
    const th_tag tag = th_tag_of_words(th_tag_lower(th_tag_load(bytes)),
                                       th_tag_lower(th_tag_load(bytes + 8)));
    /* A NUL at the end of a name would pass for padding. */
    return th_tag_names[tag][name.len - 1] ? tag : TH_TAG_OTHER;
}

const char *th_tag_name(th_tag tag)
{
    return th_tag_names[tag < TH_TAG_COUNT ? tag : TH_TAG_OTHER];
}
