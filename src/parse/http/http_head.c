/*
 * Reads the head of an HTTP response as archives store it. This is the first step for a
 * block whose record is application/http. [RFC 9112 §2-5]
 *
 * The standard lets a recipient refuse malformed heads. An archive cannot ask the server
 * again, so any head with one sensible reading is read and flagged.
 */
#include "parse/http/http_head.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "parse/http/media_type.h"

/* Codings named by one kind of field, outermost last. */
struct coding_list {
    uint32_t count; /* may exceed the capacity: then only counted */
    uint8_t codings[TH_HTTP_MAX_CODINGS];
};

struct head_parser {
    th_http_head head;
    struct coding_list content;
    struct coding_list transfer;
    th_view field; /* the field being read, grows over folded lines; absent = none */
    th_http_field_fn take; /* NULL, or gets each field */
    void *context;
};

/* One physical line. */
struct line {
    th_view text; /* without its line end */
    size_t next;  /* start of the next line */
    bool is_cut;  /* the bytes end in it */
    bool is_odd;  /* does not end in exactly CR LF */
};

/* Whether a character is a space or control character, which may surround a name or
 * value. */
static bool is_margin(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F;
}

static th_view trim(th_view text)
{
    while (text.len && is_margin(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len && is_margin(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Whether a character is a token character of RFC 9110 §5.6.2, the alphabet of field
 * names. */
static bool is_name_char(char c)
{
    const char low = (char)(c | 0x20);
    return th_is_digit(c) || (low >= 'a' && low <= 'z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static struct line read_line(th_view bytes, size_t at)
{
    struct line line = { .text = { bytes.data + at, bytes.len - at } };
    const char *const end = memchr(line.text.data, '\n', line.text.len);
    if (end)
        line.text.len = (size_t)(end - line.text.data);
    else
        line.is_cut = true;
    line.next = at + line.text.len + (end ? 1 : 0);

    size_t returns = 0;
    while (line.text.len && line.text.data[line.text.len - 1] == '\r') {
        line.text.len--;
        returns++;
    }
    line.is_odd = line.is_cut || returns != 1;
    return line;
}

/* Reads "HTTP/1.1 200 OK", with any spaces between the parts. */
static void read_status_line(struct head_parser *parser, th_view line)
{
    size_t at = strlen("HTTP/");
    while (at < line.len && !is_margin(line.data[at]))
        at++;
    const size_t blank = at;
    while (at < line.len && is_margin(line.data[at]))
        at++;
    const size_t code = at;
    int status = 0;
    while (at < line.len && th_is_digit(line.data[at]) && at - code < 4)
        status = status * 10 + (line.data[at++] - '0');

    const bool is_code = at - code == 3 && status >= 100;
    parser->head.status = is_code ? status : 0;
    /* The space is required even without a reason. */
    if (!is_code || code - blank != 1 || at == line.len || line.data[at] != ' ')
        parser->head.is_malformed = true;
}

/* Results for a coding's name; -1 none, -2 unknown, else enum th_coding. */
enum { CODING_NONE = -1, CODING_UNKNOWN = -2, CODING_CHUNKED = -3 };

static int coding_of_name(th_view name)
{
    static const struct {
        const char *name;
        int coding;
    } names[] = {
        { "gzip", TH_CODING_GZIP },       { "x-gzip", TH_CODING_GZIP },
        { "deflate", TH_CODING_DEFLATE }, { "x-deflate", TH_CODING_DEFLATE },
        { "br", TH_CODING_BR },           { "zstd", TH_CODING_ZSTD },
        { "x-zstd", TH_CODING_ZSTD },     { "identity", CODING_NONE },
        { "none", CODING_NONE },          { "chunked", CODING_CHUNKED },
    };
    if (name.len == 0)
        return CODING_NONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (th_ascii_is(name, names[i].name))
            return names[i].coding;
    return CODING_UNKNOWN;
}

static void add_coding(struct head_parser *parser, struct coding_list *list, th_view name)
{
    const int coding = coding_of_name(name);
    if (coding >= 0) {
        if (list->count < TH_HTTP_MAX_CODINGS)
            list->codings[list->count] = (uint8_t)coding;
        list->count++;
    } else if (coding == CODING_CHUNKED && list == &parser->transfer) {
        parser->head.is_chunked = true;
    } else if (coding != CODING_NONE) {
        /* Codings applied before an unknown coding cannot be reached. */
        parser->head.is_coding_unknown = true;
        list->count = 0;
        if (list == &parser->transfer)
            parser->content.count = 0;
    }
}

/* A comma list of codings; parameters and quotes are dropped. */
static void add_codings(struct head_parser *parser, struct coding_list *list,
                        th_view value)
{
    size_t start = 0;
    for (size_t at = 0; at <= value.len; at++) {
        if (at < value.len && value.data[at] != ',')
            continue;
        th_view name = { value.data + start, at - start };
        const char *const parameter = name.len ? memchr(name.data, ';', name.len) : NULL;
        if (parameter)
            name.len = (size_t)(parameter - name.data);
        name = trim(name);
        if (name.len >= 2 && name.data[0] == '"' && name.data[name.len - 1] == '"')
            name = trim((th_view){ name.data + 1, name.len - 2 });
        add_coding(parser, list, name);
        start = at + 1;
    }
}

/* Reads a whole field, with its folded lines. */
static void read_field(struct head_parser *parser)
{
    th_http_head *const head = &parser->head;
    const th_view field = parser->field;
    parser->field = (th_view){ NULL, 0 };
    if (!field.data)
        return;
    const char *const colon = field.len ? memchr(field.data, ':', field.len) : NULL;
    if (!colon) {
        head->is_malformed = true;
        return;
    }
    const th_view raw_name = { field.data, (size_t)(colon - field.data) };
    const th_view name = trim(raw_name);
    const th_view value = trim((th_view){ colon + 1, field.len - raw_name.len - 1 });
    if (name.len == 0 || name.len != raw_name.len)
        head->is_malformed = true;
    for (size_t i = 0; i < name.len && !head->is_malformed; i++)
        head->is_malformed = !is_name_char(name.data[i]);

    if (value.len == 0)
        return;
    if (parser->take) {
        parser->take(parser->context, name, value);
        return;
    }
    if (th_ascii_is(name, "Content-Type")) {
        if (!head->content_type.data) {
            head->content_type = value;
            th_content_type_parse(value, &head->media_type, &head->charset);
        }
    } else if (th_ascii_is(name, "Content-Encoding")) {
        if (!head->content_encoding.data)
            head->content_encoding = value;
        add_codings(parser, &parser->content, value);
    } else if (th_ascii_is(name, "Content-Language")) {
        if (!head->content_language.data)
            head->content_language = value;
    } else if (th_ascii_is(name, "Transfer-Encoding")) {
        add_codings(parser, &parser->transfer, value);
    }
}

/* Reads a line after the status line that is not blank. */
static void read_header_line(struct head_parser *parser, th_view line)
{
    if (line.data[0] != ' ' && line.data[0] != '\t') {
        read_field(parser);
        parser->field = line;
        return;
    }
    /* Folded. If no line precedes it, it is junk. [RFC 9112 §2.2, §5.2] */
    parser->head.is_malformed = true;
    if (parser->field.data)
        parser->field.len = (size_t)(line.data + line.len - parser->field.data);
}

static void join_codings(th_http_head *head, const struct coding_list *list)
{
    for (uint32_t i = 0; i < list->count; i++, head->coding_count++)
        if (i < TH_HTTP_MAX_CODINGS && head->coding_count < TH_HTTP_MAX_CODINGS)
            head->codings[head->coding_count] = list->codings[i];
}

/* Whether the bytes start, or may yet start, with "HTTP/". */
static bool may_be_head(const char *bytes, size_t len)
{
    const size_t mark_len = strlen("HTTP/");
    return strncasecmp(bytes, "HTTP/", len < mark_len ? len : mark_len) == 0;
}

static th_status parse(struct head_parser *parser, th_view block, size_t max_head,
                       bool is_whole)
{
    const bool is_over = block.len > max_head;
    const bool is_all = is_whole && !is_over;
    const th_view bytes = { block.data, is_over ? max_head : block.len };
    const th_status unfinished = block.len >= max_head ? TH_TOO_LARGE : TH_NEED_MORE;
    size_t at = 0;
    while (at < bytes.len && (bytes.data[at] == '\r' || bytes.data[at] == '\n'))
        at++;
    parser->head.is_malformed = at > 0;
    if (at < bytes.len && !may_be_head(bytes.data + at, bytes.len - at))
        return TH_BAD_HTTP;
    if (bytes.len - at < strlen("HTTP/"))
        return is_all ? TH_BAD_HTTP : unfinished;

    struct line line = read_line(bytes, at);
    if (!line.is_cut || is_all)
        read_status_line(parser, line.text);
    parser->head.is_malformed |= memcmp(bytes.data + at, "HTTP/", strlen("HTTP/")) != 0;
    while (!line.is_cut) {
        parser->head.is_malformed |= line.is_odd;
        line = read_line(bytes, line.next);
        if (line.text.len == 0 && !line.is_cut)
            break;
        if (line.text.len && (!line.is_cut || is_all))
            read_header_line(parser, line.text);
    }
    if (line.is_cut && !is_all)
        return unfinished;
    parser->head.is_malformed |= line.is_odd;
    read_field(parser);
    join_codings(&parser->head, &parser->content);
    join_codings(&parser->head, &parser->transfer);
    parser->head.head_len = line.next;
    return TH_OK;
}

th_status th_http_head_parse(th_view block, size_t max_head, bool is_whole,
                             th_http_head *head)
{
    struct head_parser parser = { .take = NULL };
    const th_status status = parse(&parser, block, max_head, is_whole);
    if (status == TH_OK)
        *head = parser.head;
    return status;
}

void th_http_head_fields(th_view head, th_http_field_fn take, void *context)
{
    struct head_parser parser = { .take = take, .context = context };
    (void)parse(&parser, head, head.len, true);
}
