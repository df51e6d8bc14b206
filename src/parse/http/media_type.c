/*
 * Decides whether a payload is a page: by its header if that is definite and credible,
 * else by the patterns of WHATWG MIME Sniffing §7.1, here on the first KiB.
 *
 * Deviations: text/plain is sniffed for HTML too, because crawls are full of pages served
 * so, and their scripts do not run here. A UTF-8 or UTF-16 byte order mark before the
 * pattern is skipped. XML whose first elements are html's is XHTML.
 */
#include "parse/http/media_type.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"

enum { SNIFF_LEN = 1024 };

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static bool is_separator(char c)
{
    return c == ';' || c == ',' || th_ascii_is_blank(c);
}

static bool is_any_word(th_view text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (th_ascii_is(text, words[i]))
            return true;
    return false;
}

/* Returns a run of characters that are not separators, quotes or '=', from `at`. */
static th_view read_token(th_view value, size_t *at)
{
    const size_t start = *at;
    while (*at < value.len && !is_separator(value.data[*at]) && value.data[*at] != '=' &&
           !is_quote(value.data[*at]))
        (*at)++;
    return (th_view){ value.data + start, *at - start };
}

/* Reads the value after a '=', in quotes or not. */
static th_view read_parameter_value(th_view value, size_t *at)
{
    while (*at < value.len && th_ascii_is_blank(value.data[*at]))
        (*at)++;
    if (*at < value.len && is_quote(value.data[*at])) {
        const char *const start = value.data + *at + 1;
        const char *const end = memchr(start, value.data[*at], value.len - *at - 1);
        if (end) {
            *at = (size_t)(end - value.data) + 1;
            return (th_view){ start, (size_t)(end - start) };
        }
        (*at)++; /* never closed */
    }
    return read_token(value, at);
}

void th_content_type_parse(th_view value, th_view *media_type, th_view *charset)
{
    *media_type = (th_view){ NULL, 0 };
    *charset = (th_view){ NULL, 0 };
    size_t at = 0;
    while (at < value.len) {
        const char c = value.data[at];
        if (is_separator(c) || is_quote(c) || c == '=') {
            at++;
            continue;
        }
        const bool is_first = !media_type->data;
        const th_view name = read_token(value, &at);
        const size_t behind = at;
        while (at < value.len && th_ascii_is_blank(value.data[at]))
            at++;
        if (at == value.len || value.data[at] != '=') {
            at = behind;
            if (is_first)
                *media_type = name;
            continue;
        }
        at++;
        const th_view parameter = read_parameter_value(value, &at);
        if (th_ascii_is(name, "charset") && parameter.len && !charset->data)
            *charset = parameter;
    }
}

/* A pattern of the start of a file. A '.' in the mask matches any byte. */
struct magic {
    const char *bytes;
    const char *mask; /* NULL: every byte counts */
    size_t len;
};

#define MAGIC(bytes)                                                                     \
    {                                                                                    \
        bytes, NULL, sizeof(bytes) - 1                                                   \
    }
#define MASKED(bytes, mask)                                                              \
    {                                                                                    \
        bytes, mask, sizeof(bytes) - 1                                                   \
    }

/* clang-format off */
static const struct magic binary_magic[] = {
    MAGIC("%PDF-"), MAGIC("%!PS-Adobe-"),
    MAGIC("\x89PNG\r\n\x1a\n"), MAGIC("GIF87a"), MAGIC("GIF89a"), MAGIC("\xff\xd8\xff"),
    MASKED("RIFF....WEBPVP", "xxxx....xxxxxx"), MAGIC("\0\0\1\0"), MAGIC("\0\0\2\0"),
    MAGIC("II*\0"), MAGIC("MM\0*"), MAGIC("8BPS"),
    MAGIC("OggS\0"), MAGIC("fLaC"), MAGIC("MThd\0\0\0\6"), MAGIC("\x1a\x45\xdf\xa3"),
    MASKED("RIFF....AVI ", "xxxx....xxxx"), MASKED("RIFF....WAVE", "xxxx....xxxx"),
    MASKED("FORM....AIFF", "xxxx....xxxx"), MASKED("....ftyp", "....xxxx"),
    MASKED("ID3.\0", "xxx.x"), MAGIC("FLV\1"), MAGIC("CWS\n"), MAGIC("FWS\n"),
    MAGIC("\x1f\x8b\x08"), MAGIC("PK\3\4"), MAGIC("PK\5\6"), MAGIC("Rar!\x1a\7"),
    MAGIC("7z\xbc\xaf\x27\x1c"), MAGIC("\xfd" "7zXZ\0"), MASKED("BZh.1AY&SY", "xxx.xxxxxx"),
    MAGIC("\x28\xb5\x2f\xfd"), MAGIC("MSCF\0\0\0\0"),
    MAGIC("wOFF"), MAGIC("wOF2"), MAGIC("OTTO\0"), MAGIC("\0\1\0\0"), MAGIC("ttcf\0"),
    MAGIC("\0asm"), MAGIC("\x7f" "ELF"), MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    MAGIC("\xca\xfe\xba\xbe"), MAGIC("SQLite format 3\0"),
};
/* clang-format on */

