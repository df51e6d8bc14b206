/*
 * Nothing is guessed. A relative date ("2 days ago") is ignored. The page's language decides
 * about a date whose month and day could be exchanged, or the date is ignored.
 */
#include "content/post_facts.h"

#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/date_words.h"
#include "base/iso_date.h"
#include "base/unicode.h"
#include "page/class_word.h"

enum {
    NAME_MAX_LEN = 100, /* bytes */
    NAME_SPACES = 8,    /* more are in a sentence */
    LINE_BYTES = 160,   /* bytes of a text that may be a date */
    DESCENDANTS = 40,   /* of an element that are searched for a name */
    VOTES_TEXT = 40,    /* bytes of a text that may be a number of votes */
    SECONDS_LEN = 10,   /* digits of seconds since 1970 */
    MILLISECONDS_LEN = 13,
};

static const th_view absent = { NULL, 0 };

th_status th_post_reader_begin(th_post_reader *reader, const th_page *page,
                               th_arena *arena)
{
    const size_t count = (size_t)page->node_count + 1;
    *reader = (th_post_reader){
        .page = page,
        .arena = arena,
        .subtree_end = th_arena_alloc(arena, count * sizeof *reader->subtree_end),
        .link_of = th_arena_alloc(arena, count * sizeof *reader->link_of),
    };
    if (!reader->subtree_end || !reader->link_of)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->node_count; i++) {
        reader->subtree_end[i] = i + 1;
        reader->link_of[i] = TH_NONE;
    }
    for (uint32_t i = page->node_count; i-- > 1;) {
        const uint32_t parent = page->nodes[i].parent;
        if (parent < i && reader->subtree_end[parent] < reader->subtree_end[i])
            reader->subtree_end[parent] = reader->subtree_end[i];
    }
    for (uint32_t i = 0; page->link_nodes && i < page->link_count; i++)
        if (page->link_nodes[i] < page->node_count)
            reader->link_of[page->link_nodes[i]] = i;
    return TH_OK;
}

/* The first value of this node or a later one. */
static uint32_t first_value(const th_page *page, uint32_t node)
{
    return th_first_from(page->node_values, page->node_value_count,
                         sizeof *page->node_values, offsetof(th_node_value, node), node);
}

th_view th_post_value(const th_post_reader *reader, uint32_t node, unsigned kind)
{
    const th_page *page = reader->page;
    for (uint32_t i = first_value(page, node);
         i < page->node_value_count && page->node_values[i].node == node; i++)
        if (page->node_values[i].kind == kind)
            return page->node_values[i].value;
    return absent;
}

th_view th_post_node_text(const th_page *page, uint32_t node)
{
    const th_node *row = &page->nodes[node];
    if (row->first_block >= row->end_block)
        return absent;
    const th_block *first = &page->blocks[row->first_block];
    const th_block *last = &page->blocks[row->end_block - 1];
    return (th_view){ page->text.data + first->text_start,
                      last->text_start + last->text_len - first->text_start };
}

/* ---- names ------------------------------------------------------------------------- */

/* Whether a text has letters or digits, and not the length of a sentence. */
static bool may_be_name(th_view text)
{
    bool has_alnum = false;
    unsigned spaces = 0;
    if (text.len > NAME_MAX_LEN)
        return false;
    for (size_t at = 0; at < text.len;) {
        spaces += text.data[at] == ' ';
        has_alnum = th_is_alnum(th_utf8_next(text.data, &at)) || has_alnum;
    }
    return has_alnum && spaces <= NAME_SPACES;
}

static th_view first_line(th_view text)
{
    text = th_ascii_trimmed(text);
    for (size_t i = 0; i < 2; i++) {
        const char *end = text.len ? memchr(text.data, "\n\t"[i], text.len) : NULL;
        if (end)
            text.len = (size_t)(end - text.data);
    }
    return th_ascii_trimmed(text);
}

