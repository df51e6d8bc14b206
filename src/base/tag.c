/* Tag names to numbers: by length and first letters, then one comparison. */
#include "thresher/tag.h"

#include <string.h>

enum { LONGEST_NAME = 13 };

static const struct {
    char name[LONGEST_NAME + 1];
    uint8_t len;
} tags[TH_TAG_COUNT] = {
#define ROW(symbol, text) { text, sizeof(text) - 1 },
    TH_TAG_LIST(ROW)
#undef ROW
        { "*", 1 },
};

/*
 * The list is sorted, so the names of one first letter stand together: a row of starts by
 * letter, and within it at most a dozen names, told apart by length and memcmp.
 */
static const uint8_t first_of[27] = {
    ['a' - 'a'] = TH_TAG_A,         ['b' - 'a'] = TH_TAG_B,
    ['c' - 'a'] = TH_TAG_CANVAS,    ['d' - 'a'] = TH_TAG_DATA,
    ['e' - 'a'] = TH_TAG_EM,        ['f' - 'a'] = TH_TAG_FIELDSET,
    ['g' - 'a'] = TH_TAG_H1,        ['h' - 'a'] = TH_TAG_H1,
    ['i' - 'a'] = TH_TAG_I,         ['j' - 'a'] = TH_TAG_KBD,
    ['k' - 'a'] = TH_TAG_KBD,       ['l' - 'a'] = TH_TAG_LABEL,
    ['m' - 'a'] = TH_TAG_MAIN,      ['n' - 'a'] = TH_TAG_NAV,
    ['o' - 'a'] = TH_TAG_OBJECT,    ['p' - 'a'] = TH_TAG_P,
    ['q' - 'a'] = TH_TAG_Q,         ['r' - 'a'] = TH_TAG_RB,
    ['s' - 'a'] = TH_TAG_S,         ['t' - 'a'] = TH_TAG_TABLE,
    ['u' - 'a'] = TH_TAG_U,         ['v' - 'a'] = TH_TAG_VAR,
    ['w' - 'a'] = TH_TAG_WBR,       ['x' - 'a'] = TH_TAG_XMP,
    ['y' - 'a'] = TH_TAG_OTHER,     ['z' - 'a'] = TH_TAG_OTHER,
    ['z' - 'a' + 1] = TH_TAG_OTHER,
};

th_tag th_tag_of(th_view name)
{
    if (name.len == 0 || name.len > LONGEST_NAME)
        return TH_TAG_OTHER;
    char lower[LONGEST_NAME];
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    if (lower[0] < 'a' || lower[0] > 'z')
        return TH_TAG_OTHER;
    const th_tag end = first_of[lower[0] - 'a' + 1];
    for (th_tag tag = first_of[lower[0] - 'a']; tag < end; tag++)
        if (tags[tag].len == name.len && memcmp(tags[tag].name, lower, name.len) == 0)
            return tag;
    return TH_TAG_OTHER;
}

const char *th_tag_name(th_tag tag)
{
    return tags[tag < TH_TAG_COUNT ? tag : TH_TAG_OTHER].name;
}
