/*
 * What can be chosen for the road of a page: limits and methods. One struct, filled with
 * defaults, checked once, then const. The program's option table points into it.
 */
#ifndef THRESHER_OPTIONS_H
#define THRESHER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

/** Parts of a record that are emitted on request, and the signatures made. */
enum {
    TH_EMIT_FULL_TEXT = 1u << 0,
    TH_EMIT_SEGMENTS = 1u << 1,
    TH_EMIT_BLOCKS = 1u << 2,
    TH_EMIT_LINKS = 1u << 3,
    TH_EMIT_HTML = 1u << 4,
};

/** Names of these parts, "full_text", by the number of their bit; ends with NULL. */
extern TH_API const char *const th_emit_names[];

typedef struct th_options {
    /* limits; beyond one the record is cut and flagged, or refused by name */
    uint64_t max_record;     /* bytes of a WARC block that are looked at */
    uint64_t max_body;       /* bytes of a decoded HTTP body */
    uint32_t max_head;       /* bytes of an HTTP head */
    uint32_t max_codings;    /* stacked content codings */
    uint32_t max_depth;      /* nested elements that are kept as nodes */
    uint32_t max_nodes;      /* elements kept as nodes */
    uint32_t max_blocks;     /* atomic blocks */
    uint32_t max_links;      /* links */
    uint32_t max_attributes; /* attributes of a tag */
    uint32_t max_tag;        /* bytes of a tag */
    uint32_t page_ms;        /* CPU time of a page, milliseconds; 0 = no limit */

    /* text model and methods */
    uint32_t w_max;         /* columns of a wrapped line [K11 §4.2.1] */
    const char *parser;     /* one of th_parser_names; borrowed */
    const char *segmenter;  /* a name in th_segmenters; borrowed */
    const char *profile;    /* gap tags: "2008" or "html5"; borrowed */
    double theta_max;       /* fuse below this slope delta; negative = the method's own */
    const char *classifier; /* a name in th_classifiers; borrowed */
    /* How the segment that is signed is chosen: "weighed" (or NULL), or "largest" as in
     * [KN08 §5.3]; borrowed. */
    const char *main_segment;

    /* sketch */
    const char *minhash; /* words for th_minhash_parse, or "none"; borrowed */
    uint32_t sign;       /* 1u << TH_SIGN_MAIN | ... */
    uint8_t bands;       /* emit band keys */

    uint32_t emit; /* TH_EMIT_... */
} th_options;

/** Every default, as the documentation states them. */
TH_API void th_options_init(th_options *options);

/**
 * Checks ranges and that every name is known.
 * @return TH_OK, or TH_USAGE with the option's name in err
 */
TH_API th_status th_options_check(const th_options *options, th_error *err);

#endif
