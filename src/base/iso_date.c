/*
 * Reads the forms in which pages write the date they were published.
 *
 * Two grammars are tried in turn. Dates in digits begin with the year. Dates with the
 * month in letters have their parts in any order. If any text is left over, the whole
 * date is unknown, because half a date would be wrong.
 */
#include "base/iso_date.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { MAX_TEXT = 128, MAX_FRACTION = 9, FIRST_YEAR = 1000 };

struct cursor {
    const char *at;
    const char *end;
};

struct date {
    uint32_t year, month, day; /* 0 = not stated */
    bool has_time, has_seconds;
    uint32_t hour, minute, second;
    th_view fraction; /* digits of a second */
    bool is_utc, has_offset;
    char offset_sign;
    uint32_t offset_hour, offset_minute;
};

static char peek(const struct cursor *in)
{
    if (in->at == in->end)
        return '\0';
    return *in->at;
}

static bool accept(struct cursor *in, char c)
{
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

static void skip_blanks(struct cursor *in)
{
    while (peek(in) == ' ')
        in->at++;
}

static th_view take_digits(struct cursor *in)
{
    const char *start = in->at;
    while (th_is_digit(peek(in)))
        in->at++;
    return (th_view){ start, (size_t)(in->at - start) };
}

static th_view take_letters(struct cursor *in)
{
    const char *start = in->at;
    while (th_is_letter(peek(in)))
        in->at++;
    return (th_view){ start, (size_t)(in->at - start) };
}

/* Returns the value of at most nine digits. */
static uint32_t number(const char *digits, size_t len)
{
    uint32_t value = 0;
    for (size_t i = 0; i < len; i++)
        value = value * 10 + (uint32_t)(digits[i] - '0');
    return value;
}

/* Parses a number of one to two digits, or of exactly two if `is_full`. */
static bool take_number(struct cursor *in, bool is_full, uint32_t *value)
{
    const th_view digits = take_digits(in);
    if (digits.len == 0 || digits.len > 2 || (is_full && digits.len != 2))
        return false;
    *value = number(digits.data, digits.len);
    return true;
}

/* Returns whether a word is a name, or its first three or more letters. */
static bool is_name(th_view word, const char *name)
{
    if (word.len < 3 || word.len > strlen(name))
        return false;
    for (size_t i = 0; i < word.len; i++)
        if ((word.data[i] | 0x20) != name[i])
            return false;
    return true;
}

/* Returns 1..12, or 0 if the word is not a month. */
static uint32_t month_of(th_view word)
{
    static const char *const names[] = {
        "january", "february", "march",     "april",   "may",      "june",
        "july",    "august",   "september", "october", "november", "december"
    };
    for (uint32_t i = 0; i < 12; i++)
        if (is_name(word, names[i]))
            return i + 1;
    return 0;
}

static bool is_weekday(th_view word)
{
    static const char *const names[] = { "monday", "tuesday",  "wednesday", "thursday",
                                         "friday", "saturday", "sunday" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_name(word, names[i]))
            return true;
    return false;
}

/*
 * Sets a zone given in letters. [RFC 5322 §4.3] without CST and MST, which on the web are
 * as often China's and Malaysia's. An ambiguous zone makes the date ambiguous.
 */
static bool set_zone_word(struct date *date, th_view word)
{
    static const struct {
        const char *name;
        int hours; /* west of Greenwich */
    } zones[] = {
        { "z", 0 },    { "ut", 0 },    { "utc", 0 },  { "gmt", 0 },
        { "est", 5 },  { "edt", 4 },   { "cdt", 5 },  { "mdt", 6 },
        { "pst", 8 },  { "pdt", 7 },   { "cet", -1 }, { "cest", -2 },
        { "eet", -2 }, { "eest", -3 }, { "msk", -3 }, { "jst", -9 },
    };
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        if (!th_ascii_is(word, zones[i].name))
            continue;
        date->is_utc = zones[i].hours == 0;
        date->has_offset = !date->is_utc;
        date->offset_sign = zones[i].hours < 0 ? '+' : '-';
        date->offset_hour = (uint32_t)abs(zones[i].hours);
        date->offset_minute = 0;
        return true;
    }
    return false;
}

/* "+02:00", "+0200", "+02". */
static bool take_offset(struct cursor *in, struct date *date)
{
    const char sign = *in->at++;
    const th_view digits = take_digits(in);
    date->offset_minute = 0;
    if (digits.len == 4)
        date->offset_minute = number(digits.data + 2, 2);
    else if (digits.len == 2 && accept(in, ':') &&
             !take_number(in, true, &date->offset_minute))
        return false;
    if (digits.len != 2 && digits.len != 4)
        return false;
    date->offset_hour = number(digits.data, 2);
    date->offset_sign = sign;
    date->has_offset = true;
    date->is_utc = false;
    return date->offset_hour <= 14 && date->offset_minute < 60;
}

