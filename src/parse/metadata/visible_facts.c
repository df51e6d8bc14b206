/*
 * Facts near the headline. "Near" is a number of paragraphs, because a byline has no
 * other mark in common on all sites. Beyond these numbers precision falls
 * (docs/facts.md). The content of a comment, an answer or a product is not a fact of the
 * page.
 */
#include "parse/metadata/visible_facts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/date_words.h"
#include "base/unicode.h"
#include "parse/metadata/author_name.h"
#include "parse/metadata/headline.h"
#include "parse/metadata/tidy_text.h"

enum {
    HEADLINE_SEARCH = 80, /* paragraphs in which a headline without H1 is searched */
    NAME_TEXT = 70,       /* characters of an element that may be a name */
    LABEL_TEXT = 39,      /* characters of a line that may be a label */
    DATE_TEXT = 80,       /* bytes of an element that may be a date */
    LINE_TEXT = 160,      /* bytes of a line that may hold a date */
    PROSE = 200,          /* bytes of a paragraph with which the text begins */
    LISTED_DAYS = 3,      /* this many dates around the headline: a list of articles */
    LISTED_NAMES = 3,     /* this many authors by rel: a list of articles */
};

struct reader {
    const th_visible_page *page;
    th_visible_facts *facts;
    bool has_headline;
    int64_t headline; /* its paragraph */
};

/* ---- places ---- */

static th_view slice(const struct reader *in, uint32_t start, uint32_t end)
{
    const th_view text = in->page->text;
    if (end > text.len || start >= end)
        return (th_view){ text.data, 0 };
    return th_ascii_trimmed((th_view){ text.data + start, end - start });
}

/* Whether a text has more characters than a limit. It reads at most four bytes for each
 * character of the limit. */
static bool is_longer(th_view text, size_t characters)
{
    return text.len > characters * 4 ||
           (text.len > characters && th_utf8_count(text.data, text.len) > characters);
}

static th_view mark_text(const struct reader *in, const th_fact_mark *mark)
{
    return slice(in, mark->start, mark->end);
}

static th_view line(const struct reader *in, int64_t number)
{
    if (number < 0 || number >= in->page->paragraph_count)
        return (th_view){ NULL, 0 };
    const th_paragraph *const row = &in->page->paragraphs[number];
    return slice(in, row->text_start, row->text_start + row->text_len);
}

