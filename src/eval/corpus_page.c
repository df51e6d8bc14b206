/*
 * Reads a line of pages.jsonl.gz. Needed strings are copied into one buffer, which has
 * the size of the line, so it never moves.
 */
#include "eval/corpus_page.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_events.h"
#include "eval/base64.h"

/* Members of the page, by key. */
enum member {
    OTHER,
    ID,
    URL,
    ENCODING,
    HTML,
    HTML_TEXT,
    GOLD,
    PAGE_TYPE,
    LANGUAGE,
    GENERATOR,
    WITH,
    WITHOUT,
    REQUIRED,
    MEMBER_COUNT
};

static const char *const member_names[MEMBER_COUNT] = {
    [ID] = "id",
    [URL] = "url",
    [ENCODING] = "encoding",
    [HTML] = "html_b64",
    [HTML_TEXT] = "html",
    [GOLD] = "gold_text",
    [PAGE_TYPE] = "page_type",
    [LANGUAGE] = "lang",
    [GENERATOR] = "generator",
    [WITH] = "with",
    [WITHOUT] = "without",
    [REQUIRED] = "required",
};

struct reading {
    th_corpus_page *page;
    th_view text;   /* the page's source, where it is text */
    uint32_t depth; /* open containers */
    enum member member;
    const char *too_many; /* the limit that the page exceeds, or NULL */
};

void th_corpus_page_done(th_corpus_page *page)
{
    th_buffer_done(&page->strings);
}

static th_view keep(th_corpus_page *page, th_view text)
{
    const size_t start = page->strings.len;
    th_buffer_append(&page->strings, text.data, text.len);
    return page->strings.has_failed ? (th_view){ NULL, 0 }
                                    : (th_view){ page->strings.data + start, text.len };
}

static void add_snippet(th_view *list, uint32_t *count, th_view text)
{
    if (*count < TH_SNIPPETS_MAX)
        list[(*count)++] = text;
}

static void take_text(struct reading *reading, th_view text)
{
    th_corpus_page *page = reading->page;
    switch (reading->member) {
    case ID:
        page->id = text;
        break;
    case URL:
        page->url = text;
        break;
    case ENCODING:
        page->encoding = text;
        break;
    case HTML:
        page->html = text;
        break;
    case HTML_TEXT:
        reading->text = text;
        break;
    case GOLD:
        page->gold = text;
        break;
    case PAGE_TYPE:
        page->groups[TH_BY_PAGE_TYPE] = text;
        break;
    case LANGUAGE:
        page->groups[TH_BY_LANGUAGE] = text;
        break;
    case GENERATOR:
        page->groups[TH_BY_GENERATOR] = text;
        break;
    default:
        break;
    }
}

/* Begins the lines of a kind. */
static bool add_required_kind(struct reading *reading, th_view kind)
{
    th_corpus_page *page = reading->page;
    if (page->required_kind_count == TH_REQUIRED_KINDS_MAX) {
        reading->too_many = "kinds of required lines";
        return false;
    }
    page->required_kinds[page->required_kind_count++] = kind;
    return true;
}

static bool add_required_line(struct reading *reading, th_view text)
{
    th_corpus_page *page = reading->page;
    if (!page->required_kind_count) /* "required" is not an object */
        return true;
    if (page->required_count == TH_REQUIRED_MAX) {
        reading->too_many = "required lines";
        return false;
    }
    page->required[page->required_count++] =
        (th_required_line){ text, page->required_kind_count - 1 };
    return true;
}

/* Depth of the strings of a member: 3 in a map of lists, 2 in a list, else 1. */
static uint32_t depth_of(enum member member)
{
    if (member == REQUIRED)
        return 3;
    return member == WITH || member == WITHOUT ? 2 : 1;
}

