/*
 * Reduced files are text, so that they can be read, stored and compared, and so that one
 * small reader is enough: every rule is a line "key: value" with one space. Lines that
 * RFC 9309 does not define do not end a list of agents.
 *
 * Deviations from RFC 9309: an agent's name may contain digits (AI2Bot). "Content-Usage"
 * (draft-ietf-aipref-attach) and "Content-Signal" may begin with a path. "License" (RSL)
 * is of no group.
 */
#include "robots/robots_txt.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

enum kind { AGENT, ALLOW, DISALLOW, USAGE, SIGNAL, LICENSE, KINDS };

static const char *const keys[KINDS] = { "user-agent",    "allow",          "disallow",
                                         "content-usage", "content-signal", "license" };

/* A line of a file. */
struct line {
    enum kind kind; /* KINDS: another line */
    th_view value;
};

/* ---- canonical paths ---- */

static bool is_unreserved(char c)
{
    return th_is_letter(c) || th_is_digit(c) || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

static void append_escape(th_buffer *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char escape[] = { '%', digits[c >> 4], digits[c & 15] };
    th_buffer_append(out, escape, sizeof escape);
}

/* @param kept  characters that remain unless escaped */
static void append_canonical(th_view text, const char *kept, th_buffer *out)
{
    bool has_query = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        const bool has_two = c == '%' && i + 2 < text.len;
        const int high = has_two ? th_hex_value(text.data[i + 1]) : -1;
        const int low = has_two ? th_hex_value(text.data[i + 2]) : -1;
        const bool is_escape = high >= 0 && low >= 0;
        if (is_escape) {
            c = (unsigned char)(high * 16 + low);
            i += 2;
        }
        const bool is_query = c == '?' && !is_escape && !has_query;
        has_query |= is_query;
        if (is_unreserved((char)c) || c == '=' || is_query ||
            (!is_escape && c && strchr(kept, c)))
            th_buffer_append_char(out, (char)c);
        else
            append_escape(out, c);
    }
}

void th_robots_pattern(th_view pattern, th_buffer *out)
{
    const bool has_end = pattern.len && pattern.data[pattern.len - 1] == '$';
    pattern.len -= has_end;
    append_canonical(pattern, "/%*", out);
    if (has_end)
        th_buffer_append_char(out, '$');
}

/* Returns what follows "://" of an http(s) URL, absent if it is not one. */
static th_view after_scheme(th_view url)
{
    for (unsigned is_secure = 0; is_secure < 2; is_secure++) {
        const char *const start = is_secure ? "https://" : "http://";
        if (th_ascii_starts_with(url, start))
            return (th_view){ url.data + strlen(start), url.len - strlen(start) };
    }
    return (th_view){ NULL, 0 };
}

static size_t authority_len(th_view rest)
{
    size_t len = 0;
    while (len < rest.len && !strchr("/?#", rest.data[len]))
        len++;
    return len;
}

void th_robots_path(th_view url, th_buffer *out)
{
    th_view rest = after_scheme(url);
    const size_t authority = rest.data ? authority_len(rest) : 0;
    rest = rest.data ? (th_view){ rest.data + authority, rest.len - authority } : url;
    if (!rest.data)
        rest = TH_VIEW("");
    const char *const fragment = memchr(rest.data, '#', rest.len);
    if (fragment)
        rest.len = (size_t)(fragment - rest.data);
    if (!rest.len || rest.data[0] != '/')
        th_buffer_append_char(out, '/');
    append_canonical(rest, "/%", out);
}

size_t th_robots_origin(th_view url, char out[TH_ROBOTS_ORIGIN_MAX])
{
    th_view rest = after_scheme(url);
    if (!rest.data)
        return 0;
    const size_t scheme = (size_t)(rest.data - url.data);
    rest.len = authority_len(rest);
    const char *const user = rest.len ? memrchr(rest.data, '@', rest.len) : NULL;
    if (user)
        rest = (th_view){ user + 1, rest.len - (size_t)(user + 1 - rest.data) };
    const char *const port = scheme == 8 ? ":443" : ":80";
    if (th_ends_with(rest, port))
        rest.len -= strlen(port);
    if (!rest.len || scheme + rest.len >= TH_ROBOTS_ORIGIN_MAX)
        return 0;
    for (size_t i = 0; i < scheme; i++)
        out[i] = th_lower(url.data[i]);
    for (size_t i = 0; i < rest.len; i++) {
        const char c = th_lower(rest.data[i]);
        if (!is_unreserved(c) && !strchr(":[]%", c))
            return 0;
        out[scheme + i] = c;
    }
    out[scheme + rest.len] = '\0';
    return scheme + rest.len;
}

