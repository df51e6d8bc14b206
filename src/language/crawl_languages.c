/*
 * {"reliable":true,"text-bytes":3080,"languages":[{"code":"es","code-iso-639-3":"spa",
 * "text-covered":0.69,"score":335.0,"name":"SPANISH"}]}
 *
 * Members may be in any order. Unknown members are skipped.
 */
#include "language/crawl_languages.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_reader.h"

enum { CODE_MAX = 16, NUMBER_MAX = 32 };

struct walk {
    th_json_reader json;
    th_arena *arena;
    th_status status; /* TH_NOMEM if out of memory */
};

/* Returns a language's code, or NULL if it is invalid. */
static const char *take_code(struct walk *walk, size_t min, size_t max)
{
    if (th_json_read(&walk->json) != TH_JSON_STRING)
        return NULL;
    const th_view text = walk->json.text;
    if (text.len < min || text.len > max)
        return NULL;
    for (size_t i = 0; i < text.len; i++)
        if (!th_is_letter(text.data[i]) && !th_is_digit(text.data[i]) &&
            text.data[i] != '-')
            return NULL;
    char *copy = th_arena_alloc(walk->arena, text.len + 1);
    if (!copy) {
        walk->status = TH_NOMEM;
        return NULL;
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return copy;
}

/* Reads a number within its range. Returns false if it is invalid. */
static bool take_number(struct walk *walk, double max, double *out)
{
    char digits[NUMBER_MAX];
    if (th_json_read(&walk->json) != TH_JSON_NUMBER || walk->json.text.len >= NUMBER_MAX)
        return false;
    memcpy(digits, walk->json.text.data, walk->json.text.len);
    digits[walk->json.text.len] = '\0';
    *out = strtod(digits, NULL);
    return *out >= 0 && *out <= max;
}

static bool take_language(struct walk *walk, th_language *out)
{
    double number = 0;
    *out = (th_language){ .iso = "" };
    for (;;) {
        const th_json_token token = th_json_read(&walk->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            return out->tag != NULL;
        if (token != TH_JSON_KEY)
            return false;
        if (th_json_text_is(&walk->json, "code")) {
            out->tag = take_code(walk, 2, CODE_MAX);
            if (!out->tag)
                return false;
        } else if (th_json_text_is(&walk->json, "code-iso-639-3")) {
            out->iso = take_code(walk, 3, 3);
            if (!out->iso)
                return false;
        } else if (th_json_text_is(&walk->json, "text-covered")) {
            if (!take_number(walk, 1, &number))
                return false;
            out->percent = (uint8_t)(number * 100 + 0.5);
        } else if (th_json_text_is(&walk->json, "score")) {
            if (!take_number(walk, UINT32_MAX, &number))
                return false;
            out->score = (uint32_t)number;
        } else if (!th_json_skip(&walk->json)) {
            return false;
        }
    }
}

static bool take_list(struct walk *walk, th_languages *out)
{
    if (th_json_read(&walk->json) != TH_JSON_OPEN_ARRAY)
        return false;
    for (;;) {
        th_language language;
        const th_json_token token = th_json_read(&walk->json);
        if (token == TH_JSON_CLOSE_ARRAY)
            return true;
        if (token != TH_JSON_OPEN_OBJECT || !take_language(walk, &language))
            return false;
        if (out->count < TH_LANGUAGES_MAX)
            out->of[out->count++] = language;
    }
}

/* Returns true for a complete document in the form above. */
static bool take_document(struct walk *walk, th_languages *out)
{
    double number = 0;
    if (th_json_read(&walk->json) != TH_JSON_OPEN_OBJECT)
        return false;
    for (;;) {
        const th_json_token token = th_json_read(&walk->json);
        if (token == TH_JSON_CLOSE_OBJECT)
            return th_json_read(&walk->json) == TH_JSON_DONE;
        if (token != TH_JSON_KEY)
            return false;
        if (th_json_text_is(&walk->json, "reliable")) {
            if (th_json_read(&walk->json) != TH_JSON_LITERAL)
                return false;
            out->is_sure = th_json_text_is(&walk->json, "true");
        } else if (th_json_text_is(&walk->json, "text-bytes")) {
            if (!take_number(walk, UINT32_MAX, &number))
                return false;
            out->bytes = (uint32_t)number;
        } else if (th_json_text_is(&walk->json, "languages")) {
            if (!take_list(walk, out))
                return false;
        } else if (!th_json_skip(&walk->json)) {
            return false;
        }
    }
}

static th_agreement compare(const th_languages *found, const th_languages *stated)
{
    if (!found || !found->count || !found->is_sure || !stated->is_sure)
        return TH_NOT_COMPARED;
    const th_language *const a = &found->of[0], *const b = &stated->of[0];
    const bool is_same =
        *a->iso && *b->iso ? strcmp(a->iso, b->iso) == 0 : strcmp(a->tag, b->tag) == 0;
    return is_same ? TH_SAME_LANGUAGE : TH_OTHER_LANGUAGE;
}

th_status th_language_crawl(th_page *page, th_view stated)
{
    struct walk walk = { .arena = page->arena, .status = TH_OK };
    if (!stated.len)
        return TH_OK;
    th_languages *languages = th_arena_calloc(page->arena, 1, sizeof *languages);
    if (!languages)
        return TH_NOMEM;
    th_json_reader_init(&walk.json, stated);
    const bool is_whole = take_document(&walk, languages);
    if (walk.status != TH_OK || !is_whole || !languages->count)
        return walk.status;
    languages->has_shares = 1;
    page->crawl_languages = languages;
    page->crawl_agreement = compare(page->languages, languages);
    return TH_OK;
}