static bool drop_start(th_view *text, th_view start)
{
    if (text->len <= start.len || !th_ascii_equal(text->data, start.data, start.len))
        return false;
    *text = th_ascii_trimmed((th_view){ text->data + start.len, text->len - start.len });
    return true;
}

static bool drop_end(th_view *text, th_view end)
{
    const size_t left = text->len - end.len;
    if (text->len <= end.len || !th_ascii_equal(text->data + left, end.data, end.len))
        return false;
    *text = th_ascii_trimmed((th_view){ text->data, left });
    return true;
}

/* Whether a text is the number of a post: "#12". */
static bool is_number(th_view text)
{
    size_t digits = 0;
    while (digits + 1 < text.len && th_is_digit(text.data[digits + 1]))
        digits++;
    return digits && text.data[0] == '#' && digits + 1 == text.len;
}

bool th_post_is_control(th_view text)
{
    static const th_view actions[] = {
        TH_VIEW_INIT("quote"),     TH_VIEW_INIT("citar"),
        TH_VIEW_INIT("zitieren"),  TH_VIEW_INIT("citer"),
        TH_VIEW_INIT("reply"),     TH_VIEW_INIT("antworten"),
        TH_VIEW_INIT("répondre"),  TH_VIEW_INIT("responder"),
        TH_VIEW_INIT("rispondi"),  TH_VIEW_INIT("beantwoorden"),
        TH_VIEW_INIT("odpowiedz"), TH_VIEW_INIT("svara"),
        TH_VIEW_INIT("yanıtla"),   TH_VIEW_INIT("permalink"),
        TH_VIEW_INIT("flag"),      TH_VIEW_INIT("report"),
        TH_VIEW_INIT("login"),     TH_VIEW_INIT("log in"),
        TH_VIEW_INIT("sign in")
    };
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const size_t len = actions[i].len;
        if (text.len >= len && th_ascii_equal(text.data, actions[i].data, len) &&
            (text.len == len || text.data[len] == ' '))
            return true;
    }
    return text.len && text.data[text.len - 1] == '*';
}

/* A text that is a name and nothing else, or absent. */
static th_view whole_name(th_view text)
{
    static const th_view ends[] = {
        TH_VIEW_INIT(" says:"),
        TH_VIEW_INIT(" said:"),
        TH_VIEW_INIT(" wrote:"),
        TH_VIEW_INIT(" says"),
        TH_VIEW_INIT(" يقول:"),
        TH_VIEW_INIT(" قال:"),
        TH_VIEW_INIT(" كتب:"),
        TH_VIEW_INIT(" הגיב:"),
        TH_VIEW_INIT(" כתב:"),
        TH_VIEW_INIT(" گفت:"),
        TH_VIEW_INIT(" कहते हैं:"),
        TH_VIEW_INIT(" พูดว่า:"),
        TH_VIEW_INIT(":"),
        TH_VIEW_INIT(","),
        TH_VIEW_INIT("\xC2\xBB"),     /* » */
        TH_VIEW_INIT("\xC2\xB7"),     /* · */
        TH_VIEW_INIT("\xE2\x80\xA2"), /* • */
        TH_VIEW_INIT("|"),
    };
    text = first_line(text);
    (void)drop_start(&text, TH_VIEW("@"));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        (void)drop_end(&text, ends[i]);
    return may_be_name(text) && !th_post_is_control(text) && !is_number(text) &&
                   !memmem(text.data, text.len, "://", 3)
               ? text
               : absent;
}

th_view th_post_name_in(th_view text)
{
    static const th_view starts[] = {
        TH_VIEW_INIT("posted by "),  TH_VIEW_INIT("by "),
        TH_VIEW_INIT("von "),        TH_VIEW_INIT("par "),
        TH_VIEW_INIT("from "),       TH_VIEW_INIT("بواسطة "),
        TH_VIEW_INIT("מאת "),        TH_VIEW_INIT("توسط "),
        TH_VIEW_INIT("द्वारा "),      TH_VIEW_INIT("โดย "),
        TH_VIEW_INIT("- "),          TH_VIEW_INIT("\xE2\x80\x93"), /* a dash */
        TH_VIEW_INIT("\xE2\x80\x94")
    };
    text = first_line(text);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        (void)drop_start(&text, starts[i]);
    return whole_name(text);
}

