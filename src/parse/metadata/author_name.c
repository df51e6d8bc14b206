/*
 * Rules for the words before a name, the words after it, and texts that are not names.
 * The rules use punctuation and no dictionary of names. The words below come from bylines
 * and from content systems' default users.
 */
#include "parse/metadata/author_name.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"

enum { MAX_BYLINE_WORDS = 4 };

/* Words before a name. The first of these that fits is taken off, repeatedly. */
static const char *const leads[] = {
    "medically reviewed by",
    "written by",
    "posted by",
    "published by",
    "article by",
    "reported by",
    "story by",
    "words by",
    "text by",
    "words",
    "thread starter",
    "started by",
    "submitted by",
    "created by",
    "post by",
    "authored by",
    "contributed by",
    "par",
    "by",
    "von",
    "por",
    "door",
    "author",
    "authors",
    "autor",
    "auteur",
    "autore",
    "di",
    "av",
    "af",
    "text",
    "بقلم",
    "كتبه",
    "كتبت",
    "كتب",
    "بواسطة",
    "الكاتب",
    "מאת",
    "פורסם על ידי",
    "נכתב על ידי",
    "כתב",
    "כתבה",
    "نویسنده",
    "نوشته شده توسط",
    "نوشته",
    "توسط",
    "به قلم",
    "लेखक",
    "द्वारा",
    "प्रस्तुतकर्ता",
    "ผู้เขียน",
    "เขียนโดย",
    "โดย",
    NULL,
};

/* After these a line continues with a name. Single words may also be parts of names
 * ("di"). */
static const char *const openers[] = {
    "written by",  "posted by",    "published by", "article by",
    "reported by", "story by",     "words by",     "by",
    "von",         "par",          "por",          "door",
    "af",          "author",       "autor",        "thread starter",
    "started by",  "submitted by", "post by",      "authored by",
    "بقلم",        "الكاتب",       "מאת",          "نویسنده",
    "به قلم",      "लेखक",          "ผู้เขียน",        "เขียนโดย",
    "โดย",         NULL,
};

static const char *const no_names[] = {
    "admin",
    "administrator",
    "editor",
    "editors",
    "staff",
    "team",
    "guest",
    "author",
    "webmaster",
    "user",
    "anonymous",
    "root",
    "wordpress",
    "contributor",
    "redaktion",
    "editorial team",
    "the editors",
    "editorial staff",
    "none",
    "null",
    "unknown",
    "login",
    "register",
    "home",
    "share",
    "follow",
    "undefined",
    "n/a",
    "default",
    "view all posts",
    "by",
    "von",
    "written",
    "written by",
    "sun",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "super user",
    "about the author",
    NULL,
};

/* Returns the text after one of these words, or the text unchanged. */
static th_view behind(th_view text, const char *const *words)
{
    for (; *words; words++) {
        const size_t len = strlen(*words);
        if (!th_ascii_starts_with(text, *words) || text.len == len)
            continue;
        const char next = text.data[len];
        if (next == ' ' || next == ':')
            return th_ascii_trimmed((th_view){ text.data + len + (next == ':'),
                                               text.len - len - (next == ':') });
    }
    return text;
}

static th_view without_leads(th_view text)
{
    for (;;) {
        const th_view rest = behind(text, leads);
        if (rest.len == text.len)
            break;
        text = rest;
        while (text.len > 0 && (text.data[0] == ':' || text.data[0] == ' ')) {
            text.data++;
            text.len--;
        }
    }
    return text;
}

