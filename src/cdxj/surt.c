/*
 * Splits the URL as RFC 3986 appendix B does, then puts each part into canonical form.
 * Follows the package surt, including its oddities, because keys are useful only if all
 * tools make the same ones.
 */
#include "cdxj/surt.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uidna.h>

#include "base/ascii.h"

enum { HOST_MAX = 1024, PORT_MAX = 65535 };

/* A URL taken apart; absent parts have no data. All in the arena, or borrowed. */
struct parts {
    th_view scheme;
    th_view host;
    th_view path;
    th_view query;
    long port; /* -1: none, or the scheme's own */
};

/* A text that grows in room that was measured before. */
struct text {
    char *bytes;
    size_t len;
};

static th_view tail(th_view view, size_t len)
{
    return (th_view){ view.data + len, view.len - len };
}

static th_view head(th_view view, size_t len)
{
    return (th_view){ view.data, len };
}

static bool is_empty(th_view view)
{
    return view.len == 0;
}

static void put(struct text *text, char c)
{
    text->bytes[text->len++] = c;
}

static void put_view(struct text *text, th_view view)
{
    if (view.len)
        memcpy(text->bytes + text->len, view.data, view.len);
    text->len += view.len;
}

/* The first place of one of the bytes of `set`, or the length. */
static size_t find_any(th_view text, const char *set)
{
    size_t i = 0;
    while (i < text.len && (!text.data[i] || !strchr(set, text.data[i])))
        i++;
    return i;
}

/* ---- escapes ---- */

/*
 * Undoes escapes until none is left, in place. If a decoded byte completes an escape with
 * the bytes before it, that is also undone. Returns the new length.
 */
static size_t unescape_fully(char *bytes, size_t len)
{
    size_t to = 0;
    for (size_t from = 0; from < len; from++) {
        bytes[to++] = bytes[from];
        while (to >= 3 && bytes[to - 3] == '%' && th_hex_value(bytes[to - 2]) >= 0 &&
               th_hex_value(bytes[to - 1]) >= 0) {
            bytes[to - 3] =
                (char)(th_hex_value(bytes[to - 2]) * 16 + th_hex_value(bytes[to - 1]));
            to -= 2;
        }
    }
    return to;
}

static th_view unescaped(th_view text, th_arena *arena)
{
    th_view copy = th_arena_copy(arena, text);
    if (copy.data)
        copy.len = unescape_fully((char *)copy.data, copy.len);
    return copy;
}

/* With all but printable ASCII escaped once; '#' and '%' too. */
static th_view escaped(th_view text, th_arena *arena)
{
    static const char digits[] = "0123456789ABCDEF";
    struct text out = { th_arena_alloc(arena, 3 * text.len + 1), 0 };
    if (!out.bytes)
        return (th_view){ NULL, 0 };
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c > ' ' && c < 0x7F && c != '#' && c != '%') {
            put(&out, (char)c);
            continue;
        }
        put(&out, '%');
        put(&out, digits[c >> 4]);
        put(&out, digits[c & 15]);
    }
    return (th_view){ out.bytes, out.len };
}

static void lower_in_place(th_view text)
{
    char *bytes = (char *)text.data;
    for (size_t i = 0; i < text.len; i++)
        bytes[i] = th_lower(bytes[i]);
}

/* ---- taking apart ---- */

/* Returns the URL without spaces around it, and without tabs and line ends. */
static th_view cleaned(th_view url, th_arena *arena)
{
    url = th_ascii_trimmed(url);
    struct text out = { th_arena_alloc(arena, url.len + 1), 0 };
    if (!out.bytes)
        return (th_view){ NULL, 0 };
    for (size_t i = 0; i < url.len; i++)
        if (url.data[i] != '\t' && url.data[i] != '\n' && url.data[i] != '\r')
            put(&out, url.data[i]);
    return (th_view){ out.bytes, out.len };
}

/* Length of "scheme" where the text starts with "scheme:", 0 without. */
static size_t scheme_len(th_view url)
{
    size_t i = 0;
    if (!url.len || !th_is_letter(url.data[0]))
        return 0;
    while (i < url.len && (th_is_letter(url.data[i]) || th_is_digit(url.data[i]) ||
                           strchr("+-.", url.data[i] ? url.data[i] : '/')))
        i++;
    return i < url.len && url.data[i] == ':' ? i : 0;
}

