/* Reads ALT of pictures with a class of emoji. */
#include "parse/emoji.h"

#include <string.h>

#include "base/ascii.h"

enum { ALT_MAX = 40, SMILEY_MAX = 4 };

/* Classes of GitHub and Jekyll, WordPress, Twitter, XenForo, phpBB, Discourse. */
static bool is_emoji_class(th_view classes)
{
    static const char *const words[] = { "emoji",     "emojione",     "twemoji",
                                         "smilie",    "smilies",      "smiley",
                                         "wp-smiley", "smilie--emoji" };
    for (th_view word; (word = th_ascii_next_word(&classes)).len;)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (word.len == strlen(words[i]) &&
                memcmp(word.data, words[i], word.len) == 0)
                return true;
    return false;
}

/* Whether a text is ":name:". */
static bool is_name(th_view text)
{
    if (text.len < 3 || text.data[0] != ':' || text.data[text.len - 1] != ':')
        return false;
    for (size_t i = 1; i + 1 < text.len; i++) {
        const char c = text.data[i];
        if (!th_is_letter(c) && !th_is_digit(c) && c != '_' && c != '+' && c != '-')
            return false;
    }
    return true;
}

/* Whether a text is a symbol: without letters, or a few characters as ":D". */
static bool is_symbol(th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((text.data[i] | 0x20) >= 'a' && (text.data[i] | 0x20) <= 'z')
            return text.len <= SMILEY_MAX;
    return text.len > 0;
}

bool th_is_emoji(const th_attribute *attrs, size_t attr_count, th_view *words)
{
    const th_attribute *classes = th_attribute_find(attrs, attr_count, TH_VIEW("class"));
    const th_attribute *alt = th_attribute_find(attrs, attr_count, TH_VIEW("alt"));
    if (!classes || !alt || !is_emoji_class(classes->value))
        return false;
    *words = th_ascii_trimmed(alt->value);
    return words->len && words->len <= ALT_MAX && (is_name(*words) || is_symbol(*words));
}
