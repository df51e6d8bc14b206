/*
 * robots.txt: reduces a file to its rules, selects the rules of an agent, and finds the
 * rule that decides about a URL. [RFC 9309]
 */
#ifndef TH_ROBOTS_TXT_H
#define TH_ROBOTS_TXT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/view.h"

enum {
    TH_ROBOTS_TXT_MAX = 500 << 10, /* bytes that are read of a file [RFC 9309 §2.5] */
    TH_ROBOTS_RULE_MAX = 2048,     /* bytes of a line; longer lines are dropped */
    TH_ROBOTS_RULES_MAX = 10000,   /* lines of a reduced file */
    TH_ROBOTS_ORIGIN_MAX = 300,    /* with its final NUL */
    TH_ROBOTS_PATH_MAX = 8192,     /* bytes of a canonical path that are compared */
};

/**
 * Appends the lines that matter, one rule per line, ASCII, without comments:
 * "user-agent: examplebot", "allow: /a", "disallow: /b*", "content-usage: train-ai=n",
 * "content-signal: ...", "license: URL". Agents are product tokens in lower case. Paths
 * are canonical: see th_robots_path.
 * @return false if a limit dropped a line, or the end of the file
 * O(length).
 */
bool th_robots_txt_reduce(th_view bytes, th_buffer *out);

/**
 * Appends the lines of all groups of an agent, or of `*` if no group has its name,
 * without the agents; and the lines of no group (license).
 * @param reduced  output of th_robots_txt_reduce
 * @param agent    product token, case ignored; "" has no group but `*`
 * @return whether a group has the agent's name
 * O(length).
 */
bool th_robots_txt_select(th_view reduced, th_view agent, th_buffer *out);

/** The lines that decide about a path; absent if there is none. */
typedef struct th_robots_match {
    th_view rule;          /* "disallow: /b*", of the longest path; allow wins a tie */
    bool is_disallowed;    /* by this rule */
    th_view usage, signal; /* value of the line with the longest path, without it */
} th_robots_match;

/**
 * Finds the lines for a path. /robots.txt is always allowed.
 * @param rules  output of th_robots_txt_select; the match borrows from it
 * @param path   output of th_robots_path
 * O(length of the rules + rules with '*' x length of the path).
 */
void th_robots_txt_match(th_view rules, th_view path, th_robots_match *out);

/** Returns whether a canonical pattern with '*' and a final '$' matches a path from its
 * start. */
bool th_robots_pattern_matches(th_view pattern, th_view path);

/** Appends a path pattern in canonical form, with '*' and a final '$' as they are. */
void th_robots_pattern(th_view pattern, th_buffer *out);

/**
 * Appends path and query of a URL in canonical form: unreserved characters and '=' are
 * decoded, other characters except '/' and the first '?' are encoded with upper-case
 * digits. An escape of '/' or '?' remains one.
 */
void th_robots_path(th_view url, th_buffer *out);

/**
 * Writes the origin of an http(s) URL: "https://a.example:8443" in lower case, without
 * user and default port.
 * @return its length, 0 if the URL has none or it is too long
 */
size_t th_robots_origin(th_view url, char out[TH_ROBOTS_ORIGIN_MAX]);

#endif
