/*
 * Converts the source of a streamed page to the source that its scripts would make of it.
 *
 *     <!--$?--><template id="B:0"></template>Loading<!--/$--> ...
 *     <div hidden id="S:0"><p>Text</div><script>$RC("B:0","S:0")</script>
 *
 * Content S:n replaces B:n or P:n, including content that it streams itself. A B is
 * followed by its placeholder, up to the comment that ends it. Only React's exact bytes
 * are recognized, not equivalent markup, because no one else has a reason to write them.
 * Content without a place stays hidden. A place without content keeps its placeholder.
 */
#include "parse/streamed.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum {
    STREAMED_MAX = 1024, /* elements of a page that are moved */
    NESTED_MAX = 64,     /* contents nested in contents */
    ID_MAX = 64,         /* bytes */
};

#define NEVER SIZE_MAX

static const th_view place_start = { "<template id=\"", 14 };
static const th_view place_end = { "\"></template>", 13 };
static const th_view content_start = { "<div hidden id=\"", 16 };
static const th_view content_open = { "\">", 2 };

/* A template, or an element with streamed content. */
struct part {
    size_t start, end;       /* of the element */
    size_t inner, inner_end; /* content: the range in it */
    size_t shown_end;        /* place: end of its placeholder; NEVER if nothing ends it */
    int64_t depth;           /* place: comments of placeholders that are open there */
    th_view id;
    char letter; /* 'B', 'P' or 'S' */
    bool is_used;
};

struct page {
    th_view html;
    struct part *places, *contents; /* in the order of the source */
    size_t place_count, content_count;
    size_t moved;
    th_buffer out;
};

/* Returns where the number of an id begins, after "B:". 0 if it has none. */
static size_t number_at(th_view id, const char *letters)
{
    size_t at = id.len;
    while (at && ((id.data[at - 1] >= '0' && id.data[at - 1] <= '9') ||
                  (id.data[at - 1] >= 'a' && id.data[at - 1] <= 'f')))
        at--;
    const bool has_mark = at >= 2 && at < id.len && id.data[at - 1] == ':' &&
                          strchr(letters, id.data[at - 2]) && id.data[at - 2];
    return has_mark && id.len <= ID_MAX ? at : 0;
}

bool th_is_streamed_id(th_view id)
{
    return number_at(id, "S");
}

bool th_is_stream_place_id(th_view id)
{
    return number_at(id, "BP");
}

/* ---- reading the source ---- */

/* Returns the next place of the words at or after `at`, or the end. */
static size_t find(th_view html, size_t at, th_view words)
{
    const char *found = at < html.len
                            ? memmem(html.data + at, html.len - at, words.data, words.len)
                            : NULL;
    return found ? (size_t)(found - html.data) : html.len;
}

static bool is_at(th_view html, size_t at, th_view words)
{
    return html.len - at >= words.len &&
           memcmp(html.data + at, words.data, words.len) == 0;
}

/* Returns the position after the words if they come next. */
static size_t behind(th_view html, size_t at, th_view words)
{
    const size_t found = find(html, at, words);
    return found < html.len ? found + words.len : html.len;
}

/* Returns the end tag of the DIV whose content begins at `at`, or the end. */
static size_t find_end_of_div(th_view html, size_t at)
{
    size_t depth = 1;
    while ((at = find(html, at, (th_view){ "<", 1 })) < html.len) {
        if (is_at(html, at, (th_view){ "<!--", 4 })) {
            at = behind(html, at, (th_view){ "-->", 3 });
        } else if (is_at(html, at, (th_view){ "<script", 7 })) {
            at = behind(html, at, (th_view){ "</script", 8 });
        } else if (is_at(html, at, (th_view){ "<style", 6 })) {
            at = behind(html, at, (th_view){ "</style", 7 });
        } else if (is_at(html, at, (th_view){ "</div>", 6 })) {
            if (--depth == 0)
                return at;
            at += 6;
        } else {
            depth += is_at(html, at, (th_view){ "<div", 4 }) && at + 4 < html.len &&
                     (html.data[at + 4] == '>' || html.data[at + 4] == ' ');
            at++;
        }
    }
    return html.len;
}

/* Reads the id between a start and an end. @return false if it does not have these
 * letters */
static bool read_id(th_view html, size_t start, th_view close, const char *letters,
                    struct part *part)
{
    size_t end = start;
    while (end < html.len && end - start < ID_MAX && html.data[end] != '"')
        end++;
    part->id = (th_view){ html.data + start, end - start };
    const size_t number = number_at(part->id, letters);
    if (!number || !is_at(html, end, close))
        return false;
    part->letter = part->id.data[number - 2];
    part->inner = end + close.len;
    return true;
}

static void read_places(struct page *page)
{
    const th_view html = page->html;
    size_t at = 0;
    while (page->place_count < STREAMED_MAX &&
           (at = find(html, at, place_start)) < html.len) {
        struct part part = { .start = at };
        at += place_start.len;
        if (!read_id(html, at, place_end, "BP", &part))
            continue;
        part.end = at = part.inner;
        page->places[page->place_count++] = part;
    }
}

