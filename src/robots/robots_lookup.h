/* Finds the statements of robots.txt and tdmrep.json about a URL, in a file of the rules
 * of hosts. */
#ifndef TH_ROBOTS_LOOKUP_H
#define TH_ROBOTS_LOOKUP_H

#include <stdbool.h>

#include "page/rights.h"
#include "robots/robots_file.h"
#include "robots/robots_txt.h"

enum { TH_ROBOTS_HOPS = 5 /* redirects of robots.txt that are followed */ };

/** The rules of the last host, for one agent. Not thread-safe. Start with
 * th_robots_lookup_begin. */
typedef struct th_robots_lookup {
    const th_robots_file *file; /* borrowed */
    const char *agent;          /* borrowed */
    char origin[TH_ROBOTS_ORIGIN_MAX];
    size_t origin_len;    /* 0: no host yet */
    bool is_named;        /* a group names the agent */
    bool has_robots;      /* the file has robots.txt of the host */
    int status;           /* of its response, 0 if unknown */
    th_buffer rules;      /* of the agent's groups */
    th_buffer tdm;        /* as th_tdmrep_reduce */
    th_buffer text, path; /* scratch */
} th_robots_lookup;

void th_robots_lookup_begin(th_robots_lookup *lookup, const th_robots_file *file,
                            const char *agent);
void th_robots_lookup_done(th_robots_lookup *lookup);

/** Result for a URL. Views are valid until the next call. */
typedef struct th_robots_answer {
    bool is_known; /* the file has robots.txt of the host */
    bool is_named; /* by a group that names the agent, not by `*` */
    int status;    /* a status of 500 or more disallows everything [RFC 9309 §2.3.1.4] */
    th_robots_match match;
} th_robots_answer;

/**
 * Finds the rule for a URL. A host without a file, and a file with a status of 400 to 499,
 * allow everything.
 * @return TH_OK; TH_ABSENT: not an http(s) URL; TH_NOMEM
 */
th_status th_robots_lookup_find(th_robots_lookup *lookup, th_view url,
                                th_robots_answer *out);

/** Appends the statements about a URL. TH_OK; TH_NOMEM */
th_status th_robots_lookup_add(th_robots_lookup *lookup, th_view url, th_rights *rights);

#endif