static bool is_magic(const struct magic *magic, th_view text)
{
    if (text.len < magic->len)
        return false;
    for (size_t i = 0; i < magic->len; i++)
        if ((!magic->mask || magic->mask[i] != '.') && text.data[i] != magic->bytes[i])
            return false;
    return true;
}

static bool has_binary_magic(th_view text)
{
    for (size_t i = 0; i < sizeof binary_magic / sizeof *binary_magic; i++)
        if (is_magic(&binary_magic[i], text))
            return true;
    return false;
}

/* A binary data byte of MIME Sniffing §3. */
static bool is_binary_byte(char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\f' && byte != '\r' &&
           byte != 0x1B;
}

/* The start of a payload as text: byte order mark and leading spaces removed, UTF-16
 * halved. */
struct start {
    char narrow[SNIFF_LEN / 2]; /* of UTF-16 */
    th_view text;
    bool has_mark; /* a byte order mark */
};

static void narrow_utf16(struct start *start, th_view bytes, size_t low)
{
    size_t len = 0;
    for (size_t i = low; i < bytes.len && len < sizeof start->narrow; i += 2)
        start->narrow[len++] = bytes.data[i];
    start->text = (th_view){ start->narrow, len };
}

/* Returns the bytes of a payload that are looked at. */
static th_view sniffed_part(th_view payload)
{
    return (th_view){ payload.data, payload.len < SNIFF_LEN ? payload.len : SNIFF_LEN };
}

static size_t count_binary(th_view bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes.len; i++)
        count += is_binary_byte(bytes.data[i]);
    return count;
}

static void read_start(struct start *start, th_view payload)
{
    const th_view text = sniffed_part(payload);
    start->text = text;
    start->has_mark = false;
    if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) {
        start->has_mark = true;
        start->text = (th_view){ text.data + 3, text.len - 3 };
    } else if (text.len >= 2 && (memcmp(text.data, "\xFF\xFE", 2) == 0 ||
                                 memcmp(text.data, "\xFE\xFF", 2) == 0)) {
        start->has_mark = true;
        narrow_utf16(start, text, text.data[0] == '\xFF' ? 2 : 3);
    } else if (text.len >= 4 && text.data[0] == '<' && !text.data[1] && !text.data[3]) {
        narrow_utf16(start, text, 0); /* UTF-16LE without a mark */
    } else if (text.len >= 4 && !text.data[0] && text.data[1] == '<' && !text.data[2]) {
        narrow_utf16(start, text, 1);
    }
    while (start->text.len && th_ascii_is_blank(start->text.data[0])) {
        start->text.data++;
        start->text.len--;
    }
}

static bool starts_with_tag(th_view text, const char *pattern)
{
    const size_t len = strlen(pattern);
    return text.len > len && strncasecmp(text.data, pattern, len) == 0 &&
           (th_ascii_is_blank(text.data[len]) || text.data[len] == '>' ||
            text.data[len] == '/');
}

static bool looks_like_html(th_view text)
{
    static const char *const tags[] = {
        "<!DOCTYPE HTML",
        "<HTML",
        "<HEAD",
        "<SCRIPT",
        "<IFRAME",
        "<H1",
        "<DIV",
        "<FONT",
        "<TABLE",
        "<A",
        "<STYLE",
        "<TITLE",
        "<B",
        "<BODY",
        "<BR",
        "<P",
        "<META",
        "<LINK",
        "<CENTER",
        "<FRAMESET",
    };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (starts_with_tag(text, tags[i]))
            return true;
    return text.len >= 4 && memcmp(text.data, "<!--", 4) == 0;
}

static bool looks_like_xml(th_view text)
{
    return text.len >= 5 && strncasecmp(text.data, "<?xml", 5) == 0;
}

/* Whether html's tag or its document type is near the start of an XML text. */
static bool has_html_element(th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const th_view rest = { text.data + i, text.len - i };
        if (rest.data[0] == '<' &&
            (starts_with_tag(rest, "<html") || starts_with_tag(rest, "<!DOCTYPE html")))
            return true;
    }
    return false;
}

