/*
 * Finds personal data in a text. See the header.
 *
 * An e-mail address is found from its '@': to the left while bytes belong to a local
 * part, to the right while they belong to a domain. Neither passes the next '@' or an
 * earlier match. Numbers begin only after a byte that is not a letter or digit, and have a
 * maximum length.
 */
#include "redact/personal_data.h"

#include <string.h>

#include "base/ascii.h"

enum {
    PHONE_DIGITS_MIN = 7,  /* after a plus sign */
    PHONE_DIGITS_MAX = 15, /* [E.164 §6.2] */
    NATIONAL_MIN = 9,      /* with the leading zero */
    NATIONAL_MAX = 12,
    NORTH_AMERICAN = 10,
    PHONE_GROUPS = 8,
    IPV6_GROUPS = 8,
    OCTETS = 4,
};

/* Positions before the first and after the last byte read as a space. */
static char byte_at(th_view text, size_t at)
{
    if (at >= text.len)
        return ' ';
    return text.data[at];
}

static bool is_word(char c)
{
    return th_is_digit(c) || th_is_letter(c);
}

/* ---- e-mail ---- */

/* Bytes of a local part without quotes. [RFC 5322 §3.2.3 atext, and '.'] */
static bool is_local(char c)
{
    return is_word(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~.", c));
}

/* Returns the end of a domain at `at`: labels of letters, digits and inner hyphens, at
 * least two, the last one of two or more letters or in Punycode. 0 if there is none. */
static size_t domain_end(th_view text, size_t at)
{
    size_t end = 0;
    for (unsigned labels = 1;; labels++) {
        const size_t start = at;
        bool has_only_letters = true;
        while (is_word(byte_at(text, at)) || byte_at(text, at) == '-') {
            has_only_letters &= th_is_letter(text.data[at]);
            at++;
        }
        size_t stop = at;
        while (stop > start && text.data[stop - 1] == '-')
            stop--;
        const th_view label = { text.data + start, stop - start };
        if (!label.len || label.data[0] == '-')
            return end;
        if (stop < at) { /* letters before trailing hyphens */
            has_only_letters = true;
            for (size_t i = 0; i < label.len; i++)
                has_only_letters &= th_is_letter(label.data[i]);
        }
        const bool is_last =
            (has_only_letters && label.len >= 2) || th_ascii_starts_with(label, "xn--");
        if (labels >= 2 && is_last)
            end = stop;
        if (stop < at || byte_at(text, at) != '.')
            return end;
        at++;
    }
}

/* Returns the start of the local part before the '@' at `at`, or `at` if there is none. */
static size_t local_start(th_view text, size_t from, size_t at)
{
    size_t start = at;
    while (start > from && is_local(text.data[start - 1]))
        start--;
    if (start < at && text.data[at - 1] == '.')
        return at;
    while (start < at && !is_word(text.data[start])) /* quotes, signs, dots */
        start++;
    return start;
}

/* Sets search->email to the first address that begins at or after search->at. */
static void look_for_email(th_personal_search *search)
{
    const th_view text = search->text;
    const char *sign;
    size_t from = search->at;
    search->has_looked = true;
    search->has_email = false;
    for (size_t at = from;
         at < text.len && (sign = memchr(text.data + at, '@', text.len - at));) {
        at = (size_t)(sign - text.data);
        const size_t start = local_start(text, from, at);
        const size_t end = start < at ? domain_end(text, at + 1) : 0;
        if (end) {
            search->has_email = true;
            search->email = (th_personal_match){ start, end, TH_REDACT_BIT_EMAIL };
            break;
        }
        from = ++at;
    }
    if (!search->has_email)
        return;
    /* A chain: "a@b.example@c.example" and "a@b.example+d@c.example" are one match. */
    for (size_t at = search->email.end; at < text.len;) {
        while (at < text.len && is_local(text.data[at]))
            at++;
        const size_t end = byte_at(text, at) == '@' ? domain_end(text, at + 1) : 0;
        if (!end)
            break;
        search->email.end = at = end;
    }
}

/* ---- IP addresses ---- */

/* Ranges that are not globally reachable: first address and bits of its prefix. */
static const struct range {
    uint32_t first;
    uint8_t bits;
} special_ranges[] = {
    { 0x00000000, 8 },  { 0x0A000000, 8 },  { 0x64400000, 10 }, { 0x7F000000, 8 },
    { 0xA9FE0000, 16 }, { 0xAC100000, 12 }, { 0xC0000000, 24 }, { 0xC0000200, 24 },
    { 0xC0586300, 24 }, { 0xC0A80000, 16 }, { 0xC6120000, 15 }, { 0xC6336400, 24 },
    { 0xCB007100, 24 }, { 0xE0000000, 4 },  { 0xF0000000, 4 },
};

static bool is_public(uint32_t address)
{
    for (size_t i = 0; i < sizeof special_ranges / sizeof *special_ranges; i++)
        if ((address ^ special_ranges[i].first) >> (32 - special_ranges[i].bits) == 0)
            return false;
    return true;
}

/* Reads four decimal numbers. @return the end, or 0 */
static size_t read_ipv4(th_view text, size_t at, uint32_t *address)
{
    *address = 0;
    for (unsigned i = 0; i < OCTETS; i++) {
        unsigned value = 0, digits = 0;
        if (i && byte_at(text, at++) != '.')
            return 0;
        while (digits < 4 && th_is_digit(byte_at(text, at))) {
            value = value * 10 + (unsigned)(text.data[at++] - '0');
            digits++;
        }
        if (!digits || digits > 3 || value > 255)
            return 0;
        *address = *address << 8 | value;
    }
    return at;
}

/* Whether a number ends here: no letter, and no dot with a digit after it. */
static bool ends_number(th_view text, size_t at)
{
    const char c = byte_at(text, at);
    return !is_word(c) && c != '_' && c != '@' &&
           !(c == '.' && th_is_digit(byte_at(text, at + 1)));
}

static size_t ipv4_end(th_view text, size_t at)
{
    uint32_t address;
    const size_t end = read_ipv4(text, at, &address);
    return end && ends_number(text, end) && is_public(address) ? end : 0;
}

/*
 * Returns the end of an IPv6 address at `at`, or 0: eight groups of hexadecimal digits, or
 * fewer with one "::". With "::" it needs three groups and a decimal digit, because
 * "std::add" is a name in a program. Only 2000::/3 without 2001:db8::/32 is public.
 */
static size_t ipv6_end(th_view text, size_t at)
{
    unsigned groups = 0, first = 0, second = 0;
    bool is_short = false, has_digit = false;
    for (;;) {
        unsigned value = 0, digits = 0;
        while (digits < 5 && th_hex_value(byte_at(text, at)) >= 0) {
            has_digit |= th_is_digit(text.data[at]);
            value = value << 4 | (unsigned)th_hex_value(text.data[at++]);
            digits++;
        }
        if (digits > 4 || (!digits && !is_short))
            return 0;
        if (digits && groups == 0)
            first = value;
        if (digits && groups == 1)
            second = value;
        groups += digits > 0;
        if (groups == IPV6_GROUPS || byte_at(text, at) != ':')
            break;
        if (byte_at(text, at + 1) == ':') {
            if (is_short)
                return 0;
            is_short = true;
            at += 2;
            if (th_hex_value(byte_at(text, at)) < 0)
                break;
        } else if (th_hex_value(byte_at(text, at + 1)) < 0) {
            break;
        } else {
            at++;
        }
    }
    const bool is_whole = is_short ? groups < IPV6_GROUPS : groups == IPV6_GROUPS;
    const bool is_global = first >> 13 == 1 && !(first == 0x2001 && second == 0xDB8);
    if (!is_whole || !has_digit || (is_short && groups < 3) || !is_global)
        return 0;
    if (byte_at(text, at) == ':' && is_word(byte_at(text, at + 1)))
        return 0;
    return ends_number(text, at) ? at : 0;
}

/* ---- telephone numbers ---- */

/* A run of digit groups: "+49 (0)30 1234-567". */
struct groups {
    char digits[PHONE_DIGITS_MAX + 3]; /* of all groups, as far as there is room */
    unsigned digit_count;
    unsigned group_count;
    unsigned len[PHONE_GROUPS];
    size_t end[PHONE_GROUPS]; /* bytes of the text before the end of the group */
};

/* Returns the bytes of a separator between two groups, or 0: a space (also U+00A0 and
 * U+202F), a hyphen (also U+2010 to U+2013), a dot, or a slash. */
static size_t separator_at(th_view text, size_t at)
{
    static const char *const wide[] = { "\u00A0", "\u202F", "\u2010",
                                        "\u2011", "\u2012", "\u2013" };
    const char c = byte_at(text, at);
    if (at < text.len && (c == ' ' || c == '-' || c == '.' || c == '/'))
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        const size_t len = strlen(wide[i]);
        if (text.len - at >= len && memcmp(text.data + at, wide[i], len) == 0)
            return len;
    }
    return 0;
}

