/*
 * Detects a page's languages by CLD2, by a user's model, or by both. CLD2 reads only
 * interchange-valid text. Control characters and noncharacters make it fail, so they are
 * first replaced by spaces, in a copy.
 */
#include "language/language.h"

#include <string.h>

#include <unicode/uloc.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "language/cld2.h"
#include "language/fasttext.h"
#include "language/language_codes.h"
#include "language/language_shares.h"

enum {
    LEAST = 16,    /* minimum bytes of a paragraph for CLD2 */
    HINT_MAX = 64, /* bytes of a hint: a language or two */
    TLD_MAX = 4,
    WINDOW = 32,       /* minimum bytes of a window of the sample */
    WINDOWS_MOST = 32, /* maximum windows: a page may be in two languages */
    WORD_MAX = 16,     /* bytes skipped in search of the beginning of a word */
    FIRST_LOOK = 4,    /* CLD2 gets a quarter of the sample first, */
    FIRST_LEAST = 256, /* at least 256 bytes, */
    SURE_LEAST = 90,   /* and all of it if fewer percent are surely in one language */
};

/* ---- codes ---- */

/* Codes of CLD2 that are outdated, or whose ISO 639-3 code differs from ICU's. The latter
 * are as Common Crawl writes them. English is most frequent, and ICU searches a list. */
static const struct {
    const char *code, *tag, *iso;
} odd_codes[] = {
    { "en", "en", "eng" },   { "iw", "he", "heb" },       { "jw", "jv", "jav" },
    { "blu", "hmn", "blu" }, { "sr-ME", "sr-ME", "srp" }, { "bh", "bh", "bih" },
};

static void name_language(th_language *language)
{
    for (size_t i = 0; i < sizeof odd_codes / sizeof *odd_codes; i++) {
        if (strcmp(odd_codes[i].code, language->tag) == 0) {
            language->tag = odd_codes[i].tag;
            language->iso = odd_codes[i].iso;
            return;
        }
    }
    language->iso = uloc_getISO3Language(language->tag);
}

/* ---- text ---- */

/* Returns whether CLD2 accepts a code point. */
static bool is_plain(uint32_t c)
{
    if (c < 0x20)
        return c == '\n' || c == '\t' || c == '\r';
    return c < 0x7F || (c > 0x9F && (c & 0xFFFE) != 0xFFFE && (c < 0xFDD0 || c > 0xFDEF));
}

/* Returns the length of the text's beginning, up to a code point's end. */
static size_t beginning(th_view text, size_t max)
{
    size_t len = text.len;
    if (len > max)
        for (len = max; len && ((unsigned char)text.data[len] & 0xC0) == 0x80;)
            len--;
    return len;
}

/* ---- sample ---- */

static bool is_content(const th_page *page, uint32_t paragraph)
{
    const uint8_t *labels = page->paragraph_label_of;
    return !labels || labels[paragraph] == TH_CONTENT;
}

/* Returns the bytes of the content, with one paragraph per line. */
static size_t content_len(const th_page *page)
{
    size_t len = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (is_content(page, i))
            len += page->paragraphs[i].text_len + (size_t)1;
    return len;
}

/* A position in the content. */
struct place {
    uint32_t paragraph;
    size_t passed; /* bytes of the content before the paragraph */
};

/* Moves to the paragraph that contains byte `at` of the content, which must exist. */
static void go_to(const th_page *page, struct place *place, size_t at)
{
    for (;; place->paragraph++) {
        const size_t len = page->paragraphs[place->paragraph].text_len + (size_t)1;
        if (!is_content(page, place->paragraph))
            continue;
        if (at < place->passed + len)
            return;
        place->passed += len;
    }
}

/* Copies bytes of the content that begin at `at`. @return their number */
static size_t copy_content(const th_page *page, struct place place, size_t at, size_t max,
                           char *out)
{
    size_t len = 0, from = at - place.passed;
    for (uint32_t i = place.paragraph; i < page->paragraph_count && len < max; i++) {
        if (!is_content(page, i))
            continue;
        const th_view text = th_paragraph_text(page, i);
        const size_t left = from < text.len ? text.len - from : 0;
        const size_t bytes = left < max - len ? left : max - len;
        if (bytes)
            memcpy(out + len, text.data + from, bytes);
        len += bytes;
        if (len < max)
            out[len++] = '\n';
        from = 0;
    }
    return len;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n';
}

