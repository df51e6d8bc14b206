/*
 * Finds dates in running text. A text is split into numbers, words and marks. A date is
 * one of a few sequences of these tokens. Names of months are ICU's (month_names.txt).
 *
 * Thai years count from 543 BC. Months and years of the Solar Hijri calendar of Iran are
 * converted. Dates of lunar calendars are not: the day depends on the country.
 */
#include "base/date_words.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/month_names.h"
#include "base/unicode.h"

enum {
    MAX_TOKENS = 160,
    MAX_WORD = 32, /* bytes of the longest month, with a margin */
    FIRST_YEAR = 1970,
    LAST_YEAR = 2099,
    MONTHS = 12,
    BUDDHIST_YEARS = 543, /* a Thai year minus the year */
    SOLAR_YEARS = 621,    /* the year minus a year of Iran, until its tenth month */
};

enum token_kind { NUMBER, WORD, MARK };

struct token {
    enum token_kind kind;
    size_t start, end;
    uint32_t value;  /* number: its value; mark: its code point */
    uint8_t digits;  /* of a number, at most 255 */
    uint8_t month;   /* of a word, 0 = none; above 12: Solar Hijri */
    bool is_ordinal; /* word: st, nd, rd, th, er */
    bool is_of;      /* word: de, of, del, at ... between the parts of a date */
    bool is_spaced;  /* whitespace precedes it */
    bool is_thai;    /* word: its first letter is Thai */
};

struct line {
    struct token tokens[MAX_TOKENS];
    size_t count;
};

static bool is_word_in(th_view word, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == word.len && memcmp(*list, word.data, word.len) == 0)
            return true;
    return false;
}

/* Returns whether a tag begins with a language of two letters. */
static bool is_language(th_view tag, const char *two)
{
    return tag.len >= 2 && th_ascii_equal(tag.data, two, 2) &&
           (tag.len == 2 || !th_is_letter(tag.data[2]));
}

static uint8_t month_of(th_view word, th_view language)
{
    size_t low = 0, high = sizeof th_month_names / sizeof *th_month_names;
    while (low < high) { /* the first row that is not before the word */
        const size_t middle = (low + high) / 2;
        const char *const name = th_month_names[middle].name;
        const size_t len = strlen(name);
        const int order = memcmp(name, word.data, len < word.len ? len : word.len);
        if (order < 0 || (order == 0 && len < word.len))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < sizeof th_month_names / sizeof *th_month_names; low++) {
        const struct th_month_name *const row = &th_month_names[low];
        if (strlen(row->name) != word.len || memcmp(row->name, word.data, word.len) != 0)
            break;
        if (!row->language[0] ||
            (language.len >= 2 && th_ascii_equal(row->language, language.data, 2)))
            return row->month;
    }
    return 0;
}

/* Sets the meanings that a lower-case word has in a date. */
static void judge_word(struct token *token, th_view word, th_view language)
{
    static const char *const ordinals[] = { "st", "nd", "rd", "th", "er", "º", NULL };
    static const char *const links[] = { "de",  "of",  "del", "at",  "d",   "den",
                                         "ماه", "سال", "من",  "พ.ศ", "ค.ศ", NULL };
    static const char in_hebrew[] = "ב"; /* "in", written together with the month */
    token->is_ordinal = is_word_in(word, ordinals);
    token->is_of = is_word_in(word, links);
    token->month = month_of(word, language);
    if (!token->month && word.len > 2 && memcmp(word.data, in_hebrew, 2) == 0)
        token->month = month_of((th_view){ word.data + 2, word.len - 2 }, language);
}

static bool is_thai(uint32_t c)
{
    return c >= 0x0E01 && c <= 0x0E5B;
}

/* Returns whether a dot at a byte is inside of a Thai abbreviation. */
static bool is_thai_dot(th_view text, size_t at)
{
    if (text.data[at] != '.' || ++at >= text.len)
        return false;
    return is_thai(th_utf8_next(text.data, &at));
}

static void read_word(struct token *token, th_view text, size_t *at, th_view language)
{
    char lower[MAX_WORD + 4];
    size_t len = 0;
    for (size_t next = *at; next < text.len; *at = next) {
        const bool is_dot = token->is_thai && is_thai_dot(text, next);
        const uint32_t c = th_utf8_next(text.data, &next);
        if (len == 0)
            token->is_thai = is_thai(c);
        const bool is_mark =
            is_dot || (U_GET_GC_MASK((UChar32)c) & (U_GC_MN_MASK | U_GC_MC_MASK)) != 0;
        if (!is_mark && (c < 0x80 ? !th_is_letter((char)c) : !u_isalpha((UChar32)c)))
            break;
        if (len <= MAX_WORD && c != 0x307) /* the dot of a Turkish I */
            len += th_utf8_put((uint32_t)u_tolower((UChar32)c), lower + len);
    }
    if (len <= MAX_WORD)
        judge_word(token, (th_view){ lower, len }, language);
}

