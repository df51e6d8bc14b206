/*
 * ICU has the tables: ISO 639-3 codes, the usual script of a language, and the languages
 * that belong to a macrolanguage (its resource "metadata", from CLDR's languageAlias).
 */
#include "language/language_codes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <unicode/uloc.h>
#include <unicode/ures.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "base/ascii.h"
#include "base/unicode.h"

enum {
    ISO_LEN = 3,
    SCRIPT_LEN = 4,
    LANGUAGE_MAX = 8, /* letters of a language's code in BCP 47 */
    LETTERS_MAX = 256,
};

/* Copies the part of a label up to '_' or '-'. Returns its length, 0 if it is too long. */
static size_t take_part(const char *name, char *part, size_t size)
{
    const size_t len = strcspn(name, "_-");
    if (len >= size)
        return 0;
    memcpy(part, name, len);
    part[len] = '\0';
    return len;
}

/* Returns ICU's code, or the code itself if it has the form of one. */
static void find_iso(const char *language, size_t len, char iso[ISO_LEN + 1])
{
    const char *found = uloc_getISO3Language(language);
    if (!*found && len == ISO_LEN &&
        strspn(language, "abcdefghijklmnopqrstuvwxyz") == ISO_LEN)
        found = language; /* ICU does not know it */
    if (strlen(found) == ISO_LEN)
        memcpy(iso, found, ISO_LEN + 1);
}

static bool is_script(const char *part)
{
    const char *const rest = part + 1;
    return *part >= 'A' && *part <= 'Z' &&
           strspn(rest, "abcdefghijklmnopqrstuvwxyz") == SCRIPT_LEN - 1 &&
           !rest[SCRIPT_LEN - 1];
}

/* Replaces a code by the code that CLDR prefers: "arb" by "ar". Keeps it if there is
 * none, or if the preferred one is of a language and a region. */
static void prefer(char language[LANGUAGE_MAX + 1])
{
    UErrorCode err = U_ZERO_ERROR;
    UResourceBundle *const all = ures_openDirect(NULL, "metadata", &err);
    UResourceBundle *const alias = ures_getByKey(all, "alias", NULL, &err);
    UResourceBundle *const languages = ures_getByKey(alias, "language", NULL, &err);
    UResourceBundle *const row = ures_getByKey(languages, language, NULL, &err);
    int32_t len = 0;
    const UChar *const to = ures_getStringByKey(row, "replacement", &len, &err);
    if (U_SUCCESS(err) && len <= ISO_LEN) {
        u_UCharsToChars(to, language, len);
        language[len] = '\0';
    }
    ures_close(row);
    ures_close(languages);
    ures_close(alias);
    ures_close(all);
}

/* Returns whether the usual script includes a script: Jpan includes Hani. */
static bool includes(const char *usual, const char *script)
{
    static const char *const of_han[] = { "Hans", "Hant", "Jpan", "Kore" };
    if (!*usual || strcmp(usual, script) == 0)
        return true;
    for (size_t i = 0; i < sizeof of_han / sizeof *of_han; i++)
        if (strcmp(script, "Hani") == 0 && strcmp(usual, of_han[i]) == 0)
            return true;
    return strcmp(script, "Hang") == 0 && strcmp(usual, "Kore") == 0;
}

static void make_tag(const char *language, th_language_codes *codes)
{
    UErrorCode err = U_ZERO_ERROR;
    char preferred[LANGUAGE_MAX + 1], likely[ULOC_FULLNAME_CAPACITY] = "";
    char usual[ULOC_SCRIPT_CAPACITY] = "";
    (void)snprintf(preferred, sizeof preferred, "%s", language);
    prefer(preferred);
    (void)uloc_addLikelySubtags(preferred, likely, sizeof likely, &err);
    (void)uloc_getScript(likely, usual, sizeof usual, &err);
    if (U_FAILURE(err))
        *usual = '\0';
    const bool has_script = *codes->script && !includes(usual, codes->script);
    (void)snprintf(codes->tag, sizeof codes->tag, "%s%s%s", preferred,
                   has_script ? "-" : "", has_script ? codes->script : "");
}

th_language_codes th_language_codes_of(const char *name)
{
    th_language_codes codes = { .tag = "" };
    char language[LANGUAGE_MAX + 1], script[SCRIPT_LEN + 1];
    const size_t len = take_part(name, language, sizeof language);
    if (len)
        find_iso(language, len, codes.iso);
    if (!*codes.iso)
        return codes;
    if (name[len] && take_part(name + len + 1, script, sizeof script) == SCRIPT_LEN &&
        is_script(script))
        memcpy(codes.script, script, sizeof script);
    make_tag(language, &codes);
    return codes;
}

static bool is_language(const char *tag, const char *language)
{
    const size_t len = strlen(language);
    return strncmp(tag, language, len) == 0 && !th_is_letter(tag[len]);
}

/* Returns USCRIPT_COMMON for characters that are not letters of one script. */
static UScriptCode script_of(uint32_t c)
{
    UErrorCode err = U_ZERO_ERROR;
    if (c < 0x80) /* most of many texts */
        return th_is_letter((char)c) ? USCRIPT_LATIN : USCRIPT_COMMON;
    const UScriptCode script = uscript_getScript((UChar32)c, &err);
    const bool is_one = U_SUCCESS(err) && script > USCRIPT_INHERITED &&
                        script < USCRIPT_CODE_LIMIT && script != USCRIPT_UNKNOWN;
    return is_one ? script : USCRIPT_COMMON;
}

const char *th_language_script(th_view text, const char *tag)
{
    uint16_t counts[USCRIPT_CODE_LIMIT] = { 0 };
    unsigned letters = 0;
    UScriptCode best = USCRIPT_COMMON;
    for (size_t at = 0; at < text.len && letters < LETTERS_MAX;) {
        const UScriptCode script = script_of(th_utf8_next(text.data, &at));
        if (script == USCRIPT_COMMON)
            continue;
        letters++;
        if (++counts[script] > counts[best]) /* the first of equal ones */
            best = script;
    }
    const bool is_eastern = best == USCRIPT_HAN || best == USCRIPT_HIRAGANA ||
                            best == USCRIPT_KATAKANA || best == USCRIPT_HANGUL;
    if (is_eastern && is_language(tag, "ja"))
        return "Jpan";
    if (is_eastern && is_language(tag, "ko"))
        return "Hang";
    return letters ? uscript_getShortName(best) : "";
}

const char *th_language_label(th_arena *arena, const char *iso, const char *script)
{
    const size_t size = ISO_LEN + 1 + SCRIPT_LEN + 1;
    char *label = th_arena_alloc(arena, size);
    if (label)
        (void)snprintf(label, size, "%.3s%s%.4s", *iso ? iso : "und", *script ? "_" : "",
                       script);
    return label;
}
