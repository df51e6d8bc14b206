/* Finds the paragraph that is the headline. */
#include "write/page_headline.h"

#include <stdbool.h>
#include <string.h>

#include <unicode/uchar.h>

#include "base/unicode.h"

enum { FIRST_PARAGRAPHS = 6 /* of the content: where a headline may be plain text */ };

static bool is_letter(uint32_t c)
{
    return c < 0x80 ? th_is_alnum(c) : u_isalnum((UChar32)c);
}

/* Returns the next letter or digit from `at`, in lower case, or 0 if there is none. */
static uint32_t next_letter(th_view text, size_t *at)
{
    while (*at < text.len) {
        const uint32_t c = th_utf8_next(text.data, at);
        if (is_letter(c))
            return (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
    }
    return 0;
}

/* Whether two texts have the same letters and digits, at least one, ignoring case and
 * symbols. */
static bool is_same(th_view a, th_view b)
{
    size_t at_a = 0, at_b = 0, count = 0;
    for (;; count++) {
        const uint32_t one = next_letter(a, &at_a), other = next_letter(b, &at_b);
        if (one != other)
            return false;
        if (!one)
            return count;
    }
}

static bool is_shown(const th_paragraph *paragraph)
{
    return !paragraph->is_hidden && !paragraph->is_space_kept;
}

/* Returns the paragraph of the content with the words of the title, or TH_NONE. */
static uint32_t titled(const th_page *page, th_view title)
{
    uint32_t found = TH_NONE, contents = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        if (page->paragraph_label_of[i] != TH_CONTENT)
            continue;
        contents++;
        const bool is_heading = paragraph->kind == TH_PARAGRAPH_HEADING;
        const bool may_be = is_heading || (paragraph->kind == TH_PARAGRAPH_PLAIN &&
                                           contents <= FIRST_PARAGRAPHS);
        if (!may_be || !is_shown(paragraph) ||
            !is_same(th_paragraph_text(page, i), title))
            continue;
        if (is_heading && paragraph->level == 1)
            return i;
        if (found == TH_NONE)
            found = i;
    }
    return found;
}

/* Whether a text is the title, or a part of TITLE between two separators. */
static bool is_of_title(const th_page *page, th_view text)
{
    static const char *const separators[] = { " - ",
                                              " | ",
                                              " \xE2\x80\x93 ",
                                              " \xE2\x80\x94 ",
                                              " \xC2\xB7 ",
                                              " :: ",
                                              ": ",
                                              " \xC2\xBB ",
                                              NULL };
    if (is_same(text, page->metadata.title))
        return true;
    for (unsigned i = 0; separators[i]; i++) {
        const size_t len = strlen(separators[i]);
        th_view left = page->metadata.page_title;
        while (left.len) {
            const char *found = memmem(left.data, left.len, separators[i], len);
            const size_t part = found ? (size_t)(found - left.data) : left.len;
            if (is_same(text, (th_view){ left.data, part }))
                return true;
            const size_t step = found ? part + len : left.len;
            left = (th_view){ left.data + step, left.len - step };
        }
    }
    return false;
}

/* Returns the first paragraph of the content from `i`, or the count of paragraphs. */
static uint32_t next_content(const th_page *page, uint32_t i)
{
    while (i < page->paragraph_count && page->paragraph_label_of[i] != TH_CONTENT)
        i++;
    return i;
}

/* Returns the first heading among the first paragraphs of the content, or TH_NONE. */
static uint32_t first_heading(const th_page *page)
{
    uint32_t i = next_content(page, 0);
    for (unsigned k = 0; k < FIRST_PARAGRAPHS && i < page->paragraph_count; k++) {
        if (page->paragraphs[i].kind == TH_PARAGRAPH_HEADING)
            return i;
        i = next_content(page, i + 1);
    }
    return TH_NONE;
}

/* Whether a paragraph of plain text equals the part of TITLE after the first colon.
 * Doxygen writes the project's name before the colon, and the headline in a DIV. */
static bool is_part_behind_colon(const th_page *page, uint32_t number)
{
    const th_view title = page->metadata.page_title;
    const char *colon = title.len ? memmem(title.data, title.len, ": ", 2) : NULL;
    if (!colon || page->paragraphs[number].kind != TH_PARAGRAPH_PLAIN)
        return false;
    const size_t start = (size_t)(colon - title.data) + 2;
    return is_same(th_paragraph_text(page, number),
                   (th_view){ title.data + start, title.len - start });
}

/* Returns a paragraph directly before the content with the part of TITLE after the first
 * colon, or TH_NONE. */
static uint32_t before_content(const th_page *page, uint32_t first)
{
    enum { REACH = 4 };
    for (uint32_t i = first; i > 0 && first - i < REACH; i--)
        if (is_shown(&page->paragraphs[i - 1]) && is_part_behind_colon(page, i - 1))
            return i - 1;
    return TH_NONE;
}

/* Whether the content's first heading is the headline, because it is part of the title,
 * or the only one of the first level and the content follows no other headline. */
static bool heads(const th_page *page, uint32_t heading)
{
    uint32_t count = 0;
    if (is_of_title(page, th_paragraph_text(page, heading)))
        return true;
    if (before_content(page, next_content(page, 0)) != TH_NONE)
        return false;
    for (uint32_t i = heading; i < page->paragraph_count && count < 2; i++)
        count += page->paragraph_label_of[i] == TH_CONTENT &&
                 page->paragraphs[i].kind == TH_PARAGRAPH_HEADING &&
                 page->paragraphs[i].level == 1;
    return count == 1 && page->paragraphs[heading].level == 1;
}