/* Returns the start of a window's first word, or its first code point if no space is
 * near. */
static size_t first_word(const char *window, size_t len)
{
    for (size_t i = 0; i < WORD_MAX && i < len; i++)
        if (is_space(window[i]))
            return i + 1;
    size_t at = 0;
    while (at < len && ((unsigned char)window[at] & 0xC0) == 0x80)
        at++;
    return at;
}

/* Returns the end of a window's last complete word, or its last code point if no space is
 * near. */
static size_t last_word(const char *window, size_t len)
{
    for (size_t i = len; i > len * 2 / 3; i--)
        if (is_space(window[i - 1]))
            return i - 1;
    return th_utf8_valid(window, len);
}

/*
 * Returns a sample of at most `max` bytes of the content: evenly spaced windows, one per
 * line. Long paragraphs get most windows, and each language gets its share.
 */
static th_view sample(const th_page *page, size_t max)
{
    const size_t all = content_len(page);
    char *out = th_arena_alloc(page->arena, (all < max ? all : max) + WORD_MAX + 1);
    struct place place = { 0, 0 };
    size_t len = 0;
    if (!out)
        return (th_view){ NULL, 0 };
    if (all <= max)
        return (th_view){ out, copy_content(page, place, 0, all, out) };
    size_t count = max / WINDOW;
    count = count < 1 ? 1 : count > WINDOWS_MOST ? WINDOWS_MOST : count;
    const size_t window = max / count - 1;
    for (size_t i = 0; i < count; i++) {
        const size_t at = all * i / count;
        go_to(page, &place, at);
        char *const here = out + len;
        const size_t got = copy_content(page, place, at, window + WORD_MAX, here);
        const size_t start = i ? first_word(here, got) : 0;
        const size_t rest = got - start < window ? got - start : window;
        const size_t kept = last_word(here + start, rest);
        memmove(here, here + start, kept);
        here[kept] = '\n';
        len += kept + 1;
    }
    return (th_view){ out, len };
}

/* Returns the beginning of a text, with spaces for characters that CLD2 rejects. CLD2 reads
 * several bytes at once, so spaces follow the copy. */
static th_view cleaned(th_arena *arena, th_view text, size_t max)
{
    enum { BEHIND = 8 };
    const size_t len = beginning(text, max);
    char *copy = th_arena_alloc(arena, len + BEHIND);
    if (!copy)
        return (th_view){ NULL, 0 };
    memcpy(copy, text.data, len);
    memset(copy + len, ' ', BEHIND);
    for (size_t at = 0; at < len;) {
        const size_t start = at;
        if (!is_plain(th_utf8_next(copy, &at)))
            memset(copy + start, ' ', at - start);
    }
    return (th_view){ copy, len };
}

/* ---- hints ---- */

/* Appends a list of languages. A list longer than a language or two is ignored. */
static void add_hint(char hint[2 * HINT_MAX + 2], th_view languages)
{
    const size_t len = strlen(hint);
    if (!languages.len || languages.len > HINT_MAX)
        return;
    char *at = hint + len;
    if (len)
        *at++ = ',';
    for (size_t i = 0; i < languages.len; i++) {
        const char c = languages.data[i];
        const bool is_kept = th_is_letter(c) || th_is_digit(c) || c == '-' || c == ',';
        *at = ' ';
        if (is_kept)
            *at = c;
        at++;
    }
    *at = '\0';
}

/* Finds the last label of the URL's host, "" if there is none. */
static void find_tld(th_view url, char tld[TLD_MAX + 1])
{
    const char *start = url.data ? memmem(url.data, url.len, "://", 3) : NULL;
    const char *const end = url.data + url.len;
    size_t len = 0;
    *tld = '\0';
    if (!start)
        return;
    start += 3;
    const char *stop = start;
    while (stop < end && *stop && !strchr("/?#:", *stop))
        stop++;
    while (len < TLD_MAX && stop > start && th_is_letter(stop[-1])) {
        stop--;
        len++;
    }
    if (stop == start || stop[-1] != '.')
        return;
    for (size_t i = 0; i < len; i++)
        tld[i] = th_lower(stop[i]);
    tld[len] = '\0';
}

