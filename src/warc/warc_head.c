/*
 * The header of a record.  [WARC 1.1 §4; docs/warc.md#records for headers in real files]
 *
 * A record begins at a version line that is followed by a field. The two lines together
 * do not occur by chance in a block; one alone does. Field values keep their bytes,
 * except that spaces at the ends are removed and folds become one space. Both are done
 * in place in a copy of the header.
 */
#include "warc_head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    VERSION_LINE_MAX = 64, /* longer lines are not version lines */
    NAME_MAX_LEN = 256,    /* of the field that must follow it */
};

static const char *const field_names[] = {
#define X(code, name) name,
    WARC_FIELD_LIST(X)
#undef X
};

const char *warc_field_name(warc_field field)
{
    return (unsigned)field < WARC_FIELD_COUNT ? field_names[field] : "?";
}

bool warc_equal_nocase(warc_view text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

warc_field warc_field_by_name(warc_view name)
{
    for (unsigned i = 0; i < WARC_FIELD_COUNT; i++)
        if (warc_equal_nocase(name, field_names[i]))
            return (warc_field)i;
    return WARC_FIELD_COUNT;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reads a small number. Returns false if there is none, or if it is long. */
static bool read_number(warc_view bytes, size_t *at, unsigned *number)
{
    const size_t begin = *at;
    unsigned value = 0;
    while (*at < bytes.len && is_digit(bytes.data[*at]) && *at - begin < 4)
        value = value * 10 + (unsigned)(bytes.data[(*at)++] - '0');
    *number = value;
    return *at > begin;
}

/* Returns whether `line`, without its LF, is a version line, or the beginning of one. */
static bool is_version_line(warc_view line, unsigned *major, unsigned *minor)
{
    size_t at = 5;
    if (line.len < at || strncasecmp(line.data, "WARC/", at) != 0)
        return false;
    if (!read_number(line, &at, major) || at >= line.len || line.data[at++] != '.' ||
        !read_number(line, &at, minor))
        return false;
    while (at < line.len && is_blank(line.data[at]))
        at++;
    while (at < line.len && line.data[at] == '\r')
        at++;
    return at == line.len;
}

static bool is_name_byte(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f && c != ':';
}

/* Checks whether `bytes` begin with a field name and a colon. Spaces within and before
 * the colon occur. */
static enum head_answer begins_with_field(warc_view bytes)
{
    size_t at = 0;
    while (at < bytes.len && at < NAME_MAX_LEN &&
           (is_name_byte(bytes.data[at]) || (at > 0 && is_blank(bytes.data[at]))))
        at++;
    if (at == NAME_MAX_LEN)
        return HEAD_NO;
    if (at == bytes.len)
        return HEAD_MORE;
    return at > 0 && bytes.data[at] == ':' ? HEAD_YES : HEAD_NO;
}

enum head_answer warc_head_begins(warc_view bytes, bool at_end)
{
    const enum head_answer more = at_end ? HEAD_NO : HEAD_MORE;
    static const char word[] = "WARC/";
    const size_t word_len = bytes.len < sizeof word - 1 ? bytes.len : sizeof word - 1;
    if (strncasecmp(bytes.data, word, word_len) != 0)
        return HEAD_NO;
    const size_t line_max = bytes.len < VERSION_LINE_MAX ? bytes.len : VERSION_LINE_MAX;
    const char *lf = line_max > 0 ? memchr(bytes.data, '\n', line_max) : NULL;
    if (!lf)
        return line_max == VERSION_LINE_MAX ? HEAD_NO : more;
    const size_t line_len = (size_t)(lf - bytes.data);
    unsigned major, minor;
    if (!is_version_line((warc_view){ bytes.data, line_len }, &major, &minor))
        return HEAD_NO;
    const warc_view rest = { lf + 1, bytes.len - line_len - 1 };
    const enum head_answer answer = begins_with_field(rest);
    return answer == HEAD_MORE ? more : answer;
}

size_t warc_head_find_word(warc_view bytes, size_t from)
{
    static const char word[] = "WARC/";
    for (size_t at = from; at < bytes.len; at++) {
        const char *data = bytes.data + at;
        const size_t left = bytes.len - at;
        if ((*data == 'W' || *data == 'w') &&
            strncasecmp(data, word, left < sizeof word - 1 ? left : sizeof word - 1) == 0)
            return at;
    }
    return bytes.len;
}

/* Returns where a version line ends the line, after other bytes; the line's length if it
 * does not. */
static size_t version_within(warc_view line)
{
    unsigned major, minor;
    for (size_t at = 1; (at = warc_head_find_word(line, at)) < line.len; at++)
        if (is_version_line((warc_view){ line.data + at, line.len - at }, &major, &minor))
            return at;
    return line.len;
}

/* Returns the field of the line, if the field must be unique; otherwise WARC_FIELD_COUNT.
 */
static warc_field unique_field(warc_view line)
{
    const char *colon = memchr(line.data, ':', line.len);
    if (!colon)
        return WARC_FIELD_COUNT;
    const warc_field field =
        warc_field_by_name((warc_view){ line.data, (size_t)(colon - line.data) });
    return field == WARC_FIELD_CONCURRENT_TO ? WARC_FIELD_COUNT : field;
}

/*
 * Returns where the header of another record begins within a line of this one, whose
 * writer was cut off there; 0 if there is no such place. A value may also end in
 * `WARC/1.0` (an address does). It is another header when the line has no colon before
 * it, or when a unique field occurs both before and after it.
 */
static size_t joined_at(warc_view header)
{
    bool is_seen[WARC_FIELD_COUNT] = { false };
    size_t joined[WARC_FIELD_COUNT] = { 0 }; /* first possible place after the field */
    for (size_t at = 0; at < header.len;) {
        const char *lf = memchr(header.data + at, '\n', header.len - at);
        const size_t end = lf ? (size_t)(lf - header.data) : header.len;
        const warc_view line = { header.data + at, end - at };
        const warc_field field = unique_field(line);
        if (field < WARC_FIELD_COUNT) {
            if (joined[field] > 0)
                return joined[field];
            is_seen[field] = true;
        }
        const size_t within = version_within(line);
        if (within < line.len) {
            if (at > 0 && !memchr(line.data, ':', within))
                return at + within;
            for (size_t i = 0; i < WARC_FIELD_COUNT; i++)
                if (is_seen[i] && joined[i] == 0)
                    joined[i] = at + within;
        }
        at = end + 1;
    }
    return 0;
}

enum head_end warc_head_end(warc_view bytes, size_t *len)
{
    size_t at = *len;
    for (;;) {
        const char *lf =
            at < bytes.len ? memchr(bytes.data + at, '\n', bytes.len - at) : NULL;
        if (!lf) {
            *len = at;
            return HEAD_END_MORE;
        }
        const warc_view line = { bytes.data + at, (size_t)(lf - bytes.data) - at };
        size_t content = line.len;
        while (content > 0 && line.data[content - 1] == '\r')
            content--;
        unsigned major, minor;
        if (at > 0 && is_version_line(line, &major, &minor)) {
            *len = at;
            return HEAD_END_BROKEN;
        }
        at += line.len + 1;
        if (content == 0) {
            const size_t joined = joined_at((warc_view){ bytes.data, at });
            *len = joined > 0 ? joined : at;
            return joined > 0 ? HEAD_END_BROKEN : HEAD_END_FOUND;
        }
    }
}

/* ---- reading ---- */

void warc_head_done(struct warc_head *head)
{
    free(head->text);
    free(head->fields);
    *head = (struct warc_head){ 0 };
}

static warc_status copy_text(struct warc_head *head, warc_view bytes)
{
    if (head->text_capacity < bytes.len) {
        size_t capacity = head->text_capacity > 0 ? head->text_capacity : 4096;
        while (capacity < bytes.len)
            capacity *= 2;
        char *text = realloc(head->text, capacity);
        if (!text)
            return WARC_NOMEM;
        head->text = text;
        head->text_capacity = capacity;
    }
    memcpy(head->text, bytes.data, bytes.len);
    return WARC_OK;
}

static warc_status add_field(struct warc_head *head, warc_header_field field)
{
    if (head->field_count == head->field_capacity) {
        const size_t capacity = head->field_capacity > 0 ? 2 * head->field_capacity : 32;
        warc_header_field *fields = realloc(head->fields, capacity * sizeof *fields);
        if (!fields)
            return WARC_NOMEM;
        head->fields = fields;
        head->field_capacity = capacity;
    }
    head->fields[head->field_count++] = field;
    return WARC_OK;
}

warc_view warc_trim(warc_view text)
{
    while (text.len > 0 && is_blank(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Takes the next line, without its end, off `rest`. */
static warc_view take_line(warc_view *rest, struct head_findings *findings)
{
    const char *lf = memchr(rest->data, '\n', rest->len);
    const size_t whole = lf ? (size_t)(lf - rest->data) + 1 : rest->len;
    warc_view line = { rest->data, lf ? whole - 1 : whole };
    size_t cr_count = 0;
    while (line.len > 0 && line.data[line.len - 1] == '\r') {
        line.len--;
        cr_count++;
    }
    findings->has_lf |= cr_count == 0;
    findings->has_crcrlf |= cr_count > 1;
    rest->data += whole;
    rest->len -= whole;
    return line;
}

/* Appends the following folds to a value, in place. The read position is always after
 * the write position. */
static void join_folds(struct warc_head *head, warc_view *value, warc_view *rest)
{
    while (rest->len > 0 && is_blank(rest->data[0])) {
        const warc_view more = warc_trim(take_line(rest, &head->findings));
        head->findings.is_folded = true;
        if (more.len == 0)
            continue;
        char *to = head->text + (value->data - head->text);
        if (value->len > 0)
            to[value->len++] = ' ';
        memmove(to + value->len, more.data, more.len);
        value->len += more.len;
    }
}

/* Fields that a header may contain more than once, although the standard names only the
 * first. */
static bool may_repeat(warc_field field)
{
    return field == WARC_FIELD_CONCURRENT_TO || field == WARC_FIELD_PROTOCOL;
}

static void note_known(struct warc_head *head, warc_header_field field)
{
    const warc_field known = warc_field_by_name(field.name);
    if (known == WARC_FIELD_COUNT)
        return;
    if (!head->known[known].data)
        head->known[known] = field.value;
    else if (!may_repeat(known))
        head->findings.repeated |= 1u << known;
}

static warc_status read_field(struct warc_head *head, warc_view *rest, size_t max_fields)
{
    const warc_view line = take_line(rest, &head->findings);
    if (line.len == 0)
        return WARC_OK; /* the blank line */
    const char *colon = memchr(line.data, ':', line.len);
    warc_header_field field = { .name = line };
    if (colon) {
        field.name.len = (size_t)(colon - line.data);
        field.value = warc_trim((warc_view){ colon + 1, line.len - field.name.len - 1 });
        field.name = warc_trim(field.name);
    } else {
        head->findings.has_no_colon = true;
    }
    warc_view value = field.value.data ? field.value : (warc_view){ line.data, 0 };
    join_folds(head, &value, rest);
    if (!colon || field.name.len == 0) {
        head->findings.has_no_colon = true;
        return WARC_OK;
    }
    field.value = value;
    note_known(head, field);
    if (head->field_count < max_fields)
        return add_field(head, field);
    head->findings.has_too_many = true;
    return WARC_OK;
}

/* Returns the length of the UTF-8 sequence at `s`, or 0 if it is invalid.
 * [RFC 3629 §4] */
static size_t utf8_len(const unsigned char *s, size_t len)
{
    const unsigned c = s[0];
    const size_t count = c < 0x80   ? 1
                         : c < 0xc2 ? 0
                         : c < 0xe0 ? 2
                         : c < 0xf0 ? 3
                         : c < 0xf5 ? 4
                                    : 0;
    if (count == 0 || count > len)
        return 0;
    for (size_t i = 1; i < count; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool is_overlong = (c == 0xe0 && s[1] < 0xa0) || (c == 0xf0 && s[1] < 0x90);
    const bool is_too_high = (c == 0xed && s[1] > 0x9f) || (c == 0xf4 && s[1] > 0x8f);
    return is_overlong || is_too_high ? 0 : count;
}

static bool is_utf8(warc_view text)
{
    const unsigned char *s = (const unsigned char *)text.data;
    for (size_t at = 0; at < text.len;) {
        const size_t count = utf8_len(s + at, text.len - at);
        if (count == 0)
            return false;
        at += count;
    }
    return true;
}

static bool is_ascii(warc_view text)
{
    unsigned char seen = 0;
    for (size_t i = 0; i < text.len; i++)
        seen |= (unsigned char)text.data[i];
    return seen < 0x80;
}

static void read_version(struct warc_head *head, warc_view line)
{
    static const struct {
        unsigned major, minor;
    } versions[] = { { 0, 12 }, { 0, 17 }, { 0, 18 }, { 1, 0 }, { 1, 1 } };
    head->findings.is_version_unknown = true;
    if (!is_version_line(line, &head->major, &head->minor))
        return;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (head->major == versions[i].major && head->minor == versions[i].minor)
            head->findings.is_version_unknown = false;
    head->findings.is_version_odd = memcmp(line.data, "WARC/", 5) != 0;
}

warc_status warc_head_read(struct warc_head *head, warc_view bytes, size_t max_fields)
{
    head->field_count = 0;
    head->findings = (struct head_findings){ 0 };
    memset(head->known, 0, sizeof head->known);
    warc_status status = copy_text(head, bytes);
    if (status != WARC_OK)
        return status;
    warc_view rest = { head->text, bytes.len };
    head->findings.is_not_utf8 = !is_ascii(rest) && !is_utf8(rest);
    head->findings.has_nul = memchr(rest.data, 0, rest.len) != NULL;
    read_version(head, take_line(&rest, &head->findings));
    while (rest.len > 0 && status == WARC_OK)
        status = read_field(head, &rest, max_fields);
    return status;
}

/* ---- values ---- */

bool warc_length_parse(warc_view text, uint64_t *length)
{
    uint64_t value = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            return false;
        const unsigned digit = (unsigned)(text.data[i] - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *length = value;
    return true;
}

/* Returns whether `date` begins with `form`, in which 0 matches any digit. */
static bool follows(warc_view date, const char *form)
{
    const size_t len = strlen(form);
    if (date.len < len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (form[i] == '0' ? !is_digit(date.data[i]) : date.data[i] != form[i])
            return false;
    return true;
}

static bool is_exactly(warc_view date, const char *form)
{
    return date.len == strlen(form) && follows(date, form);
}

bool warc_date_is_valid(warc_view date, bool is_1_1)
{
    if (is_exactly(date, "0000-00-00T00:00:00Z"))
        return true;
    if (!is_1_1)
        return false;
    if (is_exactly(date, "0000") || is_exactly(date, "0000-00") ||
        is_exactly(date, "0000-00-00") || is_exactly(date, "0000-00-00T00:00Z"))
        return true;
    static const char seconds[] = "0000-00-00T00:00:00.";
    const size_t len = sizeof seconds - 1;
    if (!follows(date, seconds) || date.data[date.len - 1] != 'Z')
        return false;
    const size_t digits = date.len - len - 1;
    for (size_t i = 0; i < digits; i++)
        if (!is_digit(date.data[len + i]))
            return false;
    return digits >= 1 && digits <= 9 && date.len > len + 1;
}
