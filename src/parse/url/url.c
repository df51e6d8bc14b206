/*
 * References to URLs, by the algorithm of RFC 3986 §5.2 with the tolerance of browsers.
 *
 * Called by the page builder for every link and by the metadata for canonical URLs. We
 * follow WHATWG URL instead of the RFC in these points, because pages are written for
 * browsers: Spaces around a reference and tabs and line ends within it are removed. In
 * http, https and ftp a backslash is a slash, slashes before the host may be too many,
 * "http:g" under an http base is relative, and %2e is a dot. Unlike WHATWG we change no
 * letter case, no port and no host name, keep characters that are not ASCII, and escape
 * only spaces and control bytes. An archive's link should still be the string that the
 * page's author wrote.
 *
 * Nearly all references need no fix (plain_url.c). Such a reference is the result itself,
 * or follows the first bytes of the base. Only the others are split.
 */
#include "parse/url/url.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "parse/url/plain_url.h"

enum { URL_MAX = 8192 }; /* bytes of a reference, of a base, and of a result */

/* A split reference. Absent parts have no data. The path may be empty. */
struct parts {
    th_view scheme; /* without ':' */
    th_view authority;
    th_view path;
    th_view query;    /* with '?' */
    th_view fragment; /* with '#' */
    bool is_web;      /* of a scheme in which backslashes are slashes */
};

/* The result while it grows. */
struct output {
    size_t len;
    bool is_over; /* it would be longer than URL_MAX */
    char bytes[URL_MAX];
};

static bool is_blank_or_control(char c)
{
    return (unsigned char)c <= 0x20 || c == 0x7F;
}

