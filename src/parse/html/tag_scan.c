/*
 * A pass over HTML before libxml2 sees it.
 *
 * The scan walks through tags exactly as libxml2 2.9.14 does (htmlParseStartTag and its
 * callees), not by the standard. It must find tags where libxml2 does, because a hostile
 * page could use any difference to hide a tag with too many attributes. If the result
 * depends on state that only libxml2 has, the document is changed to remove the
 * dependence:
 * - In SCRIPT and STYLE libxml2 accepts an end tag of any open element, and "</scripty"
 *   too. By the standard that is script, so the '<' becomes a space.
 * - "<!x>", "<?>", "</>", and a doctype that comes late or has an odd quote, end at
 *   varying places. They become comments up to the first '>', as in browsers.
 * - libxml2 makes several attributes of "@click" and other names that it does not know,
 *   and ends the tag at a '>' in their value. The value is emptied.
 *
 * A value that is too long is also emptied in place, so that nothing moves into its
 * position. If there are too many attributes, the rest of the tag is cut. The fuzzer
 * verifies that libxml2 stays within the limits.
 */
#include "parse/html/tag_scan.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "thresher/page.h"

enum { NAME_START = 1, NAME = 2, BLANK = 4, LIBXML2_NAME_MAX = 100 };

struct scan {
    const char *at;
    const char *end;
    const char *kept; /* bytes from here were not copied yet */
    th_buffer *copy;
    const th_tag_limits *limits;
    uint32_t flags;
    bool is_changed;
    bool is_first; /* only spaces precede `at` */
};

/* clang-format off */
static const uint8_t class_of[256] = {
    ['\t'] = BLANK, ['\n'] = BLANK, ['\r'] = BLANK, [' '] = BLANK,
    ['-'] = NAME, ['.'] = NAME | NAME_START, [':'] = NAME | NAME_START, ['_'] = NAME | NAME_START,
    ['0'] = NAME, ['1'] = NAME, ['2'] = NAME, ['3'] = NAME, ['4'] = NAME,
    ['5'] = NAME, ['6'] = NAME, ['7'] = NAME, ['8'] = NAME, ['9'] = NAME,
#define LETTER(upper, lower) [upper] = NAME | NAME_START, [lower] = NAME | NAME_START,
    LETTER('A', 'a') LETTER('B', 'b') LETTER('C', 'c') LETTER('D', 'd') LETTER('E', 'e')
    LETTER('F', 'f') LETTER('G', 'g') LETTER('H', 'h') LETTER('I', 'i') LETTER('J', 'j')
    LETTER('K', 'k') LETTER('L', 'l') LETTER('M', 'm') LETTER('N', 'n') LETTER('O', 'o')
    LETTER('P', 'p') LETTER('Q', 'q') LETTER('R', 'r') LETTER('S', 's') LETTER('T', 't')
    LETTER('U', 'u') LETTER('V', 'v') LETTER('W', 'w') LETTER('X', 'x') LETTER('Y', 'y')
    LETTER('Z', 'z')
#undef LETTER
};
/* clang-format on */

static bool is(char c, unsigned class)
{
    return class_of[(unsigned char)c] & class;
}

static void cut(struct scan *s, const char *from, const char *to)
{
    th_buffer_append(s->copy, s->kept, (size_t)(from - s->kept));
    s->kept = to;
    s->is_changed = true;
}

/* Replaces bytes. Outside of tags a character must stay, or its neighbors would join: "<"
 * and "b>". */
static void replace(struct scan *s, const char *from, const char *to, const char *with)
{
    cut(s, from, to);
    th_buffer_append_text(s->copy, with);
}

/* Returns the position after the next '>', or the end. */
static const char *behind_gt(const char *at, const char *end)
{
    const char *gt = memchr(at, '>', (size_t)(end - at));
    return gt ? gt + 1 : end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is(*at, BLANK))
        at++;
    return at;
}

static bool is_tag_end(const char *at, const char *end)
{
    return *at == '>' || (*at == '/' && end - at > 1 && at[1] == '>');
}

/* A piece of a tag: an attribute, or bytes that libxml2 skips because no name begins
 * there. */
struct piece {
    const char *end;
    const char *value; /* may be emptied: [value, value_end) */
    const char *value_end;
    bool is_attribute;
};

static const char *skip_name(const char *at, const char *end)
{
    const char *const stop = end - at > LIBXML2_NAME_MAX ? at + LIBXML2_NAME_MAX : end;
    while (at < stop && is(*at, NAME))
        at++;
    return at;
}