/* ---- detectors ---- */

/* A probability from which a model's label is sure: no other can be as probable. */
static const double sure_min = .5;

static bool is_model_first(const th_options *opt)
{
    return strcmp(opt->language_detector, "fasttext") == 0;
}

bool th_language_is_wanted(const th_options *opt)
{
    return is_model_first(opt) ||
           (th_cld2_is_built && strcmp(opt->language_detector, "none") != 0);
}

th_status th_language_check(const th_options *opt, th_error *err)
{
    if (th_cld2_is_built || strcmp(opt->language_detector, "cld2") != 0)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "language-detector: this program was built without CLD2");
}

static th_status detect(th_page *page, th_view text, size_t max,
                        const th_cld2_hints *hints, th_languages *out)
{
    const th_arena_mark mark = th_arena_get_mark(page->arena);
    const th_view copy = cleaned(page->arena, text, max);
    const th_status status = copy.data ? th_cld2_detect(copy, hints, out) : TH_NOMEM;
    th_arena_rewind(page->arena, mark);
    for (uint32_t i = 0; status == TH_OK && i < out->count; i++)
        name_language(&out->of[i]);
    return status;
}

/* Runs the user's model. A label without a script gets the script of the text. */
static th_status query_model(const th_fasttext *model, th_view text,
                             th_second_language *out)
{
    const th_status status = th_fasttext_detect(model, text, out);
    if (status == TH_OK && out->name && *out->iso && !*out->script)
        out->script = th_language_script(text, out->tag);
    return status;
}

/* Returns the script of a text in a language of CLD2, whose tags of Chinese imply it. */
static const char *script_by_cld2(const char *tag, th_view text)
{
    return strcmp(tag, "zh") == 0        ? "Hans"
           : strcmp(tag, "zh-Hant") == 0 ? "Hant"
                                         : th_language_script(text, tag);
}

/* ---- paragraphs ---- */

/* The language of one paragraph by the first detector. */
struct found {
    const char *name; /* the model's label; NULL if there is none */
    const char *tag, *iso, *script;
    double score;
    bool is_sure;
};

static th_status detect_paragraph(th_page *page, uint32_t paragraph,
                                  const th_options *opt, const th_cld2_hints *hints,
                                  struct found *out)
{
    const th_view all = th_paragraph_text(page, paragraph);
    const th_view text = { all.data, beginning(all, opt->language_bytes) };
    th_second_language by_model;
    th_languages by_cld2;
    *out = (struct found){ .iso = "", .script = "" };
    if (is_model_first(opt)) {
        const th_status status = query_model(opt->fasttext, text, &by_model);
        if (status == TH_OK && by_model.name)
            *out = (struct found){ by_model.name,  by_model.tag,
                                   by_model.iso,   by_model.script,
                                   by_model.score, by_model.score >= sure_min };
        return status;
    }
    if (text.len < LEAST)
        return TH_OK;
    const th_status status = detect(page, text, text.len, hints, &by_cld2);
    if (status == TH_OK && by_cld2.count) {
        const th_language *const first = &by_cld2.of[0];
        *out = (struct found){ .tag = first->tag,
                               .iso = first->iso,
                               .script = script_by_cld2(first->tag, text),
                               .is_sure = by_cld2.is_sure };
    }
    return status;
}

/* Appends the language of a paragraph of the content. */
static th_status add_paragraph(th_page *page, uint32_t paragraph,
                               const struct found *found)
{
    const bool is_label = found->name && !*found->iso;
    const char *const label =
        is_label     ? found->name
        : found->tag ? th_language_label(page->arena, found->iso, found->script)
                     : "und";
    page->paragraph_languages[page->paragraph_language_count++] =
        (th_paragraph_language){ .paragraph = paragraph,
                                 .is_sure = found->is_sure,
                                 .has_score = found->name != NULL,
                                 .label = label,
                                 .score = found->score < 1 ? found->score : 1 };
    return label ? TH_OK : TH_NOMEM;
}