/* ---- lines ---- */

/* Reads the next line of a text. @return false at the end */
static bool next_line(th_view *text, th_view *line)
{
    if (!text->len)
        return false;
    size_t len = 0;
    while (len < text->len && text->data[len] != '\n' && text->data[len] != '\r')
        len++;
    *line = (th_view){ text->data, len };
    len += len < text->len;
    *text = (th_view){ text->data + len, text->len - len };
    return true;
}

static struct line read_line(th_view text)
{
    const char *const hash = text.len ? memchr(text.data, '#', text.len) : NULL;
    if (hash)
        text.len = (size_t)(hash - text.data);
    const char *const colon = text.len ? memchr(text.data, ':', text.len) : NULL;
    struct line line = { KINDS, { NULL, 0 } };
    if (!colon)
        return line;
    const th_view key =
        th_ascii_trimmed((th_view){ text.data, (size_t)(colon - text.data) });
    line.value = th_ascii_trimmed(
        (th_view){ colon + 1, text.len - (size_t)(colon + 1 - text.data) });
    line.kind = AGENT;
    while (line.kind < KINDS && !th_ascii_is(key, keys[line.kind]))
        line.kind++;
    return line;
}

/* Returns the product token at the start of an agent line's value: "Bot/2.1" is "Bot". */
static th_view token_of(th_view value)
{
    if (value.len && value.data[0] == '*' &&
        (value.len == 1 || th_ascii_is_blank(value.data[1])))
        return (th_view){ value.data, 1 };
    size_t len = 0;
    while (len < value.len &&
           (th_is_letter(value.data[len]) || th_is_digit(value.data[len]) ||
            value.data[len] == '-' || value.data[len] == '_'))
        len++;
    return (th_view){ value.data, len };
}

static void append_value(const struct line *line, th_buffer *out)
{
    if (line->kind == AGENT) {
        const th_view token = token_of(line->value);
        for (size_t i = 0; i < token.len; i++)
            th_buffer_append_char(out, th_lower(token.data[i]));
    } else if (line->kind == ALLOW || line->kind == DISALLOW) {
        th_robots_pattern(line->value, out);
    } else {
        for (size_t i = 0; i < line->value.len; i++) {
            const char c = line->value.data[i];
            if (c >= ' ' && c < 0x7F)
                th_buffer_append_char(out, c);
            else
                append_escape(out, (unsigned char)c);
        }
    }
}

bool th_robots_txt_reduce(th_view bytes, th_buffer *out)
{
    bool is_whole = bytes.len <= TH_ROBOTS_TXT_MAX;
    if (!is_whole)
        bytes.len = TH_ROBOTS_TXT_MAX;
    if (th_ascii_starts_with(bytes, "\xEF\xBB\xBF"))
        bytes = (th_view){ bytes.data + 3, bytes.len - 3 };
    uint32_t count = 0;
    th_view text;
    while (next_line(&bytes, &text)) {
        const struct line line = read_line(text);
        if (line.kind == KINDS)
            continue;
        if (line.value.len > TH_ROBOTS_RULE_MAX || count == TH_ROBOTS_RULES_MAX) {
            is_whole = false;
            continue;
        }
        count++;
        th_buffer_append_text(out, keys[line.kind]);
        th_buffer_append(out, ": ", 2);
        append_value(&line, out);
        th_buffer_append_char(out, '\n');
    }
    return is_whole;
}

/* Splits a line of a reduced text. */
static struct line split(th_view text)
{
    struct line line = { AGENT, { NULL, 0 } };
    while (line.kind < KINDS) {
        const size_t len = strlen(keys[line.kind]);
        if (text.len >= len + 2 && memcmp(text.data, keys[line.kind], len) == 0 &&
            text.data[len] == ':') {
            line.value = (th_view){ text.data + len + 2, text.len - len - 2 };
            break;
        }
        line.kind++;
    }
    return line;
}