/* @param at  at an opening quote */
static void read_quoted(const char *at, const char *end, struct piece *piece)
{
    const char *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
    piece->value = at + 1;
    piece->value_end = quote ? quote : end;
    piece->end = quote ? quote + 1 : end;
}

static void read_value(const char *at, const char *end, struct piece *piece)
{
    if (at < end && (*at == '"' || *at == '\'')) {
        read_quoted(at, end, piece);
        return;
    }
    const char *const start = at;
    while (at < end && *at != '>' && !is(*at, BLANK))
        at++;
    /* Its first character stays, or the next attribute would become the value. */
    piece->value = at > start ? start + 1 : at;
    while (piece->value < at && ((unsigned char)*piece->value & 0xC0) == 0x80)
        piece->value++;
    piece->value_end = piece->end = at;
}

/* For "@click" and similar names libxml2 continues to the next space or the tag's end. */
static void read_bogus(const char *at, const char *end, struct piece *piece)
{
    do
        at++;
    while (at < end && *at != '=' && !is(*at, BLANK) && !is_tag_end(at, end));
    const char *value = skip_blanks(at, end);
    if (value < end && *value == '=') {
        value = skip_blanks(value + 1, end);
        if (value < end && (*value == '"' || *value == '\'')) {
            read_quoted(value, end, piece);
            return;
        }
    }
    while (at < end && !is(*at, BLANK) && !is_tag_end(at, end))
        at++;
    piece->end = at;
}

static struct piece read_piece(const char *at, const char *end)
{
    struct piece piece = { 0 };
    if (!is(*at, NAME_START)) {
        read_bogus(at, end, &piece);
        return piece;
    }
    piece.is_attribute = true;
    at = skip_blanks(skip_name(at, end), end);
    piece.end = at;
    if (at < end && *at == '=')
        read_value(skip_blanks(at + 1, end), end, &piece);
    return piece;
}

/* A tag during the walk. */
struct tag_walk {
    const char *start;
    const char *cut_from; /* cut from here to the tag's end; NULL: cut nothing */
    size_t removed;       /* bytes */
    uint32_t count;       /* attributes */
};

static void empty_value(struct scan *s, struct tag_walk *walk, const struct piece *piece)
{
    if (piece->value == piece->value_end)
        return;
    cut(s, piece->value, piece->value_end);
    walk->removed += (size_t)(piece->value_end - piece->value);
}

/*
 * Handles a name that libxml2 does not know as one, with a quoted value. libxml2 would
 * read the value as more attributes and a '>' in it as the tag's end, so the value is
 * removed. It would skip any bytes that follow without a space, so they are removed too.
 */
static void tame_bogus(struct scan *s, struct tag_walk *walk, const struct piece *piece)
{
    empty_value(s, walk, piece);
    if (piece->end < s->end && !is(*piece->end, BLANK) &&
        !is_tag_end(piece->end, s->end)) {
        walk->cut_from = piece->end;
        s->flags |= TH_FLAG_ATTRIBUTES_CUT;
    }
}

/* @param at  where the piece begins */
static void hold_to_limits(struct scan *s, struct tag_walk *walk, const char *at,
                           const struct piece *piece)
{
    const size_t value_len = (size_t)(piece->value_end - piece->value);
    const size_t len = (size_t)(piece->end - walk->start) - walk->removed;
    walk->count += piece->is_attribute;
    const bool is_over =
        walk->count > s->limits->max_attributes || len - value_len > s->limits->max_tag;
    if (is_over)
        walk->cut_from = at;
    else if (len > s->limits->max_tag)
        empty_value(s, walk, piece);
    else
        return;
    s->flags |= TH_FLAG_ATTRIBUTES_CUT;
}

/* Walks over the attributes after a name. @return at '>', "/>" or the end */
static const char *walk_attributes(struct scan *s, const char *at)
{
    struct tag_walk walk = { .start = s->at };
    for (;;) {
        at = skip_blanks(at, s->end);
        if (at == s->end || is_tag_end(at, s->end))
            break;
        const struct piece piece = read_piece(at, s->end);
        if (!walk.cut_from && !piece.is_attribute && piece.value)
            tame_bogus(s, &walk, &piece);
        else if (!walk.cut_from)
            hold_to_limits(s, &walk, at, &piece);
        at = piece.end;
    }
    if (walk.cut_from)
        cut(s, walk.cut_from, at);
    return at;
}

/* Whether "</name" of exactly this name is at a '<', not of a longer one. */
static bool is_end_of(const char *at, const char *end, const char *name, size_t len)
{
    return (size_t)(end - at) > len + 2 && at[1] == '/' &&
           strncasecmp(at + 2, name, len) == 0 && !is(at[len + 2], NAME);
}