/* Returns the paragraph at or after a byte. */
static int64_t paragraph_at(const struct reader *in, uint32_t text_at)
{
    int64_t low = 0, high = in->page->paragraph_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const th_paragraph *const row = &in->page->paragraphs[middle];
        if (row->text_start + row->text_len <= text_at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_near(const struct reader *in, const th_fact_mark *mark, int64_t before,
                    int64_t after)
{
    if (!in->has_headline)
        return false;
    const int64_t distance = paragraph_at(in, mark->start) - in->headline;
    return distance >= -before && distance <= after;
}

static void find_headline(struct reader *in)
{
    const th_fact_marks *const marks = in->page->marks;
    const th_view headline = in->page->headline;
    const th_fact_mark *first = NULL;
    for (uint32_t i = 0; i < marks->count; i++) {
        const th_fact_mark *const mark = &marks->rows[i];
        if (!(mark->roles & TH_MARK_H1) || mark_text(in, mark).len == 0)
            continue;
        if (!first)
            first = mark;
        if (headline.data && th_headline_same(mark_text(in, mark), headline)) {
            first = mark;
            break;
        }
    }
    if (first) {
        in->has_headline = true;
        in->headline = paragraph_at(in, first->start);
        return;
    }
    for (int64_t i = 0;
         headline.data && i < in->page->paragraph_count && i < HEADLINE_SEARCH; i++) {
        const th_view text = line(in, i);
        if (text.len < 2 * headline.len && 2 * text.len > headline.len &&
            th_headline_same(text, headline)) {
            in->has_headline = true;
            in->headline = i;
            return;
        }
    }
}

/* ---- authors ---- */

/* Adds a name in a text that may continue with a date. */
static bool add_author(struct reader *in, th_view text, const char *from)
{
    char bytes[TH_NAME_MAX];
    size_t len = th_tidy_text(text, TH_TIDY_PLAIN, bytes, sizeof bytes);
    th_date_words date;
    if (th_date_words_find((th_view){ bytes, len }, 0, in->page->language, &date) &&
        date.start > 0)
        len = date.start;
    const th_view name = th_author_name((th_view){ bytes, len });
    if (!name.data || is_longer(name, NAME_TEXT) ||
        !th_author_list_add(&in->facts->authors, name))
        return false;
    in->facts->author_from = from;
    return true;
}

/* Whether a text is written like a name: few words, the first with a capital. */
static bool looks_like_name(th_view text)
{
    size_t at = 0, blanks = 0;
    if (text.len == 0 || is_longer(text, NAME_TEXT))
        return false;
    const uint32_t first = th_utf8_next(text.data, &at);
    for (size_t i = 0; i < text.len; i++)
        blanks += text.data[i] == ' ' || text.data[i] == '\n';
    return blanks == 0 ? th_is_alnum(first) : blanks <= 8 && !u_islower((UChar32)first);
}

static bool item_author(struct reader *in)
{
    const th_fact_marks *const marks = in->page->marks;
    for (uint32_t i = 0; i < marks->count; i++) {
        const th_fact_mark *const mark = &marks->rows[i];
        if (!(mark->roles & TH_MARK_ITEM_AUTHOR) || marks->rows[i].is_foreign)
            continue;
        th_view text = mark->value.data ? mark->value : mark_text(in, mark);
        for (uint32_t j = i + 1; j <= mark->last; j++) {
            if (!(marks->rows[j].roles & TH_MARK_ITEM_NAME))
                continue;
            text = marks->rows[j].value.data ? marks->rows[j].value
                                             : mark_text(in, &marks->rows[j]);
            break;
        }
        if (!is_longer(text, NAME_TEXT) && text.len > 0 &&
            add_author(in, text, "microdata"))
            return true;
    }
    return false;
}

/* Whether the page links to enough authors to be a list of articles. */
static bool is_list(const struct reader *in)
{
    const th_fact_marks *const marks = in->page->marks;
    th_view names[LISTED_NAMES];
    size_t count = 0;
    for (uint32_t i = 0; i < marks->count; i++) {
        if (!(marks->rows[i].roles & TH_MARK_REL_AUTHOR))
            continue;
        const th_view name = mark_text(in, &marks->rows[i]);
        size_t j = 0;
        while (j < count && !th_view_same(names[j], name))
            j++;
        if (j < count || name.len == 0)
            continue;
        names[count++] = name;
        if (count == LISTED_NAMES)
            return true;
    }
    return false;
}

static bool marked_author(struct reader *in, uint32_t role, const char *from)
{
    const th_fact_marks *const marks = in->page->marks;
    for (uint32_t i = 0; i < marks->count; i++) {
        const th_fact_mark *const mark = &marks->rows[i];
        const th_view text = mark_text(in, mark);
        if ((mark->roles & role) && is_near(in, mark, 8, 14) && looks_like_name(text) &&
            !marks->rows[i].is_foreign && add_author(in, text, from))
            return true;
    }
    return false;
}

static bool line_author(struct reader *in)
{
    for (int64_t i = in->headline + 1; i <= in->headline + 9; i++) {
        const th_view text = line(in, i);
        bool is_label = false;
        if (text.len == 0 || text.len >= PROSE)
            return false;
        const th_view name = th_author_in_line(text, &is_label);
        if (name.data && add_author(in, name, "text"))
            return true;
        if (is_label && looks_like_name(line(in, i + 1)) &&
            add_author(in, line(in, i + 1), "text"))
            return true;
    }
    return false;
}

static void find_author(struct reader *in)
{
    if (in->page->is_product || item_author(in) || th_url_is_front(in->page->url) ||
        !in->has_headline || is_list(in))
        return;
    if (marked_author(in, TH_MARK_REL_AUTHOR, "rel-author") ||
        marked_author(in, TH_MARK_NAME_CLASS, "byline") ||
        marked_author(in, TH_MARK_AUTHOR_CLASS, "byline"))
        return;
    (void)line_author(in);
}

/* ---- dates ---- */

static void add_date(struct reader *in, const char *iso, size_t len, th_seen how)
{
    th_visible_facts *const facts = in->facts;
    if (facts->date_count == TH_SEEN_DATES || len > TH_ISO_DATE_MAX)
        return;
    th_seen_date *const date = &facts->dates[facts->date_count++];
    memcpy(date->iso, iso, len);
    date->len = len;
    date->how = how;
}

/* Whether the words before a date mean that it is not the first one. */
static bool says_updated(th_view text)
{
    static const char *const stems[] = {
        "updat",         "modif",  "aktualis", "revis",           "last",
        "edited",        "stand:", "review",   "ge\xC3\xA4ndert", "actuali",
        "oppdat",        "uppdat", "senest",   "aggiorn",         "mise \xC3\xA0 jour",
        "g\xC3\xBCncel", "تحديث",  "تعديل",    "روزرسانی",        "ویرایش",
        "آخرین",         "آخر ",   "עודכן",    "עדכון",           "נערך",
        "अपडेट",          "अद्यतन",  "परिवर्तन",  "อัปเดต",           "อัพเดต",
        "แก้ไข",          "ปรับปรุง", "ล่าสุด",     "אחרון",           "אחרונ",
        "अंतिम",          NULL
    };
    for (const char *const *stem = stems; *stem; stem++)
        for (size_t i = 0; i + strlen(*stem) <= text.len; i++)
            if (th_ascii_equal(text.data + i, *stem, strlen(*stem)))
                return true;
    return false;
}

static bool says_published(th_view text)
{
    static const char *const stems[] = { "publi",
                                         "posted",
                                         ("ver\xC3\xB6"
                                          "ff"),
                                         "erschien",
                                         "erstellt",
                                         "written",
                                         "released",
                                         "date:",
                                         "by ",
                                         "نشر",
                                         "انتشار",
                                         "פורסם",
                                         "प्रकाशित",
                                         "เผยแพร่",
                                         NULL };
    for (const char *const *stem = stems; *stem; stem++)
        for (size_t i = 0; i + strlen(*stem) <= text.len; i++)
            if (th_ascii_equal(text.data + i, *stem, strlen(*stem)))
                return true;
    return false;
}

/* Returns the last characters of a text, at most `max`. */
static th_view tail(th_view text, size_t max)
{
    size_t start = text.len;
    for (size_t count = 0; start > 0 && count < max; count++)
        for (start--; start > 0 && ((unsigned char)text.data[start] & 0xC0) == 0x80;)
            start--;
    return (th_view){ text.data + start, text.len - start };
}

/* Returns the words before a byte of the text: of its paragraph, or of a short one
 * before. */
static th_view words_before(const struct reader *in, uint32_t text_at)
{
    const int64_t number = paragraph_at(in, text_at);
    if (number >= in->page->paragraph_count)
        return (th_view){ NULL, 0 };
    const uint32_t start = in->page->paragraphs[number].text_start;
    if (text_at > start + 2)
        return tail(slice(in, start, text_at), 30);
    const th_view before = line(in, number - 1);
    return !is_longer(before, LABEL_TEXT) ? before : (th_view){ NULL, 0 };
}

/* Returns the date of an element, from its attribute or else from its text. */
static bool mark_date(const struct reader *in, const th_fact_mark *mark,
                      char iso[TH_ISO_DATE_MAX], size_t *len)
{
    th_date_words found;
    const th_view text = mark_text(in, mark);
    if (mark->value.data && th_iso_date(mark->value, iso, len) == TH_DATE_ISO)
        return true;
    const bool is_found =
        (mark->value.data &&
         th_date_words_find(mark->value, 0, in->page->language, &found)) ||
        (text.len > 0 && text.len <= DATE_TEXT &&
         th_date_words_find(text, 0, in->page->language, &found));
    if (!is_found)
        return false;
    memcpy(iso, found.day, TH_DAY_LEN);
    *len = TH_DAY_LEN;
    return true;
}

static void add_mark_dates(struct reader *in, uint32_t roles, th_seen how, int64_t before,
                           int64_t after)
{
    const th_fact_marks *const marks = in->page->marks;
    const bool is_anywhere = how == TH_SEEN_ITEM;
    uint32_t added = 0;
    for (uint32_t i = 0; i < marks->count && added < 4; i++) {
        const th_fact_mark *const mark = &marks->rows[i];
        char iso[TH_ISO_DATE_MAX];
        size_t len = 0;
        if ((mark->roles & roles) != roles ||
            (!is_anywhere && !is_near(in, mark, before, after)) ||
            marks->rows[i].is_foreign || !mark_date(in, mark, iso, &len) ||
            (!is_anywhere && len < TH_DAY_LEN))
            continue;
        const bool is_updated =
            how != TH_SEEN_ITEM && ((mark->roles & TH_MARK_MODIFIED_CLASS) ||
                                    says_updated(mark_text(in, mark)) ||
                                    says_updated(words_before(in, mark->start)));
        add_date(in, iso, len, is_updated ? TH_SEEN_UPDATED : how);
        added++;
        if (is_anywhere)
            break;
    }
}

/* Whether TIMEs around the headline have enough days for a list of articles. */
static bool is_list_of_days(const struct reader *in)
{
    const th_fact_marks *const marks = in->page->marks;
    char days[LISTED_DAYS][TH_ISO_DATE_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < marks->count; i++) {
        char iso[TH_ISO_DATE_MAX] = { 0 };
        size_t len = 0, j = 0;
        if (!(marks->rows[i].roles & TH_MARK_TIME) ||
            !is_near(in, &marks->rows[i], 5, 14) ||
            !mark_date(in, &marks->rows[i], iso, &len))
            continue;
        while (j < count && memcmp(days[j], iso, TH_DAY_LEN) != 0)
            j++;
        if (j < count)
            continue;
        memcpy(days[count++], iso, TH_DAY_LEN);
        if (count == LISTED_DAYS)
            return true;
    }
    return false;
}

/* Returns "/2025/12/18/" in the URL's path. */
static void add_url_date(struct reader *in)
{
    const th_view url = in->page->url;
    for (size_t i = 0; i + 9 < url.len; i++) {
        const char *const at = url.data + i;
        if (at[0] != '/' || !th_is_digit(at[1]) || !th_is_digit(at[2]) ||
            !th_is_digit(at[3]) || !th_is_digit(at[4]) || (at[5] != '/' && at[5] != '-'))
            continue;
        size_t end = i + 6;
        while (end < url.len && (th_is_digit(url.data[end]) || url.data[end] == at[5]) &&
               end < i + 11)
            end++;
        char text[16];
        size_t len = 0;
        for (size_t k = i + 1; k < end; k++)
            text[len++] = url.data[k];
        while (len > 0 && !th_is_digit(text[len - 1]))
            len--;
        th_date_words found;
        if (th_date_words_find((th_view){ text, len }, 0, (th_view){ NULL, 0 }, &found) &&
            found.start == 0) {
            add_date(in, found.day, TH_DAY_LEN, TH_SEEN_URL);
            return;
        }
    }
}

/* Whether a date ends many words: a picture's caption, not a byline. */
static bool ends_sentence(th_view text, const th_date_words *found)
{
    enum { WORDS = 6 };
    unsigned blanks = 0;
    for (size_t i = 0; i < found->start; i++)
        blanks += text.data[i] == ' ';
    return blanks >= WORDS && found->end + 2 > text.len;
}

/* Adds the dates in a line. @return whether one of them was not an update */
static bool add_line_date(struct reader *in, int64_t number)
{
    const th_view text = line(in, number);
    th_date_words found;
    size_t from = 0;
    if (text.len == 0 || text.len > LINE_TEXT)
        return false;
    while (th_date_words_find(text, from, in->page->language, &found)) {
        const th_view before = tail((th_view){ text.data, found.start }, 30);
        const th_view above =
            found.start < 3 ? line(in, number - 1) : (th_view){ NULL, 0 };
        const bool has_above = above.len > 0 && !is_longer(above, LABEL_TEXT);
        from = found.end;
        if (says_updated(before) || (has_above && says_updated(above))) {
            add_date(in, found.day, TH_DAY_LEN, TH_SEEN_UPDATED);
            continue;
        }
        const bool is_said =
            says_published(before) || (has_above && says_published(above));
        const bool is_alone = text.len - (found.end - found.start) < 24;
        if (!is_said && ends_sentence(text, &found))
            return true;
        add_date(in, found.day, TH_DAY_LEN,
                 is_said || is_alone ? TH_SEEN_TEXT : TH_SEEN_LOOSE);
        return true;
    }
    return false;
}

static void add_line_dates(struct reader *in)
{
    for (int64_t i = in->headline + 1; i < in->headline + 9; i++)
        if (line(in, i).len >= PROSE || add_line_date(in, i))
            break;
    for (int64_t i = in->headline - 4; i < in->headline; i++)
        if (add_line_date(in, i))
            break;
}

static void find_dates(struct reader *in)
{
    add_mark_dates(in, TH_MARK_ITEM_PUBLISHED, TH_SEEN_ITEM, 0, 0);
    add_mark_dates(in, TH_MARK_TIME | TH_MARK_POSTED_CLASS, TH_SEEN_POSTED, 10, 30);
    if (!is_list_of_days(in))
        add_mark_dates(in, TH_MARK_TIME, TH_SEEN_TIME, 5, 12);
    add_mark_dates(in, TH_MARK_DATE_CLASS, TH_SEEN_CLASS, 6, 15);
    add_url_date(in);
    if (in->has_headline)
        add_line_dates(in);
    /* An insertion sort, because there are few rows and equal ones must keep their
     * order. */
    th_seen_date *const dates = in->facts->dates;
    for (uint32_t i = 1; i < in->facts->date_count; i++) {
        const th_seen_date date = dates[i];
        uint32_t j = i;
        for (; j > 0 && dates[j - 1].how > date.how; j--)
            dates[j] = dates[j - 1];
        dates[j] = date;
    }
}

bool th_url_is_front(th_view url)
{
    const char *start = url.data ? memmem(url.data, url.len, "://", 3) : NULL;
    if (!start)
        return false;
    const th_view rest = { start + 3, url.len - (size_t)(start + 3 - url.data) };
    const char *path = memchr(rest.data, '/', rest.len);
    return !path || path + 1 == rest.data + rest.len || path[1] == '#';
}

void th_visible_facts_read(const th_visible_page *page, th_visible_facts *facts)
{
    struct reader in = { .page = page, .facts = facts };
    facts->authors.len = facts->authors.count = 0;
    facts->author_from = NULL;
    facts->date_count = 0;
    find_headline(&in);
    find_author(&in);
    find_dates(&in);
}
