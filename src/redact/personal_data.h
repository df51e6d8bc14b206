/*
 * Finds personal data in a text: e-mail addresses, public IP addresses, telephone numbers.
 *
 *   email  local@domain: ASCII, with a dot in the domain, and a last label of letters
 *   ip     IPv4 with four numbers, and IPv6; only globally reachable addresses
 *          [IANA registries of special-purpose addresses, RFC 6890]
 *   phone  +CC and 7 to 15 digits [E.164]; 00CC; (0CC) and 0CC with 9 to 12 digits in
 *          groups; ten digits of North America in groups: (212) 555-0123
 *
 * Without regular expressions: each byte is examined a bounded number of times, so a text
 * costs linear time. Digits without any separator are a telephone number only after a
 * plus sign, because most other numbers are not telephone numbers.
 */
#ifndef TH_PERSONAL_DATA_H
#define TH_PERSONAL_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/options.h"
#include "thresher/view.h"

/** Personal data in a text. */
typedef struct th_personal_match {
    size_t start, end; /* bytes of the text, [start, end); at least 2 */
    unsigned kind;     /* bit number of TH_REDACT_... */
} th_personal_match;

/** Position of a search. Start with { .text, .kinds }. The other members are private. */
typedef struct th_personal_search {
    th_view text;   /* UTF-8; borrowed until the search ends */
    uint32_t kinds; /* TH_REDACT_... */
    size_t at;      /* bytes before it have been searched */
    /* The next e-mail address at or after `at`, because numbers may be part of one. */
    bool has_email, has_looked;
    th_personal_match email;
} th_personal_search;

/**
 * Finds the next match, from left to right without overlap. At equal places an e-mail
 * address precedes an IP address, which precedes a telephone number.
 * @return false after the last match
 */
bool th_personal_next(th_personal_search *search, th_personal_match *match);

#endif