/* Returns the value of a decimal digit of any script, or -1. */
static int digit_value(uint32_t c)
{
    if (c < 0x80)
        return th_is_digit((char)c) ? (int)c - '0' : -1;
    return u_isdigit((UChar32)c) ? u_charDigitValue((UChar32)c) : -1;
}

static void read_number(struct token *token, th_view text, size_t *at)
{
    for (size_t next = *at; next < text.len; *at = next) {
        const int digit = digit_value(th_utf8_next(text.data, &next));
        if (digit < 0)
            break;
        token->value = token->value * 10 + (uint32_t)digit;
        if (token->digits < 9)
            token->digits++;
        else
            token->value = 0; /* too long for a part of a date */
    }
}

/* Returns whether an East Asian character marks a year, a month or a day before it. */
static bool is_date_mark(uint32_t c)
{
    return c == 0x5E74 || c == 0x6708 || c == 0x65E5 || /* 年月日 */
           c == 0xB144 || c == 0xC6D4 || c == 0xC77C;   /* 년월일 */
}

/* Returns whether a character has no width: a joiner, or a mark of direction. */
static bool is_invisible(uint32_t c)
{
    return (c >= 0x200C && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0x061C;
}

/* Joins the last two words if together they name a month: in Arabic, of the Levant. */
static void join_words(struct line *line, th_view text, th_view language)
{
    struct token *const second = &line->tokens[line->count - 1];
    if (line->count < 2 || second->kind != WORD || second[-1].kind != WORD)
        return;
    const th_view words = { text.data + second[-1].start,
                            second->end - second[-1].start };
    const uint8_t month = (unsigned char)words.data[0] >= 0x80 && words.len <= MAX_WORD
                              ? month_of(words, language)
                              : 0;
    if (month) {
        second[-1].month = month;
        second[-1].end = second->end;
        line->count--;
    }
}

static void cut(struct line *line, th_view text, size_t from, th_view language)
{
    bool is_spaced = true;
    line->count = 0;
    for (size_t at = from; at < text.len && line->count < MAX_TOKENS;) {
        size_t next = at;
        const uint32_t c = th_utf8_next(text.data, &next);
        if (th_is_space(c) || is_invisible(c)) {
            is_spaced |= !is_invisible(c);
            at = next;
            continue;
        }
        struct token *const token = &line->tokens[line->count++];
        *token = (struct token){ .start = at, .is_spaced = is_spaced };
        is_spaced = false;
        if (digit_value(c) >= 0) {
            token->kind = NUMBER;
            read_number(token, text, &at);
        } else if (!is_date_mark(c) &&
                   (c < 0x80 ? th_is_letter((char)c) : u_isalpha((UChar32)c))) {
            token->kind = WORD;
            read_word(token, text, &at, language);
        } else {
            token->kind = MARK;
            token->value = c;
            at = next;
        }
        token->end = at;
        join_words(line, text, language);
    }
}

/* ---- the sequences ---- */

static const struct token *at(const struct line *line, size_t i)
{
    static const struct token none = { .kind = MARK };
    return i < line->count ? &line->tokens[i] : &none;
}

static bool is_number(const struct token *token, unsigned low, unsigned high)
{
    return token->kind == NUMBER && token->digits >= low && token->digits <= high;
}

static bool is_mark(const struct token *token, uint32_t c)
{
    return token->kind == MARK && token->value == c;
}

/* How the years of a date are counted. */
enum calendar { GREGORIAN, BUDDHIST, SOLAR_HIJRI };

static enum calendar calendar_of(const struct token *month, th_view language)
{
    if (month->month > MONTHS)
        return SOLAR_HIJRI;
    return month->is_thai || is_language(language, "th") ? BUDDHIST : GREGORIAN;
}

/* Returns the Gregorian year; of the Solar Hijri calendar, the year unchanged. 0 if the
 * token is not a year of the calendar. */
static uint32_t year_of(const struct token *token, enum calendar calendar)
{
    if (!is_number(token, 4, 4))
        return 0;
    uint32_t year = token->value;
    if (calendar == SOLAR_HIJRI)
        return year + SOLAR_YEARS >= FIRST_YEAR && year + SOLAR_YEARS < LAST_YEAR ? year
                                                                                  : 0;
    if (calendar == BUDDHIST && year > LAST_YEAR)
        year -= BUDDHIST_YEARS;
    return year >= FIRST_YEAR && year <= LAST_YEAR ? year : 0;
}

static bool is_year(const struct token *token)
{
    return year_of(token, GREGORIAN) != 0;
}

/* Returns the index after the words that may separate the parts of a date, from `i`. */
static size_t skip_links(const struct line *line, size_t i)
{
    for (;; i++) {
        const struct token *const token = at(line, i);
        const bool is_link =
            (token->kind == WORD && (token->is_of || token->is_ordinal)) ||
            is_mark(token, ',') || is_mark(token, '.') || is_mark(token, '-') ||
            is_mark(token, 0xBA) || is_mark(token, 0x2019) || is_mark(token, '\'') ||
            is_mark(token, 0x060C) || is_mark(token, 0x05F3) || /* comma, geresh */
            is_mark(token, 0x0970);
        if (!is_link || i >= line->count)
            return i;
    }
}

static bool set_day(th_date_words *found, uint32_t year, uint32_t month, uint32_t day,
                    size_t start, size_t end)
{
    static const uint8_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    char text[40];
    (void)snprintf(text, sizeof text, "%04u-%02u-%02u", year, month, day);
    memcpy(found->day, text, TH_DAY_LEN);
    found->start = start;
    found->end = end;
    return true;
}

/* Returns the days from 1 January of the year 0 to a day of the Solar Hijri calendar. Its
 * leap years have a period of 33 years from 1178 to 1633. */
static uint32_t solar_days(uint32_t year, uint32_t month, uint32_t day)
{
    enum { PERIOD = 33, LEAP_YEARS = 8, SHIFT = 1595, DAYS_TO_0 = 355668 };
    const uint32_t shifted = year + SHIFT;
    const uint32_t leap_days = shifted / PERIOD * LEAP_YEARS + (shifted % PERIOD + 3) / 4;
    const uint32_t months = month - 1; /* six of 31 days, then of 30 */
    return 365 * shifted + leap_days - DAYS_TO_0 + months * 30 +
           (months < 6 ? months : 6) + day;
}

/* The same for a date of the Solar Hijri calendar. */
static bool set_solar_day(th_date_words *found, uint32_t year, uint32_t month,
                          uint32_t day, size_t start, size_t end)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (month < 1 || month > MONTHS || day < 1 || day > 30u + (month <= 6) ||
        solar_days(year, month, day) >= solar_days(year + 1, 1, 1))
        return false;
    uint32_t western = year + SOLAR_YEARS;
    uint32_t left =
        solar_days(year, month, day) - (365 * western + (western + 3) / 4 -
                                        (western + 99) / 100 + (western + 399) / 400);
    for (;; western++) {
        const uint32_t is_leap =
            western % 4 == 0 && (western % 100 != 0 || western % 400 == 0);
        for (uint32_t i = 0; i < MONTHS; i++) {
            const uint32_t len = days[i] + (i == 1 ? is_leap : 0);
            if (left < len)
                return set_day(found, western, i + 1, left + 1, start, end);
            left -= len;
        }
    }
}

