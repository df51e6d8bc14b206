/*
 * Statements about rights. See the header.
 *
 * A list of directives may name agents, as X-Robots-Tag does. A colon follows a name,
 * and also a directive with a value. So the reader knows the names of such directives.
 * Sources: Google's documents of robots meta tag and X-Robots-Tag, DeviantArt (noai,
 * noimageai), Mojeek (noml) and Bing (nocache).
 */
#include "page/rights.h"

#include "base/ascii.h"
#include "base/unicode.h"

enum { NAME_MAX_LEN = 64 };

/* Directives whose value follows a colon end with one. */
static const char *const directives[] = {
    "all",
    "index",
    "follow",
    "noindex",
    "nofollow",
    "none",
    "noarchive",
    "nocache",
    "nosnippet",
    "noimageindex",
    "notranslate",
    "noodp",
    "noydir",
    "noai",
    "noimageai",
    "noml",
    "noyaca",
    "nositelinkssearchbox",
    "indexifembedded",
    "nopagereadaloud",
    "archive",
    "snippet",
    "max-snippet:",
    "max-image-preview:",
    "max-video-preview:",
    "unavailable_after:",
};

bool th_is_robots_directive(th_view text)
{
    text = th_ascii_trimmed(text);
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        const size_t len = strlen(directives[i]);
        const bool has_value = directives[i][len - 1] == ':';
        if (has_value ? th_ascii_starts_with(text, directives[i])
                      : th_ascii_is(text, directives[i]))
            return true;
    }
    return false;
}

/* Cuts a text at `max` bytes. */
static th_view cut(th_rights *rights, th_view text, size_t max)
{
    text = th_ascii_trimmed(text);
    if (text.len <= max)
        return text;
    rights->flags |= TH_FLAG_RIGHTS_CUT;
    while (max && (text.data[max] & 0xC0) == 0x80)
        max--;
    return (th_view){ text.data, max };
}

static bool is_known(const th_rights *rights, const th_right *row)
{
    for (uint32_t i = 0; i < rights->count; i++) {
        const th_right *const known = &rights->rows[i];
        if (th_view_same(known->value, row->value) &&
            strcmp(known->signal, row->signal) == 0 &&
            strcmp(known->from, row->from) == 0 &&
            th_ascii_same(known->agent, row->agent) && th_view_same(known->of, row->of))
            return true;
    }
    return false;
}

/* Copies a text. An empty one is absent. */
static th_view lasting(th_rights *rights, th_view text)
{
    if (!text.len)
        return (th_view){ NULL, 0 };
    text = th_arena_copy(rights->arena, text);
    rights->has_failed |= !text.data;
    return text;
}

void th_rights_add(th_rights *rights, const th_right *row)
{
    th_right copy = { .signal = row->signal,
                      .from = row->from,
                      .agent = cut(rights, row->agent, NAME_MAX_LEN),
                      .value = cut(rights, row->value, TH_RIGHT_VALUE_MAX),
                      .of = cut(rights, row->of, NAME_MAX_LEN) };
    if (!copy.value.len || is_known(rights, &copy))
        return;
    if (rights->count == TH_RIGHTS_MAX) {
        rights->flags |= TH_FLAG_RIGHTS_CUT;
        return;
    }
    if (!rights->rows)
        rights->rows =
            th_arena_alloc(rights->arena, TH_RIGHTS_MAX * sizeof *rights->rows);
    char agent[NAME_MAX_LEN];
    for (size_t i = 0; i < copy.agent.len; i++)
        agent[i] = th_lower(copy.agent.data[i]);
    copy.agent = lasting(rights, (th_view){ agent, copy.agent.len });
    copy.value = lasting(rights, copy.value);
    copy.of = lasting(rights, copy.of);
    if (!rights->rows || rights->has_failed)
        rights->has_failed = true;
    else
        rights->rows[rights->count++] = copy;
}

/* Returns the agent that an item names, absent if it names none. */
static th_view agent_of(th_view item)
{
    const char *const colon = item.len ? memchr(item.data, ':', item.len) : NULL;
    if (!colon || th_is_robots_directive(item))
        return (th_view){ NULL, 0 };
    const th_view name =
        th_ascii_trimmed((th_view){ item.data, (size_t)(colon - item.data) });
    for (size_t i = 0; i < name.len; i++)
        if (th_ascii_is_blank(name.data[i])) /* the rest of a date: "21 Jun 2030 10:00" */
            return (th_view){ NULL, 0 };
    return name.len && th_is_letter(name.data[0]) ? name : (th_view){ NULL, 0 };
}

void th_rights_add_robots(th_rights *rights, const char *from, th_view agent,
                          th_view list)
{
    th_right row = { .signal = "robots", .from = from, .agent = agent };
    size_t start = 0;
    for (size_t at = 0; at < list.len;) {
        const char *const comma = memchr(list.data + at, ',', list.len - at);
        const size_t end = comma ? (size_t)(comma - list.data) : list.len;
        const th_view item = { list.data + at, end - at };
        const th_view named = agent_of(item);
        if (named.len) {
            row.value = th_ascii_trimmed((th_view){ list.data + start, at - start });
            if (row.value.len && row.value.data[row.value.len - 1] == ',')
                row.value.len--;
            th_rights_add(rights, &row);
            row.agent = named;
            start = (size_t)(named.data + named.len - list.data);
            while (list.data[start] != ':')
                start++;
            start++;
        }
        at = end + 1;
    }
    row.value = (th_view){ list.data + start, list.len - start };
    th_rights_add(rights, &row);
}