/*
 * Skips text that may follow a zone and repeats it: "(CEST)", or the name or repeated
 * offset that Go prints, "+0200 CEST".
 */
static void skip_zone_comment(struct cursor *in)
{
    skip_blanks(in);
    if (accept(in, '(')) {
        while (in->at < in->end && *in->at != ')')
            in->at++;
        (void)accept(in, ')');
        return;
    }
    const struct cursor start = *in;
    if (peek(in) == '+' || peek(in) == '-') {
        in->at++;
        if (take_digits(in).len != 4)
            *in = start;
    } else {
        const size_t len = take_letters(in).len;
        if (len < 3 || len > 4)
            *in = start;
    }
}

/* Parses a zone, if present. @return false if there is other text */
static bool take_zone(struct cursor *in, struct date *date)
{
    skip_blanks(in);
    if (in->at == in->end)
        return true;
    if (th_is_letter(peek(in)) && !set_zone_word(date, take_letters(in)))
        return false;
    if ((peek(in) == '+' || peek(in) == '-') && !take_offset(in, date))
        return false;
    if (date->has_offset || date->is_utc)
        skip_zone_comment(in);
    return true;
}

/* Parses "AM" or "PM" after a time, if present. */
static bool take_half_of_day(struct cursor *in, struct date *date)
{
    const struct cursor start = *in;
    skip_blanks(in);
    const th_view word = take_letters(in);
    const bool is_pm = th_ascii_is(word, "pm");
    if (!is_pm && !th_ascii_is(word, "am")) {
        *in = start;
        return true;
    }
    if (date->hour == 0 || date->hour > 12)
        return false;
    date->hour = date->hour % 12 + (is_pm ? 12 : 0);
    return true;
}

/* Parses seconds and their fraction, after "hh:mm". */
static bool take_seconds(struct cursor *in, struct date *date)
{
    if (!accept(in, ':'))
        return true;
    date->has_seconds = true;
    if (!take_number(in, true, &date->second))
        return false;
    if (!accept(in, '.') && !accept(in, ','))
        return true;
    date->fraction = take_digits(in);
    if (date->fraction.len > MAX_FRACTION)
        date->fraction.len = MAX_FRACTION;
    return date->fraction.len > 0;
}

/* Parses "12:30", "9:05:00", "123000": a time without its zone. */
static bool take_time(struct cursor *in, struct date *date)
{
    const th_view digits = take_digits(in);
    date->has_time = true;
    if (digits.len == 4 || digits.len == 6) {
        date->hour = number(digits.data, 2);
        date->minute = number(digits.data + 2, 2);
        date->has_seconds = digits.len == 6;
        date->second = date->has_seconds ? number(digits.data + 4, 2) : 0;
        return true;
    }
    if (digits.len == 0 || digits.len > 2 || !accept(in, ':'))
        return false;
    date->hour = number(digits.data, digits.len);
    return take_number(in, true, &date->minute) && take_seconds(in, date) &&
           take_half_of_day(in, date);
}

/* Parses the month and the day of a date in digits, after its year. */
static bool take_month_and_day(struct cursor *in, struct date *date)
{
    const char between = peek(in);
    if (between != '-' && between != '/' && between != '.')
        return false;
    in->at++;
    if (!take_number(in, false, &date->month))
        return false;
    return !accept(in, between) || take_number(in, false, &date->day);
}

static bool take_digit_date(struct cursor *in, struct date *date)
{
    const th_view digits = take_digits(in);
    if (digits.len != 4 && digits.len != 8 && digits.len != 14)
        return false;
    date->year = number(digits.data, 4);
    if (digits.len == 4) {
        if (in->at < in->end && !take_month_and_day(in, date))
            return false;
    } else {
        date->month = number(digits.data + 4, 2);
        date->day = number(digits.data + 6, 2);
        if (date->month == 0 || date->day == 0 || date->year < FIRST_YEAR)
            return false; /* "05062017" begins with no year */
    }
    if (digits.len == 14) {
        struct cursor time = { digits.data + 8, digits.data + 14 };
        return take_time(&time, date) && take_zone(in, date);
    }
    if (in->at == in->end)
        return true;
    if (!accept(in, 'T') && !accept(in, 't') && peek(in) != ' ')
        return false;
    skip_blanks(in);
    return take_time(in, date) && take_zone(in, date);
}