/* Sets the date with a named month. @return false if the tokens are not a date */
static bool set_named(th_date_words *found, const struct token *day,
                      const struct token *month, const struct token *year,
                      th_view language, size_t start)
{
    if (!is_number(day, 1, 2) || month->kind != WORD || !month->month)
        return false;
    const enum calendar calendar = calendar_of(month, language);
    const uint32_t number = year_of(year, calendar);
    if (!number)
        return false;
    return calendar == SOLAR_HIJRI
               ? set_solar_day(found, number, month->month - MONTHS, day->value, start,
                               year->end)
               : set_day(found, number, month->month, day->value, start, year->end);
}

/* "Dec 18th, 2025" */
static bool month_first(const struct line *line, size_t i, th_view language,
                        th_date_words *found)
{
    if (at(line, i)->kind != WORD || !at(line, i)->month)
        return false;
    const size_t day = skip_links(line, i + 1);
    const size_t year = skip_links(line, day + 1);
    return set_named(found, at(line, day), at(line, i), at(line, year), language,
                     at(line, i)->start);
}

/* "18. Dezember 2025", "18 de diciembre de 2025", "18-Dec-2025" */
static bool day_first(const struct line *line, size_t i, th_view language,
                      th_date_words *found)
{
    if (at(line, i)->kind != NUMBER)
        return false;
    const size_t month = skip_links(line, i + 1);
    const size_t year = skip_links(line, month + 1);
    return set_named(found, at(line, i), at(line, month), at(line, year), language,
                     at(line, i)->start);
}

