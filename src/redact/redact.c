/*
 * The redact stage. See the header.
 *
 * The page's text is one string, and all columns refer to it by offset. The stage collects
 * the matches of all paragraphs, writes a new string, and moves the offsets. An offset
 * inside a match moves to the end of its marker, so a marker is never divided.
 */
#include "redact/redact.h"

#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/unicode.h"
#include "redact/personal_data.h"
#include "thresher/minhash.h"

/* A match in the page's text, and the place of its marker. */
struct cut {
    uint32_t start, end;   /* bytes in the old text */
    uint32_t new_end;      /* bytes in the new text, after the marker */
    int64_t chars_changed; /* by this match and all before it: new code points - old */
    uint8_t kind;
};

struct redaction {
    th_page *page;
    uint32_t kinds;
    struct cut *cuts;
    uint32_t count, capacity;
};

th_view th_redact_marker(unsigned kind)
{
    static const char *const markers[TH_REDACT_COUNT] = {
        [TH_REDACT_BIT_EMAIL] = "EMAIL-REDACTED",
        [TH_REDACT_BIT_IP] = "IP-REDACTED",
        [TH_REDACT_BIT_PHONE] = "PHONE-REDACTED",
    };
    return (th_view){ markers[kind], strlen(markers[kind]) };
}

/* ---- the text of the page ---- */

static bool add_cut(struct redaction *r, uint32_t base, const th_personal_match *match)
{
    if (!TH_ARENA_HAS_CAPACITY(r->page->arena, r->cuts, r->count, r->capacity))
        return false;
    r->cuts[r->count++] = (struct cut){ .start = base + (uint32_t)match->start,
                                        .end = base + (uint32_t)match->end,
                                        .kind = (uint8_t)match->kind };
    r->page->redacted[match->kind]++;
    return true;
}

static bool find_cuts(struct redaction *r)
{
    for (uint32_t i = 0; i < r->page->paragraph_count; i++) {
        th_personal_search search = { .text = th_paragraph_text(r->page, i),
                                      .kinds = r->kinds };
        th_personal_match match;
        while (th_personal_next(&search, &match))
            if (!add_cut(r, r->page->paragraphs[i].text_start, &match))
                return false;
    }
    return true;
}

/* Writes the new text, and the places of the markers. */
static th_status write_text(struct redaction *r)
{
    th_page *page = r->page;
    uint64_t len = page->text.len;
    for (uint32_t i = 0; i < r->count; i++)
        len +=
            th_redact_marker(r->cuts[i].kind).len - (r->cuts[i].end - r->cuts[i].start);
    if (len > UINT32_MAX)
        return TH_TOO_LARGE;
    char *out = th_arena_alloc(page->arena, (size_t)len + 1);
    if (!out)
        return TH_NOMEM;
    size_t at = 0, from = 0;
    int64_t chars = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        struct cut *cut = &r->cuts[i];
        const th_view marker = th_redact_marker(cut->kind);
        memcpy(out + at, page->text.data + from, cut->start - from);
        at += cut->start - from;
        memcpy(out + at, marker.data, marker.len);
        at += marker.len;
        from = cut->end;
        chars +=
            (int64_t)marker.len -
            (int64_t)th_utf8_count(page->text.data + cut->start, cut->end - cut->start);
        cut->new_end = (uint32_t)at;
        cut->chars_changed = chars;
    }
    memcpy(out + at, page->text.data + from, page->text.len - from);
    page->text = (th_view){ out, (size_t)len };
    page->text_chars = (uint32_t)(page->text_chars + chars);
    return TH_OK;
}

/* Returns the last match that starts before an offset, or NULL. */
static const struct cut *cut_before(const struct redaction *r, uint32_t offset)
{
    const uint32_t after = th_first_from(r->cuts, r->count, sizeof *r->cuts,
                                         offsetof(struct cut, start), offset);
    return after ? &r->cuts[after - 1] : NULL;
}

static uint32_t moved(const struct redaction *r, uint32_t offset)
{
    const struct cut *cut = cut_before(r, offset);
    if (!cut)
        return offset;
    return offset < cut->end ? cut->new_end : offset - cut->end + cut->new_end;
}

/* Moves a start and a length. */
static void move_range(const struct redaction *r, uint32_t *start, uint32_t *len)
{
    const uint32_t end = moved(r, *start + *len);
    *start = moved(r, *start);
    *len = end - *start;
}

/* Moves a range of the text in bytes and in code points. */
static void move_text(const struct redaction *r, th_view old_text, uint32_t *start,
                      uint32_t *len, uint32_t *char_start, uint32_t *char_len)
{
    const uint32_t old[2] = { *start, *start + *len };
    const uint32_t old_chars[2] = { *char_start, *char_start + *char_len };
    uint32_t chars[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct cut *cut = cut_before(r, old[i]);
        /* The code points from inside the match to its end belong to the marker. */
        const size_t inside =
            cut && old[i] < cut->end
                ? th_utf8_count(old_text.data + old[i], cut->end - old[i])
                : 0;
        chars[i] =
            (uint32_t)(old_chars[i] + (int64_t)inside + (cut ? cut->chars_changed : 0));
    }
    move_range(r, start, len);
    *char_start = chars[0];
    *char_len = chars[1] - chars[0];
}

/* Moves runs. A run without text is dropped, because the next one starts there too. */
static void move_runs(const struct redaction *r)
{
    th_page *page = r->page;
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->run_count; i++) {
        th_style_run run = page->runs[i];
        run.start = moved(r, run.start);
        if (count && page->runs[count - 1].paragraph == run.paragraph &&
            page->runs[count - 1].start == run.start)
            count--;
        page->runs[count++] = run;
    }
    page->run_count = count;
}