/* Length of "http://" or "https://" at the start, in this case; 0 without. */
static size_t web_start(th_view url)
{
    if (url.len >= 7 && memcmp(url.data, "http://", 7) == 0)
        return 7;
    return url.len >= 8 && memcmp(url.data, "https://", 8) == 0 ? 8 : 0;
}

/* Of "http://https://host" the last counts. */
static th_view without_repeated_start(th_view url)
{
    size_t len = web_start(url);
    while (len && web_start(tail(url, len))) {
        url = tail(url, len);
        len = web_start(url);
    }
    return url;
}

/*
 * Splits "user@host:port" into host and port. False if the port is not a number in range.
 */
static bool split_authority(th_view authority, struct parts *parts)
{
    while (authority.len && authority.data[authority.len - 1] == ':')
        authority.len--;
    for (size_t i = authority.len; i-- > 0;)
        if (authority.data[i] == '@') {
            authority = tail(authority, i + 1);
            break;
        }
    th_view rest;
    parts->host = head(authority, find_any(authority, ":"));
    if (authority.len && authority.data[0] == '[') {
        const size_t end = find_any(authority, "]");
        parts->host = tail(head(authority, end), 1);
        rest = end < authority.len ? tail(authority, end + 1) : tail(authority, end);
    } else {
        rest = tail(authority, parts->host.len);
    }
    const size_t colon = find_any(rest, ":");
    parts->port = -1;
    if (colon + 1 >= rest.len)
        return true;
    long port = 0;
    for (size_t i = colon + 1; i < rest.len; i++) {
        if (!th_is_digit(rest.data[i]) || port > PORT_MAX)
            return false;
        port = port * 10 + (rest.data[i] - '0');
    }
    parts->port = port ? port : -1;
    return port <= PORT_MAX;
}

/* Finds the host of "http:///host/path", which follows too many slashes. */
static void find_late_host(struct parts *parts)
{
    th_view path = parts->path;
    if (!is_empty(parts->host) || !path.data || parts->scheme.len < 4 ||
        memcmp(parts->scheme.data, "http", 4) != 0)
        return;
    while (path.len && path.data[0] == '/')
        path = tail(path, 1);
    parts->host = head(path, find_any(path, "/"));
    parts->path = path.len > parts->host.len ? tail(path, parts->host.len) : TH_VIEW("/");
}

static bool take_apart(th_view url, struct parts *parts)
{
    const size_t len = scheme_len(url);
    bool is_right = true;
    *parts = (struct parts){ .scheme = head(url, len), .port = -1 };
    url = tail(url, len + 1);
    url.len = find_any(url, "#");
    if (url.len >= 2 && url.data[0] == '/' && url.data[1] == '/') {
        url = tail(url, 2);
        const size_t end = find_any(url, "/?");
        is_right = split_authority(head(url, end), parts);
        url = tail(url, end);
    }
    const size_t path = find_any(url, "?");
    if (path)
        parts->path = head(url, path);
    if (path + 1 < url.len)
        parts->query = tail(url, path + 1);
    find_late_host(parts);
    return is_right;
}

/* ---- the host ---- */

/*
 * Converts the host to ASCII, by IDNA. Returns it unchanged if it is not a name of IDNA.
 */
static th_view host_in_ascii(th_view host, th_arena *arena)
{
    UErrorCode code = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    size_t i = 0;
    while (i < host.len && (unsigned char)host.data[i] < 0x80)
        i++;
    if (i == host.len || host.len > HOST_MAX)
        return host;
    char *name = th_arena_alloc(arena, HOST_MAX);
    UIDNA *idna = uidna_openUTS46(UIDNA_DEFAULT, &code);
    int32_t len = 0;
    if (name && U_SUCCESS(code))
        len = uidna_nameToASCII_UTF8(idna, host.data, (int32_t)host.len, name, HOST_MAX,
                                     &info, &code);
    uidna_close(idna);
    if (!name || U_FAILURE(code) || info.errors || len <= 0 || len > HOST_MAX)
        return host;
    return (th_view){ name, (size_t)len };
}

/* ".." is "." once, from the left; no dots at the ends. In place. */
static th_view without_odd_dots(th_view host)
{
    char *bytes = (char *)host.data;
    size_t to = 0;
    for (size_t i = 0; i < host.len; i++) {
        bytes[to++] = bytes[i];
        if (i + 1 < host.len && bytes[i] == '.' && host.data[i + 1] == '.')
            i++;
    }
    host.len = to;
    while (host.len && host.data[0] == '.')
        host = tail(host, 1);
    while (host.len && host.data[host.len - 1] == '.')
        host.len--;
    return host;
}