/* Skips what may separate two groups: a separator, also with spaces or a parenthesis. */
static size_t skip_gap(th_view text, size_t at)
{
    const size_t start = at;
    if (byte_at(text, at) == ')')
        at++;
    size_t len = at < text.len ? separator_at(text, at) : 0;
    at += len;
    if (len && at < text.len && byte_at(text, at - len) == ' ' &&
        (len = separator_at(text, at)) && text.data[at] != ' ' && text.data[at] != '/') {
        /* " - " */
        at += len;
        if (byte_at(text, at) == ' ')
            at++;
    }
    if (byte_at(text, at) == '(')
        at++;
    return at < text.len && th_is_digit(text.data[at]) ? at : start;
}

/* Reads groups of digits from `at`, which is a digit. Stops at a limit. */
static void read_groups(th_view text, size_t at, struct groups *groups)
{
    *groups = (struct groups){ .digit_count = 0 };
    while (groups->group_count < PHONE_GROUPS) {
        unsigned len = 0;
        while (th_is_digit(byte_at(text, at)) &&
               groups->digit_count < sizeof groups->digits) {
            groups->digits[groups->digit_count++] = text.data[at++];
            len++;
        }
        groups->len[groups->group_count] = len;
        groups->end[groups->group_count++] = at;
        const size_t next = skip_gap(text, at);
        if (next == at || groups->digit_count == sizeof groups->digits)
            return;
        at = next;
    }
}

