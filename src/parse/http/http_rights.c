/*
 * Statements about rights in an HTTP head. Sources: X-Robots-Tag as Google documents it;
 * TDM Reservation Protocol; draft-ietf-aipref-attach; RFC 8288 (Link); RSL 1.0.
 */
#include "parse/http/http_rights.h"

#include "base/ascii.h"
#include "parse/http/http_head.h"
#include "parse/url/url.h"

struct target {
    th_rights *rights;
    th_view url;
};

static void add(const struct target *to, const char *signal, th_view value)
{
    th_rights_add(to->rights,
                  &(th_right){ .signal = signal, .from = "http", .value = value });
}

static void add_url(const struct target *to, const char *signal, th_view reference)
{
    add(to, signal, th_url_resolve(to->url, reference, to->rights->arena));
}

/* Removes one link, `<url>; a=b; c="d"`, from a list. Returns false after the last. */
static bool next_link(th_view *list, th_view *url, th_view *parameters)
{
    const char *const end = list->data + list->len;
    const char *const start = list->len ? memchr(list->data, '<', list->len) : NULL;
    const char *const close = start ? memchr(start, '>', (size_t)(end - start)) : NULL;
    if (!close)
        return false;
    *url = (th_view){ start + 1, (size_t)(close - start - 1) };
    const char *at = close + 1;
    for (bool is_quoted = false; at < end && (is_quoted || *at != ','); at++)
        if (*at == '"')
            is_quoted = !is_quoted;
    *parameters = (th_view){ close + 1, (size_t)(at - close - 1) };
    *list = (th_view){ at, (size_t)(end - at) };
    return true;
}

/* Returns the value of a link's parameter without its quotes, absent if there is none. */
static th_view parameter(th_view list, const char *name)
{
    while (list.len) {
        const char *const semicolon = memchr(list.data, ';', list.len);
        const size_t len = semicolon ? (size_t)(semicolon - list.data) : list.len;
        const th_view part = { list.data, len };
        const char *const equals = len ? memchr(part.data, '=', len) : NULL;
        list.data += len + (semicolon != NULL);
        list.len -= len + (semicolon != NULL);
        if (!equals || !th_ascii_is(th_ascii_trimmed((th_view){
                                        part.data, (size_t)(equals - part.data) }),
                                    name))
            continue;
        th_view value = th_ascii_trimmed(
            (th_view){ equals + 1, len - (size_t)(equals + 1 - part.data) });
        if (value.len > 1 && value.data[0] == '"' && value.data[value.len - 1] == '"')
            value = (th_view){ value.data + 1, value.len - 2 };
        return value;
    }
    return (th_view){ NULL, 0 };
}

static void take_links(const struct target *to, th_view list)
{
    th_view url, parameters;
    while (next_link(&list, &url, &parameters)) {
        th_view words = parameter(parameters, "rel");
        bool is_license = false;
        for (th_view word = th_ascii_next_word(&words); word.len > 0;
             word = th_ascii_next_word(&words))
            is_license |= th_ascii_is(word, "license");
        if (is_license)
            add_url(
                to,
                th_ascii_starts_with(parameter(parameters, "type"), "application/rsl+xml")
                    ? "rsl"
                    : "license",
                url);
    }
}

static void take_field(void *context, th_view name, th_view value)
{
    const struct target *const to = context;
    if (th_ascii_is(name, "X-Robots-Tag"))
        th_rights_add_robots(to->rights, "http", (th_view){ NULL, 0 }, value);
    else if (th_ascii_is(name, "TDM-Reservation"))
        add(to, "tdm-reservation", value);
    else if (th_ascii_is(name, "TDM-Policy"))
        add_url(to, "tdm-policy", value);
    else if (th_ascii_is(name, "Content-Usage"))
        add(to, "content-usage", value);
    else if (th_ascii_is(name, "Content-Signal"))
        add(to, "content-signal", value);
    else if (th_ascii_is(name, "Link"))
        take_links(to, value);
}

void th_http_rights(th_view head, th_view url, th_rights *rights)
{
    struct target to = { rights, url };
    th_http_head_fields(head, take_field, &to);
}