/* "2025年12月18日" */
static bool with_marks(const struct line *line, size_t i, th_date_words *found)
{
    const uint32_t mark = at(line, i + 1)->value;
    return is_year(at(line, i)) && at(line, i + 1)->kind == MARK &&
           (mark == 0x5E74 || mark == 0xB144) && is_number(at(line, i + 2), 1, 2) &&
           at(line, i + 3)->kind == MARK && is_number(at(line, i + 4), 1, 2) &&
           set_day(found, at(line, i)->value, at(line, i + 2)->value,
                   at(line, i + 4)->value, at(line, i)->start, at(line, i + 4)->end);
}

/* Returns which of two numbers is the month: 1 the first, 2 the second, 0 if
 * ambiguous. */
static int month_place(uint32_t first, uint32_t second, th_view language)
{
    if (first > 12 || first == second)
        return 2;
    if (second > 12)
        return 1;
    if (th_ascii_is(language, "en-us"))
        return 1;
    return language.len >= 2 &&
                   (!th_ascii_equal(language.data, "en", 2) || language.len == 5)
               ? 2
               : 0;
}

/* "2025-12-18", "18.12.2025", "12/18/2025" */
static bool in_digits(const struct line *line, size_t i, th_view language,
                      th_date_words *found)
{
    const struct token *const a = at(line, i), *const b = at(line, i + 2),
                              *const c = at(line, i + 4);
    const struct token *const mark = at(line, i + 1), *const again = at(line, i + 3);
    if (a->kind != NUMBER || mark->kind != MARK || !is_mark(again, mark->value) ||
        !is_number(b, 1, 2) || c->kind != NUMBER || mark->is_spaced || again->is_spaced)
        return false;
    const bool is_dotted = mark->value == '.';
    if (!is_dotted && (b->is_spaced || c->is_spaced))
        return false;
    if (mark->value != '-' && mark->value != '/' && !is_dotted && mark->value != 0x2011)
        return false;
    if (is_year(a) && is_number(c, 1, 2))
        return set_day(found, a->value, b->value, c->value, a->start, c->end);
    if (is_language(language, "fa") && year_of(a, SOLAR_HIJRI) && is_number(c, 1, 2))
        return set_solar_day(found, a->value, b->value, c->value, a->start, c->end);
    const uint32_t year = year_of(c, is_language(language, "th") ? BUDDHIST : GREGORIAN);
    if (!is_number(a, 1, 2) || !year)
        return false;
    const int place = is_dotted ? 2 : month_place(a->value, b->value, language);
    if (place == 0)
        return false;
    return set_day(found, year, place == 1 ? a->value : b->value,
                   place == 1 ? b->value : a->value, a->start, c->end);
}

/* Returns whether the text has digits in the form of a year. Most lines have none. */
static bool may_have_year(th_view text, size_t from, th_view language)
{
    /* Scripts of calendars with other years, or with other digits: U+0590 and above. */
    enum { FIRST_OTHER = 0xD6 };
    bool is_other = is_language(language, "th") || is_language(language, "fa");
    bool has_other_year = false;
    for (size_t i = from; i < text.len; i++) {
        const char *const at = text.data + i;
        const unsigned char byte = (unsigned char)*at;
        if (byte >= FIRST_OTHER) {
            size_t next = i;
            is_other = true;
            if (digit_value(th_utf8_next(text.data, &next)) >= 0)
                return true;
        } else if (i + 4 <= text.len && (byte == '1' || byte == '2') &&
                   th_is_digit(at[1]) && th_is_digit(at[2]) && th_is_digit(at[3])) {
            if ((byte == '1' && at[1] == '9') || (byte == '2' && at[1] == '0'))
                return true;
            has_other_year = true;
        }
    }
    return is_other && has_other_year;
}

bool th_date_words_find(th_view text, size_t from, th_view language, th_date_words *found)
{
    struct line line;
    if (text.len > TH_DATE_TEXT_MAX)
        text.len = th_utf8_valid(text.data, TH_DATE_TEXT_MAX);
    if (!may_have_year(text, from, language))
        return false;
    cut(&line, text, from, language);
    for (size_t i = 0; i < line.count; i++) {
        /* A number that continues to the left is not a beginning. */
        const bool goes_on =
            i > 0 && !line.tokens[i].is_spaced && line.tokens[i - 1].kind == MARK &&
            strchr("-/.:", (int)(line.tokens[i - 1].value & 0x7F)) && i > 1 &&
            line.tokens[i - 2].kind == NUMBER && line.tokens[i - 1].value < 0x80;
        if (!goes_on &&
            (in_digits(&line, i, language, found) || with_marks(&line, i, found) ||
             month_first(&line, i, language, found) ||
             day_first(&line, i, language, found)))
            return true;
    }
    return false;
}