static void move_offsets(const struct redaction *r, th_view old_text)
{
    th_page *page = r->page;
    for (uint32_t i = 0; i < page->block_count; i++) {
        th_block *block = &page->blocks[i];
        move_text(r, old_text, &block->text_start, &block->text_len, &block->char_start,
                  &block->char_len);
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        th_paragraph *paragraph = &page->paragraphs[i];
        move_text(r, old_text, &paragraph->text_start, &paragraph->text_len,
                  &paragraph->char_start, &paragraph->char_len);
    }
    for (uint32_t i = 0; i < page->inset_count; i++)
        move_range(r, &page->insets[i].start, &page->insets[i].len);
    for (uint32_t i = 0; i < page->link_count; i++)
        if (page->links[i].anchor_len)
            move_range(r, &page->links[i].anchor_start, &page->links[i].anchor_len);
    move_runs(r);
}

/* The site stage has normalised the paragraphs: repeats it for paragraphs with matches. */
static th_status normalise_again(const struct redaction *r)
{
    th_page *page = r->page;
    uint32_t cut = 0;
    for (uint32_t i = 0; page->paragraph_words && i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        const uint32_t end = paragraph->text_start + paragraph->text_len;
        if (cut == r->count || r->cuts[cut].new_end > end)
            continue;
        while (cut < r->count && r->cuts[cut].new_end <= end)
            cut++;
        page->paragraph_words[i] = th_normalise(th_paragraph_text(page, i), page->arena);
        if (!page->paragraph_words[i].data)
            return TH_NOMEM;
    }
    return TH_OK;
}

static th_status redact_text(struct redaction *r)
{
    const th_view old_text = r->page->text;
    if (!find_cuts(r))
        return TH_NOMEM;
    if (!r->count)
        return TH_OK;
    const th_status status = write_text(r);
    if (status != TH_OK)
        return status;
    move_offsets(r, old_text);
    return normalise_again(r);
}

/* ---- other texts ---- */

/* Replaces matches of these kinds in a text that the page refers to. */
static th_status redact_view(const struct redaction *r, uint32_t kinds, th_view *text)
{
    th_personal_search search = { .text = *text, .kinds = kinds };
    th_personal_match match;
    char *out = NULL;
    size_t len = 0, from = 0;
    while (text->data && th_personal_next(&search, &match)) {
        const th_view marker = th_redact_marker(match.kind);
        const size_t rest = text->len - match.start;
        const size_t need = len + (match.start - from) + marker.len + rest;
        out = th_arena_grow(r->page->arena, out, len, need);
        if (!out)
            return TH_NOMEM;
        memcpy(out + len, text->data + from, match.start - from);
        len += match.start - from;
        memcpy(out + len, marker.data, marker.len);
        len += marker.len;
        from = match.end;
        r->page->redacted[match.kind]++;
    }
    if (!out)
        return TH_OK;
    memcpy(out + len, text->data + from, text->len - from);
    *text = (th_view){ out, len + text->len - from };
    return TH_OK;
}

/* Replaces a telephone number that is the whole of a URL: tel:+44-20-7946-0958. */
static th_status redact_number_url(const struct redaction *r, th_view *url, size_t scheme)
{
    const th_view marker = th_redact_marker(TH_REDACT_BIT_PHONE);
    char *out = th_arena_alloc(r->page->arena, scheme + marker.len);
    if (!out)
        return TH_NOMEM;
    memcpy(out, url->data, scheme);
    memcpy(out + scheme, marker.data, marker.len);
    *url = (th_view){ out, scheme + marker.len };
    r->page->redacted[TH_REDACT_BIT_PHONE]++;
    return TH_OK;
}

static th_status redact_url(const struct redaction *r, th_view *url)
{
    static const char *const schemes[] = { "tel:", "sms:", "callto:", "fax:" };
    for (size_t i = 0; url->len && i < sizeof schemes / sizeof *schemes; i++)
        if ((r->kinds & TH_REDACT_PHONE) && th_ascii_starts_with(*url, schemes[i]))
            return redact_number_url(r, url, strlen(schemes[i]));
    /* Numbers of a path look like telephone numbers. */
    return redact_view(r, r->kinds & ~(uint32_t)TH_REDACT_PHONE, url);
}

static th_status redact_metadata(const struct redaction *r, th_metadata *facts)
{
    th_view *const texts[] = { &facts->title, &facts->page_title, &facts->author,
                               &facts->description, &facts->site_name };
    th_status status = TH_OK;
    for (size_t i = 0; status == TH_OK && i < sizeof texts / sizeof *texts; i++)
        status = redact_view(r, r->kinds, texts[i]);
    return status;
}

static th_status redact_others(const struct redaction *r)
{
    th_page *page = r->page;
    th_status status = redact_metadata(r, &page->metadata);
    for (uint32_t i = 0; status == TH_OK && i < page->link_count; i++)
        status = redact_url(r, &page->links[i].url);
    for (uint32_t i = 0; status == TH_OK && i < page->inset_count; i++) {
        status = redact_view(r, r->kinds, &page->insets[i].words);
        if (status == TH_OK)
            status = redact_url(r, &page->insets[i].url);
    }
    for (uint32_t i = 0; status == TH_OK && page->thread && i < page->thread->count;
         i++) {
        status = redact_view(r, r->kinds, &page->thread->posts[i].author);
        if (status == TH_OK)
            status = redact_view(r, r->kinds, &page->thread->posts[i].quote_of);
    }
    return status;
}

th_status th_redact_page(th_page *page, const th_options *opt)
{
    if (!opt->redact)
        return TH_OK;
    struct redaction r = { .page = page, .kinds = opt->redact };
    const th_status status = redact_text(&r);
    return status == TH_OK ? redact_others(&r) : status;
}