/* Without a mark or a tag, one byte in sixteen that texts never have makes it binary. */
static bool is_binary(const struct start *start, th_view payload)
{
    if (start->has_mark || looks_like_html(start->text) || looks_like_xml(start->text))
        return false;
    const th_view bytes = sniffed_part(payload);
    return has_binary_magic(payload) || count_binary(bytes) > bytes.len / 16;
}

static th_media sniff(const struct start *start, th_view payload)
{
    if (looks_like_html(start->text))
        return TH_MEDIA_HTML;
    if (looks_like_xml(start->text))
        return has_html_element(start->text) ? TH_MEDIA_XHTML : TH_MEDIA_OTHER;
    if (start->has_mark)
        return TH_MEDIA_TEXT;
    return has_binary_magic(payload) || count_binary(sniffed_part(payload))
               ? TH_MEDIA_OTHER
               : TH_MEDIA_TEXT;
}

/* Whether a type is not definite, as sent by servers that do not know it. */
static bool is_generic(th_view type)
{
    static const char *const generic[] = {
        "text/plain",
        "application/octet-stream",
        "any/any",
        "unknown/unknown",
        "application/unknown",
        "*/*",
        "application/x-unknown",
        "content/unknown",
        "text/unknown",
        "binary/octet-stream",
    };
    return !type.len || !memchr(type.data, '/', type.len) ||
           is_any_word(type, generic, sizeof generic / sizeof *generic);
}

th_media th_media_type(th_view media_type, th_view start_of_payload, bool *sniffed)
{
    static const char *const html[] = { "text/html", "text/x-html", "application/html" };
    static const char *const xhtml[] = { "application/xhtml+xml", "application/xhtml",
                                         "text/xhtml", "application/vnd.wap.xhtml+xml" };
    static const char *const xml[] = { "text/xml", "application/xml" };
    struct start start;
    read_start(&start, start_of_payload);
    *sniffed = false;

    const bool is_html = is_any_word(media_type, html, sizeof html / sizeof *html);
    if (is_html || is_any_word(media_type, xhtml, sizeof xhtml / sizeof *xhtml)) {
        *sniffed = is_binary(&start, start_of_payload);
        return *sniffed ? TH_MEDIA_OTHER : is_html ? TH_MEDIA_HTML : TH_MEDIA_XHTML;
    }
    if (is_any_word(media_type, xml, sizeof xml / sizeof *xml)) {
        *sniffed = looks_like_xml(start.text) && has_html_element(start.text);
        return *sniffed ? TH_MEDIA_XHTML : TH_MEDIA_OTHER;
    }
    if (!is_generic(media_type))
        return TH_MEDIA_OTHER;
    *sniffed = true;
    return sniff(&start, start_of_payload);
}

bool th_media_is_plain_text(th_view media_type, th_view payload)
{
    static const char *const names[] = { "text/plain", "text/markdown",
                                         "text/x-markdown" };
    bool sniffed = false;
    return is_any_word(media_type, names, sizeof names / sizeof *names) &&
           th_media_type((th_view){ NULL, 0 }, payload, &sniffed) == TH_MEDIA_TEXT;
}

th_view th_media_type_of_document(th_view media_type, th_view payload)
{
    static const struct {
        const char *magic;
        size_t at; /* where a ZIP archive has the name of its first file */
        const char *name;
        const char *type;
    } documents[] = {
        { "%PDF-", 0, "", "application/pdf" },
        { "{\\rtf", 0, "", "application/rtf" },
        { "PK\3\4", 30, "mimetypeapplication/epub+zip", "application/epub+zip" },
        { "PK\3\4", 30, "mimetypeapplication/vnd.oasis.opendocument",
          "application/vnd.oasis.opendocument" },
        { "PK\3\4", 30, "[Content_Types].xml",
          "application/vnd.openxmlformats-officedocument" },
    };
    if (!is_generic(media_type))
        return media_type;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        const size_t len = strlen(documents[i].magic), name = strlen(documents[i].name);
        if (payload.len >= len && payload.len >= documents[i].at + name &&
            memcmp(payload.data, documents[i].magic, len) == 0 &&
            memcmp(payload.data + documents[i].at, documents[i].name, name) == 0)
            return (th_view){ documents[i].type, strlen(documents[i].type) };
    }
    return media_type;
}

th_view th_media_type_of_page(th_view payload)
{
    bool sniffed = false;
    const th_view unknown = { NULL, 0 };
    const th_view text = th_ascii_trimmed(payload);
    const bool is_markup = text.len > 1 && text.data[0] == '<' &&
                           (th_is_letter(text.data[1]) || text.data[1] == '!');
    return is_markup && th_media_type(unknown, payload, &sniffed) == TH_MEDIA_TEXT
               ? TH_VIEW("text/html")
               : unknown;
}
