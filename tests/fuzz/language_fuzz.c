/*
 * Any bytes as text, hints and URL of a page: the result is within its ranges and the same
 * twice. Bytes that are not UTF-8 have no language.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "fuzz_target.h"
#include "language/cld2.h"
#include "language/language.h"
#include "make_page.h"
#include "thresher/arena.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

static void hold_languages(const th_languages *found)
{
    uint32_t percent = 0;
    hold(found->count <= TH_LANGUAGES_MAX);
    for (uint32_t i = 0; i < found->count; i++) {
        hold(found->of[i].tag && *found->of[i].tag);
        hold(found->of[i].percent >= 1 && found->of[i].percent <= 100);
        percent += found->of[i].percent;
    }
    hold(percent <= 101); /* each is rounded */
    hold(!found->is_sure || found->count);
}

/* Allocated without an arena, so that a sanitizer detects an overrun. */
static void detect(th_view bytes)
{
    static const th_cld2_hints none = { NULL, NULL };
    th_languages once, twice;
    if (th_cld2_detect(bytes, &none, &once) != TH_OK)
        return; /* it is not built in */
    hold(th_cld2_detect(bytes, &none, &twice) == TH_OK);
    hold_languages(&once);
    hold(once.count == twice.count && once.bytes == twice.bytes);
    for (uint32_t i = 0; i < once.count; i++)
        hold(once.of[i].tag == twice.of[i].tag && once.of[i].score == twice.of[i].score);
    hold(th_utf8_valid(bytes.data, bytes.len) == bytes.len || once.count == 0);
}

/* Shares are exact, so their sum is. */
static void hold_paragraphs(const th_page *page)
{
    long sum = 0;
    hold(page->paragraph_language_count == 1 && page->language_share_count <= 1);
    hold(strlen(page->paragraph_languages[0].label) >= 3);
    hold(strlen(page->paragraph_languages[0].label) <= 8);
    for (uint32_t i = 0; i < page->language_share_count; i++)
        sum += (long)(page->language_shares[i].share * 10000 + .5);
    hold(!page->language_share_count || sum == 10000);
}

/* The first line is the hint, the second the URL, the rest the page. */
static void read_page(th_view bytes, th_arena *arena)
{
    th_view lines[2] = { { NULL, 0 }, { NULL, 0 } };
    for (int i = 0; i < 2; i++) {
        const char *end = bytes.len ? memchr(bytes.data, '\n', bytes.len) : NULL;
        if (!end)
            return;
        lines[i] = (th_view){ bytes.data, (size_t)(end - bytes.data) };
        bytes.data += lines[i].len + 1;
        bytes.len -= lines[i].len + 1;
    }
    if (!bytes.len || th_utf8_valid(bytes.data, bytes.len) != bytes.len)
        return;
    const struct block_part part = { .text = bytes };
    th_page *page = make_page_of_parts(arena, &part, 1);
    uint8_t labels[] = { TH_CONTENT };
    th_options opt;
    th_options_init(&opt);
    opt.emit = TH_EMIT_LANGUAGES | TH_EMIT_PARAGRAPH_LANGUAGES;
    opt.language_bytes = 512;
    page->paragraph_label_of = labels;
    hold(th_language_page(page, &opt, lines[0], lines[1]) == TH_OK);
    if (page->languages)
        hold_languages(page->languages);
    if (page->languages)
        hold_paragraphs(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_arena *arena = th_arena_new(0);
    const th_view bytes = { (const char *)data, size };
    hold(arena != NULL);
    if (size) /* an empty text has no pointer that need be valid */
        detect(bytes);
    read_page(bytes, arena);
    th_arena_free(arena);
    return 0;
}
