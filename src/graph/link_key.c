#include "graph/link_key.h"

#include <string.h>

#include "base/ascii.h"

enum { URL_MAX = 8 << 10, HOST_MAX = 253 };

/* A URL's parts, borrowed from it. */
struct parts {
    bool is_secure;
    th_view host, port, local;
};

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Returns the position of the first byte `a` or `b`, or the length if there is none. */
static size_t find_of(th_view text, char a, char b)
{
    size_t at = 0;
    while (at < text.len && text.data[at] != a && text.data[at] != b)
        at++;
    return at;
}

static size_t find(th_view text, char c)
{
    return find_of(text, c, c);
}

/* Splits "host:port" in two. A colon in brackets belongs to the host. */
static bool split_port(th_view authority, struct parts *parts)
{
    size_t end = authority.len;
    while (end && th_is_digit(authority.data[end - 1]))
        end--;
    const bool has_port = end && authority.data[end - 1] == ':';
    parts->host = (th_view){ authority.data, has_port ? end - 1 : authority.len };
    parts->port = (th_view){ authority.data + end, has_port ? authority.len - end : 0 };
    while (parts->host.len && parts->host.data[parts->host.len - 1] == '.')
        parts->host.len--;
    if (!parts->host.len || parts->host.len > HOST_MAX)
        return false;
    for (size_t i = 0; i < parts->host.len; i++)
        if (is_control(parts->host.data[i]) || parts->host.data[i] == ' ')
            return false;
    if (parts->host.data[0] == '[')
        return find(parts->host, ']') == parts->host.len - 1;
    return find(parts->host, ':') == parts->host.len;
}

static bool split(th_view url, struct parts *parts)
{
    if (url.len > URL_MAX ||
        (!th_ascii_starts_with(url, "http://") && !th_ascii_starts_with(url, "https://")))
        return false;
    parts->is_secure = url.data[4] != ':';
    const size_t start = parts->is_secure ? 8 : 7;
    th_view rest = { url.data + start, url.len - start };
    rest.len = find(rest, '#');
    for (size_t i = 0; i < rest.len; i++)
        if (is_control(rest.data[i]))
            return false;
    th_view authority = { rest.data, find_of(rest, '/', '?') };
    parts->local = (th_view){ rest.data + authority.len, rest.len - authority.len };
    for (size_t user = 0; (user = find(authority, '@')) < authority.len;)
        authority = (th_view){ authority.data + user + 1, authority.len - user - 1 };
    return split_port(authority, parts);
}

static bool is_address(th_view host)
{
    bool is_ipv4 = true;
    for (size_t i = 0; i < host.len; i++)
        is_ipv4 = is_ipv4 && (th_is_digit(host.data[i]) || host.data[i] == '.');
    return is_ipv4 || host.data[0] == '[';
}

static void append_lower(th_buffer *out, th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        th_buffer_append_char(out, th_lower(text.data[i]));
}

/* Appends the labels, last one first. */
static void append_reversed(th_buffer *out, th_view host)
{
    if (is_address(host)) {
        append_lower(out, host);
        return;
    }
    if (th_ascii_starts_with(host, "www.")) {
        const th_view bare = { host.data + 4, host.len - 4 };
        host = find(bare, '.') < bare.len ? bare : host;
    }
    for (size_t end = host.len;;) {
        size_t start = end;
        while (start && host.data[start - 1] != '.')
            start--;
        append_lower(out, (th_view){ host.data + start, end - start });
        if (!start)
            break;
        th_buffer_append_char(out, '.');
        end = start - 1;
    }
}

bool th_link_key(th_view url, th_buffer *key)
{
    struct parts parts;
    th_buffer_reset(key);
    if (!split(url, &parts))
        return false;
    append_reversed(key, parts.host);
    th_buffer_append(key, "", 1);
    if (!parts.local.len || parts.local.data[0] != '/')
        th_buffer_append_char(key, '/');
    th_buffer_append_view(key, parts.local);
    th_buffer_append(key, "", 1);
    th_buffer_append_text(key, parts.is_secure ? "https://" : "http://");
    append_lower(key, parts.host);
    const th_view standard = parts.is_secure ? TH_VIEW("443") : TH_VIEW("80");
    if (parts.port.len && !th_ascii_same(parts.port, standard)) {
        th_buffer_append_char(key, ':');
        th_buffer_append_view(key, parts.port);
    }
    return !key->has_failed;
}

th_view th_link_key_host(th_view key)
{
    return (th_view){ key.data, find(key, '\0') };
}

th_view th_link_key_local(th_view key)
{
    const size_t start = th_link_key_host(key).len + 1;
    const th_view rest = { key.data + start, key.len - start };
    return (th_view){ rest.data, find(rest, '\0') };
}

void th_link_key_url(th_view key, th_buffer *out)
{
    const th_view local = th_link_key_local(key);
    const char *origin = local.data + local.len + 1;
    th_buffer_append(out, origin, (size_t)(key.data + key.len - origin));
    th_buffer_append_view(out, local);
}
