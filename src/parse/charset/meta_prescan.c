/*
 * Searches for <meta charset> before parsing: the prescan of HTML §13.2.3.2, step by
 * step, so that pages written for browsers are read in the same encoding.
 */
#include "parse/charset/meta_prescan.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"

/* The bytes and how far they were read. Reading past the end ends the prescan. */
struct scan {
    const char *bytes;
    size_t len;
    size_t at;
};

struct attribute {
    th_view name;
    th_view value;
};

static bool is_at_end(const struct scan *scan)
{
    return scan->at >= scan->len;
}

static char here(const struct scan *scan)
{
    return scan->bytes[scan->at];
}

static bool starts_with(const struct scan *scan, const char *word)
{
    const size_t len = strlen(word);
    return scan->len - scan->at >= len &&
           strncasecmp(scan->bytes + scan->at, word, len) == 0;
}

static void skip_spaces(struct scan *scan)
{
    while (!is_at_end(scan) && th_is_html_blank(here(scan)))
        scan->at++;
}

static void skip_to(struct scan *scan, char c)
{
    const char *const found = memchr(scan->bytes + scan->at, c, scan->len - scan->at);
    scan->at = found ? (size_t)(found - scan->bytes) : scan->len;
}

/* Reads the attribute's value, from after its '='. Returns false if the bytes end in
 * it. */
static bool read_value(struct scan *scan, th_view *value)
{
    skip_spaces(scan);
    if (is_at_end(scan))
        return false;
    const char quote = here(scan);
    if (quote == '"' || quote == '\'') {
        const size_t start = ++scan->at;
        skip_to(scan, quote);
        *value = (th_view){ scan->bytes + start, scan->at - start };
        return !is_at_end(scan) && ++scan->at <= scan->len;
    }
    const size_t start = scan->at;
    while (!is_at_end(scan) && !th_is_html_blank(here(scan)) && here(scan) != '>')
        scan->at++;
    *value = (th_view){ scan->bytes + start, scan->at - start };
    return !is_at_end(scan);
}

/* "Get an attribute". Returns false if the tag has no more, or the bytes end. */
static bool read_attribute(struct scan *scan, struct attribute *attribute)
{
    while (!is_at_end(scan) && (th_is_html_blank(here(scan)) || here(scan) == '/'))
        scan->at++;
    if (is_at_end(scan) || here(scan) == '>')
        return false;

    const size_t start = scan->at;
    attribute->value = (th_view){ "", 0 };
    while (!is_at_end(scan) && !th_is_html_blank(here(scan)) && here(scan) != '/' &&
           here(scan) != '>' && (here(scan) != '=' || scan->at == start))
        scan->at++;
    attribute->name = (th_view){ scan->bytes + start, scan->at - start };
    skip_spaces(scan);
    if (is_at_end(scan))
        return false;
    if (here(scan) != '=')
        return true;
    scan->at++;
    return read_value(scan, &attribute->value);
}

/* "Extract a character encoding from a meta element". [HTML §2.4.5] */
static th_charset_id charset_in_content(th_view content)
{
    struct scan scan = { content.data, content.len, 0 };
    for (; !is_at_end(&scan); scan.at++) {
        if (!starts_with(&scan, "charset"))
            continue;
        struct scan after = { content.data, content.len, scan.at + strlen("charset") };
        skip_spaces(&after);
        if (is_at_end(&after) || here(&after) != '=')
            continue;
        after.at++;
        skip_spaces(&after);
        if (is_at_end(&after))
            return TH_CHARSET_NONE;
        const char quote = here(&after);
        if (quote == '"' || quote == '\'') {
            const size_t start = ++after.at;
            skip_to(&after, quote);
            return is_at_end(&after) ? TH_CHARSET_NONE
                                     : th_charset_id_of_label((th_view){
                                           content.data + start, after.at - start });
        }
        const size_t start = after.at;
        while (!is_at_end(&after) && !th_is_html_blank(here(&after)) &&
               here(&after) != ';')
            after.at++;
        return th_charset_id_of_label(
            (th_view){ content.data + start, after.at - start });
    }
    return TH_CHARSET_NONE;
}

static th_charset_id as_read(th_charset_id id)
{
    if (id == TH_CHARSET_UTF_16BE || id == TH_CHARSET_UTF_16LE)
        return TH_CHARSET_UTF_8;
    return id == TH_CHARSET_X_USER_DEFINED ? TH_CHARSET_WINDOWS_1252 : id;
}