/* Returns the text up to a bar, a middle dot or a dash between spaces. */
static th_view without_role(th_view text)
{
    static const char *const stops[] = {
        " | ", " \xE2\x80\xA2 ", " \xC2\xB7 ", " \xE2\x80\x93 ", " \xE2\x80\x94 ",
        " - ", " // ",           " \xC2\xBB ", "\xE2\x80\xA2"
    };
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        const char *found = memmem(text.data, text.len, stops[i], strlen(stops[i]));
        if (found && found > text.data)
            text.len = (size_t)(found - text.data);
    }
    while (text.len > 0 && strchr(" ,|-:;", text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Symbols that no name has. */
static bool has_foreign_sign(th_view text)
{
    if (memmem(text.data, text.len, "://", 3) || memchr(text.data, '@', text.len) ||
        memchr(text.data, '{', text.len) || memchr(text.data, '<', text.len) ||
        memchr(text.data, '=', text.len))
        return true;
    if (memchr(text.data, ' ', text.len))
        return false;
    /* Whether a text is a key and not a name: "andrew.keaveney", "page.head.author",
     * "/author/x". */
    for (size_t i = 1; i + 1 < text.len; i++)
        if (strchr("._/", text.data[i]) && th_is_letter(text.data[i + 1]) &&
            text.data[i + 1] >= 'a')
            return true;
    return false;
}

th_view th_author_name(th_view text)
{
    const th_view none = { NULL, 0 };
    text = without_role(without_leads(th_ascii_trimmed(text)));
    if (text.len == 0 || has_foreign_sign(text))
        return none;
    for (const char *const *word = no_names; *word; word++)
        if (th_ascii_is(text, *word))
            return none;
    size_t letters = 0;
    for (size_t i = 0; i < text.len; i++)
        letters += th_is_letter(text.data[i]) || (unsigned char)text.data[i] >= 0x80;
    return letters * 2 < text.len ? none : text;
}

/* Whether a word is a small word that occurs in names. */
static bool is_particle(th_view word)
{
    static const char *const words[] = { "de",  "van", "von", "der", "den", "la",
                                         "del", "di",  "da",  "bin", "al",  "el",
                                         "le",  "dos", "ter", "and", "&" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word.len && memcmp(words[i], word.data, word.len) == 0)
            return true;
    return false;
}

/* Whether a letter belongs to a script without capitals. */
static bool is_caseless(uint32_t c)
{
    return c >= 0x80 && u_charType((UChar32)c) == U_OTHER_LETTER;
}

/*
 * Returns the words at the start of a text that are written like names, at least two. In
 * a script without capitals every word is, so more words than a name has are a sentence.
 */
static th_view leading_name(th_view text)
{
    size_t end = 0, words = 0, next = 0;
    while (next < text.len) {
        size_t stop = next;
        while (stop < text.len && text.data[stop] != ' ')
            stop++;
        th_view word = { text.data + next, stop - next };
        const bool ends = word.len > 0 && strchr(",;|:", word.data[word.len - 1]);
        if (ends)
            word.len--;
        size_t at = 0;
        const uint32_t first = word.len ? th_utf8_next(word.data, &at) : 0;
        if (words == MAX_BYLINE_WORDS)
            return is_caseless(first) ? (th_view){ NULL, 0 }
                                      : (th_view){ text.data, end };
        const bool is_name = (u_isupper((UChar32)first) || is_caseless(first)) &&
                             !th_is_digit((char)word.data[word.len - 1]);
        if (!is_name && !(words > 0 && is_particle(word)))
            break;
        if (is_name) {
            words++;
            end = next + word.len;
        }
        if (ends)
            break;
        next = stop + 1;
    }
    return words < 2 ? (th_view){ NULL, 0 } : (th_view){ text.data, end };
}

th_view th_author_in_line(th_view text, bool *is_label)
{
    const th_view none = { NULL, 0 };
    *is_label = false;
    text = th_ascii_trimmed(text);
    for (const char *const *word = openers; *word; word++) {
        if (th_ascii_is(text, *word) ||
            (text.len == strlen(*word) + 1 && text.data[text.len - 1] == ':' &&
             th_ascii_starts_with(text, *word))) {
            *is_label = true;
            return none;
        }
    }
    const th_view rest = behind(text, openers);
    if (rest.len == text.len)
        return none;
    if (th_ascii_starts_with(text, "thread starter") && rest.len <= 40)
        return th_author_name(rest);
    const char *post =
        memmem(rest.data, rest.len, " \xC2\xBB ", 4); /* "by ada » Mon Aug 5" */
    if (post && post - rest.data <= 40)
        return th_author_name((th_view){ rest.data, (size_t)(post - rest.data) });
    const th_view name = leading_name(rest);
    return name.data ? th_author_name(name) : none;
}

/* The next word of names, and whether a name ends after it. */
static th_view next_word(th_view *names, bool *ends_name)
{
    size_t start = 0, end;
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a set of characters
    while (start < names->len && memchr(" .()", names->data[start], 4))
        start++;
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a set of characters
    for (end = start; end < names->len && !memchr(" ;,.()", names->data[end], 6);)
        end++;
    const th_view word = { names->data + start, end - start };
    *ends_name = end < names->len && (names->data[end] == ';' || names->data[end] == ',');
    end += end < names->len;
    *names = (th_view){ names->data + end, names->len - end };
    return word;
}

bool th_author_is_no_person(th_view names)
{
    static const char *const kinds[] = { "university", "inc",         "llc",
                                         "ltd",        "corporation", "corp",
                                         "company",    "services",    "official",
                                         "group",      "institute",   "contributors",
                                         "gmbh",       "foundation" };
    bool ends_name;
    while (names.len) {
        const th_view word = next_word(&names, &ends_name);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (th_ascii_is(word, kinds[i]))
                return true;
    }
    return false;
}

bool th_author_is_sentence(th_view names)
{
    enum { WORDS_LEAST = 8 };
    bool ends_name;
    for (unsigned words = 0; names.len;) {
        words += next_word(&names, &ends_name).len > 0;
        if (words >= WORDS_LEAST)
            return true;
        words = ends_name ? 0 : words;
    }
    return false;
}