/* Whether groups look like a date: 01-02-2020, 2020-02-01, 01.02.20. */
static bool is_date(const struct groups *groups)
{
    const unsigned *len = groups->len;
    return groups->group_count >= 3 && len[0] + len[1] + len[2] <= 8 &&
           ((len[0] <= 2 && len[1] <= 2 && len[2] == 4) || (len[0] == 4 && len[1] <= 2));
}

/* Ten digits in three groups of 3, 3 and 4 (also 3 and 7 after a parenthesis), whose area
 * and exchange begin with 2 to 9. */
static bool is_north_american(const struct groups *groups, unsigned skip)
{
    const unsigned *len = groups->len + (skip ? 1 : 0);
    const char *digits = groups->digits + skip;
    return groups->digit_count == NORTH_AMERICAN + skip &&
           groups->group_count == (skip ? 4u : 3u) && len[0] == 3 && len[1] == 3 &&
           len[2] == 4 && digits[0] >= '2' && digits[3] >= '2';
}

/* The leading zero of a national number, two to five groups, each of two digits or
 * more. */
static bool is_national(const struct groups *groups)
{
    for (unsigned i = 0; i < groups->group_count; i++)
        if (groups->len[i] < 2)
            return false;
    return groups->digits[0] == '0' && groups->digits[1] != '0' &&
           groups->group_count >= 2 && groups->group_count <= 5 &&
           groups->digit_count >= NATIONAL_MIN && groups->digit_count <= NATIONAL_MAX &&
           !is_date(groups);
}