/* Parses a number in a date with the month in letters: day, year or hour. */
static bool take_named_number(struct cursor *in, struct date *date)
{
    const struct cursor start = *in;
    const th_view digits = take_digits(in);
    if (peek(in) == ':' && !date->has_time) {
        *in = start;
        return take_time(in, date);
    }
    if (digits.len == 4 && date->year == 0) {
        date->year = number(digits.data, 4);
        return date->year >= FIRST_YEAR;
    }
    if (digits.len == 0 || digits.len > 2 || date->day > 0)
        return false;
    date->day = number(digits.data, digits.len);
    const th_view ordinal =
        th_is_letter(peek(in)) ? take_letters(in) : (th_view){ NULL, 0 };
    return date->day > 0 &&
           (!ordinal.data || th_ascii_is(ordinal, "st") || th_ascii_is(ordinal, "nd") ||
            th_ascii_is(ordinal, "rd") || th_ascii_is(ordinal, "th"));
}

/* Parses a word in such a date: month, day of the week, or the zone after the time. */
static bool take_named_word(struct cursor *in, struct date *date)
{
    const struct cursor start = *in;
    const th_view word = take_letters(in);
    const uint32_t month = month_of(word);
    if (month > 0 && date->month == 0) {
        date->month = month;
        (void)accept(in, '.');
        return true;
    }
    if (is_weekday(word) || th_ascii_is(word, "at"))
        return true;
    if (!date->has_time || date->is_utc || date->has_offset)
        return false;
    *in = start;
    if (!set_zone_word(date, take_letters(in)))
        return false;
    /* JavaScript's "GMT+0200 (CEST)"; in asctime's "UTC 2017" the year follows. */
    if (peek(in) != '+' && peek(in) != '-')
        return true;
    *in = start;
    return take_zone(in, date);
}

static bool take_named_date(struct cursor *in, struct date *date)
{
    while (in->at < in->end) {
        const char c = *in->at;
        bool is_good = true;
        if (th_is_letter(c))
            is_good = take_named_word(in, date);
        else if (th_is_digit(c))
            is_good = take_named_number(in, date);
        else if ((c == '+' || c == '-') && date->has_time)
            is_good = !date->is_utc && !date->has_offset && take_zone(in, date);
        else if (c == ' ' || c == ',' || ((c == '-' || c == '/') && !date->has_time))
            in->at++;
        else
            is_good = false;
        if (!is_good)
            return false;
    }
    return date->month > 0 && date->year > 0;
}

static uint32_t days_in_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[month - 1];
}

/* Returns whether the parts are in range, and each part has the larger parts before
 * it. */
static bool is_possible(const struct date *date)
{
    if (date->month > 12 || (date->day > 0 && date->month == 0))
        return false;
    if (date->day > 0 && date->day > days_in_month(date->year, date->month))
        return false;
    return !date->has_time ||
           (date->day > 0 && date->hour < 24 && date->minute < 60 && date->second <= 60);
}

/* Writes a number of two digits. @return their end */
static char *put_two(char *out, uint32_t number)
{
    out[0] = (char)('0' + number / 10);
    out[1] = (char)('0' + number % 10);
    return out + 2;
}

/* Writes a sign and a number of two digits. @return their end */
static char *put_part(char *out, char sign, uint32_t number)
{
    *out = sign;
    return put_two(out + 1, number);
}

static size_t write_date(const struct date *date, char out[TH_ISO_DATE_MAX])
{
    char *at = put_two(put_two(out, date->year / 100), date->year % 100);
    if (date->month > 0)
        at = put_part(at, '-', date->month);
    if (date->day > 0)
        at = put_part(at, '-', date->day);
    if (date->has_time)
        at = put_part(put_part(at, 'T', date->hour), ':', date->minute);
    if (date->has_seconds)
        at = put_part(at, ':', date->second);
    if (date->fraction.len > 0) {
        *at++ = '.';
        memcpy(at, date->fraction.data, date->fraction.len);
        at += date->fraction.len;
    }
    if (date->is_utc)
        *at++ = 'Z';
    if (date->has_offset)
        at = put_part(put_part(at, date->offset_sign, date->offset_hour), ':',
                      date->offset_minute);
    return (size_t)(at - out);
}

th_date_kind th_iso_date(th_view text, char out[TH_ISO_DATE_MAX], size_t *len)
{
    if (text.len == 0 || text.len > MAX_TEXT)
        return TH_DATE_OTHER;
    struct cursor in = { text.data, text.data + text.len };
    struct date date = { 0 };
    skip_blanks(&in);
    while (in.end > in.at && in.end[-1] == ' ')
        in.end--;
    const struct cursor start = in;
    const bool is_negative = accept(&in, '-'); /* PHP's -0001-11-30 is 0000-00-00 */
    bool is_read =
        th_is_digit(peek(&in)) && take_digit_date(&in, &date) && in.at == in.end;
    if (is_read && date.year < FIRST_YEAR)
        return TH_DATE_UNSET;
    if (!is_read || is_negative) {
        in = start;
        date = (struct date){ 0 };
        is_read = take_named_date(&in, &date);
    }
    if (!is_read || !is_possible(&date))
        return TH_DATE_OTHER;
    *len = write_date(&date, out);
    return TH_DATE_ISO;
}