static bool is_number_with_dots(th_view host)
{
    for (size_t i = 0; i < host.len; i++)
        if (!th_is_digit(host.data[i]) && host.data[i] != '.')
            return false;
    return host.len && th_is_digit(host.data[0]);
}

/* An address in one of its forms (decimal, octal, 1 to 4 parts) as four decimals. */
static th_view as_address(th_view host, th_arena *arena)
{
    struct in_addr address = { 0 };
    char text[64];
    char *out = th_arena_alloc(arena, INET_ADDRSTRLEN);
    if (!out || !is_number_with_dots(host))
        return host;
    if (find_any(host, ".") == host.len) { /* one number: its lowest 32 bits */
        uint32_t value = 0;
        for (size_t i = 0; i < host.len; i++)
            value = value * 10 + (uint32_t)(host.data[i] - '0');
        address.s_addr = htonl(value);
    } else {
        (void)snprintf(text, sizeof text, "%.*s", (int)(host.len < 63 ? host.len : 63),
                       host.data);
        if (!inet_aton(text, &address))
            return host;
    }
    if (!inet_ntop(AF_INET, &address, out, INET_ADDRSTRLEN))
        return host;
    return (th_view){ out, strlen(out) };
}

/* Without "www." or "www12." at its start. */
static th_view without_www(th_view host)
{
    size_t i = 3;
    if (host.len < 4 || memcmp(host.data, "www", 3) != 0)
        return host;
    while (i < host.len && th_is_digit(host.data[i]))
        i++;
    return i < host.len && host.data[i] == '.' ? tail(host, i + 1) : host;
}

static th_view canonical_host(th_view host, const struct parts *parts, th_arena *arena)
{
    host = unescaped(host, arena);
    if (!host.data)
        return host;
    lower_in_place(host);
    host = th_arena_copy(arena, host_in_ascii(host, arena));
    if (!host.data)
        return host;
    host = escaped(as_address(without_odd_dots(host), arena), arena);
    if (!host.data)
        return host;
    lower_in_place(host);
    return th_ascii_is(parts->scheme, "dns") ? host : without_www(host);
}

/* ---- the path ---- */

/*
 * Resolves "." and "..", as long as there is a part to go back to. Removes empty parts
 * except the last, and the text before the first slash.
 */
static th_view without_dot_parts(th_view path, th_arena *arena)
{
    size_t slashes = 0;
    size_t count = 0;
    for (size_t i = 0; i < path.len; i++)
        slashes += path.data[i] == '/';
    th_view *kept = th_arena_calloc(arena, slashes + 1, sizeof *kept);
    struct text out = { th_arena_alloc(arena, path.len + 2), 0 };
    if (!kept || !out.bytes)
        return (th_view){ NULL, 0 };
    for (size_t at = find_any(path, "/"); at < path.len;) {
        const th_view rest = tail(path, at + 1);
        const th_view part = head(rest, find_any(rest, "/"));
        const bool is_back = part.len == 2 && memcmp(part.data, "..", 2) == 0;
        if (is_back && count > 0)
            count--;
        else if (part.len != 1 || part.data[0] != '.')
            kept[count++] = part;
        at += part.len + 1;
    }
    put(&out, '/');
    for (size_t i = 0; i < count; i++) {
        put_view(&out, kept[i]);
        if (kept[i].len && i + 1 < count)
            put(&out, '/');
    }
    return (th_view){ out.bytes, out.len };
}

static bool are_session_letters(th_view text, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++)
        if (i >= text.len || !(th_is_letter(text.data[i]) || th_is_digit(text.data[i])))
            return false;
    return true;
}

/* Length of "(S(24 letters or digits))/" or "(24 letters or digits)/" at a place, or 0. */
static size_t session_part_len(th_view path, size_t at, bool is_nested)
{
    size_t i = at + 1;
    size_t groups = 0;
    if (path.data[at] != '(')
        return 0;
    if (!is_nested) {
        i += are_session_letters(path, i, 24) ? 24 : 0;
        groups = i > at + 1;
    }
    while (is_nested && i + 1 < path.len && th_is_letter(path.data[i]) &&
           path.data[i + 1] == '(' && are_session_letters(path, i + 2, 24) &&
           i + 26 < path.len && path.data[i + 26] == ')') {
        i += 27;
        groups++;
    }
    return groups && i + 1 < path.len && path.data[i] == ')' && path.data[i + 1] == '/'
               ? i + 2 - at
               : 0;
}

