/*
 * Any bytes as JSON-LD, as a value, as a date and as a URL: the result is valid UTF-8,
 * within its limit and on one line. Normalized dates and URLs do not change when they are
 * normalized again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/iso_date.h"
#include "base/unicode.h"
#include "fuzz_target.h"
#include "parse/metadata/metadata.h"
#include "parse/url/url.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

static bool is_same(th_view a, th_view b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static void hold_value(th_view value, size_t max)
{
    if (!value.data)
        return;
    hold(value.len > 0 && value.len <= max);
    hold(th_utf8_valid(value.data, value.len) == value.len);
    for (size_t i = 0; i < value.len; i++)
        hold((unsigned char)value.data[i] >= 0x20 && value.data[i] != 0x7F);
    hold(value.data[0] != ' ' && value.data[value.len - 1] != ' ');
}

static void read_metadata(th_view bytes, th_arena *arena)
{
    static const char *const names[] = { "description", "author", "date", "og:locale",
                                         "og:site_name" };
    th_metadata_collector *collector = th_metadata_begin(arena);
    hold(collector != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const th_attribute attrs[] = { { TH_VIEW("name"),
                                         { names[i], strlen(names[i]) } },
                                       { TH_VIEW("content"), bytes } };
        th_metadata_tag(collector, TH_TAG_META, attrs, 2);
    }
    const th_attribute item[] = { { TH_VIEW("itemprop"), bytes },
                                  { TH_VIEW("content"), bytes } };
    th_metadata_tag(collector, TH_TAG_SPAN, item, 2);
    th_metadata_text(collector, TH_TAG_SCRIPT, bytes);
    th_metadata out;
    const th_metadata_page page = { .url = TH_VIEW("http://a/b"),
                                    .base = TH_VIEW("http://a/b") };
    th_metadata_finish(collector, &page, &out);
    hold_value(out.title, 1024);
    hold_value(out.description, 4096);
    hold_value(out.author, 512);
    hold_value(out.published, 512);
    hold_value(out.language, 512);
    hold_value(out.site_name, 512);
}

static void read_date(th_view bytes)
{
    char once[TH_ISO_DATE_MAX], twice[TH_ISO_DATE_MAX];
    th_view date = { once, 0 }, again = { twice, 0 };
    if (th_iso_date(bytes, once, &date.len) != TH_DATE_ISO)
        return;
    hold(date.len >= 4 && date.len <= TH_ISO_DATE_MAX);
    hold(th_iso_date(date, twice, &again.len) == TH_DATE_ISO && is_same(date, again));
}

static void read_url(th_view base, th_view reference, th_arena *arena)
{
    const th_view url = th_url_resolve(base, reference, arena);
    if (!url.data)
        return;
    hold(url.len <= 8192);
    const size_t used = th_arena_used(arena);
    const th_view again = th_url_resolve(base, url, arena);
    hold(is_same(url, again) && th_arena_used(arena) == used);
    const th_view host = th_url_host(url);
    hold(!host.data || (host.len > 0 && th_url_has_host(again, host)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_arena *arena = th_arena_new(0);
    char *copy = malloc(size ? size : 1);
    hold(arena && copy);
    memcpy(copy, data, size);
    const th_view bytes = { copy, size };
    read_metadata(bytes, arena);
    read_date(bytes);
    read_url(TH_VIEW("http://a/b/c/d;p?q"), bytes, arena);
    /* And the bytes up to the first line end as the base of the others. */
    const char *end = memchr(copy, '\n', size);
    const size_t len = end ? (size_t)(end - copy) : size;
    read_url((th_view){ copy, len }, (th_view){ copy + len, size - len }, arena);
    free(copy);
    th_arena_free(arena);
    return 0;
}