static th_status detect_paragraphs(th_page *page, const th_options *opt,
                                   const th_cld2_hints *hints)
{
    const bool has_all = opt->emit & TH_EMIT_LANGUAGES;
    const uint32_t count = page->paragraph_count;
    th_status status = TH_OK;
    page->paragraph_language_count = 0;
    page->paragraph_languages =
        th_arena_calloc(page->arena, count, sizeof *page->paragraph_languages);
    if (has_all)
        page->language_of =
            th_arena_calloc(page->arena, count, sizeof *page->language_of);
    if (!page->paragraph_languages || (has_all && !page->language_of))
        return TH_NOMEM;
    for (uint32_t i = 0; status == TH_OK && i < count; i++) {
        struct found found;
        const bool is_listed = is_content(page, i);
        if (!is_listed && !has_all)
            continue;
        status = detect_paragraph(page, i, opt, hints, &found);
        if (has_all && found.is_sure && *found.tag)
            page->language_of[i] = found.tag;
        if (status == TH_OK && is_listed)
            status = add_paragraph(page, i, &found);
    }
    return status == TH_OK && has_all ? th_language_shares_fill(page) : status;
}

/* ---- the stage ---- */

/* Runs the user's model on the sample. If it is the first detector, its label is also the
 * language of the page. */
static th_status ask_model(th_page *page, const th_options *opt)
{
    const th_view text = sample(page, opt->language_bytes);
    th_second_language *found = th_arena_calloc(page->arena, 1, sizeof *found);
    th_languages *languages = th_arena_calloc(page->arena, 1, sizeof *languages);
    if (!text.data || !found || !languages)
        return TH_NOMEM;
    const th_status status = query_model(opt->fasttext, text, found);
    page->second_language = found->name ? found : NULL;
    if (!is_model_first(opt))
        return status;
    page->languages = languages;
    languages->bytes = (uint32_t)text.len;
    if (!found->name)
        return status;
    languages->of[0].tag = *found->tag ? found->tag : found->name;
    languages->of[0].iso = found->iso;
    languages->count = 1;
    languages->is_sure = found->score >= sure_min;
    return status;
}

/* Returns whether a short sample was enough. */
static bool is_clear(const th_languages *found)
{
    return found->is_sure && found->count && found->of[0].percent >= SURE_LEAST;
}

/* Runs CLD2 on the sample, with the page's own statements as hints. */
static th_status ask_cld2(th_page *page, const th_options *opt,
                          const th_cld2_hints *hints)
{
    const size_t max = opt->language_bytes;
    th_languages *found = th_arena_calloc(page->arena, 1, sizeof *found);
    const size_t first = max / FIRST_LOOK < FIRST_LEAST ? FIRST_LEAST : max / FIRST_LOOK;
    const th_view few = sample(page, first < max ? first : max);
    if (!found || !few.data)
        return TH_NOMEM;
    th_status status = detect(page, few, max, hints, found);
    if (status == TH_OK && !is_clear(found)) {
        const th_view all = sample(page, max);
        if (!all.data)
            status = TH_NOMEM;
        else if (all.len > few.len)
            status = detect(page, all, max, hints, found);
    }
    page->languages = found;
    return status;
}

th_status th_language_page(th_page *page, const th_options *opt, th_view http_language,
                           th_view url)
{
    const bool is_wanted = th_language_is_wanted(opt);
    const bool asks_cld2 = is_wanted && !is_model_first(opt);
    if (!asks_cld2 && !opt->fasttext)
        return TH_OK;
    char languages[2 * HINT_MAX + 2] = "", tld[TLD_MAX + 1];
    add_hint(languages, page->metadata.language);
    add_hint(languages, http_language);
    find_tld(url, tld);
    const th_cld2_hints hints = { *languages ? languages : NULL, *tld ? tld : NULL };
    th_status status = asks_cld2 ? ask_cld2(page, opt, &hints) : TH_OK;
    if (status == TH_OK && opt->fasttext)
        status = ask_model(page, opt);
    if (status == TH_OK && is_wanted &&
        opt->emit & (TH_EMIT_LANGUAGES | TH_EMIT_PARAGRAPH_LANGUAGES))
        status = detect_paragraphs(page, opt, &hints);
    return status;
}