static bool on_string(void *context, th_view text)
{
    struct reading *reading = context;
    th_corpus_page *page = reading->page;
    if (reading->member == OTHER || reading->depth != depth_of(reading->member))
        return true;
    const th_view kept = keep(page, text);
    if (!kept.data)
        return false;
    if (reading->member == WITH)
        add_snippet(page->with, &page->with_count, kept);
    else if (reading->member == WITHOUT)
        add_snippet(page->without, &page->without_count, kept);
    else if (reading->member == REQUIRED)
        return add_required_line(reading, kept);
    else
        take_text(reading, kept);
    return true;
}

static bool on_key(void *context, th_view key)
{
    struct reading *reading = context;
    if (reading->depth == 2 && reading->member == REQUIRED) {
        const th_view kind = keep(reading->page, key);
        return kind.data && add_required_kind(reading, kind);
    }
    if (reading->depth != 1)
        return true;
    reading->member = OTHER;
    for (int i = OTHER + 1; i < MEMBER_COUNT; i++)
        if (th_view_is(key, member_names[i]))
            reading->member = (enum member)i;
    return true;
}

static bool on_open(void *context)
{
    struct reading *reading = context;
    reading->depth++;
    return true;
}

static bool on_close(void *context)
{
    struct reading *reading = context;
    reading->depth--;
    return true;
}

static const th_json_callbacks callbacks = { .key = on_key,
                                             .string = on_string,
                                             .open_object = on_open,
                                             .open_array = on_open,
                                             .close = on_close };

/* Decodes base64 in place, because the bytes are fewer than the characters. */
static bool decode_html(th_corpus_page *page)
{
    char *bytes = page->strings.data + (page->html.data - page->strings.data);
    return th_base64_decode(page->html, bytes, &page->html.len);
}

th_status th_corpus_page_read(th_corpus_page *page, th_view line, th_error *err)
{
    th_buffer strings = page->strings;
    struct reading reading = { .page = page };
    memset(page, 0, sizeof *page);
    th_buffer_reset(&strings);
    page->strings = strings;
    /* Unescaped text is never longer than escaped: no append moves the views. */
    if (!th_buffer_reserve(&page->strings, line.len + 1))
        return th_fail(err, TH_NOMEM, "out of memory for a page of %zu bytes", line.len);
    const th_status status = th_json_events(line, &callbacks, &reading);
    if (status == TH_NOMEM)
        return th_fail(err, TH_NOMEM, "out of memory for a page of %zu bytes", line.len);
    if (reading.too_many)
        return th_fail(err, TH_BAD_WARC,
                       "too many %s (limit: %d kinds and %d lines per page)",
                       reading.too_many, TH_REQUIRED_KINDS_MAX, TH_REQUIRED_MAX);
    if (status != TH_OK)
        return th_fail(err, TH_BAD_WARC, "line is not a JSON object");
    if (!page->id.data || (!page->html.data && !reading.text.data))
        return th_fail(err, TH_BAD_WARC, "line has no id or no html_b64");
    if (reading.text.data) {
        page->html = reading.text;
        page->encoding = TH_VIEW("utf-8");
        return TH_OK;
    }
    if (!decode_html(page))
        return th_fail(err, TH_BAD_WARC, "html_b64 of page '%.*s' is not valid base64",
                       (int)(page->id.len > 100 ? 100 : page->id.len), page->id.data);
    return TH_OK;
}

th_record th_corpus_page_record(const th_corpus_page *page, char type[TH_CORPUS_TYPE_MAX])
{
    (void)snprintf(type, TH_CORPUS_TYPE_MAX, "text/html%s%.*s",
                   page->encoding.len ? "; charset=" : "",
                   (int)(page->encoding.len > 60 ? 60 : page->encoding.len),
                   page->encoding.data ? page->encoding.data : "");
    return (th_record){
        .kind = TH_RECORD_RESOURCE,
        .url = page->url,
        .content_type = { type, strlen(type) },
        .block = page->html,
        .block_len = page->html.len,
    };
}