/* Returns the heading of the first level outside the content with the words of the
 * title. */
static uint32_t outside(const th_page *page, th_view title)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (page->paragraphs[i].kind == TH_PARAGRAPH_HEADING &&
            page->paragraphs[i].level == 1 && is_shown(&page->paragraphs[i]) &&
            is_same(th_paragraph_text(page, i), title))
            return i;
    return TH_NONE;
}

/* Returns the next word from `at`; empty if there is none. A character of a script without
 * spaces is a word. */
static th_view next_word(th_view text, size_t *at)
{
    size_t start = text.len;
    while (*at < text.len) {
        const size_t before = *at;
        const uint32_t c = th_utf8_next(text.data, at);
        const bool is_word = is_letter(c) && th_is_unspaced(c);
        if (is_letter(c) && !is_word) {
            start = start < before ? start : before;
        } else if (start < before) {
            *at = before;
            return (th_view){ text.data + start, before - start };
        } else if (is_word) {
            return (th_view){ text.data + before, *at - before };
        }
    }
    return (th_view){ text.data + start, text.len - start };
}

static bool has_word(th_view text, th_view word)
{
    for (size_t at = 0; at < text.len;)
        if (is_same(next_word(text, &at), word))
            return true;
    return false;
}

/* Whether a text has all words of a title. */
static bool has_words(th_view text, th_view title)
{
    bool has_one = false;
    for (size_t at = 0; at < title.len;) {
        const th_view word = next_word(title, &at);
        if (word.len && !has_word(text, word))
            return false;
        has_one |= word.len > 0;
    }
    return has_one;
}

/* Returns the first part of a title, without names of a section and of the site that the
 * page does not state elsewhere. */
static th_view first_part(th_view title)
{
    static const char *const separators[] = { " - ", " | ", "_" };
    size_t end = title.len;
    for (unsigned i = 0; i < sizeof separators / sizeof *separators; i++) {
        const char *at = memmem(title.data, end, separators[i], strlen(separators[i]));
        end = at ? (size_t)(at - title.data) : end;
    }
    return (th_view){ title.data, end };
}

/* Whether the content begins with a heading that is the title with more words. A heading
 * in a post follows the line of the post. */
static bool begins_with_variant(const th_page *page, th_view title)
{
    enum { LONGEST = 300 /* bytes */, LOWEST = 2 /* level */ };
    const uint32_t first = next_content(page, 0);
    const th_paragraph *paragraph = &page->paragraphs[first];
    const th_view text = th_paragraph_text(page, first);
    return paragraph->kind == TH_PARAGRAPH_HEADING && paragraph->level <= LOWEST &&
           text.len <= LONGEST && title.len <= LONGEST &&
           !(page->thread && page->thread->post_of[first] != TH_NONE) &&
           (has_words(text, title) || has_words(text, first_part(title)));
}

static bool has_content(const th_page *page)
{
    return page->paragraph_count &&
           memchr(page->paragraph_label_of, TH_CONTENT, page->paragraph_count);
}

/* Removes the headline, and repetitions of it at the start, from the content. */
static void take_out(const th_page *page, uint8_t *label_of,
                     const th_page_headline *found, th_view words)
{
    uint32_t contents = 0;
    if (found->paragraph != TH_NONE)
        label_of[found->paragraph] = TH_BOILERPLATE;
    for (uint32_t i = 0; i < page->paragraph_count && contents < FIRST_PARAGRAPHS; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        if (page->paragraph_label_of[i] != TH_CONTENT)
            continue;
        contents++;
        if (is_shown(paragraph) &&
            (paragraph->kind == TH_PARAGRAPH_HEADING ||
             paragraph->kind == TH_PARAGRAPH_PLAIN) &&
            is_same(th_paragraph_text(page, i), words))
            label_of[i] = TH_BOILERPLATE;
    }
}

th_status th_page_headline_find(th_page *page, int is_wanted, th_page_headline *out)
{
    *out = (th_page_headline){ .paragraph = TH_NONE,
                               .title = { "", 0 },
                               .label_of = page->paragraph_label_of };
    if (!is_wanted || !has_content(page))
        return TH_OK;
    const th_view title = page->metadata.title;
    const uint32_t heading = first_heading(page);
    if (heading != TH_NONE && heads(page, heading)) {
        if (heading == next_content(page, 0))
            return TH_OK; /* the content begins with it */
        out->paragraph = heading;
    }
    if (out->paragraph == TH_NONE && is_part_behind_colon(page, next_content(page, 0)))
        out->paragraph = next_content(page, 0);
    if (out->paragraph == TH_NONE)
        out->paragraph = before_content(page, next_content(page, 0));
    if (out->paragraph == TH_NONE && title.len)
        out->paragraph = titled(page, title);
    if (out->paragraph == TH_NONE && title.len)
        out->paragraph = outside(page, title);
    if (out->paragraph == TH_NONE && title.len && !begins_with_variant(page, title))
        out->title = title;
    if (out->paragraph == TH_NONE && !out->title.len)
        return TH_OK;
    uint8_t *labels = th_arena_alloc(page->arena, page->paragraph_count);
    if (!labels)
        return TH_NOMEM;
    memcpy(labels, page->paragraph_label_of, page->paragraph_count);
    take_out(page, labels, out,
             out->paragraph == TH_NONE ? out->title
                                       : th_paragraph_text(page, out->paragraph));
    out->label_of = labels;
    return TH_OK;
}