/* Whether a text contains ".aspx" after one or more bytes, and no '?' before it. */
static bool names_aspx(th_view text)
{
    for (size_t i = 1; i + 5 <= text.len && text.data[i - 1] != '?'; i++)
        if (memcmp(text.data + i, ".aspx", 5) == 0)
            return true;
    return false;
}

/* ASP.NET's session id goes. In place: the path is lower case, in the arena. */
static th_view without_session(th_view path)
{
    for (int nested = 1; nested >= 0; nested--)
        for (size_t at = path.len; at-- > 1;) {
            const size_t len =
                path.data[at - 1] == '/' ? session_part_len(path, at, nested) : 0;
            if (len && names_aspx(tail(path, at + len))) {
                memmove((char *)path.data + at, path.data + at + len,
                        path.len - at - len);
                path.len -= len;
                break;
            }
        }
    return path;
}

static th_view canonical_path(const struct parts *parts, th_arena *arena)
{
    th_view path = parts->path;
    if (path.data)
        path = unescaped(path, arena);
    if (parts->path.data && !path.data)
        return path;
    if (!is_empty(parts->host))
        path = path.data ? without_dot_parts(path, arena) : TH_VIEW("/");
    if (path.data)
        path = escaped(path, arena);
    if (!path.data)
        return path;
    lower_in_place(path);
    path = without_session(path);
    if (path.len > 1 && path.data[path.len - 1] == '/')
        path.len--;
    return path;
}

/* ---- the query ---- */

/* A parameter whose value is `letters` and `count` bytes long, or any up to '&'. */
struct session_name {
    const char *name;  /* with its '=' where it ends there */
    size_t id_letters; /* letters that belong to the name, then '=' */
    size_t count;      /* of the value; 0: any, and then the second name follows */
    const char *second;
    bool has_digits;
};

/*
 * Returns the length of a session parameter at a place, up to '&' or the end; 0 if there
 * is no parameter.
 */
static size_t session_len(th_view query, size_t at, const struct session_name *session)
{
    th_view rest = tail(query, at);
    size_t i = strlen(session->name);
    if (!th_ascii_starts_with(rest, session->name))
        return 0;
    if (session->id_letters) {
        for (size_t k = 0; k < session->id_letters; k++, i++)
            if (i >= rest.len || !th_is_letter(rest.data[i]))
                return 0;
        if (i >= rest.len || rest.data[i++] != '=')
            return 0;
    }
    if (session->second) {
        const size_t value = find_any(tail(rest, i), "&");
        i += value + 1;
        if (!value || i > rest.len ||
            !th_ascii_starts_with(tail(rest, i), session->second))
            return 0;
        i += strlen(session->second);
        const size_t last = find_any(tail(rest, i), "&");
        return last ? i + last : 0;
    }
    for (size_t k = 0; k < session->count; k++, i++)
        if (i >= rest.len || !(th_is_letter(rest.data[i]) ||
                               (session->has_digits && th_is_digit(rest.data[i]))))
            return 0;
    return i == rest.len || rest.data[i] == '&' ? i : 0;
}

/* Session ids go, the last of each kind. In place. */
static th_view without_session_ids(th_view query)
{
    static const struct session_name names[] = {
        { "jsessionid=", 0, 32, NULL, true }, { "phpsessid=", 0, 32, NULL, true },
        { "sid=", 0, 32, NULL, true },        { "aspsessionid", 8, 24, NULL, false },
        { "cfid=", 0, 0, "cftoken=", true },
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t at = query.len; at-- > 0;) {
            size_t len = session_len(query, at, &names[n]);
            if (!len)
                continue;
            len += at + len < query.len; /* its '&' */
            memmove((char *)query.data + at, query.data + at + len, query.len - at - len);
            query.len -= len;
            break;
        }
    return query;
}