static bool is_line_end_or_tab(char c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

static bool is_slash(char c, bool is_web)
{
    return c == '/' || (is_web && c == '\\');
}

/* Returns the first `len` bytes of a view. */
static th_view head(th_view view, size_t len)
{
    return (th_view){ view.data, len };
}

/* Returns the rest of a view after its first `len` bytes. */
static th_view tail(th_view view, size_t len)
{
    return (th_view){ view.data + len, view.len - len };
}

/* Returns a view without C0 control bytes and spaces at both ends. */
static th_view strip(th_view text)
{
    while (text.len > 0 && (unsigned char)text.data[0] <= 0x20)
        text = tail(text, 1);
    while (text.len > 0 && (unsigned char)text.data[text.len - 1] <= 0x20)
        text.len--;
    return text;
}

/* Returns a view without tabs and line ends: the view itself, or a copy in `scratch`. */
static th_view without_line_ends(th_view text, char scratch[URL_MAX])
{
    size_t i = 0;
    while (i < text.len && !is_line_end_or_tab(text.data[i]))
        i++;
    if (i == text.len)
        return text;
    size_t len = 0;
    for (i = 0; i < text.len; i++)
        if (!is_line_end_or_tab(text.data[i]))
            scratch[len++] = text.data[i];
    return (th_view){ scratch, len };
}

/* Returns the bytes of the scheme at the start of a reference, without ':', or 0. */
static size_t scheme_len(th_view text)
{
    if (text.len == 0 || !th_is_letter(text.data[0]))
        return 0;
    for (size_t i = 1; i < text.len; i++) {
        const char c = text.data[i];
        if (c == ':')
            return i;
        if (!th_is_letter(c) && !th_is_digit(c) && c != '+' && c != '-' && c != '.')
            return 0;
    }
    return 0;
}

/* Whether the scheme is one of the web, for which browsers fix invalid URLs. */
static bool is_web_scheme(th_view scheme)
{
    return th_ascii_is(scheme, "https") || th_ascii_is(scheme, "http") ||
           th_ascii_is(scheme, "ftp");
}

/* Counts the slashes at the start of a view. */
static size_t slash_count(th_view text, bool is_web)
{
    size_t count = 0;
    while (count < text.len && is_slash(text.data[count], is_web))
        count++;
    return count;
}

/* Counts the bytes before the first of the two stops, or all. */
static size_t until(th_view text, char stop, char other)
{
    size_t i = 0;
    while (i < text.len && text.data[i] != stop && text.data[i] != other)
        i++;
    return i;
}

/* Splits the text after the authority. */
static void split_path(th_view text, struct parts *parts)
{
    size_t len = until(text, '?', '#');
    parts->path = head(text, len);
    text = tail(text, len);
    if (text.len > 0 && text.data[0] == '?') {
        len = until(text, '#', '#');
        parts->query = head(text, len);
        text = tail(text, len);
    }
    if (text.len > 0)
        parts->fragment = text;
}

/* Counts the bytes of the authority that begins here. */
static size_t authority_len(th_view text, bool is_web)
{
    size_t len = 0;
    while (len < text.len && text.data[len] != '?' && text.data[len] != '#' &&
           !is_slash(text.data[len], is_web))
        len++;
    return len;
}

/* Splits the text after the slashes before an authority. */
static void split_authority(th_view text, struct parts *parts)
{
    const size_t len = authority_len(text, parts->is_web);
    parts->authority = head(text, len);
    split_path(tail(text, len), parts);
}

/* Splits the text after the scheme, or a whole reference without one. */
static void split_rest(th_view text, struct parts *parts)
{
    const size_t slashes = slash_count(text, parts->is_web);
    if (slashes >= 2)
        split_authority(tail(text, parts->is_web ? slashes : 2), parts);
    else
        split_path(text, parts);
}

/* Splits a base. @return false when nothing can be relative to it */
static bool split_base(th_view base, struct parts *parts)
{
    const size_t len = scheme_len(base);
    if (len == 0)
        return false;
    *parts = (struct parts){ .scheme = head(base, len) };
    parts->is_web = is_web_scheme(parts->scheme);
    split_rest(tail(base, len + 1), parts);
    return parts->authority.data && (parts->authority.len > 0 || !parts->is_web);
}

static void put(struct output *out, const char *bytes, size_t len)
{
    if (out->is_over || len > URL_MAX - out->len) {
        out->is_over = true;
        return;
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

/* Appends a part with its spaces and control bytes escaped. */
static void put_escaped(struct output *out, th_view part)
{
    static const char hex[] = "0123456789ABCDEF";
    assert(part.data || part.len == 0);
    size_t from = 0;
    for (size_t i = 0; i < part.len; i++) {
        if (!is_blank_or_control(part.data[i]))
            continue;
        const unsigned char c = (unsigned char)part.data[i];
        put(out, part.data + from, i - from);
        put(out, (const char[3]){ '%', hex[c >> 4], hex[c & 15] }, 3);
        from = i + 1;
    }
    if (part.len > from)
        put(out, part.data + from, part.len - from);
}

/* Returns 1 or 2 if a segment is only dots, "." or "%2e", else 0. */
static size_t dot_count(th_view segment)
{
    size_t dots = 0;
    while (segment.len > 0 && dots < 3) {
        size_t len = 1;
        if (segment.len >= 3 && segment.data[0] == '%' && segment.data[1] == '2' &&
            th_lower(segment.data[2]) == 'e')
            len = 3;
        else if (segment.data[0] != '.')
            return 0;
        segment = tail(segment, len);
        dots++;
    }
    return dots < 3 ? dots : 0;
}

/* Removes the last segment: "/a/b/" becomes "/a/", "/" stays. */
static void put_parent(struct output *out, size_t path_start)
{
    if (out->len <= path_start + 1)
        return;
    do
        out->len--;
    while (out->bytes[out->len - 1] != '/');
}

/*
 * Appends segments to a path that ends with a slash and starts at path_start.
 * [RFC 3986 §5.2.4]: segments "." and ".." never enter it.
 */
static void put_segments(struct output *out, size_t path_start, th_view path, bool is_web)
{
    while (path.len > 0) {
        size_t len = 0;
        while (len < path.len && !is_slash(path.data[len], is_web))
            len++;
        const bool has_slash = len < path.len;
        const size_t dots = dot_count(head(path, len));
        if (dots == 2 && !out->is_over)
            put_parent(out, path_start);
        if (dots == 0) {
            put_escaped(out, head(path, len));
            if (has_slash)
                put(out, "/", 1);
        }
        path = tail(path, len + has_slash);
    }
}

/* Appends a path, relative to the base's path unless it starts with a slash. */
static void put_path(struct output *out, const struct parts *target,
                     const struct parts *base)
{
    const size_t start = out->len;
    th_view path = target->path;
    if (path.len == 0 && (!base || base->path.len == 0))
        return;
    put(out, "/", 1);
    if (slash_count(path, target->is_web) > 0) {
        path = tail(path, 1);
    } else if (base && base->path.len > 0) {
        size_t len = base->path.len; /* the base's last segment is the page itself */
        while (path.len > 0 && len > 0 &&
               !is_slash(base->path.data[len - 1], base->is_web))
            len--;
        if (len > 0)
            put_segments(out, start, tail(head(base->path, len), 1), base->is_web);
    }
    put_segments(out, start, path, target->is_web);
}

/* Whether a view begins with an escaped space or control byte. */
static bool is_escaped_blank(th_view text)
{
    return text.len > 2 && text.data[0] == '%' &&
           (text.data[1] == '0' || text.data[1] == '1' ||
            (text.data[1] == '2' && text.data[2] == '0'));
}

/* Whether a host never has this byte. [WHATWG URL, forbidden host code points] */
static bool is_forbidden_in_host(char c)
{
    return is_blank_or_control(c) || c == '<' || c == '>' || c == '^' || c == '|';
}

/* Whether no client could find the host, because it is empty or has a forbidden byte, or
 * the port is not a number. */
static bool is_bad_authority(th_view authority, bool is_web)
{
    size_t host = 0;
    for (size_t i = 0; i < authority.len; i++) {
        if (is_forbidden_in_host(authority.data[i]) ||
            is_escaped_blank(tail(authority, i)))
            return true;
        if (authority.data[i] == '@')
            host = i + 1;
    }
    if (!is_web)
        return false;
    size_t end = authority.len; /* of the host */
    while (end > host && th_is_digit(authority.data[end - 1]))
        end--;
    const bool has_port = end > host && authority.data[end - 1] == ':';
    const th_view name =
        head(tail(authority, host), (has_port ? end - 1 : authority.len) - host);
    return name.len == 0 || (name.data[0] != '[' && memchr(name.data, ':', name.len));
}

/* [RFC 3986 §5.2.2 and §5.3]; base is NULL when the reference needs none. */
static th_view compose(const struct parts *reference, const struct parts *base,
                       th_arena *arena)
{
    struct output out;
    out.len = 0;
    out.is_over = false;

    struct parts target = *reference;
    if (target.authority.data)
        base = NULL;
    if (base)
        target.authority = base->authority;
    assert(target.scheme.data && target.authority.data); /* split_base refuses others */
    if (is_bad_authority(target.authority, target.is_web))
        return (th_view){ NULL, 0 };
    if (base && target.path.len == 0 && !target.query.data)
        target.query = base->query;

    put(&out, target.scheme.data, target.scheme.len);
    put(&out, "://", 3);
    put(&out, target.authority.data, target.authority.len);
    put_path(&out, &target, base);
    put_escaped(&out, target.query);
    put_escaped(&out, target.fragment);
    if (out.is_over)
        return (th_view){ NULL, 0 };
    return th_arena_copy(arena, (th_view){ out.bytes, out.len });
}

/* Whether the path segment at the start of a view is "." or "..". */
static bool starts_with_dots(th_view rest)
{
    enum { LONGEST = 6 }; /* "%2e%2e" */
    rest = head(rest, rest.len < LONGEST + 1 ? rest.len : LONGEST + 1);
    rest = head(rest, until(rest, '?', '#'));
    return dot_count(head(rest, until(rest, '/', '\\'))) > 0;
}

/* Counts the bytes of the authority after the two slashes of a web URL, 0 if its host is
 * not usable. Most hosts have only the bytes of the table. */
static size_t host_len(th_view text)
{
    static const bool is_usual[256] = {
        ['-'] = true, ['.'] = true, ['0'] = true, ['1'] = true, ['2'] = true,
        ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true,
        ['8'] = true, ['9'] = true, ['a'] = true, ['b'] = true, ['c'] = true,
        ['d'] = true, ['e'] = true, ['f'] = true, ['g'] = true, ['h'] = true,
        ['i'] = true, ['j'] = true, ['k'] = true, ['l'] = true, ['m'] = true,
        ['n'] = true, ['o'] = true, ['p'] = true, ['q'] = true, ['r'] = true,
        ['s'] = true, ['t'] = true, ['u'] = true, ['v'] = true, ['w'] = true,
        ['x'] = true, ['y'] = true, ['z'] = true,
    };
    size_t len = 0;
    while (len < text.len && is_usual[(unsigned char)text.data[len]])
        len++;
    if (len && (len == text.len || text.data[len] == '/'))
        return len;
    len = authority_len(text, true);
    return is_bad_authority(head(text, len), true) ? 0 : len;
}

/*
 * Whether an absolute web URL needs no change: two slashes, a host, no byte to escape, no
 * backslash that means a slash and no dot segment.
 */
static bool is_clean(th_view url, size_t scheme_end)
{
    const th_view rest = tail(url, scheme_end + 1);
    if (slash_count(rest, true) != 2 || memchr(rest.data, '\\', 2) ||
        !host_len(tail(rest, 2)))
        return false;
    bool is_path = true;
    for (size_t i = 2; i < rest.len; i++) {
        const char c = rest.data[i];
        if (is_blank_or_control(c))
            return false;
        if (c == '?' || c == '#')
            is_path = false;
        if (is_path && (c == '\\' || (c == '/' && starts_with_dots(tail(rest, i + 1)))))
            return false;
    }
    return true;
}

/* Resolves a reference that is stripped, without line ends and not too long. */
static th_view resolve(th_view base, th_view reference, th_arena *arena)
{
    const size_t len = scheme_len(reference);
    struct parts to = { .scheme = head(reference, len) };
    to.is_web = is_web_scheme(to.scheme);
    if (len > 0 && (!to.is_web || is_clean(reference, len)))
        return reference;

    char scratch[URL_MAX];
    struct parts from;
    base = strip(base);
    const bool has_base = base.data && base.len <= URL_MAX &&
                          split_base(without_line_ends(base, scratch), &from);
    if (len == 0) {
        if (!has_base)
            return reference;
        to.scheme = from.scheme;
        to.is_web = from.is_web;
        split_rest(reference, &to);
        return compose(&to, &from, arena);
    }
    const th_view rest = tail(reference, len + 1);
    const size_t slashes = slash_count(rest, true);
    if (slashes < 2 && has_base && th_ascii_same(from.scheme, to.scheme)) {
        split_path(rest, &to);
        return compose(&to, &from, arena);
    }
    split_authority(tail(rest, slashes), &to);
    return compose(&to, NULL, arena);
}

/* ---- plain references, which are not split ---- */

/* Counts the bytes of "http://" or "https://" at the start of a URL, else returns 0. */
static size_t web_prefix_len(th_view url)
{
    if (url.len < 8 || memcmp(url.data, "http", 4) != 0)
        return 0;
    if (memcmp(url.data + 4, "://", 3) == 0)
        return 7;
    return memcmp(url.data + 4, "s://", 4) == 0 ? 8 : 0;
}

/* Counts the bytes of a plain web URL through its host, 0 if it has none. */
static size_t origin_len(th_view url)
{
    const size_t prefix = web_prefix_len(url);
    const size_t len = prefix ? host_len(tail(url, prefix)) : 0;
    return len ? prefix + len : 0;
}

th_url_base th_url_base_of(th_view url)
{
    th_url_base base = { .url = url };
    const size_t origin = url.len <= URL_MAX ? origin_len(url) : 0;
    if (!origin || !th_url_is_plain(head(url, origin)))
        return base;
    const th_view path = tail(url, origin);
    base.origin_len = origin;
    base.path_len = base.directory_len = origin + until(path, '?', '#');
    base.query_len = origin + until(path, '#', '#');
    base.is_plain = th_url_is_plain(url);
    while (base.directory_len > origin && url.data[base.directory_len - 1] != '/')
        base.directory_len--;
    return base;
}

/*
 * Computes the bytes of the base before a plain reference without scheme, if they are
 * plain.
 * @return false when it is not so simple
 */
static bool base_part(const th_url_base *base, th_view reference, size_t *len)
{
    char first = '#';
    if (reference.len > 0)
        first = reference.data[0];
    if (!base->origin_len || (first != '/' && !base->is_plain))
        return false;
    switch (first) {
    case '/':
        *len = base->origin_len;
        if (reference.len == 1 || reference.data[1] != '/')
            return true;
        *len = web_prefix_len(base->url) - 2; /* the scheme */
        return host_len(tail(reference, 2)) > 0;
    case '?':
        *len = base->path_len;
        return true;
    case '#': /* also the empty reference */
        *len = base->query_len;
        return true;
    case '.':
    case '%':
        return false;
    default:
        *len = base->directory_len;
        return *len > base->origin_len && !memchr(reference.data, ':', reference.len);
    }
}

/* @return false if the reference must be split */
static bool resolve_plain(const th_url_base *base, th_view reference, th_arena *arena,
                          th_view *url)
{
    if (!th_url_is_plain(reference))
        return false;
    const size_t prefix = web_prefix_len(reference);
    if (prefix) {
        *url = reference;
        return th_url_has_origin(reference, base) ||
               host_len(tail(reference, prefix)) > 0;
    }
    size_t len = 0;
    if (!base_part(base, reference, &len) || len + reference.len > URL_MAX)
        return false;
    char *joined = th_arena_alloc(arena, len + reference.len);
    *url = (th_view){ joined, joined ? len + reference.len : 0 };
    if (joined) {
        memcpy(joined, base->url.data, len);
        memcpy(joined + len, reference.data, reference.len);
    }
    return true;
}

th_view th_url_resolve_from(const th_url_base *base, th_view reference, th_arena *arena)
{
    char scratch[URL_MAX];
    const th_view none = { NULL, 0 };
    th_view plain;
    if (!reference.data)
        return none;
    if (reference.len <= URL_MAX && resolve_plain(base, reference, arena, &plain))
        return plain;
    reference = strip(reference);
    if (reference.len > URL_MAX)
        return none;
    const th_view joined = without_line_ends(reference, scratch);
    const th_view url = resolve(base->url, joined, arena);
    return url.data == scratch ? th_arena_copy(arena, url) : url;
}

th_view th_url_resolve(th_view base, th_view reference, th_arena *arena)
{
    const th_url_base measured = th_url_base_of(base);
    return th_url_resolve_from(&measured, reference, arena);
}

/* Returns the host of the authority that begins here. */
static th_view without_user_and_port(th_view text, bool is_web)
{
    const size_t none = SIZE_MAX;
    size_t start = 0, port = none, end = 0;
    for (; end < text.len && !is_slash(text.data[end], is_web); end++) {
        const char c = text.data[end];
        if (c == '?' || c == '#')
            break;
        if (c == '@') /* the last one counts */
            start = end + 1;
        if (c == ':')
            port = end;
        else if (c == ']' || c == '@') /* the colon was not a port's */
            port = none;
    }
    return head(tail(text, start), (port == none ? end : port) - start);
}

th_view th_url_host(th_view url)
{
    const th_view none = { NULL, 0 };
    const size_t prefix = web_prefix_len(url);
    const size_t scheme = prefix ? prefix - 3 : scheme_len(url);
    if (scheme == 0)
        return none;
    const bool is_web = prefix || is_web_scheme(head(url, scheme));
    th_view host = tail(url, scheme + 1);
    const size_t slashes = slash_count(host, is_web);
    if (slashes < 2)
        return none;
    host = without_user_and_port(tail(host, is_web ? slashes : 2), is_web);
    return host.len > 0 ? host : none;
}

bool th_url_has_host(th_view url, th_view host)
{
    const size_t prefix = web_prefix_len(url);
    if (prefix && host.len && !memchr(url.data, '@', url.len)) {
        /* Without a user the host is at the beginning, and its bytes decide. */
        const th_view rest = tail(url, prefix);
        const char next = (char)(rest.len > host.len ? rest.data[host.len] : '/');
        if (rest.len && !is_slash(rest.data[0], true) && next != ':')
            return rest.len >= host.len &&
                   (is_slash(next, true) || next == '?' || next == '#') &&
                   th_ascii_same(head(rest, host.len), host);
    }
    return host.len && th_ascii_same(th_url_host(url), host);
}