static th_view anchor_of(const th_page *page, uint32_t link)
{
    const th_link *row = &page->links[link];
    return (th_view){ page->text.data + row->anchor_start, row->anchor_len };
}

static bool has_item_name(const th_page *page, uint32_t node, uint32_t name)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        if (page->class_words[i] == name)
            return true;
    return false;
}

/* The name of a link, or of a text without one. */
static th_view plain_name(const th_post_reader *reader, uint32_t node)
{
    const th_page *page = reader->page;
    if (page->nodes[node].tag == TH_TAG_A)
        return reader->link_of[node] == TH_NONE
                   ? th_post_name_in(th_post_node_text(page, node))
                   : whole_name(anchor_of(page, reader->link_of[node]));
    const uint32_t end = reader->subtree_end[node];
    for (uint32_t i = node; i < end && i < node + DESCENDANTS; i++) {
        const uint32_t link = reader->link_of[i];
        const th_view name = link == TH_NONE ? absent : anchor_of(page, link);
        if (name.len && whole_name(name).len)
            return whole_name(name);
    }
    return th_post_name_in(th_post_node_text(page, node));
}

/* A name without the time after it ("Ada 2月前", "Ada | 83 | 2月前"), and without a sign of the
 * first author. */
static th_view without_age(th_view name)
{
    enum { UNIT_BYTES = 9 }; /* of three letters between the number and the last word */
    const size_t whole = name.len;
    if (drop_end(&name, TH_VIEW("\xE5\x89\x8D"))) { /* 前, ago */
        size_t at = name.len;
        while (at && name.len - at < UNIT_BYTES && !th_is_digit(name.data[at - 1]))
            at--;
        if (!at || at == name.len || !th_is_digit(name.data[at - 1]))
            return (th_view){ name.data, whole };
        while (at && th_is_digit(name.data[at - 1]))
            at--;
        const char *bar = memmem(name.data, at, " |", 2);
        name.len = bar ? (size_t)(bar - name.data) : at;
        name = th_ascii_trimmed(name);
    }
    (void)drop_end(&name, TH_VIEW("(\xE6\xA5\xBC\xE4\xB8\xBB)")); /* (楼主) */
    return name;
}

/* A name without the date after it. Absent if it is only a date. */
static th_view without_date(const th_post_reader *reader, th_view name)
{
    th_date_words date;
    name = without_age(name);
    if (!name.len || !th_date_words_find(name, 0, reader->page->metadata.language, &date))
        return name;
    return date.start ? whole_name((th_view){ name.data, date.start }) : absent;
}

static th_view name_at(const th_post_reader *reader, uint32_t node)
{
    const th_page *page = reader->page;
    const uint32_t name = th_word_number(TH_VIEW("name"), TH_WORD_IN_ITEMPROP);
    const uint32_t end = reader->subtree_end[node];
    for (uint32_t i = node; i < end && i < node + DESCENDANTS; i++) {
        if (!has_item_name(page, i, name))
            continue;
        const th_view value = th_post_value(reader, i, TH_VALUE_CONTENT);
        const th_view found = value.len ? th_post_name_in(value) : plain_name(reader, i);
        if (found.len)
            return found;
    }
    const th_view value = th_post_value(reader, node, TH_VALUE_CONTENT);
    return value.len ? th_post_name_in(value) : plain_name(reader, node);
}

th_view th_post_name(const th_post_reader *reader, uint32_t node)
{
    return without_date(reader, name_at(reader, node));
}

/* ---- dates ------------------------------------------------------------------------- */

static th_view kept(const th_post_reader *reader, const char *bytes, size_t len)
{
    return th_arena_copy(reader->arena, (th_view){ bytes, len });
}