static bool is_phone(const struct groups *groups, bool has_plus)
{
    const unsigned count = groups->digit_count;
    const char *digits = groups->digits;
    if (has_plus)
        return digits[0] != '0' && count >= PHONE_DIGITS_MIN && count <= PHONE_DIGITS_MAX;
    if (digits[0] == '0' && groups->len[0] >= 3 && digits[1] == '0')
        return digits[2] != '0' && groups->group_count >= 2 &&
               count >= PHONE_DIGITS_MIN + 4 && count <= PHONE_DIGITS_MAX + 2;
    if (digits[0] == '0')
        return is_national(groups);
    return is_north_american(groups, 0) ||
           (digits[0] == '1' && groups->len[0] == 1 && is_north_american(groups, 1));
}

/* Returns the end of a telephone number at `at`, or 0. Takes as many groups as possible,
 * because another number may follow after a space. */
static size_t phone_end(th_view text, size_t at)
{
    struct groups groups;
    const bool has_plus = text.data[at] == '+';
    at += has_plus;
    if (byte_at(text, at) == '(')
        at++;
    if (!th_is_digit(byte_at(text, at)))
        return 0;
    read_groups(text, at, &groups);
    while (groups.group_count) {
        const size_t end = groups.end[groups.group_count - 1];
        const char after = byte_at(text, end);
        const bool goes_on =
            (after == '-' || after == '/') && th_is_digit(byte_at(text, end + 1));
        if (!goes_on && ends_number(text, end) && is_phone(&groups, has_plus))
            return end;
        groups.digit_count -= groups.len[--groups.group_count];
    }
    return 0;
}

/* ---- search ---- */

/* Whether a number can begin at `at`. Numbers after a letter, a digit, or a dot or colon
 * with a digit before it are parts of something else. */
static bool begins_number(th_view text, size_t at)
{
    if (!at)
        return true;
    const char before = text.data[at - 1];
    if ((before == '.' || before == ':' || before == '-' || before == '/') && at >= 2)
        return !th_is_digit(text.data[at - 2]);
    return !is_word(before) && before != '_' && before != '@' && before != '+';
}

/* Finds a number that begins in [search->at, end). */
static bool find_number(const th_personal_search *search, size_t end,
                        th_personal_match *match)
{
    /* A number does not reach into an e-mail address. */
    const th_view text = { search->text.data, end };
    const bool has_ip = search->kinds & TH_REDACT_IP;
    const bool has_phone = search->kinds & TH_REDACT_PHONE;
    for (size_t at = search->at; at < end; at++) {
        const char c = text.data[at];
        const bool is_start = th_is_digit(c) || c == '+' || c == '(';
        if ((!is_start && th_hex_value(c) < 0) || !begins_number(text, at))
            continue;
        size_t stop = 0;
        if (has_ip && th_is_digit(c))
            stop = ipv4_end(text, at);
        if (has_ip && !stop && th_hex_value(c) >= 0)
            stop = ipv6_end(text, at);
        unsigned kind = TH_REDACT_BIT_IP;
        if (has_phone && !stop && is_start) {
            stop = phone_end(text, at);
            kind = TH_REDACT_BIT_PHONE;
        }
        if (stop) {
            *match = (th_personal_match){ at, stop, kind };
            return true;
        }
    }
    return false;
}

bool th_personal_next(th_personal_search *search, th_personal_match *match)
{
    const bool has_numbers = search->kinds & (TH_REDACT_IP | TH_REDACT_PHONE);
    if ((search->kinds & TH_REDACT_EMAIL) && !search->has_looked)
        look_for_email(search);
    const size_t end = search->has_email ? search->email.start : search->text.len;
    if (has_numbers && find_number(search, end, match)) {
        search->at = match->end;
        return true;
    }
    search->at = search->text.len;
    if (!search->has_email)
        return false;
    *match = search->email;
    search->at = match->end;
    search->has_email = search->has_looked = false;
    return true;
}