/* Skips the content of SCRIPT or STYLE and the end tag. */
static void skip_raw(struct scan *s, const char *name, size_t len)
{
    const char *at = s->at;
    const char *const end = s->end;
    /* libxml2 checks for tags only at its beginning. */
    if (end - at > 1 && *at == '<' && (at[1] == '/' || is(at[1], NAME_START)) &&
        !is_end_of(at, end, name, len))
        replace(s, at, at + 1, " ");
    while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
        if (is_end_of(at, end, name, len)) {
            s->at = behind_gt(at, end);
            return;
        }
        if ((size_t)(end - at) >= len + 2 && at[1] == '/' &&
            strncasecmp(at + 2, name, len) == 0 && at >= s->kept)
            replace(s, at, at + 1, " ");
        at++;
    }
    s->at = end;
}

static void start_tag(struct scan *s)
{
    const char *const name = s->at + 1;
    const char *at = skip_name(name, s->end);
    const size_t len = (size_t)(at - name);
    at = walk_attributes(s, at);
    if (at == s->end || *at == '/') {
        s->at = at == s->end ? at : at + 2;
        return;
    }
    s->at = at + 1;
    if ((len == 6 && strncasecmp(name, "script", 6) == 0) ||
        (len == 5 && strncasecmp(name, "style", 5) == 0))
        skip_raw(s, name, len);
}

/* Handles a comment of the standard up to the next '>' that is not one for libxml2. */
static void bogus_comment(struct scan *s)
{
    const char *behind = behind_gt(s->at, s->end);
    replace(s, s->at, behind, "<!---->");
    s->at = behind;
}

static void comment(struct scan *s)
{
    const char *const start = s->at + 4;
    const char *const end = s->end;
    if ((end - start > 0 && start[0] == '>') ||
        (end - start > 1 && start[0] == '-' && start[1] == '>')) {
        bogus_comment(s); /* "<!-->" is complete; libxml2 would search for more */
        return;
    }
    const char *gt = start;
    while (gt < end && (gt = memchr(gt, '>', (size_t)(end - gt)))) {
        if ((gt - start >= 2 && memcmp(gt - 2, "--", 2) == 0) ||
            (gt - start >= 3 && memcmp(gt - 3, "--!", 3) == 0)) {
            s->at = gt + 1;
            return;
        }
        gt++;
    }
    s->at = end;
}

/* Whether every quote between the two is closed there. */
static bool is_balanced(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at != '"' && *at != '\'')
            continue;
        at = memchr(at + 1, *at, (size_t)(end - at - 1));
        if (!at)
            return false;
    }
    return true;
}

static void declaration(struct scan *s)
{
    const size_t left = (size_t)(s->end - s->at);
    if (left >= 4 && memcmp(s->at, "<!--", 4) == 0) {
        comment(s);
    } else if (left >= 9 && strncasecmp(s->at, "<!doctype", 9) == 0 && s->is_first &&
               is_balanced(s->at, behind_gt(s->at, s->end))) {
        s->at = behind_gt(s->at, s->end);
    } else {
        bogus_comment(s);
    }
}

static void tag(struct scan *s)
{
    const char next = s->at[1];
    if (th_is_letter(next)) {
        start_tag(s);
    } else if (next == '/' || next == '?') {
        if (s->end - s->at > 2 && th_is_letter(s->at[2]))
            s->at = behind_gt(s->at, s->end);
        else
            bogus_comment(s);
    } else if (next == '!') {
        declaration(s);
    } else {
        s->at++;
    }
}

th_status th_tag_scan(th_view text, const th_tag_limits *limits, th_buffer *copy,
                      th_view *safe, uint32_t *flags)
{
    th_buffer_reset(copy);
    struct scan s = { .at = text.data,
                      .end = text.data + text.len,
                      .kept = text.data,
                      .copy = copy,
                      .limits = limits,
                      .is_first = true };
    while (s.end - s.at > 1) {
        const char *lt = memchr(s.at, '<', (size_t)(s.end - s.at - 1));
        if (!lt)
            break;
        s.is_first = s.is_first && lt == skip_blanks(text.data, s.end);
        s.at = lt;
        tag(&s);
    }
    if (s.is_changed)
        cut(&s, s.end, s.end);
    if (copy->has_failed)
        return TH_NOMEM;
    *safe = s.is_changed ? th_buffer_view(copy) : text;
    *flags |= s.flags;
    return TH_OK;
}

bool th_tag_scan_xml(th_view text, uint32_t max_attributes)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '<')
            count = 0;
        else if (text.data[i] == '=' && ++count > max_attributes)
            return true;
    }
    return false;
}