static int compare_bytes(th_view a, th_view b)
{
    const size_t shorter = a.len < b.len ? a.len : b.len;
    const int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/*
 * Compares by name, then by value. A parameter without '=' comes before a parameter with
 * it.
 */
static int compare_parameters(const void *left, const void *right)
{
    const th_view a = *(const th_view *)left;
    const th_view b = *(const th_view *)right;
    const size_t a_name = find_any(a, "=");
    const size_t b_name = find_any(b, "=");
    const int order = compare_bytes(head(a, a_name), head(b, b_name));
    return order ? order : compare_bytes(tail(a, a_name), tail(b, b_name));
}

static th_view sorted_query(th_view query, th_arena *arena)
{
    size_t count = 1;
    size_t used = 0;
    for (size_t i = 0; i < query.len; i++)
        count += query.data[i] == '&';
    th_view *parameters = th_arena_calloc(arena, count, sizeof *parameters);
    struct text out = { th_arena_alloc(arena, query.len + 1), 0 };
    if (!parameters || !out.bytes)
        return (th_view){ NULL, 0 };
    for (th_view rest = query; used < count; used++) {
        parameters[used] = head(rest, find_any(rest, "&"));
        if (parameters[used].len < rest.len)
            rest = tail(rest, parameters[used].len + 1);
        else
            rest = tail(rest, rest.len);
    }
    qsort(parameters, count, sizeof *parameters, compare_parameters);
    for (size_t i = 0; i < count; i++) {
        if (i)
            put(&out, '&');
        put_view(&out, parameters[i]);
    }
    return (th_view){ out.bytes, out.len };
}

/* Absent data also for a query of nothing but a session id. */
static th_view canonical_query(th_view query, bool *has_failed, th_arena *arena)
{
    if (!query.data)
        return query;
    query = unescaped(query, arena);
    if (query.data)
        query = escaped(query, arena);
    if (query.data) {
        query = without_session_ids(query);
        lower_in_place(query);
        query = query.len > 1 ? sorted_query(query, arena) : query;
    }
    *has_failed = !query.data;
    return query.len ? query : (th_view){ NULL, 0 };
}

/* ---- the key ---- */

static void put_reversed_host(struct text *out, th_view host)
{
    size_t end = host.len;
    for (size_t i = host.len; i-- > 0;)
        if (host.data[i] == '.') {
            put_view(out, (th_view){ host.data + i + 1, end - i - 1 });
            put(out, ',');
            end = i;
        }
    put_view(out, head(host, end));
}

static bool is_default_port(const struct parts *parts)
{
    return (parts->port == 80 && th_ascii_is(parts->scheme, "http")) ||
           (parts->port == 443 && th_ascii_is(parts->scheme, "https"));
}

static th_view key_of(const struct parts *parts, th_arena *arena)
{
    struct text out = { th_arena_alloc(arena, parts->scheme.len + parts->host.len +
                                                  parts->path.len + parts->query.len +
                                                  16),
                        0 };
    char port[16];
    if (!out.bytes)
        return (th_view){ NULL, 0 };
    if (is_empty(parts->host)) {
        put_view(&out, parts->scheme);
        put(&out, ':');
    } else {
        put_reversed_host(&out, parts->host);
        if (parts->port >= 0 && !is_default_port(parts)) {
            const int len = snprintf(port, sizeof port, ":%ld", parts->port);
            put_view(&out, (th_view){ port, (size_t)len });
        }
        put(&out, ')');
    }
    if (!is_empty(parts->path))
        put_view(&out, parts->path);
    else if (parts->query.data)
        put(&out, '/');
    if (parts->query.data) {
        put(&out, '?');
        put_view(&out, parts->query);
    }
    return (th_view){ out.bytes, out.len };
}

th_view th_surt(th_view url, th_arena *arena)
{
    struct parts parts;
    bool has_failed = false;
    const th_view none = { NULL, 0 };
    if (!url.len)
        return TH_VIEW("-");
    if (url.len > TH_SURT_URL_MAX)
        return none;
    th_view clean = cleaned(url, arena);
    if (!clean.data)
        return none;
    if (!scheme_len(clean)) {
        struct text with_scheme = { th_arena_alloc(arena, clean.len + 8), 0 };
        if (!with_scheme.bytes)
            return none;
        put_view(&with_scheme, TH_VIEW("http://"));
        put_view(&with_scheme, clean);
        clean = (th_view){ with_scheme.bytes, with_scheme.len };
    }
    if (!take_apart(without_repeated_start(clean), &parts))
        return escaped(clean, arena);
    parts.query = canonical_query(parts.query, &has_failed, arena);
    const bool has_host = !is_empty(parts.host);
    const bool has_path = has_host || parts.path.data;
    if (has_host)
        parts.host = canonical_host(parts.host, &parts, arena);
    has_failed |= has_host && !parts.host.data;
    parts.path = canonical_path(&parts, arena);
    has_failed |= has_path && !parts.path.data;
    return has_failed ? none : key_of(&parts, arena);
}
