/* Links and their targets. */
#include "parse/link_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "parse/table_room.h"
#include "parse/url/url.h"

enum {
    KEPT = 65536 /* links whose memory is kept between pages */
};

static void fail(th_link_table *table, th_status status)
{
    if (!table->status)
        table->status = status;
}

void th_link_table_done(th_link_table *table)
{
    free(table->links);
    *table = (th_link_table){ 0 };
}

/* Copies a borrowed view so that it lasts as long as the page. */
static th_view lasting(th_link_table *table, th_view view)
{
    if (!view.data)
        return view;
    view = th_arena_copy(table->arena, view);
    if (!view.data)
        fail(table, th_arena_is_full(table->arena) ? TH_TOO_LARGE : TH_NOMEM);
    return view;
}

void th_link_table_begin(th_link_table *table, th_arena *arena, th_view url,
                         uint32_t max_links)
{
    if (table->capacity > KEPT) {
        free(table->links);
        table->links = NULL;
        table->capacity = 0;
    }
    table->count = 0;
    table->max = max_links;
    table->arena = arena;
    table->has_base = false;
    table->flags = 0;
    table->status = TH_OK;
    table->url = table->base = th_url_base_of(lasting(table, url));
    table->host = th_url_host(table->url.url);
}

/* Returns the URL of a reference in an attribute. It lasts. No data if unusable. */
static th_view resolved(th_link_table *table, const th_url_base *base, th_view reference)
{
    const th_view url = th_url_resolve_from(base, reference, table->arena);
    const bool is_borrowed =
        url.data >= reference.data && url.data <= reference.data + reference.len;
    return is_borrowed ? lasting(table, url) : url;
}

static bool has_scheme(th_view url, const char *scheme)
{
    const size_t len = strlen(scheme);
    return url.len >= len && th_ascii_is((th_view){ url.data, len }, scheme);
}

static bool leads_nowhere(th_view url)
{
    const char first = th_lower((char)(url.len ? url.data[0] : '\0'));
    return (first == 'j' && has_scheme(url, "javascript:")) ||
           (first == 'd' && has_scheme(url, "data:"));
}

uint32_t th_link_table_add(th_link_table *table, const th_attribute *attrs,
                           size_t attr_count)
{
    const th_attribute *href = th_attribute_find(attrs, attr_count, TH_VIEW("href"));
    if (!href)
        return TH_NONE;
    const th_view reference = th_ascii_trimmed(href->value);
    if (leads_nowhere(reference))
        return TH_NONE;
    if (table->count >= table->max) {
        table->flags |= TH_FLAG_LINKS_CUT;
        return TH_NONE;
    }
    const th_view url = resolved(table, &table->base, reference);
    /* Resolving removes tabs and line ends from "java\nscript:". */
    if (!url.data || leads_nowhere(url) ||
        !TH_TABLE_HAS_ROOM(table->links, table->count, table->capacity, table->status))
        return TH_NONE;
    table->links[table->count] =
        (th_link){ .url = url,
                   .rel = lasting(table, th_attribute_value(attrs, attr_count, "rel")),
                   .block = TH_NONE,
                   .is_internal = th_url_has_origin(url, &table->url) ||
                                  th_url_has_host(url, table->host) };
    return table->count++;
}

th_view th_link_table_resolve(th_link_table *table, th_view reference)
{
    const th_view none = { 0 };
    reference = th_ascii_trimmed(reference);
    if (!reference.len || leads_nowhere(reference))
        return none;
    const th_view url = resolved(table, &table->base, reference);
    return url.data && leads_nowhere(url) ? none : url;
}

void th_link_table_base(th_link_table *table, const th_attribute *attrs,
                        size_t attr_count)
{
    const th_attribute *href = th_attribute_find(attrs, attr_count, TH_VIEW("href"));
    if (table->has_base || !href)
        return;
    const th_view base = resolved(table, &table->url, th_ascii_trimmed(href->value));
    if (base.data && th_url_host(base).len) {
        table->base = th_url_base_of(base);
        table->has_base = true;
    }
}

bool th_link_leads_within(const th_link_table *table, uint32_t link)
{
    if (link == TH_NONE)
        return false;
    const th_view url = table->links[link].url;
    const char *mark = url.len ? memchr(url.data, '#', url.len) : NULL;
    if (!mark)
        return false;
    const size_t len = (size_t)(mark - url.data);
    const th_view page = table->url.url;
    const char *own = page.len ? memchr(page.data, '#', page.len) : NULL;
    const size_t own_len = own ? (size_t)(own - page.data) : page.len;
    return len == 0 || (len == own_len && memcmp(url.data, page.data, len) == 0);
}