/* Reads the attributes of a meta element, from after its name. */
static th_charset_id read_meta(struct scan *scan)
{
    enum { PRAGMA_UNKNOWN, PRAGMA_NEEDED, PRAGMA_NOT_NEEDED } pragma = PRAGMA_UNKNOWN;
    bool has_pragma = false;
    bool has_equiv = false; /* a repeated attribute does not count */
    bool has_content = false;
    bool has_charset = false;
    th_charset_id id = TH_CHARSET_NONE;
    struct attribute attribute;
    while (read_attribute(scan, &attribute)) {
        if (th_ascii_is(attribute.name, "http-equiv") && !has_equiv) {
            has_equiv = true;
            has_pragma = th_ascii_is(attribute.value, "content-type");
        } else if (th_ascii_is(attribute.name, "content") && !has_content) {
            has_content = true;
            const th_charset_id found = charset_in_content(attribute.value);
            if (found != TH_CHARSET_NONE && id == TH_CHARSET_NONE) {
                id = found;
                pragma = PRAGMA_NEEDED;
            }
        } else if (th_ascii_is(attribute.name, "charset") && !has_charset) {
            has_charset = true;
            id = th_charset_id_of_label(attribute.value);
            pragma = PRAGMA_NOT_NEEDED;
        }
    }
    if (is_at_end(scan) || pragma == PRAGMA_UNKNOWN ||
        (pragma == PRAGMA_NEEDED && !has_pragma))
        return TH_CHARSET_NONE;
    return as_read(id);
}

static void skip_tag(struct scan *scan)
{
    while (!is_at_end(scan) && !th_is_html_blank(here(scan)) && here(scan) != '>')
        scan->at++;
    struct attribute attribute;
    while (read_attribute(scan, &attribute))
        continue;
}

static void skip_comment(struct scan *scan)
{
    scan->at += strlen("<!"); /* "<!-->" is a complete comment */
    while (!is_at_end(scan)) {
        skip_to(scan, '-');
        if (starts_with(scan, "-->")) {
            scan->at += strlen("-->") - 1;
            return;
        }
        scan->at++;
    }
}

/* Reads markup that starts with '<'. Leaves the scan on its last byte. */
static th_charset_id read_markup(struct scan *scan)
{
    if (starts_with(scan, "<!--")) {
        skip_comment(scan);
        return TH_CHARSET_NONE;
    }
    const int next = scan->len - scan->at > 1 ? scan->bytes[scan->at + 1] : '\0';
    const size_t behind_meta = scan->at + strlen("<meta");
    if (starts_with(scan, "<meta") && behind_meta < scan->len &&
        (th_is_html_blank(scan->bytes[behind_meta]) || scan->bytes[behind_meta] == '/')) {
        scan->at = behind_meta;
        return read_meta(scan);
    }
    const size_t name = next == '/' ? 2 : 1;
    if (scan->len - scan->at > name && th_is_letter(scan->bytes[scan->at + name]))
        skip_tag(scan);
    else if (next == '!' || next == '/' || next == '?')
        skip_to(scan, '>');
    return TH_CHARSET_NONE;
}

/* "Get an XML encoding". */
static th_charset_id read_xml_declaration(th_view bytes)
{
    struct scan scan = { bytes.data, bytes.len, 0 };
    if (bytes.len < 5 || memcmp(bytes.data, "<?xml", 5) != 0)
        return TH_CHARSET_NONE;
    skip_to(&scan, '>');
    if (is_at_end(&scan))
        return TH_CHARSET_NONE;
    scan.len = scan.at;
    scan.at = 5;
    const char *const found = memmem(scan.bytes, scan.len, "encoding", 8);
    if (!found)
        return TH_CHARSET_NONE;
    scan.at = (size_t)(found - scan.bytes) + 8;
    while (!is_at_end(&scan) && (unsigned char)here(&scan) <= ' ')
        scan.at++;
    if (is_at_end(&scan) || here(&scan) != '=')
        return TH_CHARSET_NONE;
    scan.at++;
    while (!is_at_end(&scan) && (unsigned char)here(&scan) <= ' ')
        scan.at++;
    if (is_at_end(&scan) || (here(&scan) != '"' && here(&scan) != '\''))
        return TH_CHARSET_NONE;
    const size_t start = scan.at + 1;
    const char quote = here(&scan);
    scan.at = start;
    skip_to(&scan, quote);
    if (is_at_end(&scan))
        return TH_CHARSET_NONE;
    return as_read(
        th_charset_id_of_label((th_view){ bytes.data + start, scan.at - start }));
}

th_charset_id th_meta_prescan(th_view bytes)
{
    if (bytes.len >= 6 && memcmp(bytes.data, "<\0?\0x\0", 6) == 0)
        return TH_CHARSET_UTF_16LE;
    if (bytes.len >= 6 && memcmp(bytes.data, "\0<\0?\0x", 6) == 0)
        return TH_CHARSET_UTF_16BE;
    struct scan scan = { bytes.data, bytes.len, 0 };
    while (!is_at_end(&scan)) {
        skip_to(&scan, '<');
        if (is_at_end(&scan))
            break;
        const th_charset_id id = read_markup(&scan);
        if (id != TH_CHARSET_NONE)
            return id;
        scan.at++;
    }
    return read_xml_declaration(bytes);
}