/* Appends the lines of groups that name the agent. @return whether there is one */
static bool select_groups(th_view reduced, th_view agent, th_buffer *out)
{
    bool is_mine = false, is_agents = false, has_any = false;
    th_view text;
    while (next_line(&reduced, &text)) {
        const struct line line = split(text);
        if (line.kind == AGENT) {
            is_mine = (is_agents && is_mine) || th_ascii_same(line.value, agent);
            has_any |= is_mine;
            is_agents = true;
        } else if (line.kind != LICENSE && line.kind != KINDS) {
            is_agents = false;
            if (is_mine) {
                th_buffer_append_view(out, text);
                th_buffer_append_char(out, '\n');
            }
        }
    }
    return has_any;
}

bool th_robots_txt_select(th_view reduced, th_view agent, th_buffer *out)
{
    const bool has_name = agent.len && select_groups(reduced, agent, out);
    if (!has_name)
        (void)select_groups(reduced, TH_VIEW("*"), out);
    th_view text;
    while (next_line(&reduced, &text))
        if (split(text).kind == LICENSE) {
            th_buffer_append_view(out, text);
            th_buffer_append_char(out, '\n');
        }
    return has_name;
}

/* ---- matching ---- */

/* Each part between stars takes its first place after the part before. So the search is
 * linear in the path. */
bool th_robots_pattern_matches(th_view pattern, th_view path)
{
    const bool has_end = pattern.len && pattern.data[pattern.len - 1] == '$';
    pattern.len -= has_end;
    for (bool is_first = true;; is_first = false) {
        const char *const star =
            pattern.len ? memchr(pattern.data, '*', pattern.len) : NULL;
        const th_view part = { pattern.data,
                               star ? (size_t)(star - pattern.data) : pattern.len };
        if (!star && has_end && !is_first)
            return part.len <= path.len &&
                   memcmp(path.data + path.len - part.len, part.data, part.len) == 0;
        const char *at = path.data;
        if (part.len > path.len)
            return false;
        if (is_first && part.len && memcmp(path.data, part.data, part.len) != 0)
            return false;
        if (!is_first && part.len)
            at = memmem(path.data, path.len, part.data, part.len);
        if (!at)
            return false;
        const size_t used = (size_t)(at - path.data) + part.len;
        path = (th_view){ path.data + used, path.len - used };
        if (!star)
            return !has_end || !path.len;
        pattern = (th_view){ star + 1, pattern.len - part.len - 1 };
    }
}

/* Separates "/path train-ai=n" into path and value. */
static th_view path_of_usage(th_view *value)
{
    if (!value->len || value->data[0] != '/')
        return (th_view){ NULL, 0 };
    th_view rest = *value;
    const th_view path = th_ascii_next_word(&rest);
    *value = th_ascii_trimmed(rest);
    return path;
}

void th_robots_txt_match(th_view rules, th_view path, th_robots_match *out)
{
    size_t longest = 0, usage_len = 0, signal_len = 0;
    *out = (th_robots_match){ .is_disallowed = false };
    if (path.len > TH_ROBOTS_PATH_MAX)
        path.len = TH_ROBOTS_PATH_MAX;
    const bool is_robots_txt = th_view_is(path, "/robots.txt");
    th_view text;
    while (next_line(&rules, &text)) {
        struct line line = split(text);
        if (line.kind == ALLOW || line.kind == DISALLOW) {
            const size_t len = line.value.len;
            if (!len || is_robots_txt || len < longest ||
                (len == longest && (line.kind == DISALLOW || !out->is_disallowed)) ||
                !th_robots_pattern_matches(line.value, path))
                continue;
            longest = len;
            out->rule = text;
            out->is_disallowed = line.kind == DISALLOW;
        } else if (line.kind == USAGE || line.kind == SIGNAL) {
            th_view *const best = line.kind == USAGE ? &out->usage : &out->signal;
            size_t *const best_len = line.kind == USAGE ? &usage_len : &signal_len;
            const th_view pattern = path_of_usage(&line.value);
            if (!line.value.len || (best->data && pattern.len <= *best_len) ||
                (pattern.len && !th_robots_pattern_matches(pattern, path)))
                continue;
            *best = line.value;
            *best_len = pattern.len;
        }
    }
}