/* Seconds or milliseconds since 1970, as digits. */
static th_view date_of_number(const th_post_reader *reader, th_view text)
{
    int64_t seconds = 0;
    char bytes[TH_ISO_DATE_MAX];
    struct tm parts;
    for (size_t i = 0; i < text.len; i++) {
        if (!th_is_digit(text.data[i]))
            return absent;
        seconds = seconds * 10 + (text.data[i] - '0');
    }
    if (text.len == MILLISECONDS_LEN)
        seconds /= 1000;
    const time_t time = (time_t)seconds;
    if (!gmtime_r(&time, &parts))
        return absent;
    const size_t len = strftime(bytes, sizeof bytes, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return kept(reader, bytes, len);
}

bool th_post_date_is_of_another(th_view before)
{
    static const char *const words[] = {
        "join",   "regist",  "member since", "edited",        "edit ",    "updat",
        "last ",  "seen",    "since",        "dabei",         "inscrit",  "online",
        "انضم",   "التسجيل", "تعديل",        "תאריך הצטרפות", "נערך",     "عضویت",
        "ویرایش", "शामिल",   "संपादित",       "เข้าร่วม",        "ลงทะเบียน", "แก้ไข"
    };
    char lower[LINE_BYTES];
    if (before.len > sizeof lower)
        before.len = sizeof lower;
    for (size_t i = 0; i < before.len; i++)
        lower[i] = th_lower(before.data[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th_ascii_has((th_view){ lower, before.len }, words[i]))
            return true;
    return false;
}

th_view th_post_date_in(const th_post_reader *reader, th_view text)
{
    char bytes[TH_ISO_DATE_MAX];
    size_t len;
    text = th_ascii_trimmed(text);
    if (!text.len || text.len > LINE_BYTES)
        return absent;
    if (th_iso_date(text, bytes, &len) == TH_DATE_ISO && len >= TH_DAY_LEN)
        return kept(reader, bytes, len);
    th_date_words found;
    for (size_t from = 0, last = 0;
         th_date_words_find(text, from, reader->page->metadata.language, &found);
         from = last = found.end) {
        if (th_post_date_is_of_another((th_view){ text.data + last, found.start - last }))
            continue;
        /* With its time, where the text ends with it. */
        const th_view rest = { text.data + found.start, text.len - found.start };
        if (th_iso_date(rest, bytes, &len) == TH_DATE_ISO && len > TH_DAY_LEN)
            return kept(reader, bytes, len);
        return kept(reader, found.day, TH_DAY_LEN);
    }
    return absent;
}

/* Forms of a value, the clearest first: the last is in the zone and words of a reader. */
enum { FORM_NUMBER, FORM_ISO, FORM_WORDS, FORM_COUNT };

static unsigned form_of(th_view value)
{
    size_t digits = 0;
    while (digits < value.len && th_is_digit(value.data[digits]))
        digits++;
    if (digits == value.len && (digits == SECONDS_LEN || digits == MILLISECONDS_LEN))
        return FORM_NUMBER;
    return digits == 4 && value.len > 4 && value.data[4] == '-' ? FORM_ISO : FORM_WORDS;
}

/* A value of an attribute. One in ISO 8601 may have more after a sign. */
static th_view date_of_value(const th_post_reader *reader, th_view value)
{
    char bytes[TH_ISO_DATE_MAX];
    size_t len;
    switch (form_of(value)) {
    case FORM_NUMBER:
        return date_of_number(reader, value);
    case FORM_ISO:
        for (const char *sign = ", "; *sign; sign++) {
            const char *cut = memchr(value.data, *sign, value.len);
            const th_view start = { value.data,
                                    cut ? (size_t)(cut - value.data) : value.len };
            if (th_iso_date(start, bytes, &len) == TH_DATE_ISO && len >= TH_DAY_LEN &&
                (*sign == ',' || len > TH_DAY_LEN))
                return kept(reader, bytes, len);
        }
        break;
    default:
        break;
    }
    return th_post_date_in(reader, value);
}

th_view th_post_date(const th_post_reader *reader, uint32_t node)
{
    const th_page *page = reader->page;
    const uint32_t end = reader->subtree_end[node];
    const uint32_t first = first_value(page, node);
    for (unsigned form = 0; form < FORM_COUNT; form++)
        for (uint32_t i = first;
             i < page->node_value_count && page->node_values[i].node < end; i++) {
            const th_node_value *value = &page->node_values[i];
            if ((value->kind != TH_VALUE_TIME && value->kind != TH_VALUE_CONTENT) ||
                form_of(value->value) != form)
                continue;
            const th_view date = date_of_value(reader, value->value);
            if (date.len)
                return date;
        }
    const th_view text = th_post_node_text(page, node);
    return text.len <= LINE_BYTES ? th_post_date_in(reader, text) : absent;
}

/* ---- numbers, quotes --------------------------------------------------------------- */

/* The first number of a text, with its sign. */
static bool number_in(th_view text, int64_t *number)
{
    enum { DIGITS = 9 };
    size_t at = 0;
    while (at < text.len && !th_is_digit(text.data[at]))
        at++;
    if (at == text.len || text.len > VOTES_TEXT)
        return false;
    const bool is_minus = (at >= 1 && text.data[at - 1] == '-') ||
                          (at >= 3 && memcmp(text.data + at - 3, "\xE2\x88\x92", 3) == 0);
    int64_t value = 0;
    unsigned digits = 0;
    for (; at < text.len && digits < DIGITS; at++) {
        const bool is_comma = text.data[at] == ',' && at + 3 < text.len;
        if (!th_is_digit(text.data[at]) && !is_comma)
            break;
        if (is_comma)
            continue;
        value = value * 10 + (text.data[at] - '0');
        digits++;
    }
    *number = is_minus ? -value : value;
    return true;
}

bool th_post_votes(const th_post_reader *reader, uint32_t node, int64_t *votes)
{
    const th_view stated = th_post_value(reader, node, TH_VALUE_VOTES);
    const th_view content = th_post_value(reader, node, TH_VALUE_CONTENT);
    const th_view shown = th_post_node_text(reader->page, node);
    return number_in(stated.len ? stated : content.len ? content : shown, votes);
}

th_view th_post_quoted(th_view text)
{
    static const th_view ends[] = { TH_VIEW_INIT(" wrote"),
                                    TH_VIEW_INIT(" said"),
                                    TH_VIEW_INIT(" schrieb"),
                                    TH_VIEW_INIT(" hat geschrieben"),
                                    TH_VIEW_INIT(" escribi\xC3\xB3"),
                                    TH_VIEW_INIT(" a \xC3\xA9"
                                                 "crit"),
                                    TH_VIEW_INIT("\xE8\xAF\xB4"),
                                    TH_VIEW_INIT(" كتب"),
                                    TH_VIEW_INIT(" قال"),
                                    TH_VIEW_INIT(" כתב"),
                                    TH_VIEW_INIT(" אמר"),
                                    TH_VIEW_INIT(" نوشته"),
                                    TH_VIEW_INIT(" نوشته شده"),
                                    TH_VIEW_INIT(" گفت"),
                                    TH_VIEW_INIT(" ने लिखा"),
                                    TH_VIEW_INIT(" ने कहा"),
                                    TH_VIEW_INIT(" เขียน"),
                                    TH_VIEW_INIT(" กล่าวว่า") };
    text = first_line(text);
    if (drop_start(&text, TH_VIEW("Originally posted by "))) {
        const char *view = memmem(text.data, text.len, " View Post", 10);
        return th_post_name_in(view ? (th_view){ text.data, (size_t)(view - text.data) }
                                    : text);
    }
    const char *colon = memchr(text.data ? text.data : "", ':', text.len);
    if (!colon)
        return absent;
    th_view head = { text.data, (size_t)(colon - text.data) };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (drop_end(&head, ends[i]))
            return th_post_name_in(head);
    return absent;
}