/*
 * Finds for each place the comment that ends its placeholder: the first at which fewer
 * comments are open than at the place. It takes one pass, because of the places that wait
 * for their end, inner ones come last.
 */
static void find_shown_ends(struct page *page)
{
    static const th_view comment = { "<!--", 4 };
    static const th_view open = { "<!--$", 5 }, close = { "<!--/$-->", 9 };
    const th_view html = page->html;
    struct part *waiting[STREAMED_MAX];
    size_t count = 0, next = 0;
    int64_t depth = 0;
    for (size_t at = find(html, 0, comment);;
         at = find(html, at + comment.len, comment)) {
        for (; next < page->place_count && page->places[next].end <= at; next++) {
            page->places[next].shown_end = NEVER;
            page->places[next].depth = depth;
            waiting[count++] = &page->places[next];
        }
        if (at >= html.len)
            return;
        depth += is_at(html, at, open);
        depth -= is_at(html, at, close);
        while (count && waiting[count - 1]->depth > depth)
            waiting[--count]->shown_end = at;
    }
}

static void read_contents(struct page *page)
{
    const th_view html = page->html;
    size_t at = 0;
    while (page->content_count < STREAMED_MAX &&
           (at = find(html, at, content_start)) < html.len) {
        struct part part = { .start = at };
        at += content_start.len;
        if (!read_id(html, at, content_open, "S", &part))
            continue;
        part.inner_end = find_end_of_div(html, part.inner);
        part.end = part.inner_end + (part.inner_end < html.len ? 6 : 0);
        at = part.end;
        page->contents[page->content_count++] = part;
    }
}

/* ---- writing the new one ---- */

/* Whether the content belongs to that place: the ids differ only in the letter. */
static bool belongs(const struct part *place, const struct part *content)
{
    const size_t number = number_at(place->id, "BP");
    return place->id.len == content->id.len &&
           memcmp(place->id.data, content->id.data, number - 2) == 0 &&
           memcmp(place->id.data + number, content->id.data + number,
                  place->id.len - number) == 0;
}

static struct part *content_of(struct page *page, const struct part *place)
{
    for (size_t i = 0; i < page->content_count; i++)
        if (!page->contents[i].is_used && belongs(place, &page->contents[i]))
            return &page->contents[i];
    return NULL;
}

/* Returns the position after a B's placeholder if the placeholder ends before `end`. */
static size_t behind_place(const struct part *place, size_t end)
{
    return place->letter == 'B' && place->shown_end < end ? place->shown_end : place->end;
}

static bool is_in(const struct part *part, size_t start, size_t end)
{
    return part->start >= start && part->end <= end;
}

/* Copies a range, with content for its places. */
static void put(struct page *page, size_t start, size_t end, unsigned depth)
{
    size_t at = start;
    for (size_t i = 0; i < page->place_count && depth < NESTED_MAX; i++) {
        const struct part *place = &page->places[i];
        if (place->start < at || !is_in(place, start, end))
            continue;
        struct part *content = content_of(page, place);
        if (!content || is_in(place, content->start, content->end))
            continue;
        content->is_used = true;
        page->moved++;
        th_buffer_append(&page->out, page->html.data + at, place->start - at);
        put(page, content->inner, content->inner_end, depth + 1);
        at = behind_place(place, end);
    }
    th_buffer_append(&page->out, page->html.data + at, end - at);
}

/* Writes everything except the contents that moved, then the contents that stay. */
static void put_all(struct page *page)
{
    size_t at = 0;
    for (size_t i = 0; i < page->content_count; i++) {
        put(page, at, page->contents[i].start, 0);
        at = page->contents[i].end;
    }
    put(page, at, page->html.len, 0);
    for (size_t i = 0; i < page->content_count; i++) {
        const struct part *content = &page->contents[i];
        if (!content->is_used)
            th_buffer_append(&page->out, page->html.data + content->start,
                             content->end - content->start);
    }
}

th_status th_streamed_settle(th_view html, th_arena *arena, th_view *out)
{
    struct page page = { .html = html };
    page.places = calloc(STREAMED_MAX, sizeof *page.places);
    page.contents = calloc(STREAMED_MAX, sizeof *page.contents);
    th_status status = page.places && page.contents ? TH_OK : TH_NOMEM;
    if (status == TH_OK) {
        read_places(&page);
        find_shown_ends(&page);
        read_contents(&page);
        put_all(&page);
        status = page.out.has_failed ? TH_NOMEM : page.moved ? TH_OK : TH_ABSENT;
    }
    if (status == TH_OK) {
        char *copy = th_arena_alloc(arena, page.out.len);
        if (copy && page.out.len)
            memcpy(copy, page.out.data, page.out.len);
        *out = (th_view){ copy, page.out.len };
        status = copy ? TH_OK : TH_NOMEM;
    }
    th_buffer_done(&page.out);
    free(page.places);
    free(page.contents);
    return status;
}
